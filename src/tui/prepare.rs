//! Between an update and a drawing: places, and the texts that are in view. Drawing then changes nothing.

use ratatui::layout::Rect;

use super::app::{App, Document, Overlay, Pane};
use super::layout::Layout;
use super::pane::turn::Room;

/// Columns and rows of an overlay, borders included.
const OVERLAY: (u16, u16) = (116, 40);

/// Makes the state ready to be drawn on a screen of this size.
pub fn prepare(app: &mut App, screen: Rect) {
    super::figures::drop_unseen(app);
    super::figures::follow(app);
    super::two_runs::follow(app);
    if app.reading.is_some() {
        app.layout = Layout::list(screen);
        return;
    }
    if let Some(folder) = app.folder.as_mut().filter(|folder| folder.is_shown) {
        app.layout = Layout::list(screen);
        folder.prepare(usize::from(app.layout.turns.height));
        prepare_page(app, screen);
        return;
    }
    let layout = Layout::new(screen, app);
    app.layout = layout;
    let tokenizer = app.tokenizer;
    let hiding = app.redaction.hiding();
    let document = app.document_mut();
    for lens in document.lenses_mut() {
        lens.tokenizer = tokenizer;
    }
    document.select_row(document.row);
    scroll_list(document, usize::from(layout.turns.height));
    // Out of view it is made for the place that it would have.
    let places = [layout.turn, layout.prompt, layout.turns];
    let place = places.into_iter().find(|area| area.width > 0);
    document.turn.room = place.map_or_else(Room::default, |area| Room::of_pane(area.width));
    document.turn.prepare(document.selected);
    document.prepare_lenses();
    document.turn.hide(&hiding);
    for lens in document.lenses_mut() {
        lens.view.hide(&hiding);
    }
    let compares = document.compares();
    if layout.turn.width > 0 && !compares {
        let (columns, rows) = size(layout.turn);
        document.turn.view.prepare(columns, rows);
    }
    let mut sizes = [(0, 0); 2];
    for (pane, area) in [(Pane::Prompt, layout.prompt), (Pane::Turn, layout.turn)] {
        if let Some(at) = document.lens_at(pane) {
            sizes[at] = size(area);
        }
    }
    document.align_lenses(sizes);
    for (pane, area) in [(Pane::Prompt, layout.prompt), (Pane::Turn, layout.turn)] {
        let lens = document.lens_at(pane);
        if let Some(at) = lens.filter(|_| area.width > 0) {
            let (columns, rows) = size(area);
            document.lenses_mut()[at].view.prepare(columns, rows);
        }
    }
    prepare_page(app, screen);
    super::diff::prepare(app);
    if let Some(Overlay::Diff(diff)) = &mut app.overlay {
        let (columns, rows) = size(inside(whole(screen)));
        diff.prepare(columns, rows);
    }
}

fn prepare_page(app: &mut App, screen: Rect) {
    let hiding = app.redaction.hiding();
    if let Some(Overlay::Page(page)) = &mut app.overlay {
        let (columns, rows) = size(inside(overlay_area(screen, OVERLAY.1)));
        page.view.hide(&hiding);
        page.view.prepare(columns, rows);
    }
}

/// Keeps the selected row in view.
fn scroll_list(document: &mut Document, height: usize) {
    if height == 0 {
        return;
    }
    let most = document.rows().saturating_sub(height);
    let least = (document.row + 1).saturating_sub(height);
    document.offset = document.offset.clamp(least, document.row).min(most);
}

/// The place of an overlay of at most so many rows, in the middle of the screen.
pub fn overlay_area(screen: Rect, rows: u16) -> Rect {
    let width = OVERLAY
        .0
        .min(screen.width.saturating_sub(2))
        .max(screen.width.min(20));
    let height = rows
        .min(screen.height.saturating_sub(2))
        .max(screen.height.min(3));
    Rect {
        x: screen.x + (screen.width - width) / 2,
        y: screen.y + (screen.height - height) / 3,
        width,
        height,
    }
}

/// The place of an overlay that takes the whole screen but for the footer.
pub fn whole(screen: Rect) -> Rect {
    Rect {
        height: screen.height.saturating_sub(1),
        ..screen
    }
}

/// An area without its border.
pub fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x + area.width.min(1),
        y: area.y + area.height.min(1),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}

fn size(area: Rect) -> (usize, usize) {
    (usize::from(area.width), usize::from(area.height))
}
