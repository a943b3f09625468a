//! Strategies side by side: what each costs, keeps and loses (analysis, "Compare").

use super::cache::{Cache, CacheSums};
use super::losses::{Gather, RunLosses};
use super::sent::{Analysis, View};
use crate::compression::{Shown, TurnOutOfRange};

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
}

impl Row {
    /// Tokens of all prompts against those of a baseline, in percent; none where that has none.
    #[allow(clippy::cast_precision_loss)] // tokens stay far below 2^52
    pub fn percent_of(&self, baseline: &Self) -> Option<f64> {
        let base = baseline.sums.tokens;
        (base > 0).then(|| (self.sums.tokens as f64 / base as f64 - 1.0) * 100.0)
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
            rows.extend(self.row(name, view, turn)?);
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
        let profile = self.profile();
        let mut cache = Cache::new(self.tokenizer(), *profile);
        let mut gather = Gather::default();
        let mut row = Row {
            name: name.to_owned(),
            strategy: view.name(),
            messages: 0,
            tokens: 0,
            sums: CacheSums::default(),
            weighted: 0.0,
            losses: RunLosses::default(),
            calls: None,
            prints: None,
            errors_collapsed: None,
            marked: false,
        };
        for n in 1..=last {
            let Some(sent) = self.sent(n, view)? else {
                return Ok(None);
            };
            let cached = cache.push(sent.messages.clone(), self.sent_at(n));
            if turn.is_some_and(|turn| turn != n) {
                continue;
            }
            row.sums.add(&cached, profile);
            row.sums.later += if n > 1 { cached.prompt } else { 0 };
            gather.add(self, n, &sent);
            row.messages = sent.messages.len();
            row.tokens = cached.prompt;
            row.calls = sent.stats.as_ref().map(|stats| stats.calls);
            row.prints = sent.stats.as_ref().map(|stats| stats.prints);
            row.errors_collapsed = sent.stats.as_ref().map(|stats| stats.errors_collapsed);
        }
        if last == 0
            && let View::Case(_) = view
        {
            row.calls = Some(Shown::default());
            row.prints = Some(Shown::default());
            row.errors_collapsed = Some(0);
        }
        row.weighted = row.sums.weighted(profile);
        row.losses = gather.finish();
        Ok(Some(row))
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
