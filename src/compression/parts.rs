//! Parts that several strategies share (requirements 7): opening, whole turn, error section,
//! indicator, and how a prompt of whole turns is put together.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use super::prompt::{LeftOut, LeftOutItems, Prompt, Reason, Shown, Stats};
use super::shared::{Maker, Tally};
use super::{Case, Options, Run};
use crate::namespace::content::turn_number;
use crate::namespace::{Content, Origin, PromptMessage, data, tool};
use crate::step::{Field, History, Role, Step, Timeline, Turn, history::ItemRef};
use crate::value::{Limits, Value, clojure::write_value, json::Plain};

/// Mission, `tool/` section, `data/` section; empty ones left out.
pub(super) fn opening(step: &Step, sample: Limits) -> Content {
    let mut content = Content::new();
    mission(&mut content, step);
    tool::section(&mut content, &step.tools);
    data::section(&mut content, data::Data::of(step), sample);
    content
}

/// The mission as a part of its own.
pub(super) fn mission(content: &mut Content, step: &Step) {
    if let Some(mission) = step.mission.as_deref().filter(|text| !text.is_empty()) {
        content.part();
        content.text(Origin::Mission, mission);
    }
}

/// `Turns left: N`, or that this is the last turn; nothing where the run's limit is unknown [MSG-005].
pub(super) fn indicator(content: &mut Content, history: History<'_>) {
    let Some(max) = history.step().max_turns() else {
        return;
    };
    let used = turn_number(history.len()).saturating_sub(1);
    let left = i64::from(max) - i64::from(used);
    content.part();
    content.piece(Origin::Indicator, |out| {
        if left <= 1 {
            out.push_str("FINAL TURN - you must call (return result) or (fail reason) now.");
        } else {
            let _ = write!(out, "Turns left: {left}");
        }
    });
}

/// Text that arrived after these turns, as a part of its own.
pub(super) fn next_input(content: &mut Content, history: History<'_>) {
    if let Some(input) = history.next_input() {
        content.part();
        content.text(Origin::Input(turn_number(history.len())), input);
    }
}

/// What a strategy with one user message does at its end: pending input, indicator, system message.
pub(super) fn one_user_message(
    run: &Run,
    history: History<'_>,
    mut content: Content,
) -> Vec<PromptMessage> {
    next_input(&mut content, history);
    indicator(&mut content, history);
    run.system()
        .into_iter()
        .chain([content.finish(Role::User)])
        .collect()
}

/// The prompt of a single-shot run, whatever the strategy [SS-001..004]: no history, no indicator.
pub(super) fn single_shot(run: &Run, history: History<'_>, case: &Case) -> Prompt {
    let mut content = run.opening(case.options.sample());
    next_input(&mut content, history.first(0));
    let messages = run.system().into_iter().chain([content.finish(Role::User)]);
    let counts = history.counts();
    let stats = Stats {
        strategy: case.strategy.name(),
        turns_compressed: history.len(),
        calls: Shown::new(0, counts.calls),
        prints: Shown::new(0, counts.prints),
        errors_collapsed: counts.failed,
        notes: Vec::new(),
    };
    let everything = summary_left_out(history, 0..history.len(), (0, 0), Reason::NotShown);
    Prompt::new(messages.collect(), everything, stats)
}

/// What a summary of some turns leaves out: results, programs and inputs; calls and prints over
/// their limits; failed turns; definitions that later ones replaced.
pub(super) fn summary_left_out(
    history: History<'_>,
    turns: Range<usize>,
    (calls_shown, prints_shown): (usize, usize),
    over: Reason,
) -> Vec<LeftOut> {
    let summarised = history.first(turns.end).counts();
    let before = history.first(turns.start).counts();
    let calls = before.calls..summarised.calls.saturating_sub(calls_shown);
    let prints = before.prints..summarised.prints.saturating_sub(prints_shown);
    [
        (LeftOutItems::Calls(calls.clone()), over, calls.is_empty()),
        (
            LeftOutItems::Prints(prints.clone()),
            over,
            prints.is_empty(),
        ),
        (
            LeftOutItems::FailedTurns(turns.clone()),
            Reason::ErrorCollapsed,
            history.failed_in(turns.clone()).is_empty(),
        ),
        (
            LeftOutItems::Definitions(turns.clone()),
            Reason::Superseded,
            turns.is_empty(),
        ),
        (
            LeftOutItems::Programs(turns.clone()),
            Reason::NotShown,
            turns.is_empty(),
        ),
        (
            LeftOutItems::Results(turns.clone()),
            Reason::NotShown,
            turns.is_empty(),
        ),
        (
            LeftOutItems::Inputs(turns.clone()),
            Reason::NotShown,
            turns.is_empty(),
        ),
    ]
    .into_iter()
    .filter(|(_, _, empty)| !empty)
    .map(|(items, reason, _)| LeftOut::new(items, reason))
    .collect()
}

/// The message of a failed turn: the result's `message`, else its `reason`, else the text itself,
/// else the value formatted. The flag says whether a limit cut it.
pub fn error_message(turn: &Turn, limits: Limits) -> (String, bool) {
    let Some(result) = turn.result().get() else {
        return ("the trace records no error message".to_owned(), false);
    };
    let told = result
        .get_some("message")
        .or_else(|| result.get_some("reason"));
    plain_or_formatted(told.unwrap_or(result), limits)
}

/// A string as it is, another value formatted.
fn plain_or_formatted(value: &Value, limits: Limits) -> (String, bool) {
    match value {
        Value::Str(text) => (text.to_string(), false),
        other => crate::value::to_clojure(other, limits),
    }
}

/// Appends the program in a fenced block, or the response and the calls of a turn without one.
/// `label` introduces it and belongs to its first piece.
pub(super) fn program(content: &mut Content, turn: &Turn, label: &str) {
    let number = turn.number();
    if let Some(program) = turn.program().get() {
        content.piece(Origin::Program(number), |out| {
            let _ = write!(
                out,
                "{label}```{}\n{}\n```",
                program.language, program.source
            );
        });
        return;
    }
    let response = turn.raw_response().get().map_or("", |text| text);
    if !response.is_empty() || !label.is_empty() {
        content.piece(Origin::Program(number), |out| {
            out.push_str(label);
            out.push_str(response);
        });
    }
    for (index, call) in turn.tool_calls().iter().enumerate() {
        let at = Origin::Call {
            turn: number,
            index,
        };
        content.piece(at, |out| {
            let args = serde_json::to_string(&Plain(&call.args)).unwrap_or_default();
            let first = index == 0 && response.is_empty();
            let line_end = if first { "" } else { "\n" };
            let _ = write!(out, "{line_end}{} {args}", call.name);
        });
    }
}

/// Appends what followed a turn: its result or error, what it printed. The flag of
/// [`Field::Preview`] and the writer's cuts show as the writer's own text.
fn outcome(content: &mut Content, turn: &Turn, index: usize, limits: Limits) {
    let number = turn.number();
    if turn.failed() {
        content.part();
        content.piece_cut(Origin::Error(number), |out| {
            let (message, cut) = error_message(turn, limits);
            let _ = write!(out, "Error: {message}");
            cut
        });
    } else if let Some(result) = turn.result().get() {
        content.part();
        content.piece_cut(Origin::Result(number), |out| {
            out.push_str("Result: ");
            match (turn.result(), result) {
                (Field::Preview(_) | Field::Cut(_), Value::Str(text)) => {
                    out.push_str(text);
                    true
                }
                _ => write_value(out, result, limits),
            }
        });
    } else {
        call_results(content, turn, limits);
    }
    if !turn.prints().is_empty() {
        content.part();
        content.text(Origin::Fixed, ";; Output:");
        for (place, print) in turn.prints().iter().enumerate() {
            let at = ItemRef {
                turn: index,
                index: place,
            };
            content.piece(Origin::print(at), |out| {
                out.push('\n');
                out.push_str(print);
            });
        }
    }
}

/// Appends the calls' results in call order, a blank line between two.
fn call_results(content: &mut Content, turn: &Turn, limits: Limits) {
    for call in turn.tool_calls() {
        let (text, cut) = match (&call.error, call.result.get()) {
            (Some(error), _) => {
                let (message, cut) = plain_or_formatted(error, limits);
                (format!("Error: {message}"), cut)
            }
            (None, Some(result)) => plain_or_formatted(result, limits),
            (None, None) => continue,
        };
        content.part();
        content.piece_cut(Origin::Result(turn.number()), |out| {
            out.push_str(&text);
            cut
        });
    }
}

/// Whether anything follows a turn's assistant message: [`outcome`] or the next input.
fn has_user_message(turn: &Turn, next_input: bool) -> bool {
    let answered =
        |call: &crate::step::ToolCall| call.error.is_some() || call.result.get().is_some();
    next_input
        || turn.failed()
        || turn.result().get().is_some()
        || !turn.prints().is_empty()
        || turn.tool_calls().iter().any(answered)
}

/// The messages of a whole turn: what the LLM said, then what followed.
pub(super) fn whole_turn(
    timeline: &Timeline,
    index: usize,
    options: &Options,
) -> Vec<PromptMessage> {
    let history = timeline.first(index + 1);
    let Some(turn) = history.last() else {
        return Vec::new();
    };
    let mut said = Content::new();
    program(&mut said, &turn, "");
    let mut messages = vec![said.finish(Role::Assistant)];
    if has_user_message(&turn, history.next_input().is_some()) {
        let mut followed = Content::new();
        outcome(&mut followed, &turn, index, options.result());
        next_input(&mut followed, history);
        messages.push(followed.finish(Role::User));
    }
    messages
}

/// What is known of a whole turn's messages without making them.
pub(super) fn whole_turn_tally(timeline: &Timeline, index: usize) -> Tally {
    let history = timeline.first(index + 1);
    let follows = history
        .last()
        .is_some_and(|turn| has_user_message(&turn, history.next_input().is_some()));
    Tally {
        messages: 1 + usize::from(follows),
        ..Tally::default()
    }
}

/// Whole turns, as every strategy shows them that shows any.
const WHOLE: Maker = Maker {
    kind: "whole",
    options: &["result_limit", "result_printable_limit"],
    tally: |timeline, index, _| whole_turn_tally(timeline, index),
    make: whole_turn,
};

/// A prompt that begins with a user message and goes on with whole turns from index `from`.
pub(super) fn then_whole_turns(
    run: &Run,
    mut first: Content,
    from: usize,
    history: History<'_>,
    options: &Options,
) -> Prompt {
    next_input(&mut first, history.first(from));
    let system = run.system().into_iter();
    if from >= history.len() {
        indicator(&mut first, history);
        let messages = system.chain([first.finish(Role::User)]).collect();
        return Prompt::new(messages, Vec::new(), Stats::default());
    }
    let head = system.chain([first.finish(Role::User)]).collect();
    let last = history.len() - 1;
    let mut tail = whole_turn(run.timeline(), last, &options.only(WHOLE.options));
    end_with_indicator(&mut tail, history);
    let whole = run.turn_messages.list(run.timeline(), WHOLE, options);
    Prompt::with_turns(head, whole, from..last, tail)
}

/// Puts the indicator at the end of the last message, which is or becomes a user message.
pub(super) fn end_with_indicator(messages: &mut Vec<PromptMessage>, history: History<'_>) {
    let ends_with_user = messages.last().is_some_and(|m| m.role == Role::User);
    let mut content = match messages.pop_if(|_| ends_with_user) {
        Some(last) => Content::continuing(&last),
        None => Content::new(),
    };
    indicator(&mut content, history);
    if !content.is_empty() {
        messages.push(content.finish(Role::User));
    }
}

/// Appends the error section of the last turn, if it failed [ERR-001..005].
pub(super) fn error_section(content: &mut Content, history: History<'_>, limits: Limits) {
    let Some(turn) = history.last().filter(|turn| turn.failed()) else {
        return;
    };
    content.part();
    program(content, &turn, "---\nYour previous attempt:\n");
    content.piece_cut(Origin::Error(turn.number()), |out| {
        let (message, cut) = error_message(&turn, limits);
        let _ = write!(out, "\n\nError: {message}\n---");
        cut
    });
}

/// Statistics of a prompt in which the turns before index `from` are one summary that shows so many
/// calls and prints, and the rest is whole.
pub(super) fn summary_stats(history: History<'_>, from: usize, limits: (usize, usize)) -> Stats {
    let older = history.first(from).counts();
    let all = history.counts();
    let shown =
        |limit: usize, older: usize, all: usize| Shown::new(older.min(limit) + all - older, all);
    Stats {
        turns_compressed: from,
        calls: shown(limits.0, older.calls, all.calls),
        prints: shown(limits.1, older.prints, all.prints),
        errors_collapsed: older.failed,
        ..Stats::default()
    }
}

/// The pieces of a message that a limit cut inside.
pub(super) fn cut_pieces(messages: &[Arc<PromptMessage>]) -> Option<LeftOut> {
    let cut: Vec<Origin> = messages
        .iter()
        .flat_map(|message| message.pieces.iter())
        .filter(|piece| piece.cut)
        .map(|piece| piece.origin.clone())
        .collect();
    (!cut.is_empty()).then(|| LeftOut::new(LeftOutItems::Pieces(cut), Reason::Cut))
}
