//! Marks at the left of a prompt's lines: what another prompt doesn't have.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::lens::Content;
use super::rows::pieces;

/// Messages up to which all lines of the other prompt are looked at. In longer ones a message is
/// compared with the one at its place, so that the cost doesn't grow with the run.
const WHOLE: usize = 40;

/// The prompt that another one is compared with.
#[derive(Debug)]
pub struct Gutter {
    base: Content,
    lines: Option<HashSet<u64>>,
    /// The lines of single messages, as they were asked for.
    of_messages: HashMap<usize, HashSet<u64>>,
    hasher: RandomState,
}

impl Gutter {
    /// Marks against this prompt; against a missing one nothing is marked.
    pub fn new(base: Content) -> Self {
        let hasher = RandomState::default();
        let lines = (base.messages() <= WHOLE).then(|| {
            let texts = (0..base.messages()).filter_map(|at| base.message(at));
            let mut lines = HashSet::new();
            for (_, text) in texts {
                lines.extend(pieces(&text).map(|line| hasher.hash_one(line)));
            }
            lines
        });
        Self {
            base,
            lines,
            of_messages: HashMap::new(),
            hasher,
        }
    }

    /// Marks against this prompt, unless that is so already: its lines are gone through once.
    pub(super) fn put(gutter: &mut Option<Self>, base: Content) {
        if !gutter
            .as_ref()
            .is_some_and(|gutter| is_same(&gutter.base, &base))
        {
            *gutter = Some(Self::new(base));
        }
    }

    /// Whether a line of a message, or the lines that one stands for, have any that is not in the other
    /// prompt.
    pub fn marks(&mut self, message: usize, raw: &str) -> bool {
        if self.base.messages() == 0 {
            return false;
        }
        let (base, hasher) = (&self.base, &self.hasher);
        let lines = match &self.lines {
            Some(lines) => lines,
            None => self.of_messages.entry(message).or_insert_with(|| {
                let text = base.message(message).map(|(_, text)| text);
                let lines = text.iter().flat_map(|text| pieces(text));
                lines.map(|line| hasher.hash_one(line)).collect()
            }),
        };
        let is_new =
            |line: &str| !line.trim().is_empty() && !lines.contains(&hasher.hash_one(line));
        pieces(raw).any(is_new)
    }
}

/// Whether two prompts are the same one.
pub(super) fn is_same(one: &Content, other: &Content) -> bool {
    match (one, other) {
        (Content::Rendered(one), Content::Rendered(other)) => Arc::ptr_eq(one, other),
        (Content::Recorded(one), Content::Recorded(other)) => Arc::ptr_eq(one, other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::AsSent;
    use crate::step::{Message, Role};

    #[test]
    fn lines_of_any_length_and_with_any_end_are_found_again() {
        let long = "a long line ".repeat(10_000);
        let text = format!("one\r\n{long}\r\nthree\n\nlast\r");
        let message = Message::new(Role::User, text.as_str());
        for messages in [1, WHOLE + 1] {
            let sent = AsSent {
                messages: vec![message.clone(); messages],
                rebuilt: None,
            };
            let mut gutter = Gutter::new(Content::Recorded(Arc::new(sent)));
            for line in pieces(&text) {
                assert!(!gutter.marks(0, line), "{line:.20?}");
            }
            assert!(!gutter.marks(0, "three\n\none\r"));
            assert!(!gutter.marks(0, " "));
            assert!(gutter.marks(0, "three\nfour"));
            assert!(gutter.marks(0, "a long line "));
        }
    }
}
