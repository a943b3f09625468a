//! Making lists and looking at their ends.

use std::sync::Arc;

use super::args::{runtime_error, type_error};
use super::arith::{as_float, pair};
use super::{Builtin, MANY, row};
use crate::lisp::error::Res;
use crate::lisp::eval::Machine;
use crate::value::{Map, Set, Value};

pub(super) const TABLE: &[Builtin] = &[
    row(
        "count",
        1,
        1,
        "How many items or characters there are.",
        count,
    ),
    row("first", 1, 1, "The first item, or nil.", |m, a| {
        at(m, "first", &a[0], 0)
    }),
    row("second", 1, 1, "The second item, or nil.", |m, a| {
        at(m, "second", &a[0], 1)
    }),
    row("last", 1, 1, "The last item, or nil.", |m, a| {
        Ok(m.items("last", &a[0])?.pop().unwrap_or_default())
    }),
    row("butlast", 1, 1, "The items before the last.", |m, a| {
        let mut items = ordered(m, "butlast", &a[0])?;
        items.pop();
        m.list(items)
    }),
    row(
        "nth",
        2,
        2,
        "The item of an index from 0; below 0, from the end.",
        nth,
    ),
    row("rest", 1, 1, "The items after the first.", |m, a| {
        rest(m, "rest", &a[0])
    }),
    row(
        "next",
        1,
        1,
        "The items after the first, or nil if there are none.",
        |m, a| {
            let left = rest(m, "next", &a[0])?;
            Ok(none_if_empty(left))
        },
    ),
    row("ffirst", 1, 1, "The first item of the first.", |m, a| {
        let inner = at(m, "ffirst", list("ffirst", &a)?, 0)?;
        at(m, "ffirst", &inner, 0)
    }),
    row(
        "nfirst",
        1,
        1,
        "The items after the first of the first.",
        |m, a| {
            let inner = at(m, "nfirst", list("nfirst", &a)?, 0)?;
            rest(m, "nfirst", &inner).map(none_if_empty)
        },
    ),
    row("fnext", 1, 1, "The second item, or nil.", |m, a| {
        at(m, "fnext", list("fnext", &a)?, 1)
    }),
    row(
        "nnext",
        1,
        1,
        "The items after the second, or nil.",
        |m, a| {
            let left = rest(m, "nnext", list("nnext", &a)?)?;
            rest(m, "nnext", &left).map(none_if_empty)
        },
    ),
    row(
        "cons",
        2,
        2,
        "A list with an item before the others.",
        |m, a| {
            let mut items = vec![a[0].clone()];
            items.extend(m.each_item("cons", &a[1])?);
            m.list(items)
        },
    ),
    row("conj", 1, MANY, "A collection with items added.", conj),
    row(
        "concat",
        0,
        MANY,
        "The items of all lists in one.",
        |m, a| {
            let mut all = Vec::new();
            for list in &a {
                let items = enumerable(m, "concat", list)?;
                m.budget.cells(items.len())?;
                all.extend(items);
            }
            Ok(Value::list(all))
        },
    ),
    row(
        "into",
        2,
        2,
        "A collection with the items of another added.",
        into,
    ),
    row("vector", 0, MANY, "A vector of its arguments.", |m, a| {
        m.list(a)
    }),
    row(
        "vec",
        1,
        1,
        "A vector of a collection's items.",
        |m, a| match &a[0] {
            Value::Nil => Ok(Value::Nil),
            other => {
                let items = m.each_item("vec", other)?;
                m.list(items)
            }
        },
    ),
    row(
        "seq",
        1,
        1,
        "A collection's items, or nil if there are none.",
        |m, a| {
            let items = m.each_item("seq", &a[0])?;
            m.list(items).map(none_if_empty)
        },
    ),
    row(
        "empty",
        1,
        1,
        "An empty collection of the same kind.",
        |_, a| {
            Ok(match &a[0] {
                Value::List(_) | Value::Tuple(_) => Value::list(Vec::new()),
                Value::Map(_) => Value::map(Map::default()),
                Value::Set(_) => Value::Set(Arc::default()),
                Value::Str(_) => Value::string(""),
                Value::Nil => Value::Nil,
                _ => return type_error("empty", &a),
            })
        },
    ),
    row(
        "peek",
        1,
        1,
        "The last item of a vector, or nil.",
        |m, a| match &a[0] {
            Value::Nil => Ok(Value::Nil),
            _ => Ok(m
                .items("peek", list("peek", &a)?)?
                .pop()
                .unwrap_or_default()),
        },
    ),
    row(
        "pop",
        1,
        1,
        "A vector without its last item; nil if it is empty.",
        |m, a| {
            if a[0].is_nil() {
                return Ok(Value::Nil);
            }
            let mut items = m.items("pop", list("pop", &a)?)?;
            match items.pop() {
                Some(_) => m.list(items),
                None => Ok(Value::Nil),
            }
        },
    ),
    row(
        "range",
        1,
        3,
        "Numbers up to an end; from a start, by a step.",
        range,
    ),
    row("reverse", 1, 1, "The items, last first.", |m, a| {
        let mut items = m.items("reverse", &a[0])?;
        items.reverse();
        m.list(items)
    }),
    row("distinct", 1, 1, "The items, each once.", |m, a| {
        let items = m.items("distinct", &a[0])?;
        let mut seen = Set::default();
        for item in items {
            m.weigh(&item)?;
            seen.insert(item);
        }
        m.list(seen.into_iter().collect())
    }),
    row(
        "dedupe",
        1,
        1,
        "The items without repeats that follow each other.",
        |m, a| {
            let mut items = m.each_item("dedupe", &a[0])?;
            for item in &items {
                m.weigh(item)?;
            }
            items.dedup();
            m.list(items)
        },
    ),
    row(
        "flatten",
        1,
        1,
        "The items of lists within lists, in one.",
        flatten,
    ),
];

pub(super) fn none_if_empty(list: Value) -> Value {
    match &list {
        Value::List(items) if items.is_empty() => Value::Nil,
        _ => list,
    }
}

/// The items of a list or a text; nil has none.
pub(super) fn ordered(m: &mut Machine<'_>, op: &str, value: &Value) -> Res<Vec<Value>> {
    if value.is_nil() {
        return Ok(Vec::new());
    }
    m.items(op, value)
}

/// The argument of a builtin that takes a list alone.
pub(super) fn list<'a>(op: &str, args: &'a [Value]) -> Res<&'a Value> {
    match args.last() {
        Some(list @ (Value::List(_) | Value::Tuple(_))) => Ok(list),
        _ => type_error(op, args),
    }
}

/// The items of whatever the reference's runtime goes through by itself: not those of a text.
fn enumerable(m: &mut Machine<'_>, op: &str, value: &Value) -> Res<Vec<Value>> {
    match value {
        Value::Nil | Value::List(_) | Value::Tuple(_) | Value::Set(_) | Value::Map(_) => {
            m.each_item(op, value)
        }
        other => runtime_error(format!("{op}: a {} has no items", super::kind(other))),
    }
}

fn count(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let count = match &args[0] {
        Value::Nil => 0,
        Value::Str(text) => {
            m.budget.step(text.len() / 16)?;
            super::args::graphemes(text).count()
        }
        Value::List(items) | Value::Tuple(items) => items.len(),
        Value::Map(entries) => entries.len(),
        Value::Set(items) => items.len(),
        _ => return type_error("count", &args),
    };
    Ok(Value::Int(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn at(m: &mut Machine<'_>, op: &str, value: &Value, index: usize) -> Res {
    match value {
        Value::Nil => Ok(Value::Nil),
        Value::List(items) | Value::Tuple(items) => {
            Ok(items.get(index).cloned().unwrap_or_default())
        }
        Value::Str(text) => match super::args::graphemes(text).nth(index) {
            Some(character) => m.text(character),
            None => Ok(Value::Nil),
        },
        other => type_error(op, std::slice::from_ref(other)),
    }
}

fn nth(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let Value::Int(index) = args[1] else {
        return type_error("nth", &args);
    };
    if args[0].is_nil() {
        return type_error("nth", &args);
    }
    if let (Value::List(items), Ok(index)) = (&args[0], usize::try_from(index)) {
        return Ok(items.get(index).cloned().unwrap_or_default());
    }
    let items = m.items("nth", &args[0])?;
    let back = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
    let index = if index < 0 {
        items.len().checked_sub(back)
    } else {
        Some(back)
    };
    Ok(index
        .and_then(|index| items.get(index))
        .cloned()
        .unwrap_or_default())
}

fn rest(m: &mut Machine<'_>, op: &str, value: &Value) -> Res {
    let mut items = ordered(m, op, value)?;
    if !items.is_empty() {
        items.remove(0);
    }
    m.list(items)
}

fn conj(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let mut args = args.into_iter();
    let target = args.next().unwrap_or_default();
    m.budget.cells(args.len() + 1)?;
    match target {
        Value::Nil => m.list(args.collect()),
        Value::List(_) => {
            let mut items = m.take_items("conj", target)?;
            items.extend(args);
            Ok(Value::list(items))
        }
        Value::Set(set) => {
            m.budget.step(set.len() / 16)?;
            let items: Vec<Value> = set.iter().cloned().chain(args).collect();
            m.set(items)
        }
        Value::Map(mut map) => {
            m.budget.step(map.len() / 16)?;
            for entry in args {
                add_entry(m, "conj", Arc::make_mut(&mut map), &entry)?;
            }
            Ok(Value::Map(map))
        }
        other => type_error("conj", &[other]),
    }
}

fn add_entry(m: &mut Machine<'_>, op: &str, map: &mut Map, entry: &Value) -> Res<()> {
    m.budget.cells(2)?;
    match entry {
        Value::List(pair) if pair.len() == 2 => {
            m.weigh(&pair[0])?;
            map.insert(pair[0].clone(), pair[1].clone());
            Ok(())
        }
        other => type_error(op, std::slice::from_ref(other)),
    }
}

fn into(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let from = &args[1];
    match &args[0] {
        Value::List(items) => {
            let more = match from {
                Value::Set(_) => return type_error("into", &args),
                other => enumerable(m, "into", other)?,
            };
            m.list(items.iter().cloned().chain(more).collect())
        }
        Value::Set(items) => {
            let more = enumerable(m, "into", from)?;
            m.set(items.iter().cloned().chain(more).collect())
        }
        Value::Map(map) => {
            let mut map = (**map).clone();
            for entry in enumerable(m, "into", from)? {
                add_entry(m, "into", &mut map, &entry)?;
            }
            m.map(map)
        }
        _ => type_error("into", &args),
    }
}

fn range(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let (from, to, by) = match args.as_slice() {
        [to] => (Value::Int(0), to.clone(), Value::Int(1)),
        [from, to] => (from.clone(), to.clone(), Value::Int(1)),
        _ => (args[0].clone(), args[1].clone(), args[2].clone()),
    };
    // As in the reference, what is no number has nothing before it.
    let (Some(_), Some(end), Some(step)) = (as_float(&from), as_float(&to), as_float(&by)) else {
        return m.list(Vec::new());
    };
    let mut items = Vec::new();
    let mut next = from;
    if step == 0.0 {
        return m.list(items);
    }
    loop {
        let here = as_float(&next).unwrap_or(f64::NAN);
        let inside = if step > 0.0 { here < end } else { here > end };
        if !inside {
            break;
        }
        m.budget.cells(1)?;
        let following = pair(m, "add", &next, &by)?;
        items.push(next);
        next = following;
    }
    Ok(Value::list(items))
}

fn flatten(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let mut flat = Vec::new();
    let mut waiting = m.items("flatten", list("flatten", &args)?)?;
    waiting.reverse();
    while let Some(item) = waiting.pop() {
        m.budget.cells(1)?;
        match item {
            Value::List(items) => waiting.extend(items.iter().rev().cloned()),
            other => flat.push(other),
        }
    }
    Ok(Value::list(flat))
}
