//! A request body for OpenAI's chat API.

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::chat::{self, Said};
use super::{Body, ChatMessage, pretty};
use crate::step::{Step, Tool};

#[derive(Serialize)]
struct Request<'a> {
    messages: Vec<Body<'a>>,
}

/// `{"messages": [..]}`; whoever sends it adds the model. A recorded message of a tool keeps its
/// role, though the id of its call is not known.
pub fn body(messages: &[ChatMessage]) -> String {
    let messages = messages.iter().map(|(role, content)| Body {
        role: role.name(),
        content,
    });
    pretty(&Request {
        messages: messages.collect(),
    })
}

/// The log of a conversation: `{"messages": [..], "tools": [..]}`, with calls and their results.
pub fn conversation(step: &Step) -> String {
    let system = step.system_prompt.as_deref();
    let system = system.map(|text| json!({"role": "system", "content": text}));
    let messages = chat::of(step).into_iter().map(|said| match said {
        Said::User(text) => json!({"role": "user", "content": &*text}),
        Said::Assistant { text, calls } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        Said::Assistant { text, calls } => {
            let calls = calls.into_iter().map(|call| {
                let args = call.written.map(|text| text.to_string());
                let args = args.unwrap_or_else(|| call.args.to_string());
                let function = json!({"name": &*call.name, "arguments": args});
                json!({"id": call.id, "type": "function", "function": function})
            });
            let calls: Vec<Json> = calls.collect();
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
        Said::Result { id, content, .. } => {
            json!({"role": "tool", "tool_call_id": id, "content": content})
        }
    });
    let messages: Vec<Json> = system.into_iter().chain(messages).collect();
    let mut request = json!({ "messages": messages });
    if !step.tools.is_empty() {
        request["tools"] = step.tools.iter().map(tool).collect();
    }
    pretty(&request)
}

fn tool(tool: &Tool) -> Json {
    let mut function = json!({"name": &*tool.name});
    if let Some(description) = &tool.description {
        function["description"] = json!(&**description);
    }
    json!({"type": "function", "function": function})
}
