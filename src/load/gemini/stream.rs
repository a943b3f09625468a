//! The output of `gemini --output-format stream-json`: one record an event.

use super::super::talk::{Answer, Talk};
use super::super::{Report, Source, blocks, fields, records};
use crate::step::{Ending, Failure, Step, ToolCall, Usage};
use crate::value::Value;

/// Whether the first records are of this layout.
pub(super) fn is_of(records: &[Value]) -> bool {
    let is_own = |record: &Value| {
        let has = |name: &str| record.get(name).is_some();
        match record.get("type").and_then(Value::as_str) {
            Some("init") => has("session_id"),
            Some("tool_use") => has("tool_id") && has("tool_name"),
            Some("tool_result") => has("tool_id") && has("status"),
            _ => false,
        }
    };
    records.iter().any(is_own)
}

/// Whether an object is a record, and no part of one.
fn is_record(value: &Value) -> bool {
    let names = ["session_id", "role", "tool_id", "status", "severity"];
    value.get("type").is_some() && names.iter().any(|name| value.get(name).is_some())
}

/// The step of the events.
pub(super) fn read(source: &Source, report: &mut Report) -> Step {
    let mut talk = Talk::new();
    // The turn that goes on, if any.
    let mut open = None;
    records::read_all(source, report, is_record, |line, record, report| {
        let content = record.get("content").unwrap_or(&Value::Nil);
        let is_user = record.get("role").and_then(Value::as_str) == Some("user");
        match record.get("type").and_then(Value::as_str) {
            Some("init") => {
                talk.step.trace_id = fields::text(&record, "session_id");
                talk.step.model = fields::text(&record, "model");
                talk.step.started_at = fields::text(&record, "timestamp");
            }
            Some("message") if is_user => {
                open = None;
                talk.person(content);
            }
            Some("message") => {
                let goes_on = record.get("delta").and_then(Value::as_bool) == Some(true);
                let turn = *open.get_or_insert_with(|| talk.begin(line));
                let text = blocks::text(content);
                let Some(draft) = talk.draft(turn) else {
                    return;
                };
                match draft.texts.last_mut().filter(|_| goes_on) {
                    Some(last) => *last = format!("{last}{text}").into(),
                    None => draft.texts.push(text),
                }
            }
            Some("tool_use") => {
                let turn = *open.get_or_insert_with(|| talk.begin(line));
                let name = fields::text(&record, "tool_name");
                let name = name.unwrap_or_else(|| "tool without a name".into());
                let args = record.get_some("parameters").cloned().unwrap_or_default();
                let mut call = ToolCall::new(name, args);
                call.id = fields::text(&record, "tool_id");
                call.timestamp = fields::text(&record, "timestamp");
                talk.call(turn, call);
            }
            Some("tool_result") => {
                open = None;
                let failed = record.get("status").and_then(Value::as_str) == Some("error");
                let error = record.get_some("error");
                let why = error.and_then(|error| fields::text(error, "message"));
                let told = record.get_some("output").or(error);
                let content = told.map(blocks::result).unwrap_or_default();
                let answer = Answer {
                    content: match (content, why) {
                        (Value::Map(_), Some(why)) => Value::Str(why),
                        (Value::Str(said), Some(why)) if !said.contains(&*why) => {
                            Value::string(format!("{said}\n{why}"))
                        }
                        (content, _) => content,
                    },
                    failed,
                    at: fields::text(&record, "timestamp"),
                    ..Answer::default()
                };
                talk.answer(fields::text(&record, "tool_id").as_ref(), answer);
            }
            Some("result") => {
                let stats = record.get_some("stats").unwrap_or(&Value::Nil);
                fields::note_counts(stats, report);
                let get = |name: &str| fields::count(stats, &[name]);
                talk.step.usage = Usage {
                    input: get("input_tokens"),
                    output: get("output_tokens"),
                    total: get("total_tokens"),
                    cache_read: get("cached"),
                    ..Usage::default()
                };
                talk.step.figures = stats.clone();
                if let Some(error) = record.get_some("error") {
                    talk.step.ending = Ending::Fail(Failure {
                        reason: fields::text(error, "type"),
                        message: fields::text(error, "message"),
                        ..Failure::default()
                    });
                }
            }
            Some("error") => {
                let message = fields::text(&record, "message").unwrap_or_default();
                report.note(format!("the run reports an error: {message}"));
            }
            Some(other) => report.unknown_record(other, &record, Some(line)),
            None => report.unknown_record("a record without a type", &record, Some(line)),
        }
    });
    let step = talk.finish();
    if !step.unmatched_results.is_empty() {
        report.note("some results answer no call; they are kept beside the turns");
    }
    step
}
