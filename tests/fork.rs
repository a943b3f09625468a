//! What follows where a turn is changed: on recorded answers, turn by turn, and never by a real call.

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use turnscope::agent::{Change, Fork, ForkError, Origin, fork};
use turnscope::compression::{Case, Run, STRATEGIES};
use turnscope::lisp::Limits;
use turnscope::step::{Ending, Step};
use turnscope::value::{self, Value, to_clojure};
use turnscope::{export, load};

fn sample(name: &str) -> Arc<Step> {
    let path = common::fixtures().join(format!("step/{name}.step.json"));
    let loaded = load::open(&path, None).expect("a sample");
    Arc::clone(&loaded.conversations[0])
}

fn forked(step: &Step, from: u32, change: &Change) -> Fork {
    fork(step, from, change, &AtomicBool::new(false)).expect("a fork")
}

/// How many turns from the first on are the record's.
fn shared(step: &Step, fork: &Fork) -> usize {
    let pairs = step.turns().iter().zip(fork.step.turns());
    pairs
        .take_while(|(was, is)| was.result() == is.result() && was.memory() == is.memory())
        .count()
}

fn ended(fork: &Fork) -> String {
    match &fork.step.ending {
        Ending::Return(value) => to_clojure(value, value::Limits::NONE).0,
        Ending::Fail(failure) => failure.reason.as_deref().unwrap_or_default().to_owned(),
        _ => fork.stopped.clone().unwrap_or_default(),
    }
}

#[test]
fn a_changed_program_runs_on_recorded_answers() {
    let step = sample("log-triage");
    let program = "(def errors (filter (where :level = \"error\") data/logs))\n\
                   (def by-service (group-by :service errors))";
    let fork = forked(&step, 2, &Change::Program(program.into()));
    assert_eq!(shared(&step, &fork), 1);
    let origins = [
        Origin::Changed,
        Origin::OtherHistory,
        Origin::OtherHistory,
        Origin::OtherHistory,
        Origin::OtherHistory,
    ];
    assert_eq!(fork.origins, origins);
    assert_eq!((fork.origin(1), fork.origin(2)), (None, Some(origins[0])));
    // What was not defined is there now, so that the turn fails of something else.
    let reason = |turn: usize| {
        let result = fork.step.turns()[turn - 1].result().get().cloned();
        let reason = result.and_then(|result| result.get("reason").cloned());
        reason.and_then(|reason| reason.as_name().map(str::to_owned))
    };
    assert!(!fork.step.turns()[1].failed());
    assert_eq!(reason(3).as_deref(), Some("parse_error"));
    assert_eq!(reason(4).as_deref(), Some("type_error"));
    assert_eq!(
        ended(&fork),
        "{\"first_error\" \"OOM: killed pid 4411\" \"service\" \"worker\"}"
    );
    // Nothing was sent to get them; what would be sent renders as for any run.
    assert!(fork.step.turns()[3].messages().get().is_none());
    let run = Run::new(Arc::new(fork.step));
    for strategy in STRATEGIES {
        for n in 1..=7 {
            run.prompt(n, &Case::new(*strategy)).expect("a prompt");
        }
    }
}

#[test]
fn a_changed_result_reaches_what_follows() {
    let step = sample("shop-refunds");
    let value = Value::string("refused");
    let fork = forked(&step, 3, &Change::Result { call: 1, value });
    assert_eq!(shared(&step, &fork), 2);
    let turn = &fork.step.turns()[2];
    assert!(
        turn.prints()[0].ends_with("\"refused\"]"),
        "{:?}",
        turn.prints()
    );
    assert_eq!(
        turn.tool_calls()[1].result.get(),
        Some(&Value::string("refused"))
    );
    assert_eq!(fork.origins, [Origin::Changed, Origin::OtherHistory]);
    assert_eq!(ended(&fork), "{\"amount\" 1451.3 \"refunded\" 2}");
}

#[test]
fn nothing_without_a_record_is_called() {
    let step = sample("shop-refunds");
    let program = "(def to-refund (take-last 1 data/orders))";
    let fork = forked(&step, 2, &Change::Program(program.into()));
    assert_eq!(fork.step.turns().len(), 3);
    assert!(fork.step.turns()[2].failed());
    assert_eq!(
        ended(&fork),
        "turn 3 asks for what has no record, and no recorded answer follows from that"
    );
    let fork = forked(&step, 4, &Change::Program("1".into()));
    assert_eq!(ended(&fork), "no answer is recorded behind turn 4");
}

#[test]
fn limits_end_what_goes_beyond_them() {
    let step = sample("shop-refunds");
    let fork = forked(&step, 2, &Change::MaxTurns(3));
    assert_eq!((shared(&step, &fork), fork.step.turns().len()), (3, 3));
    assert_eq!(ended(&fork), "max_turns_exceeded");
    assert_eq!(fork.origins, [Origin::Recorded, Origin::Recorded]);
    let fork = forked(&step, 1, &Change::MaxTurns(9));
    assert_eq!(ended(&fork), "{\"amount\" 1451.3 \"refunded\" 2}");
    let mut limits = Limits::default();
    limits.steps = 60;
    let fork = forked(&step, 2, &Change::Limits(limits));
    assert_eq!(shared(&step, &fork), 1);
    let reason = fork.step.turns()[1]
        .result()
        .get()
        .and_then(|r| r.get("reason"));
    assert_eq!(reason, Some(&Value::keyword("out_of_budget")));
}

#[test]
fn an_unchanged_program_changes_nothing() {
    for name in [
        "shop-refunds",
        "log-triage",
        "incident-review",
        "invoice-match",
    ] {
        let step = sample(name);
        for turn in step.turns() {
            let Some(program) = turn.program().get() else {
                continue;
            };
            let change = Change::Program(Arc::clone(&program.source));
            let fork = forked(&step, turn.number(), &change);
            assert_eq!(
                shared(&step, &fork),
                step.turns().len(),
                "{name} {}",
                turn.number()
            );
            assert!(!fork.origins.contains(&Origin::OtherHistory));
        }
    }
}

#[test]
fn a_fork_is_a_step_like_any_other() {
    let step = sample("log-triage");
    let fork = forked(
        &step,
        5,
        &Change::Program("(return (count data/logs))".into()),
    );
    assert_eq!(fork.step.turns().len(), 5);
    let written = export::step::write(&fork.step);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fork.step.json");
    std::fs::write(&path, written).expect("a file");
    let again = load::open(&path, None).expect("the fork");
    assert_eq!(again.conversations[0].turns().len(), 5);
    assert_eq!(again.conversations[0].ending, fork.step.ending);
}

#[test]
fn what_cant_be_is_said() {
    let step = sample("log-triage");
    let cancelled = AtomicBool::new(true);
    let change = Change::MaxTurns(3);
    assert_eq!(
        fork(&step, 1, &change, &cancelled),
        Err(ForkError::Cancelled)
    );
    let goes_on = AtomicBool::new(false);
    for turn in [0, 7] {
        let error = fork(&step, turn, &change, &goes_on).expect_err("no such turn");
        assert_eq!(
            error.to_string(),
            format!("there is no turn {turn}; the last is 6")
        );
    }
    let mut foreign = (*step).clone();
    foreign.replace_turns(vec![turnscope::step::Turn::success(
        1,
        turnscope::step::TurnParts::default(),
    )]);
    let error = fork(&foreign, 1, &change, &goes_on).expect_err("no programs");
    assert!(
        error.to_string().contains("no program of this trace"),
        "{error}"
    );
}
