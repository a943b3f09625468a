//! The first n turns of a run as one cheap view, with running counts.
//!
//! A prompt depends on the turns before it only through sums and through the last few items
//! (design 4). A [`Timeline`] is built once a revision; a [`History`] is then a number.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::{Amounts, Memory, Outcome, Step, Turn, Usage};
use crate::value::Value;

/// A call or a print: the turn (from 0) and its place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs)] // a coordinate
pub struct ItemRef {
    /// Index of the turn, from 0.
    pub turn: usize,
    /// Index of the item in the turn, from 0.
    pub index: usize,
}

/// Sums over the first n turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Calls of turns that didn't fail.
    pub calls: usize,
    /// Prints of turns that didn't fail.
    pub prints: usize,
    /// Failed turns.
    pub failed: usize,
}

/// What is known of a definition over the whole run.
#[derive(Debug, Clone)]
struct DefinitionFacts {
    /// Where it comes in the order of definition: first turn, place told there, place in memory.
    rank: (usize, i64, usize),
    /// The turns whose memory made or changed it, ascending.
    changes: Vec<usize>,
    /// The turns that told a docstring for it, ascending.
    docs: Vec<(usize, Arc<str>)>,
}

/// A step with the sums and indexes that prompts need.
#[derive(Debug)]
pub struct Timeline {
    step: Arc<Step>,
    /// One entry more than there are turns: sums before each, and of all.
    counts: Vec<Counts>,
    /// Memory after the first n turns; shared where it didn't change.
    memory: Vec<Arc<Memory>>,
    calls: Vec<ItemRef>,
    prints: Vec<ItemRef>,
    failed: Vec<usize>,
    /// The turns before which text arrived.
    inputs: Vec<usize>,
    /// The turns that didn't fail and have a program, or text in its place.
    programs: Vec<usize>,
    /// The turns that didn't fail and have a result, of their own or of a call.
    results: Vec<usize>,
    definitions: HashMap<Arc<str>, DefinitionFacts>,
    records_answers: bool,
    /// What all turns record but those copied from another run, which count there.
    usage: Usage,
}

impl Timeline {
    /// Reads a step through once.
    pub fn new(step: Arc<Step>) -> Self {
        let turns = step.turns().len();
        // What is asked of a turn here is known without looking into it.
        let records = step.turns().to_vec();
        let mut timeline = Self {
            counts: Vec::with_capacity(turns + 1),
            memory: Vec::with_capacity(turns + 1),
            calls: Vec::new(),
            prints: Vec::new(),
            failed: Vec::new(),
            inputs: Vec::new(),
            programs: Vec::new(),
            results: Vec::new(),
            definitions: HashMap::new(),
            records_answers: records.iter().any(|turn| turn.amounts().is_answered),
            usage: Usage::default(),
            step,
        };
        let mut counts = Counts::default();
        let mut memory = Arc::new(Memory::new());
        timeline.counts.push(counts);
        timeline.memory.push(Arc::clone(&memory));
        for (at, turn) in records.iter().enumerate() {
            if !turn.copied() {
                timeline.usage = timeline.usage.plus(turn.usage());
            }
            if turn.amounts().arrived > 0 {
                timeline.inputs.push(at);
            }
            if turn.outcome() == Outcome::Failure {
                counts.failed += 1;
                timeline.failed.push(at);
            } else {
                timeline.index_items(at, turn);
                counts.calls = timeline.calls.len();
                counts.prints = timeline.prints.len();
                if let Some(recorded) = turn.memory().get() {
                    timeline.index_definitions(at, turn, &memory, recorded);
                    memory = Arc::clone(recorded);
                }
            }
            timeline.counts.push(counts);
            timeline.memory.push(Arc::clone(&memory));
        }
        timeline
    }

    /// What the turns of the whole run record, added up; turns copied from another run count there.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    fn index_items(&mut self, turn: usize, record: &Turn) {
        let items = |count: usize| (0..count).map(move |index| ItemRef { turn, index });
        let amounts = record.amounts();
        self.calls.extend(items(amounts.calls));
        self.prints.extend(items(amounts.prints));
        self.programs.extend(amounts.has_program.then_some(turn));
        self.results.extend(amounts.has_result.then_some(turn));
    }

    fn index_definitions(
        &mut self,
        at: usize,
        turn: &Turn,
        before: &Arc<Memory>,
        after: &Arc<Memory>,
    ) {
        if !Arc::ptr_eq(before, after) {
            for (place, (name, value)) in after.iter().enumerate() {
                let told = turn.definitions().get(name).and_then(|d| d.order);
                let facts =
                    self.definitions
                        .entry(Arc::clone(name))
                        .or_insert_with(|| DefinitionFacts {
                            rank: (at, told.unwrap_or(i64::MAX), place),
                            changes: Vec::new(),
                            docs: Vec::new(),
                        });
                if before.get(name) != Some(value) {
                    facts.changes.push(at);
                }
            }
        }
        for (name, told) in turn.definitions() {
            if let (Some(facts), Some(doc)) = (self.definitions.get_mut(name), &told.doc) {
                facts.docs.push((at, Arc::clone(doc)));
            }
        }
    }

    /// Whether any call has a result or an error: a trace without one doesn't record them.
    pub fn records_answers(&self) -> bool {
        self.records_answers
    }

    /// The step itself.
    pub fn step(&self) -> &Arc<Step> {
        &self.step
    }

    /// The first `turns` turns, or all there are.
    pub fn first(&self, turns: usize) -> History<'_> {
        History {
            timeline: self,
            len: turns.min(self.step.turns().len()),
        }
    }

    /// All turns.
    pub fn all(&self) -> History<'_> {
        self.first(usize::MAX)
    }
}

/// The first n turns of a run.
#[derive(Debug, Clone, Copy)]
pub struct History<'a> {
    timeline: &'a Timeline,
    len: usize,
}

impl<'a> History<'a> {
    /// The step.
    pub fn step(&self) -> &'a Arc<Step> {
        &self.timeline.step
    }

    /// The whole run that this is a part of.
    pub fn timeline(&self) -> &'a Timeline {
        self.timeline
    }

    /// How many turns there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no turn yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first `turns` of these.
    #[must_use]
    pub fn first(&self, turns: usize) -> Self {
        Self {
            len: turns.min(self.len),
            ..*self
        }
    }

    /// A turn by its index, from 0.
    pub fn turn(&self, index: usize) -> Option<Arc<Turn>> {
        (index < self.len).then(|| self.step().turn(index))?
    }

    /// How much there is in a turn, by its index; told without reading the turn.
    pub fn amounts(&self, index: usize) -> Option<Amounts> {
        let turn = self.step().turns().get(index).filter(|_| index < self.len);
        turn.map(|turn| turn.amounts())
    }

    /// The last turn.
    pub fn last(&self) -> Option<Arc<Turn>> {
        self.len.checked_sub(1).and_then(|index| self.turn(index))
    }

    /// Whether the last turn failed.
    pub fn last_failed(&self) -> bool {
        self.timeline
            .failed
            .binary_search(&self.len.wrapping_sub(1))
            .is_ok()
    }

    /// Whether a turn failed.
    pub fn failed(&self, index: usize) -> bool {
        self.timeline.failed.binary_search(&index).is_ok()
    }

    /// The failed turns within a range of indexes.
    pub fn failed_in(&self, range: Range<usize>) -> &'a [usize] {
        within(&self.timeline.failed, range.start..range.end.min(self.len))
    }

    /// The turns within a range of indexes that didn't fail and have a program, or a reply's text in its
    /// place.
    pub fn programs_in(&self, range: Range<usize>) -> &'a [usize] {
        within(
            &self.timeline.programs,
            range.start..range.end.min(self.len),
        )
    }

    /// The turns within a range of indexes that didn't fail and have a result, of their own or of a
    /// call.
    pub fn results_in(&self, range: Range<usize>) -> &'a [usize] {
        within(&self.timeline.results, range.start..range.end.min(self.len))
    }

    /// The turns within a range of indexes before which text arrived.
    pub fn inputs_in(&self, range: Range<usize>) -> &'a [usize] {
        within(&self.timeline.inputs, range.start..range.end.min(self.len))
    }

    /// Text that arrived after these turns: the next turn's input, or what no reply followed.
    pub fn next_input(&self) -> Option<Arc<str>> {
        let step = self.step();
        match step.turn(self.len) {
            Some(next) => next.input().cloned(),
            None => step.pending_input.clone(),
        }
    }

    /// Whether there is such text; told without reading the turn.
    pub fn has_next_input(&self) -> bool {
        let step = self.step();
        match step.turns().get(self.len) {
            Some(next) => next.amounts().arrived > 0,
            None => step.pending_input.is_some(),
        }
    }

    /// Sums over these turns.
    pub fn counts(&self) -> Counts {
        self.timeline.counts[self.len]
    }

    /// Memory after the last of these turns: a failed turn leaves it as it was, and so does a turn
    /// without a record of it (requirements 7).
    pub fn memory(&self) -> &'a Arc<Memory> {
        &self.timeline.memory[self.len]
    }

    /// Calls of turns that didn't fail, in order.
    pub fn calls(&self) -> &'a [ItemRef] {
        &self.timeline.calls[..self.counts().calls]
    }

    /// Prints of turns that didn't fail, in order.
    pub fn prints(&self) -> &'a [ItemRef] {
        &self.timeline.prints[..self.counts().prints]
    }

    /// Names in memory with their values, in the order of first definition (requirements 5).
    pub fn definitions(&self) -> Vec<(&'a Arc<str>, &'a Value)> {
        let mut found: Vec<_> = self.memory().iter().collect();
        found.sort_by_cached_key(|(name, _)| self.rank(name));
        found
    }

    /// What the last of these turns made or changed, in the order of first definition.
    pub fn changed_by_last(&self) -> Vec<(&'a Arc<str>, &'a Value)> {
        let Some(before) = self.len.checked_sub(1).map(|len| self.first(len)) else {
            return Vec::new();
        };
        let (before, after) = (before.memory(), self.memory());
        if Arc::ptr_eq(before, after) {
            return Vec::new();
        }
        let mut found: Vec<_> = after
            .iter()
            .filter(|(name, value)| before.get(*name) != Some(*value))
            .collect();
        found.sort_by_cached_key(|(name, _)| self.rank(name));
        found
    }

    fn rank(&self, name: &str) -> (usize, i64, usize) {
        let facts = self.timeline.definitions.get(name);
        facts.map_or((usize::MAX, 0, 0), |facts| facts.rank)
    }

    /// The turns (indexes from 0) that made or changed a definition, ascending.
    pub fn changes(&self, name: &str) -> &'a [usize] {
        let Some(facts) = self.timeline.definitions.get(name) else {
            return &[];
        };
        let end = facts.changes.partition_point(|&turn| turn < self.len);
        &facts.changes[..end]
    }

    /// The docstring that the trace tells for a definition beside its value.
    pub fn told_doc(&self, name: &str) -> Option<&'a Arc<str>> {
        let facts = self.timeline.definitions.get(name)?;
        let end = facts.docs.partition_point(|(turn, _)| *turn < self.len);
        facts.docs[..end].last().map(|(_, doc)| doc)
    }

    /// Names that were ever defined, for listing what was superseded.
    pub fn defined_names(&self) -> impl Iterator<Item = &'a Arc<str>> + use<'a> {
        let len = self.len;
        self.timeline
            .definitions
            .iter()
            .filter(move |(_, facts)| facts.rank.0 < len)
            .map(|(name, _)| name)
    }
}

/// Those of ascending indexes that are within a range.
fn within(indexes: &[usize], range: Range<usize>) -> &[usize] {
    let start = indexes.partition_point(|&index| index < range.start);
    let end = indexes.partition_point(|&index| index < range.end);
    &indexes[start..end.max(start)]
}
