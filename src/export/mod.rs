//! Outputs for other programs and for readers elsewhere: pure functions from a step or the messages
//! of a prompt to text.
//!
//! An output is one file; the smallest to copy is `openai.rs`. What machines read passes
//! [`crate::text::escape_json`], what people read [`crate::text::clean_line`], so nothing of a trace
//! acts on a terminal.

pub mod analysis;
pub mod anthropic;
pub mod atif;
mod chat;
pub mod form;
pub mod html;
pub mod json;
pub mod losses;
pub mod markdown;
pub mod openai;
pub mod step;
pub mod text;

use std::sync::Arc;

use serde::Serialize;

use crate::step::Role;

/// A message of a prompt, or one that was recorded as sent.
pub type ChatMessage = (Role, Arc<str>);

/// A message as chat APIs write it.
#[derive(Serialize)]
struct Body<'a> {
    role: &'static str,
    content: &'a str,
}

/// Pretty JSON that may be printed to a terminal, with a line end.
fn pretty(value: &impl Serialize) -> String {
    // Serializing texts into memory can't fail.
    let json = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = crate::text::escape_json(&json).into_owned();
    out.push('\n');
    out
}
