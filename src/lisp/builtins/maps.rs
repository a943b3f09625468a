//! Maps. Reading finds a keyword's entry under the string of the same name, and the other way round;
//! writing is strict.

use std::sync::Arc;

use super::args::{entries, runtime_error, sorted, type_error};
use super::{Builtin, MANY, row};
use crate::lisp::error::Res;
use crate::lisp::eval::Machine;
use crate::value::{Map, Value};

pub(super) const TABLE: &[Builtin] = &[
    row("get", 2, 3, "The entry of a key, or a default.", |m, a| {
        m.weigh(&a[1])?;
        let found = match &a[0] {
            Value::Map(_) | Value::List(_) | Value::Tuple(_) => lookup(&a[0], &a[1]),
            Value::Nil | Value::Set(_) => None,
            _ => return type_error("get", &a),
        };
        Ok(found.unwrap_or_else(|| a.get(2).cloned().unwrap_or_default()))
    }),
    row(
        "get-in",
        2,
        3,
        "The entry at a path of keys, or a default.",
        |m, a| {
            if !matches!(a[0], Value::Map(_) | Value::List(_) | Value::Tuple(_)) {
                return type_error("get-in", &a);
            }
            let path = a[1].as_list();
            m.weigh(&a[1])?;
            let found = path.and_then(|path| {
                path.iter()
                    .try_fold(a[0].clone(), |at, key| lookup(&at, key))
            });
            // As in the reference, an entry that is nil is none.
            let found = found.filter(|found| !found.is_nil());
            Ok(found.unwrap_or_else(|| a.get(2).cloned().unwrap_or_default()))
        },
    ),
    row(
        "assoc",
        0,
        MANY,
        "A map with entries set; a vector with items replaced.",
        |m, a| {
            let mut args = a.into_iter();
            let Some(mut target) = args.next() else {
                return runtime_error("assoc takes a map, keys and values");
            };
            while let Some(key) = args.next() {
                let Some(value) = args.next() else {
                    return runtime_error("assoc: a key without a value");
                };
                target = assoc(m, target, key, value)?;
            }
            Ok(target)
        },
    ),
    row(
        "assoc-in",
        3,
        3,
        "A map with the entry at a path set.",
        |m, a| {
            let path = m.items("assoc-in", &a[1])?;
            update_in(m, &a[0], &path, Past::Append, &mut |_, _| Ok(a[2].clone()))
        },
    ),
    row(
        "update",
        3,
        MANY,
        "A map with what a function makes of an entry.",
        |m, a| {
            // What is read is strict here: an entry under the other kind of key is another entry.
            let old = match (&a[0], a[1].as_i64()) {
                (Value::Map(map), _) => map.get(&a[1]).cloned().unwrap_or_default(),
                (Value::List(items), Some(index)) if index >= 0 => item_at(items, index, "update")?,
                _ => return type_error("update", &a),
            };
            let new = changed(m, "update", &a, old)?;
            assoc(m, a[0].clone(), a[1].clone(), new)
        },
    ),
    row(
        "update-in",
        3,
        MANY,
        "As update, at a path of keys.",
        |m, a| {
            let path = m.items("update-in", &a[1])?;
            update_in(m, &a[0], &path, Past::Fail, &mut |m, old| {
                changed(m, "update-in", &a, old)
            })
        },
    ),
    row(
        "dissoc",
        1,
        MANY,
        "A map without some keys.",
        |m, a| match &a[0] {
            Value::Map(map) => {
                let mut map = (**map).clone();
                for key in &a[1..] {
                    m.weigh(key)?;
                    map.shift_remove(key);
                }
                m.map(map)
            }
            other => runtime_error(format!("dissoc: a {} is no map", super::kind(other))),
        },
    ),
    row(
        "merge",
        0,
        MANY,
        "The entries of all maps; later ones win.",
        |m, a| {
            let mut all = Map::default();
            for map in &a {
                let Value::Map(map) = map else {
                    return runtime_error(format!("merge: a {} is no map", super::kind(map)));
                };
                m.budget.cells(map.len())?;
                all.extend(map.iter().map(|(k, v)| (k.clone(), v.clone())));
            }
            m.map(all)
        },
    ),
    row(
        "merge-with",
        1,
        MANY,
        "As merge; a function joins the values of a key.",
        |m, a| {
            let mut all = Map::default();
            for map in &a[1..] {
                let map = match map {
                    Value::Map(map) => map,
                    Value::Nil => continue,
                    other => {
                        let kind = super::kind(other);
                        return runtime_error(format!("merge-with: a {kind} is no map"));
                    }
                };
                for (key, value) in sorted(map) {
                    let joined = match all.get(key) {
                        Some(old) => {
                            let args = vec![Value::clone(old), value.clone()];
                            m.apply("merge-with", &a[0], args)?
                        }
                        None => value.clone(),
                    };
                    all.insert(key.clone(), joined);
                }
            }
            m.map(all)
        },
    ),
    row(
        "select-keys",
        2,
        2,
        "A map with these keys alone.",
        |m, a| {
            let mut kept = Map::default();
            for key in m.each_item("select-keys", &a[1])? {
                m.weigh(&key)?;
                if let Some(value) = lookup(&a[0], &key) {
                    kept.insert(key, value);
                }
            }
            m.map(kept)
        },
    ),
    row("keys", 1, 1, "A map's keys, in order.", |m, a| {
        of_map(m, "keys", &a[0], |(key, _)| key.clone())
    }),
    row(
        "vals",
        1,
        1,
        "A map's values, in the order of their keys.",
        |m, a| of_map(m, "vals", &a[0], |(_, value)| value.clone()),
    ),
    row(
        "entries",
        1,
        1,
        "A map's entries as [key value], in order.",
        |m, a| match &a[0] {
            Value::Map(map) => m.list(entries(map)),
            _ => type_error("entries", &a),
        },
    ),
    row("key", 1, 1, "The key of an entry.", |_, a| {
        part_of_entry("key", &a, 0)
    }),
    row("val", 1, 1, "The value of an entry.", |_, a| {
        part_of_entry("val", &a, 1)
    }),
    row(
        "update-vals",
        2,
        2,
        "A map with what a function gives for each value.",
        |m, a| {
            changed_entries(m, "update-vals", &a, |m, (key, value)| {
                Ok((
                    key.clone(),
                    m.apply("update-vals", &a[1], vec![value.clone()])?,
                ))
            })
        },
    ),
    row(
        "update-keys",
        2,
        2,
        "A map with what a function gives for each key.",
        |m, a| {
            changed_entries(m, "update-keys", &a, |m, (key, value)| {
                Ok((
                    m.apply("update-keys", &a[1], vec![key.clone()])?,
                    value.clone(),
                ))
            })
        },
    ),
    row(
        "zipmap",
        2,
        2,
        "A map of keys and values in turn.",
        |m, a| {
            let rows = super::slices::rows(m, "zipmap", &a)?;
            let mut map = Map::default();
            for row in rows {
                if let [key, value] = row.as_slice() {
                    m.weigh(key)?;
                    map.insert(key.clone(), value.clone());
                }
            }
            m.map(map)
        },
    ),
    row(
        "hash-map",
        0,
        MANY,
        "A map of keys and values in turn.",
        |m, a| {
            if a.len() % 2 != 0 {
                return runtime_error("hash-map: a key without a value");
            }
            let mut map = Map::default();
            for pair in a.chunks_exact(2) {
                m.weigh(&pair[0])?;
                map.insert(pair[0].clone(), pair[1].clone());
            }
            m.map(map)
        },
    ),
];

/// The entry of a key: of a map by keyword or string, of a list by index, of a set the item itself.
pub(in super::super) fn lookup(value: &Value, key: &Value) -> Option<Value> {
    match value {
        Value::Map(map) => map
            .get(key)
            .or_else(|| match key {
                Value::Keyword(name) => map.get(&Value::Str(Arc::clone(name))),
                Value::Str(name) => map.get(&Value::Keyword(Arc::clone(name))),
                _ => None,
            })
            .cloned(),
        Value::List(items) | Value::Tuple(items) => match key {
            Value::Int(index) => items.get(usize::try_from(*index).ok()?).cloned(),
            _ => None,
        },
        Value::Set(items) => items.get(key).cloned(),
        _ => None,
    }
}

fn assoc(m: &mut Machine<'_>, target: Value, key: Value, value: Value) -> Res {
    m.weigh(&key)?;
    match target {
        Value::Nil => m.map(Map::from_iter([(key, value)])),
        Value::Map(mut map) => {
            if Arc::get_mut(&mut map).is_none() {
                m.budget.step(map.len() / 8)?;
            }
            m.budget.cells(2)?;
            Arc::make_mut(&mut map).insert(key, value);
            Ok(Value::Map(map))
        }
        Value::List(mut items) => {
            let index = key.as_i64().and_then(|index| usize::try_from(index).ok());
            let Some(index) = index.filter(|index| *index <= items.len()) else {
                return runtime_error(format!("assoc: no such index in {} items", items.len()));
            };
            m.budget.step(items.len() / 16)?;
            m.budget.cells(1)?;
            let items_mut = Arc::make_mut(&mut items);
            if index == items_mut.len() {
                items_mut.push(value);
            } else {
                items_mut[index] = value;
            }
            Ok(Value::List(items))
        }
        other => runtime_error(format!("assoc: a {} is no map", super::kind(&other))),
    }
}

type Change<'a> = dyn FnMut(&mut Machine<'_>, Value) -> Res + 'a;

/// What becomes of an index one past a list's end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Past {
    Append,
    Fail,
}

/// Reads what is changed by either kind of key, and writes it under the key that is given.
fn update_in(
    m: &mut Machine<'_>,
    target: &Value,
    path: &[Value],
    past: Past,
    change: &mut Change<'_>,
) -> Res {
    m.budget.step(1)?;
    let Some((key, deeper)) = path.split_first() else {
        return change(m, target.clone());
    };
    m.weigh(key)?;
    let old = match target {
        Value::Nil => None,
        Value::Map(_) => lookup(target, key),
        Value::List(items) => match key.as_i64().filter(|index| *index >= 0) {
            Some(index) if past == Past::Fail => Some(item_at(items, index, "update-in")?),
            Some(_) => lookup(target, key),
            None => return type_error("update-in", &[target.clone(), key.clone()]),
        },
        _ => return type_error("update-in", &[target.clone(), key.clone()]),
    };
    let goes_on = matches!(old, None | Some(Value::Map(_) | Value::List(_)));
    if !deeper.is_empty() && !goes_on {
        return runtime_error("there is neither a map nor a vector on the way to that key");
    }
    let new = update_in(m, &old.unwrap_or_default(), deeper, past, change)?;
    assoc(m, target.clone(), key.clone(), new)
}

fn item_at(items: &[Value], index: i64, op: &str) -> Res {
    let item = usize::try_from(index)
        .ok()
        .and_then(|index| items.get(index));
    match item {
        Some(item) => Ok(item.clone()),
        None => runtime_error(format!("{op}: no item {index} among {}", items.len())),
    }
}

fn changed(m: &mut Machine<'_>, op: &str, args: &[Value], old: Value) -> Res {
    let mut given = vec![old];
    given.extend_from_slice(&args[3..]);
    m.apply(op, &args[2], given)
}

fn of_map(
    m: &mut Machine<'_>,
    op: &str,
    value: &Value,
    part: impl Fn((&Value, &Value)) -> Value,
) -> Res {
    match value {
        Value::Nil => Ok(Value::Nil),
        Value::Map(map) => m.list(sorted(map).into_iter().map(part).collect()),
        other => runtime_error(format!("{op}: a {} is no map", super::kind(other))),
    }
}

fn part_of_entry(op: &str, args: &[Value], at: usize) -> Res {
    match &args[0] {
        Value::List(pair) if pair.len() == 2 => Ok(pair[at].clone()),
        _ => type_error(op, args),
    }
}

fn changed_entries(
    m: &mut Machine<'_>,
    op: &str,
    args: &[Value],
    change: impl Fn(&mut Machine<'_>, (&Value, &Value)) -> Res<(Value, Value)>,
) -> Res {
    let map = match &args[0] {
        Value::Nil => return Ok(Value::Nil),
        Value::Map(map) => Arc::clone(map),
        _ => return type_error(op, args),
    };
    let mut made = Map::default();
    for entry in sorted(&map) {
        let (key, value) = change(m, entry)?;
        m.weigh(&key)?;
        made.insert(key, value);
    }
    m.map(made)
}
