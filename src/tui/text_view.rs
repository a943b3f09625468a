//! A scrolled text of blocks. Blocks are asked for when they come into view, so that a prompt of
//! 20,000 messages costs what its visible part costs.

use std::collections::HashMap;
use std::sync::Arc;

use regex::Regex;

use super::gutter::Gutter;
use super::redaction::Hiding;
use super::rows::{Block, Row};
use super::theme::Role;
use crate::text;

use cursor::Cursor;
use folds::Folds;

mod cursor;
mod folds;

/// Where blocks come from.
pub trait Source: Send + Sync + std::fmt::Debug {
    /// How many there are.
    fn blocks(&self) -> usize;

    /// The block at a place below [`Source::blocks`].
    fn block(&self, index: usize) -> Arc<Block>;

    /// Whether there are items that fold, so that a cursor goes from line to line.
    fn has_items(&self) -> bool {
        false
    }

    /// The place of the block that people count as this one, from 1.
    fn numbered(&self, number: usize) -> usize {
        number.saturating_sub(1)
    }
}

impl Source for Vec<Arc<Block>> {
    fn blocks(&self) -> usize {
        self.len()
    }

    fn block(&self, index: usize) -> Arc<Block> {
        Arc::clone(&self[index])
    }

    fn has_items(&self) -> bool {
        self.iter().any(|block| block.has_items())
    }

    fn numbered(&self, number: usize) -> usize {
        let mut items = (0..self.len()).filter(|at| self[*at].is_item());
        let place = number.saturating_sub(1);
        items.nth(place).unwrap_or(place)
    }
}

/// Blocks up to which lines are counted to say how far a view is.
const COUNTED: usize = 64;

/// Blocks that are kept made.
const KEPT: usize = 256;

/// A place in a text: block, line of the block, row of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Anchor {
    /// The block.
    pub block: usize,
    /// The line in it.
    pub line: usize,
    /// The row of the line.
    pub row: usize,
}

/// A text and what is seen of it.
#[derive(Debug)]
pub struct TextView {
    source: Arc<dyn Source>,
    made: HashMap<usize, Arc<Block>>,
    top: Anchor,
    /// Columns skipped where lines aren't wrapped.
    skip: usize,
    /// Whether long lines are wrapped.
    pub wrapped: bool,
    size: (usize, usize),
    rows: Vec<Row>,
    position: Option<usize>,
    folds: Folds,
    cursor: Option<Cursor>,
    /// What is marked in the text.
    pub marked: Option<Regex>,
    /// Marks at the left of lines; they take a column.
    pub gutter: Option<Gutter>,
    /// What blocks pass before they are shown.
    hiding: Hiding,
}

impl Default for TextView {
    fn default() -> Self {
        Self {
            source: Arc::new(Vec::<Arc<Block>>::new()),
            made: HashMap::new(),
            top: Anchor::default(),
            skip: 0,
            wrapped: true,
            size: (80, 24),
            rows: Vec::new(),
            position: None,
            folds: Folds::default(),
            cursor: None,
            marked: None,
            gutter: None,
            hiding: Hiding::default(),
        }
    }
}

impl TextView {
    /// Shows another text, from its start.
    pub fn show(&mut self, source: Arc<dyn Source>) {
        self.source = source;
        self.made.clear();
        self.folds = Folds::default();
        self.top = Anchor::default();
        self.skip = 0;
        self.cursor = self.source.has_items().then(Cursor::default);
        // The first item; what stands before it is a title.
        self.put_cursor(Anchor {
            block: self.source.numbered(1),
            ..Anchor::default()
        });
        self.top = Anchor::default();
    }

    /// Shows another state of the same text: the place stays, and the end if it was in view.
    pub fn show_again(&mut self, source: Arc<dyn Source>) {
        let end = self.last_top();
        let at_end = self.top > Anchor::default() && self.top >= end;
        self.source = source;
        self.made.clear();
        self.cursor = self
            .source
            .has_items()
            .then(|| self.cursor.unwrap_or_default());
        if at_end {
            self.top = self.last_top();
        } else {
            self.clamp();
        }
    }

    /// The rows in view, as prepared last.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// How far the view is, in percent, as prepared last; `None` where all is
    /// in view.
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    fn percent(&mut self) -> Option<usize> {
        let end = self.last_top();
        if end == Anchor::default() {
            return None;
        }
        if self.top >= end {
            return Some(100);
        }
        let blocks = self.source.blocks();
        let (before, all) = if blocks <= COUNTED {
            let mut sums = (self.top.line, 0);
            for at in 0..blocks {
                let lines = self.block(at).map_or(0, |block| block.lines());
                sums.0 += if at < self.top.block { lines } else { 0 };
                sums.1 += lines;
            }
            sums
        } else {
            (self.top.block, blocks)
        };
        Some((before * 100 / all.max(1)).min(99))
    }

    fn block(&mut self, index: usize) -> Option<Arc<Block>> {
        if let Some(block) = self.made.get(&index) {
            return Some(Arc::clone(block));
        }
        if index >= self.source.blocks() {
            return None;
        }
        if self.made.len() >= KEPT {
            self.made.clear();
        }
        let block = self.hiding.block(self.source.block(index));
        let block = self.folds.applied(index, block);
        self.made.insert(index, Arc::clone(&block));
        Some(block)
    }

    fn height(&mut self, at: Anchor) -> usize {
        let (columns, wrapped) = (self.size.0, self.wrapped);
        if !wrapped {
            return 1;
        }
        self.block(at.block)
            .map_or(1, |block| block.line(at.line).height(columns, wrapped))
    }

    /// Lays out the rows in view for a pane of this size.
    pub fn prepare(&mut self, columns: usize, height: usize) {
        let marks = usize::from(self.gutter.is_some()) + usize::from(self.cursor.is_some());
        let columns = columns.saturating_sub(marks);
        self.size = (columns, height);
        self.clamp();
        self.keep_cursor_in_view();
        self.position = self.percent();
        self.limit_skip(columns, height);
        self.rows.clear();
        self.forget_cursor_row();
        let mut at = self.top;
        while self.rows.len() < height {
            let Some(block) = self.block(at.block) else {
                break;
            };
            if at.line >= block.lines() {
                at = Anchor {
                    block: at.block + 1,
                    ..Anchor::default()
                };
                continue;
            }
            let mut line = block.line(at.line);
            let is_ghost = line.is(Role::Ghost);
            if let Some(pattern) = &self.marked {
                line.mark(pattern);
            }
            let rows = line.rows(columns, self.wrapped, self.skip);
            let room = height - self.rows.len();
            let mut rows: Vec<Row> = rows.into_iter().skip(at.row).take(room).collect();
            if let Some(gutter) = &mut self.gutter {
                let raw = block.raw_line(at.line);
                let is_new = |raw: &str| raw.lines().any(|line| gutter.marks(at.block, line));
                // What was left out is in neither prompt.
                let is_marked = !is_ghost && raw.is_some_and(is_new);
                for row in &mut rows {
                    let mark = if is_marked { "▎" } else { " " };
                    row.spans.insert(0, (mark.to_owned(), Role::Notice));
                }
            }
            self.mark_cursor(at, &mut rows);
            self.rows.append(&mut rows);
            at = Anchor {
                line: at.line + 1,
                row: 0,
                ..at
            };
        }
    }

    /// Not wrapped, the longest line in view keeps its end in view.
    fn limit_skip(&mut self, columns: usize, height: usize) {
        if self.wrapped || self.skip == 0 {
            return;
        }
        let mut at = Some(self.top);
        let mut longest = 0;
        for _ in 0..height {
            let Some(place) = at else { break };
            if let Some(block) = self.block(place.block) {
                longest = longest.max(text::width(block.line(place.line).text()));
            }
            at = self.below(place);
        }
        self.skip = self.skip.min(longest.saturating_sub(columns / 2));
    }

    /// Moves by rows, down or up; the cursor by lines, where there is one.
    pub fn scroll(&mut self, rows: isize) {
        if self.cursor.is_some() {
            self.move_cursor(rows);
        } else {
            self.scroll_rows(rows);
        }
    }

    fn scroll_rows(&mut self, rows: isize) {
        self.top = self.away(self.top, rows);
        self.clamp();
    }

    /// The place so many rows away, down or up, as far as there are rows. Within a line it is found at
    /// once: a line may have thousands of rows.
    fn away(&mut self, at: Anchor, rows: isize) -> Anchor {
        let (mut at, mut left) = (at, rows.unsigned_abs());
        while left > 0 {
            let inside = if rows > 0 {
                self.height(at).saturating_sub(at.row + 1)
            } else {
                at.row
            };
            let step = left.min(inside);
            left -= step;
            let moved = if rows > 0 {
                at.row += step;
                (left > 0).then(|| self.below(at))
            } else {
                at.row -= step;
                (left > 0).then(|| self.above(at))
            };
            let Some(Some(moved)) = moved else { break };
            at = moved;
            left -= 1;
        }
        at
    }

    /// Moves by parts of the pane's height: 1 is half of it.
    pub fn scroll_halves(&mut self, halves: isize) {
        let half = isize::try_from(self.size.1 / 2).unwrap_or(1).max(1);
        let rows = halves.saturating_mul(half);
        if self.cursor.is_some() {
            self.page_cursor(rows);
        } else {
            self.scroll_rows(rows);
        }
    }

    /// Moves sideways, where lines aren't wrapped.
    pub fn scroll_sideways(&mut self, columns: isize) {
        if !self.wrapped {
            self.skip = self.skip.saturating_add_signed(columns).min(1 << 20);
        }
    }

    /// Goes to the start.
    pub fn to_start(&mut self) {
        self.top = Anchor::default();
        self.skip = 0;
        self.put_cursor(Anchor::default());
    }

    /// Goes to the end.
    pub fn to_end(&mut self) {
        self.top = self.last_top();
        self.put_cursor_last();
    }

    /// Wraps long lines, or no longer.
    pub fn toggle_wrap(&mut self) {
        self.wrapped = !self.wrapped;
        self.skip = 0;
        self.top.row = 0;
        self.clamp();
    }

    /// Brings a line that is counted with everything unfolded into view, a third of the pane below
    /// its top.
    pub fn go_to(&mut self, block: usize, line: usize) {
        let line = self.change(block, |block| block.show_line(line));
        self.top = Anchor {
            block,
            line: line.unwrap_or(0),
            row: 0,
        };
        self.put_cursor(self.top);
        let above = (self.size.1 / 3).cast_signed();
        self.scroll_rows(-above);
    }

    /// The place at the top of the view.
    pub fn top(&self) -> Anchor {
        self.top
    }

    /// Goes back to a place.
    pub fn set_top(&mut self, top: Anchor) {
        self.top = top;
        self.clamp();
        self.put_cursor(self.top);
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.source.blocks()
    }

    /// A block below [`TextView::blocks`], not folded.
    pub fn made(&self, index: usize) -> Arc<Block> {
        self.source.block(index)
    }

    /// The line that so many rows below the top belong to, with its block.
    pub fn line_at(&mut self, rows: usize) -> Option<(usize, Arc<Block>, usize)> {
        let mut at = self.top;
        for _ in 0..rows {
            at = self.below(at)?;
        }
        Some((at.block, self.block(at.block)?, at.line))
    }

    /// The block at the top of the view.
    pub fn top_block(&self) -> usize {
        self.top.block
    }

    /// Changes how a block is folded.
    fn change<T>(&mut self, index: usize, act: impl FnOnce(&mut Block) -> T) -> Option<T> {
        let mut block = self.block(index)?;
        let outcome = act(Arc::make_mut(&mut block));
        self.folds.keep(index, &block);
        self.made.insert(index, block);
        Some(outcome)
    }

    fn below(&mut self, at: Anchor) -> Option<Anchor> {
        if at.row + 1 < self.height(at) {
            return Some(Anchor {
                row: at.row + 1,
                ..at
            });
        }
        let lines = self.block(at.block)?.lines();
        if at.line + 1 < lines {
            return Some(Anchor {
                line: at.line + 1,
                row: 0,
                ..at
            });
        }
        let mut next = at.block + 1;
        while self.block(next)?.lines() == 0 {
            next += 1;
        }
        Some(Anchor {
            block: next,
            ..Anchor::default()
        })
    }

    fn above(&mut self, at: Anchor) -> Option<Anchor> {
        if let Some(row) = at.row.checked_sub(1) {
            return Some(Anchor { row, ..at });
        }
        let mut above = at;
        if let Some(line) = at.line.checked_sub(1) {
            above.line = line;
        } else {
            loop {
                above.block = above.block.checked_sub(1)?;
                let lines = self.block(above.block)?.lines();
                if lines > 0 {
                    above.line = lines - 1;
                    break;
                }
            }
        }
        above.row = 0;
        above.row = self.height(above).saturating_sub(1);
        Some(above)
    }

    /// The place from which the last row is just in view.
    fn last_top(&mut self) -> Anchor {
        let mut block = self.source.blocks();
        let mut at = loop {
            let Some(before) = block.checked_sub(1) else {
                return Anchor::default();
            };
            block = before;
            let lines = self.block(block).map_or(0, |block| block.lines());
            if lines > 0 {
                let mut at = Anchor {
                    block,
                    line: lines - 1,
                    row: 0,
                };
                at.row = self.height(at).saturating_sub(1);
                break at;
            }
        };
        for _ in 1..self.size.1.max(1) {
            match self.above(at) {
                Some(above) => at = above,
                None => return Anchor::default(),
            }
        }
        at
    }

    fn clamp(&mut self) {
        let end = self.last_top();
        if self.top > end {
            self.top = end;
        }
        // A block without lines can't be seen: what can be begins behind it.
        while self
            .block(self.top.block)
            .is_some_and(|block| block.lines() == 0)
        {
            self.top = Anchor {
                block: self.top.block + 1,
                ..Anchor::default()
            };
        }
        let top = self.top;
        match self.block(top.block).map(|block| block.lines()) {
            Some(lines) if top.line < lines => {
                self.top.row = top.row.min(self.height(Anchor { row: 0, ..top }) - 1);
            }
            _ => {
                self.top.line = 0;
                self.top.row = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn view(blocks: Vec<Arc<Block>>, columns: usize, height: usize) -> TextView {
        let mut view = TextView::default();
        view.show(Arc::new(blocks));
        view.prepare(columns, height);
        view
    }

    fn texts(view: &TextView) -> Vec<String> {
        view.rows().iter().map(Row::text).collect()
    }

    fn blocks(texts: &[&str]) -> Vec<Arc<Block>> {
        let block = |text: &&str| Arc::new(Block::plain(*text, Role::Text));
        texts.iter().map(block).collect()
    }

    #[test]
    fn scrolling_stops_at_both_ends() {
        let mut view = view(blocks(&["a\nb", "", "c d e\nf"]), 2, 2);
        assert_eq!(texts(&view), ["a", "b"]);
        view.scroll(1);
        view.prepare(2, 2);
        assert_eq!(texts(&view), ["b", "c "]);
        view.scroll(100);
        view.prepare(2, 2);
        assert_eq!(texts(&view), ["e", "f"]);
        assert_eq!(view.position(), Some(100));
        view.scroll(-100);
        view.prepare(2, 2);
        assert_eq!(texts(&view), ["a", "b"]);
    }

    #[test]
    fn another_state_keeps_the_place() {
        let mut view = view(blocks(&["a\nb\nc\nd\ne"]), 5, 2);
        view.scroll(1);
        view.show_again(Arc::new(blocks(&["a\nB\nc\nd"])));
        view.prepare(5, 2);
        assert_eq!(texts(&view), ["B", "c"]);
        view.to_end();
        view.show_again(Arc::new(blocks(&["1\n2\n3\n4\n5\n6"])));
        view.prepare(5, 2);
        assert_eq!(texts(&view), ["5", "6"]);
    }

    proptest! {
        #[test]
        fn every_row_can_be_reached(
            texts in proptest::collection::vec("[a-c \n]{0,12}", 0..5),
            columns in 0usize..5,
            height in 0usize..5,
            moves in proptest::collection::vec(-6isize..6, 0..10),
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let made = blocks(&texts);
            let mut view = view(made, columns, height);
            for rows in moves {
                view.scroll(rows);
                view.prepare(columns, height);
                prop_assert!(view.rows().len() <= height);
            }
            view.to_start();
            let mut joined = String::new();
            for _ in 0..100 {
                view.prepare(columns, 1);
                let before = view.top;
                joined.push_str(&view.rows().first().map(Row::text).unwrap_or_default());
                view.scroll(1);
                if view.top == before { break; }
            }
            prop_assert_eq!(joined, texts.concat().replace('\n', ""));
        }
    }
}
