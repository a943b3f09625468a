//! `trim`: over a number of turns or tokens, only the opening and the last messages.

use super::left_out::{LeftOut, LeftOutItems, Reason};
use super::prompt::Figure;
use super::{Compression, OptionSpec, Options, Prompt, Run, Uncompressed, parts, whole_turn};
use crate::namespace::Origin;
use crate::step::{History, Role};

/// As uncompressed until the trigger; then the first user message and the last `2 x
/// keep_recent_turns` messages, moved on so that they begin with a user message.
#[derive(Debug)]
pub struct Trim;

impl Compression for Trim {
    fn name(&self) -> &'static str {
        "trim"
    }

    fn title(&self) -> &'static str {
        "trim"
    }

    fn help(&self) -> &'static str {
        "Every turn whole; over a number of turns or tokens, the last messages alone"
    }

    fn options(&self) -> &'static [OptionSpec] {
        const OPTIONS: &[OptionSpec] = &[
            OptionSpec::count(
                "trigger_turns",
                "over turns",
                "Turns up to which nothing is trimmed",
                8,
            ),
            OptionSpec::maybe_count(
                "trigger_tokens",
                "trigger",
                "Tokens of the prompt from which it is trimmed",
            ),
            OptionSpec::count(
                "keep_recent_turns",
                "keep turns",
                "Turns that stay; two messages are taken for a turn",
                3,
            ),
            OptionSpec::flag(
                "keep_initial_user",
                "keep first",
                "Whether the first user message stays, and with it the mission",
                true,
            ),
        ];
        OPTIONS
    }

    fn to_messages(&self, run: &Run, history: History<'_>, options: &Options) -> Prompt {
        let tokenizer = options.tokenizer();
        let mut whole = Uncompressed.to_messages(run, history, options);
        let trigger = options.maybe_count("trigger_tokens");
        let fired = history.len() > options.count("trigger_turns")
            || trigger.is_some_and(|trigger| whole.tokens(tokenizer) >= trigger);
        let mut prompt = if fired {
            trimmed(run, history, options, &whole)
        } else {
            std::mem::replace(&mut whole, Prompt::of(Vec::new()))
        };
        let over = trigger.is_some_and(|trigger| {
            let mut messages = prompt.iter();
            messages.any(|message| message.tokens(tokenizer) >= trigger)
        });
        let stats = &mut prompt.stats;
        stats.figures.push(("fired", Figure::Flag(fired)));
        stats.figures.push(("over_alone", Figure::Flag(over)));
        let note = if fired { "trimmed" } else { "not trimmed yet" };
        stats.notes.push(note.to_owned());
        if over {
            let note = "one message alone is over the budget of tokens";
            stats.notes.push(note.to_owned());
        }
        prompt
    }
}

fn trimmed(run: &Run, history: History<'_>, options: &Options, whole: &Prompt) -> Prompt {
    let system = usize::from(run.system().is_some());
    let opening = system + 1;
    let kept = options.count("keep_recent_turns").saturating_mul(2);
    let mut from = whole.len().saturating_sub(kept).max(opening);
    let speaks = |at: usize| whole.get(at).map(|message| message.role);
    while speaks(from).is_some_and(|role| role != Role::User) {
        from += 1;
    }
    // Without turns, or where nothing else is left, the first message is all there is.
    let first = options.flag("keep_initial_user") || from >= whole.len();
    let mut segments = whole.segments(0..if first { opening } else { system });
    segments.extend(whole.segments(from..whole.len()));
    let mut prompt = Prompt::of(segments);

    let list = run
        .turn_messages
        .list(run.timeline(), whole_turn::WHOLE, options);
    let place = from - opening;
    // The turns before this one are gone whole; of this one perhaps the program.
    let turn = (0..history.len())
        .find(|&turn| list.before(turn + 1).messages > place)
        .unwrap_or(history.len());
    let gone = 0..turn;
    prompt.stats = parts::gap_stats(history, &gone);
    prompt.left_out = parts::gap_left_out(history, &gone, Reason::NotShown);
    if !first {
        let opening = whole.get(system);
        let pieces = opening.iter().flat_map(|opening| &opening.pieces);
        let said = pieces.map(|piece| piece.origin.clone());
        let said = LeftOutItems::Pieces(said.filter(|origin| *origin != Origin::Fixed).collect());
        prompt
            .left_out
            .insert(0, LeftOut::new(said, Reason::NotShown));
    }
    if list.before(turn).messages < place
        && let Some(record) = history.turn(turn)
    {
        let number = record.number();
        let program = record.amounts().has_program;
        let calls = (0..record.tool_calls().len()).map(|index| Origin::Call {
            turn: number,
            index,
        });
        let program = program.then_some(Origin::Program(number));
        let items = program.into_iter().chain(calls).collect();
        if !record.failed() {
            prompt.stats.calls.shown -= record.tool_calls().len();
        }
        prompt.stats.turns_compressed += 1;
        let items = LeftOutItems::Pieces(items);
        prompt.left_out.push(LeftOut::new(items, Reason::NotShown));
    }
    if from >= whole.len() && !history.is_empty() {
        let mut messages: Vec<_> = prompt.iter().collect();
        parts::end_with_indicator(&mut messages, history);
        let (left_out, stats) = (prompt.left_out, prompt.stats);
        return Prompt::new(messages, left_out, stats);
    }
    prompt
}
