//! A page of printed text: headings, texts of a trace made safe, boxes with a left side.

use std::io::{self, Write};

use super::style::{Role, Style};
use crate::text::clean_line;
use crate::value::{Limits, Value, to_clojure};

/// Where text is printed, and how.
pub(super) struct Page<'a> {
    out: &'a mut dyn Write,
    pub(super) style: Style,
    max_lines: Option<usize>,
}

impl<'a> Page<'a> {
    /// A page that shows at most so many lines of each text.
    pub(super) fn new(out: &'a mut dyn Write, style: Style, max_lines: Option<usize>) -> Self {
        Self {
            out,
            style,
            max_lines,
        }
    }

    /// A line of our own words.
    pub(super) fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// A line with words of the trace's.
    pub(super) fn clean(&mut self, indent: &str, line: &str) -> io::Result<()> {
        writeln!(self.out, "{indent}{}", clean_line(line))
    }

    /// A heading.
    pub(super) fn heading(&mut self, text: &str) -> io::Result<()> {
        let text = clean_line(text);
        writeln!(self.out, "{}", self.style.paint(Role::Heading, &text))
    }

    /// A name and facts about it.
    pub(super) fn title(&mut self, name: &str, facts: &[String]) -> io::Result<()> {
        let dot = self.style.dot();
        let name = self.style.paint(Role::Heading, &clean_line(name));
        let facts = facts.join(dot);
        writeln!(self.out, "{name}{dot}{}", clean_line(&facts))
    }

    /// A secondary line.
    pub(super) fn note(&mut self, indent: &str, text: &str) -> io::Result<()> {
        let text = clean_line(text);
        writeln!(self.out, "{indent}{}", self.style.paint(Role::Dim, &text))
    }

    /// A text, line by line behind an indent.
    pub(super) fn text(&mut self, indent: &str, text: &str) -> io::Result<()> {
        self.lines(indent, text, None)
    }

    /// A value in Clojure's notation; a text of several lines as it is.
    pub(super) fn value(&mut self, indent: &str, value: &Value) -> io::Result<()> {
        match value {
            Value::Str(text) if text.contains('\n') => self.text(indent, text),
            other => self.text(indent, &to_clojure(other, Limits::ALL).0),
        }
    }

    fn lines(&mut self, indent: &str, text: &str, role: Option<Role>) -> io::Result<()> {
        // A line end at the very end begins no line.
        let text = text.strip_suffix('\n').unwrap_or(text);
        let shown = self.max_lines.unwrap_or(usize::MAX);
        let mut lines = text.split('\n');
        for line in lines.by_ref().take(shown) {
            let line = clean_line(line);
            let line = match role {
                Some(role) => self.style.paint(role, &line),
                None => line.into_owned(),
            };
            writeln!(self.out, "{}", format!("{indent}{line}").trim_end())?;
        }
        let rest = lines.count();
        if rest > 0 {
            let plural = if rest == 1 { "" } else { "s" };
            let note = format!("{} {rest} more line{plural}", self.style.ellipsis());
            writeln!(self.out, "{indent}{}", self.style.paint(Role::Dim, &note))?;
        }
        Ok(())
    }

    /// The top of a box; the title is made of cleaned words.
    pub(super) fn open_box(&mut self, title: &str) -> io::Result<()> {
        let top = self.style.paint(Role::Dim, self.style.top());
        writeln!(self.out, "{top}{title}")
    }

    /// The bottom of a box.
    pub(super) fn close_box(&mut self) -> io::Result<()> {
        let bottom = self.style.paint(Role::Dim, self.style.bottom());
        writeln!(self.out, "{bottom}")
    }

    fn side(&self, indent: &str) -> String {
        let bar = self.style.paint(Role::Dim, self.style.bar());
        format!("{bar} {indent}")
    }

    /// The label of a part of a box, and a note on it.
    pub(super) fn label(&mut self, label: &str, note: Option<&str>) -> io::Result<()> {
        let side = self.side("");
        let label = clean_line(label);
        let label = match note {
            Some(note) => format!("{label} ({})", clean_line(note)),
            None => label.into_owned(),
        };
        writeln!(self.out, "{side}{}", self.style.paint(Role::Dim, &label))
    }

    /// A text in a box.
    pub(super) fn boxed(&mut self, indent: &str, text: &str) -> io::Result<()> {
        let side = self.side(indent);
        self.lines(&side, text, None)
    }

    /// An error in a box.
    pub(super) fn boxed_error(&mut self, indent: &str, text: &str) -> io::Result<()> {
        let side = self.side(indent);
        self.lines(&side, text, Some(Role::Bad))
    }

    /// A value in a box.
    pub(super) fn boxed_value(&mut self, indent: &str, value: &Value) -> io::Result<()> {
        let side = self.side(indent);
        self.value(&side, value)
    }
}
