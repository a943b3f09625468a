//! Runs every recorded program again on recorded results of tools.

use std::sync::Arc;

use crate::lisp::{Ended, Evaluated, Session};
use crate::step::{Memory, PTC_LISP, Step, Turn};
use crate::value::Value;

use super::compare::{Difference, compare, has_cut};
use super::recorded_tools::RecordedTools;

/// Whether a turn came out as recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // every view must say what it does with each
pub enum Verdict {
    /// It did.
    Same,
    /// It did not.
    Differs,
    /// It can't be told, and why.
    Cant(String),
}

/// A turn that was run again.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReplayedTurn {
    /// Its number.
    pub number: u32,
    /// Whether it came out as recorded.
    pub verdict: Verdict,
    /// The parts that didn't, with both sides.
    pub differences: Vec<Difference>,
    /// What has to be said of parts that did.
    pub notes: Vec<&'static str>,
}

/// A step that was run again.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Replay {
    /// Its turns.
    pub turns: Vec<ReplayedTurn>,
}

impl Replay {
    /// How many turns are the same, differ, and can't be told.
    pub fn counts(&self) -> (usize, usize, usize) {
        let count =
            |of: fn(&Verdict) -> bool| self.turns.iter().filter(|turn| of(&turn.verdict)).count();
        (
            count(|verdict| *verdict == Verdict::Same),
            count(|verdict| *verdict == Verdict::Differs),
            count(|verdict| matches!(verdict, Verdict::Cant(_))),
        )
    }

    /// Whether there was a program to run.
    pub fn has_programs(step: &Step) -> bool {
        step.turns().iter().any(|turn| program_of(turn).is_some())
    }
}

fn program_of(turn: &Turn) -> Option<&str> {
    let program = turn.program().get()?;
    (&*program.language == PTC_LISP).then_some(&*program.source)
}

/// Runs all of a step's programs again. After a turn that came out otherwise, the next one begins
/// with what is recorded.
pub fn replay(step: &Step) -> Replay {
    replay_in(Session::default(), step)
}

/// As [`replay()`], in a session of one's own: its limits hold, and whether bare names stand for tools
/// and data.
pub fn replay_in(mut session: Session, step: &Step) -> Replay {
    let turns = step.turns().iter();
    Replay {
        turns: turns
            .map(|turn| replay_turn(&mut session, step, turn).0)
            .collect(),
    }
}

/// Runs one turn's program again in a session that holds what the turns before it made, and leaves
/// the session as it is after the turn.
pub fn replay_turn(
    session: &mut Session,
    step: &Step,
    turn: &Turn,
) -> (ReplayedTurn, Option<Evaluated>) {
    let done = |verdict| ReplayedTurn {
        number: turn.number(),
        verdict,
        differences: Vec::new(),
        notes: Vec::new(),
    };
    let Some(program) = program_of(turn) else {
        let verdict = match turn.program().get() {
            Some(other) => Verdict::Cant(format!(
                "its program is written in {}; only PTC-Lisp is run",
                other.language
            )),
            None if turn.failed() => Verdict::Same,
            None => Verdict::Cant("it has no program".to_owned()),
        };
        resume(session, turn);
        return (done(verdict), None);
    };
    let before = session.clone();
    let mut tools = RecordedTools::new(turn).of_run(step);
    let now = session.run(program, &step.data, &mut tools);
    if let Ended::Error(error) = &now.ended
        && error.reason == "not_recorded"
    {
        let verdict = Verdict::Cant(error.message.clone());
        resume(session, turn);
        return (done(verdict), Some(now));
    }
    if matches!(now.ended, Ended::Error(_)) && !turn.failed() && reads_cut(program, &before, step) {
        let verdict = Verdict::Cant("a value that it reads is cut in the record".to_owned());
        resume(session, turn);
        return (done(verdict), Some(now));
    }
    let compared = compare(turn, &now);
    let same = compared.differences.is_empty();
    if !same {
        let live = Arc::clone(&session.memory);
        *session = before;
        resume_with(session, turn, &live);
    }
    let replayed = ReplayedTurn {
        differences: compared.differences,
        notes: compared.notes,
        ..done(if same {
            Verdict::Same
        } else {
            Verdict::Differs
        })
    };
    (replayed, Some(now))
}

/// Whether a program names a value of which the record has a part only.
fn reads_cut(program: &str, session: &Session, step: &Step) -> bool {
    let memory = session.memory.iter();
    let memory = memory.map(|(name, value)| (Some(&**name), value));
    let data = step.data.iter().map(|(key, value)| (key.as_name(), value));
    let mut known = memory.chain(data);
    known.any(|(name, value)| name.is_some_and(|name| program.contains(name)) && has_cut(value))
}

fn resume(session: &mut Session, turn: &Turn) {
    let live = Arc::clone(&session.memory);
    resume_with(session, turn, &live);
}

/// Goes on from what is recorded. Functions of a name that can run are kept: a record has none.
fn resume_with(session: &mut Session, turn: &Turn, live: &Memory) {
    if turn.failed() {
        return;
    }
    if let Some(recorded) = turn.memory().get() {
        let entries = recorded.iter().map(|(name, value)| {
            let kept = live.get(name).filter(|_| value.is_function());
            (Arc::clone(name), kept.unwrap_or(value).clone())
        });
        let next = Session::new(Arc::new(entries.collect()));
        let mut next = next.with_bare_names(session.bare_names);
        next.history = Arc::clone(&session.history);
        next.limits = session.limits;
        *session = next;
    }
    session.remember(turn.result().get().unwrap_or(&Value::Nil));
}
