//! Events of OpenHands V0 (`formats/openhands.md`): actions, and observations that name the action
//! they answer. The oldest are flat: their arguments stand beside the rest, and nothing is named.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::foreign::run::{Draft, Run};
use super::super::foreign::{arguments, blocks, clock};
use super::super::{Report, fields};
use super::forgotten::Parts;
use crate::calendar;
use crate::step::{Ending, EventKind, Failure, Field, Tool, ToolCall, Usage};
use crate::value::{Map, Value};

/// Actions that are calls.
const CALLS: &[&str] = &[
    "run",
    "run_ipython",
    "read",
    "write",
    "edit",
    "browse",
    "browse_interactive",
    "delegate",
    "think",
    "finish",
    "reject",
    "call_tool_mcp",
    "task_tracking",
];

/// Events of the machinery around the agent.
const MACHINERY: &[&str] = &[
    "recall",
    "null",
    "change_agent_state",
    "agent_state_changed",
    "condensation",
    "condensation_request",
    "condense",
    "pause",
    "resume",
    "stop",
    "start",
    "loop_recovery",
    "initialize",
    "send_pr",
    "success",
];

/// What the reason of an error has in it that the provider answered with.
const OF_PROVIDER: &[&str] = &["STATUS$ERROR_LLM", "litellm."];

/// Events that one condensation may leave out, where it names the first and the last.
const MOST_FORGOTTEN: i64 = 20_000;

/// Keys of a flat action that are no arguments.
const NO_ARGUMENTS: &[&str] = &[
    "action",
    "thought",
    "action_risk",
    "is_confirmed",
    "keep_prompt",
];

pub(super) fn is_event(event: &Value) -> bool {
    let text = |name: &str| event.get(name).and_then(Value::as_str);
    let has = |name: &str| event.get(name).is_some();
    let named = has("source") && (has("id") || has("timestamp"));
    match (text("action"), text("observation")) {
        (Some(action), None) => named || action == "message" || CALLS.contains(&action),
        (None, Some(_)) => named || has("content"),
        _ => false,
    }
}

/// What is known while events are read.
#[derive(Default)]
pub(super) struct State {
    /// Where the call of an action stands, by the event's number; none where it is no call.
    actions: HashMap<u64, Option<(usize, usize)>>,
    /// The reply whose calls the last turn holds.
    reply: Option<Arc<str>>,
    /// Where what a person's action came to stands among the results of no call, by the event's number.
    asides: HashMap<u64, usize>,
    /// What events became that a condensation may name.
    parts: Parts,
    /// Tokens of all replies so far, where that is what the events tell.
    spent: Usage,
}

impl State {
    pub(super) fn event(
        &mut self,
        event: &Value,
        instruction: Option<&str>,
        run: &mut Run,
        report: &mut Report,
    ) {
        match event.get("action").and_then(Value::as_str) {
            Some(action) => self.action(action, event, instruction, run, report),
            None => self.observation(event, run, report),
        }
    }

    fn action(
        &mut self,
        action: &str,
        event: &Value,
        instruction: Option<&str>,
        run: &mut Run,
        report: &mut Report,
    ) {
        let args = event.get_some("args").unwrap_or(event);
        let id = event.get("id").and_then(blocks::number);
        let source = event.get("source").and_then(Value::as_str);
        let content = || {
            let text = blocks::text(args.get("content").unwrap_or(&Value::Nil));
            with_images(text, args, &["image_urls"])
        };
        let mut place = None;
        match (action, source) {
            ("system", _) => {
                run.step.system_prompt = Some(content().into());
                let tools = args.get("tools").and_then(Value::as_list);
                run.step
                    .tools
                    .extend(tools.unwrap_or_default().iter().filter_map(tool));
            }
            // The agent may have greeted before.
            ("message", Some("user")) if run.step.mission.is_none() && !run.turns.is_empty() => {
                run.step.mission = Some(content().into());
            }
            ("message", Some("user")) => {
                self.parts.of_input(event, run);
                run.said(content().into());
            }
            // Nobody says whose a flat message is.
            ("message", None)
                if run.turns.is_empty()
                    && run.step.mission.is_none()
                    && instruction.is_none_or(|told| told.trim() == content().trim()) =>
            {
                run.said(content().into());
            }
            ("message", Some("agent") | None) => {
                let mut draft = self.draft(event, args, report);
                draft.parts.raw_response = Field::Recorded(content().into());
                self.reply = None;
                run.turn(draft);
                self.parts.of_turn(event, run);
            }
            (action, Some("agent") | None)
                if CALLS.contains(&action) || event.get_some("tool_call_metadata").is_some() =>
            {
                let reply = reply(event).and_then(|reply| fields::text(reply, "id"));
                let reply = reply.filter(|id| !id.is_empty());
                if reply.is_none() || reply != self.reply || run.turns.is_empty() {
                    let draft = self.draft(event, args, report);
                    run.turn(draft);
                }
                self.reply = reply;
                self.parts.of_turn(event, run);
                let turn = run.turns.len() - 1;
                place = Some((turn, run.turns[turn].calls.len()));
                run.call(call(action, event, args));
                if action == "finish" {
                    run.step.ending = ending(args, report);
                }
            }
            ("change_agent_state", Some("user")) => {
                let state = fields::text(args, "agent_state");
                if state.is_some_and(|state| ["paused", "stopped"].contains(&&*state)) {
                    let thought = fields::text(args, "thought").filter(|text| !text.is_empty());
                    run.happened(EventKind::Interruption, thought);
                }
            }
            ("condensation", _) => {
                let summary = blocks::text_of(args, "summary");
                self.parts.condensed(summary, forgotten(args), run);
            }
            (action, Some("user")) if CALLS.contains(&action) => {
                let aside = call(action, event, args);
                if let Some(id) = id {
                    self.asides.insert(id, run.step.unmatched_results.len());
                }
                run.step.unmatched_results.push(aside);
            }
            _ if MACHINERY.contains(&action) || source.is_some_and(|source| source != "agent") => {}
            (action, _) => report.unknown_record(action, event, None),
        }
        if let Some(id) = id {
            self.actions.insert(id, place);
        }
    }

    /// A turn of a reply's first action.
    fn draft(&mut self, event: &Value, args: &Value, report: &mut Report) -> Draft {
        let reply = reply(event);
        let choice = reply.and_then(|reply| reply.get("choices")?.as_list()?.first());
        let message = choice.and_then(|choice| choice.get("message"));
        let thought = blocks::text_of(args, "thought").filter(|text| !text.is_empty());
        let said = thought.or_else(|| blocks::text_of(message?, "content"));
        let mut draft = Draft::new(said);
        let thinking = message.and_then(|message| blocks::text_of(message, "reasoning_content"));
        draft.parts.thinking = Field::recorded(thinking);
        draft.parts.started_at = clock::stamp(event, "timestamp");
        let sum = event.get_some("llm_metrics");
        let sum = sum.and_then(|metrics| metrics.get_some("accumulated_token_usage"));
        let sum = sum.map(|sum| blocks::usage(sum, report));
        draft.parts.usage = match (reply.and_then(|reply| reply.get_some("usage")), sum) {
            (Some(usage), _) => blocks::usage(usage, report),
            (None, Some(sum)) => difference(sum, self.spent),
            (None, None) => Usage::default(),
        };
        self.spent = sum.unwrap_or(self.spent);
        draft
    }

    fn observation(&mut self, event: &Value, run: &mut Run, report: &mut Report) {
        let kind = event
            .get("observation")
            .and_then(Value::as_str)
            .unwrap_or("");
        let content = blocks::text(event.get("content").unwrap_or(&Value::Nil));
        let cause = event.get("cause").and_then(blocks::number);
        let flat = event.get("id").is_none() && cause.is_none();
        let extras = event.get_some("extras").unwrap_or(event);
        let pictures = ["image_urls", "screenshot", "set_of_marks"];
        let content = with_images(content, extras, &pictures);
        if kind == "agent_state_changed" {
            let state = fields::text(extras, "agent_state");
            if state.as_deref() == Some("running") && matches!(run.step.ending, Ending::Fail(_)) {
                run.step.ending = Ending::Open;
            }
            let message = fields::text(extras, "reason");
            let of_provider = |text: &Arc<str>| OF_PROVIDER.iter().any(|name| text.contains(name));
            if state.as_deref() == Some("rate_limited") || message.as_ref().is_some_and(of_provider)
            {
                run.happened(EventKind::ApiError, message.clone());
            }
            if let Some(reason) = state.filter(|state| ["error", "stopped"].contains(&&**state)) {
                let failure = Failure {
                    reason: Some(reason),
                    message,
                    ..Failure::default()
                };
                run.step.ending = Ending::Fail(failure);
            }
            return;
        }
        let place = match cause {
            Some(cause) => self.actions.get(&cause).copied().flatten(),
            // What a flat event answers stands before it.
            None if flat => run.turns.len().checked_sub(1).and_then(|turn| {
                let last = run.turns[turn].calls.len().checked_sub(1)?;
                let is_open = run.turns[turn].calls[last].answer().is_none();
                is_open.then_some((turn, last))
            }),
            None => None,
        };
        let aside = cause.and_then(|cause| self.asides.get(&cause));
        let call = match aside {
            Some(aside) => run.step.unmatched_results.get_mut(*aside),
            None => place.and_then(|(turn, index)| run.draft(turn)?.calls.get_mut(index)),
        };
        match call {
            Some(call) => {
                call.error = failure(kind, event, extras, &content);
                call.refused = kind == "user_rejected";
                let content = Value::string(content);
                // The error may be all that was answered.
                if call.error.as_ref() != Some(&content) {
                    call.result = Field::Recorded(content);
                }
                let start = call.timestamp.as_deref().and_then(calendar::iso_ms);
                let end = event.get("timestamp").and_then(clock::millis);
                call.duration_ms = clock::between(start, end);
                call.approximate = true;
            }
            None if MACHINERY.contains(&kind) => {}
            // The reply made no valid call and is not recorded.
            None if kind == "error" => {
                let mut draft = Draft::new(None);
                draft.parts.started_at = clock::stamp(event, "timestamp");
                draft.error = Some(Value::string(content));
                self.reply = None;
                run.turn(draft);
            }
            None if kind.is_empty() => report.unknown_record("observation", event, None),
            None => {
                let mut orphan = ToolCall::new(kind, Value::Nil);
                orphan.result = Field::Recorded(Value::string(content));
                run.step.unmatched_results.push(orphan);
            }
        }
    }
}

/// The events that a condensation left out: a list of them, or the first and the last.
fn forgotten(args: &Value) -> Option<Vec<Value>> {
    if let Some(named) = args.get("forgotten_event_ids").and_then(Value::as_list) {
        return Some(named.to_vec());
    }
    let place = |name: &str| args.get(name).and_then(Value::as_i64);
    let (first, last) = (
        place("forgotten_events_start_id")?,
        place("forgotten_events_end_id")?,
    );
    let sane = first >= 0 && last.checked_sub(first)? < MOST_FORGOTTEN;
    sane.then(|| (first..=last).map(Value::Int).collect())
}

/// The reply of which an action is a part, as the model gave it.
fn reply(event: &Value) -> Option<&Value> {
    event
        .get_some("tool_call_metadata")?
        .get_some("model_response")
}

/// The call that an action is: as the model made it, else the action with its arguments.
fn call(action: &str, event: &Value, args: &Value) -> ToolCall {
    let told = event.get_some("tool_call_metadata").unwrap_or(&Value::Nil);
    let id = fields::text(told, "tool_call_id");
    let made = reply(event)
        .and_then(|reply| reply.get("choices")?.as_list()?.first()?.get("message"))
        .and_then(|message| message.get("tool_calls")?.as_list())
        .and_then(|calls| {
            let mut calls = calls.iter();
            calls.find(|call| id.is_some() && fields::text(call, "id") == id)
        })
        .and_then(|call| call.get("function"));
    let name = fields::text(told, "function_name").unwrap_or_else(|| action.into());
    let args = match made.and_then(|made| made.get_some("arguments")) {
        Some(made) => arguments(Some(made)),
        None => plain_arguments(args),
    };
    let mut call = ToolCall::new(name, args);
    call.id = id;
    call.timestamp = clock::stamp(event, "timestamp");
    call
}

fn plain_arguments(args: &Value) -> Value {
    let entries = args.as_map().into_iter().flatten();
    let is_argument = |key: &Value| key.as_name().is_none_or(|key| !NO_ARGUMENTS.contains(&key));
    let entries = entries.filter(|(key, _)| is_argument(key));
    let entries: Map = entries
        .map(|(key, value)| (key.clone(), blocks::without_images(value)))
        .collect();
    Value::map(entries)
}

/// A text with the placeholders of the images beside it.
fn with_images(text: String, told: &Value, names: &[&str]) -> String {
    let shown = names.iter().filter_map(|name| match told.get_some(name)? {
        url @ Value::Str(text) if !text.is_empty() => Some(blocks::text(url)),
        urls => blocks::images(urls),
    });
    let mut lines = vec![text];
    for image in shown {
        // A screenshot may be told twice.
        if !lines.contains(&image) {
            lines.push(image);
        }
    }
    if lines.len() > 1 {
        lines.retain(|line| !line.is_empty());
    }
    lines.join("\n")
}

/// How a run ended that the agent ended: by what it says of its task.
fn ending(args: &Value, report: &mut Report) -> Ending {
    let told = match args.get("task_completed") {
        Some(Value::Bool(done)) => Some(if *done { "true" } else { "false" }.to_owned()),
        Some(Value::Str(told)) => Some(told.to_lowercase()),
        _ => None,
    };
    match told.as_deref() {
        Some("false") => Ending::Fail(Failure {
            reason: Some("task_completed: false".into()),
            message: Some(blocks::text(&answer(args)))
                .filter(|text| !text.is_empty())
                .map(Into::into),
            ..Failure::default()
        }),
        Some("partial") => {
            report.note("the agent ended its run with task_completed: partial");
            Ending::Return(answer(args))
        }
        _ => Ending::Return(answer(args)),
    }
}

fn answer(args: &Value) -> Value {
    let names = ["final_thought", "outputs", "thought"];
    let found = names.iter().find_map(|name| args.get_some(name));
    found.cloned().unwrap_or_default()
}

/// Why a call failed: an error, or an exit code. −1 stands for a command that still runs.
fn failure(kind: &str, event: &Value, extras: &Value, content: &str) -> Option<Value> {
    if kind == "error" {
        return Some(Value::string(content));
    }
    let metadata = extras.get_some("metadata");
    let code = metadata
        .and_then(|metadata| metadata.get_some("exit_code"))
        .or_else(|| extras.get_some("exit_code"))
        .and_then(|code| match code {
            Value::Str(text) => text.trim().parse().ok(),
            other => other.as_i64(),
        });
    match code {
        Some(0 | -1) => None,
        Some(code) => Some(Value::string(format!("exit code {code}"))),
        None => {
            let success = event.get("success").and_then(Value::as_bool);
            (success == Some(false)).then(|| Value::string(content))
        }
    }
}

fn tool(tool: &Value) -> Option<Tool> {
    let told = tool.get("function").unwrap_or(tool);
    let name = fields::text(told, "name")?;
    Some(Tool::new(name, None, fields::text(told, "description")))
}

/// What was spent since.
fn difference(sum: Usage, before: Usage) -> Usage {
    let part = |sum: Option<u64>, before: Option<u64>| sum?.checked_sub(before.unwrap_or(0));
    Usage {
        input: part(sum.input, before.input),
        output: part(sum.output, before.output),
        cache_read: part(sum.cache_read, before.cache_read),
        cache_write: part(sum.cache_write, before.cache_write),
        ..Usage::default()
    }
}
