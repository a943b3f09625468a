//! Messages of single turns, made once and shared by all prompts that show them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::Options;
use super::prompt::{Shown, Stats};
use crate::namespace::PromptMessage;
use crate::step::{History, Timeline};
use crate::tokens::Tokenizer;

/// What is known of a turn's messages without making them. Sums of it answer what a prompt's
/// statistics ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tally {
    /// Messages.
    pub messages: usize,
    /// 1 where the turn isn't whole.
    pub compressed: usize,
    /// Calls that are not shown.
    pub calls_dropped: usize,
    /// Prints that are not shown.
    pub prints_dropped: usize,
}

impl Tally {
    /// The statistics of a prompt that has all turns of a history, these of them not whole.
    pub(super) fn stats(self, history: History<'_>) -> Stats {
        let counts = history.counts();
        Stats {
            turns_compressed: self.compressed,
            calls: Shown::new(counts.calls - self.calls_dropped, counts.calls),
            prints: Shown::new(counts.prints - self.prints_dropped, counts.prints),
            ..Stats::default()
        }
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.messages += other.messages;
        self.compressed += other.compressed;
        self.calls_dropped += other.calls_dropped;
        self.prints_dropped += other.prints_dropped;
    }
}

/// How a kind of strategy shows single turns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Maker {
    /// The name under which its messages are kept.
    pub kind: &'static str,
    /// The options that its messages depend on.
    pub options: &'static [&'static str],
    /// What is known of a turn's messages without making them.
    pub tally: fn(&Timeline, usize, &Options) -> Tally,
    /// The messages of a turn.
    pub make: fn(&Timeline, usize, &Options) -> Vec<PromptMessage>,
}

/// The messages of every turn of a run under one set of options, each made when it is first asked for.
#[derive(Debug)]
pub struct TurnMessages {
    timeline: Arc<Timeline>,
    options: Options,
    maker: Maker,
    /// Sums before each turn, and of all.
    before: Vec<Tally>,
    turns: Vec<OnceLock<Vec<Arc<PromptMessage>>>>,
    /// Tokens of the first messages, by how many these are, as far as anybody asked.
    sums: Mutex<HashMap<Tokenizer, Vec<usize>>>,
}

impl TurnMessages {
    fn new(timeline: Arc<Timeline>, options: Options, maker: Maker) -> Self {
        let turns = timeline.step().turns().len();
        let mut before = Vec::with_capacity(turns + 1);
        let mut sum = Tally::default();
        before.push(sum);
        for turn in 0..turns {
            sum += (maker.tally)(&timeline, turn, &options);
            before.push(sum);
        }
        Self {
            timeline,
            options,
            maker,
            before,
            turns: std::iter::repeat_with(OnceLock::new).take(turns).collect(),
            sums: Mutex::default(),
        }
    }

    /// Sums over the turns before one.
    pub(super) fn before(&self, turn: usize) -> Tally {
        let sum = self.before.get(turn).or(self.before.last());
        sum.copied().unwrap_or_default()
    }

    /// The turn that the message at a place is of.
    fn turn_of(&self, index: usize) -> Option<usize> {
        let after = self.before.partition_point(|sum| sum.messages <= index);
        after.checked_sub(1)
    }

    /// The messages of a turn; none where there is no such turn.
    pub(super) fn of_turn(&self, turn: usize) -> &[Arc<PromptMessage>] {
        let make = || {
            let made = (self.maker.make)(&self.timeline, turn, &self.options);
            made.into_iter().map(Arc::new).collect()
        };
        let turn = self.turns.get(turn);
        turn.map_or(&[], |turn| turn.get_or_init(make))
    }

    /// The message at a place among those of all turns.
    pub(super) fn message(&self, index: usize) -> Option<Arc<PromptMessage>> {
        let turn = self.turn_of(index)?;
        let place = index - self.before[turn].messages;
        self.of_turn(turn).get(place).map(Arc::clone)
    }

    /// The messages at some places among those of all turns.
    pub(super) fn messages(&self, range: Range<usize>) -> impl Iterator<Item = Arc<PromptMessage>> {
        let first = self.turn_of(range.start).unwrap_or(self.turns.len());
        let before = self.before(first).messages;
        let turns = first..self.turns.len();
        let all = turns.flat_map(|turn| self.of_turn(turn)).cloned();
        all.skip(range.start - before).take(range.len())
    }

    /// The tokens of the messages at some places. Those from the first one on are summed once.
    pub(super) fn tokens(&self, range: Range<usize>, tokenizer: Tokenizer) -> usize {
        if range.start > 0 {
            let messages = self.messages(range);
            return messages.map(|message| message.tokens(tokenizer)).sum();
        }
        let mut sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let sums = sums.entry(tokenizer).or_insert_with(|| vec![0]);
        let mut sum = sums.last().copied().unwrap_or_default();
        for message in self.messages(sums.len() - 1..range.end.max(sums.len() - 1)) {
            sum += message.tokens(tokenizer);
            sums.push(sum);
        }
        sums.get(range.end).copied().unwrap_or(sum)
    }
}

/// Option sets whose messages are kept. A person compares a few; a sweep makes its own.
const KEPT: usize = 12;

/// The lists of [`TurnMessages`] in use, the latest last.
#[derive(Debug, Default)]
pub(super) struct Kept {
    lists: Mutex<Vec<(Key, Arc<TurnMessages>)>>,
}

/// What the messages depend on: how they are made, and the options that matter for it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    kind: &'static str,
    options: Options,
}

impl Kept {
    /// The messages of a kind under some options, from before or new.
    pub(super) fn list(
        &self,
        timeline: &Arc<Timeline>,
        maker: Maker,
        options: &Options,
    ) -> Arc<TurnMessages> {
        let key = Key {
            kind: maker.kind,
            options: options.only(maker.options),
        };
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = lists.iter().position(|(known, _)| *known == key) {
            let found = lists.remove(at);
            let list = Arc::clone(&found.1);
            lists.push(found);
            return list;
        }
        let made = TurnMessages::new(Arc::clone(timeline), key.options.clone(), maker);
        let list = Arc::new(made);
        if lists.len() >= KEPT {
            lists.remove(0);
        }
        lists.push((key, Arc::clone(&list)));
        list
    }
}
