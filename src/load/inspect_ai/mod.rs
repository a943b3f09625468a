//! inspect_ai evaluation logs (`formats/inspect-ai.md`): one JSON document, or an archive with an
//! entry a sample ([`archive`]). Every epoch of a sample is a conversation ([`sample`]).

mod archive;
mod large;
mod nesting;
mod pool;
mod sample;
mod told;

use std::sync::Arc;

use super::foreign::{document, nothing, read};
use super::probe::Probe;
use super::{Loader, Records, Report, Source, fields};
use crate::error::Error;
use crate::step::Step;
use crate::value::{Value, json};
use archive::Archive;

/// Runs within calls of tools that are followed.
const MAX_DEPTH: usize = 8;

/// The loader of inspect_ai logs.
#[derive(Debug)]
pub struct InspectAi;

impl Loader for InspectAi {
    fn name(&self) -> &'static str {
        "inspect-ai"
    }

    fn title(&self) -> &'static str {
        "inspect_ai evaluation log (.json, .eval)"
    }

    fn records(&self) -> Records {
        Records {
            read: "samples, turns, calls and results, durations, errors, usage, store, scores",
            missing: "inputs",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        if archive::is_one(probe.source()) {
            return true;
        }
        let sketch = probe.sketch();
        let task = sketch.get("eval").and_then(|eval| eval.get("task"));
        let version = sketch.get("version").and_then(Value::as_i64);
        // The header may stand behind more samples than are looked at.
        let has = |name: &str| probe.has_key(name);
        task.is_some() && version.is_some()
            || ["version", "status", "eval", "samples"]
                .into_iter()
                .all(has)
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        if archive::is_one(source) {
            return load_archive(source, report);
        }
        if let Some(steps) = large::read(source, report) {
            return Ok(steps);
        }
        let value = document(source, report, json::parse)?;
        let log = Log::new(&value);
        outcome(&value, report);
        let samples = value.get_some("samples").and_then(Value::as_list);
        if samples.is_none() {
            report.note("the log was written without its samples");
        }
        let samples = samples.unwrap_or_default().iter();
        let (samples, others): (Vec<&Value>, Vec<&Value>) =
            samples.partition(|sample| is_sample(sample));
        for other in others {
            report.unknown_record(NO_SAMPLE, other, None);
        }
        Ok(samples
            .into_iter()
            .map(|sample| Arc::new(sample::step(sample, &log, report)))
            .collect())
    }
}

/// What an element is that is no sample.
const NO_SAMPLE: &str = "an element that is no sample";

fn is_sample(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    has("messages") || has("input") || has("events")
}

/// A list under a name; anything else is an empty one.
fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_list).unwrap_or_default()
}

/// Who speaks in a message.
fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or("")
}

/// What a log says of all its samples.
struct Log {
    model: Option<Arc<str>>,
}

impl Log {
    fn new(header: &Value) -> Self {
        let eval = header.get("eval").unwrap_or(&Value::Nil);
        Self {
            model: fields::text(eval, "model"),
        }
    }
}

/// Notes how the evaluation ended where that was no success: `error`, `cancelled`, `started`.
fn outcome(header: &Value, report: &mut Report) {
    let status = header.get("status").and_then(Value::as_str);
    let Some(status) = status.filter(|status| *status != "success") else {
        return;
    };
    let error = header.get_some("error");
    let message = error.and_then(|error| fields::text(error, "message"));
    report.note(match message {
        Some(message) => format!("the evaluation's status is {status}: {message}"),
        None => format!("the evaluation's status is {status}"),
    });
}

/// Bytes of samples of an archive that are read to show something early.
const BEGINNING: usize = 4 << 20;

fn load_archive(source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
    let Some(mut archive) = Archive::open(source) else {
        return Err(nothing(
            source,
            "the archive's table of entries is missing: the log is still being written, or was cut; \
             open it when the run has ended",
        ));
    };
    // A run that crashed has only what stood at its start.
    let mut header = Value::Nil;
    for name in ["header.json", "_journal/start.json"] {
        if let Some(Ok(text)) = archive.named(name) {
            header = read(&text, report, json::parse).unwrap_or_default();
            break;
        }
    }
    let log = Log::new(&header);
    if archive.named("header.json").is_none() {
        report.note("the log has no header: the run did not end");
    }
    outcome(&header, report);
    let mut steps = Vec::new();
    let names: Arc<[String]> = archive.samples().into();
    let shelves = large::of_archive(source, &names);
    let mut unpacked = 0;
    for (at, name) in names.iter().enumerate() {
        if source.is_beginning() && unpacked > BEGINNING {
            break;
        }
        let text = match archive.named(name) {
            Some(Ok(text)) => text,
            Some(Err(why)) => {
                report.damage(None, format!("{name}: {why}"));
                continue;
            }
            None => continue,
        };
        unpacked += text.len();
        match read(&text, report, json::parse) {
            Ok(value) => {
                let mut step = sample::step(&value, &log, report);
                if let Some(shelves) = &shelves {
                    let place = large::place(at, text.len());
                    shelves.shelve(place, std::slice::from_mut(&mut step));
                }
                steps.push(Arc::new(step));
            }
            Err(error) => report.damage(None, format!("{name}: not JSON: {error}")),
        }
    }
    Ok(steps)
}
