//! What commands do to the state.

use super::app::{App, Effect, Overlay, Pane};
use super::command::Context;
use super::export;
use super::figures;
use super::folding;
use super::lens::{Content, Side};
use super::pane::palette::Entry;
use super::problems;
use super::text_view::TextView;
use super::what_if;

pub(super) use self::copies::{
    copy, copy_item, copy_pane, copy_prompt_json, copy_prompt_text, pane_text, prompt, prompt_text,
};
pub(super) use self::options::{change_option, move_option, set_option, toggle_style, undo_option};
pub(super) use self::searches::{go_to_match, search, set_search, toggle_regex};

mod copies;
mod options;
mod searches;

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
    if matches!(app.overlay, Some(Overlay::Page(_) | Overlay::Diff(_))) {
        return match &mut app.overlay {
            Some(Overlay::Page(page)) => Some(&mut page.view),
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
        app.follows &= count.is_none();
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

/// Shows the prompt on the other side of the selected turn.
pub(super) fn toggle_side(app: &mut App) {
    let document = app.document();
    let lens = document.lens();
    let follows = |row| lens.n(row) < lens.run().step().last_prompt();
    if lens.side == Side::Before && !document.row_of(lens).is_none_or(follows) {
        let what = "no prompt follows: this one, after the last turn, is the last";
        app.message = Some(what.to_owned());
        return;
    }
    let lens = app.document_mut().lens_mut();
    lens.side = match lens.side {
        Side::Before => Side::After,
        Side::After => Side::Before,
    };
}

/// Brings the prompt into view where there is room for one text only.
pub(super) fn show_prompt(app: &mut App) {
    // Where two are compared, that may be the one in the turn's place.
    let is_prompt = app.document().lens_at(app.focus).is_some();
    if !is_prompt && !app.layout.shows(Pane::Prompt) {
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
            let listed = prompt.left_out.iter().map(|gone| gone.last(history, 0).1);
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
            problems::go_to(app, at);
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
                app.message = Some(format!("no command is called '{}'", &**palette.input()));
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
