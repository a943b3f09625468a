//! Where a session goes back: a person edits a message or rewinds, and what follows hangs on an earlier
//! record.
//!
//! Records stay in file order, for parents may be nowhere; the chain of parents only tells branches.
//! Results of parallel calls hang on the record of their call, and notes of the program stand between
//! records, so what counts is how many turns there were at a record, not the record itself.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::fields;
use crate::value::Value;

/// The records so far.
#[derive(Debug, Default)]
pub(super) struct Branches {
    /// How many turns there were in the history of a record, itself included.
    turns: HashMap<Arc<str>, usize>,
    /// Records on which a message hangs.
    answered: HashSet<Arc<str>>,
    /// Where the branch began that has no turn yet.
    begun: Option<usize>,
    /// How much had arrived since the last turn when a person's message came, by the record on which
    /// that hangs.
    asked: HashMap<Arc<str>, usize>,
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
        let parent = fields::text(record, "parentUuid")?;
        let before = *self.turns.get(&parent)?;
        let again = of_person && !self.answered.insert(parent);
        if before >= self.begun.unwrap_or(so_far) && !again {
            return None;
        }
        self.begun = Some(before);
        Some(before)
    }

    /// From where on what arrived since the last turn is taken back by a person's message that hangs on
    /// the same record as an earlier one. So much has arrived so far.
    pub(super) fn asks_again(&mut self, record: &Value, arrived: usize) -> Option<usize> {
        let parent = fields::text(record, "parentUuid")?;
        let from = *self.asked.entry(parent).or_insert(arrived);
        (from < arrived).then_some(from)
    }

    /// Remembers a record, with which there are `so_far` turns in the file; whether it began one.
    pub(super) fn take(&mut self, record: &Value, began: bool, so_far: usize) {
        if began {
            self.begun = None;
            self.asked.clear();
        }
        if let Some(id) = fields::text(record, "uuid") {
            let turns = self.begun.unwrap_or(so_far);
            self.turns.insert(id, turns);
        }
    }

    /// Remembers a record that is no message: it hangs where its parent does.
    pub(super) fn pass(&mut self, record: &Value) {
        let parent = fields::text(record, "parentUuid");
        let turns = parent.and_then(|parent| self.turns.get(&parent).copied());
        if let (Some(id), Some(turns)) = (fields::text(record, "uuid"), turns) {
            self.turns.insert(id, turns);
        }
    }
}
