//! `observation-masking`: what older turns answered becomes a note on its size.

use std::ops::Range;

use super::left_out::{LeftOut, LeftOutItems, Reason};
use super::shared::Maker;
use super::{Compression, OptionSpec, Options, Prompt, Run, whole_turn};
use crate::namespace::Origin;
use crate::namespace::content::turn_number;
use crate::step::History;

/// Opening, then every turn; the user messages of those older than the last `window` are masked,
/// failed turns' too. Programs and inputs stay.
#[derive(Debug)]
pub struct ObservationMasking;

impl Compression for ObservationMasking {
    fn name(&self) -> &'static str {
        "observation-masking"
    }

    fn title(&self) -> &'static str {
        "masking"
    }

    fn help(&self) -> &'static str {
        "Every program; the results and prints of older turns masked"
    }

    fn options(&self) -> &'static [OptionSpec] {
        const OPTIONS: &[OptionSpec] = &[OptionSpec::count(
            "window",
            "window",
            "Turns that stay whole",
            10,
        )];
        OPTIONS
    }

    fn to_messages(&self, run: &Run, history: History<'_>, options: &Options) -> Prompt {
        let masked = masked(history, options);
        let first = run.first_message(options.sample());
        let turns = 0..history.len();
        let older = Some((MASKED, masked));
        let mut prompt = whole_turn::then_turns(run, first, turns, older, history, options);
        let list = run.turn_messages.list(run.timeline(), MASKED, options);
        let sum = list.before(masked);
        prompt.stats = sum.stats(history);
        if sum.compressed > 0 {
            let items = LeftOutItems::Listed {
                list: items,
                options: options.clone(),
            };
            prompt.left_out.push(LeftOut::new(items, Reason::Masked));
        }
        prompt
    }
}

/// How many turns are masked.
fn masked(history: History<'_>, options: &Options) -> usize {
    history.len().saturating_sub(options.count("window"))
}

fn items(history: History<'_>, options: &Options, turns: &Range<usize>) -> Vec<Origin> {
    let turns = turns.start..turns.end.min(masked(history, options));
    turns
        .flat_map(|index| whole_turn::outcome_items(history, index))
        .collect()
}

const MASKED: Maker = Maker {
    kind: "masked",
    options: whole_turn::WHOLE.options,
    tally: |timeline, index, _| whole_turn::noted_turn_tally(timeline, index),
    make: |timeline, index, options| {
        whole_turn::noted_turn(timeline, index, options, |gone| {
            let lines = gone.split('\n').count();
            format!("[turn {}: {lines} lines left out]", turn_number(index))
        })
    },
};
