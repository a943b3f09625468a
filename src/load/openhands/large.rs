//! Large files of events: they are read one by one, and again when somebody looks at their turns; so are
//! conversations of evaluation and resolver output (performance G3).

use std::sync::Arc;

use super::super::conversations::Lines;
use super::super::foreign::run::Run;
use super::super::records::Place;
use super::super::shelf::{Middle, Shelves};
use super::super::{Report, Source, documents, elements, records};
use super::{Reader, conversation, is_record};
use crate::step::{Step, TurnParts};
use crate::value::{Value, json};

const HOW: elements::How = elements::How {
    names: &["trajectory"],
    skipped: &[],
    parse: json::parse,
    texts: elements::Texts::Whole,
    passed: &[],
    lists: &[],
};

/// The conversations of a source; none where it must be read whole.
pub(super) fn read(source: &Source, report: &mut Report) -> Option<Vec<Arc<Step>>> {
    let mut told = report.clone();
    let steps = match document(source, &mut told) {
        Some(step) => vec![step],
        None if documents::are_lines(source) => lines(source, &mut told)?,
        None => return None,
    };
    *report = told;
    Some(steps.into_iter().map(Arc::new).collect())
}

/// The conversation of a document of events; none where it is none, and nothing is told then.
fn document(source: &Source, report: &mut Report) -> Option<Step> {
    let shelves = Shelves::of(source, |_| true, again)?;
    let mut events = Reader::shelved(&shelves);
    let mut told = report.clone();
    elements::read(source, HOW, &mut told, |place, event, told| {
        events.take(place, &event, told);
        true
    })?;
    let step = events.end()?;
    *report = told;
    Some(step)
}

/// The conversations of a file with an event or a conversation a line; none where a line has several
/// events, or there are none.
fn lines(source: &Source, report: &mut Report) -> Option<Vec<Step>> {
    let shelves = Shelves::of(source, is_record, again)?;
    let conversations = Lines::of(source, is_record, listed)?;
    let (mut events, mut steps) = (Reader::shelved(&shelves), Vec::new());
    let mut is_plain = true;
    records::read_once_placed(source, report, is_record, |place, value, report| {
        let items = value.as_list();
        let items = items.or_else(|| value.get("trajectory")?.as_list());
        is_plain &= items.is_none();
        let mut found = listed(place.span.line, &value, report);
        if found.is_empty() {
            events.take(place, &value, report);
        }
        conversations.shelve(place, &mut found);
        steps.append(&mut found);
    });
    steps.extend(events.end());
    (is_plain && !steps.is_empty()).then_some(steps)
}

/// The conversation that a line is.
fn listed(_: u64, value: &Value, report: &mut Report) -> Vec<Step> {
    conversation(value, report).into_iter().collect()
}

impl Reader {
    fn shelved(shelves: &Arc<Shelves>) -> Self {
        Self {
            run: Some(Run::shelved(Some(shelves))),
            ..Self::default()
        }
    }

    /// Takes the event at a place, or the pair of events.
    fn take(&mut self, place: Place, event: &Value, report: &mut Report) {
        if let Some(run) = &mut self.run {
            run.reads(place);
        }
        self.events(std::slice::from_ref(event), report);
    }

    /// The conversation, where there was any event.
    fn end(self) -> Option<Step> {
        self.any.then(|| self.finish())
    }
}

/// Makes a turn of its events again.
fn again(records: &[(u64, Value)], middle: Middle) -> Option<TurnParts> {
    let mut reader = Reader {
        run: Some(Run::again(middle)),
        ..Reader::default()
    };
    for (at, (_, event)) in records.iter().enumerate() {
        if let Some(run) = &mut reader.run {
            run.reads_again(at);
        }
        reader.events(std::slice::from_ref(event), &mut Report::default());
    }
    reader.run?.only_turn()
}
