//! `convert`: a run in another form.

use std::sync::Arc;

use super::args::{ConvertArgs, ConvertTo};
use super::{Context, open, redaction, selection};
use crate::error::Error;
use crate::export::form::{self, Form};
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

/// A step in one of its forms; see [`form::write`].
///
/// # Errors
/// None so far.
pub fn render(
    step: &Arc<Step>,
    to: ConvertTo,
    redactor: Option<&Redactor>,
) -> Result<String, Error> {
    let form = match to {
        ConvertTo::Step => Form::Step,
        ConvertTo::Openai => Form::Openai,
        ConvertTo::Anthropic => Form::Anthropic,
        ConvertTo::Atif => Form::Atif,
        ConvertTo::Markdown => Form::Markdown,
        ConvertTo::Html => Form::Html,
    };
    form::write(step, form, redactor)
}
