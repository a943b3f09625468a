//! Counts that add up exactly: a text's tokens between the first and the last place where no token can
//! lie across, and the text outside of these.
//!
//! Such a place is behind a `\n`, before a line that has more than white space and doesn't begin with
//! `/`: the vocabularies' patterns let no token begin before it and end behind it. Blanks and tabs that
//! the line begins with belong to the line.

use super::{Tokenizer, code_points};

/// What is needed of a text to know the count of it joined with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joinable {
    tokenizer: Tokenizer,
    /// The text before the first safe cut; all of it where there is none.
    before: String,
    /// What lies between, where there is a safe cut: its tokens, and the text after the last one.
    after: Option<(usize, String)>,
    /// Code points, for the estimate.
    points: usize,
}

impl Joinable {
    /// Of a text.
    pub fn new(tokenizer: Tokenizer, text: &str) -> Self {
        let mut joinable = Self {
            tokenizer,
            before: String::new(),
            after: None,
            points: 0,
        };
        if tokenizer == Tokenizer::Estimate {
            joinable.points = code_points(text);
            return joinable;
        }
        let Some(first) = cuts(text).next() else {
            text.clone_into(&mut joinable.before);
            return joinable;
        };
        let last = last_cut(text).unwrap_or(first);
        text[..first].clone_into(&mut joinable.before);
        joinable.after = Some((tokenizer.count(&text[first..last]), text[last..].to_owned()));
        joinable
    }

    /// The tokens of the whole text.
    pub fn count(&self) -> usize {
        match &self.after {
            _ if self.tokenizer == Tokenizer::Estimate => self.points.div_ceil(super::POINTS),
            Some((count, after)) => {
                self.tokenizer.count(&self.before) + count + self.tokenizer.count(after)
            }
            None => self.tokenizer.count(&self.before),
        }
    }

    /// Appends a text that was counted with the same tokenizer.
    pub fn push(&mut self, next: &Self) {
        self.points += next.points;
        match (&mut self.after, &next.after) {
            (Some((count, after)), Some((more, end))) => {
                after.push_str(&next.before);
                *count += self.tokenizer.count(after) + more;
                after.clone_from(end);
            }
            (Some((count, after)), None) => {
                if is_cut(after, &next.before) {
                    *count += self.tokenizer.count(after);
                    after.clear();
                }
                after.push_str(&next.before);
            }
            (None, Some((more, end))) => {
                let mut count = *more;
                if is_cut(&self.before, &next.before) {
                    count += self.tokenizer.count(&next.before);
                } else {
                    self.before.push_str(&next.before);
                }
                self.after = Some((count, end.clone()));
            }
            (None, None) if is_cut(&self.before, &next.before) => {
                self.after = Some((0, next.before.clone()));
            }
            (None, None) => self.before.push_str(&next.before),
        }
    }
}

/// Whether no token can lie across the place between two texts.
fn is_cut(before: &str, after: &str) -> bool {
    let begins_line = |after: &str| {
        let line = after.trim_start_matches([' ', '\t']);
        line.chars()
            .next()
            .is_some_and(|next| !next.is_whitespace())
    };
    before.ends_with('\n') && !after.starts_with('/') && begins_line(after)
}

/// The safe cuts inside a text, from its start.
pub(super) fn cuts(text: &str) -> impl Iterator<Item = usize> + '_ {
    memchr::memchr_iter(b'\n', text.as_bytes())
        .map(|at| at + 1)
        .filter(|&at| is_cut(&text[..at], &text[at..]))
}

/// The last safe cut inside a text.
pub(super) fn last_cut(text: &str) -> Option<usize> {
    memchr::memrchr_iter(b'\n', text.as_bytes())
        .map(|at| at + 1)
        .find(|&at| is_cut(&text[..at], &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Texts in which safe cuts, unsafe ones and everything that tokenizers treat apart are near.
    fn text() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("\n"),
            Just("\r\n"),
            Just("\n\n"),
            Just(" "),
            Just("  "),
            Just("\t"),
            Just("/"),
            Just("//"),
            Just("a"),
            Just("Word"),
            Just("don't"),
            Just("12345"),
            Just("{\"k\": 1}"),
            Just("("),
            Just("=="),
            Just("漢字"),
            Just("é"),
            Just("🙂"),
            Just("\u{a0}"),
            Just("\u{2028}"),
            Just("'s"),
            Just(";;"),
            Just("*/"),
        ];
        proptest::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn joined_counts_are_those_of_the_whole(parts in proptest::collection::vec(text(), 0..5)) {
            for tokenizer in Tokenizer::ALL {
                let mut joined = Joinable::new(tokenizer, "");
                for part in &parts {
                    joined.push(&Joinable::new(tokenizer, part));
                }
                prop_assert_eq!(joined.count(), tokenizer.count(&parts.concat()));
            }
        }

        #[test]
        fn a_text_cut_anywhere_counts_as_a_whole(text in any::<String>(), at in 0..200usize) {
            let at = text.char_indices().map(|(at, _)| at).nth(at).unwrap_or(text.len());
            for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
                let mut joined = Joinable::new(tokenizer, &text[..at]);
                joined.push(&Joinable::new(tokenizer, &text[at..]));
                prop_assert_eq!(joined.count(), tokenizer.count(&text));
            }
        }
    }
}
