//! OTLP JSON, as the collector's file exporter writes it: spans in `resourceSpans`, one export a
//! line, with attributes of the GenAI conventions or of OpenInference (`formats/otlp-genai.md`).

use std::sync::Arc;

use super::super::foreign::{blocks, unwrapped};
use super::super::source::Probe;
use super::super::{Loader, Records, Report, Source, fields};
use super::attributes::Attributes;
use super::{Kind, Span, Traces, tools};
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
        "OTLP JSON with GenAI or OpenInference attributes"
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
        let is = |value: &Value| match value {
            Value::List(items) => items.iter().any(is_export),
            other => is_export(other),
        };
        is(probe.sketch()) || probe.line_sketches().any(|line| is(&line))
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        super::load(source, report, is_export, |record, line, traces, report| {
            for record in record.as_list().unwrap_or(std::slice::from_ref(record)) {
                export(record, line, traces, report);
            }
        })
    }
}

fn is_export(value: &Value) -> bool {
    value
        .get("resourceSpans")
        .and_then(Value::as_list)
        .is_some()
}

fn export(record: &Value, line: Option<u64>, traces: &mut Traces, report: &mut Report) {
    let list = |value: &Value, names: &[&str]| {
        let found = names.iter().find_map(|name| value.get(name)?.as_list());
        found.unwrap_or_default().to_vec()
    };
    if !is_export(record) {
        report.unknown_record("record without resourceSpans", record, line);
        return;
    }
    for resource in list(record, &["resourceSpans"]) {
        for scope in list(&resource, &["scopeSpans", "instrumentationLibrarySpans"]) {
            for record in list(&scope, &["spans"]) {
                let trace = fields::text(&record, "traceId").unwrap_or_else(|| "".into());
                let mut span = span(&record, report);
                span.line = line;
                traces.entry(trace).or_default().push(span);
            }
        }
    }
}

fn span(record: &Value, report: &mut Report) -> Span {
    let mut attributes = Attributes::default();
    attributes.add(record);
    let events = record
        .get("events")
        .and_then(Value::as_list)
        .unwrap_or_default();
    for event in events {
        let name = event.get("name").and_then(Value::as_str).unwrap_or("");
        if name.starts_with("gen_ai.") {
            attributes.add(event);
        }
    }
    let name = fields::text(record, "name").unwrap_or_else(|| "?".into());
    let time = |name: &str| {
        record
            .get(name)
            .and_then(blocks::number)
            .and_then(|t| i64::try_from(t).ok())
    };
    let mut span = described(&attributes, report);
    if span.name.is_empty() {
        span.name = name;
    }
    Span {
        id: fields::text(record, "spanId").unwrap_or_else(|| "".into()),
        parent: fields::text(record, "parentSpanId").filter(|parent| !parent.is_empty()),
        start: time("startTimeUnixNano"),
        end: time("endTimeUnixNano"),
        error: error(record, &attributes, events),
        ..span
    }
}

/// What attributes say of a span: its kind, what went in and came out, model, tools, usage. Its name is
/// a tool's, else empty.
pub(super) fn described(attributes: &Attributes, report: &mut Report) -> Span {
    let kind = attributes.kind();
    let is_tool = kind == Kind::Tool;
    let input: &[&str] = if is_tool {
        &[
            "gen_ai.tool.call.arguments",
            "input.value",
            "traceloop.entity.input",
            "ai.toolCall.args",
        ]
    } else {
        &[
            "gen_ai.input.messages",
            "llm.input_messages",
            "gen_ai.prompt",
            "ai.prompt.messages",
            "ai.prompt",
            "input.value",
            "traceloop.entity.input",
        ]
    };
    let output: &[&str] = if is_tool {
        &[
            "gen_ai.tool.call.result",
            "output.value",
            "traceloop.entity.output",
            "ai.toolCall.result",
        ]
    } else {
        &[
            "gen_ai.output.messages",
            "llm.output_messages",
            "gen_ai.completion",
            "output.value",
            "traceloop.entity.output",
        ]
    };
    let tool = attributes.text(&["gen_ai.tool.name", "tool.name", "ai.toolCall.name"]);
    let instructions = attributes.get("gen_ai.system_instructions");
    let system = instructions
        .map(|told| blocks::text(&unwrapped(told).unwrap_or_else(|| told.clone())).into());
    let mut listed = schemas(&attributes.value(&["llm.tools"]));
    if let Some(found) = attributes
        .get("gen_ai.tool.definitions")
        .and_then(unwrapped)
    {
        listed.extend(tools(&found));
    }
    Span {
        kind,
        name: tool.filter(|_| is_tool).unwrap_or_else(|| "".into()),
        model: attributes.text(&[
            "gen_ai.response.model",
            "gen_ai.request.model",
            "llm.model_name",
            "ai.model.id",
        ]),
        usage: attributes.usage(report),
        input: attributes.value(input),
        output: attributes.value(output),
        system,
        tools: listed,
        call: attributes.text(&["gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"]),
        ..Span::default()
    }
}

/// Tools as OpenInference lists them: `tool.json_schema`.
fn schemas(listed: &Value) -> Vec<crate::step::Tool> {
    let items = listed.as_list().unwrap_or_default().iter();
    let schema = |tool: &Value| tool.get("tool")?.get("json_schema").cloned();
    tools(&Value::list(items.filter_map(schema).collect()))
}

/// Why a span failed: its status, an error's type, or an exception among its events.
fn error(record: &Value, attributes: &Attributes, events: &[Value]) -> Option<Value> {
    let status = record.get("status").unwrap_or(&Value::Nil);
    let failed = match status.get("code") {
        Some(Value::Int(code)) => *code == 2,
        Some(Value::Str(code)) => &**code == "STATUS_CODE_ERROR" || &**code == "2",
        _ => false,
    };
    let message = fields::text(status, "message").filter(|message| !message.is_empty());
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
