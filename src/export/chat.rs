//! The log of a conversation as chat APIs take it: replies with their calls, results by the identifiers
//! of those. [`super::openai`] and [`super::anthropic`] write it in their shapes.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::compression::error_message;
use crate::step::{Input, Step, ToolCall, Turn};
use crate::value::json::Plain;
use crate::value::{Limits, Value};

/// A message of a conversation.
pub(super) enum Said {
    /// What a person, or a machine in a person's place, said.
    User(Arc<str>),
    /// A reply.
    Assistant { text: String, calls: Vec<Call> },
    /// What a call came to.
    Result {
        id: String,
        content: String,
        failed: bool,
    },
}

/// A call in a reply.
pub(super) struct Call {
    pub id: String,
    pub name: Arc<str>,
    /// An object in any case.
    pub args: Json,
    /// The arguments as they were written, where they are a text that is no object.
    pub written: Option<Arc<str>>,
}

/// The messages of a run, its system prompt apart.
pub(super) fn of(step: &Step) -> Vec<Said> {
    let mut said = Vec::new();
    let mut mission = step.mission.as_ref();
    let mut arrive = |said: &mut Vec<Said>, inputs| {
        said.extend(inputs);
        if let Some(mission) = mission.take() {
            let after = step.mission_after.min(said.len());
            said.insert(after, Said::User(Arc::clone(mission)));
        }
    };
    for turn in step.each_turn() {
        arrive(&mut said, arrived(turn.input(), turn.inputs()));
        self::turn(&turn, &mut said);
    }
    let pending = arrived(step.pending_input.as_ref(), &step.pending_inputs);
    arrive(&mut said, pending);
    said
}

fn arrived(joined: Option<&Arc<str>>, inputs: &[Input]) -> Vec<Said> {
    let inputs = Input::sent(joined, inputs).into_iter();
    inputs.map(|input| Said::User(input.text)).collect()
}

fn turn(turn: &Turn, said: &mut Vec<Said>) {
    let mut text = turn.raw_response().get().map_or("", |text| text).to_owned();
    if let Some(program) = turn.program().get().filter(|_| text.is_empty()) {
        let _ = write!(text, "```{}\n{}\n```", program.language, program.source);
    }
    let named = |(at, call): (usize, &ToolCall)| {
        let id = call.id.as_deref().map(str::to_owned);
        id.unwrap_or_else(|| format!("call-{}-{}", turn.number(), at + 1))
    };
    let calls = turn.tool_calls().iter().enumerate();
    let made = calls.clone().map(|(at, call)| Call {
        id: named((at, call)),
        name: Arc::clone(&call.name),
        args: object(&call.args),
        written: match &call.args {
            Value::Str(text) => Some(Arc::clone(text)),
            _ => None,
        },
    });
    said.push(Said::Assistant {
        text,
        calls: made.collect(),
    });
    said.extend(calls.filter_map(|(at, call)| {
        Some(Said::Result {
            id: named((at, call)),
            content: answer(call)?,
            failed: call.error.is_some(),
        })
    }));
    let mut told: Vec<String> = turn.prints().iter().map(ToString::to_string).collect();
    match own_result(turn) {
        Some(_) if turn.failed() => told.push(error_message(turn, Limits::ALL).0),
        Some(value) => told.push(self::text(value)),
        None => {}
    }
    if !told.is_empty() {
        said.push(Said::User(told.join("\n\n").into()));
    }
}

/// The result of a turn that the model saw, where it is more than what one of its calls came to.
pub(super) fn own_result(turn: &Turn) -> Option<&Value> {
    let result = turn.seen_result()?;
    let mut calls = turn.tool_calls().iter();
    let is_of_call = !turn.failed() && calls.any(|call| call.result.get() == Some(result));
    (!is_of_call).then_some(result)
}

/// What the model was told of a call, where anything is recorded.
fn answer(call: &ToolCall) -> Option<String> {
    let seen = call.seen();
    let texts = seen.result.into_iter().chain(seen.error).map(text);
    let texts: Vec<String> = texts.collect();
    // A tool that gave nothing has answered all the same.
    call.is_answered().then(|| texts.join("\n"))
}

/// Arguments, which APIs want as an object.
pub(super) fn object(args: &Value) -> Json {
    match plain(args) {
        Json::Object(entries) => Json::Object(entries),
        Json::Null => serde_json::json!({}),
        other => serde_json::json!({ "value": other }),
    }
}

/// A value as the text of a result: a string as it is, another one as its JSON.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        Value::Nil => String::new(),
        other => plain(other).to_string(),
    }
}

pub(super) fn plain(value: &Value) -> Json {
    serde_json::to_value(Plain(value)).unwrap_or_default()
}
