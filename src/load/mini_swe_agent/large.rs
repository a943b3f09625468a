//! A large trajectory: its messages are read one by one, and again when somebody looks at their turns
//! (performance G3).

use super::super::foreign::run::Run;
use super::super::records::Place;
use super::super::shelf::{Middle, Shelves};
use super::super::{Report, Source, elements};
use super::{Reader, about, is_submission};
use crate::step::{Step, TurnParts};
use crate::value::{Value, json};

const HOW: elements::How = elements::How {
    names: &["messages"],
    skipped: &[],
    parse: json::parse,
    texts: elements::Texts::Whole,
    passed: &[],
    lists: &[],
};

/// The run of a source; none where it must be read whole.
pub(super) fn read(source: &Source, report: &mut Report) -> Option<Step> {
    let shelves = Shelves::of(source, |_| true, again)?;
    let mut run = Run::shelved(Some(&shelves));
    let mut told = report.clone();
    // The last message may be the submission, which only what is behind it tells.
    let mut last: Option<(Place, Value)> = None;
    let document = elements::read(source, HOW, &mut told, |place, message, told| {
        if let Some((place, message)) = last.replace((place, message)) {
            run.reads(place);
            Reader::new(&mut run, told).message(&message);
        }
        true
    })?;
    if let Some((place, message)) = last {
        run.reads(place);
        let is_submission = is_submission(&document, &message);
        let mut reader = Reader::new(&mut run, &mut told);
        if is_submission {
            reader.submission(&message);
            run.keep_last();
        } else {
            reader.message(&message);
        }
    }
    about(&mut run.step, document.get("info").unwrap_or(&Value::Nil));
    *report = told;
    Some(run.finish())
}

/// Makes a turn of its messages again.
fn again(records: &[(u64, Value)], middle: Middle) -> Option<TurnParts> {
    let mut run = Run::again(middle);
    let mut told = Report::default();
    for (at, (_, message)) in records.iter().enumerate() {
        run.reads_again(at);
        Reader::new(&mut run, &mut told).message(message);
    }
    run.only_turn()
}
