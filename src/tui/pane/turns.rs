//! The list of turns: number, outcome, and in a few words what happened.

use std::sync::Arc;

use crate::analysis::Likeness;
use crate::compression::{Run, error_message};
use crate::namespace::content::turn_number;
use crate::step::{Outcome, Step, Turn};
use crate::text;
use crate::tui::app::Document;
use crate::tui::beside::Beside;
use crate::tui::problems::Marks;
use crate::tui::theme::Role;
use crate::value::Limits;

/// Names of definitions that a row lists.
const LISTED_NAMES: usize = 4;

/// What the list is made of.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    run: &'a Arc<Run>,
    beside: Option<&'a Beside>,
    marks: &'a Marks,
}

impl<'a> Rows<'a> {
    /// The rows of a document.
    pub fn of(document: &'a Document) -> Self {
        Self {
            run: &document.run,
            beside: document.beside.as_ref(),
            marks: &document.marks,
        }
    }

    /// How many there are, `next` among them.
    pub fn count(self) -> usize {
        let turns = self.run.step().turns().len();
        self.beside.map_or(turns + 1, Beside::rows)
    }
}

/// The same, for whoever looks at it while the document goes on.
pub struct List {
    run: Arc<Run>,
    beside: Option<Beside>,
    marks: Marks,
}

impl List {
    /// The list of a document as it is now.
    pub fn of(document: &Document) -> Self {
        Self {
            run: Arc::clone(&document.run),
            beside: document.beside.clone(),
            marks: document.marks.clone(),
        }
    }

    /// Its rows.
    pub fn rows(&self) -> Rows<'_> {
        Rows {
            run: &self.run,
            beside: self.beside.as_ref(),
            marks: &self.marks,
        }
    }
}

/// A row as texts in roles; `None` behind the last row.
pub fn row(rows: Rows<'_>, row: usize) -> Option<Vec<(String, Role)>> {
    if let Some(beside) = rows.beside {
        return pair(rows.run, beside, row);
    }
    let step = rows.run.step();
    let digits = digits(rows.run);
    if row == step.turns().len() {
        let label = format!("{:digits$}   next", "");
        return Some(vec![(label, Role::Dim)]);
    }
    let turn = step.turn(row)?;
    let mut spans = number(Some(&turn), digits);
    mark(rows.marks, row, &mut spans);
    let aside = match (turn.copied(), is_left(step, row)) {
        (true, _) => "(copied) ",
        (false, true) => "(left) ",
        (false, false) => "",
    };
    let role = if aside.is_empty() {
        Role::Text
    } else {
        spans.push((aside.to_owned(), Role::Dim));
        Role::Dim
    };
    spans.push((summary(rows.run, row, &turn), role));
    Some(spans)
}

/// Whether a turn lies on a branch that was left: what is sent at the end doesn't have it.
fn is_left(step: &Step, turn: usize) -> bool {
    let branches = step.events.iter().any(|event| event.resumes.is_some());
    let on_path = || {
        let path = step.path(step.turns().len());
        path.iter().any(|part| part.turns.contains(&turn))
    };
    branches && !on_path()
}

/// Shows between number and outcome that something went wrong there beside the outcome.
fn mark(marks: &Marks, row: usize, spans: &mut Vec<(String, Role)>) {
    if let Some((number, _)) = spans.first_mut().filter(|_| marks.has(row)) {
        number.pop();
        spans.insert(1, ("!".to_owned(), Role::Notice));
    }
}

/// A row of two runs: the turn of each, and between them how they compare.
fn pair(run: &Arc<Run>, beside: &Beside, row: usize) -> Option<Vec<(String, Role)>> {
    let runs = [run, &beside.run];
    let turns = beside.turns_at(row);
    let Some((likeness, parts)) = beside.sign(row) else {
        let columns = digits(runs[0]) + digits(runs[1]) + 8;
        let next = (format!("{:columns$}next", ""), Role::Dim);
        return (row + 1 == beside.rows()).then(|| vec![next]);
    };
    let turn = |run: usize| turns[run].and_then(|at| runs[run].step().turn(at));
    let [left, right] = if beside.reversed { [1, 0] } else { [0, 1] };
    let mut spans = number(turn(left).as_ref(), digits(runs[left]));
    let likeness = match likeness {
        Likeness::OnlyBefore if beside.reversed => Likeness::OnlyAfter,
        Likeness::OnlyAfter if beside.reversed => Likeness::OnlyBefore,
        likeness => likeness,
    };
    let (sign, role) = match likeness {
        _ if parts => ('◆', Role::Notice),
        likeness if likeness.does_the_same() => (likeness.sign(), Role::Dim),
        likeness => (likeness.sign(), Role::Notice),
    };
    spans.push((format!("{sign} "), role));
    spans.extend(number(turn(right).as_ref(), digits(runs[right])));
    // What the second run did is told where that is news.
    let is_news = likeness != Likeness::Same && (beside.reversed || !likeness.does_the_same());
    let told = turns[right].map(|at| (right, at)).filter(|_| is_news);
    let (run, at) = told.or(turns[left].map(|at| (left, at)))?;
    let said = summary(runs[run], at, &*turn(run)?);
    spans.push((said, Role::Text));
    Some(spans)
}

/// Columns of a run's turn numbers.
fn digits(run: &Run) -> usize {
    run.step().turns().len().to_string().len().max(2)
}

/// Number and sign of a turn; blank where there is none.
fn number(turn: Option<&Arc<Turn>>, digits: usize) -> Vec<(String, Role)> {
    let Some(turn) = turn else {
        return vec![(format!("{:digits$}   ", ""), Role::Dim)];
    };
    let (sign, role) = sign(turn.outcome());
    vec![
        (format!("{:>digits$} ", turn.number()), Role::Dim),
        (format!("{sign} "), role),
    ]
}

/// A row as one text.
pub fn row_text(rows: Rows<'_>, index: usize) -> String {
    let spans = row(rows, index).unwrap_or_default();
    spans.iter().map(|(text, _)| text.as_str()).collect()
}

/// The sign of an outcome, told apart without colour too.
pub fn sign(outcome: Outcome) -> (char, Role) {
    match outcome {
        Outcome::Success => ('✓', Role::Good),
        Outcome::Failure => ('✗', Role::Bad),
        Outcome::Unknown => ('·', Role::Dim),
    }
}

/// What happened in a turn, in a few words; nothing where there is no such turn.
pub fn told(run: &Run, index: usize) -> String {
    let turn = run.step().turn(index);
    let told = turn.map(|turn| {
        let mark = if turn.failed() { "✗ " } else { "" };
        format!("{mark}{}", summary(run, index, &turn))
    });
    told.unwrap_or_default()
}

fn summary(run: &Run, index: usize, turn: &Turn) -> String {
    if turn.failed() {
        let (message, _) = error_message(turn, Limits::new(3, 80));
        return text::headline(&message, 120);
    }
    let mut parts = Vec::new();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let calls = || turn.tool_calls().iter().chain(turn.unlisted_calls());
    let count = calls().count();
    if count > 0 {
        let failed = calls().filter(|call| call.error.is_some()).count();
        let marks = match failed {
            0 => String::new(),
            failed => format!(" ({failed} ✗)"),
        };
        parts.push(format!("{count} call{}{marks}", plural(count)));
    }
    if calls().any(|call| call.child.is_some()) {
        parts.push("child".to_owned());
    }
    let prints = turn.prints().len();
    if prints > 0 {
        parts.push(format!("{prints} print{}", plural(prints)));
    }
    let history = run.history(turn_number(index + 1));
    let changed = history.changed_by_last();
    if !changed.is_empty() {
        let mut names: Vec<&str> = changed
            .iter()
            .take(LISTED_NAMES)
            .map(|(name, _)| &***name)
            .collect();
        if changed.len() > LISTED_NAMES {
            names.push("…");
        }
        parts.push(format!("def {}", names.join(" ")));
    }
    if parts.is_empty() {
        let said = turn.program().get().map(|program| &program.source);
        let said = said.or(turn.raw_response().get().filter(|said| !said.is_empty()));
        let said = said.or(turn.thinking().get());
        return said.map_or_else(String::new, |said| text::headline(said, 120));
    }
    parts.join(" · ")
}
