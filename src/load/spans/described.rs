//! What the attributes and events of a span say: its kind, what went in and came out, model, tools,
//! usage, by the GenAI conventions old and new, OpenInference, `OpenLLMetry`, the AI SDK and others
//! (`formats/otlp-genai.md`).

use super::super::Report;
use super::super::foreign::{blocks, unwrapped};
use super::attributes::Attributes;
use super::events::Told;
use super::{Kind, Span, tools};
use crate::value::{Map, Value};

/// Where the messages that a model is sent stand, best first; then what is known of its input besides.
const SENT: [&str; 2] = ["gen_ai.input.messages", "llm.input_messages"];
const INPUT: [&str; 10] = [
    "gen_ai.prompt",
    "llm.prompts",
    "ai.prompt.messages",
    "ai.prompt",
    "gcp.vertex.agent.llm_request",
    "pydantic_ai.all_messages",
    "all_messages",
    "input.value",
    "traceloop.entity.input",
    "langfuse.observation.input",
];
/// Where a reply stands; then what else may hold it.
const REPLY: [&str; 2] = ["gen_ai.output.messages", "llm.output_messages"];
const OUTPUT: [&str; 8] = [
    "gen_ai.completion",
    "llm.completions",
    "llm.choices",
    "gcp.vertex.agent.llm_response",
    "final_result",
    "output.value",
    "traceloop.entity.output",
    "langfuse.observation.output",
];
const ARGUMENTS: [&str; 7] = [
    "gen_ai.tool.call.arguments",
    "tool_arguments",
    "gcp.vertex.agent.tool_call_args",
    "ai.toolCall.args",
    "input.value",
    "traceloop.entity.input",
    "langfuse.observation.input",
];
const RESULT: [&str; 7] = [
    "gen_ai.tool.call.result",
    "tool_response",
    "gcp.vertex.agent.tool_response",
    "ai.toolCall.result",
    "output.value",
    "traceloop.entity.output",
    "langfuse.observation.output",
];

/// What attributes and events say of a span: its kind, what went in and came out, model, tools, usage. Its name is
/// a tool's, else empty.
pub(super) fn described(attributes: &Attributes, told: &Told, report: &mut Report) -> Span {
    let kind = attributes.kind();
    let is_tool = kind == Kind::Tool;
    let (input, output) = if is_tool {
        let input = attributes.value(&ARGUMENTS);
        let output = attributes.value(&RESULT);
        (or(input, || told.arguments()), or(output, || told.answer()))
    } else {
        let listed = attributes
            .get("events")
            .or_else(|| attributes.get("all_messages_events"));
        let listed = listed.map(Told::of_list).unwrap_or_default();
        let input = or(attributes.value(&SENT), || {
            or(told.input(), || listed.input())
        });
        let output = or(attributes.value(&REPLY), || {
            or(told.output(), || listed.output())
        });
        let output = or(output, || reply(attributes));
        (
            or(input, || attributes.value(&INPUT)),
            or(output, || attributes.value(&OUTPUT)),
        )
    };
    let tool = attributes.text(&["gen_ai.tool.name", "tool.name", "ai.toolCall.name"]);
    let instructions = ["gen_ai.system_instructions", "system_prompt"];
    let instructions = instructions.iter().find_map(|name| attributes.get(name));
    let system = instructions
        .map(|told| blocks::text(&unwrapped(told).unwrap_or_else(|| told.clone())).into());
    let mut listed = schemas(&attributes.value(&["llm.tools"]));
    if let Some(found) = attributes
        .get("gen_ai.tool.definitions")
        .and_then(unwrapped)
    {
        listed.extend(tools(&found));
    }
    for name in ["ai.prompt.tools", "llm.request.functions"] {
        listed.extend(tools(&attributes.value(&[name])));
    }
    Span {
        kind,
        name: tool.filter(|_| is_tool).unwrap_or_else(|| "".into()),
        model: attributes.text(&[
            "gen_ai.response.model",
            "gen_ai.request.model",
            "llm.model_name",
            "ai.model.id",
        ]),
        usage: attributes.usage(report),
        input,
        output,
        system,
        tools: listed,
        reply: attributes
            .text(&["gen_ai.response.id", "llm.response.id"])
            .filter(|id| kind == Kind::Llm && !id.is_empty()),
        call: attributes.text(&["gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"]),
        ..Span::default()
    }
}

/// A value, or another where it is none.
fn or(value: Value, other: impl FnOnce() -> Value) -> Value {
    if value.is_nil() { other() } else { value }
}

/// A reply as the AI SDK writes it: text, thinking and calls apart.
fn reply(attributes: &Attributes) -> Value {
    let mut message = Map::default();
    for (part, name) in [
        ("text", "content"),
        ("object", "content"),
        ("reasoning", "reasoning"),
        ("toolCalls", "tool_calls"),
    ] {
        let names = [format!("ai.response.{part}"), format!("ai.result.{part}")];
        let mut found = names.iter().filter_map(|name| attributes.get(name));
        if let Some(found) = found.next() {
            let parts = unwrapped(found).filter(|_| name == "tool_calls");
            message
                .entry(Value::string(name))
                .or_insert_with(|| parts.unwrap_or_else(|| found.clone()));
        }
    }
    if message.is_empty() {
        return Value::Nil;
    }
    message.insert(Value::string("role"), Value::string("assistant"));
    Value::map(message)
}

/// Tools as OpenInference lists them: `tool.json_schema`.
fn schemas(listed: &Value) -> Vec<crate::step::Tool> {
    let items = listed.as_list().unwrap_or_default().iter();
    let schema = |tool: &Value| tool.get("tool")?.get("json_schema").cloned();
    tools(&Value::list(items.filter_map(schema).collect()))
}
