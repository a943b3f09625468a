//! `single-user-coalesced`, the default: everything in one user message.

use super::prompt::{LeftOut, LeftOutItems, Reason};
use super::summary::{Scope, history_summary};
use super::{Compression, OptionSpec, Options, Prompt, Run, parts};
use crate::namespace::Origin;
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
    messages: Vec<crate::namespace::PromptMessage>,
    history: History<'_>,
    limits: (usize, usize),
) -> Prompt {
    let len = history.len();
    let mut stats = parts::summary_stats(history, len, limits);
    let mut left_out = parts::summary_left_out(history, 0..len, limits, Reason::OverLimit);
    if let Some(last) = history.last().filter(|turn| turn.failed()) {
        stats.errors_collapsed -= 1;
        for gone in &mut left_out {
            if let LeftOutItems::FailedTurns(turns) = &mut gone.items {
                turns.end = len - 1;
            }
        }
        let turn = last.number();
        let calls = (0..last.tool_calls().len()).map(|index| Origin::Call { turn, index });
        let prints = (0..last.prints().len()).map(|index| Origin::Print { turn, index });
        let unseen: Vec<Origin> = calls.chain(prints).collect();
        if !unseen.is_empty() {
            left_out.push(LeftOut::new(LeftOutItems::Pieces(unseen), Reason::NotShown));
        }
    }
    let mut prompt = Prompt::new(messages, left_out, stats);
    let made: Vec<_> = prompt.iter().collect();
    prompt.left_out.extend(parts::cut_pieces(&made));
    prompt
}
