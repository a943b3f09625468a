//! `completions`: a shell's completions.

use clap::CommandFactory as _;

use super::Context;
use super::args::{Cli, CompletionsArgs};
use crate::error::Error;

pub(super) fn run(args: &CompletionsArgs, context: &mut Context<'_>) -> Result<(), Error> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "turnscope", &mut text);
    Ok(context.out.write_all(&text)?)
}
