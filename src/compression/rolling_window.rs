//! `rolling-window`: the latest turns whole, older ones summarised.

use std::sync::Arc;

use super::left_out::Reason;
use super::summary::{Scope, history_summary};
use super::{Compression, OptionSpec, Options, Prompt, Run, Uncompressed, parts, whole_turn};
use crate::step::{History, Role};

/// Opening and a summary of the older turns, then the last `window` turns whole.
#[derive(Debug)]
pub struct RollingWindow;

impl Compression for RollingWindow {
    fn name(&self) -> &'static str {
        "rolling-window"
    }

    fn title(&self) -> &'static str {
        "window"
    }

    fn help(&self) -> &'static str {
        "The last turns whole, older ones as a summary"
    }

    fn options(&self) -> &'static [OptionSpec] {
        const OPTIONS: &[OptionSpec] = &[OptionSpec::count(
            "window",
            "window",
            "Turns that stay whole",
            3,
        )];
        OPTIONS
    }

    fn to_messages(&self, run: &Run, history: History<'_>, options: &Options) -> Prompt {
        with_window(run, history, options.count("window"), options)
    }
}

/// The prompt with the last `window` turns whole.
pub(super) fn with_window(
    run: &Run,
    history: History<'_>,
    window: usize,
    options: &Options,
) -> Prompt {
    let from = history.len().saturating_sub(window);
    if from == 0 {
        return Uncompressed.to_messages(run, history, options);
    }
    let older = history.first(from);
    let mut first = run.opening(options.sample());
    history_summary(&mut first, &Scope::all(older), options);
    parts::next_input(&mut first, older);
    let first = Arc::new(first.finish(Role::User));
    let mut prompt = whole_turn::then_whole_turns(run, first, from, history, options);
    let limits = (options.tool_call_limit(), options.println_limit());
    prompt.stats = parts::summary_stats(history, from, limits);
    prompt.left_out = parts::summary_left_out(history, 0..from, limits, Reason::OverLimit);
    let made: Vec<_> = prompt.get(0).into_iter().chain(prompt.get(1)).collect();
    prompt.left_out.extend(parts::cut_pieces(&made));
    prompt
}
