//! Turns of a large trace that are read when somebody looks at them (performance G2, G3).
//!
//! A shelved turn keeps what its place in the run needs: number, outcome, usage, times and how much of
//! everything it has. The rest is fetched from its [`Shelf`], and kept for the turns looked at last.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Turn, TurnParts};

/// Where the parts of turns lie until somebody looks at them.
pub trait Shelf: Debug + Send + Sync {
    /// The parts of a turn, by its index from 0. Where they can't be had any longer, they say so.
    fn fetch(&self, index: usize) -> TurnParts;

    /// Bytes of the trace that are read for a turn.
    fn size(&self, index: usize) -> u64;
}

/// How much there is in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // each tells of another part
pub struct Amounts {
    /// Calls.
    pub calls: usize,
    /// Prints.
    pub prints: usize,
    /// Messages of a person that arrived before it.
    pub person_inputs: usize,
    /// Calls that the trace's record of the turn leaves out.
    pub unlisted_calls: usize,
    /// Whether any call has a result or an error, or is known to have neither.
    pub is_answered: bool,
    /// Messages that arrived before it, of persons and others.
    pub arrived: usize,
    /// Whether there is a program, or a reply's text in its place.
    pub has_program: bool,
    /// Whether there is a result, of the turn or of a call, or why a call failed.
    pub has_result: bool,
    /// Whether it is recorded what the LLM was sent.
    pub sent: bool,
    /// Whether asking the LLM failed, so that it was told no error.
    pub request_failed: bool,
}

impl Amounts {
    /// Whether the LLM said anything, calls and programs included.
    pub fn says(self) -> bool {
        self.has_program || self.calls > 0
    }

    /// Whether the LLM was told anything: a result, that a call gave none, an error or a print.
    pub fn tells(self) -> bool {
        self.has_result && !self.request_failed || self.is_answered || self.prints > 0
    }
}

/// What a shelved turn is besides its light parts.
#[derive(Debug, Clone)]
pub(super) struct Shelved {
    pub shelf: Arc<dyn Shelf>,
    /// Its index on the shelf.
    pub index: usize,
    pub amounts: Amounts,
    /// Calls that started a run, with the run's place among the step's children.
    pub links: Vec<(usize, usize)>,
    /// Its parts, once somebody holds the turn itself and looks at them.
    pub whole: OnceLock<Box<TurnParts>>,
}

impl Shelved {
    /// The turn's parts: what is light is known, the rest is fetched.
    pub(super) fn fetch(&self, light: &TurnParts) -> TurnParts {
        let mut parts = self.shelf.fetch(self.index);
        // Which runs its calls started is known of the whole run alone.
        super::parts::unlink(&mut parts);
        for (call, child) in &self.links {
            super::parts::link(&mut parts, *call, *child);
        }
        TurnParts {
            kind: light.kind.clone(),
            usage: light.usage,
            started_at: light.started_at.clone(),
            duration_ms: light.duration_ms,
            approximate: light.approximate,
            position: light.position,
            unmarked: light.unmarked,
            copied: light.copied,
            memory: light.memory.clone(),
            definitions: light.definitions.clone(),
            ..parts
        }
    }
}

/// Turns and bytes that are kept of those fetched last.
const KEPT_TURNS: usize = 256;
const KEPT_BYTES: u64 = 16 << 20;

/// The shelved turns that were looked at last.
#[derive(Debug, Default)]
pub(super) struct Recent {
    turns: Mutex<VecDeque<(usize, u64, Arc<Turn>)>>,
}

impl Recent {
    /// A turn with its parts, fetched unless it was looked at lately.
    pub(super) fn turn(&self, at: usize, turn: &Arc<Turn>) -> Arc<Turn> {
        let Some(shelved) = turn.shelved() else {
            return Arc::clone(turn);
        };
        let find = |kept: &mut VecDeque<(usize, u64, Arc<Turn>)>| {
            let place = kept.iter().rposition(|(known, ..)| *known == at)?;
            let found = kept.remove(place)?;
            let turn = Arc::clone(&found.2);
            kept.push_back(found);
            Some(turn)
        };
        let lock = || self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = find(&mut lock()) {
            return found;
        }
        // Fetched without the lock, so that nobody waits for a turn of another thread.
        let made = Arc::new(turn.unshelved());
        let mut kept = lock();
        kept.push_back((at, shelved.shelf.size(shelved.index), Arc::clone(&made)));
        let mut bytes: u64 = kept.iter().map(|(_, size, _)| size).sum();
        while kept.len() > 1 && (kept.len() > KEPT_TURNS || bytes > KEPT_BYTES) {
            bytes -= kept.pop_front().map_or(0, |(_, size, _)| size);
        }
        made
    }

    /// Forgets them: the turns were replaced.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// What was looked at is no part of a step.
impl Clone for Recent {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Recent {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
