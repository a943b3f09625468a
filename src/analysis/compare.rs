//! Strategies side by side: what each costs, keeps and loses (analysis, "Compare").

use super::cache::CacheSums;
use super::losses::RunLosses;
use super::sent::{Analysis, View};
use super::walk::{TurnFigures, Walk};
use crate::compression::{Shown, Stats, TurnOutOfRange};

/// A row: a case over a run, or at one turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// What the case is called.
    pub name: String,
    /// Its strategy, or `recorded`.
    pub strategy: &'static str,
    /// Messages of the last prompt.
    pub messages: usize,
    /// Tokens of the last prompt.
    pub tokens: usize,
    /// Sums over the prompts.
    pub sums: CacheSums,
    /// What all tokens cost at the profile's factors.
    pub weighted: f64,
    /// What isn't shown of what was used.
    pub losses: RunLosses,
    /// Calls of the last prompt; a recorded one doesn't tell.
    pub calls: Option<Shown>,
    /// Prints of the last prompt.
    pub prints: Option<Shown>,
    /// Failed turns of which nothing is in the last prompt.
    pub errors_collapsed: Option<usize>,
    /// Cheapest that kept what was used: no other row matches it in weighted tokens, lost and
    /// values while beating it in one.
    pub marked: bool,
    /// The prompts one by one.
    pub turns: Vec<TurnFigures>,
}

impl Row {
    /// Tokens of all prompts against those of a baseline, in percent; none where that has none.
    #[allow(clippy::cast_precision_loss)] // tokens stay far below 2^52
    pub fn percent_of(&self, baseline: f64) -> Option<f64> {
        (baseline > 0.0).then(|| (self.sums.tokens as f64 / baseline - 1.0) * 100.0)
    }
}

impl Analysis {
    /// A row a case; over the whole run, or at one turn alone.
    ///
    /// # Errors
    /// [`TurnOutOfRange`] where the turn has no prompt.
    pub fn compare(
        &self,
        cases: &[(String, View)],
        turn: Option<u32>,
    ) -> Result<Vec<Row>, TurnOutOfRange> {
        let mut rows = Vec::new();
        for (name, view) in cases {
            // The first prompt that isn't there was met on the way to the one that was asked for.
            let asked = |error: TurnOutOfRange| TurnOutOfRange {
                n: turn.unwrap_or(error.n),
                ..error
            };
            rows.extend(self.row(name, view, turn).map_err(asked)?);
        }
        mark(&mut rows);
        Ok(rows)
    }

    /// A row; none where a recorded prompt is missing.
    fn row(
        &self,
        name: &str,
        view: &View,
        turn: Option<u32>,
    ) -> Result<Option<Row>, TurnOutOfRange> {
        let last = turn.unwrap_or_else(|| self.last_turn());
        let mut walk = Walk::new(self, view);
        let mut turns = Vec::new();
        for n in 1..=last {
            let is_sent = if turn.is_some_and(|turn| turn != n) {
                walk.pass(n)?.is_some()
            } else {
                let figures = walk.turn(n)?;
                let is_sent = figures.is_some();
                turns.extend(figures);
                is_sent
            };
            if !is_sent {
                return Ok(None);
            }
        }
        let nothing = Stats::default();
        let stats = match (walk.last(), view) {
            (Some(sent), _) => sent.stats.as_ref(),
            (None, View::Case(_)) => Some(&nothing),
            (None, View::Recorded) => None,
        };
        let prompt = turns.last();
        Ok(Some(Row {
            name: name.to_owned(),
            strategy: view.name(),
            messages: prompt.map_or(0, |prompt| prompt.messages),
            tokens: prompt.map_or(0, |prompt| prompt.cached.prompt),
            sums: *walk.sums(),
            weighted: walk.sums().weighted(self.profile()),
            losses: walk.losses(),
            calls: stats.map(|stats| stats.calls),
            prints: stats.map(|stats| stats.prints),
            errors_collapsed: stats.map(|stats| stats.errors_collapsed),
            marked: false,
            turns,
        }))
    }
}

/// Marks the rows that no other row matches while beating them.
fn mark(rows: &mut [Row]) {
    let figures: Vec<(f64, usize, usize)> = rows
        .iter()
        .map(|row| (row.weighted, row.losses.headline(), row.losses.values))
        .collect();
    for (row, own) in rows.iter_mut().zip(&figures) {
        let matches =
            |other: &(f64, usize, usize)| other.0 <= own.0 && other.1 <= own.1 && other.2 <= own.2;
        let beats =
            |other: &(f64, usize, usize)| other.0 < own.0 || other.1 < own.1 || other.2 < own.2;
        row.marked = !figures.iter().any(|other| matches(other) && beats(other));
    }
}
