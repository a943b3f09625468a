//! Text as the panes show it: blocks of lines with roles, and the rows that lines break into.
//!
//! A text may be 10 MB or 70,000 lines. So lines are found once, and only the rows on screen are
//! cleaned, coloured and broken.

use std::ops::Range;
use std::sync::Arc;

use regex::Regex;

use super::colours::{Code, CodeLine};
use super::theme::Role;
use super::tree::Tree;
use crate::text;

pub use line::{Line, Row};

mod hidden;
mod laid_out;
mod line;
mod parts;

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
    /// Code in the text whose colours are found elsewhere.
    code: Vec<(Range<usize>, Code)>,
    /// Stretches of the text whose rows stand behind a bar.
    barred: Vec<Range<usize>>,
    /// Values below the text.
    trees: Vec<Tree>,
    /// Whether a blank line follows.
    gap: bool,
    /// What stands for the block where it is an item that folds to one row.
    item: Option<Vec<(String, Role)>>,
    is_folded: bool,
    /// The run that it can be opened as, by its number in the turn.
    child: Option<usize>,
    /// What stands behind the text, where secrets are hidden.
    recorded: Option<hidden::Recorded>,
    /// Parts of the text that fold.
    parts: parts::Parts,
    /// Bytes of our own before the text, which no search looks at.
    sign: usize,
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

    /// With code in the text, in order; until its colours are found it has the roles of the stretches.
    #[must_use]
    pub fn with_code(mut self, code: Vec<(Range<usize>, Code)>) -> Self {
        self.code = code;
        self
    }

    /// With a bar before the lines of some stretches of the text, in their order.
    #[must_use]
    pub fn barred(mut self, barred: Vec<Range<usize>>) -> Self {
        self.barred = barred;
        self
    }

    /// With so many first bytes of the text being a sign of ours, which no search looks at.
    #[must_use]
    pub fn signed(mut self, sign: usize) -> Self {
        self.sign = sign;
        self
    }

    /// With values below the text.
    #[must_use]
    pub fn with_trees(mut self, trees: Vec<Tree>) -> Self {
        self.trees = trees;
        self
    }

    /// As an item that is folded to one row, or can be.
    #[must_use]
    pub fn as_item(mut self, row: Vec<(String, Role)>, is_folded: bool) -> Self {
        self.item = Some(row);
        self.is_folded = is_folded;
        self
    }

    /// With a run of the turn's that it stands for.
    #[must_use]
    pub fn with_child(mut self, child: Option<usize>) -> Self {
        self.child = child;
        self
    }

    /// The run that it stands for, by its number in the turn, from 1.
    pub fn child(&self) -> Option<usize> {
        self.child
    }

    /// Whether it is an item that folds to one row.
    pub fn is_item(&self) -> bool {
        self.item.is_some()
    }

    /// Whether it folds as a whole, and not by its values alone.
    pub fn can_fold(&self) -> bool {
        self.trees.is_empty() || self.item.is_some() || !self.head.is_empty()
    }

    /// Whether it has something that a cursor can stand on to fold it.
    pub fn has_items(&self) -> bool {
        self.item.is_some() || !self.trees.is_empty()
    }

    fn head_lines(&self) -> usize {
        usize::from(!self.head.is_empty())
    }

    /// How many lines it has, heading and gap included.
    pub fn lines(&self) -> usize {
        if self.is_folded {
            return 1 + usize::from(self.gap && self.item.is_none());
        }
        let trees: usize = self.trees.iter().map(Tree::rows).sum();
        self.head_lines() + self.text_lines() + trees + usize::from(self.gap)
    }

    /// Whether a line is the blank one behind the block.
    pub fn is_gap(&self, line: usize) -> bool {
        self.gap && line > 0 && line + 1 == self.lines() && (!self.is_folded || self.item.is_none())
    }

    /// The text without the heading.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The lines in which a pattern is found, by their numbers with everything unfolded.
    pub fn matching_lines(&self, pattern: &Regex) -> Vec<usize> {
        let mut lines: Vec<usize> = Vec::new();
        if self.item.is_some() && self.head.iter().any(|(text, _)| pattern.is_match(text)) {
            lines.push(0);
        }
        for found in pattern.find_iter(&self.text[self.sign..]) {
            let byte = self.sign + found.start();
            let at = self.starts.partition_point(|start| *start <= byte);
            let line = self.head_lines() + at.saturating_sub(1);
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        let mut first = self.head_lines() + self.starts.len();
        for tree in &self.trees {
            lines.extend(tree.matching_rows(pattern).iter().map(|row| first + row));
            first += tree.all_rows();
        }
        lines
    }

    /// Unfolds what hides a line that is counted with everything unfolded; where it is then.
    pub fn show_line(&mut self, line: usize) -> usize {
        self.is_folded = false;
        let Some(mut left) = line.checked_sub(self.head_lines() + self.starts.len()) else {
            let Some(line) = line.checked_sub(self.head_lines()) else {
                return line;
            };
            self.show_text_line(line);
            return self.head_lines() + self.shown_line(line);
        };
        let mut first = self.head_lines() + self.text_lines();
        for tree in &mut self.trees {
            let rows = tree.all_rows();
            if left < rows {
                return first + tree.show(left);
            }
            left -= rows;
            first += tree.rows();
        }
        first
    }

    /// Whether it is folded to its heading.
    pub fn is_folded(&self) -> bool {
        self.is_folded
    }

    /// Folds it to one row, or unfolds it.
    pub fn set_folded(&mut self, is_folded: bool) {
        self.is_folded = is_folded;
    }

    /// The values below the text.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// Shows these values, which are the same with other parts open.
    pub fn set_trees(&mut self, trees: Vec<Tree>) {
        self.trees = trees;
    }

    /// Acts on the tree that a line is of: on its row. The line of the row that comes of it; none where
    /// the line is no tree's.
    pub fn on_tree(
        &mut self,
        line: usize,
        act: impl FnOnce(&mut Tree, usize) -> usize,
    ) -> Option<usize> {
        let (first, at) = self.tree_at(line)?;
        let row = act(&mut self.trees[at], line - first);
        Some(first + row)
    }

    /// Whether a line stands for what folds: for the block, a part of its text, a value.
    pub fn is_heading(&self, line: usize) -> bool {
        if let Some((first, at)) = self.tree_at(line) {
            return self.trees[at].folds(line - first);
        }
        match line {
            0 => self.item.is_some() || !self.head.is_empty(),
            _ => self.part_from(line).is_some(),
        }
    }

    /// What is at a line: a tree's value, else all of the block.
    pub fn text_at(&self, line: usize, columns: usize) -> String {
        match self.tree_at(line) {
            Some((first, at)) => self.trees[at].value_text(line - first),
            None => self.whole_text(columns),
        }
    }

    /// The tree that a line is of, and the line of its first row.
    fn tree_at(&self, line: usize) -> Option<(usize, usize)> {
        let mut first = self.head_lines() + self.text_lines();
        if self.is_folded || line < first {
            return None;
        }
        for (at, tree) in self.trees.iter().enumerate() {
            if line < first + tree.rows() {
                return Some((first, at));
            }
            first += tree.rows();
        }
        None
    }

    /// The heading, and all of the text and the values, unfolded, each on lines of their own.
    pub fn whole_text(&self, columns: usize) -> String {
        let head = self.head.iter().map(|(text, _)| text.as_str());
        let mut out: String = head.collect();
        let texts = std::iter::once(self.text.to_string());
        let trees = self.trees.iter().map(|tree| tree.text(columns));
        for text in texts.chain(trees).filter(|text| !text.is_empty()) {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(text.trim_end_matches('\n'));
        }
        out.push('\n');
        if self.gap {
            out.push('\n');
        }
        out
    }

    /// The heading of the folded block, with the number of lines that are folded away.
    fn folded_head(&self) -> Vec<(String, Role)> {
        if let Some(row) = &self.item {
            return row.clone();
        }
        let hidden = self.starts.len() + self.trees.iter().map(Tree::rows).sum::<usize>();
        let mut head = self.head.clone();
        if head.is_empty() {
            let first = self.text.lines().next().unwrap_or_default();
            head.push((text::headline(first, 60), Role::Dim));
        }
        let plural = if hidden == 1 { "" } else { "s" };
        head.push((format!("  ⋯ {hidden} line{plural} folded"), Role::Dim));
        head
    }

    /// The byte of the recorded text at which a line starts; none for the heading and the gap.
    pub fn line_start(&self, index: usize) -> Option<usize> {
        self.recorded_start(self.unfolded_line(index.checked_sub(self.head_lines())?))
    }

    /// A line of the text as recorded, several where one stands for them; none for the heading and
    /// the gap.
    pub fn raw_line(&self, index: usize) -> Option<&str> {
        let index = index.checked_sub(self.head_lines())?;
        let text = self.recorded_text();
        let start = self.recorded_start(self.unfolded_line(index))?;
        let next = self.unfolded_line(index + 1);
        let end = self.recorded_start(next).unwrap_or(text.len());
        Some(text[start..end].trim_end_matches('\n'))
    }

    /// The code that a line of the block has, if it has any.
    pub fn code_line(&self, index: usize) -> Option<CodeLine> {
        if self.is_folded || (self.code.is_empty() && self.trees.is_empty()) {
            return None;
        }
        if let Some((first, at)) = self.tree_at(index) {
            return self.trees[at].code_line(index - first);
        }
        let line = self.unfolded_line(index.checked_sub(self.head_lines())?);
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied();
        let end = end.unwrap_or(self.text.len());
        let mut code = self.code.iter();
        let (range, code) = code.find(|(range, _)| range.end > start && range.start < end)?;
        Some(CodeLine {
            code: code.clone(),
            start: start.max(range.start) - range.start,
        })
    }

    /// A line, cleaned and in roles.
    pub fn line(&self, index: usize) -> Line {
        self.coloured(index, &[])
    }

    /// A line with the colours of its code.
    pub fn coloured(&self, index: usize, colours: &[Stretch]) -> Line {
        if self.is_folded {
            let head = if index == 0 {
                self.folded_head()
            } else {
                Vec::new()
            };
            return self.head_line(&head);
        }
        if index < self.head_lines() {
            return self.head_line(&self.head);
        }
        if let Some((first, at)) = self.tree_at(index) {
            return self.inside(self.trees[at].coloured(index - first, colours));
        }
        let index = self.unfolded_line(index - self.head_lines());
        let Some(&start) = self.starts.get(index) else {
            return Line::default();
        };
        if let Some(folded) = self.folded_part(index) {
            return folded;
        }
        let is_barred = self.barred.iter().any(|range| range.contains(&start));
        let mut line = if is_barred {
            Line::led(" │ ".to_owned())
        } else {
            Line::default()
        };
        let end = self
            .starts
            .get(index + 1)
            .map_or(self.text.len(), |next| *next);
        let end = start + self.text[start..end].trim_end_matches('\n').len();
        let mut code = self.code.iter();
        let code = code.find(|(range, _)| range.end > start && range.start < end);
        let code = code.filter(|_| !colours.is_empty());
        let (code, origin) = code.map_or((end..end, 0), |(range, _)| {
            (range.start.max(start)..range.end.min(end), range.start)
        });
        push_all(&mut line, &self.text, start..code.start, &self.stretches, 0);
        push_all(&mut line, &self.text, code.clone(), colours, origin);
        push_all(&mut line, &self.text, code.end..end, &self.stretches, 0);
        line.sign(self.sign.saturating_sub(start));
        self.inside(line)
    }

    /// A line below the heading: what is inside of an item is indented.
    fn inside(&self, mut line: Line) -> Line {
        if self.item.is_some() {
            line.indent(2);
        }
        line
    }

    /// A heading; an item's keeps to one row.
    fn head_line(&self, head: &[(String, Role)]) -> Line {
        let mut line = Line::default();
        for (text, role) in head {
            line.push(text, *role);
        }
        if self.item.is_some() {
            line.cut();
        }
        line
    }
}

/// Appends bytes of a text in the roles of stretches that count from an origin; what they don't reach is
/// ordinary text.
pub(super) fn push_all(
    line: &mut Line,
    text: &str,
    bytes: Range<usize>,
    stretches: &[Stretch],
    origin: usize,
) {
    let mut at = bytes.start;
    let first = stretches.partition_point(|stretch| origin + stretch.end <= at);
    for stretch in &stretches[first..] {
        if at >= bytes.end {
            return;
        }
        let upto = (origin + stretch.end).min(bytes.end);
        line.push(&text[at..upto], stretch.role);
        at = upto;
    }
    if at < bytes.end {
        line.push(&text[at..bytes.end], Role::Text);
    }
}

/// Where the lines of a text start; none for an empty text. A very long line starts anew every
/// [`PIECE`] bytes.
pub(super) fn line_starts(text: &str) -> Vec<usize> {
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

/// The lines of a text without their ends, and of very long ones the pieces.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let starts = line_starts(text);
    (0..starts.len()).map(move |at| {
        let end = starts.get(at + 1).copied().unwrap_or(text.len());
        text[starts[at]..end].trim_end_matches('\n')
    })
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
    fn a_very_long_line_is_handled_in_pieces() {
        let block = Block::plain("é".repeat(20_000), Role::Text);
        assert!(block.lines() > 1);
        let joined: String = (0..block.lines())
            .map(|i| block.line(i).text().to_owned())
            .collect();
        assert_eq!(joined, "é".repeat(20_000));
    }
}
