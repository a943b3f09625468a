//! What the keys of folding do: in a text with a cursor to what is there, else to the block on top.

use super::app::{App, Pane};
use super::command::Context;
use super::text_view::TextView;

/// The text whose items keys act on: of the pane that has the focus.
fn folded(app: &mut App) -> Option<&mut TextView> {
    match app.focus {
        Pane::Turns => None,
        Pane::Turn if !app.document().compares() => Some(&mut app.document_mut().turn.view),
        Pane::Turn | Pane::Prompt => Some(&mut app.document_mut().lens_mut().view),
    }
}

/// Whether the focused text has a cursor.
pub(super) fn has_cursor(app: &App) -> bool {
    let document = app.document();
    app.focus == Pane::Turn && !document.compares() && document.turn.view.cursor_place().is_some()
}

/// Whether keys fold and unfold step by step what the focused text has.
pub(super) fn steps(app: &App) -> bool {
    has_cursor(app) || app.context() == Context::Prompt
}

/// Folds or unfolds what is at the cursor or on top, with a count the one of that number.
pub(super) fn toggle(app: &mut App, count: Option<usize>) {
    if let Some(view) = folded(app) {
        view.toggle_fold(count);
    }
}

/// Folds everything, or unfolds it.
pub(super) fn toggle_all(app: &mut App) {
    let Some(view) = folded(app) else { return };
    let is_open = view.toggle_all();
    let message = if is_open {
        "everything is unfolded"
    } else {
        "everything is folded"
    };
    app.message = Some(message.to_owned());
}

/// Unfolds what is at the cursor, or folds it; goes on to what is inside, or up.
pub(super) fn step(app: &mut App, inside: bool, count: Option<usize>) {
    let Some(view) = folded(app) else { return };
    for _ in 0..count.unwrap_or(1).min(100) {
        if inside {
            view.unfold();
        } else {
            view.fold();
        }
    }
}

/// Opens what is at the cursor: the run of a call, else its value. Whether there is a cursor.
pub(super) fn open(app: &mut App) -> bool {
    if !has_cursor(app) {
        return false;
    }
    let view = &mut app.document_mut().turn.view;
    match view.cursor_child() {
        Some(child) => {
            app.open_child(child);
        }
        None => view.toggle_fold(None),
    }
    true
}

/// Folds the item again that was opened at the cursor. Whether one was.
pub(super) fn leave(app: &mut App) -> bool {
    has_cursor(app) && app.document_mut().turn.view.fold_item()
}
