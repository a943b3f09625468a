//! Colours and signs of printed text. The only place of this program's commands that names an
//! escape sequence.

use std::io::IsTerminal as _;

use super::args::{Global, When};
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
    /// Whether in colour.
    pub(super) color: bool,
    /// Whether frames and signs are ASCII.
    pub(super) ascii: bool,
}

impl Style {
    /// The style of standard output.
    pub(super) fn detect(global: &Global) -> Self {
        let env = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let color = match global.color {
            When::Always => true,
            When::Never => false,
            When::Auto => {
                std::io::stdout().is_terminal()
                    && env("NO_COLOR").is_none()
                    && env("TERM").is_none_or(|term| term != "dumb")
            }
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env);
        let utf8 = cfg!(windows)
            || locale.is_some_and(|name| {
                let name = name.to_string_lossy().to_ascii_lowercase();
                name.contains("utf-8") || name.contains("utf8")
            });
        Self {
            color,
            ascii: global.ascii || !utf8,
        }
    }

    /// A text in the colour of its role.
    pub(super) fn paint(self, role: Role, text: &str) -> String {
        if !self.color || text.is_empty() {
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
