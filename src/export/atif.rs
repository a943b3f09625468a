//! A run as an ATIF trajectory (`formats/atif.md`), version 1.7, which [`crate::load::Atif`] reads back:
//! the same turns, calls, results and tokens.
//!
//! What the format has no place for is left out: memory, definitions, durations of calls, the marks of
//! failed turns. A failed call has `is_error` beside its result; where that is not its error, the error
//! stands there too.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::chat::{object, own_result, plain, text};
use super::pretty;
use crate::step::{Ending, Input, Step, ToolCall, Turn, Usage};

/// Runs within runs that are written.
const DEPTH: usize = 16;
/// What has, in the extras of a step, the provider's error in place of a reply.
const REQUEST_FAILED: &str = "request_failed";
/// What a run cost, by the name that others have for it, too.
const COST: &str = "total_cost_usd";

/// The trajectory's text, with a line end.
pub fn write(step: &Step) -> String {
    pretty(&trajectory(step, "run", 0))
}

/// An object under construction.
#[derive(Default)]
struct Record(Map<String, Json>);

impl Record {
    fn set(&mut self, name: &str, value: impl Into<Json>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn maybe(&mut self, name: &str, value: Option<impl Into<Json>>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }
}

/// A run; `id` tells it from others in the same file.
fn trajectory(step: &Step, id: &str, depth: usize) -> Json {
    let mut steps = Steps::default();
    if let Some(system) = &step.system_prompt {
        steps.said("system", system);
    }
    if let Some(mission) = &step.mission {
        steps.said("user", mission);
    }
    let child_id = |at: usize| format!("{id}-{}", at + 1);
    let reference = |at: usize| {
        let child = step.children.get(at)?;
        let mut found = Record::default();
        match &child.elsewhere {
            Some(path) => found.set("trajectory_path", &**path),
            None => found.set("trajectory_id", child_id(at)),
        }
        found.maybe("session_id", child.trace_id.as_deref());
        Some(json!([found.0]))
    };
    let mut linked = vec![false; step.children.len()];
    let mut open: HashSet<Arc<str>> = HashSet::new();
    for turn in step.each_turn() {
        for call in turn.tool_calls() {
            open.extend(call.id.clone().filter(|_| !call.is_answered()));
            if let Some(place) = call.child.and_then(|at| linked.get_mut(at)) {
                *place = true;
            }
        }
        steps.inputs(step, turn.input(), turn.inputs());
        steps.turn(&turn, &reference);
    }
    steps.inputs(step, step.pending_input.as_ref(), &step.pending_inputs);
    // A result of no call stays one, though it names a call that has none.
    let unmatched = |call: &ToolCall| {
        let id = call.id.as_deref().filter(|id| !open.contains(*id));
        result(call, id, None).unwrap_or_else(|| json!({ "source_call_id": id }))
    };
    let mut loose: Vec<Json> = step.unmatched_results.iter().map(unmatched).collect();
    let unlinked = (0..linked.len()).filter(|at| !linked[*at]);
    loose
        .extend(unlinked.filter_map(|at| Some(json!({"subagent_trajectory_ref": reference(at)?}))));
    if !loose.is_empty() {
        let mut record = Record::default();
        record.set("source", "system");
        record.set("message", "");
        record.set("observation", json!({ "results": loose }));
        // Else what names no call reads as what the system did in between.
        record.set("extra", json!({ "of_no_call": true }));
        steps.push(record);
    }
    let mut run = Record::default();
    run.set("schema_version", "ATIF-v1.7");
    run.maybe("session_id", step.trace_id.as_deref());
    run.set("trajectory_id", id);
    run.set("agent", agent(step));
    run.set("steps", steps.list);
    run.maybe("final_metrics", totals(step));
    run.maybe("continued_trajectory_ref", step.continued.as_deref());
    match &step.ending {
        Ending::Return(answer) => run.set("extra", json!({"returned": plain(answer)})),
        Ending::Fail(failure) => {
            let words =
                json!({"reason": failure.reason.as_deref(), "message": failure.message.as_deref()});
            run.set("extra", json!({ "failed": words }));
        }
        Ending::Open => {}
    }
    if depth < DEPTH {
        let children = step.children.iter().enumerate();
        let here = children.filter(|(_, child)| child.elsewhere.is_none());
        let inside = here.map(|(at, child)| trajectory(child, &child_id(at), depth + 1));
        let inside: Vec<Json> = inside.collect();
        run.maybe(
            "subagent_trajectories",
            (!inside.is_empty()).then_some(inside),
        );
    }
    Json::Object(run.0)
}

fn agent(step: &Step) -> Json {
    let mut agent = Record::default();
    agent.set("name", step.name.as_deref().unwrap_or("agent"));
    agent.set("version", "unknown");
    agent.maybe("model_name", step.model.as_deref());
    let tools = step.tools.iter().map(|tool| {
        let mut told = Record::default();
        told.set("name", &*tool.name);
        told.maybe("description", tool.description.as_deref());
        json!({"type": "function", "function": told.0})
    });
    let tools: Vec<Json> = tools.collect();
    agent.maybe("tool_definitions", (!tools.is_empty()).then_some(tools));
    Json::Object(agent.0)
}

/// The steps so far, numbered from 1.
#[derive(Default)]
struct Steps {
    list: Vec<Json>,
}

impl Steps {
    fn push(&mut self, mut record: Record) {
        record.set("step_id", self.list.len() + 1);
        self.list.push(Json::Object(record.0));
    }

    fn said(&mut self, source: &str, text: &str) {
        let mut record = Record::default();
        record.set("source", source);
        record.set("message", text);
        self.push(record);
    }

    fn inputs(&mut self, step: &Step, joined: Option<&Arc<str>>, inputs: &[Input]) {
        for input in Input::apart(joined, inputs) {
            // Before the mission a step of the system is its prompt.
            let source = if input.injected && step.mission.is_some() {
                "system"
            } else {
                "user"
            };
            self.said(source, &input.text);
        }
    }

    fn turn(&mut self, turn: &Turn, reference: &impl Fn(usize) -> Option<Json>) {
        let mut record = Record::default();
        record.set("source", "agent");
        record.maybe("timestamp", turn.started_at().map(|at| &**at));
        let program = turn.program().get();
        let said = match (turn.raw_response().get(), program) {
            (Some(response), _) => response.to_string(),
            (None, Some(program)) => format!("```{}\n{}\n```", program.language, program.source),
            (None, None) => String::new(),
        };
        record.set("message", said);
        record.maybe(
            "reasoning_content",
            turn.thinking().get().map(|text| &**text),
        );
        let mut calls = Vec::new();
        let mut results = Vec::new();
        for (at, call) in turn.tool_calls().iter().enumerate() {
            let id = call.id.as_deref().map(str::to_owned);
            let id = id.unwrap_or_else(|| format!("call-{}-{}", turn.number(), at + 1));
            calls.push(json!({
                "tool_call_id": id,
                "function_name": &*call.name,
                "arguments": object(&call.args),
            }));
            results.extend(result(call, Some(&id), call.child.and_then(reference)));
        }
        record.maybe("tool_calls", (!calls.is_empty()).then_some(calls));
        let mut printed: Vec<String> = turn.prints().iter().map(ToString::to_string).collect();
        printed.extend(own_result(turn).map(text));
        if turn.request_failed() {
            // No observation of the model: why asking it failed.
            let error = turn.result().get().map(text).unwrap_or_default();
            record.set("extra", json!({ REQUEST_FAILED: error }));
        }
        results.extend(printed.into_iter().map(|text| json!({ "content": text })));
        if !results.is_empty() {
            record.set("observation", json!({ "results": results }));
        }
        record.maybe("metrics", metrics(turn.usage()));
        if turn.copied() {
            record.set("is_copied_context", true);
        }
        self.push(record);
    }
}

/// What a call came to, where that is recorded.
fn result(call: &ToolCall, id: Option<&str>, child: Option<Json>) -> Option<Json> {
    let mut record = Record::default();
    record.maybe("source_call_id", id);
    let seen = call.seen();
    let content = seen.result.or(seen.error);
    // That a tool gave nothing is a result, too: else the call would be one without an answer.
    if content.is_none() && child.is_none() && !call.is_answered() {
        return None;
    }
    record.maybe(
        "content",
        content.filter(|content| !content.is_nil()).map(text),
    );
    record.maybe("subagent_trajectory_ref", child);
    if let Some(error) = &call.error {
        let mut extra = json!({"is_error": true});
        if content != Some(error) {
            extra["error"] = plain(error);
        }
        record.set("extra", extra);
    }
    Some(Json::Object(record.0))
}

fn metrics(usage: Usage) -> Option<Json> {
    counts(
        usage,
        ["prompt_tokens", "completion_tokens", "cached_tokens"],
    )
}

fn totals(step: &Step) -> Option<Json> {
    let names = [
        "total_prompt_tokens",
        "total_completion_tokens",
        "total_cached_tokens",
    ];
    let cost = step.figures.get_some(COST).map(plain);
    let cost = cost.filter(Json::is_number);
    let mut totals = counts(step.usage, names);
    if let Some(cost) = cost {
        totals.get_or_insert_with(|| json!({}))[COST] = cost;
    }
    totals
}

fn counts(usage: Usage, names: [&str; 3]) -> Option<Json> {
    let mut record = Record::default();
    for (name, count) in names
        .into_iter()
        .zip([usage.input, usage.output, usage.cache_read])
    {
        record.maybe(name, count);
    }
    (!record.0.is_empty()).then_some(Json::Object(record.0))
}
