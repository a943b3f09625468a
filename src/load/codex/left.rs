//! What a compaction left of the history (`formats/codex.md`): the items that replace it, else a summary.

use std::fmt::Write as _;
use std::sync::Arc;

use super::super::openai_chat::made_with;
use super::super::{blocks, fields};
use crate::step::{Message, Role};
use crate::value::{Value, json::Plain};

/// The history from a compaction on.
#[derive(Default)]
pub(super) struct Left {
    /// Its messages; calls and what they answered are texts of such.
    pub messages: Vec<Message>,
    /// Items that can't be read.
    pub hidden: usize,
    summary: Option<Arc<str>>,
}

impl Left {
    /// Of a compaction's record.
    pub(super) fn of(payload: &Value) -> Self {
        let summary = fields::text(payload, "message").filter(|text| !text.is_empty());
        let mut left = Self {
            summary,
            ..Self::default()
        };
        let history = payload.get("replacement_history").and_then(Value::as_list);
        for item in history.unwrap_or_default() {
            left.item(item);
        }
        left
    }

    /// What it says as one text.
    pub(super) fn text(&self) -> Option<Arc<str>> {
        if self.messages.is_empty() {
            return self.summary.clone();
        }
        let texts: Vec<&str> = self.messages.iter().map(|told| &*told.content).collect();
        Some(texts.join("\n\n").into())
    }

    fn item(&mut self, item: &Value) {
        let kind = item
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("message");
        match kind {
            "message" => {
                let role = item.get("role").and_then(Value::as_str);
                let role = role.and_then(Role::from_name).unwrap_or(Role::User);
                let text = blocks::text(item.get("content").unwrap_or(&Value::Nil));
                if !text.is_empty() {
                    self.messages.push(Message::new(role, text));
                }
            }
            call if call.ends_with("_call") => self.call(call, item),
            output if output.ends_with("_output") => {
                let told = ["output", "tools"];
                let told = told.iter().find_map(|name| item.get_some(name));
                let text = told.map(blocks::text).unwrap_or_default();
                self.messages.push(Message::new(Role::User, text));
            }
            _ => self.hidden += 1,
        }
    }

    /// A call stands behind what was said before it, as in other prompts that are rebuilt.
    fn call(&mut self, kind: &str, item: &Value) {
        let name = fields::text(item, "name").unwrap_or_else(|| kind.into());
        let args = match made_with(item) {
            Some(Value::Str(args)) => args.to_string(),
            Some(args) => serde_json::to_string(&Plain(args)).unwrap_or_default(),
            None => String::new(),
        };
        let mut said = match self.messages.pop_if(|last| last.role == Role::Assistant) {
            Some(last) => format!("{}\n", last.content),
            None => String::new(),
        };
        let _ = write!(said, "{name} {args}");
        self.messages
            .push(Message::new(Role::Assistant, said.trim_end().to_owned()));
    }
}
