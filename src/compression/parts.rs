//! Parts that several strategies share (requirements 7): opening, error section, indicator, and what a
//! summary of turns counts and leaves out. Whole turns are in `whole_turn.rs`.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use super::left_out::{LeftOut, LeftOutItems, Reason};
use super::prompt::{Prompt, Shown, Stats};
use super::whole_turn::{error_message, program};
use super::{Case, Run};
use crate::namespace::content::turn_number;
use crate::namespace::{Content, Origin, PromptMessage, data, tool};
use crate::step::{History, Role, Step};
use crate::value::Limits;

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
        content.text(Origin::Input(turn_number(history.len())), &input);
    }
}

/// What a strategy with one user message does at its end: pending input, indicator, system message.
pub(super) fn one_user_message(
    run: &Run,
    history: History<'_>,
    mut content: Content,
) -> Vec<Arc<PromptMessage>> {
    next_input(&mut content, history);
    indicator(&mut content, history);
    let user = Arc::new(content.finish(Role::User));
    run.system().into_iter().chain([user]).collect()
}

/// The prompt of a single-shot run, whatever the strategy [SS-001..004]: no history, no indicator.
pub(super) fn single_shot(run: &Run, history: History<'_>, case: &Case) -> Prompt {
    let first = run.first_message(case.options.sample());
    let messages = run.system().into_iter().chain([first]);
    let counts = history.counts();
    let stats = Stats {
        strategy: case.strategy.name(),
        turns_compressed: history.len(),
        calls: Shown::new(0, counts.calls),
        prints: Shown::new(0, counts.prints),
        errors_collapsed: counts.failed,
        ..Stats::default()
    };
    let mut everything = summary_left_out(history, 0..history.len(), (0, 0), Reason::NotShown);
    let next = LeftOutItems::Inputs(history.len().max(1)..history.len() + 1);
    everything.push(LeftOut::new(next, Reason::NotShown));
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

/// Puts the indicator at the end of the last message, which is or becomes a user message.
pub(super) fn end_with_indicator(messages: &mut Vec<Arc<PromptMessage>>, history: History<'_>) {
    let last = messages.last().filter(|last| last.role == Role::User);
    let mut content = last.map_or_else(Content::new, |last| Content::continuing(last));
    let before = content.as_str().len();
    indicator(&mut content, history);
    // A run without an indicator shares the message with later prompts.
    if content.as_str().len() > before {
        messages.pop_if(|last| last.role == Role::User);
        messages.push(Arc::new(content.finish(Role::User)));
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

/// Statistics of a prompt in which all turns are whole but those of a range of indexes, of which
/// nothing is there.
pub(super) fn gap_stats(history: History<'_>, gap: &Range<usize>) -> Stats {
    let before = history.first(gap.start).counts();
    let upto = history.first(gap.end).counts();
    let all = history.counts();
    Stats {
        turns_compressed: gap.len(),
        calls: Shown::new(all.calls - (upto.calls - before.calls), all.calls),
        prints: Shown::new(all.prints - (upto.prints - before.prints), all.prints),
        errors_collapsed: upto.failed - before.failed,
        ..Stats::default()
    }
}

/// What is left out where nothing of the turns of a range is there. What arrived before a turn stands
/// in the message of the turn before it.
pub(super) fn gap_left_out(
    history: History<'_>,
    gap: &Range<usize>,
    reason: Reason,
) -> Vec<LeftOut> {
    let before = history.first(gap.start).counts();
    let upto = history.first(gap.end).counts();
    [
        LeftOutItems::Programs(gap.clone()),
        LeftOutItems::Calls(before.calls..upto.calls),
        LeftOutItems::Results(gap.clone()),
        LeftOutItems::Prints(before.prints..upto.prints),
        LeftOutItems::FailedTurns(gap.clone()),
        LeftOutItems::Inputs(gap.start + 1..gap.end + 1),
    ]
    .into_iter()
    .filter(|_| !gap.is_empty())
    .map(|items| LeftOut::new(items, reason))
    .collect()
}
