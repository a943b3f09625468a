//! Turns of Anthropic messages: a reply with the results behind it.

use std::sync::Arc;

use super::super::records::Place;
use super::super::shelf::{Middle, Shelves};
use super::super::talk::{Answer, Talk};
use super::super::{Report, blocks, elements, fields, sent};
use super::of_bedrock;
use crate::calendar;
use crate::step::{Field, Step, ToolCall, TurnParts, Usage};
use crate::value::Value;

/// The step of a conversation.
pub(super) fn step(
    line: u64,
    request: &Value,
    messages: &[Value],
    response: Option<&Value>,
    report: &mut Report,
) -> Step {
    let mut chat = Chat::new(line, Talk::new());
    chat.about(request);
    for message in messages {
        chat.message(message, report);
    }
    if let Some(error) = response.and_then(error_in) {
        report.note(chat.talk.api_error(error));
    } else if let Some(response) = response {
        let inside = of_bedrock(response);
        let before = chat.talk.len();
        chat.message(inside.unwrap_or(response), report);
        let is_sent = !messages.is_empty() && chat.talk.len() > before;
        if let (Some(told), Some(draft)) = (response.get_some("usage"), chat.talk.last())
            && inside.is_some()
        {
            draft.parts.usage = bedrock_usage(told);
        }
        if let Some(draft) = chat.talk.last().filter(|_| is_sent) {
            let system = request.get_some("system");
            draft.parts.messages = Field::Recorded(sent::messages(system, messages));
        }
        let step = &mut chat.talk.step;
        step.model = fields::text(response, "model").or(step.model.take());
    }
    chat.finish(report)
}

/// The error that was answered in place of a reply.
fn error_in(response: &Value) -> Option<&Value> {
    let is_reply = response.get("role").is_some() || of_bedrock(response).is_some();
    response.get_some("error").filter(|_| !is_reply)
}

/// The step of messages that stand each in a line.
pub(super) fn of_lines(messages: &[(u64, Value)], report: &mut Report) -> Step {
    let mut chat = Chat::new(1, Talk::new());
    for (line, message) in messages {
        chat.line = *line;
        chat.message(message, report);
    }
    chat.finish(report)
}

/// Makes a turn of its messages again.
pub(super) fn again(records: &[(u64, Value)], middle: Middle) -> Option<TurnParts> {
    read_again(records, Talk::again(middle)).only_turn()
}

fn read_again(records: &[(u64, Value)], talk: Talk) -> Talk {
    let mut chat = Chat::new(1, talk);
    for (at, (_, message)) in records.iter().enumerate() {
        chat.talk.reads_again(at);
        chat.message(message, &mut Report::default());
    }
    chat.talk
}

/// Whether a message holds results of calls and nothing else.
pub(super) fn is_results(message: &Value) -> bool {
    let is_result = |block: &Value| {
        let kind = block.get("type").and_then(Value::as_str);
        kind.is_some_and(|kind| kind.ends_with("tool_result"))
            && elements::is_short(block.get("tool_use_id"))
            && elements::is_short(block.get("toolUseId"))
    };
    let blocks = message.get("content").and_then(Value::as_list);
    let is_user = message.get("role").and_then(Value::as_str) == Some("user");
    is_user && blocks.is_some_and(|blocks| blocks.iter().all(is_result))
}

/// Tokens as Bedrock tells them: what was read from the cache and written to it is not among the input.
fn bedrock_usage(told: &Value) -> Usage {
    let get = |name: &str| fields::count(told, &[name]);
    let (read, write) = (get("cacheReadInputTokens"), get("cacheWriteInputTokens"));
    let parts = [
        "inputTokens",
        "cacheReadInputTokens",
        "cacheWriteInputTokens",
    ];
    Usage {
        input: fields::count_together(&parts.map(|name| (told, name))),
        output: get("outputTokens"),
        total: get("totalTokens"),
        cache_read: read,
        cache_write: write,
    }
}

/// A conversation so far.
pub(super) struct Chat {
    talk: Talk,
    line: u64,
    /// Whether the last reply stopped for the results of its calls.
    waits: bool,
}

impl Chat {
    fn new(line: u64, talk: Talk) -> Self {
        Self {
            talk,
            line,
            waits: false,
        }
    }

    /// A conversation whose messages are taken one by one; its turns are shelved.
    pub(super) fn shelved(shelves: &Arc<Shelves>) -> Self {
        let mut chat = Self::new(1, Talk::new());
        chat.talk.shelve(shelves);
        chat
    }

    /// Takes the message at a place.
    pub(super) fn take(&mut self, place: Place, message: &Value, report: &mut Report) {
        self.talk.reads(place);
        let before = self.talk.len();
        self.message(message, report);
        // Results belong to the last reply.
        if let Some(done) = before.checked_sub(1).filter(|_| self.talk.len() > before) {
            self.talk.forget_texts(done);
        }
    }

    /// The step of a conversation whose messages were taken one by one, with what stands around them.
    pub(super) fn end(mut self, around: &Value, report: &mut Report) -> Step {
        self.talk.ends();
        self.talk
            .complete_unmatched(|record| read_again(record, Talk::of_results()));
        let step = &mut self.talk.step;
        let (model, system) = (step.model.take(), step.system_prompt.take());
        self.about(around);
        let step = &mut self.talk.step;
        step.model = step.model.take().or(model);
        step.system_prompt = step.system_prompt.take().or(system);
        self.finish(report)
    }

    /// What stands around the messages.
    fn about(&mut self, request: &Value) {
        let step = &mut self.talk.step;
        step.model = fields::text(request, "model");
        step.system_prompt = request.get_some("system").map(blocks::text);
        let tools = request.get_some("tools").and_then(Value::as_list);
        step.tools = fields::listed_tools(tools.unwrap_or_default());
        // Bedrock's.
        let config = request.get_some("toolConfig");
        let specs = config.and_then(|config| config.get("tools")?.as_list());
        let specs = specs.unwrap_or_default().iter();
        let specs = specs.filter_map(|tool| tool.get("toolSpec"));
        step.tools.extend(fields::listed_tools(specs));
    }

    fn finish(self, report: &mut Report) -> Step {
        let is_open = |call: &ToolCall| call.error.is_none() && call.result.get().is_none();
        let last = self.talk.drafts().last().filter(|_| self.waits);
        if last.is_some_and(|draft| draft.calls.iter().any(is_open)) {
            report.note("the run is not finished: calls of its last reply have no result");
        }
        let step = self.talk.finish();
        if !step.unmatched_results.is_empty() {
            report.note("some results answer no call; they are kept beside the turns");
        }
        step
    }

    fn message(&mut self, message: &Value, report: &mut Report) {
        let content = message.get("content").unwrap_or(&Value::Nil);
        // Cline's files tell when.
        let at = message
            .get("ts")
            .and_then(Value::as_i64)
            .and_then(calendar::iso_of_ms);
        let at: Option<Arc<str>> = at.map(Into::into);
        match message.get("role").and_then(Value::as_str) {
            Some("assistant") => self.reply(message, content, at.as_ref(), report),
            Some("user") => self.user(content, at.as_ref()),
            Some("system" | "developer") if self.talk.is_at_start() => {
                let step = &mut self.talk.step;
                step.system_prompt
                    .get_or_insert_with(|| blocks::text(content));
            }
            Some("system" | "developer") => self.talk.injected(blocks::text(content)),
            Some(other) => {
                report.unknown_record(&format!("role {other}"), message, Some(self.line));
            }
            None => report.unknown_record("a message without a role", message, Some(self.line)),
        }
    }

    fn reply(
        &mut self,
        message: &Value,
        content: &Value,
        at: Option<&Arc<str>>,
        report: &mut Report,
    ) {
        let turn = self.talk.begin(self.line);
        if let Some(draft) = self.talk.draft(turn) {
            draft.parts.started_at = at.cloned();
            if let Some(told) = message.get_some("usage") {
                fields::note_counts(told, report);
                draft.parts.usage = fields::anthropic_usage(told);
            }
            // Cline's own figures.
            let metrics = message.get_some("metrics");
            if let Some(told) = metrics.and_then(|metrics| metrics.get_some("tokens")) {
                draft.parts.usage = Usage {
                    input: fields::count(told, &["prompt"]),
                    output: fields::count(told, &["completion"]),
                    cache_read: fields::count(told, &["cached"]),
                    ..Usage::default()
                };
            }
        }
        let model = message.get_some("modelInfo");
        if let Some(model) = model.and_then(|model| fields::text(model, "modelId")) {
            self.talk.step.model.get_or_insert(model);
        }
        let stopped = message.get("stop_reason").and_then(Value::as_str);
        self.waits = stopped == Some("tool_use");
        if let Some(reason @ ("max_tokens" | "refusal" | "pause_turn")) = stopped {
            report.note(format!("a reply was broken off: {reason}"));
        }
        let parts = content.as_list().unwrap_or(std::slice::from_ref(content));
        for block in parts {
            self.block(turn, block, at);
        }
    }

    fn block(&mut self, turn: usize, block: &Value, at: Option<&Arc<str>>) {
        let kind = block.get("type").and_then(Value::as_str);
        let used = block.get_some("toolUse");
        match kind {
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                self.call(turn, block, "id", at);
            }
            Some("thinking" | "redacted_thinking") => {
                if let Some(draft) = self.talk.draft(turn) {
                    draft.thoughts.extend(blocks::thinking(block));
                }
            }
            Some(result) if result.ends_with("tool_result") => self.result(block, at),
            _ => {
                if let Some(used) = used {
                    return self.call(turn, used, "toolUseId", at);
                }
                // Bedrock's thinking.
                if let Some(thought) = block.get_some("reasoningContent") {
                    let told = thought.get_some("reasoningText");
                    let text = told.and_then(|told| fields::text(told, "text"));
                    if let Some(draft) = self.talk.draft(turn) {
                        let hidden = || "[redacted thinking]".into();
                        draft.thoughts.push(text.unwrap_or_else(hidden));
                    }
                    return;
                }
                let text = if block.is_nil() {
                    "".into()
                } else {
                    blocks::part(block)
                };
                if let Some(draft) = self.talk.draft(turn).filter(|_| !text.is_empty()) {
                    draft.texts.push(text);
                }
            }
        }
    }

    fn call(&mut self, turn: usize, block: &Value, id: &str, at: Option<&Arc<str>>) {
        let name = fields::text(block, "name").unwrap_or_else(|| "tool without a name".into());
        let mut call = ToolCall::new(name, block.get_some("input").cloned().unwrap_or_default());
        call.id = fields::text(block, id);
        call.timestamp = at.cloned();
        self.talk.call(turn, call);
    }

    /// A message of a person, who may bring results along.
    fn user(&mut self, content: &Value, at: Option<&Arc<str>>) {
        let mut said = Vec::new();
        // Whether the block before only tells of what the result is that comes.
        let mut announced = false;
        for block in content.as_list().unwrap_or(std::slice::from_ref(content)) {
            let kind = block.get("type").and_then(Value::as_str);
            let is_result = std::mem::take(&mut announced);
            if kind.is_some_and(|kind| kind.ends_with("tool_result")) {
                self.result(block, at);
            } else if let Some(result) = block.get_some("toolResult") {
                self.result(result, at);
            } else {
                let text = blocks::part(block);
                announced = is_announcement(&text);
                if is_result || is_machine(&text) {
                    self.talk.injected(text);
                } else {
                    said.push(block.clone());
                }
            }
        }
        if !self.talk.has_mission() {
            said = self.task(said);
        }
        if !said.is_empty() {
            self.talk.person(&Value::list(said));
        }
    }

    /// The task that Cline put into one of the blocks, beside which it says more itself; all of them
    /// where there is none.
    fn task(&mut self, said: Vec<Value>) -> Vec<Value> {
        let inside = |block: &Value| {
            let text = block.as_str().map(Arc::from);
            let text: Arc<str> = text.or_else(|| blocks::plain_text(block))?;
            inside_task(&text).map(Value::from)
        };
        let Some(task) = said.iter().find_map(inside) else {
            return said;
        };
        for block in said.iter().filter(|block| inside(block).is_none()) {
            self.talk.injected(blocks::part(block));
        }
        vec![task]
    }

    fn result(&mut self, block: &Value, at: Option<&Arc<str>>) {
        let id = fields::text(block, "tool_use_id").or_else(|| fields::text(block, "toolUseId"));
        let content = block.get_some("content").unwrap_or(&Value::Nil);
        let bedrock = block.get("status").and_then(Value::as_str) == Some("error");
        let server = content.get("error_code").is_some();
        let answer = Answer {
            content: match content {
                Value::Nil => "".into(),
                other => blocks::result(&out_of_json(other)),
            },
            failed: block.get("is_error").and_then(Value::as_bool) == Some(true)
                || bedrock
                || server,
            at: at.cloned(),
            ..Answer::default()
        };
        self.talk.answer(id.as_ref(), answer);
    }
}

/// A content whose parts that are a value under `json`, as Bedrock has them, are texts.
fn out_of_json(content: &Value) -> Value {
    let inside = |part: &Value| {
        let alone = part.as_map().is_some_and(|entries| entries.len() == 1);
        part.get("json").filter(|_| alone).map(blocks::printed)
    };
    match content {
        Value::List(parts) if parts.iter().any(|part| inside(part).is_some()) => {
            let texts = parts.iter().map(|part| match inside(part) {
                Some(text) => Value::Str(text),
                None => part.clone(),
            });
            Value::list(texts.collect())
        }
        other => other.clone(),
    }
}

/// What Cline puts into a task's first message.
fn inside_task(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<task>")?;
    let (task, _) = rest.split_once("</task>")?;
    Some(task.trim())
}

/// Beginnings of what Cline writes itself besides results.
const MACHINE_TEXTS: [&str; 3] = ["<environment_details>", "[ERROR] ", "[TASK RESUMPTION] "];

/// Whether Cline wrote a user's text itself: a result, or what it knows of the editor.
fn is_machine(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    MACHINE_TEXTS.iter().any(|begin| text.starts_with(begin))
        || first.starts_with('[') && first.contains("] Result:")
}

/// Whether a text is no more than the head of a result, which is the next block.
fn is_announcement(text: &str) -> bool {
    let text = text.trim_end();
    text.starts_with('[') && text.ends_with("] Result:") && !text.contains('\n')
}
