//! Going to what was looked for: problems, and matches of a search.

use std::sync::Arc;

use super::{App, Pane};
use crate::tui::pane::turn::Tab;
use crate::tui::problems::Problems;
use crate::tui::search::Part;

impl App {
    pub(super) fn poll_problems(&mut self) -> bool {
        let document = self.document_mut();
        let Some(problems) = &mut document.problems else {
            return false;
        };
        let changed = problems.poll();
        if changed {
            document.marks.take(problems);
        }
        if changed && std::mem::take(&mut problems.waiting) {
            self.go_to_problem();
        }
        changed
    }

    /// What went wrong; it is looked for from the first time on that somebody asks.
    pub fn ask_for_problems(&mut self) -> &mut Problems {
        let document = self.document_mut();
        let run = Arc::clone(&document.run);
        document
            .problems
            .get_or_insert_with(|| Problems::start(&run, &document.report))
    }

    /// Goes to the next turn with a problem; waits for it where they are still looked for.
    pub fn go_to_problem(&mut self) {
        let row = self.document().selected;
        let problems = self.ask_for_problems();
        if problems.is_running() {
            problems.waiting = true;
            self.message = Some("looking for problems …".to_owned());
            return;
        }
        let Some(next) = problems.next_row(row) else {
            self.message = Some("no turn has a problem".to_owned());
            return;
        };
        let here = problems
            .found
            .iter()
            .filter(|found| found.row == Some(next));
        let words: Vec<&str> = here.map(|found| found.text.as_str()).collect();
        self.message = Some(words.join(" · "));
        self.remember();
        self.document_mut().select(next);
    }

    pub(super) fn poll_search(&mut self) -> bool {
        let Some(search) = &mut self.document_mut().search else {
            return false;
        };
        let changed = search.poll();
        if let Some(by) = search.waiting.filter(|_| changed) {
            search.waiting = None;
            self.go_to_match(by);
        }
        changed
    }

    /// Goes to the next match, or the one before; waits for it where the search goes on.
    pub fn go_to_match(&mut self, by: isize) {
        let document = self.document();
        let lenses = document.lenses().iter();
        let searched = document.search.as_ref();
        let mut lenses = lenses
            .filter(|lens| searched.is_some_and(|search| Arc::ptr_eq(lens.run(), &search.run)));
        let row = lenses.next().and_then(|lens| document.row_of(lens));
        let row = row.unwrap_or(document.selected);
        let Some(search) = &mut self.document_mut().search else {
            self.message = Some("nothing was searched for yet; / searches".to_owned());
            return;
        };
        let Some(place) = search.step(row, by) else {
            if search.is_running() {
                search.waiting = Some(by);
            }
            self.message = Some(search.status());
            return;
        };
        let status = search.status();
        self.remember();
        let document = self.document_mut();
        let run = document
            .search
            .as_ref()
            .map(|search| Arc::clone(&search.run));
        let run = run.unwrap_or_else(|| Arc::clone(&document.run));
        document.select_of(&run, place.row);
        let focus = match place.part {
            Part::Turn(at) => {
                if document.compares() {
                    // Its pane has the other prompt.
                    document.toggle_compare();
                }
                document.turn.tab = Tab::ALL[at];
                document.turn.prepare(document.selected);
                document.turn.go_to_found(place.block, place.line);
                Pane::Turn
            }
            Part::Prompt => {
                document.prepare_lenses();
                if !Arc::ptr_eq(document.lens().run(), &run) {
                    let lenses = document.lenses().iter();
                    let mut runs = lenses.map(|lens| Arc::ptr_eq(lens.run(), &run));
                    document.focused = runs.position(|is_it| is_it).unwrap_or(0);
                }
                document.lens_mut().view.go_to(place.block, place.line);
                document.pane_of(document.focused)
            }
        };
        self.focus_on(focus);
        self.message = Some(status);
    }
}
