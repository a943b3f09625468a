//! What a key does: it makes a count, goes into a line, or is a command's.

use super::{App, COUNT_LIMIT, Effect, Overlay};
use crate::tui::command::{self, Context};
use crate::tui::key::Key;
use crate::tui::{line, redaction};

impl App {
    /// Takes a key.
    pub fn key(&mut self, key: Key) -> Option<Effect> {
        self.message = None;
        if self.takes_digit(key) {
            return None;
        }
        self.pending.push(key);
        match command::find(self, &self.pending) {
            command::Found::Command(row) => {
                self.pending.clear();
                let count = self.count.take();
                tracing::debug!(command = row.name, count, "command");
                let effect = (row.run)(self, count);
                redaction::follow(self, effect)
            }
            command::Found::Prefix => None,
            command::Found::Nothing if self.pending.len() > 1 => {
                // No binding goes on so: the key means what it means by itself.
                self.pending.clear();
                self.key(key)
            }
            command::Found::Nothing => {
                self.pending.clear();
                self.count = None;
                self.typed(key);
                None
            }
        }
    }

    /// Digits make a count, or the number of an option.
    fn takes_digit(&mut self, key: Key) -> bool {
        let Some(digit) = key.char().and_then(|c| c.to_digit(10)) else {
            return false;
        };
        let digit = digit as usize;
        let grow = |number: Option<usize>| {
            let grown = number.unwrap_or(0).saturating_mul(10).saturating_add(digit);
            Some(grown.min(COUNT_LIMIT))
        };
        match self.context() {
            Context::Options => {
                if let Some(row) = &mut self.options {
                    row.typed = grow(row.typed);
                }
                true
            }
            context => {
                // `0` alone is a command.
                let counts = digit > 0 || self.count.is_some();
                let counts = counts && context.takes_counts() && self.pending.is_empty();
                // There digits are typed into an entry.
                let counts = counts && !matches!(self.overlay, Some(Overlay::WhatIf(_)));
                if counts {
                    self.count = grow(self.count);
                }
                counts
            }
        }
    }

    fn typed(&mut self, key: Key) {
        if key.char().is_some_and(|c| line::push(self, c)) {
            return;
        }
        let takes_text = self.context().takes_text();
        match (&mut self.overlay, key.char()) {
            (Some(Overlay::WhatIf(input)), Some(c)) if c.is_ascii_digit() => input.push(c),
            (_, None) if takes_text => {}
            _ => {
                let (idle, help) = (command::idle(self, key), self.key_of("help"));
                let unknown = || format!("{key} does nothing here; {help} lists the keys");
                let idle = idle.map(|row| format!("{key} has nothing to act on: {}", row.help));
                self.message = Some(idle.unwrap_or_else(unknown));
            }
        }
    }
}
