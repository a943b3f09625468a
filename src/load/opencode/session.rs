//! Turns of an opencode session: a stretch from step-start to step-finish, or a whole message.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::talk::{Answer, CallAt, Talk};
use super::super::{Report, blocks, fields};
use super::Message;
use crate::calendar;
use crate::step::{Event, EventKind, Step, ToolCall, TurnKind, Usage};
use crate::value::Value;

/// When a record was made, in milliseconds.
pub(super) fn created(record: &Value) -> Option<i64> {
    record.get("time")?.get("created")?.as_i64()
}

fn iso(time: Option<&Value>) -> Option<Arc<str>> {
    let ms = time.and_then(Value::as_i64)?;
    calendar::iso_of_ms(ms).map(Into::into)
}

/// A session's step, and which of its calls started which sessions.
pub(super) struct Made {
    pub parent: Option<Arc<str>>,
    pub step: Step,
    spawned: HashMap<Arc<str>, CallAt>,
}

/// The step of a session with its messages.
pub(super) fn step(session: &Value, messages: Vec<Message>, report: &mut Report) -> Made {
    let mut run = Run {
        talk: Talk::new(),
        compaction: None,
        spawned: HashMap::new(),
    };
    let time = session.get("time").unwrap_or(&Value::Nil);
    let own = &mut run.talk.step;
    own.name = fields::text(session, "title");
    own.parent_trace_id = fields::text(session, "parentID");
    own.started_at = iso(time.get("created"));
    own.ended_at = iso(time.get("updated"));
    own.trace_id = fields::text(session, "id");
    let revert = session.get_some("revert");
    let revert = revert.and_then(|revert| fields::text(revert, "messageID"));
    let mut kept = None;
    for Message {
        info: message,
        parts,
    } in messages
    {
        if revert.is_some() && revert == fields::text(&message, "id") {
            kept = Some(run.talk.len());
        }
        match message.get("role").and_then(Value::as_str) {
            Some("user") => run.user(&message, &parts, report),
            Some("assistant") => run.reply(&message, &parts, report),
            Some(other) => report.unknown_record(&format!("role {other}"), &message, None),
            None => report.unknown_record("a message without a role", &message, None),
        }
    }
    if let Some(kept) = kept {
        report.note("the person took back the last messages; their turns are still shown");
        let turns = run.talk.len();
        run.talk.step.events.push(Event::branch(turns, kept));
    }
    Made {
        parent: fields::text(session, "parentID"),
        step: run.talk.finish(),
        spawned: run.spawned,
    }
}

/// What an error is called that says that a person broke in.
const ABORTED: &str = "MessageAbortedError";

/// What errors are called that the provider answered with.
const OF_PROVIDER: [&str; 2] = ["APIError", "ProviderAuthError"];

/// How the error of a call begins that a person refused.
const REFUSED: &str = "The user rejected permission to use";

/// Parts that say nothing to the model: what the run did to files, where it could be taken back to,
/// which agent was named.
const ASIDE: [&str; 4] = ["patch", "snapshot", "agent", "subtask"];

/// A compaction that was asked for, or whose summary is there.
#[derive(Debug, PartialEq, Eq)]
enum Compaction {
    Asked,
    Done,
}

struct Run {
    talk: Talk,
    /// Before the next turn.
    compaction: Option<Compaction>,
    spawned: HashMap<Arc<str>, CallAt>,
}

impl Run {
    fn user(&mut self, message: &Value, parts: &[Value], report: &mut Report) {
        let mut said = Vec::new();
        for part in parts {
            let synthetic = part.get("synthetic").and_then(Value::as_bool) == Some(true);
            match part.get("type").and_then(Value::as_str) {
                Some("text") if synthetic => self.talk.injected(blocks::part(part)),
                Some("text") => said.push(part.clone()),
                Some("file") => said.push(Value::Str(file(part))),
                Some("compaction") => self.compaction = Some(Compaction::Asked),
                // What another agent is to do.
                Some("subtask") => said.extend(part.get_some("prompt").cloned()),
                Some(aside) if ASIDE.contains(&aside) => {}
                Some(other) => report.unknown_record(&format!("part {other}"), part, None),
                None => report.unknown_record("a part without a type", part, None),
            }
        }
        let body = || {
            message
                .get("summary")
                .and_then(|summary| fields::text(summary, "body"))
        };
        if said.is_empty() && parts.is_empty() {
            said.extend(body().map(Value::Str));
        }
        if !said.is_empty() {
            self.talk.person(&Value::list(said));
        }
    }

    fn begin(&mut self, message: &Value, report: &mut Report) -> usize {
        let compaction = self.compaction.take();
        if compaction == Some(Compaction::Asked) {
            self.talk.happened(EventKind::Compaction, None);
            // It was asked for at a message, which what was compacted doesn't hold.
            if let Some(event) = self.talk.step.events.last_mut() {
                event.arrived = 0;
            }
        }
        let compacted = compaction.is_some();
        let turn = self.talk.begin(1);
        if compacted {
            report.note(format!(
                "the history was compacted before turn {}",
                turn + 1
            ));
        }
        if let Some(draft) = self.talk.draft(turn) {
            draft.parts.started_at = iso(message.get("time").and_then(|time| time.get("created")));
            // A storage folder has no lines.
            draft.parts.position = crate::step::Position::index(turn);
            if compacted {
                draft.parts.kind = TurnKind::Other("after compaction".into());
            }
        }
        turn
    }

    fn reply(&mut self, message: &Value, parts: &[Value], report: &mut Report) {
        let model = message
            .get("model")
            .and_then(|model| fields::text(model, "modelID"));
        let model = fields::text(message, "modelID").or(model);
        self.talk.step.model = self.talk.step.model.take().or(model);
        // Its prompt is what is compacted yet.
        let is_summary = message.get("summary").and_then(Value::as_bool) == Some(true);
        if is_summary {
            self.compaction = None;
        }
        let mut turn = self.begin(message, report);
        let (mut stepped, mut counted) = (false, false);
        for part in parts {
            match part.get("type").and_then(Value::as_str) {
                Some("step-start") => {
                    if std::mem::replace(&mut stepped, true) {
                        turn = self.begin(message, report);
                    }
                }
                Some("step-finish") => {
                    if let (Some(told), Some(draft)) =
                        (part.get_some("tokens"), self.talk.draft(turn))
                    {
                        counted = true;
                        fields::note_counts(told, report);
                        draft.add_usage(usage(told));
                    }
                }
                Some("text") => self.say(turn, blocks::part(part), false),
                Some("reasoning") => self.say(turn, blocks::part(part), true),
                Some("tool") => self.call(turn, part),
                Some("file") => self.say(turn, file(part), false),
                Some("compaction") => self.compaction = Some(Compaction::Asked),
                Some(aside) if ASIDE.contains(&aside) => {}
                Some("retry") => {
                    let text = part.get_some("error").and_then(told);
                    self.talk.happened(EventKind::ApiError, text);
                }
                Some(other) => report.unknown_record(&format!("part {other}"), part, None),
                None => report.unknown_record("a part without a type", part, None),
            }
        }
        let Some(draft) = self.talk.draft(turn) else {
            return;
        };
        if let (false, Some(told)) = (counted, message.get_some("tokens")) {
            fields::note_counts(told, report);
            draft.parts.usage = usage(told);
        }
        let error = message.get_some("error");
        if let Some(error) = error {
            draft.failed = Some(inside(error).clone());
        }
        let summary = is_summary.then(|| draft.texts.join("\n\n").into());
        let name = error.and_then(|error| fields::text(error, "name"));
        let kind = match name.as_deref() {
            Some(ABORTED) => Some(EventKind::Interruption),
            Some(name) if OF_PROVIDER.contains(&name) => Some(EventKind::ApiError),
            _ => None,
        };
        if let Some(kind) = kind {
            self.talk.happened(kind, error.and_then(told));
        } else if let Some(summary) = summary {
            self.talk.happened(EventKind::Compaction, Some(summary));
            self.compaction = Some(Compaction::Done);
        }
    }

    fn say(&mut self, turn: usize, text: Arc<str>, thinks: bool) {
        let Some(draft) = self.talk.draft(turn).filter(|_| !text.is_empty()) else {
            return;
        };
        let texts = if thinks {
            &mut draft.thoughts
        } else {
            &mut draft.texts
        };
        texts.push(text);
    }

    fn call(&mut self, turn: usize, part: &Value) {
        let state = part.get_some("state").unwrap_or(&Value::Nil);
        let name = fields::text(part, "tool").unwrap_or_else(|| "tool without a name".into());
        let mut call = ToolCall::new(name, state.get_some("input").cloned().unwrap_or_default());
        call.id = fields::text(part, "callID");
        let time = state.get("time").unwrap_or(&Value::Nil);
        call.timestamp = iso(time.get("start"));
        let Some(at) = self.talk.call(turn, call) else {
            return;
        };
        // The session that a task started, until it is found.
        let session = state.get("metadata").and_then(|metadata| {
            fields::text(metadata, "sessionId").or_else(|| fields::text(metadata, "sessionID"))
        });
        if let Some(session) = session {
            self.spawned.insert(session, at);
        }
        let exit = state
            .get("metadata")
            .and_then(|metadata| metadata.get("exit"));
        let status = state.get("status").and_then(Value::as_str);
        let failed =
            status == Some("error") || exit.and_then(Value::as_i64).is_some_and(|exit| exit != 0);
        let content = ["error", "output"]
            .iter()
            .find_map(|name| state.get_some(name));
        if content.is_none() && !failed {
            return;
        }
        let (start, end) = (
            fields::count(time, &["start"]),
            fields::count(time, &["end"]),
        );
        let answer = Answer {
            content: content.map_or_else(|| "error".into(), blocks::result),
            failed,
            duration_ms: end
                .zip(start)
                .and_then(|(end, start)| end.checked_sub(start)),
            ..Answer::default()
        };
        let told = answer.content.as_str().unwrap_or_default();
        let refused = answer.failed && told.starts_with(REFUSED);
        self.talk.answer_at(at, answer);
        if let Some(call) = self.talk.call_at(at) {
            call.refused = refused;
        }
    }
}

/// What an error says; all of it where it has no message.
fn inside(error: &Value) -> &Value {
    let data = error.get("data").and_then(|data| data.get_some("message"));
    data.unwrap_or(error)
}

fn told(error: &Value) -> Option<Arc<str>> {
    fields::text_or_printed(inside(error))
}

/// Hangs a session into the one that started it.
pub(super) fn adopt(parent: &mut Made, child: Made) {
    let place = child
        .step
        .trace_id
        .as_ref()
        .and_then(|id| parent.spawned.get(id));
    if let Some(at) = place.copied() {
        parent
            .step
            .link_child(at.turn, at.call, parent.step.children.len());
    }
    parent.step.children.push(Arc::new(child.step));
}

fn file(part: &Value) -> Arc<str> {
    let text = |name: &str| fields::text(part, name);
    let url = text("url").unwrap_or_default();
    let kind = text("mime").unwrap_or_else(|| "file".into());
    match text("filename") {
        Some(name) => format!("[{kind}: {name}]").into(),
        None if url.starts_with("data:") => format!("[{kind}, {} characters]", url.len()).into(),
        None => format!("[{kind}: {url}]").into(),
    }
}

/// Tokens: neither what was read from the cache nor what was written to it is among the input, nor is
/// thinking among the output.
fn usage(told: &Value) -> Usage {
    let get = |value: &Value, name: &str| fields::count(value, &[name]);
    let cache = told.get("cache").unwrap_or(&Value::Nil);
    let (read, write) = (get(cache, "read"), get(cache, "write"));
    Usage {
        input: fields::count_together(&[(told, "input"), (cache, "read"), (cache, "write")]),
        output: fields::count_together(&[(told, "output"), (told, "reasoning")]),
        total: get(told, "total"),
        cache_read: read,
        cache_write: write,
    }
}
