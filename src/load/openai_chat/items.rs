//! Items of the Responses API that are no messages: calls, what they were answered, and thinking.

use std::sync::Arc;

use super::super::talk::{Answer, Draft};
use super::super::{Report, blocks, fields};
use super::messages::Chat;
use crate::step::{Field, ToolCall};
use crate::value::Value;

impl Chat {
    /// An item of the Responses API.
    pub(super) fn item(&mut self, item: &Value, report: &mut Report) {
        match item.get("type").and_then(Value::as_str) {
            Some(kind) if is_call(kind) => {
                let answered =
                    |draft: &Draft| draft.calls.iter().any(|call| call.result.get().is_some());
                let is_asked = self.talk.has_waiting();
                let turn = match (self.response, self.talk.drafts().last()) {
                    (Some(turn), _) => turn,
                    (None, Some(draft)) if !answered(draft) && !is_asked => self.talk.len() - 1,
                    _ => self.talk.begin(self.line),
                };
                self.item_call(turn, kind, item);
            }
            Some(kind) if is_call_output(kind) => {
                let told = item.get_some("output").or_else(|| item.get_some("tools"));
                let content = told.map(blocks::result).unwrap_or_default();
                let answer = Answer {
                    content,
                    ..Answer::default()
                };
                self.talk
                    .answer(fields::text(item, "call_id").as_ref(), answer);
            }
            Some("reasoning") => {
                let turn = self.response.unwrap_or_else(|| self.talk.begin(self.line));
                let summary = item.get_some("summary").and_then(Value::as_list);
                let thoughts = summary.unwrap_or_default().iter().map(blocks::part);
                if let Some(draft) = self.talk.draft(turn) {
                    draft.thoughts.extend(thoughts);
                }
            }
            Some(other) => {
                report.unknown_record(&format!("item {other}"), item, Some(self.line));
            }
            None => report.unknown_record("a message without a role", item, Some(self.line)),
        }
    }

    /// A call that is an item. Those of tools that the API itself has bring what they came to along.
    fn item_call(&mut self, turn: usize, kind: &str, item: &Value) {
        if kind == "function_call" {
            return self.call(turn, item, fields::text(item, "call_id"));
        }
        let args = made_with(item).map(blocks::arguments);
        let mut call = ToolCall::new(called(kind, item), args.unwrap_or_default());
        call.id = fields::text(item, "call_id");
        call.unmarked = true;
        if call.id.is_none() {
            call.id = fields::text(item, "id");
            call.result = match (came_to(item), item.get_some("result")) {
                (Some(told), _) => Field::Recorded(blocks::result(told)),
                (None, Some(data)) => {
                    Field::Recorded(blocks::of_data(Some("image"), Some(data)).as_str().into())
                }
                (None, None) => Field::Absent,
            };
        }
        self.talk.call(turn, call);
    }
}

/// What a call that is an item calls, by its kind where it has no name.
pub(in crate::load) fn called(kind: &str, item: &Value) -> Arc<str> {
    let text = |name: &str| fields::text(item, name);
    match (text("server_label"), text("name")) {
        (Some(server), Some(name)) => format!("{server}.{name}").into(),
        (_, name) => name.unwrap_or_else(|| kind.trim_end_matches("_call").into()),
    }
}

/// What a call that is an item was made with.
pub(in crate::load) fn made_with(item: &Value) -> Option<&Value> {
    let names = [
        "arguments",
        "input",
        "action",
        "operation",
        "queries",
        "code",
        "revised_prompt",
    ];
    names.iter().find_map(|name| item.get_some(name))
}

/// What a call of a tool that the API itself has came to, which its item brings along.
pub(in crate::load) fn came_to(item: &Value) -> Option<&Value> {
    let names = ["output", "error", "outputs", "results"];
    names.iter().find_map(|name| item.get_some(name))
}

/// Whether items of a kind are calls of functions, or of tools that the API itself has.
pub(in crate::load) fn is_call(kind: &str) -> bool {
    let own = [
        "function_call",
        "custom_tool_call",
        "mcp_call",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "computer_call",
        "image_generation_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "tool_search_call",
    ];
    own.contains(&kind)
}

/// Whether items of a kind are results of calls.
pub(in crate::load) fn is_call_output(kind: &str) -> bool {
    kind == "tool_search_output" || kind.strip_suffix("_output").is_some_and(is_call)
}
