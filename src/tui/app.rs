//! The state of the inspector, and what commands do to it. Nothing here draws, reads or writes.

use std::sync::Arc;

use super::beside::Beside;
use super::child;
use super::command::{self, Context};
use super::diff::DiffView;
pub use super::document::{Document, Start};
use super::export::{self, Exports};
use super::external::Handed;
use super::figures;
use super::folder::Folder;
use super::follow::{Watch, told_of_replaced};
use super::infer::Inference;
use super::key::Key;
use super::keymap::Keymap;
use super::lens::Shown;
use super::needs::Needs;
use super::page::Page;
use super::pane::palette::Palette;
use super::pane::turn::Tab;
use super::place;
use super::problems::Problems;
use super::reading::{Both, Reading};
use super::redaction::{self, Redaction};
use super::search::{self, Part, Search};
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
        if key.char().is_some_and(|c| super::line::push(self, c)) {
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

    /// Takes what came in since: a fuller file, matches of a search. Whether the screen changes.
    pub fn poll(&mut self) -> bool {
        let loaded = self.watch.as_mut().and_then(Watch::poll);
        let news = self.watch.as_mut().and_then(Watch::news);
        let failed = news.is_some();
        self.message = news.or(self.message.take());
        let grown = loaded.is_some_and(|loaded| self.replace(loaded));
        let grown = grown | self.watch.as_mut().is_some_and(Watch::has_news) | self.poll_reading();
        let needed = match &mut self.overlay {
            Some(Overlay::Needs(needs)) => needs.poll(),
            Some(Overlay::Diff(diff)) => diff.poll(),
            _ => false,
        };
        let found = figures::poll(self.document_mut()) | self.document_mut().poll();
        let found = found | self.poll_search() | self.poll_problems() | self.poll_inference();
        let found = found | needed | self.poll_folder() | what_if::poll(self) | grown | failed;
        found | export::poll(self) | redaction::poll(self)
    }

    fn poll_inference(&mut self) -> bool {
        let mut changed = false;
        for lens in self.document_mut().lenses_mut() {
            changed |= lens.poll();
        }
        changed
    }

    fn poll_problems(&mut self) -> bool {
        let document = self.document_mut();
        let Some(problems) = &mut document.problems else {
            return false;
        };
        let changed = problems.poll();
        if changed {
            document.marks.take(problems);
        }
        if changed && std::mem::take(&mut problems.waiting) {
            self.go_to_problem();
        }
        changed
    }

    /// What went wrong; it is looked for from the first time on that somebody asks.
    pub fn ask_for_problems(&mut self) -> &mut Problems {
        let document = self.document_mut();
        let run = Arc::clone(&document.run);
        document
            .problems
            .get_or_insert_with(|| Problems::start(&run, &document.report))
    }

    /// Goes to the next turn with a problem; waits for it where they are still looked for.
    pub fn go_to_problem(&mut self) {
        let row = self.document().selected;
        let problems = self.ask_for_problems();
        if problems.is_running() {
            problems.waiting = true;
            self.message = Some("looking for problems …".to_owned());
            return;
        }
        let Some(next) = problems.next_row(row) else {
            self.message = Some("no turn has a problem".to_owned());
            return;
        };
        let here = problems
            .found
            .iter()
            .filter(|found| found.row == Some(next));
        let words: Vec<&str> = here.map(|found| found.text.as_str()).collect();
        self.message = Some(words.join(" · "));
        self.remember();
        self.document_mut().select(next);
    }

    /// Shows a fuller record of the first run, in the place where it was. Whether there is one.
    fn replace(&mut self, loaded: Both) -> bool {
        let follows = self.follows;
        let Both {
            first,
            second,
            is_part,
        } = loaded;
        let step = first.conversations.get(self.conversation).map(Arc::clone);
        let (Some(document), Some(step)) = (self.documents.first_mut(), step) else {
            return false;
        };
        if is_part && step.turns().len() < document.turns() {
            // What is shown already is more.
            return false;
        }
        self.conversations = first.conversations;
        self.redaction.grown(document.run.step(), &step);
        if let Some(told) = told_of_replaced(document.run.step(), &step) {
            self.message = Some(told);
        }
        document.replace(step, first.report);
        if let Some(second) = second {
            document.replace_beside(second);
        }
        if follows {
            let last = document.turns().saturating_sub(1);
            document.select(last);
        }
        child::replace(&mut self.documents);
        place::arrive(self);
        true
    }

    fn poll_search(&mut self) -> bool {
        let Some(search) = &mut self.document_mut().search else {
            return false;
        };
        let changed = search.poll();
        if let Some(by) = search.waiting.filter(|_| changed) {
            search.waiting = None;
            self.go_to_match(by);
        }
        changed
    }

    /// Whether something goes on that `poll` must be asked about.
    pub fn is_busy(&self) -> bool {
        let document = self.document();
        let searches = document.search.as_ref().is_some_and(Search::is_running);
        let looks = document.problems.as_ref().is_some_and(Problems::is_running);
        let folder = self.folder.as_ref().is_some_and(Folder::is_busy);
        let over = match &self.overlay {
            Some(Overlay::Needs(needs)) => needs.is_running(),
            Some(Overlay::Diff(diff)) => diff.is_running(),
            _ => false,
        };
        let finds = figures::is_running(document);
        let texts = document.is_busy();
        let mut lenses = document.lenses().iter();
        let infers = lenses
            .any(|lens| lens.is_counting() || lens.inference().is_some_and(Inference::is_running));
        let runs = searches || looks || folder || finds || texts || over || infers;
        let runs = runs || self.exports.is_running();
        let runs = runs || self.reading.is_some();
        runs || self.redaction.is_learning() || self.what_if.is_running()
    }

    /// Goes to the next match, or the one before; waits for it where the search goes on.
    pub fn go_to_match(&mut self, by: isize) {
        let document = self.document();
        let lenses = document.lenses().iter();
        let searched = document.search.as_ref();
        let mut lenses = lenses
            .filter(|lens| searched.is_some_and(|search| Arc::ptr_eq(lens.run(), &search.run)));
        let row = lenses.next().and_then(|lens| document.row_of(lens));
        let row = row.unwrap_or(document.selected);
        let Some(search) = &mut self.document_mut().search else {
            self.message = Some("nothing was searched for yet; / searches".to_owned());
            return;
        };
        let Some(place) = search.step(row, by) else {
            if search.is_running() {
                search.waiting = Some(by);
            }
            self.message = Some(search.status());
            return;
        };
        let status = search.status();
        self.remember();
        let document = self.document_mut();
        let run = document
            .search
            .as_ref()
            .map(|search| Arc::clone(&search.run));
        let run = run.unwrap_or_else(|| Arc::clone(&document.run));
        document.select_of(&run, place.row);
        let focus = match place.part {
            Part::Turn(at) => {
                if document.compares() {
                    // Its pane has the other prompt.
                    document.toggle_compare();
                }
                document.turn.tab = Tab::ALL[at];
                document.turn.prepare(document.selected);
                document.turn.go_to_found(place.block, place.line);
                Pane::Turn
            }
            Part::Prompt => {
                document.prepare_lenses();
                if !Arc::ptr_eq(document.lens().run(), &run) {
                    let lenses = document.lenses().iter();
                    let mut runs = lenses.map(|lens| Arc::ptr_eq(lens.run(), &run));
                    document.focused = runs.position(|is_it| is_it).unwrap_or(0);
                }
                document.lens_mut().view.go_to(place.block, place.line);
                document.pane_of(document.focused)
            }
        };
        self.focus_on(focus);
        self.message = Some(status);
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
