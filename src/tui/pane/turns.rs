//! The list of turns: number, outcome, and in a few words what happened.

use crate::compression::error_message;
use crate::namespace::content::turn_number;
use crate::step::{Outcome, Turn};
use crate::text;
use crate::tui::app::Document;
use crate::tui::theme::Role;
use crate::value::Limits;

/// Names of definitions that a row lists.
const LISTED_NAMES: usize = 4;

/// A row as texts in roles; `None` behind the last row.
pub fn row(document: &Document, row: usize) -> Option<Vec<(String, Role)>> {
    let turns = document.run.step().turns();
    let digits = turns.len().to_string().len().max(2);
    if row == turns.len() {
        let label = format!("{:digits$}   next", "");
        return Some(vec![(label, Role::Dim)]);
    }
    let turn = turns.get(row)?;
    let (sign, role) = sign(turn.outcome());
    Some(vec![
        (format!("{:>digits$} ", turn.number()), Role::Dim),
        (format!("{sign} "), role),
        (summary(document, row, turn), Role::Text),
    ])
}

/// A row as one text.
pub fn row_text(document: &Document, index: usize) -> String {
    let spans = row(document, index).unwrap_or_default();
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

fn summary(document: &Document, index: usize, turn: &Turn) -> String {
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
    let history = document.run.history(turn_number(index + 1));
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
        let said = said.or(turn.raw_response().get());
        return said.map_or_else(String::new, |said| text::headline(said, 120));
    }
    parts.join(" · ")
}
