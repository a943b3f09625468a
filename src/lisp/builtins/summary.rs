//! Sums, averages and columns of records.

use super::arith::{as_float, pair};
use super::order::records;
use super::seq::list;
use super::{Builtin, row};
use crate::lisp::error::{Res, fail};
use crate::lisp::eval::Machine;
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    row(
        "sum",
        1,
        1,
        "The sum of numbers; nil doesn't count.",
        |m, a| {
            let items = numbers(m, "sum", &a)?;
            sum(m, "sum", &items)
        },
    ),
    row(
        "avg",
        1,
        1,
        "The average of numbers; nil doesn't count.",
        |m, a| {
            let items = numbers(m, "avg", &a)?;
            average(m, "avg", &items)
        },
    ),
    row(
        "sum-by",
        2,
        2,
        "The sum of a field; nil doesn't count.",
        |m, a| {
            let items = column(m, "sum-by", &a)?;
            sum(m, "sum-by", &items)
        },
    ),
    row(
        "avg-by",
        2,
        2,
        "The average of a field; nil doesn't count.",
        |m, a| {
            let items = column(m, "avg-by", &a)?;
            average(m, "avg-by", &items)
        },
    ),
    row("pluck", 2, 2, "The field of each item.", |m, a| {
        let items = column(m, "pluck", &a)?;
        m.list(items)
    }),
];

fn column(m: &mut Machine<'_>, op: &str, args: &[Value]) -> Res<Vec<Value>> {
    let keyed = records(m, op, args)?;
    Ok(keyed.into_iter().map(|(key, _)| key).collect())
}

fn numbers(m: &mut Machine<'_>, op: &str, args: &[Value]) -> Res<Vec<Value>> {
    match &args[0] {
        Value::Nil => Ok(Vec::new()),
        _ => m.items(op, list(op, args)?),
    }
}

fn sum(m: &mut Machine<'_>, op: &str, items: &[Value]) -> Res {
    let mut total = Value::Int(0);
    for item in items.iter().filter(|item| !item.is_nil()) {
        if as_float(item).is_none() {
            let kind = super::kind(item);
            return fail("arithmetic_error", format!("{op}: a {kind} is no number"));
        }
        total = pair(m, "add", &total, item)?;
    }
    Ok(total)
}

fn average(m: &mut Machine<'_>, op: &str, items: &[Value]) -> Res {
    let count = items.iter().filter(|item| !item.is_nil()).count();
    if count == 0 {
        return Ok(Value::Nil);
    }
    let total = as_float(&sum(m, op, items)?).unwrap_or(f64::NAN);
    #[allow(clippy::cast_precision_loss)] // there are not that many items
    Ok(Value::Float(total / count as f64))
}
