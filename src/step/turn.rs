//! One cycle of a run: the LLM answers, its program is executed, the outcome is kept [ARC-001].

use std::sync::Arc;

use indexmap::IndexMap;

use super::parts::{
    Definition, Input, Memory, Outcome, Position, Program, ToolCall, TurnKind, TurnParts, link,
    person_inputs,
};
use super::shelf::{Amounts, Shelf, Shelved};
use super::{Field, Message, Usage};
use crate::value::Value;

/// One turn. It never changes: the constructors are the only way to make one [ARC-001].
#[derive(Debug, Clone)]
pub struct Turn {
    number: u32,
    outcome: Outcome,
    /// All of them, or the light ones of a shelved turn.
    parts: TurnParts,
    shelved: Option<Shelved>,
}

impl PartialEq for Turn {
    fn eq(&self, other: &Self) -> bool {
        let head = |turn: &Self| (turn.number, turn.outcome);
        head(self) == head(other) && self.whole() == other.whole()
    }
}

impl Turn {
    /// A turn that succeeded, or whose format doesn't say (`parts.unmarked`).
    pub fn success(number: u32, parts: TurnParts) -> Self {
        let outcome = if parts.unmarked {
            Outcome::Unknown
        } else {
            Outcome::Success
        };
        Self {
            number,
            outcome,
            parts,
            shelved: None,
        }
    }

    /// A turn that failed; `parts.result` is its error.
    pub fn failure(number: u32, parts: TurnParts) -> Self {
        Self {
            number,
            outcome: Outcome::Failure,
            parts,
            shelved: None,
        }
    }

    /// The same turn without its heavy parts, which are fetched from a shelf when somebody looks at
    /// them; its memory, which shares what stays the same with the turns around it, and its definitions
    /// are no such parts.
    #[must_use]
    pub fn shelve(mut self, place: Arc<dyn Shelf>, index: usize) -> Self {
        if self.shelved.is_some() {
            return self;
        }
        let (amounts, links) = (self.amounts(), self.links());
        let shelved = Shelved {
            shelf: place,
            index,
            amounts,
            links,
            whole: std::sync::OnceLock::new(),
        };
        self.parts = TurnParts {
            kind: self.parts.kind,
            usage: self.parts.usage,
            started_at: self.parts.started_at,
            duration_ms: self.parts.duration_ms,
            approximate: self.parts.approximate,
            position: self.parts.position,
            unmarked: self.parts.unmarked,
            copied: self.parts.copied,
            memory: self.parts.memory,
            definitions: self.parts.definitions,
            ..TurnParts::default()
        };
        self.shelved = Some(shelved);
        self
    }

    /// Whether most of it is read only when somebody looks at it.
    pub fn is_shelved(&self) -> bool {
        self.shelved.is_some()
    }

    /// What it is on a shelf.
    pub(super) fn shelved(&self) -> Option<&Shelved> {
        self.shelved
            .as_ref()
            .filter(|shelved| shelved.whole.get().is_none())
    }

    /// The same turn with all its parts.
    pub(super) fn unshelved(&self) -> Self {
        Self {
            number: self.number,
            outcome: self.outcome,
            parts: match &self.shelved {
                None => self.parts.clone(),
                Some(shelved) => match shelved.whole.get() {
                    Some(parts) => (**parts).clone(),
                    None => shelved.fetch(&self.parts),
                },
            },
            shelved: None,
        }
    }

    /// All its parts, for whoever makes another turn of them.
    pub fn into_parts(self) -> TurnParts {
        match self.shelved {
            None => self.parts,
            Some(_) => self.unshelved().parts,
        }
    }

    /// All its parts. Those of a shelved turn stay in memory from here on: whoever goes through a run
    /// asks the step for its turns, one after the other ([`super::Step::turn`]).
    fn whole(&self) -> &TurnParts {
        match &self.shelved {
            None => &self.parts,
            Some(shelved) => shelved
                .whole
                .get_or_init(|| Box::new(shelved.fetch(&self.parts))),
        }
    }

    /// How much there is in it; told without looking at a shelved turn.
    pub fn amounts(&self) -> Amounts {
        if let Some(shelved) = &self.shelved {
            return shelved.amounts;
        }
        let calls = self.tool_calls();
        let prints = self.prints().len();
        let is_answered = calls.iter().any(ToolCall::is_answered);
        let raw = self.raw_response().get();
        let has_program =
            self.program().get().is_some() || raw.is_some_and(|said| !said.is_empty());
        let has_result =
            self.result().get().is_some() || calls.iter().any(|call| call.answer().is_some());
        Amounts {
            calls: calls.len(),
            prints,
            person_inputs: person_inputs(self.input(), self.inputs()),
            unlisted_calls: self.unlisted_calls().len(),
            is_answered,
            arrived: Input::sent(self.input(), self.inputs()).len(),
            has_program,
            has_result,
            sent: self.messages().get().is_some(),
            request_failed: self.request_failed(),
        }
    }

    /// Links a run from the call that started it, while the step is made.
    pub(super) fn link_child(&mut self, call: usize, child: usize) {
        match &mut self.shelved {
            Some(shelved) => {
                shelved.links.push((call, child));
                shelved.whole = std::sync::OnceLock::new();
            }
            None => link(&mut self.parts, call, child),
        }
    }

    /// Its parts, while another turn is made of this one.
    pub(super) fn parts_mut(&mut self) -> &mut TurnParts {
        if self.shelved.is_some() {
            *self = self.unshelved();
        }
        &mut self.parts
    }

    /// The turn's number, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether it succeeded.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Whether it failed.
    pub fn failed(&self) -> bool {
        self.outcome == Outcome::Failure
    }

    /// Everything the LLM said.
    pub fn raw_response(&self) -> &Field<Arc<str>> {
        &self.whole().raw_response
    }

    /// Whether the writer was not to capture what was said.
    pub fn is_uncaptured(&self) -> bool {
        self.whole().uncaptured
    }

    /// What to tell a person of a response that is not simply recorded.
    pub fn response_note(&self) -> Option<&'static str> {
        let parts = self.whole();
        match parts.raw_response {
            Field::NotRecorded if parts.uncaptured => Some("content not captured"),
            ref response => response.note(),
        }
    }

    /// The LLM's thinking, where that is kept apart.
    pub fn thinking(&self) -> &Field<Arc<str>> {
        &self.whole().thinking
    }

    /// The program, absent where none could be extracted.
    pub fn program(&self) -> &Field<Program> {
        &self.whole().program
    }

    /// The program's value, or the error of a failed turn.
    pub fn result(&self) -> &Field<Value> {
        &self.whole().result
    }

    /// Printed texts, one a `println`; none where they are not recorded.
    pub fn prints(&self) -> &[Arc<str>] {
        self.whole().prints.get().map_or(&[], Vec::as_slice)
    }

    /// How well the prints are known.
    pub fn prints_field(&self) -> &Field<Vec<Arc<str>>> {
        &self.whole().prints
    }

    /// Calls in the order they were made; none where they are not recorded.
    pub fn tool_calls(&self) -> &[ToolCall] {
        self.whole().tool_calls.get().map_or(&[], Vec::as_slice)
    }

    /// How well the calls are known.
    pub fn tool_calls_field(&self) -> &Field<Vec<ToolCall>> {
        &self.whole().tool_calls
    }

    /// Calls that the trace's events tell of and its record of the turn leaves out, such as parallel
    /// calls in a TraceLog (`formats/ptc-trace-log.md`). The agent was not reminded of them, so no
    /// prompt has them.
    pub fn unlisted_calls(&self) -> &[ToolCall] {
        &self.whole().unlisted_calls
    }

    /// The runs that its calls started, as places among the step's children, in the order of calls.
    pub fn children(&self) -> Vec<usize> {
        self.links().into_iter().map(|(_, child)| child).collect()
    }

    /// Calls that started a run, from 0, in their order, each with the run's place among the step's
    /// children; known without looking at a shelved turn.
    pub(super) fn links(&self) -> Vec<(usize, usize)> {
        if let Some(shelved) = &self.shelved {
            let mut links = shelved.links.clone();
            links.sort_unstable();
            return links;
        }
        let calls = self.tool_calls().iter().chain(self.unlisted_calls());
        let calls = calls.enumerate();
        calls
            .filter_map(|(at, call)| Some((at, call.child?)))
            .collect()
    }

    /// Memory after the turn, as recorded. What holds for prompts is [`super::History::memory`].
    pub fn memory(&self) -> &Field<Arc<Memory>> {
        &self.parts.memory
    }

    /// Text that arrived before the turn.
    pub fn input(&self) -> Option<&Arc<str>> {
        self.whole().input.as_ref()
    }

    /// The messages that the input is joined of; none where the format doesn't tell them apart.
    pub fn inputs(&self) -> &[Input] {
        &self.whole().inputs
    }

    /// How many messages of a person arrived before the turn.
    pub fn person_inputs(&self) -> usize {
        self.amounts().person_inputs
    }

    /// How the turn was asked for.
    pub fn kind(&self) -> &TurnKind {
        &self.parts.kind
    }

    /// What the LLM was really sent to produce this turn.
    pub fn messages(&self) -> &Field<Vec<Message>> {
        &self.whole().messages
    }

    /// Tokens as recorded.
    pub fn usage(&self) -> Usage {
        self.parts.usage.sane()
    }

    /// When it started, ISO 8601.
    pub fn started_at(&self) -> Option<&Arc<str>> {
        self.parts.started_at.as_ref()
    }

    /// Milliseconds it took.
    pub fn duration_ms(&self) -> Option<u64> {
        self.parts.duration_ms
    }

    /// What stands before the duration: that it is not told as such.
    pub fn duration_mark(&self) -> &'static str {
        if self.parts.approximate {
            "approx. "
        } else {
            ""
        }
    }

    /// Whether the duration is not told but lies between the times of two records.
    pub fn is_approximate(&self) -> bool {
        self.parts.approximate
    }

    /// Whether it was brought along from another run's record, where its tokens count.
    pub fn copied(&self) -> bool {
        self.parts.copied
    }

    /// Whether asking the LLM failed: what went wrong is the provider's, and no LLM was told it.
    pub fn request_failed(&self) -> bool {
        self.failed() && self.whole().request_failed
    }

    /// Where it stands in the source.
    pub fn position(&self) -> Position {
        self.parts.position
    }

    /// The same turn, of which it isn't recorded what the LLM was sent.
    #[must_use]
    pub fn unsent(&self) -> Self {
        if !self.amounts().sent {
            return self.clone();
        }
        let mut turn = self.unshelved();
        turn.parts.messages = Field::default();
        turn
    }

    /// The same turn with more told of its definitions, and with this memory.
    #[must_use]
    pub fn told(
        &self,
        definitions: IndexMap<Arc<str>, Definition>,
        memory: Field<Arc<Memory>>,
    ) -> Self {
        let mut turn = self.unshelved();
        turn.parts.definitions = definitions;
        turn.parts.memory = memory;
        turn
    }

    /// What is told of its definitions.
    pub fn definitions(&self) -> &IndexMap<Arc<str>, Definition> {
        &self.parts.definitions
    }
}
