//! The list of what went wrong, in the order of turns, and the selected one whole below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::text::{self, rows::wrap};
use crate::tui::app::App;
use crate::tui::problems::Problems;
use crate::tui::rows::Row;
use crate::tui::theme::Role;
use crate::tui::view::paint;

/// Rows that the selected problem takes at most.
const WHOLE: usize = 6;

/// The rows of the list, and those of the selected one where it doesn't fit its row; all for so many
/// columns.
pub fn rows(app: &App, selected: usize, columns: usize) -> (Vec<Row>, Vec<Row>) {
    let problems = app.document().problems.as_ref();
    let found = problems.map_or(&[][..], |all| &all.found);
    if found.is_empty() {
        let is_running = problems.is_some_and(Problems::is_running);
        let text = if is_running {
            "looking …"
        } else {
            "nothing went wrong"
        };
        return (vec![Row::of(text, Role::Dim)], Vec::new());
    }
    let told = |at: usize| app.redaction.text(&found[at].text);
    let rows = (0..found.len()).map(|at| {
        let (mark, role) = if at == selected {
            ("▸ ", Role::Selected)
        } else {
            ("  ", Role::Text)
        };
        let told = told(at);
        Row::of(
            &format!("{mark}{}", text::headline(&told, columns.saturating_sub(2))),
            role,
        )
    });
    let rows: Vec<Row> = rows.collect();
    let Some(whole) = (selected < found.len()).then(|| told(selected)) else {
        return (rows, Vec::new());
    };
    let line = text::headline(&whole, WHOLE * columns.max(1));
    let whole = if text::width(&line) + 2 > columns {
        wrapped(&line, columns, Role::Notice)
    } else {
        Vec::new()
    };
    (rows, whole)
}

/// A text over a few rows of so many columns.
fn wrapped(line: &str, columns: usize, role: Role) -> Vec<Row> {
    let ranges = wrap(line, columns).into_iter().take(WHOLE);
    ranges.map(|range| Row::of(&line[range], role)).collect()
}

/// More on the selected row of a list where the row has more than so many columns.
pub fn more(row: Option<&Row>, columns: usize, about: &str) -> Vec<Row> {
    let width = row.map_or(0, |row| {
        row.spans.iter().map(|(text, _)| text::width(text)).sum()
    });
    if width <= columns {
        return Vec::new();
    }
    let line = text::headline(about, WHOLE * columns.max(1));
    wrapped(&line, columns, Role::Notice)
}

/// Draws more on the selected row of a list of so many rows at the bottom of an area, and gives what is
/// left of it.
pub fn draw_whole(
    app: &App,
    buffer: &mut Buffer,
    area: Rect,
    whole: &[Row],
    listed: usize,
) -> Rect {
    let rows = u16::try_from(whole.len()).unwrap_or(u16::MAX);
    let listed = u16::try_from(listed).unwrap_or(u16::MAX);
    // The list keeps at least as much, or all that it needs.
    let free = area.height.saturating_sub(listed).max(area.height / 2);
    let rows = rows.min(free.saturating_sub(1));
    if rows == 0 {
        return area;
    }
    let list = Rect {
        height: area.height - rows - 1,
        ..area
    };
    let below = Rect {
        y: list.bottom(),
        height: rows + 1,
        ..area
    };
    let line = "─".repeat(usize::from(area.width));
    paint(buffer, below, 0, &[(line, Role::Rule)], app.theme);
    for (row, line) in (1..=rows).zip(whole) {
        paint(buffer, below, row, &line.spans, app.theme);
    }
    list
}
