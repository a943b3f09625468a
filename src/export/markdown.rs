//! A run as a Markdown report.
//!
//! Texts of the trace stand in fenced blocks whose fence is longer than any run of backticks inside,
//! or escaped in a line; so nothing of them becomes markup.

use std::fmt::Write as _;

use crate::compression::error_message;
use crate::step::{Conventions, Ending, Field, Input, Outcome, Step, Told, Tool, ToolCall, Turn};
use crate::text::{clean_line, is_unsafe};
use crate::value::{Limits, Value, to_clojure};

/// The report, with a line end.
pub fn report(step: &Step) -> String {
    let mut out = String::new();
    let name = step.name.as_deref().unwrap_or("Run");
    let _ = writeln!(out, "# {}", inline(name));
    let _ = writeln!(out, "\n{}", facts(step));
    if let Some(mission) = &step.mission {
        out.push_str("\n## Mission\n");
        block(&mut out, "text", mission);
    }
    if let Some(system) = &step.system_prompt {
        out.push_str("\n## System prompt\n");
        block(&mut out, "text", system);
    }
    if !step.tools.is_empty() {
        out.push_str("\n## Tools\n\n");
        for tool in &step.tools {
            tool_line(&mut out, tool);
        }
    }
    for turn in step.each_turn() {
        turn_section(&mut out, &turn, step.conventions);
    }
    for input in Input::apart(step.pending_input.as_ref(), &step.pending_inputs) {
        let _ = writeln!(out, "\n## Input without a reply{}", noted(&input));
        block(&mut out, "text", &input.text);
    }
    for result in &step.unmatched_results {
        out.push_str("\n## Result that answers no call\n");
        call_section(&mut out, result, step.conventions);
    }
    ending(&mut out, &step.ending);
    out
}

fn facts(step: &Step) -> String {
    let turns = step.turns().len();
    let mut words = vec![format!("{turns} turn{}", if turns == 1 { "" } else { "s" })];
    if let Some(max) = step.max_turns() {
        words.push(format!("{max} allowed"));
    }
    if let Some(model) = &step.model {
        words.push(format!("model {}", inline(model)));
    }
    words.push(match step.ending {
        Ending::Return(_) => "returned".to_owned(),
        Ending::Fail(_) => "failed".to_owned(),
        Ending::Open => "without an end".to_owned(),
    });
    words.join(", ")
}

fn tool_line(out: &mut String, tool: &Tool) {
    let _ = write!(out, "- {}", code(&tool.name));
    if let Some(signature) = &tool.signature {
        let _ = write!(out, " {}", code(signature));
    }
    if let Some(description) = &tool.description {
        let _ = write!(out, ": {}", inline(description));
    }
    out.push('\n');
}

fn turn_section(out: &mut String, turn: &Turn, conventions: Conventions) {
    let outcome = match turn.outcome() {
        Outcome::Success => " ✓",
        Outcome::Failure => " ✗ failed",
        Outcome::Unknown => "",
    };
    let _ = writeln!(out, "\n## Turn {}{outcome}", turn.number());
    for input in Input::apart(turn.input(), turn.inputs()) {
        let _ = writeln!(out, "\n### Input{}", noted(&input));
        block(out, "text", &input.text);
    }
    if let Some(thinking) = turn.thinking().get() {
        heading(out, "Thinking", turn.thinking());
        block(out, "text", thinking);
    }
    match turn.program().get() {
        Some(program) => {
            heading(out, "Program", turn.program());
            block(out, &program.language, &program.source);
        }
        None => {
            if let Some(response) = turn.raw_response().get() {
                heading(out, "Response", turn.raw_response());
                block(out, "text", response);
            } else if turn.is_uncaptured() {
                let note = turn.response_note().unwrap_or_default();
                let _ = writeln!(out, "\nResponse: {note}");
            }
        }
    }
    for call in turn.tool_calls().iter().chain(turn.unlisted_calls()) {
        call_section(out, call, conventions);
    }
    if !turn.prints().is_empty() {
        heading(out, "Prints", turn.prints_field());
        block(out, "text", &turn.prints().join("\n"));
    }
    if turn.failed() {
        out.push_str("\n### Error\n");
        block(out, "text", &error_message(turn, Limits::ALL).0);
    } else if let Some(result) = turn.result().get() {
        heading(out, "Result", turn.result());
        value_block(out, result);
    }
}

fn call_section(out: &mut String, call: &ToolCall, conventions: Conventions) {
    let _ = write!(out, "\n### Call {}", code(&call.name));
    if let Some(duration) = call.duration_ms {
        let _ = write!(out, " ({}{duration} ms)", call.duration_mark());
    }
    if let Some(code) = call.told_exit_code() {
        let _ = write!(out, " (exit code {code})");
    }
    out.push('\n');
    for part in call.told_args(conventions) {
        told_block(out, &part);
    }
    if let Some(error) = &call.error {
        out.push_str("\nError:\n");
        told_block(out, &call.told_answer(error, conventions));
    }
    match (call.result.get(), &call.error) {
        (Some(result), error) if error.is_none() || !result.is_nil() => {
            let note = call.result.note().map(|note| format!(" ({note})"));
            let _ = writeln!(out, "\nResult{}:", note.unwrap_or_default());
            told_block(out, &call.told_answer(result, conventions));
        }
        (None, None) => out.push_str("\nResult: not recorded\n"),
        _ => {}
    }
}

fn ending(out: &mut String, ending: &Ending) {
    match ending {
        Ending::Return(answer) => {
            out.push_str("\n## Returned\n");
            value_block(out, answer);
        }
        Ending::Fail(failure) => {
            out.push_str("\n## Failed\n");
            let words = [&failure.reason, &failure.message, &failure.op];
            let words: Vec<&str> = words.into_iter().filter_map(Option::as_deref).collect();
            block(out, "text", &words.join("\n"));
        }
        Ending::Open => {}
    }
}

/// Who wrote an input, where that was no person.
fn noted(input: &Input) -> String {
    let note = input.note().map(|note| format!(" ({note})"));
    note.unwrap_or_default()
}

fn heading<T>(out: &mut String, title: &str, field: &Field<T>) {
    let note = field.note().map(|note| format!(" ({note})"));
    let _ = writeln!(out, "\n### {title}{}", note.unwrap_or_default());
}

fn told_block(out: &mut String, part: &Told<'_>) {
    match part {
        Told::Code(text, language) => block(out, language.unwrap_or("text"), text),
        Told::Text(text) => block(out, "text", text),
        Told::Value(value) => value_block(out, value),
    }
}

/// A value in Clojure's notation; a text of several lines as it is.
fn value_block(out: &mut String, value: &Value) {
    match value {
        Value::Str(text) if text.contains('\n') => block(out, "text", text),
        other => block(out, "clojure", &to_clojure(other, Limits::ALL).0),
    }
}

/// A fenced block, a blank line before it.
fn block(out: &mut String, language: &str, text: &str) {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let language: String = language
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '`' && !is_unsafe(*c))
        .collect();
    let _ = writeln!(out, "\n{fence}{language}");
    for line in text.split('\n') {
        out.push_str(&clean_line(line));
        out.push('\n');
    }
    let _ = writeln!(out, "{fence}");
}

/// A code span, on one line.
fn code(text: &str) -> String {
    let text = clean_line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        " "
    } else {
        ""
    };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// Text within a line, with what would be markup escaped.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for c in clean_line(text).chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '!'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::{Program, TurnParts};

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        let mut out = String::new();
        block(&mut out, "text", "a\n````\nb\n```` ``");
        assert_eq!(out, "\n`````text\na\n````\nb\n```` ``\n`````\n");
        let mut out = String::new();
        block(&mut out, "x\u{1b}`\ny", "no ticks");
        assert_eq!(out, "\n```xy\nno ticks\n```\n");
    }

    #[test]
    fn spans_and_lines_are_no_markup() {
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(inline("<b>_x_\n# y"), "\\<b\\>\\_x\\_␊\\# y");
    }

    #[test]
    fn a_program_that_holds_fences_stays_one_block() {
        let mut step = Step::default();
        let program = Program::ptc_lisp("(println \"```\n## Turn 9\n```\")");
        let parts = TurnParts {
            program: Field::Recorded(program),
            ..TurnParts::default()
        };
        step.push_turn(Turn::success(1, parts));
        let report = report(&step);
        assert!(report.contains("\n````clojure\n(println \"```\n## Turn 9\n```\")\n````\n"));
    }
}
