//! What came of a program, as the turn that a step records.

use std::sync::Arc;

use crate::lisp::{Ended, Evaluated, LispError, plain};
use crate::step::{Field, Memory, Message, Program, ToolCall, Turn, TurnKind, TurnParts};
use crate::value::{Map, Value};

/// The error of a turn as steps record it.
pub fn error_value(reason: &str, message: &str) -> Value {
    Value::map(Map::from_iter([
        (Value::keyword("details"), Value::map(Map::default())),
        (Value::keyword("message"), Value::string(message)),
        (Value::keyword("reason"), Value::keyword(reason)),
    ]))
}

/// The reference's words for a response without a program.
const NO_CODE: &str = "Error: No valid PTC-Lisp code found in response. Please provide code in a \
                       ```clojure or ```lisp code block, or as a raw s-expression starting with '('.";

/// What a turn records beside its program's outcome.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Record {
    /// The turn's number.
    pub number: u32,
    /// Everything that the LLM said.
    pub response: Arc<str>,
    /// What it was sent.
    pub messages: Vec<Message>,
    /// How the turn was asked for.
    pub kind: TurnKind,
    /// Whether the turn is the only one: its result keeps its keywords.
    pub single_shot: bool,
    /// Whether docstrings and the order of definitions are recorded. Without them memory is in the
    /// order of its names, as the reference records it.
    pub definitions: bool,
}

impl Record {
    /// The record of a turn about which nothing but this is known.
    pub fn new(number: u32, response: Arc<str>, messages: Vec<Message>) -> Self {
        Self {
            number,
            response,
            messages,
            kind: TurnKind::Normal,
            single_shot: false,
            definitions: true,
        }
    }

    fn parts(self) -> TurnParts {
        TurnParts {
            raw_response: Field::Recorded(self.response),
            messages: Field::Recorded(self.messages),
            kind: self.kind,
            ..TurnParts::default()
        }
    }

    /// The turn of a response without a program.
    pub fn without_program(self, memory: &Memory) -> Turn {
        let number = self.number;
        let mut parts = self.parts();
        parts.program = Field::Absent;
        parts.result = Field::Recorded(error_value("no_code_found", NO_CODE));
        parts.prints = Field::Recorded(Vec::new());
        parts.tool_calls = Field::Recorded(Vec::new());
        parts.memory = Field::Recorded(recorded_memory(memory));
        Turn::failure(number, parts)
    }

    /// The turn of a program.
    pub fn turn(self, program: &str, evaluated: &Evaluated) -> Turn {
        let (number, single_shot) = (self.number, self.single_shot);
        let definitions = self.definitions;
        let mut parts = self.parts();
        parts.program = Field::Recorded(Program::ptc_lisp(program));
        parts.prints = Field::Recorded(evaluated.prints.clone());
        let calls = evaluated.tool_calls.iter().map(recorded_call);
        parts.tool_calls = Field::Recorded(calls.collect());
        let mut memory = recorded_memory(&evaluated.memory);
        if definitions {
            parts.definitions.clone_from(&evaluated.definitions);
        } else {
            Arc::make_mut(&mut memory).sort_keys();
        }
        parts.memory = Field::Recorded(memory);
        match result_of(&evaluated.ended, single_shot) {
            Ok(value) => {
                parts.result = Field::Recorded(value);
                Turn::success(number, parts)
            }
            Err(value) => {
                parts.result = Field::Recorded(value);
                Turn::failure(number, parts)
            }
        }
    }
}

/// The result that a turn records; `Err` where the turn failed.
pub(super) fn result_of(ended: &Ended, single_shot: bool) -> Result<Value, Value> {
    match ended {
        Ended::Return(value) if !single_shot => Ok(string_keys(&plain(value))),
        Ended::Value(value) | Ended::Return(value) => Ok(plain(value)),
        Ended::Fail(value) => Err(plain(value)),
        Ended::Error(error) => Err(error_of(error)),
    }
}

fn error_of(error: &LispError) -> Value {
    error_value(error.reason, &error.message)
}

fn recorded_call(call: &ToolCall) -> ToolCall {
    let mut recorded = call.clone();
    recorded.args = string_keys(&plain(&call.args));
    recorded.result = call.result.clone().map(|result| plain(&result));
    recorded
}

/// Memory without what makes functions run.
pub(super) fn recorded_memory(memory: &Memory) -> Arc<Memory> {
    let entries = memory.iter();
    Arc::new(
        entries
            .map(|(name, value)| (Arc::clone(name), plain(value)))
            .collect(),
    )
}

/// A value with texts for the keywords among its maps' keys, as the reference records arguments and
/// what a run returns.
pub(super) fn string_keys(value: &Value) -> Value {
    match value {
        Value::Map(map) => Value::map(
            map.iter()
                .map(|(key, value)| {
                    let key = match key {
                        Value::Keyword(name) => Value::Str(Arc::clone(name)),
                        other => other.clone(),
                    };
                    (key, string_keys(value))
                })
                .collect(),
        ),
        Value::List(items) => Value::list(items.iter().map(string_keys).collect()),
        other => other.clone(),
    }
}
