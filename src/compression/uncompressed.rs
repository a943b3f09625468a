//! `uncompressed`: every turn whole.

use super::{Compression, OptionSpec, Options, Prompt, Run, Stats, prompt::Shown, whole_turn};
use crate::step::History;

/// Opening, then every turn whole. No limits on calls and prints, no collapsing.
#[derive(Debug)]
pub struct Uncompressed;

impl Compression for Uncompressed {
    fn name(&self) -> &'static str {
        "uncompressed"
    }

    fn title(&self) -> &'static str {
        "uncompressed"
    }

    fn help(&self) -> &'static str {
        "Every turn whole: programs, results, prints, errors"
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[]
    }

    fn to_messages(&self, run: &Run, history: History<'_>, options: &Options) -> Prompt {
        let first = run.first_message(options.sample());
        let mut prompt = whole_turn::then_whole_turns(run, first, 0, history, options);
        let counts = history.counts();
        prompt.stats = Stats {
            calls: Shown::new(counts.calls, counts.calls),
            prints: Shown::new(counts.prints, counts.prints),
            ..Stats::default()
        };
        prompt
    }
}
