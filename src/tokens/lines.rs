//! Counts of texts that have most lines in common.

use std::collections::HashMap;

use super::Tokenizer;
use super::joinable::cuts;

/// Counts texts by the stretches between which no token can lie, each stretch once. For texts that
/// differ in a few lines, this is much faster than counting every one of them whole.
#[derive(Debug)]
pub(crate) struct Lines {
    tokenizer: Tokenizer,
    known: HashMap<Box<str>, usize>,
}

impl Lines {
    /// Nothing counted yet.
    pub(crate) fn new(tokenizer: Tokenizer) -> Self {
        Self {
            tokenizer,
            known: HashMap::new(),
        }
    }

    /// What the counts are of.
    pub(crate) fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    /// The tokens of a text.
    pub(crate) fn count(&mut self, text: &str) -> usize {
        if self.tokenizer == Tokenizer::Estimate {
            return self.tokenizer.count(text);
        }
        let (mut sum, mut from) = (0, 0);
        for cut in cuts(text).chain([text.len()]) {
            sum += self.stretch(&text[from..cut]);
            from = cut;
        }
        sum
    }

    fn stretch(&mut self, stretch: &str) -> usize {
        if let Some(&known) = self.known.get(stretch) {
            return known;
        }
        let count = self.tokenizer.count(stretch);
        self.known.insert(stretch.into(), count);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_add_up_to_the_whole(
            texts in proptest::collection::vec("([ab /;=é1\t\r]{0,4}\n?){0,12}", 1..4),
        ) {
            for tokenizer in Tokenizer::ALL {
                let mut lines = Lines::new(tokenizer);
                for text in &texts {
                    prop_assert_eq!(lines.count(text), tokenizer.count(text));
                }
            }
        }
    }
}
