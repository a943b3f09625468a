//! What the LLM was really sent: as recorded, or, in the log of a conversation, rebuilt from its
//! records since the history was last compacted.

use std::fmt::Write as _;
use std::sync::Arc;

use super::Run;
use super::whole_turn::{error_message, plain_or_formatted};
use crate::step::{Conventions, EventKind, Input, Message, Role, Step, Turn};
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
    /// What the LLM was sent too, and the trace doesn't record.
    pub missing: Vec<&'static str>,
}

impl Rebuilt {
    /// What it is made of and what is missing, in a line.
    pub fn note(&self) -> String {
        let from = match self.compacted_before {
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

/// What the turns of a run put into a conversation.
#[derive(Debug)]
pub(super) struct Conversation {
    /// What arrived before each turn, and after the last one.
    before: Vec<Vec<Message>>,
    /// What each turn said and was told.
    turns: Vec<Vec<Message>>,
}

impl Run {
    /// Whether what was sent is recorded for any turn.
    pub fn has_recorded(&self) -> bool {
        let mut turns = self.step().turns().iter();
        turns.any(|turn| turn.messages().get().is_some())
    }

    /// Whether what was sent is rebuilt from the records: in the log of a conversation that has it for
    /// no turn.
    pub fn is_rebuilt(&self) -> bool {
        let step = self.step();
        step.conventions == Conventions::Foreign && !step.turns().is_empty() && !self.has_recorded()
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
        if self.is_rebuilt() {
            let sent = self.rebuild(n);
            if sent.messages.is_empty() {
                return Err(format!("Nothing of the prompt for turn {n} is recorded."));
            }
            return Ok(sent);
        }
        Err(if self.step().turns().is_empty() {
            "What was sent is not recorded: the run has no turn.".to_owned()
        } else if n == last {
            "No prompt was sent after the last turn.".to_owned()
        } else {
            format!("The prompt for turn {n} is not recorded.")
        })
    }

    fn rebuild(&self, n: u32) -> AsSent {
        let step = self.step();
        let end = n.saturating_sub(1) as usize;
        let made = self.conversation();
        let events = step.events.iter();
        let mut compactions = events.filter(|event| event.kind == EventKind::Compaction);
        let compaction = compactions.rfind(|event| event.after <= end);
        let start = compaction.map_or(0, |event| event.after);
        let mut messages = Vec::new();
        let system = step.system_prompt.as_ref();
        messages.extend(system.map(|text| Message::new(Role::System, Arc::clone(text))));
        let summary = compaction.and_then(|event| event.text.as_ref());
        messages.extend(summary.map(|text| Message::new(Role::User, Arc::clone(text))));
        for at in start..end {
            messages.extend_from_slice(&made.before[at]);
            messages.extend_from_slice(&made.turns[at]);
        }
        messages.extend_from_slice(&made.before[end]);
        let has_summary = summary.is_some()
            || step
                .turns()
                .get(start)
                .is_some_and(|turn| turn.inputs().iter().any(|input| input.injected));
        let missing = [
            (step.system_prompt.is_none(), "the system prompt"),
            (step.tools.is_empty(), "the tools' schemas"),
            (
                compaction.is_some() && !has_summary,
                "the compaction's summary",
            ),
        ];
        let missing = missing.into_iter().filter(|(is_missing, _)| *is_missing);
        let rebuilt = Rebuilt {
            compacted_before: compaction.map(|event| number(event.after)),
            missing: missing.map(|(_, what)| what).collect(),
        };
        AsSent {
            messages,
            rebuilt: Some(rebuilt),
        }
    }
}

impl Conversation {
    pub(super) fn of(step: &Step) -> Self {
        let turns = step.turns();
        let mut before: Vec<Vec<Message>> = turns
            .iter()
            .map(|turn| arrived(turn.input(), turn.inputs()))
            .collect();
        before.push(arrived(step.pending_input.as_ref(), &step.pending_inputs));
        if let (Some(mission), Some(first)) = (&step.mission, before.first_mut()) {
            let is_told = first
                .iter()
                .any(|message| message.content.contains(&**mission));
            if !is_told {
                first.insert(0, Message::new(Role::User, Arc::clone(mission)));
            }
        }
        Self {
            before,
            turns: turns.iter().map(|turn| said_and_told(turn)).collect(),
        }
    }
}

/// Messages that arrived before a reply.
fn arrived(joined: Option<&Arc<str>>, inputs: &[Input]) -> Vec<Message> {
    let inputs = Input::apart(joined, inputs).into_iter();
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
    match turn.result().get() {
        Some(Value::Str(text)) => told.push(text.to_string()),
        Some(_) if turn.failed() => told.push(error_message(turn, Limits::ALL).0),
        Some(value) => told.push(whole(value)),
        None => {
            let results = turn.tool_calls().iter();
            let results = results.filter_map(|call| call.error.as_ref().or(call.result.get()));
            told.extend(results.map(whole));
        }
    }
    told.extend(turn.prints().iter().map(ToString::to_string));
    let mut messages = Vec::new();
    if !said.is_empty() {
        messages.push(Message::new(Role::Assistant, said));
    }
    if !told.is_empty() {
        messages.push(Message::new(Role::User, told.join("\n\n")));
    }
    messages
}

/// The number of the turn behind so many.
fn number(after: usize) -> u32 {
    crate::namespace::content::turn_number(after)
}
