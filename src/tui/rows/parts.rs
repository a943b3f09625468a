//! Parts of a block's text that fold to their first line.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::{Block, Line};
use crate::text;
use crate::tui::pane::prompt::Counting;
use crate::tui::sections::Start;
use crate::tui::theme::Role;

/// Bytes of a part up to which its tokens are counted.
const COUNTED_BYTES: usize = 100_000;

/// Columns of its first line that are shown of a folded part.
const COLUMNS: usize = 60;

/// A part of a text: from its first line to the next part's.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Its first line, among those of the text.
    pub(super) first: usize,
    /// What it is known by in other states of the text.
    key: Arc<str>,
    is_folded: bool,
    tokens: OnceLock<usize>,
}

/// The parts of a text, and how their tokens are counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    pub(super) all: Vec<Part>,
    counting: Option<Counting>,
}

impl Block {
    /// With parts of the text that fold, and how their tokens are counted, once they can be. A text of
    /// one part folds as a whole.
    #[must_use]
    pub fn with_parts(mut self, starts: &[Start], counting: Option<Counting>) -> Self {
        let mut counts = std::collections::HashMap::new();
        let parts = starts.iter().map(|start| {
            let count: &mut usize = counts.entry(&start.kind).or_default();
            *count += 1;
            Part {
                first: self.line_with(start.at),
                key: format!("{}#{count}", start.kind).into(),
                is_folded: false,
                tokens: OnceLock::new(),
            }
        });
        let all: Vec<Part> = parts.collect();
        if all.len() > 1 {
            self.parts = Parts { all, counting };
        }
        self
    }

    /// The line of the text that a byte is in.
    pub(super) fn line_with(&self, byte: usize) -> usize {
        let behind = self.starts.partition_point(|start| *start <= byte);
        behind.saturating_sub(1)
    }

    /// What is folded of its parts, by their keys.
    pub fn folded_parts(&self) -> impl Iterator<Item = &Arc<str>> {
        let folded = self.parts.all.iter().filter(|part| part.is_folded);
        folded.map(|part| &part.key)
    }

    /// Folds those of its parts that a key is of.
    pub fn fold_parts(&mut self, is_folded: impl Fn(&str) -> bool) {
        for part in &mut self.parts.all {
            part.is_folded = is_folded(&part.key);
        }
    }

    /// Folds the part that a line is of, or unfolds it, as `folds` says of its state. The line that
    /// comes to stand for it; none where the line is of no part that has more than one.
    pub fn on_part(&mut self, line: usize, folds: impl FnOnce(bool) -> bool) -> Option<usize> {
        let at = self.part_at(line)?;
        let lines = self.lines_of(at);
        let part = &mut self.parts.all[at];
        part.is_folded = folds(part.is_folded);
        Some(self.head_lines() + self.shown_line(lines.start))
    }

    /// Whether the part that a line is of is folded; none where it is of no part.
    pub fn is_part_folded(&self, line: usize) -> Option<bool> {
        Some(self.parts.all[self.part_at(line)?].is_folded)
    }

    /// The line at which a part is seen, of the first the heading; none where the block is folded.
    pub fn part_line(&self, part: usize) -> Option<usize> {
        if part == 0 {
            return Some(0);
        }
        let first = self.parts.all.get(part).filter(|_| !self.is_folded)?.first;
        Some(self.head_lines() + self.shown_line(first))
    }

    /// The part that is seen from this line on.
    pub fn part_from(&self, line: usize) -> Option<usize> {
        let part = self.part_of(line);
        (self.part_line(part) == Some(line)).then_some(part)
    }

    /// The part that a line is of; the heading's is the first.
    pub fn part_of(&self, line: usize) -> usize {
        let line = line.checked_sub(self.head_lines());
        let line = line.filter(|_| !self.is_folded);
        let part = line.and_then(|line| self.part_with(self.unfolded_line(line)));
        part.unwrap_or(0)
    }

    /// The part of more than one line that a line is of.
    fn part_at(&self, line: usize) -> Option<usize> {
        let line = line.checked_sub(self.head_lines())?;
        if self.is_folded || line >= self.text_lines() {
            return None;
        }
        let at = self.part_with(self.unfolded_line(line))?;
        (self.lines_of(at).len() > 1).then_some(at)
    }

    /// The part that has a line of the text.
    fn part_with(&self, line: usize) -> Option<usize> {
        let behind = self.parts.all.partition_point(|part| part.first <= line);
        behind.checked_sub(1)
    }

    fn lines_of(&self, part: usize) -> Range<usize> {
        let next = self.parts.all.get(part + 1);
        let end = next.map_or(self.starts.len(), |next| next.first);
        self.parts.all[part].first..end
    }

    fn folded(&self) -> impl Iterator<Item = Range<usize>> {
        let parts = self.parts.all.iter().enumerate();
        let folded = parts.filter(|(_, part)| part.is_folded);
        folded.map(|(at, _)| self.lines_of(at))
    }

    /// Lines of the text that are to be seen.
    pub(super) fn text_lines(&self) -> usize {
        let hidden: usize = self
            .folded()
            .map(|lines| lines.len().saturating_sub(1))
            .sum();
        self.starts.len() - hidden
    }

    /// The line of the text that is seen as this one of those that are to be seen.
    pub(super) fn unfolded_line(&self, line: usize) -> usize {
        let mut line = line;
        for lines in self.folded() {
            if line <= lines.start {
                break;
            }
            line += lines.len().saturating_sub(1);
        }
        line
    }

    /// As which of the lines to be seen a line of the text is seen: its own, else its part's first.
    pub(super) fn shown_line(&self, line: usize) -> usize {
        let mut shown = line;
        for lines in self.folded().take_while(|lines| lines.start < line) {
            shown -= lines.len().min(line + 1 - lines.start).saturating_sub(1);
        }
        shown
    }

    /// Unfolds the part that hides a line of the text.
    pub(super) fn show_text_line(&mut self, line: usize) {
        let part = self.part_with(line);
        let part = part.and_then(|at| self.parts.all.get_mut(at));
        if let Some(part) = part.filter(|part| part.first != line) {
            part.is_folded = false;
        }
    }

    /// What stands for a folded part whose first line this is: the line, and how much is hidden.
    pub(super) fn folded_part(&self, line: usize) -> Option<Line> {
        let at = self.part_with(line)?;
        let lines = self.lines_of(at);
        let part = &self.parts.all[at];
        if !part.is_folded || lines.len() < 2 {
            return None;
        }
        // Where it begins with blank lines, the first other one says what it is.
        let mut texts = lines.clone().map(|line| self.text_of(line));
        let first = texts
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default();
        let mut out = Line::default();
        let role = self.role_at(self.starts[lines.start]);
        out.push(&text::headline(first, COLUMNS), role);
        let plural = if lines.len() == 2 { "" } else { "s" };
        let mut hidden = format!("  ⋯ {} line{plural} folded", lines.len() - 1);
        let counting = self.parts.counting;
        let tokens = counting.and_then(|counting| self.part_tokens(part, &lines, counting));
        if let Some((counting, tokens)) = counting.zip(tokens) {
            hidden.push_str(", ");
            hidden.push_str(&counting.words(tokens));
        }
        out.push(&hidden, Role::Dim);
        Some(out)
    }

    /// The tokens of a part as it was recorded, without what was left out; counted once.
    fn part_tokens(&self, part: &Part, lines: &Range<usize>, counting: Counting) -> Option<usize> {
        let text = self.recorded_text();
        let start = self.recorded_start(lines.start)?;
        let end = self.recorded_start(lines.end).unwrap_or(text.len());
        let is_counted = end.saturating_sub(start) <= COUNTED_BYTES;
        is_counted.then(|| {
            *part.tokens.get_or_init(|| {
                let sent = text[start..end].split_inclusive('\n');
                let sent: String = sent.filter(|line| !line.starts_with('┊')).collect();
                counting.tokenizer.count(&sent)
            })
        })
    }

    fn text_of(&self, line: usize) -> &str {
        let start = self.starts[line];
        let end = self.starts.get(line + 1).copied();
        &self.text[start..end.unwrap_or(self.text.len())]
    }

    fn role_at(&self, byte: usize) -> Role {
        let at = self
            .stretches
            .partition_point(|stretch| stretch.end <= byte);
        self.stretches
            .get(at)
            .map_or(Role::Text, |stretch| stretch.role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(text: &str) -> Block {
        let starts = crate::tui::sections::sections(text, &[]);
        let head = vec![("[user]".to_owned(), Role::Title)];
        let block = Block::plain(text, Role::Text).headed(head);
        block.with_parts(&starts, None).with_gap()
    }

    fn lines(block: &Block) -> Vec<String> {
        let lines = (0..block.lines()).map(|line| block.line(line));
        lines.map(|line| line.text().to_owned()).collect()
    }

    #[test]
    fn a_part_folds_to_its_first_line_and_says_how_much_is_hidden() {
        let text = "a\n;; === data/ ===\nx\ny\n\n;; Output:\nz\n";
        let mut block = block(text);
        assert_eq!(block.on_part(4, |_| true), Some(2));
        assert_eq!(
            lines(&block),
            [
                "[user]",
                "a",
                ";; === data/ ===  ⋯ 3 lines folded",
                ";; Output:",
                "z",
                ""
            ]
        );
        assert_eq!(block.raw_line(2), Some(";; === data/ ===\nx\ny"));
        assert_eq!(block.raw_line(3), Some(";; Output:"));
        // A part of one line is none that folds.
        assert_eq!(block.on_part(1, |_| true), None);
        assert_eq!(block.on_part(0, |_| true), None);
        assert_eq!(block.on_part(5, |_| true), None);
        // Lines are found by their numbers with everything unfolded.
        assert_eq!(block.show_line(7), 4);
        assert_eq!(block.show_line(4), 4);
        assert_eq!(lines(&block).len(), 9);
        assert_eq!(block.folded_parts().count(), 0);
    }

    proptest! {
        #[test]
        fn lines_are_where_they_are_said_to_be(
            text in "([ab]\n|;; Output:\n|```\n|\n){0,20}",
            folds in proptest::collection::vec(0usize..25, 0..6),
        ) {
            let mut block = block(&text);
            for line in folds {
                block.on_part(line, |is_folded| !is_folded);
            }
            let shown = lines(&block);
            prop_assert_eq!(shown.len(), block.lines());
            for line in 0..block.text_lines() {
                let whole = block.unfolded_line(line);
                prop_assert_eq!(block.shown_line(whole), line);
            }
            for line in 0..block.starts.len() {
                let mut open = block.clone();
                let at = open.show_line(1 + line);
                // Where the line stands for a part that is folded, that part begins with it.
                let raw = open.raw_line(at).and_then(|raw| raw.split('\n').next().map(str::to_owned));
                prop_assert_eq!(raw.as_deref(), text.split('\n').nth(line));
            }
        }
    }
}
