//! Moving in the lists that lie over the panes.

use super::app::{App, Overlay};
use super::{figures, needs, what_if};

/// Far enough for any list.
const FAR: isize = isize::MAX / 2;

/// Selects another entry, so many further on.
pub(super) fn move_by(app: &mut App, by: isize, count: Option<usize>) {
    let by = by.saturating_mul(count.unwrap_or(1).cast_signed());
    let document = app.document();
    let entries = document.lens().entries().len();
    let problems = document.problems.as_ref().map_or(0, |all| all.found.len());
    let changes = what_if::entries(app).len();
    let offered = match &app.overlay {
        Some(Overlay::Palette(palette)) => palette.entries(app).len(),
        _ => 0,
    };
    match &mut app.overlay {
        Some(Overlay::WhatIf(input)) => input.move_by(by, changes),
        Some(Overlay::Export(input)) => input.move_by(by),
        Some(Overlay::Problems(at)) => {
            *at = at.saturating_add_signed(by).min(problems.saturating_sub(1));
        }
        Some(Overlay::Palette(palette)) => palette.move_by(by, offered),
        Some(Overlay::Picker(at)) => {
            *at = at.saturating_add_signed(by).min(entries.saturating_sub(1));
        }
        Some(Overlay::Needs(_)) => needs::move_by(app, by),
        Some(Overlay::Overview(_)) => figures::move_turn(app, by, None),
        _ => {}
    }
}

/// Selects the first entry, or the one of a number.
pub(super) fn to_start(app: &mut App, count: Option<usize>) {
    move_by(app, -FAR, None);
    if let Some(number) = count {
        move_by(app, 1, Some(number.saturating_sub(1)));
    }
}

/// Selects the last entry, or the one of a number.
pub(super) fn to_end(app: &mut App, count: Option<usize>) {
    match count {
        Some(_) => to_start(app, count),
        None => move_by(app, FAR, None),
    }
}

/// Moves by halves of the screen.
pub(super) fn halves(app: &mut App, halves: isize, count: Option<usize>) {
    let half = usize::from(app.layout.screen.height / 2).max(1);
    move_by(app, halves.saturating_mul(half.cast_signed()), count);
}
