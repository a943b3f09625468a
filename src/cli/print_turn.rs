//! A turn as a box:
//!
//! ```text
//! ┌─ Turn 3 ✓ · 340 ms
//! │ program
//! │   (tool/order-history {:order_id 1004})
//! │ call order-history · 12 ms
//! │   args
//! │     {"order_id" 1004}
//! │   result
//! │     [{"event" "created"}]
//! │ result
//! │   [{"event" "created"}]
//! └─
//! ```

use std::fmt::Write as _;
use std::io;

use super::args::Parts;
use super::page::Page;
use super::print_usage::tokens;
use crate::compression::{Rebuilt, Run, error_message};
use crate::error::Error;
use crate::step::{Conventions, Field, Input, PTC_LISP, Told, ToolCall, Turn, TurnKind};
use crate::text::clean_line;
use crate::value::{Limits, Value};

/// Prints a turn.
pub(super) fn turn(page: &mut Page<'_>, run: &Run, turn: &Turn, parts: Parts) -> Result<(), Error> {
    page.open_box(&title(page, turn))?;
    if parts.messages {
        messages(page, run, turn)?;
    }
    input(page, turn)?;
    if let Some(thinking) = turn.thinking().get() {
        page.label("thinking", turn.thinking().note())?;
        page.boxed("  ", thinking)?;
    }
    response(page, turn, parts.raw)?;
    program(page, turn)?;
    calls(page, turn, run.step().conventions)?;
    prints(page, turn)?;
    result(page, turn)?;
    if parts.usage {
        let told = tokens(turn.usage()).unwrap_or_else(|| "not recorded".to_owned());
        page.label(&format!("tokens: {told}"), None)?;
        let calls = turn.tool_calls_field();
        let calls = match (calls.get(), calls.note()) {
            (None, Some(note)) => note.to_owned(),
            _ => turn.tool_calls().len().to_string(),
        };
        page.label(&format!("calls: {calls}"), None)?;
    }
    Ok(page.close_box()?)
}

fn title(page: &Page<'_>, turn: &Turn) -> String {
    let mut words = vec![format!(
        "Turn {} {}",
        turn.number(),
        page.style.sign(turn.outcome())
    )];
    if *turn.kind() != TurnKind::Normal {
        words.push(turn.kind().name().to_owned());
    }
    if turn.copied() {
        words.push("copied from another run".to_owned());
    }
    if let Some(duration) = turn.duration_ms() {
        words.push(format!("{}{duration} ms", turn.duration_mark()));
    }
    if let Some(started) = turn.started_at() {
        words.push(started.to_string());
    }
    let sign = words.remove(0);
    let rest = words.iter().map(|word| clean_line(word).into_owned());
    let all: Vec<String> = std::iter::once(sign).chain(rest).collect();
    all.join(page.style.dot())
}

/// What arrived before the turn; what a machine made is marked as such.
fn input(page: &mut Page<'_>, turn: &Turn) -> Result<(), Error> {
    for input in Input::apart(turn.input(), turn.inputs()) {
        page.label("input", input.note())?;
        page.boxed("  ", &input.text)?;
    }
    Ok(())
}

/// What the LLM was sent: recorded, or rebuilt from the records.
fn messages(page: &mut Page<'_>, run: &Run, turn: &Turn) -> Result<(), Error> {
    let Ok(sent) = run.as_sent(turn.number()) else {
        return Ok(page.label("messages: not recorded", None)?);
    };
    let rebuilt = sent.rebuilt.as_ref().map(Rebuilt::note);
    page.label("messages", rebuilt.as_deref().or(turn.messages().note()))?;
    for message in sent.messages {
        page.boxed("  ", &format!("[{}]", message.role.name()))?;
        page.boxed("  ", &message.content)?;
    }
    Ok(())
}

/// The raw response: where it is asked for, and where it is all that the LLM said.
fn response(page: &mut Page<'_>, turn: &Turn, raw: bool) -> Result<(), Error> {
    let stands_alone = turn.program().get().is_none();
    match turn.raw_response().get() {
        Some(text) if raw && text.trim().is_empty() => page.label("response: empty", None)?,
        Some(text) if raw || stands_alone && !text.is_empty() => {
            page.label("response", turn.response_note())?;
            page.boxed("  ", text)?;
        }
        None if raw || turn.is_uncaptured() => {
            let note = turn.response_note().unwrap_or_default();
            page.label(&format!("response: {note}"), None)?;
        }
        _ => {}
    }
    Ok(())
}

fn program(page: &mut Page<'_>, turn: &Turn) -> Result<(), Error> {
    match turn.program().get() {
        Some(program) => {
            let label = if &*program.language == PTC_LISP {
                "program".to_owned()
            } else {
                format!("program, {}", program.language)
            };
            page.label(&label, turn.program().note())?;
            page.boxed("  ", &program.source)?;
        }
        None => page.label(&missing("program", turn.program()), None)?,
    }
    Ok(())
}

fn missing<T>(what: &str, field: &Field<T>) -> String {
    format!("{what}: {}", field.note().unwrap_or_default())
}

fn calls(page: &mut Page<'_>, turn: &Turn, conventions: Conventions) -> Result<(), Error> {
    let field = turn.tool_calls_field();
    if field.get().is_none() {
        return Ok(page.label(&missing("calls", field), None)?);
    }
    if let (Some(note), true) = (field.note(), turn.tool_calls().is_empty()) {
        page.label("calls", Some(note))?;
    }
    for call in turn.tool_calls() {
        self::call(page, call, conventions, field.note())?;
    }
    for call in turn.unlisted_calls() {
        let note = Some("only in the trace's events");
        self::call(page, call, conventions, note)?;
    }
    Ok(())
}

fn call(
    page: &mut Page<'_>,
    call: &ToolCall,
    conventions: Conventions,
    note: Option<&str>,
) -> Result<(), Error> {
    answer(
        page,
        &format!("call {}", call.name),
        call,
        conventions,
        note,
    )
}

/// A call, or a result of none, under a title.
pub(super) fn answer(
    page: &mut Page<'_>,
    title: &str,
    call: &ToolCall,
    conventions: Conventions,
    note: Option<&str>,
) -> Result<(), Error> {
    let mut label = title.to_owned();
    if call.refused {
        label.push_str(" refused");
    } else if call.error.is_some() {
        label.push_str(" failed");
    }
    let dot = page.style.dot();
    if let Some(duration) = call.duration_ms {
        let _ = write!(label, "{dot}{}{duration} ms", call.duration_mark());
    }
    if let Some(code) = call.told_exit_code() {
        let _ = write!(label, "{dot}exit code {code}");
    }
    if let Some(child) = call.child {
        let _ = write!(label, "{dot}started child {}", child + 1);
    }
    page.label(&label, note)?;
    for part in call.told_args(conventions) {
        let is_code = matches!(part, Told::Code(..));
        page.label(if is_code { "  code" } else { "  args" }, None)?;
        told(page, &part)?;
    }
    if let Some(error) = &call.error {
        page.label("  error", None)?;
        match (call.told_answer(error, conventions), error) {
            (Told::Text(text), _) => page.boxed_error("    ", &text)?,
            (_, Value::Str(text)) => page.boxed_error("    ", text)?,
            (other, _) => told(page, &other)?,
        }
    }
    match call.result.get() {
        // A failed call's `nil` says nothing.
        Some(Value::Nil) if call.error.is_some() => {}
        Some(result) => {
            page.label("  result", call.result.note())?;
            told(page, &call.told_answer(result, conventions))?;
        }
        None if call.error.is_none() => page.label(&missing("  result", &call.result), None)?,
        None => {}
    }
    Ok(())
}

fn told(page: &mut Page<'_>, part: &Told<'_>) -> io::Result<()> {
    match part {
        Told::Code(text, _) | Told::Text(text) => page.boxed("    ", text),
        Told::Value(value) => page.boxed_value("    ", value),
    }
}

fn prints(page: &mut Page<'_>, turn: &Turn) -> Result<(), Error> {
    let field = turn.prints_field();
    match field.get() {
        None => page.label(&missing("prints", field), None)?,
        Some(prints) if prints.is_empty() => {}
        Some(prints) => {
            page.label("prints", field.note())?;
            page.boxed("  ", &prints.join("\n"))?;
        }
    }
    Ok(())
}

fn result(page: &mut Page<'_>, turn: &Turn) -> Result<(), Error> {
    if turn.failed() {
        page.label("error", turn.result().note())?;
        return Ok(page.boxed_error("  ", &error_message(turn, Limits::ALL).0)?);
    }
    match (turn.result(), turn.result().get()) {
        // What the writer left of a value is its own text.
        (Field::Preview(_) | Field::Cut(_), Some(Value::Str(text))) => {
            page.label("result", turn.result().note())?;
            page.boxed("  ", text)?;
        }
        (field, Some(value)) => {
            page.label("result", field.note())?;
            page.boxed_value("  ", value)?;
        }
        (field, None) => page.label(&missing("result", field), None)?,
    }
    Ok(())
}
