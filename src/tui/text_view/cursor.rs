//! The cursor of a text that has items: it goes from line to line, and the view follows it.

use super::super::rows::Row;
use super::super::theme::Role;
use super::{Anchor, TextView};

/// Where the cursor is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cursor {
    block: usize,
    line: usize,
    /// The row of the pane in which its line begins, as prepared.
    row: Option<usize>,
}

impl Cursor {
    fn place(self) -> Anchor {
        Anchor {
            block: self.block,
            line: self.line,
            row: 0,
        }
    }
}

impl TextView {
    /// The line at which the cursor is, where there is one.
    pub fn cursor_place(&self) -> Option<Anchor> {
        self.cursor.map(Cursor::place)
    }

    /// The row of the pane in which the cursor's line begins, as prepared last.
    pub fn cursor_row(&self) -> Option<usize> {
        self.cursor?.row
    }

    /// The run that the item at the cursor stands for, by its number in the turn.
    pub fn cursor_child(&mut self) -> Option<usize> {
        let at = self.cursor_place()?;
        self.block(at.block)?.child()
    }

    /// What is at the cursor, unfolded, where there is one.
    pub fn cursor_text(&self, columns: usize) -> Option<String> {
        let at = self.cursor_place()?;
        let block = self.made.get(&at.block)?;
        Some(block.text_at(at.line, columns))
    }

    /// Puts the cursor on a line, where there is one.
    pub(super) fn put_cursor(&mut self, at: Anchor) {
        let Some(cursor) = &mut self.cursor else {
            return;
        };
        (cursor.block, cursor.line) = (at.block, at.line);
        self.keep_cursor_in_view();
    }

    /// Puts the cursor on the last line.
    pub(super) fn put_cursor_last(&mut self) {
        if self.cursor.is_none() {
            return;
        }
        let mut end = self.top;
        while let Some(next) = self.below(end) {
            end = next;
        }
        end.row = 0;
        if self.is_gap(end) {
            end = self.line_above(end).unwrap_or(end);
        }
        self.put_cursor(end);
    }

    /// Moves the cursor by lines. A line that is longer than the pane is scrolled through first.
    pub(super) fn move_cursor(&mut self, by: isize) {
        let Some(mut at) = self.cursor_place() else {
            return;
        };
        if by.unsigned_abs() == 1 && self.scroll_in_line(at, by > 0) {
            return;
        }
        for _ in 0..by.unsigned_abs() {
            let next = if by > 0 {
                self.line_below(at)
            } else {
                self.line_above(at)
            };
            let Some(next) = next else { break };
            at = next;
        }
        self.put_cursor(at);
    }

    /// Scrolls by rows; the cursor keeps its row of the pane as far as it can.
    pub(super) fn page_cursor(&mut self, rows: isize) {
        let before = self.top;
        let row = self.cursor_row().unwrap_or(0);
        self.scroll_rows(rows);
        if self.top == before {
            if rows > 0 {
                self.put_cursor_last();
            } else {
                self.put_cursor(Anchor::default());
            }
            return;
        }
        let mut at = self.away(self.top, row.cast_signed());
        let begins_above = (at.block, at.line) == (self.top.block, self.top.line) && at.row > 0;
        at.row = 0;
        if begins_above || self.is_gap(at) {
            at = self.line_below(at).unwrap_or(at);
        }
        self.put_cursor(at);
    }

    /// Scrolls by a row where the cursor's line goes on beyond the pane. Whether it does.
    fn scroll_in_line(&mut self, at: Anchor, down: bool) -> bool {
        let rows = self.height(at);
        if rows <= self.size.1 || self.size.1 == 0 {
            return false;
        }
        let is_on_top = (self.top.block, self.top.line) == (at.block, at.line);
        let scrolls = match (is_on_top, down) {
            (true, true) => self.top.row + self.size.1 < rows,
            (true, false) => self.top.row > 0,
            (false, down) => down,
        };
        if scrolls {
            self.scroll_rows(if down { 1 } else { -1 });
        }
        scrolls
    }

    fn is_gap(&mut self, at: Anchor) -> bool {
        self.block(at.block)
            .is_some_and(|block| block.is_gap(at.line))
    }

    fn line_below(&mut self, at: Anchor) -> Option<Anchor> {
        let mut at = at;
        loop {
            at.row = self.height(at).saturating_sub(1);
            at = self.below(at)?;
            if !self.is_gap(at) {
                return Some(at);
            }
        }
    }

    fn line_above(&mut self, at: Anchor) -> Option<Anchor> {
        let mut at = Anchor { row: 0, ..at };
        loop {
            at = self.above(at)?;
            at.row = 0;
            if !self.is_gap(at) {
                return Some(at);
            }
        }
    }

    /// Keeps the cursor on a line that is there, and in view.
    pub(super) fn keep_cursor_in_view(&mut self) {
        let Some(cursor) = self.cursor else {
            return;
        };
        let mut at = cursor.place();
        match self.block(at.block).map(|block| block.lines()) {
            Some(lines) if at.line < lines => {}
            Some(lines @ 1..) => at.line = lines - 1,
            _ => at = self.top,
        }
        at.row = 0;
        if let Some(cursor) = &mut self.cursor {
            (cursor.block, cursor.line) = (at.block, at.line);
        }
        let rows = self.size.1;
        if rows == 0 {
            return;
        }
        let height = self.height(at);
        if height > rows {
            // As much of it as there is room for.
            let is_on_top = (self.top.block, self.top.line) == (at.block, at.line);
            if self.top > at && !is_on_top {
                self.top = at;
            }
        } else if self.top > at {
            self.top = at;
        }
        let end = Anchor {
            row: height.min(rows) - 1,
            ..at
        };
        let mut least = end;
        for _ in 1..rows {
            let Some(above) = self.above(least) else {
                least = Anchor::default();
                break;
            };
            least = above;
        }
        if self.top < least {
            self.top = least;
        }
    }

    /// No row is the cursor's until one is laid out.
    pub(super) fn forget_cursor_row(&mut self) {
        if let Some(cursor) = &mut self.cursor {
            cursor.row = None;
        }
    }

    /// Marks the rows of a line that is laid out from a place on.
    pub(super) fn mark_cursor(&mut self, at: Anchor, rows: &mut [Row]) {
        let Some(cursor) = &mut self.cursor else {
            return;
        };
        let is_here = (at.block, at.line) == (cursor.block, cursor.line);
        if is_here {
            cursor.row = Some(self.rows.len());
        }
        for (index, row) in rows.iter_mut().enumerate() {
            let mark = if is_here && index == 0 { "›" } else { " " };
            row.spans.insert(0, (mark.to_owned(), Role::Key));
        }
    }
}
