//! The program with what came of it, and the raw response with its code set apart.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use super::{heading, nothing, parts};
use crate::compression::{error_message, plain_or_formatted};
use crate::step::{Conventions, PTC_LISP, Told, Turn};
use crate::syntax::response;
use crate::text::first_graphemes;
use crate::tui::colours::{Code, lisp};
use crate::tui::rows::{Block, Stretch};
use crate::tui::theme::Role;
use crate::value::{Limits, Value, to_clojure};

/// What the program tab shows of a result; the result tab has it whole.
const SHORT: Limits = Limits {
    items: Some(50),
    printable: Some(1000),
    filter_hidden: false,
};

/// What it shows of a call's arguments.
const SHORT_ARGS: Limits = Limits {
    items: Some(5),
    printable: Some(200),
    filter_hidden: false,
};

/// Grapheme clusters that it shows of a text of several lines.
const SHORT_TEXT: usize = 2000;

/// Grapheme clusters that it shows of why a call failed.
const SHORT_ERROR: usize = 400;

/// The program, then result or error, calls and prints.
pub(super) fn program(turn: &Turn, conventions: Conventions) -> Vec<Block> {
    let mut blocks = Vec::new();
    match (turn.program().get(), turn.program().note()) {
        (Some(program), note) => {
            let mut block = if &*program.language == PTC_LISP {
                Block::new(program.source.clone(), lisp(&program.source).collect())
            } else {
                let code = Code::new(&program.language, program.source.clone());
                let code = code.map(|code| (0..program.source.len(), code));
                Block::new(program.source.clone(), Vec::new()).with_code(code.into_iter().collect())
            };
            if note.is_some() || &*program.language != PTC_LISP {
                block = block.headed(heading(&program.language, note));
            }
            blocks.push(block.with_gap());
        }
        (None, note) => {
            blocks.push(nothing("Program", note.unwrap_or("none")).with_gap());
            match turn.raw_response().get() {
                Some(said) if said.trim().is_empty() => {
                    blocks.push(nothing("Response", "empty").with_gap());
                }
                Some(said) => {
                    let block = said_block(said);
                    blocks.push(block.headed(heading("Response", None)).with_gap());
                }
                None if turn.is_uncaptured() => {
                    let note = turn.response_note().unwrap_or("none");
                    blocks.push(nothing("Response", note).with_gap());
                }
                None => {}
            }
        }
    }
    blocks.push(outcome(turn).with_gap());
    if let Some(calls) = calls(turn, conventions) {
        blocks.push(calls.with_gap());
    }
    if !turn.prints().is_empty() {
        let title = format!("Printed {}", turn.prints().len());
        let text = turn.prints().join("\n");
        let block = Block::plain(text, Role::Print);
        blocks.push(block.headed(heading(&title, turn.prints_field().note())));
    }
    blocks
}

/// Whether the program's part shows only a part of a value.
pub(super) fn is_cut(value: &Value) -> bool {
    short(value).1
}

/// A value in short, and whether that is a part of it: a text of several lines as it is.
fn short(value: &Value) -> (String, bool) {
    match value {
        Value::Str(text) if text.contains('\n') => {
            let (text, is_whole) = first_graphemes(text, SHORT_TEXT);
            (text.to_owned(), !is_whole)
        }
        _ => to_clojure(value, SHORT),
    }
}

fn outcome(turn: &Turn) -> Block {
    let note = turn.result().note();
    if turn.failed() {
        let (message, _) = error_message(turn, SHORT);
        return Block::plain(message, Role::Bad).headed(heading("Error", note));
    }
    match turn.result().get() {
        Some(value) => {
            let (text, cut) = short(value);
            let note = note.or(cut.then_some("cut here; the result tab has it whole"));
            let role = parts::printed(value, &text, Role::Text);
            let code = parts::code(value, &text).into_iter().collect();
            let block = Block::plain(text, role).with_code(code);
            block.headed(heading("Result", note))
        }
        None => nothing("Result", note.unwrap_or("none")),
    }
}

fn calls(turn: &Turn, conventions: Conventions) -> Option<Block> {
    if turn.tool_calls().is_empty() {
        return None;
    }
    let mut text = String::new();
    let mut stretches = Vec::new();
    for call in turn.tool_calls() {
        let line_end = if text.is_empty() { "" } else { "\n" };
        let _ = write!(text, "{line_end}{}", call.name);
        match call.told_args(conventions).first() {
            Some(Told::Code(code, _)) => {
                let code = code.trim_end();
                let (code, is_whole) = first_graphemes(code, SHORT_TEXT);
                let line_end = if code.contains('\n') { ":\n  " } else { ": " };
                let more = if is_whole { "" } else { "…" };
                let _ = write!(text, "{line_end}{}{more}", code.replace('\n', "\n  "));
            }
            _ => {
                let _ = write!(text, "({})", to_clojure(&call.args, SHORT_ARGS).0);
            }
        }
        if let Some(error) = &call.error {
            text.push_str(" ✗");
            if let Some(code) = call.told_exit_code() {
                let _ = write!(text, " exit code {code}");
            }
            let told = match call.told_answer(error, conventions) {
                Told::Code(told, _) | Told::Text(told) => told,
                Told::Value(told) => Cow::Owned(plain_or_formatted(&told, SHORT).0),
            };
            let (told, is_whole) = first_graphemes(told.trim_end(), SHORT_ERROR);
            let more = if is_whole { "" } else { "…" };
            let _ = write!(text, "\n  {}{more}", told.replace('\n', "\n  "));
        }
        stretches.push(Stretch {
            end: text.len(),
            role: match call.error {
                Some(_) => Role::Bad,
                None => Role::Call,
            },
        });
    }
    let title = format!("Called {}", turn.tool_calls().len());
    let note = turn.tool_calls_field().note();
    Some(Block::new(text, stretches).headed(heading(&title, note)))
}

/// Thinking, then the response as it is.
pub(super) fn raw(turn: &Turn) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(thinking) = turn.thinking().get() {
        let block = Block::plain(thinking.clone(), Role::Dim);
        blocks.push(
            block
                .headed(heading("Thinking", turn.thinking().note()))
                .with_gap(),
        );
    }
    let response = turn.raw_response();
    blocks.push(match response.get() {
        Some(text) if text.trim().is_empty() => nothing("Response", "empty"),
        Some(text) => {
            let block = said_block(text);
            match response.note() {
                Some(note) => block.headed(heading("Response", Some(note))),
                None => block,
            }
        }
        None => nothing("Response", turn.response_note().unwrap_or("none")),
    });
    blocks
}

/// A response as it is, its code set apart.
fn said_block(text: &Arc<str>) -> Block {
    let blocks = response::blocks(text);
    let code = blocks.iter().filter_map(|block| {
        let code = Code::new(&text[block.language.clone()], &text[block.content.clone()])?;
        Some((block.content.clone(), code))
    });
    let code = code.collect();
    let contents = blocks.iter().map(|block| block.content.clone()).collect();
    Block::new(text.clone(), code_stretches(text, &blocks))
        .with_code(code)
        .barred(contents)
}

/// A response's stretches: its PTC-Lisp in colour, the fences dim.
fn code_stretches(text: &str, blocks: &[response::Block]) -> Vec<Stretch> {
    let mut found = Vec::new();
    let mut push = |end: usize, role: Role| found.push(Stretch { end, role });
    for block in blocks {
        push(block.whole.start, Role::Text);
        push(block.content.start, Role::Dim);
        let language = &text[block.language.clone()];
        let is_lisp = ["clojure", "lisp", ""]
            .iter()
            .any(|known| language.eq_ignore_ascii_case(known));
        let Range { start, end } = block.content;
        if is_lisp {
            for stretch in lisp(&text[start..end]) {
                push(start + stretch.end, stretch.role);
            }
        }
        push(end, Role::Program);
        push(block.whole.end, Role::Dim);
    }
    found
}
