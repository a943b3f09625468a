//! What figures cost, as ratios: counting against the bare tokenizer, a changed limit against a frame's
//! budget, and comparisons from a few turns to many, which must grow no faster than what is compared.

use std::sync::Arc;
use std::time::{Duration, Instant};

use turnscope::analysis::{Analysis, Profile, View};
use turnscope::compression::{Case, Run, STRATEGIES};
use turnscope::step::Step;
use turnscope::tokens::Tokenizer;

/// As the program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[path = "common/big_step.rs"]
#[allow(dead_code)] // the step file is for the bench of loading
mod big_step;
#[path = "common/shell_run.rs"]
mod shell_run;

const TOKENIZER: Tokenizer = Tokenizer::O200k;

/// The median of some runs.
fn median<T>(runs: usize, make: impl FnMut() -> T, measured: impl FnMut(&T)) -> Duration {
    times(runs, make, measured)[runs / 2]
}

/// The times of some runs, each on something made afresh, in order.
fn times<T>(
    runs: usize,
    mut make: impl FnMut() -> T,
    mut measured: impl FnMut(&T),
) -> Vec<Duration> {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let input = make();
            let begin = Instant::now();
            measured(&input);
            // What was made is let go of afterwards.
            begin.elapsed()
        })
        .collect();
    times.sort();
    times
}

fn run(turns: usize) -> Arc<Run> {
    Arc::new(Run::new(Arc::new(big_step::big_step(turns))))
}

/// All tokens of a run's last prompt of whole turns, cold, and those of all its prompts, against the
/// tokenizer alone on the texts of the last one. Each time on texts made afresh: what is measured is the
/// counting, not the making, and nobody has read the texts before.
fn counting() {
    let case = case("uncompressed");
    let make = || {
        let run = run(1_000);
        let prompt = |n| run.prompt(n, &case).expect("a prompt");
        let prompts: Vec<_> = (1..=run.step().last_prompt()).map(prompt).collect();
        let last = prompts.last().expect("a prompt").messages();
        (last, prompts)
    };
    let bare = bpe_openai::o200k_base();
    let alone = times(9, make, |(texts, _)| {
        let counts = texts.iter().map(|(_, text)| bare.count(text));
        std::hint::black_box(counts.sum::<usize>());
    });
    let ours = times(9, make, |(_, prompts)| {
        let last = prompts.last().expect("a prompt");
        std::hint::black_box(last.tokens(TOKENIZER));
    });
    let all = times(9, make, |(_, prompts)| {
        let counts = prompts.iter().map(|prompt| prompt.tokens(TOKENIZER));
        std::hint::black_box(counts.sum::<usize>());
    });
    ratio("G8 counting against the bare tokenizer", ours[0], alone[0]);
    ratio(
        "G8 counting every prompt of the run, against the same",
        all[0],
        alone[0],
    );
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
        let prompt = run.prompt(last, case).expect("a prompt");
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

/// Turns of the runs that are compared; a turn's share is held against that at the first.
const TURNS: [usize; 3] = [50, 200, 800];

/// Comparisons of every strategy, of what was sent too, each over runs of more and more turns: a turn's
/// share of the time, and that of the longer runs against that of the shortest. The goal is growth that is
/// linear in the turns: ratios of 1.3 at most, but where a strategy does more only from some length on,
/// as one with a budget.
fn comparisons(what: &str, run: fn(usize) -> Step, views: &[View]) {
    for view in views {
        if !is_asked(&format!("compare {}, {what}", view.name())) {
            continue;
        }
        let cases = [(view.name().to_owned(), view.clone())];
        let share = |turns: usize| {
            let step = Arc::new(run(turns));
            let make = || {
                let run = Arc::new(Run::new(Arc::clone(&step)));
                Analysis::new(run, TOKENIZER, Profile::default())
            };
            let took = times(5, make, |analysis| {
                std::hint::black_box(analysis.compare(&cases, None).expect("prompts"));
            });
            // The fastest is the one that was disturbed least.
            took[0] / u32::try_from(turns).expect("few turns")
        };
        let shares = TURNS.map(share);
        let [few, more, many] = shares.map(|share| share.as_secs_f64());
        println!(
            "compare {:<22} {what:<9} a turn of {TURNS:?}: {shares:>9.1?}  {:>5.2} {:>5.2}",
            view.name(),
            more / few,
            many / few,
        );
    }
}

fn ratio(what: &str, time: Duration, base: Duration) {
    let ratio = time.as_secs_f64() / base.as_secs_f64();
    println!("{what:<64} {ratio:>8.2}  ({time:.2?} to {base:.2?})");
}

/// Whether a line is among those that the first argument asks for: all where there is none.
fn is_asked(line: &str) -> bool {
    let mut asked = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    asked.next().is_none_or(|part| line.contains(&part))
}

fn main() {
    if is_asked("G8") {
        counting();
    }
    if is_asked("G7") {
        limit();
    }
    let mut views: Vec<View> = STRATEGIES
        .iter()
        .map(|s| View::Case(Case::new(*s)))
        .collect();
    comparisons("programs", big_step::big_step, &views);
    views.insert(0, View::Recorded);
    comparisons("shell", shell_run::shell_run, &views);
}
