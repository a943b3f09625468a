//! Which of a sample's events belong to the run of an agent that a call of a tool started: since 2025
//! all events stand in one list, each with the span that it is in (`formats/inspect-ai.md`). An agent
//! that the conversation was handed to goes on with it, so its turns are the conversation's own.

use std::collections::{HashMap, HashSet, VecDeque};

use super::MAX_DEPTH;
use crate::value::Value;

/// A span of events.
#[derive(Debug, Clone, Copy, Default)]
struct Span<'a> {
    kind: &'a str,
    /// The innermost call of a tool that it is in, itself included.
    call: Option<&'a str>,
    /// The call of a tool around that one.
    outer: Option<&'a str>,
    depth: usize,
}

/// An event, and the span of the run that it started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed<'a> {
    /// The event.
    pub event: &'a Value,
    /// The span whose events are the run of this call.
    pub run: Option<&'a str>,
}

/// Events by the run that they belong to.
#[derive(Debug)]
pub(super) struct Nesting<'a> {
    by_run: HashMap<Option<&'a str>, Vec<Placed<'a>>>,
}

impl<'a> Nesting<'a> {
    /// Events by their runs: those of a call's span are a run of their own where a model was called
    /// right in it.
    pub(super) fn new(events: &'a [Value]) -> Self {
        let spans = spans(events);
        let span_of = |event: &'a Value| spans.get(text(event, "span_id")).copied();
        let of_models = events.iter().filter(|event| kind(event) == "model");
        let with_model: HashSet<&str> =
            of_models.filter_map(|event| span_of(event)?.call).collect();
        // The event of a call stands around its span, which begins before it.
        let mut begun: HashMap<(&str, &str), VecDeque<&str>> = HashMap::new();
        let mut started: HashMap<usize, &str> = HashMap::new();
        let mut seen = HashSet::new();
        for (at, event) in events.iter().enumerate() {
            match kind(event) {
                "span_begin" => {
                    let (id, parent) = (text(event, "id"), text(event, "parent_id"));
                    // In a damaged log a span may begin twice, or in itself: no run holds its own start.
                    let around = spans.get(parent).and_then(|span| span.call);
                    let is_call = |span: &Span<'_>| span.call == Some(id) && span.outer == around;
                    if seen.insert(id) && spans.get(id).is_some_and(is_call) {
                        let place = (parent, text(event, "name"));
                        begun.entry(place).or_default().push_back(id);
                    }
                }
                "tool" => {
                    let place = (text(event, "span_id"), text(event, "function"));
                    let span = begun.get_mut(&place).and_then(VecDeque::pop_front);
                    if let Some(span) = span.filter(|span| with_model.contains(span)) {
                        started.insert(at, span);
                    }
                }
                _ => {}
            }
        }
        let runs: HashSet<&str> = started.values().copied().collect();
        let mut by_run: HashMap<Option<&str>, Vec<Placed<'_>>> = HashMap::new();
        for (at, event) in events.iter().enumerate() {
            let mut run = span_of(event).and_then(|span| span.call);
            while let Some(call) = run.filter(|call| !runs.contains(call)) {
                run = spans.get(call).and_then(|span| span.outer);
            }
            let started = started.get(&at).copied();
            by_run.entry(run).or_default().push(Placed {
                event,
                run: started,
            });
        }
        Self { by_run }
    }

    /// The events of a run in their order; those of no call's run for none.
    pub(super) fn events(&self, run: Option<&'a str>) -> &[Placed<'a>] {
        self.by_run.get(&run).map_or(&[], Vec::as_slice)
    }
}

/// All spans by their identifiers. One that is inside another begins after it.
fn spans(events: &[Value]) -> HashMap<&str, Span<'_>> {
    let mut spans: HashMap<&str, Span<'_>> = HashMap::new();
    for event in events.iter().filter(|event| kind(event) == "span_begin") {
        let id = text(event, "id");
        let around = spans.get(text(event, "parent_id")).copied();
        let around = around.unwrap_or_default();
        let mut span = Span {
            kind: text(event, "type"),
            ..around
        };
        if span.kind == "tool" && around.kind != "handoff" && around.depth < MAX_DEPTH {
            span.call = Some(id);
            span.outer = around.call;
            span.depth += 1;
        }
        if !spans.contains_key(id) {
            spans.insert(id, span);
        }
    }
    spans
}

fn kind(event: &Value) -> &str {
    text(event, "event")
}

fn text<'a>(event: &'a Value, name: &str) -> &'a str {
    event.get(name).and_then(Value::as_str).unwrap_or("")
}
