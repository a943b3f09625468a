//! The forms that a whole run is written in, by one function for the commands and the inspector.

use std::sync::Arc;

use super::{anthropic, atif, html, markdown, openai, step as step_file};
use crate::compression::{Case, Run, Uncompressed};
use crate::error::Error;
use crate::step::{Conventions, Step};
use crate::text::redact::Redactor;

/// A form of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// A step file.
    Step,
    /// The chat as a request body for OpenAI's chat API.
    Openai,
    /// The chat as a request body for Anthropic's messages API.
    Anthropic,
    /// An ATIF trajectory.
    Atif,
    /// A report.
    Markdown,
    /// One self-contained page.
    Html,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Step,
        Self::Openai,
        Self::Anthropic,
        Self::Atif,
        Self::Markdown,
        Self::Html,
    ];

    /// What it goes by on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Atif => "atif",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }

    /// What it is, for messages.
    pub fn title(self) -> &'static str {
        match self {
            Self::Step => "a step file",
            Self::Openai => "a chat for OpenAI's API",
            Self::Anthropic => "a chat for Anthropic's API",
            Self::Atif => "an ATIF trajectory",
            Self::Markdown => "a report",
            Self::Html => "a page",
        }
    }
}

/// A step in one of its forms, without its secrets where they are to be hidden. As a chat it is the
/// uncompressed prompt after the last turn, system prompt included; the log of a conversation keeps its
/// own messages, with calls and results. [`super::losses::left_out`] says what a form has no place for.
///
/// # Errors
/// None so far.
pub fn write(step: &Arc<Step>, form: Form, redactor: Option<&Redactor>) -> Result<String, Error> {
    let chat = || {
        let run = Run::new(Arc::clone(step));
        let prompt = run.prompt(step.last_prompt(), &Case::new(&Uncompressed))?;
        let mut messages = prompt.messages();
        if let Some(redactor) = redactor {
            for (_, content) in &mut messages {
                *content = redactor.text(content).into();
            }
        }
        Ok::<_, Error>(messages)
    };
    let shown = || match redactor {
        Some(redactor) => Arc::new(step.redacted(redactor)),
        None => Arc::clone(step),
    };
    let is_log = step.conventions == Conventions::Foreign;
    Ok(match form {
        Form::Step => step_file::write(&shown()),
        Form::Markdown => markdown::report(&shown()),
        Form::Atif => atif::write(&shown()),
        Form::Html => html::report(&shown()),
        Form::Openai if is_log => openai::conversation(&shown()),
        Form::Anthropic if is_log => anthropic::conversation(&shown()),
        Form::Openai => openai::body(&chat()?),
        Form::Anthropic => anthropic::body(&chat()?),
    })
}
