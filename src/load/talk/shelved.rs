//! Turns of a large file, of which only where their records stand is kept.

use std::sync::Arc;

use super::Talk;
use crate::load::records::Place;
use crate::load::shelf::{Shelves, Shelving, some_text};
use crate::step::Field;
use crate::value::Value;

impl Talk {
    /// Shelves the turns: only where their records stand is kept of them.
    pub(in crate::load) fn shelve(&mut self, shelves: &Arc<Shelves>) {
        self.shelving = Some(Shelving::new(Arc::clone(shelves)));
    }

    /// Shelves the turns in another way than was said before.
    pub(in crate::load) fn shelve_elsewhere(&mut self, shelves: &Arc<Shelves>) {
        if let Some(shelving) = &mut self.shelving {
            shelving.changes(shelves);
        }
    }

    /// From here on the record at this place is read.
    pub(in crate::load) fn reads(&mut self, place: Place) {
        self.results = 0;
        if let Some(shelving) = &mut self.shelving {
            shelving.reads(place);
        }
    }

    /// Forgets the texts of a turn with calls that nothing will be added to, where it is shelved: it is
    /// made again of its records.
    pub(in crate::load) fn forget_texts(&mut self, turn: usize) {
        let Some(draft) = self
            .drafts
            .get_mut(turn)
            .filter(|_| self.shelving.is_some())
        else {
            return;
        };
        if !draft.calls.is_empty() {
            draft.thoughts.clear();
            // Whether it says anything stays known.
            for text in draft.texts.iter_mut().filter(|text| !text.is_empty()) {
                *text = some_text();
            }
        }
        for call in &mut draft.calls {
            call.args = Value::Nil;
            if let Field::Recorded(result) = &mut call.result {
                *result = Value::Nil;
            }
        }
    }

    /// Everything is read.
    pub(in crate::load) fn ends(&mut self) {
        self.settle_held();
        if let Some(shelving) = &mut self.shelving {
            shelving.ends();
        }
    }

    /// The record that is being read goes into a turn.
    pub(super) fn touch(&mut self, turn: usize) {
        if let Some(shelving) = &mut self.shelving {
            shelving.goes_into(turn);
        }
    }

    /// The record that is being read waits for the next turn, or is the mission.
    pub(super) fn note_waiting(&mut self, is_mission: bool) {
        if let Some(shelving) = &mut self.shelving {
            shelving.waits(is_mission);
        }
    }

    /// All turns stay whole: not every one was made while its records were read.
    pub(in crate::load) fn keep_whole(&mut self) {
        self.shelving = None;
    }

    /// Reads results that answer no call again, which stand with the step and not with a turn, where
    /// only what they begin with was read. `again` reads a record for its results, see
    /// [`Talk::of_results`].
    pub(in crate::load) fn complete_unmatched(&mut self, again: impl Fn(&[(u64, Value)]) -> Self) {
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
}
