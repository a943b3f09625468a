//! What happened to a run between its turns, where a trace tells it.

use std::sync::Arc;

use super::Message;

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
    /// A person went back: what follows goes on from an earlier place, and what came after that place
    /// is another branch.
    Branch,
}

impl EventKind {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::ApiError,
        Self::Interruption,
        Self::Compaction,
        Self::Branch,
    ];

    /// The name in outputs and in a step file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ApiError => "API error",
            Self::Interruption => "interruption",
            Self::Compaction => "compaction",
            Self::Branch => "branch",
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
    /// For a branch: how many turns there are before it, in its own history.
    pub resumes: Option<usize>,
    /// How many of the messages that wait for the next turn came before it.
    pub arrived: usize,
    /// For a compaction: the messages that it left, where the trace has them; `text` has what they say.
    pub history: Vec<Message>,
    /// Whether more than those was left that can't be read, such as an encrypted summary.
    pub hides: bool,
    /// For a compaction: what it left out, where the trace names that; else it is all that was before.
    pub forgotten: Option<Forgotten>,
}

/// What a compaction left out of the history, while the rest of it stayed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Forgotten {
    /// Turns, from 0.
    pub turns: Vec<usize>,
    /// Turns, from 0, of which what arrived before them was left out.
    pub inputs: Vec<usize>,
}

impl Forgotten {
    /// Turns, and turns before which something arrived.
    pub fn new(turns: Vec<usize>, inputs: Vec<usize>) -> Self {
        Self { turns, inputs }
    }
}

impl Event {
    /// An event after so many turns.
    pub fn new(kind: EventKind, after: usize, text: Option<Arc<str>>) -> Self {
        Self {
            kind,
            after,
            text,
            resumes: None,
            arrived: 0,
            history: Vec::new(),
            hides: false,
            forgotten: None,
        }
    }

    /// A branch: after so many turns of the file, what follows goes on after the first `resumes` of
    /// them.
    pub fn branch(after: usize, resumes: usize) -> Self {
        let from = match resumes {
            0 => "it begins anew".to_owned(),
            turn => format!("it goes on after turn {turn}"),
        };
        let left = match after.saturating_sub(resumes) {
            0 => "the message before it was sent again".to_owned(),
            1 => format!("turn {after} is on another branch"),
            _ => format!("turns {} to {after} are on another branch", resumes + 1),
        };
        Self {
            resumes: Some(resumes),
            ..Self::new(
                EventKind::Branch,
                after,
                Some(format!("{from}; {left}").into()),
            )
        }
    }
}
