//! Marks at the left of a prompt's lines: what another prompt doesn't have.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::lens::Content;

/// Messages up to which all lines of the other prompt are looked at. In longer ones a message is
/// compared with the one at its place, so that the cost doesn't grow with the run.
const WHOLE: usize = 40;

/// The prompt that another one is compared with.
#[derive(Debug)]
pub struct Gutter {
    base: Content,
    lines: Option<HashSet<u64>>,
}

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

impl Gutter {
    /// Marks against this prompt; against a missing one nothing is marked.
    pub fn new(base: Content) -> Self {
        let lines = (base.messages() <= WHOLE).then(|| {
            let texts = (0..base.messages()).filter_map(|at| base.message(at));
            let mut lines = HashSet::new();
            for (_, text) in texts {
                lines.extend(text.lines().map(hash));
            }
            lines
        });
        Self { base, lines }
    }

    /// Whether a line of a message is not in the other prompt.
    pub fn marks(&self, message: usize, line: &str) -> bool {
        if self.base.messages() == 0 || line.trim().is_empty() {
            return false;
        }
        match &self.lines {
            Some(lines) => !lines.contains(&hash(line)),
            None => match self.base.message(message) {
                Some((_, text)) => !text.lines().any(|other| other == line),
                None => true,
            },
        }
    }
}
