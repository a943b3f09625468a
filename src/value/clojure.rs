//! The one printer of values in Clojure's notation, with limits (requirements 4, [TRN-001..005]).
//!
//! `golden/to_clojure.json` is the authority. The reference's strings are quoted by its host
//! language, so the escapes here are that language's (`\d` for DEL, `\e` for ESC), and text that
//! language calls unprintable is written as bytes.

use std::fmt::Write as _;

use super::{Map, Value, float};
use crate::text::first_graphemes;

/// What a printer may show. `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs)] // four settings, spelled out at every use
pub struct Limits {
    /// Items of a collection.
    pub items: Option<usize>,
    /// Bytes of a string; a longer one is cut to as many grapheme clusters.
    pub printable: Option<usize>,
    /// Whether map entries whose key begins with `_` are left out.
    pub filter_hidden: bool,
}

impl Limits {
    /// Everything, hidden entries apart.
    pub const NONE: Self = Self {
        items: None,
        printable: None,
        filter_hidden: true,
    };

    /// Everything, hidden entries included: what a person sees in the memory view.
    pub const ALL: Self = Self {
        items: None,
        printable: None,
        filter_hidden: false,
    };

    /// Limits on items and text; hidden entries are left out.
    pub const fn new(items: usize, printable: usize) -> Self {
        Self {
            items: Some(items),
            printable: Some(printable),
            filter_hidden: true,
        }
    }
}

/// Bytes of unprintable text that are listed before `...`: the host language's own limit.
const LISTED_BYTES: usize = 50;

/// Prints a value; the flag says whether anything was cut.
pub fn to_clojure(value: &Value, limits: Limits) -> (String, bool) {
    let mut out = String::new();
    let cut = write_value(&mut out, value, limits);
    (out, cut)
}

/// Appends a value to `out`; the answer says whether anything was cut.
pub fn write_value(out: &mut String, value: &Value, limits: Limits) -> bool {
    match value {
        Value::Nil => out.push_str("nil"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(number) => append(out, number),
        Value::BigInt(number) => append(out, number),
        Value::Float(number) => out.push_str(&float::format(*number)),
        Value::Str(text) => return write_string(out, text, limits.printable),
        Value::Bytes(bytes) => write_bytes(out, bytes),
        Value::Keyword(name) => {
            out.push(':');
            out.push_str(name);
        }
        Value::List(items) | Value::Tuple(items) => {
            return write_items(out, "[", items.len(), items.iter(), "]", limits);
        }
        Value::Set(items) => {
            return write_items(out, "#{", items.len(), items.iter(), "}", limits);
        }
        Value::Map(entries) => return write_map(out, entries, limits),
        Value::Fn(function) => {
            out.push_str("#fn[");
            for (index, param) in function.params.iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                out.push_str(param);
            }
            out.push(']');
        }
        Value::Builtin(_) => out.push_str("#<builtin>"),
        Value::Var(name) => {
            out.push_str("#'");
            out.push_str(name);
        }
        Value::Date(text) | Value::DateTime(text) => write_quoted(out, text),
        // The writer's note is no string of the program's: it stands as it is.
        Value::Cut(left) => out.push_str(&left.note),
    }
    false
}

/// Whether a map key or a name is hidden: its name begins with `_`.
pub fn is_hidden(key: &Value) -> bool {
    key.as_name().is_some_and(|name| name.starts_with('_'))
}

fn append(out: &mut String, item: impl std::fmt::Display) {
    // Writing into a String cannot fail.
    let _ = write!(out, "{item}");
}

fn write_items<'a>(
    out: &mut String,
    open: &str,
    total: usize,
    items: impl Iterator<Item = &'a Value>,
    close: &str,
    limits: Limits,
) -> bool {
    let shown = limits.items.unwrap_or(total).min(total);
    let mut cut = shown < total;
    out.push_str(open);
    for (index, item) in items.take(shown).enumerate() {
        if index > 0 {
            out.push(' ');
        }
        cut |= write_value(out, item, limits);
    }
    if shown < total {
        append(
            out,
            format_args!(" ...{close} ({total} items, showing first {shown})"),
        );
    } else {
        out.push_str(close);
    }
    cut
}

fn write_map(out: &mut String, map: &Map, limits: Limits) -> bool {
    let mut entries: Vec<(&Value, &Value)> = map
        .iter()
        .filter(|(key, _)| !(limits.filter_hidden && is_hidden(key)))
        .collect();
    let total = entries.len();
    let room = limits.printable.map(|bytes| (bytes / 30).max(1));
    let shown = total
        .min(limits.items.unwrap_or(total))
        .min(room.unwrap_or(total));
    // Selecting first keeps a huge map with a small limit linear.
    if shown > 0 && shown < total {
        entries.select_nth_unstable_by(shown - 1, |a, b| a.0.compare(b.0));
    }
    entries.truncate(shown);
    entries.sort_by(|a, b| a.0.compare(b.0));

    let inside = Limits {
        printable: limits
            .printable
            .map(|bytes| (bytes / shown.max(1)).saturating_sub(10).max(10)),
        ..limits
    };
    let mut cut = shown < total;
    out.push('{');
    for (index, (key, value)) in entries.into_iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        write_key(out, key, limits);
        out.push(' ');
        cut |= write_value(out, value, inside);
    }
    out.push_str(if shown < total { " ...}" } else { "}" });
    cut
}

/// Keys are never cut. `nil` and booleans read like keywords, `nil` as the empty one.
fn write_key(out: &mut String, key: &Value, limits: Limits) {
    match key {
        Value::Nil => out.push(':'),
        Value::Bool(true) => out.push_str(":true"),
        Value::Bool(false) => out.push_str(":false"),
        _ => {
            let whole = Limits {
                items: None,
                printable: None,
                ..limits
            };
            write_value(out, key, whole);
        }
    }
}

fn write_string(out: &mut String, text: &str, limit: Option<usize>) -> bool {
    match limit {
        Some(limit) if text.len() > limit => {
            let (kept, _) = first_graphemes(text, limit);
            write_text(out, &format!("{kept}..."));
            true
        }
        _ => {
            write_text(out, text);
            false
        }
    }
}

fn write_text(out: &mut String, text: &str) {
    if text.chars().all(is_printable) {
        write_quoted(out, text);
    } else {
        write_bytes(out, text.as_bytes());
    }
}

/// What the reference's host language calls printable.
fn is_printable(c: char) -> bool {
    matches!(c,
        ' '..='~' | '\u{7}'..='\r' | '\u{1b}' | '\u{7f}'
        | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // Interpolation in the host language.
            '#' if chars.peek() == Some(&'{') => out.push_str("\\#"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{7f}' => out.push_str("\\d"),
            // The byte order mark, and the marks that reorder or annotate text unseen.
            '\u{feff}'
            | '\u{2061}'..='\u{2064}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{fff9}'..='\u{fffc}' => append(out, format_args!("\\u{:04X}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out.push('"');
}

fn write_bytes(out: &mut String, bytes: &[u8]) {
    out.push_str("<<");
    for (index, byte) in bytes.iter().take(LISTED_BYTES).enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        append(out, byte);
    }
    if bytes.len() > LISTED_BYTES {
        out.push_str(", ...");
    }
    out.push_str(">>");
}
