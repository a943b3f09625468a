//! The library's errors: what went wrong, where, and what to do.
//!
//! Every module may use them, so this one knows no module but [`crate::text`]: who has errors of its
//! own turns them into these where they are declared.

use std::path::PathBuf;

use crate::text;

/// Anything that keeps a command from doing what was asked. Its text is one line, safe to print.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or standard input can't be read.
    #[error("{}: can't be read: {source}", show(.name))]
    Read {
        /// The file's name.
        name: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file can't be written.
    #[error("{}: can't be written: {source}", show(&.path.to_string_lossy()))]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A directory stands where a file is needed.
    #[error("{}: is a directory; name a trace file in it", show(.name))]
    Directory {
        /// Its name.
        name: String,
    },
    /// There is nothing in it.
    #[error("{}: is empty: there is no trace in it", show(.name))]
    Empty {
        /// The file's name.
        name: String,
    },
    /// It holds no JSON.
    #[error("{}: not JSON: {why}; a trace is JSON or JSON lines", show(.name))]
    NotJson {
        /// The file's name.
        name: String,
        /// The parser's words, with line and column.
        why: String,
    },
    /// It is JSON, but of no known format.
    #[error("{}: no known trace format ({why}); --format NAME forces one of: {}", show(.name), .known.join(", "))]
    Unrecognised {
        /// The file's name.
        name: String,
        /// What was seen.
        why: String,
        /// Formats there are.
        known: Vec<&'static str>,
    },
    /// No format has this name.
    #[error("unknown format '{}'; valid: auto, {}", show(.name), .known.join(", "))]
    UnknownFormat {
        /// The name given.
        name: String,
        /// Formats there are.
        known: Vec<&'static str>,
    },
    /// It was recognised, but nothing could be made of it.
    #[error("{}: {what}", show(.name))]
    Unreadable {
        /// The file's name.
        name: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// Something was asked for that there isn't: an option, a turn, arguments that don't fit
    /// together.
    #[error("{}", show(.0))]
    Usage(String),
    /// Writing the output failed.
    #[error("the output can't be written: {0}")]
    Output(#[from] std::io::Error),
    /// The terminal can't be used.
    #[error("the terminal can't be used: {0}; use 'turnscope print FILE' instead")]
    Terminal(String),
}

/// Exit code: done.
pub const EXIT_DONE: u8 = 0;
/// Exit code: the input is not what it should be.
pub const EXIT_INPUT: u8 = 1;
/// Exit code: usage.
pub const EXIT_USAGE: u8 = 2;
/// Exit code: a requirement is not met.
pub const EXIT_REQUIREMENT: u8 = 3;
/// Exit code: what was compared differs.
pub const EXIT_DIFFERS: u8 = 3;

impl Error {
    /// The exit code of a command that ends so (design 2).
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::UnknownFormat { .. } => EXIT_USAGE,
            _ => EXIT_INPUT,
        }
    }

    /// Whether the reader of our output has gone away, which is no error.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

/// Names and words from outside, made safe for a terminal and for one line.
fn show(text: &str) -> String {
    text::clean_line(&text.replace(['\n', '\r'], " ")).into_owned()
}
