//! Large files with a conversation a line: the turns of each are made again of its line when somebody
//! looks at them (performance G3). The conversation looked at last is kept.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::records::Place;
use super::shelf::{self, Reread};
use super::{Report, Source};
use crate::step::{Shelf, Step, TurnParts};
use crate::value::Value;

/// Makes the conversations of a record, which comes with its line.
pub(super) type Make = fn(u64, &Value, &mut Report) -> Vec<Step>;

/// Bytes of the longest line whose turns are shelved: it is read again for any of them.
const LONGEST: u64 = 8 << 20;

/// A large file whose conversations are shelved.
pub(super) struct Lines {
    records: Reread,
    make: Make,
    last: Mutex<Option<(Place, Arc<Vec<Step>>)>>,
}

impl Lines {
    /// Of a source; none where it is small enough to be held.
    pub(super) fn of(
        source: &Source,
        is_record: fn(&Value) -> bool,
        make: Make,
    ) -> Option<Arc<Self>> {
        let records = Reread::of(source, is_record)?;
        Some(Arc::new(Self {
            records,
            make,
            last: Mutex::default(),
        }))
    }

    /// Shelves the turns of what was made of a record.
    pub(super) fn shelve(self: &Arc<Self>, place: Place, steps: &mut [Step]) {
        if !(1..=LONGEST).contains(&place.span.length) {
            return;
        }
        for (nth, step) in steps.iter_mut().enumerate() {
            let own: Arc<dyn Shelf> = Arc::new(Conversation {
                lines: Arc::clone(self),
                place,
                nth,
            });
            step.shelve_turns(&own);
        }
    }

    /// The conversations of a record, made again unless they were looked at last.
    fn again(&self, place: Place) -> Arc<Vec<Step>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, steps)) = &*last
            && *known == place
        {
            return Arc::clone(steps);
        }
        let mut steps = Vec::new();
        for (line, record) in self.records.read(std::iter::once(place)) {
            steps.extend((self.make)(line, &record, &mut Report::default()));
        }
        let steps = Arc::new(steps);
        *last = Some((place, Arc::clone(&steps)));
        steps
    }
}

/// The shelf of one conversation.
struct Conversation {
    lines: Arc<Lines>,
    place: Place,
    /// Which of its line it is, from 0.
    nth: usize,
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").finish_non_exhaustive()
    }
}

impl Shelf for Conversation {
    fn fetch(&self, index: usize) -> TurnParts {
        let steps = self.lines.again(self.place);
        let turn = steps.get(self.nth).and_then(|step| step.turns().get(index));
        turn.map_or_else(shelf::changed, |turn| (**turn).clone().into_parts())
    }

    fn size(&self, _: usize) -> u64 {
        self.place.span.length
    }
}
