//! Messages as Anthropic's API takes and gives them (`formats/anthropic-messages.md`): bare arrays,
//! requests, responses, logs of both, Cline's histories, Bedrock's look-alike.

mod messages;

use std::sync::Arc;

use super::conversations::Lines;
use super::probe::Probe;
use super::shelf::Shelves;
use super::{Loader, Records, Report, Source, blocks, documents, elements, fields, records};
use crate::error::Error;
use crate::step::Step;
use crate::value::{Value, json};
use messages::Chat;

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
        if let Some(step) = large(source, report) {
            return Ok(vec![Arc::new(step)]);
        }
        documents::read_placed(source, report, is_record, |place, value, report| {
            if value.get("role").is_some() && !is_response(&value) {
                loose.push((place.span.line, value));
                return;
            }
            let mut found = conversations(place.span.line, &value, report);
            if let Some(lines) = &lines {
                lines.shelve(place, &mut found);
            }
            steps.extend(found.into_iter().map(Arc::new));
        })?;
        if !loose.is_empty() {
            steps.push(Arc::new(messages::of_lines(&loose, report)));
        }
        Ok(steps)
    }
}

const HOW: elements::How = elements::How {
    names: &["messages"],
    skipped: &[],
    parse: json::parse,
    texts: elements::Texts::CutOf(messages::is_results),
    passed: &[],
    lists: &[],
};

/// The conversation of a large document, whose messages are read one by one, and again when somebody
/// looks at them (performance G3); none where it must be read whole.
fn large(source: &Source, report: &mut Report) -> Option<Step> {
    let mut chat = Chat::shelved(&Shelves::of(source, |_| true, messages::again)?);
    let mut told = report.clone();
    let around = elements::read(source, HOW, &mut told, |place, message, told| {
        chat.take(place, &message, told);
        // A list of logs is no chat.
        !is_log(&message)
    })?;
    // A message by itself, and a log of a request, are not read so.
    let others = ["role", "request", "response", "custom_id"];
    if others.iter().any(|name| around.get_some(name).is_some()) {
        return None;
    }
    let step = chat.end(&around, &mut told);
    *report = told;
    Some(step)
}

/// The conversation of a document, or those of a list of logs.
fn conversations(line: u64, value: &Value, report: &mut Report) -> Vec<Step> {
    let list = value.as_list().unwrap_or_default();
    if list.iter().any(is_log) {
        let each = list.iter();
        return each
            .flat_map(|value| conversations(line, value, report))
            .collect();
    }
    let batched = batched(value);
    let named = batched.and_then(|_| value.get("custom_id"));
    let value = batched.unwrap_or(value);
    let request = value.get_some("request").unwrap_or(value);
    let response = value
        .get_some("response")
        .or_else(|| is_response(value).then_some(value));
    let list = value
        .as_list()
        .or_else(|| request.get("messages")?.as_list());
    if list.is_none() && response.is_none() {
        report.unknown_record("a record that is no conversation", value, Some(line));
        return Vec::new();
    }
    let list = list.unwrap_or_default();
    let mut made = messages::step(line, request, list, response, report);
    made.name = named.and_then(fields::text_or_printed);
    vec![made]
}

/// What a line of a batch asks, or what it was answered.
fn batched(value: &Value) -> Option<&Value> {
    value.get("custom_id")?;
    let asked = value.get("params");
    asked.or_else(|| value.get_some("result")?.get("message"))
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
    is_log(value) || is_response(value)
}

/// Whether an object is a request, or tells of one or of what it was answered.
fn is_log(value: &Value) -> bool {
    let names = ["messages", "request", "response", "custom_id"];
    names.iter().any(|name| value.get(name).is_some())
}

fn is_response(value: &Value) -> bool {
    let is = |name, text| value.get(name).and_then(Value::as_str) == Some(text);
    of_bedrock(value).is_some()
        || is("type", "message")
            && is("role", "assistant")
            && value.get("content").and_then(Value::as_list).is_some()
            && (value.get("stop_reason").is_some() || value.get("usage").is_some())
}

/// The message in a response of Bedrock's.
fn of_bedrock(value: &Value) -> Option<&Value> {
    value.get("stopReason")?;
    let message = value.get("output")?.get("message")?;
    message.get("role").is_some().then_some(message)
}

/// Whether Cline kept a message: it tells when, and which model said it or what the task is.
fn is_of_cline(message: &Value) -> bool {
    let metrics = message.get_some("metrics");
    let is_told = message.get_some("modelInfo").is_some()
        || metrics.is_some_and(|metrics| metrics.get_some("tokens").is_some());
    let blocks = message.get("content").and_then(Value::as_list);
    let mut texts = blocks.into_iter().flatten().map(blocks::part);
    message.get("ts").and_then(Value::as_i64).is_some()
        && (is_told || texts.any(|text| text.starts_with("<task>")))
}

/// Whether a part without a type is one that Bedrock alone writes.
fn is_of_bedrock(block: &Value) -> bool {
    let has = |name: &&str| block.get(name).is_some();
    let holds_source = |name: &&str| {
        let inside = block.get(name);
        inside.is_some_and(|inside| inside.get("source").is_some())
    };
    ["toolUse", "toolResult", "reasoningContent"]
        .iter()
        .any(has)
        || ["image", "document", "video"].iter().any(holds_source)
}

/// Whether a document, or its beginning, is of this format and of no other.
fn is_of(value: &Value) -> bool {
    if let Some(told) = batched(value) {
        return is_of(told);
    }
    if value.get_some("response").is_some_and(is_response) {
        return true;
    }
    if let Some(request) = value.get_some("request") {
        return is_of(request);
    }
    let listed = value.as_list().unwrap_or_default();
    if listed.iter().any(|value| is_log(value) && is_of(value)) {
        return true;
    }
    let messages = value.get("messages").unwrap_or(value);
    let own_block = |block: &Value| {
        let kind = block.get("type").and_then(Value::as_str);
        kind.is_some_and(|kind| OWN_BLOCKS.contains(&kind))
            || matches!(kind, Some("image" | "document")) && block.get("source").is_some()
            || kind.is_none() && is_of_bedrock(block)
    };
    let own_message = |message: &Value| {
        let blocks = message.get("content").and_then(Value::as_list);
        is_message(message)
            && (blocks.unwrap_or_default().iter().any(own_block) || is_of_cline(message))
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
