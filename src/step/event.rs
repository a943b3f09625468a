//! What happened to a run between its turns, where a trace tells it.

use std::sync::Arc;

/// A kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// The provider answered a request with an error, or didn't answer.
    ApiError,
    /// A person, or the program that drives the agent, broke in.
    Interruption,
    /// The history was replaced by a shorter one.
    Compaction,
}

impl EventKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::ApiError, Self::Interruption, Self::Compaction];

    /// The name in outputs and in a step file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ApiError => "API error",
            Self::Interruption => "interruption",
            Self::Compaction => "compaction",
        }
    }

    /// The kind of a name in a step file.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Something that happened between turns.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// What kind of thing.
    pub kind: EventKind,
    /// Turns before it.
    pub after: usize,
    /// What the trace says of it.
    pub text: Option<Arc<str>>,
}

impl Event {
    /// An event after so many turns.
    pub fn new(kind: EventKind, after: usize, text: Option<Arc<str>>) -> Self {
        Self { kind, after, text }
    }
}
