//! Where reading goes on behind a damaged place.
//!
//! Two ways are tried, and what keeps more is taken. From the end of the text: brackets that close
//! there tell which container each comma belongs to, so that a text with one damaged place is read on
//! at the next whole item. And forward from the damage: an object that looks like the first of a list
//! is the next of that list.

use serde::de::IgnoredAny;

use super::super::records::first_end;
use super::{MAX_FIRST, Open};
use crate::value::json;
use crate::value::{Map, Value};

/// Bytes of objects that are read at most while the next of a list is looked for, for each byte of
/// the text.
const BUDGET: usize = 8;

/// A place at which a text can be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Where: at a comma or a closing bracket, or at an object.
    pub at: usize,
    /// The open container whose item follows, or which ends there; counted from the outermost.
    pub level: usize,
}

/// The first place from `from` on at which everything up to the end of the text fits the open
/// containers.
pub(super) fn from_the_end(text: &[u8], from: usize, stack: &[Open]) -> Option<Place> {
    let mut closers: Vec<u8> = Vec::new();
    let mut found = None;
    let mut at = text.len();
    while at > from {
        at -= 1;
        let byte = text[at];
        match byte {
            b'"' => match opening_quote(text, at).filter(|start| *start >= from) {
                Some(start) => {
                    at = start;
                    continue;
                }
                None => break,
            },
            b'}' | b']' => closers.push(byte),
            b'{' | b'[' => {
                let closer = if byte == b'{' { b'}' } else { b']' };
                if closers.pop() != Some(closer) {
                    break;
                }
                continue;
            }
            b',' => {}
            _ => continue,
        }
        if fits(&closers, stack) {
            found = Some(Place {
                at,
                level: closers.len() - 1,
            });
        }
    }
    found
}

/// Whether brackets that are closed to the right of a place are the outermost open ones.
fn fits(closers: &[u8], stack: &[Open]) -> bool {
    let mut pairs = closers.iter().zip(stack);
    !closers.is_empty()
        && closers.len() <= stack.len()
        && pairs.all(|(closer, open)| (*closer == b'}') == open.object)
}

/// Where the string begins whose closing quote stands at `end`.
fn opening_quote(text: &[u8], end: usize) -> Option<usize> {
    let mut at = end;
    while at > 0 {
        at = memchr::memrchr(b'"', &text[..at])?;
        let slashes = text[..at].iter().rev().take_while(|byte| **byte == b'\\');
        if slashes.count() % 2 == 0 {
            return Some(at);
        }
    }
    None
}

/// The object behind a comma, with the level of its list.
pub(super) fn object_of(text: &[u8], place: Place) -> Option<(usize, Value)> {
    let behind = text[place.at..].strip_prefix(b",")?.trim_ascii_start();
    let end = first_end(behind.get(..MAX_FIRST).unwrap_or(behind))?;
    Some((place.level, json::parse(&behind[..end]).ok()?.value))
}

/// The next object from `from` on that looks like the items of an open list, the outermost list
/// first. `firsts` are the first items of the open lists, by level; `spent` counts what was read.
pub(super) fn by_shape(
    text: &[u8],
    from: usize,
    firsts: &[(usize, Value)],
    spent: &mut usize,
) -> Option<Place> {
    let budget = text.len().saturating_mul(BUDGET);
    let shapes: Vec<(usize, &Map)> = firsts
        .iter()
        .filter_map(|(level, first)| Some((*level, first.as_map()?)))
        .filter(|(_, keys)| !keys.is_empty())
        .collect();
    if shapes.is_empty() {
        return None;
    }
    let mut at = from;
    while *spent < budget {
        at += memchr::memchr(b'{', text.get(at..)?)?;
        if let Some(place) = object_at(text, at, &shapes, spent) {
            return Some(place);
        }
        at += 1;
    }
    None
}

fn object_at(text: &[u8], at: usize, shapes: &[(usize, &Map)], spent: &mut usize) -> Option<Place> {
    let first_key = {
        let inside = text[at + 1..].trim_ascii_start().strip_prefix(b"\"")?;
        &inside[..memchr::memchr(b'"', inside)?]
    };
    let knows = |keys: &Map| {
        let names = keys.keys().filter_map(Value::as_name);
        names.map(str::as_bytes).any(|name| name == first_key)
    };
    if !shapes.iter().any(|(_, keys)| knows(keys)) {
        return None;
    }
    let mut objects = serde_json::Deserializer::from_slice(&text[at..]).into_iter::<IgnoredAny>();
    let whole = objects.next().is_some_and(|read| read.is_ok());
    let end = objects.byte_offset();
    *spent += end + 1;
    if !whole {
        return None;
    }
    let read = json::parse(&text[at..at + end]).ok()?;
    let found = read.value.as_map()?;
    let alike = |keys: &Map| {
        let shared = keys.keys().filter(|key| found.contains_key(*key)).count();
        shared * 2 >= keys.len().min(found.len()) && (shared > 1 || keys.len() == 1)
    };
    let level = shapes.iter().find(|(_, keys)| alike(keys))?.0;
    Some(Place { at, level })
}
