//! `budget`: `rolling-window` with the largest window whose whole prompt fits.

use super::prompt::Figure;
use super::rolling_window::with_window;
use super::{Compression, OptionSpec, Options, Prompt, Run, whole_turn};
use crate::step::History;
use crate::tokens::Lines;

/// The largest window within `token_budget`, else none.
#[derive(Debug)]
pub struct Budget;

impl Compression for Budget {
    fn name(&self) -> &'static str {
        "budget"
    }

    fn title(&self) -> &'static str {
        "budget"
    }

    fn help(&self) -> &'static str {
        "As many of the last turns whole as fit into a budget of tokens, older ones as a summary"
    }

    fn options(&self) -> &'static [OptionSpec] {
        const OPTIONS: &[OptionSpec] = &[OptionSpec::count(
            "token_budget",
            "budget",
            "Tokens the whole prompt may have",
            4000,
        )];
        OPTIONS
    }

    fn to_messages(&self, run: &Run, history: History<'_>, options: &Options) -> Prompt {
        let tokenizer = options.tokenizer();
        let budget = options.count("token_budget");
        let most = most_turns(run, history, options, budget);
        let windows = (0..=most).rev();
        // Neighbouring windows' summaries have most of their lines in common.
        let mut lines = Lines::new(tokenizer);
        let mut tried = windows.map(|window| {
            let prompt = with_window(run, history, window, options);
            let tokens = prompt.tokens_by(&mut lines);
            (window, tokens, prompt)
        });
        let found = tried.find(|(window, tokens, _)| *tokens <= budget || *window == 0);
        let Some((window, tokens, mut prompt)) = found else {
            return with_window(run, history, 0, options);
        };
        let over = tokens > budget;
        let stats = &mut prompt.stats;
        stats.figures.push(("window", Figure::Count(window)));
        stats.figures.push(("over", Figure::Flag(over)));
        stats.notes.push(format!("window {window}"));
        if over {
            let name = tokenizer.name();
            let note = format!("still over the budget: {tokens} tokens ({name}) of {budget}");
            stats.notes.push(note);
        }
        prompt
    }
}

/// No window is larger than this: the messages of the turns in it, the last one aside, are within
/// the budget.
fn most_turns(run: &Run, history: History<'_>, options: &Options, budget: usize) -> usize {
    let list = run
        .turn_messages
        .list(run.timeline(), whole_turn::WHOLE, options);
    if history.is_empty() {
        return 0;
    }
    let mut tokens = 0;
    let mut turns = 1;
    for turn in (0..history.len() - 1).rev() {
        let places = list.before(turn).messages..list.before(turn + 1).messages;
        let messages = places.filter_map(|place| list.message(place));
        tokens += messages
            .map(|message| message.tokens(options.tokenizer()))
            .sum::<usize>();
        if tokens > budget {
            break;
        }
        turns += 1;
    }
    turns
}
