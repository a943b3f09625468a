//! What calls came to, and messages as they were sent (`formats/inspect-ai.md`).

use super::super::blocks::printed;
use super::super::foreign::blocks;
use super::super::foreign::run::Answer;
use super::super::{elements, fields};
use super::pool::Pool;
use super::{list, role};
use crate::step::{Field, ToolCall};
use crate::value::Value;

/// Gives a call its answer; that its arguments could not be read stays its error. What a rule or a
/// person did not approve never ran.
pub(super) fn settle(call: &mut ToolCall, answer: Answer) {
    let parse_error = call.error.take();
    answer.put(call);
    let error = call.error.take();
    let kind = error.as_ref().and_then(|error| fields::text(error, "type"));
    call.refused = kind.as_deref() == Some("approval");
    call.error = error.map(told).or(parse_error);
    let is_empty = call.result.get().and_then(Value::as_str) == Some("");
    if call.error.is_some() && is_empty {
        call.result = Field::Absent;
    }
}

/// Whether a message says that it came with the sample or from an operator.
pub(super) fn is_from_person(message: &Value) -> bool {
    let source = message.get("source").and_then(Value::as_str);
    role(message) == "user" && matches!(source, Some("input" | "operator"))
}

/// Whether a message is the result of a call, and no identifier in it is long.
pub(super) fn is_result(message: &Value) -> bool {
    let names = ["tool_call_id", "function", "id"];
    role(message) == "tool" && elements::have_short(message, &names)
}

/// Whether an event tells of a call of a tool alone, and no identifier in it is long.
pub(super) fn is_of_tool(event: &Value) -> bool {
    let names = ["id", "function", "span_id", "agent_span_id"];
    let is_tool = event.get("event").and_then(Value::as_str) == Some("tool");
    is_tool && list(event, "events").is_empty() && elements::have_short(event, &names)
}

/// An error in words: its message, and of which type it is.
fn told(error: Value) -> Value {
    match (
        fields::text(&error, "type"),
        fields::text(&error, "message"),
    ) {
        (Some(kind), Some(message)) if &*kind == "unknown" && !message.is_empty() => {
            Value::Str(message)
        }
        (Some(kind), Some(message)) if !message.is_empty() => {
            Value::string(format!("{kind}: {message}"))
        }
        (Some(kind), _) => Value::Str(kind),
        (None, Some(message)) => Value::Str(message),
        (None, None) => error,
    }
}

/// A message as it was sent: its content, then each call as a line of its name and arguments.
pub(super) fn as_sent(pool: &Pool<'_>, message: &Value) -> String {
    let content = Some(pool.content(message)).filter(|content| !content.is_empty());
    // What failed is sent as its error.
    let error = || blocks::text_of(message.get_some("error")?, "message");
    let content = content.or_else(|| error().map(|error| error.to_string()));
    let calls = list(message, "tool_calls").iter().map(|call| {
        let name = fields::text(call, "function").unwrap_or_default();
        let args = pool.resolved(call.get("arguments").unwrap_or(&Value::Nil));
        format!("{name} {}", printed(&args))
    });
    let lines: Vec<String> = content.into_iter().chain(calls).collect();
    lines.join("\n")
}
