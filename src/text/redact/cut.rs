//! Known secrets without what told that they are some: cut off, where a mark tells that they were, and
//! alone between quotes, as a table has them.

use std::collections::BTreeMap;
use std::ops::{Bound, Range};
use std::sync::Arc;

use super::{Edit, Match, Number, Redactor, merged};

/// Bytes that must be left of a secret to be taken for it.
const LEAST: usize = 3;

/// Bytes before a mark that are looked at.
const REACH: usize = 200;

/// What says that a text was cut.
const MARKS: [&str; 2] = ["…", "..."];

/// Secrets that are known, and their numbers.
pub(super) type Known = BTreeMap<Arc<str>, Number>;

/// The beginnings of known secrets before the marks in a text, and whole ones between quotes.
pub(super) fn find(text: &str, known: &Known) -> Vec<Match> {
    if known.is_empty() {
        return Vec::new();
    }
    let mut found = quoted(text, known);
    for mark in MARKS {
        let marks = memchr::memmem::find_iter(text.as_bytes(), mark);
        found.extend(marks.filter_map(|mark| before(text, mark, known)));
    }
    found
}

/// Known secrets that are all of what is between two quotes.
fn quoted(text: &str, known: &Known) -> Vec<Match> {
    let quotes = memchr::memchr_iter(b'"', text.as_bytes());
    let mut found = Vec::new();
    let mut last: Option<usize> = None;
    for quote in quotes {
        let Some(start) = last.replace(quote).map(|last| last + 1) else {
            continue;
        };
        let inside = &text[start..quote];
        if inside.len() > REACH || inside.len() < LEAST {
            continue;
        }
        if let Some((secret, number)) = known.get_key_value(inside) {
            found.push(Match {
                range: start..quote,
                name: number.0,
                is_literal: true,
                is_cut: false,
                secret: Arc::clone(secret),
            });
        }
    }
    found
}

/// Whether a text was cut at a place.
pub(super) fn is_cut(text: &str, end: usize) -> bool {
    MARKS
        .iter()
        .any(|mark| text[end..].starts_with(mark) || text[..end].ends_with(mark))
}

/// The beginning of a known secret that ends at a place of a text: the longest.
fn before(text: &str, end: usize, known: &Known) -> Option<Match> {
    let mut start = end.saturating_sub(REACH);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let near = &text[start..end];
    let mut last = text[..start].chars().next_back();
    for (at, c) in near.char_indices() {
        let begins = !last.is_some_and(char::is_alphanumeric);
        last = Some(c);
        if near.len() - at < LEAST {
            return None;
        }
        if let Some((secret, number)) = starting(&near[at..], known).filter(|_| begins) {
            return Some(Match {
                range: start + at..end,
                name: number.0,
                is_literal: true,
                is_cut: true,
                secret: Arc::clone(secret),
            });
        }
    }
    None
}

/// A known secret that begins with a text.
pub(super) fn starting<'a>(text: &str, known: &'a Known) -> Option<(&'a Arc<str>, &'a Number)> {
    let from = (Bound::Included(text), Bound::Unbounded);
    let first = known.range::<str, _>(from).next();
    first.filter(|(secret, _)| secret.starts_with(text))
}

impl Redactor {
    /// As [`Redactor::edits`], for a row of a screen: texts in it are also cut at these places.
    pub fn row_edits(&self, row: &str, ends: impl IntoIterator<Item = usize>) -> Vec<Edit> {
        let mut found = self.find(row);
        let state = self.lock();
        for end in ends {
            let here = found.iter_mut().filter(|found| found.range.end == end);
            here.for_each(|found| found.is_cut = true);
            found.extend(before(row, end, &state.known));
        }
        drop(state);
        self.made(merged(found))
    }
}

/// Whether a match has nothing of these ranges, which are in order.
pub(super) fn outside(found: &Match, taken: &[Range<usize>]) -> bool {
    let next = taken.partition_point(|range| range.end <= found.range.start);
    let next = taken.get(next);
    next.is_none_or(|range| range.start >= found.range.end)
}
