//! The loop: prompt, answer, program, turn, until the run returns, fails, or its turns run out.

use std::sync::Arc;

use crate::compression::{Case, Run};
use crate::lisp::{Ended, Limits, NoTools, Session, Tools};
use crate::prompt::system_prompt;
use crate::step::{Ending, Failure, Field, Message, Role, Step, Turn, TurnKind};
use crate::syntax::response;
use crate::value::{self, Value, to_clojure};

use super::llm::{Llm, LlmError};
use super::outcome::{Record, recorded_memory, result_of};

/// Who answers the calls of a turn.
pub trait Tooling {
    /// The tools of turn `n`.
    fn tools(&mut self, n: u32) -> Box<dyn Tools + '_>;
}

impl<F: FnMut(u32) -> Box<dyn Tools>> Tooling for F {
    fn tools(&mut self, n: u32) -> Box<dyn Tools + '_> {
        self(n)
    }
}

/// A run without tools.
impl Tooling for NoTools {
    fn tools(&mut self, _: u32) -> Box<dyn Tools + '_> {
        Box::new(Self)
    }
}

/// How a run is made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The strategy and its options.
    pub case: Case,
    /// What each program may use.
    pub limits: Limits,
    /// Whether docstrings and the order of definitions are recorded.
    pub definitions: bool,
    /// Whether bare names stand for tools and data, see [`Session::with_bare_names`].
    pub bare_names: bool,
}

impl Options {
    /// A run with this strategy.
    pub fn new(case: Case) -> Self {
        Self {
            case,
            limits: Limits::default(),
            definitions: true,
            bare_names: false,
        }
    }
}

/// Runs an agent. `start` has mission, data, tools and `max_turns`; turns that it already has are
/// kept, and the run goes on after them, from the memory that they left.
///
/// # Errors
/// [`LlmError::Failed`] where the model can't be asked. Where answers run out the run stays open.
pub fn run(
    start: &Step,
    options: &Options,
    llm: &mut dyn Llm,
    tooling: &mut dyn Tooling,
) -> Result<Step, LlmError> {
    let mut step = start.clone();
    step.system_prompt = system_prompt(start);
    step.ending = Ending::Open;
    let max_turns = step.max_turns().unwrap_or(u32::MAX);
    let mut session = Session::default().with_bare_names(options.bare_names);
    for turn in start.turns() {
        super::replay_turn(&mut session, start, turn);
    }
    session.limits = options.limits;
    let single_shot = step.is_single_shot();
    let first = step.last_prompt();
    for n in first..=max_turns {
        let messages = prompt(&step, n, &options.case);
        let response = match llm.answer(n, &messages) {
            Ok(response) => response,
            Err(LlmError::RanOut) => break,
            Err(error) => return Err(error),
        };
        let sent = messages.into_iter();
        let sent = sent.filter(|(role, _)| *role != Role::System);
        let sent = sent.map(|(role, content)| Message::new(role, content));
        let mut record = Record::new(n, Arc::clone(&response), sent.collect());
        record.single_shot = single_shot;
        record.definitions = options.definitions;
        if n == max_turns && !single_shot {
            record.kind = TurnKind::MustReturn;
        }
        let (turn, ending) = match response::program(&response) {
            None => (record.without_program(&session.memory), None),
            Some(program) => {
                let mut tools = tooling.tools(n);
                let evaluated = session.run(&program, &step.data, &mut *tools);
                let ending = ending(&evaluated.ended);
                (record.turn(&program, &evaluated), ending)
            }
        };
        step.ending = ending_so_far(&turn, ending, n == max_turns, single_shot, max_turns);
        step.push_turn(turn);
        if !matches!(step.ending, Ending::Open) {
            break;
        }
    }
    step.memory = Field::Recorded(recorded_memory(&session.memory));
    Ok(step)
}

/// The messages that the LLM is sent to produce turn `n`.
fn prompt(step: &Step, n: u32, case: &Case) -> Vec<(Role, Arc<str>)> {
    let run = Run::new(Arc::new(step.clone()));
    // The prompt after the last turn is always there.
    run.prompt(n, case)
        .map(|prompt| prompt.messages())
        .unwrap_or_default()
}

pub(super) fn ending(ended: &Ended) -> Option<Ending> {
    match ended {
        Ended::Return(_) => {
            let value = result_of(ended, false);
            Some(Ending::Return(value.unwrap_or_else(|error| error)))
        }
        Ended::Fail(reason) => {
            let message = match reason {
                Value::Str(text) => Arc::clone(text),
                other => to_clojure(other, value::Limits::NONE).0.into(),
            };
            let failure = Failure {
                reason: Some("failed".into()),
                message: Some(message),
                ..Failure::default()
            };
            Some(Ending::Fail(failure))
        }
        Ended::Value(_) | Ended::Error(_) => None,
    }
}

/// How the run stands after a turn.
pub(super) fn ending_so_far(
    turn: &Turn,
    ending: Option<Ending>,
    is_last: bool,
    single_shot: bool,
    max_turns: u32,
) -> Ending {
    let result = || turn.result().get().cloned().unwrap_or_default();
    let mut failure = Failure::default();
    match ending {
        Some(ending) => ending,
        None if single_shot && !turn.failed() => Ending::Return(result()),
        None if single_shot => {
            let result = result();
            let text = |name| result.get(name).and_then(Value::as_name).map(Arc::from);
            failure.reason = text("reason");
            failure.message = text("message");
            Ending::Fail(failure)
        }
        None if is_last => {
            failure.reason = Some("max_turns_exceeded".into());
            failure.message = Some(format!("Exceeded max_turns limit of {max_turns}").into());
            Ending::Fail(failure)
        }
        None => Ending::Open,
    }
}
