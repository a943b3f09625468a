//! What the keys of a search do.

use super::super::app::{App, Overlay};
use super::super::command::Context;
use super::super::diff;
use super::super::search::{Prompts, Scope, Search};
use super::times;

/// Takes what is typed as a regular expression, or as words.
pub(in crate::tui) fn toggle_regex(app: &mut App) {
    let input = match &mut app.overlay {
        Some(Overlay::Search(input)) => Some(input),
        Some(Overlay::Diff(diff)) => diff.input_mut(),
        _ => None,
    };
    if let Some(input) = input {
        input.is_regex = !input.is_regex;
    }
}

/// Begins to search for what is typed, and goes to the first match from the selected turn on.
pub(in crate::tui) fn search(app: &mut App) {
    if diff::searching::start(app) {
        return;
    }
    let Some(Overlay::Search(input)) = &app.overlay else {
        return;
    };
    if input.text.is_empty() {
        app.overlay = None;
        set_search(app, None);
        return;
    }
    let pattern = match input.pattern() {
        Ok(pattern) => pattern,
        Err(what) => {
            app.message = Some(what);
            return;
        }
    };
    app.overlay = None;
    let was_prompt = app.context() == Context::Prompt;
    let document = app.document();
    let scope = if was_prompt {
        Scope::Prompts(Box::new(Prompts::of(document.lens())))
    } else {
        Scope::Turns
    };
    let run = if was_prompt {
        document.lens().run()
    } else {
        &document.run
    };
    let row = if was_prompt {
        document.row_of(document.lens())
    } else {
        Some(document.selected)
    };
    let from = row.unwrap_or(document.selected);
    let search = Search::start(run, pattern, scope, from, app.redaction.hiding());
    set_search(app, Some(search));
    go_to_match(app, 1, None);
}

pub(in crate::tui) fn set_search(app: &mut App, search: Option<Search>) {
    let document = app.document_mut();
    let pattern = search.as_ref().map(|search| search.pattern.clone());
    document.turn.view.marked.clone_from(&pattern);
    for lens in document.lenses_mut() {
        lens.view.marked.clone_from(&pattern);
    }
    document.search = search;
}

/// Goes to a match.
pub(in crate::tui) fn go_to_match(app: &mut App, by: isize, count: Option<usize>) {
    let document = app.document();
    let search = document.search.as_ref();
    let again = search.and_then(|search| {
        let row = document
            .row_of(document.lens())
            .unwrap_or(document.selected);
        search.again(document.lens(), row, app.redaction.hiding())
    });
    if again.is_some() {
        set_search(app, again);
    }
    app.go_to_match(by.saturating_mul(times(count)));
}
