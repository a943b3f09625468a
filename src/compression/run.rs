//! A run made ready for rendering: its timeline, and what several prompts share.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::as_sent::Conversation;
use super::shared::Kept;
use super::{Case, Prompt};
use crate::namespace::{Content, PromptMessage};
use crate::step::{History, Message, Role, Step, Timeline};
use crate::value::Limits;

/// An opening, by the sample limits that it was made with.
#[derive(Debug)]
struct Opening {
    sample: Limits,
    /// By itself, for what goes on in the same message.
    alone: Arc<PromptMessage>,
    /// With what arrived before turn 1: the first user message of prompts that begin with turn 1.
    first: Arc<PromptMessage>,
}

/// A step from which prompts are rendered. Cheap to ask again and again: what doesn't depend on the
/// turn or on the strategy is made once.
#[derive(Debug)]
pub struct Run {
    timeline: Arc<Timeline>,
    pub(super) turn_messages: Kept,
    system: Option<Arc<PromptMessage>>,
    openings: Mutex<Vec<Opening>>,
    conversation: OnceLock<Conversation>,
    pub(super) has_recorded: OnceLock<bool>,
}

/// Openings that are kept, one a set of sample limits.
const KEPT_OPENINGS: usize = 8;

impl Run {
    /// Makes a step ready.
    pub fn new(step: Arc<Step>) -> Self {
        let system = crate::prompt::system_prompt(&step).map(|text| {
            let mut content = Content::new();
            content.text(crate::namespace::Origin::System, &text);
            Arc::new(content.finish(Role::System))
        });
        Self {
            timeline: Arc::new(Timeline::new(step)),
            turn_messages: Kept::default(),
            system,
            openings: Mutex::default(),
            conversation: OnceLock::new(),
            has_recorded: OnceLock::new(),
        }
    }

    /// The step.
    pub fn step(&self) -> &Arc<Step> {
        self.timeline.step()
    }

    /// The step with its running counts.
    pub fn timeline(&self) -> &Arc<Timeline> {
        &self.timeline
    }

    /// What the turns put into the conversation.
    pub(super) fn conversation(&self) -> &Conversation {
        let made = || Conversation::of(self.step());
        self.conversation.get_or_init(made)
    }

    /// The turns before prompt N.
    pub fn history(&self, n: u32) -> History<'_> {
        self.timeline.first(n.saturating_sub(1) as usize)
    }

    /// The system message, where there is one; the same for every prompt.
    pub(super) fn system(&self) -> Option<Arc<PromptMessage>> {
        self.system.clone()
    }

    /// The opening: mission, `tool/`, `data/`; the same for every strategy, style and turn [ARC-012].
    pub(super) fn opening(&self, sample: Limits) -> Content {
        self.with_opening(sample, |opening| Content::continuing(&opening.alone))
    }

    /// The opening with what arrived before turn 1, as a message that all prompts share which begin so.
    pub(super) fn first_message(&self, sample: Limits) -> Arc<PromptMessage> {
        self.with_opening(sample, |opening| Arc::clone(&opening.first))
    }

    fn with_opening<T>(&self, sample: Limits, take: impl FnOnce(&Opening) -> T) -> T {
        let mut openings = self.openings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = openings.iter().find(|opening| opening.sample == sample) {
            return take(made);
        }
        let alone = super::parts::opening(self.step(), sample);
        let mut first = alone.clone();
        super::parts::next_input(&mut first, self.timeline.first(0));
        if openings.len() >= KEPT_OPENINGS {
            openings.remove(0);
        }
        let made = Opening {
            sample,
            alone: Arc::new(alone.finish(Role::User)),
            first: Arc::new(first.finish(Role::User)),
        };
        let taken = take(&made);
        openings.push(made);
        taken
    }

    /// What the LLM was really sent to produce turn N, where the trace has it. A recorded prompt without
    /// a system message gets the step's own.
    pub fn recorded_prompt(&self, n: u32) -> Option<Vec<Message>> {
        let index = n.checked_sub(1)? as usize;
        if !self.step().turns().get(index)?.amounts().sent {
            return None;
        }
        let turn = self.step().turn(index)?;
        let sent = turn.messages().get()?;
        let has_system = sent.iter().any(|message| message.role == Role::System);
        let system = self.step().system_prompt.as_ref().filter(|_| !has_system);
        let system = system.map(|text| Message::new(Role::System, Arc::clone(text)));
        Some(system.into_iter().chain(sent.iter().cloned()).collect())
    }

    /// Turn N's prompt: what the LLM is sent to produce turn N under a case (requirements 7).
    ///
    /// # Errors
    /// [`TurnOutOfRange`] where N is 0 or beyond the prompt after the last turn.
    pub fn prompt(&self, n: u32, case: &Case) -> Result<Prompt, TurnOutOfRange> {
        let last = self.step().last_prompt();
        if n == 0 || n > last {
            return Err(TurnOutOfRange { n, last });
        }
        let history = self.history(n);
        if self.step().is_single_shot() {
            return Ok(super::parts::single_shot(self, history, case));
        }
        let mut prompt = case.strategy.to_messages(self, history, &case.options);
        prompt.stats.strategy = case.strategy.name();
        Ok(prompt)
    }
}

/// A turn that has no prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no prompt for turn {n}; this run has prompts for turns 1 to {last}")]
#[non_exhaustive]
pub struct TurnOutOfRange {
    /// The turn asked for.
    pub n: u32,
    /// The last one with a prompt.
    pub last: u32,
}

impl From<TurnOutOfRange> for crate::Error {
    fn from(error: TurnOutOfRange) -> Self {
        Self::Usage(error.to_string())
    }
}
