//! What figures cost, as ratios: counting against the bare tokenizer, a changed limit against a frame's
//! budget, and comparisons from a few turns to many, which must grow no faster than what is compared.

use std::sync::Arc;
use std::time::{Duration, Instant};

use turnscope::analysis::{Analysis, Profile, View};
use turnscope::compression::{Case, Run, STRATEGIES};
use turnscope::tokens::Tokenizer;

#[path = "common/big_step.rs"]
#[allow(dead_code)] // the step file is for the bench of loading
mod big_step;

const TOKENIZER: Tokenizer = Tokenizer::O200k;

/// The median of some runs, each on something made afresh.
fn median<T>(runs: usize, mut make: impl FnMut() -> T, mut measured: impl FnMut(T)) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let input = make();
            let begin = Instant::now();
            measured(input);
            begin.elapsed()
        })
        .collect();
    times.sort();
    times[runs / 2]
}

fn run(turns: usize) -> Arc<Run> {
    Arc::new(Run::new(Arc::new(big_step::big_step(turns))))
}

/// All tokens of a run's last prompt of whole turns, cold, against the tokenizer alone on its texts.
fn counting() {
    let case = case("uncompressed");
    let texts: Vec<Arc<str>> = {
        let run = run(1_000);
        let prompt = run
            .prompt(run.step().last_prompt(), &case)
            .expect("a prompt");
        prompt
            .messages()
            .into_iter()
            .map(|(_, text)| text)
            .collect()
    };
    let bare = bpe_openai::o200k_base();
    let alone = median(
        5,
        || (),
        |()| {
            std::hint::black_box(texts.iter().map(|text| bare.count(text)).sum::<usize>());
        },
    );
    // The prompt is made before the clock starts: what is measured is the counting.
    let make = || {
        let run = run(1_000);
        let prompt = run
            .prompt(run.step().last_prompt(), &case)
            .expect("a prompt");
        prompt.iter().for_each(drop);
        (run, prompt)
    };
    let ours = median(5, make, |(_run, prompt)| {
        std::hint::black_box(prompt.tokens(TOKENIZER));
    });
    ratio("G8 counting against the bare tokenizer", ours, alone);
}

/// A limit changes at 1,000 turns: the prompt and its tokens, exactly.
fn limit() {
    let run = run(1_000);
    let last = run.step().last_prompt();
    let mut limit = 0;
    let next = || {
        limit += 1;
        let mut case = case("single-user-coalesced");
        case.set("println_limit", &limit.to_string())
            .expect("an option");
        case
    };
    let changed = median(20, next, |case| {
        let prompt = run.prompt(last, &case).expect("a prompt");
        std::hint::black_box(prompt.tokens(TOKENIZER));
    });
    ratio(
        "G7 tokens after a changed limit, against 16.7 ms",
        changed,
        Duration::from_micros(16_700),
    );
}

fn case(name: &str) -> Case {
    Case::new(turnscope::compression::strategy(name).expect("a strategy"))
}

/// A comparison of every strategy from 50 to 400 turns, a turn's share against that at 50.
fn comparisons() {
    for strategy in STRATEGIES {
        let cases = [(strategy.name().to_owned(), View::Case(Case::new(*strategy)))];
        let share = |turns: usize| {
            let make = || Analysis::new(run(turns), TOKENIZER, Profile::default());
            let took = median(3, make, |analysis| {
                std::hint::black_box(analysis.compare(&cases, None).expect("prompts"));
            });
            took / u32::try_from(turns).expect("few turns")
        };
        let (few, many) = (share(50), share(400));
        ratio(
            &format!("compare {}: a turn at 400 against 50", strategy.name()),
            many,
            few,
        );
    }
}

fn ratio(what: &str, time: Duration, base: Duration) {
    let ratio = time.as_secs_f64() / base.as_secs_f64();
    println!("{what:<64} {ratio:>8.2}  ({time:.2?} to {base:.2?})");
}

fn main() {
    counting();
    limit();
    comparisons();
}
