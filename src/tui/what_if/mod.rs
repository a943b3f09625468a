//! What if the selected turn had been different: what can be changed, the run that is made off the
//! drawing thread, and the forks that are kept.

mod change;
mod made;

use std::sync::atomic::Ordering;

use super::app::{App, Effect, Overlay, Pane};
use super::document::Document;
use crate::agent::{ForkError, Replay};
use crate::step::Turn;

pub use change::Limit;
pub use made::Forked;
pub(super) use made::poll;

use made::{Running, start};

/// Forks that are kept; the oldest go.
const KEPT: usize = 16;

/// Something that can be done at a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // the list shows each
pub enum Entry {
    /// Write its program anew.
    Program,
    /// Write the result of a call anew.
    Result(usize),
    /// Set a limit.
    Limit(Limit),
    /// Go to a fork that is kept.
    Open(usize),
    /// Write the fork as a step file.
    Export,
    /// Throw the fork away.
    Discard,
    /// Go back to what was; the fork is kept.
    Keep,
}

/// The list of what can be done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(clippy::exhaustive_structs)] // the state of one overlay
pub struct Input {
    /// The selected entry.
    pub selected: usize,
    /// A number being typed.
    pub typed: String,
}

impl Input {
    /// Types a digit.
    pub(super) fn push(&mut self, digit: char) {
        // No limit has more digits.
        if self.typed.len() < 9 {
            self.typed.push(digit);
        }
    }

    /// Selects another of so many entries.
    pub(super) fn move_by(&mut self, by: isize, entries: usize) {
        self.selected = self
            .selected
            .saturating_add_signed(by)
            .min(entries.saturating_sub(1));
        self.typed.clear();
    }
}

/// Everything of what-if that outlives its overlay.
#[derive(Debug, Default)]
pub struct WhatIf {
    running: Option<Running>,
    /// What is in the editor: the turn, from 1, and the part of it.
    editing: Option<(u32, Entry)>,
    /// Forks that were left, the latest last.
    kept: Vec<Document>,
}

impl WhatIf {
    /// Whether a fork is being made.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// What is being made, in words.
    pub fn status(&self) -> Option<String> {
        let running = self.running.as_ref()?;
        Some(format!("what if: {} … esc cancels", running.what))
    }

    /// Stops what is being made; whether there was something.
    pub(super) fn cancel(&mut self) -> bool {
        let Some(running) = self.running.take() else {
            return false;
        };
        running.cancelled.store(true, Ordering::Relaxed);
        true
    }

    /// Keeps a fork that is left.
    pub(super) fn keep(&mut self, document: Document) {
        self.kept.push(document);
        if self.kept.len() > KEPT {
            self.kept.remove(0);
        }
    }

    /// The titles of the kept forks.
    pub fn kept(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(|kept| kept.title.as_str())
    }
}

/// What can be done at the selected turn.
pub fn entries(app: &App) -> Vec<Entry> {
    let document = app.document();
    if document.fork.is_some() {
        return vec![Entry::Keep, Entry::Export, Entry::Discard];
    }
    let mut entries = Vec::new();
    if let Some(turn) = turn(document) {
        entries.push(Entry::Program);
        entries.extend((0..calls(&turn).count()).map(Entry::Result));
    }
    entries.extend(Limit::ALL.map(Entry::Limit));
    entries.extend((0..app.what_if.kept.len()).map(Entry::Open));
    entries
}

fn turn(document: &Document) -> Option<std::sync::Arc<Turn>> {
    document.run.step().turn(document.selected)
}

fn calls(turn: &Turn) -> impl Iterator<Item = &crate::step::ToolCall> {
    turn.tool_calls().iter().chain(turn.unlisted_calls())
}

/// The number of the turn that is changed, from 1. Behind the last turn limits alone are, from the
/// first turn on.
pub fn number(document: &Document) -> u32 {
    turn(document).map_or(1, |turn| turn.number())
}

/// The command: lists what can be done at the selected turn, or says why nothing can.
pub(super) fn open(app: &mut App) {
    let step = app.document().run.step();
    if app.document().fork.is_none() && !Replay::has_programs(step) {
        app.message = Some(ForkError::NoPrograms.to_string());
        return;
    }
    app.overlay = Some(Overlay::WhatIf(Input::default()));
}

/// Takes the selected entry.
pub(super) fn choose(app: &mut App, input: &Input) -> Option<Effect> {
    let entry = *entries(app).get(input.selected)?;
    match entry {
        Entry::Program | Entry::Result(_) => change::edit(app, entry),
        Entry::Limit(limit) => {
            let Ok(number) = input.typed.parse::<u64>() else {
                app.message = Some("type the number first, then enter".to_owned());
                app.overlay = Some(Overlay::WhatIf(input.clone()));
                return None;
            };
            let from = number_of_change(app.document(), limit);
            start(
                app,
                from,
                limit.change(number),
                &format!("{} {number}", limit.title()),
            );
            None
        }
        Entry::Open(at) => {
            if at < app.what_if.kept.len() {
                let fork = app.what_if.kept.remove(at);
                app.documents.push(fork);
                app.focus_on(Pane::Turns);
            }
            None
        }
        Entry::Export => {
            let document = app.document();
            let text = crate::export::step::write(document.run.step());
            Some(Effect::Save {
                what: "the fork".to_owned(),
                name: "what-if.step.json".to_owned(),
                text,
            })
        }
        Entry::Discard => {
            app.documents.pop();
            app.message = Some("the fork is gone".to_owned());
            None
        }
        Entry::Keep => {
            app.back();
            None
        }
    }
}

fn number_of_change(document: &Document, limit: Limit) -> u32 {
    match limit {
        // The whole run has it.
        Limit::Turns => 1,
        _ => number(document),
    }
}
