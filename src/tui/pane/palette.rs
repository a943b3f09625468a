//! The palette: a command by its name, a turn by its number.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use crate::text;
use crate::tui::app::App;
use crate::tui::command::{Command, Context, available};
use crate::tui::line::Line;
use crate::tui::pane::turns;
use crate::tui::rows::Row;
use crate::tui::theme::Role;

/// What is typed, and what is selected.
#[derive(Debug)]
pub struct Palette {
    /// Where it was opened: its commands are offered.
    context: Context,
    input: Line,
    selected: usize,
}

/// What an entry stands for.
#[derive(Debug, Clone, Copy)]
pub enum Entry {
    /// A turn's number.
    Turn(usize),
    /// A command.
    Command(&'static Command),
}

impl Palette {
    /// An empty palette for the commands of a context.
    pub fn new(context: Context) -> Self {
        Self {
            context,
            input: Line::default(),
            selected: 0,
        }
    }

    /// What is typed.
    pub fn input(&self) -> &Line {
        &self.input
    }

    /// What is typed, to be changed: the best match is selected again.
    pub(in crate::tui) fn line(&mut self) -> &mut Line {
        self.selected = 0;
        &mut self.input
    }

    /// The entry that is selected of so many.
    fn selected_of(&self, entries: usize) -> usize {
        self.selected.min(entries.saturating_sub(1))
    }

    /// Selects another entry, so many further on.
    pub(in crate::tui) fn move_by(&mut self, by: isize, entries: usize) {
        let at = self.selected_of(entries).saturating_add_signed(by);
        self.selected = at;
        self.selected = self.selected_of(entries);
    }

    /// What fits what is typed, the best first: the turn of a number, or commands.
    pub fn entries(&self, app: &App) -> Vec<Entry> {
        if let Ok(number) = self.input.trim().parse() {
            return vec![Entry::Turn(number)];
        }
        let offered =
            available(app, self.context).filter(|row| !matches!(row.name, "palette" | "leave"));
        let pattern = Pattern::parse(&self.input, CaseMatching::Ignore, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut scored: Vec<(u32, &'static Command)> = offered
            .filter_map(|command| {
                let text = format!("{} {}", command.name, command.help);
                let haystack = nucleo_matcher::Utf32Str::new(&text, &mut buffer);
                Some((pattern.score(haystack, &mut matcher)?, command))
            })
            .collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let commands = scored.into_iter().map(|(_, command)| command);
        commands.map(Entry::Command).collect()
    }

    /// The selected entry.
    pub fn entry(&self, app: &App) -> Option<Entry> {
        let entries = self.entries(app);
        entries.get(self.selected_of(entries.len())).copied()
    }

    /// The list as rows, the place of the selected one, and all that its row tells of it.
    pub(in crate::tui) fn rows(&self, app: &App) -> (Vec<Row>, usize, String) {
        let entries = self.entries(app);
        let selected = self.selected_of(entries.len());
        let told: Vec<(String, Option<&str>, String)> =
            entries.iter().map(|entry| told(app, *entry)).collect();
        let rows = told.iter().enumerate().map(|(at, (name, key, about))| {
            let (mark, role) = if at == selected {
                ("▸ ", Role::Selected)
            } else {
                ("  ", Role::Text)
            };
            let mut spans = vec![
                (format!("{mark}{name:<20}"), role),
                (format!(" {:<10}", key.unwrap_or_default()), Role::Key),
                (format!(" {about}"), Role::Dim),
            ];
            if key.is_none() {
                spans.remove(1);
            }
            Row { spans }
        });
        let mut rows: Vec<Row> = rows.collect();
        if rows.is_empty() {
            rows.push(Row::of("  no command is called so", Role::Dim));
        }
        let about = told.into_iter().nth(selected).map(|(.., about)| about);
        (rows, selected, about.unwrap_or_default())
    }
}

/// What an entry is called, its key, and what it is or does.
fn told(app: &App, entry: Entry) -> (String, Option<&str>, String) {
    let number = match entry {
        Entry::Command(command) => {
            let key = app.keymap.names(command).first().copied();
            let about = command.help.to_owned();
            let key = Some(key.unwrap_or(""));
            return (command.name.to_owned(), key, about);
        }
        Entry::Turn(number) => number,
    };
    if app.shows_folder() {
        return (format!("trace {number}"), None, String::new());
    }
    let document = app.document();
    let turn = number.saturating_sub(1);
    let about = match document.turns() {
        turns if turn >= turns => {
            let turns = text::amounts::of(turns, "turn");
            format!("to the end: the run has {turns}")
        }
        _ => turns::told(&document.run, turn),
    };
    let about = text::headline(&app.redaction.text(&about), ABOUT);
    (format!("turn {number}"), None, about)
}

/// Columns of what is told of a turn at most.
const ABOUT: usize = 200;
