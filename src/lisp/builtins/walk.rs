//! Walking through values within values.

use super::{Builtin, row};
use crate::lisp::error::{Res, fail};
use crate::lisp::eval::{Machine, truthy};
use crate::value::{Map, Value};

pub(super) const TABLE: &[Builtin] = &[
    row(
        "postwalk",
        2,
        2,
        "A value with a function applied to all parts, inner ones first.",
        |m, a| walk(m, &a[0], a[1].clone(), Order::InnerFirst, 0),
    ),
    row(
        "prewalk",
        2,
        2,
        "A value with a function applied to all parts, outer ones first.",
        |m, a| walk(m, &a[0], a[1].clone(), Order::OuterFirst, 0),
    ),
    row(
        "walk",
        3,
        3,
        "A function of a value with another applied to its parts.",
        |m, a| {
            let inner = parts(m, a[2].clone(), &mut |m, part| {
                m.apply("walk", &a[0], vec![part])
            })?;
            m.apply("walk", &a[1], vec![inner])
        },
    ),
    row(
        "tree-seq",
        3,
        3,
        "A tree's nodes: (tree-seq branch? children root).",
        |m, a| {
            let mut nodes = Vec::new();
            let mut waiting = vec![a[2].clone()];
            while let Some(node) = waiting.pop() {
                m.budget.cells(1)?;
                if truthy(&m.apply("tree-seq", &a[0], vec![node.clone()])?) {
                    let children = m.apply("tree-seq", &a[1], vec![node.clone()])?;
                    let mut children = m.each_item("tree-seq", &children)?;
                    children.reverse();
                    waiting.extend(children);
                }
                nodes.push(node);
            }
            Ok(Value::list(nodes))
        },
    ),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    InnerFirst,
    OuterFirst,
}

/// Levels that are walked through.
const MAX_DEPTH: usize = 500;

fn walk(m: &mut Machine<'_>, function: &Value, value: Value, order: Order, depth: usize) -> Res {
    m.budget.step(1)?;
    if depth > MAX_DEPTH {
        return fail(
            "out_of_budget",
            format!("a value nested deeper than {MAX_DEPTH}"),
        );
    }
    let value = if order == Order::OuterFirst {
        m.apply("prewalk", function, vec![value])?
    } else {
        value
    };
    let walked = parts(m, value, &mut |m, part| {
        walk(m, function, part, order, depth + 1)
    })?;
    if order == Order::InnerFirst {
        return m.apply("postwalk", function, vec![walked]);
    }
    Ok(walked)
}

type Change<'a> = dyn FnMut(&mut Machine<'_>, Value) -> Res + 'a;

/// A value with its parts changed.
fn parts(m: &mut Machine<'_>, value: Value, change: &mut Change<'_>) -> Res {
    match value {
        Value::List(items) => {
            let items = items.iter().map(|item| change(m, item.clone()));
            let items = items.collect::<Res<_>>()?;
            m.list(items)
        }
        Value::Set(items) => {
            let items = items.iter().map(|item| change(m, item.clone()));
            let items = items.collect::<Res<_>>()?;
            m.set(items)
        }
        Value::Map(map) => {
            let mut made = Map::default();
            for (key, value) in super::args::sorted(&map) {
                let key = change(m, key.clone())?;
                m.weigh(&key)?;
                made.insert(key, change(m, value.clone())?);
            }
            m.map(made)
        }
        other => Ok(other),
    }
}
