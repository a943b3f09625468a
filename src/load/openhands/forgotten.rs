//! Which events a condensation left out of the history: turns, and messages that arrived before them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::foreign::run::Run;
use crate::step::{EventKind, Forgotten};
use crate::value::Value;

/// What an event became.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    /// An action of the turn of this index.
    Turn(usize),
    /// A message that waits for the turn of this index.
    Input(usize),
}

/// Events that the condensations of a run may name all together: many may each name all.
const MOST: usize = 1 << 20;

/// What the events so far became, by their identifiers.
#[derive(Default)]
pub(super) struct Parts {
    /// How many events condensations have named.
    named: usize,
    by_id: HashMap<Arc<str>, Part>,
    /// How many events each part is made of.
    sizes: HashMap<Part, usize>,
}

impl Parts {
    /// An event is a part of the last turn.
    pub(super) fn of_turn(&mut self, event: &Value, run: &Run) {
        let turn = run.turns.len().checked_sub(1);
        self.keep(event, turn.map(Part::Turn));
    }

    /// An event is a message that waits for the next turn.
    pub(super) fn of_input(&mut self, event: &Value, run: &Run) {
        self.keep(event, Some(Part::Input(run.turns.len())));
    }

    fn keep(&mut self, event: &Value, part: Option<Part>) {
        let id = event.get("id").and_then(name);
        let Some((id, part)) = id.zip(part) else {
            return;
        };
        if let Some(other) = self.by_id.insert(id, part)
            && let Some(size) = self.sizes.get_mut(&other)
        {
            *size -= 1;
        }
        *self.sizes.entry(part).or_default() += 1;
    }

    /// Keeps a condensation. `named` are the identifiers of the events that it left out, where it names
    /// them.
    pub(super) fn condensed(
        &mut self,
        summary: Option<Arc<str>>,
        named: Option<Vec<Value>>,
        run: &mut Run,
    ) {
        run.happened(EventKind::Compaction, summary);
        let Some(event) = run.step.events.last_mut() else {
            return;
        };
        self.named = self
            .named
            .saturating_add(named.as_ref().map_or(0, Vec::len));
        let named = named.filter(|_| self.named <= MOST);
        event.forgotten = named.map(|named| self.forgotten(&named));
    }

    /// A turn is left out with the last of its actions, as what arrived before one is with the last of
    /// its messages.
    fn forgotten(&self, named: &[Value]) -> Forgotten {
        let named: HashSet<Arc<str>> = named.iter().filter_map(name).collect();
        let mut gone: HashMap<Part, usize> = HashMap::new();
        for part in named.iter().filter_map(|id| self.by_id.get(id)) {
            *gone.entry(*part).or_default() += 1;
        }
        gone.retain(|part, gone| self.sizes.get(part) == Some(gone));
        let (mut turns, mut inputs) = (Vec::new(), Vec::new());
        for part in gone.into_keys() {
            match part {
                Part::Turn(turn) => turns.push(turn),
                Part::Input(turn) => inputs.push(turn),
            }
        }
        turns.sort_unstable();
        inputs.sort_unstable();
        Forgotten::new(turns, inputs)
    }
}

/// An identifier, a text or a number.
fn name(id: &Value) -> Option<Arc<str>> {
    match id {
        Value::Str(id) => Some(Arc::clone(id)),
        id => Some(id.as_count()?.to_string().into()),
    }
}
