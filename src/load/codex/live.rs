//! What `codex exec --json` wrote before it had items: an event a line, each as `{id, msg}`
//! (`formats/codex.md`). There are no response items in it, so its turns are made of events.

use std::sync::Arc;

use super::super::{Report, blocks, fields};
use super::rollout::Rollout;
use crate::step::{Field, ToolCall};
use crate::value::{Map, Value};

/// The event that a record of that layout holds.
pub(super) fn event(record: &Value) -> Option<&Value> {
    record
        .get("type")
        .is_none()
        .then(|| record.get("msg"))?
        .filter(|event| event.get("type").and_then(Value::as_str).is_some())
}

/// Whether a record is one of that layout: its first two tell the settings and the prompt.
pub(super) fn is_of(record: &Value) -> bool {
    let has = |name: &str| record.get(name).is_some();
    event(record).is_some() && has("id") || is_settings(record)
}

/// The settings of a run, before its first event.
fn is_settings(record: &Value) -> bool {
    let has = |name: &str| record.get(name).is_some();
    has("workdir") && has("provider") && has("sandbox")
}

impl Rollout {
    /// Takes a record of that layout. Whether it is one.
    pub(super) fn live(&mut self, line: u64, record: &Value, report: &mut Report) -> bool {
        if let Some(event) = event(record) {
            self.any = true;
            self.items = true;
            self.live_event(line, event, report);
            return true;
        }
        let prompt = record
            .get_some("prompt")
            .filter(|_| record.get("type").is_none());
        if is_settings(record) {
            self.talk.step.model = fields::text(record, "model");
        } else if let Some(prompt) = prompt {
            self.talk.person(prompt);
        } else {
            return false;
        }
        self.any = true;
        true
    }

    fn live_event(&mut self, line: u64, event: &Value, report: &mut Report) {
        let kind = fields::text(event, "type").unwrap_or_default();
        match &*kind {
            "session_configured" => {
                let step = &mut self.talk.step;
                step.trace_id = fields::text(event, "session_id");
                step.model = fields::text(event, "model").or(step.model.take());
            }
            "agent_message" | "agent_reasoning" => {
                // What is said after calls is the next reply.
                let acted = self.open.and_then(|turn| self.talk.drafts().get(turn));
                if acted.is_some_and(|draft| !draft.calls.is_empty()) {
                    self.open = None;
                }
                let text = fields::text(event, "message").or_else(|| fields::text(event, "text"));
                let turn = self.turn(line, None);
                if let Some(draft) = self.talk.draft(turn) {
                    let texts = if &*kind == "agent_message" {
                        &mut draft.texts
                    } else {
                        &mut draft.thoughts
                    };
                    texts.extend(text);
                }
            }
            "exec_command_begin"
            | "mcp_tool_call_begin"
            | "patch_apply_begin"
            | "web_search_begin" => self.live_call(line, event),
            "exec_command_end" | "mcp_tool_call_end" | "patch_apply_end" => {
                self.open = None;
                self.live_answer(event);
                // Whether it failed, and how long it took.
                self.event(line, event, report);
            }
            "web_search_end" => {
                let query = event.get_some("query");
                let id = fields::text(event, "call_id");
                if let (Some(call), Some(query)) = (id.and_then(|id| self.talk.call_of(&id)), query)
                {
                    call.args = named("query", query.clone());
                }
            }
            "token_count" if event.get("info").is_none() => {
                let info = named("total_token_usage", event.clone());
                self.count(&named("info", info));
            }
            // One repeats the prompt, the others are what rollouts have too.
            "user_message" => {}
            _ => self.event(line, event, report),
        }
    }

    /// A call, as the event of its beginning or of its end tells it.
    pub(super) fn live_call(&mut self, line: u64, event: &Value) {
        let kind = fields::text(event, "type").unwrap_or_default();
        let turn = self.turn(line, None);
        let inside = event.get("invocation").unwrap_or(event);
        let name: Arc<str> = match (fields::text(inside, "server"), fields::text(inside, "tool")) {
            (Some(server), Some(tool)) => format!("mcp__{server}__{tool}").into(),
            _ => kind
                .trim_end_matches("_begin")
                .trim_end_matches("_end")
                .into(),
        };
        let args = ["arguments", "command", "changes"];
        let told = args
            .iter()
            .find_map(|name| Some((*name, inside.get_some(name)?)));
        let args = match told {
            Some(("arguments", args)) => blocks::arguments(args),
            Some((name, told)) => named(name, told.clone()),
            None => Value::Nil,
        };
        let mut call = ToolCall::new(name, args);
        call.id = fields::text(event, "call_id");
        call.unmarked = true;
        if &*kind == "web_search_begin" {
            call.result = Field::Absent;
        }
        self.talk.call(turn, call);
    }

    /// The output of a call.
    pub(super) fn live_answer(&mut self, event: &Value) {
        let result = event.get_some("result");
        let result = result.map(|told| told.get("Ok").or_else(|| told.get("Err")).unwrap_or(told));
        let content = result.map_or_else(
            || streams(event),
            |told| blocks::result(told.get_some("content").unwrap_or(told)),
        );
        let id = fields::text(event, "call_id");
        let answer = super::super::talk::Answer {
            content,
            ..Default::default()
        };
        self.talk.answer(id.as_ref(), answer);
    }
}

/// What a command wrote: as one text where that is told, else stream by stream.
fn streams(event: &Value) -> Value {
    let text = |name: &&str| fields::text(event, name).filter(|text| !text.is_empty());
    let whole = ["aggregated_output", "formatted_output"];
    let each = || {
        let streams: Vec<_> = ["stdout", "stderr"].iter().filter_map(text).collect();
        streams.join("\n").into()
    };
    Value::Str(whole.iter().find_map(text).unwrap_or_else(each))
}

fn named(name: &str, value: Value) -> Value {
    Value::map(Map::from_iter([(Value::string(name), value)]))
}
