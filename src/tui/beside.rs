//! A second run beside a document's own: another file, or whatever else is shown beside what was.
//! The rows of the list are then pairs of turns.

use std::sync::Arc;

use crate::analysis::{Alignment, Likeness, Pair};
use crate::compression::Run;
use crate::error::Error;
use crate::load::{Loaded, Report};
use crate::step::Step;

/// A second run as it was loaded.
#[derive(Debug, Clone)]
#[allow(clippy::exhaustive_structs)] // filled in by whoever composes the program
pub struct Second {
    /// What it is called: the file.
    pub name: String,
    /// The run.
    pub step: Arc<Step>,
    /// What could not be read.
    pub report: Report,
    /// Its place among the conversations of the file, from 0.
    pub conversation: usize,
}

impl Second {
    /// The conversation that is asked for, from 1, of what was loaded.
    ///
    /// # Errors
    /// [`Error::Unreadable`] where there is none.
    pub fn pick(name: String, loaded: &Loaded, asked: Option<u32>) -> Result<Self, Error> {
        let at = super::conversation(&name, loaded, asked)?;
        Ok(Self {
            name,
            step: Arc::clone(&loaded.conversations[at]),
            report: loaded.report.clone(),
            conversation: at,
        })
    }
}

/// A run beside a document's own, turn by turn.
#[derive(Debug, Clone)]
pub struct Beside {
    /// What the document's own run is called, and what this one.
    pub titles: [String; 2],
    /// The run.
    pub run: Arc<Run>,
    /// What could not be read of it.
    pub report: Report,
    /// Its place among the conversations of its file, from 0.
    pub conversation: usize,
    /// Which turns stand side by side.
    pub alignment: Alignment,
    /// Turns of the document's own run, and of this one.
    turns: [usize; 2],
    /// Whether this run is shown before the document's own: a fork has what was on its left.
    pub reversed: bool,
}

impl Beside {
    /// Puts a run beside another one. The titles are of the other one and of this one.
    pub fn new(titles: [String; 2], own: &Run, run: Arc<Run>) -> Self {
        let (before, after) = (own.step(), run.step());
        Self {
            titles,
            report: Report::default(),
            conversation: 0,
            alignment: Alignment::new(before.each_turn(), after.each_turn()),
            turns: [before.turns().len(), after.turns().len()],
            reversed: false,
            run,
        }
    }

    /// How many rows there are: a pair each, and `next`.
    pub fn rows(&self) -> usize {
        self.alignment.pairs().len() + 1
    }

    /// The pair of a row; none for `next`.
    pub fn pair(&self, row: usize) -> Option<Pair> {
        self.alignment.pairs().get(row).copied()
    }

    /// The turn of the document's own run in a row, and of this one; behind the last ones the prompts
    /// that follow them.
    pub fn turns_at(&self, row: usize) -> [Option<usize>; 2] {
        match self.pair(row) {
            Some(pair) => [pair.before, pair.after],
            None => self.turns.map(Some),
        }
    }

    /// The row of a turn of the document's own run.
    pub fn row_of_own(&self, turn: usize) -> usize {
        let row = self.alignment.of_before(turn);
        row.unwrap_or(self.rows() - 1)
    }

    /// The row of a turn of this run.
    pub fn row_of_this(&self, turn: usize) -> usize {
        let row = self.alignment.of_after(turn);
        row.unwrap_or(self.rows() - 1)
    }

    /// The turn of the own run to stay at in a row that has none: the one before it.
    pub fn own_near(&self, row: usize) -> usize {
        let pairs = self.alignment.pairs();
        let before = pairs[..row.min(pairs.len())].iter().rev();
        let found = self.turns_at(row)[0];
        let near = before.filter_map(|pair| pair.before);
        found.or_else(|| near.into_iter().next()).unwrap_or(0)
    }

    /// The sign of a row, and whether the runs part there.
    pub fn sign(&self, row: usize) -> Option<(Likeness, bool)> {
        let pair = self.pair(row)?;
        Some((pair.likeness, self.parts_at() == Some(row)))
    }

    /// The row where the runs part: where they don't do the same. A fork does so at the first turn that
    /// came out otherwise.
    pub fn parts_at(&self) -> Option<usize> {
        if !self.reversed {
            return self.alignment.divergence();
        }
        let mut pairs = self.alignment.pairs().iter();
        pairs.position(|pair| pair.likeness != Likeness::Same)
    }

    /// Where the runs part, in words.
    pub fn summary(&self) -> String {
        let Some(at) = self.alignment.divergence() else {
            return "both runs did the same in every turn".to_owned();
        };
        let [own, this] = self.turns_at(at);
        let turn = |turn: Option<usize>| {
            turn.map_or_else(|| "no turn".to_owned(), |at| format!("turn {}", at + 1))
        };
        let (own, this) = (turn(own), turn(this));
        if own == this {
            format!("◆ the runs part at {own}")
        } else {
            format!("◆ the runs part at {own}, in the other {this}")
        }
    }
}

/// What two runs are called so that they are told apart: by their files' names, else by their paths.
pub fn titles(own: &str, this: &str) -> [String; 2] {
    let file = |name: &str| {
        let file = std::path::Path::new(name).file_name();
        file.map_or_else(
            || name.to_owned(),
            |file| file.to_string_lossy().into_owned(),
        )
    };
    let (short, other) = (file(own), file(this));
    if short == other {
        [own.to_owned(), this.to_owned()]
    } else {
        [short, other]
    }
}
