//! Messages as an LLM is sent them, and token usage as recorded.

use std::sync::Arc;

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The system prompt.
    System,
    /// What the agent's loop or a person says.
    User,
    /// What the LLM said.
    Assistant,
    /// A tool's result, in formats that have such messages.
    Tool,
}

impl Role {
    /// The name in a message's JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    /// The role of a name in a message's JSON.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "system" | "developer" => Some(Self::System),
            "user" | "human" => Some(Self::User),
            "assistant" | "model" => Some(Self::Assistant),
            "tool" | "function" => Some(Self::Tool),
            _ => None,
        }
    }
}

/// A message that was recorded as sent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text.
    pub content: Arc<str>,
}

impl Message {
    /// A message.
    pub fn new(role: Role, content: impl Into<Arc<str>>) -> Self {
        Self {
            role,
            content: content.into(),
        }
    }
}

/// Tokens as the trace reports them. What it doesn't report is `None`, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of the prompt.
    pub input: Option<u64>,
    /// Tokens of the reply.
    pub output: Option<u64>,
    /// Their sum, where the trace has it.
    pub total: Option<u64>,
    /// Prompt tokens read from the provider's cache.
    pub cache_read: Option<u64>,
    /// Prompt tokens written to the provider's cache.
    pub cache_write: Option<u64>,
}

impl Usage {
    /// Whether nothing at all is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same without counts that no trace can mean: over 2^63-1, as sums of several may be
    /// (`formats/README.md`).
    #[must_use]
    pub fn sane(self) -> Self {
        let sane = |count: Option<u64>| count.filter(|count| i64::try_from(*count).is_ok());
        Self {
            input: sane(self.input),
            output: sane(self.output),
            total: sane(self.total),
            cache_read: sane(self.cache_read),
            cache_write: sane(self.cache_write),
        }
    }

    /// Input plus output, or the recorded total where one of them is missing.
    pub fn sum(&self) -> Option<u64> {
        match (self.input, self.output) {
            (Some(input), Some(output)) => input.checked_add(output),
            _ => self.total,
        }
    }

    /// The sum of two; a part that one of them doesn't tell is the other's.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let add = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        Self {
            input: add(self.input, other.input),
            output: add(self.output, other.output),
            total: add(self.total, other.total),
            cache_read: add(self.cache_read, other.cache_read),
            cache_write: add(self.cache_write, other.cache_write),
        }
    }
}
