//! How much of each prompt a provider has cached, where the prefix breaks, and what that costs
//! (analysis, "Cache").

use std::fmt;
use std::sync::Arc;

use super::prefix::Prefixes;
use super::profile::Profile;
use crate::namespace::{Origin, PromptMessage};
use crate::tokens::Tokenizer;

/// A prompt's cached prefix.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Cached {
    /// Tokens of the prompt.
    pub prompt: usize,
    /// How many of them, at its start, are cached.
    pub cached: usize,
    /// How many are written to the cache, where that is a matter of its own.
    pub written: usize,
    /// The turn whose prompt shares the prefix; none for the first.
    pub earlier: Option<u32>,
    /// Where the prefix ends; none where nothing differs, or there is no earlier prompt.
    pub miss: Option<Miss>,
}

impl Cached {
    /// Tokens that are not cached.
    pub fn fresh(&self) -> usize {
        self.prompt - self.cached
    }
}

/// Why a prompt isn't cached further.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Miss {
    /// The content differs.
    Content(Break),
    /// The prompt that shares more was sent so many seconds before, which is too long ago.
    Expired {
        /// Seconds between the two.
        gap: u64,
        /// Where the prefix breaks that is still alive.
        then: Option<Break>,
    },
    /// The provider read nothing from its cache though what the trace has is equal: the prefix breaks
    /// before that, in what was not recorded.
    NotRecorded {
        /// Where what the trace has breaks.
        then: Option<Break>,
    },
}

impl Miss {
    /// Where the content differs.
    pub fn content(&self) -> Option<&Break> {
        match self {
            Self::Content(found) => Some(found),
            Self::Expired { then, .. } | Self::NotRecorded { then } => then.as_ref(),
        }
    }

    /// The word in outputs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Content(_) => "content",
            Self::Expired { .. } => "expired",
            Self::NotRecorded { .. } => "not recorded",
        }
    }
}

/// The word, with the piece or the gap.
impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if let Self::Expired { gap, .. } = self {
            write!(f, " after {gap} s")?;
        }
        match self.content() {
            Some(found) => write!(f, ": {found}"),
            None => Ok(()),
        }
    }
}

/// `message 1, character 89, definition acc`.
impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}, character {}", self.message, self.char)?;
        match &self.piece {
            Some(piece) => write!(f, ", {piece}"),
            None => Ok(()),
        }
    }
}

/// The first difference between two prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Break {
    /// The message, from 0.
    pub message: usize,
    /// The code point in it, from 0.
    pub char: usize,
    /// The piece: the later prompt's; the earlier one's where the later message ends there.
    pub piece: Option<Origin>,
}

/// A provider's cache over a run: prompts go in, in order, and what is cached of each comes out.
#[derive(Debug)]
pub struct Cache {
    profile: Profile,
    prefixes: Prefixes,
}

impl Cache {
    /// An empty cache.
    pub fn new(tokenizer: Tokenizer, profile: Profile) -> Self {
        Self {
            profile,
            prefixes: Prefixes::new(tokenizer, profile),
        }
    }

    /// Sends the next prompt. `at` is when, in seconds.
    pub fn push(&mut self, messages: &[Arc<PromptMessage>], at: Option<u64>) -> Cached {
        self.push_after(0, messages, at)
    }

    /// Sends the next prompt, of which so many messages at the start are those of the prompt before.
    pub(super) fn push_after(
        &mut self,
        same: usize,
        messages: &[Arc<PromptMessage>],
        at: Option<u64>,
    ) -> Cached {
        let (prompt, alive, any) = self.prefixes.push(same, messages, at);
        let cached = alive.map_or(0, |shared| self.profile.cached_of(shared.tokens));
        let content = alive.and_then(|shared| {
            self.prefixes
                .difference(messages, shared.earlier, shared.messages)
        });
        // A longer prefix was there, but its time is over.
        let expired = any.filter(|any| alive.is_none_or(|alive| alive.tokens < any.tokens));
        let miss = match expired.and_then(|shared| self.prefixes.gap(shared.earlier)) {
            Some(gap) => Some(Miss::Expired { gap, then: content }),
            None => content.map(Miss::Content),
        };
        let fresh = prompt - cached;
        let writes = self.profile.written > self.profile.fresh && prompt >= self.profile.minimum;
        Cached {
            prompt,
            cached,
            written: if writes { fresh } else { 0 },
            earlier: alive.map(|shared| crate::namespace::content::turn_number(shared.earlier)),
            miss,
        }
    }
}

/// Sums over the prompts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct CacheSums {
    /// Tokens of all prompts.
    pub tokens: usize,
    /// Cached ones.
    pub cached: usize,
    /// Ones written to the cache.
    pub written: usize,
    /// Tokens of the prompts from the second on.
    pub later: usize,
    /// Whether any prompt is as long as the profile's minimum.
    pub reaches_minimum: bool,
}

impl CacheSums {
    /// Adds a prompt.
    pub fn add(&mut self, prompt: &Cached, profile: &Profile) {
        self.tokens += prompt.prompt;
        self.cached += prompt.cached;
        self.written += prompt.written;
        self.reaches_minimum |= prompt.prompt >= profile.minimum;
    }

    /// Tokens that are not cached.
    pub fn fresh(&self) -> usize {
        self.tokens - self.cached
    }

    /// The cached share of the prompts from the second on; 0 where there are none.
    #[allow(clippy::cast_precision_loss)] // tokens stay far below 2^52
    pub fn cached_share(&self) -> f64 {
        if self.later == 0 {
            return 0.0;
        }
        self.cached as f64 / self.later as f64
    }

    /// What all tokens cost, a fresh one being the unit.
    #[allow(clippy::cast_precision_loss)] // tokens stay far below 2^52
    pub fn weighted(&self, profile: &Profile) -> f64 {
        let fresh = self.fresh() - self.written;
        self.cached as f64 * profile.cached
            + fresh as f64 * profile.fresh
            + self.written as f64 * profile.written
    }
}
