//! Comparisons. The reference compares values of any two types.

use std::cmp::Ordering;

use super::equal::{equal, is_nan, less, order};
use super::{Builtin, row};
use crate::lisp::error::{Res, fail};
use crate::lisp::eval::{Machine, truthy};
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    row(
        "=",
        2,
        2,
        "Whether two values are equal; 1 and 1.0 are.",
        |m, a| test(m, &a, equal),
    ),
    row("not=", 2, 2, "Whether two values differ.", |m, a| {
        test(m, &a, |x, y| !equal(x, y))
    }),
    row("<", 2, 2, "Whether the first is less.", |m, a| {
        test(m, &a, less)
    }),
    row(">", 2, 2, "Whether the first is greater.", |m, a| {
        test(m, &a, |x, y| less(y, x))
    }),
    row("<=", 2, 2, "Whether the first is less or equal.", |m, a| {
        test(m, &a, |x, y| less(x, y) || same(x, y))
    }),
    row(
        ">=",
        2,
        2,
        "Whether the first is greater or equal.",
        |m, a| test(m, &a, |x, y| less(y, x) || same(x, y)),
    ),
    row(
        "compare",
        2,
        2,
        "-1, 0 or 1: whether the first is less, equal or greater.",
        |m, a| {
            weigh(m, &a)?;
            if a.iter().any(is_nan) {
                return fail("type_error", "compare: NaN has no place among numbers");
            }
            Ok(Value::Int(order(&a[0], &a[1]) as i64))
        },
    ),
    row(
        "not",
        1,
        1,
        "true for nil and false, else false.",
        |_, a| Ok(Value::Bool(!truthy(&a[0]))),
    ),
    row("identity", 1, 1, "The value itself.", |_, a| {
        Ok(a.into_iter().next().unwrap_or_default())
    }),
];

fn same(a: &Value, b: &Value) -> bool {
    !is_nan(a) && !is_nan(b) && order(a, b) == Ordering::Equal
}

fn weigh(m: &mut Machine<'_>, args: &[Value]) -> Res<()> {
    args.iter().try_for_each(|value| m.weigh(value))
}

fn test(m: &mut Machine<'_>, args: &[Value], holds: impl Fn(&Value, &Value) -> bool) -> Res {
    weigh(m, args)?;
    Ok(Value::Bool(holds(&args[0], &args[1])))
}
