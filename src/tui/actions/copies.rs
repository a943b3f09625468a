//! What is copied, and what of the panes can be written to a file.

use std::sync::Arc;

use super::super::app::{App, Effect, Pane};
use super::super::command::Context;
use super::super::content::Content;
use super::super::pane::turns::{List, Rows, row_text};
use crate::step::Role;
use crate::text;

/// What a prompt is called that is copied as it reads.
const AS_TEXT: &str = "the prompt as text";

/// What the list is called that is copied.
const THE_LIST: &str = "the list of turns";

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
    let shows_prompt = app.focus == Pane::Prompt || app.context() == Context::Prompt;
    if shows_prompt {
        return copy_prompt(app, AS_TEXT, as_text);
    }
    if app.focus == Pane::Turns && app.document().rows() > AT_ONCE.0 {
        return copy_list(app);
    }
    let (what, text) = pane_text(app)?;
    Some(Effect::Copy { what, text })
}

/// Copies a long list of turns once each of them was looked at, off the drawing thread.
fn copy_list(app: &mut App) -> Option<Effect> {
    let (list, hiding) = (List::of(app.document()), app.redaction.hiding());
    app.document_mut().copying.start(THE_LIST, move |teller| {
        let rows = list.rows();
        let mut text = String::new();
        for row in (0..rows.count()).take_while(|_| teller.is_wanted()) {
            text.push_str(if row > 0 { "\n" } else { "" });
            text.push_str(&row_text(rows, row));
        }
        let text = hiding.text(&text);
        teller.is_wanted().then(|| text::clean(&text).into_owned())
    });
    app.message = Some(format!("putting {THE_LIST} together …"));
    None
}

/// What the focused pane's text is and the whole of it, safe to print; where there is none, the
/// message says so.
pub(in crate::tui) fn pane_text(app: &mut App) -> Option<(String, String)> {
    let document = app.document();
    let (what, text) = match app.focus {
        Pane::Prompt => (AS_TEXT, prompt_text(app)?),
        Pane::Turn if document.compares() => (AS_TEXT, prompt_text(app)?),
        Pane::Turn => {
            let text = document.turn.pane_text(document.selected);
            ("the turn's text", text)
        }
        Pane::Turns => {
            let rows = Rows::of(document);
            let all: Vec<String> = (0..rows.count()).map(|row| row_text(rows, row)).collect();
            (THE_LIST, all.join("\n"))
        }
    };
    Some((what.to_owned(), text::clean(&text).into_owned()))
}

/// Messages, or turns of a list, and bytes up to which a text is put together between two frames.
const AT_ONCE: (usize, usize) = (200, 1_000_000);

type Messages = Vec<(Role, Arc<str>)>;

fn messages(content: &Content) -> Messages {
    let messages = (0..content.messages()).filter_map(|at| content.message(at));
    messages.collect()
}

/// The prompt's messages; where there are none, the message says so.
pub(in crate::tui) fn prompt(app: &mut App) -> Option<Messages> {
    let messages = messages(app.document().lens().content());
    if messages.is_empty() {
        app.message = Some("there is no prompt here".to_owned());
        return None;
    }
    Some(messages)
}

fn as_text(messages: &Messages) -> String {
    let texts: Vec<String> = messages
        .iter()
        .map(|(role, content)| format!("[{}]\n{content}", role.name()))
        .collect();
    texts.join("\n\n")
}

fn as_json(messages: &Messages) -> String {
    let json = crate::export::json::messages(messages);
    json.trim_end().to_owned()
}

/// The prompt as text; where there is none, the message says so.
pub(in crate::tui) fn prompt_text(app: &mut App) -> Option<String> {
    Some(as_text(&prompt(app)?))
}

/// Copies the prompt in a form: a long one once it is put together, off the drawing thread.
fn copy_prompt(app: &mut App, what: &str, form: fn(&Messages) -> String) -> Option<Effect> {
    let content = app.document().lens().content();
    let is_short = content.messages() <= AT_ONCE.0 && {
        let texts = (0..content.messages()).filter_map(|at| content.message(at));
        texts.map(|(_, text)| text.len()).sum::<usize>() <= AT_ONCE.1
    };
    if is_short {
        return Some(copy(what, &form(&prompt(app)?)));
    }
    let (content, hiding) = (content.clone(), app.redaction.hiding());
    app.document_mut().copying.start(what, move |teller| {
        // Most of it is making the messages: who asks again and again has one text made, not many.
        let wanted = (0..content.messages()).take_while(|_| teller.is_wanted());
        let messages: Messages = wanted.filter_map(|at| content.message(at)).collect();
        if !teller.is_wanted() {
            return None;
        }
        let text = form(&messages);
        let text = hiding.text(&text);
        teller.is_wanted().then(|| text::clean(&text).into_owned())
    });
    app.message = Some(format!("putting {what} together …"));
    None
}

/// Copies the prompt as text.
pub(in crate::tui) fn copy_prompt_text(app: &mut App, _: Option<usize>) -> Option<Effect> {
    copy_prompt(app, AS_TEXT, as_text)
}

/// Copies the prompt as JSON, in the form of `turnscope messages`.
pub(in crate::tui) fn copy_prompt_json(app: &mut App, _: Option<usize>) -> Option<Effect> {
    copy_prompt(app, "the prompt as JSON", as_json)
}
