//! Large logs: their samples are read one by one, and again when somebody looks at their turns
//! (performance G3).

use std::sync::{Arc, Mutex, PoisonError};

use super::super::bytes::Span;
use super::super::conversations::Lines;
use super::super::records::Place;
use super::super::shelf::Reread;
use super::super::{Report, Source, elements, foreign};
use super::archive::Archive;
use super::{Log, NO_SAMPLE, is_sample, outcome, sample};
use crate::step::Step;
use crate::value::{Value, json};

const HOW: elements::How = elements::How {
    names: &["samples"],
    skipped: &[],
    parse: json::parse,
    texts: elements::Texts::Whole,
    passed: &[],
    lists: &sample::LISTS,
};

/// The samples of a document; none where it must be read whole.
pub(super) fn read(source: &Source, report: &mut Report) -> Option<Vec<Arc<Step>>> {
    let records = Reread::of(source, |_| true)?;
    let again = move |place| records.read(std::iter::once(place)).pop();
    let shelves = Lines::with(Box::new(again), made);
    let mut told = report.clone();
    // What is said of the samples is said behind what is said of the log.
    let (mut others, mut later) = (Report::default(), Report::default());
    let mut steps = Vec::new();
    let header = elements::read_told(source, HOW, &mut told, |element, _| {
        if is_sample(&element.value) {
            steps.append(&mut shelves.shelved(&element, &mut later));
        } else {
            others.unknown_record(NO_SAMPLE, &element.value, None);
        }
        true
    })?;
    header.as_map()?;
    let log = Log::new(&header);
    outcome(&header, &mut told);
    told.append(others);
    told.append(later);
    *report = told;
    let step = |mut step: Step| {
        step.model.clone_from(&log.model);
        Arc::new(step)
    };
    Some(steps.into_iter().map(step).collect())
}

/// The run of a sample, by itself.
fn made(_: u64, value: &Value, report: &mut Report) -> Vec<Step> {
    vec![sample::step(value, &Log { model: None }, report)]
}

/// What reads the samples of a large archive again, by their places among the names.
pub(super) fn of_archive(source: &Source, names: &Arc<[String]>) -> Option<Arc<Lines>> {
    let archive = Mutex::new(Archive::of_file(source.large_file()?)?);
    let names = Arc::clone(names);
    let again = move |place: Place| {
        let name = names.get(usize::try_from(place.span.at).ok()?)?;
        let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
        let text = archive.again(name)?;
        drop(archive);
        let value = foreign::read(&text, &mut Report::default(), json::parse).ok()?;
        Some((1, value))
    };
    Some(Lines::with(Box::new(again), made))
}

/// The place of a sample of so many bytes among the names.
pub(super) fn place(at: usize, length: usize) -> Place {
    let span = Span {
        line: 1,
        at: at as u64,
        length: length as u64,
    };
    Place { span, nth: 0 }
}
