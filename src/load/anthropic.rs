//! Messages as Anthropic's API takes and gives them (`formats/anthropic-messages.md`): bare arrays,
//! requests, responses, logs of both, Cline's histories, Bedrock's look-alike.

use std::sync::Arc;

use super::conversations::Lines;
use super::source::Probe;
use super::talk::{Answer, Talk};
use super::{Loader, Records, Report, Source, blocks, documents, fields, records, sent};
use crate::calendar;
use crate::error::Error;
use crate::step::{Field, Step, ToolCall, Usage};
use crate::value::Value;

/// The loader of Anthropic messages (`formats/anthropic-messages.md`).
#[derive(Debug)]
pub struct AnthropicMessages;

impl Loader for AnthropicMessages {
    fn name(&self) -> &'static str {
        "anthropic-messages"
    }

    fn title(&self) -> &'static str {
        "Anthropic messages"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, thinking, calls and results, failures, inputs, system prompt, tools, usage of responses",
            missing: "memory, durations; usage in bare messages",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let head = probe.head();
        is_of(head)
            || is_message_list(head.get("messages").unwrap_or(&Value::Nil))
                && ["system", "thinking", "anthropic_version"]
                    .iter()
                    .any(|key| probe.has_key(key))
            || probe.records().iter().any(is_of)
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        let mut steps = Vec::new();
        let mut loose = Vec::new();
        let first = records::sample(source, 20, 1 << 16);
        let is_record = if first.iter().any(is_container) {
            is_container
        } else {
            is_message
        };
        let lines = Lines::of(source, is_record, conversations);
        documents::read_placed(source, report, is_record, |place, value, report| {
            if is_message(&value) && !is_response(&value) {
                loose.push(value);
                return;
            }
            let mut found = conversations(place.span.line, &value, report);
            if let Some(lines) = &lines {
                lines.shelve(place, &mut found);
            }
            steps.extend(found.into_iter().map(Arc::new));
        })?;
        if !loose.is_empty() {
            steps.push(Arc::new(step(1, &Value::Nil, &loose, None, report)));
        }
        Ok(steps)
    }
}

/// The conversation of a document.
fn conversations(line: u64, value: &Value, report: &mut Report) -> Vec<Step> {
    let request = value.get_some("request").unwrap_or(value);
    let response = value
        .get_some("response")
        .or_else(|| is_response(value).then_some(value));
    let messages = value
        .as_list()
        .or_else(|| request.get("messages")?.as_list());
    if messages.is_none() && response.is_none() {
        report.unknown_record("a record that is no conversation", value, Some(line));
        return Vec::new();
    }
    let messages = messages.unwrap_or_default();
    vec![step(line, request, messages, response, report)]
}

/// Blocks that only this format has.
const OWN_BLOCKS: [&str; 8] = [
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "web_search_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
];

fn is_message(value: &Value) -> bool {
    let role = value.get("role").and_then(Value::as_str);
    matches!(role, Some("user" | "assistant")) && value.get("tool_calls").is_none()
}

/// Whether a list is of messages, but for elements that nobody knows; those of the system may stand
/// among them.
fn is_message_list(value: &Value) -> bool {
    let role = |message: &Value| {
        message
            .get("role")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let is_other = |message: &Value| {
        let role = role(message);
        matches!(role.as_deref(), Some("tool" | "function")) || message.get("tool_calls").is_some()
    };
    let items = value.as_list().unwrap_or_default();
    let known = items.iter().filter(|item| role(item).is_some()).count();
    items.iter().any(is_message) && !items.iter().any(is_other) && known * 2 > items.len()
}

/// Whether an object is a request, a response or a log of both.
fn is_container(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    has("messages") || has("request") || has("response") || is_response(value)
}

fn is_response(value: &Value) -> bool {
    let is = |name, text| value.get(name).and_then(Value::as_str) == Some(text);
    is("type", "message")
        && is("role", "assistant")
        && value.get("content").and_then(Value::as_list).is_some()
        && (value.get("stop_reason").is_some() || value.get("usage").is_some())
}

/// Whether a document, or its beginning, is of this format and of no other.
fn is_of(value: &Value) -> bool {
    if let Some(request) = value.get_some("request") {
        return is_of(request);
    }
    let messages = value.get("messages").unwrap_or(value);
    let own_block = |block: &Value| {
        let kind = block.get("type").and_then(Value::as_str);
        kind.is_some_and(|kind| OWN_BLOCKS.contains(&kind))
            || matches!(kind, Some("image" | "document")) && block.get("source").is_some()
            || kind.is_none()
                && (block.get("toolUse").is_some() || block.get("toolResult").is_some())
    };
    let own_message = |message: &Value| {
        let blocks = message.get("content").and_then(Value::as_list);
        is_message(message) && blocks.unwrap_or_default().iter().any(own_block)
    };
    let tools = value
        .get("tools")
        .and_then(Value::as_list)
        .unwrap_or_default();
    let own_tools = tools.iter().any(|tool| tool.get("input_schema").is_some());
    let settled = own_tools
        || value.get("system").is_some()
        || value.get("thinking").is_some()
        || value.get("anthropic_version").is_some();
    is_response(value)
        || is_message_list(messages)
            && (settled
                || messages
                    .as_list()
                    .unwrap_or_default()
                    .iter()
                    .any(own_message))
        || value.get("type").is_none() && own_message(value)
}

fn step(
    line: u64,
    request: &Value,
    messages: &[Value],
    response: Option<&Value>,
    report: &mut Report,
) -> Step {
    let mut chat = Chat {
        talk: Talk::new(),
        line,
    };
    let step = &mut chat.talk.step;
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
    for message in messages {
        chat.message(message, report);
    }
    if let Some(response) = response {
        chat.message(response, report);
        if let Some(draft) = chat.talk.last().filter(|_| !messages.is_empty()) {
            let system = request.get_some("system");
            draft.parts.messages = Field::Recorded(sent::messages(system, messages));
        }
        let step = &mut chat.talk.step;
        step.model = fields::text(response, "model").or(step.model.take());
    }
    let step = chat.talk.finish();
    if !step.unmatched_results.is_empty() {
        report.note("some results answer no call; they are kept beside the turns");
    }
    step
}

struct Chat {
    talk: Talk,
    line: u64,
}

impl Chat {
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
            Some("system" | "developer") if self.talk.len() == 0 => {
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
        if let Some(reason @ ("max_tokens" | "refusal" | "pause_turn")) =
            message.get("stop_reason").and_then(Value::as_str)
        {
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
        for block in content.as_list().unwrap_or(std::slice::from_ref(content)) {
            let kind = block.get("type").and_then(Value::as_str);
            if kind.is_some_and(|kind| kind.ends_with("tool_result")) {
                self.result(block, at);
            } else if let Some(result) = block.get_some("toolResult") {
                self.result(result, at);
            } else if is_machine(&blocks::part(block)) {
                self.talk.injected(blocks::part(block));
            } else {
                said.push(block.clone());
            }
        }
        if said.is_empty() {
            return;
        }
        if let ([Value::Str(text)], None) = (said.as_slice(), &self.talk.step.mission)
            && let Some(task) = inside_task(text)
        {
            self.talk.person(&task.into());
            return;
        }
        let task = said.iter().find_map(|block| {
            let text = blocks::plain_text(block)?;
            inside_task(&text).map(Value::from)
        });
        match task.filter(|_| self.talk.step.mission.is_none()) {
            Some(task) => self.talk.person(&task),
            None => self.talk.person(&Value::list(said)),
        }
    }

    fn result(&mut self, block: &Value, at: Option<&Arc<str>>) {
        let id = fields::text(block, "tool_use_id").or_else(|| fields::text(block, "toolUseId"));
        let content = block.get_some("content").unwrap_or(&Value::Nil);
        let bedrock = block.get("status").and_then(Value::as_str) == Some("error");
        let server = content.get("error_code").is_some();
        let answer = Answer {
            content: match content {
                Value::Nil => "".into(),
                other => blocks::result(other),
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

/// What Cline puts into a task's first message.
fn inside_task(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<task>")?;
    let (task, _) = rest.split_once("</task>")?;
    Some(task.trim())
}

/// Whether Cline wrote a user's text itself: a result, or what it knows of the editor.
fn is_machine(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    text.starts_with("<environment_details>")
        || first.starts_with('[') && first.contains("] Result:")
}
