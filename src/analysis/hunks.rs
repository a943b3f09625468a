//! Two texts by line: where they differ.
//!
//! What is equal at both ends isn't looked at, and long texts are cut at lines that each has once: a
//! histogram diff of texts with many changes takes time that grows faster than they do.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, InternedInput, Token};

/// Lines that differ, from 0; one of the sides may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hunk {
    /// Lines of the first text that the second one doesn't have.
    pub before: Range<usize>,
    /// Lines that it has in their place.
    pub after: Range<usize>,
}

/// Lines between two cuts at least.
const STRETCH: usize = 128;

/// Equal lines at the ends that are looked at all the same: where a change can begin in several places,
/// the best may be among them.
const AROUND: usize = 64;

/// Columns of a tab, where indentation says which lines belong together.
const TAB: u8 = 8;

/// Bytes that are compared at once.
const BLOCK: usize = 4096;

/// Where two texts differ, in order. Lines are what ends with a line feed, and the rest.
pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let (start, end) = equal_ends(before.as_bytes(), after.as_bytes());
    let [old, new] = [before, after].map(|text| &text[start..text.len() - end]);
    let skipped = memchr::memchr_iter(b'\n', &before.as_bytes()[..start]).count();
    let input = InternedInput::new(old, new);
    let mut stretches = Stretches::new(&input);
    let mut from = [0, 0];
    for to in cuts(&input) {
        stretches.compare(from, to, skipped);
        from = to;
    }
    stretches.compare(from, [input.before.len(), input.after.len()], skipped);
    stretches.found
}

/// Bytes of equal whole lines at the start and at the end of two texts, those aside that are looked at.
fn equal_ends(before: &[u8], after: &[u8]) -> (usize, usize) {
    let equal = equal_bytes(before.chunks(BLOCK).zip(after.chunks(BLOCK)), <[u8]>::iter);
    let lines = memchr::memrchr_iter(b'\n', &before[..equal]);
    let start = lines.into_iter().nth(AROUND).map_or(0, |at| at + 1);
    let (old, new) = (&before[start..], &after[start..]);
    let equal = equal_bytes(old.rchunks(BLOCK).zip(new.rchunks(BLOCK)), |b| {
        b.iter().rev()
    });
    let tail = &old[old.len() - equal..];
    let line = memchr::memchr_iter(b'\n', tail).nth(AROUND);
    (start, line.map_or(0, |at| equal - at - 1))
}

/// How many bytes of two texts are equal, block by block from one end.
fn equal_bytes<'a, Bytes: Iterator<Item = &'a u8>>(
    blocks: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    bytes: impl Fn(&'a [u8]) -> Bytes,
) -> usize {
    let mut equal = 0;
    for (a, b) in blocks {
        if a != b {
            let both = bytes(a).zip(bytes(b));
            return equal + both.take_while(|(a, b)| a == b).count();
        }
        equal += a.len();
    }
    equal
}

/// Places in both texts at which they are cut: in front of lines that are equal, and that each text has
/// once. What lies before and behind such a place can be compared by itself, and no change can begin on
/// its other side instead.
fn cuts(input: &InternedInput<&str>) -> Vec<[usize; 2]> {
    const NOWHERE: usize = usize::MAX;
    const SEVERAL: usize = usize::MAX - 1;
    let mut only = vec![[NOWHERE; 2]; input.interner.num_tokens() as usize];
    for (side, lines) in [&input.before, &input.after].into_iter().enumerate() {
        for (at, line) in lines.iter().enumerate() {
            let place = &mut only[line.0 as usize][side];
            *place = if *place == NOWHERE { at } else { SEVERAL };
        }
    }
    let places = input.before.iter().map(|line| only[line.0 as usize]);
    let once: Vec<[usize; 2]> = places
        .filter(|places| places.iter().all(|place| *place < SEVERAL))
        .collect();
    let mut cuts = longest_ascending(&once);
    let mut last = [0, 0];
    cuts.retain(|cut| {
        let is_far = cut
            .iter()
            .zip(&last)
            .any(|(cut, last)| cut - last >= STRETCH);
        last = if is_far { *cut } else { last };
        is_far
    });
    cuts
}

/// The most pairs, ascending by their first parts as they are, of which the second parts ascend too.
fn longest_ascending(pairs: &[[usize; 2]]) -> Vec<[usize; 2]> {
    // The pair that ends the chain of each length with the least second part, and the pair before each.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let ascends = |end: &usize| pairs[*end][1] < pair[1];
        let length = match ends.last() {
            Some(end) if !ascends(end) => ends.partition_point(ascends),
            _ => ends.len(),
        };
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut chain = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        chain.push(pairs[at]);
        next = before[at];
    }
    chain.reverse();
    chain
}

/// Compares stretches of two texts, and gathers what differs.
struct Stretches<'a> {
    input: &'a InternedInput<&'a str>,
    diff: Diff,
    /// The lines of a stretch, numbered from 0 as they come: the number of each line of the texts, and the
    /// line of each number.
    numbers: Vec<Option<u32>>,
    lines: Vec<Token>,
    found: Vec<Hunk>,
}

impl<'a> Stretches<'a> {
    fn new(input: &'a InternedInput<&'a str>) -> Self {
        Self {
            input,
            diff: Diff::default(),
            numbers: vec![None; input.interner.num_tokens() as usize],
            lines: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Compares what lies between two places; so many lines come before both texts.
    fn compare(&mut self, from: [usize; 2], to: [usize; 2], skipped: usize) {
        let input = self.input;
        let [old, new] = [&input.before[from[0]..to[0]], &input.after[from[1]..to[1]]];
        if old == new {
            return;
        }
        let old = self.numbered(old);
        let new = self.numbered(new);
        let count = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        self.diff
            .compute_with(Algorithm::Histogram, &old, &new, count);
        let lines = &self.lines;
        let indent = |line: Token| {
            let text = input.interner[lines[line.0 as usize]];
            IndentLevel::for_ascii_line(text.bytes(), TAB)
        };
        self.diff
            .postprocess_with(&old, &new, IndentHeuristic::new(indent));
        let range = |lines: Range<u32>, from: usize| {
            let from = skipped + from;
            from + lines.start as usize..from + lines.end as usize
        };
        self.found.extend(self.diff.hunks().map(|hunk| Hunk {
            before: range(hunk.before, from[0]),
            after: range(hunk.after, from[1]),
        }));
        for line in self.lines.drain(..) {
            self.numbers[line.0 as usize] = None;
        }
    }

    fn numbered(&mut self, lines: &[Token]) -> Vec<Token> {
        let (numbers, known) = (&mut self.numbers, &mut self.lines);
        let number = |line: &Token| {
            let number = numbers[line.0 as usize].get_or_insert_with(|| {
                known.push(*line);
                // As many as there are of the texts at most, whose numbers are of this size too.
                u32::try_from(known.len() - 1).unwrap_or(u32::MAX)
            });
            Token(*number)
        };
        lines.iter().map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The second text, made of the first one by the hunks.
    fn applied(before: &str, after: &str) -> String {
        let [old, new] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
        let (mut made, mut at) = (String::new(), 0);
        for hunk in hunks(before, after) {
            made.push_str(&old[at..hunk.before.start].concat());
            made.push_str(&new[hunk.after].concat());
            at = hunk.before.end;
        }
        made + &old[at..].concat()
    }

    /// Many lines, some of them there several times, a few changed, gone, new or moved.
    fn edited() -> impl Strategy<Value = [String; 2]> {
        let line = prop_oneof![3 => (0..600u32).prop_map(|n| format!("line {n}\n")), 1 => Just("\n".to_owned())];
        let edits = prop::collection::vec((0..600usize, 0..4u8), 0..40);
        (prop::collection::vec(line, 0..600), edits).prop_map(|(lines, edits)| {
            let mut new = lines.clone();
            for (at, edit) in edits {
                let at = at.min(new.len());
                match edit {
                    0 if at < new.len() => drop(new.remove(at)),
                    1 => new.insert(at, format!("new {at}\n")),
                    2 if at < new.len() => new[at].push_str("more\n"),
                    3 if at < new.len() => new.swap(0, at),
                    _ => {}
                }
            }
            [lines.concat(), new.concat()]
        })
    }

    proptest! {
        #[test]
        fn hunks_make_one_text_of_the_other(before in "[a-c\n]{0,40}", after in "[a-c\n]{0,40}") {
            prop_assert_eq!(applied(&before, &after), after);
        }

        #[test]
        fn hunks_of_long_texts_do_so_too([before, after] in edited()) {
            prop_assert_eq!(applied(&before, &after), after);
        }

        #[test]
        fn the_longest_chain_ascends(seconds in prop::collection::vec(0..30usize, 0..30)) {
            let pairs: Vec<[usize; 2]> = seconds.iter().copied().enumerate().map(|(a, b)| [a, b]).collect();
            let chain = longest_ascending(&pairs);
            prop_assert!(chain.is_sorted_by(|a, b| a[0] < b[0] && a[1] < b[1]));
            // By the plain rule: the longest one that ends with each.
            let mut longest = vec![1; pairs.len()];
            for at in 0..pairs.len() {
                let before = (0..at).filter(|&other| pairs[other][1] < pairs[at][1]);
                longest[at] = 1 + before.map(|other| longest[other]).max().unwrap_or(0);
            }
            prop_assert_eq!(chain.len(), longest.into_iter().max().unwrap_or(0));
        }
    }

    #[test]
    fn a_cut_changes_no_hunk() {
        let text = |changed: &dyn Fn(usize) -> bool| -> String {
            (0..3_000)
                .map(|n| {
                    if changed(n) {
                        format!("{{\n  new {n}\n}}\n")
                    } else {
                        format!("{{\n  line {n}\n}}\n")
                    }
                })
                .collect()
        };
        let [before, after] = [text(&|_| false), text(&|n| n % 50 == 7)];
        let input = InternedInput::new(before.as_str(), after.as_str());
        let mut whole = Diff::compute(Algorithm::Histogram, &input);
        whole.postprocess_lines(&input);
        let range = |lines: Range<u32>| lines.start as usize..lines.end as usize;
        let whole: Vec<Hunk> = whole
            .hunks()
            .map(|hunk| Hunk {
                before: range(hunk.before),
                after: range(hunk.after),
            })
            .collect();
        assert!(cuts(&input).len() > 20);
        assert_eq!(hunks(&before, &after), whole);
    }
}
