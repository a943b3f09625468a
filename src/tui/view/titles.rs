//! What stands above each pane: its title, the tabs of what it can show, and how far it is scrolled.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{compared, paint, width};
use crate::text;
use crate::tui::app::{App, Pane};
use crate::tui::lens::Lens;
use crate::tui::pane::turn::Tab;
use crate::tui::pane::turns;
use crate::tui::text_view::TextView;
use crate::tui::theme::Role;

/// The lens of a pane: of the prompt's, and where two prompts are compared of the turn's too.
pub(in crate::tui) fn lens_of(app: &App, pane: Pane) -> Option<&Lens> {
    let document = app.document();
    document.lenses().get(document.lens_at(pane)?)
}

/// The text of a pane.
pub(super) fn text_of(app: &App, pane: Pane) -> &TextView {
    lens_of(app, pane).map_or(&app.document().turn.view, |lens| &lens.view)
}

/// The title of a pane; the focused one stands out.
fn title(app: &App, pane: Pane) -> (String, Role) {
    let document = app.document();
    let text = match pane {
        Pane::Turns => "Turns".to_owned(),
        Pane::Turn | Pane::Prompt if lens_of(app, pane).is_some() => lens_of(app, pane)
            .map_or_else(String::new, |lens| {
                compared::title(document, lens, !app.layout.tabbed)
            }),
        Pane::Turn | Pane::Prompt => match document.run.step().turn(document.selected) {
            Some(turn) => {
                let fork = document.fork.as_ref();
                let origin = fork.and_then(|fork| fork.origin(turn.number()));
                let origin = origin.map_or_else(String::new, |origin| format!(" {origin}"));
                let sign = turns::sign(turn.outcome()).0;
                format!("Turn {} {sign}{origin}", turn.number())
            }
            None => "End".to_owned(),
        },
    };
    let role = if app.focus == pane {
        Role::Focus
    } else {
        Role::Title
    };
    (format!(" {text} "), role)
}

/// The sub-tabs of a pane, the chosen one in brackets so that it is seen without colour.
fn tabs(app: &App, pane: Pane) -> Vec<(String, Role)> {
    let words: Vec<(&'static str, bool)> = match (pane, lens_of(app, pane)) {
        (Pane::Turns, _) => Vec::new(),
        (_, None) => Tab::ALL
            .iter()
            .map(|tab| (tab.title(), *tab == app.tab()))
            .collect(),
        (_, Some(lens)) => lens
            .entries()
            .into_iter()
            .map(|shown| (lens.title_here(shown), shown == lens.shown))
            .collect(),
    };
    words
        .into_iter()
        .map(|(word, chosen)| {
            if chosen {
                (format!("[{word}]"), Role::Title)
            } else {
                (format!(" {word} "), Role::Dim)
            }
        })
        .collect()
}

/// Tabs of which the chosen one is in view; marks say that there are more.
fn fitting_tabs(mut tabs: Vec<(String, Role)>, room: usize) -> Vec<(String, Role)> {
    if width(&tabs) <= room {
        return tabs;
    }
    let room = room.saturating_sub(4);
    let mut first = false;
    while tabs.len() > 1 && width(&tabs) > room && tabs[0].1 != Role::Title {
        tabs.remove(0);
        first = true;
    }
    let mut last = false;
    while tabs.len() > 1 && width(&tabs) > room {
        tabs.pop();
        last = true;
    }
    if first {
        tabs.insert(0, ("‹ ".to_owned(), Role::Dim));
    }
    if last {
        tabs.push((" ›".to_owned(), Role::Dim));
    }
    tabs
}

/// A pane, the place of its title, and title and tabs.
pub(in crate::tui) type Strip = (Pane, Rect, Vec<(String, Role)>);

/// The row of titles: each pane's place in it, and its title and tabs. Where panes are tabs there is
/// one place, which begins with the titles of all.
pub(in crate::tui) fn strips(app: &App) -> Vec<Strip> {
    let layout = &app.layout;
    let strip = layout.titles;
    if strip.is_empty() {
        return Vec::new();
    }
    if layout.tabbed {
        let mut spans: Vec<_> = [Pane::Turns, Pane::Turn, Pane::Prompt]
            .into_iter()
            .map(|pane| title(app, pane))
            .collect();
        let taken = width(&spans) + 1 + text::width(&position(app, app.focus));
        let room = usize::from(strip.width).saturating_sub(taken);
        let tabs = fitting_tabs(tabs(app, app.focus), room);
        // The title tells what is chosen where there is no room for its tab.
        let is_told = app.document().compares() && width(&tabs) > room;
        if !tabs.is_empty() && !is_told {
            spans.push(("│".to_owned(), Role::Rule));
            spans.extend(tabs);
        }
        return vec![(app.focus, strip, spans)];
    }
    let panes = [
        (Pane::Turns, layout.turns),
        (Pane::Turn, layout.turn),
        (Pane::Prompt, layout.prompt),
    ];
    let shown = panes.into_iter().filter(|(pane, _)| layout.shows(*pane));
    let strips = shown.map(|(pane, area)| {
        let area = Rect {
            y: strip.y,
            height: 1,
            ..area
        };
        let mut spans = vec![title(app, pane)];
        let taken = width(&spans) + text::width(&position(app, pane));
        let room = usize::from(area.width).saturating_sub(taken);
        spans.extend(fitting_tabs(tabs(app, pane), room));
        (pane, area, spans)
    });
    strips.collect()
}

pub(super) fn titles(app: &App, buffer: &mut Buffer) {
    for (pane, area, spans) in strips(app) {
        paint(buffer, area, 0, &spans, app.theme);
        let position = position(app, pane);
        let columns = u16::try_from(text::width(&position)).unwrap_or(u16::MAX);
        if columns > 0 && usize::from(area.width) >= width(&spans) + usize::from(columns) {
            let x = area.right() - columns;
            buffer.set_string(x, area.y, position, app.theme.style(Role::Dim));
        }
    }
}

/// How far a text is scrolled, where it is longer than its pane.
fn position(app: &App, pane: Pane) -> String {
    let view = match pane {
        Pane::Turns => return String::new(),
        Pane::Turn | Pane::Prompt => text_of(app, pane),
    };
    let position = view
        .position()
        .map_or_else(String::new, |percent| format!(" {percent}%"));
    if app.layout.tabbed {
        return position;
    }
    match compared_figures(app, pane) {
        // A number behind numbers would be read as one of them.
        Some(figures) if !position.is_empty() => format!("{figures} ·{position}"),
        figures => format!("{}{position}", figures.unwrap_or_default()),
    }
}

/// Columns that the head of a compared prompt needs for what it is of, and for how far it is scrolled.
const HEAD: usize = 40;

/// Where two prompts stand side by side, the figures of a pane's: tokens, and once they are found how
/// many of them are cached and how much of what the turn needed is lost.
fn compared_figures(app: &App, pane: Pane) -> Option<String> {
    let document = app.document();
    let at = document.lens_at(pane).filter(|_| document.compares())?;
    let lens = document.lenses().get(at)?;
    let area = if pane == Pane::Turn {
        app.layout.turn
    } else {
        app.layout.prompt
    };
    let room = usize::from(area.width).saturating_sub(HEAD);
    let (counting, tokens) = lens.tokens()?;
    let mut words = format!(" {}", counting.words(tokens));
    let figures = document
        .figures
        .as_ref()
        .filter(|figures| figures.is_about(lens.source()));
    let n = document.n_of(lens)?;
    if let Some(cell) = figures.and_then(|figures| figures.cell(lens.shown, n)) {
        let lost = format!(", lost {} of {}", cell.lost, cell.needed);
        let more = [
            (cell.needed > 0, lost),
            (true, format!(", {} cached", cell.cached)),
        ];
        for (is_told, word) in more {
            if is_told && text::width(&words) + text::width(&word) <= room {
                words.push_str(&word);
            }
        }
    }
    Some(words)
}
