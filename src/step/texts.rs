//! Every text of a run, in the order of its records.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Ending, Failure, Field, Input, Memory, Program, Step, Tool, ToolCall, Turn};
use crate::text::redact::Redactor;
use crate::value::{CutValue, Function, Map, Value};

/// What makes another text of a text: nothing where it stays. The first argument is the name of the
/// field or the definition whose whole text it is, where it has one.
pub type Change<'a> = dyn FnMut(Option<&str>, &str) -> Option<Arc<str>> + 'a;

/// Texts on their way through a [`Change`].
struct Walk<'a, 'b> {
    change: &'a mut Change<'b>,
}

impl Step {
    /// The run without its secrets.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        self.with_texts(&mut |name, text| hidden(redactor, name, text))
    }

    /// Lets a redactor learn the run's secrets, in the order of its records.
    pub fn learn(&self, redactor: &Redactor) {
        let _ = self.with_texts(&mut |name, text| {
            redactor.learn(name, text);
            None
        });
    }

    /// The run with every text changed, that of its children included: what was said and told, names
    /// and identifiers, values with their keys. Numbers, times and the turns' numbers stay.
    #[must_use]
    pub fn with_texts(&self, change: &mut Change<'_>) -> Self {
        let mut step = self.clone();
        let mut walk = Walk { change };
        for text in [
            &mut step.name,
            &mut step.system_prompt,
            &mut step.mission,
            &mut step.mission_template,
            &mut step.signature,
        ] {
            walk.maybe(text);
        }
        step.tools.iter_mut().for_each(|tool| walk.tool(tool));
        walk.map(&mut step.data);
        step.field_descriptions = std::mem::take(&mut step.field_descriptions)
            .into_iter()
            .map(|(mut name, mut told)| {
                walk.text(&mut name);
                walk.text(&mut told);
                (name, told)
            })
            .collect();
        let turns = step.turns.iter_mut();
        turns.for_each(|turn| walk.turn(Arc::make_mut(turn)));
        for text in [
            &mut step.pending_input,
            &mut step.continued,
            &mut step.elsewhere,
            &mut step.trace_id,
            &mut step.parent_trace_id,
        ] {
            walk.maybe(text);
        }
        walk.inputs(&mut step.pending_inputs);
        step.unmatched_results
            .iter_mut()
            .for_each(|call| walk.call(call));
        match &mut step.ending {
            Ending::Return(answer) => walk.value(None, answer),
            Ending::Fail(failure) => walk.failure(failure),
            Ending::Open => {}
        }
        for event in &mut step.events {
            walk.maybe(&mut event.text);
            for message in &mut event.history {
                walk.text(&mut message.content);
            }
        }
        walk.field(&mut step.memory, Walk::memory);
        walk.value(None, &mut step.figures);
        if let Some(setting) = &mut step.compression {
            walk.value(None, setting);
        }
        let children = step.children.iter();
        step.children = children
            .map(|child| Arc::new(child.with_texts(walk.change)))
            .collect();
        step
    }
}

/// A value without its secrets; `name` is that of the field whose value it is.
#[must_use]
pub fn redacted_value(name: Option<&str>, value: &Value, redactor: &Redactor) -> Value {
    let mut value = value.clone();
    let change: &mut Change<'_> = &mut |name, text| hidden(redactor, name, text);
    Walk { change }.value(name, &mut value);
    value
}

fn hidden(redactor: &Redactor, name: Option<&str>, text: &str) -> Option<Arc<str>> {
    match redactor.field(name, text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(changed) => Some(changed.into()),
    }
}

impl Walk<'_, '_> {
    fn text(&mut self, text: &mut Arc<str>) {
        if let Some(changed) = (self.change)(None, text) {
            *text = changed;
        }
    }

    fn maybe(&mut self, text: &mut Option<Arc<str>>) {
        if let Some(text) = text {
            self.text(text);
        }
    }

    fn field<T>(&mut self, field: &mut Field<T>, change: impl FnOnce(&mut Self, &mut T)) {
        match field {
            Field::Recorded(value) | Field::Preview(value) | Field::Cut(value) => {
                change(self, value);
            }
            Field::Absent | Field::NotRecorded => {}
        }
    }

    fn tool(&mut self, tool: &mut Tool) {
        self.text(&mut tool.name);
        self.maybe(&mut tool.signature);
        self.maybe(&mut tool.description);
    }

    fn inputs(&mut self, inputs: &mut [Input]) {
        for input in inputs {
            self.text(&mut input.text);
        }
    }

    fn turn(&mut self, turn: &mut Turn) {
        let parts = turn.parts_mut();
        self.field(&mut parts.messages, |walk, messages| {
            for message in messages {
                walk.text(&mut message.content);
            }
        });
        self.maybe(&mut parts.input);
        self.inputs(&mut parts.inputs);
        self.field(&mut parts.thinking, Self::text);
        self.field(&mut parts.raw_response, Self::text);
        self.field(&mut parts.program, |walk, program: &mut Program| {
            walk.text(&mut program.source);
        });
        self.field(&mut parts.tool_calls, |walk, calls| {
            for call in calls {
                walk.call(call);
            }
        });
        parts
            .unlisted_calls
            .iter_mut()
            .for_each(|call| self.call(call));
        self.field(&mut parts.prints, |walk, prints| {
            for print in prints {
                walk.text(print);
            }
        });
        self.field(&mut parts.result, |walk, result| walk.value(None, result));
        self.field(&mut parts.memory, Self::memory);
        for told in parts.definitions.values_mut() {
            self.maybe(&mut told.doc);
        }
    }

    fn call(&mut self, call: &mut ToolCall) {
        self.text(&mut call.name);
        self.value(None, &mut call.args);
        self.field(&mut call.result, |walk, result| walk.value(None, result));
        if let Some(error) = &mut call.error {
            self.value(None, error);
        }
    }

    fn failure(&mut self, failure: &mut Failure) {
        for text in [&mut failure.reason, &mut failure.message, &mut failure.op] {
            self.maybe(text);
        }
        self.value(None, &mut failure.details);
    }

    fn memory(&mut self, memory: &mut Arc<Memory>) {
        let mut changed: Vec<(Arc<str>, Value)> = Vec::new();
        for (name, value) in memory.iter() {
            let mut value = value.clone();
            self.value(Some(name), &mut value);
            changed.push((Arc::clone(name), value));
        }
        if changed
            .iter()
            .zip(memory.values())
            .any(|((_, new), old)| new != old)
        {
            *memory = Arc::new(changed.into_iter().collect());
        }
    }

    fn map(&mut self, map: &mut Map) {
        let entries = std::mem::take(map).into_iter();
        *map = entries
            .map(|(mut key, mut value)| {
                let name = key.as_name().map(str::to_owned);
                self.value(None, &mut key);
                self.value(name.as_deref(), &mut value);
                (key, value)
            })
            .collect();
    }

    /// A value; `name` is that of the field whose value it is.
    fn value(&mut self, name: Option<&str>, value: &mut Value) {
        match value {
            Value::Str(text) | Value::Keyword(text) => {
                if let Some(changed) = (self.change)(name, text) {
                    *text = changed;
                }
            }
            Value::List(items) | Value::Tuple(items) => {
                let mut changed = items.to_vec();
                for item in &mut changed {
                    self.value(name, item);
                }
                if changed != **items {
                    *items = Arc::new(changed);
                }
            }
            Value::Map(entries) => {
                let mut changed = Map::clone(entries);
                self.map(&mut changed);
                if changed != **entries {
                    *entries = Arc::new(changed);
                }
            }
            Value::Set(items) => {
                let changed = items.iter().cloned().map(|mut item| {
                    self.value(name, &mut item);
                    item
                });
                *items = Arc::new(changed.collect());
            }
            Value::Fn(function) => {
                let mut changed = Function::clone(function);
                self.maybe(&mut changed.doc);
                self.maybe(&mut changed.source);
                *function = Arc::new(changed);
            }
            Value::Cut(cut) => {
                let mut note = Arc::clone(&cut.note);
                self.text(&mut note);
                *cut = Arc::new(CutValue::new(note, Arc::clone(&cut.label)));
            }
            Value::Nil
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Bytes(_)
            | Value::Builtin(_)
            | Value::Var(_)
            | Value::Date(_)
            | Value::DateTime(_) => {}
        }
    }
}
