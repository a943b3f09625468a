//! The `user/` section: what the programs defined [NS-003, FMT-003, FMT-006..010, DEF-001..009].

use std::fmt::Write as _;
use std::sync::Arc;

use super::{Content, NAME_COLUMNS, Origin, content::turn_number};
use crate::step::History;
use crate::text::pad_graphemes;
use crate::value::{Function, Limits, Value, clojure::write_value, type_label};

/// Definitions to show: functions first, then values [DEF-009], each in the order of definition.
pub fn functions_first<'a>(
    definitions: &[(&'a Arc<str>, &'a Value)],
) -> Vec<(&'a Arc<str>, &'a Value)> {
    let functions = definitions.iter().filter(|(_, value)| value.is_function());
    let values = definitions.iter().filter(|(_, value)| !value.is_function());
    functions.chain(values).copied().collect()
}

/// Appends the section. Without `sample` limits values are shown without samples.
pub fn section(
    out: &mut Content,
    history: History<'_>,
    definitions: &[(&Arc<str>, &Value)],
    sample: Option<Limits>,
) {
    if definitions.is_empty() {
        return;
    }
    out.part();
    out.text(Origin::Fixed, ";; === user/ (your prelude) ===");
    for (name, value) in functions_first(definitions) {
        out.piece_cut(origin(history, name), |text| {
            text.push('\n');
            match value {
                Value::Fn(function) => {
                    write_function(text, history, name, function);
                    false
                }
                _ => write_value_line(text, name, value, sample),
            }
        });
    }
}

/// The origin of a definition's line.
pub fn origin(history: History<'_>, name: &Arc<str>) -> Origin {
    Origin::Definition {
        name: Arc::clone(name),
        turn: history.changes(name).last().map(|&turn| turn_number(turn)),
    }
}

/// Writes `(name [params])`.
pub fn write_head(out: &mut String, name: &str, function: &Function) {
    let _ = write!(out, "({name} [");
    for (index, param) in function.params.iter().enumerate() {
        out.push_str(if index > 0 { " " } else { "" });
        out.push_str(param);
    }
    out.push_str("])");
}

/// A function's docstring, `;` removed [DEF-007].
pub fn doc(history: History<'_>, name: &str, function: Option<&Function>) -> Option<String> {
    let own = function.and_then(|function| function.doc.as_ref());
    let doc = own.or_else(|| history.told_doc(name))?;
    Some(doc.replace(';', ""))
}

fn write_function(out: &mut String, history: History<'_>, name: &str, function: &Function) {
    let start = out.len();
    write_head(out, name, function);
    if let Some(doc) = doc(history, name, Some(function)) {
        pad_graphemes(out, start, NAME_COLUMNS);
        let _ = write!(out, "; \"{doc}\"");
    }
    if let Some(returns) = &function.returns {
        let _ = write!(out, " -> {returns}");
    }
}

fn write_value_line(out: &mut String, name: &str, value: &Value, sample: Option<Limits>) -> bool {
    let start = out.len();
    out.push_str(name);
    pad_graphemes(out, start, NAME_COLUMNS);
    let _ = write!(out, "; = {}", type_label(value));
    write_sample(out, name, value, sample)
}

/// Writes what follows a value's type: its sample, or that it is hidden; nothing where samples are
/// off or the value is empty [DEF-003, DEF-004].
pub fn write_sample(out: &mut String, name: &str, value: &Value, sample: Option<Limits>) -> bool {
    if name.starts_with('_') {
        out.push_str(", [Hidden]");
        return false;
    }
    let empty = match value {
        Value::Nil => true,
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    };
    match sample {
        Some(limits) if !empty => {
            out.push_str(", sample: ");
            write_value(out, value, limits)
        }
        _ => false,
    }
}
