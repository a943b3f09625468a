//! The state of the inspector, and what commands do to it. Nothing here draws, reads or writes.

mod found;
mod keys;
mod news;

use std::sync::Arc;

use super::beside::Beside;
use super::command::Context;
use super::diff::DiffView;
pub use super::document::{Document, Start};
use super::export::{self, Exports};
use super::external::Handed;
use super::folder::Folder;
use super::follow::Watch;
use super::key::Key;
use super::keymap::Keymap;
use super::lens::Shown;
use super::needs::Needs;
use super::page::Page;
use super::pane::palette::Palette;
use super::pane::turn::Tab;
use super::place;
use super::reading::Reading;
use super::redaction::Redaction;
use super::search;
use super::theme::Theme;
use super::what_if::{self, WhatIf};
use crate::compression::STRATEGIES;
use crate::error::Error;
use crate::step::Step;
use crate::tokens::Tokenizer;

/// A pane that can have the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The list of turns.
    Turns,
    /// The selected turn.
    Turn,
    /// The prompt.
    Prompt,
}

/// What lies over the panes and takes the keys.
#[derive(Debug)]
pub enum Overlay {
    /// A text, such as the commands of a context.
    Page(Box<Page>),
    /// A command by its name, or a turn by its number.
    Palette(Palette),
    /// What to show of the prompt: the selected entry.
    Picker(usize),
    /// What to search for.
    Search(search::Input),
    /// What went wrong: the selected entry.
    Problems(usize),
    /// What the list of a folder is filtered by.
    Filter,
    /// What can be changed at the selected turn.
    WhatIf(what_if::Input),
    /// What can be written to a file.
    Export(export::Input),
    /// What the selected turn needed.
    Needs(Box<Needs>),
    /// The run, a row a turn: the selected turn, from 0.
    Overview(usize),
    /// How the shown prompt differs from another one.
    Diff(Box<DiffView>),
}

/// The options row while it takes the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OptionsRow {
    /// The chosen option.
    pub selected: usize,
    /// A number being typed.
    pub typed: Option<usize>,
}

/// What is to be done outside of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Leave.
    Quit,
    /// Open a trace of the folder.
    Open(std::path::PathBuf),
    /// Stop until the shell wakes the program.
    Suspend,
    /// Put a text into the terminal's clipboard.
    Copy {
        /// What it is, for the message.
        what: String,
        /// The text, safe to print.
        text: String,
    },
    /// Write a new file; one that is there already is left as it is.
    Save {
        /// What it is, for the message.
        what: String,
        /// The file's name; a number is added where it is taken.
        name: String,
        /// What is written.
        text: String,
    },
    /// Write the file that [`App::exports`] holds ready.
    Export,
    /// Give a text and the terminal to a program of the user's.
    HandOver(Handed),
}

/// The inspector's state.
#[derive(Debug)]
pub struct App {
    /// The folder that runs are opened from, where there is one.
    pub folder: Option<Folder>,
    /// Open runs; the last one is shown.
    pub documents: Vec<Document>,
    /// The pane that has the focus.
    pub focus: Pane,
    /// The text pane that was focused last: where there is room for one only, it stands beside the list.
    pub beside: Pane,
    /// Whether the focused pane has the whole screen.
    pub zoomed: bool,
    /// What lies over the panes.
    pub overlay: Option<Overlay>,
    /// The options row, while it takes the keys.
    pub options: Option<OptionsRow>,
    /// A count being typed.
    pub count: Option<usize>,
    /// The first keys of a binding of several.
    pub pending: Vec<Key>,
    /// A message for the last row, until the next key.
    pub message: Option<String>,
    /// How roles look.
    pub theme: Theme,
    /// The keys of commands.
    pub keymap: Keymap,
    /// The conversations of the file, where there are several, and the one that is open.
    pub conversations: Vec<Arc<Step>>,
    /// The place of the open one.
    pub conversation: usize,
    /// Whether the mouse is taken; the terminal selects text itself where it isn't.
    pub mouse: bool,
    /// The tokenizer to count with.
    pub counts_with: Tokenizer,
    /// The tokenizer, once its dictionary is read.
    pub tokenizer: Option<Tokenizer>,
    /// The file that the first run comes from, while it is watched.
    pub watch: Option<Watch>,
    /// What was asked for, while nothing of it can be shown.
    pub reading: Option<Reading>,
    /// How much of the trace was read, where the rest can't be read any longer.
    pub left: Option<String>,
    /// The place to go back to, once the trace is read so far.
    pub awaited: Option<place::Awaited>,
    /// Why it can't go on.
    pub failed: Option<Error>,
    /// Whether the selection keeps to the last turn.
    pub follows: bool,
    /// How runs are opened from this one.
    pub start: Start,
    /// Forks of the run: the one that is being made, and those that are kept.
    pub what_if: WhatIf,
    /// What is written to files.
    pub exports: Exports,
    /// Whether secrets are hidden.
    pub redaction: Redaction,
    /// The panes' places, as prepared.
    pub layout: super::layout::Layout,
}

/// A count that is typed ends here; no trace has more turns.
const COUNT_LIMIT: usize = 10_000_000;

impl App {
    /// The inspector on a run.
    pub fn new(document: Document, theme: Theme) -> Self {
        let parting = document.beside.as_ref().map(Beside::summary);
        let message = document.lens().setting_note.clone().or(parting);
        Self {
            folder: None,
            documents: vec![document],
            focus: Pane::Turns,
            beside: Pane::Prompt,
            zoomed: false,
            overlay: None,
            options: None,
            count: None,
            pending: Vec::new(),
            message,
            theme,
            keymap: Keymap::default(),
            conversations: Vec::new(),
            conversation: 0,
            mouse: false,
            counts_with: Tokenizer::default(),
            tokenizer: None,
            watch: None,
            reading: None,
            left: None,
            awaited: None,
            failed: None,
            follows: false,
            start: Start::default(),
            what_if: WhatIf::default(),
            exports: Exports::default(),
            redaction: Redaction::default(),
            layout: super::layout::Layout::default(),
        }
    }

    /// The run that is shown.
    pub fn document(&self) -> &Document {
        // There always is one: `back` keeps the first.
        &self.documents[self.documents.len() - 1]
    }

    /// What the window is called: the run, or the folder while its list is shown.
    pub fn title(&self) -> String {
        let folder = self.folder.as_ref().filter(|folder| folder.is_shown);
        match folder.map(|folder| folder.root.to_string_lossy()) {
            Some(folder) => self.redaction.text(&folder).into_owned(),
            None if self.redaction.holds_back(self.document()) => String::new(),
            None => self.redaction.text(&self.document().title).into_owned(),
        }
    }

    /// The run that is shown.
    pub fn document_mut(&mut self) -> &mut Document {
        let last = self.documents.len() - 1;
        &mut self.documents[last]
    }

    /// Gives a pane the focus.
    pub fn focus_on(&mut self, pane: Pane) {
        self.focus = pane;
        if pane != Pane::Turns {
            self.beside = pane;
        }
        let document = self.document_mut();
        document.focused = document.lens_at(pane).unwrap_or(0);
    }

    /// Where keys go.
    pub fn context(&self) -> Context {
        match (&self.overlay, self.options, self.focus) {
            (Some(Overlay::Page(_)), _, _) => Context::Help,
            (Some(Overlay::Palette(_)), _, _) => Context::Palette,
            (Some(Overlay::Export(export::Input { name: Some(_), .. })), _, _) => Context::Name,
            (Some(Overlay::Export(_)), _, _) => Context::Picker,
            (Some(Overlay::Picker(_) | Overlay::Problems(_) | Overlay::WhatIf(_)), _, _) => {
                Context::Picker
            }
            (Some(Overlay::Search(_)), _, _) => Context::Search,
            (Some(Overlay::Filter), _, _) => Context::Filter,
            (None, _, _) if self.reading.is_some() => Context::Reading,
            (None, _, _) if self.shows_folder() => Context::Folder,
            (Some(Overlay::Overview(_)), _, _) => Context::Overview,
            (Some(Overlay::Diff(diff)), _, _) => diff.context(),
            (Some(Overlay::Needs(_)), _, _) => Context::Needs,
            (None, Some(_), _) => Context::Options,
            (None, None, Pane::Turns) => Context::Turns,
            (None, None, Pane::Turn) if self.document().compares() => Context::Prompt,
            (None, None, Pane::Turn) => Context::Turn,
            (None, None, Pane::Prompt) => Context::Prompt,
        }
    }

    /// Shows an entry of the lens by its number among the strategies, from 1.
    pub fn show_strategy(&mut self, number: usize) {
        super::actions::show_prompt(self);
        let at = number.saturating_sub(1);
        if at < STRATEGIES.len() {
            self.document_mut().lens_mut().choose(Shown::Strategy(at));
        } else {
            self.message = Some(format!("there are {} strategies", STRATEGIES.len()));
        }
    }

    /// The sub-tab of the turn pane.
    pub fn tab(&self) -> Tab {
        self.document().turn.tab
    }

    /// Opens another conversation of the file, so many places on. Whether there is one.
    pub fn open_conversation(&mut self, by: isize) -> bool {
        let Some(at) = self.conversation.checked_add_signed(by) else {
            return false;
        };
        let Some(step) = self.conversations.get(at).map(Arc::clone) else {
            return false;
        };
        let report = self.documents[0].report.clone();
        let name = format!("conversation {}", at + 1);
        let start = Start {
            beside: self.documents[0].second(),
            ..self.start.clone()
        };
        let Ok(opened) = Document::new(&name, step, report, &start) else {
            return false;
        };
        self.documents = vec![opened];
        self.what_if = WhatIf::default();
        self.conversation = at;
        self.focus_on(Pane::Turns);
        true
    }

    /// The key of a command as the user has it, for messages; its name in the palette where it has none.
    pub fn key_of(&self, command: &str) -> String {
        let key = self.keymap.first(command);
        key.map_or_else(|| format!(":{command}"), str::to_owned)
    }

    /// Goes back to the run before. Whether there is one.
    pub fn back(&mut self) -> bool {
        let has_parent = self.documents.len() > 1;
        let left = self.documents.pop_if(|_| has_parent);
        if let Some(fork) = left.filter(|left| left.fork.is_some()) {
            let key = self.key_of("what-if");
            self.message = Some(format!("the fork is kept; {key} lists it"));
            self.what_if.keep(fork);
        }
        has_parent || self.back_to_folder()
    }
}
