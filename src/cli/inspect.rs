//! `inspect`, the default: the inspector, or the turns printed where there is none.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::{CheckOutput, Global, InspectArgs, ScreenFlags};
use super::option_flags::naming_recorded;
use super::style::Style;
use super::{Context, Hooks, folder, open, print, redaction, usage};
use crate::compression::{Asked, strategy};
use crate::demo;
use crate::error::Error;
use crate::load::{self, Loader};
use crate::settings::places::Keeper;
use crate::settings::{Given, Palette, Settings};
use crate::text::redact::Redactor;

/// What the inspector is asked to open.
#[derive(Clone)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // each is a flag of the command line
pub struct Inspect {
    /// The file, or a folder of them; none is the demo. `-` is standard input.
    pub file: Option<PathBuf>,
    /// A second file, to be shown beside the first.
    pub file2: Option<PathBuf>,
    /// Its format; none is recognised by the content.
    pub format: Option<&'static dyn Loader>,
    /// The conversation to begin with, where the file holds several; from 1.
    pub conversation: Option<u32>,
    /// The turn to begin with.
    pub turn: Option<u32>,
    /// Whether to begin with what was really sent.
    pub recorded: bool,
    /// The strategy and options to begin with: [`Asked::case`] makes a case of them for a step, or
    /// says what is wrong before the first frame.
    pub asked: Asked,
    /// Whether what the trace doesn't tell of definitions is taken from running its programs.
    pub infer: bool,
    /// How the screen looks.
    pub screen: Screen,
    /// The settings: what isn't named here has no flag.
    pub settings: Settings,
    /// What hides secrets, with the patterns of the settings and of the command line; none where they
    /// can't be used.
    pub redactor: Option<Arc<Redactor>>,
    /// Whether to begin with secrets hidden.
    pub redacted: bool,
}

impl Inspect {
    /// Where the last place in the file is kept; none where it ends with the reading, as standard
    /// input and pipes do, or nothing is to be remembered.
    pub fn keeper(&self) -> Option<Keeper> {
        let remembers = self.settings.remember.is_none_or(|given| given.value);
        let file = self.file.as_deref().filter(|file| file.is_file());
        Keeper::new(file.filter(|_| remembers)?)
    }
}

/// How the inspector's screen looks: flags, else settings, else what fits the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Screen {
    /// The colours.
    pub theme: Palette,
    /// Whether to draw with ASCII alone.
    pub ascii: bool,
    /// Whether to take the mouse.
    pub mouse: bool,
    /// Whether to wrap long lines.
    pub wrap: bool,
}

impl Screen {
    fn new(flags: ScreenFlags, style: Style, settings: &Settings) -> Self {
        let given = |given: Option<Given<bool>>| given.map(|given| given.value);
        Self {
            theme: style.palette,
            ascii: style.ascii,
            mouse: flags.mouse.or(given(settings.mouse)).unwrap_or(false),
            wrap: flags.wrap.or(given(settings.wrap)).unwrap_or(true),
        }
    }
}

pub(super) fn run(
    args: &InspectArgs,
    global: &Global,
    hooks: &Hooks,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    for file in &args.files {
        reject_unknown_word(file)?;
    }
    let last = args.last.as_deref().map(open::newest).transpose()?;
    let named = last.map_or_else(|| args.files.clone(), |last| vec![last]);
    let (file, file2) = match named.as_slice() {
        [] => (None, None),
        [file] => (Some(file), None),
        [file, file2] => (Some(file), Some(file2)),
        _ => {
            let what = "one trace opens at a time, or two side by side";
            return Err(Error::Usage(what.to_owned()));
        }
    };
    if file2.is_some() && named.iter().all(|file| file.as_os_str() == "-") {
        let what = "standard input can be read once; name a file for the other run";
        return Err(Error::Usage(what.to_owned()));
    }
    let mut folders = named.iter().filter(|file| open::is_folder(file));
    let listed = folders.next();
    if let (Some(folder), Some(_)) = (listed, file2) {
        let name = folder.to_string_lossy();
        let what = format!("{name} is a folder; two runs side by side are two files");
        return Err(Error::Usage(what));
    }
    if args.output == CheckOutput::Json {
        let Some(folder) = listed else {
            let what = "--output json lists a folder; 'messages', 'check' and 'convert' write a trace as JSON";
            return Err(Error::Usage(what.to_owned()));
        };
        return folder::run(folder, &args.reading, args.output, context);
    }
    let recorded = args.options.is_recorded();
    let mut asked = args.options.asked.clone();
    if recorded {
        asked.strategy = None;
    } else if let Some(name) = &asked.strategy {
        strategy(name).map_err(naming_recorded)?;
    }
    let settings = &context.settings;
    let request = Inspect {
        file: file.cloned(),
        file2: file2.cloned(),
        format: load::loader(&args.reading.format)?,
        conversation: args.picking.conversation,
        turn: args.turn,
        recorded,
        asked,
        infer: args.options.infer,
        screen: Screen::new(args.screen, context.style, settings),
        settings: settings.clone(),
        redactor: match redaction::redactor(global, settings) {
            Err(error) if redaction::is_asked(global) => return Err(error),
            made => made.ok(),
        },
        redacted: redaction::is_asked(global),
    };
    if let Some(inspect) = hooks.inspect.filter(|_| is_terminal()) {
        return inspect(&request);
    }
    if let Some(folder) = listed {
        return folder::run(folder, &args.reading, args.output, context);
    }
    let printed = print::Request::of(args);
    match file {
        Some(file) => {
            let mut loaded = open::open(file, &args.reading)?;
            for step in &mut loaded.conversations {
                *step = open::inferred(std::sync::Arc::clone(step), &args.options);
            }
            print::conversations(&loaded, &printed, &file.to_string_lossy(), context)
        }
        None => print::conversations(&demo::load()?, &printed, demo::NAME, context),
    }
}

fn is_terminal() -> bool {
    io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A bare word that is no file is a mistyped command rather than a trace that is missing.
fn reject_unknown_word(file: &Path) -> Result<(), Error> {
    let word = file.to_string_lossy();
    let bare = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !bare || file.exists() {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "there is no file and no command '{word}'; commands: {}",
        usage::command_names().join(", ")
    )))
}
