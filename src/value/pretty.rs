//! Large values over several lines, for people: what fits on a line stays on one.

use super::clojure::{Limits, write_value};
use super::{Value, to_clojure};

/// Prints a whole value, hidden entries included, an item a line where it is wider than `columns`.
pub fn pretty(value: &Value, columns: usize) -> String {
    let mut out = String::new();
    write(&mut out, value, 0, columns);
    out
}

fn write(out: &mut String, value: &Value, indent: usize, columns: usize) {
    let room = columns.saturating_sub(indent);
    if may_fit(value, room) {
        let (line, _) = to_clojure(value, Limits::ALL);
        if line.chars().count() <= room || is_leaf(value) {
            out.push_str(&line);
            return;
        }
    }
    match value {
        Value::List(items) | Value::Tuple(items) => {
            items_on_lines(out, "[", items.iter(), "]", indent, columns);
        }
        Value::Set(items) => items_on_lines(out, "#{", items.iter(), "}", indent, columns),
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by(|a, b| a.0.compare(b.0));
            out.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                if index > 0 {
                    line_start(out, indent + 1);
                }
                let start = out.len();
                write_value(out, key, Limits::ALL);
                out.push(' ');
                let key_width = out[start..].chars().count();
                write(out, value, indent + 1 + key_width, columns);
            }
            out.push('}');
        }
        leaf => {
            write_value(out, leaf, Limits::ALL);
        }
    }
}

fn items_on_lines<'a>(
    out: &mut String,
    open: &str,
    items: impl Iterator<Item = &'a Value>,
    close: &str,
    indent: usize,
    columns: usize,
) {
    out.push_str(open);
    let inside = indent + open.len();
    for (index, item) in items.enumerate() {
        if index > 0 {
            line_start(out, inside);
        }
        write(out, item, inside, columns);
    }
    out.push_str(close);
}

/// A deep value would otherwise be indented out of sight.
const DEEPEST_INDENT: usize = 60;

fn line_start(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent.min(DEEPEST_INDENT)));
}

fn is_leaf(value: &Value) -> bool {
    !matches!(
        value,
        Value::List(_) | Value::Tuple(_) | Value::Set(_) | Value::Map(_)
    )
}

/// Whether a whole value takes no more columns than these on one line. The answer costs as much as
/// such a line.
pub fn fits_line(value: &Value, columns: usize) -> bool {
    may_fit(value, columns) && to_clojure(value, Limits::ALL).0.chars().count() <= columns
}

fn may_fit(value: &Value, columns: usize) -> bool {
    let mut budget = columns;
    fits(value, &mut budget)
}

/// Whether a value may fit into a budget of characters; it stops at the first that can't, so that a
/// huge value costs as much as a line.
fn fits(value: &Value, budget: &mut usize) -> bool {
    let least = match value {
        Value::Str(text) | Value::Keyword(text) | Value::Var(text) => {
            text.chars().take(*budget + 1).count()
        }
        Value::Bytes(bytes) => bytes.len(),
        _ => 1,
    };
    let Some(left) = budget.checked_sub(least) else {
        return false;
    };
    *budget = left;
    match value {
        Value::List(items) | Value::Tuple(items) => items.iter().all(|item| fits(item, budget)),
        Value::Set(items) => items.iter().all(|item| fits(item, budget)),
        Value::Map(entries) => entries
            .iter()
            .all(|(key, value)| fits(key, budget) && fits(value, budget)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::transit;

    fn shown(json: &str, columns: usize) -> String {
        pretty(
            &transit::parse(json.as_bytes()).expect("JSON").value,
            columns,
        )
    }

    #[test]
    fn what_fits_stays_on_a_line() {
        assert_eq!(
            shown(r#"{"~:b": [1, 2], "~:_a": 1}"#, 40),
            "{:_a 1 :b [1 2]}"
        );
        assert_eq!(
            shown(r#"{"~:b": [1, 2], "~:list": ["alpha", "beta"]}"#, 16),
            "{:b [1 2]\n :list [\"alpha\"\n        \"beta\"]}"
        );
        assert_eq!(shown("[[],[[]]]", 3), "[[]\n [[]]]");
    }

    #[test]
    fn a_long_string_is_not_broken() {
        let text = "x".repeat(100);
        assert_eq!(shown(&format!("[\"{text}\"]"), 20), format!("[\"{text}\"]"));
    }
}
