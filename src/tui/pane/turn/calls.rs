//! The calls of tools: a row each where they are many, and what belongs to one below it.

use super::call_body::{Outcome, body};
use super::{Form, heading, nothing};
use crate::step::{Step, Told, ToolCall, Turn};
use crate::text::{amounts, clean_line};
use crate::tui::rows::Block;
use crate::tui::theme::Role;
use crate::tui::tree::sample;
use crate::value::Value;

/// Calls from which on only those that failed are open at first.
const MANY: usize = 4;

/// The calls with arguments, results, errors and durations; `has_answers` says whether the trace records
/// how calls ended.
pub(super) fn tools(has_answers: bool, turn: &Turn, form: Form) -> Vec<Block> {
    let field = turn.tool_calls_field();
    let (listed, unlisted) = (turn.tool_calls(), turn.unlisted_calls());
    let mut blocks = Vec::new();
    if listed.is_empty() {
        let why = field.note().unwrap_or("none");
        blocks.push(nothing("Calls", why).with_gap());
    }
    let is_many = listed.len() + unlisted.len() >= MANY;
    let mut calls = listed.iter().chain(unlisted).enumerate();
    let mut children = 0;
    let mut tools = |(index, call): (usize, &ToolCall)| {
        let child = call.child.map(|_| {
            children += 1;
            children
        });
        let no_answer = (has_answers && !call.is_answered()).then_some("never answered");
        let unknown = no_answer
            .or(call.result.note())
            .unwrap_or("no result recorded");
        tool(index, child, call, unknown, is_many, form)
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

/// Results that answer no call, under a heading of their own.
pub(super) fn unmatched(step: &Step, form: Form) -> Vec<Block> {
    let results = &step.unmatched_results;
    if results.is_empty() {
        return Vec::new();
    }
    let title = heading("Results of no call", None);
    let is_many = results.len() >= MANY;
    let result = |(index, result)| tool(index, None, result, "nothing", is_many, form);
    let results = results.iter().enumerate().map(result);
    std::iter::once(Block::heading(title).with_gap())
        .chain(results)
        .collect()
}

/// The runs that the run started and no call is known to have, each as a row that opens it.
pub(super) fn loose_children(step: &Step) -> Vec<Block> {
    let children = step.loose_children();
    if children.is_empty() {
        return Vec::new();
    }
    let title = heading("Runs that no call is known to have started", None);
    let row = |(index, child): (usize, &usize)| {
        let child = &step.children[*child];
        let name = child.name.as_deref().map(std::borrow::Cow::Borrowed);
        let name = name.or_else(|| child.mission_title());
        let name = crate::text::headline(name.as_deref().unwrap_or("run without a name"), 120);
        let turns = child.turns().len();
        let plural = if turns == 1 { "" } else { "s" };
        let row = vec![
            (format!("▸ {:>2} ", index + 1), Role::Dim),
            (name, Role::Title),
            (format!("  {turns} turn{plural}  enter opens it"), Role::Dim),
        ];
        Block::heading(row.clone())
            .as_item(row, false)
            .with_child(Some(index + 1))
    };
    let rows = children.iter().enumerate().map(row);
    std::iter::once(Block::heading(title).with_gap())
        .chain(rows)
        .collect()
}

fn outcome<'a>(call: &'a ToolCall, unknown: &'static str) -> Outcome<'a> {
    match (&call.error, call.result.get()) {
        (Some(error), _) => Outcome::Failed(error),
        (None, Some(result)) => Outcome::Answered(result),
        (None, None) => Outcome::Open(unknown),
    }
}

/// `child` is the number of the call's run among those that the turn started; `unknown` says why there
/// is no result where there is none.
fn tool(
    index: usize,
    child: Option<usize>,
    call: &ToolCall,
    unknown: &'static str,
    is_many: bool,
    form: Form,
) -> Block {
    let outcome = outcome(call, unknown);
    let (sign, role) = match outcome {
        Outcome::Failed(_) => ("✗", Role::Bad),
        Outcome::Answered(_) if call.reads_as_failed() => ("·", Role::Notice),
        Outcome::Answered(_) if call.unmarked => ("·", Role::Dim),
        Outcome::Answered(_) => ("✓", Role::Good),
        Outcome::Open(_) if call.is_answered() => ("·", Role::Dim),
        Outcome::Open(_) => ("?", Role::Notice),
    };
    let is_folded = is_many && matches!(outcome, Outcome::Answered(_));
    // A result of no call may tell no name.
    let name = Some(&*call.name)
        .filter(|name| !name.is_empty())
        .unwrap_or("result");
    let start = |fold: &str| {
        vec![
            (format!("{fold} {:>2} ", index + 1), Role::Dim),
            (format!("{sign} "), role),
            (name.to_owned(), Role::Title),
        ]
    };
    let mut row = start("▸");
    if let Some(first) = call.told_args(form.conventions).first() {
        let first = match first {
            Told::Code(code, _) => crate::text::headline(code, 120),
            other => sample(&other.value()),
        };
        row.push((format!(" {first}"), Role::Call));
    }
    let words = |answer| words(&call.told_answer(answer, form.conventions).value());
    row.push(match outcome {
        Outcome::Failed(error) => (format!("  ✗ {}", words(error)), Role::Bad),
        Outcome::Answered(result) => (format!("  → {}", words(result)), Role::Text),
        Outcome::Open(why) => (format!("  → {why}"), Role::Notice),
    });
    if child.is_some() {
        row.push(("  enter opens its run".to_owned(), Role::Dim));
    }
    let mut head = start("▾");
    head.push((format!("  {}", notes(call, child)), Role::Dim));
    body(call, &outcome, form)
        .headed(head)
        .as_item(row, is_folded)
        .with_child(child)
        .with_gap()
}

/// A value in a few words: a text as it is.
fn words(value: &Value) -> String {
    match value.as_str() {
        Some(text) => crate::text::headline(text, 120),
        None => clean_line(&sample(value)).into_owned(),
    }
}

/// Duration, time, id, and what is known of the result.
fn notes(call: &ToolCall, child: Option<usize>) -> String {
    let child = child.map(|number| match number {
        1 => "enter opens its run".to_owned(),
        number => format!("enter opens its run, from elsewhere {number} enter"),
    });
    let duration = call.duration_ms.map(amounts::duration);
    let duration = duration.map(|told| format!("{}{told}", call.duration_mark()));
    let timestamp = call.timestamp.as_deref().map(|at| format!("at {at}"));
    let id = call.id.as_deref().map(|id| format!("id {id}"));
    let exit = call.told_exit_code();
    let exit = exit.map(|code| format!("exit code {code}"));
    let result = call.result.get().and(call.result.note());
    let notes = [
        child,
        exit,
        duration,
        timestamp,
        id,
        result.map(str::to_owned),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    notes.join(" · ")
}
