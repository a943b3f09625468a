//! Two texts by line, and changed lines by word: what is shown of two prompts or two runs (analysis,
//! "Diff").

use std::fmt::Write as _;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

pub use super::hunks::{Hunk, hunks};

/// Bytes of changed lines up to which words are looked for, on each side: many times what a screen
/// holds.
const WORDS_IN: usize = 64 * 1024;

/// Equal lines around what differs.
const CONTEXT: usize = 3;

/// A unified diff with three lines of context, without file headers; empty where the texts are equal.
pub fn unified(before: &str, after: &str) -> String {
    let [old, new] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let hunks = hunks(before, after);
    let mut out = String::new();
    let apart = |a: &Hunk, b: &Hunk| b.before.start - a.before.end > 2 * CONTEXT;
    for group in hunks.chunk_by(|a, b| !apart(a, b)) {
        write_group(&mut out, group, &old, &new);
    }
    out
}

/// Hunks whose context meets, with a head that tells their lines.
fn write_group(out: &mut String, group: &[Hunk], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return;
    };
    let start = first.before.start.saturating_sub(CONTEXT);
    let end = last.before.end.saturating_add(CONTEXT).min(old.len());
    let (lead, rest) = (first.before.start - start, end - last.before.end);
    let new_start = first.after.start - lead;
    let new_end = last.after.end + rest;
    // Where a side has no line, the one before it is named.
    let line = |start: usize, end: usize| if start < end { start + 1 } else { start };
    let _ = writeln!(
        out,
        "@@ -{},{} +{},{} @@",
        line(start, end),
        end - start,
        line(new_start, new_end),
        new_end - new_start
    );
    let mut write = |sign: char, lines: &[&str]| {
        for line in lines {
            out.push(sign);
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push('\n');
            }
        }
    };
    let mut at = start;
    for hunk in group {
        write(' ', &old[at..hunk.before.start]);
        write('-', &old[hunk.before.clone()]);
        write('+', &new[hunk.after.clone()]);
        at = hunk.before.end;
    }
    write(' ', &old[at..end]);
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
        assert_eq!(unified("", "a"), "@@ -0,0 +1,1 @@\n+a\n");
        assert_eq!(unified("a\nb", "a\n"), "@@ -1,2 +1,1 @@\n a\n-b\n");
        let lines = |changed: &[usize]| -> String {
            (0..20)
                .map(|n| {
                    if changed.contains(&n) {
                        "x\n".into()
                    } else {
                        format!("{n}\n")
                    }
                })
                .collect()
        };
        let heads = |changed: &[usize]| {
            let diff = unified(&lines(&[]), &lines(changed));
            diff.lines()
                .filter(|line| line.starts_with("@@"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(heads(&[4, 11]), ["@@ -2,14 +2,14 @@"]);
        assert_eq!(heads(&[4, 12]), ["@@ -2,7 +2,7 @@", "@@ -10,7 +10,7 @@"]);
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
