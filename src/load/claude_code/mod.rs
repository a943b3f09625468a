//! Claude Code: session files and the output of `claude -p --output-format stream-json`
//! (`formats/claude-code.md`).
//!
//! Records are read in file order, for parents may lie in another file or nowhere. Side chains, the
//! runs of sub-agents, stand between them or in files of their own; each is a thread ([`thread`]).

mod branches;
mod side;
mod thread;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::probe::Probe;
use super::records::{Fold, Place};
use super::shelf::Shelves;
use super::{Loader, Records, Report, Source, fields, foreign, records};
use crate::error::Error;
use crate::step::{Ending, EventKind, Failure, Step, Tool};
use crate::value::{Value, json};
use side::Run;
use thread::Thread;

/// The loader of Claude Code's sessions (`formats/claude-code.md`).
#[derive(Debug)]
pub struct ClaudeCode;

impl Loader for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "Claude Code session or stream-json"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, thinking, calls and results, failures, inputs, usage, sub-agents, compactions, branches",
            missing: "the system prompt, tools (stream-json has their names), the prompts as sent, memory",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let is_one = |record: &Value| is_of(record) || is_init(record) || is_result(record);
        let listed = || {
            probe
                .head()
                .as_list()
                .is_some_and(|all| all.iter().any(is_one))
        };
        probe.records().iter().any(is_one) || listed()
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        let mut session = Session::default();
        if is_array(source) {
            session.read_array(source, report)?;
        } else {
            session.read(source, report);
        }
        let replies = session.replies();
        let mut runs = session.runs(report);
        if let Some(path) = source.path().filter(|_| !runs.is_empty()) {
            side::files(path, source.beside(), replies, &mut runs, report);
        }
        match side::attach(runs) {
            Some(step) => Ok(vec![Arc::new(step)]),
            None => Err(Error::Unreadable {
                name: source.name().to_owned(),
                what: "no record of a Claude Code session could be read".to_owned(),
            }),
        }
    }
}

/// Whether a record is a message as only Claude Code writes it.
fn is_of(record: &Value) -> bool {
    let kind = record.get("type").and_then(Value::as_str);
    let own = [
        "uuid",
        "sessionId",
        "session_id",
        "parentUuid",
        "isSidechain",
    ];
    matches!(kind, Some("user" | "assistant"))
        && record
            .get("message")
            .is_some_and(|message| message.as_map().is_some())
        && own.iter().any(|name| record.get(name).is_some())
}

/// Whether an object is a record, and no block of a message.
fn is_record(value: &Value) -> bool {
    let names = [
        "message",
        "uuid",
        "sessionId",
        "session_id",
        "summary",
        "leafUuid",
        "timestamp",
    ];
    value.get("type").is_some() && names.iter().any(|name| value.get(name).is_some())
}

/// Whether a record is the first of stream-json.
fn is_init(record: &Value) -> bool {
    let is = |name, text| record.get(name).and_then(Value::as_str) == Some(text);
    is("type", "system") && is("subtype", "init")
}

/// Whether a record is the last of stream-json, which `--output-format json` writes alone.
fn is_result(record: &Value) -> bool {
    let has = |name| record.get(name).is_some();
    record.get("type").and_then(Value::as_str) == Some("result")
        && has("subtype")
        && has("session_id")
}

/// Whether a source is one array of records, as `--output-format json --verbose` writes it and programs
/// that collect what the SDK tells.
fn is_array(source: &Source) -> bool {
    let begins = source
        .first_line()
        .is_some_and(|line| line.starts_with(b"["));
    let records = || records::sample(source, 50, 1 << 16);
    begins && !records().iter().any(|record| record.as_map().is_some())
}

/// A session being read.
#[derive(Default)]
struct Session {
    main: Thread,
    chains: Vec<Thread>,
    /// The chain of each side-chain record, and of each agent.
    chain_of: HashMap<Arc<str>, usize>,
    chain_of_agent: HashMap<Arc<str>, usize>,
    /// The chain that was written to last.
    last_chain: Option<usize>,
    /// Messages of the main conversation.
    messages: usize,
    title: Option<Arc<str>>,
    id: Option<Arc<str>>,
    init: Option<Value>,
    result: Option<Value>,
    any: bool,
    /// Where the turns of a large file are shelved.
    shelves: Option<Arc<Shelves>>,
    /// Identifiers of replies that other files hold.
    elsewhere: Arc<HashSet<Arc<str>>>,
}

impl Fold for Session {
    // What calls are made with, and the program's own copies of what they gave.
    const PASSED: &'static [&'static str] = &[
        "input",
        "stdout",
        "stderr",
        "structuredPatch",
        "originalFile",
        "oldString",
        "newString",
    ];

    fn is_of_turns(&self, record: &Value) -> bool {
        thread::is_of_turns(record)
    }

    fn take(&mut self, place: Place, record: &mut Value, report: &mut Report) {
        self.record(place, record, report);
    }
}

impl Session {
    fn read(&mut self, source: &Source, report: &mut Report) {
        self.shelves = Shelves::of(source, is_record, thread::again);
        if let Some(shelves) = &self.shelves {
            self.main.shelve(shelves);
        }
        self.main.elsewhere = Arc::clone(&self.elsewhere);
        records::fold(source, report, is_record, self);
    }

    /// Reads a source that is one array of records.
    fn read_array(&mut self, source: &Source, report: &mut Report) -> Result<(), Error> {
        let records = foreign::document(source, report, json::parse)?;
        for record in records.as_list().unwrap_or_default() {
            self.record(Place::default(), record, report);
        }
        Ok(())
    }

    /// Identifiers of the replies in it.
    fn replies(&self) -> HashSet<Arc<str>> {
        let threads = self.chains.iter().chain([&self.main]);
        let replies = threads.flat_map(|thread| &thread.replies);
        replies.cloned().collect()
    }

    fn record(&mut self, place: Place, record: &Value, report: &mut Report) {
        if record.as_map().is_none() {
            report.unknown_record(bare_kind(record), record, Some(place.span.line));
            return;
        }
        let kind = fields::text(record, "type");
        if !matches!(kind.as_deref(), Some("user" | "assistant")) {
            self.main.pass(record);
            self.passes_in_chain(record);
        }
        match kind.as_deref() {
            Some("user" | "assistant") => self.message(place, record, report),
            Some("system") => self.system(record, report),
            Some("summary") => self.title = fields::text(record, "summary").or(self.title.take()),
            Some(name @ ("custom-title" | "ai-title")) => {
                let told = ["title", "customTitle", "aiTitle", name];
                let told = told.iter().find_map(|name| fields::text(record, name));
                self.title = told.or(self.title.take());
            }
            // Session files have records of that name too, which are others.
            Some("result") if record.get("subtype").is_some() => {
                self.any = true;
                self.result = Some(record.clone());
            }
            Some(other) => report.unknown_record(other, record, Some(place.span.line)),
            None => report.unknown_record("a record without a type", record, Some(place.span.line)),
        }
    }

    fn message(&mut self, place: Place, record: &Value, report: &mut Report) {
        let Some(content) = thread::content_of(record) else {
            report.unknown_record("a message without content", record, Some(place.span.line));
            return;
        };
        self.any = true;
        let session =
            fields::text(record, "sessionId").or_else(|| fields::text(record, "session_id"));
        self.id = self.id.take().or(session);
        let side = record.get("isSidechain").and_then(Value::as_bool) == Some(true)
            || record.get_some("parent_tool_use_id").is_some();
        if !side {
            self.messages += 1;
        }
        let thread = if side {
            self.chain(record)
        } else {
            &mut self.main
        };
        if let Some(at) = fields::text(record, "timestamp") {
            thread.seen_at(&at);
        }
        thread.reads(place);
        thread.message(place.span.line, record, content, report);
    }

    /// The chain that a side-chain record belongs to: its parent's, else its agent's, else a new one. A
    /// record of no agent whose parent is nowhere, and which asks nothing, goes on with the last.
    fn chain(&mut self, record: &Value) -> &mut Thread {
        let agent = fields::text(record, "agentId");
        let asked = fields::text(record, "parent_tool_use_id");
        let parent = fields::text(record, "parentUuid");
        let hangs = parent.as_ref().and_then(|parent| self.chain_of.get(parent));
        let known = hangs.copied().or_else(|| {
            let key = agent.as_ref().or(asked.as_ref())?;
            self.chain_of_agent.get(key).copied()
        });
        let is_lost = parent.is_some() && agent.is_none() && !thread::asks(record);
        let known = known.or(self.last_chain.filter(|_| is_lost));
        let at = known.unwrap_or(self.chains.len());
        self.last_chain = Some(at);
        if at == self.chains.len() {
            let mut thread = Thread::default();
            thread.elsewhere = Arc::clone(&self.elsewhere);
            if let Some(shelves) = &self.shelves {
                thread.shelve(shelves);
            }
            self.chains.push(thread);
        }
        if let Some(uuid) = fields::text(record, "uuid") {
            self.chain_of.insert(uuid, at);
        }
        for key in [&agent, &asked].into_iter().flatten() {
            self.chain_of_agent.entry(Arc::clone(key)).or_insert(at);
        }
        let thread = &mut self.chains[at];
        thread.agent = thread.agent.take().or(agent);
        thread.asked_by = thread.asked_by.take().or(asked);
        thread
    }

    /// A record that is no message, and on which one of a chain may hang.
    fn passes_in_chain(&mut self, record: &Value) {
        let parent = fields::text(record, "parentUuid");
        let chain = parent.and_then(|parent| self.chain_of.get(&parent).copied());
        if let (Some(at), Some(uuid)) = (chain, fields::text(record, "uuid")) {
            self.chain_of.insert(uuid, at);
        }
    }

    fn system(&mut self, record: &Value, report: &mut Report) {
        self.any = true;
        let subtype = fields::text(record, "subtype");
        match subtype.as_deref() {
            Some("init") => self.init = self.init.take().or_else(|| Some(record.clone())),
            Some("compact_boundary") => {
                let thread = match record.get("isSidechain").and_then(Value::as_bool) {
                    Some(true) => self.chain(record),
                    _ => &mut self.main,
                };
                thread.compacted(report);
            }
            Some(fault @ ("api_error" | "error" | "api_refusal")) => {
                report.note(format!("the session records a fault: {fault}"));
                let told = record
                    .get_some("error")
                    .or_else(|| record.get_some("content"));
                let text = told.and_then(|told| {
                    fields::text(told, "message").or_else(|| fields::text_or_printed(told))
                });
                let thread = match record.get("isSidechain").and_then(Value::as_bool) {
                    Some(true) => self.chain(record),
                    _ => &mut self.main,
                };
                thread.happened(EventKind::ApiError, text.or_else(|| Some(fault.into())));
            }
            _ => {}
        }
    }

    /// The conversation, and its side chains. In a sub-agent's own file, where every message is of a side
    /// chain, the chain is the conversation; the first of several. None where no record could be read.
    fn runs(mut self, report: &mut Report) -> Vec<Run> {
        if !self.any {
            return Vec::new();
        }
        if self.messages == 0 && !self.chains.is_empty() {
            self.main = self.chains.remove(0);
        }
        report.replies = self.main.shared_replies();
        let mut main = self.main.finish(report);
        main.step.name = self.title;
        main.step.trace_id = self.id;
        if let Some(init) = &self.init {
            describe(&mut main.step, init);
        }
        if let Some(result) = &self.result {
            conclude(&mut main.step, result, report);
        }
        let chains = self.chains.into_iter();
        let chains = chains.map(|chain| chain.finish(report));
        [main].into_iter().chain(chains).collect()
    }
}

/// What stream-json tells last: what the run used, and how it ended.
fn conclude(step: &mut Step, result: &Value, report: &mut Report) {
    let session = || fields::text(result, "session_id");
    step.trace_id = step.trace_id.take().or_else(session);
    fields::note_counts(result.get("usage").unwrap_or(&Value::Nil), report);
    step.usage = result
        .get_some("usage")
        .map(fields::anthropic_usage)
        .unwrap_or_default();
    step.figures = figures(result);
    let kind = fields::text(result, "subtype");
    let failed = result.get("is_error").and_then(Value::as_bool) == Some(true)
        || kind.as_ref().is_some_and(|kind| kind.starts_with("error"));
    if failed {
        step.ending = Ending::Fail(Failure {
            // Of an API's error some records say both that and success.
            reason: kind.filter(|kind| &**kind != "success"),
            message: fields::text(result, "result"),
            ..Failure::default()
        });
    } else if let Some(answer) = result.get_some("result") {
        step.ending = Ending::Return(answer.clone());
    }
}

/// The figures that stream-json tells last, but for what is told elsewhere.
fn figures(result: &Value) -> Value {
    let entries = result.as_map().into_iter().flatten();
    let told = ["type", "result", "session_id", "uuid"];
    let is_figure = |key: &Value| key.as_name().is_none_or(|key| !told.contains(&key));
    let figures = entries.filter(|(key, _)| is_figure(key));
    Value::map(
        figures
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

/// What stream-json tells first.
fn describe(step: &mut Step, init: &Value) {
    let tools = init.get_some("tools").and_then(Value::as_list);
    let names = tools.unwrap_or_default().iter().filter_map(Value::as_name);
    step.tools = names.map(|name| Tool::new(name, None, None)).collect();
    step.model = step.model.take().or_else(|| fields::text(init, "model"));
    step.trace_id = step
        .trace_id
        .take()
        .or_else(|| fields::text(init, "session_id"));
}

fn bare_kind(record: &Value) -> &'static str {
    match record {
        Value::Str(_) => "a bare string",
        Value::List(_) => "a bare array",
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => "a bare number",
        _ => "a bare value",
    }
}
