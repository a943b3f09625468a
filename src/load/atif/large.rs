//! A large trajectory: its steps are read one by one, and again when somebody looks at their turns
//! (performance G3).

use super::super::foreign::run::Run;
use super::super::records::Place;
use super::super::shelf::{Middle, Shelves};
use super::super::{Report, Source, elements};
use super::{Files, Reader, SKIPPED, inside, result_references, results};
use crate::step::{Step, TurnParts};
use crate::value::{Value, json};

const HOW: elements::How = elements::How {
    names: &["steps"],
    skipped: &[],
    parse: |text| json::parse_without(text, SKIPPED),
    texts: elements::Texts::CutOf(is_of_turn),
    passed: SKIPPED,
    lists: &[],
};

/// Whether only a turn is made of a step's long texts: it is the agent's, its results are those of its own
/// calls, no run stands behind them, and no identifier is long.
fn is_of_turn(step: &Value) -> bool {
    let calls = step.get("tool_calls").and_then(Value::as_list);
    let calls = calls.unwrap_or_default().iter();
    let ids: Vec<Option<&Value>> = calls.map(|call| call.get_some("tool_call_id")).collect();
    let is_own = |result: &Value| {
        let id = result.get_some("source_call_id");
        result_references(result).is_empty() && (id.is_none() || ids.contains(&id))
    };
    step.get("source").and_then(Value::as_str) == Some("agent")
        && ids.iter().all(|id| elements::is_short(*id))
        && results(step).iter().all(is_own)
}

/// The run of a source; none where it must be read whole, as where other runs stand in it.
pub(super) fn read(source: &Source, report: &mut Report) -> Option<Step> {
    let shelves = Shelves::of(source, |_| true, again)?;
    let mut run = Run::shelved(Some(&shelves));
    let mut told = report.clone();
    // What is said of the steps is said behind what is said of the run.
    let mut later = Report::default();
    let mut referred: Vec<Value> = Vec::new();
    // The one before ends when the next begins.
    let mut last: Option<(Place, Value)> = None;
    let around = elements::read(source, HOW, &mut told, |place, step, _| {
        let references = results(&step).iter().flat_map(result_references);
        referred.extend(references.cloned());
        let is_run = step.get("steps").is_some();
        if let Some((place, before)) = last.replace((place, step)) {
            let next = last.as_ref().map(|(_, step)| step);
            take(&mut run, place, &before, next, &mut later);
        }
        !is_run
    })?;
    if let Some((place, step)) = last {
        take(&mut run, place, &step, None, &mut later);
    }
    around.get("steps")?;
    let mut files = Files::new(vec![&around]);
    let is_here = |reference: &Value| files.find(reference).is_some();
    if inside(&around).next().is_some() || referred.iter().any(is_here) {
        return None;
    }
    Reader::new(&mut files, &mut run, 0, &mut told).about(&around);
    told.append(later);
    *report = told;
    Some(run.finish())
}

fn take(run: &mut Run, place: Place, step: &Value, next: Option<&Value>, report: &mut Report) {
    run.reads(place);
    Reader::new(&mut Files::new(Vec::new()), run, 0, report).record(step, next);
}

/// Makes a turn of its steps again.
fn again(records: &[(u64, Value)], middle: Middle) -> Option<TurnParts> {
    let mut run = Run::again(middle);
    let (mut files, mut told) = (Files::new(Vec::new()), Report::default());
    for (at, (_, step)) in records.iter().enumerate() {
        run.reads_again(at);
        Reader::new(&mut files, &mut run, 0, &mut told).record(step, None);
    }
    run.only_turn()
}
