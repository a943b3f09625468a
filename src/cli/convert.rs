//! `convert`: a run in another form.

use std::sync::Arc;

use super::args::{ConvertArgs, ConvertTo};
use super::{Context, open, redaction, selection};
use crate::compression::{Case, Run, Uncompressed};
use crate::error::Error;
use crate::export;
use crate::step::Step;
use crate::text::redact::Redactor;

pub(super) fn run(args: &ConvertArgs, context: &mut Context<'_>) -> Result<(), Error> {
    let loaded = open::open(&args.file, &args.reading)?;
    let step = open::pick(&loaded, &args.file, &args.picking)?;
    let step = selection::cut(&step, args.turns.as_ref())?;
    let redactor = redaction::active().map(|redactor| &**redactor);
    let text = render(&step, args.to, redactor)?;
    match &args.out {
        Some(path) => std::fs::write(path, text).map_err(|source| Error::Write {
            path: path.clone(),
            source,
        }),
        None => Ok(context.out.write_all(text.as_bytes())?),
    }
}

/// A step in one of its forms, without its secrets where they are to be hidden. As a chat it is the
/// uncompressed prompt after the last turn, system prompt included.
///
/// # Errors
/// None so far.
pub fn render(
    step: &Arc<Step>,
    to: ConvertTo,
    redactor: Option<&Redactor>,
) -> Result<String, Error> {
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
    Ok(match to {
        ConvertTo::Step => export::step::write(&shown()),
        ConvertTo::Markdown => export::markdown::report(&shown()),
        ConvertTo::Atif => export::atif::write(&shown()),
        ConvertTo::Html => export::html::report(&shown()),
        ConvertTo::Openai => export::openai::body(&chat()?),
        ConvertTo::Anthropic => export::anthropic::body(&chat()?),
    })
}
