//! Marks at the left of a prompt's lines: what another prompt doesn't have.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::lens::Content;

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
        Self {
            base,
            lines,
            of_messages: HashMap::new(),
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

    /// Whether a line of a message is not in the other prompt.
    pub fn marks(&mut self, message: usize, line: &str) -> bool {
        if self.base.messages() == 0 || line.trim().is_empty() {
            return false;
        }
        let base = &self.base;
        let lines = match &self.lines {
            Some(lines) => lines,
            None => self.of_messages.entry(message).or_insert_with(|| {
                let text = base.message(message).map(|(_, text)| text);
                text.iter()
                    .flat_map(|text| text.lines())
                    .map(hash)
                    .collect()
            }),
        };
        !lines.contains(&hash(line))
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
