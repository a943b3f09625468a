//! What every strategy promises, for any run and any options.

mod common;

use std::collections::HashSet;
use std::sync::{Arc, Barrier};

use common::arbitrary::{case, step};
use proptest::prelude::*;
use turnscope::compression::{Case, LeftOut, Prompt, Reason, Run, STRATEGIES, Setting};
use turnscope::namespace::{Origin, PromptMessage};
use turnscope::step::{Role, Step, Turn, TurnParts};

/// A prompt in full: its messages with their pieces, what it reports, what it leaves out.
#[derive(Debug, PartialEq)]
struct Whole {
    messages: Vec<Arc<PromptMessage>>,
    stats: String,
    left_out: Vec<(Reason, Vec<Origin>)>,
}

fn whole(run: &Run, n: u32, case: &Case) -> Whole {
    let prompt = run.prompt(n, case).expect("a prompt");
    let history = run.history(n);
    Whole {
        messages: prompt.iter().collect(),
        stats: format!("{:?}", prompt.stats),
        left_out: prompt
            .left_out
            .iter()
            .map(|gone| (gone.reason, gone.list(history)))
            .collect(),
    }
}

fn prompts(run: &Run) -> impl Iterator<Item = u32> + use<> {
    1..=run.step().last_prompt()
}

/// The first turns of a step. What comes after them is gone, apart from the input before the next.
fn first_turns(step: &Step, count: usize) -> Step {
    let mut first = step.clone();
    let turns = step.turns().iter().take(count);
    first.replace_turns(turns.map(|turn| (**turn).clone()).collect());
    if let Some(next) = step.turns().get(count) {
        first.pending_input = next.input().cloned();
    }
    first
}

/// The same turns with others after them.
fn with_more_turns(step: &Step) -> Step {
    let mut more = step.clone();
    for failed in [true, false] {
        let number = more.last_prompt();
        let mut parts = TurnParts::default();
        if number == step.last_prompt() {
            parts.input.clone_from(&step.pending_input);
        }
        more.push_turn(if failed {
            Turn::failure(number, parts)
        } else {
            Turn::success(number, parts)
        });
    }
    more
}

const FINAL: &str = "FINAL TURN - you must call (return result) or (fail reason) now.";

fn check_messages(run: &Run, n: u32, case: &Case, prompt: &Prompt) -> Result<(), TestCaseError> {
    let step = run.step();
    for message in prompt.iter() {
        let ends: Vec<usize> = message.pieces.iter().map(|piece| piece.end).collect();
        prop_assert!(ends.is_sorted(), "{ends:?}");
        prop_assert_eq!(ends.last().copied().unwrap_or(0), message.content.len());
        let joined: String = message.pieces().map(|(_, text)| text).collect();
        prop_assert_eq!(joined.as_str(), &*message.content);
    }
    let all: Vec<_> = prompt.iter().collect();
    prop_assert_eq!(all.len(), prompt.len());
    prop_assert!(prompt.get(prompt.len()).is_none());

    let has = |origin: &Origin, text: &str| {
        all.iter()
            .flat_map(|message| message.pieces())
            .any(|(piece, shown)| piece.origin == *origin && shown.contains(text))
    };
    // Only who asks for it loses the mission, with the first message.
    let asked = case.options.get("keep_initial_user") == Some(Setting::Flag(false));
    let mission = step.mission.as_deref().filter(|_| !asked);
    if let Some(mission) = mission.filter(|text| !text.is_empty()) {
        prop_assert!(has(&Origin::Mission, mission));
    }
    let starts_with_system = all.first().is_some_and(|first| first.role == Role::System);
    prop_assert_eq!(
        starts_with_system,
        turnscope::prompt::system_prompt(step).is_some()
    );
    let indicator = match step.max_turns() {
        None | Some(1) => None,
        Some(max) => Some(match i64::from(max) - i64::from(n - 1) {
            left @ 2.. => format!("Turns left: {left}"),
            _ => FINAL.to_owned(),
        }),
    };
    match indicator {
        Some(text) => {
            let last = all.last().expect("a message");
            prop_assert_eq!(last.role, Role::User);
            prop_assert!(last.content.ends_with(&text), "{}", last.content);
            let alone = last.content.len() == text.len();
            let apart = format!("\n\n{text}");
            prop_assert!(alone || last.content.ends_with(&apart));
            prop_assert!(has(&Origin::Indicator, &text));
        }
        None => prop_assert!(!has(&Origin::Indicator, "")),
    }
    Ok(())
}

/// Whether a turn has a program, or text in its place, or a result, where that is asked for.
fn exists(step: &Step, origin: &Origin) -> bool {
    let turn = |number: &u32| &step.turns()[*number as usize - 1];
    match origin {
        Origin::Program(number) => {
            let raw = turn(number).raw_response().get();
            turn(number).program().get().is_some() || raw.is_some_and(|text| !text.is_empty())
        }
        Origin::Result(number) => {
            let calls = turn(number).tool_calls();
            turn(number).result().get().is_some()
                || calls
                    .iter()
                    .any(|call| call.error.is_some() || call.result.get().is_some())
        }
        _ => true,
    }
}

fn check_stats(run: &Run, n: u32, prompt: &Prompt) -> Result<(), TestCaseError> {
    let turns = || run.step().turns().iter().take(n as usize - 1);
    let succeeded = || turns().filter(|turn| !turn.failed());
    let stats = &prompt.stats;
    let calls: usize = succeeded().map(|turn| turn.tool_calls().len()).sum();
    let prints: usize = succeeded().map(|turn| turn.prints().len()).sum();
    prop_assert_eq!(stats.calls.total, calls);
    prop_assert_eq!(stats.prints.total, prints);
    prop_assert_eq!(stats.calls.dropped() + stats.calls.shown, calls);
    prop_assert_eq!(stats.prints.dropped() + stats.prints.shown, prints);
    prop_assert!(stats.turns_compressed <= turns().count());
    prop_assert!(stats.errors_collapsed <= turns().filter(|turn| turn.failed()).count());

    for gone in &prompt.left_out {
        let all = gone.list(run.history(n));
        for most in [0, 1, 3, usize::MAX] {
            let (last, count) = gone.last(run.history(n), most);
            prop_assert_eq!(count, all.len());
            prop_assert_eq!(last.as_slice(), &all[count.saturating_sub(most)..]);
        }
        for origin in &all {
            prop_assert!(exists(run.step(), origin), "{origin:?} never was");
        }
    }

    // An item is shown or left out, never both; one that is cut is shown.
    let shown: HashSet<Origin> = prompt
        .iter()
        .flat_map(|message| message.pieces.clone())
        .map(|piece| piece.origin)
        .collect();
    let history = run.history(n);
    let is_item = |origin: &Origin| matches!(origin, Origin::Call { .. } | Origin::Print { .. });
    let gone: Vec<Origin> = prompt
        .left_out
        .iter()
        .filter(|gone: &&LeftOut| gone.reason != Reason::Cut)
        .flat_map(|gone| gone.list(history))
        .filter(is_item)
        .collect();
    for origin in &gone {
        prop_assert!(!shown.contains(origin), "{origin:?} is shown and left out");
    }
    let once: HashSet<&Origin> = gone.iter().collect();
    prop_assert_eq!(once.len(), gone.len(), "listed twice: {:?}", gone);
    let of_successes = |origin: &&Origin| {
        let turn = origin.turn().map_or(0, |turn| turn as usize);
        !run.step().turns()[turn - 1].failed()
    };
    let gone_calls = gone.iter().filter(|o| matches!(o, Origin::Call { .. }));
    let gone_prints = gone.iter().filter(|o| matches!(o, Origin::Print { .. }));
    prop_assert_eq!(
        gone_calls.filter(of_successes).count(),
        stats.calls.dropped()
    );
    prop_assert_eq!(
        gone_prints.filter(of_successes).count(),
        stats.prints.dropped()
    );
    Ok(())
}

/// Whatever happened stands in the prompt, or the reason is told why it doesn't: nothing is gone silently.
fn check_nothing_is_gone_silently(run: &Run, n: u32, prompt: &Prompt) -> Result<(), TestCaseError> {
    let mut told: HashSet<Origin> = prompt
        .iter()
        .flat_map(|message| message.pieces.clone())
        .map(|piece| piece.origin)
        .collect();
    let history = run.history(n);
    // This one has a line for each tool, with how often it was called.
    let is_counted = prompt.stats.strategy == "aggressive";
    let name = |turn: u32, index: usize| {
        let turn = &run.step().turns()[turn as usize - 1];
        turn.tool_calls()[index].name.clone()
    };
    let counted: HashSet<Arc<str>> = told
        .iter()
        .filter_map(|origin| match origin {
            Origin::Call { turn, index } if is_counted => Some(name(*turn, *index)),
            _ => None,
        })
        .collect();
    told.extend(prompt.left_out.iter().flat_map(|gone| gone.list(history)));
    for turn in run.step().turns().iter().take(n as usize - 1) {
        let number = turn.number();
        let mut items = vec![];
        let calls = turn.tool_calls().len();
        let response = turn.raw_response().get();
        if turn.program().get().is_some() || response.is_some_and(|text| !text.is_empty()) {
            items.push(Origin::Program(number));
        }
        items.extend((0..calls).map(|index| Origin::Call {
            turn: number,
            index,
        }));
        let prints = 0..turn.prints().len();
        items.extend(prints.map(|index| Origin::Print {
            turn: number,
            index,
        }));
        if turn.failed() {
            items.push(Origin::Error(number));
        } else if turn.result().get().is_some() {
            items.push(Origin::Result(number));
        }
        if turn.input().is_some_and(|text| !text.is_empty()) {
            items.push(Origin::Input(number));
        }
        for item in items {
            let program = Origin::Program(number);
            let is_told = match &item {
                Origin::Call { turn, index } => {
                    told.contains(&program) || counted.contains(&name(*turn, *index))
                }
                _ => false,
            };
            prop_assert!(is_told || told.contains(&item), "{:?}", item);
        }
    }
    let pending = run
        .step()
        .pending_input
        .as_ref()
        .filter(|text| !text.is_empty());
    if n == run.step().last_prompt() && pending.is_some() {
        prop_assert!(told.contains(&Origin::Input(n)));
    }
    Ok(())
}

/// Runs are dear to make and to shrink: fewer of them, unless more are asked for.
fn config() -> ProptestConfig {
    let defaults = ProptestConfig::default();
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig {
        failure_persistence: None,
        cases: if asked { defaults.cases } else { 64 },
        ..defaults
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn messages_are_whole_and_reports_true(step in step(), case in case()) {
        let run = Run::new(Arc::new(step));
        for n in prompts(&run) {
            let prompt = run.prompt(n, &case).expect("a prompt");
            check_messages(&run, n, &case, &prompt)?;
            check_stats(&run, n, &prompt)?;
            check_nothing_is_gone_silently(&run, n, &prompt)?;
        }
        prop_assert!(run.prompt(0, &case).is_err());
        prop_assert!(run.prompt(run.step().last_prompt() + 1, &case).is_err());
    }

    /// Same input, same bytes [ARC-004]: asked again, from another thread, from a run made anew.
    #[test]
    fn prompts_are_pure(step in step(), case in case(), other in self::case()) {
        let step = Arc::new(step);
        let run = Run::new(Arc::clone(&step));
        for n in prompts(&run) {
            let first = whole(&run, n, &case);
            let _ = whole(&run, n, &other);
            prop_assert_eq!(&whole(&run, n, &case), &first);
            let (one, two) = std::thread::scope(|scope| {
                let ask = || scope.spawn(|| whole(&run, n, &case));
                let (one, two) = (ask(), ask());
                (one.join().expect("no panic"), two.join().expect("no panic"))
            });
            prop_assert_eq!(&one, &first);
            prop_assert_eq!(&two, &first);
            prop_assert_eq!(&whole(&Run::new(Arc::clone(&step)), n, &case), &first);
        }
    }

    /// Several threads at once ask one run that nobody has asked before for all strategies, each in an
    /// order of its own.
    #[test]
    fn every_strategy_is_pure_in_threads_at_once(step in step()) {
        const THREADS: usize = 4;
        let step = Arc::new(step);
        let cases: Vec<Case> = STRATEGIES.iter().map(|strategy| Case::new(*strategy)).collect();
        let all = |run: &Run, case: &Case| -> Vec<Whole> {
            prompts(run).map(|n| whole(run, n, case)).collect()
        };
        let alone = |case| all(&Run::new(Arc::clone(&step)), case);
        let expected: Vec<Vec<Whole>> = cases.iter().map(alone).collect();
        let run = Run::new(Arc::clone(&step));
        let start = Barrier::new(THREADS);
        let differ: Vec<&str> = std::thread::scope(|scope| {
            let ask = |thread: usize| {
                let (run, start, cases, expected) = (&run, &start, &cases, &expected);
                scope.spawn(move || {
                    start.wait();
                    let places = (0..cases.len()).map(|at| (at + thread * 3) % cases.len());
                    let differ = places.filter(|&at| all(run, &cases[at]) != expected[at]);
                    differ.map(|at| cases[at].strategy.name()).collect::<Vec<_>>()
                })
            };
            let threads: Vec<_> = (0..THREADS).map(ask).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
        });
        prop_assert!(differ.is_empty(), "{differ:?}");
    }

    /// What comes later doesn't matter, apart from the input that is there already.
    #[test]
    fn prompts_know_no_future(step in step(), case in case()) {
        let run = Run::new(Arc::new(step));
        let longer = Run::new(Arc::new(with_more_turns(run.step())));
        for n in prompts(&run) {
            let prompt = whole(&run, n, &case);
            let shorter = Run::new(Arc::new(first_turns(run.step(), n as usize - 1)));
            prop_assert_eq!(&whole(&shorter, n, &case), &prompt);
            prop_assert_eq!(&whole(&longer, n, &case), &prompt);
        }
    }
}
