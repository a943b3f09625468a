//! The picker: recorded and every strategy, with what each costs, keeps and loses, here and over the
//! run.

use super::overview::{self, lost};
use crate::compression::STRATEGIES;
use crate::tui::app::App;
use crate::tui::lens::Shown;
use crate::tui::rows::Row;
use crate::tui::theme::Role;

/// What the prompt would have: messages, and what of calls and prints; dots while it is looked for.
fn items(app: &App, shown: Shown) -> &str {
    let tally = app.document().tally.as_ref();
    tally.and_then(|tally| tally.of(shown)).unwrap_or("…")
}

/// The line above the entries.
pub fn head() -> Row {
    let line = format!(
        "  {:<12} {:<3} {:>8} {:>8} {:>9} {:>9}  the prompt",
        "", "", "tokens", "lost", "run", "lost"
    );
    Row {
        spans: vec![(line, Role::Dim)],
    }
}

/// Tokens and losses of the prompt, and of all prompts of the run; dots while they are looked for.
fn figures(app: &App, shown: Shown) -> String {
    let document = app.document();
    let (lens, figures) = (document.lens(), document.figures.as_ref());
    let about = overview::about(lens, app);
    let running = figures.is_some_and(super::super::figures::Figures::is_running);
    let none = || if running { "…" } else { "–" }.to_owned();
    let n = document.n_of(lens).unwrap_or(0);
    let cell = figures.and_then(|figures| figures.cell(shown, n));
    let sum = figures.and_then(|figures| figures.sum(shown));
    let word = |word: Option<String>| word.unwrap_or_else(none);
    format!(
        "{:>8} {:>8} {:>9} {:>9}",
        word(cell.map(|cell| format!("{about}{}", cell.tokens))),
        word(cell.map(|cell| lost(cell.lost, cell.needed))),
        word(sum.map(|sum| format!("{about}{}", sum.tokens))),
        word(sum.map(|sum| lost(sum.lost, sum.needed))),
    )
}

/// What of an entry may not fit its row: what the prompt has, and what it is.
pub fn about(app: &App, at: usize) -> String {
    let entries = app.document().lens().entries();
    entries.get(at).map_or_else(String::new, |shown| {
        format!("{} · {}", items(app, *shown), help(app, *shown))
    })
}

fn help(app: &App, shown: Shown) -> &'static str {
    match shown {
        Shown::Recorded if app.document().lens().run().is_rebuilt() => {
            "What the records tell of what the LLM was sent"
        }
        Shown::Recorded => "What the LLM was really sent",
        Shown::Strategy(at) => STRATEGIES.get(at).map_or("", |strategy| strategy.help()),
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
            let key = match shown {
                Shown::Recorded => "0".to_owned(),
                Shown::Strategy(at) => format!("{}s", at + 1),
            };
            Row {
                spans: vec![
                    (format!("{mark}{:<12}", lens.title_here(shown)), role),
                    (format!(" {key:<3}"), Role::Key),
                    (format!(" {}", figures(app, shown)), Role::Text),
                    (format!("  {:<30} ", items(app, shown)), Role::Text),
                    (help(app, shown).to_owned(), Role::Dim),
                ],
            }
        })
        .collect()
}
