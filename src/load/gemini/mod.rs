//! Gemini CLI: sessions as JSON and as JSON lines, checkpoints, and the output of `--output-format
//! stream-json`, which [`stream`] reads (`formats/gemini-opencode.md`); besides, the log of what a
//! person asked and the output of `--output-format json` ([`told`]).

mod stream;
mod told;

use std::collections::HashMap;
use std::sync::Arc;

use super::probe::Probe;
use super::talk::{Answer, Talk};
use super::{Loader, Records, Report, Source, blocks, documents, fields, records};
use crate::error::Error;
use crate::step::{EventKind, Step, ToolCall, Usage};
use crate::value::{Map, Value};

/// The loader of Gemini CLI's sessions (`formats/gemini-opencode.md`).
#[derive(Debug)]
pub struct GeminiCli;

impl Loader for GeminiCli {
    fn name(&self) -> &'static str {
        "gemini-cli"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI session or checkpoint"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, thoughts, calls and results, failures, inputs, usage",
            missing: "the system prompt, tools, the prompts as sent, memory",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let session = probe.has_key("sessionId")
            && (probe.has_key("projectHash") || probe.has_key("startTime"));
        let is_own = |record: &Value| {
            let kind = record.get("type").and_then(Value::as_str);
            is_record(record)
                && (record.get("projectHash").is_some()
                    || record.get("$set").is_some()
                    || record.get("$rewindTo").is_some()
                    || kind == Some("gemini"))
        };
        session
            || is_checkpoint(probe.head())
            || probe.records().iter().any(is_own)
            || stream::is_of(probe.records())
            || told::is_log(probe.head())
            || told::is_answer(probe.sketch())
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        if stream::is_of(&records::sample(source, 20, 1 << 16)) {
            return Ok(vec![Arc::new(stream::read(source, report))]);
        }
        let mut session = Session::default();
        let mut checkpoint = None;
        let mut told = None;
        documents::read(source, report, is_record, |line, value, report| {
            if is_checkpoint(&value) {
                checkpoint = Some(value);
            } else if told::is_log(&value) || told::is_answer(&value) {
                told = Some(told::steps(&value, report));
            } else {
                session.take(line, value, report);
            }
        })?;
        if let Some(told) = told {
            return Ok(told.into_iter().map(Arc::new).collect());
        }
        let step = match checkpoint {
            Some(value) => contents(value.get("history").unwrap_or(&value), report),
            None => session.finish(report),
        };
        Ok(vec![Arc::new(step)])
    }
}

/// What stands in the session's note that the provider answered with an error, in capitals or not.
const API_ERROR: &str = "api error";

/// How it notes that a person broke in.
const CANCELLED: &str = "Request cancelled.";

/// What the setup has in it that Gemini CLI writes before a chat, and how the reply to it begins that
/// it writes as well.
const SETUP: &str = "This is the Gemini CLI. We are setting up the context for our chat";
const SETUP_REPLY: &str = "Got it. Thanks for the context!";

/// How the answer to a call begins that a person refused.
const REFUSED: &str = "[Operation Cancelled] Reason: User did not allow tool call";

/// Whether an object is a record of a session, and no part of one.
fn is_record(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    let message =
        has("type") && (has("content") || has("parts")) && (has("id") || has("timestamp"));
    message || has("sessionId") || has("$set") || has("$rewindTo") || is_checkpoint(value)
}

/// Whether a document is a list of contents with roles and parts.
fn is_checkpoint(value: &Value) -> bool {
    let items = value.get("history").unwrap_or(value).as_list();
    items.is_some_and(|items| items.iter().any(is_content))
}

fn is_content(item: &Value) -> bool {
    let role = item.get("role").and_then(Value::as_str);
    matches!(role, Some("user" | "model")) && item.get("parts").and_then(Value::as_list).is_some()
}

/// A session's messages by their order; one that is written again stands where it stood.
#[derive(Default)]
struct Session {
    head: Map,
    messages: Vec<(u64, Value)>,
    by_id: HashMap<Arc<str>, usize>,
    /// Messages that the person took back.
    taken_back: usize,
}

impl Session {
    fn take(&mut self, line: u64, record: Value, report: &mut Report) {
        let Some(entries) = record.as_map() else {
            report.unknown_record("a bare value", &record, Some(line));
            return;
        };
        if let Some(patch) = record.get("$set") {
            self.set(line, patch);
        } else if let Some(id) = record.get("$rewindTo") {
            self.rewind(id.as_str().unwrap_or_default());
        } else if record.get("type").is_some() {
            self.message(line, record);
        } else if record.get("sessionId").is_some() || record.get("messages").is_some() {
            let whole = Value::map(entries.clone());
            self.set(line, &whole);
        } else {
            report.unknown_record("a record without a type", &record, Some(line));
        }
    }

    /// Takes over what a patch, or a head, tells.
    fn set(&mut self, line: u64, patch: &Value) {
        for (key, value) in patch.as_map().into_iter().flatten() {
            match (key.as_name(), value.as_list()) {
                (Some("messages"), Some(messages)) => {
                    self.messages.clear();
                    self.by_id.clear();
                    for message in messages {
                        self.message(line, message.clone());
                    }
                }
                _ => {
                    self.head.insert(key.clone(), value.clone());
                }
            }
        }
    }

    fn message(&mut self, line: u64, message: Value) {
        let id = fields::text(&message, "id");
        let known = id.as_ref().and_then(|id| self.by_id.get(id).copied());
        match (known, id) {
            (Some(at), _) => self.messages[at] = (line, message),
            (None, id) => {
                if let Some(id) = id {
                    self.by_id.insert(id, self.messages.len());
                }
                self.messages.push((line, message));
            }
        }
    }

    /// Drops a message and all behind it; an unknown one clears all.
    fn rewind(&mut self, id: &str) {
        let at = self.by_id.get(id).copied().unwrap_or_default();
        self.taken_back += self.messages.len().saturating_sub(at);
        for (_, message) in self.messages.drain(at..) {
            if let Some(id) = fields::text(&message, "id") {
                self.by_id.remove(&id);
            }
        }
    }

    fn finish(self, report: &mut Report) -> Step {
        let mut talk = Talk::new();
        let head = Value::map(self.head);
        talk.step.trace_id = fields::text(&head, "sessionId");
        talk.step.started_at = fields::text(&head, "startTime");
        talk.step.ended_at = fields::text(&head, "lastUpdated");
        talk.step.name = fields::text(&head, "summary");
        if self.taken_back > 0 {
            report.note(format!(
                "messages that the person took back are left out: {}",
                self.taken_back
            ));
        }
        for (line, message) in &self.messages {
            let content = message
                .get_some("content")
                .or_else(|| message.get_some("parts"));
            let content = content.unwrap_or(&Value::Nil);
            match message.get("type").and_then(Value::as_str) {
                Some("user") => user(&mut talk, content),
                Some("gemini" | "model") => {
                    let tokens = message.get("tokens").unwrap_or(&Value::Nil);
                    fields::note_counts(tokens, report);
                    reply(&mut talk, *line, message, content);
                }
                Some(kind @ ("info" | "warning" | "error")) => {
                    let text = blocks::text(content);
                    if kind == "error" && text.to_lowercase().contains(API_ERROR) {
                        talk.happened(EventKind::ApiError, Some(text));
                        continue;
                    }
                    if text.trim() == CANCELLED {
                        talk.happened(EventKind::Interruption, Some(text));
                        continue;
                    }
                    let text: String = text.chars().take(200).collect();
                    report.note(format!(
                        "the session notes ({kind}): {}",
                        text.replace('\n', " ")
                    ));
                }
                Some(other) => report.unknown_record(other, message, Some(*line)),
                None => report.unknown_record("a message without a type", message, Some(*line)),
            }
        }
        talk.finish()
    }
}

/// A reply: one record has its calls and their results.
fn reply(talk: &mut Talk, line: u64, message: &Value, content: &Value) {
    let turn = talk.begin(line);
    let model = fields::text(message, "model");
    talk.step.model = talk.step.model.take().or(model);
    let thoughts = message.get_some("thoughts").and_then(Value::as_list);
    let thoughts = thoughts.unwrap_or_default().iter().map(thought);
    if let Some(draft) = talk.draft(turn) {
        draft.parts.started_at = fields::text(message, "timestamp");
        draft.parts.usage = message.get_some("tokens").map(usage).unwrap_or_default();
        draft.thoughts.extend(thoughts);
    }
    let calls = message.get_some("toolCalls").and_then(Value::as_list);
    let calls = calls.unwrap_or_default();
    for part in content.as_list().unwrap_or(std::slice::from_ref(content)) {
        // A call stands in the parts too.
        if calls.is_empty() || part.get("functionCall").is_none() {
            model_part(talk, turn, part);
        }
    }
    for told in calls {
        let name = fields::text(told, "name").unwrap_or_else(|| "tool without a name".into());
        let mut call = ToolCall::new(name, told.get_some("args").cloned().unwrap_or_default());
        call.id = fields::text(told, "id");
        call.timestamp = fields::text(told, "timestamp");
        let Some(at) = talk.call(turn, call) else {
            continue;
        };
        let status = told.get("status").and_then(Value::as_str);
        let result = ["result", "resultDisplay"]
            .iter()
            .find_map(|name| told.get_some(name));
        if result.is_some() || status == Some("error") {
            let answer = Answer {
                content: result.map_or_else(|| "error".into(), response),
                failed: status == Some("error"),
                ..Answer::default()
            };
            let refused = is_refusal(&answer.content);
            talk.answer_at(at, answer);
            if let Some(call) = talk.call_at(at) {
                call.refused = refused;
            }
        }
    }
}

/// Whether the answer to a call says that a person refused it.
fn is_refusal(answer: &Value) -> bool {
    answer
        .as_str()
        .is_some_and(|text| text.starts_with(REFUSED))
}

fn thought(told: &Value) -> Arc<str> {
    let (subject, text) = (
        fields::text(told, "subject"),
        fields::text(told, "description"),
    );
    match (subject, text) {
        (Some(subject), Some(text)) => format!("{subject}: {text}").into(),
        (one, other) => one.or(other).unwrap_or_else(|| blocks::part(told)),
    }
}

/// What a tool answered, out of the function responses it is wrapped in.
fn response(told: &Value) -> Value {
    let inside = |part: &Value| -> Option<Value> {
        let response = part.get_some("functionResponse")?.get_some("response")?;
        let found = ["output", "error"]
            .iter()
            .find_map(|name| response.get_some(name));
        Some(found.unwrap_or(response).clone())
    };
    let parts = told.as_list().unwrap_or(std::slice::from_ref(told));
    let found: Vec<Value> = parts.iter().filter_map(inside).collect();
    match found.as_slice() {
        [] => blocks::result(told),
        [one] if parts.len() == 1 => one.clone(),
        _ => {
            let shown = parts.iter().map(|part| match inside(part) {
                Some(value) => fields::text_or_printed(&value).unwrap_or_default(),
                None => blocks::part(part),
            });
            let shown: Vec<Arc<str>> = shown.collect();
            Value::string(shown.join("\n"))
        }
    }
}

/// Tokens: what was read from the cache is among the input, thinking is not among the output.
fn usage(told: &Value) -> Usage {
    let get = |name: &str| fields::count(told, &[name]);
    Usage {
        input: get("input"),
        output: fields::count_together(&[(told, "output"), (told, "thoughts")]),
        total: get("total"),
        cache_read: get("cached"),
        ..Usage::default()
    }
}

/// The step of a checkpoint: contents with roles, whose parts are texts, calls and results.
fn contents(value: &Value, report: &mut Report) -> Step {
    let mut talk = Talk::new();
    let mut is_set_up = false;
    for (at, content) in value.as_list().unwrap_or_default().iter().enumerate() {
        if !is_content(content) {
            report.unknown_record("an element that is no content", content, None);
            continue;
        }
        let parts = content
            .get("parts")
            .and_then(Value::as_list)
            .unwrap_or_default();
        let text = blocks::text(content.get("parts").unwrap_or(&Value::Nil));
        if at == 0 && text.chars().take(200).collect::<String>().contains(SETUP)
            || at == 1 && is_set_up && text.starts_with(SETUP_REPLY)
        {
            is_set_up = true;
            talk.injected(text);
            continue;
        }
        if content.get("role").and_then(Value::as_str) == Some("model") {
            let turn = talk.begin(1);
            for part in parts {
                model_part(&mut talk, turn, part);
            }
            continue;
        }
        user(&mut talk, content.get("parts").unwrap_or(&Value::Nil));
    }
    let step = talk.finish();
    if !step.unmatched_results.is_empty() {
        report.note("some results answer no call; they are kept beside the turns");
    }
    step
}

/// What a user's content holds: what a person said, and results of calls.
fn user(talk: &mut Talk, content: &Value) {
    let Some(parts) = content.as_list() else {
        return talk.person(content);
    };
    let mut said = Vec::new();
    for part in parts {
        let Some(told) = part.get_some("functionResponse") else {
            said.push(Value::Str(shown(part)));
            continue;
        };
        let failed = told
            .get("response")
            .is_some_and(|inside| inside.get_some("error").is_some());
        let answer = Answer {
            content: response(part),
            failed,
            name: fields::text(told, "name"),
            ..Answer::default()
        };
        let refused = is_refusal(&answer.content);
        let answered = match fields::text(told, "id") {
            Some(id) => talk.answer(Some(&id), answer),
            None => talk.answer_next(answer),
        };
        if let Some(call) = answered.and_then(|at| talk.call_at(at)) {
            call.refused = refused;
        }
    }
    if !said.is_empty() || parts.is_empty() {
        talk.person(&Value::list(said));
    }
}

/// A part as a text: code that the model ran as such, and what it gave; a file by its address.
fn shown(part: &Value) -> Arc<str> {
    let inside = |name: &str| part.get_some(name);
    if let Some(ran) = inside("executableCode") {
        let language = fields::text(ran, "language").unwrap_or_default();
        let code = fields::text(ran, "code").unwrap_or_default();
        return format!("```{}\n{code}\n```", language.to_lowercase()).into();
    }
    if let Some(output) = inside("codeExecutionResult") {
        return fields::text(output, "output").unwrap_or_default();
    }
    if let Some(file) = inside("fileData") {
        let kind = fields::text(file, "mimeType").unwrap_or_else(|| "file".into());
        let uri = fields::text(file, "fileUri").unwrap_or_default();
        return format!("[{kind}, {uri}]").into();
    }
    blocks::part(part)
}

fn model_part(talk: &mut Talk, turn: usize, part: &Value) {
    if let Some(told) = part.get_some("functionCall") {
        let name = fields::text(told, "name").unwrap_or_else(|| "tool without a name".into());
        let mut call = ToolCall::new(name, told.get_some("args").cloned().unwrap_or_default());
        call.id = fields::text(told, "id");
        talk.call(turn, call);
        return;
    }
    let text = shown(part);
    let thinks = part.get("thought").and_then(Value::as_bool) == Some(true);
    if let Some(draft) = talk.draft(turn).filter(|_| !text.is_empty()) {
        let texts = if thinks {
            &mut draft.thoughts
        } else {
            &mut draft.texts
        };
        texts.push(text);
    }
}
