//! OpenHands trajectories (`formats/openhands.md`): events of version 0 ([`v0`]) and of the SDK
//! ([`v1`]), as an array, as `{"trajectory": [..]}`, one a line, or as the `history` of evaluation and
//! resolver output, one conversation a line; and the folder of a conversation, with a file an event.

mod forgotten;
mod large;
mod v0;
mod v1;

use std::path::Path;
use std::sync::Arc;

use super::foreign::run::Run;
use super::foreign::{blocks, document, nothing, unwrapped};
use super::probe::Probe;
use super::{Loader, Records, Report, Source, documents, fields, records, storage};
use crate::error::Error;
use crate::step::{Ending, Failure, Step, Usage};
use crate::value::{Value, json};

/// The loader of OpenHands trajectories.
#[derive(Debug)]
pub struct OpenHands;

impl Loader for OpenHands {
    fn name(&self) -> &'static str {
        "openhands"
    }

    fn title(&self) -> &'static str {
        "OpenHands trajectory or events"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, thinking, calls and results, failures, system prompt, inputs, usage",
            missing: "programs, memory",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        if let Some((path, _)) = probe.source().files().first() {
            return path.starts_with(storage::EVENTS) || path == Path::new(storage::BASE_STATE);
        }
        match probe.sketch() {
            Value::List(items) => items.iter().any(is_event),
            sketch => {
                let events = sketch.get("trajectory").and_then(Value::as_list);
                events.is_some_and(|events| events.iter().any(is_event))
                    || is_record(sketch)
                    || probe.line_sketches().any(|line| is_record(&line))
            }
        }
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        if let Some(steps) = large::read(source, report) {
            return Ok(steps);
        }
        let mut steps = Vec::new();
        let mut events = Reader::default();
        if !source.files().is_empty() {
            events.folder(source, report);
        }
        let mut take = |value: Value, report: &mut Report| {
            let items = value.as_list();
            if let Some(items) = items.or_else(|| value.get("trajectory")?.as_list()) {
                events.events(items, report);
            } else if let Some(step) = conversation(&value, report) {
                steps.push(step);
            } else {
                events.event(&value, report);
            }
        };
        if documents::are_lines(source) {
            records::read(source, report, is_record, |_, value, report| {
                take(value, report);
            });
        } else if source.files().is_empty() {
            take(document(source, report, json::parse)?, report);
        }
        if events.any {
            steps.push(events.finish());
        }
        if steps.is_empty() {
            return Err(nothing(source, "no event of OpenHands could be read"));
        }
        Ok(steps.into_iter().map(Arc::new).collect())
    }
}

fn is_event(value: &Value) -> bool {
    match value {
        // Very old files have pairs of an action and its observation.
        Value::List(pair) => pair.len() == 2 && pair.iter().all(is_event),
        _ => v0::is_event(value) || v1::is_event(value),
    }
}

fn is_record(value: &Value) -> bool {
    is_event(value) || history(value).is_some_and(|events| events.iter().take(8).any(is_event))
}

/// The events of an evaluation's or a resolver's record.
fn history(record: &Value) -> Option<Vec<Value>> {
    match record.get("history")? {
        Value::List(items) => Some(items.to_vec()),
        text => unwrapped(text)?.as_list().map(<[Value]>::to_vec),
    }
}

/// A conversation of evaluation (C) or resolver (D) output.
fn conversation(record: &Value, report: &mut Report) -> Option<Step> {
    let events = history(record)?;
    let mut reader = Reader {
        instruction: fields::text(record, "instruction"),
        ..Reader::default()
    };
    reader.events(&events, report);
    let mut step = reader.finish();
    let issue = record.get_some("issue").unwrap_or(&Value::Nil);
    step.name = fields::text(record, "instance_id").or_else(|| {
        let number = issue.get("number").and_then(Value::as_count)?;
        let told = |name: &str| fields::text(issue, name);
        Some(format!("{}/{}#{number}", told("owner")?, told("repo")?).into())
    });
    if let Some(metrics) = record.get_some("metrics") {
        step.figures = metrics.clone();
        if let Some(usage) = metrics.get_some("accumulated_token_usage") {
            step.usage = blocks::usage(usage, report);
        } else if let Some(each) = metrics.get("token_usages").and_then(Value::as_list) {
            let each = each.iter().map(|told| blocks::usage(told, report));
            step.usage = each.fold(Usage::default(), Usage::plus);
        }
    }
    let success = record.get("success").and_then(Value::as_bool);
    if success == Some(true) && step.ending == Ending::Open {
        step.ending = Ending::Return(record.get("git_patch").cloned().unwrap_or_default());
    }
    let failed = success == Some(false);
    let error = blocks::text_of(record, "error").filter(|text| !text.is_empty());
    if failed || error.is_some() {
        let failure = Failure {
            message: error.or_else(|| blocks::text_of(record, "result_explanation")),
            ..Failure::default()
        };
        step.ending = Ending::Fail(failure);
    }
    Some(step)
}

/// Reads the events of one conversation, in order.
#[derive(Default)]
struct Reader {
    /// Whether there was any event.
    any: bool,
    /// The instruction that stands beside the events.
    instruction: Option<Arc<str>>,
    v0: v0::State,
    v1: v1::State,
    run: Option<Run>,
}

impl Reader {
    fn events(&mut self, events: &[Value], report: &mut Report) {
        for event in events {
            match event {
                Value::List(pair) => self.events(pair, report),
                event => self.event(event, report),
            }
        }
    }

    /// Takes the files of a conversation's folder: its state, and an event each.
    fn folder(&mut self, source: &Source, report: &mut Report) {
        for (path, bytes) in source.files() {
            let Some(record) = storage::record(path, bytes, report) else {
                continue;
            };
            if path == Path::new(storage::BASE_STATE) {
                self.any = true;
                let run = self.run.get_or_insert_with(Run::new);
                run.step.trace_id = fields::text(&record, "id");
                self.v1.state(&record, run, report);
            } else {
                self.event(&record, report);
            }
        }
    }

    fn event(&mut self, event: &Value, report: &mut Report) {
        self.any = true;
        let run = self.run.get_or_insert_with(Run::new);
        if v1::is_event(event) {
            self.v1.event(event, run, report);
        } else if v0::is_event(event) {
            self.v0
                .event(event, self.instruction.as_deref(), run, report);
        } else {
            let kind = event.get("kind").and_then(Value::as_str);
            report.unknown_record(kind.unwrap_or("event of an unknown kind"), event, None);
        }
    }

    fn finish(self) -> Step {
        let mut run = self.run.unwrap_or_else(Run::new);
        self.v1.finish(&mut run);
        run.step.mission = run.step.mission.or(self.instruction);
        run.finish()
    }
}
