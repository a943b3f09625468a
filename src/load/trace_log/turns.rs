//! Turns: as the events tell them while a run goes on, and as `run.stop` records them at its end.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::super::records::Place;
use super::super::{Report, fields};
use super::again::LargeLog;
use super::event::{Texts, Version};
use super::fold::{CallEvents, RunEvents, TurnEvents};
use super::host_values;
use crate::step::{Field, Memory, Message, Position, Program, ToolCall, Turn, TurnKind, TurnParts};
use crate::syntax::response;
use crate::value::{CutValue, Limits, Value, to_clojure};

/// The children that calls started: (turn, call) → index among the step's children.
pub(super) type Links = HashMap<(usize, usize), usize>;

/// What turns are made from.
pub(super) struct Maker<'a> {
    pub run: &'a RunEvents,
    pub links: &'a Links,
    pub version: Version,
    pub texts: &'a mut Texts,
    /// The log, where it is large and its turns are shelved.
    pub large: Option<&'a Arc<LargeLog>>,
    pub report: &'a mut Report,
}

impl Maker<'_> {
    /// Turns from their events. One that no response and no end are told of hasn't happened yet.
    pub(super) fn by_events(&mut self) -> Vec<Turn> {
        let mut turns = Vec::new();
        let mut unsent = Unsent::default();
        for (at, known) in self.run.turns.iter().enumerate() {
            let filled = match self.large {
                Some(large) if !LargeLog::tells_all_of(known) => large.filled(known),
                _ => None,
            };
            let told = filled.as_ref().unwrap_or(known);
            if told.response.is_none() && told.stop.is_none() {
                continue;
            }
            let number = next_number(turns.len());
            unsent.look(&told.sent, number);
            let mut parts = self.of_events(at, told);
            parts.position.index = Some(turns.len());
            let turn = Turn::success(number, parts);
            turns.push(match self.large {
                Some(large) if filled.is_none() => large.shelve(turn, Some(told), None),
                _ => turn,
            });
        }
        unsent.note(self.report);
        turns
    }

    /// A turn of its events, by its place among the run's.
    pub(super) fn of_events(&self, at: usize, told: &TurnEvents) -> TurnParts {
        let mut parts = TurnParts::default();
        Self::common(&mut parts, told);
        parts.messages = sent(told.sent.clone());
        let stop = told.stop.as_ref();
        let get = |name: &str| stop.and_then(|stop| stop.get_some(name));
        parts.raw_response = text(told.response.as_ref().or_else(|| get("raw_response")));
        parts.program = match (get("program"), parts.raw_response.get()) {
            (program @ Some(_), _) => text(program).map(Program::ptc_lisp),
            (None, _) if stop.is_some() => Field::Absent,
            (None, Some(response)) => {
                Field::recorded_or_absent(response::program(response)).map(Program::ptc_lisp)
            }
            (None, None) => Field::NotRecorded,
        };
        parts.result = match get("result_preview") {
            Some(preview) => Field::Preview(preview.clone()),
            None => Field::NotRecorded,
        };
        parts.prints = prints(get("prints"));
        parts.tool_calls = Field::Recorded(self.calls(at, told));
        // `turn.stop` has no mark for success.
        parts.unmarked = true;
        parts
    }

    /// Turns as `run.stop` records them, with what only the events know of them. The place of that is
    /// told where the turns may be shelved.
    pub(super) fn by_records(&mut self, records: &[Value], place: Option<Place>) -> Vec<Turn> {
        let mut turns = Vec::with_capacity(records.len());
        let mut unsent = Unsent::default();
        let mut memory: Option<Arc<Memory>> = None;
        for (index, record) in records.iter().enumerate() {
            if record.as_map().is_none() {
                self.report.note(format!(
                    "turn {} of run.stop holds nothing that could be read",
                    index + 1
                ));
                continue;
            }
            let number = next_number(turns.len());
            let named = fields::count(record, &["number"]).unwrap_or(u64::from(number));
            if named != u64::from(number) {
                self.report
                    .note("turns are numbered in the order of the file; its own numbers differ");
            }
            let told = self.run.told(named);
            let events = told.map(|(_, told)| told);
            unsent.look(&self.sent_with(record, events), number);
            let mut parts = self.of_record(record, told, memory.as_ref());
            parts.position.index = Some(index);
            memory = parts.memory.get().map(Arc::clone).or(memory);
            let turn = match record.get("success?").and_then(Value::as_bool) {
                Some(false) => Turn::failure(number, parts),
                known => {
                    parts.unmarked = known.is_none();
                    Turn::success(number, parts)
                }
            };
            turns.push(match (self.large, place) {
                (Some(large), Some(place)) => large.shelve(turn, events, Some((place, index))),
                _ => turn,
            });
        }
        unsent.note(self.report);
        turns
    }

    /// What a turn was sent, as its record tells it, else as its events do.
    fn sent_with(&mut self, record: &Value, told: Option<&TurnEvents>) -> Field<Vec<Message>> {
        let sent = self.texts.sent(record.get_some("messages"));
        match told {
            Some(told) if sent.get().is_none_or(Vec::is_empty) && told.sent.get().is_some() => {
                told.sent.clone()
            }
            _ => sent,
        }
    }

    /// A turn of its record and its events, which come with its place among the run's.
    pub(super) fn of_record(
        &mut self,
        record: &Value,
        told: Option<(usize, &TurnEvents)>,
        memory: Option<&Arc<Memory>>,
    ) -> TurnParts {
        let mut parts = TurnParts::default();
        let mut told_calls = Vec::new();
        if let Some((at, told)) = told {
            Self::common(&mut parts, told);
            told_calls = self.calls(at, told);
        }
        parts.messages = sent(self.sent_with(record, told.map(|(_, told)| told)));
        self.recorded(&mut parts, record, told_calls, memory);
        parts
    }

    /// What events tell of a turn in any case.
    fn common(parts: &mut TurnParts, told: &TurnEvents) {
        parts.kind = told
            .kind
            .as_deref()
            .map(TurnKind::from_name)
            .unwrap_or_default();
        parts.started_at.clone_from(&told.started_at);
        parts.duration_ms = told.duration_ms;
        parts.usage = told.usage;
        parts.position = Position::line(told.line);
    }

    fn recorded(
        &mut self,
        parts: &mut TurnParts,
        record: &Value,
        told: Vec<ToolCall>,
        before: Option<&Arc<Memory>>,
    ) {
        if let Some(kind) = fields::text(record, "type") {
            parts.kind = TurnKind::from_name(&kind);
        }
        parts.raw_response = text(record.get_some("raw_response"));
        parts.program = match record.get("program") {
            Some(Value::Nil) => Field::Absent,
            program => text(program).map(Program::ptc_lisp),
        };
        parts.result = match record.get("result").map(host_values::decode) {
            Some(cut @ Value::Cut(_)) => Field::Cut(cut),
            result => Field::recorded(result),
        };
        parts.prints = prints(record.get_some("prints"));
        match record.get_some("tool_calls") {
            Some(Value::List(items)) => {
                let listed = items.iter().filter_map(listed_call).collect();
                let (listed, unlisted) = merge(listed, told);
                parts.tool_calls = Field::Recorded(listed);
                parts.unlisted_calls = unlisted;
            }
            // The list itself was cut; the events have its calls.
            Some(_) => parts.tool_calls = Field::Preview(told),
            None => parts.unlisted_calls = told,
        }
        parts.memory = match record.get_some("memory") {
            Some(Value::Map(entries)) => {
                let entries = host_values::decode_entries(entries);
                Field::Recorded(fields::memory(&entries, before))
            }
            Some(cut) if host_values::is_cut_map(cut) => {
                self.report.note(format!(
                    "the log's writer cut the memory of a turn: {}",
                    cut.as_str().unwrap_or_default()
                ));
                Field::NotRecorded
            }
            _ => Field::NotRecorded,
        };
    }

    /// The calls of a turn as the events tell them.
    fn calls(&self, turn: usize, told: &TurnEvents) -> Vec<ToolCall> {
        let calls = told.calls.iter().enumerate();
        calls
            .map(|(at, call)| {
                let mut made = told_call(call, self.version);
                made.child = self.links.get(&(turn, at)).copied();
                made
            })
            .collect()
    }
}

/// Turns are numbered in order, from 1.
fn next_number(before: usize) -> u32 {
    u32::try_from(before).map_or(u32::MAX, |before| before.saturating_add(1))
}

/// Turns of which the writer cut what was sent.
#[derive(Default)]
struct Unsent {
    turns: Option<(u32, u32)>,
}

impl Unsent {
    /// Looks at what a turn was sent.
    fn look(&mut self, sent: &Field<Vec<Message>>, number: u32) {
        if matches!(sent, Field::Cut(messages) if messages.is_empty()) {
            self.turns = Some((self.turns.map_or(number, |(first, _)| first), number));
        }
    }

    fn note(&self, report: &mut Report) {
        if let Some((first, last)) = self.turns {
            report.note(format!(
                "the log's writer cut what was sent from turn {first} to turn {last}: it keeps 100 messages"
            ));
        }
    }
}

/// The messages, if there are any; a cut list leaves none.
fn sent(sent: Field<Vec<Message>>) -> Field<Vec<Message>> {
    match sent {
        Field::Cut(messages) if messages.is_empty() => Field::NotRecorded,
        other => other,
    }
}

/// A text; one that the writer cut is marked so.
fn text(value: Option<&Value>) -> Field<Arc<str>> {
    match value {
        Some(Value::Str(text)) if host_values::is_cut_text(text) => Field::Cut(Arc::clone(text)),
        Some(Value::Str(text)) => Field::Recorded(Arc::clone(text)),
        _ => Field::NotRecorded,
    }
}

fn prints(value: Option<&Value>) -> Field<Vec<Arc<str>>> {
    match value.and_then(fields::prints) {
        Some(texts) if texts.iter().any(|text| host_values::is_cut_text(text)) => Field::Cut(texts),
        Some(texts) => Field::Recorded(texts),
        None => match value.and_then(Value::as_str) {
            // The note stands for the prints.
            Some(note) => Field::Cut(vec![note.into()]),
            None => Field::NotRecorded,
        },
    }
}

fn told_call(call: &CallEvents, version: Version) -> ToolCall {
    let unknown = || Value::Cut(Arc::new(CutValue::new("not recorded", "unknown")));
    let args = call.args.as_ref().map_or_else(unknown, host_values::decode);
    let mut made = ToolCall::new(Arc::clone(&call.name), args);
    made.result = match (&call.result, version) {
        (None, _) => Field::NotRecorded,
        (Some(shortened), Version::Two) => Field::Preview(shortened.clone()),
        (Some(result), Version::One) => match host_values::decode(result) {
            cut @ Value::Cut(_) => Field::Cut(cut),
            result => Field::Recorded(result),
        },
    };
    made.error.clone_from(&call.error);
    made.duration_ms = call.duration_ms;
    made.timestamp.clone_from(&call.timestamp);
    made
}

fn listed_call(item: &Value) -> Option<ToolCall> {
    let args = item.get("args").map(host_values::decode);
    let mut call = ToolCall::new(fields::text(item, "name")?, args.unwrap_or_default());
    call.result = match item.get("result").map(host_values::decode) {
        Some(cut @ Value::Cut(_)) => Field::Cut(cut),
        result => Field::recorded(result),
    };
    call.error = item.get_some("error").map(host_values::decode);
    call.duration_ms = fields::milliseconds(item, "duration_ms");
    Some(call)
}

/// Puts what the events know of calls into the recorded ones: first by name and arguments, then by
/// name. Calls that only the events know come back as the second list.
fn merge(mut listed: Vec<ToolCall>, told: Vec<ToolCall>) -> (Vec<ToolCall>, Vec<ToolCall>) {
    let mut told: Vec<Option<ToolCall>> = told.into_iter().map(Some).collect();
    let mut open: Vec<usize> = (0..listed.len()).collect();
    for by_args in [true, false] {
        if open.is_empty() {
            break;
        }
        // Arguments are compared as they print.
        let key = |call: &ToolCall| {
            let args = by_args.then(|| to_clojure(&call.args, Limits::ALL).0);
            (Arc::clone(&call.name), args)
        };
        let mut known: HashMap<(Arc<str>, Option<String>), VecDeque<usize>> = HashMap::new();
        for (at, call) in told.iter().enumerate() {
            if let Some(call) = call {
                known.entry(key(call)).or_default().push_back(at);
            }
        }
        open.retain(|at| {
            let call = &mut listed[*at];
            let found = known.get_mut(&key(call)).and_then(VecDeque::pop_front);
            let Some(same) = found.and_then(|at| told[at].take()) else {
                return true;
            };
            call.duration_ms = call.duration_ms.or(same.duration_ms);
            call.timestamp = call.timestamp.take().or(same.timestamp);
            call.error = call.error.take().or(same.error);
            call.child = same.child;
            false
        });
    }
    (listed, told.into_iter().flatten().collect())
}
