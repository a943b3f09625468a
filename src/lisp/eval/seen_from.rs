//! What the reference calls an error that happens in a function which a builtin calls.
//!
//! Its builtins are of three kinds, and each kind lets other errors through; the message stays that of
//! the error itself.

use super::super::error::{LispError, Res, fail};
use super::super::expr::FnDef;
use crate::value::Value;

/// The kinds of the reference's builtins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One number of arguments.
    Plain,
    /// Several numbers of arguments, each with a function of its own.
    Several,
    /// Any number of arguments, as one list.
    List,
}

fn kind(op: &str) -> Kind {
    match op {
        "map" | "mapv" | "reduce" | "sort" | "sort-by" => Kind::Several,
        "update" | "update-in" | "merge-with" | "max-key" | "min-key" => Kind::List,
        _ => Kind::Plain,
    }
}

/// Whether a builtin can call a function with so many values. The reference fixes a function's
/// number of parameters when it is handed over: of one with a rest it makes one with one parameter,
/// or two.
pub(super) fn check_arity(op: &str, def: &FnDef, given: usize) -> Res<()> {
    let fixed = def.params.len();
    let takes = match def.rest {
        None => fixed,
        Some(_) => fixed.clamp(1, 2),
    };
    if takes == given {
        return Ok(());
    }
    let reason = match (kind(op), op) {
        (Kind::Plain, _) | (Kind::List, "update" | "update-in") => "arity_error",
        _ => "runtime_error",
    };
    fail(
        reason,
        format!("{op}: a function that takes {takes} was given {given} values"),
    )
}

/// The reason of an error that came out of a function, as the builtin that called it reports it.
pub(super) fn reason(op: &str, function: &Value, error: &LispError) -> &'static str {
    let passes = error.tool.is_some()
        || matches!(
            error.reason,
            "out_of_budget" | "timeout" | "not_recorded" | "unknown_tool" | "pmap_error"
        );
    match (function, kind(op)) {
        _ if passes => error.reason,
        (Value::Fn(_), Kind::List) => "runtime_error",
        (Value::Fn(_), _) => "type_error",
        (_, Kind::Plain) => error.reason,
        _ if error.reason == "arithmetic_error" => "runtime_error",
        _ => error.reason,
    }
}
