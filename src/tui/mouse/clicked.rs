//! A click into a list or a text: it selects what is under it, and takes what was selected already.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::tui::app::{App, Effect, Overlay, Pane};
use crate::tui::prepare::{inside, whole};
use crate::tui::{actions, diff, entries, export, figures, folder, folding, needs, overlay, pane};

/// Does what a click means in what lies over the panes: selects the entry of an open list, or of the folder, that is so many rows from the selected one; takes
/// it where it is that one.
pub(super) fn entry(app: &mut App, at: Position) -> Option<Effect> {
    if matches!(app.overlay, Some(Overlay::Diff(_))) {
        let area = inside(whole(app.layout.screen));
        if area.contains(at) {
            diff::clicking::click(app, usize::from(at.y - area.y));
        }
        return None;
    }
    let rows = rows_away(app, at)?;
    match (&app.overlay, rows) {
        (None, 0) => return folder::open(app, None),
        (None, rows) => folder::move_row(app, rows, None),
        (Some(Overlay::Needs(_)), 0) => needs::go_to_source(app),
        (Some(Overlay::Overview(_)), 0) => figures::take_turn(app),
        (Some(_), 0) => return actions::choose(app, None),
        (Some(_), rows) => entries::move_by(app, rows, None),
    }
    None
}

/// How many rows below the selected entry a place is; none where no entry is there.
fn rows_away(app: &App, at: Position) -> Option<isize> {
    let list = match &app.overlay {
        None => app
            .layout
            .turns
            .contains(at)
            .then(|| pane::folder::cursor(app))??,
        Some(
            overlay @ (Overlay::Problems(_)
            | Overlay::Picker(_)
            | Overlay::Palette(_)
            | Overlay::WhatIf(_)
            | Overlay::Needs(_)
            | Overlay::Overview(_)
            | Overlay::Export(export::Input { name: None, .. })),
        ) => {
            // Where it is drawn says where its entries are.
            let mut drawn = Buffer::empty(app.layout.screen);
            let selected = overlay::selected_at(app, overlay, &mut drawn)?;
            let border = selected.x.checked_sub(1)?;
            let (from, to) = (selected.y.min(at.y), selected.y.max(at.y));
            let symbol = |x, y| drawn.cell((x, y)).map(ratatui::buffer::Cell::symbol);
            // More on the selected one stands below a rule.
            let is_listed =
                |y| symbol(border, y) == Some("│") && symbol(selected.x, y) != Some("─");
            let is_inside = at.x > border && (from..=to).all(is_listed);
            is_inside.then_some(selected)?
        }
        Some(_) => return None,
    };
    Some(isize::try_from(i32::from(at.y) - i32::from(list.y)).unwrap_or(0))
}

/// Puts the cursor of a text on the line that is there; where it was there already, opens what that is the
/// heading of, or folds it.
pub(super) fn text(app: &mut App, pane: Pane, at: Position) {
    let area = match pane {
        Pane::Turns => return,
        Pane::Turn => app.layout.turn,
        Pane::Prompt => app.layout.prompt,
    };
    let row = usize::from(at.y.saturating_sub(area.y));
    let document = app.document_mut();
    let view = match document.lens_at(pane) {
        Some(_) => &mut document.lens_mut().view,
        None => &mut document.turn.view,
    };
    if view.put_cursor_on_row(row) && !folding::open(app) {
        folding::toggle(app, None);
    }
}
