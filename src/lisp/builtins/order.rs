//! Sorting and grouping.

use std::cmp::Ordering;

use super::args::{runtime_error, type_error};
use super::equal::order;
use super::maps::lookup;
use super::{Builtin, MANY, is_callable, row};
use crate::lisp::error::Res;
use crate::lisp::eval::{Machine, truthy};
use crate::value::{Map, Set, Value};

pub(super) const TABLE: &[Builtin] = &[
    row(
        "sort",
        1,
        2,
        "The items in order; (sort > xs), (sort :desc xs).",
        |m, a| {
            let list = a.last().cloned().unwrap_or_default();
            let items = m.items("sort", &list)?;
            let how = (a.len() == 2).then(|| &a[0]);
            let keyed = items.into_iter().map(|item| (item.clone(), item)).collect();
            sorted_by(m, "sort", keyed, how)
        },
    ),
    row(
        "sort-by",
        2,
        3,
        "The items in order of a key; (sort-by :n > xs), (sort-by :n :desc xs).",
        |m, a| {
            let list = a.last().cloned().unwrap_or_default();
            let how = (a.len() == 3).then(|| &a[1]);
            let keyed = keyed(m, "sort-by", &a[0], &list)?;
            sorted_by(m, "sort-by", keyed, how)
        },
    ),
    row(
        "group-by",
        2,
        2,
        "A map from keys to the items that have them.",
        |m, a| {
            let mut groups: indexmap::IndexMap<Value, Vec<Value>> = indexmap::IndexMap::new();
            for (key, item) in records(m, "group-by", &a)? {
                m.weigh(&key)?;
                groups.entry(key).or_default().push(item);
            }
            let groups: Map = groups
                .into_iter()
                .map(|(k, items)| (k, Value::list(items)))
                .collect();
            m.map(groups)
        },
    ),
    row(
        "frequencies",
        1,
        1,
        "A map from items to how often they occur.",
        |m, a| {
            let mut counts = Map::default();
            for item in m.items("frequencies", &a[0])? {
                m.weigh(&item)?;
                let count = counts.entry(item).or_insert(Value::Int(0));
                *count = Value::Int(count.as_i64().unwrap_or_default() + 1);
            }
            m.map(counts)
        },
    ),
    row(
        "distinct-by",
        2,
        2,
        "The first items of each key.",
        |m, a| {
            let mut seen = Set::default();
            let mut kept = Vec::new();
            for (key, item) in records(m, "distinct-by", &a)? {
                m.weigh(&key)?;
                if seen.insert(key) {
                    kept.push(item);
                }
            }
            m.list(kept)
        },
    ),
    row(
        "min-by",
        2,
        2,
        "The item with the least key; nil keys don't count.",
        |m, a| by(m, "min-by", &a, Ordering::Less),
    ),
    row(
        "max-by",
        2,
        2,
        "The item with the greatest key; nil keys don't count.",
        |m, a| by(m, "max-by", &a, Ordering::Greater),
    ),
    row(
        "min-key",
        2,
        MANY,
        "The argument for which a function gives the least.",
        |m, a| extreme(m, "min-key", &a, Ordering::Less),
    ),
    row(
        "max-key",
        2,
        MANY,
        "The argument for which a function gives the greatest.",
        |m, a| extreme(m, "max-key", &a, Ordering::Greater),
    ),
];

/// The key of each item: by a function, a keyword, a string or a path of them.
pub(super) fn keyed(
    m: &mut Machine<'_>,
    op: &str,
    by: &Value,
    list: &Value,
) -> Res<Vec<(Value, Value)>> {
    let items = m.each_item(op, list)?;
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        keyed.push((key(m, op, by, &item)?, item));
    }
    Ok(keyed)
}

/// As [`keyed`], for what takes records: a text has none.
pub(super) fn records(m: &mut Machine<'_>, op: &str, args: &[Value]) -> Res<Vec<(Value, Value)>> {
    if matches!(args[1], Value::Str(_)) {
        return type_error(op, args);
    }
    keyed(m, op, &args[0], &args[1])
}

pub(super) fn key(m: &mut Machine<'_>, op: &str, by: &Value, item: &Value) -> Res {
    match by {
        Value::Str(_) => Ok(lookup(item, by).unwrap_or_default()),
        Value::List(path) => {
            let found = path
                .iter()
                .try_fold(item.clone(), |at, key| lookup(&at, key));
            Ok(found.unwrap_or_default())
        }
        _ => m.apply(op, by, vec![item.clone()]),
    }
}

fn sorted_by(
    m: &mut Machine<'_>,
    op: &str,
    mut keyed: Vec<(Value, Value)>,
    how: Option<&Value>,
) -> Res {
    for (key, _) in &keyed {
        m.weigh(key)?;
    }
    let rounds = usize::BITS - keyed.len().leading_zeros();
    m.budget.step(keyed.len() * rounds as usize / 4)?;
    match how {
        None => keyed.sort_by(|a, b| order(&a.0, &b.0)),
        Some(Value::Keyword(word)) if &**word == "asc" => keyed.sort_by(|a, b| order(&a.0, &b.0)),
        Some(Value::Keyword(word)) if &**word == "desc" => keyed.sort_by(|a, b| order(&b.0, &a.0)),
        Some(function) if is_callable(function) => keyed = merge_sort(m, op, keyed, function)?,
        Some(other) => return type_error(op, std::slice::from_ref(other)),
    }
    m.list(keyed.into_iter().map(|(_, item)| item).collect())
}

/// As the reference sorts: the left one goes first only if the function says so, so that a strict
/// comparison turns equal items around.
fn merge_sort(
    m: &mut Machine<'_>,
    op: &str,
    mut items: Vec<(Value, Value)>,
    function: &Value,
) -> Res<Vec<(Value, Value)>> {
    if items.len() < 2 {
        return Ok(items);
    }
    let right = items.split_off(items.len() / 2);
    let left = merge_sort(m, op, items, function)?;
    let right = merge_sort(m, op, right, function)?;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let said = m.apply(op, function, vec![a.0.clone(), b.0.clone()])?;
        let first = match said {
            Value::Int(number) => number <= 0,
            other => truthy(&other),
        };
        merged.extend(if first { left.next() } else { right.next() });
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

fn best(keyed: Vec<(Value, Value)>, wanted: Ordering) -> Value {
    let keyed = keyed.into_iter();
    let best = keyed.reduce(|old, new| {
        if order(&new.0, &old.0) == wanted {
            new
        } else {
            old
        }
    });
    best.map(|(_, item)| item).unwrap_or_default()
}

fn by(m: &mut Machine<'_>, op: &str, args: &[Value], wanted: Ordering) -> Res {
    let mut keyed = records(m, op, args)?;
    keyed.retain(|(key, _)| !key.is_nil());
    for (key, _) in &keyed {
        m.weigh(key)?;
    }
    Ok(best(keyed, wanted))
}

fn extreme(m: &mut Machine<'_>, op: &str, args: &[Value], wanted: Ordering) -> Res {
    let mut keyed = Vec::new();
    for item in &args[1..] {
        let key = m.apply(op, &args[0], vec![item.clone()])?;
        m.weigh(&key)?;
        keyed.push((key, item.clone()));
    }
    if keyed.is_empty() {
        return runtime_error(format!("{op}: nothing to choose from"));
    }
    Ok(best(keyed, wanted))
}
