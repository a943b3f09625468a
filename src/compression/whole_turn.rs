//! A whole turn: what the LLM said and what followed, and prompts that are put together of such turns
//! (requirements 7).

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use super::parts::{end_with_indicator, indicator, next_input};
use super::prompt::{Prompt, Segment};
use super::shared::{Maker, Tally};
use super::{Options, Run};
use crate::namespace::content::turn_number;
use crate::namespace::{Content, Origin, PromptMessage};
use crate::step::{Amounts, Field, History, Role, Timeline, Turn, history::ItemRef};
use crate::value::{Limits, Value, clojure::write_value, json::Plain};

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

/// A string as it is, another value formatted. The flag says whether a limit cut it.
pub fn plain_or_formatted(value: &Value, limits: Limits) -> (String, bool) {
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
        for (place, print) in turn.prints().iter().enumerate() {
            let at = ItemRef {
                turn: index,
                index: place,
            };
            // The label belongs to what it introduces.
            let label = if place == 0 { ";; Output:" } else { "" };
            content.piece(Origin::print(at), |out| {
                out.push_str(label);
                out.push('\n');
                out.push_str(print);
            });
        }
    }
}

/// Appends the calls' results in call order, a blank line between two.
fn call_results(content: &mut Content, turn: &Turn, limits: Limits) {
    for call in turn.tool_calls() {
        let seen = call.seen();
        let mut texts = Vec::new();
        let mut is_cut = false;
        for value in seen.result.into_iter().chain(seen.error) {
            let (mut text, cut) = plain_or_formatted(value, limits);
            // A failed call is seen as such, also where its result tells all there is.
            if call.error.is_some() && (seen.error.is_none() || seen.error == Some(value)) {
                text.insert_str(0, "Error: ");
            }
            texts.push(text);
            is_cut |= cut;
        }
        if texts.is_empty() {
            continue;
        }
        content.part();
        content.piece_cut(Origin::Result(turn.number()), |out| {
            out.push_str(&texts.join("\n"));
            is_cut
        });
    }
}

/// Whether anything but the next input follows a turn's assistant message; told without reading the turn.
pub(super) fn has_outcome(history: History<'_>, index: usize) -> bool {
    history.failed(index) || history.amounts(index).is_some_and(Amounts::tells)
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
    if has_outcome(history, index) || history.has_next_input() {
        let mut followed = Content::new();
        outcome(&mut followed, &turn, index, options.result());
        next_input(&mut followed, history);
        messages.push(followed.finish(Role::User));
    }
    messages
}

/// The messages of a turn whose outcome a note takes the place of; the input after it stays. `note` is
/// given the outcome.
pub(super) fn noted_turn(
    timeline: &Timeline,
    index: usize,
    options: &Options,
    note: impl FnOnce(&str) -> String,
) -> Vec<PromptMessage> {
    let history = timeline.first(index + 1);
    let mut messages = whole_turn(timeline, index, options);
    let Some(turn) = history.last().filter(|_| has_outcome(history, index)) else {
        return messages;
    };
    let mut gone = Content::new();
    outcome(&mut gone, &turn, index, options.result());
    let mut followed = Content::new();
    followed.text(Origin::Fixed, &note(gone.as_str()));
    next_input(&mut followed, history);
    messages.truncate(1);
    messages.push(followed.finish(Role::User));
    messages
}

/// What is known of a turn's messages of which [`noted_turn`] makes the second.
pub(super) fn noted_turn_tally(timeline: &Timeline, index: usize) -> Tally {
    let history = timeline.first(index + 1);
    if !has_outcome(history, index) {
        return whole_turn_tally(timeline, index);
    }
    Tally {
        messages: 2,
        compressed: 1,
        prints_dropped: history.counts().prints - history.first(index).counts().prints,
        calls_dropped: 0,
    }
}

/// What is gone of a turn whose outcome a note took the place of.
pub(super) fn outcome_items(history: History<'_>, index: usize) -> Vec<Origin> {
    let has = history.amounts(index).unwrap_or_default();
    let turn = turn_number(index);
    let outcome = if history.failed(index) {
        Some(Origin::Error(turn))
    } else {
        has.has_result.then_some(Origin::Result(turn))
    };
    let prints = (0..has.prints).map(|index| Origin::Print { turn, index });
    outcome.into_iter().chain(prints).collect()
}

/// What is known of a whole turn's messages without making them.
pub(super) fn whole_turn_tally(timeline: &Timeline, index: usize) -> Tally {
    let history = timeline.first(index + 1);
    let follows =
        index < history.len() && (has_outcome(history, index) || history.has_next_input());
    Tally {
        messages: 1 + usize::from(follows),
        ..Tally::default()
    }
}

/// Whole turns, as every strategy shows them that shows any.
pub(super) const WHOLE: Maker = Maker {
    kind: "whole",
    options: &["result_limit", "result_printable_limit"],
    tally: |timeline, index, _| whole_turn_tally(timeline, index),
    make: whole_turn,
};

/// A prompt that begins with a user message and goes on with whole turns from index `from`.
pub(super) fn then_whole_turns(
    run: &Run,
    first: Arc<PromptMessage>,
    from: usize,
    history: History<'_>,
    options: &Options,
) -> Prompt {
    then_turns(run, first, from..history.len(), None, history, options)
}

/// A prompt that begins with a user message and goes on with the turns of a range that ends with the
/// history: whole ones, or before an index made in another way.
pub(super) fn then_turns(
    run: &Run,
    first: Arc<PromptMessage>,
    turns: Range<usize>,
    older: Option<(Maker, usize)>,
    history: History<'_>,
    options: &Options,
) -> Prompt {
    let system = run.system().into_iter();
    if turns.is_empty() {
        let mut only = Content::continuing(&first);
        indicator(&mut only, history);
        return Prompt::of(vec![Segment::Made(
            system.chain([Arc::new(only.finish(Role::User))]).collect(),
        )]);
    }
    let last = turns.end - 1;
    let (older, from) = older.unwrap_or((WHOLE, turns.start));
    let latest = if from > last { older } else { WHOLE };
    let made = |maker: Maker| run.turn_messages.list(run.timeline(), maker, options);
    let mut tail = made(latest).of_turn(last).to_vec();
    end_with_indicator(&mut tail, history);
    let from = from.clamp(turns.start, last);
    Prompt::of(vec![
        Segment::Made(system.chain([first]).collect()),
        Segment::turns(made(older), &(turns.start..from)),
        Segment::turns(made(WHOLE), &(from..last)),
        Segment::Made(tail),
    ])
}
