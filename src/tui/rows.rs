//! Text as the panes show it: blocks of lines with roles, and the rows that lines break into.
//!
//! A text may be 10 MB or 70,000 lines. So lines are found once, and only the rows on screen are
//! cleaned, coloured and broken.

use std::ops::Range;
use std::sync::Arc;

use regex::Regex;

use super::theme::Role;
use crate::text::{self, rows::wrap};

/// Longer lines are handled in pieces of this many bytes, so that no line costs much.
const PIECE: usize = 16 * 1024;

/// A stretch of text up to `end` in one role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The byte behind its last one.
    pub end: usize,
    /// Its role.
    pub role: Role,
}

/// A block of text under a heading.
#[derive(Debug, Clone, Default)]
pub struct Block {
    head: Vec<(String, Role)>,
    text: Arc<str>,
    /// Where lines start; a very long line starts anew every [`PIECE`] bytes.
    starts: Vec<usize>,
    stretches: Vec<Stretch>,
    /// Whether a blank line follows.
    gap: bool,
}

impl Block {
    /// A block of text in roles. What the stretches don't reach is ordinary text.
    pub fn new(text: impl Into<Arc<str>>, stretches: Vec<Stretch>) -> Self {
        let text = text.into();
        Self {
            starts: line_starts(&text),
            text,
            stretches,
            ..Self::default()
        }
    }

    /// A block of text in one role.
    pub fn plain(text: impl Into<Arc<str>>, role: Role) -> Self {
        let text = text.into();
        let whole = Stretch {
            end: text.len(),
            role,
        };
        Self::new(text, vec![whole])
    }

    /// A block that is a heading alone.
    pub fn heading(head: Vec<(String, Role)>) -> Self {
        Self {
            head,
            ..Self::default()
        }
    }

    /// With a heading line. Its texts are cleaned when drawn.
    #[must_use]
    pub fn headed(mut self, head: Vec<(String, Role)>) -> Self {
        self.head = head;
        self
    }

    /// With a blank line behind it.
    #[must_use]
    pub fn with_gap(mut self) -> Self {
        self.gap = true;
        self
    }

    fn head_lines(&self) -> usize {
        usize::from(!self.head.is_empty())
    }

    /// How many lines it has, heading and gap included.
    pub fn lines(&self) -> usize {
        self.head_lines() + self.starts.len() + usize::from(self.gap)
    }

    /// The text without the heading.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The lines in which a pattern is found, by their numbers.
    pub fn matching_lines(&self, pattern: &Regex) -> Vec<usize> {
        let mut lines: Vec<usize> = Vec::new();
        for found in pattern.find_iter(&self.text) {
            let at = self.starts.partition_point(|start| *start <= found.start());
            let line = self.head_lines() + at.saturating_sub(1);
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        lines
    }

    /// The block as its heading alone, with the number of lines that are folded away.
    #[must_use]
    pub fn folded(&self) -> Self {
        let hidden = self.starts.len();
        let mut head = self.head.clone();
        if head.is_empty() {
            let first = self.text.lines().next().unwrap_or_default();
            head.push((text::headline(first, 60), Role::Dim));
        }
        head.push((format!("  ⋯ {hidden} lines folded"), Role::Dim));
        Self {
            head,
            gap: self.gap,
            ..Self::default()
        }
    }

    /// The byte at which a line of the text starts; none for the heading and the gap.
    pub fn line_start(&self, index: usize) -> Option<usize> {
        let index = index.checked_sub(self.head_lines())?;
        self.starts.get(index).copied()
    }

    /// A line of the text as it is; none for the heading and the gap.
    pub fn raw_line(&self, index: usize) -> Option<&str> {
        let index = index.checked_sub(self.head_lines())?;
        let start = *self.starts.get(index)?;
        let next = self.starts.get(index + 1);
        let end = next.map_or(self.text.len(), |next| *next);
        Some(self.text[start..end].trim_end_matches('\n'))
    }

    /// A line, cleaned and in roles.
    pub fn line(&self, index: usize) -> Line {
        let mut line = Line::default();
        if index < self.head_lines() {
            for (text, role) in &self.head {
                line.push(text, *role);
            }
            return line;
        }
        let index = index - self.head_lines();
        let Some(&start) = self.starts.get(index) else {
            return line;
        };
        let end = self
            .starts
            .get(index + 1)
            .map_or(self.text.len(), |next| *next);
        let end = start + self.text[start..end].trim_end_matches('\n').len();
        let mut at = start;
        let first = self
            .stretches
            .partition_point(|stretch| stretch.end <= start);
        for stretch in &self.stretches[first..] {
            if at >= end {
                break;
            }
            let upto = stretch.end.min(end);
            line.push(&self.text[at..upto], stretch.role);
            at = upto;
        }
        if at < end {
            line.push(&self.text[at..end], Role::Text);
        }
        line
    }
}

/// Where the lines of a text start; none for an empty text.
fn line_starts(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut start = 0;
    while start < text.len() {
        starts.push(start);
        let rest = &text.as_bytes()[start..];
        let near = &rest[..rest.len().min(PIECE)];
        start += match memchr::memchr(b'\n', near) {
            Some(at) => at + 1,
            None if near.len() == rest.len() => rest.len(),
            None => {
                let mut piece = PIECE;
                while !text.is_char_boundary(start + piece) {
                    piece -= 1;
                }
                piece
            }
        };
    }
    starts
}

/// A cleaned line in roles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    text: String,
    stretches: Vec<Stretch>,
}

impl Line {
    /// Appends a text of a trace, cleaned.
    pub fn push(&mut self, raw: &str, role: Role) {
        if raw.contains('\t') {
            // Tab stops count from the line's start.
            let column = text::width(&self.text) % text::TAB_WIDTH;
            let padded = format!("{}{raw}", " ".repeat(column));
            let cleaned = text::clean_line(&padded);
            self.text.push_str(&cleaned[column..]);
        } else {
            self.text.push_str(&text::clean_line(raw));
        }
        self.stretches.push(Stretch {
            end: self.text.len(),
            role,
        });
    }

    /// The cleaned text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Gives what matches a role of its own.
    pub fn mark(&mut self, pattern: &Regex) {
        let found: Vec<Range<usize>> = pattern
            .find_iter(&self.text)
            .map(|found| found.range())
            .filter(|range| !range.is_empty())
            .collect();
        if found.is_empty() {
            return;
        }
        let mut marked = Vec::with_capacity(self.stretches.len() + 2 * found.len());
        let mut ranges = found.into_iter().peekable();
        let mut at = 0;
        for stretch in &self.stretches {
            while at < stretch.end {
                while ranges.next_if(|range| range.end <= at).is_some() {}
                let (end, role) = match ranges.peek() {
                    Some(range) if range.start <= at => (range.end.min(stretch.end), Role::Match),
                    Some(range) => (range.start.min(stretch.end), stretch.role),
                    None => (stretch.end, stretch.role),
                };
                marked.push(Stretch { end, role });
                at = end;
            }
        }
        self.stretches = marked;
    }

    /// How many rows it takes.
    pub fn height(&self, columns: usize, wrapped: bool) -> usize {
        if wrapped {
            wrap(&self.text, columns).len()
        } else {
            1
        }
    }

    /// Its rows. Not wrapped it is one row that begins `skip` columns in.
    pub fn rows(&self, columns: usize, wrapped: bool, skip: usize) -> Vec<Row> {
        if wrapped {
            let ranges = wrap(&self.text, columns);
            return ranges.into_iter().map(|range| self.part(range)).collect();
        }
        let start = column_start(&self.text, skip);
        vec![self.part(start..self.text.len())]
    }

    fn part(&self, range: Range<usize>) -> Row {
        let mut row = Row::default();
        let first = self.stretches.partition_point(|s| s.end <= range.start);
        let mut at = range.start;
        for stretch in &self.stretches[first..] {
            if at >= range.end {
                break;
            }
            let upto = stretch.end.min(range.end);
            row.spans
                .push((self.text[at..upto].to_owned(), stretch.role));
            at = upto;
        }
        row
    }
}

/// The byte at which a column starts, or the text's end.
fn column_start(text: &str, column: usize) -> usize {
    use unicode_segmentation::UnicodeSegmentation as _;
    if column == 0 {
        return 0;
    }
    if text.is_ascii() {
        return column.min(text.len());
    }
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        if used >= column {
            return at;
        }
        used += text::width(grapheme);
    }
    text.len()
}

/// A row as it is drawn: cleaned texts with their roles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// The texts, left to right.
    pub spans: Vec<(String, Role)>,
}

impl Row {
    /// A row of one text, cleaned.
    pub fn of(raw: &str, role: Role) -> Self {
        Self {
            spans: vec![(text::clean_line(raw).into_owned(), role)],
        }
    }

    /// The text of all spans.
    pub fn text(&self) -> String {
        self.spans.iter().map(|(text, _)| text.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_roles() {
        let text = "ab\ncd\u{1b}ef\n";
        let stretches = vec![
            Stretch {
                end: 4,
                role: Role::Call,
            },
            Stretch {
                end: 6,
                role: Role::Bad,
            },
        ];
        let block = Block::new(text, stretches).with_gap();
        assert_eq!(block.lines(), 3);
        let row = &block.line(1).rows(10, true, 0)[0];
        assert_eq!(
            row.spans,
            [
                ("c".to_owned(), Role::Call),
                ("d␛".to_owned(), Role::Bad),
                ("ef".to_owned(), Role::Text)
            ]
        );
        assert_eq!(block.line(2).text(), "");
    }

    #[test]
    fn matches_are_marked_across_roles() {
        let mut line = Line::default();
        line.push("ab", Role::Call);
        line.push("cdab", Role::Text);
        line.mark(&Regex::new("bc|b$").expect("a pattern"));
        let spans = &line.rows(10, true, 0)[0].spans;
        let roles: Vec<(&str, Role)> = spans.iter().map(|(t, r)| (t.as_str(), *r)).collect();
        assert_eq!(
            roles,
            [
                ("a", Role::Call),
                ("b", Role::Match),
                ("c", Role::Match),
                ("da", Role::Text),
                ("b", Role::Match)
            ]
        );
    }

    #[test]
    fn a_very_long_line_is_handled_in_pieces() {
        let block = Block::plain("é".repeat(20_000), Role::Text);
        assert!(block.lines() > 1);
        let joined: String = (0..block.lines())
            .map(|i| block.line(i).text().to_owned())
            .collect();
        assert_eq!(joined, "é".repeat(20_000));
    }

    #[test]
    fn tabs_stop_where_they_would_in_the_whole_line() {
        let mut line = Line::default();
        line.push("abc", Role::Text);
        line.push("\tx", Role::Bad);
        assert_eq!(line.text(), "abc x");
    }
}
