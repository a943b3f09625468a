//! What `*1`, `*2` and `*3` keep of a value: about a kilobyte, as the reference does.

use std::sync::Arc;

use crate::value::{Map, Value};

/// Bytes that are kept.
const LIMIT: usize = 1024;

/// A value cut to what the history keeps of it.
pub(super) fn cut(value: &Value) -> Value {
    let size = size(value, LIMIT * 1024);
    if size <= LIMIT {
        return value.clone();
    }
    let kept = |length: usize| (length * LIMIT / size).max(1);
    match value {
        Value::Str(text) => {
            let mut end = LIMIT.min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            Value::string(&text[..end])
        }
        Value::List(items) => Value::list(items[..kept(items.len())].to_vec()),
        Value::Map(entries) => {
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.sort_by(|a, b| a.0.compare(b.0));
            let kept = sorted.into_iter().take(kept(entries.len()));
            let kept: Map = kept.map(|(k, v)| (k.clone(), v.clone())).collect();
            Value::map(kept)
        }
        other => other.clone(),
    }
}

/// Bytes of a value in the reference's external form, counted no further than `cap`.
fn size(value: &Value, cap: usize) -> usize {
    let mut total = 1;
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        if total > cap {
            break;
        }
        total += match value {
            Value::Nil | Value::Bool(_) => 6,
            Value::Int(number) if (0..256).contains(number) => 2,
            Value::Int(_) => 5,
            Value::BigInt(_) | Value::Float(_) | Value::Fn(_) => 9,
            Value::Str(text) => 5 + text.len(),
            Value::Keyword(text) => 2 + text.len(),
            Value::List(items) | Value::Tuple(items) => {
                waiting.extend(items.iter());
                6
            }
            Value::Set(items) => {
                waiting.extend(items.iter());
                30
            }
            Value::Map(entries) => {
                waiting.extend(entries.iter().flat_map(|(key, value)| [key, value]));
                5
            }
            _ => 16,
        };
    }
    total
}

/// A bounded list of the last values, the newest last.
pub(super) fn push(history: &mut Arc<Vec<Value>>, value: &Value) {
    let history = Arc::make_mut(history);
    if history.len() >= 3 {
        history.remove(0);
    }
    history.push(cut(value));
}
