//! The mouse, while it is taken: clicks choose what is under them, the wheel scrolls it.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::actions;
use super::app::{App, Effect, OptionsRow, Overlay, Pane};
use super::command::{Command, Context, available};
use super::entries;
use super::folder;
use super::pane::turn::Tab;
use super::redaction;
use super::theme::Role;
use super::view::{footer_spans, lens_of, strips};
use crate::text;

/// Rows that a notch of the wheel scrolls.
const NOTCH: isize = 3;

mod clicked;

/// What the mouse did, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // nothing else is taken from it
pub enum Mouse {
    /// The left button was pressed.
    Click(Position),
    /// The wheel was turned, down or up.
    Wheel(Position, isize),
}

impl Mouse {
    /// What the terminal sends, as far as it is for us.
    pub fn from_event(event: MouseEvent) -> Option<Self> {
        let at = Position::new(event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => Some(Self::Click(at)),
            MouseEventKind::ScrollDown => Some(Self::Wheel(at, 1)),
            MouseEventKind::ScrollUp => Some(Self::Wheel(at, -1)),
            _ => None,
        }
    }
}

/// Takes the mouse, or leaves it to the terminal.
pub(super) fn toggle(app: &mut App) {
    app.mouse = !app.mouse;
    let key = app.keymap.first("mouse").unwrap_or("the command mouse");
    app.message = Some(if app.mouse {
        format!("the mouse is taken; shift and drag selects text, {key} leaves it to the terminal")
    } else {
        "the mouse is left to the terminal, which selects text with it".to_owned()
    });
}

/// Does what a click or the wheel means where it happened.
pub fn take(app: &mut App, mouse: Mouse) -> Option<Effect> {
    match mouse {
        Mouse::Click(at) => click(app, at),
        Mouse::Wheel(at, by) => {
            wheel(app, at, by);
            None
        }
    }
}

fn click(app: &mut App, at: Position) -> Option<Effect> {
    app.message = None;
    app.pending.clear();
    app.count = None;
    if app.layout.footer.contains(at) {
        let command = hinted(app, at)?;
        let effect = (command.run)(app, None);
        return redaction::follow(app, effect);
    }
    if app.reading.is_some() {
        return None;
    }
    if app.overlay.is_some() || app.shows_folder() {
        let effect = clicked::entry(app, at);
        return redaction::follow(app, effect);
    }
    if app.layout.options.contains(at) {
        if app.document().lens().case().is_some() {
            app.options = Some(OptionsRow::default());
        }
        return None;
    }
    app.options = None;
    if let Some((pane, word)) = titled(app, at) {
        app.focus_on(pane);
        choose_tab(app, pane, &word);
    } else if let Some(pane) = pane_at(app, at) {
        app.focus_on(pane);
        if pane == Pane::Turns {
            let row = usize::from(at.y - app.layout.turns.y);
            actions::select_listed(app, row);
        } else {
            clicked::text(app, pane, at);
        }
    }
    None
}

fn wheel(app: &mut App, at: Position, by: isize) {
    match &app.overlay {
        Some(Overlay::Search(_)) => {}
        Some(Overlay::Page(_) | Overlay::Diff(_)) => actions::scroll(app, by * NOTCH, None),
        Some(_) => entries::move_by(app, by, None),
        None if app.shows_folder() => folder::move_row(app, by, None),
        None => match pane_at(app, at) {
            Some(Pane::Turns) => actions::move_turn(app, by, None),
            Some(pane) => {
                // What is under the mouse scrolls; the focus stays where it is.
                let (focus, beside, options) = (app.focus, app.beside, app.options.take());
                app.focus_on(pane);
                actions::scroll(app, by * NOTCH, None);
                app.focus_on(focus);
                (app.beside, app.options) = (beside, options);
            }
            None => {}
        },
    }
}

fn pane_at(app: &App, at: Position) -> Option<Pane> {
    let layout = &app.layout;
    let panes = [
        (Pane::Turns, layout.turns),
        (Pane::Turn, layout.turn),
        (Pane::Prompt, layout.prompt),
    ];
    let mut panes = panes.into_iter();
    panes
        .find(|(_, area)| area.contains(at))
        .map(|(pane, _)| pane)
}

/// Which span of a row lies at a column.
fn span_at(area: Rect, spans: &[(String, Role)], at: Position) -> Option<usize> {
    let mut end = usize::from(area.x);
    spans.iter().position(|(span, _)| {
        end += text::width(span);
        usize::from(at.x) < end
    })
}

/// The pane whose title or tab lies there, and the tab's word; none is the title's.
fn titled(app: &App, at: Position) -> Option<(Pane, String)> {
    let (pane, area, spans) = strips(app)
        .into_iter()
        .find(|(_, area, _)| area.contains(at))?;
    let place = span_at(area, &spans, at)?;
    let titles = [Pane::Turns, Pane::Turn, Pane::Prompt];
    if app.layout.tabbed && place < titles.len() {
        return Some((titles[place], String::new()));
    }
    let word = spans[place].0.trim_matches(['[', ']', ' ']);
    Some((
        pane,
        if place == 0 {
            String::new()
        } else {
            word.to_owned()
        },
    ))
}

fn choose_tab(app: &mut App, pane: Pane, word: &str) {
    if lens_of(app, pane).is_some() {
        let lens = app.document_mut().lens_mut();
        let mut entries = lens.entries().into_iter();
        if let Some(shown) = entries.find(|shown| lens.title_here(*shown) == word) {
            lens.choose(shown);
        }
    } else if let Some(tab) = Tab::ALL.into_iter().find(|tab| tab.title() == word) {
        app.document_mut().turn.tab = tab;
    }
}

/// The command whose hint lies there.
fn hinted(app: &App, at: Position) -> Option<&'static Command> {
    if app.context().takes_text() && app.context() != Context::Palette {
        // The line that is typed stands there.
        return None;
    }
    let spans = footer_spans(app);
    let place = span_at(app.layout.footer, &spans, at)?;
    // A hint is two spans: its keys, and its word.
    let word = match spans[place].1 {
        Role::Key => spans.get(place + 1)?,
        Role::Dim => &spans[place],
        _ => return None,
    };
    let word = word.0.trim();
    let mut commands = available(app, app.context());
    commands.find(|command| command.hint.is_some_and(|(_, hint)| hint == word))
}
