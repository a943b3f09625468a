//! What a row of a tree says of a value. A value may hold a million items or 10 MB of text, so
//! nothing here looks at more of it than fits a row.

use crate::text::amounts;
use crate::tui::theme::Role;
use crate::value::pretty::fits_line;
use crate::value::{CutValue, Limits, Map, Set, Value, to_clojure, type_label};

/// How a value is shown in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// On its row, whole.
    Leaf,
    /// A row an item.
    Items,
    /// A row an entry.
    Entries,
    /// A row a line of its text.
    Text,
}

/// Columns that a collection may take to be shown whole on its row.
const INLINE: usize = 48;

/// Bytes of a text of one line from which on it is folded.
const LONG_TEXT: usize = 400;

/// Items of a collection that a sample shows.
const SAMPLE_ITEMS: usize = 3;

/// Entries up to which a sample's are the first in printed order; of more, the first recorded ones.
const SORTED_SAMPLE: usize = 64;

/// Collections in collections that a sample goes into.
const SAMPLE_DEPTH: usize = 3;

/// Bytes of a leaf's text that are shown.
const LEAF_BYTES: usize = 4096;

pub(super) fn kind(value: &Value) -> Kind {
    let nested = match value {
        Value::Str(text) if text.len() > LONG_TEXT || text.contains('\n') => Kind::Text,
        Value::List(items) | Value::Tuple(items) if !items.is_empty() => Kind::Items,
        Value::Set(items) if !items.is_empty() => Kind::Items,
        Value::Map(entries) if !entries.is_empty() => Kind::Entries,
        _ => return Kind::Leaf,
    };
    if nested != Kind::Text && fits_line(value, INLINE) && !has_lines(value) {
        return Kind::Leaf;
    }
    nested
}

/// Whether a small collection has a text of several lines.
fn has_lines(value: &Value) -> bool {
    match value {
        Value::Str(text) => text.contains('\n'),
        Value::List(items) | Value::Tuple(items) => items.iter().any(has_lines),
        Value::Set(items) => items.iter().any(has_lines),
        Value::Map(entries) => entries.values().any(has_lines),
        _ => false,
    }
}

/// A leaf's text and role.
pub(super) fn leaf(value: &Value) -> (String, Role) {
    let role = match value {
        Value::Str(_) | Value::Date(_) | Value::DateTime(_) => Role::String,
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_) | Value::Nil => {
            Role::Number
        }
        Value::Keyword(_) => Role::Keyword,
        Value::Cut(_) => Role::Dim,
        Value::Bytes(_) => Role::Text,
        _ => Role::Value,
    };
    let mut text = match value {
        Value::Bytes(_) => sample(value),
        _ => to_clojure(value, Limits::ALL).0,
    };
    if text.len() > LEAF_BYTES {
        let mut end = LEAF_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    (text, role)
}

/// How much a value holds: its type label, or of a text its lines and bytes.
pub(super) fn amount(value: &Value) -> String {
    let Value::Str(text) = value else {
        return type_label(value).into_owned();
    };
    let bytes = amounts::bytes(text.len() as u64);
    match memchr::memchr_iter(b'\n', text.trim_end().as_bytes()).count() {
        0 => format!("string, {bytes}"),
        ends => format!("string, {} lines, {bytes}", ends + 1),
    }
}

/// The first words of a value, by the one printer.
pub fn sample(value: &Value) -> String {
    let limits = Limits {
        items: Some(SAMPLE_ITEMS + 1),
        printable: Some(120),
        filter_hidden: false,
    };
    to_clojure(&pruned(value, SAMPLE_DEPTH), limits).0
}

/// A value with few items, so that printing it costs little.
fn pruned(value: &Value, depth: usize) -> Value {
    let note = |text: String| Value::Cut(std::sync::Arc::new(CutValue::new(text, "")));
    let list = |items: &mut dyn Iterator<Item = &Value>, total: usize| {
        let first = items.take(SAMPLE_ITEMS);
        let mut kept: Vec<Value> = first.map(|item| pruned(item, depth - 1)).collect();
        if total > SAMPLE_ITEMS {
            kept.push(note("...".to_owned()));
        }
        kept
    };
    match value {
        Value::List(items) | Value::Tuple(items) if items.is_empty() => value.clone(),
        Value::Set(items) if items.is_empty() => value.clone(),
        Value::Map(entries) if entries.is_empty() => value.clone(),
        Value::Bytes(bytes) if bytes.len() > 32 => note(format!("<<{} bytes>>", bytes.len())),
        Value::List(_) | Value::Tuple(_) | Value::Set(_) | Value::Map(_) if depth == 0 => {
            note(type_label(value).into_owned())
        }
        Value::List(items) | Value::Tuple(items) => {
            Value::list(list(&mut items.iter(), items.len()))
        }
        Value::Set(items) => {
            let kept: Set = list(&mut items.iter(), items.len()).into_iter().collect();
            Value::Set(std::sync::Arc::new(kept))
        }
        Value::Map(entries) => {
            // One more than the printer shows, so that it says that there are more.
            let count = if entries.len() <= SORTED_SAMPLE {
                entries.len()
            } else {
                SAMPLE_ITEMS + 2
            };
            let kept = entries.iter().take(count);
            let kept: Map = kept
                .map(|(key, value)| (pruned(key, depth - 1), pruned(value, depth - 1)))
                .collect();
            Value::map(kept)
        }
        Value::Str(text) if text.len() > LEAF_BYTES => {
            let mut end = LEAF_BYTES;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            Value::string(&text[..end])
        }
        other => other.clone(),
    }
}
