//! A conversation being put together from a foreign format's records: replies, what arrived between
//! them, calls and the results that come in any order (`formats/README.md`).

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::blocks;
use super::records::Place;
use super::shelf::{Middle, Shelves, Shelving};
use crate::calendar;
use crate::step::{
    Conventions, Event, EventKind, Field, Input, Position, Program, Step, ToolCall, Turn,
    TurnParts, Usage,
};
use crate::value::Value;

/// A conversation so far.
pub(super) struct Talk {
    /// Everything but the turns and what arrives.
    pub step: Step,
    drafts: Vec<Draft>,
    waiting: Vec<Input>,
    /// Calls without a result, by their identifiers, the oldest first.
    open: HashMap<Arc<str>, VecDeque<CallAt>>,
    /// Calls without a result and without an identifier.
    nameless: VecDeque<CallAt>,
    /// The call made last under an identifier.
    by_id: HashMap<Arc<str>, CallAt>,
    has_mission: bool,
    /// How much had arrived when the mission came, until a reply follows it.
    mission_at: Option<usize>,
    /// How many turns there were when each result came that answers no call.
    early: Vec<usize>,
    precede: bool,
    /// Which records each turn is made of, in a large file.
    shelving: Option<Shelving>,
    /// Turns that were before these, where one is made again.
    before: usize,
    /// Results that the record that is being read has so far.
    results: usize,
    /// Whether no result is given to a call.
    collects: bool,
    /// Which results of a record belong to the turn that is made again, see [`Middle::results`]; and
    /// those of the record that is being read.
    own_results: HashMap<usize, Vec<usize>>,
    own_now: Option<Vec<usize>>,
}

/// A reply so far.
#[derive(Default)]
pub(super) struct Draft {
    /// What is neither text, thinking nor call.
    pub parts: TurnParts,
    /// Texts of the reply.
    pub texts: Vec<Arc<str>>,
    /// Texts of its thinking.
    pub thoughts: Vec<Arc<str>>,
    /// Its calls.
    pub calls: Vec<ToolCall>,
    /// Why the turn failed, where it is marked so.
    pub failed: Option<Value>,
    /// Whether the format keeps what the model said to itself.
    pub unrecorded: bool,
}

/// Where a call stands: its turn and its place there, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallAt {
    pub turn: usize,
    pub call: usize,
}

/// What answers a call.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// What it says.
    pub content: Value,
    /// Whether the format marks the call as failed.
    pub failed: bool,
    /// When it came, ISO 8601.
    pub at: Option<Arc<str>>,
    /// How long the call took, where that is told.
    pub duration_ms: Option<u64>,
    /// The tool's name, where the answer tells it.
    pub name: Option<Arc<str>>,
}

impl Talk {
    pub(super) fn new() -> Self {
        let mut step = Step::default();
        step.conventions = Conventions::Foreign;
        Self {
            step,
            drafts: Vec::new(),
            waiting: Vec::new(),
            open: HashMap::new(),
            nameless: VecDeque::new(),
            by_id: HashMap::new(),
            has_mission: false,
            mission_at: None,
            early: Vec::new(),
            precede: false,
            shelving: None,
            before: 0,
            results: 0,
            collects: false,
            own_results: HashMap::new(),
            own_now: None,
        }
    }

    /// A conversation that is only read for the results in its records.
    pub(super) fn of_results() -> Self {
        Self {
            has_mission: true,
            collects: true,
            ..Self::new()
        }
    }

    /// A conversation that goes on somewhere in the middle, to make one turn of it again.
    pub(super) fn again(middle: Middle) -> Self {
        Self {
            before: middle.turns,
            has_mission: middle.has_mission,
            own_results: middle.results,
            ..Self::new()
        }
    }

    /// From here on the record at this place among those of the turn is read again.
    pub(super) fn reads_again(&mut self, at: usize) {
        self.results = 0;
        self.own_now = self.own_results.remove(&at);
    }

    /// The one turn of a conversation that was made again.
    pub(super) fn only_turn(self) -> Option<TurnParts> {
        let mut drafts = self.drafts.into_iter();
        let (only, more) = (drafts.next()?, drafts.next());
        more.is_none().then(|| only.turn(1).into_parts())
    }

    /// Shelves the turns: only where their records stand is kept of them.
    pub(super) fn shelve(&mut self, shelves: &Arc<Shelves>) {
        self.shelving = Some(Shelving::new(Arc::clone(shelves)));
    }

    /// Shelves the turns in another way than was said before.
    pub(super) fn shelve_elsewhere(&mut self, shelves: &Arc<Shelves>) {
        if let Some(shelving) = &mut self.shelving {
            shelving.changes(shelves);
        }
    }

    /// From here on the record at this place is read.
    pub(super) fn reads(&mut self, place: Place) {
        self.results = 0;
        if let Some(shelving) = &mut self.shelving {
            shelving.reads(place);
        }
    }

    /// Forgets the texts of a turn with calls that nothing will be added to, where it is shelved: it is
    /// made again of its records.
    pub(super) fn forget_texts(&mut self, turn: usize) {
        let Some(draft) = self
            .drafts
            .get_mut(turn)
            .filter(|_| self.shelving.is_some())
        else {
            return;
        };
        if !draft.calls.is_empty() {
            draft.texts.clear();
            draft.thoughts.clear();
        }
        for call in &mut draft.calls {
            call.args = Value::Nil;
            if let Field::Recorded(result) = &mut call.result {
                *result = Value::Nil;
            }
        }
    }

    /// Everything is read.
    pub(super) fn ends(&mut self) {
        if let Some(shelving) = &mut self.shelving {
            shelving.ends();
        }
    }

    /// The record that is being read goes into a turn.
    fn touch(&mut self, turn: usize) {
        if let Some(shelving) = &mut self.shelving {
            shelving.goes_into(turn);
        }
    }

    /// The record that is being read waits for the next turn, or is the mission.
    fn note_waiting(&mut self, is_mission: bool) {
        if let Some(shelving) = &mut self.shelving {
            shelving.waits(is_mission);
        }
    }

    /// All turns stay whole: not every one was made while its records were read.
    pub(super) fn keep_whole(&mut self) {
        self.shelving = None;
    }

    /// Reads results that answer no call again, which stand with the step and not with a turn, where
    /// only what they begin with was read. `again` reads a record for its results, see
    /// [`Talk::of_results`].
    pub(super) fn complete_unmatched(&mut self, again: impl Fn(&[(u64, Value)]) -> Self) {
        let Some(shelving) = &self.shelving else {
            return;
        };
        for (known, (record, nth)) in self
            .step
            .unmatched_results
            .iter_mut()
            .zip(shelving.unmatched())
        {
            let Some(record) = record else { continue };
            let results = again(&[record]).step.unmatched_results;
            if let Some(found) = results.into_iter().nth(nth) {
                *known = found;
            }
        }
    }

    /// Whether the mission was given, or a reply came in its place.
    pub(super) fn has_mission(&self) -> bool {
        self.has_mission
    }

    /// Whether no turn was before.
    pub(super) fn is_at_start(&self) -> bool {
        self.before == 0 && self.drafts.is_empty()
    }

    /// A result may stand right before the reply that makes its call.
    pub(super) fn results_may_precede(&mut self) {
        self.precede = true;
    }

    /// Whether a call waits for a result under an identifier.
    pub(super) fn waits_for(&self, id: &str) -> bool {
        self.open.get(id).is_some_and(|calls| !calls.is_empty())
    }

    /// Whether a call without an identifier waits for a result.
    pub(super) fn waits_without_id(&self) -> bool {
        !self.nameless.is_empty()
    }

    /// A message of a person: the first that says something before any reply is the mission. What
    /// stands for pictures in it goes beside the mission, which is the text.
    pub(super) fn person(&mut self, content: &Value) {
        let (texts, others) = blocks::texts_and_others(content);
        let says = !texts.is_empty() || others.is_empty();
        let is_mission = says && !self.has_mission;
        self.note_waiting(is_mission);
        if !is_mission {
            self.waiting.push(Input::of_person(blocks::text(content)));
            return;
        }
        self.has_mission = true;
        self.mission_at = Some(self.waiting.len());
        let sent = self.waiting.iter().filter(|input| !input.replaced);
        self.step.mission_after = sent.count();
        self.step.mission = Some(texts.join("\n").into());
        self.waiting.extend(others.into_iter().map(Input::attached));
    }

    /// Keeps what happened after the turns so far.
    pub(super) fn happened(&mut self, kind: EventKind, text: Option<Arc<str>>) {
        let event = Event::new(kind, self.drafts.len(), text);
        self.step.events.push(event);
    }

    /// A text that a machine made and the model saw.
    pub(super) fn injected(&mut self, text: Arc<str>) {
        self.note_waiting(false);
        self.waiting.push(Input::injected(text));
    }

    /// Whether something arrived since the last turn.
    pub(super) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// How much arrived since the last turn.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// What arrived from a place on was taken back, the mission too if it was there, and another is sent
    /// in its place.
    pub(super) fn take_back(&mut self, from: usize) {
        self.note_waiting(false);
        if let Some(at) = self.mission_at.take_if(|at| *at >= from) {
            let mission = self.step.mission.take().unwrap_or_default();
            self.waiting.insert(at, Input::of_person(mission));
            self.has_mission = false;
        }
        for input in self.waiting.iter_mut().skip(from) {
            input.replaced = true;
        }
    }

    /// Begins a turn with what arrived since the last, and says which it is.
    pub(super) fn begin(&mut self, line: u64) -> usize {
        let inputs = std::mem::take(&mut self.waiting);
        self.mission_at = None;
        // What a person says from here on is no mission: there was a picture in its place.
        self.has_mission |= inputs.iter().any(|input| input.note().is_none());
        let mut draft = Draft::default();
        draft.parts.position = Position::line(line);
        draft.parts.input = Input::joined(&inputs);
        if inputs.len() > 1 || inputs.iter().any(|input| input.note().is_some()) {
            draft.parts.inputs = inputs;
        }
        self.drafts.push(draft);
        let turn = self.drafts.len() - 1;
        if let Some(shelving) = &mut self.shelving {
            shelving.begins(turn);
        }
        self.touch(turn);
        turn
    }

    /// How many turns there are.
    pub(super) fn len(&self) -> usize {
        self.drafts.len()
    }

    /// The turns so far.
    pub(super) fn drafts(&self) -> &[Draft] {
        &self.drafts
    }

    /// A turn.
    pub(super) fn draft(&mut self, turn: usize) -> Option<&mut Draft> {
        if turn < self.drafts.len() {
            self.touch(turn);
        }
        self.drafts.get_mut(turn)
    }

    /// The last turn.
    pub(super) fn last(&mut self) -> Option<&mut Draft> {
        self.draft(self.drafts.len().checked_sub(1)?)
    }

    /// Adds a call to a turn.
    pub(super) fn call(&mut self, turn: usize, call: ToolCall) -> Option<CallAt> {
        let draft = self.draft(turn)?;
        let at = CallAt {
            turn,
            call: draft.calls.len(),
        };
        let id = call.id.clone();
        if draft.calls.is_empty() {
            // Most replies make one, and calls are large.
            draft.calls.reserve_exact(1);
        }
        draft.calls.push(call);
        match id {
            Some(id) => {
                self.open.entry(Arc::clone(&id)).or_default().push_back(at);
                self.by_id.insert(id, at);
            }
            None => self.nameless.push_back(at),
        }
        Some(at)
    }

    /// The call that the next result under an identifier answers; else the one made last under it.
    pub(super) fn call_of(&mut self, id: &str) -> Option<&mut ToolCall> {
        let waiting = self.open.get(id).and_then(VecDeque::front);
        let at = *waiting.or_else(|| self.by_id.get(id))?;
        self.call_at(at)
    }

    /// A call.
    pub(super) fn call_at(&mut self, at: CallAt) -> Option<&mut ToolCall> {
        self.draft(at.turn)?.calls.get_mut(at.call)
    }

    /// Answers the oldest call that waits under an identifier. A result that answers none is kept.
    pub(super) fn answer(&mut self, id: Option<&Arc<str>>, answer: Answer) -> Option<CallAt> {
        let nth = self.results;
        self.results += 1;
        if self.own_now.as_ref().is_some_and(|own| !own.contains(&nth)) {
            return None;
        }
        let at = match id {
            _ if self.collects => None,
            Some(id) => self.open.get_mut(id).and_then(VecDeque::pop_front),
            None => self.nameless.pop_front(),
        };
        if at.is_none() {
            self.unmatched(id, answer);
            return None;
        }
        if let (Some(at), Some(shelving)) = (at, &mut self.shelving) {
            shelving.answers(nth, at.turn);
        }
        self.set(at, answer);
        at
    }

    /// Answers a call.
    pub(super) fn answer_at(&mut self, at: CallAt, answer: Answer) {
        let id = self.call_at(at).and_then(|call| call.id.clone());
        let open = match id {
            Some(id) => self.open.get_mut(&id),
            None => Some(&mut self.nameless),
        };
        if let Some(open) = open {
            open.retain(|waiting| *waiting != at);
        }
        self.set(Some(at), answer);
    }

    /// Answers the oldest call of the last turn that has no result, whatever its identifier.
    pub(super) fn answer_next(&mut self, answer: Answer) -> Option<CallAt> {
        self.results += 1;
        let waits = |call: &ToolCall| call.error.is_none() && call.result.get().is_none();
        let named = |call: &ToolCall| answer.name.as_ref().is_none_or(|name| *name == call.name);
        let last = self.drafts.last().filter(|_| !self.collects);
        let calls = last.map_or(&[][..], |draft| &draft.calls);
        let Some(call) = calls.iter().position(|call| waits(call) && named(call)) else {
            self.unmatched(None, answer);
            return None;
        };
        let turn = self.drafts.len() - 1;
        let at = CallAt { turn, call };
        self.nameless.retain(|open| *open != at);
        self.set(Some(at), answer);
        Some(at)
    }

    fn set(&mut self, at: Option<CallAt>, answer: Answer) {
        let Some(call) = at.and_then(|at| self.call_at(at)) else {
            return;
        };
        let approximate = || {
            let (from, to) = (call.timestamp.as_deref()?, answer.at.as_deref()?);
            calendar::iso_ms(to)?.checked_sub(calendar::iso_ms(from)?)
        };
        let between = || approximate().and_then(|ms| u64::try_from(ms).ok());
        call.duration_ms = answer.duration_ms.or_else(between);
        call.approximate = answer.duration_ms.is_none() && call.duration_ms.is_some();
        if answer.failed {
            call.error = Some(answer.content);
        } else {
            call.result = Field::Recorded(answer.content);
        }
    }

    /// Keeps a result that answers no call.
    fn unmatched(&mut self, id: Option<&Arc<str>>, answer: Answer) {
        let mut result = ToolCall::new(answer.name.unwrap_or_default(), Value::Nil);
        result.id = id.map(Arc::clone);
        result.timestamp = answer.at;
        if answer.failed {
            result.error = Some(answer.content);
        } else {
            result.result = Field::Recorded(answer.content);
        }
        self.step.unmatched_results.push(result);
        self.early.push(self.drafts.len());
        if let Some(shelving) = &mut self.shelving {
            shelving.answers_none(self.results - 1);
        }
    }

    /// Gives results that came before their calls to them.
    fn settle_early(&mut self) {
        let results = std::mem::take(&mut self.step.unmatched_results);
        for (nth, (result, turn)) in results.into_iter().zip(&self.early).enumerate() {
            let waits = |call: &&mut ToolCall| {
                call.id.is_some()
                    && call.id == result.id
                    && call.error.is_none()
                    && call.result.get().is_none()
            };
            let next = self.drafts.get_mut(*turn);
            match next.and_then(|draft| draft.calls.iter_mut().find(waits)) {
                Some(call) => {
                    call.result = result.result;
                    call.error = result.error;
                    if let Some(shelving) = &mut self.shelving {
                        shelving.settles(nth, *turn);
                    }
                }
                None => self.step.unmatched_results.push(result),
            }
        }
    }

    /// No result that comes from now on answers a call made before.
    pub(super) fn forget_open(&mut self) {
        self.open.clear();
        self.nameless.clear();
    }

    /// The step, once everything is read.
    pub(super) fn finish(mut self) -> Step {
        if self.precede {
            self.settle_early();
        }
        self.step.pending_input = Input::joined(&self.waiting);
        self.step.pending_inputs = self.waiting;
        let place = self.shelving.map(Shelving::finish);
        for (index, draft) in self.drafts.into_iter().enumerate() {
            let turn = draft.turn(self.step.last_prompt());
            self.step.push_turn(match &place {
                Some(place) => turn.shelve(Arc::clone(place), index),
                None => turn,
            });
        }
        self.step
    }
}

impl Draft {
    /// Adds tokens to those of the turn.
    pub(super) fn add_usage(&mut self, usage: Usage) {
        self.parts.usage = self.parts.usage.plus(usage);
    }

    /// Makes the reply's code its program.
    pub(super) fn program(&mut self, program: Program) {
        self.parts.program = Field::Recorded(program);
    }

    fn turn(self, number: u32) -> Turn {
        let Self {
            mut parts,
            texts,
            thoughts,
            calls,
            failed,
            unrecorded,
        } = self;
        parts.raw_response = match (join(&texts), unrecorded) {
            (Some(text), _) => Field::Recorded(text),
            (None, true) => Field::NotRecorded,
            (None, false) => Field::Absent,
        };
        parts.thinking = Field::recorded(join(&thoughts));
        parts.tool_calls = match (calls.is_empty(), unrecorded) {
            (true, true) => Field::NotRecorded,
            (true, false) => Field::Absent,
            (false, _) => Field::Recorded(calls),
        };
        if parts.program.get().is_none() {
            parts.program = Field::Absent;
        }
        parts.unmarked = true;
        match failed {
            Some(why) => {
                parts.result = Field::Recorded(why);
                Turn::failure(number, parts)
            }
            None => Turn::success(number, parts),
        }
    }
}

/// Texts as one, a blank line between two.
fn join(texts: &[Arc<str>]) -> Option<Arc<str>> {
    match texts {
        [] => None,
        [one] => Some(Arc::clone(one)),
        more => Some(more.join("\n\n").into()),
    }
}
