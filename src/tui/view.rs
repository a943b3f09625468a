//! The screen, composed of its panes:
//!
//! ```text
//!  orders-agent ── Find well-reviewed products in stock ───────── 6 turns · 1 failed · 9 calls
//!  Turns             │ Turn 3 ✗  program raw result ..      │ Prompt for turn 3  recorded coalesced ..
//!   1 ✓ 2 calls      │ (def x (broken-code))                │ [system] 312 B
//! ▸ 3 ✗ unbound ..   │                                      │ ..
//!      next          │ Error: ..                            │ [user] 1.2 kB
//! ───────────────────┴──────────────────────────────────────┴──────────────────────────────────────
//!  what-if · println ≤15 (12 of 18) · calls ≤20 · ..
//!  J turn  tab pane  < part  s strategy  ..  ? help  q quit
//! ```
//!
//! Drawing changes nothing: everything was made by [`super::prepare`].

mod compared;
mod notice;
mod titles;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::app::{App, Overlay, Pane};
use super::cells;
use super::command::{Context, hints};
use super::overlay;
use super::pane::{self, options, turns};
use super::reading;
use super::redaction;
use super::search::Input;
use super::text_view::TextView;
use super::theme::{Role, Theme};
use crate::text::{self, amounts};

pub(super) use titles::{lens_of, strips};
use titles::{text_of, titles};

/// Draws the state as it was prepared.
pub fn view(app: &App, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.is_empty() || app.layout.screen != area {
        return;
    }
    let buffer = frame.buffer_mut();
    let hides_run = !app.shows_folder() && app.redaction.holds_back(app.document());
    if let Some(reading) = &app.reading {
        pane::reading::draw(app, reading, buffer);
    } else if hides_run {
        redaction::waiting(app, buffer);
    } else if app.shows_folder() {
        pane::folder::draw(app, buffer);
    } else {
        run(app, buffer);
    }
    footer(app, buffer);
    let cursor = match &app.overlay {
        None if app.reading.is_some() => pane::reading::cursor(app),
        None if app.shows_folder() => pane::folder::cursor(app),
        None => pane_cursor(app),
        // What it tells is of the run.
        Some(_) if hides_run => None,
        Some(overlay) => overlay::view(app, overlay, buffer),
    };
    let texts = [app.layout.turn, app.layout.prompt];
    let are_texts = app.overlay.is_none() && !app.shows_folder() && app.reading.is_none();
    app.redaction
        .cover(buffer, if are_texts { &texts } else { &[] });
    cells::finish(frame.buffer_mut(), app.theme);
    let cursor = cursor.unwrap_or(area.as_position());
    frame.set_cursor_position(Position::new(
        cursor.x.min(area.right() - 1),
        cursor.y.min(area.bottom() - 1),
    ));
}

/// Draws a run, but for the footer.
fn run(app: &App, buffer: &mut Buffer) {
    header(app, buffer);
    titles(app, buffer);
    list(app, buffer);
    for pane in [Pane::Turn, Pane::Prompt] {
        let (view, area) = match pane {
            Pane::Prompt => (text_of(app, pane), app.layout.prompt),
            _ => (text_of(app, pane), app.layout.turn),
        };
        text_pane(app, view, area, buffer);
        if app.focus == pane {
            cursor_line(app, view, area, buffer);
        }
    }
    rules(app, buffer);
    options_row(app, buffer);
}

type Spans = [(String, Role)];

/// Writes spans into a row of an area, as far as they fit.
pub(super) fn paint(buffer: &mut Buffer, area: Rect, row: u16, spans: &Spans, theme: Theme) {
    if row >= area.height {
        return;
    }
    let (mut x, end) = (area.x, area.right());
    for (text, role) in spans {
        if x >= end {
            break;
        }
        x = cells::write(buffer, (x, area.y + row), text, end, theme.style(*role));
    }
}

fn width(spans: &Spans) -> usize {
    spans.iter().map(|(text, _)| text::width(text)).sum()
}

/// Columns that a mission is worth showing in.
const LEAST_MISSION: usize = 8;

fn header(app: &App, buffer: &mut Buffer) {
    let area = app.layout.header;
    let document = app.document();
    let step = document.run.step();
    let hidden = app.redaction.status();
    let mut facts = vec![amounts::of(document.turns(), "turn")];
    if let Some(beside) = &document.beside {
        let other = beside.run.step().turns().len();
        let (left, right) = if beside.reversed {
            (other, document.turns())
        } else {
            (document.turns(), other)
        };
        facts = vec![format!("{left} → {}", amounts::of(right, "turn"))];
    }
    facts.splice(0..0, hidden);
    if app.conversations.len() > 1 {
        let (at, count) = (app.conversation + 1, app.conversations.len());
        facts.insert(0, format!("conversation {at} of {count}"));
    }
    if document.counts.failed > 0 {
        facts.push(format!("{} failed", document.counts.failed));
    }
    if document.counts.calls > 0 {
        facts.push(amounts::of(document.counts.calls, "call"));
    }
    if document.unlisted > 0 {
        facts.push(format!("{} only in events", document.unlisted));
    }
    facts.extend(app.what_if.status());
    facts.extend(document.report.summary());
    facts.splice(0..0, reading::status(app));
    let other = document.beside.as_ref();
    facts.extend(other.and_then(|beside| beside.report.summary()));
    let notes = document.report.notes.len();
    facts.extend((notes > 0).then(|| amounts::of(notes, "note")));
    if let Some(watch) = app.watch.as_ref().filter(|_| app.follows) {
        facts.push(watch.status());
    }
    let facts = format!(" {} ", facts.join(" · "));
    let columns = usize::from(area.width);
    // The title gives way to the facts, but for a quarter of the row.
    let room = columns.saturating_sub(text::width(&facts));
    let title = app.redaction.text(&document.title);
    let title = format!(" {} ", text::clean_line(&title));
    let title = text::fit(&title, room.clamp(columns / 4, columns / 2)).into_owned();
    let facts = text::fit(&facts, columns - text::width(&title)).into_owned();
    let left = columns.saturating_sub(text::width(&title) + text::width(&facts));
    let mission = step.mission_title();
    let mission = mission.as_deref().unwrap_or("no mission recorded");
    let mission = app.redaction.text(mission);
    let mission = text::headline(&mission, left.saturating_sub(6));
    // A few letters of it tell nothing.
    let mut middle = match left.checked_sub(LEAST_MISSION + 6) {
        Some(_) => format!("── {mission} "),
        None => String::new(),
    };
    let fill = left.saturating_sub(text::width(&middle));
    middle.extend(std::iter::repeat_n('─', fill));
    let facts_role = if document.report.damaged > 0 {
        Role::Notice
    } else {
        Role::Text
    };
    let spans = [
        (title, Role::Title),
        (text::fit(&middle, left).into_owned(), Role::Rule),
        (facts, facts_role),
    ];
    paint(buffer, area, 0, &spans, app.theme);
}

fn list(app: &App, buffer: &mut Buffer) {
    let area = app.layout.turns;
    let document = app.document();
    for row in 0..area.height {
        let index = document.offset + usize::from(row);
        let Some(mut spans) = turns::row(turns::Rows::of(document), index) else {
            break;
        };
        let selected = index == document.row();
        let mark = if selected { "▸" } else { " " };
        spans.insert(0, (mark.to_owned(), Role::Text));
        for (text, _) in &mut spans {
            *text = text::clean_line(&app.redaction.text(text)).into_owned();
        }
        let columns = usize::from(area.width);
        if width(&spans) > columns {
            let last = spans.len() - 1;
            let room = columns.saturating_sub(width(&spans[..last]));
            spans[last].0 = text::fit(&spans[last].0, room).into_owned();
        }
        paint(buffer, area, row, &spans, app.theme);
        if selected {
            let role = if app.focus == Pane::Turns {
                Role::Selected
            } else {
                Role::SelectedElsewhere
            };
            let line = Rect {
                y: area.y + row,
                height: 1,
                ..area
            };
            buffer.set_style(line, app.theme.style(role));
        }
    }
}

fn text_pane(app: &App, view: &TextView, area: Rect, buffer: &mut Buffer) {
    for (row, line) in (0..area.height).zip(view.rows()) {
        paint(buffer, area, row, &line.spans, app.theme);
    }
}

/// The row of the cursor stands out in the pane that has the focus.
fn cursor_line(app: &App, view: &TextView, area: Rect, buffer: &mut Buffer) {
    let row = view.cursor_row().and_then(|row| u16::try_from(row).ok());
    if let Some(row) = row.filter(|row| *row < area.height) {
        let line = Rect {
            y: area.y + row,
            height: 1,
            ..area
        };
        if view.gutter.is_some() {
            // Seen without colour too; its mark comes back when it goes on.
            buffer.set_string(line.x, line.y, "›", app.theme.style(Role::Key));
        }
        buffer.set_style(line, app.theme.style(Role::Selected));
    }
}

/// The lines between the panes, and the one below them.
fn rules(app: &App, buffer: &mut Buffer) {
    let layout = &app.layout;
    let style = app.theme.style(Role::Rule);
    let rule = layout.rule;
    for x in rule.left()..rule.right() {
        buffer[(x, rule.y)].set_symbol("─").set_style(style);
    }
    let lefts = [layout.turn, layout.prompt]
        .into_iter()
        .filter(|area| area.width > 0);
    for area in lefts.filter(|area| area.x > layout.screen.x) {
        let x = area.x - 1;
        for y in layout.titles.y..area.bottom() {
            buffer[(x, y)].set_symbol("│").set_style(style);
        }
        if !rule.is_empty() {
            buffer[(x, rule.y)].set_symbol("┴").set_style(style);
        }
    }
}

fn options_row(app: &App, buffer: &mut Buffer) {
    let area = app.layout.options;
    let columns = usize::from(area.width).saturating_sub(1);
    let mut spans = vec![(" ".to_owned(), Role::Text)];
    spans.extend(options::spans(app, columns));
    paint(buffer, area, 0, &spans, app.theme);
    if width(&spans) > usize::from(area.width) && area.width > 2 {
        let style = app.theme.style(Role::Dim);
        buffer.set_string(area.right() - 2, area.y, " ›", style);
    }
}

fn footer(app: &App, buffer: &mut Buffer) {
    if let Some(input) = app.overlay.as_ref().and_then(overlay::searched) {
        search_input(app, input, buffer);
        return;
    }
    if matches!(app.overlay, Some(Overlay::Filter)) {
        return;
    }
    notice::draw(app, buffer);
}

/// Hints for the context, from the command table; or a message, or what is being typed.
pub(super) fn footer_spans(app: &App) -> Vec<(String, Role)> {
    let area = app.layout.footer;
    let mut spans = vec![(" ".to_owned(), Role::Text)];
    let typed: String = app.pending.iter().map(ToString::to_string).collect();
    if let Some(count) = app.count {
        spans.push((format!("{count}{typed} "), Role::Notice));
    } else if !typed.is_empty() {
        spans.push((format!("{typed} … "), Role::Notice));
    }
    if let Some(message) = &app.message {
        let room = usize::from(area.width).saturating_sub(width(&spans));
        spans.push((text::headline(message, room), Role::Notice));
        return spans;
    }
    let mut room = usize::from(area.width).saturating_sub(width(&spans));
    for (key, hint) in hints(app, app.context()) {
        let needed = text::width(&key) + text::width(hint) + 3;
        // Help and quit come last in the table and are kept: others give way.
        let kept = matches!(hint, "help" | "quit" | "close" | "back");
        if needed > room || (!kept && needed + 18 > room) {
            continue;
        }
        room -= needed;
        spans.push((key, Role::Key));
        spans.push((format!(" {hint}  "), Role::Dim));
    }
    spans
}

/// What is typed to search for, in place of the hints; what is wrong with it beside it.
fn search_input(app: &App, input: &Input, buffer: &mut Buffer) {
    let (typed, _) = input.shown(app.layout.footer.width);
    let mut spans = vec![(input.lead().to_owned(), Role::Key), (typed, Role::Title)];
    match &app.message {
        Some(message) => spans.push((format!("  {message}"), Role::Bad)),
        None => {
            for (key, word) in hints(app, Context::Search) {
                spans.push((format!("  {key}"), Role::Key));
                spans.push((format!(" {word}"), Role::Dim));
            }
        }
    }
    paint(buffer, app.layout.footer, 0, &spans, app.theme);
}

/// At the text's own cursor, else at its top.
fn text_cursor(app: &App, area: Rect) -> Option<Position> {
    let row = text_of(app, app.focus).cursor_row().unwrap_or(0);
    let row = u16::try_from(row).unwrap_or(u16::MAX);
    let last = area.height.checked_sub(1)?;
    (area.width > 0).then(|| Position::new(area.x, area.y + row.min(last)))
}

/// Where the cursor stands in the panes: on the selected row, at the top of a text.
fn pane_cursor(app: &App) -> Option<Position> {
    let document = app.document();
    let layout = &app.layout;
    if app.options.is_some() {
        return Some(layout.options.as_position());
    }
    match app.focus {
        Pane::Turns => {
            let row = document.row().checked_sub(document.offset)?;
            let row = u16::try_from(row)
                .ok()
                .filter(|row| *row < layout.turns.height)?;
            Some(Position::new(layout.turns.x, layout.turns.y + row))
        }
        Pane::Turn => text_cursor(app, layout.turn),
        Pane::Prompt => text_cursor(app, layout.prompt),
    }
}
