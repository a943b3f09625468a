//! The finished screen without secrets: what lists, titles, overlays and messages say.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::super::app::App;
use super::super::theme::Role;
use super::Redaction;
use crate::text;

/// Signs at which a text on the screen is cut: the frame of an overlay, the line between panes.
const FRAME: &str = "│";

impl Redaction {
    /// Covers the secrets in the rows of a screen but for what is in these areas.
    pub(in crate::tui) fn cover(&self, buffer: &mut Buffer, but: &[Rect]) {
        let Some(redactor) = self.active() else {
            return;
        };
        let area = buffer.area;
        for y in area.top()..area.bottom() {
            let mut row = String::new();
            // Where the text of each column starts, and where texts may be cut.
            let mut starts = Vec::with_capacity(usize::from(area.width));
            let mut ends = Vec::new();
            for x in area.left()..area.right() {
                starts.push(row.len());
                let symbol = buffer[(x, y)].symbol();
                if but.iter().any(|area| area.contains(Position { x, y })) {
                    row.push('│');
                    continue;
                }
                if symbol == FRAME {
                    ends.push(row.len());
                }
                row.push_str(symbol);
            }
            ends.push(row.len());
            for edit in redactor.row_edits(&row, ends) {
                let first = starts.partition_point(|start| *start <= edit.range.start) - 1;
                let behind = starts.partition_point(|start| *start < edit.range.end);
                let sign = text::fit(&edit.stand_in, behind - first);
                let mut signs = sign.chars();
                for column in first..behind {
                    let x = area.left() + u16::try_from(column).unwrap_or(u16::MAX);
                    let mut shown = [0; 4];
                    let sign = signs.next().unwrap_or(' ').encode_utf8(&mut shown);
                    buffer[(x, y)].set_symbol(sign);
                }
            }
        }
    }
}

/// Says in place of a run that its secrets are still looked for.
pub(in crate::tui) fn waiting(app: &App, buffer: &mut Buffer) {
    let text = " looking for secrets …";
    let style = app.theme.style(Role::Notice);
    let area = app.layout.header;
    buffer.set_stringn(area.x, area.y, text, usize::from(area.width), style);
}
