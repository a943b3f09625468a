//! What a program gave again, beside what is recorded.

use std::sync::Arc;

use crate::lisp::{Ended, Evaluated, plain};
use crate::step::{Field, Memory, ToolCall, Turn};
use crate::value::{Limits, Map, Value, to_clojure};

use super::outcome::{result_of, string_keys};

/// A part of a turn that came out otherwise.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// `outcome`, `error`, `result`, `prints`, `calls` or `memory`.
    pub part: &'static str,
    /// What is recorded.
    pub recorded: Value,
    /// What came out now.
    pub replayed: Value,
}

/// What differs, and what has to be said of what doesn't.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) differences: Vec<Difference>,
    pub(super) notes: Vec<&'static str>,
}

impl Compared {
    fn add(&mut self, part: &'static str, recorded: Value, replayed: Value) {
        self.differences.push(Difference {
            part,
            recorded,
            replayed,
        });
    }
}

/// Compares a turn with what its program gives now.
pub(super) fn compare(turn: &Turn, now: &Evaluated) -> Compared {
    let mut compared = Compared::default();
    let failed = matches!(now.ended, Ended::Fail(_) | Ended::Error(_));
    let result = match result_of(&now.ended, true) {
        Ok(value) | Err(value) => value,
    };
    let recorded = turn.result();
    if failed != turn.failed() {
        compared.add("outcome", known(recorded), result);
        return compared;
    }
    match &now.ended {
        Ended::Error(error) => {
            let reason = turn.result().get().and_then(|result| result.get("reason"));
            if let Some(reason) = reason.and_then(Value::as_name)
                && reason != error.reason
            {
                compared.add("error", known(recorded), result);
            }
        }
        _ => compare_results(recorded, result, &mut compared),
    }
    // A failed turn keeps nothing, and what is recorded of its memory is that of the turn before.
    if failed {
        return compared;
    }
    if let Field::Recorded(prints) = turn.prints_field()
        && *prints != now.prints
    {
        compared.add("prints", texts(prints), texts(&now.prints));
    }
    if let Field::Recorded(calls) = turn.tool_calls_field() {
        let (recorded, replayed) = (calls_value(calls), calls_value(&now.tool_calls));
        if recorded != replayed {
            compared.add("calls", recorded, replayed);
        }
    }
    if let Field::Recorded(memory) = turn.memory() {
        compare_memory(memory, &now.memory, &mut compared);
    }
    compared.notes.sort_unstable();
    compared.notes.dedup();
    compared
}

/// Whether a turn that was made again came out as recorded: with the same program, as far as the
/// record tells.
pub(super) fn same_turn(recorded: &Turn, made: &Turn) -> bool {
    let program = |turn: &Turn| turn.program().get().map(|program| program.source.clone());
    if recorded.failed() != made.failed() || program(recorded) != program(made) {
        return false;
    }
    let mut compared = Compared::default();
    let result = known(made.result());
    if made.failed() {
        let reason = |value: &Value| {
            value
                .get("reason")
                .and_then(Value::as_name)
                .map(str::to_owned)
        };
        return recorded.result().get().map(reason) == Some(reason(&result));
    }
    compare_results(recorded.result(), result, &mut compared);
    let prints = match recorded.prints_field() {
        Field::Recorded(prints) => prints == made.prints(),
        _ => true,
    };
    let calls = match recorded.tool_calls_field() {
        Field::Recorded(calls) => calls_value(calls) == calls_value(made.tool_calls()),
        _ => true,
    };
    if let (Field::Recorded(was), Field::Recorded(is)) = (recorded.memory(), made.memory()) {
        compare_memory(was, is, &mut compared);
    }
    prints && calls && compared.differences.is_empty()
}

fn compare_results(recorded: &Field<Value>, result: Value, compared: &mut Compared) {
    let Field::Recorded(recorded) = recorded else {
        return;
    };
    match why_same(recorded, &result) {
        Some(why) => compared.notes.extend((!why.is_empty()).then_some(why)),
        None => compared.add("result", recorded.clone(), result),
    }
}

/// Why a recorded value stands for a value: empty where they are equal; None where it doesn't.
fn why_same(recorded: &Value, value: &Value) -> Option<&'static str> {
    let (was, is) = (bare(recorded), bare(value));
    if was == is {
        Some("")
    } else if has_cut(recorded) {
        Some("a recorded value is cut and isn't compared")
    } else if was == rounded(&is) {
        Some("the record's floats are rounded to two places")
    } else if was == texts_for_keywords(&is) {
        Some("the record has texts for keywords")
    } else {
        None
    }
}

fn compare_memory(recorded: &Memory, now: &Memory, compared: &mut Compared) {
    let added = now.keys().filter(|name| !recorded.contains_key(*name));
    let (mut was, mut is) = (Map::default(), Map::default());
    for name in recorded.keys().chain(added) {
        let (old, new) = (recorded.get(name), now.get(name));
        if let (Some(old), Some(new)) = (old, new)
            && let Some(why) = why_same(old, &as_told(old, new))
        {
            compared.notes.extend((!why.is_empty()).then_some(why));
            continue;
        }
        let key = Value::Str(Arc::clone(name));
        was.extend(old.map(|value| (key.clone(), value.clone())));
        is.extend(new.map(|value| (key, plain(value))));
    }
    if !was.is_empty() || !is.is_empty() {
        compared.add("memory", Value::map(was), Value::map(is));
    }
}

/// A function without the docstring and the return type that the record doesn't tell.
fn as_told(recorded: &Value, value: &Value) -> Value {
    let (Value::Fn(recorded), Value::Fn(function)) = (recorded, value) else {
        return value.clone();
    };
    let mut told = (**function).clone();
    told.doc = told.doc.filter(|_| recorded.doc.is_some());
    told.returns = told.returns.filter(|_| recorded.returns.is_some());
    Value::Fn(Arc::new(told))
}

/// A value as TraceLogs write it: texts for keywords, and for a definition a map with its name.
fn texts_for_keywords(value: &Value) -> Value {
    match value {
        Value::Keyword(name) => Value::Str(Arc::clone(name)),
        Value::Var(name) => Value::map(Map::from_iter([(
            "name".into(),
            Value::Str(Arc::clone(name)),
        )])),
        Value::List(items) => Value::list(items.iter().map(texts_for_keywords).collect()),
        Value::Map(map) => {
            let entries = map.iter();
            let entries = entries.map(|(k, v)| (texts_for_keywords(k), texts_for_keywords(v)));
            Value::map(entries.collect())
        }
        other => other.clone(),
    }
}

fn known(field: &Field<Value>) -> Value {
    field.get().cloned().unwrap_or_default()
}

fn texts(texts: &[Arc<str>]) -> Value {
    Value::list(
        texts
            .iter()
            .map(|text| Value::Str(Arc::clone(text)))
            .collect(),
    )
}

fn calls_value(calls: &[ToolCall]) -> Value {
    let calls = calls.iter().map(|call| {
        Value::list(vec![
            Value::Str(Arc::clone(&call.name)),
            string_keys(&bare(&call.args)),
        ])
    });
    Value::list(calls.collect())
}

/// A value as two records of it are compared: without the source text of functions.
fn bare(value: &Value) -> Value {
    match value {
        Value::Fn(_) => match plain(value) {
            Value::Fn(function) => {
                let mut function = (*function).clone();
                function.source = None;
                Value::Fn(Arc::new(function))
            }
            other => other,
        },
        Value::Builtin(_) => Value::Builtin(None),
        Value::List(items) => Value::list(items.iter().map(bare).collect()),
        Value::Map(map) => Value::map(map.iter().map(|(k, v)| (bare(k), bare(v))).collect()),
        other => other.clone(),
    }
}

/// A value with its floats rounded as the reference's records are.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Float(number) if number.abs() < 1e15 => {
            Value::Float((number * 100.0).round() / 100.0)
        }
        Value::List(items) => Value::list(items.iter().map(rounded).collect()),
        Value::Map(map) => Value::map(map.iter().map(|(k, v)| (k.clone(), rounded(v))).collect()),
        other => other.clone(),
    }
}

/// Whether the trace's writer cut a part of it.
pub(super) fn has_cut(value: &Value) -> bool {
    match value {
        Value::Cut(_) => true,
        Value::List(items) => items.iter().any(has_cut),
        Value::Map(map) => map.values().any(has_cut),
        _ => false,
    }
}

impl Difference {
    /// Both sides as text, cut to `bytes`.
    pub fn sides(&self, bytes: usize) -> (String, String) {
        let side = |value: &Value| {
            let (mut text, _) = to_clojure(value, Limits::NONE);
            if text.len() > bytes {
                let mut end = bytes;
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                text.truncate(end);
                text.push_str("...");
            }
            text
        };
        (side(&self.recorded), side(&self.replayed))
    }
}
