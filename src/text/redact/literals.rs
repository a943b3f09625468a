//! Secrets that are known, found by their own letters: whole, or with their end cut off.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::AhoCorasick;

/// Bytes of a secret by which it is found, and that are left of one that was cut.
pub(super) const HEAD: usize = 12;

/// Shorter secrets are found whole or not at all.
const CUT_FROM: usize = 20;

/// Known secrets.
#[derive(Debug, Default)]
pub(super) struct Literals {
    secrets: Vec<Arc<str>>,
    /// The secrets that begin with each head.
    by_head: Vec<Vec<usize>>,
    heads: Option<AhoCorasick>,
}

impl Literals {
    /// With more of them. Those that aren't plain letters are left out.
    pub(super) fn with(&self, more: Vec<Arc<str>>) -> Self {
        let mut secrets = self.secrets.clone();
        secrets.extend(more.into_iter().filter(|secret| secret.is_ascii()));
        let mut heads: Vec<&str> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut by_head: Vec<Vec<usize>> = Vec::new();
        for (at, secret) in secrets.iter().enumerate() {
            let head = &secret[..secret.len().min(HEAD)];
            let place = *places.entry(head).or_insert_with(|| {
                heads.push(head);
                by_head.push(Vec::new());
                heads.len() - 1
            });
            by_head[place].push(at);
        }
        // Building fails for more heads than there can be.
        let heads = AhoCorasick::new(&heads).ok();
        Self {
            secrets,
            by_head,
            heads,
        }
    }

    /// Calls `found` for each place of a known secret.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(Range<usize>, &Arc<str>)) {
        let Some(heads) = &self.heads else { return };
        for hit in heads.find_iter(text) {
            let rest = &text.as_bytes()[hit.start()..];
            let of_head = &self.by_head[hit.pattern().as_usize()];
            let longest = of_head.iter().map(|at| {
                let secret = &self.secrets[*at];
                let same = secret.bytes().zip(rest).take_while(|(a, b)| a == *b);
                (same.count(), secret)
            });
            let Some((length, secret)) = longest.max_by_key(|(length, _)| *length) else {
                continue;
            };
            if length == secret.len() || secret.len() >= CUT_FROM {
                found(hit.start()..hit.start() + length, secret);
            }
        }
    }
}
