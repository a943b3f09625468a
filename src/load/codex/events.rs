//! What events tell: usage, durations, failures; and the turns of files that have nothing else, such
//! as the output of `codex exec --json`.

use std::sync::Arc;

use super::super::{Report, blocks, fields};
use super::output::{self, Told};
use super::rollout::{Rollout, is_injected};
use crate::step::{Ending, Event, EventKind, Failure, Field, ToolCall, Usage};
use crate::value::Value;

/// The status of what a person refused.
const DECLINED: &str = "declined";

impl Rollout {
    pub(super) fn event(&mut self, line: u64, event: &Value, report: &mut Report) {
        let kind = fields::text(event, "type").unwrap_or_default();
        match &*kind {
            "user_message" => {
                let asked = fields::text(event, "message");
                let asked = asked.filter(|text| !text.is_empty() && !is_injected(text));
                if let (None, Some(asked)) = (&self.asked, asked) {
                    if self.talk.is_at_start() {
                        self.talk.asked(&asked);
                    }
                    self.asked = Some(asked);
                }
            }
            "task_started" | "turn_started" => {
                self.open = None;
                self.talk.step.ending = Ending::Open;
            }
            "token_count" => {
                fields::note_counts(event.get("info").unwrap_or(&Value::Nil), report);
                if self.items {
                    self.count(event);
                }
            }
            "mcp_tool_call_end" => {
                let result = event.get("result").unwrap_or(&Value::Nil);
                let marked = result
                    .get("Ok")
                    .and_then(|ok| ok.get("isError"))
                    .and_then(Value::as_bool);
                let failed = if result.get("Err").is_some() {
                    Some(true)
                } else {
                    marked
                };
                self.ended(event, failed);
            }
            "patch_apply_end" => {
                self.ended(
                    event,
                    event
                        .get("success")
                        .and_then(Value::as_bool)
                        .map(|good| !good),
                );
            }
            "exec_command_end" => {
                self.ended(
                    event,
                    event
                        .get("exit_code")
                        .and_then(Value::as_i64)
                        .map(|code| code != 0),
                );
            }
            "turn_aborted" => {
                let reason = fields::text(event, "reason");
                self.happened(EventKind::Interruption, reason.clone());
                self.failed("turn_aborted", reason, report);
            }
            "task_complete" | "turn_complete" => {
                let answer = event.get_some("last_agent_message");
                self.talk.step.ending =
                    answer.map_or(Ending::Open, |answer| Ending::Return(answer.clone()));
                if let Some(error) = event.get_some("error") {
                    let message =
                        fields::text(error, "message").or_else(|| fields::text_or_printed(error));
                    self.happened(EventKind::ApiError, message.clone());
                    self.failed("error", message, report);
                }
            }
            "error" => {
                let inside = event.get_some("error").unwrap_or(event);
                let message = fields::text(inside, "message");
                self.happened(EventKind::ApiError, message.clone());
                self.failed("error", message, report);
            }
            "thread_rolled_back" => {
                report.note("requests were taken back by the person; their turns are still shown");
                self.rolled_back(event);
            }
            _ => {}
        }
        if !self.items {
            self.events.push((line, event.clone()));
        }
    }

    /// The person took back the last requests, so that what follows goes on before them.
    fn rolled_back(&mut self, event: &Value) {
        self.open = None;
        let count =
            fields::count(event, &["num_turns"]).and_then(|told| usize::try_from(told).ok());
        let left = self.requests.len().checked_sub(count.unwrap_or(1));
        let turns = self.talk.len();
        let taken = self.requests.get(left.unwrap_or_default()).copied();
        // What waits for a reply arrived later than any request that was answered.
        let from = taken.filter(|(before, _)| left.is_some() && *before == turns);
        let had_mission = self.talk.step.mission.is_some();
        self.talk.take_back(from.map_or(0, |(_, arrived)| arrived));
        if had_mission && self.talk.step.mission.is_none() {
            self.asked = None;
        }
        if let Some((resumes, _)) = taken {
            self.requests.truncate(left.unwrap_or_default());
            self.talk.step.events.push(Event::branch(turns, resumes));
        }
    }

    fn failed(&mut self, reason: &str, message: Option<Arc<str>>, report: &mut Report) {
        report.note(match &message {
            Some(message) => format!("{reason}: {message}"),
            None => reason.to_owned(),
        });
        let failure = Failure {
            reason: Some(reason.into()),
            message,
            ..Failure::default()
        };
        self.talk.step.ending = Ending::Fail(failure);
    }

    /// What an event tells of a call's end, be it before or after the call's output.
    fn ended(&mut self, event: &Value, failed: Option<bool>) {
        let Some(id) = fields::text(event, "call_id") else {
            return;
        };
        let duration_ms = event.get_some("duration").and_then(output::duration);
        let told = Told {
            failed,
            duration_ms,
            refused: event.get("status").and_then(Value::as_str) == Some(DECLINED),
            ..Told::default()
        };
        // Events of other threads stand in the file too.
        let Some(call) = self.talk.call_of(&id) else {
            return;
        };
        if !call.is_answered() {
            self.told.insert(id, told);
            return;
        }
        call.refused |= told.refused;
        call.approximate &= told.duration_ms.is_none();
        call.duration_ms = told.duration_ms.or(call.duration_ms);
        call.unmarked &= failed.is_none();
        // What the event says holds against what the output's text says.
        match (failed, call.error.take()) {
            (Some(true), None) => {
                call.error = call.result.get().cloned();
                call.result = Field::NotRecorded;
            }
            (Some(false), Some(text)) => call.result = Field::Recorded(text),
            (_, error) => call.error = error,
        }
    }

    /// A counter: a turn used what the thread's total grew by.
    pub(super) fn count(&mut self, event: &Value) {
        let Some(info) = event.get_some("info") else {
            return;
        };
        let used = match (
            info.get_some("total_token_usage").map(usage),
            info.get_some("last_token_usage"),
        ) {
            (Some(total), last) => {
                let sum = |usage: &Usage| usage.total.or(usage.sum()).unwrap_or_default();
                let (before, after) = (sum(&self.total), sum(&total));
                let used = match after.cmp(&before) {
                    std::cmp::Ordering::Equal => return,
                    std::cmp::Ordering::Greater => grown(self.total, total),
                    std::cmp::Ordering::Less => last.map(usage).unwrap_or_default(),
                };
                self.total = total;
                used
            }
            (None, Some(last)) => usage(last),
            (None, None) => Usage {
                input: fields::count(info, &["prompt"]),
                output: fields::count(info, &["completion"]),
                ..Usage::default()
            },
        };
        self.counted = true;
        self.used(used);
    }

    /// Tokens of the last turn; of the run, where there is none yet.
    pub(super) fn used(&mut self, used: Usage) {
        match self.talk.last() {
            Some(draft) => draft.add_usage(used),
            None => self.talk.step.usage = self.talk.step.usage.plus(used),
        }
    }

    /// What `codex exec --json` tells between the items.
    pub(super) fn exec_event(
        &mut self,
        line: u64,
        kind: &str,
        record: &Value,
        report: &mut Report,
    ) {
        match kind {
            "turn.completed" => {
                if self.talk.len() == self.completed {
                    self.reply(line, None, &mut Vec::new());
                }
                self.completed = self.talk.len();
                // An error before it was got over.
                self.talk.step.ending = Ending::Open;
                let told = record.get("usage").unwrap_or(&Value::Nil);
                fields::note_counts(told, report);
                self.used(usage(told));
            }
            "turn.failed" | "error" => {
                let inside = record.get_some("error").unwrap_or(record);
                let message = fields::text(inside, "message");
                self.happened(EventKind::ApiError, message.clone());
                self.failed("error", message, report);
            }
            _ => {}
        }
        self.open = None;
    }

    /// A finished item of `codex exec --json`: what was said, thought, or done with its result.
    pub(super) fn exec_item(
        &mut self,
        line: u64,
        item: &Value,
        at: Option<&Arc<str>>,
        report: &mut Report,
    ) {
        self.items = true;
        let kind = fields::text(item, "type").or_else(|| fields::text(item, "item_type"));
        let kind = kind.unwrap_or_default();
        let speaks = matches!(
            &*kind,
            "agent_message" | "assistant_message" | "plan" | "reasoning"
        );
        let acted = self
            .talk
            .drafts()
            .last()
            .is_some_and(|draft| !draft.calls.is_empty());
        if speaks && acted {
            self.open = None;
        }
        match &*kind {
            "agent_message" | "assistant_message" | "plan" | "reasoning" => {
                let text = fields::text(item, "text").unwrap_or_default();
                let turn = self.turn(line, at);
                if let Some(draft) = self.talk.draft(turn) {
                    let texts = if &*kind == "reasoning" {
                        &mut draft.thoughts
                    } else {
                        &mut draft.texts
                    };
                    texts.push(text);
                }
            }
            "command_execution" | "mcp_tool_call" | "collab_tool_call" | "file_change"
            | "web_search" => {
                let turn = self.turn(line, at);
                let name = match (fields::text(item, "server"), fields::text(item, "tool")) {
                    (Some(server), Some(tool)) => format!("mcp__{server}__{tool}").into(),
                    (None, Some(tool)) => tool,
                    (_, None) => Arc::clone(&kind),
                };
                let args = ["command", "arguments", "changes", "query", "prompt"];
                let args = args.iter().find_map(|name| item.get_some(name)).cloned();
                let result = ["aggregated_output", "result", "error", "agents_states"];
                let result = result.iter().find_map(|name| item.get_some(name));
                let result = result.map(|told| {
                    // Of a tool of MCP what it said, or what went wrong.
                    let mut said = ["content", "message"].iter();
                    let said = said.find_map(|name| told.get_some(name));
                    blocks::result(said.unwrap_or(told))
                });
                let mut call = ToolCall::new(name, args.unwrap_or_default());
                call.id = fields::text(item, "id");
                call.timestamp = at.cloned();
                let status = item.get("status").and_then(Value::as_str);
                call.refused = status == Some(DECLINED);
                let failed = status == Some("failed")
                    || item
                        .get("exit_code")
                        .and_then(Value::as_i64)
                        .is_some_and(|code| code != 0);
                if failed {
                    call.error = Some(result.unwrap_or_else(|| "failed".into()));
                } else {
                    // A search and a change of files have no output, and are not unanswered.
                    call.result = Field::recorded_or_absent(result);
                }
                self.talk.call(turn, call);
            }
            // Such an error doesn't end the run.
            "error" => {
                let message = fields::text(item, "message").unwrap_or_default();
                report.note(format!("error: {message}"));
            }
            "todo_list" => {}
            other => report.unknown_record(other, item, Some(line)),
        }
    }

    /// Turns of a file that has events alone.
    pub(super) fn replay(&mut self, report: &mut Report) {
        let mut said = false;
        let mut thoughts = Vec::new();
        let (before, mut happened) = (self.talk.len(), 0);
        for (at, (line, event)) in std::mem::take(&mut self.events).into_iter().enumerate() {
            let turns = self.talk.len() - before;
            happened += self.follow_turns(turns, happened, at);
            let message = event
                .get_some("message")
                .filter(|message| message.as_str().is_some());
            match event.get("type").and_then(Value::as_str) {
                Some("user_message") => {
                    let text = message.map(blocks::text).unwrap_or_default();
                    if is_injected(&text) {
                        self.talk.injected(text);
                    } else {
                        self.talk.person(&Value::Str(text));
                    }
                }
                Some("token_count") => self.count(&event),
                Some("agent_reasoning") => thoughts.extend(fields::text(&event, "text")),
                Some("agent_message") => {
                    said = true;
                    self.reply(line, message, &mut thoughts);
                }
                Some("exec_command_end" | "mcp_tool_call_end" | "patch_apply_end") => {
                    self.acted(line, &event, report);
                }
                Some("turn.completed") => {
                    if !std::mem::take(&mut said) {
                        self.reply(line, message, &mut thoughts);
                    }
                    self.used(event.get_some("usage").map(usage).unwrap_or_default());
                }
                _ => {}
            }
        }
        let turns = self.talk.len() - before;
        self.follow_turns(turns, happened, usize::MAX);
    }

    /// Puts what happened up to an event behind as many more turns, from a place on; how much that was.
    fn follow_turns(&mut self, turns: usize, from: usize, event: usize) -> usize {
        let happened = self.talk.step.events.get_mut(from..).unwrap_or_default();
        let places = self.happened_at.get(from..).unwrap_or_default();
        let due = places.iter().take_while(|at| **at <= event).count();
        for happened in happened.iter_mut().take(due) {
            happened.after += turns;
        }
        due
    }

    /// The end of a call that nothing else tells of: the last reply made it.
    fn acted(&mut self, line: u64, event: &Value, report: &mut Report) {
        self.open = self.talk.len().checked_sub(1);
        self.live_call(line, event);
        self.open = None;
        self.live_answer(event);
        self.event(line, event, report);
    }

    fn reply(&mut self, line: u64, message: Option<&Value>, thoughts: &mut Vec<Arc<str>>) {
        let turn = self.talk.begin(line);
        if let Some(draft) = self.talk.draft(turn) {
            draft.unrecorded = true;
            draft.texts.extend(message.map(blocks::text));
            draft.thoughts.append(thoughts);
        }
    }
}

/// Tokens as Codex counts them: cached ones are among the input, thinking among the output.
pub(super) fn usage(told: &Value) -> Usage {
    let mut usage = fields::usage(told);
    usage.cache_read = fields::count(told, &["cached_input_tokens", "cache_read_input_tokens"]);
    usage.cache_write = fields::count(told, &["cache_write_input_tokens"]);
    usage
}

/// What a counter grew by.
fn grown(before: Usage, after: Usage) -> Usage {
    let less = |after: Option<u64>, before: Option<u64>| {
        after.map(|after| after.saturating_sub(before.unwrap_or_default()))
    };
    let mut grown = after;
    grown.input = less(after.input, before.input);
    grown.output = less(after.output, before.output);
    grown.total = less(after.total, before.total);
    grown.cache_read = less(after.cache_read, before.cache_read);
    grown.cache_write = less(after.cache_write, before.cache_write);
    grown
}
