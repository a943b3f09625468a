//! The other parts of a turn: result, tools, memory, input; and how the run ended.

use std::fmt::Write as _;

use super::{heading, nothing};
use crate::compression::Run;
use crate::namespace::content::turn_number;
use crate::step::{Ending, Field, Step, ToolCall, Turn};
use crate::tui::rows::{Block, Stretch};
use crate::tui::theme::Role;
use crate::value::{Limits, Value, pretty::pretty, to_clojure, type_label};

/// Columns that large values are laid out for; the pane wraps what is wider than it.
const COLUMNS: usize = 76;

/// The whole result or error.
pub(super) fn result(turn: &Turn) -> Vec<Block> {
    let title = if turn.failed() { "Error" } else { "Result" };
    let note = turn.result().note();
    let Some(value) = turn.result().get() else {
        return vec![nothing(title, note.unwrap_or("none"))];
    };
    let text = as_recorded(turn.result(), value);
    let role = if turn.failed() { Role::Bad } else { Role::Text };
    let label = note.map_or_else(|| type_label(value).into_owned(), str::to_owned);
    vec![Block::plain(text, role).headed(heading(title, Some(&label)))]
}

/// A value laid out; a preview and what a writer left of a value are its words, no string of the
/// program's.
fn as_recorded(field: &Field<Value>, value: &Value) -> String {
    match (field, value) {
        (Field::Preview(_) | Field::Cut(_), Value::Str(text)) => text.to_string(),
        _ => pretty(value, COLUMNS),
    }
}

/// The calls with arguments, results, errors and durations.
pub(super) fn tools(turn: &Turn) -> Vec<Block> {
    let field = turn.tool_calls_field();
    let (listed, unlisted) = (turn.tool_calls(), turn.unlisted_calls());
    let mut blocks = Vec::new();
    if listed.is_empty() {
        let why = field.note().unwrap_or("none");
        blocks.push(nothing("Calls", why).with_gap());
    }
    let mut calls = listed.iter().chain(unlisted).enumerate();
    let mut children = 0;
    let mut tools = |(index, call): (usize, &ToolCall)| {
        let has_child = call.child.is_some();
        children += usize::from(has_child);
        tool(index, if has_child { children } else { 0 }, call).with_gap()
    };
    blocks.extend(calls.by_ref().take(listed.len()).map(&mut tools));
    if !unlisted.is_empty() {
        let note = Some("the turn's own record leaves them out, and so do prompts");
        let title = heading("Only in the trace's events", note);
        blocks.push(Block::heading(title).with_gap());
    }
    blocks.extend(calls.map(tools));
    blocks
}

/// `child` is the number of the call's run among those that the turn started, 0 where it has none.
fn tool(index: usize, child: usize, call: &ToolCall) -> Block {
    let mut text = String::new();
    let mut stretches = Vec::new();
    let mut add = |label: &str, content: &str, role: Role| {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(label);
        stretches.push(Stretch {
            end: text.len(),
            role: Role::Dim,
        });
        text.push_str(content);
        stretches.push(Stretch {
            end: text.len(),
            role,
        });
    };
    add("", &pretty(&call.args, COLUMNS), Role::Call);
    match (&call.error, call.result.get()) {
        (Some(error), result) => {
            add("✗ ", &pretty(error, COLUMNS), Role::Bad);
            if let Some(result) = result.filter(|result| !result.is_nil()) {
                add("→ ", &pretty(result, COLUMNS), Role::Text);
            }
        }
        (None, Some(result)) => add("→ ", &as_recorded(&call.result, result), Role::Text),
        (None, None) => add("→ ", call.result.note().unwrap_or("none"), Role::Dim),
    }
    let duration = call.duration_ms.map(|ms| format!("{ms} ms"));
    let child = match child {
        0 => None,
        1 => Some("enter opens its run".to_owned()),
        number => Some(format!("{number} enter opens its run")),
    };
    let result_note = call.result.get().and(call.result.note()).map(str::to_owned);
    let notes: Vec<String> = [duration, result_note, child]
        .into_iter()
        .flatten()
        .collect();
    let role = if call.error.is_some() {
        Role::Bad
    } else {
        Role::Title
    };
    Block::new(text, stretches).headed(vec![
        (format!("{} ", index + 1), Role::Dim),
        (call.name.to_string(), role),
        (format!("  {}", notes.join(" · ")), Role::Dim),
    ])
}

/// Memory before and after the turn: what is new, what changed, what is gone.
pub(super) fn memory(run: &Run, selected: usize) -> Vec<Block> {
    let before = run.timeline().first(selected);
    let after = run.timeline().first(selected + 1);
    let turn = run.step().turns().get(selected);
    let (title, note) = match turn {
        Some(turn) if turn.failed() => ("Memory", "the turn failed: it stays as it was".to_owned()),
        Some(turn) if turn.memory().get().is_none() => (
            "Memory",
            turn.memory().note().unwrap_or_default().to_owned(),
        ),
        Some(_) => ("Memory before → after", String::new()),
        None => ("Memory at the end", String::new()),
    };
    let mut text = String::new();
    let mut stretches = Vec::new();
    let mut add = |line: String, role: Role| {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line);
        stretches.push(Stretch {
            end: text.len(),
            role,
        });
    };
    for (name, value) in after.definitions() {
        let (mark, role) = match before.memory().get(name) {
            None => ('+', Role::Good),
            Some(old) if old != value => ('~', Role::Notice),
            Some(_) => (' ', Role::Text),
        };
        add(memory_line(mark, name, value, after.changes(name)), role);
        if let Some(old) = before.memory().get(name).filter(|old| *old != value) {
            let (sample, _) = to_clojure(old, SAMPLE);
            add(format!("    was {}  {sample}", type_label(old)), Role::Dim);
        }
    }
    for (name, value) in before
        .memory()
        .iter()
        .filter(|(name, _)| !after.memory().contains_key(*name))
    {
        add(
            memory_line('-', name, value, before.changes(name)),
            Role::Bad,
        );
    }
    if text.is_empty() {
        return vec![nothing(
            "Memory",
            if note.is_empty() {
                "nothing defined"
            } else {
                &note
            },
        )];
    }
    vec![Block::new(text, stretches).headed(heading(title, Some(&note)))]
}

/// What a line of the memory table shows of a value; hidden entries too.
const SAMPLE: Limits = Limits {
    items: Some(5),
    printable: Some(160),
    filter_hidden: false,
};

fn memory_line(mark: char, name: &str, value: &Value, changes: &[usize]) -> String {
    let mut line = format!("{mark} {name}");
    crate::text::pad_graphemes(&mut line, 0, 24);
    let (sample, _) = to_clojure(value, SAMPLE);
    let _ = write!(line, " {:<10} {sample}", type_label(value));
    let turns: Vec<u32> = changes.iter().map(|&turn| turn_number(turn)).collect();
    match turns.as_slice() {
        [] => {}
        [made] => {
            let _ = write!(line, "  (turn {made})");
        }
        [made, .., latest] => {
            let _ = write!(line, "  (turn {made}, changed in {latest})");
        }
    }
    line
}

/// What came in before the turn; for the first, what the run began with.
pub(super) fn input(run: &Run, selected: usize) -> Vec<Block> {
    let step = run.step();
    let mut blocks = Vec::new();
    if let Some(text) = run.timeline().first(selected).next_input() {
        let block = Block::plain(text.clone(), Role::Text);
        blocks.push(block.headed(heading("Input", None)).with_gap());
    }
    if selected == 0 {
        begin(step, &mut blocks);
    }
    if blocks.is_empty() {
        blocks.push(nothing("Input", "nothing came in before this turn"));
    }
    blocks
}

fn begin(step: &Step, blocks: &mut Vec<Block>) {
    let mut add = |title: &str, text: String| {
        if !text.is_empty() {
            let block = Block::plain(text, Role::Text);
            blocks.push(block.headed(heading(title, None)).with_gap());
        }
    };
    let text =
        |field: &Option<std::sync::Arc<str>>| field.as_deref().unwrap_or_default().to_owned();
    add("Mission", text(&step.mission));
    if step.mission_template != step.mission {
        add("Mission template", text(&step.mission_template));
    }
    add("Signature", text(&step.signature));
    let mut tools = String::new();
    for tool in crate::namespace::tool::sorted(&step.tools) {
        crate::namespace::tool::write_line(&mut tools, tool);
        if let Some(description) = &tool.description {
            let _ = write!(tools, "  ; {description}");
        }
        tools.push('\n');
    }
    add("Tools", tools);
    if !step.data.is_empty() {
        add("Data", pretty(&Value::map(step.data.clone()), COLUMNS));
    }
    add("System prompt", text(&step.system_prompt));
}

/// How the run ended, for the row behind the last turn.
pub(super) fn ending(step: &Step) -> Vec<Block> {
    let mut blocks = Vec::new();
    match &step.ending {
        Ending::Return(value) => {
            let block = Block::plain(pretty(value, COLUMNS), Role::Text);
            blocks.push(block.headed(heading("The run returned", None)).with_gap());
        }
        Ending::Fail(failure) => {
            let reason = failure.reason.as_deref().unwrap_or("no reason recorded");
            let message = failure.message.as_deref().unwrap_or_default();
            let mut text = format!("{reason}\n{message}");
            if !failure.details.is_nil() {
                let _ = write!(text, "\n{}", pretty(&failure.details, COLUMNS));
            }
            let block = Block::plain(text.trim_end().to_owned(), Role::Bad);
            blocks.push(
                block
                    .headed(heading("The run failed", failure.op.as_deref()))
                    .with_gap(),
            );
        }
        Ending::Open => {
            blocks.push(nothing("End", "the trace records no result of the run").with_gap());
        }
    }
    if step
        .figures
        .as_map()
        .is_some_and(|figures| !figures.is_empty())
    {
        let block = Block::plain(pretty(&step.figures, COLUMNS), Role::Dim);
        blocks.push(block.headed(heading("Usage", None)));
    }
    blocks
}
