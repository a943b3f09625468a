//! `convert`: a run in another form.

use std::sync::Arc;

use super::args::{ConvertArgs, ConvertTo};
use super::{Context, open, selection};
use crate::compression::{Case, Run, Uncompressed};
use crate::error::Error;
use crate::export;
use crate::step::Step;

pub(super) fn run(args: &ConvertArgs, context: &mut Context<'_>) -> Result<(), Error> {
    let loaded = open::open(&args.file, &args.reading)?;
    let step = open::pick(&loaded, &args.file, &args.picking)?;
    let step = selection::cut(&step, args.turns.as_ref())?;
    Ok(context.out.write_all(render(&step, args.to)?.as_bytes())?)
}

/// A step in one of its forms. As a chat it is the uncompressed prompt after the last turn, system
/// prompt included.
///
/// # Errors
/// None so far.
pub fn render(step: &Arc<Step>, to: ConvertTo) -> Result<String, Error> {
    let chat = || {
        let run = Run::new(Arc::clone(step));
        let prompt = run.prompt(step.last_prompt(), &Case::new(&Uncompressed))?;
        Ok::<_, Error>(prompt.messages())
    };
    Ok(match to {
        ConvertTo::Step => export::step::write(step),
        ConvertTo::Markdown => export::markdown::report(step),
        ConvertTo::Openai => export::openai::body(&chat()?),
        ConvertTo::Anthropic => export::anthropic::body(&chat()?),
    })
}
