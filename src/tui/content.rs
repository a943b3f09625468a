//! A prompt that a lens shows: a strategy's, or the one that was sent.

use std::sync::Arc;

use crate::compression::{AsSent, Case, Prompt, Run};
use crate::step::Role as Speaker;

/// A prompt as it is shown.
#[derive(Debug, Clone)]
pub enum Content {
    /// A strategy's.
    Rendered(Arc<Prompt>),
    /// As sent.
    Recorded(Arc<AsSent>),
    /// None, and why.
    Missing(String),
}

impl Content {
    /// A run's prompt N: under a case, or without one as it was sent. No run has a prompt 0.
    pub fn of(run: &Run, n: u32, case: Option<&Case>) -> Self {
        if n == 0 {
            let why = "This run has no turn here: only the other one took it.";
            return Self::Missing(why.to_owned());
        }
        match case {
            Some(case) => match run.prompt(n, case) {
                Ok(prompt) => Self::Rendered(Arc::new(prompt)),
                Err(error) => Self::Missing(error.to_string()),
            },
            None => match run.as_sent(n) {
                Ok(sent) => Self::Recorded(Arc::new(sent)),
                Err(why) => Self::Missing(format!("{why} s shows what a strategy would send.")),
            },
        }
    }

    /// How many messages there are.
    pub fn messages(&self) -> usize {
        match self {
            Self::Rendered(prompt) => prompt.len(),
            Self::Recorded(sent) => sent.messages.len(),
            Self::Missing(_) => 0,
        }
    }

    /// Role and text of a message.
    pub fn message(&self, index: usize) -> Option<(Speaker, Arc<str>)> {
        match self {
            Self::Rendered(prompt) => {
                let message = prompt.get(index)?;
                Some((message.role, Arc::clone(&message.content)))
            }
            Self::Recorded(sent) => {
                let message = sent.messages.get(index)?;
                Some((message.role, Arc::clone(&message.content)))
            }
            Self::Missing(_) => None,
        }
    }
}
