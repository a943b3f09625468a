//! Large files with a conversation a line, or in each of their elements or entries: the turns of each are
//! made again of that when somebody looks at them (performance G3). What was looked at last is kept.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::bytes::MAX_RECORD;
use super::elements::Element;
use super::records::Place;
use super::shelf::{self, Reread};
use super::{Report, Source};
use crate::step::{Shelf, Step, TurnParts};
use crate::value::Value;

/// Makes the conversations of a record, which comes with its line.
pub(super) type Make = fn(u64, &Value, &mut Report) -> Vec<Step>;

/// Bytes of the longest line whose turns are shelved: it is read again for any of them, and of a longer
/// one not all is read.
const LONGEST: u64 = MAX_RECORD as u64;

/// Records that are kept of those looked at last: two conversations may be looked at side by side.
const KEPT: usize = 2;

/// Reads the record at a place again, with its line.
type Read = Box<dyn Fn(Place) -> Option<(u64, Value)> + Send + Sync>;

/// A large file whose conversations are shelved.
pub(super) struct Lines {
    read: Read,
    make: Make,
    last: Mutex<VecDeque<(Place, Arc<Vec<Step>>)>>,
}

impl Lines {
    /// Of a source; none where it is small enough to be held.
    pub(super) fn of(
        source: &Source,
        is_record: fn(&Value) -> bool,
        make: Make,
    ) -> Option<Arc<Self>> {
        let records = Reread::of(source, is_record)?;
        let read = move |place| records.read(std::iter::once(place)).pop();
        Some(Self::with(Box::new(read), make))
    }

    /// Of a file whose records are read in another way.
    pub(super) fn with(read: Read, make: Make) -> Arc<Self> {
        Arc::new(Self {
            read,
            make,
            last: Mutex::default(),
        })
    }

    /// Shelves the turns of what was made of a record, those of the runs that it holds among them.
    pub(super) fn shelve(self: &Arc<Self>, place: Place, steps: &mut [Step]) {
        if !(1..=LONGEST).contains(&place.span.length) {
            return;
        }
        for (nth, step) in steps.iter_mut().enumerate() {
            self.shelve_run(place, vec![nth], step);
        }
    }

    /// The conversations of an element, shelved. Where its texts were cut, and not all that was made of
    /// those belongs to turns, they are made of the whole element.
    pub(super) fn shelved(self: &Arc<Self>, element: &Element, report: &mut Report) -> Vec<Step> {
        let place = element.place;
        let mut told = Report::default();
        let mut steps = (self.make)(place.span.line, &element.value, &mut told);
        if element.is_cut
            && steps.iter().any(tells_beside_turns)
            && let Some((line, record)) = (self.read)(place)
        {
            told = Report::default();
            steps = (self.make)(line, &record, &mut told);
        }
        report.append(told);
        self.shelve(place, &mut steps);
        steps
    }

    fn shelve_run(self: &Arc<Self>, place: Place, path: Vec<usize>, step: &mut Step) {
        for (nth, child) in step.children.iter_mut().enumerate() {
            let mut path = path.clone();
            path.push(nth);
            self.shelve_run(place, path, Arc::make_mut(child));
        }
        let own: Arc<dyn Shelf> = Arc::new(Conversation {
            lines: Arc::clone(self),
            place,
            path,
        });
        step.shelve_turns(&own);
    }

    /// The conversations of a record, made again unless they were looked at last.
    fn again(&self, place: Place) -> Arc<Vec<Step>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.iter().position(|(known, _)| *known == place);
        let steps = if let Some((_, steps)) = known.and_then(|at| last.remove(at)) {
            steps
        } else {
            last.truncate(KEPT - 1);
            let record = (self.read)(place);
            let make = |(line, record)| (self.make)(line, &record, &mut Report::default());
            Arc::new(record.map(make).unwrap_or_default())
        };
        last.push_front((place, Arc::clone(&steps)));
        steps
    }
}

/// Whether results stand in a run that are not shelved with its turns: of no call, or what a run inside
/// it came to.
fn tells_beside_turns(step: &Step) -> bool {
    !step.unmatched_results.is_empty() || !step.children.is_empty()
}

/// The shelf of one conversation.
struct Conversation {
    lines: Arc<Lines>,
    place: Place,
    /// Which of its line it is, from 0; of a run inside another which child it is there, and so on.
    path: Vec<usize>,
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").finish_non_exhaustive()
    }
}

impl Shelf for Conversation {
    fn fetch(&self, index: usize) -> TurnParts {
        let steps = self.lines.again(self.place);
        let mut path = self.path.iter();
        let root = path.next().and_then(|nth| steps.get(*nth));
        let run = path.try_fold(root, |run, nth| {
            run.map(|run| run.children.get(*nth).map(|child| &**child))
        });
        let turn = run.flatten().and_then(|step| step.turns().get(index));
        turn.map_or_else(shelf::changed, |turn| (**turn).clone().into_parts())
    }

    fn size(&self, _: usize) -> u64 {
        self.place.span.length
    }
}
