//! opencode: its storage folder, and the output of `opencode export`
//! (`formats/gemini-opencode.md`). [`session`] makes turns of a session's messages.

mod session;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::source::Probe;
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

/// Everything that is stored, by what it belongs to.
#[derive(Default)]
pub(super) struct Tree {
    sessions: Vec<Value>,
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
            Some(&"session") => self.sessions.push(record),
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
        let session = fields::text(info, "id").unwrap_or_default();
        self.sessions.push(info.clone());
        let messages = value.get("messages").and_then(Value::as_list);
        for message in messages.unwrap_or_default() {
            let Some(info) = message.get_some("info") else {
                report.unknown_record("a message without its info", message, None);
                continue;
            };
            let id = fields::text(info, "id").unwrap_or_default();
            let parts = message.get("parts").and_then(Value::as_list);
            self.parts
                .entry(id)
                .or_default()
                .extend(parts.unwrap_or_default().iter().cloned());
            self.messages
                .entry(Arc::clone(&session))
                .or_default()
                .push(info.clone());
        }
    }

    /// The sessions by the time at which they began; those that others started are their children.
    fn steps(mut self, report: &mut Report) -> Vec<Arc<Step>> {
        let known: HashSet<Arc<str>> = self
            .sessions
            .iter()
            .filter_map(|session| fields::text(session, "id"))
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
                .push(Value::map(entries.into_iter().collect()));
        }
        self.sessions.sort_by_key(session::created);
        let mut made = Vec::new();
        for record in std::mem::take(&mut self.sessions) {
            made.push(session::step(&record, &mut self, report));
        }
        adopt(made)
    }

    /// The messages of a session, in order.
    fn messages_of(&mut self, session: &str) -> Vec<Value> {
        let mut messages = self.messages.remove(session).unwrap_or_default();
        messages.sort_by_key(session::created);
        messages
    }

    /// The parts of a message, in order.
    fn parts_of(&mut self, message: &str) -> Vec<Value> {
        self.parts.remove(message).unwrap_or_default()
    }
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
