//! Functions over the items of collections.

use super::slices::rows;
use super::{Builtin, row};
use crate::lisp::error::Res;
use crate::lisp::eval::{Machine, truthy};
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    row(
        "map",
        2,
        4,
        "What a function gives for each item.",
        |m, a| map(m, "map", a),
    ),
    row(
        "mapv",
        2,
        4,
        "What a function gives for each item.",
        |m, a| map(m, "mapv", a),
    ),
    row(
        "mapcat",
        2,
        2,
        "The items of what a function gives for each item.",
        mapcat,
    ),
    row(
        "map-indexed",
        2,
        2,
        "As map; the function gets the index, too.",
        |m, a| {
            let mut made = Vec::new();
            for (index, item) in m.each_item("map-indexed", &a[1])?.into_iter().enumerate() {
                made.push(m.apply("map-indexed", &a[0], vec![number(index), item])?);
            }
            m.list(made)
        },
    ),
    row(
        "keep",
        2,
        2,
        "What a function gives for each item, without nil.",
        |m, a| {
            let mut made = Vec::new();
            for item in m.each_item("keep", &a[1])? {
                let value = m.apply("keep", &a[0], vec![item])?;
                made.extend((!value.is_nil()).then_some(value));
            }
            m.list(made)
        },
    ),
    row(
        "keep-indexed",
        2,
        2,
        "As keep; the function gets the index, too.",
        |m, a| {
            let mut made = Vec::new();
            for (index, item) in m.each_item("keep-indexed", &a[1])?.into_iter().enumerate() {
                let value = m.apply("keep-indexed", &a[0], vec![number(index), item])?;
                made.extend((!value.is_nil()).then_some(value));
            }
            m.list(made)
        },
    ),
    row("filter", 2, 2, "The items that pass a test.", |m, a| {
        sift(m, "filter", &a, true)
    }),
    row("filterv", 2, 2, "The items that pass a test.", |m, a| {
        sift(m, "filterv", &a, true)
    }),
    row("remove", 2, 2, "The items that fail a test.", |m, a| {
        sift(m, "remove", &a, false)
    }),
    row(
        "find",
        2,
        2,
        "The first item that passes a test, or nil.",
        |m, a| {
            for item in m.each_item("find", &a[1])? {
                if truthy(&m.apply("find", &a[0], vec![item.clone()])?) {
                    return Ok(item);
                }
            }
            Ok(Value::Nil)
        },
    ),
    row(
        "reduce",
        2,
        3,
        "(reduce f start xs): f of the result so far and each item.",
        reduce,
    ),
    row(
        "reduce-kv",
        3,
        3,
        "As reduce over a map: f of result, key and value.",
        |m, a| {
            if !matches!(a[2], Value::Map(_) | Value::Nil) {
                return super::args::type_error("reduce-kv", &a);
            }
            let mut total = a[1].clone();
            for entry in m.each_item("reduce-kv", &a[2])? {
                let mut args = vec![total];
                args.extend(m.items("reduce-kv", &entry)?);
                total = m.apply("reduce-kv", &a[0], args)?;
            }
            Ok(total)
        },
    ),
    row(
        "some",
        2,
        2,
        "What a test first gives that is neither nil nor false.",
        |m, a| {
            for item in m.each_item("some", &a[1])? {
                let value = m.apply("some", &a[0], vec![item])?;
                if truthy(&value) {
                    return Ok(value);
                }
            }
            Ok(Value::Nil)
        },
    ),
    row("every?", 2, 2, "Whether all items pass a test.", |m, a| {
        Ok(Value::Bool(!any(m, "every?", &a, false)?))
    }),
    row(
        "not-every?",
        2,
        2,
        "Whether some item fails a test.",
        |m, a| Ok(Value::Bool(any(m, "not-every?", &a, false)?)),
    ),
    row(
        "not-any?",
        2,
        2,
        "Whether all items fail a test.",
        |m, a| Ok(Value::Bool(!any(m, "not-any?", &a, true)?)),
    ),
];

pub(super) fn number(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

fn map(m: &mut Machine<'_>, op: &str, args: Vec<Value>) -> Res {
    if args.len() > 2 && !go_together(&args[1..]) {
        return super::args::type_error(op, &args);
    }
    let rows = rows(m, op, &args[1..])?;
    if rows.is_empty() && !super::is_callable(&args[0]) {
        return super::args::type_error(op, &args);
    }
    let mut made = Vec::with_capacity(rows.len());
    for row in rows {
        made.push(m.apply(op, &args[0], row)?);
    }
    m.list(made)
}

/// Whether a function can be called with the items of these in turn: of lists, of two texts, or of
/// none where one is nil.
fn go_together(lists: &[Value]) -> bool {
    let all = |test: fn(&Value) -> bool| lists.iter().all(test);
    lists.iter().any(Value::is_nil)
        || all(|list| matches!(list, Value::List(_) | Value::Tuple(_)))
        || (lists.len() == 2 && all(|list| matches!(list, Value::Str(_))))
}

fn mapcat(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let mut all = Vec::new();
    for item in m.each_item("mapcat", &args[1])? {
        let made = m.apply("mapcat", &args[0], vec![item])?;
        match &made {
            Value::List(_) | Value::Tuple(_) | Value::Set(_) | Value::Map(_) => {
                all.extend(m.each_item("mapcat", &made)?);
            }
            // A field that is no list is one item, and one that is missing none.
            Value::Nil if matches!(args[0], Value::Keyword(_)) => {}
            _ if matches!(args[0], Value::Keyword(_)) => all.push(made),
            other => {
                let kind = super::kind(other);
                return super::args::runtime_error(format!("mapcat: a {kind} has no items"));
            }
        }
    }
    m.list(all)
}

fn sift(m: &mut Machine<'_>, op: &str, args: &[Value], keep: bool) -> Res {
    let mut kept = Vec::new();
    for item in m.each_item(op, &args[1])? {
        if truthy(&m.apply(op, &args[0], vec![item.clone()])?) == keep {
            kept.push(item);
        }
    }
    m.list(kept)
}

/// Whether the test gives this truth for some item.
fn any(m: &mut Machine<'_>, op: &str, args: &[Value], truth: bool) -> Res<bool> {
    for item in m.each_item(op, &args[1])? {
        if truthy(&m.apply(op, &args[0], vec![item])?) == truth {
            return Ok(true);
        }
    }
    Ok(false)
}

fn reduce(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let list = args.last().cloned().unwrap_or_default();
    let mut items = m.each_item("reduce", &list)?.into_iter();
    let mut total = match args.as_slice() {
        [_, start, _] => start.clone(),
        _ => match items.next() {
            Some(first) => first,
            None => return Ok(Value::Nil),
        },
    };
    for item in items {
        total = m.apply("reduce", &args[0], vec![total, item])?;
    }
    Ok(total)
}
