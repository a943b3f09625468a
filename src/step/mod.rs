//! A run as it was recorded: a [`Step`] with its [`Turn`]s, and cheap views of its first turns.
//!
//! Where steps come from is [`crate::load`]'s matter; what an LLM is sent of them
//! [`crate::compression`]'s.

mod event;
mod field;
pub(crate) mod frame;
pub mod history;
mod message;
mod mission;
mod parts;
mod seen;
mod shelf;
pub mod texts;
mod told;
mod turn;

use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexMap;

pub use event::{Event, EventKind, Forgotten};
pub use field::Field;
pub use history::{History, Timeline};
pub use message::{Message, Role, Usage};
pub use parts::{
    Definition, Input, Memory, Outcome, PTC_LISP, Position, Program, ToolCall, TurnKind, TurnParts,
};
pub use seen::Seen;
pub use shelf::{Amounts, Shelf};
pub use told::Told;
pub use turn::Turn;

use crate::value::{Map, Value};
use shelf::Recent;

/// Turns a run may take where a step file or a TraceLog doesn't say [SS-002].
pub const DEFAULT_MAX_TURNS: u32 = 5;

/// A tool that programs may call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// Its name, without `tool/`.
    pub name: Arc<str>,
    /// Its signature as written.
    pub signature: Option<Arc<str>>,
    /// What it does.
    pub description: Option<Arc<str>>,
}

impl Tool {
    /// A tool.
    pub fn new(
        name: impl Into<Arc<str>>,
        signature: Option<Arc<str>>,
        description: Option<Arc<str>>,
    ) -> Self {
        Self {
            name: name.into(),
            signature,
            description,
        }
    }
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Failure {
    /// The kind of failure, such as `max_turns_exceeded`.
    pub reason: Option<Arc<str>>,
    /// What happened.
    pub message: Option<Arc<str>>,
    /// The operation that failed.
    pub op: Option<Arc<str>>,
    /// Anything else.
    pub details: Value,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Ending {
    /// It returned a value.
    Return(Value),
    /// It failed.
    Fail(Failure),
    /// The trace has no end: the run goes on, or was broken off.
    #[default]
    Open,
}

/// Whose conventions hold for what a trace leaves out (requirements 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::exhaustive_enums)] // the requirements know these two
pub enum Conventions {
    /// Step files and TraceLogs: the static system prompt, five turns.
    #[default]
    Ptc,
    /// Other formats: no system message, no indicator.
    Foreign,
}

/// Turns that follow each other in one branch of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathPart {
    /// The turns, from 0.
    pub turns: Range<usize>,
    /// What happened before and between them, by its place in [`Step::events`].
    pub events: Vec<usize>,
}

/// The record of a finished or still growing run.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Step {
    /// What the run is called.
    pub name: Option<Arc<str>>,
    /// The mission as recorded, already expanded.
    pub mission: Option<Arc<str>>,
    /// The mission with its `{{placeholders}}`.
    pub mission_template: Option<Arc<str>>,
    /// The system prompt, where the trace has its own.
    pub system_prompt: Option<Arc<str>>,
    /// The step's signature as written.
    pub signature: Option<Arc<str>>,
    /// Tools in recorded order.
    pub tools: Vec<Tool>,
    /// The input data.
    pub data: Map,
    /// What the input's fields mean, by name.
    pub field_descriptions: IndexMap<Arc<str>, Arc<str>>,
    /// Turns the run may take, as recorded; see [`Step::max_turns`].
    pub recorded_max_turns: Option<u32>,
    /// How it ended.
    pub ending: Ending,
    /// Memory at the end.
    pub memory: Field<Arc<Memory>>,
    /// Tokens of the whole run.
    pub usage: Usage,
    /// The writer's own figures for the run that have no field here.
    pub figures: Value,
    /// The trace's identifier.
    pub trace_id: Option<Arc<str>>,
    /// The identifier of the trace that this one was started from.
    pub parent_trace_id: Option<Arc<str>>,
    /// Runs that this one started.
    pub children: Vec<Arc<Step>>,
    /// The compression setting as recorded, for [`crate::compression::normalize`].
    pub compression: Option<Value>,
    /// The model, where it is known.
    pub model: Option<Arc<str>>,
    /// Whose conventions hold.
    pub conventions: Conventions,
    /// Whether the format doesn't tell a person's messages from other text.
    pub inputs_unmarked: bool,
    /// An input that no reply followed.
    pub pending_input: Option<Arc<str>>,
    /// The file in which the run goes on, as its writer names it (`formats/atif.md`).
    pub continued: Option<Arc<str>>,
    /// The file that holds this run, as the run that started it names it. Such a child has no turns
    /// here.
    pub elsewhere: Option<Arc<str>>,
    /// How many of the messages before the first reply arrived before the mission.
    pub mission_after: usize,
    /// The messages that [`Step::pending_input`] is joined of, where the format tells them apart.
    pub pending_inputs: Vec<Input>,
    /// Results that answer no call (`formats/README.md`): the name where it is told, else empty, the
    /// identifier they name, and what they say.
    pub unmatched_results: Vec<ToolCall>,
    /// What happened between the turns, in order.
    pub events: Vec<Event>,
    /// When it started, ISO 8601.
    pub started_at: Option<Arc<str>>,
    /// When its last record was written, ISO 8601.
    pub ended_at: Option<Arc<str>>,
    turns: Vec<Arc<Turn>>,
    recent: Recent,
    revision: u64,
}

impl Step {
    /// The turns so far. How many were used is their number [ARC-006]. What is looked at of a turn that
    /// is held like this stays in memory: to go through a run of any size, see [`Step::each_turn`].
    pub fn turns(&self) -> &[Arc<Turn>] {
        &self.turns
    }

    /// A turn, by its index from 0. Of a large trace the turns looked at last stay in memory, the
    /// others are read again.
    pub fn turn(&self, index: usize) -> Option<Arc<Turn>> {
        let turn = self.turns.get(index)?;
        Some(self.recent.turn(index, turn))
    }

    /// The turns one after the other, as [`Step::turn`] gives them.
    pub fn each_turn(&self) -> impl DoubleEndedIterator<Item = Arc<Turn>> + ExactSizeIterator + '_ {
        let turns = self.turns.iter().enumerate();
        turns.map(|(index, turn)| self.recent.turn(index, turn))
    }

    /// Appends a turn; the list only grows [ARC-002].
    pub fn push_turn(&mut self, turn: Turn) {
        self.turns.push(Arc::new(turn));
    }

    /// Replaces the turns by fuller records of them, such as a log's end brings, and raises the
    /// revision.
    pub fn replace_turns(&mut self, turns: Vec<Turn>) {
        self.turns = turns.into_iter().map(Arc::new).collect();
        self.recent.clear();
        self.revision += 1;
    }

    /// Shelves all turns; each lies on the shelf in its own place.
    pub(crate) fn shelve_turns(&mut self, place: &Arc<dyn Shelf>) {
        for (index, turn) in self.turns.iter_mut().enumerate() {
            let own = Turn::clone(turn);
            *turn = Arc::new(own.shelve(Arc::clone(place), index));
        }
    }

    /// Links a run in [`Step::children`] from the call that started it; turns and calls from 0.
    pub fn link_child(&mut self, turn: usize, call: usize, child: usize) {
        if let Some(turn) = self.turns.get_mut(turn) {
            Arc::make_mut(turn).link_child(call, child);
            self.recent.clear();
        }
    }

    /// The turn and the call in it, both from 1, that started a run in [`Step::children`]; none where no
    /// call is known to have.
    pub fn caller_of(&self, child: usize) -> Option<(u32, usize)> {
        self.turns.iter().find_map(|turn| {
            let mut links = turn.links().into_iter();
            let (call, _) = links.find(|(_, started)| *started == child)?;
            Some((turn.number(), call + 1))
        })
    }

    /// What comes before turn `end`, from 0, in its own branch. Without branches that is one stretch:
    /// everything before it.
    pub fn path(&self, end: usize) -> Vec<PathPart> {
        let mut path = Vec::new();
        let (mut end, mut upper) = (end, self.events.len());
        loop {
            // A branch that begins right before the turn counts; further back only those within.
            let is_last = path.is_empty();
            let reaches = |event: &Event| event.after < end || is_last && event.after == end;
            let begins = |event: &Event| event.resumes.is_some() && reaches(event);
            let branch = self.events[..upper].iter().rposition(begins);
            let start = branch.map_or(0, |at| self.events[at].after);
            let lower = branch.map_or(0, |at| at + 1);
            let events = lower..upper;
            path.push(PathPart {
                turns: start..end,
                events: events.filter(|at| reaches(&self.events[*at])).collect(),
            });
            let Some(at) = branch else {
                break;
            };
            (end, upper) = (self.events[at].resumes.unwrap_or_default().min(start), at);
        }
        path.reverse();
        path
    }

    /// The runs in [`Step::children`] that no call is known to have started.
    pub fn loose_children(&self) -> Vec<usize> {
        if self.children.is_empty() {
            // No turn has to be asked.
            return Vec::new();
        }
        let mut is_loose = vec![true; self.children.len()];
        for (_, child) in self.turns.iter().flat_map(|turn| turn.links()) {
            if let Some(is_loose) = is_loose.get_mut(child) {
                *is_loose = false;
            }
        }
        let places = is_loose.into_iter().enumerate();
        places
            .filter_map(|(child, is_loose)| is_loose.then_some(child))
            .collect()
    }

    /// Rises when turns are replaced; whatever is derived from turns is keyed by it.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Turns the run may take: as recorded, else five where the conventions say so [SS-002].
    pub fn max_turns(&self) -> Option<u32> {
        self.recorded_max_turns.or(match self.conventions {
            Conventions::Ptc => Some(DEFAULT_MAX_TURNS),
            Conventions::Foreign => None,
        })
    }

    /// Whether the run is single-shot [SS-001].
    pub fn is_single_shot(&self) -> bool {
        self.max_turns() == Some(1)
    }

    /// How many messages of a person no reply followed.
    pub fn pending_person_inputs(&self) -> usize {
        parts::person_inputs(self.pending_input.as_ref(), &self.pending_inputs)
    }

    /// The last N a prompt can be made for: the one after the last turn.
    pub fn last_prompt(&self) -> u32 {
        u32::try_from(self.turns.len()).map_or(u32::MAX, |turns| turns.saturating_add(1))
    }
}
