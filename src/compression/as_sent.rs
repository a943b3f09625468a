//! What the LLM was really sent: as recorded, or, in the log of a conversation, rebuilt from its
//! records since the history was last compacted.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::Run;
use super::whole_turn::{error_message, plain_or_formatted};
use crate::step::{Conventions, Event, EventKind, Input, Message, PathPart, Role, Step, Turn};
use crate::value::{Limits, Value, json::Plain};

/// A prompt as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AsSent {
    /// Its messages.
    pub messages: Vec<Message>,
    /// How it was rebuilt, where it is not recorded itself.
    pub rebuilt: Option<Rebuilt>,
}

/// What is to be said of a rebuilt prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rebuilt {
    /// The turn before which the history was compacted last.
    pub compacted_before: Option<u32>,
    /// Whether the trace names what that left out, so that the rest of the history stays.
    pub names_forgotten: bool,
    /// What the LLM was sent too, and the trace doesn't record.
    pub missing: Vec<&'static str>,
}

impl Rebuilt {
    /// What it is made of and what is missing, in a line.
    pub fn note(&self) -> String {
        let from = match self.compacted_before {
            Some(turn) if self.names_forgotten => {
                format!(
                    "rebuilt from the records without what the compaction before turn {turn} left out"
                )
            }
            Some(turn) => {
                format!("rebuilt from the records since the compaction before turn {turn}")
            }
            None => "rebuilt from the records".to_owned(),
        };
        match self.missing() {
            Some(missing) => format!("{from}; {missing}"),
            None => from,
        }
    }

    /// What is missing, in a few words; none where nothing is known to be.
    pub fn missing(&self) -> Option<String> {
        let missing = Some(&self.missing).filter(|missing| !missing.is_empty())?;
        Some(format!("not recorded: {}", missing.join(", ")))
    }
}

/// What the turns of a run put into a conversation: what arrived before each, and what it said and was
/// told.
#[derive(Debug)]
pub(super) struct Conversation {
    /// The messages of each turn, those that arrived before it first, and behind the last turn what
    /// arrived then; made when a prompt first needs them.
    turns: Vec<OnceLock<Vec<Message>>>,
    /// Messages before each turn's, what arrived before it not among them; and of all turns.
    before: Vec<usize>,
    /// Messages before each turn's, what arrived before it among them; and of all there are.
    arrived: Vec<usize>,
}

/// A rebuilt prompt as stretches of the conversation: one, but where a person went back.
#[derive(Debug)]
pub(crate) struct Stretch {
    /// Messages that come first: the system's, a compaction's summary.
    pub(crate) head: Vec<Message>,
    /// Places of the others in the conversation: see [`Run::conversation_message`].
    pub(crate) rest: Vec<Range<usize>>,
    rebuilt: Rebuilt,
}

impl Run {
    /// Whether what was sent is recorded for any turn.
    pub fn has_recorded(&self) -> bool {
        let is_recorded = |turn: &Arc<Turn>| turn.amounts().sent;
        let look = || self.step().turns().iter().any(is_recorded);
        *self.has_recorded.get_or_init(look)
    }

    /// Whether what was sent is rebuilt from the records: in the log of a conversation that has it for
    /// no turn.
    pub fn is_rebuilt(&self) -> bool {
        let step = self.step();
        step.conventions == Conventions::Foreign && !step.turns().is_empty() && !self.has_recorded()
    }

    /// How many messages the whole conversation has, of which rebuilt prompts are stretches.
    pub(crate) fn conversation_len(&self) -> usize {
        self.conversation().arrived.last().copied().unwrap_or(0)
    }

    /// The message at a place of the conversation.
    pub(crate) fn conversation_message(&self, at: usize) -> Message {
        let mut found = Vec::new();
        self.conversation()
            .stretch(self.step(), at..at + 1, &mut found);
        let found = found.pop();
        found.unwrap_or_else(|| Message::new(Role::User, ""))
    }

    /// What the LLM was really sent to produce turn N: recorded, else rebuilt. Every view that shows it
    /// has it from here.
    ///
    /// # Errors
    /// Why there is none, in a sentence.
    pub fn as_sent(&self, n: u32) -> Result<AsSent, String> {
        if let Some(messages) = self.recorded_prompt(n) {
            return Ok(AsSent {
                messages,
                rebuilt: None,
            });
        }
        let last = self.step().last_prompt();
        if n == 0 || n > last {
            return Err(format!("There is no prompt {n}."));
        }
        // A log may have one request alone, such as the last.
        let has_others = self.step().conventions == Conventions::Foreign && n < last;
        let stretch = self
            .rebuilt(n)
            .or_else(|| has_others.then(|| self.stretch(n)));
        if let Some(mut stretch) = stretch {
            for rest in std::mem::take(&mut stretch.rest) {
                let made = self.conversation();
                made.stretch(self.step(), rest, &mut stretch.head);
            }
            if stretch.head.is_empty() {
                return Err(format!("Nothing of the prompt for turn {n} is recorded."));
            }
            return Ok(AsSent {
                messages: stretch.head,
                rebuilt: Some(stretch.rebuilt),
            });
        }
        Err(if self.step().turns().is_empty() {
            "What was sent is not recorded: the run has no turn.".to_owned()
        } else if n == last {
            "No prompt was sent after the last turn.".to_owned()
        } else {
            format!("The prompt for turn {n} is not recorded.")
        })
    }

    /// What was sent to produce turn N, where it is rebuilt from the records; it may be empty.
    pub(crate) fn rebuilt(&self, n: u32) -> Option<Stretch> {
        let is_there = n > 0 && n <= self.step().last_prompt() && self.is_rebuilt();
        is_there.then(|| self.stretch(n))
    }

    fn stretch(&self, n: u32) -> Stretch {
        let step = self.step();
        let end = n.saturating_sub(1) as usize;
        let made = self.conversation();
        let path = step.path(end);
        let (from, compaction) = last_compaction(step, &path);
        let start = compaction.map_or(path[from].turns.start, |event| event.after);
        let mut head = Vec::new();
        let system = step.system_prompt.as_ref();
        head.extend(system.map(|text| Message::new(Role::System, Arc::clone(text))));
        let kept = kept(step, &path);
        let rest = if let Some(kept) = &kept {
            let (first, rest) = made.without(kept, end);
            // The summary takes the place of what was left out first.
            made.stretch(step, first, &mut head);
            rest
        } else {
            let arrived = compaction.map_or(0, |event| arrived_by(step, event));
            made.along(&path[from..], start, arrived)
        };
        let summary = compaction.and_then(|event| event.text.as_ref());
        match compaction.map(|event| event.history.as_slice()) {
            Some(history @ [_, ..]) => head.extend_from_slice(history),
            _ => head.extend(summary.map(|text| Message::new(Role::User, Arc::clone(text)))),
        }
        let has_summary = summary.is_some()
            || step
                .turn(start)
                .is_some_and(|turn| turn.inputs().iter().any(|input| input.injected));
        let missing = [
            (step.system_prompt.is_none(), "the system prompt"),
            (step.tools.is_empty(), "the tools' schemas"),
            (
                compaction.is_some() && !has_summary && kept.is_none(),
                "the compaction's summary",
            ),
            (
                compaction.is_some_and(|event| event.hides),
                "what the compaction left encrypted",
            ),
        ];
        let missing = missing.into_iter().filter(|(is_missing, _)| *is_missing);
        let rebuilt = Rebuilt {
            compacted_before: compaction.map(|event| number(event.after)),
            names_forgotten: kept.is_some(),
            missing: missing.map(|(_, what)| what).collect(),
        };
        Stretch {
            head,
            rest,
            rebuilt,
        }
    }
}

/// The last compaction on a path, and the part in which it was; without one, the path from its start.
fn last_compaction<'a>(step: &'a Step, path: &[PathPart]) -> (usize, Option<&'a Event>) {
    let of = |part: &PathPart| {
        let events = part.events.iter().rev().map(|at| &step.events[*at]);
        let mut events = events.filter(|event| event.after >= part.turns.start);
        events.find(|event| event.kind == EventKind::Compaction)
    };
    let parts = path.iter().enumerate().rev();
    let mut found = parts.filter_map(|(place, part)| Some((place, Some(of(part)?))));
    found.next().unwrap_or((0, None))
}

/// How many of the messages before the turn behind a compaction the model saw before it, and no longer
/// after it.
fn arrived_by(step: &Step, event: &Event) -> usize {
    // What opens a run, the mission among it, stays.
    if event.after == 0 || event.arrived == 0 {
        return 0;
    }
    let sent = |inputs: &[Input]| {
        let before = inputs.iter().take(event.arrived);
        before.filter(|input| !input.replaced).count()
    };
    match step.turn(event.after) {
        Some(turn) if turn.inputs().is_empty() => usize::from(turn.input().is_some()),
        Some(turn) => sent(turn.inputs()),
        None if step.pending_inputs.is_empty() => usize::from(step.pending_input.is_some()),
        None => sent(&step.pending_inputs),
    }
}

/// What the compactions on a path left of the history, where the last of them names what it left out.
struct Kept {
    /// The turn behind the last compaction that names nothing: all before it is gone.
    start: usize,
    /// Messages before that turn that are gone, too.
    arrived: usize,
    /// Turns that were left out since, and turns before which something was.
    turns: HashSet<usize>,
    inputs: HashSet<usize>,
}

/// None where a branch begins on the path: what is named there are events of the whole file.
fn kept(step: &Step, path: &[PathPart]) -> Option<Kept> {
    let [only] = path else { return None };
    let compactions = only.events.iter().map(|at| &step.events[*at]);
    let mut compactions = compactions.filter(|event| event.kind == EventKind::Compaction);
    let is_named = |event: &&Event| event.forgotten.is_some();
    compactions.clone().next_back().filter(is_named)?;
    let unnamed = compactions.clone().rfind(|event| !is_named(event));
    let mut kept = Kept {
        start: unnamed.map_or(0, |event| event.after),
        arrived: unnamed.map_or(0, |event| arrived_by(step, event)),
        turns: HashSet::new(),
        inputs: HashSet::new(),
    };
    if unnamed.is_some() {
        compactions.by_ref().rfind(|event| !is_named(event));
    }
    for forgotten in compactions.filter_map(|event| event.forgotten.as_ref()) {
        kept.turns.extend(&forgotten.turns);
        kept.inputs.extend(&forgotten.inputs);
    }
    Some(kept)
}

impl Conversation {
    /// The messages before a turn that a compaction kept: those before the first that it left out, and
    /// the others.
    fn without(&self, kept: &Kept, end: usize) -> (Range<usize>, Vec<Range<usize>>) {
        let from = self.before[kept.start] + kept.arrived;
        let from = from.min(self.arrived[kept.start]);
        let mut found = Vec::new();
        found.push(from..from);
        let mut take = |range: Range<usize>| match found.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => found.push(range),
        };
        for turn in kept.start..=end {
            if !kept.inputs.contains(&turn) {
                take(self.before[turn].max(from)..self.arrived[turn]);
            }
            if turn < end && !kept.turns.contains(&turn) {
                take(self.arrived[turn]..self.before[turn + 1]);
            }
        }
        let first = found.remove(0);
        found.retain(|range| !range.is_empty());
        (first, found)
    }

    /// The messages along a path from a turn in its first part on, and what arrived behind it. So many
    /// of what arrived before that turn are gone.
    fn along(&self, path: &[PathPart], start: usize, gone: usize) -> Vec<Range<usize>> {
        let mut rest = Vec::with_capacity(path.len());
        for (place, part) in path.iter().enumerate() {
            let begin = if place == 0 { start } else { part.turns.start };
            let skipped = if place == 0 { gone } else { 0 };
            // A branch without a message of its own answers the one that was there.
            let is_silent = self.before[begin] == self.arrived[begin];
            let before = place.checked_sub(1).filter(|_| is_silent);
            if let Some(resumed) = before.map(|before| path[before].turns.end) {
                rest.push(self.before[resumed]..self.arrived[resumed]);
            }
            let end = part.turns.end;
            let is_last = place + 1 == path.len();
            let end = if is_last {
                self.arrived[end]
            } else {
                self.before[end]
            };
            let begin = (self.before[begin] + skipped).min(self.arrived[begin]);
            rest.push(begin..end);
        }
        rest.retain(|range| !range.is_empty());
        rest
    }

    /// Of a step. How many messages there are is known without looking into turns.
    pub(super) fn of(step: &Step) -> Self {
        let turns = step.turns().len();
        let mut made = Self {
            turns: std::iter::repeat_with(OnceLock::new)
                .take(turns + 1)
                .collect(),
            before: Vec::with_capacity(turns + 1),
            arrived: Vec::with_capacity(turns + 1),
        };
        let mut messages = 0;
        for at in 0..=turns {
            made.before.push(messages);
            let amounts = step.turns().get(at).map(|turn| turn.amounts());
            messages += match amounts {
                _ if at == 0 => before(step, 0).len(),
                Some(amounts) => amounts.arrived,
                None => before(step, at).len(),
            };
            made.arrived.push(messages);
            messages += amounts.map_or(0, |told| {
                usize::from(told.says()) + usize::from(told.tells())
            });
        }
        made
    }

    /// Adds the messages at some places.
    fn stretch(&self, step: &Step, places: Range<usize>, out: &mut Vec<Message>) {
        let turn = self
            .before
            .partition_point(|before| *before <= places.start);
        for turn in turn.saturating_sub(1)..self.turns.len() {
            let begins = self.before[turn];
            if begins >= places.end {
                return;
            }
            let messages = self.turns[turn].get_or_init(|| {
                let mut messages = before(step, turn);
                messages.extend(step.turn(turn).iter().flat_map(|turn| said_and_told(turn)));
                messages
            });
            let from = places.start.saturating_sub(begins);
            let to = messages.len().min(places.end - begins);
            out.extend_from_slice(messages.get(from..to).unwrap_or_default());
        }
    }
}

/// What arrived before a turn, or behind the last one; the mission in its place where it isn't among
/// what arrives first.
fn before(step: &Step, at: usize) -> Vec<Message> {
    let mut messages = match step.turn(at) {
        Some(turn) => arrived(turn.input(), turn.inputs()),
        None => arrived(step.pending_input.as_ref(), &step.pending_inputs),
    };
    let mission = step.mission.as_ref().filter(|_| at == 0);
    let untold = mission.filter(|mission| {
        let mut told = messages.iter();
        !told.any(|message| holds(&message.content, mission))
    });
    if let Some(mission) = untold {
        let after = step.mission_after.min(messages.len());
        messages.insert(after, Message::new(Role::User, Arc::clone(mission)));
    }
    messages
}

/// Bytes up to which a mission may stand in another text by chance.
const SHORT: usize = 40;

/// Whether a message holds the mission; a short one stands between ends of lines or tags.
fn holds(message: &str, mission: &str) -> bool {
    let mut found = message.match_indices(mission);
    found.any(|(at, _)| {
        let (before, after) = (&message[..at], &message[at + mission.len()..]);
        let begins = before.is_empty() || before.ends_with(['\n', '>']);
        let ends = after.is_empty() || after.starts_with(['\n', '\r', '<']);
        mission.len() > SHORT || begins && ends
    })
}

/// Messages that arrived before a reply.
fn arrived(joined: Option<&Arc<str>>, inputs: &[Input]) -> Vec<Message> {
    let inputs = Input::sent(joined, inputs).into_iter();
    inputs
        .map(|input| Message::new(Role::User, input.text))
        .collect()
}

/// What the LLM said in a turn, with its calls, and what it was told.
fn said_and_told(turn: &Turn) -> Vec<Message> {
    let mut said = turn.raw_response().get().map_or("", |text| text).to_owned();
    if let Some(program) = turn.program().get().filter(|_| said.is_empty()) {
        let _ = write!(said, "```{}\n{}\n```", program.language, program.source);
    }
    for call in turn.tool_calls() {
        let args = serde_json::to_string(&Plain(&call.args)).unwrap_or_default();
        let line_end = if said.is_empty() { "" } else { "\n" };
        let _ = write!(said, "{line_end}{} {args}", call.name);
    }
    let mut told: Vec<String> = Vec::new();
    let whole = |value: &Value| plain_or_formatted(value, Limits::ALL).0;
    match turn.seen_result() {
        Some(Value::Str(text)) => told.push(text.to_string()),
        Some(_) if turn.failed() => told.push(error_message(turn, Limits::ALL).0),
        Some(value) => told.push(whole(value)),
        None => {
            let results = turn.tool_calls().iter();
            told.extend(results.filter_map(|call| {
                let seen = call.seen();
                let texts = seen.result.into_iter().chain(seen.error).map(whole);
                let texts: Vec<String> = texts.collect();
                (!texts.is_empty()).then(|| texts.join("\n"))
            }));
        }
    }
    told.extend(turn.prints().iter().map(ToString::to_string));
    let mut messages = Vec::new();
    if !said.is_empty() {
        messages.push(Message::new(Role::Assistant, said));
    }
    // That a tool gave nothing was told, too.
    if !told.is_empty() || turn.amounts().tells() {
        messages.push(Message::new(Role::User, told.join("\n\n")));
    }
    messages
}

/// The number of the turn behind so many.
fn number(after: usize) -> u32 {
    crate::namespace::content::turn_number(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_mission_is_not_told_by_chance() {
        for told in ["go", "<task>go</task>", "# Request:\ngo\n", "go\r\nnow"] {
            assert!(holds(told, "go"), "{told}");
        }
        for other in ["let it go", "<cwd>/cargo</cwd>", "go on"] {
            assert!(!holds(other, "go"), "{other}");
        }
        let long = "count the words of every file in the folder";
        assert!(holds(&format!("Task: {long}."), long));
    }
}
