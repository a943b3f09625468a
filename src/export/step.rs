//! A step file of a step: what [`crate::load::StepFile`] reads back to an equal one.
//!
//! What other formats know beyond a step file's own keys is written beside them: `known` says of the
//! parts of a record which are a preview, cut, none or not recorded, `conventions` that another
//! program's hold. Turns keep their numbers.

use std::sync::Arc;

use super::pretty;
use crate::load::usage_of;
use crate::step::{
    Conventions, Ending, Event, Failure, Field, Input, Memory, Outcome, Step, Tool, ToolCall, Turn,
    Usage,
};
use crate::value::transit::Transit;
use crate::value::{Map, Value};

/// The step file's text, with a line end.
pub fn write(step: &Step) -> String {
    pretty(&Transit(&step_value(step)))
}

/// A map under construction, in the order of its file.
#[derive(Default)]
struct Record(Map);

impl Record {
    fn set(&mut self, name: &str, value: impl Into<Option<Value>>) {
        if let Some(value) = value.into() {
            self.0.insert(Value::string(name), value);
        }
    }

    fn text(&mut self, name: &str, text: Option<&Arc<str>>) {
        self.set(name, text.map(string));
    }

    fn count(&mut self, name: &str, count: Option<u64>) {
        self.set(name, count.map(|count| Value::from_bigint(count.into())));
    }

    /// Says which parts are not simply recorded.
    fn known<const N: usize>(&mut self, states: [(&str, Option<&'static str>); N]) {
        let told = states
            .into_iter()
            .filter_map(|(name, state)| Some((Value::string(name), Value::string(state?))));
        let told: Map = told.collect();
        self.set("known", (!told.is_empty()).then(|| Value::map(told)));
    }

    fn value(self) -> Value {
        Value::map(self.0)
    }
}

/// The state of a field that its key alone doesn't tell: a missing key is not recorded.
fn told<T>(field: &Field<T>) -> Option<&'static str> {
    field
        .state()
        .filter(|_| !matches!(field, Field::NotRecorded))
}

fn string(text: &Arc<str>) -> Value {
    Value::Str(Arc::clone(text))
}

fn event(event: &Event) -> Value {
    let mut record = Record::default();
    record.set("kind", Value::string(event.kind.name()));
    record.count("after", u64::try_from(event.after).ok());
    record.text("text", event.text.as_ref());
    record.count(
        "resumes",
        event.resumes.and_then(|turns| u64::try_from(turns).ok()),
    );
    let arrived = u64::try_from(event.arrived).ok();
    record.count("arrived", arrived.filter(|arrived| *arrived > 0));
    let history = &event.history;
    record.set("history", (!history.is_empty()).then(|| messages(history)));
    record.set("hides", event.hides.then_some(Value::Bool(true)));
    let forgotten = event.forgotten.as_ref().map(|forgotten| {
        let places = |turns: &[usize]| {
            let turns = turns.iter().filter_map(|turn| i64::try_from(*turn).ok());
            Value::list(turns.map(Value::Int).collect())
        };
        let mut record = Record::default();
        record.set("turns", places(&forgotten.turns));
        record.set("inputs", places(&forgotten.inputs));
        record.value()
    });
    record.set("forgotten", forgotten);
    record.value()
}

fn step_value(step: &Step) -> Value {
    let mut record = Record::default();
    record.text("name", step.name.as_ref());
    record.text("mission", step.mission.as_ref());
    record.text("mission_template", step.mission_template.as_ref());
    record.text("system_prompt", step.system_prompt.as_ref());
    record.text("signature", step.signature.as_ref());
    record.count("max_turns", step.recorded_max_turns.map(u64::from));
    record.text("model", step.model.as_ref());
    record.text("trace_id", step.trace_id.as_ref());
    record.text("parent_trace_id", step.parent_trace_id.as_ref());
    record.set("compression", step.compression.clone());
    record.set("tools", tools(&step.tools));
    record.set("data", Value::map(step.data.clone()));
    let descriptions = step.field_descriptions.iter();
    let descriptions: Map = descriptions
        .map(|(name, text)| (string(name), string(text)))
        .collect();
    record.set("field_descriptions", Value::map(descriptions));
    let turns = step.each_turn().map(|turn| turn_value(&turn));
    record.set("turns", Value::list(turns.collect()));
    let after = u64::try_from(step.mission_after).ok();
    record.count("mission_after", after.filter(|after| *after > 0));
    record.text("pending_input", step.pending_input.as_ref());
    record.set("pending_inputs", inputs(&step.pending_inputs));
    let unmatched = step.unmatched_results.iter();
    record.set(
        "unmatched_results",
        (unmatched.len() > 0).then(|| Value::list(unmatched.map(call).collect())),
    );
    let events = step.events.iter().map(event);
    record.set(
        "events",
        (events.len() > 0).then(|| Value::list(events.collect())),
    );
    record.text("continued", step.continued.as_ref());
    record.text("elsewhere", step.elsewhere.as_ref());
    record.text("started_at", step.started_at.as_ref());
    record.text("ended_at", step.ended_at.as_ref());
    match &step.ending {
        Ending::Return(answer) => record.set("return", answer.clone()),
        Ending::Fail(failure) => record.set("fail", failure_value(failure)),
        Ending::Open => {}
    }
    record.set("memory", step.memory.get().map(memory));
    let inputs = step.inputs_unmarked.then_some("not_recorded");
    record.known([("memory", told(&step.memory)), ("inputs", inputs)]);
    record.set("usage", figures(step));
    if step.conventions == Conventions::Foreign {
        record.set("conventions", Value::string("foreign"));
    }
    if !step.children.is_empty() {
        let children = step.children.iter().map(|child| step_value(child));
        record.set("children", Value::list(children.collect()));
    }
    record.value()
}

fn tools(tools: &[Tool]) -> Value {
    let entries = tools.iter().map(|tool| {
        let mut record = Record::default();
        record.set(
            "signature",
            tool.signature.as_ref().map_or(Value::Nil, string),
        );
        let told = tool.description.as_ref();
        record.set("description", told.map_or(Value::Nil, string));
        (string(&tool.name), record.value())
    });
    Value::map(entries.collect())
}

fn turn_value(turn: &Turn) -> Value {
    let mut record = Record::default();
    record.set("number", Value::Int(turn.number().into()));
    record.set("type", Value::string(turn.kind().name()));
    let success = match turn.outcome() {
        Outcome::Success => Some(Value::Bool(true)),
        Outcome::Failure => Some(Value::Bool(false)),
        // A format without a mark stays without.
        Outcome::Unknown => None,
    };
    record.set("success", success);
    record.text("input", turn.input());
    record.set("inputs", inputs(turn.inputs()));
    record.set("copied", turn.copied().then_some(Value::Bool(true)));
    record.set(
        "request_failed",
        turn.request_failed().then_some(Value::Bool(true)),
    );
    record.set(
        "uncaptured",
        turn.is_uncaptured().then_some(Value::Bool(true)),
    );
    record.text("raw_response", turn.raw_response().get());
    record.text("thinking", turn.thinking().get());
    match turn.program() {
        Field::NotRecorded => {}
        Field::Absent => record.set("program", Value::Nil),
        Field::Recorded(program) | Field::Preview(program) | Field::Cut(program) => {
            record.set("program", string(&program.source));
            if &*program.language != crate::step::PTC_LISP {
                record.set("language", string(&program.language));
            }
        }
    }
    record.set("result", turn.result().get().cloned());
    let prints = turn.prints_field().get();
    record.set(
        "prints",
        prints.map(|prints| Value::list(prints.iter().map(string).collect())),
    );
    let calls = turn.tool_calls_field().get();
    record.set(
        "tool_calls",
        calls.map(|calls| Value::list(calls.iter().map(call).collect())),
    );
    let unlisted = turn.unlisted_calls();
    record.set(
        "unlisted_calls",
        (!unlisted.is_empty()).then(|| Value::list(unlisted.iter().map(call).collect())),
    );
    record.set("memory", turn.memory().get().map(memory));
    let definitions = turn.definitions().iter().map(|(name, told)| {
        let mut record = Record::default();
        record.set("doc", told.doc.as_ref().map_or(Value::Nil, string));
        record.set("order", told.order.map_or(Value::Nil, Value::Int));
        (string(name), record.value())
    });
    let definitions: Map = definitions.collect();
    record.set(
        "definitions",
        (!definitions.is_empty()).then(|| Value::map(definitions)),
    );
    record.set("messages", turn.messages().get().map(|sent| messages(sent)));
    record.set("usage", usage(turn.usage()));
    record.text("started_at", turn.started_at());
    record.count("duration_ms", turn.duration_ms());
    record.set(
        "approximate",
        turn.is_approximate().then_some(Value::Bool(true)),
    );
    let program = match (turn.program(), turn.raw_response().get()) {
        // A missing key would be read from the response, `nil` says that there is none.
        (Field::NotRecorded, Some(_)) => turn.program().state(),
        (Field::Absent, _) => None,
        (program, _) => told(program),
    };
    record.known([
        ("raw_response", told(turn.raw_response())),
        ("thinking", told(turn.thinking())),
        ("program", program),
        ("result", told(turn.result())),
        ("prints", told(turn.prints_field())),
        ("tool_calls", told(turn.tool_calls_field())),
        ("memory", told(turn.memory())),
        ("messages", told(turn.messages())),
    ]);
    record.value()
}

/// Messages that arrived, where they are told apart.
fn inputs(inputs: &[Input]) -> Option<Value> {
    let input = |input: &Input| {
        let mut record = Record::default();
        record.set("text", string(&input.text));
        record.set("injected", Value::Bool(input.injected));
        record.set("attached", input.attached.then_some(Value::Bool(true)));
        record.set("replaced", input.replaced.then_some(Value::Bool(true)));
        record.value()
    };
    (!inputs.is_empty()).then(|| Value::list(inputs.iter().map(input).collect()))
}

fn messages(sent: &[crate::step::Message]) -> Value {
    let message = |message: &crate::step::Message| {
        let mut record = Record::default();
        record.set("role", Value::string(message.role.name()));
        record.set("content", string(&message.content));
        record.value()
    };
    Value::list(sent.iter().map(message).collect())
}

fn call(call: &ToolCall) -> Value {
    let mut record = Record::default();
    record.text("id", call.id.as_ref());
    record.set("name", string(&call.name));
    record.set("args", call.args.clone());
    record.set("result", call.result.get().cloned());
    record.set("error", call.error.clone());
    record.set("refused", call.refused.then_some(Value::Bool(true)));
    record.set("unmarked", call.unmarked.then_some(Value::Bool(true)));
    record.set("framed", call.framed.then_some(Value::Bool(true)));
    record.count("duration_ms", call.duration_ms);
    record.set("approximate", call.approximate.then_some(Value::Bool(true)));
    record.text("timestamp", call.timestamp.as_ref());
    record.count(
        "child",
        call.child.and_then(|index| u64::try_from(index).ok()),
    );
    record.known([("result", told(&call.result))]);
    record.value()
}

fn memory(memory: &Arc<Memory>) -> Value {
    let entries = memory.iter();
    Value::map(
        entries
            .map(|(name, value)| (string(name), value.clone()))
            .collect(),
    )
}

fn failure_value(failure: &Failure) -> Value {
    let mut record = Record::default();
    record.text("reason", failure.reason.as_ref());
    record.text("message", failure.message.as_ref());
    record.text("op", failure.op.as_ref());
    record.set(
        "details",
        Some(failure.details.clone()).filter(|details| !details.is_nil()),
    );
    record.value()
}

fn usage(usage: Usage) -> Option<Value> {
    if usage.is_empty() {
        return None;
    }
    let mut record = Record::default();
    record.count("input_tokens", usage.input);
    record.count("output_tokens", usage.output);
    record.count("total_tokens", usage.total);
    record.count("cache_read_tokens", usage.cache_read);
    record.count("cache_creation_tokens", usage.cache_write);
    Some(record.value())
}

/// The writer's own figures, with the token counts that they lack.
fn figures(step: &Step) -> Option<Value> {
    let counts = usage(step.usage);
    if step.figures.as_map().is_none() || usage_of(&step.figures) == step.usage {
        return Some(step.figures.clone())
            .filter(|own| own.as_map().is_some())
            .or(counts);
    }
    let mut all = step.figures.as_map().cloned().unwrap_or_default();
    for (name, count) in counts.iter().filter_map(Value::as_map).flatten() {
        all.insert(name.clone(), count.clone());
    }
    Some(Value::map(all))
}
