//! Two texts by line, and changed lines by word: what is shown of two prompts or two runs (analysis,
//! "Diff").

use std::ops::Range;

use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};

/// Bytes of changed lines up to which words are looked for, on each side: many times what a screen
/// holds.
const WORDS_IN: usize = 64 * 1024;

fn by_line<'a>(before: &'a str, after: &'a str) -> (InternedInput<&'a str>, Diff) {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    (input, diff)
}

/// A unified diff with three lines of context, without file headers; empty where the texts are equal.
pub fn unified(before: &str, after: &str) -> String {
    let (input, diff) = by_line(before, after);
    let printer = BasicLineDiffPrinter(&input.interner);
    let config = UnifiedDiffConfig::default();
    diff.unified_diff(&printer, config, &input).to_string()
}

/// Lines that differ, from 0; one of the sides may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hunk {
    /// Lines of the first text that the second one doesn't have.
    pub before: Range<usize>,
    /// Lines that it has in their place.
    pub after: Range<usize>,
}

/// Where two texts differ, in order. Lines are what ends with a line feed, and the rest.
pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let (_, diff) = by_line(before, after);
    let range = |lines: Range<u32>| lines.start as usize..lines.end as usize;
    let hunks = diff.hunks();
    hunks
        .map(|hunk| Hunk {
            before: range(hunk.before),
            after: range(hunk.after),
        })
        .collect()
}

/// The bytes of two texts, such as the two sides of a hunk, that differ by word. Nothing where nearly
/// everything does, or one of them is empty: then there is nothing to tell apart.
pub fn changed_words(before: &str, after: &str) -> [Vec<Range<usize>>; 2] {
    let longest = before.len().max(after.len());
    if before.is_empty() || after.is_empty() || longest > WORDS_IN {
        return Default::default();
    }
    let (old, new) = (words(before), words(after));
    let mut input = InternedInput::default();
    input.update_before(old.iter().map(|range| &before[range.clone()]));
    input.update_after(new.iter().map(|range| &after[range.clone()]));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let (mut changed, mut shared) = ([Vec::new(), Vec::new()], before.len());
    for hunk in diff.hunks() {
        let sides = [(&old, hunk.before), (&new, hunk.after)];
        for (side, (words, hunk)) in sides.into_iter().enumerate() {
            let hit = &words[hunk.start as usize..hunk.end as usize];
            if let (Some(first), Some(last)) = (hit.first(), hit.last()) {
                changed[side].push(first.start..last.end);
                shared -= if side == 0 { last.end - first.start } else { 0 };
            }
        }
    }
    // What two lines share by chance, such as blanks, tells nothing.
    if shared * 3 < before.len().min(after.len()) {
        return Default::default();
    }
    changed
}

/// Words, runs of blanks, and every other character by itself.
fn words(text: &str) -> Vec<Range<usize>> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        ' ' | '\t' => 2,
        _ => 0,
    };
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut last = 0;
    for (at, c) in text.char_indices() {
        let (now, end) = (kind(c), at + c.len_utf8());
        match words.last_mut() {
            Some(word) if now > 0 && now == last => word.end = end,
            _ => words.push(at..end),
        }
        last = now;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn changed_lines_stand_between_equal_ones() {
        assert_eq!(
            unified("a\nb\nc\n", "a\nx\nc\n"),
            "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"
        );
        assert_eq!(unified("a\n", "a\n"), "");
    }

    fn marked(before: &str, after: &str) -> [String; 2] {
        let changed = changed_words(before, after);
        [(before, &changed[0]), (after, &changed[1])].map(|(text, ranges)| {
            let mut out = String::new();
            let mut at = 0;
            for range in ranges {
                for piece in [&text[at..range.start], "<", &text[range.clone()], ">"] {
                    out.push_str(piece);
                }
                at = range.end;
            }
            out + &text[at..]
        })
    }

    #[test]
    fn changed_words_are_told_from_what_stays() {
        assert_eq!(
            marked("(def total 12) ; sum", "(def total 15) ; sum"),
            ["(def total <12>) ; sum", "(def total <15>) ; sum"]
        );
        assert_eq!(
            marked("tool/search-logs", "tool/search-all-logs"),
            ["tool/search-logs", "tool/search-<all->logs"]
        );
        // Nothing but a blank in common.
        assert_eq!(marked("aa bb", "cc dd"), ["aa bb", "cc dd"]);
    }

    proptest! {
        #[test]
        fn hunks_make_one_text_of_the_other(before in "[a-c\n]{0,40}", after in "[a-c\n]{0,40}") {
            let old: Vec<&str> = before.split_inclusive('\n').collect();
            let new: Vec<&str> = after.split_inclusive('\n').collect();
            let mut made = String::new();
            let mut at = 0;
            for hunk in hunks(&before, &after) {
                made.push_str(&old[at..hunk.before.start].concat());
                made.push_str(&new[hunk.after].concat());
                at = hunk.before.end;
            }
            made.push_str(&old[at..].concat());
            prop_assert_eq!(made, after);
        }

        #[test]
        fn without_the_changed_words_both_are_the_same(before in "[ab _.é]{0,30}", after in "[ab _.é]{0,30}") {
            let changed = changed_words(&before, &after);
            let without = |text: &str, ranges: &[Range<usize>]| {
                let mut kept = text.to_owned();
                for range in ranges.iter().rev() {
                    kept.replace_range(range.clone(), "");
                }
                kept
            };
            if changed.iter().any(|side| !side.is_empty()) {
                prop_assert_eq!(without(&before, &changed[0]), without(&after, &changed[1]));
            }
            let empty = before.is_empty() || after.is_empty();
            prop_assert!(!empty || changed == <[Vec<Range<usize>>; 2]>::default());
        }
    }
}
