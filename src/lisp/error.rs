//! Why a program failed: the reference's reason word, a message, and the place where it is known.

use std::fmt;

use crate::value::Value;

/// A place in a program's text, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // a coordinate
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Place {
    /// The place of a byte.
    pub fn of(program: &str, at: usize) -> Self {
        let mut at = at.min(program.len());
        while !program.is_char_boundary(at) {
            at -= 1;
        }
        let before = &program[..at];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
        }
    }
}

/// Why a program failed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LispError {
    /// The kind of error, such as `unbound_var` or `out_of_budget`.
    pub reason: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it, where something can be told.
    pub hint: Option<String>,
    /// The tool that failed, where one did.
    pub(super) tool: Option<Box<ToolFault>>,
    /// Bytes before the place.
    pub(super) at: Option<usize>,
    /// The place.
    pub place: Option<Place>,
}

impl LispError {
    pub(super) fn new(reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            hint: None,
            tool: None,
            at: None,
            place: None,
        }
    }

    pub(super) fn at(mut self, at: usize) -> Self {
        self.at.get_or_insert(at);
        self
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn placed(mut self, program: &str) -> Self {
        self.place = self.at.map(|at| Place::of(program, at));
        self
    }
}

impl fmt::Display for LispError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Place { line, column }) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for LispError {}

/// The tool that made a program fail.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolFault {
    pub(super) name: std::sync::Arc<str>,
    /// Whether it broke: then the calls made so far are told.
    pub(super) crashed: bool,
}

/// What ends an evaluation before its value is there.
#[derive(Debug)]
pub(super) enum Signal {
    Error(Box<LispError>),
    /// `(return value)`.
    Return(Value),
    /// `(fail reason)`.
    Fail(Value),
    /// `(recur ..)`, to the loop or function around it.
    Recur(Vec<Value>),
}

impl From<LispError> for Signal {
    fn from(error: LispError) -> Self {
        Self::Error(Box::new(error))
    }
}

pub(super) type Res<T = Value> = Result<T, Signal>;

pub(super) fn fail<T>(reason: &'static str, message: impl Into<String>) -> Res<T> {
    Err(LispError::new(reason, message).into())
}
