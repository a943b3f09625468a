//! What is read while nothing of it can be shown: which files, and how far they were read.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::text;
use crate::tui::app::App;
use crate::tui::reading::Reading;
use crate::tui::theme::Role;
use crate::tui::view::paint;

/// Rows of it: the files, and how far they were read.
const ROWS: u16 = 2;

/// Where it stands: a little above the middle.
fn place(app: &App) -> Rect {
    let screen = app.layout.turns;
    Rect {
        y: screen.y + screen.height.saturating_sub(ROWS) / 3,
        height: screen.height.min(ROWS),
        ..screen
    }
}

/// Draws it.
pub fn draw(app: &App, reading: &Reading, buffer: &mut Buffer) {
    let area = place(app);
    let names = reading.names();
    let names = app.redaction.text(&names);
    let names = format!("  {}", text::clean_line(&names));
    let title = text::fit(&names, usize::from(area.width)).into_owned();
    paint(buffer, area, 0, &[(title, Role::Title)], app.theme);
    let passed = reading.load.begun.elapsed().as_secs();
    let spans = [
        (format!("  {}", reading.load.words()), Role::Text),
        (format!(" · {passed} s"), Role::Dim),
    ];
    paint(buffer, area, 1, &spans, app.theme);
}

/// Where the cursor stands: at how far it has come.
pub fn cursor(app: &App) -> Option<Position> {
    let area = place(app);
    let y = area.y + area.height.checked_sub(1)?;
    (area.width > 0).then(|| Position::new(area.x, y))
}
