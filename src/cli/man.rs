//! `man`: the manual pages, made from what the commands declare of themselves.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _};
use clap_mangen::Man;

use super::Context;
use super::args::Cli;
use crate::error::Error;

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The command whose page is meant; without it, the page of turnscope
    pub(super) command: Option<String>,
    /// Writes all pages into this folder instead, as turnscope.1, turnscope-print.1 and so on
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub(super) out: Option<PathBuf>,
}

pub(super) fn run(args: &ManArgs, context: &mut Context<'_>) -> Result<(), Error> {
    // Built, so that a command's page names it whole and has the options that all commands take.
    let mut turnscope = Cli::command();
    turnscope.build();
    if let Some(folder) = &args.out {
        let written = clap_mangen::generate_to(turnscope, folder);
        return written.map_err(|source| Error::Write {
            path: folder.clone(),
            source,
        });
    }
    let command = match &args.command {
        None => turnscope,
        Some(name) => turnscope.find_subcommand(name).cloned().ok_or_else(|| {
            Error::Usage(format!(
                "there is no command '{name}'; 'turnscope --help' lists them"
            ))
        })?,
    };
    Ok(Man::new(command).render(&mut context.out)?)
}
