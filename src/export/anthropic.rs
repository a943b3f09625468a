//! A request body for Anthropic's messages API.

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::chat::{self, Said};
use super::{Body, ChatMessage, pretty};
use crate::step::{Role, Step, Tool};

#[derive(Serialize)]
struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    messages: Vec<Body<'a>>,
}

/// `{"system": "..", "messages": [..]}`; whoever sends it adds the model and `max_tokens`.
///
/// System messages, which the API has no role for, are joined by blank lines; a tool's message
/// becomes a user's. Messages of one role that follow each other stay separate: the API joins them.
/// It also wants the first message to be a user's. Every strategy begins so; a recorded prompt that
/// doesn't is written as it was recorded.
pub fn body(messages: &[ChatMessage]) -> String {
    let system: Vec<&str> = messages
        .iter()
        .filter(|(role, _)| *role == Role::System)
        .map(|(_, content)| &**content)
        .collect();
    let others = messages.iter().filter(|(role, _)| *role != Role::System);
    pretty(&Request {
        system: (!system.is_empty()).then(|| system.join("\n\n")),
        messages: others
            .map(|(role, content)| Body {
                role: if *role == Role::Assistant {
                    "assistant"
                } else {
                    "user"
                },
                content,
            })
            .collect(),
    })
}

/// The log of a conversation: `{"system": "..", "messages": [..], "tools": [..]}`, with calls and
/// their results. Results that follow each other are one message, as the API wants them.
pub fn conversation(step: &Step) -> String {
    let mut messages: Vec<Json> = Vec::new();
    let mut results: Vec<Json> = Vec::new();
    let answer = |messages: &mut Vec<Json>, results: &mut Vec<Json>| {
        if !results.is_empty() {
            let content = std::mem::take(results);
            messages.push(json!({"role": "user", "content": content}));
        }
    };
    for said in chat::of(step) {
        match said {
            Said::Result {
                id,
                content,
                failed,
            } => {
                let mut result =
                    json!({"type": "tool_result", "tool_use_id": id, "content": content});
                if failed {
                    result["is_error"] = json!(true);
                }
                results.push(result);
            }
            Said::User(text) => {
                answer(&mut messages, &mut results);
                messages.push(json!({"role": "user", "content": &*text}));
            }
            Said::Assistant { text, calls } => {
                answer(&mut messages, &mut results);
                let text = Some(text).filter(|text| !text.is_empty());
                let text = text.map(|text| json!({"type": "text", "text": text}));
                let calls = calls.into_iter().map(|call| {
                    json!({"type": "tool_use", "id": call.id, "name": &*call.name, "input": call.args})
                });
                let content: Vec<Json> = text.into_iter().chain(calls).collect();
                // The API takes no message without content.
                if !content.is_empty() {
                    messages.push(json!({"role": "assistant", "content": content}));
                }
            }
        }
    }
    answer(&mut messages, &mut results);
    let mut request = json!({ "messages": messages });
    if let Some(system) = &step.system_prompt {
        request["system"] = json!(&**system);
    }
    if !step.tools.is_empty() {
        request["tools"] = step.tools.iter().map(tool).collect();
    }
    pretty(&request)
}

/// A tool; what its arguments look like is not known.
fn tool(tool: &Tool) -> Json {
    let mut told = json!({"name": &*tool.name, "input_schema": {"type": "object"}});
    if let Some(description) = &tool.description {
        told["description"] = json!(&**description);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_prompt_stands_apart() {
        let chat = [
            (Role::System, "static".into()),
            (Role::User, "one".into()),
            (Role::Tool, "two".into()),
            (Role::Assistant, "three".into()),
        ];
        let value: serde_json::Value = serde_json::from_str(&body(&chat)).expect("JSON");
        let expected = serde_json::json!({
            "system": "static",
            "messages": [
                {"role": "user", "content": "one"},
                {"role": "user", "content": "two"},
                {"role": "assistant", "content": "three"},
            ],
        });
        assert_eq!(value, expected);
        assert!(!body(&chat[1..]).contains("system"));
    }
}
