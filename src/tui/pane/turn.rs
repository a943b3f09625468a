//! The selected turn, part by part: program, raw response, result, tools, memory, input.

use std::sync::Arc;

use super::super::kept_folds::KeptFolds;
use super::super::redaction::Hiding;
use super::super::rows::Block;
use super::super::text_view::{Source, TextView};
use super::super::theme::Role;
use crate::compression::Run;
use crate::step::Conventions;

mod call_body;
mod calls;
mod memory;
mod parts;
mod program;

pub use memory::Columns;

/// A part of the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    /// The program and what came of it.
    Program,
    /// Everything the LLM said.
    Raw,
    /// The whole result or error.
    Result,
    /// The calls of tools.
    Tools,
    /// Memory before and after.
    Memory,
    /// What came in before the turn.
    Input,
}

impl Tab {
    /// All of them, in the order of the sub-tabs.
    pub const ALL: [Self; 6] = [
        Self::Program,
        Self::Raw,
        Self::Result,
        Self::Tools,
        Self::Memory,
        Self::Input,
    ];

    /// The word in the sub-tabs.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Raw => "raw",
            Self::Result => "result",
            Self::Tools => "tools",
            Self::Memory => "memory",
            Self::Input => "input",
        }
    }

    /// The tab so many places on, around the end.
    #[must_use]
    pub fn moved(self, by: isize) -> Self {
        let len = Self::ALL.len().cast_signed();
        let at = Self::ALL.iter().position(|tab| *tab == self).unwrap_or(0);
        let next = (at.cast_signed() + by.rem_euclid(len)).rem_euclid(len);
        Self::ALL[next.cast_unsigned()]
    }
}

/// What a pane has room for. Where no pane is, for whole tables and values of ordinary width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    table: Columns,
    /// Columns that values are laid out for.
    columns: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            table: Columns::All,
            columns: parts::COLUMNS,
        }
    }
}

impl Room {
    /// That of a pane of so many columns; the cursor has one of them.
    pub fn of_pane(columns: u16) -> Self {
        Self {
            table: Columns::for_width(columns),
            columns: usize::from(columns).saturating_sub(1).clamp(20, 100),
        }
    }
}

/// How values are told: by whose conventions, and in how many columns.
#[derive(Debug, Clone, Copy)]
struct Form {
    conventions: Conventions,
    columns: usize,
}

impl Form {
    fn indented(self, by: usize) -> Self {
        Self {
            columns: self.columns.saturating_sub(by),
            ..self
        }
    }
}

/// The pane's state.
#[derive(Debug)]
pub struct TurnView {
    run: Arc<Run>,
    /// The part shown.
    pub tab: Tab,
    /// Its text.
    pub view: TextView,
    /// What there is room for.
    pub room: Room,
    shown: Option<(usize, Tab, Room)>,
    /// What was folded in parts of other turns.
    kept: KeptFolds<(usize, Tab)>,
}

impl TurnView {
    /// A pane on the first turn's program.
    pub fn new(run: Arc<Run>) -> Self {
        let mut view = TextView::default();
        view.stays_there = true;
        Self {
            run,
            tab: Tab::Program,
            view,
            room: Room::default(),
            shown: None,
            kept: KeptFolds::default(),
        }
    }

    /// Shows a fuller record of the same run.
    pub fn set_run(&mut self, run: Arc<Run>) {
        let before = std::mem::replace(&mut self.run, run);
        let turn = |run: &Arc<Run>, row| run.step().turn(row);
        let is_same =
            |row| turn(&before, row) == turn(&self.run, row) && turn(&before, row).is_some();
        // What comes before a turn may have become known later; its own parts stay as they are.
        let may_differ = |tab: Tab| matches!(tab, Tab::Memory | Tab::Input);
        self.kept
            .retain(|(row, tab)| is_same(*row) && !may_differ(*tab));
        let Some((row, tab, room)) = self.shown else {
            return;
        };
        if !is_same(row) || may_differ(tab) {
            self.view.show_again(source(&self.run, row, tab, room));
        }
    }

    /// Makes the text of a row, unless it is shown already.
    pub fn prepare(&mut self, selected: usize) {
        let wanted = (selected, self.tab, self.room);
        if self.shown == Some(wanted) {
            return;
        }
        let is_same = self
            .shown
            .is_some_and(|(row, tab, _)| (row, tab) == (selected, self.tab));
        match (is_same, self.tab) {
            (true, Tab::Program | Tab::Raw) if selected < self.run.step().turns().len() => {}
            (true, _) => {
                let source = source(&self.run, selected, self.tab, self.room);
                self.view.show_again(source);
            }
            (false, _) => {
                let source = source(&self.run, selected, self.tab, self.room);
                if let Some((row, tab, _)) = self.shown {
                    self.kept.keep((row, tab), self.view.take_folds());
                }
                self.view.show(source);
                self.view.set_folds(self.kept.take(&(selected, self.tab)));
            }
        }
        self.shown = Some(wanted);
    }

    /// Goes to a line as a search finds it: laid out for no pane, secrets hidden as here.
    pub fn go_to_found(&mut self, block: usize, line: usize) {
        let line = self.line_here(block, line, TextView::as_shown);
        self.view.go_to(block, line);
    }

    /// Goes to a line as recorded, laid out for no pane.
    pub fn go_to_recorded(&mut self, block: usize, line: usize) {
        let line = self.line_here(block, line, |_, block| block);
        self.view.go_to_recorded(block, line);
    }

    /// The line that has here what a line of the same block has that is laid out for no pane.
    fn line_here(
        &self,
        block: usize,
        line: usize,
        shown: impl Fn(&TextView, Arc<Block>) -> Arc<Block>,
    ) -> usize {
        let Some((row, tab, room)) = self.shown else {
            return line;
        };
        if tab == Tab::Memory || room.columns == Room::default().columns {
            return line;
        }
        let [other, here] = [Room::default(), room].map(|room| {
            let source = source(&self.run, row, tab, room);
            (block < source.blocks()).then(|| shown(&self.view, source.block(block)))
        });
        let both = here.zip(other);
        both.map_or(line, |(here, other)| {
            here.line_like(&other, line, self.view.marked.as_ref())
        })
    }

    /// Hides secrets from now on, or shows them.
    pub fn hide(&mut self, hiding: &Hiding) {
        if self.view.hide(hiding) {
            self.kept.forget_values();
        }
    }

    /// What is at the cursor; without one, the text of the shown part, as it was recorded.
    pub fn item_text(&self, selected: usize) -> String {
        if let Some(text) = self.view.cursor_text(parts::COLUMNS) {
            return text;
        }
        let Some(turn) = self.run.step().turn(selected) else {
            return self.pane_text(selected);
        };
        match self.tab {
            Tab::Program => turn
                .program()
                .get()
                .map(|program| program.source.to_string()),
            Tab::Raw => turn.raw_response().get().map(ToString::to_string),
            Tab::Result => turn
                .result()
                .get()
                .map(|value| crate::value::to_clojure(value, crate::value::Limits::ALL).0),
            Tab::Tools | Tab::Memory | Tab::Input => Some(self.pane_text(selected)),
        }
        .unwrap_or_default()
    }

    /// The whole text of the pane, unfolded.
    pub fn pane_text(&self, selected: usize) -> String {
        let source = source(&self.run, selected, self.tab, Room::default());
        let blocks = (0..source.blocks()).map(|at| source.block(at).whole_text(parts::COLUMNS));
        blocks.collect()
    }
}

/// The text of a part of a row.
pub fn source(run: &Arc<Run>, selected: usize, tab: Tab, room: Room) -> Arc<dyn Source> {
    let form = Form {
        conventions: run.step().conventions,
        columns: room.columns,
    };
    if tab == Tab::Memory {
        return Arc::new(memory::Table::new(run, selected, room.table));
    }
    let blocks = match run.step().turn(selected) {
        Some(turn) => match tab {
            Tab::Program => program::program(&turn, run.step().conventions),
            Tab::Raw => program::raw(&turn),
            Tab::Result => parts::result(&turn, form),
            Tab::Tools => calls::tools(run.timeline().records_answers(), &turn, form),
            Tab::Memory | Tab::Input => parts::input(run, selected, room.columns),
        },
        None if tab == Tab::Input => parts::input(run, selected, room.columns),
        None => parts::ending(run.step(), form),
    };
    let blocks: Vec<Arc<Block>> = blocks.into_iter().map(Arc::new).collect();
    Arc::new(blocks)
}

/// The text of a part that a search goes through, and how many of its blocks.
pub fn searched_source(run: &Arc<Run>, selected: usize, tab: Tab) -> (Arc<dyn Source>, usize) {
    if tab == Tab::Memory {
        let table = memory::Table::new(run, selected, Columns::All);
        // What the turn left as it was stands at an earlier one.
        let changed = table.changed();
        return (Arc::new(table), changed);
    }
    let source = source(run, selected, tab, Room::default());
    let blocks = source.blocks();
    (source, blocks)
}

/// The name that a block of the memory's part is of.
pub fn name_in_memory(run: &Arc<Run>, selected: usize, block: usize) -> Option<Arc<str>> {
    let table = memory::Table::new(run, selected, Columns::All);
    table.name(block).cloned()
}

/// Whether a search stops at a line of a part. What stands in several parts is found once: a program
/// not in the response again, memory only where the turn changed it, the end of a run in one part.
pub fn searched(run: &Run, selected: usize, tab: Tab, block: &Block, line: usize) -> bool {
    let Some(turn) = run.step().turn(selected) else {
        return matches!(tab, Tab::Program | Tab::Input);
    };
    let text = || block.line(line).text().to_owned();
    match tab {
        Tab::Program | Tab::Tools | Tab::Memory | Tab::Input => true,
        Tab::Raw => turn.program().get().is_none_or(|program| {
            let line = text();
            !program
                .source
                .lines()
                .any(|other| other.trim() == line.trim())
        }),
        // The program's part has what fits there.
        Tab::Result => turn.result().get().is_some_and(program::is_cut),
    }
}

/// A heading line.
fn heading(title: &str, note: Option<&str>) -> Vec<(String, Role)> {
    let note = note.map(|note| (format!("  {note}"), Role::Dim));
    [(title.to_owned(), Role::Title)]
        .into_iter()
        .chain(note)
        .collect()
}

/// A line that says that there is nothing, and why.
fn nothing(what: &str, why: &str) -> Block {
    Block::plain(format!("{what}: {why}"), Role::Dim)
}
