//! The place in a trace that is remembered from one time to the next.

use super::app::{App, Pane, Start};
use super::lens::Lens;
use super::pane::turn::Tab;
use crate::settings::places::Place;

const PANES: [(Pane, &str); 3] = [
    (Pane::Turns, "turns"),
    (Pane::Turn, "turn"),
    (Pane::Prompt, "prompt"),
];

/// Where the first run is.
pub(super) fn of(app: &App) -> Place {
    let document = &app.documents[0];
    let pane = PANES.iter().find(|(pane, _)| *pane == app.focus);
    let lens = document.lenses().first();
    Place {
        row: document.selected,
        conversation: app.conversation,
        pane: pane.map_or("", |(_, name)| name).to_owned(),
        tab: document.turn.tab.title().to_owned(),
        shown: lens.map_or("", |lens| Lens::title(lens.shown)).to_owned(),
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
