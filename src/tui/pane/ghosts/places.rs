//! Where in a prompt what was left out would stand.

use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};

use crate::compression::{LeftOutItems, Prompt};
use crate::namespace::{Origin, PromptMessage};
use crate::step::Role;

/// A message, and the byte of its content before which something would stand.
pub(super) type Place = (usize, usize);

/// The first item of a kind that a summary shows.
type First = (Place, Origin);

/// The places of a prompt.
#[derive(Debug)]
pub(super) struct Places<'a> {
    prompt: &'a Prompt,
    /// The message behind the opening, with which the turns begin.
    turns: usize,
    /// The turn that was looked for last, with the message where it begins or would.
    sought: Option<(u32, usize)>,
    /// The places of kinds in the summary, looked for once.
    kinds: HashMap<Discriminant<LeftOutItems>, Option<First>>,
}

impl<'a> Places<'a> {
    /// Of a prompt.
    pub(super) fn of(prompt: &'a Prompt) -> Self {
        let mut messages = prompt.iter();
        let opening = messages.position(|message| message.role == Role::User);
        Self {
            prompt,
            turns: opening.map_or(prompt.len(), |opening| opening + 1),
            sought: None,
            kinds: HashMap::new(),
        }
    }

    /// Before the first item of a kind in the first user message, where that goes on with items which
    /// came after the last one that was left out. Definitions stand in no order of time.
    pub(super) fn in_summary(&mut self, items: &LeftOutItems, last: &Origin) -> Option<Place> {
        let kind = discriminant(items);
        let first = match self.kinds.get(&kind) {
            Some(first) => first.clone(),
            None => self.first_in_summary(items),
        };
        self.kinds.insert(kind, first.clone());
        let (place, origin) = first?;
        let is_definition = matches!(origin, Origin::Definition { .. });
        (is_definition || order(last) < order(&origin)).then_some(place)
    }

    fn first_in_summary(&self, items: &LeftOutItems) -> Option<First> {
        let is_like = |origin: &Origin| match items {
            LeftOutItems::Calls(_) => matches!(origin, Origin::Call { .. }),
            LeftOutItems::Prints(_) => matches!(origin, Origin::Print { .. }),
            LeftOutItems::Definitions(_) => matches!(origin, Origin::Definition { .. }),
            _ => false,
        };
        let at = self.turns.checked_sub(1)?;
        let message = self.prompt.get(at)?;
        let mut start = 0;
        for piece in &message.pieces {
            if is_like(&piece.origin) {
                return Some(((at, start), piece.origin.clone()));
            }
            start = piece.end;
        }
        None
    }

    /// With the messages of the item's turn; where there are none, before those of the next turn that
    /// has some, else before the indicator at the end.
    pub(super) fn of_item(&mut self, origin: &Origin) -> Option<Place> {
        let last = self.prompt.len().checked_sub(1)?;
        let Some(turn) = origin.turn() else {
            return Some((0, 0));
        };
        let at = self.begin_of(turn);
        let Some(message) = self.prompt.get(at) else {
            return Some(self.end_of(last));
        };
        let is_own = turn_of(&message) == Some(turn);
        let says = message.role == Role::Assistant;
        let follows = || {
            self.prompt
                .get(at + 1)
                .is_some_and(|next| next.role == Role::User)
        };
        let said = matches!(origin, Origin::Program(_) | Origin::Call { .. });
        let input = matches!(origin, Origin::Input(_));
        Some(match (is_own, said) {
            (true, true) if says => self.end_of(at),
            (true, false) if says && !input && follows() => self.end_of(at + 1),
            (true, false) if !input => self.end_of(at),
            _ => self.end_of(at.saturating_sub(1)),
        })
    }

    /// The first message of a turn or of a later one.
    fn begin_of(&mut self, turn: u32) -> usize {
        if let Some((_, at)) = self.sought.filter(|(sought, _)| *sought == turn) {
            return at;
        }
        let (mut from, mut to) = (self.turns, self.prompt.len());
        while from < to {
            let middle = from + (to - from) / 2;
            // A note may stand for what followed a turn: the message before it tells which.
            let mut told = (from..=middle).rev().filter_map(|at| {
                let message = self.prompt.get(at)?;
                turn_of(&message)
            });
            if told.next().is_some_and(|told| told >= turn) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        self.sought = Some((turn, from));
        from
    }

    /// The end of a message, before an indicator.
    fn end_of(&self, at: usize) -> Place {
        let Some(message) = self.prompt.get(at) else {
            return (at, 0);
        };
        let pieces = &message.pieces;
        let is_indicator = pieces
            .last()
            .is_some_and(|piece| piece.origin == Origin::Indicator);
        let before = pieces.iter().rev().nth(1).map_or(0, |piece| piece.end);
        let end = message.content.len();
        (at, if is_indicator { before } else { end })
    }
}

/// The turn that a message is of.
fn turn_of(message: &PromptMessage) -> Option<u32> {
    message.pieces.iter().find_map(|piece| piece.origin.turn())
}

/// Where an item stands in the order of time.
fn order(origin: &Origin) -> (Option<u32>, usize) {
    let index = match origin {
        Origin::Call { index, .. } | Origin::Print { index, .. } => *index,
        _ => 0,
    };
    (origin.turn(), index)
}
