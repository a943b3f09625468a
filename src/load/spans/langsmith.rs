//! LangSmith's runs, as its export and its clients write them: an array, a run a line, or runs with
//! their children inside (`formats/otlp-genai.md`; fields by the "Run (span) data format" page of
//! LangSmith's documentation).

use std::sync::Arc;

use super::super::foreign::blocks;
use super::super::probe::Probe;
use super::super::{Loader, Records, Report, Source, fields};
use super::{Kind, Span, Traces, holds, listed, nanoseconds, tools};
use crate::error::Error;
use crate::step::{Step, Usage};
use crate::value::{Map, Value};

/// The loader of LangSmith runs.
#[derive(Debug)]
pub struct LangSmith;

impl Loader for LangSmith {
    fn name(&self) -> &'static str {
        "langsmith"
    }

    fn title(&self) -> &'static str {
        "LangSmith runs"
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
        holds(probe, LIST, is_run)
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        super::load(source, report, is_run, |record, line, traces, report| {
            for run in listed(record, LIST) {
                flatten(run, None, line, traces, report);
            }
        })
    }
}

fn is_run(value: &Value) -> bool {
    let has = |name: &&str| value.get(name).is_some();
    has(&"run_type")
        && [
            "trace_id",
            "dotted_order",
            "child_runs",
            "parent_run_id",
            "session_id",
        ]
        .iter()
        .any(has)
}

/// Where the API lists its runs.
const LIST: &str = "runs";

/// A run, then those inside of it, which are no deeper than JSON is read.
fn flatten(
    record: &Value,
    parent: Option<&(Arc<str>, Arc<str>)>,
    line: Option<u64>,
    traces: &mut Traces,
    report: &mut Report,
) {
    if record.as_map().is_none() || !is_run(record) && parent.is_none() {
        report.unknown_record("record that is no run", record, line);
        return;
    }
    let mut span = span(record, report);
    span.line = line;
    let trace = fields::text(record, "trace_id");
    let trace = trace.or_else(|| parent.map(|(trace, _)| Arc::clone(trace)));
    // The first run of a trace gives it its identifier.
    let trace = trace.unwrap_or_else(|| Arc::clone(&span.id));
    if span.parent.is_none() {
        span.parent = parent.map(|(_, id)| Arc::clone(id));
    }
    if span.kind == Kind::Chain && span.parent.is_none() {
        span.kind = Kind::Agent;
    }
    let this = (Arc::clone(&trace), Arc::clone(&span.id));
    // What began in the same millisecond is told apart by the order that the writer gives.
    span.order = fields::text(record, "dotted_order");
    traces.entry(trace).or_default().push(span);
    let children = record.get("child_runs").and_then(Value::as_list);
    for child in children.unwrap_or_default() {
        flatten(child, Some(&this), line, traces, report);
    }
}

fn span(record: &Value, report: &mut Report) -> Span {
    let parent = fields::text(record, "parent_run_id");
    let kind = match record.get("run_type").and_then(Value::as_str) {
        Some("llm") => Kind::Llm,
        Some("tool") => Kind::Tool,
        Some("chain") => Kind::Chain,
        // Anyone may name a type of one's own.
        _ => Kind::Other,
    };
    let time = |name: &str| record.get_some(name).and_then(nanoseconds);
    let inputs = record.get_some("inputs").unwrap_or(&Value::Nil);
    let outputs = record.get_some("outputs").unwrap_or(&Value::Nil);
    let output = match kind {
        Kind::Llm => reply(outputs),
        _ => only(outputs, &["output"]),
    };
    let extra = record.get_some("extra").unwrap_or(&Value::Nil);
    let given = extra.get_some("invocation_params").unwrap_or(&Value::Nil);
    let metadata = extra.get_some("metadata").unwrap_or(&Value::Nil);
    let model = ["model", "model_name"].iter();
    let mut model = model.filter_map(|name| fields::text(given, name));
    let message = plain(&output);
    let answered = match kind {
        Kind::Tool => fields::text(&message, "tool_call_id"),
        _ => None,
    };
    let is_error = |told: &Value| fields::text(told, "status").as_deref() == Some("error");
    let error = record.get_some("error").and_then(fields::text_or_printed);
    let error = error.filter(|text| !text.is_empty()).map(Value::Str);
    let error = error.or_else(|| {
        let content = || message.get("content").cloned().unwrap_or_default();
        is_error(&message).then(content)
    });
    Span {
        id: fields::text(record, "id").unwrap_or_else(|| "".into()),
        parent,
        kind,
        name: fields::text(record, "name").unwrap_or_else(|| "?".into()),
        start: time("start_time"),
        end: time("end_time"),
        model: model
            .next()
            .or_else(|| fields::text(metadata, "ls_model_name")),
        usage: usage(record, outputs, metadata, report),
        error: error.or_else(|| is_error(record).then(|| Value::string("error"))),
        input: match kind {
            Kind::Tool => only(inputs, &["input"]),
            _ => messages(inputs),
        },
        output: match (kind, message.get_some("content")) {
            (Kind::Tool, Some(content)) => content.clone(),
            _ => output,
        },
        tools: given.get_some("tools").map(tools).unwrap_or_default(),
        call: answered,
        ..Span::default()
    }
}

/// A map's value where it has one of these names alone, else all of it.
fn only(value: &Value, names: &[&str]) -> Value {
    let is_alone = value.as_map().is_some_and(|entries| entries.len() == 1);
    let found = names.iter().filter(|_| is_alone);
    let mut found = found.filter_map(|name| value.get_some(name));
    found.next().unwrap_or(value).clone()
}

/// What a model or a chain was given: its messages, plain; a list of lists holds one prompt.
fn messages(inputs: &Value) -> Value {
    let Some(list) = inputs.get("messages").and_then(Value::as_list) else {
        return only(inputs, &["input", "question", "query"]);
    };
    let list = match list {
        [Value::List(inner)] => inner,
        other => other,
    };
    let mut found = Map::default();
    found.insert(
        Value::string("messages"),
        Value::list(list.iter().map(plain).collect()),
    );
    Value::map(found)
}

/// What a model answered: the first generation's message, or all of the output.
fn reply(outputs: &Value) -> Value {
    let mut found = outputs.get("generations");
    while let Some(Value::List(items)) = found {
        found = items.first();
    }
    match found {
        Some(generation) => plain(generation.get_some("message").unwrap_or(generation)),
        None => outputs.clone(),
    }
}

/// A message that was written as the constructor of its class, as an ordinary one: with its role, and
/// with its calls once.
fn plain(message: &Value) -> Value {
    let Some(entries) = message.get("kwargs").and_then(Value::as_map) else {
        return message.clone();
    };
    let mut entries = entries.clone();
    let class = message.get("id").and_then(Value::as_list);
    let class = class.and_then(|names| names.last()?.as_str()).unwrap_or("");
    let role = match class.trim_end_matches("Chunk") {
        "HumanMessage" => Some("user"),
        "AIMessage" => Some("assistant"),
        "SystemMessage" => Some("system"),
        "ToolMessage" | "FunctionMessage" => Some("tool"),
        _ => None,
    };
    if let Some(role) = role {
        entries.insert(Value::string("role"), Value::string(role));
    }
    Value::map(entries)
}

/// A run's own counts, else those of its message or of what is known of the run.
fn usage(record: &Value, outputs: &Value, metadata: &Value, report: &mut Report) -> Usage {
    let message = reply(outputs);
    let told = [
        message.get_some("usage_metadata"),
        outputs.get_some("usage_metadata"),
        outputs.get_some("usage"),
        metadata.get_some("usage_metadata"),
        outputs
            .get("llm_output")
            .and_then(|output| output.get_some("token_usage")),
    ];
    let Some(told) = told.into_iter().flatten().next() else {
        return blocks::usage(record, report);
    };
    let mut usage = blocks::usage(told, report);
    let details = told.get_some("input_token_details").unwrap_or(&Value::Nil);
    usage.cache_read = usage
        .cache_read
        .or_else(|| blocks::count(details, &["cache_read"], report));
    usage.cache_write = usage
        .cache_write
        .or_else(|| blocks::count(details, &["cache_creation"], report));
    usage
}
