//! A step from a run's events: what the agent was given, what it did, how it ended.

use std::sync::Arc;

use super::super::records::Place;
use super::super::{Report, fields};
use super::again::LargeLog;
use super::children::{self, Files};
use super::event::{Texts, Version};
use super::fold::{RunEvents, Trace};
use super::host_values;
use super::turns::{Links, Maker};
use crate::prompt::mission;
use crate::step::{Ending, Failure, Field, Step, Tool};
use crate::value::{Map, Value};

/// What steps of a log are made with.
pub(super) struct Builder<'a> {
    pub trace: Trace,
    pub version: Version,
    pub texts: Texts,
    /// The log, where it is large.
    pub large: Option<&'a Arc<LargeLog>>,
    pub files: &'a mut Files,
    pub report: &'a mut Report,
}

impl Builder<'_> {
    /// The step of a run, with the runs that it started.
    pub(super) fn step(&mut self, run: usize, kids: &children::Kids, depth: usize) -> Step {
        let mut step = Step::default();
        step.trace_id.clone_from(&self.trace.id);
        self.config(&mut step, run);
        let links = children::attach(self, &mut step, run, kids, depth);
        // Taken out, so that it can be read while the report is written to.
        let mut events = std::mem::take(&mut self.trace.runs[run]);
        let end = self.end(&events);
        let end = end.as_ref();
        let told = end
            .and_then(|(data, _)| data.get_some("step"))
            .cloned()
            .unwrap_or_default();
        if let Some(large) = self.large.filter(|_| records(&told).is_some()) {
            // Their events are needed twice, and the writer records no more than a hundred turns.
            for turn in &mut events.turns {
                *turn = large.filled(turn).unwrap_or_else(|| std::mem::take(turn));
            }
        }
        step.system_prompt = step.system_prompt.or(events.system_prompt.clone());
        let mut maker = Maker {
            run: &events,
            links: &links,
            version: self.version,
            texts: &mut self.texts,
            large: self.large,
            report: self.report,
        };
        for turn in maker.by_events() {
            step.push_turn(turn);
        }
        match end {
            Some((data, status)) => {
                finish(&mut step, &told, events.stop_place, &mut maker);
                step.ending = ending(data, &told, status.as_deref());
            }
            None => self.report.note(
                "the run has no end in the log: results are the writer's previews, and whether a turn succeeded is unknown",
            ),
        }
        expand_mission(&mut step, self.report);
        if let Some(large) = self.large {
            large.forget();
        }
        step
    }

    /// What the end of a run tells, and its status.
    pub(super) fn end(&self, run: &RunEvents) -> Option<(Value, Option<Arc<str>>)> {
        let (data, status) = run.stop.clone()?;
        let again = self.large.zip(run.stop_place);
        let again = again.and_then(|(large, place)| large.stop(place));
        Some((again.unwrap_or(data), status))
    }

    /// A step from a `step` record alone, such as one of `child_steps`.
    pub(super) fn recorded(&mut self, told: &Value, depth: usize) -> Step {
        let mut step = Step::default();
        let mut maker = Maker {
            run: &RunEvents::default(),
            links: &Links::new(),
            version: self.version,
            texts: &mut self.texts,
            large: None,
            report: self.report,
        };
        finish(&mut step, told, None, &mut maker);
        step.ending = ending(&Value::Nil, told, None);
        for child in children::recorded(told) {
            if depth >= children::MAX_DEPTH {
                self.report.note(children::TOO_DEEP);
                break;
            }
            let child = self.recorded(child, depth + 1);
            step.children.push(Arc::new(child));
        }
        expand_mission(&mut step, self.report);
        step
    }

    /// What the agent was told before it began.
    fn config(&mut self, step: &mut Step, run: usize) {
        let run = &self.trace.runs[run];
        let start = self.trace.start.clone().unwrap_or_default();
        // `trace.start` tells of the trace; that is the first run, and no agent it starts.
        if run.parent_span.is_none() || self.trace.runs[0].span == run.span {
            describe(step, &start);
        }
        let agent = run.agent_id.clone().unwrap_or_default();
        let config = run
            .agent
            .as_ref()
            .or_else(|| self.trace.configs.get(&agent));
        let config = config.cloned().unwrap_or_default();
        let get = |name: &str| config.get_some(name);
        step.mission_template = fields::text(&config, "prompt").or(step.mission.take());
        step.signature = fields::text(&config, "signature");
        step.system_prompt = fields::text(&config, "system_prompt");
        step.recorded_max_turns = get("max_turns")
            .and_then(Value::as_count)
            .and_then(|count| u32::try_from(count).ok());
        step.compression = get("compression").cloned();
        for name in ["field_descriptions", "context_descriptions"] {
            let told = get(name).map(fields::descriptions);
            step.field_descriptions.extend(told.unwrap_or_default());
        }
        step.tools = tools(&config);
        match &run.context {
            Some(Value::Map(entries)) => step.data = host_values::decode_entries(entries),
            Some(cut) if host_values::is_cut_map(cut) => {
                self.report.note(format!(
                    "the log's writer cut the input data: {}",
                    cut.as_str().unwrap_or_default()
                ));
            }
            _ => {}
        }
    }
}

/// What `trace.start` tells.
pub(super) fn describe(step: &mut Step, start: &Value) {
    // A child's own file has them in `data`; version 1 has nothing else.
    let inside = start.get_some("data").unwrap_or(start);
    step.name = fields::text(start, "trace_label").or_else(|| fields::text(inside, "tool_name"));
    step.model = fields::text(start, "model");
    step.mission = fields::text(start, "query");
    step.parent_trace_id = fields::text(inside, "parent_trace_id");
}

/// Tools as the agent's configuration tells them: in version 1 with signatures, else their names.
fn tools(config: &Value) -> Vec<Tool> {
    if let Some(names) = config.get_some("tool_names").and_then(Value::as_list) {
        let names = names.iter().filter_map(Value::as_name);
        return names.map(|name| Tool::new(name, None, None)).collect();
    }
    let tools = config.get_some("tools").and_then(Value::as_map);
    let tool = |(name, told): (&Value, &Value)| {
        let of_pairs;
        let told = match told.as_list() {
            Some([_, pairs]) => {
                of_pairs = map_of_pairs(pairs);
                &of_pairs
            }
            _ => told,
        };
        let text = |field| fields::text(told, field);
        Some(Tool::new(
            name.as_name()?,
            text("signature"),
            text("description"),
        ))
    };
    tools.into_iter().flatten().filter_map(tool).collect()
}

/// `[[NAME, VALUE], ..]`, as keyword lists are written, as a map.
fn map_of_pairs(pairs: &Value) -> Value {
    let mut map = Map::default();
    for pair in pairs.as_list().unwrap_or_default() {
        if let Some([name, value]) = pair.as_list() {
            map.insert(name.clone(), value.clone());
        }
    }
    Value::map(map)
}

/// The turns that the record of a finished step has.
fn records(told: &Value) -> Option<&[Value]> {
    let records = told.get_some("turns")?.as_list()?;
    (!records.is_empty()).then_some(records)
}

/// What the record of a finished step has; its turns replace those that were made from events.
fn finish(step: &mut Step, told: &Value, place: Option<Place>, maker: &mut Maker<'_>) {
    let get = |name: &str| told.get_some(name);
    match get("turns") {
        Some(Value::List(records)) if !records.is_empty() || step.turns().is_empty() => {
            let turns = maker.by_records(records, place);
            step.replace_turns(turns);
        }
        Some(cut) if host_values::is_cut_list(cut) => maker.report.note(format!(
            "the log's writer cut the run's turns ({}): they are shown as the events tell them, with previews of results",
            cut.as_str().unwrap_or_default()
        )),
        _ => {}
    }
    step.name = step.name.take().or_else(|| fields::text(told, "name"));
    step.mission = fields::text(told, "prompt");
    if let Some(template) = fields::text(told, "original_prompt") {
        step.mission_template = Some(template);
    }
    step.signature = step
        .signature
        .take()
        .or_else(|| fields::text(told, "signature"));
    if let Some(known) = get("tools").filter(|tools| tools.as_map().is_some()) {
        step.tools = fields::tools(known);
    }
    if let Some(known) = get("field_descriptions").filter(|_| step.field_descriptions.is_empty()) {
        step.field_descriptions = fields::descriptions(known);
    }
    step.usage = get("usage").map(fields::usage).unwrap_or_default();
    step.figures = get("usage").cloned().unwrap_or_default();
    step.trace_id = fields::text(told, "trace_id").or(step.trace_id.take());
    step.parent_trace_id = step
        .parent_trace_id
        .take()
        .or_else(|| fields::text(told, "parent_trace_id"));
    let before = step
        .turns()
        .last()
        .and_then(|turn| turn.memory().get().cloned());
    let memory = get("memory").and_then(Value::as_map);
    step.memory = Field::recorded(
        memory
            .map(|entries| fields::memory(&host_values::decode_entries(entries), before.as_ref())),
    );
    if step.system_prompt.is_none() {
        step.system_prompt = recorded_system_prompt(told);
    }
}

/// The system prompt of a turn's record, else the system message among those of the whole run.
fn recorded_system_prompt(told: &Value) -> Option<Arc<str>> {
    let list = |name: &str| {
        told.get_some(name)
            .and_then(Value::as_list)
            .unwrap_or_default()
    };
    let of_turns = list("turns")
        .iter()
        .find_map(|turn| fields::text(turn, "system_prompt"));
    let is_system =
        |message: &&Value| message.get("role").and_then(Value::as_str) == Some("system");
    let of_messages = || {
        let first = list("messages").first().filter(is_system)?;
        fields::text(first, "content")
    };
    of_turns.or_else(of_messages)
}

fn ending(data: &Value, told: &Value, status: Option<&str>) -> Ending {
    let fail = data.get_some("fail").or_else(|| told.get_some("fail"));
    if let Some(failure) = fail
        .map(host_values::decode)
        .as_ref()
        .and_then(fields::failure)
    {
        return Ending::Fail(failure);
    }
    if status == Some("error") {
        return Ending::Fail(Failure::default());
    }
    match data.get("return").or_else(|| told.get("return")) {
        Some(answer) => Ending::Return(host_values::decode(answer)),
        None => Ending::Open,
    }
}

/// A mission stands expanded in the record of a finished step; before that only its template is known.
fn expand_mission(step: &mut Step, report: &mut Report) {
    let Some(template) = step.mission_template.clone() else {
        return;
    };
    if step.mission.is_none() {
        step.mission = Some(match mission::expand(&template, &step.data) {
            Ok(mission) => mission.into(),
            Err(missing) => {
                report.note(missing.to_string());
                Arc::clone(&template)
            }
        });
    }
    if step.mission.as_ref() == Some(&template) {
        step.mission_template = None;
    }
}
