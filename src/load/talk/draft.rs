//! A reply being put together, and the turn it becomes.

use std::sync::Arc;

use crate::step::{Field, Program, ToolCall, Turn, TurnParts, Usage};
use crate::value::Value;

/// A reply so far.
#[derive(Default)]
pub(in crate::load) struct Draft {
    /// What is neither text, thinking nor call.
    pub parts: TurnParts,
    /// Texts of the reply.
    pub texts: Vec<Arc<str>>,
    /// Texts of its thinking.
    pub thoughts: Vec<Arc<str>>,
    /// Its calls.
    pub calls: Vec<ToolCall>,
    /// Why asking the model failed, where that is marked.
    pub failed: Option<Value>,
    /// Whether the format keeps what the model said to itself.
    pub unrecorded: bool,
}

impl Draft {
    /// Adds tokens to those of the turn.
    pub(in crate::load) fn add_usage(&mut self, usage: Usage) {
        self.parts.usage = self.parts.usage.plus(usage);
    }

    /// Makes the reply's code its program.
    pub(in crate::load) fn program(&mut self, program: Program) {
        self.parts.program = Field::Recorded(program);
    }

    pub(super) fn turn(self, number: u32) -> Turn {
        let Self {
            mut parts,
            texts,
            thoughts,
            calls,
            failed,
            unrecorded,
        } = self;
        parts.raw_response = match (join(&texts), unrecorded) {
            (Some(text), _) => Field::Recorded(text),
            (None, true) => Field::NotRecorded,
            (None, false) => Field::Absent,
        };
        parts.thinking = Field::recorded(join(&thoughts));
        parts.tool_calls = match (calls.is_empty(), unrecorded) {
            (true, true) => Field::NotRecorded,
            (true, false) => Field::Absent,
            (false, _) => Field::Recorded(calls),
        };
        if parts.program.get().is_none() {
            parts.program = Field::Absent;
        }
        parts.unmarked = true;
        match failed {
            Some(why) => {
                parts.result = Field::Recorded(why);
                parts.request_failed = true;
                Turn::failure(number, parts)
            }
            None => Turn::success(number, parts),
        }
    }
}

/// Texts as one, a blank line between two.
fn join(texts: &[Arc<str>]) -> Option<Arc<str>> {
    match texts {
        [] => None,
        [one] => Some(Arc::clone(one)),
        more => Some(more.join("\n\n").into()),
    }
}
