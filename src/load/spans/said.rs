//! What a message says, in whatever shape an instrumentation writes it: GenAI parts, OpenAI's and
//! Anthropic's messages, the Responses API, LangChain, the AI SDK.

use std::sync::Arc;

use super::super::fields;
use super::super::foreign::{arguments, blocks, unwrapped};
use crate::step::{Tool, ToolCall};
use crate::value::Value;

/// Levels of wrapping that are looked into.
const MAX_DEPTH: usize = 8;

/// A message, taken apart.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub role: Option<Arc<str>>,
    pub texts: Vec<String>,
    pub thinking: Vec<String>,
    pub calls: Vec<ToolCall>,
    /// Results of calls, by their identifiers.
    pub results: Vec<(Arc<str>, Value)>,
    /// Tools that it describes.
    pub tools: Vec<Tool>,
}

impl Said {
    /// The whole text.
    pub(super) fn text(&self) -> String {
        self.texts.join("\n")
    }

    pub(super) fn is_person(&self) -> bool {
        matches!(self.role.as_deref(), Some("user" | "human"))
    }
}

/// The messages of an input: a list, or a wrapper around one.
pub(super) fn messages(input: &Value) -> Vec<Said> {
    let Some(found) = unwrapped(input) else {
        let mut said = Said::default();
        if let Value::Str(text) = input {
            said.role = Some("user".into());
            said.texts.push(text.to_string());
            return vec![said];
        }
        return Vec::new();
    };
    let list = match &found {
        Value::List(_) => Some(&found),
        other if other.get("role").is_some() => None,
        other => ["messages", "contents", "input"]
            .iter()
            .find_map(|name| other.get(name)),
    };
    match list {
        Some(Value::List(items)) => items.iter().map(message).collect(),
        Some(other) => {
            let mut said = message(other);
            // A text alone is a person's.
            if other.as_str().is_some() && said.calls.is_empty() {
                said.role = Some("user".into());
            }
            vec![said]
        }
        None => vec![message(&found)],
    }
}

/// One message.
pub(super) fn message(value: &Value) -> Said {
    let mut said = Said::default();
    collect(value, &mut said, 0);
    said
}

/// The system prompt that a whole request has beside its messages.
pub(super) fn system(input: &Value) -> Option<Arc<str>> {
    let request = unwrapped(input)?;
    let config = request.get_some("config").unwrap_or(&Value::Nil);
    let found = ["system", "system_instruction", "instructions"]
        .iter()
        .find_map(|name| request.get_some(name))
        .or_else(|| config.get_some("system_instruction"))?;
    let told = output(found).text();
    Some(told.into()).filter(|text: &Arc<str>| !text.is_empty())
}

/// The tools that a whole request lists.
pub(super) fn tools(input: &Value) -> Vec<Tool> {
    let Some(request) = unwrapped(input) else {
        return Vec::new();
    };
    let config = request.get_some("config").unwrap_or(&Value::Nil);
    let listed = request
        .get_some("tools")
        .or_else(|| config.get_some("tools"));
    let listed = listed.and_then(Value::as_list).unwrap_or_default();
    let mut found = super::tools(&Value::list(listed.to_vec()));
    for tool in listed {
        if let Some(declared) = tool.get("function_declarations") {
            found.extend(super::tools(declared));
        }
    }
    found
}

/// What a tool answered: the text of an object that holds parts of text alone, else the value.
pub(super) fn result(output: &Value) -> Value {
    if let Some(message) = tool_message(output) {
        return blocks::without_images(message.get("content").unwrap_or(&Value::Nil));
    }
    let parts = output.as_map().filter(|map| map.len() == 1);
    let parts = parts.and_then(|_| output.get("content")?.as_list());
    let text = |part: &Value| {
        let is_text = part.get("type").and_then(Value::as_str) == Some("text");
        fields::text(part, "text").filter(|_| is_text)
    };
    let texts: Option<Vec<Arc<str>>> = parts.and_then(|parts| parts.iter().map(text).collect());
    match texts {
        Some(texts) if !texts.is_empty() => Value::string(texts.join("\n")),
        _ => blocks::without_images(output),
    }
}

/// The message that a tool's answer is with `LangChain`, plain or within its constructor.
pub(super) fn tool_message(output: &Value) -> Option<&Value> {
    let inside = output.get_some("kwargs").unwrap_or(output);
    let is_message = inside.get("tool_call_id").is_some() && inside.get("content").is_some();
    is_message.then_some(inside)
}

/// What a model answered.
pub(super) fn output(value: &Value) -> Said {
    let mut said = Said::default();
    match unwrapped(value) {
        Some(found) => collect(&found, &mut said, 0),
        None => collect(value, &mut said, 0),
    }
    said
}

fn collect(value: &Value, said: &mut Said, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Str(text) => content(text, said, depth),
        Value::List(items) => {
            for item in items.iter() {
                collect(item, said, depth + 1);
            }
        }
        Value::Map(_) => object(value, said, depth),
        _ => {}
    }
}

/// A text; some writers put blocks into it as JSON.
fn content(text: &str, said: &mut Said, depth: usize) {
    const CALLS: [&str; 6] = [
        "tool_use",
        "tool_call",
        "tool-call",
        "toolCallId",
        "toolUse",
        "toolResult",
    ];
    let may_be_blocks = text.starts_with(['[', '{'])
        && (text.starts_with("[{\"t")
            || text.starts_with("[{\"function\"")
            || CALLS.iter().any(|word| text.contains(word)));
    let found = may_be_blocks.then(|| unwrapped(&Value::string(text)));
    if let Some(found) = found.flatten()
        && are_blocks(&found)
    {
        collect(&found, said, depth + 1);
    } else if !text.is_empty() {
        said.texts.push(blocks::text(&Value::string(text)));
    }
}

/// Whether a value that stood in a text is blocks of a message: a call, or a list whose elements tell
/// a type or hold a text alone.
fn are_blocks(value: &Value) -> bool {
    // Other data may have a type as well.
    let is_kind = |kind: &str| {
        let known = [
            "text",
            "image",
            "thinking",
            "reasoning",
            "document",
            "function",
        ];
        kind.starts_with("tool") || known.iter().any(|known| kind.contains(known))
    };
    let is_block = |item: &Value| {
        let kind = item.get("type").and_then(Value::as_str);
        if kind.is_some_and(|kind| !is_kind(kind)) {
            return false;
        }
        let has = |name: &&str| item.get(name).is_some();
        let is_text = || item.as_map().is_some_and(|map| map.len() == 1) && has(&"text");
        [
            "type",
            "toolCallId",
            "toolUse",
            "toolResult",
            "tool_calls",
            "function",
        ]
        .iter()
        .any(has)
            || is_text()
    };
    match value {
        Value::List(items) => !items.is_empty() && items.iter().all(is_block),
        other => is_block(other),
    }
}

/// A part of a message, by its type or by a name that tells it; false where it is none.
fn part(value: &Value, said: &mut Said) -> bool {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or("");
    let first = |names: &[&str]| names.iter().find_map(|name| value.get_some(name));
    match kind {
        "tool_call" | "tool_use" | "function_call" | "tool-call" => {
            said.calls.extend(call(value));
        }
        "tool_call_response" | "tool_result" | "function_call_output" | "tool-result" => {
            said.results.extend(answer(value));
        }
        "reasoning" | "thinking" => {
            let thought = first(&["content", "text", "thinking", "reasoning", "summary"]);
            let thought = thought.map(blocks::text).filter(|text| !text.is_empty());
            said.thinking.extend(thought);
        }
        "text" | "output_text" | "input_text" => {
            said.texts
                .extend(first(&["content", "text"]).map(blocks::text));
        }
        // Of .NET's AI extensions.
        _ if kind.ends_with("ReasoningContent") => {
            let thought = first(&["content", "text"]).map(blocks::text);
            said.thinking
                .extend(thought.filter(|text| !text.is_empty()));
        }
        _ if value
            .get_some("function")
            .is_some_and(|told| told.get("name").is_some()) =>
        {
            said.calls.extend(call(value));
        }
        _ if kind.contains("image") || kind == "blob" || kind == "file" => {
            said.texts.push(blocks::text(value));
        }
        _ => return named(value, kind, said),
    }
    true
}

/// A part that Gemini, Bedrock or the AI SDK tell by a name. A call may stand beside a text.
fn named(value: &Value, kind: &str, said: &mut Said) -> bool {
    for name in ["function_call", "functionCall", "toolUse"] {
        if let Some(inner) = value.get_some(name).filter(|_| kind.is_empty()) {
            said.calls.extend(call(inner));
        }
    }
    for name in ["function_response", "functionResponse", "toolResult"] {
        if let Some(inner) = value.get_some(name) {
            said.results.extend(response(inner));
            return true;
        }
    }
    if let (Some(Value::Bool(true)), Some(thought)) =
        (value.get("thought"), fields::text(value, "text"))
    {
        said.thinking.push(thought.to_string());
        return true;
    }
    if fields::text(value, "toolName").is_some() && value.get("toolCallId").is_some() {
        said.calls.extend(call(value));
        return true;
    }
    false
}

/// What answered a call, with the call's identifier.
fn answer(value: &Value) -> Option<(Arc<str>, Value)> {
    let ids = ["tool_use_id", "call_id", "toolCallId", "tool_call_id", "id"];
    let id = ids.iter().find_map(|name| fields::text(value, name))?;
    let names = ["response", "result", "output", "content"];
    let result = names.iter().find_map(|name| value.get_some(name))?;
    // Some put the answer into an object of its own, as JSON.
    let inner = unwrapped(result).filter(|inner| {
        let kind = inner.get("type").and_then(Value::as_str);
        kind == Some("function_result")
    });
    let inner = inner.as_ref().and_then(|inner| inner.get_some("result"));
    Some((id, blocks::without_images(inner.unwrap_or(result))))
}

fn object(value: &Value, said: &mut Said, depth: usize) {
    if part(value, said) {
        return;
    }
    let first = |names: &[&str]| names.iter().find_map(|name| value.get_some(name));
    let text = |names: &[&str]| names.iter().find_map(|name| fields::text(value, name));
    // Wrappers.
    for name in [
        "message",
        "kwargs",
        "message_content",
        "completion",
        "prompt",
    ] {
        if let Some(inner @ Value::Map(_)) = value.get(name) {
            return collect(inner, said, depth + 1);
        }
    }
    if let Some(choices) = first(&["choices", "generations", "candidates"]) {
        return collect(choices, said, depth + 1);
    }
    let own = value.get("role").is_some() || value.get("content").is_some();
    if !own && let Some(inner) = first(&["output", "messages"]) {
        return collect(inner, said, depth + 1);
    }
    let own = text(&["role"]);
    said.role = own.or(said.role.take()).or_else(|| text(&["type"]));
    let described = value.get("content").filter(|content| {
        let function = content.get("function");
        function.is_some_and(|function| function.get("parameters").is_some())
    });
    if let Some(described) = described {
        said.tools
            .extend(super::tools(&Value::list(vec![described.clone()])));
        return;
    }
    let id = text(&["tool_call_id", "tool_call.id"]);
    if said.role.as_deref() == Some("tool")
        && let (Some(id), Some(result)) = (id, first(&["content"]))
    {
        said.results.push((id, Value::string(blocks::text(result))));
        return;
    }
    if let Some(thought) = first(&["reasoning_content", "reasoning"]) {
        said.thinking
            .extend(Some(blocks::text(thought)).filter(|text| !text.is_empty()));
    }
    for name in ["parts", "content", "contents", "text"] {
        if let Some(inner) = value.get_some(name) {
            collect(inner, said, depth + 1);
            break;
        }
    }
    let extra = value.get("additional_kwargs");
    let calls = first(&["tool_calls", "toolCalls"]).filter(|calls| calls.as_list() != Some(&[]));
    let calls = calls.or_else(|| extra?.get_some("tool_calls"));
    if let Some(calls) = calls.and_then(Value::as_list) {
        said.calls.extend(calls.iter().filter_map(call));
    }
}

/// What a tool answered, in Gemini's and Bedrock's shapes.
fn response(value: &Value) -> Option<(Arc<str>, Value)> {
    let ids = ["toolUseId", "id", "name"];
    let id = ids.iter().find_map(|name| fields::text(value, name))?;
    let found = ["response", "content", "output"];
    let found = found.iter().find_map(|name| value.get_some(name))?;
    let told = output(found);
    let texts = found.as_list().is_some() && !told.texts.is_empty();
    let result = if texts {
        Value::string(told.text())
    } else {
        blocks::without_images(found)
    };
    Some((id, result))
}

/// A call, in whatever shape.
fn call(value: &Value) -> Option<ToolCall> {
    let value = value.get("tool_call").unwrap_or(value);
    let told = value.get_some("function").unwrap_or(value);
    let name = ["name", "toolName"]
        .iter()
        .find_map(|name| fields::text(told, name))?;
    let args = ["arguments", "args", "input"]
        .iter()
        .find_map(|name| told.get_some(name));
    let mut call = ToolCall::new(name, arguments(args));
    let ids = ["call_id", "toolCallId", "tool_call_id", "toolUseId", "id"];
    call.id = ids.iter().find_map(|name| fields::text(value, name));
    Some(call)
}
