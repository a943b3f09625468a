//! What a form has no place for, of what a run has.

use super::form::Form;
use crate::step::{Conventions, Field, Step, ToolCall, Turn};

/// Whether it is left out where it is there, whether the run itself has it, which turns do, and what it
/// is.
type Row<'a> = (bool, bool, &'a dyn Fn(&Turn) -> bool, &'static str);

/// What of a run is not in a form of it, in a few words each; nothing of a report that people read, and
/// of a step file, which has a place for everything.
pub fn left_out(step: &Step, form: Form) -> Vec<&'static str> {
    let is_chat = matches!(form, Form::Openai | Form::Anthropic);
    // What is rendered for a run that follows the requirements is a prompt, no record of the run.
    if !(form == Form::Atif || is_chat && step.conventions == Conventions::Foreign) {
        return Vec::new();
    }
    let of_call = |turn: &Turn, has: fn(&ToolCall) -> bool| turn.tool_calls().iter().any(has);
    let never = |_: &Turn| false;
    let rows: [Row<'_>; 16] = [
        (
            true,
            step.memory.get().is_some(),
            &|turn| turn.memory().get().is_some(),
            "memory",
        ),
        (true, false, &Turn::failed, "which turns failed"),
        (
            form == Form::Openai,
            false,
            &|turn| of_call(turn, |call| call.error.is_some()),
            "which calls failed",
        ),
        (
            form == Form::Anthropic,
            false,
            &says_nothing,
            "replies that say nothing",
        ),
        (
            is_chat,
            false,
            &|turn| of_call(turn, |call| !call.is_answered()),
            "calls without a result",
        ),
        (
            form != Form::Openai,
            false,
            &|turn| of_call(turn, |call| call.args.as_str().is_some()),
            "that arguments are no object",
        ),
        (
            is_chat,
            step.mission.is_some() && step.mission_after > 0,
            &never,
            "which message is the mission",
        ),
        (true, false, &lasts, "durations"),
        (
            true,
            false,
            &|turn| turn.amounts().sent,
            "the prompts as they were sent",
        ),
        (
            true,
            false,
            &|turn| !turn.unlisted_calls().is_empty(),
            "calls that only events tell of",
        ),
        (
            true,
            !step.events.is_empty(),
            &never,
            "what happened between turns",
        ),
        (
            is_chat,
            !step.usage.is_empty(),
            &|turn| !turn.usage().is_empty(),
            "tokens",
        ),
        (is_chat, false, &|turn| turn.started_at().is_some(), "times"),
        (
            is_chat,
            false,
            &|turn| matches!(turn.thinking(), Field::Recorded(_)),
            "thinking",
        ),
        (
            is_chat,
            !step.children.is_empty(),
            &never,
            "the runs it started",
        ),
        (
            is_chat,
            !step.unmatched_results.is_empty(),
            &never,
            "results of no call",
        ),
    ];
    let mut is_there = rows.map(|(applies, has, ..)| applies && has);
    for turn in step.each_turn() {
        for (found, (applies, _, has, _)) in is_there.iter_mut().zip(rows) {
            *found |= applies && has(&turn);
        }
    }
    let left_out = rows.iter().zip(is_there).filter(|(_, found)| *found);
    left_out.map(|((.., what), _)| *what).collect()
}

/// Whether a reply has neither text nor code nor calls, as one has that failed.
fn says_nothing(turn: &Turn) -> bool {
    !turn.amounts().says()
}

/// Whether it is recorded how long a turn or one of its calls took.
fn lasts(turn: &Turn) -> bool {
    let mut calls = turn.tool_calls().iter();
    turn.duration_ms().is_some() || calls.any(|call| call.duration_ms.is_some())
}
