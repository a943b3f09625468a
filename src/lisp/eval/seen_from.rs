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

/// An error that came out of a function, as the builtin that called it reports it.
pub(super) fn builtin(op: &str, function: &Value, mut error: Box<LispError>) -> Box<LispError> {
    let passes = error.tool.is_some()
        || matches!(
            error.reason,
            "out_of_budget" | "timeout" | "not_recorded" | "unknown_tool" | "pmap_error"
        );
    if passes {
        return error;
    }
    let kind = kind(op);
    if matches!(function, Value::Fn(_)) {
        error.reason = if kind == Kind::List {
            "runtime_error"
        } else {
            "type_error"
        };
    } else if error.reason == "arithmetic_error" && kind != Kind::Plain {
        error.reason = "runtime_error";
    }
    error
}
