//! What a form has no place for, of what a run has.

use super::form::Form;
use crate::step::{Conventions, Field, Step, ToolCall, Turn, Usage};

/// What of a run is not in a form of it, in a few words each; nothing of a report that people read, and
/// of a step file, which has a place for everything.
pub fn left_out(step: &Step, form: Form) -> Vec<&'static str> {
    let is_chat = matches!(form, Form::Openai | Form::Anthropic);
    // What is rendered for a run that follows the requirements is a prompt, no record of the run.
    if !(form == Form::Atif || is_chat && step.conventions == Conventions::Foreign) {
        return Vec::new();
    }
    let turns = || step.turns().iter();
    let calls = || turns().flat_map(|turn| turn.tool_calls());
    let any = |has: fn(&Turn) -> bool| turns().any(|turn| has(turn));
    let any_call = |has: fn(&ToolCall) -> bool| calls().any(has);
    let used = |usage: Usage| !usage.is_empty();
    let left_out = [
        (
            any(|turn| turn.memory().get().is_some()) || step.memory.get().is_some(),
            "memory",
        ),
        (any(Turn::failed), "which turns failed"),
        (
            any_call(|call| call.error.is_some()) && form == Form::Openai,
            "which calls failed",
        ),
        (
            any_call(|call| call.duration_ms.is_some()) || any(|turn| turn.duration_ms().is_some()),
            "durations",
        ),
        (
            any(|turn| turn.messages().get().is_some()),
            "the prompts as they were sent",
        ),
        (
            any(|turn| !turn.unlisted_calls().is_empty()),
            "calls that only events tell of",
        ),
        (!step.events.is_empty(), "what happened between turns"),
        (
            is_chat && (any(|turn| !turn.usage().is_empty()) || used(step.usage)),
            "tokens",
        ),
        (is_chat && any(|turn| turn.started_at().is_some()), "times"),
        (
            is_chat && any(|turn| matches!(turn.thinking(), Field::Recorded(_))),
            "thinking",
        ),
        (is_chat && !step.children.is_empty(), "the runs it started"),
        (
            is_chat && !step.unmatched_results.is_empty(),
            "results of no call",
        ),
    ];
    let left_out = left_out.into_iter().filter(|(is_there, _)| *is_there);
    left_out.map(|(_, what)| what).collect()
}
