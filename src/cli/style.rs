//! Colours and signs of printed text. The only place of this program's commands that names an
//! escape sequence.

use std::io::IsTerminal as _;

use super::args::{Cli, Command, When};
use crate::settings::{Palette, Settings};
use crate::step::Outcome;

/// What a printed text is, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A heading.
    Heading,
    /// Secondary: frames, labels, notes.
    Dim,
    /// Something that succeeded.
    Good,
    /// Something that failed.
    Bad,
}

/// How text is printed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Style {
    /// The colours; printed text has the same in every palette that has any.
    pub(super) palette: Palette,
    /// Whether frames and signs are ASCII.
    pub(super) ascii: bool,
}

impl Style {
    /// The style of standard output: flags, then the environment, then settings.
    pub(super) fn detect(cli: &Cli, settings: &Settings) -> Self {
        let env = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let flag = match &cli.command {
            Command::Inspect(args) => args.screen.theme,
            _ => None,
        };
        let palette = flag.or(settings.theme.map(|given| given.value));
        let palette = match cli.global.color {
            // Colours that are asked for are there whatever the settings say.
            When::Always => palette.filter(|palette| flag.is_some() || *palette != Palette::None),
            When::Never => Some(Palette::None),
            When::Auto => {
                let colored = std::io::stdout().is_terminal()
                    && env("NO_COLOR").is_none()
                    && env("TERM").is_none_or(|term| term != "dumb");
                palette
                    .filter(|_| colored)
                    .or((!colored).then_some(Palette::None))
            }
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env);
        let utf8 = cfg!(windows)
            || locale.is_some_and(|name| {
                let name = name.to_string_lossy().to_ascii_lowercase();
                name.contains("utf-8") || name.contains("utf8")
            });
        let given = settings.ascii.map(|given| given.value);
        Self {
            palette: palette.unwrap_or_default(),
            ascii: cli.global.ascii.or(given).unwrap_or(!utf8),
        }
    }

    /// A text in the colour of its role.
    pub(super) fn paint(self, role: Role, text: &str) -> String {
        if self.palette == Palette::None || text.is_empty() {
            return text.to_owned();
        }
        let code = match role {
            Role::Heading => "1",
            Role::Dim => "2",
            Role::Good => "32",
            Role::Bad => "31",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    fn choose(self, drawn: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { drawn }
    }

    /// The top of a box, before its title.
    pub(super) fn top(self) -> &'static str {
        self.choose("┌─ ", "+- ")
    }

    /// The left side of a box.
    pub(super) fn bar(self) -> &'static str {
        self.choose("│", "|")
    }

    /// The bottom of a box.
    pub(super) fn bottom(self) -> &'static str {
        self.choose("└─", "+-")
    }

    /// Between facts on a line.
    pub(super) fn dot(self) -> &'static str {
        self.choose(" · ", " - ")
    }

    /// Before a note on what was cut.
    pub(super) fn ellipsis(self) -> &'static str {
        self.choose("…", "..")
    }

    /// The sign of an outcome.
    pub(super) fn sign(self, outcome: Outcome) -> String {
        match outcome {
            Outcome::Success => self.paint(Role::Good, self.choose("✓", "ok")),
            Outcome::Failure => self.paint(Role::Bad, self.choose("✗ failed", "FAILED")),
            Outcome::Unknown => "?".to_owned(),
        }
    }
}
