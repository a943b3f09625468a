//! Texts by the runs of letters and digits in them, so that what can't have a word or a line isn't read
//! once more for each that is looked for.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Runs of a part that are looked up at most. More of them only make sure what is looked at anyway.
const LOOKED_UP: usize = 32;

/// Texts with ascending numbers.
#[derive(Debug, Default)]
pub(super) struct TextIndex {
    /// The texts that have a run, by its hash: two runs of one hash only give more to look at.
    by_run: HashMap<u64, Vec<u32>, BuildHasherDefault<Hashed>>,
}

impl TextIndex {
    /// Adds a text, or more of one. No number is lower than the one before it.
    pub(super) fn add(&mut self, number: u32, text: &str) {
        for run in run_hashes(text) {
            let texts = self.by_run.entry(run).or_default();
            if texts.last() != Some(&number) {
                texts.push(number);
            }
        }
    }

    /// The texts that may have a part which begins and ends where runs do, ascending; none where the part
    /// has no run, so that every text may.
    pub(super) fn candidates(&self, part: &str) -> Option<impl DoubleEndedIterator<Item = u32>> {
        let looked_up = runs(part).take(LOOKED_UP);
        let empty = &[][..];
        let of_run = |run| self.by_run.get(&hash(run)).map_or(empty, Vec::as_slice);
        let all: Vec<&[u32]> = looked_up.map(|(_, run)| of_run(run)).collect();
        let rarest = *all.iter().min_by_key(|texts| texts.len())?;
        let has_all =
            move |number: &u32| all.iter().all(|texts| texts.binary_search(number).is_ok());
        Some(rarest.iter().copied().filter(has_all))
    }
}

/// The hashes of a text's runs.
pub(super) fn run_hashes(text: &str) -> impl Iterator<Item = u64> {
    runs(text).flat_map(|(at, run)| {
        // What stands behind an escape such as `\n` is found without it too.
        let escaped = text[..at].ends_with('\\') && run.starts_with(['n', 't', 'r']);
        let behind = (escaped && run.len() > 1).then(|| hash(&run[1..]));
        std::iter::once(hash(run)).chain(behind)
    })
}

/// The runs of letters, digits and `_` of a text, with their places.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = find(text, from, true)?;
        from = find(text, at, false).unwrap_or(text.len());
        Some((at, &text[at..from]))
    })
}

/// The next character from a place on that belongs to a run, or doesn't.
fn find(text: &str, from: usize, in_run: bool) -> Option<usize> {
    let mut at = from;
    while let Some(&byte) = text.as_bytes().get(at) {
        let (is_in, len) = if byte.is_ascii() {
            (byte.is_ascii_alphanumeric() || byte == b'_', 1)
        } else {
            let c = text[at..].chars().next()?;
            (c.is_alphanumeric(), c.len_utf8())
        };
        if is_in == in_run {
            return Some(at);
        }
        at += len;
    }
    None
}

/// FNV-1a.
fn hash(run: &str) -> u64 {
    run.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Takes a hash as it is.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::{has_line, has_symbol, has_text, has_word};
    use super::*;
    use proptest::prelude::*;

    /// Texts in which all that divides words, and all that may stand around them, is near.
    fn text(parts: std::ops::Range<usize>) -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec![
            "a", "b_c", "nb", "n", "\\", "\\n", "\n", "\"", " ", ".", ":", "-", "/", "7", "é", "(",
        ]);
        prop::collection::vec(part, parts).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn no_text_is_missed_that_has_a_part(
            texts in prop::collection::vec(text(0..12), 1..4), part in text(1..4)
        ) {
            let mut index = TextIndex::default();
            for (text, number) in texts.iter().zip(0..) {
                index.add(number, text);
            }
            let Some(candidates) = index.candidates(&part) else {
                return Ok(());
            };
            let candidates: Vec<u32> = candidates.collect();
            for (text, number) in texts.iter().zip(0..) {
                for has in [has_word, has_line, has_symbol, has_text] {
                    prop_assert!(!has(text, &part) || candidates.contains(&number));
                }
            }
        }
    }

    #[test]
    fn texts_without_the_part_are_not_looked_at() {
        let mut index = TextIndex::default();
        index.add(0, "see INV-77 now");
        index.add(1, "INV-78 and 77");
        index.add(3, "INV then 77");
        let found = |part| index.candidates(part).map(Iterator::collect::<Vec<_>>);
        assert_eq!(found("INV-77"), Some(vec![0, 1, 3]));
        assert_eq!(found("see INV"), Some(vec![0]));
        assert_eq!(found("INV-79"), Some(vec![]));
        assert_eq!(found("--"), None);
    }
}
