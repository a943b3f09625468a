//! Memory before and after a turn as a table: a row a name, with its values below where it is open.

use std::sync::Arc;

use super::heading;
use crate::compression::Run;
use crate::namespace::content::turn_number;
use crate::step::history::History;
use crate::text;
use crate::tui::rows::Block;
use crate::tui::text_view::Source;
use crate::tui::theme::Role;
use crate::tui::tree::{Tree, sample};
use crate::value::{Value, type_label};

/// Which columns there is room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Columns {
    /// All of them.
    #[default]
    All,
    /// The turns in one column.
    Fewer,
    /// Name and sample alone.
    Least,
}

impl Columns {
    /// Those that fit a pane.
    pub fn for_width(columns: u16) -> Self {
        match columns {
            0..40 => Self::Least,
            40..62 => Self::Fewer,
            _ => Self::All,
        }
    }
}

/// Columns of the longest name and type that are shown whole.
const NAME: usize = 24;
const TYPE: usize = 10;

/// Turns of a definition's changes that are listed.
const LISTED_TURNS: usize = 12;

/// What a turn did to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Made,
    Changed,
    Gone,
    Same,
}

impl Mark {
    const fn sign(self) -> (&'static str, Role) {
        match self {
            Self::Made => ("+", Role::Good),
            Self::Changed => ("~", Role::Notice),
            Self::Gone => ("-", Role::Bad),
            Self::Same => (" ", Role::Dim),
        }
    }
}

/// The names that a row of the list of turns has, its own changes first. Rows are made as they come
/// into view.
#[derive(Debug)]
pub(super) struct Table {
    run: Arc<Run>,
    selected: usize,
    columns: Columns,
    names: Vec<(Mark, Arc<str>)>,
    name_columns: usize,
}

impl Table {
    pub(super) fn new(run: &Arc<Run>, selected: usize, columns: Columns) -> Self {
        let before = run.timeline().first(selected);
        let after = run.timeline().first(selected + 1);
        let mut names: Vec<(Mark, Arc<str>)> = Vec::new();
        for (name, value) in after.definitions() {
            let mark = match before.memory().get(name) {
                None => Mark::Made,
                Some(old) if old != value => Mark::Changed,
                Some(_) => Mark::Same,
            };
            names.push((mark, Arc::clone(name)));
        }
        let gone = before.memory().keys();
        let gone = gone.filter(|name| !after.memory().contains_key(*name));
        names.extend(gone.map(|name| (Mark::Gone, Arc::clone(name))));
        names.sort_by_key(|(mark, _)| *mark == Mark::Same);
        let longest = names.iter().map(|(_, name)| text::width(name)).max();
        let most = if columns == Columns::Least { 16 } else { NAME };
        Self {
            run: Arc::clone(run),
            selected,
            columns,
            name_columns: longest.unwrap_or(0).clamp(4, most),
            names,
        }
    }

    /// Blocks up to the last one of a name that this turn made, changed or took away.
    pub(super) fn changed(&self) -> usize {
        1 + self.names.partition_point(|(mark, _)| *mark != Mark::Same)
    }

    /// The name that a block is of.
    pub(super) fn name(&self, block: usize) -> Option<&Arc<str>> {
        let (_, name) = self.names.get(block.checked_sub(1)?)?;
        Some(name)
    }

    fn before(&self) -> History<'_> {
        self.run.timeline().first(self.selected)
    }

    fn after(&self) -> History<'_> {
        self.run.timeline().first(self.selected + 1)
    }

    fn title(&self) -> Block {
        let step = self.run.step();
        let turn = step.turn(self.selected);
        let mut notes = Vec::new();
        let title = match turn {
            Some(turn) if turn.failed() => {
                notes.push("the turn failed: it stays as it was".to_owned());
                "Memory"
            }
            Some(turn) if turn.memory().get().is_none() => {
                notes.extend(turn.memory().note().map(str::to_owned));
                "Memory"
            }
            Some(_) => "Memory before → after",
            None => {
                let note = step.memory.note();
                notes.extend(note.filter(|_| self.names.is_empty()).map(str::to_owned));
                "Memory at the end"
            }
        };
        match self.names.len() {
            0 if !notes.is_empty() => {}
            0 => notes.push("nothing defined".to_owned()),
            1 => notes.push("1 name".to_owned()),
            count => notes.push(format!("{count} names")),
        }
        let counts = [
            (Mark::Made, "new"),
            (Mark::Changed, "changed"),
            (Mark::Gone, "gone"),
        ];
        for (mark, word) in counts {
            let count = self
                .names
                .iter()
                .filter(|(other, _)| *other == mark)
                .count();
            if count > 0 {
                notes.push(format!("{} {count} {word}", mark.sign().0));
            }
        }
        let head = heading(title, Some(&notes.join(" · ")));
        if self.names.is_empty() {
            return Block::heading(head);
        }
        let mut titles = format!("    {}", padded("name", self.name_columns));
        match self.columns {
            Columns::All => titles = format!("{titles} {} made changed", padded("type", TYPE)),
            Columns::Fewer => titles = format!("{titles} {} turns ", padded("type", TYPE)),
            Columns::Least => {}
        }
        titles.push_str(" sample");
        Block::plain(titles, Role::Dim).headed(head)
    }

    fn definition(&self, mark: Mark, name: &Arc<str>) -> Block {
        let (before, after) = (self.before(), self.after());
        let old = before.memory().get(name);
        let history = if mark == Mark::Gone { before } else { after };
        let Some(value) = history.memory().get(name) else {
            return Block::default();
        };
        let changes = history.changes(name);
        let row = |fold: &str| self.row(fold, mark, name, value, changes);
        let mut trees = vec![Tree::new(label(name, mark), mark_role(mark), value)];
        if let Some(old) = old.filter(|_| mark == Mark::Changed) {
            trees.push(Tree::new("was", Role::Dim, old).unsearched());
        }
        Block::plain(provenance(value, changes), Role::Dim)
            .headed(row("▾"))
            .with_trees(trees)
            .as_item(row("▸"), true)
            .with_gap()
    }

    fn row(
        &self,
        fold: &str,
        mark: Mark,
        name: &str,
        value: &Value,
        changes: &[usize],
    ) -> Vec<(String, Role)> {
        let (sign, role) = mark.sign();
        let name_role = if mark == Mark::Same { Role::Text } else { role };
        let mut spans = vec![
            (format!("{fold} "), Role::Dim),
            (format!("{sign} "), role),
            (
                padded(&text::clean_line(name), self.name_columns),
                name_role,
            ),
        ];
        let turn = |at: Option<&usize>| at.map_or(String::new(), |at| turn_number(*at).to_string());
        let made = turn(changes.first());
        let latest = turn(changes.last().filter(|_| changes.len() > 1));
        let label = padded(&type_label(value), TYPE);
        match self.columns {
            Columns::All => {
                spans.push((format!(" {label}"), Role::Dim));
                spans.push((format!(" {made:>4} {latest:>7}"), Role::Dim));
            }
            Columns::Fewer => {
                let turns = if latest.is_empty() {
                    made
                } else {
                    format!("{made}→{latest}")
                };
                spans.push((format!(" {label} {}", padded(&turns, 6)), Role::Dim));
            }
            Columns::Least => {}
        }
        spans.push((format!(" {}", sample(value)), Role::Text));
        spans
    }
}

fn label(name: &str, mark: Mark) -> String {
    if mark == Mark::Gone {
        format!("{name} (gone)")
    } else {
        name.to_owned()
    }
}

fn mark_role(mark: Mark) -> Role {
    match mark {
        Mark::Same => Role::Title,
        mark => mark.sign().1,
    }
}

/// What a value is, and in which turns it came to be so.
fn provenance(value: &Value, changes: &[usize]) -> String {
    let numbers: Vec<String> = changes
        .iter()
        .map(|at| turn_number(*at).to_string())
        .collect();
    let label = type_label(value);
    match numbers.as_slice() {
        [] => label.into_owned(),
        [made] => format!("{label} · made in turn {made}"),
        [made, later @ ..] => {
            let more = later.len().saturating_sub(LISTED_TURNS);
            let listed = later[more..].join(", ");
            let more = match more {
                0 => String::new(),
                more => format!("{more} more and "),
            };
            format!("{label} · made in turn {made}, changed in {more}{listed}")
        }
    }
}

/// A text of so many columns.
fn padded(text: &str, columns: usize) -> String {
    let fitted = text::fit(text, columns);
    let space = columns.saturating_sub(text::width(&fitted));
    format!("{fitted}{:space$}", "")
}

impl Source for Table {
    fn blocks(&self) -> usize {
        1 + self.names.len()
    }

    fn block(&self, index: usize) -> Arc<Block> {
        let name = index.checked_sub(1).and_then(|at| self.names.get(at));
        Arc::new(match name {
            Some((mark, name)) => self.definition(*mark, name),
            None => self.title(),
        })
    }

    fn has_items(&self) -> bool {
        !self.names.is_empty()
    }

    fn numbered(&self, number: usize) -> usize {
        number
    }
}
