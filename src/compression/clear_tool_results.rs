//! `clear-tool-results`: over a number of tokens, older results of turns that made calls are cleared.

use std::ops::Range;

use super::left_out::{LeftOut, LeftOutItems, Reason};
use super::prompt::Figure;
use super::shared::Maker;
use super::{Compression, OptionSpec, Options, Prompt, Run, Uncompressed, whole_turn};
use crate::namespace::Origin;
use crate::step::History;

/// As uncompressed; at the trigger, the user messages after turns that made calls become
/// `[cleared]`, except in the last `keep` such turns.
#[derive(Debug)]
pub struct ClearToolResults;

impl Compression for ClearToolResults {
    fn name(&self) -> &'static str {
        "clear-tool-results"
    }

    fn title(&self) -> &'static str {
        "clearing"
    }

    fn help(&self) -> &'static str {
        "Every turn whole; over a number of tokens, older results of calls are cleared"
    }

    fn options(&self) -> &'static [OptionSpec] {
        const OPTIONS: &[OptionSpec] = &[
            OptionSpec::count(
                "trigger_tokens",
                "trigger",
                "Tokens of the prompt from which results are cleared",
                100_000,
            ),
            OptionSpec::count(
                "keep",
                "keep",
                "Turns with calls that keep their results",
                3,
            ),
            OptionSpec::count(
                "clear_at_least",
                "at least",
                "Tokens that clearing must save, or nothing is cleared",
                0,
            ),
        ];
        OPTIONS
    }

    fn to_messages(&self, run: &Run, history: History<'_>, options: &Options) -> Prompt {
        let whole = Uncompressed.to_messages(run, history, options);
        let tokenizer = options.tokenizer();
        let tokens = whole.tokens(tokenizer);
        let upto = cleared_upto(history, options);
        let list = run.turn_messages.list(run.timeline(), CLEARED, options);
        let sum = list.before(upto);
        if sum.compressed == 0 || tokens < options.count("trigger_tokens") {
            return report(whole, 0);
        }
        let first = run.first_message(options.sample());
        let turns = 0..history.len();
        let older = Some((CLEARED, upto));
        let mut prompt = whole_turn::then_turns(run, first, turns, older, history, options);
        let saved = tokens.saturating_sub(prompt.tokens(tokenizer));
        if saved < options.count("clear_at_least") {
            return report(whole, 0);
        }
        prompt.stats = sum.stats(history);
        let items = LeftOutItems::Listed {
            list: items,
            options: options.clone(),
        };
        prompt.left_out.push(LeftOut::new(items, Reason::Cleared));
        report(prompt, sum.compressed)
    }
}

fn report(mut prompt: Prompt, cleared: usize) -> Prompt {
    let stats = &mut prompt.stats;
    stats.figures.push(("cleared", Figure::Count(cleared)));
    stats.notes.push(match cleared {
        0 => "no results cleared".to_owned(),
        1 => "the results of 1 turn cleared".to_owned(),
        _ => format!("the results of {cleared} turns cleared"),
    });
    prompt
}

fn made_calls(history: History<'_>, index: usize) -> bool {
    let amounts = history.amounts(index);
    amounts.is_some_and(|amounts| amounts.calls > 0)
}

/// The turns before this index are cleared, if they made calls.
fn cleared_upto(history: History<'_>, options: &Options) -> usize {
    let latest = (0..history.len()).rev();
    let mut calling = latest.filter(|&index| made_calls(history, index));
    match options.count("keep").checked_sub(1) {
        None => history.len(),
        Some(skipped) => calling.nth(skipped).unwrap_or(0),
    }
}

fn items(history: History<'_>, options: &Options, turns: &Range<usize>) -> Vec<Origin> {
    let turns = turns.start..turns.end.min(cleared_upto(history, options));
    turns
        .filter(|&index| made_calls(history, index))
        .flat_map(|index| whole_turn::outcome_items(history, index))
        .collect()
}

const CLEARED: Maker = Maker {
    kind: "cleared",
    options: whole_turn::WHOLE.options,
    tally: |timeline, index, _| {
        if made_calls(timeline.all(), index) {
            whole_turn::noted_turn_tally(timeline, index)
        } else {
            whole_turn::whole_turn_tally(timeline, index)
        }
    },
    make: |timeline, index, options| {
        if made_calls(timeline.all(), index) {
            whole_turn::noted_turn(timeline, index, options, |_| "[cleared]".to_owned())
        } else {
            whole_turn::whole_turn(timeline, index, options)
        }
    },
};
