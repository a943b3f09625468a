//! The tests that `(where :field op value)` makes. Here a keyword equals the string of its name.

use std::sync::Arc;

use super::equal::{equal, less};
use super::maps::lookup;
use super::{Builtin, row};
use crate::lisp::eval::env::native;
use crate::lisp::eval::truthy;
use crate::lisp::expr::{Where, WhereOp};
use crate::value::Value;

/// The form itself is none of the functions; this row documents it.
pub(super) const TABLE: &[Builtin] = &[row(
    "where",
    1,
    3,
    "A test of a field: (where :total > 50), (where :paid); op is one of = not= > < >= <= in includes.",
    |_, _| super::args::runtime_error("where is written (where :field op value)"),
)];

/// The test that a `where` form stands for.
pub(in super::super) fn where_predicate(parts: &Where, value: Value) -> Value {
    let op = parts.test.as_ref().map_or("", |(op, _)| word(*op));
    let path = Value::list(parts.path.to_vec());
    native(vec![path, Value::string(op), value], |m, given, args| {
        m.budget.step(1)?;
        let record = args.into_iter().next().unwrap_or_default();
        let path = given[0].as_list().unwrap_or_default();
        let field = path.iter().try_fold(record, |at, key| lookup(&at, key));
        let field = field.unwrap_or_default();
        m.weigh(&field)?;
        m.weigh(&given[2])?;
        let op = given[1].as_str().unwrap_or_default();
        Ok(Value::Bool(holds(op, &field, &given[2])))
    })
}

fn word(op: WhereOp) -> &'static str {
    match op {
        WhereOp::Eq => "=",
        WhereOp::NotEq => "not=",
        WhereOp::Gt => ">",
        WhereOp::Lt => "<",
        WhereOp::Ge => ">=",
        WhereOp::Le => "<=",
        WhereOp::In => "in",
        WhereOp::Includes => "includes",
    }
}

fn holds(op: &str, field: &Value, value: &Value) -> bool {
    let known = !field.is_nil() && !value.is_nil();
    match op {
        "" => truthy(field),
        "=" => same(field, value),
        "not=" => !same(field, value),
        ">" => known && less(value, field),
        "<" => known && less(field, value),
        ">=" => known && !less(field, value),
        "<=" => known && !less(value, field),
        "in" => !field.is_nil() && items(value).any(|item| same(item, field)),
        _ => match (field, value) {
            (Value::Str(text), Value::Str(part)) => text.contains(&**part),
            _ => items(field).any(|item| same(item, value)),
        },
    }
}

fn items(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::List(items) | Value::Tuple(items) => Box::new(items.iter()),
        Value::Set(items) => Box::new(items.iter()),
        _ => Box::new(std::iter::empty()),
    }
}

fn same(a: &Value, b: &Value) -> bool {
    let plain = |value: &Value| match value {
        Value::Keyword(name) => Value::Str(Arc::clone(name)),
        other => other.clone(),
    };
    equal(&plain(a), &plain(b))
}
