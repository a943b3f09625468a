//! A request body for OpenAI's chat API.

use serde::Serialize;

use super::{Body, ChatMessage, pretty};

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
