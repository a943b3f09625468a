//! The last pass over a frame's cells, so that no terminal draws it crooked.
//!
//! Terminals disagree on clusters of several characters: some draw a family of emoji as one of two
//! columns, others each of its members. And what was drawn over one half of a wide character would
//! not be seen, because the other half counts as its own.

use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth as _};
use unicode_width::UnicodeWidthChar as _;

use super::theme::Theme;

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
