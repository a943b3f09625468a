//! The history summary: what was defined, called and printed, in either style.

use std::fmt::Write as _;
use std::sync::Arc;

use super::Options;
use super::options::SummaryStyle;
use crate::namespace::execution_history::{
    self, listed, newest, print_lines, write_call, write_times,
};
use crate::namespace::{Content, Origin, user};
use crate::step::{Field, History, history::ItemRef};
use crate::value::{Limits, Value, type_label};

/// What a summary covers.
#[derive(Debug, Clone)]
pub(super) struct Scope<'a> {
    /// The turns up to the last one summarised.
    pub history: History<'a>,
    /// Definitions, in the order of definition.
    pub definitions: Vec<(&'a Arc<str>, &'a Value)>,
    /// Calls, oldest first.
    pub calls: &'a [ItemRef],
    /// Prints, oldest first.
    pub prints: &'a [ItemRef],
}

impl<'a> Scope<'a> {
    /// All these turns: the memory after them, their calls and prints.
    pub(super) fn all(history: History<'a>) -> Self {
        Self {
            history,
            definitions: history.definitions(),
            calls: history.calls(),
            prints: history.prints(),
        }
    }

    /// The last of these turns alone: what it made or changed, called and printed.
    pub(super) fn last_alone(history: History<'a>) -> Self {
        let before = history.first(history.len().saturating_sub(1)).counts();
        Self {
            history,
            definitions: history.changed_by_last(),
            calls: &history.calls()[before.calls..],
            prints: &history.prints()[before.prints..],
        }
    }
}

/// Appends a summary. Samples or output, not both: where anything was printed, the samples go
/// [SAM-001].
pub(super) fn history_summary(content: &mut Content, scope: &Scope<'_>, options: &Options) {
    let sample = scope.prints.is_empty().then(|| options.sample());
    match options.summary_style() {
        SummaryStyle::Namespaces => {
            user::section(content, scope.history, &scope.definitions, sample);
            execution_history::calls(
                content,
                scope.history,
                scope.calls,
                options.tool_call_limit(),
                options.args(),
                options.collapse_repeats(),
            );
            execution_history::output(
                content,
                scope.history,
                scope.prints,
                options.println_limit(),
            );
        }
        SummaryStyle::Flat => flat(content, scope, options, sample),
    }
}

/// The older style: lines joined by single newlines, no headers.
fn flat(content: &mut Content, scope: &Scope<'_>, options: &Options, sample: Option<Limits>) {
    content.part();
    if scope.calls.is_empty() {
        content.text(Origin::Fixed, "; No tool calls made");
    } else {
        content.text(Origin::Fixed, "; Tool calls:");
        let limit = options.tool_call_limit();
        for line in listed(
            scope.history,
            scope.calls,
            limit,
            options.collapse_repeats(),
        ) {
            content.piece_cut(Origin::call(line.at), |text| {
                let cut = write_call(text, line.call(), options.args());
                if scope.prints.is_empty() {
                    write_result_type(text, &line.call().result, &scope.definitions);
                }
                write_times(text, line.times);
                cut
            });
        }
    }
    for (name, value) in user::functions_first(&scope.definitions) {
        content.piece_cut(user::origin(scope.history, name), |text| {
            write_definition(text, scope.history, name, value, sample)
        });
    }
    if !scope.prints.is_empty() {
        content.text(Origin::Fixed, "\n; Output:");
        let shown = newest(scope.prints, options.println_limit());
        print_lines(content, scope.history, shown);
    }
}

/// Writes ` -> TYPE` of a call's result, unless a definition holds it [003].
fn write_result_type(out: &mut String, result: &Field<Value>, definitions: &[(&Arc<str>, &Value)]) {
    if let Some(result) = result.get()
        && !definitions.iter().any(|(_, value)| *value == result)
    {
        let _ = write!(out, " -> {}", type_label(result));
    }
}

fn write_definition(
    out: &mut String,
    history: History<'_>,
    name: &str,
    value: &Value,
    sample: Option<Limits>,
) -> bool {
    let function = match value {
        Value::Fn(function) => Some(&**function),
        _ => None,
    };
    let kind = if function.is_some() {
        "Function"
    } else {
        "Defined"
    };
    let _ = write!(out, "\n; {kind}: {name}");
    if let Some(doc) = user::doc(history, name, function).filter(|doc| !doc.is_empty()) {
        let _ = write!(out, " - \"{doc}\"");
    }
    if function.is_some() {
        return false;
    }
    let _ = write!(out, " = {}", type_label(value));
    user::write_sample(out, name, value, sample)
}
