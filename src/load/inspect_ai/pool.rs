//! What a sample keeps once and refers to, and the small parts of its records
//! (`formats/inspect-ai.md`).

use std::sync::Arc;

use super::super::Report;
use super::super::foreign::{blocks, clock};
use super::{list, role};
use crate::step::Usage;
use crate::value::{Map, Value};

/// What a sample keeps once and refers to.
pub(super) struct Pool<'a> {
    texts: Option<&'a Map>,
    /// Messages that events refer to by their places.
    pub messages: &'a [Value],
}

impl<'a> Pool<'a> {
    /// The pool of a sample, in whichever layout.
    pub(super) fn new(sample: &'a Value) -> Self {
        let transcript = sample.get("transcript");
        let texts = sample
            .get_some("attachments")
            .or_else(|| transcript?.get_some("content"));
        let data = sample.get_some("events_data");
        let messages = data.map_or_else(
            || list(sample, "message_pool"),
            |data| list(data, "messages"),
        );
        Self {
            texts: texts.and_then(Value::as_map),
            messages,
        }
    }

    /// A value with the texts that it refers to.
    pub(super) fn resolved(&self, value: &Value) -> Value {
        match value {
            Value::Str(text) => {
                let key = text
                    .strip_prefix("attachment://")
                    .or_else(|| text.strip_prefix("tc://"));
                let found = key.and_then(|key| self.texts?.get(&Value::string(key)));
                found.unwrap_or(value).clone()
            }
            Value::List(items) => {
                Value::list(items.iter().map(|item| self.resolved(item)).collect())
            }
            Value::Map(entries) => {
                let entries = entries.iter();
                Value::map(
                    entries
                        .map(|(key, value)| (key.clone(), self.resolved(value)))
                        .collect(),
                )
            }
            other => other.clone(),
        }
    }

    /// A content with the texts that it refers to.
    pub(super) fn text(&self, value: &Value) -> String {
        blocks::text(&self.resolved(value))
    }

    /// What a reply says, without what was thought before it.
    pub(super) fn said(&self, content: &Value) -> String {
        match content {
            Value::List(parts) => {
                let said = parts.iter().filter(|part| !is_reasoning(part)).cloned();
                self.text(&Value::list(said.collect()))
            }
            other => self.text(other),
        }
    }

    /// The content of a message.
    pub(super) fn content(&self, message: &Value) -> String {
        self.text(message.get("content").unwrap_or(&Value::Nil))
    }
}

/// The text of a sample's input: a string, or the first message of a person. Its images show in the
/// recorded prompts.
pub(super) fn mission(input: &Value) -> Option<Arc<str>> {
    if let Some(messages) = input.as_list() {
        let message = messages.iter().find(|message| role(message) == "user")?;
        let content = message.get("content")?;
        let Some(parts) = content.as_list() else {
            return Some(blocks::text(content).into());
        };
        let texts = parts
            .iter()
            .filter(|part| part.get("text").is_some())
            .cloned();
        return Some(blocks::text(&Value::list(texts.collect())).into());
    }
    (!input.is_nil()).then(|| blocks::text(input).into())
}

/// Whether a part of a reply is what was thought before it.
pub(super) fn is_reasoning(part: &Value) -> bool {
    part.get("type").and_then(Value::as_str) == Some("reasoning")
}

/// Milliseconds of seconds.
pub(super) fn milliseconds(seconds: &Value) -> Option<u64> {
    clock::millis(seconds).and_then(|ms| u64::try_from(ms).ok())
}

/// Usage of a reply. Cached tokens are inside the input where the total is input and output, beside
/// it where the total counts them too.
pub(super) fn usage(told: &Value, report: &mut Report) -> Usage {
    let usage = blocks::usage(told, report);
    let cached = usage
        .cache_read
        .unwrap_or(0)
        .checked_add(usage.cache_write.unwrap_or(0));
    blocks::with_cached_beside(usage, cached)
}
