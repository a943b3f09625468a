//! Sets, and membership.

use super::args::type_error;
use super::{Builtin, MANY, row};
use crate::lisp::error::Res;
use crate::value::{Set, Value};

pub(super) const TABLE: &[Builtin] = &[
    row("set", 1, 1, "A set of a collection's items.", |m, a| {
        if a[0].is_nil() {
            return type_error("set", &a);
        }
        let items = m.each_item("set", &a[0])?;
        m.set(items)
    }),
    row("hash-set", 0, MANY, "A set of its arguments.", |m, a| {
        m.set(a)
    }),
    row("union", 0, MANY, "The items of any set.", |m, a| {
        let mut all = Vec::new();
        for set in &a {
            all.extend(members("union", set)?.iter().cloned());
        }
        m.set(all)
    }),
    row("intersection", 1, MANY, "The items of all sets.", |m, a| {
        let mut kept: Vec<Value> = members("intersection", &a[0])?.iter().cloned().collect();
        for set in &a[1..] {
            let set = members("intersection", set)?;
            m.budget.step(kept.len())?;
            kept.retain(|item| set.contains(item));
        }
        m.set(kept)
    }),
    row(
        "difference",
        1,
        MANY,
        "The items of the first set that are in no other.",
        |m, a| {
            let mut kept: Vec<Value> = members("difference", &a[0])?.iter().cloned().collect();
            for set in &a[1..] {
                let set = members("difference", set)?;
                m.budget.step(kept.len())?;
                kept.retain(|item| !set.contains(item));
            }
            m.set(kept)
        },
    ),
    row(
        "subset?",
        2,
        2,
        "Whether all items of the first are in the second.",
        |_, a| {
            let (inner, outer) = (members("subset?", &a[0])?, members("subset?", &a[1])?);
            Ok(Value::Bool(inner.iter().all(|item| outer.contains(item))))
        },
    ),
    row(
        "superset?",
        2,
        2,
        "Whether all items of the second are in the first.",
        |_, a| {
            let (outer, inner) = (members("superset?", &a[0])?, members("superset?", &a[1])?);
            Ok(Value::Bool(inner.iter().all(|item| outer.contains(item))))
        },
    ),
    row("disj", 1, MANY, "A set without some items.", |m, a| {
        if a[0].is_nil() {
            return Ok(Value::Nil);
        }
        let mut kept: Vec<Value> = members("disj", &a[0])?.iter().cloned().collect();
        kept.retain(|item| !a[1..].contains(item));
        m.set(kept)
    }),
    row(
        "contains?",
        2,
        2,
        "Whether a map has a key, or a list or set an item.",
        |m, a| {
            m.weigh(&a[1])?;
            Ok(Value::Bool(match &a[0] {
                Value::Map(_) => super::lookup(&a[0], &a[1]).is_some(),
                Value::Set(items) => items.contains(&a[1]),
                Value::List(items) => {
                    m.weigh(&a[0])?;
                    items.contains(&a[1])
                }
                _ => return type_error("contains?", &a),
            }))
        },
    ),
];

fn members<'a>(op: &str, value: &'a Value) -> Res<&'a Set> {
    match value {
        Value::Set(items) => Ok(items),
        other => type_error(op, std::slice::from_ref(other)),
    }
}
