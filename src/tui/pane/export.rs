//! The list of what can be written to a file, and the line in which the file's name is typed.

use crate::tui::app::App;
use crate::tui::export::{Input, What};
use crate::tui::rows::Row;
use crate::tui::theme::Role;

/// What stands before the name.
const FILE: &str = "file: ";

/// The rows of the list; while a name is typed, what is written, and the name, with the column of the
/// cursor in it.
pub fn rows(app: &App, input: &Input, columns: usize) -> (Vec<Row>, Option<usize>) {
    if let (Some(name), Some(what)) = (&input.name, input.what()) {
        let (name, column) = name.shown(columns.saturating_sub(FILE.len()));
        let name = Row {
            spans: vec![(FILE.to_owned(), Role::Key), (name, Role::Title)],
        };
        let rows = vec![Row::of(what.title(), Role::Dim), name];
        return (rows, Some(FILE.len() + column));
    }
    let is_hidden = input.hides || app.redaction.status().is_some();
    let secrets = if is_hidden {
        "secrets are hidden; enter writes them too"
    } else {
        "secrets are written; enter hides them"
    };
    let titles = What::ALL.iter().map(|what| what.title());
    let rows = titles.chain([secrets]).enumerate();
    let rows = rows.map(|(at, title)| {
        let (mark, role) = match (at == input.selected, at < What::ALL.len()) {
            (true, _) => ("▸ ", Role::Selected),
            (false, true) => ("  ", Role::Text),
            (false, false) => ("  ", Role::Notice),
        };
        Row::of(&format!("{mark}{title}"), role)
    });
    (rows.collect(), None)
}
