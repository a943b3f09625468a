//! `messages`: the prompt for a turn.

use super::args::{MessagesArgs, MessagesOutput};
use super::prompt::{Shown, shown};
use super::{Context, note, open};
use crate::compression::Run;
use crate::error::Error;
use crate::export;

pub(super) fn run(args: &MessagesArgs, context: &mut Context<'_>) -> Result<(), Error> {
    let loaded = open::open(&args.file, &args.reading)?;
    let step = open::pick(&loaded, &args.file, &args.picking)?;
    let run = Run::new(open::inferred(step, &args.options));
    let file = args.file.to_string_lossy();
    let shown = shown(&run, args.turn, &args.options.asked, &file)?;
    if let Some(text) = &shown.note {
        note(text);
    }
    Ok(context
        .out
        .write_all(render(&shown, args.output).as_bytes())?)
}

/// Messages in one of their forms.
pub fn render(shown: &Shown, output: MessagesOutput) -> String {
    match output {
        MessagesOutput::Json => export::json::messages(&shown.messages),
        MessagesOutput::Text => export::text::messages(&shown.messages),
        MessagesOutput::Openai => export::openai::body(&shown.messages),
        MessagesOutput::Anthropic => export::anthropic::body(&shown.messages),
    }
}
