//! The palette: a command by its name, a turn by its number.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use crate::tui::app::App;
use crate::tui::command::{Command, Context, available};
use crate::tui::line::Line;

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

    /// The selected row.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Selects another row.
    pub fn move_by(&mut self, by: isize) {
        self.selected = self.selected.saturating_add_signed(by);
    }

    /// The turn that is typed, if it is a number.
    fn turn(&self) -> Option<usize> {
        self.input.trim().parse().ok()
    }

    /// The commands that match, the best first.
    pub fn matches(&self, app: &App) -> Vec<&'static Command> {
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
        scored.into_iter().map(|(_, command)| command).collect()
    }

    /// The selected entry.
    pub fn entry(&self, app: &App) -> Option<Entry> {
        if let Some(number) = self.turn() {
            return Some(Entry::Turn(number));
        }
        let matches = self.matches(app);
        let at = self.selected.min(matches.len().checked_sub(1)?);
        matches.get(at).copied().map(Entry::Command)
    }
}
