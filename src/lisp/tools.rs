//! Who answers when a program calls a tool.

use crate::value::Value;

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// Its result.
    Value(Value),
    /// It says that it failed, and why.
    Failed(Value),
    /// It broke; the call is recorded.
    Crashed(Value),
    /// There is no such tool.
    Unknown,
    /// There is no record of such a call, so nobody can tell what it would answer.
    NotRecorded(String),
}

/// Answers the calls of programs.
pub trait Tools: Send {
    /// Calls a tool.
    fn call(&mut self, name: &str, args: &Value) -> Answer;

    /// The tools that can be called, for messages.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// No tools at all.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::exhaustive_structs)] // it holds nothing
pub struct NoTools;

impl Tools for NoTools {
    fn call(&mut self, _: &str, _: &Value) -> Answer {
        Answer::Unknown
    }
}
