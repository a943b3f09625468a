//! What a log has as the answer to a request: a response, or something else in its place.

use super::super::{Report, fields};
use super::container::is_response;
use super::messages::Chat;
use crate::step::Usage;
use crate::value::Value;

impl Chat {
    /// What a log has in a response's place: an error, or the reply alone.
    pub(super) fn other_response(&mut self, told: &Value, report: &mut Report) {
        let is_message = told.get("role").and_then(Value::as_str) == Some("assistant");
        let listed = told.as_list().unwrap_or_default();
        if let Value::Str(text) = told {
            let turn = self.talk.begin(self.line);
            self.say(turn, text);
        } else if is_message {
            self.reply(told, report);
        } else if let Some(error) = told.get_some("error") {
            report.note(self.talk.api_error(error));
        } else if !listed.is_empty() && listed.iter().all(is_response) {
            for response in listed {
                self.response(response, report);
            }
        } else {
            report.unknown_record("a response that is none", told, Some(self.line));
        }
    }

    /// A response as a further reply, with its usage.
    pub(super) fn response(&mut self, response: &Value, report: &mut Report) {
        self.talk.step.model = fields::text(response, "model").or(self.talk.step.model.take());
        if let Some(items) = response.get("output").and_then(Value::as_list) {
            self.response = Some(self.talk.begin(self.line));
            for item in items {
                self.message(item, report);
            }
            self.response = None;
            self.broken_off(response, report);
        } else {
            let choices = response.get("choices").and_then(Value::as_list);
            let choices = choices.unwrap_or_default();
            if choices.len() > 1 {
                report.note("only the first of several choices is shown");
            }
            let Some(choice) = choices.first() else {
                return;
            };
            self.reply(choice.get("message").unwrap_or(&Value::Nil), report);
            if let Some(reason @ ("length" | "content_filter")) =
                choice.get("finish_reason").and_then(Value::as_str)
            {
                report.note(format!("the last reply was broken off: {reason}"));
            }
        }
        if let (Some(told), Some(draft)) = (response.get_some("usage"), self.talk.last()) {
            fields::note_counts(told, report);
            draft.parts.usage = usage(told);
        }
    }

    /// Notes why a response of items is not complete.
    fn broken_off(&mut self, response: &Value, report: &mut Report) {
        if let Some(error) = response.get_some("error") {
            report.note(self.talk.api_error(error));
        }
        let status = response.get("status").and_then(Value::as_str);
        if let Some(status @ ("incomplete" | "cancelled")) = status {
            let details = response.get_some("incomplete_details");
            let reason = details.and_then(|details| fields::text(details, "reason"));
            let reason = reason.as_deref().unwrap_or(status);
            report.note(format!("the last reply was broken off: {reason}"));
        }
    }
}

/// Tokens of a response; cached ones are among the prompt's.
fn usage(told: &Value) -> Usage {
    let mut usage = fields::usage(told);
    let details = ["prompt_tokens_details", "input_tokens_details"];
    let details = details.iter().find_map(|name| told.get_some(name));
    let cached = details.and_then(|details| fields::count(details, &["cached_tokens"]));
    usage.cache_read = cached.or(usage.cache_read);
    usage
}
