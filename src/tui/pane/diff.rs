//! Two texts as one: changed lines behind `-` and `+` with their changed words set apart, unchanged
//! stretches between them that fold. A line is made when it comes into view, and the words of a change
//! are compared then.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex::Regex;

use crate::analysis::diff::{changed_words, hunks};
use crate::tui::rows::{Block, Stretch};
use crate::tui::text_view::Source;
use crate::tui::theme::Role;

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 3;

/// Unchanged lines from which a stretch folds: fewer would gain nothing.
const FOLDED: usize = 4;

/// A text and where its lines start, its end included.
#[derive(Debug)]
struct Side {
    text: Arc<str>,
    starts: Vec<usize>,
}

impl Side {
    fn new(text: Arc<str>) -> Self {
        let feeds = memchr::memchr_iter(b'\n', text.as_bytes());
        let mut starts: Vec<usize> = std::iter::once(0).chain(feeds.map(|at| at + 1)).collect();
        if *starts.last().unwrap_or(&0) < text.len() {
            starts.push(text.len());
        }
        Self { text, starts }
    }

    fn lines(&self) -> usize {
        self.starts.len() - 1
    }

    fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        self.starts[lines.start]..self.starts[lines.end]
    }

    /// Those of some lines in which a pattern is found, counted from the first of them.
    fn matching(&self, lines: &Range<usize>, pattern: &Regex) -> Vec<usize> {
        let bytes = self.bytes(lines);
        let mut found: Vec<usize> = Vec::new();
        for place in pattern.find_iter(&self.text[bytes.clone()]) {
            let byte = bytes.start + place.start();
            let line = self.starts.partition_point(|start| *start <= byte) - 1;
            // An empty match behind the last line is in none of them.
            if line < lines.end && found.last() != Some(&(line - lines.start)) {
                found.push(line - lines.start);
            }
        }
        found
    }
}

/// A line of the differences, whatever is folded: the part that it is in, and its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    part: usize,
    line: usize,
}

/// A stretch of lines of both texts.
#[derive(Debug)]
enum Part {
    /// Unchanged lines near a change.
    Same(Range<usize>),
    /// Unchanged lines that fold.
    Fold(Range<usize>),
    /// Lines that only the first text has, and only the second, and their changed words once they
    /// were in view.
    Changed([Range<usize>; 2], OnceLock<[Vec<Range<usize>>; 2]>),
}

/// What differs between two texts.
#[derive(Debug)]
pub struct Differences {
    sides: [Side; 2],
    parts: Vec<Part>,
    /// Lines that only the second text has, and only the first.
    pub figures: [usize; 2],
}

impl Differences {
    /// Compares two texts.
    pub fn new(before: Arc<str>, after: Arc<str>) -> Self {
        let hunks = hunks(&before, &after);
        let mut made = Self {
            sides: [Side::new(before), Side::new(after)],
            parts: Vec::new(),
            figures: [0, 0],
        };
        let mut from = 0;
        for hunk in hunks {
            made.same(from..hunk.before.start, true);
            made.figures[0] += hunk.after.len();
            made.figures[1] += hunk.before.len();
            from = hunk.before.end;
            let lines = [hunk.before, hunk.after];
            made.parts.push(Part::Changed(lines, OnceLock::new()));
        }
        let end = made.sides[0].lines();
        made.same(from..end, false);
        made
    }

    /// Unchanged lines of the first text; `more` says that a change follows.
    fn same(&mut self, lines: Range<usize>, more: bool) {
        let above = if self.parts.is_empty() { 0 } else { CONTEXT };
        let below = if more { CONTEXT } else { 0 };
        let mut push = |part: fn(Range<usize>) -> Part, lines: Range<usize>| {
            if !lines.is_empty() {
                self.parts.push(part(lines));
            }
        };
        if lines.len() < above + below + FOLDED {
            push(Part::Same, lines);
            return;
        }
        let (first, last) = (lines.start + above, lines.end - below);
        push(Part::Same, lines.start..first);
        push(Part::Fold, first..last);
        push(Part::Same, last..lines.end);
    }

    /// How many changes there are.
    pub fn changes(&self) -> usize {
        let changed = |part: &&Part| matches!(part, Part::Changed(..));
        self.parts.iter().filter(changed).count()
    }

    /// Both texts.
    pub fn texts(&self) -> [&str; 2] {
        [&self.sides[0].text, &self.sides[1].text]
    }

    /// Tells the lines in which a pattern is found, part by part, as long as somebody wants them.
    pub fn find(&self, pattern: &Regex, mut tell: impl FnMut(Vec<Place>) -> bool) {
        for (part, lines) in self.parts.iter().enumerate() {
            let found = match lines {
                Part::Same(lines) | Part::Fold(lines) => self.sides[0].matching(lines, pattern),
                Part::Changed(lines, _) => {
                    let mut found = self.sides[0].matching(&lines[0], pattern);
                    let come = self.sides[1].matching(&lines[1], pattern).into_iter();
                    found.extend(come.map(|line| lines[0].len() + line));
                    found
                }
            };
            let places = found.into_iter().map(|line| Place { part, line });
            if !tell(places.collect()) {
                return;
            }
        }
    }

    fn unchanged(&self, line: usize) -> Block {
        self.line(0, line, "  ", &[], [Role::Dim; 2])
    }

    /// A line of one of the texts behind a sign; the ranges of its text in the second role.
    fn line(
        &self,
        side: usize,
        line: usize,
        sign: &str,
        marked: &[Range<usize>],
        roles: [Role; 2],
    ) -> Block {
        let side = &self.sides[side];
        let bytes = side.bytes(&(line..line + 1));
        let text = side.text[bytes.clone()].trim_end_matches('\n');
        let (start, end) = (bytes.start, bytes.start + text.len());
        let mut stretches = Vec::new();
        let mut push = |upto: usize, role| {
            let end = sign.len() + upto - start;
            stretches.push(Stretch { end, role });
        };
        let first = marked.partition_point(|range| range.end <= start);
        let marked = marked[first..].iter();
        // Where all of a line has changed its sign says so.
        let parts = |range: &&Range<usize>| range.start > start || range.end < end;
        for range in marked.take_while(|range| range.start < end).filter(parts) {
            push(range.start.max(start), roles[0]);
            push(range.end.min(end), roles[1]);
        }
        push(end, roles[0]);
        Block::new(format!("{sign}{text}"), stretches).signed(sign.len())
    }

    /// A line of a change, counted through what is gone and what has come.
    fn changed(
        &self,
        lines: &[Range<usize>; 2],
        words: &OnceLock<[Vec<Range<usize>>; 2]>,
        at: usize,
    ) -> Block {
        let words = words.get_or_init(|| {
            let bytes = [0, 1].map(|side| self.sides[side].bytes(&lines[side]));
            let [before, after] = [0, 1].map(|side| &self.sides[side].text[bytes[side].clone()]);
            let mut words = changed_words(before, after);
            for (side, words) in words.iter_mut().enumerate() {
                for word in words {
                    *word = word.start + bytes[side].start..word.end + bytes[side].start;
                }
            }
            words
        });
        let (side, line) = match at.checked_sub(lines[0].len()) {
            None => (0, lines[0].start + at),
            Some(at) => (1, lines[1].start + at),
        };
        let (sign, roles) = [
            ("- ", [Role::Gone, Role::GoneWord]),
            ("+ ", [Role::Come, Role::ComeWord]),
        ][side];
        self.line(side, line, sign, &words[side], roles)
    }
}

/// The differences with some stretches open, line by line: each line is a block of its own, so that
/// only those in view are made.
#[derive(Debug, Clone)]
pub struct DiffText {
    differences: Arc<Differences>,
    open: Vec<bool>,
    /// The line with which each part begins, and behind the last one their number.
    starts: Vec<usize>,
}

impl DiffText {
    /// With all unchanged stretches folded.
    pub fn new(differences: Arc<Differences>) -> Self {
        let mut text = Self {
            open: vec![false; differences.parts.len()],
            starts: Vec::new(),
            differences,
        };
        text.arrange();
        text
    }

    /// What differs.
    pub fn differences(&self) -> &Arc<Differences> {
        &self.differences
    }

    /// What the parts' own lines are counted behind: a stretch that folds has a heading.
    fn heads(&self, part: usize) -> usize {
        usize::from(matches!(
            self.differences.parts.get(part),
            Some(Part::Fold(_))
        ))
    }

    /// The place of a line that is shown; of a heading, that of the first line below it.
    pub fn place_of(&self, line: usize) -> Place {
        let (part, line) = self.place(line);
        let line = line.saturating_sub(self.heads(part));
        Place { part, line }
    }

    /// Unfolds the stretch that a place is in; whether it was folded.
    pub fn open(&mut self, place: Place) -> bool {
        let is_folded = self.heads(place.part) > 0 && !self.open[place.part];
        if is_folded {
            self.open[place.part] = true;
            self.arrange();
        }
        is_folded
    }

    /// The line that a place is shown as.
    pub fn line_of(&self, place: Place) -> usize {
        let start = self.starts.get(place.part).copied().unwrap_or(0);
        start + self.heads(place.part) + place.line
    }

    fn arrange(&mut self) {
        let mut lines = 0;
        self.starts.clear();
        self.starts.push(0);
        for (part, open) in self.differences.parts.iter().zip(&self.open) {
            lines += match part {
                Part::Same(same) => same.len(),
                // Its heading stays, so that it can be folded again.
                Part::Fold(same) => 1 + if *open { same.len() } else { 0 },
                Part::Changed([before, after], _) => before.len() + after.len(),
            };
            self.starts.push(lines);
        }
    }

    /// The part that a line is in, and the line's place in it.
    fn place(&self, line: usize) -> (usize, usize) {
        let part = self.starts.partition_point(|start| *start <= line);
        let part = part.saturating_sub(1);
        (part, line - self.starts[part])
    }

    /// Whether a line is the heading of a stretch that folds.
    pub fn is_heading(&self, line: usize) -> bool {
        let (part, at) = self.place(line);
        at == 0 && self.heads(part) > 0
    }

    /// The lines of each change, in order.
    pub fn changes(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let parts = self.differences.parts.iter().enumerate();
        let changed = parts.filter(|(_, part)| matches!(part, Part::Changed(..)));
        changed.map(|(at, _)| self.starts[at]..self.starts[at + 1])
    }

    /// Unfolds the stretch that a line is in, or of those that follow it the one of this number from 1;
    /// or folds it. The line to stay at; none where there is no such stretch.
    pub fn toggle(&mut self, line: usize, number: usize) -> Option<usize> {
        let (at, _) = self.place(line);
        let parts = self.differences.parts.iter().enumerate().skip(at);
        let mut folds = parts.filter(|(_, part)| matches!(part, Part::Fold(_)));
        let (fold, _) = folds.nth(number.saturating_sub(1))?;
        self.open[fold] = !self.open[fold];
        self.arrange();
        let is_inside = fold == at && !self.open[fold];
        Some(if is_inside { self.starts[fold] } else { line })
    }

    /// Unfolds every stretch, or folds them where all are open. The line to stay at.
    pub fn toggle_all(&mut self, line: usize) -> usize {
        let (at, offset) = self.place(line);
        let mut parts = self.differences.parts.iter().zip(&self.open);
        let opens = parts.any(|(part, open)| matches!(part, Part::Fold(_)) && !open);
        self.open.fill(opens);
        self.arrange();
        let end = self.starts.get(at + 1).copied().unwrap_or(0);
        (self.starts[at] + offset).min(end.saturating_sub(1))
    }
}

impl Source for DiffText {
    fn blocks(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn block(&self, index: usize) -> Arc<Block> {
        let (part, at) = self.place(index);
        let all = &self.differences;
        Arc::new(match all.parts.get(part) {
            Some(Part::Same(lines)) => all.unchanged(lines.start + at),
            Some(Part::Fold(lines)) if at == 0 => {
                let sign = if self.open[part] { "▾" } else { "⋯" };
                let plural = if lines.len() == 1 { "" } else { "s" };
                let head = format!("{sign} {} unchanged line{plural}", lines.len());
                let sign = head.len();
                Block::plain(head, Role::Section).signed(sign)
            }
            Some(Part::Fold(lines)) => all.unchanged(lines.start + at - 1),
            Some(Part::Changed(lines, words)) => all.changed(lines, words, at),
            None => Block::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &DiffText) -> Vec<String> {
        let blocks = (0..text.blocks()).map(|at| text.block(at).text().to_string());
        blocks.collect()
    }

    fn text(before: &str, after: &str) -> DiffText {
        DiffText::new(Arc::new(Differences::new(before.into(), after.into())))
    }

    #[test]
    fn unchanged_stretches_fold_and_changed_words_stand_out() {
        let lines = |changed: &str| -> String {
            let lines = (0..30).map(|at| {
                let word = if at == 15 { changed } else { "same" };
                format!("line {at} {word}\n")
            });
            lines.collect()
        };
        let mut text = text(&lines("old"), &lines("new"));
        assert_eq!(text.differences().figures, [1, 1]);
        let folded = [
            "⋯ 12 unchanged lines",
            "  line 12 same",
            "  line 13 same",
            "  line 14 same",
            "- line 15 old",
            "+ line 15 new",
            "  line 16 same",
            "  line 17 same",
            "  line 18 same",
            "⋯ 11 unchanged lines",
        ];
        assert_eq!(shown(&text), folded);
        assert_eq!(text.changes().collect::<Vec<_>>(), vec![4..6]);
        let row = &text.block(4).line(0).rows(40, true, 0)[0];
        assert_eq!(row.spans.last(), Some(&("old".to_owned(), Role::GoneWord)));
        assert_eq!(text.toggle(0, 2), Some(0));
        assert_eq!(
            shown(&text).last().map(String::as_str),
            Some("  line 29 same")
        );
        assert_eq!(text.toggle(15, 1), Some(9));
        assert_eq!(shown(&text), folded);
        assert_eq!(text.toggle(0, 3), None);
        assert_eq!(text.toggle_all(4), 16);
        assert_eq!(text.blocks(), 33);
        assert_eq!(text.toggle_all(16), 4);
    }

    proptest! {
        #[test]
        fn unfolded_both_texts_are_there(
            before in proptest::collection::vec("[ab]{0,2}", 0..30),
            after in proptest::collection::vec("[ab]{0,2}", 0..30),
        ) {
            let mut text = text(&before.join("\n"), &after.join("\n"));
            text.toggle_all(0);
            let lines = shown(&text);
            for (sign, side) in ["- ", "+ "].into_iter().zip(text.differences().texts()) {
                let kept = lines.iter().filter_map(|line| {
                    line.strip_prefix(sign).or_else(|| line.strip_prefix("  "))
                });
                let kept: Vec<&str> = kept.collect();
                prop_assert_eq!(kept, side.lines().collect::<Vec<_>>());
            }
        }
    }
}
