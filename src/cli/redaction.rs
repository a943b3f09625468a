//! `--redact`: secrets give way to stand-ins in everything that a command writes.
//!
//! All output passes one place, [`Redacted`], so that no command can forget it; figures are made from
//! the original texts before. `convert` alone writes past it: it redacts the run instead, where texts
//! are not yet escaped.

use std::io::{self, Write};
use std::sync::{Arc, OnceLock};

use super::args::{Cli, Command, Global};
use super::note;
use crate::error::Error;
use crate::load::Loaded;
use crate::settings::Settings;
use crate::text::redact::{Edit, Hidden, Redactor};

/// What hides secrets in this process, in which one command runs.
static ACTIVE: OnceLock<Arc<Redactor>> = OnceLock::new();

/// What hides secrets, where that is wanted.
pub(super) fn active() -> Option<&'static Arc<Redactor>> {
    ACTIVE.get()
}

/// Makes what hides secrets: with the patterns of the settings and of the command line.
///
/// # Errors
/// A pattern that can't be used.
pub(super) fn redactor(global: &Global, settings: &Settings) -> Result<Arc<Redactor>, Error> {
    let own = settings.redact_patterns()?.iter();
    let mut own: Vec<_> = own.map(|own| (&*own.name, own.regex.as_str())).collect();
    for pattern in &global.redact_pattern {
        let Some(pair) = pattern.split_once('=') else {
            return Err(Error::Usage(format!(
                "--redact-pattern takes NAME=REGEX, and '{pattern}' has no '='"
            )));
        };
        own.push(pair);
    }
    let made = Redactor::new(own).map_err(|error| Error::Usage(error.to_string()))?;
    Ok(Arc::new(made))
}

/// Begins to hide secrets in what is written, where that is asked for or usual.
///
/// # Errors
/// A pattern that can't be used.
pub(super) fn begin(cli: &Cli, settings: &Settings) -> Result<(), Error> {
    let is_file = match &cli.command {
        // Files are what is given away.
        Command::Convert(args) => args.out.is_some() && !args.no_redact,
        _ => false,
    };
    if is_file || is_asked(&cli.global) {
        let redactor = redactor(&cli.global, settings)?;
        ACTIVE.get_or_init(|| redactor);
    }
    Ok(())
}

/// Whether the command line asks to hide secrets.
pub(super) fn is_asked(global: &Global) -> bool {
    global.redact || !global.redact_pattern.is_empty()
}

/// Gives the secrets of a trace their numbers, in the order of its records.
pub(super) fn learn(loaded: &Loaded) {
    if let Some(redactor) = active() {
        for step in &loaded.conversations {
            step.learn(redactor);
        }
        redactor.learned();
    }
}

/// Tells on standard error what was hidden.
pub(super) fn report() {
    let Some(redactor) = active() else { return };
    let hidden = redactor.report();
    let words: Vec<String> = hidden.iter().map(words).collect();
    note(&match words.as_slice() {
        [] => "nothing was redacted: no rule found anything".to_owned(),
        some => format!("redacted: {}", some.join(", ")),
    });
}

fn words(hidden: &Hidden) -> String {
    let Hidden {
        name,
        distinct,
        times,
        ..
    } = hidden;
    let plural = if *times == 1 { "" } else { "s" };
    format!("{name} in {times} place{plural} ({distinct} distinct)")
}

/// Bytes of a private key that is written line by line.
const BLOCK_LIMIT: usize = 1 << 16;

/// An output through which only redacted lines pass.
pub(super) struct Redacted<'a> {
    out: &'a mut dyn Write,
    redactor: Option<&'a Redactor>,
    held: Vec<u8>,
}

impl<'a> Redacted<'a> {
    /// Passes everything on as it is where nothing is to be hidden.
    pub(super) fn new(out: &'a mut dyn Write, redactor: Option<&'a Redactor>) -> Self {
        Self {
            out,
            redactor,
            held: Vec::new(),
        }
    }

    /// Writes the held lines, the last one too where it has no end yet.
    fn release(&mut self) -> io::Result<()> {
        let Some(redactor) = self.redactor else {
            return Ok(());
        };
        let held = std::mem::take(&mut self.held);
        let text = String::from_utf8_lossy(&held);
        self.out.write_all(painted(redactor, &text).as_bytes())
    }
}

impl Write for Redacted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.redactor.is_none() {
            return self.out.write(bytes);
        }
        self.held.extend_from_slice(bytes);
        // A key is several lines, which go together.
        let is_whole =
            bytes.contains(&b'\n') && (self.held.len() > BLOCK_LIMIT || !is_in_block(&self.held));
        if is_whole {
            let end = memchr::memrchr(b'\n', &self.held).map_or(0, |at| at + 1);
            let rest = self.held.split_off(end);
            self.release()?;
            self.held = rest;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.release()?;
        self.out.flush()
    }
}

/// Whether a block begins that doesn't end yet.
fn is_in_block(held: &[u8]) -> bool {
    let begins = memchr::memmem::rfind(held, b"-----BEGIN ");
    begins.is_some_and(|at| memchr::memmem::find(&held[at..], b"-----END ").is_none())
}

/// A text that may hold the colours of our own, which no secret ends at.
fn painted(redactor: &Redactor, text: &str) -> String {
    if !text.contains('\u{1b}') {
        return redactor.text(text).into_owned();
    }
    // The text alone, and the colours with their places in it.
    let mut plain = String::with_capacity(text.len());
    let mut colors: Vec<(usize, &str)> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('\u{1b}') {
        plain.push_str(&rest[..start]);
        let end = rest[start..]
            .find('m')
            .map_or(rest.len(), |end| start + end + 1);
        colors.push((plain.len(), &rest[start..end]));
        rest = &rest[end..];
    }
    plain.push_str(rest);
    let edits = redactor.edits(&plain);
    let mut out = String::with_capacity(text.len());
    let mut colors = colors.into_iter().peekable();
    let end = Edit::none_at(plain.len());
    let mut at = 0;
    for edit in edits.iter().chain(std::iter::once(&end)) {
        while let Some((place, color)) = colors.next_if(|(place, _)| *place <= edit.range.start) {
            out.push_str(&plain[at..place]);
            out.push_str(color);
            at = place;
        }
        out.push_str(&plain[at..edit.range.start]);
        out.push_str(&edit.stand_in);
        while let Some((_, color)) = colors.next_if(|(place, _)| *place < edit.range.end) {
            out.push_str(color);
        }
        at = edit.range.end;
    }
    colors.for_each(|(_, color)| out.push_str(color));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[&str]) -> String {
        let redactor = Redactor::new([]).expect("rules");
        let mut out = Vec::new();
        let mut redacted = Redacted::new(&mut out, Some(&redactor));
        for part in parts {
            redacted.write_all(part.as_bytes()).expect("memory");
        }
        redacted.flush().expect("memory");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn lines_and_blocks_pass_whole() {
        assert_eq!(
            written(&["PASS", "WORD=hun", "ter2\nx ines@", "example.org"]),
            "PASSWORD=‹password-1›\nx ‹email-1›"
        );
        let key = "│ -----BEGIN PRIVATE KEY-----\n│ MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n│ aa==\n│ -----END PRIVATE KEY-----\n│ x\n";
        let lines: Vec<&str> = key.split_inclusive('\n').collect();
        assert_eq!(written(&lines), "│ ‹private-key-1›\n│ x\n");
    }

    #[test]
    fn colours_neither_hide_a_secret_nor_get_lost() {
        let line = "\u{1b}[31m+PASSWORD=\u{1b}[1mhun\u{1b}[0mter2\u{1b}[0m;\u{1b}[0m\n";
        assert_eq!(
            written(&[line]),
            "\u{1b}[31m+PASSWORD=\u{1b}[1m‹password-1›\u{1b}[0m\u{1b}[0m;\u{1b}[0m\n"
        );
        assert_eq!(written(&["\u{1b}[2mx\u{1b}[0m"]), "\u{1b}[2mx\u{1b}[0m");
    }
}
