//! The keys of commands: the table's, and in their place those that the settings give.

use std::collections::HashMap;

use super::command::{COMMANDS, Command, Context};
use super::key::{Key, parse_binding};
use crate::settings::{Complaint, KeySetting};

/// Keys one after the other that a setting may bind.
const LONGEST: usize = 3;

/// Which keys run which command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keymap {
    /// Keys that stand in place of the table's, by the command's name.
    changed: HashMap<&'static str, Vec<String>>,
}

impl Keymap {
    /// The table's keys with those of the settings, and what of these can't hold.
    pub fn new(settings: &[KeySetting]) -> (Self, Vec<Complaint>) {
        let mut complaints = Vec::new();
        let mut kept: Vec<(&'static Command, &KeySetting)> = Vec::new();
        for setting in settings {
            match check(setting) {
                Ok(command) => kept.push((command, setting)),
                Err(what) => complaints.push(Complaint::new(setting.line, what)),
            }
        }
        // A setting that takes another command's key falls away, and its own command has the table's
        // keys again; those may be taken too, so this goes on until nothing is in conflict.
        let map = loop {
            let changed = kept
                .iter()
                .map(|(command, setting)| (command.name, setting.keys.clone()));
            let map = Self {
                changed: changed.collect(),
            };
            let Some((at, what)) = map.conflict(&kept) else {
                break map;
            };
            let (_, setting) = kept.remove(at);
            complaints.push(Complaint::new(setting.line, what));
        };
        (map, complaints)
    }

    /// The keys of a command as they are named, the first one first.
    pub fn names(&self, command: &Command) -> Vec<&str> {
        match self.changed.get(command.name) {
            Some(keys) => keys.iter().map(String::as_str).collect(),
            None => command.keys.to_vec(),
        }
    }

    /// The first key of the command of a name, for what is said of it.
    pub fn first(&self, command: &str) -> Option<&str> {
        let command = COMMANDS.iter().find(|row| row.name == command)?;
        self.names(command).first().copied()
    }

    /// The keys of a command, each binding a sequence.
    pub fn bindings(&self, command: &Command) -> Vec<Vec<Key>> {
        let names = self.names(command);
        names.into_iter().filter_map(parse_binding).collect()
    }

    /// The keys in a footer's hint. A hint may name keys of several commands, as `j k` does.
    pub fn hint(&self, command: &Command) -> Option<(String, &'static str)> {
        let (keys, word) = command.hint?;
        if self.changed.is_empty() {
            return Some((keys.to_owned(), word));
        }
        let now: Vec<&str> = keys
            .split(' ')
            .filter_map(|key| self.now(command, key))
            .collect();
        (!now.is_empty()).then(|| (now.join(" "), word))
    }

    /// The key that now does what a key of the table does where a command applies; none where none does.
    fn now<'a>(&'a self, command: &Command, key: &'a str) -> Option<&'a str> {
        let name = match key {
            "↑" => "up",
            "↓" => "down",
            other => other,
        };
        let owner = COMMANDS
            .iter()
            .find(|other| other.keys.contains(&name) && shared_context(command, other).is_some());
        match owner.and_then(|owner| self.changed.get(owner.name)) {
            None => Some(key),
            Some(keys) if keys.iter().any(|held| held == name) => Some(key),
            Some(keys) => keys.first().map(String::as_str),
        }
    }

    /// A setting of those kept that gives a key which means something else already: its place, and
    /// what is wrong.
    fn conflict(&self, kept: &[(&'static Command, &KeySetting)]) -> Option<(usize, String)> {
        for (at, (command, setting)) in kept.iter().enumerate().rev() {
            for name in &setting.keys {
                let Some(keys) = parse_binding(name) else {
                    continue;
                };
                let clash = COMMANDS.iter().find_map(|other| {
                    let context = shared_context(command, other)?;
                    let taken = other.name != command.name;
                    let bindings = self.bindings(other);
                    let hides = |held: &Vec<Key>| {
                        let same = *held == keys;
                        (taken || !same) && (held.starts_with(&keys) || keys.starts_with(held))
                    };
                    bindings.iter().any(hides).then_some((other, context))
                });
                if let Some((other, context)) = clash {
                    let title = context.title();
                    let (own, other) = (command.name, other.name);
                    return Some((
                        at,
                        if own == other {
                            format!(
                                "{own}: '{name}' begins another of its keys, or is one's beginning; leave one out"
                            )
                        } else {
                            format!(
                                "{own}: '{name}' already belongs to {other} in the {title}; choose another \
                             key, or give {other} one of its own in [keys]"
                            )
                        },
                    ));
                }
            }
        }
        None
    }
}

fn shared_context(one: &Command, other: &Command) -> Option<Context> {
    let mut all = Context::ALL.into_iter();
    all.find(|context| one.contexts.includes(*context) && other.contexts.includes(*context))
}

/// Whether what a setting says can hold at all, other settings aside.
fn check(setting: &KeySetting) -> Result<&'static Command, String> {
    let name = &setting.command;
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        let similar = similar(name);
        return Err(format!("there is no command '{name}'; {similar}"));
    };
    let line = Context::ALL
        .into_iter()
        .find(|context| context.takes_text() && command.contexts.includes(*context));
    let applies = |takes: fn(Context) -> bool| {
        let mut all = Context::ALL.into_iter();
        all.any(|context| takes(context) && command.contexts.includes(context))
    };
    let counts = applies(Context::takes_counts);
    let numbers = applies(|context| context == Context::Options);
    for key in &setting.keys {
        let keys = binding(key).ok_or_else(|| {
            format!("{name}: there is no key '{key}'; keys are such as z, Z, yy, ctrl-d, alt-x, shift-tab, f5")
        })?;
        let typed = keys.first().and_then(|key| key.char());
        if let (Some(context), Some(_)) = (line, typed) {
            let title = context.title();
            return Err(format!(
                "{name}: '{key}' is typed as a letter in the {title}; take a key such as ctrl-t or f5"
            ));
        }
        let digit = typed.is_some_and(|c| c.is_ascii_digit());
        // `0` is no count by itself.
        if digit && (counts && key != "0" || numbers) {
            return Err(format!(
                "{name}: '{key}' begins a count; take a key that is no digit"
            ));
        }
    }
    if setting.keys.is_empty() && name == "leave" {
        return Err("leave needs a key: there must be a way out from everywhere".to_owned());
    }
    Ok(command)
}

/// Reads a key's name, or a few characters one after the other.
fn binding(name: &str) -> Option<Vec<Key>> {
    let keys = parse_binding(name).filter(|keys| !keys.is_empty() && keys.len() <= LONGEST)?;
    // Control characters and blanks are written as ctrl-x and space.
    let plain = name
        .chars()
        .all(|c| !c.is_whitespace() && !crate::text::is_unsafe(c));
    plain.then_some(keys)
}

/// Commands whose names have something of a name that is none.
fn similar(name: &str) -> String {
    let part = |command: &&Command| {
        let mut parts = name.split('-');
        parts.any(|part| part.len() > 2 && command.name.contains(part))
    };
    let found: Vec<&str> = COMMANDS
        .iter()
        .filter(part)
        .map(|command| command.name)
        .collect();
    if found.is_empty() {
        "':' in the inspector lists the names".to_owned()
    } else {
        format!("similar: {}", found.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn keymap(lines: &str) -> (Keymap, Vec<(usize, String)>) {
        let settings = Settings::parse(&format!("[keys]\n{lines}"));
        assert_eq!(settings.ignored, []);
        let (map, complaints) = Keymap::new(&settings.keys);
        let told = complaints.into_iter();
        (
            map,
            told.map(|one| (one.line.unwrap_or_default(), one.what))
                .collect(),
        )
    }

    fn command(name: &str) -> &'static Command {
        COMMANDS
            .iter()
            .find(|command| command.name == name)
            .expect("it is there")
    }

    #[test]
    fn settings_stand_in_place_of_the_tables_keys() {
        let (map, told) =
            keymap("zoom = 'W'\nmark = []\nnext-turn = ['ctrl-j', 'f5']\nwrap = 'z'\n");
        assert_eq!(told, []);
        assert_eq!(map.names(command("zoom")), ["W"]);
        assert_eq!(map.names(command("wrap")), ["z"], "zoom has let go of it");
        assert_eq!(map.names(command("mark")), [""; 0]);
        assert_eq!(
            map.hint(command("next-turn")),
            Some(("ctrl-j K".to_owned(), "turn"))
        );
        assert_eq!(map.hint(command("zoom")), Some(("W".to_owned(), "zoom")));
        assert_eq!(
            map.hint(command("search")),
            Some(("/".to_owned(), "search"))
        );
    }

    #[test]
    fn what_can_not_hold_is_told_with_its_line_and_remedy() {
        for (line, why) in [
            (
                "zoom = 'w'",
                "zoom: 'w' already belongs to wrap in the list of turns; choose another key",
            ),
            ("zoom = 'y'", "'y' already belongs to copy-item"),
            ("zoom = 'gg'", "'gg' already belongs to first"),
            ("mark = ['a', 'ab']", "begins another of its keys"),
            ("zoomed = 'Z'", "there is no command 'zoomed'"),
            ("next-strat = 'Z'", "similar: next-turn,"),
            ("zoom = 'hyper-z'", "there is no key 'hyper-z'"),
            ("zoom = ''", "there is no key ''"),
            ("zoom = '5'", "'5' begins a count"),
            ("choose = 'x'", "'x' is typed as a letter in the palette"),
            ("leave = []", "leave needs a key"),
        ] {
            let (map, told) = keymap(&format!("\n{line}\n"));
            assert_eq!(told.len(), 1, "{line}");
            assert_eq!(told[0].0, 3);
            assert!(told[0].1.contains(why), "{}", told[0].1);
            assert_eq!(map, Keymap::default(), "nothing of it holds");
        }
    }

    #[test]
    fn keys_that_are_swapped_hold_and_a_chain_that_breaks_falls_back() {
        let (map, told) = keymap("zoom = 'w'\nwrap = 'z'\n");
        assert_eq!(told, []);
        assert_eq!(map.names(command("wrap")), ["z"]);
        // `wrap` can't have `m`, so it keeps `w`, which `zoom` then can't have.
        let (map, told) = keymap("zoom = 'w'\nwrap = 'm'\n");
        assert_eq!(map, Keymap::default());
        assert_eq!(
            told.iter().map(|(line, _)| *line).collect::<Vec<_>>(),
            [3, 2]
        );
    }
}
