//! A run while it is put together: turns, the calls in them that wait for results, and inputs that
//! wait for a reply.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

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
        }
    }

    /// A text from outside: the mission where there is none yet and nobody replied, else an input.
    pub(in crate::load) fn said(&mut self, text: Arc<str>) {
        if self.step.mission.is_none() && self.turns.is_empty() {
            self.step.mission = Some(text);
            self.step.mission_after = self.inputs.len();
        } else {
            self.inputs.push(Input::of_person(text));
        }
    }

    /// A text that a machine made and the model saw.
    pub(in crate::load) fn injected(&mut self, text: Arc<str>) {
        self.inputs.push(Input::injected(text));
    }

    /// Keeps what happened between two turns.
    pub(in crate::load) fn happened(&mut self, kind: EventKind, text: Option<Arc<str>>) {
        let event = Event::new(kind, self.turns.len(), text);
        self.step.events.push(event);
    }

    /// Adds a turn; inputs that waited for it are its.
    pub(in crate::load) fn turn(&mut self, mut draft: Draft) -> &mut Draft {
        draft.parts.inputs = std::mem::take(&mut self.inputs);
        draft.parts.input = Input::joined(&draft.parts.inputs);
        let at = self.turns.len();
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
        self.open.get_mut(id)?.pop_front()
    }

    /// The call at [`Self::place`].
    pub(in crate::load) fn answered(&mut self, id: &str) -> Option<&mut ToolCall> {
        let (turn, index) = self.place(id)?;
        self.turns.get_mut(turn)?.calls.get_mut(index)
    }

    /// Gives a call its result; a result of no call is kept with the step.
    pub(in crate::load) fn answer(&mut self, id: Option<&str>, answer: Answer) {
        if let Some(call) = id.and_then(|id| self.answered(id)) {
            answer.put(call);
            return;
        }
        let mut orphan = ToolCall::new(answer.name.clone().unwrap_or_default(), Value::Nil);
        orphan.id = id.map(Into::into);
        answer.put(&mut orphan);
        self.step.unmatched_results.push(orphan);
    }

    /// The last turn.
    pub(in crate::load) fn last(&mut self) -> Option<&mut Draft> {
        self.turns.last_mut()
    }

    /// The finished step.
    pub(in crate::load) fn finish(mut self) -> Step {
        self.step.pending_input = Input::joined(&self.inputs);
        self.step.pending_inputs = self.inputs;
        let first = self.turns.first();
        let started = first.and_then(|turn| turn.parts.started_at.clone());
        self.step.started_at = self.step.started_at.take().or(started);
        for draft in self.turns {
            let number = self.step.last_prompt();
            let mut parts = draft.parts;
            // Of a reply that is not recorded nobody knows what it called.
            let is_known = parts.raw_response.get().is_some() || !draft.calls.is_empty();
            parts.tool_calls = match (is_known, draft.calls.is_empty()) {
                (true, true) => Field::Absent,
                (true, false) => Field::Recorded(draft.calls),
                (false, _) => Field::NotRecorded,
            };
            if parts.program.get().is_none() {
                parts.program = Field::Absent;
            }
            if !draft.prints.is_empty() {
                parts.prints = Field::Recorded(draft.prints);
            }
            if parts.position == Position::default() {
                parts.position = Position::index(self.step.turns().len());
            }
            let turn = match draft.error {
                Some(error) => {
                    if parts.result.get().is_none() {
                        parts.result = Field::Recorded(error);
                    }
                    Turn::failure(number, parts)
                }
                None => Turn::success(number, parts),
            };
            self.step.push_turn(turn);
        }
        self.step
    }
}
