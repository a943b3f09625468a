//! What went wrong in a run, found off the drawing thread.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::app::{App, Overlay};
use super::page;
use super::told_of_file::ToldOfFile;
use super::work::Work;
use crate::analysis::{Analysis, Profile, What};
use crate::compression::Run;
use crate::load::Report;
use crate::tokens::Tokenizer;

/// What the list is called.
pub(super) const TITLE: &str = "What went wrong";

/// A problem as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The row of its turn in the list of turns; none where it is about the run or a child's.
    pub row: Option<usize>,
    /// The children that lead to it, by their places, and the row of its turn there.
    inside: Option<(Vec<usize>, Option<usize>)>,
    /// What went wrong.
    pub text: String,
    /// Whether it is that the turn failed, which the list of turns shows anyway.
    pub is_failed_turn: bool,
}

/// Rows of the list of turns with something that went wrong. They stay while a run that grew is looked
/// through again.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    rows: BTreeSet<usize>,
    /// When the last search began, and how long it took.
    begun: Option<Instant>,
    took: Duration,
}

impl Marks {
    /// Whether a row has something beside a failed turn.
    pub fn has(&self, row: usize) -> bool {
        self.rows.contains(&row)
    }

    /// Whether the run may be looked through again: that must not be all that is done.
    fn may_begin(&self) -> bool {
        self.begun
            .is_none_or(|begun| begun.elapsed() > self.took * REST)
    }

    /// Takes what was found.
    pub(super) fn take(&mut self, problems: &Problems) {
        let found = problems.found.iter().filter(|found| !found.is_failed_turn);
        self.rows = found.filter_map(|found| found.row).collect();
        self.took = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
    }
}

/// Between two searches of a growing run lie so many times what one takes.
const REST: u32 = 8;

/// Looks for what went wrong where that is not known, for the marks in the list of turns.
pub fn attend(app: &mut App) {
    let document = app.document();
    if document.problems.is_none() && document.marks.may_begin() {
        app.document_mut().marks.begun = Some(Instant::now());
        app.ask_for_problems();
    }
}

/// The problems of a run, once they are found.
#[derive(Debug)]
pub struct Problems {
    /// All of them, in order; empty until they are found.
    pub found: Vec<Found>,
    /// Whether the next one is to be gone to once they are found.
    pub waiting: bool,
    of_file: ToldOfFile,
    coming: Work<Vec<Found>>,
}

impl Problems {
    /// Begins to look; what reading the file had to say stands around what is found.
    pub fn start(run: &Arc<Run>, report: &Report) -> Self {
        let run = Arc::clone(run);
        Self {
            found: Vec::new(),
            waiting: false,
            of_file: ToldOfFile::new(report),
            coming: Work::one(move || find(run)),
        }
    }

    /// Whether they are still looked for.
    pub fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes what was found; whether that has just come.
    pub fn poll(&mut self) -> bool {
        let Some(found) = self.coming.take() else {
            return false;
        };
        self.found = self.of_file.around(found.unwrap_or_default());
        true
    }

    /// The next row with a problem behind a row, around the end.
    pub fn next_row(&self, row: usize) -> Option<usize> {
        let rows = || self.found.iter().filter_map(|found| found.row);
        let behind = rows().filter(|other| *other > row).min();
        behind.or_else(|| rows().min())
    }
}

impl Found {
    /// One that is about no turn.
    pub(super) fn apart(text: String) -> Self {
        Self {
            row: None,
            inside: None,
            text,
            is_failed_turn: false,
        }
    }
}

/// Goes to the turn of an entry of the list, in a child run too; what is about no turn is shown whole.
pub(super) fn go_to(app: &mut App, at: usize) {
    let problems = app.document().problems.as_ref();
    let Some(found) = problems.and_then(|all| all.found.get(at)).cloned() else {
        return;
    };
    if let Some(row) = found.row {
        app.remember();
        app.document_mut().select(row);
    } else if let Some((path, row)) = found.inside {
        app.remember();
        if path.iter().all(|child| app.open_child_at(*child)) {
            app.document_mut().select(row.unwrap_or(0));
        }
    } else {
        app.overlay = Some(Overlay::Problems(at));
        show_whole(app);
    }
}

/// Shows the selected entry whole.
pub(super) fn show_whole(app: &mut App) {
    let Some(Overlay::Problems(at)) = app.overlay else {
        return;
    };
    let problems = app.document().problems.as_ref();
    if let Some(found) = problems.and_then(|all| all.found.get(at)) {
        let text = found.text.clone();
        page::open_text(app, TITLE, text);
    }
}

fn find(run: Arc<Run>) -> Vec<Found> {
    // Problems don't depend on how tokens are counted; the estimate needs no dictionary.
    let analysis = Analysis::new(run, Tokenizer::Estimate, Profile::default());
    let mut problems = analysis.problems(None);
    // As a person goes through the run; what is about all of it comes first, children's last.
    problems.sort_by_key(|problem| (problem.path.clone(), problem.what.turn()));
    problems
        .into_iter()
        .map(|problem| {
            let turn = problem.what.turn();
            let path = problem.path.iter();
            let path: Vec<String> = path.map(|at| format!("child {}: ", at + 1)).collect();
            let children = path.concat();
            let row = turn.map(|turn| turn as usize - 1);
            let place = turn.map_or_else(String::new, |turn| format!("turn {turn}: "));
            Found {
                is_failed_turn: matches!(problem.what, What::FailedTurn { .. }),
                row: row.filter(|_| problem.path.is_empty()),
                inside: (!problem.path.is_empty()).then_some((problem.path, row)),
                text: format!("{children}{place}{}", problem.what),
            }
        })
        .collect()
}
