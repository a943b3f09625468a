//! Who answers prompts: a script, or what was recorded.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::step::{Role, Step};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LlmError {
    /// Scripted or recorded answers ran out.
    #[error("there is no answer left for this turn")]
    RanOut,
    /// It was asked, and failed.
    #[error("the model failed: {0}")]
    Failed(String),
}

/// Answers prompts.
pub trait Llm {
    /// The answer to the messages of turn `n`.
    ///
    /// # Errors
    /// [`LlmError`] where there is none; the run ends then.
    fn answer(&mut self, n: u32, messages: &[(Role, Arc<str>)]) -> Result<Arc<str>, LlmError>;
}

/// Answers in order, whatever is asked.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Scripted {
    answers: VecDeque<Arc<str>>,
}

impl Scripted {
    /// These answers, one a turn.
    pub fn new(answers: impl IntoIterator<Item = Arc<str>>) -> Self {
        Self {
            answers: answers.into_iter().collect(),
        }
    }
}

impl Llm for Scripted {
    fn answer(&mut self, _: u32, _: &[(Role, Arc<str>)]) -> Result<Arc<str>, LlmError> {
        self.answers.pop_front().ok_or(LlmError::RanOut)
    }
}

/// The answers that a step recorded, each for its own turn.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Recorded {
    step: Arc<Step>,
}

impl Recorded {
    /// The answers of this step.
    pub fn new(step: Arc<Step>) -> Self {
        Self { step }
    }
}

impl Llm for Recorded {
    fn answer(&mut self, n: u32, _: &[(Role, Arc<str>)]) -> Result<Arc<str>, LlmError> {
        let turn = (n as usize).checked_sub(1);
        let turn = turn.and_then(|index| self.step.turns().get(index));
        let answer = turn.and_then(|turn| turn.raw_response().get());
        answer.map(Arc::clone).ok_or(LlmError::RanOut)
    }
}
