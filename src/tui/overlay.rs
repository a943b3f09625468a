//! What lies over the panes: help, palette, picker, problems, what-if.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use ratatui::widgets::{Block, Clear, Widget as _};

use super::app::{App, Overlay};
use super::diff::DiffView;
use super::pane::palette::Palette;
use super::pane::{self, overview, picker, problems};
use super::prepare::{inside, overlay_area, whole};
use super::rows::Row;
use super::search::Input;
use super::theme::Role;
use super::view::paint;
use super::what_if;
use crate::text;

/// What is typed to search for, in an overlay too.
pub(super) fn searched(overlay: &Overlay) -> Option<&Input> {
    match overlay {
        Overlay::Search(input) => Some(input),
        Overlay::Diff(diff) => diff.input(),
        _ => None,
    }
}

/// Where the cursor stands in what is typed to search for.
fn typed_at(app: &App, input: &Input) -> Position {
    let footer = app.layout.footer;
    let x = u16::try_from(input.shown(footer.width).1).unwrap_or(u16::MAX);
    Position::new(footer.x.saturating_add(x), footer.y)
}

/// Draws an overlay and says where the cursor stands in it.
pub(super) fn view(app: &App, overlay: &Overlay, buffer: &mut Buffer) -> Option<Position> {
    let screen = app.layout.screen;
    match overlay {
        Overlay::Search(input) => Some(typed_at(app, input)),
        Overlay::Filter => pane::folder::filter_input(app, buffer),
        Overlay::Page(page) => {
            if let Some(under) = page.under() {
                view(app, under, buffer);
            }
            let area = frame(app, buffer, &page.title, page.height());
            for (row, line) in (0..area.height).zip(page.view.rows()) {
                paint(buffer, area, row, &line.spans, app.theme);
            }
            Some(area.as_position())
        }
        Overlay::Problems(selected) => {
            let columns = usize::from(inside(overlay_area(screen, 40)).width);
            let (rows, whole) = problems::rows(app, *selected, columns);
            let height = height_of(&rows, &whole);
            let area = frame(app, buffer, super::problems::TITLE, height);
            let area = problems::draw_whole(app, buffer, area, &whole, rows.len());
            draw_rows(app, buffer, area, &rows, *selected)
        }
        Overlay::WhatIf(input) => {
            let rows = pane::what_if::rows(app, input);
            let height = u16::try_from(rows.len() + 2).unwrap_or(u16::MAX).min(40);
            let title = match app.document().fork {
                Some(_) => "This fork".to_owned(),
                None => format!("What if, at turn {}", what_if::number(app.document())),
            };
            let area = frame(app, buffer, &title, height);
            draw_rows(app, buffer, area, &rows, input.selected)
        }
        Overlay::Export(input) => {
            let room = inside(overlay_area(screen, 40)).width;
            let (rows, column) = pane::export::rows(app, input, room.into());
            let height = u16::try_from(rows.len() + 2).unwrap_or(u16::MAX);
            let area = frame(app, buffer, "Write to a file", height);
            let at = draw_rows(
                app,
                buffer,
                area,
                &rows,
                input.name.as_ref().map_or(input.selected, |_| 1),
            );
            column.map_or(at, |column| in_row(area, 1, column))
        }
        Overlay::Picker(selected) => {
            let mut rows = picker::rows(app, *selected);
            let columns = usize::from(inside(overlay_area(screen, 40)).width);
            let about = picker::about(app, *selected);
            let more = problems::more(rows.get(*selected), columns, &about);
            rows.insert(0, picker::head());
            let height = height_of(&rows, &more);
            let area = frame(app, buffer, "Show the prompt as", height);
            let area = problems::draw_whole(app, buffer, area, &more, rows.len());
            draw_rows(app, buffer, area, &rows, *selected + 1)
        }
        Overlay::Needs(needs) => {
            let (rows, at) = needs.rows();
            let columns = usize::from(inside(overlay_area(screen, 40)).width);
            let more = problems::more(rows.get(at), columns, &needs.selected_words());
            let height = height_of(&rows, &more);
            let area = frame(app, buffer, &needs.title(), height);
            let area = problems::draw_whole(app, buffer, area, &more, rows.len());
            draw_rows(app, buffer, area, &rows, at)
        }
        Overlay::Overview(selected) => {
            let area = whole(screen);
            framed(app, buffer, area, "The run, turn by turn");
            let area = inside(area);
            let (rows, at) = overview::rows(app, *selected, area);
            draw_rows(app, buffer, area, &rows, at)
        }
        Overlay::Diff(diff) => Some(diff_view(app, diff, buffer)),
        Overlay::Palette(palette) => Some(palette_view(app, palette, buffer).0),
    }
}

/// How two prompts differ, line by line; a sign at the change that was gone to.
fn diff_view(app: &App, diff: &DiffView, buffer: &mut Buffer) -> Position {
    let frame = whole(app.layout.screen);
    framed(app, buffer, frame, &diff.title());
    let area = inside(frame);
    for (row, line) in (0..area.height).zip(diff.view.rows()) {
        paint(buffer, area, row, &line.spans, app.theme);
    }
    let figures = diff.figures();
    let columns = u16::try_from(text::width(&figures) + 2).unwrap_or(u16::MAX);
    if !figures.is_empty() && frame.height > 1 && columns.saturating_add(2) < frame.width {
        let place = Rect {
            x: frame.right() - columns - 1,
            y: frame.bottom() - 1,
            width: columns,
            height: 1,
        };
        paint(
            buffer,
            place,
            0,
            &[(format!(" {figures} "), Role::Text)],
            app.theme,
        );
    }
    let row = diff.row.and_then(|row| u16::try_from(row).ok());
    let row = row.filter(|row| *row < area.height);
    if let Some(row) = row.filter(|_| frame.width > 1) {
        let sign = Rect {
            width: 1,
            height: 1,
            y: area.y + row,
            ..frame
        };
        paint(
            buffer,
            sign,
            0,
            &[("▸".to_owned(), Role::Notice)],
            app.theme,
        );
    }
    diff.input().map_or_else(
        || Position::new(area.x, area.y + row.unwrap_or(0)),
        |input| typed_at(app, input),
    )
}

/// What fits what is typed; where the cursor stands in that, and where the selected entry is.
fn palette_view(app: &App, palette: &Palette, buffer: &mut Buffer) -> (Position, Option<Position>) {
    let screen = app.layout.screen;
    let (rows, selected, about) = palette.rows(app);
    let height = u16::try_from(rows.len() + 3).unwrap_or(u16::MAX);
    let height = height.clamp(4, 18).min(screen.height);
    let area = frame(app, buffer, "Command, or turn number", height);
    let room = usize::from(area.width).saturating_sub(1);
    let (typed, column) = palette.input().shown(room);
    let cursor = u16::try_from(column + 1).unwrap_or(u16::MAX);
    let input = [(format!(":{typed}"), Role::Title)];
    paint(buffer, area, 0, &input, app.theme);
    let below = Rect {
        y: area.y + area.height.min(1),
        height: area.height.saturating_sub(1),
        ..area
    };
    let more = problems::more(rows.get(selected), usize::from(below.width), &about);
    let below = problems::draw_whole(app, buffer, below, &more, rows.len());
    let listed = draw_rows(app, buffer, below, &rows, selected);
    let x = area
        .x
        .saturating_add(cursor)
        .min(area.right().saturating_sub(1));
    (Position::new(x, area.y), listed)
}

/// Where the selected entry of a list stands, as it is drawn.
pub(super) fn selected_at(app: &App, overlay: &Overlay, buffer: &mut Buffer) -> Option<Position> {
    match overlay {
        Overlay::Palette(palette) => palette_view(app, palette, buffer).1,
        _ => view(app, overlay, buffer),
    }
}

/// Rows of a frame around a list and more on one row of it.
fn height_of(rows: &[Row], more: &[Row]) -> u16 {
    let below = if more.is_empty() { 0 } else { more.len() + 1 };
    let height = u16::try_from(rows.len() + below + 2).unwrap_or(u16::MAX);
    height.min(40)
}

/// A column of a row, as far as it is there.
fn in_row(area: Rect, row: u16, column: usize) -> Option<Position> {
    let x = area
        .x
        .saturating_add(u16::try_from(column).unwrap_or(u16::MAX));
    let y = area.y + row.min(area.height.saturating_sub(1));
    (!area.is_empty()).then(|| Position::new(x.min(area.right() - 1), y))
}

/// Clears a frame with a title in the middle of the screen and gives its inside.
fn frame(app: &App, buffer: &mut Buffer, title: &str, rows: u16) -> Rect {
    let area = overlay_area(app.layout.screen, rows);
    framed(app, buffer, area, title);
    inside(area)
}

fn framed(app: &App, buffer: &mut Buffer, area: Rect, title: &str) {
    Clear.render(area, buffer);
    let title = text::fit(title, usize::from(area.width).saturating_sub(4));
    Block::bordered()
        .border_style(app.theme.style(Role::Rule))
        .title(format!(" {title} "))
        // A title lies on the border and would be dim with it.
        .title_style(app.theme.style(Role::Title).remove_modifier(Modifier::DIM))
        .render(area, buffer);
}

/// Draws rows of which the selected one is in view, and says where that is.
fn draw_rows(
    app: &App,
    buffer: &mut Buffer,
    area: Rect,
    rows: &[Row],
    selected: usize,
) -> Option<Position> {
    if area.is_empty() {
        return None;
    }
    let height = usize::from(area.height);
    let first = (selected + 1).saturating_sub(height);
    for (row, line) in (0..area.height).zip(&rows[first.min(rows.len())..]) {
        paint(buffer, area, row, &line.spans, app.theme);
    }
    let row = u16::try_from(selected - first).ok()?;
    Some(Position::new(area.x, area.y + row.min(area.height - 1)))
}
