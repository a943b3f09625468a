//! What was really sent, where a log holds a request with its response: the request's messages as
//! texts, each call a line of its name and arguments.

use std::sync::Arc;

use super::openai_chat::{called, came_to, is_call, is_call_output, made_with};
use super::{blocks, fields};
use crate::step::{Message, Role};
use crate::value::Value;

/// The messages of a request, items of the Responses API among them; other roles than an LLM knows are left
/// out.
pub(super) fn messages(system: Option<&Value>, messages: &[Value]) -> Vec<Message> {
    let system = system.map(|system| Message::new(Role::System, blocks::text(system)));
    let message = |message: &Value| {
        let Some(role) = message.get("role").and_then(Value::as_str) else {
            return item(message);
        };
        Some(Message::new(Role::from_name(role)?, text(message)))
    };
    system
        .into_iter()
        .chain(messages.iter().filter_map(message))
        .collect()
}

/// An item that is no message: a call, what it was answered, or thinking.
fn item(item: &Value) -> Option<Message> {
    let kind = item.get("type").and_then(Value::as_str)?;
    let (role, text) = match kind {
        "reasoning" => {
            let thoughts = item.get_some("summary").map(blocks::text);
            let thoughts = thoughts.filter(|text| !text.is_empty());
            (Role::Assistant, thoughts.unwrap_or_else(|| hidden(item)))
        }
        kind if is_call(kind) => (Role::Assistant, item_call(kind, item)),
        kind if is_call_output(kind) => {
            let told = item.get_some("output").or_else(|| item.get_some("tools"));
            (Role::Tool, told.map(blocks::text).unwrap_or_default())
        }
        _ => return None,
    };
    Some(Message::new(role, text))
}

/// What stands for thinking that was sent without its text.
fn hidden(item: &Value) -> Arc<str> {
    match fields::text(item, "encrypted_content") {
        Some(data) => format!("[encrypted thinking, {} characters]", data.len()).into(),
        None => "[thinking without a text]".into(),
    }
}

/// A call that is an item; those of tools that the API itself has bring what they came to along.
fn item_call(kind: &str, item: &Value) -> Arc<str> {
    let mut line = named(&called(kind, item), made_with(item));
    if let Some(told) = came_to(item) {
        line.push('\n');
        line.push_str(&blocks::text(told));
    }
    line.into()
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
        // Bedrock's parts have no type.
        None if part.get_some("toolUse").is_some() => {
            call(part.get("toolUse").unwrap_or(&Value::Nil))
        }
        None if part.get_some("toolResult").is_some() => {
            let told = part.get("toolResult").and_then(|told| told.get("content"));
            blocks::text(told.unwrap_or(&Value::Nil))
        }
        _ => blocks::part(part),
    }
}

fn call(told: &Value) -> Arc<str> {
    let name = fields::text(told, "name").unwrap_or_default();
    let args = told.get("arguments").or_else(|| told.get("input"));
    named(&name, args).into()
}

fn named(name: &str, args: Option<&Value>) -> String {
    let args = args.map(|args| match args {
        Value::Str(text) => Arc::clone(text),
        other => blocks::printed(other),
    });
    format!("{name} {}", args.unwrap_or_default())
}
