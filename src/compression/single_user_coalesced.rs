//! `single-user-coalesced`, the default: everything in one user message.

use std::sync::Arc;

use super::left_out::{LeftOut, LeftOutItems, Reason, failed_items};
use super::summary::{Scope, history_summary};
use super::{Compression, OptionSpec, Options, Prompt, Run, parts};
use crate::namespace::{Origin, PromptMessage};
use crate::step::History;

/// Opening, history summary, the last turn's error, indicator [MSG-001..007, CMP, ERR].
#[derive(Debug)]
pub struct SingleUserCoalesced;

impl Compression for SingleUserCoalesced {
    fn name(&self) -> &'static str {
        "single-user-coalesced"
    }

    fn title(&self) -> &'static str {
        "coalesced"
    }

    fn help(&self) -> &'static str {
        "One user message: definitions, calls and prints of all turns, the last turn's error"
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[]
    }

    fn to_messages(&self, run: &Run, history: History<'_>, options: &Options) -> Prompt {
        let mut content = run.opening(options.sample());
        history_summary(&mut content, &Scope::all(history), options);
        parts::error_section(&mut content, history, options.result());
        let messages = parts::one_user_message(run, history, content);
        let limits = (options.tool_call_limit(), options.println_limit());
        one_message_prompt(messages, history, limits)
    }
}

/// A prompt of one user message with what such a prompt leaves out and counts: all turns are
/// summarised, and of the failed ones only the last can be seen.
pub(super) fn one_message_prompt(
    messages: Vec<Arc<PromptMessage>>,
    history: History<'_>,
    limits: (usize, usize),
) -> Prompt {
    let len = history.len();
    let mut stats = parts::summary_stats(history, len, limits);
    let mut left_out = parts::summary_left_out(history, 0..len, limits, Reason::OverLimit);
    let last_failed = history.last_failed();
    if last_failed {
        stats.errors_collapsed -= 1;
        for gone in &mut left_out {
            if let LeftOutItems::FailedTurns(turns) = &mut gone.items {
                turns.end = len - 1;
            }
        }
    }
    let mut prompt = Prompt::new(messages, left_out, stats);
    let made: Vec<_> = prompt.iter().collect();
    if last_failed {
        let shown = |origin: &Origin| {
            let mut pieces = made.iter().flat_map(|message| &message.pieces);
            pieces.any(|piece| piece.origin == *origin)
        };
        let mut unseen = failed_items(history, len - 1);
        unseen.retain(|origin| !shown(origin));
        if !unseen.is_empty() {
            let unseen = LeftOutItems::Pieces(unseen);
            prompt.left_out.push(LeftOut::new(unseen, Reason::NotShown));
        }
    }
    prompt.left_out.extend(parts::cut_pieces(&made));
    prompt
}
