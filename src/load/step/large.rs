//! A large step file: its turns are read one by one, and again when somebody looks at them
//! (performance G3).

use std::fmt;
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::bytes::{self, Span};
use super::super::{Report, Source, elements, salvage, shelf};
use super::{Turns, around, turn};
use crate::step::{Position, Shelf, Step, TurnParts};
use crate::value::transit;

const HOW: elements::How = elements::How {
    names: &["turns", "trace"],
    skipped: &[],
    parse: transit::parse,
    texts: elements::Texts::Transit,
    passed: &[],
    lists: &[],
};

/// The step of a source; none where it must be read whole.
pub(super) fn read(source: &Source, report: &mut Report) -> Option<Step> {
    let file = Arc::new(Mutex::new(source.large_file()?));
    let mut turns = Turns::default();
    let map = elements::read(source, HOW, &mut report.clone(), |place, record, _| {
        if let Some(turn) = turns.take(&record) {
            let own = Record {
                file: Arc::clone(&file),
                span: place.span,
            };
            turns.made.push(turn.shelve(Arc::new(own), 0));
        }
        true
    })?;
    map.as_map()?;
    Some(around(&map, turns, report))
}

/// The shelf of one turn.
struct Record {
    /// Kept open, so that a file put in its place doesn't matter.
    file: Arc<Mutex<File>>,
    span: Span,
}

impl Record {
    fn read(&self) -> Option<TurnParts> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let text = bytes::line_at(&mut file, self.span).ok()?;
        drop(file);
        // As it was read before: with numbers that JSON doesn't know.
        let record = salvage::read(&text, transit::parse).ok()?.parsed.value;
        record.as_map()?;
        // Memory and place are known.
        Some(turn(&record, 1, Position::default(), None).into_parts())
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").finish_non_exhaustive()
    }
}

impl Shelf for Record {
    fn fetch(&self, _: usize) -> TurnParts {
        self.read().unwrap_or_else(shelf::changed)
    }

    fn size(&self, _: usize) -> u64 {
        self.span.length
    }
}
