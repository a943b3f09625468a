//! What was left out of a prompt, as lines in the place where it would stand, with the reason.

use std::collections::HashMap;
use std::mem::discriminant;

use crate::compression::{LeftOut, LeftOutItems, Prompt, Reason};
use crate::namespace::Origin;
use crate::step::{History, Turn};
use crate::text;
use crate::value::{Limits, to_clojure};

/// Lines of one group that are shown; the rest is counted.
const SHOWN: usize = 200;

/// Columns of an item's text.
const COLUMNS: usize = 100;

/// Left-out lines, and the message and byte before which they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ghost {
    /// The message.
    pub message: usize,
    /// The byte of its content.
    pub at: usize,
    /// The lines, each with a line end before it.
    pub text: String,
}

/// The left-out items of a prompt, grouped and placed, in the order of their places.
pub fn ghosts(prompt: &Prompt, history: History<'_>) -> Vec<Ghost> {
    // A place is that of a kind: looked for once, not for each entry.
    let mut places = HashMap::new();
    let mut found: Vec<Ghost> = prompt
        .left_out
        .iter()
        // What is cut inside a shown piece stands there already.
        .filter(|gone| gone.reason != Reason::Cut)
        .filter_map(|gone| {
            let place = *places
                .entry(discriminant(&gone.items))
                .or_insert_with(|| place(prompt, &gone.items));
            ghost(history, gone, place?)
        })
        .collect();
    found.sort_by_key(|ghost| (ghost.message, ghost.at));
    found
}

fn ghost(history: History<'_>, gone: &LeftOut, (message, at): (usize, usize)) -> Option<Ghost> {
    let (origins, count) = gone.first(history, SHOWN);
    let mut text = String::new();
    for origin in origins {
        let item = text::headline(&describe(history, &origin), COLUMNS);
        text.push_str(&format_line(&item, gone.reason));
    }
    if count > SHOWN {
        text.push_str(&format_line(
            &format!("{} more", count - SHOWN),
            gone.reason,
        ));
    }
    (!text.is_empty()).then_some(Ghost { message, at, text })
}

fn format_line(item: &str, reason: Reason) -> String {
    format!("\n┊ {item}  — {}", reason.text())
}

/// Before the first shown item of the kind, else before the indicator, else at the end.
fn place(prompt: &Prompt, items: &LeftOutItems) -> Option<(usize, usize)> {
    let is_like = |origin: &Origin| match items {
        LeftOutItems::Calls(_) => matches!(origin, Origin::Call { .. }),
        LeftOutItems::Prints(_) => matches!(origin, Origin::Print { .. }),
        LeftOutItems::Definitions(_) => matches!(origin, Origin::Definition { .. }),
        _ => false,
    };
    // Summaries stand in the first messages, the indicator in the last one.
    let last = prompt.len().checked_sub(1)?;
    for index in (0..prompt.len().min(3)).chain([last]) {
        let message = prompt.get(index)?;
        let mut start = 0;
        for piece in &message.pieces {
            if is_like(&piece.origin) {
                return Some((index, start));
            }
            start = piece.end;
        }
    }
    let message = prompt.get(last)?;
    let end = message.content.len();
    let before = message
        .pieces
        .iter()
        .rev()
        .nth(1)
        .map_or(0, |piece| piece.end);
    let ends_with_indicator = message
        .pieces
        .last()
        .is_some_and(|p| p.origin == Origin::Indicator);
    Some((last, if ends_with_indicator { before } else { end }))
}

/// An item in a few words.
fn describe(history: History<'_>, origin: &Origin) -> String {
    let turn = origin
        .turn()
        .and_then(|turn| history.turn(turn as usize - 1));
    let said = turn.as_deref().and_then(|turn| item(turn, origin));
    match (origin, origin.turn()) {
        (Origin::Definition { name, .. }, Some(turn)) => {
            let value = history.first(turn as usize).memory().get(name).cloned();
            let shown = value.map(|value| to_clojure(&value, Limits::new(3, 60)).0);
            format!("turn {turn} def {name} {}", shown.unwrap_or_default())
        }
        (origin, Some(turn)) => {
            format!("turn {turn} {} {}", origin.kind(), said.unwrap_or_default())
        }
        (origin, None) => origin.to_string(),
    }
}

fn item(turn: &Turn, origin: &Origin) -> Option<String> {
    let limits = Limits::new(3, 80);
    Some(match origin {
        Origin::Call { index, .. } => {
            let call = turn.tool_calls().get(*index)?;
            format!("{}({})", call.name, to_clojure(&call.args, limits).0)
        }
        Origin::Print { index, .. } => turn.prints().get(*index)?.to_string(),
        Origin::Program(_) => match turn.program().get() {
            Some(program) => program.source.to_string(),
            None => turn.raw_response().get()?.to_string(),
        },
        Origin::Result(_) => to_clojure(turn.result().get()?, limits).0,
        Origin::Error(_) => crate::compression::error_message(turn, limits).0,
        Origin::Input(_) => turn.input()?.to_string(),
        _ => return None,
    })
}
