//! What of the history a prompt doesn't show, and why (requirements 7).

use std::ops::Range;
use std::sync::Arc;

use super::Options;
use crate::namespace::{Origin, content::turn_number};
use crate::step::{History, history::ItemRef};

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
