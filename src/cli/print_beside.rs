//! What of a run is no turn: what happened between turns, results of no call, and the runs it started.

use std::sync::Arc;

use super::page::Page;
use super::print::{self, Request};
use super::print_turn;
use crate::error::Error;
use crate::step::{Conventions, Step, ToolCall};

/// What the trace leaves out of the run itself. What a format of another tool doesn't tell is said; a
/// run that follows the requirements has its own words for it.
pub(super) fn unrecorded(page: &mut Page<'_>, step: &Step) -> Result<(), Error> {
    if step.conventions == Conventions::Ptc {
        return Ok(());
    }
    let missing = [
        (step.system_prompt.is_none(), "system prompt"),
        (step.tools.is_empty(), "tools"),
    ];
    for (_, what) in missing.iter().filter(|(is_missing, _)| *is_missing) {
        page.note("  ", &format!("{what}: not recorded"))?;
    }
    Ok(())
}

/// What happened after so many turns, a line each.
pub(super) fn events(page: &mut Page<'_>, step: &Step, after: usize) -> Result<(), Error> {
    let happened = step.events.iter().filter(|event| event.after == after);
    for event in happened {
        let name = event.kind.name();
        page.line("")?;
        match event.text.as_deref() {
            Some(text) => {
                page.heading(name)?;
                page.text("  ", text)?;
            }
            None => page.heading(name)?,
        }
    }
    Ok(())
}

/// Results that answer no call.
pub(super) fn unmatched(page: &mut Page<'_>, step: &Step) -> Result<(), Error> {
    if step.unmatched_results.is_empty() {
        return Ok(());
    }
    page.line("")?;
    page.open_box("Results of no call")?;
    for result in &step.unmatched_results {
        print_turn::answer(page, &title(result), result, step.conventions, None)?;
    }
    Ok(page.close_box()?)
}

fn title(result: &ToolCall) -> String {
    let names = [Some(&result.name), result.id.as_ref()];
    let names = names.into_iter().flatten().filter(|name| !name.is_empty());
    let names: Vec<&str> = names.map(|name| &**name).collect();
    format!("result {}", names.join(" "))
}

/// The runs that this one started, each with its turns, under their path: `1.2` is the second run that
/// the first one started.
pub(super) fn children(
    page: &mut Page<'_>,
    step: &Step,
    request: &Request<'_>,
    path: &str,
    name: &str,
) -> Result<(), Error> {
    for (at, child) in step.children.iter().enumerate() {
        let path = format!("{path}{}", at + 1);
        page.line("")?;
        let title = match step.caller_of(at) {
            Some((turn, call)) => format!("Child {path}, started by call {call} of turn {turn}"),
            None => format!("Child {path}"),
        };
        page.heading(&title)?;
        if let Some(file) = child.elsewhere.as_deref() {
            page.note("  ", &format!("it is in a file of its own: {file}"))?;
            continue;
        }
        print::whole_run(page, &Arc::clone(child), request, &format!("{path}."), name)?;
    }
    Ok(())
}
