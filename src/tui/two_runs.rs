//! What can be told of the two runs that are shown side by side, found off the drawing thread: what
//! differs stands above the overview, all of it on a page.

use std::sync::Arc;

use super::app::{App, Document, Overlay};
use super::page;
use super::rows::Row;
use super::theme::Role;
use super::work::Work;
use crate::analysis::{FactRow, RunFacts, fact_rows};
use crate::compression::Run;
use crate::text;

/// What is told of two runs, once it is found.
#[derive(Debug)]
pub struct TwoRuns {
    runs: [Arc<Run>; 2],
    /// What they are called.
    titles: [String; 2],
    /// Empty until it is found; of a run that has grown since, what was told of it before.
    rows: Vec<FactRow>,
    coming: Work<Vec<FactRow>>,
}

impl TwoRuns {
    fn start(runs: [Arc<Run>; 2], titles: [String; 2], rows: Vec<FactRow>) -> Self {
        let both = runs.clone();
        Self {
            runs,
            titles,
            rows,
            coming: Work::one(move || fact_rows(&both.each_ref().map(RunFacts::of))),
        }
    }

    fn is_of(&self, runs: &[Arc<Run>; 2]) -> bool {
        self.runs.iter().zip(runs).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Whether it is still looked for.
    pub fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes what was found since; whether that is anything.
    pub fn poll(&mut self) -> bool {
        let Some(found) = self.coming.take() else {
            return false;
        };
        self.rows = found.unwrap_or_default();
        true
    }
}

/// The two runs in the order in which they are shown, and what they are called.
fn shown(document: &Document) -> Option<([Arc<Run>; 2], [String; 2])> {
    let beside = document.beside.as_ref()?;
    let mut runs = [Arc::clone(&document.run), Arc::clone(&beside.run)];
    let mut titles = beside.titles.clone();
    if beside.reversed {
        runs.reverse();
        titles.reverse();
    }
    Some((runs, titles))
}

/// Begins to look, where two runs are shown and that isn't known.
pub(super) fn ask(document: &mut Document) {
    let Some((runs, titles)) = shown(document) else {
        document.two_runs = None;
        return;
    };
    let known = document.two_runs.take();
    if known.as_ref().is_some_and(|known| known.is_of(&runs)) {
        document.two_runs = known;
        return;
    }
    let rows = known.filter(|known| known.titles == titles);
    let rows = rows.map_or_else(Vec::new, |known| known.rows);
    document.two_runs = Some(TwoRuns::start(runs, titles, rows));
}

/// Looks again while the overview shows it, where a run has grown or was replaced since; once what was
/// begun before has ended, so that there is never more than one.
pub(super) fn follow(app: &mut App) {
    let is_shown = matches!(page::lowest(app), Some(Overlay::Overview(_)));
    let document = app.document_mut();
    let runs = document.two_runs.as_ref().is_some_and(TwoRuns::is_running);
    if is_shown && !runs {
        ask(document);
    }
}

/// What differs, in at most so many rows of so many columns; none where one run is shown.
pub(super) fn differences(app: &App, columns: usize, most: usize) -> Vec<Row> {
    let document = app.document();
    let (Some(two), Some((_, titles))) = (&document.two_runs, shown(document)) else {
        return Vec::new();
    };
    let differing = || two.rows.iter().filter(|row| row.differs());
    let count = match (two.is_running(), differing().count()) {
        (true, _) => "comparing …".to_owned(),
        (false, 0) => "nothing told of both differs".to_owned(),
        (false, count) => format!("{count} of {} facts differ", two.rows.len()),
    };
    let key = app.key_of("two-runs");
    let head = format!("{count}, {key} tells all · {} → {}", titles[0], titles[1]);
    let line = |text: &str| text::headline(&app.redaction.text(text), columns.saturating_sub(1));
    let head = Row::of(&format!(" {}", line(&head)), Role::Title);
    let room = columns.saturating_sub(22);
    let rows = differing().map(|row| {
        // What the shorter one leaves is the longer one's.
        let shorter = row.values.iter().map(String::len).min();
        let cell = room.saturating_sub(shorter.unwrap_or(0)).max(room / 2);
        Row::of(&format!(" {}", line(&row.line(cell))), Role::Notice)
    });
    std::iter::once(head).chain(rows).take(most).collect()
}

/// Opens all that is told of the two.
pub(super) fn open(app: &mut App) {
    ask(app.document_mut());
    let document = app.document();
    let (Some(two), Some((_, [before, after]))) = (&document.two_runs, shown(document)) else {
        app.message = Some("one run is open; turnscope FILE FILE opens two".to_owned());
        return;
    };
    if two.is_running() {
        app.message = Some("the two runs are still being compared".to_owned());
        return;
    }
    let mut text = format!("{before} → {after}\n\n");
    for row in &two.rows {
        text.push_str(&row.line(WHOLE));
        text.push('\n');
    }
    page::open_text(app, "Two runs", text);
}

/// Columns of a fact on the page, which wraps longer lines.
const WHOLE: usize = 400;
