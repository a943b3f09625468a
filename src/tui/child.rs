//! Runs that a run started: opened from the turn that did, and kept up with it.

use std::sync::Arc;

use super::app::{App, Document, Pane};
use crate::load::Report;
use crate::step::Step;

/// What a child run was opened from: a turn's place, or none where no turn is known to have started it,
/// and which of the runs there.
#[derive(Debug, Clone, Copy)]
pub struct OpenedFrom {
    turn: Option<usize>,
    which: usize,
}

impl OpenedFrom {
    fn find(self, step: &Step) -> Option<Arc<Step>> {
        let children = match self.turn {
            Some(turn) => step.turns().get(turn)?.children(),
            None => step.loose_children(),
        };
        let at = *children.get(self.which)?;
        step.children.get(at).map(Arc::clone)
    }
}

impl App {
    /// Opens a run that the selected turn started. Whether there is one.
    pub fn open_child(&mut self, number: usize) -> bool {
        let document = self.document();
        let from = OpenedFrom {
            turn: (document.selected < document.turns()).then_some(document.selected),
            which: number.saturating_sub(1),
        };
        let Some(child) = from.find(document.run.step()) else {
            return false;
        };
        let Ok(mut opened) = Document::new("child", child, Report::default(), &self.start) else {
            return false;
        };
        opened.title = format!("{} › {}", document.title, opened.title);
        opened.opened_from = Some(from);
        self.documents.push(opened);
        self.focus = Pane::Turns;
        true
    }

    /// Opens a run by its place among the children of the one that is shown, from the turn that started
    /// it. Whether there is one.
    pub(super) fn open_child_at(&mut self, place: usize) -> bool {
        let document = self.document_mut();
        let run = Arc::clone(&document.run);
        let step = run.step();
        let turn = step.caller_of(place).map(|(turn, _)| turn as usize - 1);
        let among = match turn.and_then(|turn| step.turn(turn)) {
            Some(turn) => turn.children(),
            None => step.loose_children(),
        };
        let which = among.iter().position(|child| *child == place);
        document.select(turn.unwrap_or(usize::MAX));
        which.is_some_and(|which| self.open_child(which + 1))
    }
}

/// Takes fuller records of the child runs that are open, where the first run has a fuller one.
pub(super) fn replace(documents: &mut [Document]) {
    for at in 1..documents.len() {
        let parent = Arc::clone(documents[at - 1].run.step());
        let from = documents[at].opened_from;
        let Some(child) = from.and_then(|from| from.find(&parent)) else {
            return;
        };
        documents[at].replace(child, Report::default());
    }
}
