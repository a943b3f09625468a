//! Turns of a rollout. Everything visible is written twice; turns are made of response items, and
//! events tell usage, durations and failures. Only a file without items is read by its events.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::records::{Fold, Place};
use super::super::shelf::Middle;
use super::super::talk::{Answer, Talk};
use super::super::{Report, blocks, fields};
use super::events::usage;
use super::left::Left;
use super::output::{self, Told};
use crate::step::{EventKind, Field, Step, ToolCall, TurnKind, TurnParts, Usage};
use crate::value::Value;

/// A rollout so far.
#[allow(clippy::struct_excessive_bools)] // each tells of another thing that was seen
pub(super) struct Rollout {
    pub(super) talk: Talk,
    /// The turn that goes on, if any.
    pub(super) open: Option<usize>,
    pub(super) any: bool,
    /// Whether there is a response item.
    pub(super) items: bool,
    /// Events before the first item, in case there is none.
    pub(super) events: Vec<(u64, Value)>,
    /// How many of them came before each of what happened meanwhile.
    pub(super) happened_at: Vec<usize>,
    /// How many turns there were when `codex exec` last said that one is complete.
    pub(super) completed: usize,
    /// What a person asked first, as an event tells it: it may be a part of what was sent.
    pub(super) asked: Option<Arc<str>>,
    pub(super) instructions: Vec<Arc<str>>,
    /// The counter of the whole thread.
    pub(super) total: Usage,
    pub(super) counted: bool,
    /// Usage by the newer records, for a file without counters.
    pub(super) records: Vec<(Option<usize>, Usage)>,
    /// What events tell of calls.
    pub(super) told: HashMap<Arc<str>, Told>,
    /// Records before this are a copy of the parent's.
    pub(super) from_ordinal: Option<u64>,
    pub(super) heads: usize,
    pub(super) compacted: bool,
    /// How many turns there were before each request of a person that still holds, and how much had
    /// arrived since the last.
    pub(super) requests: Vec<(usize, usize)>,
}

/// Beginnings of texts that Codex puts before the model itself.
const INJECTED: [&str; 8] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "# AGENTS.md",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
];

/// Whether Codex itself put a text before the model.
pub(super) fn is_injected(text: &str) -> bool {
    let start = text.trim_start();
    INJECTED.iter().any(|tag| start.starts_with(tag))
}

/// Makes a turn of its records again.
pub(super) fn again(records: &[(u64, Value)], middle: Middle) -> Option<TurnParts> {
    read_again(records, Talk::again(middle)).only_turn()
}

fn read_again(records: &[(u64, Value)], talk: Talk) -> Talk {
    let mut rollout = Rollout {
        talk,
        items: true,
        ..Rollout::new()
    };
    for (line, record) in records {
        rollout.record(*line, record, &mut Report::default());
    }
    rollout.talk
}

/// Events of which only numbers and marks are read where there are items.
const LIGHT_EVENTS: [&str; 6] = [
    "agent_message",
    "agent_reasoning",
    "exec_command_end",
    "exec_command_output_delta",
    "mcp_tool_call_end",
    "patch_apply_end",
];

impl Fold for Rollout {
    // What calls are made with.
    const PASSED: &'static [&'static str] = &["arguments"];

    fn is_of_turns(&self, record: &Value) -> bool {
        let kind = |record: &Value| fields::text(record, "type").unwrap_or_default();
        let item = record.get_some("payload").unwrap_or(record);
        let of = kind(item);
        if &*kind(record) == "event_msg" {
            return self.items && LIGHT_EVENTS.contains(&&*of);
        }
        match &*of {
            "message" => item.get("role").and_then(Value::as_str) == Some("assistant"),
            "reasoning" | "tool_result" => true,
            other => other.ends_with("_call") || other.ends_with("_output"),
        }
    }

    fn take(&mut self, place: Place, record: &mut Value, report: &mut Report) {
        self.talk.reads(place);
        self.record(place.span.line, record, report);
    }
}

impl Rollout {
    pub(super) fn new() -> Self {
        Self {
            talk: Talk::new(),
            open: None,
            any: false,
            items: false,
            events: Vec::new(),
            happened_at: Vec::new(),
            completed: 0,
            asked: None,
            instructions: Vec::new(),
            total: Usage::default(),
            counted: false,
            records: Vec::new(),
            told: HashMap::new(),
            from_ordinal: None,
            heads: 0,
            compacted: false,
            requests: Vec::new(),
        }
    }

    /// Whether anything of a rollout was there.
    pub(super) fn any(&self) -> bool {
        self.any
    }

    /// Takes a record.
    fn record(&mut self, line: u64, record: &Value, report: &mut Report) {
        if self.live(line, record, report) {
            return;
        }
        let Some(kind) = fields::text(record, "type") else {
            return self.old_head(record, report);
        };
        let at = fields::text(record, "timestamp");
        if let Some(at) = &at {
            let step = &mut self.talk.step;
            step.started_at.get_or_insert_with(|| Arc::clone(at));
            step.ended_at = Some(Arc::clone(at));
        }
        let Some(payload) = record.get_some("payload") else {
            self.any = true;
            return match &*kind {
                "thread.started" => {
                    self.talk.step.trace_id = fields::text(record, "thread_id");
                }
                "turn.started" | "turn.completed" | "turn.failed" | "error" => {
                    self.exec_event(line, &kind, record, report);
                }
                "item.started" | "item.updated" => {}
                "item.completed" => {
                    let item = record.get("item").unwrap_or(&Value::Nil);
                    self.exec_item(line, item, at.as_ref(), report);
                }
                // The layout before mid-2025: items without an envelope.
                _ => self.item(line, record, at.as_ref(), report),
            };
        };
        self.any = true;
        let ordinal = record.get("ordinal").and_then(Value::as_count);
        if kind.as_ref() != "session_meta" && ordinal.is_some() && ordinal < self.from_ordinal {
            report.note("the history that was copied from the parent thread is left out");
            self.passed(payload);
            return;
        }
        match &*kind {
            "session_meta" => self.head(payload, report),
            "turn_context" => {
                self.open = None;
                if let Some(model) = fields::text(payload, "model") {
                    let before = self.talk.step.model.replace(Arc::clone(&model));
                    let next = self.talk.len() + 1;
                    if next > 1 && before.is_some_and(|before| before != model) {
                        report.note(format!("the model changed to {model} before turn {next}"));
                    }
                }
            }
            "response_item" => self.item(line, payload, at.as_ref(), report),
            "event_msg" => self.event(line, payload, report),
            "compacted" => {
                self.open = None;
                self.compacted = true;
                let left = Left::of(payload);
                self.happened(EventKind::Compaction, left.text());
                if left.hidden > 0 {
                    let hidden = left.hidden;
                    report.note(format!(
                        "{hidden} item(s) that a compaction left are encrypted or of no known kind"
                    ));
                }
                if let Some(event) = self.talk.step.events.last_mut() {
                    event.history = left.messages;
                    event.hides = left.hidden > 0;
                }
                let next = self.talk.len() + 1;
                report.note(format!("the history was compacted before turn {next}"));
            }
            "token_usage_record" => {
                if let Some(told) = payload.get_some("usage") {
                    fields::note_counts(told, report);
                    let turn = self.talk.len().checked_sub(1);
                    self.records.push((turn, usage(told)));
                }
            }
            "world_state" => {}
            other => report.unknown_record(other, record, Some(line)),
        }
    }

    /// Keeps what happened between two replies.
    pub(super) fn happened(&mut self, kind: EventKind, text: Option<Arc<str>>) {
        if !self.items {
            self.happened_at.push(self.events.len());
        }
        self.talk.happened(kind, text);
    }

    /// Takes a rollout that is one document.
    pub(super) fn document(&mut self, document: &Value, report: &mut Report) {
        self.any = true;
        self.head(document.get("session").unwrap_or(&Value::Nil), report);
        let items = document.get("items").and_then(Value::as_list);
        for item in items.unwrap_or_default() {
            self.record(1, item, report);
        }
    }

    fn old_head(&mut self, record: &Value, report: &mut Report) {
        let has = |name: &str| record.get(name).is_some();
        if has("record_type") {
            self.any = true;
        } else if has("id") && has("timestamp") {
            self.any = true;
            self.head(record, report);
        } else {
            report.unknown_record("a record without a type", record, None);
        }
    }

    fn head(&mut self, meta: &Value, report: &mut Report) {
        self.open = None;
        self.heads += 1;
        if self.heads > 1 {
            let id = fields::text(meta, "id").or_else(|| fields::text(meta, "session_id"));
            // A thread that was resumed has a head of its own again.
            if id.is_none() || id != self.talk.step.trace_id {
                report.note(
                    "the file has several heads: it holds the history of a parent thread too",
                );
            }
            return;
        }
        let step = &mut self.talk.step;
        step.trace_id = fields::text(meta, "id").or_else(|| fields::text(meta, "session_id"));
        step.parent_trace_id =
            fields::text(meta, "forked_from_id").or_else(|| fields::text(meta, "parent_thread_id"));
        if let Some(at) = fields::text(meta, "timestamp") {
            step.started_at = Some(at);
        }
        let base = meta.get_some("base_instructions");
        let base = base.and_then(|base| fields::text(base, "text"));
        self.instructions
            .extend(base.or_else(|| fields::text(meta, "instructions")));
        let tools = meta.get_some("dynamic_tools").and_then(Value::as_list);
        step.tools = fields::listed_tools(tools.unwrap_or_default());
        self.from_ordinal = meta
            .get("subagent_history_start_ordinal")
            .and_then(Value::as_count);
    }

    /// A record of the parent's history: what the parent spent is no spending of this thread.
    fn passed(&mut self, payload: &Value) {
        let info = payload.get_some("info");
        let total = info.and_then(|info| info.get_some("total_token_usage"));
        self.total = total.map_or(self.total, usage);
    }

    /// The turn that goes on, or a new one.
    pub(super) fn turn(&mut self, line: u64, at: Option<&Arc<str>>) -> usize {
        if let Some(turn) = self.open {
            return turn;
        }
        let turn = self.talk.begin(line);
        self.open = Some(turn);
        if let Some(draft) = self.talk.draft(turn) {
            draft.parts.started_at = at.cloned();
            if std::mem::take(&mut self.compacted) {
                draft.parts.kind = TurnKind::Other("after compaction".into());
            }
        }
        turn
    }

    /// The first item: what came before it as an event only repeats items, but for the counters.
    fn first_item(&mut self) {
        if std::mem::replace(&mut self.items, true) {
            return;
        }
        for (_, event) in std::mem::take(&mut self.events) {
            if event.get("type").and_then(Value::as_str) == Some("token_count") {
                self.count(&event);
            }
        }
    }

    fn item(&mut self, line: u64, item: &Value, at: Option<&Arc<str>>, report: &mut Report) {
        let kind = fields::text(item, "type").unwrap_or_default();
        let is_known = matches!(&*kind, "message" | "reasoning" | "tool_result")
            || kind.ends_with("_call")
            || kind.ends_with("_output");
        if is_known {
            self.first_item();
        }
        match &*kind {
            "message" => self.message(line, item, at),
            "reasoning" => {
                let turn = self.turn(line, at);
                // Open models tell their thinking itself where there is no summary.
                let told = ["summary", "content"].iter().map(|name| texts(item, name));
                let told = told.into_iter().find(|texts| !texts.is_empty());
                let mut thoughts = told.unwrap_or_default();
                if let (true, Some(hidden)) =
                    (thoughts.is_empty(), fields::text(item, "encrypted_content"))
                {
                    thoughts
                        .push(format!("[encrypted thinking, {} characters]", hidden.len()).into());
                }
                if let Some(draft) = self.talk.draft(turn) {
                    draft.thoughts.extend(thoughts);
                }
            }
            "additional_tools" => {
                let tools = item.get_some("tools").and_then(Value::as_list);
                let tools = fields::listed_tools(tools.unwrap_or_default());
                self.talk.step.tools.extend(tools);
            }
            "function_call"
            | "custom_tool_call"
            | "local_shell_call"
            | "web_search_call"
            | "tool_search_call"
            | "image_generation_call"
            | "tool_call" => {
                self.call(line, &kind, item, at);
            }
            "tool_result" => {
                self.open = None;
                let content = item.get_some("result").cloned().unwrap_or_default();
                let code = content.get("exitCode").and_then(Value::as_i64);
                let answered = self.talk.answer_next(Answer {
                    content,
                    failed: code.is_some_and(|code| code != 0),
                    at: at.cloned(),
                    duration_ms: None,
                    name: fields::text(item, "name"),
                });
                if let Some(call) = answered.and_then(|at| self.talk.call_at(at)) {
                    call.unmarked = code.is_none();
                }
            }
            output if output.ends_with("_output") => self.output(item, at),
            "" => report.unknown_record("an item without a type", item, Some(line)),
            other => report.unknown_record(other, item, Some(line)),
        }
    }

    fn message(&mut self, line: u64, item: &Value, at: Option<&Arc<str>>) {
        let content = item.get("content").unwrap_or(&Value::Nil);
        let text = blocks::text(content);
        match item.get("role").and_then(Value::as_str) {
            Some("assistant") => {
                let turn = self.turn(line, at);
                if let Some(draft) = self.talk.draft(turn).filter(|_| !text.is_empty()) {
                    draft.texts.push(text);
                }
            }
            Some("user") => {
                self.open = None;
                if is_injected(&text) {
                    self.talk.injected(text);
                } else {
                    self.requests.push((self.talk.len(), self.talk.waiting()));
                    self.talk.person(content);
                    if let Some(asked) = self.asked.clone().filter(|_| self.talk.is_at_start()) {
                        self.talk.asked(&asked);
                    }
                }
            }
            _ if self.talk.is_at_start() => self.instructions.push(text),
            _ => self.talk.injected(text),
        }
    }

    fn call(&mut self, line: u64, kind: &str, item: &Value, at: Option<&Arc<str>>) {
        let turn = self.turn(line, at);
        let own = kind.trim_end_matches("_call");
        let named = fields::text(item, "name").or_else(|| {
            let function = item.get("function")?;
            fields::text(function, "name")
        });
        let name: Arc<str> = match (named, fields::text(item, "namespace")) {
            (Some(name), Some(space)) => format!("{space}.{name}").into(),
            (Some(name), None) => name,
            (None, _) => own.into(),
        };
        let args = ["arguments", "input", "action", "revised_prompt"];
        let told = |item: &'_ Value| args.iter().find_map(|name| item.get_some(name).cloned());
        let args = told(item).or_else(|| told(item.get("function")?));
        let args = match (kind, args) {
            // Free text, such as a patch.
            ("custom_tool_call", Some(input)) => input,
            (_, Some(args)) => blocks::arguments(&args),
            (_, None) => Value::Nil,
        };
        let mut call = ToolCall::new(name, args);
        call.id = fields::text(item, "call_id").or_else(|| fields::text(item, "id"));
        call.timestamp = at.cloned();
        let settled = matches!(kind, "web_search_call" | "image_generation_call");
        let at = self.talk.call(turn, call);
        if let (true, Some(call)) = (settled, at.and_then(|at| self.talk.call_at(at))) {
            // Neither has an output item.
            call.result = match item.get_some("result") {
                Some(data) => {
                    Field::Recorded(blocks::of_data(Some("image"), Some(data)).as_str().into())
                }
                None => Field::Absent,
            };
        }
    }

    fn output(&mut self, item: &Value, at: Option<&Arc<str>>) {
        self.open = None;
        let content = ["output", "tools"]
            .iter()
            .find_map(|name| item.get_some(name));
        let content = content.map(blocks::result).unwrap_or_default();
        let id = fields::text(item, "call_id");
        let by_text = content.as_str().map(output::told).unwrap_or_default();
        let by_event = id
            .as_ref()
            .and_then(|id| self.told.remove(id))
            .unwrap_or_default();
        let failed = by_event.failed.or(by_text.failed);
        let answered = self.talk.answer(
            id.as_ref(),
            Answer {
                content,
                failed: failed.unwrap_or(false),
                at: at.cloned(),
                duration_ms: by_event.duration_ms.or(by_text.duration_ms),
                name: fields::text(item, "name"),
            },
        );
        if let Some(call) = answered.and_then(|at| self.talk.call_at(at)) {
            call.refused = by_event.refused || by_text.refused;
            call.framed = by_text.framed;
            call.unmarked = failed.is_none() && !call.refused;
        }
    }

    /// A counter before the first turn is the run's usage only where no turn has its own.
    fn forget_counter_before_turns(&mut self, report: &mut Report) {
        let mut drafts = self.talk.drafts().iter();
        let is_told = drafts.any(|draft| !draft.parts.usage.is_empty());
        let before = &mut self.talk.step.usage;
        if is_told && !before.is_empty() {
            *before = Usage::default();
            report.note("what was counted before the first turn is not counted as this run's");
        }
    }

    pub(super) fn finish(mut self, report: &mut Report) -> Step {
        self.talk.ends();
        if self.items {
            self.forget_counter_before_turns(report);
        } else {
            self.talk.keep_whole();
            self.replay(report);
        }
        self.talk
            .complete_unmatched(|record| read_again(record, Talk::of_results()));
        if !self.counted {
            for (turn, usage) in std::mem::take(&mut self.records) {
                match turn.and_then(|turn| self.talk.draft(turn)) {
                    Some(draft) => draft.add_usage(usage),
                    None => self.talk.step.usage = self.talk.step.usage.plus(usage),
                }
            }
        }
        let mut step = self.talk.finish();
        step.mission = step.mission.or(self.asked);
        if !self.instructions.is_empty() {
            step.system_prompt = Some(self.instructions.join("\n\n").into());
        }
        if !step.unmatched_results.is_empty() {
            report.note("some results answer no call; they are kept beside the turns");
        }
        step
    }
}

/// The texts of parts in a list under a name.
fn texts(item: &Value, name: &str) -> Vec<Arc<str>> {
    let parts = item.get_some(name).and_then(Value::as_list);
    let parts = parts.unwrap_or_default().iter();
    let text = |part: &Value| fields::text(part, "text").unwrap_or_else(|| blocks::part(part));
    parts.map(text).filter(|text| !text.is_empty()).collect()
}
