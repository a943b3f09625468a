//! What keys do on the list, and going from it to a trace and back.

use super::{Folder, Listed, Sort};
use crate::tui::app::{App, Effect, Overlay, Start};
use crate::tui::line::Line;
use crate::tui::reading;
use crate::tui::scout::{Opened, Opening};

impl App {
    /// Whether the list of a folder is on the screen.
    pub fn shows_folder(&self) -> bool {
        self.folder.as_ref().is_some_and(|folder| folder.is_shown)
    }

    /// Takes what came in about the folder since. Whether the screen changes.
    pub(in crate::tui) fn poll_folder(&mut self) -> bool {
        let Some(folder) = &mut self.folder else {
            return false;
        };
        let changed = folder.is_shown && folder.poll();
        let Some(opened) = folder.opening.as_mut().and_then(Opening::poll) else {
            return changed || folder.opening.is_some();
        };
        folder.opening = None;
        self.show_opened(opened);
        true
    }

    /// Shows a trace that was opened from the folder, or says why there is none.
    pub fn show_opened(&mut self, opened: Opened) {
        let Some(folder) = &mut self.folder else {
            return;
        };
        let Opened {
            path,
            loaded,
            watch,
        } = opened;
        let name = path.to_string_lossy();
        let shown = loaded.and_then(|loaded| {
            // What was asked for in another run need not be there in this one.
            let asked = reading::opened(&name, &loaded, &folder.start);
            asked
                .or_else(|_| reading::opened(&name, &loaded, &Start::default()))
                .map_err(|error| error.to_string())
        });
        match shown {
            Ok(mut opened) => {
                folder.is_shown = false;
                folder.opened = Some(path);
                opened.watch = watch;
                self.show(opened);
            }
            Err(why) => self.message = Some(why),
        }
    }

    /// Goes back from a run to the list that it was opened from. Whether there is one.
    pub(in crate::tui) fn back_to_folder(&mut self) -> bool {
        let Some(folder) = self.folder.as_mut().filter(|folder| !folder.is_shown) else {
            return false;
        };
        folder.is_shown = true;
        folder.arrange();
        true
    }
}

/// Does something to the folder, where there is one.
fn on_folder(app: &mut App, act: impl FnOnce(&mut Folder)) {
    if let Some(folder) = &mut app.folder {
        act(folder);
    }
}

/// Moves the selection by rows.
pub(in crate::tui) fn move_row(app: &mut App, by: isize, count: Option<usize>) {
    let by = by.saturating_mul(count.unwrap_or(1).cast_signed());
    on_folder(app, |folder| {
        folder.at_top = false;
        folder.select(folder.selected.saturating_add_signed(by));
    });
}

/// Moves the selection by half pages.
pub(in crate::tui) fn move_halves(app: &mut App, by: isize, count: Option<usize>) {
    let rows = usize::from(app.layout.turns.height / 2).max(1);
    move_row(app, by.saturating_mul(rows.cast_signed()), count);
}

/// Selects the first row, or the row of a number.
pub(in crate::tui) fn to_first(app: &mut App, count: Option<usize>) {
    on_folder(app, |folder| {
        folder.at_top = count.is_none();
        folder.select(count.unwrap_or(1).saturating_sub(1));
    });
}

/// Selects the last row, or the row of a number.
pub(in crate::tui) fn to_last(app: &mut App, count: Option<usize>) {
    let row = count.map_or(usize::MAX, |number| number.saturating_sub(1));
    on_folder(app, |folder| {
        folder.at_top = false;
        folder.select(row);
    });
}

/// Selects the next trace in which, or with which, something went wrong.
pub(in crate::tui) fn next_problem(app: &mut App) {
    let Some(folder) = &mut app.folder else {
        return;
    };
    let has = |row: &usize| folder.row(*row).is_some_and(Listed::has_problem);
    let behind = (folder.selected + 1..folder.rows()).find(has);
    match behind.or_else(|| (0..folder.rows()).find(has)) {
        Some(row) => {
            folder.at_top = false;
            folder.select(row);
        }
        None => app.message = Some("no trace here is known to have a problem".to_owned()),
    }
}

/// Lists the traces by something else.
pub(in crate::tui) fn change_sort(app: &mut App, by: isize) {
    on_folder(app, |folder| {
        let at = Sort::ALL.iter().position(|sort| *sort == folder.sort);
        let count = Sort::ALL.len();
        let next = at
            .unwrap_or(0)
            .saturating_add_signed(by + count.cast_signed())
            % count;
        folder.sort = Sort::ALL[next];
        folder.arrange();
    });
}

/// Opens the selected trace; the one that was opened last is still there.
pub(in crate::tui) fn open(app: &mut App, _: Option<usize>) -> Option<Effect> {
    let folder = app.folder.as_mut()?;
    let path = folder.row(folder.selected)?.entry.path.clone();
    folder.at_top = false;
    if folder.opened.as_ref() == Some(&path) {
        folder.is_shown = false;
        return None;
    }
    Some(Effect::Open(path))
}

/// Begins to type a filter.
pub(in crate::tui) fn start_filter(app: &mut App) {
    app.overlay = Some(Overlay::Filter);
}

/// Lists the traces that the filter leaves.
pub(in crate::tui) fn arrange(app: &mut App) {
    on_folder(app, Folder::arrange);
}

/// Ends typing and takes the filter away.
pub(in crate::tui) fn end_filter(app: &mut App) {
    app.overlay = None;
    on_folder(app, |folder| {
        folder.filter = Line::default();
        folder.arrange();
    });
}

/// No longer waits for what is being opened; else takes the filter away.
pub(in crate::tui) fn back(app: &mut App) {
    let waits = app
        .folder
        .as_ref()
        .is_some_and(|folder| folder.opening.is_some());
    if waits {
        on_folder(app, |folder| folder.opening = None);
        app.message = Some("no longer opening it".to_owned());
    } else if app
        .folder
        .as_ref()
        .is_some_and(|folder| folder.filter.is_empty())
    {
        app.message = Some("this is the first list; q leaves".to_owned());
    } else {
        end_filter(app);
    }
}
