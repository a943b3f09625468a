//! Parts of lists: taking, dropping, splitting, and putting lists beside each other.

use super::args::{count, type_error};
use super::seq::{list, ordered};
use super::{Builtin, row};
use crate::lisp::error::Res;
use crate::lisp::eval::{Machine, truthy};
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    row(
        "take",
        2,
        2,
        "The first n items; below 0, the last ones.",
        |m, a| {
            let (n, back) = from_an_end("take", &a)?;
            let mut items = m.items("take", &a[1])?;
            if back {
                return m.list(items.split_off(items.len().saturating_sub(n)));
            }
            items.truncate(n);
            m.list(items)
        },
    ),
    row(
        "drop",
        2,
        2,
        "The items after the first n; below 0, before the last ones.",
        |m, a| {
            let (n, back) = from_an_end("drop", &a)?;
            let mut items = m.items("drop", &a[1])?;
            if back {
                items.truncate(items.len().saturating_sub(n));
                return m.list(items);
            }
            m.list(items.into_iter().skip(n).collect())
        },
    ),
    row("take-last", 2, 2, "The last n items.", |m, a| {
        let n = count("take-last", &a, 0)?;
        if n == 0 {
            return m.list(Vec::new());
        }
        let items = ordered(m, "take-last", &a[1])?;
        let skipped = items.len().saturating_sub(n);
        m.list(items.into_iter().skip(skipped).collect())
    }),
    row(
        "drop-last",
        1,
        2,
        "The items without the last n, or the last one.",
        |m, a| {
            let (n, list) = match a.as_slice() {
                [list] => (1, list),
                _ => (count("drop-last", &a, 0)?, &a[1]),
            };
            let mut items = ordered(m, "drop-last", list)?;
            items.truncate(items.len().saturating_sub(n));
            m.list(items)
        },
    ),
    row(
        "take-while",
        2,
        2,
        "The items before the first that fails a test.",
        |m, a| {
            let (mut items, at) = split_where(m, "take-while", &a)?;
            items.truncate(at);
            m.list(items)
        },
    ),
    row(
        "drop-while",
        2,
        2,
        "The items from the first that fails a test.",
        |m, a| {
            let (items, at) = split_where(m, "drop-while", &a)?;
            m.list(items.into_iter().skip(at).collect())
        },
    ),
    row(
        "split-with",
        2,
        2,
        "The items before and from the first that fails a test.",
        |m, a| {
            let (items, at) = split_where(m, "split-with", &a)?;
            halves(m, items, at)
        },
    ),
    row(
        "split-at",
        2,
        2,
        "The first n items, and the rest.",
        |m, a| {
            let n = count("split-at", &a, 0)?;
            let items = m.each_item("split-at", &a[1])?;
            halves(m, items, n)
        },
    ),
    row(
        "subvec",
        2,
        3,
        "The items from one index up to another.",
        |m, a| {
            let from = count("subvec", &a, 1)?;
            let items = m.items("subvec", list("subvec", &a[..1])?)?;
            let to = if a.len() > 2 {
                count("subvec", &a, 2)?
            } else {
                items.len()
            };
            m.list(items.into_iter().take(to).skip(from).collect())
        },
    ),
    row(
        "partition",
        2,
        4,
        "Lists of n items; (partition n step pad xs).",
        partition,
    ),
    row(
        "partition-all",
        2,
        3,
        "Lists of n items, the last perhaps shorter.",
        |m, a| {
            let n = count("partition-all", &a, 0)?;
            let (step, list) = if a.len() == 3 {
                (count("partition-all", &a, 1)?, &a[2])
            } else {
                (n, &a[1])
            };
            windows(m, "partition-all", (n, step), list, Rest::Keep)
        },
    ),
    row(
        "partition-by",
        2,
        2,
        "Lists of neighbours for which a function gives the same.",
        |m, a| {
            let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
            for item in m.each_item("partition-by", &a[1])? {
                let key = m.apply("partition-by", &a[0], vec![item.clone()])?;
                m.weigh(&key)?;
                match groups.last_mut() {
                    Some((last, group)) if *last == key => group.push(item),
                    _ => groups.push((key, vec![item])),
                }
            }
            let groups = groups.into_iter().map(|(_, group)| m.list(group));
            let groups = groups.collect::<Res<_>>()?;
            m.list(groups)
        },
    ),
    row(
        "interpose",
        2,
        2,
        "The items with a value between them.",
        |m, a| {
            let items = match &a[1] {
                Value::Nil => Vec::new(),
                _ => m.items("interpose", list("interpose", &a)?)?,
            };
            let mut all = Vec::with_capacity(2 * items.len());
            for item in items {
                if !all.is_empty() {
                    all.push(a[0].clone());
                }
                all.push(item);
            }
            m.list(all)
        },
    ),
    row(
        "interleave",
        2,
        2,
        "The first items of two lists, then the second ones ..",
        |m, a| {
            two_lists("interleave", &a)?;
            let rows = rows(m, "interleave", &a)?;
            m.list(rows.into_iter().flatten().collect())
        },
    ),
    row(
        "zip",
        2,
        2,
        "Lists of the first items, of the second ones ..",
        |m, a| {
            two_lists("zip", &a)?;
            let rows = rows(m, "zip", &a)?;
            let rows = rows
                .into_iter()
                .map(|row| m.list(row))
                .collect::<Res<_>>()?;
            m.list(rows)
        },
    ),
    row(
        "combinations",
        2,
        2,
        "All choices of n items, in order.",
        |m, a| {
            let items = m.items("combinations", &a[0])?;
            let n = count("combinations", &a, 1)?;
            let mut made = Vec::new();
            choose(m, &items, n, &mut Vec::new(), &mut made)?;
            Ok(Value::list(made))
        },
    ),
];

/// The n-th items of all lists, as many as the shortest has.
pub(super) fn rows(m: &mut Machine<'_>, op: &str, lists: &[Value]) -> Res<Vec<Vec<Value>>> {
    let mut columns = Vec::with_capacity(lists.len());
    for list in lists {
        columns.push(m.each_item(op, list)?);
    }
    let count = columns.iter().map(Vec::len).min().unwrap_or_default();
    m.budget.cells(count * lists.len())?;
    let row = |at: usize| columns.iter().map(|column| column[at].clone()).collect();
    Ok((0..count).map(row).collect())
}

/// How many items a builtin takes, and whether it counts them from the end.
fn from_an_end(op: &str, args: &[Value]) -> Res<(usize, bool)> {
    match &args[0] {
        Value::Int(number) => {
            let count = usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
            Ok((count, *number < 0))
        }
        _ => type_error(op, args),
    }
}

fn two_lists(op: &str, args: &[Value]) -> Res<()> {
    list(op, &args[..1])?;
    list(op, args).map(|_| ())
}

fn halves(m: &mut Machine<'_>, mut items: Vec<Value>, at: usize) -> Res {
    let rest = items.split_off(at.min(items.len()));
    let halves = vec![m.list(items)?, m.list(rest)?];
    m.list(halves)
}

fn split_where(m: &mut Machine<'_>, op: &str, args: &[Value]) -> Res<(Vec<Value>, usize)> {
    let items = m.each_item(op, &args[1])?;
    for (at, item) in items.iter().enumerate() {
        if !truthy(&m.apply(op, &args[0], vec![item.clone()])?) {
            return Ok((items, at));
        }
    }
    let all = items.len();
    Ok((items, all))
}

/// What becomes of items that don't fill a window.
enum Rest {
    Drop,
    Keep,
    Pad(Vec<Value>),
}

fn partition(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let n = count("partition", &args, 0)?;
    let step = if args.len() > 2 {
        count("partition", &args, 1)?
    } else {
        n
    };
    let rest = match args.get(2) {
        Some(pad) if args.len() == 4 => Rest::Pad(m.each_item("partition", pad)?),
        _ => Rest::Drop,
    };
    let list = args.last().cloned().unwrap_or_default();
    windows(m, "partition", (n, step), &list, rest)
}

fn windows(
    m: &mut Machine<'_>,
    op: &str,
    (n, step): (usize, usize),
    list: &Value,
    rest: Rest,
) -> Res {
    if n == 0 || step == 0 {
        return type_error(op, &[Value::Int(0)]);
    }
    let items = m.each_item(op, list)?;
    let mut made = Vec::new();
    for from in (0..items.len()).step_by(step) {
        let mut window: Vec<Value> = items[from..].iter().take(n).cloned().collect();
        if window.len() < n {
            match &rest {
                Rest::Drop => {}
                Rest::Keep => made.push(m.list(window)?),
                Rest::Pad(pad) => {
                    window.extend(pad.iter().take(n - window.len()).cloned());
                    made.push(m.list(window)?);
                }
            }
            // As in the reference, one window at most is not filled.
            break;
        }
        made.push(m.list(window)?);
    }
    m.list(made)
}

fn choose(
    m: &mut Machine<'_>,
    items: &[Value],
    n: usize,
    chosen: &mut Vec<Value>,
    made: &mut Vec<Value>,
) -> Res<()> {
    m.budget.step(1)?;
    if n == 0 {
        made.push(m.list(chosen.clone())?);
        return Ok(());
    }
    if n > items.len() || chosen.len() > 64 {
        return Ok(());
    }
    for (at, item) in items.iter().enumerate() {
        chosen.push(item.clone());
        choose(m, &items[at + 1..], n - 1, chosen, made)?;
        chosen.pop();
    }
    Ok(())
}
