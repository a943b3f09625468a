//! What builtins ask of their arguments.

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation;

use super::super::error::{LispError, Res, Signal};
use super::super::eval::Machine;
use super::super::eval::code_of;
use super::super::eval::env::{Native, Pattern};
use crate::value::{Map, Value};

/// What a value is called in messages.
pub(in super::super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nil",
        Value::Bool(_) => "boolean",
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => "number",
        Value::Str(_) | Value::Bytes(_) => "string",
        Value::Keyword(_) => "keyword",
        Value::List(_) | Value::Tuple(_) => "list",
        Value::Map(_) => "map",
        Value::Set(_) => "set",
        Value::Fn(_) | Value::Builtin(_) => "function",
        Value::Var(_) => "var",
        Value::Date(_) | Value::DateTime(_) => "date",
        Value::Cut(_) => "cut value",
    }
}

/// Whether it can be called with some argument.
pub(in super::super) fn is_callable(value: &Value) -> bool {
    match value {
        Value::Fn(_) => code_of(value).is_some_and(|code| code.get::<Pattern>().is_none()),
        Value::Builtin(_) | Value::Keyword(_) | Value::Map(_) | Value::Set(_) | Value::Var(_) => {
            true
        }
        _ => false,
    }
}

/// Whether a builtin made this function.
pub(in super::super) fn is_native(value: &Value) -> bool {
    code_of(value).is_some_and(|code| code.get::<Native>().is_some())
}

/// The error of arguments of the wrong type.
pub(super) fn type_error<T>(op: &str, args: &[Value]) -> Res<T> {
    let kinds: Vec<&str> = args.iter().map(kind).collect();
    let message = format!(
        "type_error: {op}: invalid argument types: {}",
        kinds.join(", ")
    );
    Err(LispError::new("type_error", message).into())
}

/// The error of arguments that only the reference's runtime refuses.
pub(super) fn runtime_error<T>(message: impl Into<String>) -> Res<T> {
    Err(Signal::from(LispError::new("runtime_error", message)))
}

/// Entries in the reference's order of keys.
pub(super) fn sorted(map: &Map) -> Vec<(&Value, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by(|a, b| a.0.compare(b.0));
    entries
}

/// Entries as `[key value]` lists, in order.
pub(super) fn entries(map: &Map) -> Vec<Value> {
    let entries = sorted(map).into_iter();
    entries
        .map(|(key, value)| Value::list(vec![key.clone(), value.clone()]))
        .collect()
}

/// A text's characters as readers see them.
pub(super) fn graphemes(text: &str) -> impl Iterator<Item = &str> {
    text.graphemes(true)
}

fn characters(text: &str) -> Vec<Value> {
    graphemes(text).map(Value::string).collect()
}

impl Machine<'_> {
    /// The items of whatever can be gone through: lists, texts, sets, maps, nil.
    pub(in super::super) fn each_item(&mut self, op: &str, value: &Value) -> Res<Vec<Value>> {
        match value {
            Value::Nil => Ok(Vec::new()),
            Value::Map(map) => {
                self.budget.cells(3 * map.len())?;
                Ok(entries(map))
            }
            Value::Set(items) => {
                self.budget.cells(items.len())?;
                let mut items: Vec<Value> = items.iter().cloned().collect();
                items.sort_by(Value::compare);
                Ok(items)
            }
            _ => self.items(op, value),
        }
    }

    /// The items of a list or a text; nothing else has an order.
    pub(super) fn items(&mut self, op: &str, value: &Value) -> Res<Vec<Value>> {
        match value {
            Value::List(items) | Value::Tuple(items) => {
                self.budget.step(items.len() / 16)?;
                Ok(items.to_vec())
            }
            Value::Str(text) => {
                self.budget.cells(text.len())?;
                Ok(characters(text))
            }
            other => type_error(op, std::slice::from_ref(other)),
        }
    }

    /// As [`Machine::items`], without a copy where nobody else has the list.
    pub(super) fn take_items(&mut self, op: &str, value: Value) -> Res<Vec<Value>> {
        match value {
            Value::List(items) => match Arc::try_unwrap(items) {
                Ok(items) => Ok(items),
                Err(items) => self.items(op, &Value::List(items)),
            },
            other => self.items(op, &other),
        }
    }
}

/// A count that a builtin takes.
pub(super) fn count(op: &str, args: &[Value], at: usize) -> Res<usize> {
    match args.get(at) {
        Some(Value::Int(number)) => Ok(usize::try_from(*number).unwrap_or(0)),
        _ => type_error(op, args),
    }
}

/// A text that a builtin takes.
pub(super) fn string<'a>(op: &str, args: &'a [Value], at: usize) -> Res<&'a Arc<str>> {
    match args.get(at) {
        Some(Value::Str(text)) => Ok(text),
        _ => type_error(op, args),
    }
}

/// As [`graphemes`], each with the bytes before it.
pub(super) fn graphemes_at(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.grapheme_indices(true)
}
