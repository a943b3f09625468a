//! ATIF, the Agent Trajectory Interchange Format (`formats/atif.md`): one object a run, its steps
//! from the system, the user and the agent. Some files hold several runs, one the other's child.

mod large;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::foreign::run::{Answer, Draft, Run};
use super::foreign::{arguments, blocks, clock, document, nothing};
use super::probe::Probe;
use super::{Loader, Records, Report, Source, fields, records, salvage};
use crate::error::Error;
use crate::step::{EventKind, Field, Step, Tool, ToolCall, Usage};
use crate::value::{Value, json};

/// The loader of ATIF trajectories.
#[derive(Debug)]
pub struct Atif;

/// Thousands of numbers a step, and most of a file.
const SKIPPED: &[&str] = &["prompt_token_ids", "completion_token_ids", "logprobs"];

/// Runs within runs that are followed; each is read once anyway.
const MAX_DEPTH: usize = 16;

impl Loader for Atif {
    fn name(&self) -> &'static str {
        "atif"
    }

    fn title(&self) -> &'static str {
        "ATIF trajectory (Harbor, Terminal-Bench 2)"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, thinking, calls and results, tools, inputs, usage, children, continuation",
            missing: "which calls failed, memory, durations but between two steps; the outcome",
        }
    }

    fn marks_failed_calls(&self) -> bool {
        false
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let sketch = probe.sketch();
        let is = |value: &Value| is_trajectory(value);
        // The version may stand behind more steps than are looked at.
        let behind = || probe.has_key("schema_version") && has_steps(sketch);
        match sketch {
            Value::Map(entries) => is(sketch) || entries.values().any(is) || behind(),
            Value::List(items) => items.iter().any(is),
            _ => false,
        }
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        if let Some(step) = large::read(source, report) {
            return Ok(vec![Arc::new(step)]);
        }
        let parse: salvage::Parse = |text| json::parse_without(text, SKIPPED);
        let mut documents = Vec::new();
        if are_lines(source) {
            records::read_all(source, report, is_trajectory, |_, value, _| {
                documents.push(value);
            });
        } else {
            documents.push(document(source, report, parse)?);
        }
        let found = documents.iter().flat_map(|value| match value {
            // Forced by name, an object with steps is taken for one.
            Value::Map(entries) if value.get("steps").is_none() => entries.values().collect(),
            Value::List(items) => items.iter().collect(),
            _ => vec![value],
        });
        let found = found.filter(|run| run.get("steps").is_some());
        let mut files = Files::new(found.collect());
        if files.runs.is_empty() {
            return Err(nothing(
                source,
                "an ATIF trajectory holds 'steps', and this has none",
            ));
        }
        let roots = files.roots();
        let read = |run| files.step(run, 0, report);
        Ok(roots.into_iter().filter_map(read).collect())
    }
}

/// Whether a source holds a trajectory a line, and more than one.
fn are_lines(source: &Source) -> bool {
    let mut lines = source.first_lines();
    let is_first = lines.next().is_some_and(|(_, line)| is_line(line));
    is_first && lines.next().is_some_and(|(_, line)| line.starts_with(b"{"))
}

/// Whether a line is a trajectory by itself.
fn is_line(line: &[u8]) -> bool {
    let read = salvage::read_record(line);
    read.is_some_and(|read| is_trajectory(&read.parsed.value))
}

/// Known by its version; one writer leaves the prefix out.
fn is_trajectory(value: &Value) -> bool {
    let Some(version) = value.get("schema_version").and_then(Value::as_str) else {
        return false;
    };
    let bare = version.starts_with("1.") && value.get("agent").is_some();
    version.starts_with("ATIF-v") || (bare && value.get("steps").is_some())
}

/// Whether an object has steps as a trajectory has them.
fn has_steps(value: &Value) -> bool {
    let steps = value.get("steps").and_then(Value::as_list);
    let source = |step: &Value| fields::text(step, "source");
    let known = |step: &Value| {
        source(step).is_some_and(|source| ["system", "user", "agent"].contains(&&*source))
    };
    steps.is_some_and(|steps| !steps.is_empty() && steps.iter().all(known))
}

/// The runs of a file, those that stand inside others included, by their identifiers.
struct Files<'a> {
    runs: Vec<&'a Value>,
    by_id: HashMap<&'a str, &'a Value>,
    /// The runs that were made, or are being made, by their places. Each is a run once: where several
    /// refer to each other or to the same, the ways through them are without number.
    made: HashSet<*const Value>,
}

impl<'a> Files<'a> {
    fn new(runs: Vec<&'a Value>) -> Self {
        let mut by_id = HashMap::new();
        let mut all = runs.clone();
        let mut at = 0;
        while let Some(run) = all.get(at).copied() {
            all.extend(inside(run));
            at += 1;
        }
        for run in all {
            for name in ["trajectory_id", "session_id"] {
                if let Some(id) = run.get(name).and_then(Value::as_str) {
                    by_id.entry(id).or_insert(run);
                }
            }
        }
        Self {
            runs,
            by_id,
            made: HashSet::new(),
        }
    }

    /// The runs that a run refers to or holds.
    fn below(&self, run: &'a Value) -> impl Iterator<Item = &'a Value> {
        let referred = references(run).into_iter();
        referred
            .filter_map(|reference| self.find(reference))
            .chain(inside(run))
            .filter(move |other| !std::ptr::eq(*other, run))
    }

    /// The runs that no other refers to, and of those that refer to each other the first.
    fn roots(&self) -> Vec<&'a Value> {
        let all = self.runs.iter();
        let referred: HashSet<*const Value> = all
            .flat_map(|run| self.below(run).map(std::ptr::from_ref))
            .collect();
        let (mut roots, rest): (Vec<&Value>, Vec<&Value>) = self
            .runs
            .iter()
            .partition(|run| !referred.contains(&std::ptr::from_ref::<Value>(run)));
        let mut reached = HashSet::new();
        let reach = |from: &'a Value, reached: &mut HashSet<*const Value>| {
            let mut open = vec![from];
            while let Some(run) = open.pop() {
                if reached.insert(std::ptr::from_ref(run)) {
                    open.extend(self.below(run));
                }
            }
        };
        for root in &roots {
            reach(root, &mut reached);
        }
        for run in rest {
            if !reached.contains(&std::ptr::from_ref(run)) {
                reach(run, &mut reached);
                roots.push(run);
            }
        }
        roots
    }

    fn find(&self, reference: &Value) -> Option<&'a Value> {
        let id = |name: &str| reference.get(name).and_then(Value::as_str);
        let ids = [id("trajectory_id"), id("session_id")];
        ids.into_iter()
            .flatten()
            .find_map(|id| self.by_id.get(id).copied())
    }

    /// The step of a run, where it is none yet.
    fn step(&mut self, run: &'a Value, depth: usize, report: &mut Report) -> Option<Arc<Step>> {
        if depth > MAX_DEPTH {
            report.note("runs that are nested deep are left out");
            return None;
        }
        let is_new = self.made.insert(std::ptr::from_ref(run));
        is_new.then(|| Arc::new(self.read(run, depth, report)))
    }

    fn read(&mut self, itself: &'a Value, depth: usize, report: &mut Report) -> Step {
        let steps = itself.get("steps").and_then(Value::as_list);
        let mut run = Run::new();
        let mut reader = Reader::new(self, &mut run, depth, report);
        reader.about(itself);
        let steps = steps.unwrap_or_default();
        for (at, step) in steps.iter().enumerate() {
            reader.record(step, steps.get(at + 1));
        }
        // Runs inside that no step refers to are shown all the same.
        let referred: HashSet<*const Value> = references(itself)
            .into_iter()
            .filter_map(|reference| self.find(reference))
            .map(std::ptr::from_ref)
            .collect();
        for other in inside(itself) {
            if !referred.contains(&std::ptr::from_ref(other)) {
                let child = self.step(other, depth + 1, report);
                run.step.children.extend(child);
            }
        }
        run.finish()
    }
}

/// The runs that stand inside a run's own record.
fn inside(run: &Value) -> impl Iterator<Item = &Value> {
    let found = run.get("subagent_trajectories").and_then(Value::as_list);
    found.unwrap_or_default().iter()
}

/// What a run says of other runs.
fn references(run: &Value) -> Vec<&Value> {
    let steps = run.get("steps").and_then(Value::as_list);
    let results = steps.unwrap_or_default().iter().flat_map(results);
    results.flat_map(result_references).collect()
}

fn results(step: &Value) -> &[Value] {
    let results = step.get("observation").and_then(|told| told.get("results"));
    results.and_then(Value::as_list).unwrap_or_default()
}

fn result_references(result: &Value) -> &[Value] {
    match result.get("subagent_trajectory_ref") {
        Some(Value::List(references)) => references,
        Some(reference @ Value::Map(_)) => std::slice::from_ref(reference),
        _ => &[],
    }
}

/// What a reference alone says of a run.
fn referred(reference: &Value) -> Step {
    let mut step = Run::new().finish();
    let mut ids = ["session_id", "trajectory_id"].into_iter();
    step.trace_id = ids.find_map(|name| fields::text(reference, name));
    step.elsewhere = fields::text(reference, "trajectory_path");
    let told = reference
        .get("extra")
        .and_then(|extra| fields::text(extra, "summary"));
    step.name = told.or_else(|| step.trace_id.clone());
    step
}

/// Why the call of a result failed. The format has no mark for it; `export::atif` writes this one, and
/// an error that is not the content beside it.
fn failure(result: &Value) -> Option<Value> {
    let extra = result.get_some("extra")?;
    if extra.get("is_error").and_then(Value::as_bool) != Some(true) {
        return None;
    }
    let told = extra.get_some("error").cloned();
    let content = || result.get_some("content").map(blocks::text);
    Some(told.unwrap_or_else(|| content().map_or_else(|| "failed".into(), Value::string)))
}

struct Reader<'a, 'b> {
    files: &'b mut Files<'a>,
    run: &'b mut Run,
    /// Its children by the places of their runs.
    own: HashMap<*const Value, usize>,
    depth: usize,
    report: &'b mut Report,
}

impl<'a, 'b> Reader<'a, 'b> {
    fn new(
        files: &'b mut Files<'a>,
        run: &'b mut Run,
        depth: usize,
        report: &'b mut Report,
    ) -> Self {
        Self {
            files,
            run,
            own: HashMap::new(),
            depth,
            report,
        }
    }

    /// What stands beside the steps.
    fn about(&mut self, run: &Value) {
        let agent = run.get("agent").unwrap_or(&Value::Nil);
        let step = &mut self.run.step;
        step.name = fields::text(agent, "name");
        step.trace_id =
            fields::text(run, "trajectory_id").or_else(|| fields::text(run, "session_id"));
        step.model = fields::text(agent, "model_name");
        let extra = agent.get("extra").unwrap_or(&Value::Nil);
        step.parent_trace_id = fields::text(extra, "parent_session_id");
        step.continued = fields::text(run, "continued_trajectory_ref");
        let tools = agent.get("tool_definitions").and_then(Value::as_list);
        for tool in tools.unwrap_or_default() {
            let told = tool.get("function").unwrap_or(tool);
            if let Some(name) = fields::text(told, "name") {
                let described = fields::text(told, "description");
                step.tools.push(Tool::new(name, None, described));
            }
        }
        if let Some(totals) = run.get_some("final_metrics") {
            let mut count = |name: &str| blocks::count(totals, &[name], self.report);
            let usage = Usage {
                input: count("total_prompt_tokens"),
                output: count("total_completion_tokens"),
                cache_read: count("total_cached_tokens"),
                ..Usage::default()
            };
            step.usage = usage;
            step.figures = totals.clone();
        }
    }

    fn record(&mut self, record: &Value, next: Option<&Value>) {
        let message = || blocks::text(record.get("message").unwrap_or(&Value::Nil));
        match record.get("source").and_then(Value::as_str) {
            Some("user") if self.run.step.mission.is_none() => {
                self.run.step.mission = Some(message().into());
            }
            Some("user") => self.run.said(message().into()),
            Some("agent") => self.turn(record, next),
            Some("system") => {
                let before = self.run.turns.is_empty() && self.run.step.mission.is_none();
                if before {
                    let system = &mut self.run.step.system_prompt;
                    *system = Some(match system.take() {
                        Some(known) => format!("{known}\n\n{}", message()).into(),
                        None => message().into(),
                    });
                } else {
                    self.happened(record, message());
                    return;
                }
            }
            other => {
                let kind = other.unwrap_or("step without a source");
                self.report.unknown_record(kind, record, None);
                return;
            }
        }
        for result in results(record) {
            self.result(result, record);
        }
    }

    /// What the system did in between, such as with the context: the model saw what came of it.
    fn happened(&mut self, record: &Value, message: String) {
        let (mut told, mut of_calls) = (Vec::new(), Vec::new());
        let extra = |name: &str| record.get("extra").and_then(|extra| extra.get(name));
        // Written so by `export::atif`.
        let of_no_call = extra("of_no_call").and_then(Value::as_bool) == Some(true);
        for result in results(record) {
            if of_no_call || result.get_some("source_call_id").is_some() {
                of_calls.push(result);
                continue;
            }
            let content = result.get_some("content").map(blocks::text);
            told.extend(content.filter(|content| !content.is_empty()));
            for reference in result_references(result) {
                self.child(reference, None);
            }
        }
        let managed = extra("context_management");
        let managed = managed.and_then(|managed| managed.get("type")?.as_str());
        if managed == Some("compaction") {
            let summary = Some(told.join("\n\n")).filter(|summary| !summary.is_empty());
            self.run
                .happened(EventKind::Compaction, summary.map(Into::into));
        } else {
            let texts = std::iter::once(message).chain(told);
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            if !texts.is_empty() {
                self.run.injected(texts.join("\n\n").into());
            }
        }
        for result in of_calls {
            let says = |name: &str| result.get_some(name).is_some();
            if !["source_call_id", "content", "subagent_trajectory_ref"]
                .into_iter()
                .any(says)
            {
                self.run.answer(None, Answer::default());
            }
            self.result(result, record);
        }
    }

    fn turn(&mut self, record: &Value, next: Option<&Value>) {
        let mut draft = Draft::new(record.get_some("message").map(|m| blocks::text(m).into()));
        draft.parts.unmarked = true;
        draft.parts.thinking = Field::recorded(blocks::text_of(record, "reasoning_content"));
        draft.parts.started_at = clock::stamp(record, "timestamp");
        // A person answers when it suits.
        let next = next.filter(|next| next.get("source").and_then(Value::as_str) != Some("user"));
        let at = |record: &Value| record.get_some("timestamp").and_then(clock::millis);
        draft.parts.duration_ms = clock::between(at(record), next.and_then(at));
        draft.parts.approximate = draft.parts.duration_ms.is_some();
        draft.parts.copied = record.get("is_copied_context").and_then(Value::as_bool) == Some(true);
        if let Some(metrics) = record.get_some("metrics").filter(|_| !draft.parts.copied) {
            draft.parts.usage = blocks::usage(metrics, self.report);
        }
        // Written so by `export::atif`.
        let failed = record
            .get("extra")
            .and_then(|extra| extra.get_some("request_failed"));
        draft.error = failed.filter(|failed| failed.as_str().is_some()).cloned();
        draft.parts.request_failed = draft.error.is_some();
        let calls = record.get("tool_calls").and_then(Value::as_list);
        for call in calls.unwrap_or_default() {
            let name = fields::text(call, "function_name").unwrap_or_else(|| "?".into());
            let mut made = ToolCall::new(name, arguments(call.get("arguments")));
            made.id = fields::text(call, "tool_call_id");
            made.unmarked = true;
            draft.calls.push(made);
        }
        self.run.turn(draft);
    }

    /// A result: of a call where it names one, else the terminal's output for the whole step.
    fn result(&mut self, result: &Value, record: &Value) {
        if result.as_map().is_none() {
            let kind = "a result that is no object";
            return self.report.unknown_record(kind, result, None);
        }
        let id = result.get("source_call_id").and_then(Value::as_str);
        for reference in result_references(result) {
            self.child(reference, id);
        }
        let content = result.get_some("content").map(blocks::text);
        let of_agent = record.get("source").and_then(Value::as_str) == Some("agent");
        let error = failure(result);
        match (id, content) {
            (Some(id), Some(content)) => {
                let content = Value::string(content);
                let is_apart = error.as_ref().is_none_or(|error| *error != content);
                let answer = Answer {
                    result: is_apart.then_some(content),
                    error,
                    ..Answer::default()
                };
                self.run.answer(Some(id), answer);
            }
            (Some(id), None) if error.is_some() => {
                let answer = Answer {
                    error,
                    ..Answer::default()
                };
                self.run.answer(Some(id), answer);
            }
            // The tool gave nothing.
            (Some(id), None) => {
                let place = self.run.place(id);
                match place.and_then(|at| self.run.call_at(at)) {
                    Some(call) => call.result = Field::Absent,
                    None => self.run.answer_at(None, Some(id), Answer::default()),
                }
            }
            (None, Some(content)) if of_agent => {
                if let Some(turn) = self.run.last() {
                    turn.print(content);
                }
            }
            (None, Some(content)) if !content.is_empty() => {
                let answer = Answer {
                    result: Some(Value::string(content)),
                    ..Answer::default()
                };
                self.run.answer(None, answer);
            }
            _ => {}
        }
    }

    /// A run that this one started, and the call that did.
    fn child(&mut self, reference: &Value, id: Option<&str>) {
        let run = self.files.find(reference);
        let place = run.map(std::ptr::from_ref::<Value>);
        let known = place.and_then(|place| self.own.get(&place).copied());
        let index = known.unwrap_or_else(|| {
            let made = run.and_then(|run| self.files.step(run, self.depth + 1, self.report));
            let child = made.unwrap_or_else(|| Arc::new(referred(reference)));
            let children = &mut self.run.step.children;
            children.push(child);
            self.own
                .extend(place.map(|place| (place, children.len() - 1)));
            children.len() - 1
        });
        let calls = self.run.last().map(|turn| &mut turn.calls);
        let started = calls.and_then(|calls| {
            let mut of_id = calls
                .iter_mut()
                .filter(|call| call.id.as_deref() == id && id.is_some());
            of_id.find(|call| call.child.is_none())
        });
        if let Some(call) = started {
            call.child = Some(index);
        }
    }
}
