//! Where in a document the messages of OpenAI chats lie.

use super::items::{is_call, is_call_output};
use crate::value::Value;

/// A conversation's parts.
#[derive(Debug, Default)]
pub(super) struct Conversation<'a> {
    pub messages: &'a [Value],
    /// The object around the messages, with `tools` and the like.
    pub around: Option<&'a Value>,
    /// The model's answer to them, in logs.
    pub response: Option<&'a Value>,
    /// What a log has in a response's place.
    pub other: Option<&'a Value>,
    /// What a batch calls it.
    pub name: Option<&'a Value>,
}

/// Names of lists of messages; the last may hold other things too.
pub(super) const NAMES: [&str; 7] = [
    "messages",
    "traj",
    "history",
    "conversation",
    "trajectory",
    "conversations",
    INPUT,
];
const LISTS: &[&str] = NAMES.split_at(6).0;

/// The name of a list that is one of messages where all its items are that, or belong to them.
const INPUT: &str = "input";

const ROLES: [&str; 6] = [
    "system",
    "developer",
    "user",
    "assistant",
    "tool",
    "function",
];

/// Whether a value is a message.
pub(super) fn is_message(value: &Value) -> bool {
    value.get("role").and_then(Value::as_str).is_some()
}

/// Whether a value is a message or an item of the Responses API.
pub(super) fn is_of_chat(value: &Value) -> bool {
    is_message(value) || is_response_item(value)
}

fn has_known_role(value: &Value) -> bool {
    let role = value.get("role").and_then(Value::as_str);
    role.is_some_and(|role| ROLES.contains(&role))
}

/// Whether a document, or its beginning, is of this format.
pub(super) fn is_of(value: &Value) -> bool {
    match value {
        Value::List(items) if items.iter().any(is_message) => is_chat(items),
        Value::List(items) => items.first().is_some_and(|first| match first {
            Value::List(messages) => is_chat(messages),
            other => is_container(other),
        }),
        Value::Map(_) => {
            let loose = has_known_role(value) && value.get("content").is_some();
            is_container(value) || loose && value.get("type").is_none()
        }
        _ => false,
    }
}

/// Whether an object holds a chat.
pub(super) fn is_container(value: &Value) -> bool {
    let swe = value.get("trajectory").is_some() && value.get("history").is_some();
    !swe && list_of(value).is_some_and(is_chat)
        || is_response(value)
        || value.get_some("request").is_some_and(is_container)
        || batched(value).is_some_and(is_container)
}

/// What a line of a batch asks, or what it was answered.
fn batched(value: &Value) -> Option<&Value> {
    value.get("custom_id")?;
    let asked = value.get("body").or_else(|| value.get("params"));
    asked.or_else(|| value.get_some("response")?.get("body"))
}

/// Whether a list is a chat, and none of an agent that keeps more of it.
fn is_chat(items: &[Value]) -> bool {
    let first = items.first();
    // An element that nobody knows makes no other format of the rest.
    let known = |item: &&Value| is_of_chat(item);
    let own = |item: &&Value| has_known_role(item) || is_response_item(item);
    items.iter().any(|item| own(&item))
        && first.is_some_and(|first| first.get("message_type").is_none())
        && items.iter().filter(known).count() * 2 > items.len()
        && !is_mini_swe(items)
}

/// Replies with a fenced block, answered by `<returncode>`: mini-swe-agent's.
fn is_mini_swe(items: &[Value]) -> bool {
    items.iter().any(|item| {
        let content = item.get("content").and_then(Value::as_str);
        content.is_some_and(|content| content.trim_start().starts_with("<returncode>"))
    })
}

/// Whether a value is a bare response.
pub(super) fn is_response(value: &Value) -> bool {
    let object = value.get("object").and_then(Value::as_str);
    let choice = value
        .get("choices")
        .and_then(Value::as_list)
        .and_then(<[_]>::first);
    choice.is_some_and(|choice| choice.get("message").is_some())
        || value
            .get("output")
            .and_then(Value::as_list)
            .is_some_and(|items| object == Some("response") || are_items(items))
}

/// Whether a list is the output of the Responses API; some of its items may be of kinds that nobody
/// knows.
fn are_items(items: &[Value]) -> bool {
    let is_known =
        |item: &Value| is_response_item(item) || is_message(item) && item.get("type").is_some();
    let is_item = |item: &Value| item.get("type").and_then(Value::as_str).is_some();
    items.iter().any(is_known) && items.iter().all(is_item)
}

/// Items of the Responses API that are no messages.
pub(super) fn is_response_item(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str);
    kind.is_some_and(|kind| kind == "reasoning" || is_call(kind) || is_call_output(kind))
}

/// The list of messages in an object.
fn list_of(value: &Value) -> Option<&[Value]> {
    let found = LISTS.iter().find_map(|name| {
        let items = value.get(name)?.as_list()?;
        items.iter().any(is_message).then_some(items)
    });
    let input = || {
        let items = value.get(INPUT)?.as_list()?;
        let known = |item: &Value| is_message(item) || is_response_item(item);
        let is_item = |item: &Value| known(item) || item.get("type").is_some();
        (items.iter().any(known) && items.iter().all(is_item)).then_some(items)
    };
    found.or_else(input)
}

/// The conversations of a document, in order.
pub(super) fn conversations(value: &Value) -> Vec<Conversation<'_>> {
    match value {
        Value::List(items) if items.iter().any(is_of_chat) => {
            vec![Conversation {
                messages: items,
                ..Conversation::default()
            }]
        }
        Value::List(items) => items.iter().filter_map(listed).collect(),
        Value::Map(_) => one(value).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The conversation that an element of a list of conversations is.
pub(super) fn listed(item: &Value) -> Option<Conversation<'_>> {
    match item {
        // No deeper: a list of lists of lists is no container anybody writes.
        Value::Map(_) => one(item),
        Value::List(messages) if messages.iter().any(is_message) => Some(Conversation {
            messages,
            ..Conversation::default()
        }),
        _ => None,
    }
}

/// Whether an object, shown with the list of its messages empty, is a conversation of those messages and
/// of nothing else.
pub(super) fn is_plain(around: &Value, has_message: bool, is_all_of_chat: bool) -> bool {
    let is_list = |name: &str| {
        around
            .get(name)
            .is_some_and(|list| list.as_list().is_some())
    };
    let others = ["role", "request", "response", "custom_id"];
    !is_response(around)
        && !others.iter().any(|name| around.get_some(name).is_some())
        && !matches!(around.get(INPUT), Some(Value::Str(_)))
        && if is_list(INPUT) {
            is_all_of_chat
        } else {
            has_message
        }
}

fn one(value: &Value) -> Option<Conversation<'_>> {
    if let Some(told) = batched(value) {
        let name = value.get("custom_id");
        return one(told).map(|found| Conversation { name, ..found });
    }
    if is_response(value) && list_of(value).is_none() {
        return Some(Conversation {
            messages: &[],
            // A question may be a plain text.
            around: value.get("input").and_then(Value::as_str).map(|_| value),
            response: Some(value),
            ..Conversation::default()
        });
    }
    let around = value
        .get_some("request")
        .filter(|request| list_of(request).is_some())
        .unwrap_or(value);
    let messages = list_of(around).or_else(|| {
        // A conversation of which nothing is there yet.
        LISTS.iter().find_map(|name| around.get(name)?.as_list())
    })?;
    let told = value.get_some("response");
    let response = told.filter(|response| is_response(response));
    Some(Conversation {
        messages,
        around: Some(around),
        response: response.or_else(|| is_response(value).then_some(value)),
        other: told.filter(|_| response.is_none()),
        name: None,
    })
}
