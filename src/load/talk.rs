//! A conversation being put together from a foreign format's records: replies, what arrived between
//! them, calls and the results that come in any order (`formats/README.md`).

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::fields;
use super::shelf::{Middle, Shelving};
use crate::step::{
    Conventions, Ending, Event, EventKind, Failure, Input, Position, Step, TurnParts,
};
use crate::value::Value;

mod answers;
mod draft;
mod inputs;
mod shelved;

use answers::Held;
pub(super) use answers::{Answer, CallAt};
pub(super) use draft::Draft;

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
    /// Results of the last turn that are not given to a call yet.
    held: Vec<Held>,
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
            held: Vec::new(),
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
    pub(super) fn only_turn(mut self) -> Option<TurnParts> {
        self.settle_held();
        let mut drafts = self.drafts.into_iter();
        let (only, more) = (drafts.next()?, drafts.next());
        more.is_none().then(|| only.turn(1).into_parts())
    }

    /// Whether the mission was given, or a reply came in its place.
    pub(super) fn has_mission(&self) -> bool {
        self.has_mission
    }

    /// Whether no turn was before.
    pub(super) fn is_at_start(&self) -> bool {
        self.before == 0 && self.drafts.is_empty()
    }

    /// Keeps what happened after the turns so far.
    pub(super) fn happened(&mut self, kind: EventKind, text: Option<Arc<str>>) {
        let mut event = Event::new(kind, self.drafts.len(), text);
        event.arrived = self.waiting.len();
        self.step.events.push(event);
    }

    /// The provider answered with an error, which ended the run; what is to be noted of it.
    pub(super) fn api_error(&mut self, error: &Value) -> String {
        let told = fields::text(error, "message").or_else(|| fields::text_or_printed(error));
        let kind = fields::text(error, "type");
        self.happened(EventKind::ApiError, told.clone());
        let note = told.as_ref().map_or_else(
            || "the API answered with an error".to_owned(),
            |told| format!("the API answered with an error: {told}"),
        );
        self.step.ending = Ending::Fail(Failure {
            reason: kind.or_else(|| Some("error".into())),
            message: told,
            ..Failure::default()
        });
        note
    }

    /// Begins a turn with what arrived since the last, and says which it is.
    pub(super) fn begin(&mut self, line: u64) -> usize {
        self.settle_held();
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

    /// The step, once everything is read.
    pub(super) fn finish(mut self) -> Step {
        self.settle_held();
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
