//! The cursor of a text that has items: it goes from line to line, and the view follows it.

use super::super::rows::Row;
use super::super::theme::Role;
use super::{Anchor, Source, TextView};

/// Where the cursor is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cursor {
    block: usize,
    line: usize,
    /// The row of the pane in which its line begins, as prepared.
    row: Option<usize>,
    /// Whether it keeps its row while the text scrolls: the row it was put on.
    scrolls: Option<usize>,
}

impl Cursor {
    /// The cursor that a text has, at its start.
    pub(super) fn of(source: &dyn Source) -> Option<Self> {
        let has_one = source.scrolls() || source.has_items();
        has_one.then(|| Self {
            scrolls: source.scrolls().then_some(0),
            ..Self::default()
        })
    }

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
        self.keep_cursor_line();
    }

    /// Puts the cursor on the line that is so many rows below the top of the view. Whether it was there
    /// already, on a heading.
    pub(in crate::tui) fn put_cursor_on_row(&mut self, row: usize) -> bool {
        let mut at = self.away(self.top, row.cast_signed());
        at.row = 0;
        if self.is_gap(at) {
            return false;
        }
        let was_there = self.cursor_place() == Some(at);
        self.put_cursor(at);
        let block = self.block(at.block).filter(|_| was_there);
        block.is_some_and(|block| block.is_heading(at.line))
    }

    /// Moves the view to the line at the cursor; one that keeps its row keeps that which it has there.
    pub(super) fn keep_cursor_line(&mut self) {
        let Some(at) = self.cursor_place() else {
            return;
        };
        self.keep_cursor_in_view();
        let row = self.row_of(at);
        if let Some(kept) = self
            .cursor
            .as_mut()
            .and_then(|cursor| cursor.scrolls.as_mut())
        {
            *kept = row;
        }
    }

    /// The row of the pane in which a line begins that is in view; of what begins above it the first.
    fn row_of(&mut self, at: Anchor) -> usize {
        let (mut place, mut row) = (self.top, 0);
        while place < at && row < self.size.1 {
            let Some(below) = self.below(place) else {
                break;
            };
            (place, row) = (below, row + 1);
        }
        row
    }

    /// Whether the cursor keeps its row while the text scrolls.
    pub(super) fn scrolls(&self) -> bool {
        self.cursor.is_some_and(|cursor| cursor.scrolls.is_some())
    }

    /// Whether a column is the cursor's; one that keeps its row is drawn over the text's own.
    pub(super) fn has_cursor_column(&self) -> bool {
        self.cursor.is_some() && !self.scrolls()
    }

    /// Puts a cursor that keeps its row on the line that is there now.
    pub(super) fn keep_cursor_row(&mut self) {
        let Some(row) = self.cursor.and_then(|cursor| cursor.scrolls) else {
            return;
        };
        let mut at = self.away(self.top, row.cast_signed());
        if self.is_gap(at) {
            // What is above may be out of view.
            let top = Anchor { row: 0, ..self.top };
            let above = self.line_above(at).filter(|above| *above >= top);
            at = self.line_below(at).or(above).unwrap_or(at);
        }
        if let Some(cursor) = &mut self.cursor {
            (cursor.block, cursor.line) = (at.block, at.line);
        }
    }

    /// Scrolls the text under the cursor; where it ends, the cursor goes on.
    pub(super) fn scroll_under_cursor(&mut self, rows: isize) {
        let before = self.top;
        self.scroll_rows(rows);
        if self.top == before {
            self.move_cursor(rows);
        } else {
            self.keep_cursor_row();
        }
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
        if !self.scrolls() && by.unsigned_abs() == 1 && self.scroll_in_line(at, by > 0) {
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
        if self.scrolls() {
            self.keep_cursor_row();
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

    /// Keeps the cursor on a line that is there, and in view: by moving the view, or a cursor that keeps
    /// its row.
    pub(super) fn keep_cursor_near(&mut self) {
        let Some(at) = self.cursor_place().filter(|_| self.scrolls()) else {
            self.keep_cursor_in_view();
            return;
        };
        let top = Anchor { row: 0, ..self.top };
        let bottom = self.away(self.top, self.size.1.saturating_sub(1).cast_signed());
        let is_there = self
            .block(at.block)
            .is_some_and(|block| at.line < block.lines());
        if at < top || at > bottom || !is_there {
            self.keep_cursor_row();
        }
    }

    /// Keeps the cursor on a line that is there, and moves the view to it.
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
        if height > rows || cursor.scrolls.is_some() {
            // As much of it as there is room for.
            let is_on_top = (self.top.block, self.top.line) == (at.block, at.line);
            if self.top > at && !is_on_top {
                self.top = at;
            }
        } else if self.top > at {
            self.top = at;
        }
        // Of a line under which the text scrolls its first row is enough.
        let seen = if cursor.scrolls.is_some() {
            1
        } else {
            height.min(rows)
        };
        let end = Anchor {
            row: seen - 1,
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
        if cursor.scrolls.is_some() {
            return;
        }
        for (index, row) in rows.iter_mut().enumerate() {
            let mark = if is_here && index == 0 { "›" } else { " " };
            row.spans.insert(0, (mark.to_owned(), Role::Key));
        }
    }
}
