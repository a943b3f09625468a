//! The commands. One file a command; `args.rs` declares what each takes.
//!
//! The inspector is not known here: whoever composes the program hands it over in [`Hooks`].

mod args;
mod cases;
mod check;
mod compare;
mod compare_base;
mod compare_csv;
mod compare_json;
mod compare_runs;
mod compare_table;
mod completions;
mod convert;
mod diff;
mod diff_runs;
mod eval;
mod folder;
mod follow;
mod inspect;
mod keys;
mod log;
mod man;
mod messages;
mod open;
mod option_flags;
mod page;
mod print;
mod print_beside;
mod print_turn;
mod print_usage;
mod problems;
mod prompt;
mod redaction;
mod replay;
mod run;
mod selection;
mod settings;
mod style;
mod usage;

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

pub use args::MessagesOutput;
pub use inspect::{Inspect, Screen};
pub use messages::render as render_messages;
pub use option_flags::RECORDED;
pub use prompt::{Shown, shown};

use tracing::debug;

use crate::error::{EXIT_DIFFERS, EXIT_DONE, EXIT_INPUT, EXIT_REQUIREMENT, EXIT_USAGE, Error};
use crate::settings::{Complaint, KeySetting, Settings};
use crate::text::clean_line;
use args::{Cli, Command};
use style::Style;

/// Opens the inspector.
pub type OpenInspector = fn(&Inspect) -> Result<(), Error>;

/// Says what of the keys in the settings can't hold.
pub type CheckKeys = fn(&[KeySetting]) -> Vec<Complaint>;

/// What the commands need of the inspector, where there is one.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct Hooks {
    /// Called where standard output is a terminal; elsewhere FILE is printed.
    pub inspect: Option<OpenInspector>,
    /// The table of keys as Markdown.
    pub keys: Option<fn() -> String>,
    /// What of the settings' keys can't hold.
    pub check_keys: Option<CheckKeys>,
}

impl Hooks {
    /// The hooks of a program that has the inspector.
    pub fn new(inspect: OpenInspector, keys: fn() -> String, check_keys: CheckKeys) -> Self {
        Self {
            inspect: Some(inspect),
            keys: Some(keys),
            check_keys: Some(check_keys),
        }
    }
}

/// What a command writes to, and how.
struct Context<'a> {
    out: &'a mut dyn Write,
    style: Style,
    settings: Settings,
}

/// Runs the command that the arguments name, program name first, and gives the exit code (design 2).
pub fn run(args: impl Iterator<Item = OsString>, hooks: &Hooks) -> u8 {
    let args: Vec<OsString> = args.collect();
    let cli = match usage::parse(args.iter().cloned()) {
        Ok(cli) => cli,
        Err((error, _)) if !error.use_stderr() => {
            let mut out = io::stdout().lock();
            // A reader that has gone away is no error, and nobody else is left to tell.
            let _ = write!(out, "{}", error.render());
            return EXIT_DONE;
        }
        Err((error, command)) => {
            complain("error", &usage::one_line(&error, &command));
            return EXIT_USAGE;
        }
    };
    if let Err(error) = log::begin() {
        complain("error", &error.to_string());
        return error.exit_code();
    }
    debug!(version = env!("CARGO_PKG_VERSION"), ?args, "begins");
    let code = obey(&cli, hooks);
    debug!(code, "ends");
    code
}

/// Does what the arguments say, and gives the exit code.
fn obey(cli: &Cli, hooks: &Hooks) -> u8 {
    // Not locked: while the inspector runs, a signal must be able to give the terminal back.
    let mut out = BufWriter::new(io::stdout());
    let named = std::env::var_os("TURNSCOPE_CONFIG").filter(|name| !name.is_empty());
    let named = cli.global.config.clone().or(named.map(PathBuf::from));
    let mut settings = Settings::load(named.as_deref());
    if let Some(check) = hooks.check_keys {
        settings.ignored.extend(check(&settings.keys));
        settings.ignored.sort_by_key(|complaint| complaint.line);
    }
    if let Err(error) = redaction::begin(cli, &settings) {
        complain("error", &error.to_string());
        return error.exit_code();
    }
    let redactor = redaction::active().filter(|_| !matches!(cli.command, Command::Convert(_)));
    let mut out = redaction::Redacted::new(&mut out, redactor.map(|redactor| &**redactor));
    let mut context = Context {
        out: &mut out,
        style: Style::detect(cli, &settings),
        settings,
    };
    let ended = command(cli, hooks, &mut context);
    let ended = ended.and_then(|code| {
        out.flush()?;
        redaction::report();
        Ok(code)
    });
    match ended {
        Ok(code) => code,
        Err(error) if error.is_closed_pipe() => EXIT_DONE,
        Err(error) => {
            // What was written before the error stands before it.
            let _ = out.flush();
            complain("error", &error.to_string());
            error.exit_code()
        }
    }
}

fn command(cli: &Cli, hooks: &Hooks, context: &mut Context<'_>) -> Result<u8, Error> {
    // These tell it in a place of their own.
    let tells = matches!(cli.command, Command::Settings | Command::Inspect(_));
    if let Some(text) = context.settings.ignored_in_short().filter(|_| !tells) {
        note(&text);
    }
    match &cli.command {
        Command::Inspect(args) => inspect::run(args, &cli.global, hooks, context)?,
        Command::Print(args) => print::run(args, context)?,
        Command::Messages(args) => messages::run(args, context)?,
        Command::Compare(args) => {
            let met = compare::run(args, context)?;
            return Ok(if met { EXIT_DONE } else { EXIT_REQUIREMENT });
        }
        Command::Diff(args) => diff::run(args, context)?,
        Command::Problems(args) => problems::run(args, context)?,
        Command::Check(args) => {
            let sound = check::run(args, context)?;
            return Ok(if sound { EXIT_DONE } else { EXIT_INPUT });
        }
        Command::Convert(args) => convert::run(args, context)?,
        Command::Eval(args) => {
            let well = eval::run(args, context)?;
            return Ok(if well { EXIT_DONE } else { EXIT_INPUT });
        }
        Command::Replay(args) => {
            let same = replay::run(args, context)?;
            return Ok(if same { EXIT_DONE } else { EXIT_DIFFERS });
        }
        Command::Run(args) => run::run(args, context)?,
        Command::Settings => settings::run(&cli.global, context)?,
        Command::Keys(args) => keys::run(args, hooks, context)?,
        Command::Completions(args) => completions::run(args, context)?,
        Command::Man(args) => man::run(args, context)?,
    }
    Ok(EXIT_DONE)
}

/// Tells something beside the output in a line.
fn note(text: &str) {
    complain("note", text);
}

/// One line on standard error, safe for a terminal.
fn complain(kind: &str, text: &str) {
    let text = match redaction::active() {
        Some(redactor) => redactor.text(text),
        None => text.into(),
    };
    // There is nowhere to tell that this failed.
    let _ = writeln!(io::stderr(), "turnscope: {kind}: {}", clean_line(&text));
}
