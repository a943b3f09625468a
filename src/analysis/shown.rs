//! How much of a name a prompt shows: its value, the name alone, or nothing (analysis, "Lost").

use std::cell::OnceCell;
use std::sync::Arc;

use super::sent::{Analysis, clojure_text};
use super::words::{has_symbol, has_text, has_word, is_distinctive, is_several, occurrences};
use crate::namespace::{Origin, PromptMessage, user};
use crate::value::{Limits, Value, to_clojure};

/// How much a prompt shows of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Nothing.
    None,
    /// The name.
    Name,
    /// The name and what it stands for.
    Value,
}

/// What is to be known of a name to see how much of it a prompt shows.
#[derive(Debug)]
pub(super) struct NameFacts<'a> {
    pub(super) name: &'a str,
    value: &'a Value,
    /// The turn it comes from.
    pub(super) source: u32,
    /// The turn whose memory changed it last.
    pub(super) changed: Option<u32>,
    /// The source turn's program, where it shows what the name stands for.
    program: Option<Arc<str>>,
    texts: OnceCell<Texts>,
}

/// Texts that show a value.
#[derive(Debug)]
struct Texts {
    /// The value as programs print it.
    printed: String,
    /// As it is printed within the limits of samples.
    sample: String,
    /// What proves that a text holds the value whole, if anything does.
    proof: Option<String>,
    /// A function's name and parameters.
    head: Option<String>,
}

impl<'a> NameFacts<'a> {
    pub(super) fn new(
        analysis: &'a Analysis,
        name: &'a str,
        value: &'a Value,
        source: u32,
        changed: Option<u32>,
    ) -> Self {
        let uses = analysis.uses(source);
        let shows = uses.and_then(|uses| uses.definition(name));
        let turn = analysis.turn(source);
        let program = turn.as_ref().and_then(|turn| turn.program().get());
        Self {
            name,
            value,
            source,
            changed,
            program: program
                .filter(|_| shows.is_some_and(|defined| defined.shows_value))
                .map(|program| Arc::clone(&program.source)),
            texts: OnceCell::new(),
        }
    }

    pub(super) fn is_function(&self) -> bool {
        matches!(self.value, Value::Fn(_))
    }

    /// What proves that a text holds the value whole, if anything does.
    pub(super) fn proof(&self) -> Option<&str> {
        self.texts().proof.as_deref()
    }

    /// What recorded text has that gives the value: the name, and how the value begins.
    pub(super) fn assignments(&self) -> impl Iterator<Item = String> + use<'_> {
        let texts = self.texts();
        let values = match &texts.head {
            Some(head) => [Some(head), None],
            None => [Some(&texts.printed), Some(&texts.sample)],
        };
        values.into_iter().flatten().map(|value| {
            let start: String = value.chars().take(BEGINS).collect();
            // It may go on as another word.
            let start = start.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
            format!("{} {start}", self.name)
        })
    }

    fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| {
            let printed = clojure_text(self.value);
            let head = match self.value {
                Value::Fn(function) => {
                    let mut head = String::new();
                    user::write_head(&mut head, self.name, function);
                    Some(head)
                }
                _ => None,
            };
            Texts {
                sample: to_clojure(self.value, Limits::new(3, 80)).0,
                proof: proof(self.value, &printed),
                printed,
                head,
            }
        })
    }
}

/// Characters of a value that recorded text is searched for first.
const BEGINS: usize = 200;

/// The text that proves a value: words and numbers that aren't distinctive, and empty collections,
/// can be there by chance.
fn proof(value: &Value, printed: &str) -> Option<String> {
    let proves = match value {
        Value::Str(text) => {
            let text = text.trim();
            let proves = is_distinctive(text) || is_several(text);
            return proves.then(|| text.to_owned());
        }
        Value::Keyword(name) => is_distinctive(name),
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => is_number_distinctive(printed),
        Value::List(items) | Value::Tuple(items) => !items.is_empty(),
        Value::Map(entries) => !entries.is_empty(),
        Value::Set(items) => !items.is_empty(),
        Value::Date(_) | Value::DateTime(_) | Value::Bytes(_) => true,
        _ => false,
    };
    proves.then(|| printed.to_owned())
}

fn is_number_distinctive(printed: &str) -> bool {
    printed.chars().filter(char::is_ascii_digit).count() >= 3
}

/// How much a message shows of a name.
pub(super) fn in_message(message: &PromptMessage, name: &NameFacts<'_>) -> Level {
    let mut best = Level::None;
    for (piece, text) in message.pieces() {
        let level = match &piece.origin {
            Origin::Definition {
                name: defined,
                turn,
            } if **defined == *name.name => in_definition(text, *turn, name),
            Origin::Program(turn) => in_program(text, *turn, name),
            Origin::Print { turn, .. } | Origin::Result(turn) if *turn >= name.source => {
                if holds_value(text, name) {
                    Level::Value
                } else {
                    Level::None
                }
            }
            Origin::Recorded => in_recorded(text, name),
            _ => Level::None,
        };
        best = best.max(level);
        if best == Level::Value {
            break;
        }
    }
    best
}

/// A definition's line. What is empty has no sample, and its type says all.
fn in_definition(text: &str, turn: Option<u32>, name: &NameFacts<'_>) -> Level {
    let shows = if let Some(head) = &name.texts().head {
        text.contains(head.as_str())
    } else {
        let empty = is_empty(name.value) && !name.name.starts_with('_');
        turn == name.changed && (empty || text.contains(", sample: "))
    };
    if shows { Level::Value } else { Level::Name }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Nil => true,
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Set(items) => items.is_empty(),
        _ => false,
    }
}

fn in_program(text: &str, turn: u32, name: &NameFacts<'_>) -> Level {
    if turn == name.source && name.program.is_some() {
        Level::Value
    } else if has_symbol(text, name.name) {
        Level::Name
    } else {
        Level::None
    }
}

/// Whether a text holds a name's value whole.
fn holds_value(text: &str, name: &NameFacts<'_>) -> bool {
    let texts = name.texts();
    texts.proof.as_ref().is_some_and(|proof| {
        if is_distinctive(proof) {
            has_word(text, proof)
        } else {
            has_text(text, proof)
        }
    })
}

/// A recorded message. Nobody knows which turn a program or a print in it is of, so that only what
/// names the value counts: a definition's line, or `NAME = VALUE`.
fn in_recorded(text: &str, name: &NameFacts<'_>) -> Level {
    if !has_symbol(text, name.name) {
        return Level::None;
    }
    let head = name.texts().head.as_ref();
    // What is printed of a function is its parameters, not what it does.
    let shows = match head {
        Some(head) => text.contains(head.as_str()),
        None => is_assigned(text, name),
    };
    if shows { Level::Value } else { Level::Name }
}

/// `NAME = VALUE`, or a definition's line with a sample.
fn is_assigned(text: &str, name: &NameFacts<'_>) -> bool {
    let texts = name.texts();
    occurrences(text, name.name).any(|at| {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| !c.is_whitespace() && !"(;,`".contains(c)) {
            return false;
        }
        let line = &text[at + name.name.len()..];
        let line = line.split('\n').next().unwrap_or(line).trim_start();
        let given = match (line.strip_prefix("= "), line.strip_prefix("; = ")) {
            (Some(value), _) => Some(value),
            (_, Some(line)) => line.split_once(", sample: ").map(|(_, sample)| sample),
            _ => None,
        };
        given.is_some_and(|given| {
            [&texts.printed, &texts.sample].into_iter().any(|value| {
                let rest = given.strip_prefix(value.as_str());
                rest.is_some_and(|rest| {
                    rest.chars()
                        .next()
                        .is_none_or(|c| !c.is_alphanumeric() && c != '.')
                })
            })
        })
    })
}
