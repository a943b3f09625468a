//! The place in a trace that is remembered from one time to the next.

use super::app::{App, Pane, Start};
use super::follow::Watch;
use super::lens::Lens;
use super::pane::turn::Tab;
use crate::settings::places::Place;

const PANES: [(Pane, &str); 3] = [
    (Pane::Turns, "turns"),
    (Pane::Turn, "turn"),
    (Pane::Prompt, "prompt"),
];

/// A place to go back to once there is enough of the trace, and how the trace was opened.
pub type Awaited = Box<(Place, Start)>;

/// Where the first run is; none where that isn't shown yet, or the place it was left at isn't read yet.
pub(super) fn of(app: &App) -> Option<Place> {
    if app.reading.is_some() || is_awaited(app) {
        return None;
    }
    let document = &app.documents[0];
    let pane = PANES.iter().find(|(pane, _)| *pane == app.focus);
    let lens = document.lenses().first();
    Some(Place {
        row: document.selected,
        conversation: app.conversation,
        pane: pane.map_or("", |(_, name)| name).to_owned(),
        tab: document.turn.tab.title().to_owned(),
        shown: lens.map_or("", |lens| Lens::title(lens.shown)).to_owned(),
    })
}

/// Whether a place is still to be gone back to: until somebody goes elsewhere.
fn is_awaited(app: &App) -> bool {
    let document = &app.documents[0];
    app.awaited.is_some() && document.selected == 0 && app.focus == Pane::Turns
}

/// Goes to a place now, or once the file is read so far.
pub(super) fn go_to(app: &mut App, place: Place, start: &Start) {
    let turns = app.document().turns();
    let has_rest = app.watch.as_ref().is_some_and(Watch::has_rest);
    if app.reading.is_some() || (has_rest && place.row >= turns) {
        app.awaited = Some(Box::new((place, start.clone())));
    } else {
        restore(app, &place, start);
    }
}

/// Goes to the place that was waited for, where more of the trace is there now.
pub(super) fn arrive(app: &mut App) {
    if !is_awaited(app) {
        app.awaited = None;
    } else if let Some(awaited) = app.awaited.take() {
        let (place, start) = *awaited;
        go_to(app, place, &start);
    }
}

/// Goes to a place, as far as it is there and nothing else was asked for.
pub fn restore(app: &mut App, place: &Place, start: &Start) {
    if start.turn.is_some() || place.conversation != app.conversation {
        return;
    }
    let asks = start.recorded || start.asked != crate::compression::Asked::default();
    let document = app.document_mut();
    let row = place.row.min(document.turns());
    document.select(row);
    if let Some(tab) = Tab::ALL.into_iter().find(|tab| tab.title() == place.tab) {
        document.turn.tab = tab;
    }
    let lens = document.lens_mut();
    let entries = lens.entries();
    let shown = entries
        .into_iter()
        .find(|shown| Lens::title(*shown) == place.shown);
    if let Some(shown) = shown.filter(|shown| !asks && *shown != lens.shown) {
        lens.choose(shown);
    }
    if let Some((pane, _)) = PANES.iter().find(|(_, name)| *name == place.pane) {
        app.focus_on(*pane);
    }
    if row > 0 && app.message.is_none() {
        let key = app.keymap.first("first").unwrap_or("the command first");
        let key = key.to_owned();
        app.message = Some(format!(
            "back at row {} of the list, where you left it; {key} in the list goes to the start",
            row + 1
        ));
    }
}
