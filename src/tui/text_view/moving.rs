//! Moving in a text: by rows, to its ends, to a line. The view stays within the text.

use super::{Anchor, TextView};

impl TextView {
    /// Moves by rows, down or up; the cursor by lines, where there is one.
    pub fn scroll(&mut self, rows: isize) {
        if self.scrolls() {
            self.scroll_under_cursor(rows);
        } else if self.cursor.is_some() {
            self.move_cursor(rows);
        } else {
            self.scroll_rows(rows);
        }
    }

    pub(super) fn scroll_rows(&mut self, rows: isize) {
        self.top = self.away(self.top, rows);
        self.clamp();
    }

    /// The place so many rows away, down or up, as far as there are rows. Within a line it is found at
    /// once: a line may have thousands of rows.
    pub(super) fn away(&mut self, at: Anchor, rows: isize) -> Anchor {
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
    /// its top; of a long one the first place that is marked.
    pub fn go_to(&mut self, block: usize, line: usize) {
        let asked = line;
        let line = self.change(block, |block| block.show_line(line));
        self.top = Anchor {
            block,
            line: line.unwrap_or(0),
            row: 0,
        };
        self.put_cursor(self.top);
        if let Some((row, column)) = self.marked_place(self.top) {
            self.top.row = row;
            if !self.wrapped && !(self.skip..self.skip + self.size.0).contains(&column) {
                self.skip = column.saturating_sub(self.size.0 / 2);
            }
        }
        let above = (self.size.1 / 3).cast_signed();
        self.scroll_rows(-above);
        self.went_to = Some((self.top, block, asked));
    }

    /// Brings what was gone to and not left since into view again, in a pane of another size.
    pub(super) fn go_there_again(&mut self) {
        let here = self.went_to.filter(|(top, ..)| *top == self.top);
        if let Some((_, block, line)) = here.filter(|_| self.stays_there) {
            self.go_to(block, line);
        }
    }

    /// The row and the column of what is marked first in a line.
    fn marked_place(&mut self, at: Anchor) -> Option<(usize, usize)> {
        let pattern = self.marked.clone()?;
        let block = self.block(at.block)?;
        let (columns, wrapped) = (self.size.0, self.wrapped);
        self.line(&block, at).place_of(&pattern, columns, wrapped)
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

    pub(super) fn below(&mut self, at: Anchor) -> Option<Anchor> {
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

    pub(super) fn above(&mut self, at: Anchor) -> Option<Anchor> {
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
    pub(super) fn last_top(&mut self) -> Anchor {
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

    pub(super) fn clamp(&mut self) {
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
    use std::sync::Arc;

    use super::super::super::rows::{Block, Row};
    use super::super::super::theme::Role;
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

    #[test]
    fn of_a_long_line_what_is_marked_comes_into_view() {
        let line = format!("{}needle{}", "x ".repeat(500), " y".repeat(500));
        let mut view = view(blocks(&["a", &line, "b"]), 20, 6);
        view.marked = Some(regex::Regex::new("needle").expect("a pattern"));
        for wrapped in [true, false] {
            view.wrapped = wrapped;
            view.to_start();
            view.go_to(1, 0);
            view.prepare(20, 6);
            assert!(
                texts(&view).concat().contains("needle"),
                "{:?}",
                texts(&view)
            );
        }
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
