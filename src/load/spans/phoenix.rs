//! Spans as Phoenix gives them: rows of its table of spans, whose columns are flat
//! (`attributes.llm.model_name`), or objects of its API with `context` and `attributes`
//! (`formats/otlp-genai.md`). What the attributes say is OpenInference's, as in OTLP.

use std::sync::Arc;

use super::super::probe::Probe;
use super::super::{Loader, Records, Report, Source, fields};
use super::attributes::Attributes;
use super::described::described;
use super::events::Told;
use super::{Span, holds, listed, nanoseconds};
use crate::error::Error;
use crate::step::Step;
use crate::value::Value;

/// The loader of Phoenix's spans.
#[derive(Debug)]
pub struct Phoenix;

/// From this number on a time counts milliseconds, as tables do, and not seconds: it is the year 1973.
const MILLISECONDS: i64 = 100_000_000_000;

impl Loader for Phoenix {
    fn name(&self) -> &'static str {
        "phoenix"
    }

    fn title(&self) -> &'static str {
        "Phoenix spans"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, calls, results, prompts as sent, tools, usage, durations, errors",
            missing: "memory, inputs",
        }
    }

    fn marks_inputs(&self) -> bool {
        false
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        holds(probe, LIST, is_span)
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        super::load(source, report, is_span, |record, line, traces, report| {
            for record in listed(record, LIST) {
                if !is_span(record) {
                    report.unknown_record("record that is no span", record, line);
                    continue;
                }
                let mut span = span(record, report);
                span.line = line;
                let trace = context(record, "trace_id").unwrap_or_else(|| "".into());
                traces.entry(trace).or_default().push(span);
            }
        })
    }
}

/// Where the API lists its spans.
const LIST: &str = "data";

fn is_span(value: &Value) -> bool {
    value.get("span_kind").is_some() && context(value, "trace_id").is_some()
}

/// A part of a span's context: in it, or in a column of its own.
fn context(record: &Value, name: &str) -> Option<Arc<str>> {
    let inside = record.get("context");
    inside
        .and_then(|context| fields::text(context, name))
        .or_else(|| fields::text(record, &format!("context.{name}")))
}

fn span(record: &Value, report: &mut Report) -> Span {
    let mut attributes = Attributes::default();
    attributes.add_flat(record);
    let kind = fields::text(record, "span_kind").unwrap_or_else(|| "".into());
    attributes.set_kind(&kind);
    let mut span = described(&attributes, &Told::default(), report);
    span.id = context(record, "span_id").unwrap_or_else(|| "".into());
    span.parent = fields::text(record, "parent_id").filter(|parent| !parent.is_empty());
    if let Some(name) = fields::text(record, "name").filter(|_| span.name.is_empty()) {
        span.name = name;
    }
    let time = |name: &str| match record.get_some(name)? {
        Value::Int(count) if *count >= MILLISECONDS => count.checked_mul(1_000_000),
        other => nanoseconds(other),
    };
    span.start = time("start_time");
    span.end = time("end_time");
    if fields::text(record, "status_code").as_deref() == Some("ERROR") {
        let message = fields::text(record, "status_message").filter(|text| !text.is_empty());
        span.error = Some(message.map_or_else(|| Value::string("error"), Value::Str));
    }
    span
}
