//! `convert`: a run in another form.

use super::args::ConvertArgs;
use super::{Context, note, open, redaction, selection};
use crate::error::Error;
use crate::export::form;
use crate::export::losses;

pub(super) fn run(args: &ConvertArgs, context: &mut Context<'_>) -> Result<(), Error> {
    let loaded = open::open(&args.file, &args.reading)?;
    let step = open::pick(&loaded, &args.file, &args.picking)?;
    let step = selection::cut(&step, args.turns.as_ref())?;
    let left_out = losses::left_out(&step, args.to);
    if !left_out.is_empty() {
        note(&format!(
            "{} has no place for: {}",
            args.to.title(),
            left_out.join(", ")
        ));
    }
    let redactor = redaction::active().map(|redactor| &**redactor);
    let text = form::write(&step, args.to, redactor)?;
    match &args.out {
        Some(path) => std::fs::write(path, text).map_err(|source| Error::Write {
            path: path.clone(),
            source,
        }),
        None => Ok(context.out.write_all(text.as_bytes())?),
    }
}
