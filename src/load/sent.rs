//! What was really sent, where a log holds a request with its response: the request's messages as
//! texts, each call a line of its name and arguments.

use std::sync::Arc;

use super::{blocks, fields};
use crate::step::{Message, Role};
use crate::value::Value;

/// The messages of a request; other roles than an LLM knows are left out.
pub(super) fn messages(system: Option<&Value>, messages: &[Value]) -> Vec<Message> {
    let system = system.map(|system| Message::new(Role::System, blocks::text(system)));
    let message = |message: &Value| {
        let role = message.get("role").and_then(Value::as_str)?;
        Some(Message::new(Role::from_name(role)?, text(message)))
    };
    system
        .into_iter()
        .chain(messages.iter().filter_map(message))
        .collect()
}

fn text(message: &Value) -> Arc<str> {
    let mut lines: Vec<Arc<str>> = match message.get("content") {
        Some(Value::List(parts)) => parts.iter().map(part).collect(),
        Some(Value::Nil) | None => Vec::new(),
        Some(other) => vec![blocks::text(other)],
    };
    let calls = message.get_some("tool_calls").and_then(Value::as_list);
    for told in calls.unwrap_or_default() {
        lines.push(call(told.get_some("function").unwrap_or(told)));
    }
    lines.extend(message.get_some("function_call").map(call));
    match lines.as_slice() {
        [one] => Arc::clone(one),
        more => more.join("\n").into(),
    }
}

fn part(part: &Value) -> Arc<str> {
    match part.get("type").and_then(Value::as_str) {
        Some("tool_use" | "server_tool_use" | "mcp_tool_use") => call(part),
        Some(kind) if kind.ends_with("tool_result") => {
            blocks::text(part.get("content").unwrap_or(&Value::Nil))
        }
        Some("thinking") => fields::text(part, "thinking").unwrap_or_default(),
        _ => blocks::part(part),
    }
}

fn call(told: &Value) -> Arc<str> {
    let name = fields::text(told, "name").unwrap_or_default();
    let args = told.get("arguments").or_else(|| told.get("input"));
    let args = args.map(|args| match args {
        Value::Str(text) => Arc::clone(text),
        other => blocks::printed(other),
    });
    format!("{name} {}", args.unwrap_or_default()).into()
}
