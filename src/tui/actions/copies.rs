//! What is copied, and what of the panes can be written to a file.

use std::sync::Arc;

use super::super::app::{App, Effect, Pane};
use super::super::command::Context;
use super::super::pane::turns::row_text;
use crate::step::Role;
use crate::text;

pub(in crate::tui) fn copy(what: impl Into<String>, raw: &str) -> Effect {
    Effect::Copy {
        what: what.into(),
        text: text::clean(raw).into_owned(),
    }
}

/// Copies the shown part of the turn, or the prompt's message on top.
pub(in crate::tui) fn copy_item(app: &mut App, _: Option<usize>) -> Option<Effect> {
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
pub(in crate::tui) fn copy_pane(app: &mut App, _: Option<usize>) -> Option<Effect> {
    let (what, text) = pane_text(app)?;
    Some(Effect::Copy { what, text })
}

/// What the focused pane's text is and the whole of it, safe to print; where there is none, the
/// message says so.
pub(in crate::tui) fn pane_text(app: &mut App) -> Option<(String, String)> {
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
                .map(|row| row_text(document, row))
                .collect();
            ("the list of turns", rows.join("\n"))
        }
    };
    Some((what.to_owned(), text::clean(&text).into_owned()))
}

/// The prompt's messages; where there are none, the message says so.
pub(in crate::tui) fn prompt(app: &mut App) -> Option<Vec<(Role, Arc<str>)>> {
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
pub(in crate::tui) fn prompt_text(app: &mut App) -> Option<String> {
    let messages = prompt(app)?;
    let texts: Vec<String> = messages
        .iter()
        .map(|(role, content)| format!("[{}]\n{content}", role.name()))
        .collect();
    Some(texts.join("\n\n"))
}

/// Copies the prompt as text.
pub(in crate::tui) fn copy_prompt_text(app: &mut App, _: Option<usize>) -> Option<Effect> {
    Some(copy("the prompt as text", &prompt_text(app)?))
}

/// Copies the prompt as JSON, in the form of `turnscope messages`.
pub(in crate::tui) fn copy_prompt_json(app: &mut App, _: Option<usize>) -> Option<Effect> {
    let json = crate::export::json::messages(&prompt(app)?);
    Some(Effect::Copy {
        what: "the prompt as JSON".to_owned(),
        text: json.trim_end().to_owned(),
    })
}
