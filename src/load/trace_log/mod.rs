//! TraceLogs of PTC-runner (`formats/ptc-trace-log.md`): events of a run, one a line, in two versions.
//!
//! A log is read once ([`super::records`]) into events ([`event`]), which are brought in order and
//! gathered by run and turn ([`fold`]). Each run then becomes a step ([`build`]): turns from their
//! events, replaced by those that the log's end records ([`turns`]), and the runs it started
//! ([`children`]). What the writer made of values is undone in [`host_values`].

mod again;
mod build;
mod children;
mod event;
mod fold;
mod host_values;
mod turns;

use std::collections::HashMap;
use std::sync::Arc;

use super::light::Told;
use super::probe::Probe;
use super::records::{Fold, Place};
use super::{Loader, Records, Report, Source, fields, records};
use crate::error::Error;
use crate::step::Step;
use crate::value::{Value, json};
use again::LargeLog;
use build::Builder;
use children::{Files, Kids};
use event::{Event, Kind, Texts, Version};
use fold::Trace;

/// The loader of TraceLogs with `schema_version` 2 (`formats/ptc-trace-log.md`).
#[derive(Debug)]
pub struct TraceLogV2;

/// The loader of TraceLogs of the older shape, with `metadata` and `measurements`
/// (`formats/ptc-trace-log.md`).
#[derive(Debug)]
pub struct TraceLogV1;

impl Loader for TraceLogV2 {
    fn name(&self) -> &'static str {
        "trace-log-v2"
    }

    fn title(&self) -> &'static str {
        "PTC-runner TraceLog, version 2"
    }

    fn records(&self) -> Records {
        Records {
            read: "programs, calls, results, prints, memory, tools, data, prompts as sent, usage, child runs",
            missing: "large values, which its writer cuts; before the end of the run, memory and whole results",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        recognises(probe, Version::Two)
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        load(source, Version::Two, report)
    }
}

impl Loader for TraceLogV1 {
    fn name(&self) -> &'static str {
        "trace-log-v1"
    }

    fn title(&self) -> &'static str {
        "PTC-runner TraceLog, version 1"
    }

    fn records(&self) -> Records {
        Records {
            read: "programs, calls, results, memory, data, prompts as sent, usage, child runs",
            missing: "large values, which its writer cuts; before the end of the run, prints",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        recognises(probe, Version::One)
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        load(source, Version::One, report)
    }
}

/// Lines that are looked at where the first is no whole record.
const PROBED_LINES: usize = 20;

fn recognises(probe: &Probe<'_>, version: Version) -> bool {
    if let Some(first) = probe.first_line() {
        return is_of(first, version);
    }
    let mut lines = probe.first_lines().take(PROBED_LINES);
    lines.any(|(_, line)| json::parse(line).is_ok_and(|record| is_of(&record.value, version)))
}

fn is_of(record: &Value, version: Version) -> bool {
    let has = |name: &str| record.get(name).is_some();
    let event = record.get("event").and_then(Value::as_str).is_some();
    let schema = record.get("schema_version").and_then(Value::as_count);
    match version {
        Version::Two => event && schema == Some(2),
        Version::One => {
            let inside = has("metadata") || has("measurements") || has("meta");
            event && !has("schema_version") && has("trace_id") && inside
        }
    }
}

fn is_event(record: &Value) -> bool {
    record.get("event").and_then(Value::as_str).is_some() && record.get("trace_id").is_some()
}

fn load(source: &Source, version: Version, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
    let steps = read(source, version, &mut Files::beside(source), report);
    if steps.is_empty() {
        return Err(Error::Unreadable {
            name: source.name().to_owned(),
            what: "no event of a TraceLog could be read".to_owned(),
        });
    }
    Ok(steps.into_iter().map(Arc::new).collect())
}

/// The steps of a log: one a trace, or one a run where nobody in the file started it.
fn read(source: &Source, version: Version, files: &mut Files, report: &mut Report) -> Vec<Step> {
    let large = LargeLog::of(source, version);
    let mut taker = Taker {
        version,
        is_large: large.is_some(),
        texts: Texts::default(),
        logs: Logs::default(),
        agent: None,
    };
    records::fold_once(source, report, is_event, &mut taker);
    let Taker {
        mut texts, logs, ..
    } = taker;
    let mut steps = Vec::new();
    for log in logs.whole() {
        let mut trace = Trace::new(log.id.clone());
        files.enter(log.id.as_ref());
        for event in log.in_order() {
            trace.take(*event, version);
        }
        if trace.runs.is_empty() {
            steps.push(without_run(&trace, report));
            continue;
        }
        let kids = Kids::new(&trace);
        let mut builder = Builder {
            trace,
            version,
            texts: std::mem::take(&mut texts),
            large: large.as_ref(),
            files,
            report,
        };
        for root in &kids.roots {
            steps.push(builder.step(*root, &kids, 0));
        }
        texts = builder.texts;
    }
    steps
}

/// Takes the records of a log.
struct Taker {
    version: Version,
    is_large: bool,
    texts: Texts,
    logs: Logs,
    /// The agent as it was told last: in version 1 nearly every event has it.
    agent: Option<Value>,
}

impl Fold for Taker {
    const PASSED: &'static [&'static str] = &["messages", "step"];

    // Whether messages were sent, or the writer's note stands for them.
    const TOLD: Told = Told::Kinds;

    fn is_of_turns(&self, record: &Value) -> bool {
        self.version == Version::Two && event::is_of_turns(record)
    }

    fn take(&mut self, place: Place, record: &mut Value, report: &mut Report) {
        let line = place.span.line;
        let mut event = match Event::new(line, record, self.version, &mut self.texts) {
            Ok(event) => event,
            Err(kind) => return report.unknown_record(&kind, record, Some(line)),
        };
        if matches!(event.kind, Kind::LlmStop | Kind::TurnStop) {
            fields::note_own_counts(record, report);
        }
        if self.is_large {
            event = event.at(place);
            if event.agent == self.agent {
                event.agent.clone_from(&self.agent);
            } else {
                self.agent.clone_from(&event.agent);
            }
        }
        self.logs.take(event);
    }
}

/// A step of a trace in which nobody runs, as single-shot runs leave it.
fn without_run(trace: &Trace, report: &mut Report) -> Step {
    let mut step = Step::default();
    step.trace_id.clone_from(&trace.id);
    build::describe(&mut step, trace.start.as_ref().unwrap_or(&Value::Nil));
    report.note(if trace.stopped {
        "the log holds only the trace's start and end, as a single-shot run leaves it: it has no turns"
    } else {
        "the log holds no run yet"
    });
    step
}

/// The events of one trace, in file order.
#[derive(Debug, Default)]
struct Log {
    id: Option<Arc<str>>,
    #[allow(clippy::vec_box)] // they are put in order, and an event is large
    events: Vec<Box<Event>>,
}

impl Log {
    /// The events by `seq`; one without stays behind the one before it.
    fn in_order(self) -> impl Iterator<Item = Box<Event>> {
        let mut last = 0;
        let mut keyed: Vec<(u64, Box<Event>)> = Vec::with_capacity(self.events.len());
        for event in self.events {
            last = event.seq.unwrap_or(last);
            keyed.push((last, event));
        }
        keyed.sort_by_key(|(seq, _)| *seq);
        keyed.into_iter().map(|(_, event)| event)
    }

    fn has(&self, kind: Kind) -> bool {
        self.events.iter().any(|event| event.kind == kind)
    }
}

/// The events of a file by trace, in the order in which the traces begin.
#[derive(Debug, Default)]
struct Logs {
    logs: Vec<Log>,
    by_id: HashMap<Arc<str>, usize>,
}

impl Logs {
    fn take(&mut self, event: Event) {
        let next = self.logs.len();
        let at = match &event.trace_id {
            Some(id) => *self.by_id.entry(Arc::clone(id)).or_insert(next),
            None => next.saturating_sub(1),
        };
        if at == next || self.logs.is_empty() {
            self.logs.push(Log {
                id: event.trace_id.clone(),
                events: Vec::new(),
            });
        }
        self.logs[at].events.push(Box::new(event));
    }

    /// The logs. A trace that neither starts nor runs is a record with a damaged id: it goes to the
    /// trace before it. So does one without a start behind a start without anything else.
    fn whole(self) -> Vec<Log> {
        let mut whole: Vec<Log> = Vec::new();
        for log in self.logs {
            let (starts, runs) = (log.has(Kind::TraceStart), log.has(Kind::RunStart));
            match whole.last_mut() {
                Some(before) if !starts && !runs => before.events.extend(log.events),
                Some(before)
                    if !starts && before.events.len() == 1 && !before.has(Kind::RunStart) =>
                {
                    before.id = log.id;
                    before.events.extend(log.events);
                }
                _ => whole.push(log),
            }
        }
        whole
    }
}
