//! The sections of calls and of output [FMT-011..018, TC-001..008, TRN-006..011].

use std::fmt::Write as _;
use std::sync::Arc;

use super::{Content, Origin};
use crate::step::{History, ToolCall, Turn, history::ItemRef};
use crate::text::first_graphemes;
use crate::value::{Limits, Value, clojure::write_value};

/// Grapheme clusters of a print that a summary shows [TRN-011].
pub const PRINT_LIMIT: usize = 2000;

/// A call as it is listed: the call, and how many equal ones follow it unlisted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Listed {
    turn: Arc<Turn>,
    /// Where the call stands.
    pub at: ItemRef,
    /// How many calls the line stands for.
    pub times: usize,
}

impl Listed {
    /// The call.
    pub fn call(&self) -> &ToolCall {
        &self.turn.tool_calls()[self.at.index]
    }
}

/// The newest `limit` of the calls, oldest first; with `collapse`, runs of equal calls become one
/// line [TC-008]. Equal are the same name and the same arguments, hidden ones included.
pub fn listed(
    history: History<'_>,
    calls: &[ItemRef],
    limit: usize,
    collapse: bool,
) -> Vec<Listed> {
    let mut lines: Vec<Listed> = Vec::new();
    for &at in newest(calls, limit) {
        let Some(turn) = history.turn(at.turn) else {
            continue;
        };
        let line = Listed { turn, at, times: 1 };
        match lines.last_mut() {
            Some(last)
                if collapse
                    && last.call().name == line.call().name
                    && last.call().args == line.call().args =>
            {
                last.times += 1;
            }
            _ => lines.push(line),
        }
    }
    lines
}

/// The last `limit` items.
pub fn newest<T>(items: &[T], limit: usize) -> &[T] {
    &items[items.len().saturating_sub(limit)..]
}

/// Appends the section of calls.
pub fn calls(
    out: &mut Content,
    history: History<'_>,
    calls: &[ItemRef],
    limit: usize,
    args: Limits,
    collapse: bool,
) {
    out.part();
    if calls.is_empty() {
        out.text(Origin::Fixed, ";; No tool calls made");
        return;
    }
    out.text(Origin::Fixed, ";; Tool calls made:");
    for line in listed(history, calls, limit, collapse) {
        out.piece_cut(Origin::call(line.at), |text| {
            let cut = write_call(text, line.call(), args);
            write_times(text, line.times);
            cut
        });
    }
}

/// Writes a call's line, `;   name(args)`, its line end before it.
pub fn write_call(out: &mut String, call: &ToolCall, args: Limits) -> bool {
    let _ = write!(out, "\n;   {}(", call.name);
    let shown = match &call.args {
        Value::Nil => false,
        Value::Map(entries) => entries
            .keys()
            .any(|key| !(args.filter_hidden && crate::value::clojure::is_hidden(key))),
        _ => true,
    };
    let cut = shown && write_value(out, &call.args, args);
    out.push(')');
    cut
}

/// Writes ` xN` where a line stands for several calls.
pub fn write_times(out: &mut String, times: usize) {
    if times > 1 {
        let _ = write!(out, " x{times}");
    }
}

/// Appends the section of output; nothing where nothing was printed.
pub fn output(out: &mut Content, history: History<'_>, prints: &[ItemRef], limit: usize) {
    if prints.is_empty() {
        return;
    }
    out.part();
    out.text(Origin::Fixed, ";; Output:");
    print_lines(out, history, newest(prints, limit));
}

/// Appends prints, a line each at least, cut at [`PRINT_LIMIT`].
pub fn print_lines(out: &mut Content, history: History<'_>, prints: &[ItemRef]) {
    for &at in prints {
        let Some(turn) = history.turn(at.turn) else {
            continue;
        };
        out.piece_cut(Origin::print(at), |text| {
            let (kept, whole) = first_graphemes(&turn.prints()[at.index], PRINT_LIMIT);
            text.push('\n');
            text.push_str(kept);
            if !whole {
                text.push_str("...");
            }
            !whole
        });
    }
}
