//! What came in since the last frame, from files and from work in the background.

use std::sync::Arc;

use super::{App, Overlay};
use crate::tui::folder::Folder;
use crate::tui::follow::{Watch, told_of_replaced};
use crate::tui::infer::Inference;
use crate::tui::problems::Problems;
use crate::tui::reading::Both;
use crate::tui::search::Search;
use crate::tui::{child, export, figures, place, redaction, what_if};

impl App {
    /// Takes what came in since: a fuller file, matches of a search. Whether the screen changes.
    pub fn poll(&mut self) -> bool {
        let loaded = self.watch.as_mut().and_then(Watch::poll);
        let news = self.watch.as_mut().and_then(Watch::news);
        let failed = news.is_some();
        self.message = news.or(self.message.take());
        let grown = loaded.is_some_and(|loaded| self.replace(loaded));
        let grown = grown | self.watch.as_mut().is_some_and(Watch::has_news) | self.poll_reading();
        let needed = match &mut self.overlay {
            Some(Overlay::Needs(needs)) => needs.poll(),
            Some(Overlay::Diff(diff)) => diff.poll(),
            _ => false,
        };
        let found = figures::poll(self.document_mut()) | self.document_mut().poll();
        let found = found | self.poll_search() | self.poll_problems() | self.poll_inference();
        let found = found | needed | self.poll_folder() | what_if::poll(self) | grown | failed;
        found | export::poll(self) | redaction::poll(self)
    }

    fn poll_inference(&mut self) -> bool {
        let mut changed = false;
        for lens in self.document_mut().lenses_mut() {
            changed |= lens.poll();
        }
        changed
    }

    /// Shows a fuller record of the first run, in the place where it was. Whether there is one.
    fn replace(&mut self, loaded: Both) -> bool {
        let follows = self.follows;
        let Both {
            first,
            second,
            is_part,
        } = loaded;
        let step = first.conversations.get(self.conversation).map(Arc::clone);
        let (Some(document), Some(step)) = (self.documents.first_mut(), step) else {
            return false;
        };
        if is_part && step.turns().len() < document.turns() {
            // What is shown already is more.
            return false;
        }
        self.conversations = first.conversations;
        self.redaction.grown(document.run.step(), &step);
        if let Some(told) = told_of_replaced(document.run.step(), &step) {
            self.message = Some(told);
        }
        document.replace(step, first.report);
        if let Some(second) = second {
            document.replace_beside(second);
        }
        if follows {
            let last = document.turns().saturating_sub(1);
            document.select(last);
        }
        child::replace(&mut self.documents);
        place::arrive(self);
        true
    }

    /// Whether something goes on that `poll` must be asked about.
    pub fn is_busy(&self) -> bool {
        let document = self.document();
        let searches = document.search.as_ref().is_some_and(Search::is_running);
        let looks = document.problems.as_ref().is_some_and(Problems::is_running);
        let folder = self.folder.as_ref().is_some_and(Folder::is_busy);
        let over = match &self.overlay {
            Some(Overlay::Needs(needs)) => needs.is_running(),
            Some(Overlay::Diff(diff)) => diff.is_running(),
            _ => false,
        };
        let finds = figures::is_running(document);
        let texts = document.is_busy();
        let mut lenses = document.lenses().iter();
        let infers = lenses
            .any(|lens| lens.is_counting() || lens.inference().is_some_and(Inference::is_running));
        let runs = searches || looks || folder || finds || texts || over || infers;
        let runs = runs || self.exports.is_running();
        let runs = runs || self.reading.is_some();
        runs || self.redaction.is_learning() || self.what_if.is_running()
    }
}
