//! A text that lies over the panes: the keys that work here, or all of a row that a list has the
//! beginning of. What it lies over is there again once it is closed.

use std::sync::Arc;

use super::app::{App, Overlay};
use super::rows::Block;
use super::text_view::TextView;
use super::theme::Role;

/// A text over the panes.
#[derive(Debug)]
pub struct Page {
    /// What it is, for the border.
    pub title: String,
    /// The text.
    pub view: TextView,
    /// What it lies over.
    under: Option<Box<Overlay>>,
}

impl Page {
    /// What it lies over.
    pub fn under(&self) -> Option<&Overlay> {
        self.under.as_deref()
    }

    /// Rows that it needs with its border, as prepared.
    pub fn height(&self) -> u16 {
        u16::try_from(self.view.rows().len() + 2).unwrap_or(u16::MAX)
    }
}

/// What lies over the panes, under any text.
pub(super) fn lowest(app: &App) -> Option<&Overlay> {
    let mut overlay = app.overlay.as_ref()?;
    while let Overlay::Page(page) = overlay {
        overlay = page.under()?;
    }
    Some(overlay)
}

/// Opens a text over whatever is there.
pub(super) fn open(app: &mut App, title: &str, view: TextView) {
    app.overlay = Some(Overlay::Page(Box::new(Page {
        title: title.to_owned(),
        view,
        under: app.overlay.take().map(Box::new),
    })));
}

/// Opens a text of one piece.
pub(super) fn open_text(app: &mut App, title: &str, text: String) {
    let mut view = TextView::default();
    view.show(Arc::new(vec![Arc::new(Block::plain(text, Role::Text))]));
    open(app, title, view);
}

/// Wraps long lines, or no longer.
pub(super) fn toggle_wrap(app: &mut App) {
    if let Some(Overlay::Page(page)) = &mut app.overlay {
        page.view.toggle_wrap();
    }
}

/// Closes what lies over the panes; a text gives back what it lay over.
pub(super) fn close(app: &mut App) {
    let under = match app.overlay.take() {
        Some(Overlay::Page(page)) => page.under,
        _ => None,
    };
    app.overlay = under.map(|under| *under);
}
