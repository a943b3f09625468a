//! OTLP JSON, as the collector's file exporter writes it: spans in `resourceSpans`, one export a
//! line, with attributes of the GenAI conventions or of OpenInference (`formats/otlp-genai.md`).

use std::sync::Arc;

use super::super::foreign::blocks;
use super::super::probe::Probe;
use super::super::{Loader, Records, Report, Source, fields};
use super::attributes::Attributes;
use super::described::described;
use super::events::Told;
use super::{Span, Traces, nanoseconds, stored};
use crate::error::Error;
use crate::step::Step;
use crate::value::Value;

/// The loader of OTLP traces.
#[derive(Debug)]
pub struct Otlp;

impl Loader for Otlp {
    fn name(&self) -> &'static str {
        "otlp-genai"
    }

    fn title(&self) -> &'static str {
        "OTLP JSON, Jaeger or Zipkin spans with GenAI or OpenInference attributes"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, calls, results, tools, usage, durations, errors",
            missing: "content, unless its capture was switched on; memory, inputs",
        }
    }

    fn marks_inputs(&self) -> bool {
        false
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let is = |value: &Value| listed(value).any(is_export);
        is(probe.sketch()) || probe.line_sketches().any(|line| is(&line))
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        super::load(source, report, is_export, |record, line, traces, report| {
            for record in listed(record) {
                export(record, line, traces, report);
            }
        })
    }
}

/// Names in camel case, as OTLP JSON has them, and in snake case, as generic protobuf JSON may.
const RESOURCES: [&str; 3] = ["resourceSpans", "resource_spans", "batches"];
const SCOPES: [&str; 3] = ["scopeSpans", "scope_spans", "instrumentationLibrarySpans"];

/// The lists of spans in an export; Tempo calls them batches, and may put them into `trace`.
fn resources(record: &Value) -> Option<&[Value]> {
    let inside = record.get("trace").filter(|trace| trace.as_map().is_some());
    let record = inside.unwrap_or(record);
    let mut found = RESOURCES
        .iter()
        .filter_map(|name| record.get(name)?.as_list());
    found.next()
}

/// The records that a record is a list of, or a list of lists, as Zipkin's API gives traces; else itself.
fn listed(record: &Value) -> impl Iterator<Item = &Value> {
    let items = |record| Value::as_list(record).unwrap_or(std::slice::from_ref(record));
    items(record).iter().flat_map(items)
}

/// Whether a record is an export, holds spans as Jaeger or Zipkin do, or is a span alone as an SDK prints
/// it.
fn is_export(value: &Value) -> bool {
    let of_batches = |resources: &[Value]| {
        let is_batch = |resource: &Value| SCOPES.iter().any(|name| resource.get(name).is_some());
        value.get("batches").is_none() || resources.iter().any(is_batch)
    };
    resources(value).is_some_and(of_batches) || is_printed(value) || stored::is_one(value)
}

fn export(record: &Value, line: Option<u64>, traces: &mut Traces, report: &mut Report) {
    let mut take = |record: &Value, trace: Option<Arc<str>>, report: &mut Report| {
        if record.as_map().is_none() {
            report.unknown_record("record that is no span", record, line);
            return;
        }
        let mut span = span(record, report);
        span.line = line;
        let trace = trace.unwrap_or_else(|| "".into());
        traces.entry(trace).or_default().push(span);
    };
    if is_printed(record) {
        let context = record.get("context").unwrap_or(&Value::Nil);
        return take(record, id(context, &["trace_id"]), report);
    }
    if let Some(spans) = stored::spans(record) {
        for record in spans {
            take(&record, id(&record, &["traceId"]), report);
        }
        return;
    }
    let Some(resources) = resources(record) else {
        report.unknown_record("record without resourceSpans", record, line);
        return;
    };
    let list = |value: &'_ Value, names: &[&str]| -> Vec<Value> {
        let found = names.iter().find_map(|name| value.get(name)?.as_list());
        found.unwrap_or_default().to_vec()
    };
    for resource in resources {
        for scope in list(resource, &SCOPES) {
            for record in list(&scope, &["spans"]) {
                let trace = id(&record, &["traceId", "trace_id"]);
                take(&record, trace, report);
            }
        }
    }
}

/// An identifier under one of some names. In hexadecimal digits large letters mean what small ones do, and
/// two exporters of one trace may write either.
fn id(record: &Value, names: &[&str]) -> Option<Arc<str>> {
    let id = names.iter().find_map(|name| fields::text(record, name))?;
    let is_hex = [16, 32].contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some(
        if is_hex && id.bytes().any(|byte| byte.is_ascii_uppercase()) {
            id.to_ascii_lowercase().into()
        } else {
            id
        },
    )
}

fn span(record: &Value, report: &mut Report) -> Span {
    let events = record.get("events").and_then(Value::as_list);
    let events = events.unwrap_or_default();
    let mut attributes = Attributes::default();
    attributes.add(record);
    for event in events {
        let name = event.get("name").and_then(Value::as_str).unwrap_or("");
        if name.starts_with("gen_ai.") {
            attributes.add(event);
        }
    }
    let mut span = described(&attributes, &Told::of_span(events), report);
    if span.name.is_empty() {
        span.name = fields::text(record, "name").unwrap_or_else(|| "?".into());
    }
    Span {
        error: error(record, &attributes, events),
        ..placed(record, span)
    }
}

/// A span with its place in the trace: as OTLP writes it, or as an SDK prints it.
fn placed(record: &Value, span: Span) -> Span {
    if is_printed(record) {
        let context = record.get("context").unwrap_or(&Value::Nil);
        let time = |name: &str| record.get_some(name).and_then(nanoseconds);
        return Span {
            id: id(context, &["span_id"]).unwrap_or_else(|| "".into()),
            parent: id(record, &["parent_id"]),
            start: time("start_time"),
            end: time("end_time"),
            ..span
        };
    }
    let time = |names: [&str; 2]| {
        let mut found = names.iter().filter_map(|name| record.get(name));
        let found = found.next().and_then(blocks::number);
        found.and_then(|time| i64::try_from(time).ok())
    };
    Span {
        id: id(record, &["spanId", "span_id"]).unwrap_or_else(|| "".into()),
        parent: id(record, &["parentSpanId", "parent_span_id"]).filter(|parent| !parent.is_empty()),
        start: time(["startTimeUnixNano", "start_time_unix_nano"]),
        end: time(["endTimeUnixNano", "end_time_unix_nano"]),
        ..span
    }
}

/// Whether a record is a span alone, as the console exporter of an SDK prints it.
fn is_printed(value: &Value) -> bool {
    let context = value.get("context");
    context.is_some_and(|context| fields::text(context, "trace_id").is_some())
        && value.get("attributes").and_then(Value::as_map).is_some()
        && value.get("start_time").is_some()
        && value.get("span_kind").is_none()
}

/// Why a span failed: its status, an error's type, or an exception among its events.
fn error(record: &Value, attributes: &Attributes, events: &[Value]) -> Option<Value> {
    let status = record.get("status").unwrap_or(&Value::Nil);
    let code = status.get("code").or_else(|| status.get("status_code"));
    let failed = match code {
        Some(Value::Int(code)) => *code == 2,
        Some(Value::Str(code)) => matches!(&**code, "STATUS_CODE_ERROR" | "ERROR" | "2"),
        _ => false,
    };
    // Strands tells it of a tool.
    let failed = failed || attributes.text(&["tool.status"]).as_deref() == Some("error");
    let message = id(status, &["message", "description"]).filter(|message| !message.is_empty());
    let kind = attributes.text(&["error.type"]);
    let exception = || {
        let named = |event: &&Value| event.get("name").and_then(Value::as_str) == Some("exception");
        let mut told = Attributes::default();
        told.add(events.iter().find(named)?);
        told.text(&["exception.message", "exception.type"])
    };
    let exception = exception();
    let known = failed || kind.is_some() || exception.is_some();
    known.then(|| {
        let told = message.or(exception).or(kind);
        told.map_or_else(|| Value::string("error"), Value::Str)
    })
}
