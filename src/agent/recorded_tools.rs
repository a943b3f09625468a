//! Answers calls of tools from a turn's record, by position and arguments. Nothing is really called.

use crate::lisp::{Answer, Tools};
use crate::step::{Field, Step, ToolCall, Turn};
use crate::value::{Limits, Value, to_clojure};

use super::compare::has_cut;
use super::outcome::string_keys;

/// Bytes of the arguments that are told of a call without a record.
const SHOWN_ARGS: usize = 80;

/// The recorded calls of one turn.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RecordedTools {
    calls: Vec<(ToolCall, bool)>,
    next: usize,
    /// The tools that the run had.
    known: Vec<String>,
    /// The call that broke, where the turn's error tells of one.
    broken: Option<(usize, Value)>,
}

impl RecordedTools {
    /// The calls that a turn recorded, and those that only events tell of.
    pub fn new(turn: &Turn) -> Self {
        let calls = turn.tool_calls().iter().chain(turn.unlisted_calls());
        let calls: Vec<(ToolCall, bool)> = calls.map(|call| (call.clone(), false)).collect();
        let last = turn.tool_calls().len().checked_sub(1);
        let broken = last.filter(|_| turn.failed()).and_then(|last| {
            let message = turn.result().get()?.get("message")?.as_str()?;
            let name = &calls[last].0.name;
            let told = message.strip_prefix(&format!("Tool '{name}' failed: "))?;
            Some((last, Value::string(told.trim_matches('"'))))
        });
        Self {
            calls,
            next: 0,
            known: Vec::new(),
            broken,
        }
    }

    /// The same; the run had these tools, whether or not the turn called them.
    #[must_use]
    pub fn of_run(mut self, step: &Step) -> Self {
        self.known = step
            .tools
            .iter()
            .map(|tool| tool.name.to_string())
            .collect();
        self
    }

    /// The same; a call, counted from 0, has another result than the recorded one.
    #[must_use]
    pub fn answering(mut self, call: usize, value: Value) -> Self {
        if let Some((call, _)) = self.calls.get_mut(call) {
            call.result = Field::Recorded(value);
            call.error = None;
        }
        self.broken = self.broken.filter(|(broken, _)| *broken != call);
        self
    }

    fn answer(&self, at: usize) -> Answer {
        let call = &self.calls[at].0;
        if let Some((broken, reason)) = &self.broken
            && *broken == at
        {
            return Answer::Crashed(reason.clone());
        }
        if let Some(error) = &call.error {
            return Answer::Failed(error.clone());
        }
        match &call.result {
            Field::Recorded(value) if has_cut(value) => Answer::NotRecorded(format!(
                "the result of tool/{} is cut in the record",
                call.name
            )),
            Field::Recorded(value) => Answer::Value(value.clone()),
            Field::Absent => Answer::Value(Value::Nil),
            other => Answer::NotRecorded(format!(
                "the result of tool/{} is {} in the record",
                call.name,
                other.note().unwrap_or("not recorded")
            )),
        }
    }
}

impl Tools for RecordedTools {
    fn call(&mut self, name: &str, args: &Value) -> Answer {
        let wanted = string_keys(args);
        let fits = |(call, used): &(ToolCall, bool)| {
            !used && &*call.name == name && string_keys(&call.args) == wanted
        };
        // The next in order, else any other that was made so.
        let in_order = self.calls.get(self.next).is_some_and(fits);
        let found = if in_order {
            Some(self.next)
        } else {
            self.calls.iter().position(fits)
        };
        let Some(at) = found else {
            let limits = Limits {
                printable: Some(SHOWN_ARGS),
                ..Limits::NONE
            };
            let (args, _) = to_clojure(args, limits);
            return Answer::NotRecorded(format!("there is no record of (tool/{name} {args})"));
        };
        self.calls[at].1 = true;
        self.next = at + 1;
        self.answer(at)
    }

    fn names(&self) -> Vec<String> {
        let called = self.calls.iter().map(|(call, _)| call.name.to_string());
        let mut names: Vec<String> = self.known.iter().cloned().chain(called).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
