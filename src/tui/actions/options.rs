//! What the keys of the options row do.

use super::super::app::App;
use super::{show_prompt, times};
use crate::compression::{Kind, OptionSpec, Setting};

/// The spec of an option of the case shown.
fn spec(app: &App, name: &str) -> Option<&'static OptionSpec> {
    app.document()
        .lens()
        .specs()
        .into_iter()
        .find(|spec| spec.name == name)
}

/// Changes the style of summaries.
pub(in crate::tui) fn toggle_style(app: &mut App) {
    show_prompt(app);
    if let Some(spec) = spec(app, "summary_style") {
        step_option(app, spec, 1);
        let setting = app.document().lens().setting(spec);
        let shown = setting.map_or_else(String::new, |setting| spec.display(setting));
        app.message = Some(format!("summaries are written in style {shown}"));
    }
}

fn chosen_option(app: &App) -> Option<&'static OptionSpec> {
    let specs = app.document().lens().specs();
    specs.get(app.options?.selected).copied()
}

/// Chooses another option.
pub(in crate::tui) fn move_option(app: &mut App, by: isize, count: Option<usize>) {
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
pub(in crate::tui) fn change_option(app: &mut App, by: isize) {
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
pub(in crate::tui) fn set_option(app: &mut App) {
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
pub(in crate::tui) fn undo_option(app: &mut App) {
    if !app.document_mut().lens_mut().undo() {
        app.message = Some("no change to take back".to_owned());
    }
}
