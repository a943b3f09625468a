//! A run while it is put together: turns, the calls in them that wait for results, and inputs that
//! wait for a reply.

mod shelved;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::super::shelf::Shelving;
use crate::step::{
    Conventions, Event, EventKind, Field, Input, Position, Step, ToolCall, Turn, TurnParts,
};
use crate::value::Value;

/// A turn while it is put together.
#[derive(Debug, Default)]
pub(in crate::load) struct Draft {
    /// Everything but the lists below.
    pub parts: TurnParts,
    /// Calls so far.
    pub calls: Vec<ToolCall>,
    /// Prints so far.
    pub prints: Vec<Arc<str>>,
    /// Why the turn failed, where it did.
    pub error: Option<Value>,
    /// Whether it stays in memory whole: its records don't tell it again.
    pub whole: bool,
}

impl Draft {
    /// A turn with what the LLM said.
    pub(in crate::load) fn new(response: Option<Arc<str>>) -> Self {
        let mut draft = Self::default();
        draft.parts.raw_response = Field::recorded(response);
        draft
    }

    /// Adds to what was printed; a text without content is none.
    pub(in crate::load) fn print(&mut self, text: impl Into<Arc<str>>) {
        let text = text.into();
        if !text.is_empty() {
            self.prints.push(text);
        }
    }

    /// The turn of a number and a place among the turns, from 0.
    fn turn(self, number: u32, at: usize) -> Turn {
        let mut parts = self.parts;
        // Of a reply that is not recorded nobody knows what it called.
        let is_known = parts.raw_response.get().is_some() || !self.calls.is_empty();
        parts.tool_calls = match (is_known, self.calls.is_empty()) {
            (true, true) => Field::Absent,
            (true, false) => Field::Recorded(self.calls),
            (false, _) => Field::NotRecorded,
        };
        if parts.program.get().is_none() {
            parts.program = Field::Absent;
        }
        if !self.prints.is_empty() {
            parts.prints = Field::Recorded(self.prints);
        }
        if parts.position == Position::default() {
            parts.position = Position::index(at);
        }
        match self.error {
            Some(error) => {
                if parts.result.get().is_none() {
                    parts.result = Field::Recorded(error);
                }
                Turn::failure(number, parts)
            }
            None => Turn::success(number, parts),
        }
    }
}

/// What a call came to.
#[derive(Debug, Default)]
pub(in crate::load) struct Answer {
    /// What the tool answered.
    pub result: Option<Value>,
    /// Why it failed, where the format marks it so.
    pub error: Option<Value>,
    /// Milliseconds it took.
    pub duration_ms: Option<u64>,
    /// The name of the tool, where the result tells it.
    pub name: Option<Arc<str>>,
}

impl Answer {
    /// Puts it into its call.
    pub(in crate::load) fn put(self, call: &mut ToolCall) {
        call.result = Field::recorded(self.result);
        call.error = self.error;
        call.duration_ms = self.duration_ms.or(call.duration_ms);
    }
}

/// A run while it is put together.
#[derive(Debug)]
pub(in crate::load) struct Run {
    /// What is known of the run itself.
    pub step: Step,
    /// Turns so far.
    pub turns: Vec<Draft>,
    /// Texts that wait for the next reply.
    inputs: Vec<Input>,
    /// Calls without a result, by their identifiers: an identifier may stand twice.
    open: HashMap<Arc<str>, VecDeque<(usize, usize)>>,
    /// Which records each turn is made of, in a large file.
    shelving: Option<Shelving>,
    /// Turns that records went into since the last began.
    touched: Vec<usize>,
    /// Results that the record that is being read has so far.
    results: usize,
    /// Which results of a record belong to the turn that is made again, see
    /// [`super::super::shelf::Middle::results`]; and those of the record that is being read.
    own_results: HashMap<usize, Vec<usize>>,
    own_now: Option<Vec<usize>>,
    /// Whether the record that is being read began a turn.
    has_begun: bool,
    /// Turns that stand for those before, where one is made again.
    before: usize,
}

impl Run {
    /// An empty run of a foreign format.
    pub(in crate::load) fn new() -> Self {
        let mut step = Step::default();
        step.conventions = Conventions::Foreign;
        Self {
            step,
            turns: Vec::new(),
            inputs: Vec::new(),
            open: HashMap::new(),
            shelving: None,
            touched: Vec::new(),
            results: 0,
            own_results: HashMap::new(),
            own_now: None,
            has_begun: false,
            before: 0,
        }
    }

    /// A text from outside: the mission where there is none yet and nobody replied, else an input.
    pub(in crate::load) fn said(&mut self, text: Arc<str>) {
        let is_mission = self.step.mission.is_none() && self.turns.is_empty();
        self.note_waiting(is_mission);
        if is_mission {
            self.step.mission = Some(text);
            self.step.mission_after = self.inputs.len();
        } else {
            self.inputs.push(Input::of_person(text));
        }
    }

    /// A text that a machine made and the model saw.
    pub(in crate::load) fn injected(&mut self, text: Arc<str>) {
        self.note_waiting(false);
        self.inputs.push(Input::injected(text));
    }

    /// Keeps what happened between two turns.
    pub(in crate::load) fn happened(&mut self, kind: EventKind, text: Option<Arc<str>>) {
        let mut event = Event::new(kind, self.turns.len(), text);
        event.arrived = self.inputs.len();
        self.step.events.push(event);
    }

    /// Adds a turn; inputs that waited for it are its.
    pub(in crate::load) fn turn(&mut self, mut draft: Draft) -> &mut Draft {
        draft.parts.inputs = std::mem::take(&mut self.inputs);
        draft.parts.input = Input::joined(&draft.parts.inputs);
        let at = self.turns.len();
        self.note_turn(at, &mut draft);
        draft.parts.position.index = draft.parts.position.index.or(Some(at));
        let calls = std::mem::take(&mut draft.calls);
        self.turns.push(draft);
        for call in calls {
            self.call(call);
        }
        &mut self.turns[at]
    }

    /// Adds a call to the last turn; without a turn it is left out.
    pub(in crate::load) fn call(&mut self, call: ToolCall) {
        let Some(at) = self.turns.len().checked_sub(1) else {
            return;
        };
        self.touch(at);
        let calls = &mut self.turns[at].calls;
        if let Some(id) = call.id.clone().filter(|_| call.result.get().is_none()) {
            self.open
                .entry(id)
                .or_default()
                .push_back((at, calls.len()));
        }
        calls.push(call);
    }

    /// The place (turn and call) of the call that an identifier names and that has no result yet. It
    /// counts as answered then.
    pub(in crate::load) fn place(&mut self, id: &str) -> Option<(usize, usize)> {
        let nth = self.results;
        self.results += 1;
        if self.own_now.as_ref().is_some_and(|own| !own.contains(&nth)) {
            return None;
        }
        let (turn, call) = self.open.get_mut(id)?.pop_front()?;
        self.note_answer(nth, turn);
        Some((turn, call))
    }

    /// The call at [`Self::place`].
    pub(in crate::load) fn answered(&mut self, id: &str) -> Option<&mut ToolCall> {
        let place = self.place(id)?;
        self.call_at(place)
    }

    /// The call at a place (turn and call).
    pub(in crate::load) fn call_at(
        &mut self,
        (turn, call): (usize, usize),
    ) -> Option<&mut ToolCall> {
        self.turns.get_mut(turn)?.calls.get_mut(call)
    }

    /// Gives a call its result; a result of no call is kept with the step.
    pub(in crate::load) fn answer(&mut self, id: Option<&str>, answer: Answer) {
        let place = id.and_then(|id| self.place(id));
        self.answer_at(place, id, answer);
    }

    /// As [`Self::answer`], with the call at [`Self::place`].
    pub(in crate::load) fn answer_at(
        &mut self,
        place: Option<(usize, usize)>,
        id: Option<&str>,
        answer: Answer,
    ) {
        if let Some(call) = place.and_then(|at| self.call_at(at)) {
            answer.put(call);
            return;
        }
        let mut orphan = ToolCall::new(answer.name.clone().unwrap_or_default(), Value::Nil);
        orphan.id = id.map(Into::into);
        answer.put(&mut orphan);
        self.step.unmatched_results.push(orphan);
    }

    /// A turn, to which something is added.
    pub(in crate::load) fn draft(&mut self, turn: usize) -> Option<&mut Draft> {
        if turn < self.turns.len() {
            self.touch(turn);
        }
        self.turns.get_mut(turn)
    }

    /// The last turn, to which something is added.
    pub(in crate::load) fn last(&mut self) -> Option<&mut Draft> {
        self.draft(self.turns.len().checked_sub(1)?)
    }

    /// The finished step.
    pub(in crate::load) fn finish(mut self) -> Step {
        self.step.pending_input = Input::joined(&self.inputs);
        self.step.pending_inputs = self.inputs;
        let first = self.turns.first();
        let started = first.and_then(|turn| turn.parts.started_at.clone());
        self.step.started_at = self.step.started_at.take().or(started);
        let place = self.shelving.map(Shelving::finish);
        for (at, draft) in self.turns.into_iter().enumerate() {
            let own = place.as_ref().filter(|_| !draft.whole);
            let turn = draft.turn(self.step.last_prompt(), at);
            self.step.push_turn(match own {
                Some(place) => turn.shelve(Arc::clone(place), at),
                None => turn,
            });
        }
        self.step
    }
}
