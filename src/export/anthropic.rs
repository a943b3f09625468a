//! A request body for Anthropic's messages API.

use serde::Serialize;

use super::{Body, ChatMessage, pretty};
use crate::step::Role;

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
