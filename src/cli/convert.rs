//! `convert`: a run in another form.

use std::sync::Arc;

use super::args::{ConvertArgs, ConvertTo};
use super::{Context, note, open, redaction, selection};
use crate::error::Error;
use crate::export::form::{self, Form};
use crate::export::losses;
use crate::step::Step;
use crate::text::redact::Redactor;

pub(super) fn run(args: &ConvertArgs, context: &mut Context<'_>) -> Result<(), Error> {
    let loaded = open::open(&args.file, &args.reading)?;
    let step = open::pick(&loaded, &args.file, &args.picking)?;
    let step = selection::cut(&step, args.turns.as_ref())?;
    let left_out = losses::left_out(&step, args.to.form());
    if !left_out.is_empty() {
        note(&format!(
            "{} has no place for: {}",
            args.to.form().title(),
            left_out.join(", ")
        ));
    }
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

/// A step in one of its forms; see [`form::write`].
///
/// # Errors
/// None so far.
pub fn render(
    step: &Arc<Step>,
    to: ConvertTo,
    redactor: Option<&Redactor>,
) -> Result<String, Error> {
    form::write(step, to.form(), redactor)
}

impl ConvertTo {
    fn form(self) -> Form {
        match self {
            Self::Step => Form::Step,
            Self::Openai => Form::Openai,
            Self::Anthropic => Form::Anthropic,
            Self::Atif => Form::Atif,
            Self::Markdown => Form::Markdown,
            Self::Html => Form::Html,
        }
    }
}
