//! Messages that instrumentations write as events: those of a span (`gen_ai.user.message`,
//! `gen_ai.choice`), or the same in a list that is an attribute (`formats/otlp-genai.md`).

use std::sync::Arc;

use super::super::fields;
use super::super::foreign::unwrapped;
use super::attributes::Attributes;
use super::said;
use crate::value::{Map, Value};

/// What events tell of a span: messages that went in, and what came out.
#[derive(Debug, Default)]
pub(super) struct Told {
    input: Vec<Value>,
    output: Vec<Value>,
}

impl Told {
    /// What the events of a span tell.
    pub(super) fn of_span(events: &[Value]) -> Self {
        let mut told = Self::default();
        for event in events {
            let mut attributes = Attributes::default();
            attributes.add(event);
            if let Some(name) = fields::text(event, "name") {
                told.add(&name, &attributes.all());
            }
        }
        told
    }

    /// What a list of events tells that an attribute holds.
    pub(super) fn of_list(events: &Value) -> Self {
        let mut told = Self::default();
        let events = unwrapped(events).unwrap_or_default();
        for event in events.as_list().unwrap_or_default() {
            if let Some(name) = fields::text(event, "event.name") {
                told.add(&name, event);
            }
        }
        told
    }

    fn add(&mut self, name: &str, body: &Value) {
        // Some put the whole of it into one text.
        let inner = body.get("gen_ai.event.content").and_then(unwrapped);
        let body = inner.as_ref().unwrap_or(body);
        if name == "gen_ai.choice" {
            let message = body.get_some("message").unwrap_or(body);
            self.output
                .push(unwrapped(message).unwrap_or_else(|| message.clone()));
            return;
        }
        let role = name.strip_prefix("gen_ai.");
        let Some(role) = role.and_then(|name| name.strip_suffix(".message")) else {
            return;
        };
        let mut message: Map = body.as_map().cloned().unwrap_or_default();
        let mut put = |name: &str, value: Value| {
            let name = Value::string(name);
            message.entry(name).or_insert(value);
        };
        put("role", Value::string(role));
        if let Some(id) = fields::text(body, "id").filter(|_| role == "tool") {
            put("tool_call_id", Value::Str(id));
        }
        if let Some(content) = body.get("content").and_then(unwrapped) {
            message.insert(Value::string("content"), content);
        }
        if let Some(calls) = body.get("tool_calls").and_then(unwrapped) {
            message.insert(Value::string("tool_calls"), calls);
        }
        self.input.push(Value::map(message));
    }

    /// The messages that went in; nil where none did.
    pub(super) fn input(&self) -> Value {
        listed(&self.input)
    }

    /// What came out; nil where nothing did.
    pub(super) fn output(&self) -> Value {
        listed(&self.output)
    }

    /// The arguments of a call of a tool: its message.
    pub(super) fn arguments(&self) -> Value {
        let content = self
            .input
            .first()
            .and_then(|message| message.get("content"));
        content.cloned().unwrap_or_default()
    }

    /// What a tool answered, as a text where it is one.
    pub(super) fn answer(&self) -> Value {
        let output = self.output();
        let said = said::output(&output);
        if said.texts.is_empty() {
            output
        } else {
            Value::Str(Arc::from(said.text()))
        }
    }
}

fn listed(items: &[Value]) -> Value {
    if items.is_empty() {
        Value::Nil
    } else {
        Value::list(items.to_vec())
    }
}
