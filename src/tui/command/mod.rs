//! The one table of commands: name, keys, where each applies, help, hint, when it is enabled, what it
//! does. Dispatch, footer, help, palette and the README's key table come from its rows.

mod table;

pub use table::COMMANDS;

use std::fmt::Write as _;

use super::app::{App, Effect};
use super::key::Key;

/// Where keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// The list of turns.
    Turns,
    /// The pane of the selected turn.
    Turn,
    /// The pane of the prompt.
    Prompt,
    /// The options row.
    Options,
    /// The help.
    Help,
    /// The palette.
    Palette,
    /// The picker of what to show of the prompt.
    Picker,
    /// What to search for.
    Search,
    /// The list of a folder's traces.
    Folder,
    /// What that list is filtered by.
    Filter,
    /// The overview of the run.
    Overview,
    /// What a turn needed.
    Needs,
    /// The name of a file that is to be written.
    Name,
    /// How two prompts differ.
    Diff,
    /// A trace that is read while nothing of it can be shown.
    Reading,
}

impl Context {
    /// All of them, in the order in which their keys are listed.
    pub const ALL: [Self; 15] = [
        Self::Folder,
        Self::Filter,
        Self::Turns,
        Self::Turn,
        Self::Prompt,
        Self::Options,
        Self::Picker,
        Self::Search,
        Self::Palette,
        Self::Help,
        Self::Overview,
        Self::Needs,
        Self::Name,
        Self::Diff,
        Self::Reading,
    ];

    /// Whether letters are typed into a line there.
    pub const fn takes_text(self) -> bool {
        matches!(
            self,
            Self::Palette | Self::Search | Self::Filter | Self::Name
        )
    }

    /// Whether digits typed before a key count, or set a number.
    pub const fn takes_counts(self) -> bool {
        matches!(
            self,
            Self::Turns
                | Self::Turn
                | Self::Prompt
                | Self::Folder
                | Self::Overview
                | Self::Diff
                | Self::Picker
                | Self::Needs
                | Self::Help
        )
    }

    /// The words for it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Turns => "list of turns",
            Self::Turn => "turn",
            Self::Prompt => "prompt",
            Self::Options => "options row",
            Self::Help => "help",
            Self::Palette => "palette",
            Self::Picker => "open list",
            Self::Search => "search",
            Self::Folder => "folder",
            Self::Filter => "filter",
            Self::Overview => "overview",
            Self::Needs => "needs",
            Self::Name => "file name",
            Self::Diff => "diff",
            Self::Reading => "reading",
        }
    }
}

/// Contexts in which a command applies.
#[derive(Debug, Clone, Copy)]
pub struct Where(&'static [Context]);

impl Where {
    /// Whether it applies there.
    pub fn includes(self, context: Context) -> bool {
        self.0.contains(&context)
    }
}

/// A command.
pub struct Command {
    /// Its name, unique.
    pub name: &'static str,
    /// Its keys, each a binding of its own.
    pub keys: &'static [&'static str],
    /// Where it applies.
    pub contexts: Where,
    /// What it does, in a line.
    pub help: &'static str,
    /// Keys and a word for the footer.
    pub hint: Option<(&'static str, &'static str)>,
    /// Whether it can do anything now.
    pub enabled: fn(&App) -> bool,
    /// What it does. The count is the number typed before it.
    pub run: fn(&mut App, Option<usize>) -> Option<Effect>,
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Command({})", self.name)
    }
}

impl Command {
    /// A command that is always enabled and has no hint.
    const fn new(
        name: &'static str,
        keys: &'static [&'static str],
        contexts: Where,
        help: &'static str,
        run: fn(&mut App, Option<usize>) -> Option<Effect>,
    ) -> Self {
        Self {
            name,
            keys,
            contexts,
            help,
            hint: None,
            enabled: |_| true,
            run,
        }
    }

    const fn hint(mut self, keys: &'static str, word: &'static str) -> Self {
        self.hint = Some((keys, word));
        self
    }

    const fn when(mut self, enabled: fn(&App) -> bool) -> Self {
        self.enabled = enabled;
        self
    }
}

/// What keys mean.
#[derive(Debug)]
pub enum Found {
    /// A command.
    Command(&'static Command),
    /// The beginning of a binding.
    Prefix,
    /// Nothing.
    Nothing,
}

/// What keys mean in the context the state is in.
pub fn find(app: &App, keys: &[Key]) -> Found {
    let context = app.context();
    let mut is_prefix = false;
    for command in COMMANDS.iter().filter(|row| row.contexts.includes(context)) {
        for binding in app.keymap.bindings(command) {
            if binding == keys && (command.enabled)(app) {
                return Found::Command(command);
            }
            is_prefix |= binding.len() > keys.len() && binding.starts_with(keys);
        }
    }
    if is_prefix {
        Found::Prefix
    } else {
        Found::Nothing
    }
}

/// The command that a key would be in the context the state is in, had it anything to act on.
pub fn idle(app: &App, key: Key) -> Option<&'static Command> {
    let context = app.context();
    let mut rows = COMMANDS.iter().filter(|row| row.contexts.includes(context));
    rows.find(|row| app.keymap.bindings(row).contains(&vec![key]))
}

/// The hints of a context: keys as they are bound, and a word.
pub fn hints(app: &App, context: Context) -> impl Iterator<Item = (String, &'static str)> {
    available(app, context).filter_map(|row| app.keymap.hint(row))
}

/// The commands of a context that can do something now.
pub fn available(app: &App, context: Context) -> impl Iterator<Item = &'static Command> {
    COMMANDS
        .iter()
        .filter(move |row| row.contexts.includes(context))
        .filter(|row| (row.enabled)(app))
}

/// The README's key table.
pub fn markdown() -> String {
    let mut out = String::from("| keys | where | what |\n|---|---|---|\n");
    for command in COMMANDS {
        let keys: Vec<String> = command.keys.iter().map(|key| markdown_key(key)).collect();
        let contexts: Vec<&str> = Context::ALL
            .into_iter()
            .filter(|context| command.contexts.includes(*context))
            .map(Context::title)
            .collect();
        let contexts = if contexts.len() == Context::ALL.len() {
            "everywhere".to_owned()
        } else {
            contexts.join(", ")
        };
        // Writing into a String cannot fail.
        let _ = writeln!(
            out,
            "| {} | {contexts} | {} |",
            keys.join(" "),
            command.help
        );
    }
    out
}

/// A key as code; a backtick needs a longer fence.
fn markdown_key(key: &str) -> String {
    if key.contains('`') {
        format!("`` {key} ``")
    } else {
        format!("`{key}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::key::parse_binding;
    use std::collections::HashSet;

    #[test]
    fn no_key_means_two_things_in_a_context() {
        for context in Context::ALL {
            let mut seen: HashSet<Vec<Key>> = HashSet::new();
            for command in COMMANDS.iter().filter(|row| row.contexts.includes(context)) {
                for binding in command.keys {
                    let keys = parse_binding(binding).expect("a binding that can be read");
                    assert!(
                        seen.insert(keys),
                        "{binding} is bound twice in {context:?}, once for {}",
                        command.name
                    );
                }
            }
            for keys in &seen {
                let longer = seen.iter().filter(|other| other.len() > keys.len());
                for other in longer {
                    assert!(
                        !other.starts_with(keys),
                        "{keys:?} hides {other:?} in {context:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn hints_begin_with_a_key_of_their_row() {
        for command in COMMANDS {
            let Some((keys, _)) = command.hint else {
                continue;
            };
            let arrows = keys.replace('↑', "up").replace('↓', "down");
            let typed = arrows.replace("0-9 ", "");
            let words: Vec<&str> = typed.split(' ').collect();
            assert!(
                words.iter().any(|word| command.keys.contains(word)),
                "the hint of {} names none of its keys",
                command.name
            );
        }
    }

    #[test]
    fn every_command_can_be_found_and_is_explained() {
        let mut names = HashSet::new();
        for command in COMMANDS {
            assert!(names.insert(command.name), "{} stands twice", command.name);
            assert!(!command.keys.is_empty(), "{} has no key", command.name);
            assert!(!command.help.is_empty() && !command.help.ends_with('.'));
            assert!(
                Context::ALL
                    .iter()
                    .any(|context| command.contexts.includes(*context)),
                "{} applies nowhere",
                command.name
            );
        }
    }
}
