//! The last pass over a frame's cells, so that no terminal draws it crooked.
//!
//! Terminals disagree on clusters of several characters: some draw a family of emoji as one of two
//! columns, others each of its members. And what was drawn over one half of a wide character would
//! not be seen, because the other half counts as its own.

use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth as _};
use ratatui::layout::Position;
use ratatui::style::Style;
use unicode_width::UnicodeWidthChar as _;

use super::theme::Theme;
use crate::text;

/// Writes a cleaned text from a cell on, up to a column; the column behind it. What most texts are needs
/// no search for clusters, which took a quarter of a frame.
pub(super) fn write(
    buffer: &mut Buffer,
    (mut x, y): (u16, u16),
    text: &str,
    end: u16,
    style: Style,
) -> u16 {
    let end = end.min(buffer.area.right());
    let (plain, joined) = text.split_at(text::plain_start(text));
    let room = usize::from(end.saturating_sub(x));
    if room == 0 || !buffer.area.contains(Position { x, y }) {
        return x;
    }
    let first = buffer.index_of(x, y);
    for (cell, (at, c)) in buffer.content[first..first + room]
        .iter_mut()
        .zip(plain.char_indices())
    {
        cell.set_symbol(&plain[at..at + c.len_utf8()])
            .set_style(style);
        x += 1;
    }
    let room = usize::from(end - x);
    if joined.is_empty() || room == 0 {
        return x;
    }
    buffer.set_stringn(x, y, joined, room, style).0
}

/// Makes a drawn frame ready for any terminal, and where the theme says so its own signs ASCII.
pub(super) fn finish(buffer: &mut Buffer, theme: Theme) {
    let columns = usize::from(buffer.area.width);
    if columns == 0 {
        return;
    }
    for row in buffer.content.chunks_mut(columns) {
        let mut x = 0;
        while x < columns {
            let symbol = row[x].symbol();
            // One byte is one character of one column.
            if symbol.len() < 2 {
                x += 1;
                continue;
            }
            if let Some(plain) = Theme::ascii(symbol).filter(|_| theme.ascii) {
                row[x].set_symbol(plain);
                x += 1;
                continue;
            }
            let wide = usize::from(row[x].cell_width()).max(1);
            let is_whole = row
                .get(x + 1..x + wide)
                .is_some_and(|rest| rest.iter().all(|cell| cell.symbol() == " "));
            if !is_whole {
                row[x].set_symbol(" ");
                x += 1;
                continue;
            }
            steady(row, x, wide);
            x += wide;
        }
    }
}

/// What a cluster of several characters may be drawn over is drawn again, after it and once it is gone.
/// Where it would go beyond the row, its first character stands for it.
fn steady(row: &mut [Cell], x: usize, wide: usize) {
    let mut characters = row[x].symbol().chars();
    let (Some(first), Some(_)) = (characters.next(), characters.next()) else {
        return;
    };
    // Where each of them is drawn by itself.
    let apart: usize = row[x].symbol().chars().filter_map(char::width).sum();
    if let Some(covered) = row.get_mut(x + 1..x + wide.max(apart)) {
        for cell in covered {
            cell.set_diff_option(CellDiffOption::AlwaysUpdate);
        }
    } else {
        row[x].set_char(first);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::layout::Rect;

    use super::*;

    proptest! {
        #[test]
        fn texts_are_written_as_ratatui_writes_them(
            text in "[ -~│─·…éü日本\u{301}\u{200d}👩ﾞ✓▸]{0,30}",
            x in 0..24u16,
            end in 0..24u16,
        ) {
            let area = Rect::new(0, 0, 20, 2);
            let style = Style::new().bold();
            let (mut ours, mut theirs) = (Buffer::filled(area, Cell::new("x")), Buffer::filled(area, Cell::new("x")));
            let at = write(&mut ours, (x, 1), &text, end, style);
            let room = usize::from(end.min(20).saturating_sub(x));
            if room > 0 {
                let (expected, _) = theirs.set_stringn(x, 1, &text, room, style);
                prop_assert_eq!(at, expected);
            }
            prop_assert_eq!(ours, theirs);
        }
    }
}
