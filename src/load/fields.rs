//! Reading the parts that several formats write alike.

use std::sync::Arc;

use indexmap::IndexMap;

use super::Report;
use crate::step::{Failure, Field, Input, Memory, Message, Role, Tool, ToolCall, Usage};
use crate::value::{Limits, Map, Value, to_clojure};

/// A text under a name; anything else is none.
pub(super) fn text(value: &Value, name: &str) -> Option<Arc<str>> {
    match value.get(name) {
        Some(Value::Str(text) | Value::Keyword(text)) => Some(Arc::clone(text)),
        _ => None,
    }
}

/// A text, or any other value as it prints; `nil` is none.
pub(super) fn text_or_printed(value: &Value) -> Option<Arc<str>> {
    match value {
        Value::Nil => None,
        Value::Str(text) => Some(Arc::clone(text)),
        other => Some(to_clojure(other, Limits::ALL).0.into()),
    }
}

/// A count under one of several names.
pub(super) fn count(value: &Value, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| value.get(name)?.as_count())
}

/// Milliseconds under a name, rounded down.
pub(super) fn milliseconds(value: &Value, name: &str) -> Option<u64> {
    match value.get(name)? {
        // Durations of a trace are far below 2^53 ms, so nothing is lost.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Value::Float(number) if number.is_finite() && (0.0..9e15).contains(number) => {
            Some(*number as u64)
        }
        other => other.as_count(),
    }
}

/// Entries of a usage that are counts of tokens where their keys don't say so.
const COUNTS: [&str; 10] = [
    "input",
    "output",
    "total",
    "prompt",
    "completion",
    "reasoning",
    "cached",
    "thoughts",
    "read",
    "write",
];

/// Notes the counts of tokens in a usage that are none: negative, no whole numbers or over 2^63-1. They
/// are not recorded (`formats/README.md`).
pub(super) fn note_counts(told: &Value, report: &mut Report) {
    for (key, value) in told.as_map().into_iter().flatten() {
        let name = key.as_name().unwrap_or_default();
        if value.as_map().is_some() {
            note_counts(value, report);
        } else if name.ends_with("_tokens") || COUNTS.contains(&name) {
            note_count(name, value, report);
        }
    }
}

/// As [`note_counts`], of a record that has such counts among others.
pub(super) fn note_own_counts(record: &Value, report: &mut Report) {
    for (key, value) in record.as_map().into_iter().flatten() {
        let name = key.as_name().unwrap_or_default();
        if name.ends_with("_tokens") {
            note_count(name, value, report);
        }
    }
}

fn note_count(name: &str, value: &Value, report: &mut Report) {
    if is_no_count(value) {
        let shown = to_clojure(value, Limits::ALL).0;
        let shown: String = shown.chars().take(40).collect();
        report.note(format!("{name} {shown} is no count: not recorded"));
    }
}

/// Whether a value is a number that counts nothing.
fn is_no_count(value: &Value) -> bool {
    let is_number = matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Float(_));
    is_number && value.as_count().is_none()
}

/// Counts under several names together, as far as they are there; none where one of them is no count, for
/// then nobody knows how much all are, or where they are over 2^63-1.
pub(super) fn count_together(parts: &[(&Value, &str)]) -> Option<u64> {
    let told = parts.iter().filter_map(|(value, name)| value.get(name));
    let told: Vec<&Value> = told.collect();
    if told.iter().any(|value| is_no_count(value)) {
        return None;
    }
    let counts = told.into_iter().filter_map(Value::as_count);
    let sum = counts.reduce(u64::saturating_add);
    sum.filter(|sum| i64::try_from(*sum).is_ok())
}

/// Names of tokens of the prompt, of those read from the cache and of those written to it.
const INPUT: &[&str] = &["input_tokens", "prompt_tokens", "input"];
const CACHE_READ: &[&str] = &[
    "cache_read_tokens",
    "cache_read_input_tokens",
    "cached_tokens",
    "cache_read",
];
const CACHE_WRITE: &[&str] = &[
    "cache_creation_tokens",
    "cache_creation_input_tokens",
    "cache_write",
];

/// Token usage, by the names that writers give its parts.
pub(crate) fn usage(value: &Value) -> Usage {
    Usage {
        input: count(value, INPUT),
        output: count(value, &["output_tokens", "completion_tokens", "output"]),
        total: count(value, &["total_tokens", "total"]),
        cache_read: count(value, CACHE_READ),
        cache_write: count(value, CACHE_WRITE),
    }
}

/// Token usage as Anthropic tells it: the prompt is what was read, what was written to the cache and
/// what was read from it.
pub(super) fn anthropic_usage(told: &Value) -> Usage {
    let mut usage = usage(told);
    let parts = [INPUT, CACHE_READ, CACHE_WRITE].into_iter();
    let parts = parts.filter_map(|names| {
        let name = names.iter().find(|name| told.get_some(name).is_some())?;
        Some((told, *name))
    });
    usage.input = count_together(&parts.collect::<Vec<_>>());
    usage
}

/// Messages as sent: a list of `{role, content}`. Parts of a content are joined by line ends.
pub(super) fn messages(value: &Value) -> Option<Vec<Message>> {
    let items = value.as_list()?;
    let message = |item: &Value| {
        let role = item.get("role").and_then(Value::as_name)?;
        let content = content_text(item.get("content")?)?;
        Some(Message::new(Role::from_name(role)?, content))
    };
    items.iter().map(message).collect()
}

fn content_text(content: &Value) -> Option<Arc<str>> {
    match content {
        Value::List(parts) => {
            let texts = parts.iter().filter_map(|part| match part {
                Value::Str(text) => Some(text.to_string()),
                other => text(other, "text").map(|text| text.to_string()),
            });
            Some(texts.collect::<Vec<_>>().join("\n").into())
        }
        Value::Nil => Some("".into()),
        other => text_or_printed(other),
    }
}

/// Messages that arrived before a reply: a list of `{text, injected, attached,
/// replaced}`.
pub(super) fn inputs(value: &Value, name: &str) -> Vec<Input> {
    let items = value.get(name).and_then(Value::as_list).unwrap_or_default();
    let input = |item: &Value| {
        let text = text(item, "text")?;
        let flag = |name: &str| item.get(name).and_then(Value::as_bool) == Some(true);
        let mut input = if flag("injected") {
            Input::injected(text)
        } else {
            Input::of_person(text)
        };
        input.attached = flag("attached");
        input.replaced = flag("replaced");
        Some(input)
    };
    items.iter().filter_map(input).collect()
}

/// Printed texts: a list of them.
pub(super) fn prints(value: &Value) -> Option<Vec<Arc<str>>> {
    let items = value.as_list()?;
    Some(
        items
            .iter()
            .map(|item| text_or_printed(item).unwrap_or_else(|| "nil".into()))
            .collect(),
    )
}

/// Calls: a list of `{name, args, result, ..}`.
pub(super) fn tool_calls(value: &Value) -> Option<Vec<ToolCall>> {
    Some(value.as_list()?.iter().filter_map(tool_call).collect())
}

fn tool_call(item: &Value) -> Option<ToolCall> {
    let args = item.get("args").or_else(|| item.get("arguments"));
    let mut call = ToolCall::new(text(item, "name")?, args.cloned().unwrap_or_default());
    call.result = with_state(Field::recorded(item.get("result").cloned()), item, "result");
    call.child = count(item, &["child"]).and_then(|index| usize::try_from(index).ok());
    call.id = text(item, "id");
    call.error = item.get_some("error").cloned();
    let flag = |name: &str| item.get(name).and_then(Value::as_bool) == Some(true);
    call.refused = flag("refused");
    call.unmarked = flag("unmarked");
    call.approximate = flag("approximate");
    call.framed = flag("framed");
    call.duration_ms = milliseconds(item, "duration_ms");
    call.timestamp = text(item, "timestamp");
    Some(call)
}

/// A field of a step file's record, known as well as the record's `known` says.
pub(super) fn with_state<T>(field: Field<T>, record: &Value, name: &str) -> Field<T> {
    let known = record.get("known").and_then(|known| known.get(name));
    match known.and_then(Value::as_name) {
        Some(state) => field.with_state(state),
        None => field,
    }
}

/// Tools: a map from names to `{signature, description}`.
pub(super) fn tools(value: &Value) -> Vec<Tool> {
    let Some(entries) = value.as_map() else {
        return Vec::new();
    };
    let tool = |(key, told): (&Value, &Value)| {
        // A bare text is a signature.
        let signature = text(told, "signature").or_else(|| told.as_str().map(Into::into));
        Some(Tool::new(
            key.as_name()?,
            signature,
            text(told, "description"),
        ))
    };
    entries.iter().filter_map(tool).collect()
}

/// Tools in a list, each with a name and perhaps a description, as APIs of LLMs take them.
pub(super) fn listed_tools<'a>(tools: impl IntoIterator<Item = &'a Value>) -> Vec<Tool> {
    let tool = |tool: &Value| {
        let described = text(tool, "description");
        Some(Tool::new(text(tool, "name")?, None, described))
    };
    tools.into_iter().filter_map(tool).collect()
}

/// A map from names to texts.
pub(super) fn descriptions(value: &Value) -> IndexMap<Arc<str>, Arc<str>> {
    let entries = value.as_map().into_iter().flatten();
    entries
        .filter_map(|(key, told)| Some((key.as_name()?.into(), text_or_printed(told)?)))
        .collect()
}

/// Why a run failed; `nil` is no failure.
pub(super) fn failure(value: &Value) -> Option<Failure> {
    if value.is_nil() {
        return None;
    }
    let mut failure = Failure::default();
    if value.as_map().is_some() {
        failure.reason = text(value, "reason");
        failure.message = value.get_some("message").and_then(text_or_printed);
        failure.op = text(value, "op");
        failure.details = value.get_some("details").cloned().unwrap_or_default();
    } else {
        failure.message = text_or_printed(value);
    }
    Some(failure)
}

/// Memory as a map from names to values. What equals the memory before it is shared with it.
pub(super) fn memory(entries: &Map, before: Option<&Arc<Memory>>) -> Arc<Memory> {
    let mut changed = before.is_none_or(|before| before.len() != entries.len());
    let mut memory = Memory::with_capacity(entries.len());
    for (place, (key, value)) in entries.iter().enumerate() {
        let name: Arc<str> = match key {
            Value::Str(name) | Value::Keyword(name) => Arc::clone(name),
            other => to_clojure(other, Limits::ALL).0.into(),
        };
        let known = before.and_then(|before| before.get_full(&name));
        match known {
            Some((at, name, same)) if same == value => {
                changed |= at != place;
                memory.insert(Arc::clone(name), same.clone());
            }
            _ => {
                changed = true;
                memory.insert(name, value.clone());
            }
        }
    }
    match before {
        Some(before) if !changed => Arc::clone(before),
        _ => Arc::new(memory),
    }
}
