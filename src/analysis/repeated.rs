//! Calls that were made once more, and whether the first one's result was still to be seen
//! (analysis, "Problems").

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use super::effect::{Effect, effect};
use super::needs::Item;
use super::sent::{Analysis, Sent, View, clojure_text};
use super::words::{has_word, is_distinctive, is_several, words};
use crate::compression::Reason;
use crate::namespace::Origin;
use crate::step::{EventKind, ToolCall, Turn};
use crate::value::{Value, float};

/// A call that was made before with the same arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repeated {
    /// The turn.
    pub turn: u32,
    /// Its place among the turn's calls, from 0.
    pub call: usize,
    /// The tool.
    pub tool: Arc<str>,
    /// The turn and the place of the first such call.
    pub first: (u32, usize),
    /// Whether it answered something else.
    pub changed: bool,
    /// Whether the first one's result could be seen.
    pub result: Visible,
    /// The last turn whose prompt had the whole result.
    pub last_prompt: Option<u32>,
    /// Why it is gone.
    pub removed: Option<Removed>,
    /// Whether a call in between changed anything, where the tools' kinds are known.
    pub written: Option<bool>,
}

/// What took a result out of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Removed {
    /// The strategy left it out.
    LeftOut(Reason),
    /// The history was replaced by a shorter one.
    Compaction,
}

impl Removed {
    /// The words in outputs.
    pub fn text(self) -> &'static str {
        match self {
            Self::LeftOut(reason) => reason.text(),
            Self::Compaction => "compaction",
        }
    }
}

/// How much of an earlier result a prompt shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Visible {
    /// All parts: the call was repeated though its result was there.
    All,
    /// Some parts.
    Part,
    /// None.
    Gone,
    /// The result has no parts that could be looked for.
    NotKnown,
    /// The first call was made in the same turn.
    SameTurn,
}

impl Visible {
    /// The word in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "visible",
            Self::Part => "part",
            Self::Gone => "gone",
            Self::NotKnown => "not known",
            Self::SameTurn => "same turn",
        }
    }
}

/// Calls that were made before with the same arguments, and answered then.
#[derive(Default)]
pub(super) struct Repeats {
    first: HashMap<String, (u32, usize)>,
    /// The last call that changed anything, and the last one of which that isn't known.
    written: Option<(u32, usize)>,
    unknown: Option<(u32, usize)>,
    /// In the order of the run.
    pub found: Vec<Repeated>,
}

impl Repeats {
    /// Takes the next turn.
    pub(super) fn take(&mut self, analysis: &Analysis, view: Option<&View>, turn: &Turn) {
        let number = turn.number();
        for (at, call) in turn.tool_calls().iter().enumerate() {
            let key = call_key(call);
            let first = self.first.get(&key).copied();
            let written = first.and_then(|first| self.written_since(first, call));
            match effect(call) {
                Some(Effect::Writes) => self.written = Some((number, at)),
                Some(Effect::Reads) => {}
                None => self.unknown = Some((number, at)),
            }
            let Some((n, place)) = first else {
                if call.error.is_none() {
                    self.first.insert(key, (number, at));
                }
                continue;
            };
            let earlier = analysis.run().step().turn(n as usize - 1);
            let earlier = earlier.as_ref();
            let earlier = earlier.and_then(|turn| turn.tool_calls().get(place));
            let before = earlier.and_then(|call| call.result.get());
            let mut repeated = Repeated {
                turn: number,
                call: at,
                tool: Arc::clone(&call.name),
                first: (n, place),
                changed: before != call.result.get(),
                result: Visible::SameTurn,
                last_prompt: None,
                removed: None,
                written,
            };
            if n != number {
                analysis.look_for(before, view, &mut repeated);
            }
            self.found.push(repeated);
        }
    }

    /// Whether anything was changed since a call that is now made once more.
    fn written_since(&self, first: (u32, usize), call: &ToolCall) -> Option<bool> {
        effect(call)?;
        if self.written.is_some_and(|written| written > first) {
            return Some(true);
        }
        let is_known = self.unknown.is_none_or(|unknown| unknown <= first);
        is_known.then_some(false)
    }
}

impl Analysis {
    fn look_for(&self, result: Option<&Value>, view: Option<&View>, repeated: &mut Repeated) {
        let (_, opening) = self.first_prompt();
        let mut parts = result.map_or_else(Vec::new, parts);
        parts.retain(|part| !is_shown(part, opening));
        if parts.is_empty() {
            repeated.result = Visible::NotKnown;
            return;
        }
        let first = repeated.first.0;
        for n in (first + 1..=repeated.turn).rev() {
            let sent = self.seen(n, view);
            let shown = parts.iter().filter(|part| is_shown(part, &sent)).count();
            if n == repeated.turn {
                repeated.result = match shown {
                    0 => Visible::Gone,
                    _ if shown == parts.len() => Visible::All,
                    _ => Visible::Part,
                };
                repeated.removed = self.removed(n, first, &sent);
            }
            if shown == parts.len() {
                repeated.last_prompt = Some(n);
                break;
            }
        }
        if repeated.result == Visible::All {
            repeated.removed = None;
        }
    }

    fn seen(&self, n: u32, view: Option<&View>) -> Sent {
        let sent = view.and_then(|view| self.sent(n, view).ok().flatten());
        sent.unwrap_or_else(|| self.reference(n).1)
    }

    /// Why the outcome of a turn is not in a prompt.
    fn removed(&self, n: u32, turn: u32, sent: &Sent) -> Option<Removed> {
        let history = self.run().history(n);
        let is_it = |origin: &Origin| match origin {
            Origin::Result(of) | Origin::Error(of) | Origin::Print { turn: of, .. } => *of == turn,
            _ => false,
        };
        let gone = sent.left_out.iter();
        let gone = gone.filter(|gone| gone.list(history).iter().any(is_it));
        if let Some(reason) = gone.map(|gone| gone.reason).min() {
            return Some(Removed::LeftOut(reason));
        }
        // A strategy's prompt tells all that it left out; what was sent doesn't.
        let was_sent = sent.stats.is_none();
        let events = self.run().step().events.iter();
        let compacted = events
            .filter(|event| event.kind == EventKind::Compaction)
            .any(|event| (turn as usize..n as usize).contains(&event.after));
        (was_sent && compacted).then_some(Removed::Compaction)
    }
}

/// What makes two calls the same: tool and arguments, the order of keys and whether they are
/// keywords or strings aside.
pub(super) fn call_key(call: &ToolCall) -> String {
    let mut key = format!("{} ", call.name);
    write_key(&mut key, &call.args, 0);
    key
}

/// Arguments nested deeper than this are compared as they are printed.
const DEPTH: usize = 64;

fn write_key(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Str(text) | Value::Keyword(text) => {
            let _ = write!(out, "{text:?}");
        }
        Value::Map(entries) if depth < DEPTH => {
            let mut pairs: Vec<String> = entries
                .iter()
                .map(|(key, value)| {
                    let mut pair = String::new();
                    write_key(&mut pair, key, depth + 1);
                    pair.push(' ');
                    write_key(&mut pair, value, depth + 1);
                    pair
                })
                .collect();
            pairs.sort();
            let _ = write!(out, "{{{}}}", pairs.join(","));
        }
        Value::List(items) | Value::Tuple(items) if depth < DEPTH => {
            out.push('[');
            for item in items.iter() {
                write_key(out, item, depth + 1);
                out.push(' ');
            }
            out.push(']');
        }
        other => out.push_str(&clojure_text(other)),
    }
}

/// What a result is looked for by: lines of several words, else distinctive words; numbers.
fn parts(result: &Value) -> Vec<Item> {
    let mut found = Vec::new();
    let mut todo = vec![result];
    while let Some(value) = todo.pop() {
        match value {
            Value::Str(text) => {
                for line in text.lines().map(str::trim) {
                    if is_several(line) {
                        found.push(Item::Line(line.to_owned()));
                    } else {
                        let words = words(line).filter(|word| is_distinctive(word));
                        found.extend(words.map(|word| Item::Word(word.to_owned())));
                    }
                }
            }
            Value::Int(number) => found.push(Item::Word(number.to_string())),
            Value::BigInt(number) => found.push(Item::Word(number.to_string())),
            Value::Float(number) => found.push(Item::Word(float::format(*number))),
            Value::List(items) | Value::Tuple(items) => todo.extend(items.iter()),
            Value::Set(items) => todo.extend(items.iter()),
            Value::Map(entries) => todo.extend(entries.values()),
            _ => {}
        }
    }
    found
}

fn is_shown(part: &Item, sent: &Sent) -> bool {
    match part {
        // A sign may stand before a number, where words have none.
        Item::Word(word) => {
            let word = word.trim_start_matches('-');
            let mut messages = sent.messages.iter().rev();
            messages.any(|message| has_word(&message.content, word))
        }
        Item::Line(_) => part.is_in_sent(sent),
    }
}
