//! What tells of a session without its records: `logs.json`, which holds what a person asked, and the
//! answer that `gemini --output-format json` writes at the end.

use std::sync::Arc;

use indexmap::IndexMap;

use super::super::talk::Talk;
use super::super::{Report, fields};
use crate::step::{Ending, Failure, Step, Usage};
use crate::value::Value;

/// Whether a document is `logs.json`: entries with a session and a message's number.
pub(super) fn is_log(value: &Value) -> bool {
    let entries = value.as_list().unwrap_or_default();
    !entries.is_empty() && entries.iter().any(is_entry)
}

fn is_entry(entry: &Value) -> bool {
    let has = |name: &str| entry.get(name).is_some();
    has("sessionId") && has("messageId") && has("message") && has("type")
}

/// Whether a document is the answer at the end of a run.
pub(super) fn is_answer(value: &Value) -> bool {
    let told = value.get("response").or_else(|| value.get("error"));
    let stats = value.get("stats").and_then(|stats| stats.get("models"));
    told.is_some() && stats.is_some_and(|models| models.as_map().is_some())
}

/// The steps of such a document: of a log one a session.
pub(super) fn steps(value: &Value, report: &mut Report) -> Vec<Step> {
    let Some(entries) = value.as_list() else {
        return vec![answer(value, report)];
    };
    report
        .note("the log holds what the person asked; the replies stand in the sessions' own files");
    let mut talks: IndexMap<Arc<str>, Talk> = IndexMap::new();
    for entry in entries {
        let Some(session) = fields::text(entry, "sessionId").filter(|_| is_entry(entry)) else {
            report.unknown_record("an element that is no entry", entry, None);
            continue;
        };
        if fields::text(entry, "type").as_deref() != Some("user") {
            let kind = fields::text(entry, "type").unwrap_or_default();
            report.unknown_record(&kind, entry, None);
            continue;
        }
        let talk = talks.entry(Arc::clone(&session)).or_insert_with(Talk::new);
        let at = fields::text(entry, "timestamp");
        let step = &mut talk.step;
        step.trace_id = Some(session);
        step.started_at = step.started_at.take().or_else(|| at.clone());
        step.ended_at = at;
        talk.person(entry.get("message").unwrap_or(&Value::Nil));
    }
    talks.into_values().map(Talk::finish).collect()
}

fn answer(value: &Value, report: &mut Report) -> Step {
    let mut talk = Talk::new();
    talk.step.trace_id = fields::text(value, "session_id");
    let stats = value.get("stats").unwrap_or(&Value::Nil);
    let models = stats.get("models").and_then(Value::as_map);
    for (name, model) in models.into_iter().flatten() {
        let tokens = model.get("tokens").unwrap_or(&Value::Nil);
        fields::note_counts(tokens, report);
        talk.step.usage = talk.step.usage.plus(usage(tokens));
        if let (None, Some(name)) = (&talk.step.model, name.as_name()) {
            talk.step.model = Some(name.into());
        }
    }
    talk.step.figures = stats.clone();
    if let Some(response) = fields::text(value, "response") {
        let turn = talk.begin(1);
        if let Some(draft) = talk.draft(turn) {
            draft.texts.push(Arc::clone(&response));
        }
        talk.step.ending = Ending::Return(Value::Str(response));
    }
    if let Some(error) = value.get_some("error") {
        talk.step.ending = Ending::Fail(Failure {
            reason: fields::text(error, "type"),
            message: fields::text(error, "message"),
            ..Failure::default()
        });
    }
    talk.finish()
}

/// Tokens of a model: thinking is not among those of the candidates.
fn usage(told: &Value) -> Usage {
    let get = |name: &str| fields::count(told, &[name]);
    let parts = [get("candidates"), get("thoughts")].into_iter().flatten();
    Usage {
        input: get("prompt"),
        output: parts.reduce(u64::saturating_add),
        total: get("total"),
        cache_read: get("cached"),
        ..Usage::default()
    }
}
