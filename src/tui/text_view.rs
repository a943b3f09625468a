//! A scrolled text of blocks. Blocks are asked for when they come into view, so that a prompt of
//! 20,000 messages costs what its visible part costs.

use std::collections::HashMap;
use std::sync::Arc;

use regex::Regex;

use super::colours::{Code, Colours};
use super::gutter::Gutter;
use super::redaction::Hiding;
use super::rows::{Block, Line, Row};
use super::theme::Role;
use crate::text;

use abreast::Pads;
use cursor::Cursor;
pub use folds::Folds;

mod abreast;
mod cursor;
mod folds;
mod moving;

/// Where blocks come from.
pub trait Source: Send + Sync + std::fmt::Debug {
    /// How many there are.
    fn blocks(&self) -> usize;

    /// The block at a place below [`Source::blocks`].
    fn block(&self, index: usize) -> Arc<Block>;

    /// Whether there are items that fold, so that a cursor goes from line to line.
    fn has_items(&self) -> bool {
        false
    }

    /// Whether keys scroll the text under a cursor that goes on by itself only where the text ends.
    fn scrolls(&self) -> bool {
        false
    }

    /// The place of the block that people count as this one, from 1.
    fn numbered(&self, number: usize) -> usize {
        number.saturating_sub(1)
    }
}

impl Source for Vec<Arc<Block>> {
    fn blocks(&self) -> usize {
        self.len()
    }

    fn block(&self, index: usize) -> Arc<Block> {
        Arc::clone(&self[index])
    }

    fn has_items(&self) -> bool {
        self.iter().any(|block| block.has_items())
    }

    fn numbered(&self, number: usize) -> usize {
        let mut items = (0..self.len()).filter(|at| self[*at].is_item());
        let place = number.saturating_sub(1);
        items.nth(place).unwrap_or(place)
    }
}

/// Blocks up to which lines are counted to say how far a view is.
const COUNTED: usize = 64;

/// Blocks that are kept made.
const KEPT: usize = 256;

/// Lines of which the rows are kept counted.
const KEPT_HEIGHTS: usize = 8_192;

/// Lines that are kept cleaned.
const KEPT_LINES: usize = 256;

/// A place in a text: block, line of the block, row of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Anchor {
    /// The block.
    pub block: usize,
    /// The line in it.
    pub line: usize,
    /// The row of the line.
    pub row: usize,
}

/// A text and what is seen of it.
#[derive(Debug)]
pub struct TextView {
    source: Arc<dyn Source>,
    made: HashMap<usize, Arc<Block>>,
    top: Anchor,
    /// Columns skipped where lines aren't wrapped.
    skip: usize,
    /// Whether long lines are wrapped.
    pub wrapped: bool,
    size: (usize, usize),
    rows: Vec<Row>,
    position: Option<usize>,
    folds: Folds,
    cursor: Option<Cursor>,
    /// The top that the last line that was gone to has led to, and that line.
    went_to: Option<(Anchor, usize, usize)>,
    /// Whether what was gone to stays in view in a pane of another size.
    pub(super) stays_there: bool,
    /// What is marked in the text.
    pub marked: Option<Regex>,
    /// Marks at the left of lines; they take a column.
    pub gutter: Option<Gutter>,
    /// What blocks pass before they are shown.
    hiding: Hiding,
    /// What stands beside it.
    pads: Option<Pads>,
    /// How often the text or what is folded of it was changed.
    changes: u64,
    /// The rows of lines, for a state of the text and its columns.
    heights: ((u64, usize), HashMap<(usize, usize), usize>),
    /// Lines as they are drawn, for a state of the text.
    lines: (u64, HashMap<(usize, usize), Arc<Line>>),
    /// Colours of the code in view.
    colours: Colours,
}

impl Default for TextView {
    fn default() -> Self {
        Self {
            source: Arc::new(Vec::<Arc<Block>>::new()),
            made: HashMap::new(),
            top: Anchor::default(),
            skip: 0,
            wrapped: true,
            size: (80, 24),
            rows: Vec::new(),
            position: None,
            folds: Folds::default(),
            cursor: None,
            went_to: None,
            stays_there: false,
            marked: None,
            gutter: None,
            hiding: Hiding::default(),
            pads: None,
            changes: 0,
            heights: Default::default(),
            lines: Default::default(),
            colours: Colours::default(),
        }
    }
}

impl TextView {
    /// Shows another text, from its start.
    pub fn show(&mut self, source: Arc<dyn Source>) {
        self.source = source;
        self.changed();
        self.folds = Folds::default();
        self.top = Anchor::default();
        self.skip = 0;
        self.cursor = Cursor::of(&*self.source);
        // The first item; what stands before it is a title.
        self.put_cursor(Anchor {
            block: self.source.numbered(1),
            ..Anchor::default()
        });
        self.top = Anchor::default();
    }

    /// Shows another state of the same text: the place stays, and the end if it was in view.
    pub fn show_again(&mut self, source: Arc<dyn Source>) {
        let end = self.last_top();
        let at_end = self.top > Anchor::default() && self.top >= end;
        self.source = source;
        self.changed();
        self.cursor = Cursor::of(&*self.source).map(|cursor| self.cursor.unwrap_or(cursor));
        if at_end {
            self.top = self.last_top();
        } else {
            self.clamp();
        }
        self.keep_cursor_row();
    }

    /// The text or what is folded of it is another one.
    fn changed(&mut self) {
        self.made.clear();
        self.went_to = None;
        self.changes += 1;
    }

    /// The rows in view, as prepared last.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// How far the view is, in percent, as prepared last; `None` where all is
    /// in view.
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    fn percent(&mut self) -> Option<usize> {
        let end = self.last_top();
        if end == Anchor::default() {
            return None;
        }
        if self.top >= end {
            return Some(100);
        }
        let blocks = self.source.blocks();
        let (before, all) = if blocks <= COUNTED {
            let mut sums = (self.top.line, 0);
            for at in 0..blocks {
                let lines = self.block(at).map_or(0, |block| block.lines());
                sums.0 += if at < self.top.block { lines } else { 0 };
                sums.1 += lines;
            }
            sums
        } else {
            (self.top.block, blocks)
        };
        Some((before * 100 / all.max(1)).min(99))
    }

    fn block(&mut self, index: usize) -> Option<Arc<Block>> {
        if let Some(block) = self.made.get(&index) {
            return Some(Arc::clone(block));
        }
        if index >= self.source.blocks() {
            return None;
        }
        if self.made.len() >= KEPT {
            self.made.clear();
        }
        let block = self.hiding.block(self.source.block(index));
        let block = self.folds.applied(index, block);
        self.made.insert(index, Arc::clone(&block));
        Some(block)
    }

    fn height(&mut self, at: Anchor) -> usize {
        self.own_height(at) + self.pad(at)
    }

    /// A line of a block that is asked for by its place; what was in view lately is kept cleaned.
    fn line(&mut self, block: &Block, at: Anchor) -> Arc<Line> {
        if self.lines.0 != self.changes || self.lines.1.len() >= KEPT_LINES {
            self.lines = (self.changes, HashMap::new());
        }
        let lines = &mut self.lines.1;
        let line = lines.entry((at.block, at.line));
        let coloured = || {
            let code = block.code_line(at.line);
            let found = code.as_ref().and_then(|line| self.colours.of(&line.code));
            block.coloured(at.line, found.map_or(&[], |found| &found[..]))
        };
        Arc::clone(line.or_insert_with(|| Arc::new(coloured())))
    }

    /// The rows of a line; they are counted once, because a line may have thousands.
    fn own_height(&mut self, at: Anchor) -> usize {
        let (columns, wrapped) = (self.size.0, self.wrapped);
        if !wrapped {
            return 1;
        }
        let state = (self.changes, columns);
        if self.heights.0 != state || self.heights.1.len() >= KEPT_HEIGHTS {
            self.heights = (state, HashMap::new());
        }
        let place = (at.block, at.line);
        if let Some(rows) = self.heights.1.get(&place) {
            return *rows;
        }
        let block = self.block(at.block);
        let rows = block.map_or(1, |block| self.line(&block, at).height(columns, wrapped));
        self.heights.1.insert(place, rows);
        rows
    }

    /// Takes the size of a pane.
    pub fn resize(&mut self, columns: usize, height: usize) {
        let marks = usize::from(self.gutter.is_some()) + usize::from(self.has_cursor_column());
        let size = (columns.saturating_sub(marks), height);
        if self.size != size {
            self.size = size;
            self.go_there_again();
            self.keep_cursor_line();
        }
    }

    /// Lays out the rows in view for a pane of this size.
    pub fn prepare(&mut self, columns: usize, height: usize) {
        self.resize(columns, height);
        let columns = self.size.0;
        self.clamp();
        self.keep_cursor_near();
        self.position = self.percent();
        self.limit_skip(columns, height);
        self.rows.clear();
        self.forget_cursor_row();
        let mut code: Vec<Code> = Vec::new();
        let mut at = self.top;
        while self.rows.len() < height {
            let Some(block) = self.block(at.block) else {
                break;
            };
            if at.line >= block.lines() {
                at = Anchor {
                    block: at.block + 1,
                    ..Anchor::default()
                };
                continue;
            }
            let mut line = self.line(&block, at);
            let coded = block.code_line(at.line).map(|line| line.code);
            code.extend(coded.filter(|coded| code.last() != Some(coded)));
            let is_ghost = line.is(Role::Ghost);
            if let Some(pattern) = &self.marked {
                Arc::make_mut(&mut line).mark(pattern);
            }
            let rows = line.rows(columns, self.wrapped, self.skip);
            let room = height - self.rows.len();
            let mut rows: Vec<Row> = rows.into_iter().skip(at.row).take(room).collect();
            if let Some(gutter) = &mut self.gutter {
                let raw = block.raw_line(at.line);
                let is_new = |raw: &str| gutter.marks(at.block, raw);
                // What was left out is in neither prompt.
                let is_marked = !is_ghost && raw.is_some_and(is_new);
                for row in &mut rows {
                    let mark = if is_marked { "▎" } else { " " };
                    row.spans.insert(0, (mark.to_owned(), Role::Notice));
                }
            }
            self.mark_cursor(at, &mut rows);
            self.rows.append(&mut rows);
            let own = self.own_height(at);
            let pad = (own + self.pad(at)).saturating_sub(own.max(at.row));
            let filler = self.filler();
            let room = height - self.rows.len();
            self.rows.extend(vec![filler; pad.min(room)]);
            at = Anchor {
                line: at.line + 1,
                row: 0,
                ..at
            };
        }
        self.colours.ask(code);
    }

    /// Whether colours of what is in view are still looked for.
    pub fn is_busy(&self) -> bool {
        self.colours.is_running()
    }

    /// Takes colours that were found since; whether there are any, or none are missing any longer.
    pub fn poll(&mut self) -> bool {
        let changed = self.colours.poll();
        if changed {
            self.lines.1.clear();
        }
        changed
    }

    /// Not wrapped, the longest line in view keeps its end in view.
    fn limit_skip(&mut self, columns: usize, height: usize) {
        if self.wrapped || self.skip == 0 {
            return;
        }
        let mut at = Some(self.top);
        let mut longest = 0;
        for _ in 0..height {
            let Some(place) = at else { break };
            if let Some(block) = self.block(place.block) {
                longest = longest.max(text::width(self.line(&block, place).text()));
            }
            at = self.below(place);
        }
        self.skip = self.skip.min(longest.saturating_sub(columns / 2));
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.source.blocks()
    }

    /// A block as it is shown here: perhaps without its secrets.
    pub(super) fn as_shown(&self, block: Arc<Block>) -> Arc<Block> {
        self.hiding.block(block)
    }

    /// A block below [`TextView::blocks`], not folded.
    pub fn made(&self, index: usize) -> Arc<Block> {
        self.source.block(index)
    }

    /// The line that so many rows below the top belong to, with its block.
    pub fn line_at(&mut self, rows: usize) -> Option<(usize, Arc<Block>, usize)> {
        let mut at = self.top;
        for _ in 0..rows {
            at = self.below(at)?;
        }
        Some((at.block, self.block(at.block)?, at.line))
    }

    /// The block at the top of the view.
    pub fn top_block(&self) -> usize {
        self.top.block
    }

    /// Changes how a block is folded.
    fn change<T>(&mut self, index: usize, act: impl FnOnce(&mut Block) -> T) -> Option<T> {
        let mut block = self.block(index)?;
        let outcome = act(Arc::make_mut(&mut block));
        self.folds.keep(index, &block);
        self.made.insert(index, block);
        self.changes += 1;
        Some(outcome)
    }
}
