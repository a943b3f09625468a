//! Langfuse's downloads of a trace: `{trace, observations}`, or a trace with its observations inside
//! (`formats/otlp-genai.md`); and exports of observations alone, each with its trace's identifier.

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::IndexMap;

use super::super::foreign::{blocks, nothing, unwrapped};
use super::super::probe::Probe;
use super::super::{Loader, Records, Report, Source, fields};
use super::{Kind, Span, each_record, listed, nanoseconds, said, tree};
use crate::error::Error;
use crate::step::{Step, Usage};
use crate::value::{Map, Value, json};

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
        let is = |value: &Value| listed(value, "data").iter().any(is_record);
        is(probe.sketch()) || probe.line_sketches().any(|line| is(&line))
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        let mut steps = Vec::new();
        let mut loose: IndexMap<Arc<str>, Vec<Value>> = IndexMap::new();
        each_record(source, report, is_record, |record, _, report| {
            for record in listed(record, "data") {
                if let Some(observations) = observations(record) {
                    steps.push(step(record, observations, report));
                } else if let Some(trace) = trace_of(record) {
                    loose.entry(trace).or_default().push(record.clone());
                } else {
                    report.unknown_record("record without observations", record, None);
                }
            }
        })?;
        for (trace, observations) in loose {
            let about = Map::from_iter([(Value::string("id"), Value::Str(trace))]);
            steps.push(step(&Value::map(about), &observations, report));
        }
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

/// Whether a record is a trace, or an observation that names its own.
fn is_record(record: &Value) -> bool {
    is_trace(record) || trace_of(record).is_some()
}

/// The trace of an observation that stands for itself.
fn trace_of(record: &Value) -> Option<Arc<str>> {
    kind(record)?;
    get(record, "startTime", "start_time")?;
    get(record, "traceId", "trace_id")
        .and_then(Value::as_str)
        .map(Into::into)
}

/// What an observation is, by its type; none where nobody knows it.
fn kind(record: &Value) -> Option<Kind> {
    Some(match record.get("type").and_then(Value::as_str)? {
        "GENERATION" => Kind::Llm,
        "TOOL" => Kind::Tool,
        "AGENT" => Kind::Agent,
        "CHAIN" => Kind::Chain,
        "SPAN" | "EVENT" | "RETRIEVER" | "EMBEDDING" | "EVALUATOR" | "GUARDRAIL" => Kind::Other,
        _ => return None,
    })
}

/// What stands under a name; exports to files write it in snake case.
fn get<'a>(record: &'a Value, name: &str, snake: &str) -> Option<&'a Value> {
    record.get_some(name).or_else(|| record.get_some(snake))
}

fn step(record: &Value, observations: &[Value], report: &mut Report) -> Step {
    let trace = record.get_some("trace").unwrap_or(record);
    let observations = observations.iter();
    let mut spans: Vec<Span> = observations.map(|record| span(record, report)).collect();
    // What went in and came out may stand with the trace alone.
    let known: HashSet<Arc<str>> = spans.iter().map(|span| Arc::clone(&span.id)).collect();
    let is_root = |span: &&mut Span| {
        let parent = span.parent.as_ref();
        parent.is_none_or(|parent| !known.contains(parent)) && span.kind != Kind::Llm
    };
    let is_top = |span: &&Span| {
        span.parent
            .as_ref()
            .is_none_or(|parent| !known.contains(parent))
    };
    let is_topped = spans.iter().filter(is_top).count() == 1;
    let told = [value(trace, "input"), value(trace, "output")];
    let roots = spans.iter_mut().filter(is_root);
    let first = roots.min_by_key(|span| span.start).filter(|_| is_topped);
    if let Some(root) = first {
        let [input, output] = told;
        for (own, told) in [(&mut root.input, input), (&mut root.output, output)] {
            if own.is_nil() {
                *own = told;
            }
        }
    } else if told.iter().any(|told| !told.is_nil()) {
        // Nothing stands above all of it but the trace.
        spans.push(above(trace, told, &spans));
    }
    let mut step = tree::step(spans, report).unwrap_or_else(|| {
        report.note("no observation of the trace is a model's reply or an agent's step");
        super::super::foreign::run::Run::new().finish()
    });
    step.name = fields::text(trace, "name").or(step.name);
    step.trace_id = fields::text(trace, "id");
    step
}

/// The trace as a span, without a beginning of its own: the first of those that nothing stands above.
fn above(trace: &Value, [input, output]: [Value; 2], spans: &[Span]) -> Span {
    Span {
        id: fields::text(trace, "id").unwrap_or_else(|| "".into()),
        kind: Kind::Other,
        name: fields::text(trace, "name").unwrap_or_else(|| "?".into()),
        start: spans
            .iter()
            .filter_map(|span| span.start)
            .min()
            .map(|start| start.saturating_sub(1)),
        input,
        output,
        ..Span::default()
    }
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
    let of_type = record.get("type").and_then(Value::as_str);
    let kind = match kind(record) {
        Some(Kind::Other) if of_type == Some("SPAN") && tool.is_some() => Kind::Tool,
        Some(kind) => kind,
        None => {
            let of_type = of_type.unwrap_or("observation without a type");
            report.unknown_record(of_type, record, None);
            Kind::Other
        }
    };
    let is_tool = kind == Kind::Tool;
    let failed = record.get("level").and_then(Value::as_str) == Some("ERROR");
    let text = |name, snake| {
        get(record, name, snake)
            .and_then(Value::as_str)
            .map(Arc::from)
    };
    let message: Option<Arc<str>> = text("statusMessage", "status_message");
    let output = value(record, "output");
    let answer = said::tool_message(&output).filter(|_| is_tool);
    let refused =
        answer.filter(|answer| fields::text(answer, "status").as_deref() == Some("error"));
    let error = failed.then(|| message.map_or_else(|| Value::string("error"), Value::Str));
    let error = error.or_else(|| refused?.get("content").cloned());
    let call = answer.and_then(|answer| fields::text(answer, "tool_call_id"));
    Span {
        id: fields::text(record, "id").unwrap_or_else(|| "".into()),
        parent: text("parentObservationId", "parent_observation_id"),
        kind,
        name: named.or(tool).filter(|_| is_tool).unwrap_or(name),
        start: get(record, "startTime", "start_time").and_then(nanoseconds),
        end: get(record, "endTime", "end_time").and_then(nanoseconds),
        model: text("model", "provided_model_name"),
        usage: usage(record, report),
        error,
        input: value(record, "input"),
        call: fields::text(attributes, "gen_ai.tool.call.id").or(call),
        output,
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
    let told = get(record, "usageDetails", "usage_details").or_else(|| record.get_some("usage"));
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
    with_parts_beside(blocks::with_cached_beside(usage, cached), told)
}

/// Usage whose output has the thinking, and whose input what was read from the cache, where the total
/// shows that they were counted beside.
fn with_parts_beside(mut usage: Usage, told: &Value) -> Usage {
    let (Some(input), Some(output), Some(total)) = (usage.input, usage.output, usage.total) else {
        return usage;
    };
    let sum = |start: &str| {
        let parts = told.as_map().into_iter().flatten();
        let parts = parts.filter(|(name, _)| name.as_name().is_some_and(|n| n.starts_with(start)));
        let parts = parts.filter_map(|(_, count)| blocks::number(count));
        parts.fold(0, u64::saturating_add)
    };
    let (inside, outside) = (sum("input_"), sum("output_"));
    let all = |parts: &[u64]| parts.iter().copied().fold(0, u64::saturating_add);
    if all(&[input, output, outside]) == total {
        usage.output = Some(output.saturating_add(outside));
    } else if all(&[input, output, inside, outside]) == total {
        usage.input = Some(input.saturating_add(inside));
        usage.output = Some(output.saturating_add(outside));
    }
    usage
}
