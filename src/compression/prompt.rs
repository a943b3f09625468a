//! A prompt: the messages an LLM is sent, where each piece of them comes from, and what is told of it.

use std::ops::Range;
use std::sync::Arc;

use super::left_out::LeftOut;
use super::shared::TurnMessages;
use crate::namespace::PromptMessage;
use crate::step::Role;
use crate::tokens::{Lines, Tokenizer};

/// How many items there are, and how many of them are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Shown {
    /// Items of turns that didn't fail.
    pub total: usize,
    /// How many of them the prompt shows.
    pub shown: usize,
}

impl Shown {
    /// `shown` of `total` items.
    pub fn new(shown: usize, total: usize) -> Self {
        Self {
            total,
            shown: shown.min(total),
        }
    }

    /// How many the prompt doesn't show.
    pub fn dropped(self) -> usize {
        self.total - self.shown
    }
}

/// What a strategy reports of a prompt (requirements 7).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// The strategy.
    pub strategy: &'static str,
    /// Turns that are not whole in the prompt.
    pub turns_compressed: usize,
    /// Calls of turns that didn't fail.
    pub calls: Shown,
    /// Prints of turns that didn't fail.
    pub prints: Shown,
    /// Failed turns of which nothing is in the prompt.
    pub errors_collapsed: usize,
    /// What only this strategy has to say.
    pub notes: Vec<String>,
    /// What only this strategy counts, by name.
    pub figures: Vec<(&'static str, Figure)>,
}

/// A figure that only one strategy has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Figure {
    /// A number.
    Count(usize),
    /// Whether something is so.
    Flag(bool),
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
        }
    }
}

/// The messages of a prompt with what is known of them.
///
/// Messages of older turns are shared between prompts and made when somebody looks at them.
#[derive(Debug, Clone)]
pub struct Prompt {
    segments: Vec<Segment>,
    /// What was left out, in the order of the history.
    pub left_out: Vec<LeftOut>,
    /// What the strategy reports.
    pub stats: Stats,
}

/// A stretch of a prompt's messages.
#[derive(Debug, Clone)]
pub(super) enum Segment {
    /// Messages that are made already.
    Made(Vec<Arc<PromptMessage>>),
    /// Messages of single turns, by their places among those of all turns.
    Turns(Arc<TurnMessages>, Range<usize>),
}

impl Segment {
    /// Messages that are made already.
    pub(super) fn made(messages: impl IntoIterator<Item = PromptMessage>) -> Self {
        Self::Made(messages.into_iter().map(Arc::new).collect())
    }

    /// The messages of the turns with these indexes.
    pub(super) fn turns(all: Arc<TurnMessages>, turns: &Range<usize>) -> Self {
        let range = all.before(turns.start).messages..all.before(turns.end).messages;
        Self::Turns(all, range)
    }

    fn len(&self) -> usize {
        match self {
            Self::Made(messages) => messages.len(),
            Self::Turns(_, range) => range.len(),
        }
    }

    fn get(&self, index: usize) -> Option<Arc<PromptMessage>> {
        match self {
            Self::Made(messages) => messages.get(index).map(Arc::clone),
            Self::Turns(turns, range) => turns.message(range.start + index),
        }
    }

    /// How many messages at the start are known to be those of another stretch.
    fn equal_start(&self, other: &Self) -> usize {
        match (self, other) {
            (Self::Made(own), Self::Made(other)) => {
                let both = own.iter().zip(other);
                both.take_while(|(own, other)| Arc::ptr_eq(own, other))
                    .count()
            }
            (Self::Turns(own, range), Self::Turns(other, others))
                if Arc::ptr_eq(own, other) && range.start == others.start =>
            {
                range.len().min(others.len())
            }
            _ => 0,
        }
    }

    /// The messages at some places of this.
    fn slice(&self, range: Range<usize>) -> Self {
        match self {
            Self::Made(messages) => Self::Made(messages[range].to_vec()),
            Self::Turns(turns, all) => {
                let range = all.start + range.start..all.start + range.end;
                Self::Turns(Arc::clone(turns), range)
            }
        }
    }
}

impl Prompt {
    /// A prompt of messages that are made already.
    pub fn new(messages: Vec<Arc<PromptMessage>>, left_out: Vec<LeftOut>, stats: Stats) -> Self {
        Self {
            segments: vec![Segment::Made(messages)],
            left_out,
            stats,
        }
    }

    /// A prompt of stretches, nothing known of it yet.
    pub(super) fn of(segments: Vec<Segment>) -> Self {
        Self {
            segments,
            left_out: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// The messages at some places, shared.
    pub(super) fn segments(&self, range: Range<usize>) -> Vec<Segment> {
        let mut start = 0;
        let mut found = Vec::new();
        for segment in &self.segments {
            let end = start + segment.len();
            let (from, to) = (range.start.max(start), range.end.min(end));
            if from < to {
                found.push(segment.slice(from - start..to - start));
            }
            start = end;
        }
        found
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.segments.iter().map(Segment::len).sum()
    }

    /// Whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The message at a place, from 0.
    pub fn get(&self, mut index: usize) -> Option<Arc<PromptMessage>> {
        for segment in &self.segments {
            if index < segment.len() {
                return segment.get(index);
            }
            index -= segment.len();
        }
        None
    }

    /// All messages in order.
    pub fn iter(&self) -> impl Iterator<Item = Arc<PromptMessage>> + '_ {
        self.iter_from(0)
    }

    /// The messages from a place on, in order.
    pub fn iter_from(&self, mut place: usize) -> impl Iterator<Item = Arc<PromptMessage>> + '_ {
        self.segments.iter().flat_map(move |segment| {
            let skipped = place.min(segment.len());
            place -= skipped;
            let (made, turns) = match segment {
                Segment::Made(messages) => (Some(messages[skipped..].iter().cloned()), None),
                Segment::Turns(turns, range) => {
                    (None, Some(turns.messages(range.start + skipped..range.end)))
                }
            };
            made.into_iter()
                .flatten()
                .chain(turns.into_iter().flatten())
        })
    }

    /// How many messages at the start are known to be those of another prompt, without a look at each.
    pub(crate) fn equal_start(&self, other: &Self) -> usize {
        let filled = |segment: &&Segment| segment.len() > 0;
        let own = self.segments.iter().filter(filled);
        let others = other.segments.iter().filter(filled);
        let mut equal = 0;
        for (own, other) in own.zip(others) {
            let here = own.equal_start(other);
            equal += here;
            if here < own.len() || here < other.len() {
                break;
            }
        }
        equal
    }

    /// All messages as role and text.
    pub fn messages(&self) -> Vec<(Role, Arc<str>)> {
        self.iter()
            .map(|message| (message.role, Arc::clone(&message.content)))
            .collect()
    }

    /// The tokens of all messages' contents.
    pub fn tokens(&self, tokenizer: Tokenizer) -> usize {
        self.sum_tokens(tokenizer, |made| made.tokens(tokenizer))
    }

    /// The same, for a prompt that has most lines in common with others that were counted so.
    pub(super) fn tokens_by(&self, lines: &mut Lines) -> usize {
        self.sum_tokens(lines.tokenizer(), |made| made.tokens_by(lines))
    }

    /// `of_made` counts the messages that aren't shared with other prompts.
    fn sum_tokens(
        &self,
        tokenizer: Tokenizer,
        mut of_made: impl FnMut(&PromptMessage) -> usize,
    ) -> usize {
        let of_segment = |segment: &Segment| match segment {
            Segment::Made(messages) => messages.iter().map(|made| of_made(made)).sum(),
            Segment::Turns(turns, range) => turns.tokens(range.clone(), tokenizer),
        };
        self.segments.iter().map(of_segment).sum()
    }
}
