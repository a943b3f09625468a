//! How much of each prompt a provider has cached, where the prefix breaks, and what that costs
//! (analysis, "Cache").

use std::collections::HashMap;
use std::sync::Arc;

use super::profile::Profile;
use crate::namespace::{Origin, PromptMessage};
use crate::step::Role;
use crate::tokens::{Tokenizer, code_points};

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
}

impl Miss {
    /// Where the content differs.
    pub fn content(&self) -> Option<&Break> {
        match self {
            Self::Content(found) => Some(found),
            Self::Expired { then, .. } => then.as_ref(),
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

/// A prompt that was sent.
#[derive(Debug)]
struct Sent {
    messages: Vec<Arc<PromptMessage>>,
    /// For every message, what stands for it and all before it: equal ones, equal prefixes.
    prefixes: Vec<u32>,
    /// When it was sent, in seconds.
    at: Option<u64>,
}

/// A provider's cache over a run: prompts go in, in order, and what is cached of each comes out.
#[derive(Debug)]
pub struct Cache {
    tokenizer: Tokenizer,
    profile: Profile,
    sent: Vec<Sent>,
    known: HashMap<(u32, Role, Arc<str>), u32>,
    /// Tokens of every known prefix.
    tokens: Vec<usize>,
}

/// How much two prompts share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Equal {
    messages: usize,
    tokens: usize,
}

impl Cache {
    /// An empty cache.
    pub fn new(tokenizer: Tokenizer, profile: Profile) -> Self {
        Self {
            tokenizer,
            profile,
            sent: Vec::new(),
            known: HashMap::new(),
            tokens: vec![0],
        }
    }

    /// Sends the next prompt. `at` is when, in seconds.
    pub fn push(&mut self, messages: Vec<Arc<PromptMessage>>, at: Option<u64>) -> Cached {
        let prefixes = self.prefixes(&messages);
        let prompt = self.tokens_of(&prefixes, messages.len());
        let new = Sent {
            messages,
            prefixes,
            at,
        };
        let (alive, any) = (self.best(&new, true), self.best(&new, false));
        self.sent.push(new);
        let new = self.sent.last();
        let cached = alive.map_or(0, |(_, equal)| self.profile.cached_of(equal.tokens));
        let content = alive.zip(new).and_then(|((earlier, equal), new)| {
            first_difference(new, &self.sent[earlier], equal.messages)
        });
        // A longer prefix was there, but its time is over.
        let expired = any.filter(|(_, equal)| alive.is_none_or(|(_, a)| a.tokens < equal.tokens));
        let miss = match expired.and_then(|(earlier, _)| self.gap(earlier)) {
            Some(gap) => Some(Miss::Expired { gap, then: content }),
            None => content.map(Miss::Content),
        };
        let fresh = prompt - cached;
        let writes = self.profile.written > self.profile.fresh && prompt >= self.profile.minimum;
        Cached {
            prompt,
            cached,
            written: if writes { fresh } else { 0 },
            earlier: alive.map(|(earlier, _)| crate::namespace::content::turn_number(earlier)),
            miss,
        }
    }

    fn prefixes(&mut self, messages: &[Arc<PromptMessage>]) -> Vec<u32> {
        let mut prefix = 0;
        let mut found = Vec::with_capacity(messages.len());
        for message in messages {
            let next = u32::try_from(self.tokens.len()).unwrap_or(u32::MAX);
            let key = (prefix, message.role, Arc::clone(&message.content));
            let known = *self.known.entry(key).or_insert(next);
            if known == next {
                let before = self.tokens[prefix as usize];
                self.tokens.push(before + message.tokens(self.tokenizer));
            }
            prefix = known;
            found.push(prefix);
        }
        found
    }

    fn tokens_of(&self, prefixes: &[u32], messages: usize) -> usize {
        let last = messages.checked_sub(1).and_then(|last| prefixes.get(last));
        last.map_or(0, |&prefix| self.tokens[prefix as usize])
    }

    /// The earlier prompt that shares most with a new one, of equals the latest.
    fn best(&self, new: &Sent, alive: bool) -> Option<(usize, Equal)> {
        let mut best: Option<(usize, Equal)> = None;
        for (at, earlier) in self.sent.iter().enumerate().rev() {
            if alive && !self.is_alive(earlier, new) {
                continue;
            }
            let at_least = best.map_or(0, |(_, equal)| equal.messages);
            let shares = |count: usize| {
                count == 0
                    || new.prefixes.get(count - 1).is_some()
                        && new.prefixes.get(count - 1) == earlier.prefixes.get(count - 1)
            };
            if !shares(at_least) {
                continue;
            }
            let mut messages = at_least;
            while shares(messages + 1) {
                messages += 1;
            }
            let within = if self.profile.whole_messages {
                0
            } else {
                self.within(new, earlier, messages)
            };
            let tokens = self.tokens_of(&new.prefixes, messages) + within;
            if best.is_none_or(|(_, equal)| tokens > equal.tokens) {
                best = Some((at, Equal { messages, tokens }));
            }
        }
        best
    }

    /// Equal tokens of the first message that differs.
    fn within(&self, new: &Sent, earlier: &Sent, message: usize) -> usize {
        let (Some(a), Some(b)) = (new.messages.get(message), earlier.messages.get(message)) else {
            return 0;
        };
        if a.role != b.role {
            return 0;
        }
        if self.tokenizer == Tokenizer::Estimate {
            let equal = equal_bytes(&a.content, &b.content);
            return code_points(&a.content[..equal]) / 4;
        }
        let (a, b) = (a.token_ids(self.tokenizer), b.token_ids(self.tokenizer));
        a.iter().zip(b.iter()).take_while(|(a, b)| a == b).count()
    }

    fn is_alive(&self, earlier: &Sent, new: &Sent) -> bool {
        match (self.profile.lifetime, earlier.at, new.at) {
            (Some(lifetime), Some(then), Some(now)) => {
                now.saturating_sub(then) <= u64::from(lifetime)
            }
            _ => true,
        }
    }

    /// Seconds between an earlier prompt and the last one.
    fn gap(&self, earlier: usize) -> Option<u64> {
        let now = self.sent.last()?.at?;
        Some(now.saturating_sub(self.sent[earlier].at?))
    }
}

/// Bytes of the equal characters at the start of two texts.
fn equal_bytes(a: &str, b: &str) -> usize {
    let equal = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    (0..=equal)
        .rev()
        .find(|&at| a.is_char_boundary(at) && b.is_char_boundary(at))
        .unwrap_or(0)
}

/// The first difference, where `equal` messages are equal; none where one prompt ends there.
fn first_difference(new: &Sent, earlier: &Sent, equal: usize) -> Option<Break> {
    let (a, b) = (new.messages.get(equal)?, earlier.messages.get(equal)?);
    let at = if a.role == b.role {
        equal_bytes(&a.content, &b.content)
    } else {
        0
    };
    let of = if at < a.content.len() { a } else { b };
    let piece = of.pieces.iter().find(|piece| piece.end > at);
    let origin = piece.map(|piece| piece.origin.clone());
    Some(Break {
        message: equal,
        char: code_points(&a.content[..at]),
        piece: origin.filter(|origin| *origin != Origin::Recorded),
    })
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
