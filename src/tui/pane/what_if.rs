//! The list of what can be changed at a turn.

use crate::text;
use crate::tui::app::App;
use crate::tui::rows::Row;
use crate::tui::theme::Role;
use crate::tui::what_if::{Entry, Input, entries};
use crate::value::{Limits, to_clojure};

/// The rows of the list.
pub fn rows(app: &App, input: &Input) -> Vec<Row> {
    let entries = entries(app).into_iter().enumerate();
    entries
        .map(|(at, entry)| {
            let selected = at == input.selected;
            let (mark, role) = if selected {
                ("▸ ", Role::Selected)
            } else {
                ("  ", Role::Text)
            };
            let typed = if selected { input.typed.as_str() } else { "" };
            let (title, now) = words(app, entry, typed);
            let title = format!("{mark}{}", text::headline(&title, 60));
            Row {
                spans: vec![
                    (format!("{title:<34}"), role),
                    (format!("  {}", text::headline(&now, 200)), Role::Dim),
                ],
            }
        })
        .collect()
}

/// What an entry is called, and how it stands.
fn words(app: &App, entry: Entry, typed: &str) -> (String, String) {
    let document = app.document();
    let step = document.run.step();
    let turn = step.turns().get(document.selected);
    match entry {
        Entry::Program => {
            let program = turn.and_then(|turn| turn.program().get());
            let source = program.map_or("none", |program| &program.source);
            ("program, in the editor".to_owned(), source.to_owned())
        }
        Entry::Result(at) => {
            let mut calls = turn.iter().flat_map(|turn| {
                let listed = turn.tool_calls().iter();
                listed.chain(turn.unlisted_calls())
            });
            let Some(call) = calls.nth(at) else {
                return (String::new(), String::new());
            };
            let result = call.result.get();
            let now = result.map_or_else(
                || "no result".to_owned(),
                |result| to_clojure(result, Limits::new(3, 120)).0,
            );
            (format!("result of call {}: {}", at + 1, call.name), now)
        }
        Entry::Limit(limit) => {
            let now = limit.now(step);
            let now = now.map_or_else(|| "no limit".to_owned(), |now| now.to_string());
            let now = match typed {
                "" => format!("{now}; type a number"),
                typed => format!("{now} → {typed}"),
            };
            (limit.title().to_owned(), now)
        }
        Entry::Open(at) => {
            let what = app.what_if.kept().nth(at).unwrap_or_default().to_owned();
            ("a fork that is kept".to_owned(), what)
        }
        Entry::Export => (
            "export it as a step file".to_owned(),
            "what-if.step.json in this directory".to_owned(),
        ),
        Entry::Discard => ("discard it".to_owned(), String::new()),
        Entry::Keep => (
            "keep it and go back".to_owned(),
            format!("{} lists it there", app.key_of("what-if")),
        ),
    }
}
