//! A prompt: the messages an LLM is sent, where each piece of them comes from, and what was left out.

use std::ops::Range;
use std::sync::Arc;

use super::Options;
use super::shared::TurnMessages;
use crate::namespace::{Origin, PromptMessage, content::turn_number};
use crate::step::{History, Role, history::ItemRef};
use crate::tokens::{Lines, Tokenizer};

/// Why something of the history is not in a prompt (requirements 7). Where several reasons hold,
/// the first in this order is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// Over the limit of calls or prints.
    OverLimit,
    /// The error of a failed turn from which the run recovered.
    ErrorCollapsed,
    /// A later definition of the same name took its place.
    Superseded,
    /// Replaced by a note on its size.
    Masked,
    /// Replaced by a note.
    Cleared,
    /// Cut inside a piece that is shown.
    Cut,
    /// The strategy shows nothing of this kind.
    NotShown,
    /// Over the budget of tokens.
    OverBudget,
}

impl Reason {
    /// The words for it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::OverLimit => "over the limit",
            Self::ErrorCollapsed => "error collapsed",
            Self::Superseded => "superseded by a later definition",
            Self::Masked => "masked",
            Self::Cleared => "cleared",
            Self::Cut => "cut inside a shown piece",
            Self::NotShown => "not shown by this strategy",
            Self::OverBudget => "over the budget",
        }
    }
}

/// A range of left-out items. Ranges of turns are indexes from 0; ranges of calls and prints are
/// places among the history's calls and prints.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum LeftOutItems {
    /// Calls of turns that didn't fail.
    Calls(Range<usize>),
    /// Prints of turns that didn't fail.
    Prints(Range<usize>),
    /// Programs of the turns that didn't fail.
    Programs(Range<usize>),
    /// Results of the turns that didn't fail.
    Results(Range<usize>),
    /// Inputs of the turns.
    Inputs(Range<usize>),
    /// Programs and errors, calls and prints of the failed turns.
    FailedTurns(Range<usize>),
    /// Definitions made in these turns that a later one replaced.
    Definitions(Range<usize>),
    /// Named pieces.
    Pieces(Vec<Origin>),
    /// What a strategy lists by itself, from the history and its options.
    Listed {
        /// Lists the items of a range of turns, indexes from 0.
        list: fn(History<'_>, &Options, &Range<usize>) -> Vec<Origin>,
        /// The options they depend on.
        options: Options,
    },
}

/// What was left out of a prompt, and why.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LeftOut {
    /// The items.
    pub items: LeftOutItems,
    /// Why.
    pub reason: Reason,
}

impl LeftOut {
    /// A range of items with the reason why they are not there.
    pub fn new(items: LeftOutItems, reason: Reason) -> Self {
        Self { items, reason }
    }

    /// The last of the items, and how many there are.
    pub fn last(&self, history: History<'_>, most: usize) -> (Vec<Origin>, usize) {
        let of = |items: &[ItemRef], range: &Range<usize>, origin: fn(ItemRef) -> Origin| {
            let items = items.get(range.clone()).unwrap_or_default();
            let last = items.iter().skip(items.len().saturating_sub(most));
            (last.copied().map(origin).collect(), items.len())
        };
        match &self.items {
            LeftOutItems::Calls(range) => of(history.calls(), range, Origin::call),
            LeftOutItems::Prints(range) => of(history.prints(), range, Origin::print),
            LeftOutItems::Programs(range) => {
                last_of(history.programs_in(range.clone()), most, Origin::Program)
            }
            LeftOutItems::Results(range) => {
                last_of(history.results_in(range.clone()), most, Origin::Result)
            }
            LeftOutItems::Definitions(range) => superseded(history, range, most),
            LeftOutItems::Inputs(range) => inputs(history, range, most),
            LeftOutItems::FailedTurns(range) => failures(history, range, most),
            LeftOutItems::Pieces(_) | LeftOutItems::Listed { .. } => {
                let mut all = self.list(history);
                let count = all.len();
                (all.split_off(count.saturating_sub(most)), count)
            }
        }
    }

    /// Whether an item is among them.
    pub fn has(&self, history: History<'_>, item: &Origin) -> bool {
        let index = item.turn().and_then(|turn| turn.checked_sub(1));
        let Some(turn) = index.map(|index| index as usize) else {
            return matches!(&self.items, LeftOutItems::Pieces(items) if items.contains(item));
        };
        let narrowed = |range: &Range<usize>| range.start.max(turn)..range.end.min(turn + 1);
        let of_turn = |items: &[ItemRef], range: &Range<usize>| {
            let from = items.partition_point(|at| at.turn < turn).max(range.start);
            let to = items.partition_point(|at| at.turn <= turn).min(range.end);
            from..to.max(from)
        };
        let items = match &self.items {
            LeftOutItems::Calls(range) => LeftOutItems::Calls(of_turn(history.calls(), range)),
            LeftOutItems::Prints(range) => LeftOutItems::Prints(of_turn(history.prints(), range)),
            LeftOutItems::Programs(range) => LeftOutItems::Programs(narrowed(range)),
            LeftOutItems::Results(range) => LeftOutItems::Results(narrowed(range)),
            LeftOutItems::Inputs(range) => LeftOutItems::Inputs(narrowed(range)),
            LeftOutItems::FailedTurns(range) => LeftOutItems::FailedTurns(narrowed(range)),
            LeftOutItems::Definitions(range) => {
                let Origin::Definition { name, .. } = item else {
                    return false;
                };
                let changes = history.changes(name);
                return range.contains(&turn)
                    && changes.last() != Some(&turn)
                    && changes.binary_search(&turn).is_ok();
            }
            LeftOutItems::Pieces(items) => return items.contains(item),
            LeftOutItems::Listed { list, options } => {
                return list(history, options, &(turn..turn + 1)).contains(item);
            }
        };
        Self::new(items, self.reason).list(history).contains(item)
    }

    /// The items one by one. This walks through the range; nothing else does.
    pub fn list(&self, history: History<'_>) -> Vec<Origin> {
        let slice = |items: &[ItemRef], range: &Range<usize>| -> Vec<ItemRef> {
            items.get(range.clone()).unwrap_or_default().to_vec()
        };
        match &self.items {
            LeftOutItems::Calls(range) => slice(history.calls(), range)
                .into_iter()
                .map(Origin::call)
                .collect(),
            LeftOutItems::Prints(range) => slice(history.prints(), range)
                .into_iter()
                .map(Origin::print)
                .collect(),
            LeftOutItems::Programs(_)
            | LeftOutItems::Results(_)
            | LeftOutItems::Inputs(_)
            | LeftOutItems::FailedTurns(_)
            | LeftOutItems::Definitions(_) => self.last(history, usize::MAX).0,
            LeftOutItems::Pieces(origins) => origins.clone(),
            LeftOutItems::Listed { list, options } => list(history, options, &(0..history.len())),
        }
    }
}

/// What there is of a failed turn.
pub(super) fn failed_items(history: History<'_>, index: usize) -> Vec<Origin> {
    let turn = turn_number(index);
    let has = history.amounts(index).unwrap_or_default();
    let program = has.has_program.then_some(Origin::Program(turn));
    let calls = (0..has.calls).map(|index| Origin::Call { turn, index });
    let prints = (0..has.prints).map(|index| Origin::Print { turn, index });
    let error = [Origin::Error(turn)];
    program
        .into_iter()
        .chain(calls)
        .chain(prints)
        .chain(error)
        .collect()
}

/// The last items of turns that have one of a kind, and how many there are.
fn last_of(turns: &[usize], most: usize, origin: fn(u32) -> Origin) -> (Vec<Origin>, usize) {
    let last = turns.iter().skip(turns.len().saturating_sub(most));
    let items = last.map(|&turn| origin(turn_number(turn))).collect();
    (items, turns.len())
}

/// The last texts that arrived before turns of a range, and how many there are. What arrived after the
/// last turn is the input of the next one.
fn inputs(history: History<'_>, range: &Range<usize>, most: usize) -> (Vec<Origin>, usize) {
    let arrived = history.inputs_in(range.clone());
    let next = range.contains(&history.len()) && history.has_next_input();
    let count = arrived.len() + usize::from(next);
    let all = arrived.iter().copied().chain(next.then_some(history.len()));
    let last = all.skip(count.saturating_sub(most));
    let items = last.map(|turn| Origin::Input(turn_number(turn)));
    (items.collect(), count)
}

/// The last of what there is of failed turns in a range, and how much there is.
fn failures(history: History<'_>, range: &Range<usize>, most: usize) -> (Vec<Origin>, usize) {
    let failed = history.failed_in(range.clone());
    let size = |turn: usize| {
        let has = history.amounts(turn).unwrap_or_default();
        usize::from(has.has_program) + has.calls + has.prints + 1
    };
    let count = failed.iter().map(|&turn| size(turn)).sum();
    let mut taken = 0;
    let enough = |turn: &&usize| {
        let wanted = taken < most;
        taken += size(**turn);
        wanted
    };
    let last = failed.iter().rev().take_while(enough).count();
    let turns = failed[failed.len() - last..].iter();
    let mut items: Vec<Origin> = turns
        .flat_map(|&turn| failed_items(history, turn))
        .collect();
    items.drain(..items.len().saturating_sub(most));
    (items, count)
}

/// The last definitions of a range of turns that later ones replaced, by turn and name, and how many
/// there are.
fn superseded(history: History<'_>, range: &Range<usize>, most: usize) -> (Vec<Origin>, usize) {
    let mut found: Vec<(usize, &Arc<str>)> = Vec::new();
    for name in history.defined_names() {
        let changes = history.changes(name);
        let older = &changes[..changes.len().saturating_sub(1)];
        let from = older.partition_point(|turn| *turn < range.start);
        let to = older.partition_point(|turn| *turn < range.end).max(from);
        found.extend(older[from..to].iter().map(|&turn| (turn, name)));
    }
    let count = found.len();
    let first = count.saturating_sub(most);
    if first > 0 && first < count {
        // Those before it needn't be in order.
        found.select_nth_unstable(first);
    }
    found.drain(..first);
    found.sort_unstable();
    let items = found.into_iter().map(|(turn, name)| Origin::Definition {
        name: Arc::clone(name),
        turn: Some(turn_number(turn)),
    });
    (items.collect(), count)
}

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
