//! One event of a TraceLog, the same for both versions of the format.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::records::Place;
use super::super::shelf::some_text;
use super::super::{elements, fields};
use super::host_values;
use crate::step::{Field, Message, Usage};
use crate::value::{Map, Value};

/// A version of the format (`formats/ptc-trace-log.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// No `seq`; everything stands in `metadata`.
    One,
    /// `schema_version` 2.
    Two,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    TraceStart,
    TraceStop,
    AgentConfig,
    RunStart,
    RunStop,
    TurnStart,
    TurnStop,
    LlmStart,
    LlmStop,
    ToolStart,
    ToolStop,
    ToolException,
    ParallelStart,
    ParallelStop,
}

impl Kind {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "trace.start" => Self::TraceStart,
            "trace.stop" => Self::TraceStop,
            "agent.config" => Self::AgentConfig,
            "run.start" => Self::RunStart,
            "run.stop" => Self::RunStop,
            "turn.start" => Self::TurnStart,
            "turn.stop" => Self::TurnStop,
            "llm.start" => Self::LlmStart,
            "llm.stop" => Self::LlmStop,
            "tool.start" => Self::ToolStart,
            "tool.stop" => Self::ToolStop,
            "tool.exception" => Self::ToolException,
            "pmap.start" | "pcalls.start" => Self::ParallelStart,
            "pmap.stop" | "pcalls.stop" => Self::ParallelStop,
            _ => return None,
        })
    }

    /// Whether events of this kind tell of a turn, or end a run, so that in a large log they are read
    /// again from where they stand.
    fn is_read_again(self) -> bool {
        matches!(
            self,
            Self::LlmStart
                | Self::LlmStop
                | Self::RunStop
                | Self::ToolStart
                | Self::ToolStop
                | Self::ToolException
                | Self::TurnStop
        )
    }
}

/// One line of a log.
#[derive(Debug)]
pub(super) struct Event {
    pub line: u64,
    pub kind: Kind,
    pub seq: Option<u64>,
    pub trace_id: Option<Arc<str>>,
    pub timestamp: Option<Arc<str>>,
    pub span: Option<Arc<str>>,
    pub parent_span: Option<Arc<str>>,
    pub agent_id: Option<Arc<str>>,
    pub turn: Option<u64>,
    pub duration_ms: Option<u64>,
    pub tool_name: Option<Arc<str>>,
    pub status: Option<Arc<str>>,
    /// Few events tell of tokens.
    usage: Option<Box<Usage>>,
    /// What was sent, in `llm.start`.
    pub sent: Field<Vec<Message>>,
    /// What is told of this kind of event: `data`, `config` or `metadata`; for `trace.start` the record.
    pub data: Value,
    /// The whole agent, in version 1.
    pub agent: Option<Value>,
    /// Where it stands in a large log, of which only what its place in the run needs is kept.
    pub place: Option<Place>,
}

impl Event {
    /// The event of a record. What is no event of the format is given back with its kind.
    pub(super) fn new(
        line: u64,
        record: &Value,
        version: Version,
        texts: &mut Texts,
    ) -> Result<Self, String> {
        let name = record.get("event").and_then(Value::as_str);
        let kind = match name.map(|name| (name, Kind::from_name(name))) {
            Some((_, Some(kind))) => kind,
            Some((name, None)) => return Err(name.to_owned()),
            None if record.as_map().is_some() => return Err("no event".to_owned()),
            None => return Err("no object".to_owned()),
        };
        let inside = match (version, kind) {
            (Version::One, Kind::TraceStart) => "meta",
            (Version::One, _) => "metadata",
            (Version::Two, Kind::AgentConfig) => "config",
            (Version::Two, _) => "data",
        };
        let data = record.get(inside).cloned().unwrap_or_default();
        // Version 1 has in `metadata` what version 2 has in the record itself.
        let own = match version {
            Version::One => &data,
            Version::Two => record,
        };
        let text = |name| fields::text(record, name).or_else(|| fields::text(own, name));
        let mut usage = fields::usage(record);
        if usage.is_empty() && version == Version::One {
            usage = ["measurements", "metadata"]
                .into_iter()
                .filter_map(|part| record.get(part))
                .map(fields::usage)
                .find(|usage| !usage.is_empty())
                .unwrap_or_default();
        }
        Ok(Self {
            line,
            kind,
            seq: fields::count(record, &["seq"]),
            trace_id: text("trace_id"),
            timestamp: text("timestamp"),
            span: text("span_id"),
            parent_span: text("parent_span_id"),
            agent_id: text("agent_id"),
            turn: fields::count(own, &["turn"]),
            duration_ms: fields::milliseconds(record, "duration_ms"),
            tool_name: text("tool_name"),
            status: text("status"),
            usage: (!usage.is_empty()).then(|| Box::new(usage)),
            sent: match kind {
                Kind::LlmStart => texts.sent(data.get("messages")),
                _ => Field::NotRecorded,
            },
            agent: match version {
                Version::One => data.get_some("agent").cloned(),
                Version::Two => None,
            },
            place: None,
            data: match kind {
                Kind::TraceStart if version == Version::Two => record.clone(),
                // The messages are kept above, each text once.
                Kind::LlmStart => data.get_some("system_prompt").cloned().unwrap_or_default(),
                _ => data,
            },
        })
    }
}

impl Event {
    /// Tokens that it tells of.
    pub(super) fn usage(&self) -> Usage {
        self.usage.as_deref().copied().unwrap_or_default()
    }

    /// The event of a large log, with no more of what is read again than how much of it there is.
    pub(super) fn at(mut self, place: Place) -> Self {
        if !self.kind.is_read_again() {
            return self;
        }
        self.place = Some(place);
        // Of these only the beginning of a call tells when.
        if self.kind != Kind::ToolStart {
            self.timestamp = None;
        }
        self.sent = match self.sent {
            Field::Recorded(_) => Field::Recorded(Vec::new()),
            // A list that was cut, which leaves none, is told from one with a cut text in it.
            Field::Cut(messages) if !messages.is_empty() => Field::Recorded(Vec::new()),
            other => other,
        };
        self.data = match self.kind {
            Kind::LlmStart => self.data,
            Kind::RunStop => Value::map(Map::default()),
            _ => outline(&self.data),
        };
        self
    }
}

/// What tells how much there is of a turn, besides the messages that it was sent, and which run a call
/// started.
const OUTLINED: [&str; 10] = [
    CHILD_TRACE,
    "error",
    "kind",
    "prints",
    "program",
    "raw_response",
    "reason",
    "response",
    "result",
    "result_preview",
];

/// Data without what stands in texts, lists and objects. Whether they are there, whether texts are empty
/// and how many prints there are is enough for the turn's amounts.
fn outline(data: &Value) -> Value {
    let outlined = |(key, value): (&Value, &Value)| {
        let name = OUTLINED.iter().find(|name| key.as_str() == Some(name))?;
        let value = match (*name, value) {
            (CHILD_TRACE, id) => id.clone(),
            ("prints", Value::List(items)) => Value::list(items.iter().map(bare).collect()),
            (_, other) => bare(other),
        };
        Some((key.clone(), value))
    };
    let entries = data.as_map().into_iter().flatten();
    Value::map(entries.filter_map(outlined).collect())
}

/// A value without what stands in it.
fn bare(value: &Value) -> Value {
    match value {
        Value::Str(text) if !text.is_empty() => Value::Str(some_text()),
        Value::List(_) => Value::list(Vec::new()),
        Value::Map(_) => Value::map(Map::default()),
        other => other.clone(),
    }
}

/// Under which name a call tells the trace of the agent that it started.
pub(super) const CHILD_TRACE: &str = "child_trace_id";

/// Whether a record of version 2 has long texts only where they are read again, see [`Event::at`].
pub(super) fn is_of_turns(record: &Value) -> bool {
    let kind = record.get("event").and_then(Value::as_str);
    let of_turns = match kind.and_then(Kind::from_name) {
        Some(Kind::LlmStart) => {
            let data = record.get("data");
            data.is_none_or(|data| data.get_some("system_prompt").is_none())
        }
        Some(kind) => kind.is_read_again(),
        None => false,
    };
    let names = [
        "trace_id",
        "timestamp",
        "span_id",
        "parent_span_id",
        "agent_id",
        "tool_name",
        "status",
    ];
    let child = record.get("data").and_then(|data| data.get(CHILD_TRACE));
    of_turns && elements::have_short(record, &names) && elements::is_short(child)
}

/// Texts of messages, each kept once: a log repeats a run's history with every turn.
#[derive(Debug, Default)]
pub(super) struct Texts(HashSet<Arc<str>>);

impl Texts {
    /// Messages as sent. A list that the writer cut leaves none; texts that it cut are marked.
    pub(super) fn sent(&mut self, value: Option<&Value>) -> Field<Vec<Message>> {
        let Some(mut messages) = value.and_then(fields::messages) else {
            return match value {
                Some(value) if host_values::is_cut_list(value) => Field::Cut(Vec::new()),
                _ => Field::NotRecorded,
            };
        };
        let mut cut = false;
        for message in &mut messages {
            if let Some(known) = self.0.get(&message.content) {
                message.content = Arc::clone(known);
            } else {
                self.0.insert(Arc::clone(&message.content));
            }
            cut |= host_values::is_cut_text(&message.content);
        }
        if cut {
            Field::Cut(messages)
        } else {
            Field::Recorded(messages)
        }
    }
}
