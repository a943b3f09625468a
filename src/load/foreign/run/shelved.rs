//! Turns of a large file, of which only where their records stand is kept (performance G3).

use std::sync::Arc;

use super::{Draft, Run};
use crate::load::records::Place;
use crate::load::shelf::{Middle, Shelves, Shelving};
use crate::step::{Field, Input, Program, TurnParts};
use crate::value::Value;

impl Run {
    /// An empty run whose turns are shelved where the source is large.
    pub(in crate::load) fn shelved(shelves: Option<&Arc<Shelves>>) -> Self {
        Self {
            shelving: shelves.map(|shelves| Shelving::new(Arc::clone(shelves))),
            ..Self::new()
        }
    }

    /// A run that goes on somewhere in the middle, to make one turn of it again.
    pub(in crate::load) fn again(middle: Middle) -> Self {
        let mut run = Self::new();
        // Stands for those before: that there are any is what their records don't tell.
        run.before = usize::from(middle.turns > 0);
        run.turns.resize_with(run.before, Draft::default);
        run.step.mission = middle.has_mission.then(|| "".into());
        run.own_results = middle.results;
        run
    }

    /// From here on the record at this place is read.
    pub(in crate::load) fn reads(&mut self, place: Place) {
        (self.results, self.has_begun) = (0, false);
        if let Some(shelving) = &mut self.shelving {
            shelving.reads(place);
        }
    }

    /// From here on the record at this place among those of the turn is read again.
    pub(in crate::load) fn reads_again(&mut self, at: usize) {
        self.results = 0;
        self.own_now = self.own_results.remove(&at);
    }

    /// The turn that was made again: the first, for a result in it may stand in the record of another.
    pub(in crate::load) fn only_turn(self) -> Option<TurnParts> {
        let draft = self.turns.into_iter().nth(self.before)?;
        Some(draft.turn(1, 0).into_parts())
    }

    /// The last turn stays in memory whole: its records alone don't tell it again.
    pub(in crate::load) fn keep_last(&mut self) {
        if let Some(draft) = self.turns.last_mut() {
            draft.whole = true;
        }
    }

    /// The record that is being read goes into a turn.
    pub(super) fn touch(&mut self, turn: usize) {
        if let Some(shelving) = &mut self.shelving {
            shelving.goes_into(turn);
            if self.touched.last() != Some(&turn) {
                self.touched.push(turn);
            }
        }
    }

    /// The record that is being read waits for the next turn, or is the mission.
    pub(super) fn note_waiting(&mut self, is_mission: bool) {
        if let Some(shelving) = &mut self.shelving {
            shelving.waits(is_mission);
        }
    }

    /// The next result of the record goes to a turn.
    pub(super) fn note_answer(&mut self, nth: usize, turn: usize) {
        if let Some(shelving) = &mut self.shelving {
            shelving.answers(nth, turn);
        }
        self.touch(turn);
    }

    /// A turn begins; the texts of those that were read since the last are forgotten where they are
    /// shelved. Of several that one record begins none is.
    pub(super) fn note_turn(&mut self, turn: usize, draft: &mut Draft) {
        if std::mem::replace(&mut self.has_begun, true) && self.shelving.is_some() {
            draft.whole = true;
            self.keep_last();
        }
        for touched in std::mem::take(&mut self.touched) {
            if let Some(draft) = self.turns.get_mut(touched) {
                draft.forget();
            }
        }
        if let Some(shelving) = &mut self.shelving {
            shelving.begins(turn);
        }
        self.touch(turn);
    }
}

/// Stands for a text that is read again.
const FORGOTTEN: &str = "…";

impl Draft {
    /// Forgets what its turn is made of again; how much of it there was stays.
    fn forget(&mut self) {
        if self.whole {
            return;
        }
        let short = |text: &mut Arc<str>| {
            if !text.is_empty() {
                *text = FORGOTTEN.into();
            }
        };
        let parts = &mut self.parts;
        for field in [&mut parts.raw_response, &mut parts.thinking] {
            change(field, short);
        }
        change(&mut parts.program, |program| {
            *program = Program::new(FORGOTTEN, Arc::clone(&program.language));
        });
        change(&mut parts.result, |result| *result = Value::Nil);
        change(&mut parts.messages, Vec::clear);
        parts.input.iter_mut().for_each(short);
        let inputs = parts.inputs.iter_mut();
        inputs.for_each(|Input { text, .. }| short(text));
        self.prints.iter_mut().for_each(short);
        for call in &mut self.calls {
            call.args = Value::Nil;
            change(&mut call.result, |result| *result = Value::Nil);
            call.error.iter_mut().for_each(|error| *error = Value::Nil);
        }
        self.error.iter_mut().for_each(|error| *error = Value::Nil);
    }
}

/// Changes what is there of a field.
fn change<T>(field: &mut Field<T>, change: impl FnOnce(&mut T)) {
    if let Field::Recorded(value) | Field::Preview(value) | Field::Cut(value) = field {
        change(value);
    }
}
