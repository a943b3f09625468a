//! What a command has to say, in the row of the hints; what is longer takes that of the options too,
//! unless one is being changed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{footer_spans, paint};
use crate::text::{self, rows::wrap};
use crate::tui::app::App;
use crate::tui::rows::Row;
use crate::tui::theme::Role;

/// Draws the hints, or the message in their place.
pub(super) fn draw(app: &App, buffer: &mut Buffer) {
    let footer = app.layout.footer;
    let rows = app.message.as_deref().map(|message| rows(app, message));
    let Some(rows) = rows.filter(|rows| !rows.is_empty()) else {
        paint(buffer, footer, 0, &footer_spans(app), app.theme);
        return;
    };
    let above = u16::try_from(rows.len() - 1).unwrap_or(u16::MAX);
    let area = Rect {
        y: footer.y.saturating_sub(above),
        height: above + footer.height,
        ..footer
    };
    for (at, row) in (0..area.height).zip(&rows) {
        let blank = " ".repeat(usize::from(area.width));
        paint(buffer, area, at, &[(blank, Role::Text)], app.theme);
        paint(buffer, area, at, &row.spans, app.theme);
    }
}

/// Columns of a message that are looked at.
const LONGEST: usize = 1000;

/// The two rows of a message that one doesn't hold, as far as there are two; none where one does.
fn rows(app: &App, message: &str) -> Vec<Row> {
    let layout = &app.layout;
    let columns = usize::from(layout.footer.width).saturating_sub(2);
    let message = text::headline(message, LONGEST);
    // The keys that were typed stand before it in the row of the hints.
    let is_typing = app.count.is_some() || !app.pending.is_empty();
    if is_typing || columns == 0 || text::width(&message) <= columns + 1 {
        return Vec::new();
    }
    let free = layout.options.height.min(u16::from(app.options.is_none()));
    let most = 1 + usize::from(free);
    let ranges = wrap(&message, columns);
    let last = ranges.len().min(most) - 1;
    let rows = ranges.iter().take(most).enumerate().map(|(at, range)| {
        let row = if at == last {
            text::headline(&message[range.start..], columns)
        } else {
            message[range.clone()].trim_end().to_owned()
        };
        Row {
            spans: vec![(format!(" {row}"), Role::Notice)],
        }
    });
    rows.collect()
}
