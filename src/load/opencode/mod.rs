//! opencode: its storage folder, and the output of `opencode export`
//! (`formats/gemini-opencode.md`). [`session`] makes turns of a session's messages.

mod session;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::probe::Probe;
use super::{Loader, Records, Report, Source, documents, fields, storage};
use crate::error::Error;
use crate::step::Step;
use crate::value::Value;
use session::Made;

/// The loader of opencode's sessions (`formats/gemini-opencode.md`).
#[derive(Debug)]
pub struct OpenCode;

impl Loader for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn title(&self) -> &'static str {
        "opencode storage folder or export"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, reasoning, calls and results, failures, inputs, usage, compactions, children",
            missing: "the system prompt, tools, the prompts as sent, memory",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        !probe.source().files().is_empty() || is_export(probe.head())
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        let mut tree = Tree::default();
        for (path, bytes) in source.files() {
            tree.file(path, bytes, report);
        }
        if source.files().is_empty() {
            documents::read(source, report, is_export, |_, value, report| {
                tree.export(&value, report);
            })?;
        }
        Ok(tree.steps(report))
    }
}

fn is_export(value: &Value) -> bool {
    let messages = value.get("messages").and_then(Value::as_list);
    let some = messages.unwrap_or_default();
    let has = |name: &str| some.iter().any(|message| message.get(name).is_some());
    value.get("info").is_some() && (has("info") || messages.is_some_and(<[_]>::is_empty))
}

/// A message with its parts.
struct Message {
    info: Value,
    parts: Vec<Value>,
}

/// Everything that is stored, by what it belongs to; the messages of an export stand with its session.
#[derive(Default)]
struct Tree {
    sessions: Vec<(Value, Option<Vec<Message>>)>,
    messages: HashMap<Arc<str>, Vec<Value>>,
    parts: HashMap<Arc<str>, Vec<Value>>,
}

impl Tree {
    /// Takes a file by its place in the folder: `session/PROJECT/ID`, `message/SESSION/ID`,
    /// `part/MESSAGE/ID` or `part/ID`.
    fn file(&mut self, path: &Path, bytes: &[u8], report: &mut Report) {
        let Some(record) = storage::record(path, bytes, report) else {
            return;
        };
        let names: Vec<&str> = path.iter().filter_map(|name| name.to_str()).collect();
        // Where a record lacks an identifier, its folder tells.
        let own = |name: &str| {
            let folder = (names.len() == 3).then(|| names.get(1)).flatten();
            fields::text(&record, name).or_else(|| folder.map(|folder| Arc::from(*folder)))
        };
        match names.first() {
            Some(&"session") => self.sessions.push((record, None)),
            Some(&"message") => {
                let key = own("sessionID").unwrap_or_default();
                self.messages.entry(key).or_default().push(record);
            }
            Some(&"part") => {
                let key = own("messageID").unwrap_or_default();
                self.parts.entry(key).or_default().push(record);
            }
            _ => report.unknown_record("a file of an unknown kind", &record, None),
        }
    }

    /// Takes an export: a session with its messages and their parts.
    fn export(&mut self, value: &Value, report: &mut Report) {
        let Some(info) = value.get_some("info") else {
            report.unknown_record("a record that is no session", value, None);
            return;
        };
        let messages = value.get("messages").and_then(Value::as_list);
        let mut own = Vec::new();
        for message in messages.unwrap_or_default() {
            let Some(info) = message.get_some("info") else {
                report.unknown_record("a message without its info", message, None);
                continue;
            };
            let parts = message.get("parts").and_then(Value::as_list);
            own.push(Message {
                info: info.clone(),
                parts: parts.unwrap_or_default().to_vec(),
            });
        }
        self.sessions.push((info.clone(), Some(own)));
    }

    /// The sessions by the time at which they began; those that others started are their children.
    fn steps(mut self, report: &mut Report) -> Vec<Arc<Step>> {
        let known: HashSet<Arc<str>> = self
            .sessions
            .iter()
            .filter_map(|(session, _)| fields::text(session, "id"))
            .collect();
        let lost = self.messages.keys().filter(|id| !known.contains(*id));
        let mut lost: Vec<Arc<str>> = lost.cloned().collect();
        lost.sort();
        for id in lost {
            report.note(
                "messages of a session whose own record is not there are shown by its identifier",
            );
            let entries = [(Value::string("id"), Value::Str(id))];
            self.sessions
                .push((Value::map(entries.into_iter().collect()), None));
        }
        let sessions = std::mem::take(&mut self.sessions);
        let mut made = Vec::new();
        for (record, own) in by_time(sessions, |(record, _)| record) {
            let messages = own.unwrap_or_else(|| self.messages_of(&record));
            let messages = by_time(messages, |message| &message.info);
            made.push(session::step(&record, messages, report));
        }
        let mut rest: Vec<_> = self.parts.into_iter().collect();
        rest.sort_by(|(one, _), (other, _)| one.cmp(other));
        for part in rest.iter().flat_map(|(_, parts)| parts) {
            report.unknown_record("a part of no message", part, None);
        }
        adopt(made)
    }

    /// The messages of a session with their parts.
    fn messages_of(&mut self, session: &Value) -> Vec<Message> {
        let id = fields::text(session, "id").unwrap_or_default();
        let messages = self.messages.remove(&id).unwrap_or_default();
        let with_parts = |info: Value| {
            let id = fields::text(&info, "id").unwrap_or_default();
            let parts = self.parts.remove(&id).unwrap_or_default();
            Message { info, parts }
        };
        messages.into_iter().map(with_parts).collect()
    }
}

/// Records in the order in which they were made; one that doesn't tell stays behind the one before it.
fn by_time<T>(items: Vec<T>, record: impl Fn(&T) -> &Value) -> Vec<T> {
    let mut last = i64::MIN;
    let mut timed: Vec<(i64, T)> = Vec::with_capacity(items.len());
    for item in items {
        last = session::created(record(&item)).unwrap_or(last);
        timed.push((last, item));
    }
    timed.sort_by_key(|(at, _)| *at);
    timed.into_iter().map(|(_, item)| item).collect()
}

/// Sessions within sessions that are followed; those below stand for themselves.
const MAX_DEPTH: usize = 50;

/// Hangs sessions into those that started them, the last made first, so that a child has its own
/// children by then.
fn adopt(made: Vec<Made>) -> Vec<Arc<Step>> {
    let mut first = HashMap::new();
    for (at, session) in made.iter().enumerate() {
        if let Some(id) = session.step.trace_id.clone() {
            first.entry(id).or_insert(at);
        }
    }
    // A parent began before; anything else could run in circles.
    let mut depths: Vec<usize> = Vec::with_capacity(made.len());
    let mut parents = Vec::with_capacity(made.len());
    for (at, session) in made.iter().enumerate() {
        let parent = session.parent.as_ref().and_then(|id| first.get(id));
        let parent = parent.copied().filter(|parent| *parent < at);
        let parent = parent.filter(|parent| depths[*parent] < MAX_DEPTH);
        depths.push(parent.map_or(0, |parent| depths[parent] + 1));
        parents.push(parent);
    }
    let mut made: Vec<Option<Made>> = made.into_iter().map(Some).collect();
    for (at, parent) in parents.iter().enumerate().rev() {
        let Some(parent) = *parent else { continue };
        let child = made[at].take();
        if let (Some(parent), Some(child)) = (&mut made[parent], child) {
            session::adopt(parent, child);
        }
    }
    let made = made.into_iter().flatten();
    made.map(|session| Arc::new(session.step)).collect()
}
