//! The picker: recorded and every strategy, with what each does to this prompt.

use crate::compression::STRATEGIES;
use crate::tui::app::App;
use crate::tui::lens::{Lens, Shown};
use crate::tui::rows::Row;
use crate::tui::theme::Role;

/// What the prompt would have: messages, and what of calls and prints.
fn figures(app: &App, shown: Shown) -> String {
    let document = app.document();
    let lens = document.lens();
    let Some(n) = document.n_of(lens) else {
        return "no turn here".to_owned();
    };
    match lens.case_of(shown).map(|case| lens.run().prompt(n, case)) {
        Some(Ok(prompt)) => {
            let dropped = prompt.stats.calls.dropped() + prompt.stats.prints.dropped();
            let gone = if dropped > 0 {
                format!(", {dropped} items dropped")
            } else {
                String::new()
            };
            format!("{} messages{gone}", prompt.len())
        }
        Some(Err(_)) => String::new(),
        None => match lens.run().recorded_prompt(n) {
            Some(messages) => format!("{} messages", messages.len()),
            None => "not recorded for this turn".to_owned(),
        },
    }
}

/// The rows of the picker.
pub fn rows(app: &App, selected: usize) -> Vec<Row> {
    let lens = app.document().lens();
    let entries = lens.entries().into_iter().enumerate();
    entries
        .map(|(at, shown)| {
            let mark = if at == selected { "▸ " } else { "  " };
            let role = if at == selected {
                Role::Selected
            } else {
                Role::Text
            };
            let (key, help) = match shown {
                Shown::Recorded => ("0".to_owned(), "What the LLM was really sent"),
                Shown::Strategy(at) => (
                    format!("{}s", at + 1),
                    STRATEGIES.get(at).map_or("", |strategy| strategy.help()),
                ),
            };
            Row {
                spans: vec![
                    (format!("{mark}{:<12}", Lens::title(shown)), role),
                    (format!(" {key:<3}"), Role::Key),
                    (format!(" {:<34} ", figures(app, shown)), Role::Text),
                    (help.to_owned(), Role::Dim),
                ],
            }
        })
        .collect()
}
