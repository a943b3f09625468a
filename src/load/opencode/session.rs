//! Turns of an opencode session: a stretch from step-start to step-finish, or a whole message.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::talk::{Answer, CallAt, Talk};
use super::super::{Report, blocks, fields};
use super::Tree;
use crate::calendar;
use crate::step::{Event, EventKind, Step, ToolCall, TurnKind, Usage};
use crate::value::Value;

/// When a record was made, in milliseconds; those that don't tell come first.
pub(super) fn created(record: &Value) -> i64 {
    let time = record.get("time").and_then(|time| time.get("created"));
    time.and_then(Value::as_i64).unwrap_or_default()
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

/// The step of a session.
pub(super) fn step(session: &Value, tree: &mut Tree, report: &mut Report) -> Made {
    let mut run = Run {
        talk: Talk::new(),
        compacted: false,
        spawned: HashMap::new(),
    };
    let id = fields::text(session, "id");
    let time = session.get("time").unwrap_or(&Value::Nil);
    let own = &mut run.talk.step;
    own.name = fields::text(session, "title");
    own.parent_trace_id = fields::text(session, "parentID");
    own.started_at = iso(time.get("created"));
    own.ended_at = iso(time.get("updated"));
    own.trace_id.clone_from(&id);
    for message in tree.messages_of(id.as_deref().unwrap_or_default()) {
        let id = fields::text(&message, "id").unwrap_or_default();
        let parts = tree.parts_of(&id);
        match message.get("role").and_then(Value::as_str) {
            Some("user") => run.user(&message, &parts),
            Some("assistant") => run.reply(&message, &parts, report),
            Some(other) => report.unknown_record(&format!("role {other}"), &message, None),
            None => report.unknown_record("a message without a role", &message, None),
        }
    }
    Made {
        parent: fields::text(session, "parentID"),
        step: run.talk.finish(),
        spawned: run.spawned,
    }
}

struct Run {
    talk: Talk,
    compacted: bool,
    spawned: HashMap<Arc<str>, CallAt>,
}

impl Run {
    fn user(&mut self, message: &Value, parts: &[Value]) {
        let mut said = Vec::new();
        for part in parts {
            let synthetic = part.get("synthetic").and_then(Value::as_bool) == Some(true);
            match part.get("type").and_then(Value::as_str) {
                Some("text") if synthetic => self.talk.injected(blocks::part(part)),
                Some("text") => said.push(part.clone()),
                Some("file") => said.push(Value::Str(file(part))),
                Some("compaction") => self.compacted = true,
                _ => {}
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
        let turn = self.talk.begin(1);
        let compacted = std::mem::take(&mut self.compacted);
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
                        draft.add_usage(usage(told));
                    }
                }
                Some("text") => self.say(turn, blocks::part(part), false),
                Some("reasoning") => self.say(turn, blocks::part(part), true),
                Some("tool") => self.call(turn, part),
                Some("file") => self.say(turn, file(part), false),
                Some("compaction") => self.compacted = true,
                // What the run did to files, and where it could be taken back to.
                Some("patch" | "snapshot" | "agent" | "subtask" | "retry") => {}
                Some(other) => report.unknown_record(&format!("part {other}"), part, None),
                None => report.unknown_record("a part without a type", part, None),
            }
        }
        let Some(draft) = self.talk.draft(turn) else {
            return;
        };
        if let (false, Some(told)) = (counted, message.get_some("tokens")) {
            draft.parts.usage = usage(told);
        }
        // Such a reply is the summary that the next one goes on from.
        if message.get("summary").and_then(Value::as_bool) == Some(true) {
            let summary = draft.texts.join("\n\n");
            let event = Event::new(EventKind::Compaction, turn + 1, Some(summary.into()));
            self.talk.step.events.push(event);
        }
        let Some(draft) = self.talk.draft(turn) else {
            return;
        };
        if let Some(error) = message.get_some("error") {
            let data = error.get("data").and_then(|data| data.get_some("message"));
            draft.failed = Some(data.unwrap_or(error).clone());
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
        self.talk.answer_at(at, answer);
    }
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
    let sum = |parts: &[Option<u64>]| parts.iter().flatten().copied().reduce(u64::saturating_add);
    Usage {
        input: sum(&[get(told, "input"), read, write]),
        output: sum(&[get(told, "output"), get(told, "reasoning")]),
        total: get(told, "total"),
        cache_read: read,
        cache_write: write,
    }
}
