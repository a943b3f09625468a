//! Where a session goes back: a person edits a message or rewinds, and what follows hangs on an earlier
//! record.
//!
//! Records stay in file order, for parents may be nowhere; the chain of parents only tells branches.
//! Results of parallel calls hang on the record of their call, and notes of the program stand between
//! records, so what counts is how many turns there were at a record, not the record itself.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::fields;
use crate::value::Value;

/// The records so far.
#[derive(Debug, Default)]
pub(super) struct Branches {
    /// The records by their identifiers.
    records: HashMap<Arc<str>, Seen>,
    /// Records on which a message hangs.
    answered: HashSet<Arc<str>>,
    /// Where the branch began that has no turn yet.
    begun: Option<usize>,
    /// How much had arrived since the last turn when a person's message came, by the record on which
    /// that hangs.
    asked: HashMap<Arc<str>, usize>,
    /// Whether any record hangs on another one.
    is_chain: bool,
}

/// A record that was there.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// How many turns there were in its history, itself included.
    turns: usize,
    /// Whether anything hangs on it.
    has_child: bool,
}

/// On what a record hangs that says that it hangs on nothing.
const NOTHING: &str = "";

/// The record on which another one hangs; [`NOTHING`] where it begins the conversation.
fn parent(record: &Value) -> Option<Arc<str>> {
    match record.get("parentUuid")? {
        Value::Nil => record.get_some("uuid").map(|_| NOTHING.into()),
        _ => fields::text(record, "parentUuid"),
    }
}

impl Branches {
    /// Where a person's message or the first record of a reply begins a branch: the turns before it in
    /// its own history. There are `so_far` in the file.
    pub(super) fn begins(
        &mut self,
        record: &Value,
        of_person: bool,
        so_far: usize,
    ) -> Option<usize> {
        let parent = parent(record)?;
        let (before, has_child) = match self.records.get(&parent) {
            Some(seen) => (seen.turns, seen.has_child),
            // In a file without a chain every record is a first one.
            None if &*parent == NOTHING && of_person && (self.is_chain || so_far == 0) => (0, true),
            None => return None,
        };
        let again = of_person && !self.answered.insert(parent);
        // Where what came since hangs on nothing that is known, nobody went back.
        let is_back = has_child && before < self.begun.unwrap_or(so_far);
        if !is_back && !again {
            return None;
        }
        self.begun = Some(before);
        Some(before)
    }

    /// From where on what arrived since the last turn is taken back by a person's message that hangs on
    /// the same record as an earlier one. So much has arrived so far.
    pub(super) fn asks_again(&mut self, record: &Value, arrived: usize) -> Option<usize> {
        match self.asked.entry(parent(record)?) {
            Entry::Occupied(asked) => Some(*asked.get()),
            Entry::Vacant(first) => {
                first.insert(arrived);
                None
            }
        }
    }

    /// Remembers a record, with which there are `so_far` turns in the file; whether it began one.
    pub(super) fn take(&mut self, record: &Value, began: bool, so_far: usize) {
        if began {
            self.begun = None;
            self.asked.clear();
        }
        self.is_chain |= self.hang(record).is_some();
        self.remember(record, self.begun.unwrap_or(so_far));
    }

    /// Notes that a record hangs on another; how many turns there were at that one.
    fn hang(&mut self, record: &Value) -> Option<usize> {
        let parent = fields::text(record, "parentUuid")?;
        let seen = self.records.get_mut(&parent)?;
        seen.has_child = true;
        Some(seen.turns)
    }

    fn remember(&mut self, record: &Value, turns: usize) {
        if let Some(id) = fields::text(record, "uuid") {
            // Identifiers may repeat.
            let seen = self.records.entry(id).or_insert(Seen {
                turns,
                has_child: false,
            });
            seen.turns = turns;
        }
    }

    /// Remembers a record that is no message: it hangs where its parent does.
    pub(super) fn pass(&mut self, record: &Value) {
        if let Some(turns) = self.hang(record) {
            self.remember(record, turns);
        }
    }
}
