//! Places in a run that jumps come from and that keys mark, to go back to.

use super::app::App;
use super::document::{KEPT_PLACES, Spot};

impl App {
    /// Remembers where the document is, before a jump. Who goes elsewhere no longer follows.
    pub fn remember(&mut self) {
        self.follows = false;
        let focus = self.focus;
        let document = self.document_mut();
        let spot = document.spot(focus);
        if document.places.last() != Some(&spot) {
            document.places.push(spot);
        }
        if document.places.len() > KEPT_PLACES {
            document.places.remove(0);
        }
    }

    /// Goes back to where the last jump began. Whether there was one.
    pub fn go_back(&mut self) -> bool {
        let Some(spot) = self.document_mut().places.pop() else {
            return false;
        };
        self.go_to(spot);
        true
    }

    /// Marks the place.
    pub fn set_mark(&mut self) {
        let focus = self.focus;
        let document = self.document_mut();
        document.mark = Some(document.spot(focus));
    }

    /// Goes to the mark. Whether there is one.
    pub fn go_to_mark(&mut self) -> bool {
        let Some(mark) = self.document().mark else {
            return false;
        };
        self.remember();
        self.go_to(mark);
        true
    }

    fn go_to(&mut self, spot: Spot) {
        self.focus_on(spot.focus);
        let document = self.document_mut();
        document.select_row(spot.row);
        document.turn.tab = spot.tab;
        document.lens_mut().choose(spot.shown);
        document.lens_mut().side = spot.side;
        // The texts are made first, so that the places in them are there.
        document.turn.prepare(document.selected);
        document.prepare_lenses();
        document.turn.view.set_top(spot.turn_top);
        document.lens_mut().view.set_top(spot.prompt_top);
    }
}
