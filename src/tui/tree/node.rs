//! A value and which of its parts are open. Only what is open takes memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::shown::{Kind, kind};
use crate::tui::rows::line_starts;
use crate::value::Value;

/// Entries up to which a map is shown in printed order; a larger one as recorded, since sorting it
/// would take longer than a key may.
const SORTED: usize = 20_000;

/// Bytes of a text that count as a row.
const ROW_BYTES: usize = 80;

/// A value in a tree.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) open: Option<Open>,
}

/// What is open of a node.
#[derive(Debug, Clone)]
pub(super) struct Open {
    parts: Parts,
    /// Open children by their places; the others are rows of their own.
    children: BTreeMap<usize, Node>,
    /// Rows below the node's own.
    rows: usize,
}

/// The parts of a value in the order in which they are shown.
#[derive(Debug, Clone)]
pub(super) enum Parts {
    /// Items.
    Items(Value),
    /// Entries, by their places in the map; as recorded where there is no order.
    Entries(Value, Option<Arc<[usize]>>),
    /// Lines of a text, by their starts.
    Lines(Arc<str>, Arc<[usize]>),
}

/// A part of a value.
#[derive(Debug)]
pub(super) enum Part<'a> {
    /// An item of a list, with its place, or of a set.
    Item(Option<usize>, &'a Value),
    /// An entry of a map.
    Entry(&'a Value, &'a Value),
    /// A line of a text.
    Line(&'a str),
}

impl<'a> Part<'a> {
    /// The value, if it is one.
    pub(super) fn value(&self) -> Option<&'a Value> {
        match self {
            Self::Item(_, value) | Self::Entry(_, value) => Some(value),
            Self::Line(_) => None,
        }
    }
}

impl Parts {
    /// The parts of a value; none of a leaf.
    pub(super) fn of(value: &Value) -> Option<Self> {
        match (kind(value), value) {
            (Kind::Items, _) => Some(Self::Items(value.clone())),
            (Kind::Entries, Value::Map(entries)) => {
                let order = (entries.len() <= SORTED).then(|| {
                    let mut order: Vec<usize> = (0..entries.len()).collect();
                    let key = |at: usize| entries.get_index(at).map(|(key, _)| key);
                    order.sort_by(|a, b| match (key(*a), key(*b)) {
                        (Some(a), Some(b)) => a.compare(b),
                        _ => std::cmp::Ordering::Equal,
                    });
                    order.into()
                });
                Some(Self::Entries(value.clone(), order))
            }
            (Kind::Text, Value::Str(text)) => {
                Some(Self::Lines(Arc::clone(text), line_starts(text).into()))
            }
            _ => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Items(Value::List(items) | Value::Tuple(items)) => items.len(),
            Self::Items(Value::Set(items)) => items.len(),
            Self::Entries(Value::Map(entries), _) => entries.len(),
            Self::Lines(_, starts) => starts.len(),
            Self::Items(_) | Self::Entries(..) => 0,
        }
    }

    pub(super) fn get(&self, at: usize) -> Option<Part<'_>> {
        match self {
            Self::Items(Value::List(items) | Value::Tuple(items)) => {
                Some(Part::Item(Some(at), items.get(at)?))
            }
            Self::Items(Value::Set(items)) => Some(Part::Item(None, items.get_index(at)?)),
            Self::Entries(Value::Map(entries), order) => {
                let at = match order {
                    Some(order) => *order.get(at)?,
                    None => at,
                };
                let (key, value) = entries.get_index(at)?;
                Some(Part::Entry(key, value))
            }
            Self::Lines(text, starts) => {
                let start = *starts.get(at)?;
                let end = starts.get(at + 1).copied().unwrap_or(text.len());
                Some(Part::Line(text[start..end].trim_end_matches(['\n', '\r'])))
            }
            Self::Items(_) | Self::Entries(..) => None,
        }
    }
}

impl Node {
    pub(super) fn folded(value: Value) -> Self {
        Self { value, open: None }
    }

    /// Opens it; whether there is anything to open.
    pub(super) fn open(&mut self) -> bool {
        if self.open.is_none() {
            self.open = Parts::of(&self.value).map(|parts| Open {
                rows: parts.len(),
                parts,
                children: BTreeMap::new(),
            });
        }
        self.open.is_some()
    }

    /// Rows in all, its own included.
    pub(super) fn rows(&self) -> usize {
        1 + self.open.as_ref().map_or(0, |open| open.rows)
    }

    /// The way to a row, by places among the parts.
    pub(super) fn path(&self, row: usize) -> Vec<usize> {
        let mut path = Vec::new();
        let (mut node, mut row) = (self, row);
        while let (Some(open), Some(mut left)) = (&node.open, row.checked_sub(1)) {
            let mut next = None;
            for (&at, child) in &open.children {
                if left < at {
                    break;
                }
                if left < at + child.rows() {
                    next = Some((at, child, left - at));
                    break;
                }
                // What is left counts the parts before as one row each.
                left -= child.rows() - 1;
            }
            let Some((at, child, below)) = next else {
                path.push(left);
                break;
            };
            path.push(at);
            (node, row) = (child, below);
        }
        path
    }

    /// The row of a way.
    pub(super) fn row(&self, path: &[usize]) -> usize {
        let (mut node, mut row) = (self, 0);
        for &place in path {
            let Some(open) = &node.open else { break };
            let before = open.children.range(..place);
            let more: usize = before.map(|(_, child)| child.rows() - 1).sum();
            row += 1 + place + more;
            match open.children.get(&place) {
                Some(child) => node = child,
                None => break,
            }
        }
        row
    }

    /// The parts at the end of a way, where they are open.
    pub(super) fn parts(&self, path: &[usize]) -> Option<&Parts> {
        let mut open = self.open.as_ref()?;
        for place in path {
            open = open.children.get(place)?.open.as_ref()?;
        }
        Some(&open.parts)
    }

    /// What is at the end of a way; nothing for the root.
    pub(super) fn part(&self, path: &[usize]) -> Option<Part<'_>> {
        let (last, way) = path.split_last()?;
        self.parts(way)?.get(*last)
    }

    /// Changes what is open at the end of a way.
    pub(super) fn change(&mut self, path: &[usize], act: &mut dyn FnMut(&mut Self)) {
        let Some((&place, way)) = path.split_first() else {
            act(self);
            return;
        };
        let Some(open) = &mut self.open else { return };
        let value = open.parts.get(place).and_then(|part| part.value());
        let Some(value) = value.cloned() else { return };
        let fresh = || Self::folded(value);
        let child = open.children.entry(place).or_insert_with(fresh);
        let before = child.rows();
        child.change(way, act);
        open.rows = open.rows + child.rows() - before;
        if child.open.is_none() {
            open.children.remove(&place);
        }
    }

    /// Opens parts, the upper ones first, as far as so many rows are enough. Whether all are open.
    pub(super) fn open_all(&mut self, rows: usize) -> bool {
        let mut all = true;
        let mut waiting = std::collections::VecDeque::from([Vec::new()]);
        while let Some(path) = waiting.pop_front() {
            let value = match self.part(&path).and_then(|part| part.value()) {
                Some(value) => value.clone(),
                None if path.is_empty() => self.value.clone(),
                None => continue,
            };
            // A long text is more than its lines say.
            let is_long = value
                .as_str()
                .is_some_and(|text| text.len() > rows * ROW_BYTES);
            let Some(parts) = Parts::of(&value).filter(|_| !is_long) else {
                all &= !is_long;
                continue;
            };
            if self.parts(&path).is_none() && self.rows() + parts.len() > rows {
                all = false;
                continue;
            }
            self.change(&path, &mut |node| {
                node.open();
            });
            if let Parts::Lines(..) = parts {
                continue;
            }
            waiting.extend((0..parts.len()).map(|at| [&path[..], &[at]].concat()));
        }
        all
    }
}
