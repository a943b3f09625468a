//! `per-turn-summary`: a summary a turn, failed turns and what led to them whole.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use super::left_out::{LeftOut, LeftOutItems, Reason};
use super::prompt::Segment;
use super::shared::{Maker, Tally};
use super::summary::{Scope, history_summary};
use super::{Compression, OptionSpec, Options, Prompt, Run, parts, whole_turn};
use crate::namespace::content::turn_number;
use crate::namespace::{Content, Origin, PromptMessage};
use crate::step::{History, Role, Timeline};

/// Whole: the latest turn, failed turns, and the `error_context` turns before a failed one. Any other
/// turn is a summary of its own.
#[derive(Debug)]
pub struct PerTurnSummary;

impl Compression for PerTurnSummary {
    fn name(&self) -> &'static str {
        "per-turn-summary"
    }

    fn title(&self) -> &'static str {
        "per turn"
    }

    fn help(&self) -> &'static str {
        "A summary a turn; the latest and failed turns whole"
    }

    fn options(&self) -> &'static [OptionSpec] {
        const OPTIONS: &[OptionSpec] = &[OptionSpec::count(
            "error_context",
            "error context",
            "Turns before a failed one that stay whole",
            1,
        )];
        OPTIONS
    }

    fn to_messages(&self, run: &Run, history: History<'_>, options: &Options) -> Prompt {
        let first = run.first_message(options.sample());
        let Some(last) = history.len().checked_sub(1) else {
            return whole_turn::then_whole_turns(run, first, 0, history, options);
        };
        // Whether a turn is whole is settled once all the turns that could make it so are there.
        let settled = history
            .len()
            .saturating_sub(error_context(options))
            .min(last);
        let head = run.system().into_iter().chain([first]);

        let shared = run.turn_messages.list(run.timeline(), MAKER, options);
        let mut sum = shared.before(settled);
        let mut tail = Vec::new();
        for index in settled..=last {
            if index == last {
                let whole = whole_turn::WHOLE;
                let whole = run.turn_messages.list(run.timeline(), whole, options);
                tail.extend_from_slice(whole.of_turn(last));
            } else {
                let made = turn_messages(history, index, false, options);
                tail.extend(made.into_iter().map(Arc::new));
            }
            sum += tally(history, index, index == last, options);
        }
        parts::end_with_indicator(&mut tail, history);

        let mut prompt = Prompt::of(vec![
            Segment::Made(head.collect()),
            Segment::turns(shared, &(0..settled)),
            Segment::Made(tail),
        ]);
        prompt.stats = sum.stats(history);
        if sum.compressed > 0 {
            let listed = |list: fn(History<'_>, &Options, &Range<usize>) -> Vec<Origin>, reason| {
                let options = options.clone();
                LeftOut::new(LeftOutItems::Listed { list, options }, reason)
            };
            prompt.left_out.push(listed(over_limit, Reason::OverLimit));
            prompt.left_out.push(listed(not_shown, Reason::NotShown));
        }
        prompt
    }
}

const MAKER: Maker = Maker {
    kind: "per-turn-summary",
    options: &[
        "println_limit",
        "tool_call_limit",
        "sample_limit",
        "sample_printable_limit",
        "args_limit",
        "args_printable_limit",
        "result_limit",
        "result_printable_limit",
        "collapse_repeats",
        "summary_style",
        "error_context",
    ],
    tally: |timeline, index, options| tally(timeline.all(), index, false, options),
    make: |timeline: &Timeline, index, options| {
        turn_messages(timeline.all(), index, false, options)
    },
};

fn error_context(options: &Options) -> usize {
    options.count("error_context")
}

fn is_whole(history: History<'_>, index: usize, last: bool, options: &Options) -> bool {
    let reach = index
        .saturating_add(error_context(options))
        .saturating_add(1);
    last || !history.failed_in(index..reach).is_empty()
}

/// Calls and prints of a turn; a failed turn counts none.
fn items(history: History<'_>, index: usize) -> (usize, usize) {
    let (before, after) = (
        history.first(index).counts(),
        history.first(index + 1).counts(),
    );
    (after.calls - before.calls, after.prints - before.prints)
}

fn tally(history: History<'_>, index: usize, last: bool, options: &Options) -> Tally {
    if is_whole(history, index, last, options) {
        return whole_turn::whole_turn_tally(history.timeline(), index);
    }
    let (calls, prints) = items(history, index);
    Tally {
        messages: 2,
        compressed: 1,
        calls_dropped: calls.saturating_sub(options.tool_call_limit()),
        prints_dropped: prints.saturating_sub(options.println_limit()),
    }
}

fn turn_messages(
    history: History<'_>,
    index: usize,
    last: bool,
    options: &Options,
) -> Vec<PromptMessage> {
    if is_whole(history, index, last, options) {
        return whole_turn::whole_turn(history.timeline(), index, options);
    }
    let upto = history.first(index + 1);
    let mut summary = Content::new();
    history_summary(&mut summary, &Scope::last_alone(upto), options);
    let mut next = Content::new();
    next.piece(Origin::Fixed, |out| {
        let _ = write!(out, "Turn {}", turn_number(index + 1));
        if let Some(max) = history.step().max_turns() {
            let _ = write!(out, " of {max}");
        }
    });
    parts::next_input(&mut next, upto);
    vec![summary.finish(Role::Assistant), next.finish(Role::User)]
}

/// The summarised turns of a history, within a range.
fn summarised(
    history: History<'_>,
    options: &Options,
    turns: &Range<usize>,
) -> impl Iterator<Item = usize> {
    let last = history.len().saturating_sub(1);
    let turns = turns.start..turns.end.min(history.len());
    turns.filter(move |&index| !is_whole(history, index, index == last, options))
}

fn over_limit(history: History<'_>, options: &Options, turns: &Range<usize>) -> Vec<Origin> {
    let mut found = Vec::new();
    for index in summarised(history, options, turns) {
        let turn = turn_number(index);
        let (calls, prints) = items(history, index);
        let calls = 0..calls.saturating_sub(options.tool_call_limit());
        let prints = 0..prints.saturating_sub(options.println_limit());
        found.extend(calls.map(|index| Origin::Call { turn, index }));
        found.extend(prints.map(|index| Origin::Print { turn, index }));
    }
    found
}

fn not_shown(history: History<'_>, options: &Options, turns: &Range<usize>) -> Vec<Origin> {
    summarised(history, options, turns)
        .flat_map(|index| {
            let has = history.amounts(index).unwrap_or_default();
            let turn = turn_number(index);
            let program = has.has_program.then_some(Origin::Program(turn));
            let result = has.has_result.then_some(Origin::Result(turn));
            program.into_iter().chain(result)
        })
        .collect()
}
