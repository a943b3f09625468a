//! What commands do to the state.

use std::sync::Arc;

use super::app::{App, Effect, Overlay, Pane};
use super::command::Context;
use super::export;
use super::figures;
use super::folding;
use super::lens::{Content, Side};
use super::pane::palette::Entry;
use super::search::{Scope, Search};
use super::text_view::TextView;
use super::what_if;
use crate::compression::{Kind, OptionSpec, Setting};
use crate::step::Role;
use crate::text;

fn times(count: Option<usize>) -> isize {
    count.unwrap_or(1).cast_signed()
}

/// Moves the selection by turns.
pub(super) fn move_turn(app: &mut App, by: isize, count: Option<usize>) {
    app.follows = false;
    let document = app.document_mut();
    let row = document.row();
    document.select_row(row.saturating_add_signed(by.saturating_mul(times(count))));
}

/// Selects the turn that stands in a row of the list.
pub(super) fn select_listed(app: &mut App, row: usize) {
    app.follows = false;
    let document = app.document_mut();
    document.select(document.offset.saturating_add(row));
}

/// Keeps the selection on the last turn, or no longer.
pub(super) fn toggle_follow(app: &mut App) {
    app.follows = !app.follows;
    if app.follows {
        let document = app.document_mut();
        let last = document.turns().saturating_sub(1);
        document.select(last);
        app.message = Some("following: the last turn stays selected".to_owned());
    } else {
        app.message = Some("no longer following".to_owned());
    }
}

/// The text that the context scrolls.
fn scrolled(app: &mut App) -> Option<&mut TextView> {
    if matches!(app.overlay, Some(Overlay::Help(_) | Overlay::Diff(_))) {
        return match &mut app.overlay {
            Some(Overlay::Help(view)) => Some(view),
            Some(Overlay::Diff(diff)) => Some(&mut diff.view),
            _ => None,
        };
    }
    match app.focus {
        Pane::Turns => None,
        Pane::Turn if app.document().compares() => Some(&mut app.document_mut().lens_mut().view),
        Pane::Turn => Some(&mut app.document_mut().turn.view),
        Pane::Prompt => Some(&mut app.document_mut().lens_mut().view),
    }
}

/// Scrolls by rows.
pub(super) fn scroll(app: &mut App, by: isize, count: Option<usize>) {
    let rows = by.saturating_mul(times(count));
    each_scrolled(app, |view| view.scroll(rows));
}

/// Does the same to the text that the context scrolls, and to the one it is compared with. Whether
/// there is one.
fn each_scrolled(app: &mut App, mut act: impl FnMut(&mut TextView)) -> bool {
    if app.context() == Context::Prompt {
        for lens in app.document_mut().lenses_mut() {
            act(&mut lens.view);
        }
        return true;
    }
    let view = scrolled(app);
    let found = view.is_some();
    view.into_iter().for_each(act);
    found
}

/// Goes by half pages.
pub(super) fn halves(app: &mut App, by: isize, count: Option<usize>) {
    let by = by.saturating_mul(times(count));
    let rows = usize::from(app.layout.turns.height / 2)
        .max(1)
        .cast_signed();
    if !each_scrolled(app, |view| view.scroll_halves(by)) {
        move_turn(app, by.saturating_mul(rows), None);
    }
}

/// Goes to the start, or to a turn.
pub(super) fn to_start(app: &mut App, count: Option<usize>) {
    if !each_scrolled(app, TextView::to_start) {
        app.follows = false;
        let document = app.document_mut();
        match count {
            Some(number) => document.select(number.saturating_sub(1)),
            None => document.select_row(0),
        }
    }
}

/// Goes to the end, or to a turn.
pub(super) fn to_end(app: &mut App, count: Option<usize>) {
    if !each_scrolled(app, TextView::to_end) {
        let document = app.document_mut();
        match count {
            Some(number) => document.select(number.saturating_sub(1)),
            None => document.select_row(usize::MAX),
        }
    }
}

/// Whether the focused text wraps its lines.
pub(super) fn is_wrapped(app: &App) -> bool {
    match app.context() {
        Context::Prompt => app.document().lens().view.wrapped,
        _ => app.document().turn.view.wrapped,
    }
}

/// Scrolls to the side; where lines are wrapped, folds and unfolds.
pub(super) fn sideways(app: &mut App, by: isize, count: Option<usize>) {
    if is_wrapped(app) {
        folding::step(app, by > 0, count);
        return;
    }
    let columns = by.saturating_mul(times(count));
    each_scrolled(app, |view| view.scroll_sideways(columns));
}

/// Wraps long lines in both text panes, or no longer.
pub(super) fn toggle_wrap(app: &mut App) {
    let document = app.document_mut();
    document.turn.view.toggle_wrap();
    for lens in document.lenses_mut() {
        lens.view.toggle_wrap();
    }
    let state = if document.turn.view.wrapped {
        "wrapped"
    } else {
        "not wrapped"
    };
    app.message = Some(format!("long lines are {state}"));
}

/// Moves the focus among the panes.
pub(super) fn move_focus(app: &mut App, by: isize) {
    const PANES: [Pane; 3] = [Pane::Turns, Pane::Turn, Pane::Prompt];
    let at = PANES
        .iter()
        .position(|pane| *pane == app.focus)
        .unwrap_or(0);
    let next = at.saturating_add_signed(by + 3) % 3;
    app.focus_on(PANES[next]);
}

/// Shows another part of the turn.
pub(super) fn move_tab(app: &mut App, by: isize, count: Option<usize>) {
    let turn = &mut app.document_mut().turn;
    turn.tab = turn.tab.moved(by.saturating_mul(times(count)));
}

/// Puts two prompts side by side, or one again.
pub(super) fn toggle_compare(app: &mut App) {
    app.document_mut().toggle_compare();
    let pane = app.document().pane_of(0);
    app.focus_on(pane);
    if app.document().compares() {
        // For the heads of the two.
        figures::ask(app);
        let note = "▎ marks what the other prompt doesn't have; s and L change the focused one";
        app.message = Some(note.to_owned());
    }
}

/// The spec of an option of the case shown.
fn spec(app: &App, name: &str) -> Option<&'static OptionSpec> {
    app.document()
        .lens()
        .specs()
        .into_iter()
        .find(|spec| spec.name == name)
}

/// Changes the style of summaries.
pub(super) fn toggle_style(app: &mut App) {
    show_prompt(app);
    if let Some(spec) = spec(app, "summary_style") {
        step_option(app, spec, 1);
        let setting = app.document().lens().setting(spec);
        let shown = setting.map_or_else(String::new, |setting| spec.display(setting));
        app.message = Some(format!("summaries are written in style {shown}"));
    }
}

/// Shows the prompt on the other side of the selected turn.
pub(super) fn toggle_side(app: &mut App) {
    let lens = app.document_mut().lens_mut();
    lens.side = match lens.side {
        Side::Before => Side::After,
        Side::After => Side::Before,
    };
}

fn chosen_option(app: &App) -> Option<&'static OptionSpec> {
    let specs = app.document().lens().specs();
    specs.get(app.options?.selected).copied()
}

/// Chooses another option.
pub(super) fn move_option(app: &mut App, by: isize, count: Option<usize>) {
    let len = app.document().lens().specs().len();
    if let Some(row) = &mut app.options {
        let moved = row
            .selected
            .saturating_add_signed(by.saturating_mul(times(count)));
        row.selected = moved.min(len.saturating_sub(1));
        row.typed = None;
    }
}

/// Changes the chosen option by one.
pub(super) fn change_option(app: &mut App, by: isize) {
    if let Some(row) = &mut app.options {
        row.typed = None;
    }
    if let Some(spec) = chosen_option(app) {
        step_option(app, spec, by);
    }
}

fn step_option(app: &mut App, spec: &OptionSpec, by: isize) {
    let lens = app.document_mut().lens_mut();
    let now = lens.setting(spec);
    // Large numbers are changed by as much as can be seen.
    let by = match now {
        Some(Setting::Count(500..) | Setting::MaybeCount(Some(500..))) => by * 100,
        Some(Setting::Count(50..) | Setting::MaybeCount(Some(50..))) => by * 10,
        _ => by,
    };
    let next = match (now, spec.kind) {
        (Some(Setting::Count(count)), _) => Setting::Count(count.saturating_add_signed(by)),
        (Some(Setting::MaybeCount(None)), _) if by > 0 => Setting::MaybeCount(Some(1000)),
        (Some(Setting::MaybeCount(Some(0))), _) if by < 0 => Setting::MaybeCount(None),
        (Some(Setting::MaybeCount(count)), _) => {
            Setting::MaybeCount(count.map(|count| count.saturating_add_signed(by)))
        }
        (Some(Setting::Flag(flag)), _) => Setting::Flag(!flag),
        (Some(Setting::Choice(at)), Kind::Choice(words)) => Setting::Choice(
            at.saturating_add_signed(by + isize::try_from(words.len()).unwrap_or(1))
                % words.len().max(1),
        ),
        _ => return,
    };
    lens.set(spec, next);
}

/// Sets the chosen option to the number typed, or to its default.
pub(super) fn set_option(app: &mut App) {
    let Some(spec) = chosen_option(app) else {
        return;
    };
    let typed = app.options.as_mut().and_then(|row| row.typed.take());
    let setting = match (typed, spec.kind) {
        (Some(number), Kind::Count) => Setting::Count(number),
        (Some(number), Kind::MaybeCount) => Setting::MaybeCount(Some(number)),
        (Some(_), _) => {
            app.message = Some(format!("{} takes {}", spec.name, spec.expected()));
            return;
        }
        (None, _) => spec.default,
    };
    app.document_mut().lens_mut().set(spec, setting);
}

/// Takes back the last change of an option.
pub(super) fn undo_option(app: &mut App) {
    if !app.document_mut().lens_mut().undo() {
        app.message = Some("no change to take back".to_owned());
    }
}

/// Selects another entry of the palette or the picker.
pub(super) fn move_entry(app: &mut App, by: isize) {
    let document = app.document();
    let entries = document.lens().entries().len();
    let problems = document.problems.as_ref().map_or(0, |all| all.found.len());
    let changes = what_if::entries(app).len();
    match &mut app.overlay {
        Some(Overlay::WhatIf(input)) => input.move_by(by, changes),
        Some(Overlay::Export(input)) => input.move_by(by),
        Some(Overlay::Problems(at)) => {
            *at = at.saturating_add_signed(by).min(problems.saturating_sub(1));
        }
        Some(Overlay::Palette(palette)) => palette.move_by(by),
        Some(Overlay::Picker(at)) => {
            *at = at.saturating_add_signed(by).min(entries.saturating_sub(1));
        }
        _ => {}
    }
}

/// Erases the last character typed; closes the overlay where there is none.
pub(super) fn erase(app: &mut App) {
    let erased = match &mut app.overlay {
        Some(Overlay::Palette(palette)) => palette.pop(),
        Some(Overlay::Search(input)) => input.text.pop().is_some(),
        _ => true,
    };
    if !erased {
        app.overlay = None;
    }
}

/// Takes what is typed as a regular expression, or as words.
pub(super) fn toggle_regex(app: &mut App) {
    if let Some(Overlay::Search(input)) = &mut app.overlay {
        input.is_regex = !input.is_regex;
    }
}

/// Begins to search for what is typed, and goes to the first match from the selected turn on.
pub(super) fn search(app: &mut App) {
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
    if was_prompt {
        // What was left out is not in the prompt, and its lines would shift the others.
        app.document_mut().lens_mut().ghosts = false;
    }
    let document = app.document();
    let scope = if was_prompt {
        Scope::Prompts(document.lens().shown, document.lens().case().cloned())
    } else {
        Scope::Turns
    };
    let run = if was_prompt {
        document.lens().run()
    } else {
        &document.run
    };
    let search = Search::start(run, pattern, scope, app.redaction.hiding());
    set_search(app, Some(search));
    go_to_match(app, 1, None);
}

pub(super) fn set_search(app: &mut App, search: Option<Search>) {
    let document = app.document_mut();
    let pattern = search.as_ref().map(|search| search.pattern.clone());
    document.turn.view.marked.clone_from(&pattern);
    for lens in document.lenses_mut() {
        lens.view.marked.clone_from(&pattern);
    }
    document.search = search;
}

/// Goes to a match.
pub(super) fn go_to_match(app: &mut App, by: isize, count: Option<usize>) {
    app.go_to_match(by.saturating_mul(times(count)));
}

/// Brings the prompt into view where there is room for one text only.
pub(super) fn show_prompt(app: &mut App) {
    if !app.layout.shows(Pane::Prompt) {
        match app.focus {
            Pane::Turns => app.beside = Pane::Prompt,
            _ => app.focus_on(Pane::Prompt),
        }
    }
}

/// Shows the next entry, or the strategy of a number.
pub(super) fn cycle(app: &mut App, by: isize, count: Option<usize>) {
    if let Some(number) = count {
        app.show_strategy(number);
    } else {
        show_prompt(app);
        app.document_mut().lens_mut().cycle(by);
    }
}

/// Shows what was left out in its place, or no longer.
pub(super) fn toggle_left_out(app: &mut App) {
    show_prompt(app);
    let document = app.document_mut();
    let n = document.n_of(document.lens()).unwrap_or_default();
    let lens = document.lens_mut();
    lens.ghosts = !lens.ghosts;
    let ghosts = lens.ghosts;
    let document = app.document();
    let count = match document.lens().content() {
        Content::Rendered(prompt) => {
            let history = document.lens().source().history(n);
            let listed = prompt.left_out.iter().map(|gone| gone.list(history).len());
            listed.sum::<usize>()
        }
        _ => 0,
    };
    app.message = Some(match (ghosts, count) {
        (false, _) => "what was left out is no longer shown".to_owned(),
        (true, 0) => "nothing was left out of this prompt".to_owned(),
        (true, count) => format!("{count} items left out, in their places behind ┊"),
    });
}

/// Takes the selected entry of the palette or the picker.
pub(super) fn choose(app: &mut App, _: Option<usize>) -> Option<Effect> {
    match app.overlay.take() {
        Some(Overlay::WhatIf(input)) => what_if::choose(app, &input),
        Some(Overlay::Export(input)) => {
            export::choose(app, input);
            None
        }
        Some(Overlay::Problems(at)) => {
            let problems = app.document().problems.as_ref();
            let row = problems.and_then(|all| all.found.get(at)?.row);
            if let Some(row) = row {
                app.remember();
                app.document_mut().select(row);
            }
            None
        }
        Some(Overlay::Picker(at)) => {
            let lens = app.document_mut().lens_mut();
            if let Some(shown) = lens.entries().get(at) {
                lens.choose(*shown);
            }
            None
        }
        Some(Overlay::Palette(palette)) => match palette.entry(app) {
            Some(Entry::Turn(number)) if app.shows_folder() => {
                super::folder::to_first(app, Some(number));
                None
            }
            Some(Entry::Turn(number)) => {
                app.remember();
                app.document_mut().select(number.saturating_sub(1));
                None
            }
            Some(Entry::Command(command)) => (command.run)(app, None),
            None => {
                app.message = Some(format!("no command is called '{}'", palette.input()));
                None
            }
        },
        other => {
            app.overlay = other;
            None
        }
    }
}

/// Opens what is at the cursor, the child run of the selected turn, else goes to the turn's text.
pub(super) fn open(app: &mut App, count: Option<usize>) {
    if count.is_none() && folding::open(app) {
        return;
    }
    if !app.open_child(count.unwrap_or(1)) && app.focus == Pane::Turns {
        app.focus_on(Pane::Turn);
    }
}

/// Opens another conversation of the file.
pub(super) fn move_conversation(app: &mut App, by: isize, count: Option<usize>) {
    if !app.open_conversation(by.saturating_mul(times(count))) {
        let count = app.conversations.len();
        app.message = Some(format!(
            "the file has {count} conversations, and that is none of them"
        ));
    }
}

/// Ends the search, leaves the whole-screen pane, what was opened at the cursor, the child run, else
/// the pane.
pub(super) fn back(app: &mut App) {
    if app.what_if.cancel() {
        app.message = Some("what-if was cancelled".to_owned());
    } else if app.document().search.is_some() {
        set_search(app, None);
    } else if app.zoomed {
        app.zoomed = false;
    } else if !folding::leave(app) {
        // A child run is left before its file is no longer read.
        let is_child = app.documents.len() > 1;
        if (is_child || !super::reading::stop(app)) && !app.back() {
            app.focus_on(Pane::Turns);
        }
    }
}

pub(super) fn copy(what: impl Into<String>, raw: &str) -> Effect {
    Effect::Copy {
        what: what.into(),
        text: text::clean(raw).into_owned(),
    }
}

/// Copies the shown part of the turn, or the prompt's message on top.
pub(super) fn copy_item(app: &mut App, _: Option<usize>) -> Option<Effect> {
    let document = app.document();
    if app.context() == Context::Prompt {
        let view = &document.lens().view;
        let at = view.cursor_place().unwrap_or(view.top()).block;
        let Some((role, content)) = document.lens().content().message(at) else {
            app.message = Some("there is no message to copy".to_owned());
            return None;
        };
        let what = format!("message {} ({})", at + 1, role.name());
        return Some(copy(what, &content));
    }
    let tab = app.tab();
    let content = document.turn.item_text(document.selected);
    if content.is_empty() {
        app.message = Some(format!("there is no {} to copy", tab.title()));
        return None;
    }
    Some(copy(tab.title(), &content))
}

/// Copies the whole text of the pane.
pub(super) fn copy_pane(app: &mut App, _: Option<usize>) -> Option<Effect> {
    let (what, text) = pane_text(app)?;
    Some(Effect::Copy { what, text })
}

/// What the focused pane's text is and the whole of it, safe to print; where there is none, the
/// message says so.
pub(super) fn pane_text(app: &mut App) -> Option<(String, String)> {
    let document = app.document();
    let (what, text) = match app.focus {
        Pane::Prompt => ("the prompt as text", prompt_text(app)?),
        Pane::Turn if document.compares() => ("the prompt as text", prompt_text(app)?),
        Pane::Turn => {
            let text = document.turn.pane_text(document.selected);
            ("the turn's text", text)
        }
        Pane::Turns => {
            let rows: Vec<String> = (0..document.rows())
                .map(|row| super::pane::turns::row_text(document, row))
                .collect();
            ("the list of turns", rows.join("\n"))
        }
    };
    Some((what.to_owned(), text::clean(&text).into_owned()))
}

/// The prompt's messages; where there are none, the message says so.
pub(super) fn prompt(app: &mut App) -> Option<Vec<(Role, Arc<str>)>> {
    let content = app.document().lens().content();
    let messages: Vec<_> = (0..content.messages())
        .filter_map(|at| content.message(at))
        .collect();
    if messages.is_empty() {
        app.message = Some("there is no prompt here".to_owned());
        return None;
    }
    Some(messages)
}

/// The prompt as text; where there is none, the message says so.
pub(super) fn prompt_text(app: &mut App) -> Option<String> {
    let messages = prompt(app)?;
    let texts: Vec<String> = messages
        .iter()
        .map(|(role, content)| format!("[{}]\n{content}", role.name()))
        .collect();
    Some(texts.join("\n\n"))
}

/// Copies the prompt as text.
pub(super) fn copy_prompt_text(app: &mut App, _: Option<usize>) -> Option<Effect> {
    Some(copy("the prompt as text", &prompt_text(app)?))
}

/// Copies the prompt as JSON, in the form of `turnscope messages`.
pub(super) fn copy_prompt_json(app: &mut App, _: Option<usize>) -> Option<Effect> {
    let json = crate::export::json::messages(&prompt(app)?);
    Some(Effect::Copy {
        what: "the prompt as JSON".to_owned(),
        text: json.trim_end().to_owned(),
    })
}
