//! What if a turn had been different: a run forked at a turn, on recorded answers and recorded results.
//!
//! As long as nothing has come out otherwise, the turns are those of the record. Behind the first one
//! that has, the record's responses are still taken as the answers, although they were made for another
//! history: that is told turn by turn. The fork ends where the run ends, where the responses run out, or
//! behind the first turn that asks for what has no record. Nothing is really called.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::compare::same_turn;
use super::outcome::{Record, recorded_memory};
use super::recorded_tools::RecordedTools;
use super::replay::{Replay, replay_turn};
use super::run::{ending, ending_so_far};
use crate::lisp::{Ended, Evaluated, Limits, Session};
use crate::step::{Ending, Field, Step, Turn, TurnKind};
use crate::syntax::response;
use crate::value::Value;

/// What is different.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// The turn's program.
    Program(Arc<str>),
    /// The result of one of its calls, counted from 0.
    Result {
        /// The call.
        call: usize,
        /// Its result.
        value: Value,
    },
    /// How many turns the run may take.
    MaxTurns(u32),
    /// What each program may use, from this turn on.
    Limits(Limits),
}

/// Where a turn's answer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // every view must say what it does with each
pub enum Origin {
    /// The record; nothing came out otherwise before it.
    Recorded,
    /// The change.
    Changed,
    /// The record, but it was made for another history: a turn before it came out otherwise.
    OtherHistory,
}

/// A run from a changed turn on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Fork {
    /// The run: the record's turns, then those that were run again.
    pub step: Step,
    /// The turn that was changed.
    pub from: u32,
    /// Of each turn from there on, where its answer comes from.
    pub origins: Vec<Origin>,
    /// Why it ends where it ends, where the run doesn't end by itself.
    pub stopped: Option<String>,
}

impl Fork {
    /// Where a turn's answer comes from; none for the turns before the change.
    pub fn origin(&self, turn: u32) -> Option<Origin> {
        let at = turn.checked_sub(self.from)?;
        self.origins.get(at as usize).copied()
    }
}

/// Why there is no fork.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForkError {
    /// There is no such turn.
    #[error("there is no turn {turn}; the last is {last}")]
    NoTurn {
        /// The turn asked for.
        turn: u32,
        /// The last one.
        last: usize,
    },
    /// The trace has no programs that can be run.
    #[error(
        "no program of this trace can be run: what-if needs programs in PTC-Lisp, as step files and \
         PTC TraceLogs have them"
    )]
    NoPrograms,
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// Runs a step again from turn `from` on, with a change there. When `cancelled` is set, it ends with
/// the program that runs. What a turn was sent is not recorded where the change may alter it.
///
/// # Errors
/// [`ForkError`].
pub fn fork(
    step: &Step,
    from: u32,
    change: &Change,
    cancelled: &AtomicBool,
) -> Result<Fork, ForkError> {
    let last = step.turns().len();
    if from == 0 || from as usize > last {
        return Err(ForkError::NoTurn { turn: from, last });
    }
    if !Replay::has_programs(step) {
        return Err(ForkError::NoPrograms);
    }
    let mut fork = Forking::new(step, from, change);
    for n in 1..=fork.max_turns {
        if cancelled.load(Ordering::Relaxed) {
            return Err(ForkError::Cancelled);
        }
        if !fork.turn(n) {
            break;
        }
    }
    Ok(fork.end())
}

/// A fork in the making.
struct Forking<'a> {
    step: &'a Step,
    from: u32,
    change: &'a Change,
    max_turns: u32,
    session: Session,
    made: Step,
    origins: Vec<Origin>,
    /// Whether a turn came out otherwise than recorded.
    parted: bool,
    stopped: Option<String>,
}

impl<'a> Forking<'a> {
    fn new(step: &'a Step, from: u32, change: &'a Change) -> Self {
        let mut made = step.clone();
        made.replace_turns(Vec::new());
        made.ending = Ending::Open;
        if let Change::MaxTurns(most) = change {
            made.recorded_max_turns = Some((*most).max(1));
        }
        Self {
            step,
            from,
            change,
            max_turns: made.max_turns().unwrap_or(u32::MAX),
            session: Session::default(),
            made,
            origins: Vec::new(),
            parted: false,
            stopped: None,
        }
    }

    /// Makes a turn; whether the run goes on.
    fn turn(&mut self, n: u32) -> bool {
        let recorded = self.step.turns().get(n as usize - 1);
        let is_changed = n == self.from && !matches!(self.change, Change::MaxTurns(_));
        if n >= self.from && recorded.is_some() {
            self.origins.push(match (is_changed, self.parted) {
                (true, _) => Origin::Changed,
                (false, false) => Origin::Recorded,
                (false, true) => Origin::OtherHistory,
            });
        }
        let Some(recorded) = recorded else {
            self.stopped = Some(format!("no answer is recorded behind turn {}", n - 1));
            return false;
        };
        if n < self.from || (!is_changed && !self.parted) {
            return self.as_recorded(n, recorded);
        }
        let Some(response) = self.response(n, recorded) else {
            self.origins.pop();
            self.stopped = Some(format!("the response of turn {n} is not recorded"));
            return false;
        };
        self.again(n, recorded, response)
    }

    /// The response of the change, or the recorded one.
    fn response(&self, n: u32, recorded: &Turn) -> Option<Arc<str>> {
        let block = |program: &str| Arc::from(format!("```clojure\n{program}\n```"));
        match self.change {
            Change::Program(program) if n == self.from => Some(block(program)),
            _ => {
                let response = recorded.raw_response().get().map(Arc::clone);
                response.or_else(|| Some(block(&recorded.program().get()?.source)))
            }
        }
    }

    /// A turn before which nothing was otherwise: what is recorded stands, unless new limits end it.
    fn as_recorded(&mut self, n: u32, recorded: &Turn) -> bool {
        if n > self.from
            && let Change::Limits(limits) = self.change
        {
            self.session.limits = *limits;
        }
        let before = self.session.clone();
        let (_, evaluated) = replay_turn(&mut self.session, self.step, recorded);
        let over = evaluated.filter(|evaluated| !recorded.failed() && is_over(evaluated));
        if let Some(evaluated) = over {
            self.session = before;
            let response = self.response(n, recorded).unwrap_or_default();
            return self.push_made(n, recorded, response, &evaluated);
        }
        let ending = match &self.step.ending {
            Ending::Open => None,
            // Only the last turn ends a run by itself; turns that run out do it too.
            _ if n as usize != self.step.turns().len() => None,
            Ending::Fail(failure) if failure.reason.as_deref() == Some("max_turns_exceeded") => {
                None
            }
            ended => Some(ended.clone()),
        };
        self.push((*recorded).clone(), ending, n)
    }

    /// A turn that is run.
    fn again(&mut self, n: u32, recorded: &Turn, response: Arc<str>) -> bool {
        if let Change::Limits(limits) = self.change {
            self.session.limits = *limits;
        }
        let Some(program) = response::program(&response) else {
            let record = self.record(n, response);
            let turn = record.without_program(&self.session.memory);
            self.parted |= !same_turn(recorded, &turn);
            return self.push(turn, None, n);
        };
        let mut tools = RecordedTools::new(recorded).of_run(self.step);
        if n == self.from
            && let Change::Result { call, value } = self.change
        {
            tools = tools.answering(*call, value.clone());
        }
        let evaluated = self.session.run(&program, &self.step.data, &mut tools);
        self.push_made(n, recorded, response, &evaluated)
    }

    fn record(&self, n: u32, response: Arc<str>) -> Record {
        let mut record = Record::new(n, response, Vec::new());
        record.single_shot = self.made.is_single_shot();
        record.definitions = self.tells_definitions();
        if n == self.max_turns && !record.single_shot {
            record.kind = TurnKind::MustReturn;
        }
        record
    }

    fn tells_definitions(&self) -> bool {
        let mut turns = self.step.turns().iter();
        turns.any(|turn| !turn.definitions().is_empty())
    }

    fn push_made(
        &mut self,
        n: u32,
        recorded: &Turn,
        response: Arc<str>,
        evaluated: &Evaluated,
    ) -> bool {
        let program = response::program(&response).unwrap_or_default();
        let turn = self.record(n, response).turn(&program, evaluated);
        let same = same_turn(recorded, &turn);
        self.parted |= !same;
        if let Ended::Error(error) = &evaluated.ended
            && error.reason == "not_recorded"
        {
            self.push(turn, None, n);
            self.made.ending = Ending::Open;
            self.stopped = Some(format!(
                "turn {n} asks for what has no record, and no recorded answer follows from that"
            ));
            return false;
        }
        let ending = ending(&evaluated.ended);
        let turn = if same {
            as_recorded(recorded, &turn, self.parted)
        } else {
            turn
        };
        self.push(turn, ending, n)
    }

    fn push(&mut self, turn: Turn, ending: Option<Ending>, n: u32) -> bool {
        let (max, single) = (self.max_turns, self.made.is_single_shot());
        self.made.ending = ending_so_far(&turn, ending, n == max, single, max);
        let turn = if n >= self.from { turn.unsent() } else { turn };
        self.made.push_turn(turn);
        matches!(self.made.ending, Ending::Open)
    }

    fn end(mut self) -> Fork {
        self.made.memory = Field::Recorded(recorded_memory(&self.session.memory));
        let is_open = matches!(self.made.ending, Ending::Open);
        Fork {
            step: self.made,
            from: self.from,
            origins: self.origins,
            stopped: self.stopped.filter(|_| is_open),
        }
    }
}

/// Whether a program was ended by its limits.
fn is_over(evaluated: &Evaluated) -> bool {
    matches!(&evaluated.ended, Ended::Error(error)
        if matches!(error.reason, "out_of_budget" | "timeout" | "loop_limit_exceeded"))
}

/// A turn that came out as recorded: the record's own values stand for those that were made. Memory
/// does so as long as the runs haven't parted.
fn as_recorded(recorded: &Turn, made: &Turn, parted: bool) -> Turn {
    let parts = crate::step::TurnParts {
        raw_response: made.raw_response().clone(),
        program: recorded.program().clone(),
        result: recorded.result().clone(),
        prints: recorded.prints_field().clone(),
        tool_calls: match made.tool_calls_field() {
            // The calls are the same, but one may have been answered otherwise.
            calls @ Field::Recorded(_) => calls.clone(),
            _ => recorded.tool_calls_field().clone(),
        },
        memory: if parted { made } else { recorded }.memory().clone(),
        kind: made.kind().clone(),
        definitions: made.definitions().clone(),
        ..crate::step::TurnParts::default()
    };
    if made.failed() {
        Turn::failure(made.number(), parts)
    } else {
        Turn::success(made.number(), parts)
    }
}
