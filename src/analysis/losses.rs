//! What a strategy's prompts no longer show of what the turns used (analysis, "Lost").

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;

use super::current::Current;
use super::needs::{Item, Need, NeedKind, Needs};
use super::sent::{Analysis, Reference, Sent, View, whole_text};
use super::shown::Level;
use crate::compression::{Reason, TurnOutOfRange};
use crate::namespace::Origin;

/// How much a prompt shows of what its turn needed. The lists follow those of [`Needs`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TurnLosses {
    /// What was needed.
    pub needs: Arc<Needs>,
    /// How much is shown of each name.
    pub names: Vec<Level>,
    /// Whether each literal is shown.
    pub literals: Vec<bool>,
    /// Whether each literal is shown that the model had written itself.
    pub own: Vec<bool>,
}

/// A need of a turn, and what a prompt shows of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NeedShown {
    /// The need.
    pub need: Need,
    /// How much of it the prompt shows; of a literal all or nothing.
    pub level: Level,
    /// What kind of loss it is, where it is one.
    pub lost: Option<LossKind>,
    /// Why it is gone, where it is lost.
    pub reason: Option<Reason>,
    /// Where in its source turn it stands.
    pub sources: Vec<Origin>,
}

/// What a prompt doesn't show, of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LossKind {
    /// A literal isn't there.
    Literal,
    /// A name isn't there.
    Name,
    /// A literal isn't there that the model had written itself.
    Own,
    /// A name is there without the value that the reference shows.
    Value,
}

impl LossKind {
    /// The name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Literal => "literal",
            Self::Name => "name",
            Self::Own => "own",
            Self::Value => "value",
        }
    }
}

/// Something lost: an item of a source, and the turns that needed it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// What kind of loss.
    pub kind: LossKind,
    /// The name, the word or the line.
    pub item: Arc<str>,
    /// The turn it comes from.
    pub source: u32,
    /// The turns whose prompts don't show it.
    pub turns: Vec<u32>,
    /// Why it is gone from the first of these prompts.
    pub reason: Reason,
}

/// How many distinct items were needed, or lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Needed {
    /// Names.
    pub names: usize,
    /// Literals.
    pub literals: usize,
    /// Literals that the model had written itself.
    pub own: usize,
}

/// What a strategy lost over a run.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct RunLosses {
    /// What was needed.
    pub needed: Needed,
    /// What isn't shown.
    pub lost: Needed,
    /// Names that the reference shows by value and this view by name only.
    pub values: usize,
    /// Names that `uncompressed` shows by value and this view by name only, where the reference is
    /// what was recorded or rebuilt: it may print what no strategy prints.
    pub values_of_uncompressed: Option<usize>,
    /// How far back what was needed lies: turns, and how many names and literals are never needed
    /// from further back. A window of so many whole turns shows them.
    pub reach: Vec<(u32, usize)>,
    /// Each loss, by kind, in the order in which it first mattered.
    pub pairs: Vec<Loss>,
}

impl RunLosses {
    /// Names and literals lost: the headline.
    pub fn headline(&self) -> usize {
        self.lost.names + self.lost.literals
    }
}

/// An item of a source that was needed or lost, of one kind.
type Pair<Kind> = (Kind, Arc<str>, u32);

/// Gathers the losses of a run, turn by turn.
#[derive(Debug, Default)]
pub(super) struct Gather {
    /// What was needed, and from how many turns back at most.
    needed: HashMap<Pair<NeedKind>, u32>,
    lost: IndexMap<Pair<LossKind>, (Vec<u32>, Reason)>,
    /// Names shown by name only that `uncompressed` shows by value; none where that is the reference.
    of_uncompressed: Option<HashSet<(Arc<str>, u32)>>,
}

impl Gather {
    /// Adds a prompt: how much was needed, how much of it is lost, and of how many names the value.
    pub(super) fn add(
        &mut self,
        analysis: &Analysis,
        n: u32,
        prompt: &Current,
    ) -> (Needed, Needed, usize) {
        let losses = analysis.losses_in(n, prompt);
        let needs = Arc::clone(&losses.needs);
        for need in needs.iter() {
            let key = (need.kind, Arc::clone(&need.item), need.source);
            let reach = self.needed.entry(key).or_default();
            *reach = need.reach.max(*reach);
        }
        let (mut lost, mut values) = (Needed::default(), 0);
        for (kind, need) in losses.lost() {
            match kind {
                LossKind::Literal => lost.literals += 1,
                LossKind::Name => lost.names += 1,
                LossKind::Own => lost.own += 1,
                LossKind::Value => values += 1,
            }
            let key = (kind, Arc::clone(&need.item), need.source);
            let entry = self.lost.entry(key);
            let reason = || analysis.reason(n, prompt.sent(), need);
            let (turns, _) = entry.or_insert_with(|| (Vec::new(), reason()));
            turns.push(n);
        }
        if needs.reference != Reference::Uncompressed {
            let gone = self.of_uncompressed.get_or_insert_default();
            let whole = analysis.shown_whole(n);
            let names = needs.names.iter().zip(&losses.names).zip(whole.iter());
            let only = names
                .filter(|((_, level), whole)| (**level, **whole) == (Level::Name, Level::Value));
            gone.extend(only.map(|((need, _), _)| (Arc::clone(&need.item), need.source)));
        }
        let needed = Needed {
            names: needs.names.len(),
            literals: needs.literals.len(),
            own: needs.own.len(),
        };
        (needed, lost, values)
    }

    pub(super) fn finish(&self) -> RunLosses {
        let needed = |kind| {
            self.needed
                .keys()
                .filter(|(known, ..)| *known == kind)
                .count()
        };
        let mut reach: BTreeMap<u32, usize> = BTreeMap::new();
        for ((kind, ..), turns) in &self.needed {
            if *kind != NeedKind::Own {
                *reach.entry(*turns).or_default() += 1;
            }
        }
        let lost = |kind| {
            self.lost
                .keys()
                .filter(|(known, ..)| *known == kind)
                .count()
        };
        let mut losses = RunLosses {
            needed: Needed {
                names: needed(NeedKind::Name),
                literals: needed(NeedKind::Literal),
                own: needed(NeedKind::Own),
            },
            lost: Needed {
                names: lost(LossKind::Name),
                literals: lost(LossKind::Literal),
                own: lost(LossKind::Own),
            },
            values: lost(LossKind::Value),
            values_of_uncompressed: self.of_uncompressed.as_ref().map(HashSet::len),
            reach: reach.into_iter().collect(),
            pairs: Vec::new(),
        };
        let pairs = self.lost.iter();
        losses.pairs = pairs
            .map(|((kind, item, source), (turns, reason))| Loss {
                kind: *kind,
                item: Arc::clone(item),
                source: *source,
                turns: turns.clone(),
                reason: *reason,
            })
            .collect();
        losses.pairs.sort_by_key(|loss| loss.kind);
        losses
    }
}

impl TurnLosses {
    /// What isn't shown, and what is by name only.
    pub fn lost(&self) -> impl Iterator<Item = (LossKind, &Need)> {
        let names = self.needs.names.iter().zip(&self.names);
        let names = names.filter_map(|(need, level)| match level {
            Level::None => Some((LossKind::Name, need)),
            Level::Name if need.by_value => Some((LossKind::Value, need)),
            _ => None,
        });
        let gone = |kind| move |(need, met): (_, &bool)| (!met).then_some((kind, need));
        let literals = self.needs.literals.iter().zip(&self.literals);
        let own = self.needs.own.iter().zip(&self.own);
        names
            .chain(literals.filter_map(gone(LossKind::Literal)))
            .chain(own.filter_map(gone(LossKind::Own)))
    }
}

impl Analysis {
    /// How much turn N's prompt under a view shows of what the turn needed; none where that prompt
    /// isn't recorded.
    ///
    /// # Errors
    /// [`TurnOutOfRange`] where there is no such prompt.
    pub fn losses(&self, n: u32, view: &View) -> Result<Option<TurnLosses>, TurnOutOfRange> {
        let sent = self.sent(n, view)?;
        Ok(sent.map(|sent| self.losses_in(n, &Current::of(sent))))
    }

    /// What turn N needed, one by one, and what its prompt under a view shows of it; none where that
    /// prompt isn't recorded.
    ///
    /// # Errors
    /// [`TurnOutOfRange`] where there is no such prompt.
    pub fn needs_shown(
        &self,
        n: u32,
        view: &View,
    ) -> Result<Option<Vec<NeedShown>>, TurnOutOfRange> {
        let Some(sent) = self.sent(n, view)? else {
            return Ok(None);
        };
        let prompt = Current::of(sent);
        let losses = self.losses_in(n, &prompt);
        let lost: Vec<(LossKind, &Need)> = losses.lost().collect();
        let there = |there: &bool| if *there { Level::Value } else { Level::None };
        let literals = losses.literals.iter().chain(&losses.own).map(there);
        let levels = losses.names.iter().copied().chain(literals);
        let shown = losses.needs.iter().zip(levels).map(|(need, level)| {
            let lost = lost.iter().find(|(_, other)| std::ptr::eq(*other, need));
            NeedShown {
                need: need.clone(),
                level,
                lost: lost.map(|(kind, _)| *kind),
                reason: lost.map(|_| self.reason(n, prompt.sent(), need)),
                sources: self.sources(need),
            }
        });
        Ok(Some(shown.collect()))
    }

    fn losses_in(&self, n: u32, prompt: &Current) -> TurnLosses {
        let needs = self.needs(n);
        let met = |need: &Need| prompt.has(&Item::of(need));
        TurnLosses {
            names: self.levels(n, &needs, prompt),
            literals: needs.literals.iter().map(met).collect(),
            own: needs.own.iter().map(met).collect(),
            needs,
        }
    }

    /// How much of each name that turn N needed a prompt shows.
    fn levels(&self, n: u32, needs: &Needs, prompt: &Current) -> Vec<Level> {
        let level = |need: &Need| {
            let facts = self.name_facts(n, &need.item);
            facts.map_or(Level::None, |facts| prompt.level(&facts))
        };
        needs.names.iter().map(level).collect()
    }

    /// How much of each name that turn N needed a prompt of whole turns shows.
    fn shown_whole(&self, n: u32) -> Arc<[Level]> {
        let find = || {
            let needs = self.needs(n);
            let mut prompt = self.whole_prompt();
            prompt.go_to_whole(self, n);
            self.levels(n, &needs, &prompt).into()
        };
        match self.shown_whole_cell(n) {
            Some(cell) => Arc::clone(cell.get_or_init(find)),
            None => find(),
        }
    }

    /// What a view lost over the run.
    pub fn run_losses(&self, view: &View) -> RunLosses {
        let mut gather = Gather::default();
        let mut prompt = Current::default();
        for n in 1..=self.last_turn() {
            if let Ok(Some(_)) = prompt.go(self, n, view) {
                gather.add(self, n, &prompt);
            }
        }
        gather.finish()
    }

    /// Why a need is not in turn N's prompt: the reason of what was left out of its source, the first
    /// of several.
    fn reason(&self, n: u32, sent: &Sent, need: &Need) -> Reason {
        let sources = self.sources(need);
        let history = self.run().history(n);
        let mut ranges: Vec<_> = sent.left_out.iter().collect();
        ranges.sort_by_key(|gone| gone.reason);
        let gone = ranges
            .into_iter()
            .find(|gone| sources.iter().any(|origin| gone.has(history, origin)));
        gone.map_or(Reason::NotShown, |gone| gone.reason)
    }

    /// Where in its source turn a need stands.
    fn sources(&self, need: &Need) -> Vec<Origin> {
        let Some(turn) = self.turn(need.source) else {
            return Vec::new();
        };
        let number = need.source;
        if need.kind == NeedKind::Name {
            let name = Arc::clone(&need.item);
            let turn = Some(number);
            return vec![Origin::Definition { name, turn }, Origin::Program(number)];
        }
        let item = Item::of(need);
        let mut found = Vec::new();
        for (index, print) in turn.prints().iter().enumerate() {
            if item.is_in(print) {
                found.push(Origin::Print {
                    turn: number,
                    index,
                });
            }
        }
        let call_has = |call: &crate::step::ToolCall| {
            let mut results = call.error.iter().chain(call.result.get());
            results.any(|result| item.is_in(&whole_text(result)))
        };
        let result = turn.result().get();
        let in_result = result.is_some_and(|result| item.is_in(&whole_text(result)));
        if in_result || turn.tool_calls().iter().any(call_has) {
            found.push(if turn.failed() {
                Origin::Error(number)
            } else {
                Origin::Result(number)
            });
        }
        if turn.input().is_some_and(|input| item.is_in(input)) {
            found.push(Origin::Input(number));
        }
        if self.wrote(number).any(|text| item.is_in(&text)) {
            found.push(Origin::Program(number));
        }
        if !turn.failed() {
            let changed = self.run().history(number + 1).changed_by_last().into_iter();
            let holding =
                changed.filter(|(name, value)| item.is_in(name) || item.is_in(&whole_text(value)));
            found.extend(holding.map(|(name, _)| Origin::Definition {
                name: Arc::clone(name),
                turn: Some(number),
            }));
        }
        found
    }
}
