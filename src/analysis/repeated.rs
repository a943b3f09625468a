//! Calls that were made once more, and whether the first one's result was still to be seen
//! (analysis, "Problems").

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use super::current::Current;
use super::effect::{Effect, effect};
use super::last_seen::Asked;
use super::needs::Item;
use super::sent::{Analysis, Sent, View, clojure_text};
use super::words::{is_distinctive, is_several, words};
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
    /// What was seen so far of the results of calls that were repeated.
    watched: HashMap<(u32, usize), Watched>,
    /// Prompts in which a result is still to be looked for, by the place of what was found.
    open: Vec<(usize, Range<u32>)>,
    /// The prompt that was looked at last.
    prompt: Current,
    /// The last call that changed anything, and the last one of which that isn't known.
    written: Option<(u32, usize)>,
    unknown: Option<(u32, usize)>,
    /// In the order of the run.
    found: Vec<Repeated>,
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
                // Of an answer that is not recorded nobody knows whether it changed.
                changed: before
                    .is_some_and(|before| call.answer().is_some_and(|now| now != before)),
                result: Visible::SameTurn,
                last_prompt: None,
                removed: None,
                written,
            };
            if n != number {
                let watched = self.watched.entry((n, place));
                let watched = watched.or_insert_with(|| analysis.watched(n, before));
                let between = analysis.look(watched, number, view, &mut self.prompt);
                let place = self.found.len();
                self.open.extend(between.map(|prompts| (place, prompts)));
                repeated.result = watched.result;
                repeated.removed = watched.removed;
            }
            self.found.push(repeated);
        }
    }

    /// All of them in the order of the run, with the last prompts that had their results.
    pub(super) fn finish(mut self, analysis: &Analysis, view: Option<&View>) -> Vec<Repeated> {
        let asked = self.open.iter().filter_map(|(place, prompts)| {
            let watched = self.watched.get(&self.found[*place].first)?;
            Some(Asked {
                whole: watched.whole.as_ref(),
                parts: &watched.parts,
                prompts: prompts.clone(),
            })
        });
        let last = analysis.last_seen(&asked.collect::<Vec<_>>(), view);
        let places = self.open.iter().map(|(place, _)| *place);
        let between: HashMap<usize, Option<u32>> = places.zip(last).collect();
        let mut known: HashMap<(u32, usize), u32> = HashMap::new();
        for (place, repeated) in self.found.iter_mut().enumerate() {
            if repeated.result == Visible::All {
                known.insert(repeated.first, repeated.turn);
            }
            if let Some(last) = between.get(&place).copied().flatten() {
                known.insert(repeated.first, last);
            }
            if repeated.result != Visible::SameTurn {
                repeated.last_prompt = known.get(&repeated.first).copied();
            }
        }
        self.found
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

/// The result of a call, looked for in one prompt after the other.
struct Watched {
    turn: u32,
    /// All of it, where that is a text: mostly it stands as it is.
    whole: Option<Item>,
    parts: Vec<Item>,
    /// The last turn whose prompt was looked at, and what it showed.
    looked: u32,
    result: Visible,
    removed: Option<Removed>,
}

impl Watched {
    fn seen_in(&self, prompt: &Current) -> Visible {
        if self.whole.as_ref().is_some_and(|whole| prompt.has(whole)) {
            return Visible::All;
        }
        let first = self.parts.first().is_some_and(|part| prompt.has(part));
        let mut rest = self.parts.iter().skip(1);
        match (first, rest.all(|part| prompt.has(part) == first)) {
            (_, false) => Visible::Part,
            (true, true) => Visible::All,
            (false, true) => Visible::Gone,
        }
    }
}

impl Analysis {
    /// What is to be looked for of a turn's result; prompt 1 proves nothing.
    fn watched(&self, turn: u32, result: Option<&Value>) -> Watched {
        let (_, opening) = self.first_prompt();
        let mut parts = result.map_or_else(Vec::new, parts);
        parts.retain(|part| !part.is_in_sent(opening));
        let text = result.and_then(Value::as_str).map(str::trim);
        let text = text.filter(|text| is_several(text));
        Watched {
            turn,
            whole: text.map(|text| Item::Line(text.to_owned())),
            parts,
            // It can be in the prompts that follow.
            looked: turn,
            result: Visible::NotKnown,
            removed: None,
        }
    }

    /// Looks at the prompt for turn N. Those before it that weren't looked at yet, where one of them may
    /// be the last that has all of it.
    fn look(
        &self,
        watched: &mut Watched,
        n: u32,
        view: Option<&View>,
        prompt: &mut Current,
    ) -> Option<Range<u32>> {
        if watched.parts.is_empty() || watched.looked >= n {
            return None;
        }
        prompt.go_to_view(self, n, view);
        let between = watched.looked + 1..n;
        watched.looked = n;
        watched.result = watched.seen_in(prompt);
        if watched.result == Visible::All {
            watched.removed = None;
            return None;
        }
        watched.removed = self.removed(n, watched.turn, prompt.sent());
        Some(between)
    }

    /// Why the outcome of a turn is not in a prompt.
    fn removed(&self, n: u32, turn: u32, sent: &Sent) -> Option<Removed> {
        let history = self.run().history(n);
        let prints = self.turn(turn).map_or(0, |turn| turn.prints().len());
        let prints = (0..prints).map(|index| Origin::Print { turn, index });
        let outcome: Vec<Origin> = [Origin::Result(turn), Origin::Error(turn)]
            .into_iter()
            .chain(prints)
            .collect();
        let gone = sent.left_out.iter();
        let gone = gone.filter(|gone| outcome.iter().any(|origin| gone.has(history, origin)));
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
            Value::Int(number) => found.push(number_word(&number.to_string())),
            Value::BigInt(number) => found.push(number_word(&number.to_string())),
            Value::Float(number) => found.push(number_word(&float::format(*number))),
            Value::List(items) | Value::Tuple(items) => todo.extend(items.iter()),
            Value::Set(items) => todo.extend(items.iter()),
            Value::Map(entries) => todo.extend(entries.values()),
            _ => {}
        }
    }
    found
}

/// A sign may stand before a number, where words have none.
fn number_word(number: &str) -> Item {
    Item::Word(number.trim_start_matches('-').to_owned())
}
