//! A sample of a log as a run (`formats/inspect-ai.md`). Its events tell most: calls of the model are
//! turns, calls of tools carry durations and errors. Without them the messages are read.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::Report;
use super::super::fields;
use super::super::foreign::run::{Answer, Draft, Run};
use super::super::foreign::{arguments, blocks, clock};
use super::super::light::Cut;
use super::nesting::{Nesting, Placed};
use super::pool::{Pool, is_reasoning, milliseconds, mission, usage};
use super::told::{self, as_sent, is_from_person, settle};
use super::{Log, MAX_DEPTH, list, role};
use crate::step::{Ending, EventKind, Failure, Field, Message, Role, Step, ToolCall};
use crate::value::Value;

/// Messages of recorded prompts that are kept: prompts by reference would else grow with the square
/// of a run's length.
const MAX_PROMPTS: usize = 500_000;

/// Where results of calls stand in a sample: as messages, as events, and in what a model was sent.
pub(super) const LISTS: [Cut; 2] = [
    RESULTS,
    Cut {
        name: "events",
        of: told::is_of_tool,
        within: &[Cut {
            name: "input",
            ..RESULTS
        }],
    },
];

const RESULTS: Cut = Cut {
    name: "messages",
    of: told::is_result,
    within: &[],
};

pub(super) fn step(sample: &Value, log: &Log, report: &mut Report) -> Step {
    let pool = Pool::new(sample);
    let messages = list(sample, "messages");
    let mut reader = Reader {
        run: Run::new(),
        pool: &pool,
        ids: HashSet::new(),
        kept: 0,
        texts: HashMap::new(),
        scoring: HashSet::new(),
        open_steps: Vec::new(),
        graded: 0,
        tells_source: messages.iter().chain(pool.messages).any(is_from_person),
        report,
    };
    reader.about(sample, messages, log);
    let events = match sample.get("transcript") {
        Some(transcript) => list(transcript, "events"),
        None => list(sample, "events"),
    };
    let of_model = |event: &Value| event.get("event").and_then(Value::as_str) == Some("model");
    if events.iter().any(of_model) {
        reader.events(events, 0);
        reader.results(messages);
    } else {
        reader.messages(messages);
    }
    if reader.graded > 0 {
        let graded = reader.graded;
        reader.report.note(format!(
            "{graded} calls of a model by a scorer are no turns"
        ));
    }
    reader.run.finish()
}

struct Reader<'a, 'b> {
    run: Run,
    pool: &'b Pool<'a>,
    /// Identifiers of all calls.
    ids: HashSet<Arc<str>>,
    /// Messages of recorded prompts so far.
    kept: usize,
    /// Texts of messages that were referred to, by their places in the pool.
    texts: HashMap<usize, Arc<str>>,
    /// Spans in which answers are scored.
    scoring: HashSet<Arc<str>>,
    /// Of each step that is open whether answers are scored in it: what spans were until 2025.
    open_steps: Vec<bool>,
    graded: usize,
    /// Whether messages tell where they come from.
    tells_source: bool,
    report: &'b mut Report,
}

impl Reader<'_, '_> {
    /// What is told of the sample itself.
    fn about(&mut self, sample: &Value, messages: &[Value], log: &Log) {
        let step = &mut self.run.step;
        let id = match sample.get("id") {
            Some(Value::Str(id)) => id.to_string(),
            Some(other) => blocks::text(other),
            None => "?".to_owned(),
        };
        let epoch = sample.get("epoch").and_then(Value::as_count).unwrap_or(1);
        step.name = Some(format!("{id} epoch {epoch}").into());
        step.trace_id = fields::text(sample, "uuid");
        step.model.clone_from(&log.model);
        step.mission = mission(
            &self
                .pool
                .resolved(sample.get("input").unwrap_or(&Value::Nil)),
        );
        let system = messages.iter().find(|message| role(message) == "system");
        step.system_prompt = system.map(|message| self.pool.content(message).into());
        if let Some(models) = sample.get_some("model_usage").and_then(Value::as_map) {
            let add = |sum: Option<u64>, part: Option<u64>| match (sum, part) {
                (Some(sum), Some(part)) => sum.checked_add(part),
                (sum, part) => sum.or(part),
            };
            for told in models.values() {
                let usage = usage(told, self.report);
                step.usage.input = add(step.usage.input, usage.input);
                step.usage.output = add(step.usage.output, usage.output);
                step.usage.cache_read = add(step.usage.cache_read, usage.cache_read);
                step.usage.cache_write = add(step.usage.cache_write, usage.cache_write);
            }
        }
        step.figures = sample.get_some("scores").cloned().unwrap_or_default();
        if let Some(store) = sample.get_some("store").and_then(Value::as_map) {
            step.memory = Field::Recorded(fields::memory(store, None));
        }
        let error = sample.get_some("error").map(|error| Failure {
            reason: Some("error".into()),
            message: blocks::text_of(error, "message"),
            details: error.get("traceback").cloned().unwrap_or_default(),
            ..Failure::default()
        });
        let limit = sample.get_some("limit").map(|limit| Failure {
            reason: Some("limit".into()),
            message: fields::text(limit, "type"),
            details: limit.clone(),
            ..Failure::default()
        });
        // Older logs have the answer in its message alone.
        let output = sample.get_some("output").unwrap_or(&Value::Nil);
        let choice = list(output, "choices").first();
        let message = choice.and_then(|choice| choice.get("message"));
        let content = message.and_then(|message| message.get("content"));
        let content = content
            .map(|content| self.pool.said(content))
            .filter(|content| !content.is_empty())
            .map(Value::string);
        let answer = output.get_some("completion");
        let answer = answer.map(|answer| self.pool.resolved(answer)).or(content);
        step.ending = match (error.or(limit), answer) {
            (Some(failure), _) => Ending::Fail(failure),
            (None, Some(answer)) => Ending::Return(answer),
            (None, None) => Ending::Open,
        };
    }

    fn events(&mut self, events: &[Value], depth: usize) {
        self.run_of(&Nesting::new(events), None, depth);
    }

    /// The events of a run that a call's span holds; of the sample itself for none.
    fn run_of<'a>(&mut self, nesting: &Nesting<'a>, run: Option<&'a str>, depth: usize) {
        for placed in nesting.events(run) {
            let event = placed.event;
            let is_scoring =
                |kind: Option<Arc<str>>| kind.is_some_and(|kind| kind.starts_with("scor"));
            match event.get("event").and_then(Value::as_str) {
                Some("span_begin") => {
                    let within = fields::text(event, "parent_id");
                    let within = within.is_some_and(|parent| self.scoring.contains(&parent));
                    if let Some(id) = fields::text(event, "id")
                        && (within || is_scoring(fields::text(event, "type")))
                    {
                        self.scoring.insert(id);
                    }
                }
                Some("step") if event.get("action").and_then(Value::as_str) == Some("end") => {
                    self.open_steps.pop();
                }
                Some("step") => {
                    let within = self.open_steps.last() == Some(&true);
                    let kind = fields::text(event, "type");
                    self.open_steps.push(within || is_scoring(kind));
                }
                Some("model") => {
                    let span = fields::text(event, "span_id");
                    let in_step = self.open_steps.last() == Some(&true);
                    if in_step || span.is_some_and(|span| self.scoring.contains(&span)) {
                        self.graded += 1;
                    } else {
                        self.model(event);
                    }
                }
                Some("tool") => self.tool(*placed, nesting, depth),
                Some("compaction") => self.run.happened(EventKind::Compaction, None),
                Some("interrupt") => self.run.happened(EventKind::Interruption, None),
                Some("subtask") => self.events(list(event, "events"), depth),
                // What they tell stands with the sample too.
                Some(
                    "sample_init" | "span_end" | "state" | "store" | "score" | "score_edit"
                    | "sample_limit" | "error",
                ) => {}
                Some(
                    aside @ ("sandbox" | "info" | "logger" | "approval" | "input" | "checkpoint"
                    | "branch" | "anchor"),
                ) => self
                    .report
                    .note(format!("events beside the turns are not shown: {aside}")),
                other => {
                    let kind = other.unwrap_or("event without a name");
                    self.report.unknown_record(kind, event, None);
                }
            }
        }
    }

    /// A call of the model: a turn.
    fn model(&mut self, event: &Value) {
        let output = event.get_some("output").unwrap_or(&Value::Nil);
        let message = list(output, "choices")
            .first()
            .and_then(|choice| choice.get("message"));
        let mut draft = self.reply(message.unwrap_or(&Value::Nil));
        if let Some(told) = output.get_some("usage") {
            draft.parts.usage = usage(told, self.report);
        }
        let stopped = list(output, "choices").first();
        let stopped = stopped.and_then(|choice| choice.get("stop_reason"));
        if let Some(reason @ ("max_tokens" | "model_length" | "content_filter")) =
            stopped.and_then(Value::as_str)
        {
            self.report
                .note(format!("a reply was broken off: {reason}"));
        }
        draft.parts.started_at = clock::stamp(event, "timestamp");
        draft.parts.duration_ms = event.get_some("working_time").and_then(milliseconds);
        let error = event.get_some("error").or_else(|| output.get_some("error"));
        draft.error = error.map(|error| self.pool.resolved(error));
        draft.parts.request_failed = draft.error.is_some();
        if self.run.step.tools.is_empty() {
            self.run.step.tools = fields::listed_tools(list(event, "tools"));
        }
        self.prompt(event, &mut draft);
        self.run.turn(draft);
    }

    /// A reply's text and calls.
    fn reply(&mut self, message: &Value) -> Draft {
        let content = message.get("content").unwrap_or(&Value::Nil);
        let parts = content.as_list().unwrap_or_default();
        let thought: Vec<String> = parts
            .iter()
            .filter(|part| is_reasoning(part))
            .map(|part| self.pool.text(part))
            .collect();
        let said = self.pool.said(content);
        let mut draft = Draft::new((!message.is_nil()).then(|| said.into()));
        draft.parts.thinking =
            Field::recorded((!thought.is_empty()).then(|| thought.join("\n").into()));
        for call in list(message, "tool_calls") {
            let name = fields::text(call, "function").unwrap_or_else(|| "?".into());
            let args = call.get("arguments").map(|args| self.pool.resolved(args));
            let mut made = ToolCall::new(name, arguments(args.as_ref()));
            made.id = fields::text(call, "id");
            made.error = call.get_some("parse_error").cloned();
            self.ids.extend(made.id.clone());
            draft.calls.push(made);
        }
        draft
    }

    /// What the model was sent, and what of it came from a person since the last reply.
    fn prompt(&mut self, event: &Value, draft: &mut Draft) {
        let pool = self.pool;
        let mut sent: Vec<(Option<usize>, &Value)> = Vec::new();
        sent.extend(list(event, "input").iter().map(|message| (None, message)));
        for range in list(event, "input_refs") {
            let bound = |at: usize| {
                let bound = range.as_list()?.get(at)?.as_count()?;
                usize::try_from(bound).ok()
            };
            let end = bound(1).unwrap_or(0).min(pool.messages.len());
            for at in bound(0).unwrap_or(end)..end {
                if sent.len() + self.kept > MAX_PROMPTS {
                    break;
                }
                sent.push((Some(at), &pool.messages[at]));
            }
        }
        let first = self.run.turns.is_empty();
        if first && self.run.step.system_prompt.is_none() {
            let system = sent.iter().find(|(_, message)| role(message) == "system");
            self.run.step.system_prompt = system.map(|(_, message)| pool.content(message).into());
        }
        let since = sent
            .iter()
            .rposition(|(_, message)| role(message) == "assistant");
        let since = since.filter(|_| !first).map_or(0, |at| at + 1);
        let retried = self
            .run
            .turns
            .last()
            .is_some_and(|turn| turn.error.is_some());
        let arrived = sent.get(since..).unwrap_or_default().iter();
        let persons = arrived.filter(|(_, message)| role(message) == "user");
        let mut persons: Vec<&Value> = persons.map(|(_, message)| *message).collect();
        if first && !persons.is_empty() {
            let mission = persons.remove(0);
            if self.run.step.mission.is_none() {
                self.run.step.mission = Some(pool.content(mission).into());
            }
        }
        // What was sent with an earlier reply is no new message: agents may be given a shorter list.
        if !retried && (first || since > 0) {
            for message in persons {
                self.said(message);
            }
        }
        if sent.len() + self.kept > MAX_PROMPTS {
            self.report
                .note("recorded prompts beyond the first half million messages are not kept");
            return;
        }
        self.kept += sent.len();
        let mut messages = Vec::with_capacity(sent.len());
        for (place, message) in sent {
            let known = place.and_then(|place| self.texts.get(&place).cloned());
            let text = known.unwrap_or_else(|| as_sent(pool, message).into());
            if let Some(place) = place {
                self.texts.insert(place, Arc::clone(&text));
            }
            messages.push(Message::new(
                Role::from_name(role(message)).unwrap_or(Role::User),
                text,
            ));
        }
        draft.parts.messages = Field::recorded((!messages.is_empty()).then_some(messages));
    }

    /// A call of a tool, with the run that it may hold.
    fn tool<'a>(&mut self, placed: Placed<'a>, nesting: &Nesting<'a>, depth: usize) {
        let event = placed.event;
        let id = fields::text(event, "id");
        let place = id.as_deref().and_then(|id| self.run.place(id));
        let nested = list(event, "events");
        let holds_run = nested
            .iter()
            .any(|event| event.get("event").and_then(Value::as_str) == Some("model"));
        let answer = Answer {
            result: event
                .get_some("result")
                .map(|result| blocks::without_images(&self.pool.resolved(result))),
            error: event.get_some("error").cloned(),
            duration_ms: event.get_some("working_time").and_then(milliseconds),
            name: fields::text(event, "function"),
        };
        let child = if placed.run.is_some() || holds_run && depth < MAX_DEPTH {
            let own = std::mem::replace(&mut self.run, Run::new());
            match placed.run {
                Some(run) => self.run_of(nesting, Some(run), depth + 1),
                None => self.events(nested, depth + 1),
            }
            let mut child = std::mem::replace(&mut self.run, own).finish();
            child.name = fields::text(event, "function");
            child.ending = match (&answer.error, &answer.result) {
                (Some(error), _) => Ending::Fail(Failure {
                    reason: fields::text(error, "type"),
                    message: fields::text(error, "message"),
                    ..Failure::default()
                }),
                (None, Some(result)) => Ending::Return(result.clone()),
                (None, None) => Ending::Open,
            };
            self.run.step.children.push(Arc::new(child));
            Some(self.run.step.children.len() - 1)
        } else {
            None
        };
        let call = place.and_then(|(turn, call)| self.run.turns.get_mut(turn)?.calls.get_mut(call));
        match call {
            Some(call) => {
                call.timestamp = clock::stamp(event, "timestamp");
                call.child = child;
                settle(call, answer);
            }
            None if id.as_ref().is_some_and(|id| self.ids.contains(id)) => {}
            None => {
                self.ids.extend(id.clone());
                self.run.answer(id.as_deref(), answer);
            }
        }
    }

    /// Results that stand among the messages alone, and what a person said last.
    fn results(&mut self, messages: &[Value]) {
        for message in messages.iter().filter(|message| role(message) == "tool") {
            self.result(message);
        }
        let last = messages
            .iter()
            .rposition(|message| role(message) == "assistant");
        let after = last
            .and_then(|last| messages.get(last + 1..))
            .unwrap_or_default();
        for message in after.iter().filter(|message| role(message) == "user") {
            self.said(message);
        }
    }

    /// A message to the model: a person's, unless the log marks those and not this one. The pictures
    /// of a tool's answer, which some models take in a message alone, are in the answer already.
    fn said(&mut self, message: &Value) {
        if message.get_some("tool_call_id").is_some() {
            return;
        }
        let text = self.pool.content(message).into();
        if self.tells_source && self.run.step.mission.is_some() && !is_from_person(message) {
            self.run.injected(text);
        } else {
            self.run.said(text);
        }
    }

    fn result(&mut self, message: &Value) {
        let id = fields::text(message, "tool_call_id");
        let answer = Answer {
            result: Some(Value::string(self.pool.content(message))),
            error: message.get_some("error").cloned(),
            duration_ms: None,
            name: fields::text(message, "function"),
        };
        if let Some(call) = id.as_deref().and_then(|id| self.run.answered(id)) {
            settle(call, answer);
        } else if id.as_ref().is_none_or(|id| !self.ids.contains(id)) {
            self.run.answer(id.as_deref(), answer);
        }
    }

    /// Turns of a sample without events.
    fn messages(&mut self, messages: &[Value]) {
        let mut before = true;
        for message in messages {
            match role(message) {
                "assistant" => {
                    let mut draft = self.reply(message);
                    // Only events tell whether a reply came about.
                    draft.parts.unmarked = true;
                    self.run.turn(draft);
                }
                "tool" => self.result(message),
                "user" => {
                    if !std::mem::replace(&mut before, false) || self.run.step.mission.is_none() {
                        self.said(message);
                    }
                }
                "system" => {}
                other => self.report.unknown_record(other, message, None),
            }
        }
    }
}
