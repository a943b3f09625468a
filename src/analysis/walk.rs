//! The prompts of a run under one view, one after the other: what each costs, keeps and loses.

use super::cache::{Cache, CacheSums, Cached, Miss};
use super::current::Current;
use super::losses::{Gather, Needed, RunLosses};
use super::sent::{Analysis, Sent, View};
use crate::compression::TurnOutOfRange;

/// Figures of one prompt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TurnFigures {
    /// The turn that it is the prompt of.
    pub turn: u32,
    /// Messages.
    pub messages: usize,
    /// Its tokens, and what is cached of them.
    pub cached: Cached,
    /// What the turn needed.
    pub needed: Needed,
    /// What of it isn't shown.
    pub lost: Needed,
    /// Names that the reference shows by value and this prompt by name only.
    pub values: usize,
}

/// A walk through the prompts of a run, turns in order.
#[derive(Debug)]
pub struct Walk<'a> {
    analysis: &'a Analysis,
    view: &'a View,
    cache: Cache,
    gather: Gather,
    sums: CacheSums,
    prompt: Current,
    /// Whether a prompt was counted.
    counted: bool,
}

impl<'a> Walk<'a> {
    /// At the start of a run.
    pub fn new(analysis: &'a Analysis, view: &'a View) -> Self {
        Self {
            analysis,
            view,
            cache: Cache::new(analysis.tokenizer(), *analysis.profile()),
            gather: Gather::default(),
            sums: CacheSums::default(),
            prompt: Current::default(),
            counted: false,
        }
    }

    /// The figures of turn N's prompt; none where it isn't recorded. Turns are asked for in order.
    ///
    /// # Errors
    /// [`TurnOutOfRange`] where there is no such prompt.
    pub fn turn(&mut self, n: u32) -> Result<Option<TurnFigures>, TurnOutOfRange> {
        let Some(cached) = self.pass(n)? else {
            return Ok(None);
        };
        self.sums.add(&cached, self.analysis.profile());
        self.sums.later += if n > 1 { cached.prompt } else { 0 };
        let (needed, lost, values) = self.gather.add(self.analysis, n, &self.prompt);
        let figures = TurnFigures {
            turn: n,
            messages: self.prompt.sent().messages.len(),
            cached,
            needed,
            lost,
            values,
        };
        self.counted = true;
        Ok(Some(figures))
    }

    /// Sends turn N's prompt without counting it.
    ///
    /// # Errors
    /// [`TurnOutOfRange`] where there is no such prompt.
    pub fn pass(&mut self, n: u32) -> Result<Option<Cached>, TurnOutOfRange> {
        let Some(same) = self.prompt.go(self.analysis, n, self.view)? else {
            return Ok(None);
        };
        let messages = &self.prompt.sent().messages;
        let at = self.analysis.sent_at(n);
        let mut cached = self.cache.push_after(same, messages, at);
        if *self.view == View::Recorded {
            self.compare_with_recorded(n, &mut cached);
        }
        Ok(Some(cached))
    }

    /// Where the provider read nothing from its cache though it could have by what the trace has, the
    /// prefix breaks before that.
    fn compare_with_recorded(&self, n: u32, cached: &mut Cached) {
        let usage = self.analysis.turn(n).map(|turn| turn.usage());
        let read = usage.and_then(|usage| usage.cache_read);
        let is_content = !matches!(cached.miss, Some(Miss::Expired { .. }));
        if read == Some(0) && cached.cached > 0 && is_content {
            let then = cached.miss.as_ref().and_then(Miss::content).cloned();
            cached.miss = Some(Miss::NotRecorded { then });
        }
    }

    /// Sums over the prompts so far.
    pub fn sums(&self) -> &CacheSums {
        &self.sums
    }

    /// The prompt that was counted last.
    pub fn last(&self) -> Option<&Sent> {
        self.counted.then(|| self.prompt.sent())
    }

    /// What was lost so far.
    pub fn losses(&self) -> RunLosses {
        self.gather.finish()
    }
}
