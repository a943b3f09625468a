//! What a person set down in `turnscope/config.toml` in the platform's directory for settings, or in
//! the file that `--config` or `TURNSCOPE_CONFIG` names.
//!
//! A bad file never keeps the program from working: what can't be used is told of with its line and
//! is as if it weren't there. Names of commands and keys are the inspector's matter and are checked
//! there. The commands take a strategy and its options from their flags alone, so that what a script
//! prints doesn't depend on who runs it.

pub mod folders;
pub mod places;
mod read;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::tokens::Tokenizer;

/// The colours of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::exhaustive_enums)] // whoever draws must know each
pub enum Palette {
    /// Colours that are read well on a dark ground.
    #[default]
    Dark,
    /// Colours that are read well on a light ground.
    Light,
    /// No colours.
    None,
}

impl Palette {
    /// The names in settings and on the command line.
    pub const NAMES: &[&str] = &["dark", "light", "none"];

    /// The palette of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "dark" => Some(Self::Dark),
            "light" => Some(Self::Light),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::None => "none",
        }
    }
}

/// A value, and the line of the file that gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Given<T> {
    /// The value.
    pub value: T,
    /// The line, from 1.
    pub line: usize,
}

/// The keys of a command of the inspector, as the file has them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeySetting {
    /// The command's name.
    pub command: String,
    /// Its keys; none takes the command's keys away.
    pub keys: Vec<String>,
    /// The line, from 1.
    pub line: usize,
}

/// A pattern whose matches are redacted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RedactPattern {
    /// What stands for a match: letters, digits, `_` and `-`.
    pub name: String,
    /// What is redacted; it matches no empty text.
    pub regex: regex::Regex,
}

/// What is wrong with a part of the file, and what to do. That part doesn't hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Complaint {
    /// The line, from 1; none where the file as a whole is meant.
    pub line: Option<usize>,
    /// What is wrong, in one line that is safe to print.
    pub what: String,
}

impl Complaint {
    /// A complaint on a line.
    pub fn new(line: usize, what: impl fmt::Display) -> Self {
        let line = Some(line);
        Self {
            line,
            ..Self::whole(what)
        }
    }

    fn whole(what: impl fmt::Display) -> Self {
        let what = what.to_string().replace(['\n', '\r'], " ");
        let what = crate::text::clean_line(&what).into_owned();
        Self { line: None, what }
    }
}

/// What the file says. Where it says nothing there is no value.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Settings {
    /// Where the file is looked for; none where the platform names no directory.
    pub path: Option<PathBuf>,
    /// Whether it is there.
    pub found: bool,
    /// The colours of the inspector; `none` holds for printed text too.
    pub theme: Option<Given<Palette>>,
    /// Whether the inspector takes the mouse.
    pub mouse: Option<Given<bool>>,
    /// Whether to draw with ASCII alone.
    pub ascii: Option<Given<bool>>,
    /// Whether the inspector wraps long lines.
    pub wrap: Option<Given<bool>>,
    /// Whether the inspector remembers the last place in a trace.
    pub remember: Option<Given<bool>>,
    /// The strategy that the inspector shows where the trace records none.
    pub strategy: Option<Given<&'static str>>,
    /// The tokenizer that the inspector counts with.
    pub tokenizer: Option<Given<Tokenizer>>,
    /// Keys of commands.
    pub keys: Vec<KeySetting>,
    /// What is redacted besides what always is.
    redact: Vec<RedactPattern>,
    /// Whether a part of `[redact]`, or the whole file, could not be used.
    redact_is_cut: bool,
    /// What was ignored, in the order of the lines.
    pub ignored: Vec<Complaint>,
}

impl Settings {
    /// Reads the file named, else the one in the platform's directory. A file that was named must be
    /// there; what is wrong is in [`Settings::ignored`].
    pub fn load(named: Option<&Path>) -> Self {
        let path = named.map(Path::to_owned).or_else(folders::settings_file);
        let Some(path) = path else {
            return Self::default();
        };
        let mut settings = match read::read(&path) {
            Ok(Some(text)) => Self::parse(&text),
            Ok(None) if named.is_none() => Self::default(),
            Ok(None) => Self::broken("there is no such file"),
            Err(why) => Self::broken(&why),
        };
        settings.path = Some(path);
        settings
    }

    fn broken(why: &str) -> Self {
        Self {
            ignored: vec![Complaint::whole(format!("{why}; no setting of it holds"))],
            redact_is_cut: true,
            ..Self::default()
        }
    }

    /// Reads the text of a settings file.
    pub fn parse(text: &str) -> Self {
        read::parse(text)
    }

    /// A complaint with the file's name and line before it.
    pub fn tell(&self, complaint: &Complaint) -> String {
        let path = self.path.as_deref().unwrap_or(Path::new("settings"));
        let path = path.to_string_lossy().replace(['\n', '\r'], " ");
        let path = crate::text::clean_line(&path);
        match complaint.line {
            Some(line) => format!("{path}:{line}: {}", complaint.what),
            None => format!("{path}: {}", complaint.what),
        }
    }

    /// The first thing that was ignored, and how much else was; none where all holds.
    pub fn ignored_in_short(&self) -> Option<String> {
        let first = self.tell(self.ignored.first()?);
        Some(match self.ignored.len() - 1 {
            0 => first,
            more => format!("{first} (and {more} more: 'turnscope settings' lists them)"),
        })
    }

    /// The patterns of `[redact]`.
    ///
    /// # Errors
    /// [`Error::Usage`] where one of them can't be used: what should be redacted must not slip through
    /// because of a slip in the settings.
    pub fn redact_patterns(&self) -> Result<&[RedactPattern], Error> {
        if !self.redact_is_cut {
            return Ok(&self.redact);
        }
        let why = self.ignored.iter().map(|complaint| self.tell(complaint));
        let why: Vec<String> = why.collect();
        Err(Error::Usage(format!(
            "not all patterns of [redact] can be used, so nothing is redacted: {}",
            why.join("; ")
        )))
    }
}
