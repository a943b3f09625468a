//! What was folded in texts that were left, so that it is so again when somebody comes back.

use std::collections::VecDeque;

use super::text_view::Folds;

/// Texts of which it is kept; the one that was left first is forgotten first.
const MOST: usize = 100;

/// What was folded, by the text.
#[derive(Debug)]
pub(in crate::tui) struct KeptFolds<K>(VecDeque<(K, Folds)>);

impl<K> Default for KeptFolds<K> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<K: PartialEq> KeptFolds<K> {
    /// Keeps what is folded of a text that is left.
    pub(in crate::tui) fn keep(&mut self, text: K, folds: Folds) {
        self.0.retain(|(kept, _)| *kept != text);
        if folds.is_empty() {
            return;
        }
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back((text, folds));
    }

    /// What was folded of a text, if anything was.
    pub(in crate::tui) fn take(&mut self, text: &K) -> Folds {
        let at = self.0.iter().position(|(kept, _)| kept == text);
        let kept = at.and_then(|at| self.0.remove(at));
        kept.map(|(_, folds)| folds).unwrap_or_default()
    }

    /// Keeps only what is still true of some texts.
    pub(in crate::tui) fn retain(&mut self, mut is_true: impl FnMut(&K) -> bool) {
        self.0.retain(|(text, _)| is_true(text));
    }

    /// Values are others from now on: which were open is no longer known.
    pub(in crate::tui) fn forget_values(&mut self) {
        for (_, folds) in &mut self.0 {
            folds.forget_values();
        }
    }
}
