//! Events of the OpenHands SDK, V1 (`formats/openhands.md`): each has a `kind`; actions of one reply
//! share its identifier, observations name the call they answer.

use std::sync::Arc;

use super::super::foreign::run::{Answer, Draft, Run};
use super::super::foreign::{arguments, blocks, clock};
use super::super::{Report, fields};
use super::forgotten::Parts;
use crate::calendar;
use crate::step::{Ending, EventKind, Failure, Field, Tool, ToolCall, Usage};
use crate::value::Value;

/// Kinds that don't end in "Event".
const ODD_KINDS: &[&str] = &[
    "UserRejectObservation",
    "CondensationRequest",
    "Condensation",
];

/// Kinds that are machinery, not turns.
const MACHINERY: &[&str] = &[
    "PauseEvent",
    "TokenEvent",
    "StreamingDeltaEvent",
    "HookExecutionEvent",
    "LLMCompletionLogEvent",
    "CondensationSummaryEvent",
    "CondensationRequest",
    "Condensation",
];

pub(super) fn is_event(event: &Value) -> bool {
    let kind = event.get("kind").and_then(Value::as_str).unwrap_or("");
    let told = ["source", "timestamp", "id"]
        .iter()
        .any(|name| event.get(name).is_some());
    told && (ODD_KINDS.contains(&kind) || (kind.ends_with("Event") && kind.len() > 5))
}

/// What is known while events are read.
#[derive(Default)]
pub(super) struct State {
    /// The reply whose calls the last turn holds.
    reply: Option<Arc<str>>,
    /// What events became that a condensation may name.
    parts: Parts,
    /// What the run has spent by the last event that tells.
    stats: Option<Value>,
    usage: Usage,
}

impl State {
    pub(super) fn event(&mut self, event: &Value, run: &mut Run, report: &mut Report) {
        let kind = event.get("kind").and_then(Value::as_str).unwrap_or("");
        match kind {
            "SystemPromptEvent" => {
                run.step.system_prompt = blocks::text_of(event, "system_prompt");
                let tools = event.get("tools").and_then(Value::as_list);
                run.step
                    .tools
                    .extend(tools.unwrap_or_default().iter().filter_map(tool));
            }
            "MessageEvent" => self.message(event, run),
            "ActionEvent" => self.action(event, run),
            "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation" => {
                observation(kind, event, run);
            }
            "ACPToolCallEvent" => self.acp_call(event, run),
            "ConversationStateUpdateEvent" => self.update(event, run, report),
            "InterruptEvent" => run.happened(EventKind::Interruption, None),
            "Condensation" => {
                let named = event.get("forgotten_event_ids").and_then(Value::as_list);
                let named = named.map(<[Value]>::to_vec);
                let summary = blocks::text_of(event, "summary");
                self.parts.condensed(summary, named, run);
            }
            "ConversationErrorEvent" => {
                run.happened(EventKind::ApiError, blocks::text_of(event, "detail"));
                let failure = Failure {
                    reason: fields::text(event, "code"),
                    message: blocks::text_of(event, "detail"),
                    ..Failure::default()
                };
                run.step.ending = Ending::Fail(failure);
            }
            kind if MACHINERY.contains(&kind) => {}
            kind => report.unknown_record(kind, event, None),
        }
    }

    fn message(&mut self, event: &Value, run: &mut Run) {
        let message = event.get_some("llm_message").unwrap_or(event);
        let text: Arc<str> = blocks::text(message.get("content").unwrap_or(&Value::Nil)).into();
        self.reply = None;
        if event.get("source").and_then(Value::as_str) != Some("agent") {
            self.parts.of_input(event, run);
            run.said(text);
            return;
        }
        let mut draft = Draft::new(Some(text));
        draft.parts.thinking = Field::recorded(blocks::text_of(message, "reasoning_content"));
        draft.parts.started_at = clock::stamp(event, "timestamp");
        run.turn(draft);
        self.parts.of_turn(event, run);
    }

    fn action(&mut self, event: &Value, run: &mut Run) {
        let reply = fields::text(event, "llm_response_id").filter(|id| !id.is_empty());
        if reply.is_none() || reply != self.reply || run.turns.is_empty() {
            let mut draft = Draft::new(blocks::text_of(event, "thought"));
            draft.parts.thinking = Field::recorded(blocks::text_of(event, "reasoning_content"));
            draft.parts.started_at = clock::stamp(event, "timestamp");
            run.turn(draft);
        }
        self.reply = reply;
        self.parts.of_turn(event, run);
        let made = event.get_some("tool_call").unwrap_or(&Value::Nil);
        let name = fields::text(event, "tool_name").or_else(|| fields::text(made, "name"));
        let told = made
            .get_some("arguments")
            .or_else(|| event.get_some("action"));
        let mut call = ToolCall::new(name.unwrap_or_else(|| "?".into()), arguments(told));
        call.id = fields::text(event, "tool_call_id").or_else(|| fields::text(made, "id"));
        call.timestamp = clock::stamp(event, "timestamp");
        let action = event.get_some("action").unwrap_or(&Value::Nil);
        if action.get("kind").and_then(Value::as_str) == Some("FinishAction") {
            run.step.ending = Ending::Return(action.get("message").cloned().unwrap_or_default());
        }
        run.call(call);
    }

    /// A call of an agent behind the Agent Client Protocol, with its answer once that is there. The reply
    /// that made it is not recorded.
    fn acp_call(&mut self, event: &Value, run: &mut Run) {
        self.reply = None;
        let id = fields::text(event, "tool_call_id");
        let last = run.turns.last();
        if !last.is_some_and(|turn| has_call(turn, id.as_ref())) {
            let mut draft = Draft::new(None);
            draft.parts.started_at = clock::stamp(event, "timestamp");
            run.turn(draft);
            let mut names = ["title", "tool_kind"].iter();
            let name = names.find_map(|name| fields::text(event, name));
            let args = event.get_some("raw_input");
            let mut call = ToolCall::new(name.unwrap_or_else(|| "?".into()), arguments(args));
            call.id.clone_from(&id);
            call.timestamp = clock::stamp(event, "timestamp");
            run.call(call);
        }
        let status = event.get("status").and_then(Value::as_str);
        let failed = status == Some("failed")
            || event.get("is_error").and_then(Value::as_bool) == Some(true);
        let mut names = ["raw_output", "content"].iter();
        let told = names.find_map(|name| event.get_some(name));
        let Some(call) = run.last().and_then(|turn| turn.calls.last_mut()) else {
            return;
        };
        match (failed, told) {
            (true, told) => call.error = Some(told.map_or_else(|| "failed".into(), answer)),
            (false, Some(told)) => call.result = Field::Recorded(answer(told)),
            (false, None) => {}
        }
    }

    /// The run's usage is told anew each time, by model; the last word counts.
    fn update(&mut self, event: &Value, run: &mut Run, report: &mut Report) {
        let key = event.get("key").and_then(Value::as_str);
        let Some(value) = event.get_some("value") else {
            return;
        };
        let stats = match key {
            Some("stats") => value,
            Some("full_state") => return self.state(value, run, report),
            _ => return,
        };
        self.spent(stats, run, report);
    }

    /// The state of the whole conversation, as an event or a file of its own tells it.
    pub(super) fn state(&mut self, state: &Value, run: &mut Run, report: &mut Report) {
        if let Some(stats) = state.get_some("stats") {
            self.spent(stats, run, report);
        }
    }

    fn spent(&mut self, stats: &Value, run: &mut Run, report: &mut Report) {
        let Some(models) = stats.get("usage_to_metrics").and_then(Value::as_map) else {
            return;
        };
        let add = |sum: Option<u64>, part: Option<u64>| match (sum, part) {
            (Some(sum), Some(part)) => sum.checked_add(part),
            (sum, part) => sum.or(part),
        };
        let mut sum = Usage::default();
        for metrics in models.values() {
            let usage = metrics.get_some("accumulated_token_usage");
            let usage = usage
                .map(|usage| blocks::usage(usage, report))
                .unwrap_or_default();
            sum.input = add(sum.input, usage.input);
            sum.output = add(sum.output, usage.output);
            sum.cache_read = add(sum.cache_read, usage.cache_read);
            sum.cache_write = add(sum.cache_write, usage.cache_write);
            let model = fields::text(metrics, "model_name");
            run.step.model = run.step.model.take().or(model);
        }
        self.usage = sum;
        self.stats = Some(stats.clone());
    }

    pub(super) fn finish(self, run: &mut Run) {
        if let Some(stats) = self.stats {
            run.step.usage = self.usage;
            run.step.figures = stats;
        }
    }
}

/// Whether the last call of a turn has an identifier.
fn has_call(turn: &Draft, id: Option<&Arc<str>>) -> bool {
    let last = turn.calls.last();
    id.is_some() && last.is_some_and(|call| call.id.as_ref() == id)
}

/// What a call answered: contents as text, other values as they are.
fn answer(told: &Value) -> Value {
    match told {
        Value::List(_) => Value::string(blocks::text(told)),
        other => blocks::without_images(other),
    }
}

fn observation(kind: &str, event: &Value, run: &mut Run) {
    let told = event.get_some("observation").unwrap_or(&Value::Nil);
    let content = match kind {
        "AgentErrorEvent" => blocks::text_of(event, "error"),
        "UserRejectObservation" => blocks::text_of(event, "rejection_reason"),
        _ => blocks::text_of(told, "content"),
    };
    let result = content.map(Value::Str);
    let code = told.get("exit_code").and_then(Value::as_i64);
    let is_error = told.get("is_error").and_then(Value::as_bool) == Some(true);
    // Then what was answered is the error.
    let says_why = kind == "AgentErrorEvent" || is_error;
    let error = if says_why {
        Some(result.clone().unwrap_or_else(|| Value::string("error")))
    } else {
        code.filter(|code| ![0, -1].contains(code))
            .map(|code| Value::string(format!("exit code {code}")))
    };
    let id = fields::text(event, "tool_call_id");
    let end = event.get("timestamp").and_then(clock::millis);
    let name = fields::text(event, "tool_name");
    if let Some(call) = id.as_deref().and_then(|id| run.answered(id)) {
        let start = call.timestamp.as_deref().and_then(calendar::iso_ms);
        call.duration_ms = clock::between(start, end);
        call.approximate = true;
        call.result = Field::recorded(result.filter(|_| !says_why));
        call.error = error;
        call.refused = kind == "UserRejectObservation";
        return;
    }
    let answer = Answer {
        result: result.filter(|_| !says_why),
        error,
        name,
        ..Answer::default()
    };
    run.answer_at(None, id.as_deref(), answer);
}

fn tool(tool: &Value) -> Option<Tool> {
    let told = tool.get("function").unwrap_or(tool);
    let name = fields::text(told, "name").or_else(|| fields::text(told, "title"))?;
    Some(Tool::new(name, None, fields::text(told, "description")))
}
