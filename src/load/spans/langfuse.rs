//! Langfuse's downloads of a trace: `{trace, observations}`, or a trace with its observations inside
//! (`formats/otlp-genai.md`).

use std::sync::Arc;

use super::super::foreign::{blocks, nothing, unwrapped};
use super::super::source::Probe;
use super::super::{Loader, Records, Report, Source, fields};
use super::{Kind, Span, each_record, nanoseconds, tree};
use crate::error::Error;
use crate::step::{Step, Usage};
use crate::value::{Value, json};

/// The loader of Langfuse traces.
#[derive(Debug)]
pub struct Langfuse;

impl Loader for Langfuse {
    fn name(&self) -> &'static str {
        "langfuse"
    }

    fn title(&self) -> &'static str {
        "Langfuse trace"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, calls, results, usage, durations, errors",
            missing: "memory, inputs",
        }
    }

    fn marks_inputs(&self) -> bool {
        false
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let is = |value: &Value| {
            let records = value.as_list().unwrap_or(std::slice::from_ref(value));
            records.iter().any(is_trace)
        };
        is(probe.sketch()) || probe.line_sketches().any(|line| is(&line))
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        let mut steps = Vec::new();
        each_record(source, report, is_trace, |record, _, report| {
            for record in record.as_list().unwrap_or(std::slice::from_ref(record)) {
                match observations(record) {
                    Some(observations) => steps.push(step(record, observations, report)),
                    None => report.unknown_record("record without observations", record, None),
                }
            }
        })?;
        if steps.is_empty() {
            return Err(nothing(
                source,
                "a Langfuse trace holds 'observations', and this has none",
            ));
        }
        Ok(steps.into_iter().map(Arc::new).collect())
    }
}

fn observations(record: &Value) -> Option<&[Value]> {
    let trace = record.get("trace").unwrap_or(&Value::Nil);
    let found = record
        .get("observations")
        .or_else(|| trace.get("observations"));
    found.and_then(Value::as_list)
}

/// Whether a record is a trace with what was observed in it.
fn is_trace(record: &Value) -> bool {
    let Some(observations) = observations(record) else {
        return false;
    };
    let is_observation = |value: &Value| {
        value.get("type").and_then(Value::as_str).is_some() && value.get("startTime").is_some()
    };
    let is_trace = record.get("trace").is_some() || record.get("projectId").is_some();
    observations.iter().any(is_observation) || is_trace
}

fn step(record: &Value, observations: &[Value], report: &mut Report) -> Step {
    let trace = record.get_some("trace").unwrap_or(record);
    let observations = observations.iter();
    let spans = observations.map(|record| span(record, report)).collect();
    let mut step = tree::step(spans, report).unwrap_or_else(|| {
        report.note("no observation of the trace is a model's reply or an agent's step");
        super::super::foreign::run::Run::new().finish()
    });
    step.name = fields::text(trace, "name").or(step.name);
    step.trace_id = fields::text(trace, "id");
    step
}

fn span(record: &Value, report: &mut Report) -> Span {
    let name = fields::text(record, "name").unwrap_or_else(|| "?".into());
    let metadata = record
        .get_some("metadata")
        .and_then(unwrapped)
        .unwrap_or_default();
    let attributes = metadata.get("attributes").unwrap_or(&metadata);
    let named = fields::text(attributes, "gen_ai.tool.name");
    let tool = name.strip_prefix("tool.").map(Into::into);
    let kind = match record.get("type").and_then(Value::as_str) {
        Some("GENERATION") => Kind::Llm,
        Some("TOOL") => Kind::Tool,
        Some("SPAN") if tool.is_some() => Kind::Tool,
        Some("AGENT") => Kind::Agent,
        Some("CHAIN") => Kind::Chain,
        Some("SPAN" | "EVENT" | "RETRIEVER" | "EMBEDDING" | "EVALUATOR" | "GUARDRAIL") => {
            Kind::Other
        }
        other => {
            report.unknown_record(other.unwrap_or("observation without a type"), record, None);
            Kind::Other
        }
    };
    let is_tool = kind == Kind::Tool;
    let time = |name: &str| record.get_some(name).and_then(nanoseconds);
    let failed = record.get("level").and_then(Value::as_str) == Some("ERROR");
    let message = fields::text(record, "statusMessage");
    Span {
        id: fields::text(record, "id").unwrap_or_else(|| "".into()),
        parent: fields::text(record, "parentObservationId"),
        kind,
        name: named.or(tool).filter(|_| is_tool).unwrap_or(name),
        start: time("startTime"),
        end: time("endTime"),
        model: fields::text(record, "model"),
        usage: usage(record, report),
        error: failed.then(|| message.map_or_else(|| Value::string("error"), Value::Str)),
        input: value(record, "input"),
        output: value(record, "output"),
        call: fields::text(attributes, "gen_ai.tool.call.id"),
        ..Span::default()
    }
}

/// An input or output: JSON in a text as a rule.
fn value(record: &Value, name: &str) -> Value {
    let found = record.get_some(name).cloned().unwrap_or_default();
    match &found {
        // A text within quotes is JSON as well.
        Value::Str(text) if text.starts_with('"') => {
            json::parse(text.as_bytes()).map_or(found, |parsed| parsed.value)
        }
        other => unwrapped(other).unwrap_or(found),
    }
}

fn usage(record: &Value, report: &mut Report) -> Usage {
    let told = record
        .get_some("usageDetails")
        .or_else(|| record.get_some("usage"));
    let Some(told) = told else {
        return Usage::default();
    };
    let cached = [
        "input_cache_read",
        "prompt_details.cache_read",
        "input_cached_tokens",
        "cache_read_input_tokens",
    ];
    let mut usage = blocks::usage(told, report);
    usage.cache_read = usage
        .cache_read
        .or_else(|| blocks::count(told, &cached, report));
    let cached = usage.cache_read;
    blocks::with_cached_beside(usage, cached)
}
