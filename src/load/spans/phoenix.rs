//! Spans as Phoenix gives them: rows of its table of spans, whose columns are flat
//! (`attributes.llm.model_name`), or objects of its API with `context` and `attributes`
//! (`formats/otlp-genai.md`). What the attributes say is OpenInference's, as in OTLP.

use std::sync::Arc;

use indexmap::IndexMap;

use super::super::foreign::{clock, nothing};
use super::super::source::Probe;
use super::super::{Loader, Records, Report, Source, fields};
use super::attributes::Attributes;
use super::{Span, each_record, otlp, tree};
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
        let is = |value: &Value| listed(value).iter().any(is_span);
        is(probe.sketch()) || probe.line_sketches().any(|line| is(&line))
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        let mut traces: IndexMap<Arc<str>, Vec<Span>> = IndexMap::new();
        each_record(source, report, is_span, |record, line, report| {
            for record in listed(record) {
                if !is_span(record) {
                    report.unknown("record that is no span");
                    continue;
                }
                let mut span = span(record, report);
                span.line = line;
                let trace = context(record, "trace_id").unwrap_or_else(|| "".into());
                traces.entry(trace).or_default().push(span);
            }
        })?;
        if traces.is_empty() {
            return Err(nothing(source, "no span could be read"));
        }
        Ok(tree::steps(traces, report))
    }
}

/// The spans of a record: a list, what the API lists under `data`, or itself.
fn listed(record: &Value) -> &[Value] {
    let inside = record.get("data").unwrap_or(record);
    inside.as_list().unwrap_or(std::slice::from_ref(inside))
}

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
    let mut span = otlp::described(&attributes, report);
    span.id = context(record, "span_id").unwrap_or_else(|| "".into());
    span.parent = fields::text(record, "parent_id").filter(|parent| !parent.is_empty());
    if let Some(name) = fields::text(record, "name").filter(|_| span.name.is_empty()) {
        span.name = name;
    }
    let time = |name: &str| {
        let millis = match record.get_some(name)? {
            Value::Int(count) if *count >= MILLISECONDS => Some(*count),
            other => clock::millis(other),
        };
        millis?.checked_mul(1_000_000)
    };
    span.start = time("start_time");
    span.end = time("end_time");
    if fields::text(record, "status_code").as_deref() == Some("ERROR") {
        let message = fields::text(record, "status_message").filter(|text| !text.is_empty());
        span.error = Some(message.map_or_else(|| Value::string("error"), Value::Str));
    }
    span
}
