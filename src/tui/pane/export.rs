//! The list of what can be written to a file, and the line in which the file's name is typed.

use crate::text;
use crate::tui::app::App;
use crate::tui::export::{Input, What};
use crate::tui::rows::Row;
use crate::tui::theme::Role;

/// The rows of the list; while a name is typed, what is written and the name.
pub fn rows(app: &App, input: &Input) -> Vec<Row> {
    if let (Some(name), Some(what)) = (&input.name, input.what()) {
        return vec![
            Row::of(what.title(), Role::Dim),
            Row {
                spans: vec![
                    ("file: ".to_owned(), Role::Key),
                    (text::clean_line(name).into_owned(), Role::Title),
                ],
            },
        ];
    }
    let is_hidden = input.hides || app.redaction.status().is_some();
    let secrets = if is_hidden {
        "secrets are hidden; enter writes them too"
    } else {
        "secrets are written; enter hides them"
    };
    let titles = What::ALL.iter().map(|what| what.title());
    let rows = titles.chain([secrets]).enumerate();
    rows.map(|(at, title)| {
        let (mark, role) = match (at == input.selected, at < What::ALL.len()) {
            (true, _) => ("▸ ", Role::Selected),
            (false, true) => ("  ", Role::Text),
            (false, false) => ("  ", Role::Notice),
        };
        Row::of(&format!("{mark}{title}"), role)
    })
    .collect()
}
