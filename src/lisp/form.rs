//! What the reader makes of a program's text: forms, each with its place.

use std::sync::Arc;

use crate::value::Value;

/// A form and where it begins.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) kind: Kind,
    /// Bytes before it.
    pub(super) at: usize,
    /// Bytes before its end.
    pub(super) end: usize,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// Nil, booleans, numbers, strings, characters, keywords.
    Literal(Value),
    Symbol(Arc<str>),
    List(Vec<Form>),
    Vector(Vec<Form>),
    /// Keys and values in turn.
    Map(Vec<Form>),
    Set(Vec<Form>),
    /// `#( .. )`.
    ShortFn(Vec<Form>),
    /// `#"pattern"`.
    Regex(Arc<str>),
    /// `#'name`.
    Var(Arc<str>),
}

impl Form {
    pub(super) fn new(kind: Kind, at: usize, end: usize) -> Self {
        Self { kind, at, end }
    }

    pub(super) fn symbol(&self) -> Option<&Arc<str>> {
        match &self.kind {
            Kind::Symbol(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn keyword(&self) -> Option<&str> {
        match &self.kind {
            Kind::Literal(Value::Keyword(name)) => Some(name),
            _ => None,
        }
    }

    pub(super) fn string(&self) -> Option<&Arc<str>> {
        match &self.kind {
            Kind::Literal(Value::Str(text)) => Some(text),
            _ => None,
        }
    }

    pub(super) fn vector(&self) -> Option<&[Form]> {
        match &self.kind {
            Kind::Vector(items) => Some(items),
            _ => None,
        }
    }
}
