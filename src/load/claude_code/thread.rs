//! One conversation of a Claude Code session: its messages become turns, inputs, calls and results.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::super::records::Place;
use super::super::shelf::{Middle, Shelves};
use super::super::talk::{Answer, CallAt, Talk};
use super::super::{Reply, Report, blocks, fields};
use super::branches::Branches;
use super::side::Run;
use crate::step::{Event, EventKind, Step, ToolCall, TurnKind, TurnParts};
use crate::value::Value;

/// A conversation so far.
pub(super) struct Thread {
    talk: Talk,
    /// The turn that is open under a message's identifier, or a request's where there is none.
    open: HashMap<Arc<str>, usize>,
    open_requests: HashMap<Arc<str>, usize>,
    /// Identifiers of its replies, and of those that other files hold: there their tokens count.
    pub replies: HashSet<Arc<str>>,
    pub elsewhere: Arc<HashSet<Arc<str>>>,
    /// Its turns whose replies have an identifier, each with what is made of that and the request's.
    keys: Vec<(usize, u64)>,
    /// The agent's identifier, in a sub-agent's chain.
    pub agent: Option<Arc<str>>,
    /// The call that started the chain, in stream-json.
    pub asked_by: Option<Arc<str>>,
    spawns: Vec<Spawn>,
    /// Their places by those of their calls.
    spawn_of: HashMap<CallAt, usize>,
    branches: Branches,
    compacted: bool,
    /// Whether the last record of a reply tells why it stopped.
    stopped: bool,
}

/// A call that starts a sub-agent.
pub(super) struct Spawn {
    pub at: CallAt,
    pub id: Option<Arc<str>>,
    pub prompt: Option<Arc<str>>,
    pub description: Option<Arc<str>>,
    pub agent: Option<Arc<str>>,
}

/// The model that stands for the program's own words.
const SYNTHETIC: &str = "<synthetic>";

/// Beginnings of texts that no person wrote.
const MACHINE_TEXTS: [&str; 4] = [
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "[Request interrupted by user",
];

/// How the program tells the model that a person or a rule refused a call.
const REFUSALS: [&str; 4] = [
    "Claude requested permissions to ",
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission to use ",
];

/// What tells a reply from any other in any file.
fn key(id: &str, record: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    (id, fields::text(record, "requestId")).hash(&mut hasher);
    hasher.finish()
}

fn is_refusal(content: &Value) -> bool {
    let text = content.as_str().unwrap_or_default().trim_start();
    REFUSALS.iter().any(|begin| text.starts_with(begin))
}

impl Default for Thread {
    fn default() -> Self {
        Self {
            talk: Talk::new(),
            open: HashMap::new(),
            open_requests: HashMap::new(),
            replies: HashSet::new(),
            elsewhere: Arc::default(),
            keys: Vec::new(),
            agent: None,
            asked_by: None,
            spawns: Vec::new(),
            spawn_of: HashMap::new(),
            branches: Branches::default(),
            compacted: false,
            stopped: true,
        }
    }
}

/// Makes a turn of its records again.
pub(super) fn again(records: &[(u64, Value)], middle: Middle) -> Option<TurnParts> {
    read_again(records, Talk::again(middle)).only_turn()
}

fn read_again(records: &[(u64, Value)], talk: Talk) -> Talk {
    let mut thread = Thread {
        talk,
        ..Thread::default()
    };
    for (at, (line, record)) in records.iter().enumerate() {
        thread.talk.reads_again(at);
        if let Some(content) = content_of(record) {
            thread.message(*line, record, content, &mut Report::default());
        }
    }
    thread.talk
}

/// What a record's message holds.
pub(super) fn content_of(record: &Value) -> Option<&Value> {
    match record.get_some("message")? {
        message @ Value::Str(_) => Some(message),
        message => message.get_some("content"),
    }
}

/// Whether a record asks a sub-agent for something: it is a user's, and says more than results.
pub(super) fn asks(record: &Value) -> bool {
    let is_result = |block: &Value| {
        let kind = block.get("type").and_then(Value::as_str);
        kind.is_some_and(|kind| kind.ends_with("tool_result"))
    };
    record.get("type").and_then(Value::as_str) == Some("user")
        && match content_of(record) {
            Some(Value::List(blocks)) => !blocks.iter().all(is_result),
            told => told.is_some(),
        }
}

/// Whether nothing but turns is made of a record's long texts: of a reply, unless a sub-agent is
/// started by what it says or the program itself said it, and of results.
pub(super) fn is_of_turns(record: &Value) -> bool {
    let Some(Value::List(blocks)) = content_of(record) else {
        return false;
    };
    let kind = |block: &Value| block.get("type").and_then(Value::as_str).map(str::to_owned);
    let is_result = |block| kind(block).is_some_and(|kind| kind.ends_with("tool_result"));
    let starts_agent = |block: &Value| {
        matches!(
            block.get("name").and_then(Value::as_str),
            Some("Task" | "Agent")
        )
    };
    match record.get("type").and_then(Value::as_str) {
        Some("user") => blocks.iter().all(is_result),
        Some("assistant") => {
            let model = record.get("message").and_then(|told| told.get("model"));
            model.and_then(Value::as_str) != Some(SYNTHETIC)
                && record.get("isApiErrorMessage").is_none()
                && !blocks.iter().any(starts_agent)
        }
        _ => false,
    }
}

impl Thread {
    /// Shelves the turns of a large file.
    pub(super) fn shelve(&mut self, shelves: &Arc<Shelves>) {
        self.talk.shelve(shelves);
    }

    /// From here on the record at this place is read.
    pub(super) fn reads(&mut self, place: Place) {
        self.talk.reads(place);
    }

    /// Notes when a record was written; the run starts with the first.
    pub(super) fn seen_at(&mut self, at: &Arc<str>) {
        let step = &mut self.talk.step;
        if step.started_at.is_none() {
            step.started_at = Some(Arc::clone(at));
        }
        step.ended_at = Some(Arc::clone(at));
    }

    /// Takes a message with its content.
    pub(super) fn message(
        &mut self,
        line: u64,
        record: &Value,
        content: &Value,
        report: &mut Report,
    ) {
        let before = self.talk.len();
        if record.get("type").and_then(Value::as_str) == Some("assistant") {
            self.reply(line, record, content, report);
        } else {
            self.user(record, content, report);
        }
        let turns = self.talk.len();
        self.branches.take(record, turns > before, turns);
    }

    /// Passes over a record that is no message, and on which one may hang.
    pub(super) fn pass(&mut self, record: &Value) {
        self.branches.pass(record);
    }

    /// Marks where a message or a reply goes on from an earlier place.
    fn branch(&mut self, record: &Value, of_person: bool) {
        let turns = self.talk.len();
        if let Some(resumes) = self.branches.begins(record, of_person, turns) {
            self.talk.step.events.push(Event::branch(turns, resumes));
        }
    }

    /// The history was compacted here: what follows is a new reply.
    pub(super) fn compacted(&mut self, report: &mut Report) {
        self.open.clear();
        self.open_requests.clear();
        self.compacted = true;
        self.happened(EventKind::Compaction, None);
        report.note(format!(
            "the history was compacted before turn {}",
            self.talk.len() + 1
        ));
    }

    /// Keeps what happened between two replies.
    pub(super) fn happened(&mut self, kind: EventKind, text: Option<Arc<str>>) {
        self.talk.happened(kind, text);
    }

    fn reply(&mut self, line: u64, record: &Value, content: &Value, report: &mut Report) {
        let message = record.get("message").unwrap_or(&Value::Nil);
        let model = fields::text(message, "model");
        let begins = || -> String { blocks::text(content).chars().take(200).collect() };
        let is_error = record.get("isApiErrorMessage").and_then(Value::as_bool) == Some(true);
        if model.as_deref() == Some(SYNTHETIC) {
            let text = begins();
            report.note(format!(
                "the program itself said: {}",
                text.replace('\n', " ")
            ));
            if is_error || text.starts_with("API Error") {
                self.happened(EventKind::ApiError, Some(text.into()));
            }
            return;
        }
        // What holds the records of one reply together.
        let id = fields::text(message, "id");
        let request = fields::text(record, "requestId").filter(|_| id.is_none());
        self.stopped = message.get_some("stop_reason").is_some();
        let known = match (&id, &request) {
            (Some(id), _) => self.open.get(id).copied(),
            (None, Some(request)) => self.open_requests.get(request).copied(),
            (None, None) => None,
        };
        if is_error {
            report.note("the session records a fault: an error of the API stands as a reply");
            if known.is_none() {
                self.happened(EventKind::ApiError, Some(begins().into()));
            }
        }
        let at = fields::text(record, "timestamp");
        if known.is_none() {
            self.branch(record, false);
        }
        let turn = known.unwrap_or_else(|| self.talk.begin(line));
        let copied = id.as_ref().is_some_and(|id| self.elsewhere.contains(id));
        if let Some(id) = id {
            if known.is_none() {
                self.keys.push((turn, key(&id, record)));
            }
            self.replies.insert(Arc::clone(&id));
            self.open.insert(id, turn);
        } else if let Some(request) = request {
            self.open_requests.insert(request, turn);
        }
        if let Some(model) = model {
            self.talk.step.model.get_or_insert(model);
        }
        let compacted = known.is_none() && std::mem::take(&mut self.compacted);
        if let Some(draft) = self.talk.draft(turn) {
            if compacted {
                draft.parts.kind = TurnKind::Other("after compaction".into());
            }
            draft.parts.started_at = draft.parts.started_at.take().or_else(|| at.clone());
            draft.parts.copied = copied;
            if let Some(told) = message.get_some("usage").filter(|_| !copied) {
                fields::note_counts(told, report);
                // Each record of a reply repeats its usage; early ones hold placeholders.
                let (new, old) = (fields::anthropic_usage(told), draft.parts.usage);
                if old.is_empty() || new.output > old.output {
                    draft.parts.usage = new;
                }
            }
        }
        match content {
            Value::List(items) => {
                for block in items.iter() {
                    self.block(turn, block, at.as_ref(), report);
                }
            }
            other => self.block(turn, other, at.as_ref(), report),
        }
    }

    fn block(&mut self, turn: usize, block: &Value, at: Option<&Arc<str>>, report: &mut Report) {
        let kind = block.get("type").and_then(Value::as_str);
        match kind {
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => self.call(turn, block, at),
            Some("thinking" | "redacted_thinking") => {
                if let Some(draft) = self.talk.draft(turn) {
                    draft.thoughts.extend(blocks::thinking(block));
                }
            }
            Some(other) if other.ends_with("tool_result") => self.result(block, at, &Value::Nil),
            _ => {
                let known = matches!(block, Value::Str(_)) || kind == Some("text");
                if !known {
                    report.note(format!(
                        "a block of an unknown kind ('{}') is shown as it is",
                        kind.unwrap_or("none")
                    ));
                }
                let text = blocks::part(block);
                if let Some(draft) = self.talk.draft(turn).filter(|_| !text.is_empty()) {
                    draft.texts.push(text);
                }
            }
        }
    }

    fn call(&mut self, turn: usize, block: &Value, at: Option<&Arc<str>>) {
        let input = block.get_some("input").cloned().unwrap_or_default();
        let name = fields::text(block, "name").unwrap_or_else(|| "tool without a name".into());
        let mut call = ToolCall::new(name, input);
        call.id = fields::text(block, "id");
        call.timestamp = at.cloned();
        let spawns = matches!(&*call.name, "Task" | "Agent");
        let spawn = |at| Spawn {
            at,
            id: fields::text(block, "id"),
            prompt: block
                .get("input")
                .and_then(|input| fields::text(input, "prompt")),
            description: block
                .get("input")
                .and_then(|input| fields::text(input, "description")),
            agent: None,
        };
        if let Some(at) = self.talk.call(turn, call).filter(|_| spawns) {
            self.spawn_of.insert(at, self.spawns.len());
            self.spawns.push(spawn(at));
        }
    }

    fn user(&mut self, record: &Value, content: &Value, report: &mut Report) {
        let flag = |name: &str| record.get(name).and_then(Value::as_bool) == Some(true);
        let is = |value: Option<&Value>, text: &str| value.and_then(Value::as_str) == Some(text);
        let machine = flag("isMeta")
            || flag("isCompactSummary")
            || is(
                record.get("origin").and_then(|origin| origin.get("kind")),
                "task-notification",
            )
            || is(record.get("promptSource"), "system");
        // Records of a request belong together only as long as no user record comes between.
        self.open_requests.clear();
        // Some versions wrote no boundary before the summary.
        if flag("isCompactSummary") && !self.compacted && !self.talk.is_at_start() {
            self.compacted(report);
        }
        let copy = record
            .get_some("toolUseResult")
            .or_else(|| record.get_some("tool_use_result"));
        let copy = copy.unwrap_or(&Value::Nil);
        let at = fields::text(record, "timestamp");
        let mut said = Vec::new();
        match content {
            Value::List(items) => {
                for block in items.iter() {
                    let kind = block.get("type").and_then(Value::as_str);
                    if kind.is_some_and(|kind| kind.ends_with("tool_result")) {
                        self.result(block, at.as_ref(), copy);
                    } else {
                        said.push(block.clone());
                    }
                }
            }
            other => said.push(other.clone()),
        }
        if said.is_empty() {
            return;
        }
        let said = Value::list(said);
        let text = blocks::text(&said);
        let start = text.trim_start();
        if start.is_empty() {
            return;
        }
        if start.starts_with(MACHINE_TEXTS[3]) {
            report.note("a person interrupted the run");
            self.happened(EventKind::Interruption, Some(start.into()));
        }
        if machine || MACHINE_TEXTS.iter().any(|begin| start.starts_with(begin)) {
            self.talk.injected(text);
        } else {
            self.open.clear();
            self.open_requests.clear();
            self.branch(record, true);
            let arrived = self.talk.waiting();
            if let Some(from) = self.branches.asks_again(record, arrived) {
                self.talk.take_back(from);
            }
            self.talk.person(&said);
        }
    }

    /// A result; `copy` is the program's own structured copy of it, told on the same record.
    fn result(&mut self, block: &Value, at: Option<&Arc<str>>, copy: &Value) {
        let id = fields::text(block, "tool_use_id");
        let content = block.get_some("content").map(blocks::result);
        let duration = fields::milliseconds(copy, "totalDurationMs")
            .or_else(|| fields::milliseconds(copy, "durationMs"));
        let answer = Answer {
            content: content.unwrap_or_else(|| "".into()),
            failed: block.get("is_error").and_then(Value::as_bool) == Some(true),
            at: at.cloned(),
            duration_ms: duration,
            name: None,
        };
        let refused = answer.failed && is_refusal(&answer.content);
        let answered = self.talk.answer(id.as_ref(), answer);
        if let Some(call) = answered.and_then(|at| self.talk.call_at(at)) {
            call.refused = refused;
        }
        if let Some(agent) = fields::text(copy, "agentId") {
            let spawn = answered.and_then(|at| self.spawn_of.get(&at));
            if let Some(spawn) = spawn.and_then(|spawn| self.spawns.get_mut(*spawn)) {
                spawn.agent = Some(agent);
            }
        }
    }

    /// The replies that may stand in other files too.
    pub(super) fn shared_replies(&self) -> Vec<Reply> {
        let drafts = self.talk.drafts();
        let reply = |(turn, key): &(usize, u64)| {
            let draft = &drafts[*turn];
            let usage = draft.parts.usage;
            let parts = [usage.input, usage.output].into_iter().flatten();
            let failed = draft.calls.iter().filter(|call| call.error.is_some());
            Reply {
                key: *key,
                tokens: parts.reduce(u64::saturating_add),
                errors: failed.count(),
            }
        };
        self.keys.iter().map(reply).collect()
    }

    pub(super) fn finish(mut self, report: &mut Report) -> Run {
        self.talk.ends();
        self.talk
            .complete_unmatched(|record| read_again(record, Talk::of_results()));
        let waits = |call: &ToolCall| call.error.is_none() && call.result.get().is_none();
        let last = self.talk.drafts().last();
        if !self.stopped && last.is_some_and(|draft| draft.calls.iter().any(waits)) {
            report.note("the run was broken off: calls of its last reply have no result");
        }
        let step = self.talk.finish();
        let branches = step.events.iter().filter(|event| event.resumes.is_some());
        match branches.count() {
            0 => {}
            1 => report.note("the session has a branch, which is shown in the order of the file"),
            count => report.note(format!(
                "the session has {count} branches, which are shown in the order of the file"
            )),
        }
        if !step.unmatched_results.is_empty() {
            report.note("some results answer no call; they are kept beside the turns");
        }
        Run {
            step,
            spawns: self.spawns,
            agent: self.agent,
            asked_by: self.asked_by,
            home: 0,
        }
    }
}

/// Links runs from the calls that started them.
pub(super) fn link(step: &mut Step, links: &[(CallAt, usize)]) {
    for (at, child) in links {
        step.link_child(at.turn, at.call, *child);
    }
}
