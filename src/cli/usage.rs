//! Command lines: the default command, and clap's complaints in one line.

use std::ffi::OsString;

use clap::{CommandFactory as _, Parser as _};

use super::args::Cli;
use crate::text::clean_line;

/// The command that is meant where none is named.
const DEFAULT_COMMAND: &str = "inspect";

/// What every command takes, with a value in the same word.
const GLOBAL: [&str; 3] = ["--ascii=", "--color=", "--config="];

/// Names of the commands.
pub(super) fn command_names() -> Vec<String> {
    let cli = Cli::command();
    let names = cli.get_subcommands().map(clap::Command::get_name);
    names.map(str::to_owned).collect()
}

/// Reads the arguments, program name first.
///
/// # Errors
/// Help and version, which clap treats so, and what it complains about.
pub(super) fn parse(args: impl Iterator<Item = OsString>) -> Result<Cli, (clap::Error, String)> {
    let mut args: Vec<OsString> = args.collect();
    if args.is_empty() {
        args.push("turnscope".into());
    }
    let command = add_default_command(&mut args);
    Cli::try_parse_from(args).map_err(|error| (error, command))
}

/// Puts the default command where none is named, and says which one it is.
fn add_default_command(args: &mut Vec<OsString>) -> String {
    let names = command_names();
    let mut at = 1;
    loop {
        match args.get(at).and_then(|arg| arg.to_str()) {
            Some("-h" | "--help" | "-V" | "--version" | "help") => return String::new(),
            Some("--ascii" | "--redact") => at += 1,
            Some("--color" | "--config" | "--redact-pattern") => at += 2,
            Some(arg) if GLOBAL.iter().any(|flag| arg.starts_with(flag)) => at += 1,
            Some(arg) if names.iter().any(|name| name == arg) => return arg.to_owned(),
            _ => break,
        }
    }
    args.insert(at.min(args.len()), DEFAULT_COMMAND.into());
    DEFAULT_COMMAND.to_owned()
}

/// A complaint of clap's in one line, with where to read on.
pub(super) fn one_line(error: &clap::Error, command: &str) -> String {
    let text = error.render().to_string();
    let told = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty() && !line.starts_with("tip: to pass "))
        .map(|line| line.strip_prefix("error: ").unwrap_or(line));
    let told = told.collect::<Vec<_>>().join(" ").replace(" tip: ", "; ");
    let space = if command.is_empty() { "" } else { " " };
    format!(
        "{}; see 'turnscope{space}{command} --help'",
        clean_line(&told)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_default(line: &str) -> String {
        let mut args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        add_default_command(&mut args);
        let args: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
        args.join(" ")
    }

    #[test]
    fn a_file_alone_is_inspected() {
        assert_eq!(with_default("t"), "t inspect");
        assert_eq!(with_default("t a.json"), "t inspect a.json");
        assert_eq!(with_default("t --turn 3 a"), "t inspect --turn 3 a");
        assert_eq!(
            with_default("t --color never a"),
            "t --color never inspect a"
        );
        for named in [
            "t print a",
            "t --ascii --color=never check a",
            "t --config f --ascii=false check a",
            "t --help",
        ] {
            assert_eq!(with_default(named), named);
        }
    }

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
