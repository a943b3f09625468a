//! Keys: what the terminal sends, and how a command's row names them.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// A key press. Shift is part of a character, and a modifier of any other key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    ctrl: bool,
    alt: bool,
    shift: bool,
}

/// Names of keys that are no characters.
const NAMES: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("insert", KeyCode::Insert),
    ("f1", KeyCode::F(1)),
    ("f2", KeyCode::F(2)),
    ("f3", KeyCode::F(3)),
    ("f4", KeyCode::F(4)),
    ("f5", KeyCode::F(5)),
    ("f6", KeyCode::F(6)),
    ("f7", KeyCode::F(7)),
    ("f8", KeyCode::F(8)),
    ("f9", KeyCode::F(9)),
    ("f10", KeyCode::F(10)),
    ("f11", KeyCode::F(11)),
    ("f12", KeyCode::F(12)),
];

impl Key {
    /// A key press of the terminal; `None` for releases.
    pub fn from_event(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let shift = event.modifiers.contains(KeyModifiers::SHIFT);
        let (code, shift) = match event.code {
            KeyCode::BackTab => (KeyCode::Tab, true),
            KeyCode::Char(c) => (KeyCode::Char(c), false),
            code => (code, shift),
        };
        Some(Self {
            code,
            ctrl: event.modifiers.contains(KeyModifiers::CONTROL),
            alt: event.modifiers.contains(KeyModifiers::ALT),
            shift,
        })
    }

    /// Reads a name such as `J`, `ctrl-d`, `shift-tab`, `enter`.
    pub fn parse(name: &str) -> Option<Self> {
        let mut key = Self {
            code: KeyCode::Null,
            ctrl: false,
            alt: false,
            shift: false,
        };
        let mut rest = name;
        loop {
            let (modifier, after) = match rest.split_once('-') {
                Some((modifier, after)) if !after.is_empty() => (modifier, after),
                _ => break,
            };
            match modifier {
                "ctrl" => key.ctrl = true,
                "alt" => key.alt = true,
                "shift" => key.shift = true,
                _ => break,
            }
            rest = after;
        }
        let named = NAMES.iter().find(|(name, _)| *name == rest);
        key.code = if let Some((_, code)) = named {
            *code
        } else {
            let mut chars = rest.chars();
            let c = chars.next().filter(|_| chars.next().is_none())?;
            KeyCode::Char(c)
        };
        Some(key)
    }

    /// The character typed, where the key is one without a modifier.
    pub fn char(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = [
            (self.ctrl, "ctrl-"),
            (self.alt, "alt-"),
            (self.shift, "shift-"),
        ];
        for (_, prefix) in held.iter().filter(|(is_held, _)| *is_held) {
            f.write_str(prefix)?;
        }
        match NAMES.iter().find(|(_, code)| *code == self.code) {
            Some((name, _)) => f.write_str(name),
            None => match self.code {
                KeyCode::Char(c) => write!(f, "{c}"),
                code => f.write_str(&format!("{code}").to_lowercase()),
            },
        }
    }
}

/// The keys of a binding: one, or several one after the other such as `yy`.
pub fn parse_binding(binding: &str) -> Option<Vec<Key>> {
    if let Some(key) = Key::parse(binding) {
        return Some(vec![key]);
    }
    binding
        .chars()
        .map(|c| Key::parse(&c.to_string()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in [
            "J",
            "ctrl-d",
            "shift-tab",
            "enter",
            "<",
            "-",
            "+",
            "space",
            "é",
        ] {
            let key = Key::parse(name).expect("a key");
            assert_eq!(key.to_string(), name);
        }
        assert_eq!(parse_binding("yy").map(|keys| keys.len()), Some(2));
        assert_eq!(parse_binding("pgdn").map(|keys| keys.len()), Some(1));
        assert_eq!(Key::parse("hyper-x"), None);
    }

    #[test]
    fn shift_is_part_of_a_character() {
        let event = KeyEvent::new(KeyCode::Char('J'), KeyModifiers::SHIFT);
        assert_eq!(Key::from_event(event), Key::parse("J"));
        let event = KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT);
        assert_eq!(Key::from_event(event), Key::parse("shift-tab"));
    }
}
