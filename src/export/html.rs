//! A run as one HTML file that needs nothing else: no script, no picture, no font from elsewhere.
//!
//! Texts of the trace are escaped, and what would hide or reorder them shows as a sign. Long parts are
//! folded by `<details>`; light and dark follow the reader's system; on paper everything folds out.

use std::fmt::Write as _;

use crate::compression::error_message;
use crate::step::{Conventions, Ending, Field, Input, Outcome, Step, Told, ToolCall, Turn};
use crate::text::{amounts, clean_line, headline};
use crate::value::{Limits, Value, to_clojure};

/// The style, part of the file.
const STYLE: &str = include_str!("../../assets/report.css");

/// Lines of a text from which on it is folded.
const FOLDED: usize = 12;

/// Runs within runs that are written.
const DEPTH: usize = 4;

/// The page, with a line end.
pub fn report(step: &Step) -> String {
    let name = escaped(step.name.as_deref().unwrap_or("Run"));
    let mut out = String::with_capacity(1 << 16);
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{name}</h1>\n"
    );
    run(&mut out, step, "", 0);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// A run; `prefix` makes its anchors its own.
fn run(out: &mut String, step: &Step, prefix: &str, depth: usize) {
    facts(out, step);
    match &step.mission {
        Some(mission) => section(out, "Mission", mission, false),
        None => out.push_str("<p class=\"note\">The mission is not recorded.</p>\n"),
    }
    if let Some(system) = &step.system_prompt {
        section(out, "System prompt", system, true);
    }
    tools(out, step);
    table(out, step, prefix);
    for turn in step.each_turn() {
        self::turn(out, &turn, prefix, step.conventions);
    }
    for input in Input::apart(step.pending_input.as_ref(), &step.pending_inputs) {
        arrived(out, "Input without a reply", &input);
    }
    for call in &step.unmatched_results {
        out.push_str("<h2>Result that answers no call</h2>\n");
        self::call(out, call, prefix, step.conventions);
    }
    ending(out, &step.ending);
    if depth < DEPTH {
        for (at, child) in step.children.iter().enumerate() {
            let inner = format!("{prefix}c{}-", at + 1);
            let name = child.name.as_deref().unwrap_or("run without a name");
            let _ = writeln!(
                out,
                "<details class=\"child\" id=\"{inner}run\"><summary>Child run {}: {}</summary>",
                at + 1,
                escaped(&headline(name, 100))
            );
            run(out, child, &inner, depth + 1);
            out.push_str("</details>\n");
        }
    }
}

fn facts(out: &mut String, step: &Step) {
    let turns = step.turns().len();
    let mut words = vec![amounts::of(turns, "turn")];
    let failed = step.turns().iter().filter(|turn| turn.failed()).count();
    if failed > 0 {
        words.push(format!("{failed} failed"));
    }
    words.extend(step.model.as_deref().map(escaped));
    words.extend(step.started_at.as_deref().map(escaped));
    words.push(match step.ending {
        Ending::Return(_) => "returned".to_owned(),
        Ending::Fail(_) => "failed".to_owned(),
        Ending::Open => "no end recorded".to_owned(),
    });
    let _ = writeln!(out, "<p class=\"facts\">{}</p>", words.join(" · "));
}

fn tools(out: &mut String, step: &Step) {
    if step.tools.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<details><summary>Tools ({})</summary>\n<dl>",
        step.tools.len()
    );
    for tool in &step.tools {
        let name = tool.signature.as_ref().unwrap_or(&tool.name);
        let told = tool.description.as_deref().unwrap_or_default();
        let _ = writeln!(
            out,
            "<dt><code>{}</code></dt><dd>{}</dd>",
            escaped(name),
            escaped(told)
        );
    }
    out.push_str("</dl>\n</details>\n");
}

/// The turns, a row each, with links to them.
fn table(out: &mut String, step: &Step, prefix: &str) {
    if step.turns().is_empty() {
        return;
    }
    out.push_str("<table>\n<thead><tr><th>Turn</th><th></th><th>What it says</th><th>Calls</th><th>Tokens in, out</th></tr></thead>\n<tbody>\n");
    for turn in step.each_turn() {
        let said = turn.program().get().map(|program| &program.source);
        let said = turn
            .raw_response()
            .get()
            .filter(|text| !text.is_empty())
            .or(said);
        let said = said.map_or_else(String::new, |text| headline(text, 90));
        let usage = turn.usage();
        let count = |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |n| n.to_string());
        let _ = writeln!(
            out,
            "<tr class=\"{class}\"><td><a href=\"#{prefix}turn-{n}\">{n}</a></td><td>{sign}</td>\
             <td>{said}</td><td>{calls}</td><td>{input}, {output}</td></tr>",
            class = class(turn.outcome()),
            n = turn.number(),
            sign = sign(turn.outcome()),
            said = escaped(&said),
            calls = turn.tool_calls().len(),
            input = count(usage.input),
            output = count(usage.output),
        );
    }
    out.push_str("</tbody>\n</table>\n");
}

fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "ok",
        Outcome::Failure => "bad",
        Outcome::Unknown => "unknown",
    }
}

/// A sign that is told apart without colour.
fn sign(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "✓",
        Outcome::Failure => "✗ failed",
        Outcome::Unknown => "",
    }
}

fn turn(out: &mut String, turn: &Turn, prefix: &str, conventions: Conventions) {
    let n = turn.number();
    let _ = writeln!(
        out,
        "<section class=\"turn {}\" id=\"{prefix}turn-{n}\">\n<h2><a href=\"#{prefix}turn-{n}\">Turn {n}</a> {}</h2>",
        class(turn.outcome()),
        sign(turn.outcome())
    );
    let mut facts: Vec<String> = turn
        .started_at()
        .map(|at| escaped(at))
        .into_iter()
        .collect();
    let duration = turn.duration_ms();
    facts.extend(duration.map(|ms| format!("{}{ms} ms", turn.duration_mark())));
    if turn.copied() {
        facts.push("copied from another run".to_owned());
    }
    if !facts.is_empty() {
        let _ = writeln!(out, "<p class=\"facts\">{}</p>", facts.join(" · "));
    }
    for input in Input::apart(turn.input(), turn.inputs()) {
        arrived(out, "Input", &input);
    }
    if let Some(thinking) = turn.thinking().get() {
        section(out, &titled("Thinking", turn.thinking()), thinking, true);
    }
    let response = turn.raw_response().get().filter(|text| !text.is_empty());
    match turn.program().get() {
        Some(program) => {
            section(
                out,
                &titled("Program", turn.program()),
                &program.source,
                false,
            );
            if let Some(response) = response.filter(|text| text.trim() != program.source.trim()) {
                section(out, "Whole response", response, true);
            }
        }
        None => {
            if let Some(response) = response {
                section(
                    out,
                    &titled("Response", turn.raw_response()),
                    response,
                    false,
                );
            } else if turn.is_uncaptured() {
                let note = turn.response_note().unwrap_or_default();
                let _ = writeln!(out, "<p class=\"facts\">Response: {note}</p>");
            }
        }
    }
    for call in turn.tool_calls().iter().chain(turn.unlisted_calls()) {
        self::call(out, call, prefix, conventions);
    }
    if !turn.prints().is_empty() {
        let title = titled("Prints", turn.prints_field());
        section(out, &title, &turn.prints().join("\n"), false);
    }
    if turn.failed() {
        section(out, "Error", &error_message(turn, Limits::ALL).0, false);
    } else if let Some(result) = turn.result().get() {
        section(out, &titled("Result", turn.result()), &shown(result), false);
    }
    if let Some(sent) = turn.messages().get() {
        let _ = writeln!(
            out,
            "<details><summary>Prompt as sent ({} messages)</summary>",
            sent.len()
        );
        for message in sent {
            section(out, message.role.name(), &message.content, false);
        }
        out.push_str("</details>\n");
    }
    out.push_str("</section>\n");
}

fn call(out: &mut String, call: &ToolCall, prefix: &str, conventions: Conventions) {
    let class = if call.error.is_some() {
        "call bad"
    } else {
        "call"
    };
    let name = if call.name.is_empty() {
        "(no name)"
    } else {
        &*call.name
    };
    let _ = write!(
        out,
        "<div class=\"{class}\">\n<h3>Call <code>{}</code>",
        escaped(name)
    );
    if call.error.is_some() {
        out.push_str(" ✗ failed");
    }
    if let Some(duration) = call.duration_ms {
        let _ = write!(out, " <small>{}{duration} ms</small>", call.duration_mark());
    }
    if let Some(code) = call.told_exit_code() {
        let _ = write!(out, " <small>exit code {code}</small>");
    }
    if let Some(child) = call.child {
        let _ = write!(
            out,
            " <a href=\"#{prefix}c{0}-run\">child run {0}</a>",
            child + 1
        );
    }
    out.push_str("</h3>\n");
    for part in call.told_args(conventions) {
        text(out, &told(&part));
    }
    if let Some(error) = &call.error {
        let error = told(&call.told_answer(error, conventions));
        section(out, "Error", &error, false);
    }
    match (call.result.get(), &call.error) {
        (Some(Value::Nil) | None, Some(_)) => {}
        (Some(result), _) => {
            let result = told(&call.told_answer(result, conventions));
            section(out, &titled("Result", &call.result), &result, false);
        }
        (None, None) => out.push_str("<p class=\"note\">The result is not recorded.</p>\n"),
    }
    out.push_str("</div>\n");
}

fn ending(out: &mut String, ending: &Ending) {
    match ending {
        Ending::Return(answer) => section(out, "Returned", &shown(answer), false),
        Ending::Fail(failure) => {
            let words = [&failure.reason, &failure.message, &failure.op];
            let words: Vec<&str> = words.into_iter().filter_map(Option::as_deref).collect();
            section(out, "Failed", &words.join("\n"), false);
        }
        Ending::Open => {}
    }
}

/// A message that arrived, and who wrote it where that was no person.
fn arrived(out: &mut String, title: &str, input: &Input) {
    let title = match input.note() {
        Some(note) => format!("{title} ({note})"),
        None => title.to_owned(),
    };
    section(out, &title, &input.text, false);
}

fn titled<T>(title: &str, field: &Field<T>) -> String {
    match field.note() {
        Some(note) => format!("{title} ({note})"),
        None => title.to_owned(),
    }
}

fn told(part: &Told<'_>) -> String {
    match part {
        Told::Code(text, _) | Told::Text(text) => text.to_string(),
        Told::Value(value) => shown(value),
    }
}

/// A value in Clojure's notation; a text as it is.
fn shown(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        other => to_clojure(other, Limits::ALL).0,
    }
}

/// A text under a title, folded where it is long or secondary.
fn section(out: &mut String, title: &str, content: &str, secondary: bool) {
    let lines = content.lines().count();
    let is_long = lines > FOLDED || content.len() > 100 * FOLDED;
    let title = escaped(title);
    if secondary || is_long {
        let open = if secondary { "" } else { " open" };
        let plural = if lines == 1 { "" } else { "s" };
        let _ = writeln!(
            out,
            "<details{open}><summary>{title} <small>{lines} line{plural}</small></summary>"
        );
        text(out, content);
        out.push_str("</details>\n");
    } else {
        let _ = writeln!(out, "<h3>{title}</h3>");
        text(out, content);
    }
}

fn text(out: &mut String, content: &str) {
    out.push_str("<pre>");
    for (at, line) in content.trim_end_matches('\n').split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        } else if line.is_empty() {
            // A reader drops the first line end of a `pre`.
            out.push('\n');
        }
        push_escaped(out, line);
    }
    out.push_str("</pre>\n");
}

/// A text in a line, cleaned, with nothing left that would be markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_escaped(&mut out, text);
    out
}

fn push_escaped(out: &mut String, line: &str) {
    for c in clean_line(line).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::{Program, TurnParts};

    #[test]
    fn nothing_of_a_trace_becomes_markup() {
        let hostile = "</pre><script>alert(1)</script>\n\"'&\u{1b}[31m\u{202e}";
        let mut step = Step::default();
        step.name = Some(hostile.into());
        step.mission = Some(hostile.into());
        step.model = Some(hostile.into());
        let mut call = ToolCall::new(hostile, Value::string(hostile));
        call.error = Some(Value::string(hostile));
        let parts = TurnParts {
            raw_response: Field::Recorded(hostile.into()),
            program: Field::Recorded(Program::ptc_lisp(hostile)),
            tool_calls: Field::Recorded(vec![call]),
            input: Some(hostile.into()),
            ..TurnParts::default()
        };
        step.push_turn(Turn::failure(1, parts));
        let page = report(&step);
        assert!(
            !page.contains("<script") && !page.contains('\u{1b}') && !page.contains('\u{202e}')
        );
        assert!(page.contains("&lt;/pre&gt;&lt;script&gt;alert(1)"));
        for tag in [
            "main", "section", "div", "details", "pre", "table", "h2", "h3", "body",
        ] {
            let opened = page.matches(&format!("<{tag}>")).count()
                + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
}
