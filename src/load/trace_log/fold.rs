//! Events in order, gathered by trace, run and turn.
//!
//! Spans say what belongs where: a run's span stands in its own and its turns' events, the events of
//! the LLM and of tools have it as their parent. An agent that was called as a tool runs under the
//! span of that call, in the same file, so its events never get into its caller's turns.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::records::Place;
use super::event::{CHILD_TRACE, Event, Kind, Version};
use crate::step::{Field, Message, Usage};
use crate::value::Value;

/// A call as the tool events tell it.
#[derive(Debug, Clone, Default)]
pub(super) struct CallEvents {
    pub name: Arc<str>,
    pub args: Option<Value>,
    pub result: Option<Value>,
    pub error: Option<Value>,
    pub duration_ms: Option<u64>,
    pub timestamp: Option<Arc<str>>,
    /// The trace of the agent that the call started.
    pub child_trace: Option<Arc<str>>,
}

/// A turn as its events tell it.
#[derive(Debug, Default)]
pub(super) struct TurnEvents {
    pub number: u64,
    pub line: u64,
    pub kind: Option<Arc<str>>,
    pub started_at: Option<Arc<str>>,
    pub duration_ms: Option<u64>,
    pub sent: Field<Vec<Message>>,
    pub response: Option<Value>,
    pub usage: Usage,
    /// What `turn.stop` tells.
    pub stop: Option<Value>,
    pub calls: Vec<CallEvents>,
    /// Traces of agents that parallel calls started.
    pub child_traces: Vec<Arc<str>>,
    /// In a large log, where its events stand that are read again, and the call that each tells of.
    pub places: Vec<(Place, Option<usize>)>,
    /// Whether those were read.
    pub is_filled: bool,
}

impl TurnEvents {
    /// What an event of the LLM, or the turn's end, says.
    pub(super) fn tell(&mut self, event: &Event) {
        match event.kind {
            Kind::LlmStart => self.sent = event.sent.clone(),
            Kind::LlmStop => self.response = event.data.get_some("response").cloned(),
            _ => self.stop = Some(event.data.clone()),
        }
        self.note(event, None);
    }

    /// What an event of a tool says of a call; a new one is the next.
    pub(super) fn tell_call(&mut self, at: usize, event: &Event, version: Version) {
        if at == self.calls.len() {
            self.calls.push(CallEvents {
                name: event.tool_name.clone().unwrap_or_default(),
                ..CallEvents::default()
            });
        }
        if let Some(call) = self.calls.get_mut(at) {
            call.tell(event, version);
        }
        self.note(event, Some(at));
    }

    fn note(&mut self, event: &Event, call: Option<usize>) {
        self.places.extend(event.place.map(|place| (place, call)));
    }
}

impl CallEvents {
    fn tell(&mut self, event: &Event, version: Version) {
        let data = &event.data;
        if let Some(args) = data.get_some("args") {
            self.args = Some(args.clone());
        }
        if let Some(child) = data.get_some(CHILD_TRACE).and_then(Value::as_str) {
            self.child_trace = Some(child.into());
        }
        match event.kind {
            Kind::ToolStart => self.timestamp.clone_from(&event.timestamp),
            Kind::ToolException => {
                self.duration_ms = event.duration_ms;
                let reason = data.get_some("reason").or_else(|| data.get_some("kind"));
                self.error = Some(reason.map_or_else(|| Value::string("failed"), without_nils));
            }
            _ => {
                self.duration_ms = event.duration_ms;
                self.result = data.get("result").cloned();
                if version == Version::One {
                    self.error = data.get_some("error").cloned();
                }
            }
        }
    }
}

/// A run of an agent as its events tell it.
#[derive(Debug, Default)]
pub(super) struct RunEvents {
    pub span: Option<Arc<str>>,
    pub parent_span: Option<Arc<str>>,
    pub agent_id: Option<Arc<str>>,
    /// The agent in version 1.
    pub agent: Option<Value>,
    pub context: Option<Value>,
    pub system_prompt: Option<Arc<str>>,
    pub turns: Vec<TurnEvents>,
    /// What `run.stop` tells, and its status.
    pub stop: Option<(Value, Option<Arc<str>>)>,
    /// Where that stands in a large log; nothing of it is kept then.
    pub stop_place: Option<Place>,
    numbers: HashMap<u64, usize>,
    /// The turn that goes on.
    open: Option<usize>,
}

impl RunEvents {
    fn turn(&mut self, number: u64, line: u64) -> &mut TurnEvents {
        let at = *self.numbers.entry(number).or_insert(self.turns.len());
        if at == self.turns.len() {
            self.turns.push(TurnEvents {
                number,
                line,
                ..TurnEvents::default()
            });
        }
        self.open = Some(at);
        &mut self.turns[at]
    }

    fn turn_of(&mut self, event: &Event) -> &mut TurnEvents {
        if let Some(number) = event.turn {
            return self.turn(number, event.line);
        }
        let at = self.current(event.line);
        &mut self.turns[at]
    }

    /// What the events tell of a turn, and its place among the run's.
    pub(super) fn told(&self, number: u64) -> Option<(usize, &TurnEvents)> {
        let at = *self.numbers.get(&number)?;
        Some((at, self.turns.get(at)?))
    }

    /// The turn that an event belongs to which doesn't name one: the one that goes on, else the next.
    fn current(&mut self, line: u64) -> usize {
        if let Some(open) = self.open {
            return open;
        }
        let next = self
            .turns
            .last()
            .map_or(1, |turn| turn.number.saturating_add(1));
        self.turn(next, line);
        self.open.unwrap_or_default()
    }
}

/// Where a call stands: run, turn, call.
pub(super) type CallPlace = (usize, usize, usize);

/// Everything with one trace id.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub id: Option<Arc<str>>,
    /// What `trace.start` tells.
    pub start: Option<Value>,
    pub stopped: bool,
    pub configs: HashMap<Arc<str>, Value>,
    pub runs: Vec<RunEvents>,
    pub spans: HashMap<Arc<str>, usize>,
    pub calls: HashMap<Arc<str>, CallPlace>,
    /// The run of each agent that began last.
    latest: HashMap<Arc<str>, usize>,
}

impl Trace {
    pub(super) fn new(id: Option<Arc<str>>) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }

    /// Takes an event; they come in order.
    pub(super) fn take(&mut self, event: Event, version: Version) {
        match event.kind {
            Kind::TraceStart => self.start = Some(event.data),
            Kind::TraceStop => self.stopped = true,
            Kind::AgentConfig => {
                let agent = event.agent_id.unwrap_or_default();
                self.configs.entry(agent).or_insert(event.data);
            }
            Kind::RunStart | Kind::RunStop | Kind::TurnStart | Kind::TurnStop => {
                let run = self.run_of(&event);
                take_run(&mut self.runs[run], event);
            }
            Kind::LlmStart | Kind::LlmStop => {
                let run = self.run_under(&event);
                take_llm(&mut self.runs[run], &event);
            }
            Kind::ToolStart | Kind::ToolStop | Kind::ToolException => {
                self.take_tool(&event, version);
            }
            Kind::ParallelStart | Kind::ParallelStop => {
                let run = self.run_under(&event);
                let run = &mut self.runs[run];
                let children = event.data.get("child_trace_ids").and_then(Value::as_list);
                let ids = children
                    .unwrap_or_default()
                    .iter()
                    .filter_map(Value::as_str);
                let ids: Vec<Arc<str>> = ids.map(Into::into).collect();
                if !ids.is_empty() {
                    let turn = run.current(event.line);
                    run.turns[turn].child_traces.extend(ids);
                }
            }
        }
    }

    /// The run of an event that has the run's own span. A run whose beginning is lost begins here.
    fn run_of(&mut self, event: &Event) -> usize {
        let known = event
            .span
            .as_ref()
            .and_then(|span| self.spans.get(span))
            .copied();
        let going_on = || {
            let latest = *self.latest.get(event.agent_id.as_ref()?)?;
            let run = &self.runs[latest];
            let same = run.parent_span == event.parent_span && run.stop.is_none();
            (same && event.kind != Kind::RunStart).then_some(latest)
        };
        let run = match known.or_else(going_on) {
            Some(run) => run,
            None => self.begin(event.span.clone(), event.parent_span.clone(), event),
        };
        if self.runs[run].agent.is_none() {
            self.runs[run].agent.clone_from(&event.agent);
        }
        run
    }

    /// The run of an event that stands under the run's span, or has it itself (version 1).
    fn run_under(&mut self, event: &Event) -> usize {
        let spans = [&event.span, &event.parent_span];
        let known = spans
            .into_iter()
            .flatten()
            .find_map(|span| self.spans.get(span))
            .copied();
        let latest = || self.latest.get(event.agent_id.as_ref()?).copied();
        let first = if self.runs.is_empty() { None } else { Some(0) };
        match known.or_else(latest).or(first) {
            Some(run) => run,
            None => self.begin(event.parent_span.clone(), None, event),
        }
    }

    fn begin(&mut self, span: Option<Arc<str>>, parent: Option<Arc<str>>, event: &Event) -> usize {
        let run = self.runs.len();
        if let Some(span) = &span {
            self.spans.insert(Arc::clone(span), run);
        }
        if let Some(agent) = &event.agent_id {
            self.latest.insert(Arc::clone(agent), run);
        }
        self.runs.push(RunEvents {
            span,
            parent_span: parent,
            agent_id: event.agent_id.clone(),
            ..RunEvents::default()
        });
        run
    }

    fn take_tool(&mut self, event: &Event, version: Version) {
        let own = event
            .span
            .as_ref()
            .filter(|span| !self.spans.contains_key(*span));
        let own = own.cloned();
        let begun = own.as_ref().and_then(|span| self.calls.get(span)).copied();
        let (run, turn, call) = if let Some(place) = begun {
            place
        } else {
            let run = self.run_under(event);
            let turn = self.runs[run].current(event.line);
            (run, turn, self.runs[run].turns[turn].calls.len())
        };
        if let Some(span) = own {
            self.calls.insert(span, (run, turn, call));
        }
        self.runs[run].turns[turn].tell_call(call, event, version);
    }
}

/// An exception without the fields that say nothing.
fn without_nils(reason: &Value) -> Value {
    let Some(entries) = reason.as_map() else {
        return reason.clone();
    };
    let told = entries
        .iter()
        .filter(|(key, value)| !value.is_nil() && key.as_name() != Some("__exception__"));
    Value::map(
        told.map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

fn take_run(run: &mut RunEvents, event: Event) {
    match event.kind {
        Kind::RunStart => {
            run.context = event.data.get("context").cloned();
            if run.agent_id.is_none() {
                run.agent_id = event.agent_id;
            }
        }
        Kind::RunStop => {
            run.open = None;
            run.stop_place = event.place;
            run.stop = Some((event.data, event.status));
        }
        Kind::TurnStart => {
            let number = event.turn.unwrap_or_else(|| {
                run.turns
                    .last()
                    .map_or(1, |turn| turn.number.saturating_add(1))
            });
            let turn = run.turn(number, event.line);
            turn.started_at = event.timestamp;
            turn.kind = event
                .data
                .get("type")
                .and_then(Value::as_str)
                .map(Into::into);
        }
        _ => {
            let turn = run.turn_of(&event);
            turn.duration_ms = event.duration_ms;
            turn.usage = if turn.usage.is_empty() {
                event.usage()
            } else {
                turn.usage
            };
            turn.tell(&event);
            run.open = None;
        }
    }
}

fn take_llm(run: &mut RunEvents, event: &Event) {
    let turn = run.turn_of(event);
    turn.tell(event);
    if event.kind == Kind::LlmStart {
        if run.system_prompt.is_none() {
            run.system_prompt = event.data.as_str().map(Into::into);
        }
    } else {
        turn.usage = sum(turn.usage, event.usage());
    }
}

/// Tokens of a reply that took more than one request.
fn sum(a: Usage, b: Usage) -> Usage {
    let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => a.checked_add(b),
        (a, b) => a.or(b),
    };
    Usage {
        input: add(a.input, b.input),
        output: add(a.output, b.output),
        total: add(a.total, b.total),
        cache_read: add(a.cache_read, b.cache_read),
        cache_write: add(a.cache_write, b.cache_write),
    }
}
