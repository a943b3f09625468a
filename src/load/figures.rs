//! What a trace amounts to, in a few figures: for lists of traces.

use std::path::Path;

use super::{Loaded, Loader, Reply, loader};
use crate::calendar;
use crate::step::{Step, ToolCall, Turn, Usage};
use crate::text::clean_line;

/// The figures of a trace; what is `None` is not recorded, or the format has no mark for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Figures {
    /// The format's name.
    pub format: &'static str,
    /// Conversations in it; figures below are of all of them.
    pub conversations: usize,
    /// What the run is called, where there is one.
    pub name: Option<String>,
    /// What the first of them was asked.
    pub mission: Option<String>,
    /// Turns.
    pub turns: usize,
    /// Turns and calls that failed.
    pub errors: Option<usize>,
    /// Tokens of prompts and replies.
    pub tokens: Option<u64>,
    /// Milliseconds from start to end.
    pub duration_ms: Option<u64>,
    /// What could not be read, in a few words.
    pub damage: Option<String>,
    /// Its turns that may stand in other traces too: there they count once.
    pub replies: Vec<Reply>,
}

/// Characters of a mission that are kept.
const MISSION: usize = 300;

impl Figures {
    /// Reads a trace for its figures; what it can't be opened for is told without its name.
    ///
    /// # Errors
    /// Why it can't be opened, in words.
    pub fn read(path: &Path, format: Option<&dyn Loader>) -> Result<Self, String> {
        let loaded = super::open(path, format).map_err(|error| {
            let (name, why) = (path.to_string_lossy(), error.to_string());
            let why = why.strip_prefix(&*clean_line(&name)).unwrap_or(&why);
            why.trim_start_matches(": ").to_owned()
        })?;
        Ok(Self::of(&loaded))
    }

    /// The figures of what was loaded.
    pub fn of(loaded: &Loaded) -> Self {
        let format = loader(loaded.format).ok().flatten();
        let steps = || loaded.conversations.iter().map(AsRef::as_ref);
        let add = |sum: Option<u64>, part: Option<u64>| match (sum, part) {
            (Some(sum), Some(part)) => Some(sum.saturating_add(part)),
            (one, other) => one.or(other),
        };
        let name = steps().find_map(|step| step.name.as_deref());
        let mission = steps().find_map(Step::mission_title);
        Self {
            format: loaded.format,
            conversations: loaded.conversations.len(),
            name: name
                .filter(|_| loaded.conversations.len() == 1)
                .map(str::to_owned),
            mission: mission.map(|text| text.chars().take(MISSION).collect()),
            turns: steps().map(|step| step.turns().len()).sum(),
            errors: steps()
                .filter_map(|step| errors(step, format))
                .reduce(|sum, errors| sum + errors),
            tokens: steps().map(tokens).fold(None, add),
            duration_ms: steps().map(duration).fold(None, add),
            damage: loaded.report.summary(),
            replies: loaded.report.replies.clone(),
        }
    }
}

/// Turns and calls that failed; none where the format marks neither.
fn errors(step: &Step, format: Option<&dyn Loader>) -> Option<usize> {
    let turns = step.turns();
    let failed_turns = turns.iter().filter(|turn| turn.failed()).count();
    let mut calls = Calls::default();
    for turn in step.each_turn() {
        calls.take(turn.tool_calls());
    }
    let failed_calls = calls.failed_in(format);
    let is_marked = failed_calls.is_some() || failed_turns > 0;
    is_marked.then(|| failed_turns + failed_calls.unwrap_or(calls.failed))
}

/// The calls of a run, counted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Calls {
    /// All of them.
    pub count: usize,
    failed: usize,
    /// Those of which the trace doesn't say whether they failed.
    unmarked: usize,
}

impl Calls {
    /// Counts the calls of a turn.
    pub(crate) fn take(&mut self, calls: &[ToolCall]) {
        self.count += calls.len();
        self.failed += calls.iter().filter(|call| call.error.is_some()).count();
        self.unmarked += calls.iter().filter(|call| call.unmarked).count();
    }

    /// How many failed; none where that is not marked in a format. A step file of another format's run has
    /// marks where that has them.
    pub(crate) fn failed_in(&self, format: Option<&dyn Loader>) -> Option<usize> {
        let is_marked = self.failed > 0 || self.count == 0 || self.unmarked < self.count;
        (is_marked && format.is_none_or(Loader::marks_failed_calls)).then_some(self.failed)
    }
}

/// A part of the usage: of all turns together, or of the run where only that is told.
pub(crate) fn usage_sum(step: &Step, part: fn(&Usage) -> Option<u64>) -> Option<u64> {
    let turns = step.turns();
    if tells_of_run(step) {
        return part(&step.usage);
    }
    let known = turns.iter().filter_map(|turn| part(&turn.usage()));
    let sum = known.reduce(u64::saturating_add);
    sum.filter(|sum| i64::try_from(*sum).is_ok())
}

/// A part of the usage of a run and of the runs in it together (`formats/claude-code.md`, side chains).
pub(crate) fn usage_with_runs(step: &Step, part: fn(&Usage) -> Option<u64>) -> Option<u64> {
    let inner = step.children.iter();
    let inner = inner.filter_map(|run| usage_with_runs(run, part));
    let all = usage_sum(step, part).into_iter().chain(inner);
    all.reduce(u64::saturating_add)
}

/// Whether the trace tells only what the whole run spent, as several formats do.
pub(crate) fn tells_of_run(step: &Step) -> bool {
    step.turns().iter().all(|turn| turn.usage().is_empty())
}

fn tokens(step: &Step) -> Option<u64> {
    let input = usage_sum(step, |usage| usage.input);
    let output = usage_sum(step, |usage| usage.output);
    match (input, output) {
        (None, None) => usage_sum(step, |usage| usage.total),
        (input, output) => Some(input.unwrap_or(0).saturating_add(output.unwrap_or(0))),
    }
}

/// From the first record to the last; else what the turns took.
fn duration(step: &Step) -> Option<u64> {
    let at = |text: &Option<std::sync::Arc<str>>| calendar::iso_ms(text.as_deref()?);
    let span = at(&step.started_at)
        .zip(at(&step.ended_at))
        .and_then(|(start, end)| u64::try_from(end.checked_sub(start)?).ok());
    let of_turns = || {
        let known = step
            .turns()
            .iter()
            .filter_map(|turn| Turn::duration_ms(turn));
        known.reduce(u64::saturating_add)
    };
    span.or_else(of_turns)
}
