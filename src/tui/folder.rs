//! A folder of traces: which there are, what is known of each, in which order and by which filter they
//! are listed. Who looks into the files is [`super::scout`]; here nothing is read.

mod commands;
mod listed;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::app::Start;
use super::line::Line;
use super::scout::{News, Opening, Scout};
use crate::load::Figures;
use crate::load::folder::{Entry, Found};

pub(super) use commands::{
    arrange, back, change_sort, end_filter, move_halves, move_row, next_problem, open,
    start_filter, to_first, to_last,
};
pub use listed::{Known, Listed};

/// Bytes up to which a trace is read for its figures; larger ones are read when they are opened.
const READ_FOR_FIGURES: u64 = 64 << 20;

/// Traces whose figures are asked for at a time: those in view first, then those that follow.
const ASKED: usize = 64;

/// By what traces are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// The newest first.
    Time,
    /// By name.
    Name,
    /// Most turns first.
    Turns,
    /// Most errors first.
    Errors,
    /// Most tokens first.
    Tokens,
    /// The largest first.
    Size,
    /// The longest first.
    Took,
}

impl Sort {
    /// All orders, as the key goes through them.
    pub const ALL: [Self; 7] = [
        Self::Time,
        Self::Name,
        Self::Turns,
        Self::Errors,
        Self::Tokens,
        Self::Size,
        Self::Took,
    ];

    /// The word for it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Name => "name",
            Self::Turns => "turns",
            Self::Errors => "errors",
            Self::Tokens => "tokens",
            Self::Size => "size",
            Self::Took => "time taken",
        }
    }

    /// What stands higher comes first; what isn't known comes last.
    fn key(self, listed: &Listed) -> Option<u64> {
        let figures = listed.figures();
        match self {
            Self::Time => {
                let since = listed
                    .entry
                    .modified?
                    .duration_since(SystemTime::UNIX_EPOCH);
                since.ok().and_then(|at| u64::try_from(at.as_nanos()).ok())
            }
            Self::Name => None,
            Self::Turns => figures.map(|figures| figures.turns as u64),
            Self::Errors => figures.and_then(|figures| Some(figures.errors? as u64)),
            Self::Tokens => figures.and_then(|figures| figures.tokens),
            Self::Size => Some(listed.entry.size),
            Self::Took => figures.and_then(|figures| figures.duration_ms),
        }
    }
}

/// A folder that is open.
#[derive(Debug)]
pub struct Folder {
    /// The folder.
    pub root: PathBuf,
    /// Whether the list is on the screen, rather than the run opened from it.
    pub is_shown: bool,
    /// By what the traces are listed.
    pub sort: Sort,
    /// What is typed to filter them.
    pub filter: Line,
    /// The selected row.
    pub selected: usize,
    /// Whether the first row stays selected, whichever trace that is: until somebody moves.
    at_top: bool,
    /// The first row in view.
    pub offset: usize,
    /// What can't be looked at, and why.
    pub unread: Vec<(PathBuf, String)>,
    /// Now, as far as ages are shown.
    pub now: SystemTime,
    /// The trace that is being opened.
    pub opening: Option<Opening>,
    /// How their runs are first shown.
    start: Start,
    /// The trace whose run lies under the list.
    opened: Option<PathBuf>,
    traces: Vec<Listed>,
    by_path: HashMap<PathBuf, usize>,
    /// Rows: places in `traces`.
    rows: Vec<usize>,
    walk: u64,
    scout: Option<Scout>,
}

impl Folder {
    /// A folder of which nothing is known yet.
    pub fn new(root: &Path, start: Start, scout: Option<Scout>) -> Self {
        Self {
            root: root.to_owned(),
            is_shown: true,
            sort: Sort::Time,
            filter: Line::default(),
            selected: 0,
            at_top: true,
            offset: 0,
            unread: Vec::new(),
            now: SystemTime::now(),
            opening: None,
            start,
            opened: None,
            traces: Vec::new(),
            by_path: HashMap::new(),
            rows: Vec::new(),
            walk: 0,
            scout,
        }
    }

    /// How many traces there are, by whatever filter.
    pub fn len(&self) -> usize {
        self.traces.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.traces.is_empty()
    }

    /// All traces, in no order.
    pub fn traces(&self) -> &[Listed] {
        &self.traces
    }

    /// How many rows the list has.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The trace of a row.
    pub fn row(&self, row: usize) -> Option<&Listed> {
        self.traces.get(*self.rows.get(row)?)
    }

    /// Whether the folder is still looked through for the first time.
    pub fn is_walking(&self) -> bool {
        self.walk == 0 && self.scout.is_some()
    }

    /// Selects a row, as far as there are rows.
    pub fn select(&mut self, row: usize) {
        self.selected = row.min(self.rows.len().saturating_sub(1));
    }

    /// Takes what a walk found. A trace that was written to since is read again.
    pub fn take(&mut self, found: Vec<Found>) {
        for found in found {
            let entry = match found {
                Found::Trace(entry) => entry,
                Found::Unread(path, why) => {
                    if self.unread.iter().all(|(known, _)| *known != path) {
                        self.unread.push((path, why));
                    }
                    continue;
                }
            };
            let walk = self.walk + 1;
            if let Some(at) = self.by_path.get(&entry.path) {
                let listed = &mut self.traces[*at];
                listed.walk = walk;
                if listed.entry != entry {
                    listed.entry = entry;
                    listed.forget();
                }
                continue;
            }
            self.by_path.insert(entry.path.clone(), self.traces.len());
            self.traces.push(Listed::new(&self.root, entry, walk));
        }
    }

    /// A walk has ended: what it didn't see is gone.
    pub fn walked(&mut self) {
        self.walk += 1;
        let walk = self.walk;
        let before = self.traces.len();
        let selected = self
            .row(self.selected)
            .map(|listed| listed.entry.path.clone());
        self.traces.retain(|listed| listed.walk == walk);
        if self.traces.len() == before {
            return;
        }
        let places = self.traces.iter().enumerate();
        self.by_path = places
            .map(|(at, listed)| (listed.entry.path.clone(), at))
            .collect();
        let at = selected.and_then(|path| self.by_path.get(&path).copied());
        self.rows = at.into_iter().collect();
        self.selected = 0;
    }

    /// Learns a trace's figures, or why it can't be opened; not where it was written to since.
    pub fn learn(&mut self, entry: &Entry, figures: Result<Figures, String>) {
        let at = self.by_path.get(&entry.path).copied();
        if let Some(listed) = at.and_then(|at| self.traces.get_mut(at))
            && listed.entry == *entry
        {
            listed.known = match figures {
                Ok(figures) => Known::Figures(Box::new(figures)),
                Err(why) => Known::Failed(why),
            };
            listed.set_words();
        }
    }

    /// Brings the rows into order again. The selected trace stays selected.
    pub fn arrange(&mut self) {
        let selected = self.rows.get(self.selected).copied();
        let selected = selected.filter(|_| !self.at_top);
        let filter = self.filter.to_lowercase();
        let words: Vec<&str> = filter.split_whitespace().collect();
        let fits = |listed: &Listed| words.iter().all(|word| listed.words.contains(word));
        let traces = &self.traces;
        let sort = self.sort;
        self.rows = (0..traces.len()).filter(|at| fits(&traces[*at])).collect();
        self.rows.sort_by_cached_key(|at| {
            let listed = &traces[*at];
            (std::cmp::Reverse(sort.key(listed)), listed.name.clone())
        });
        let again = selected.and_then(|place| self.rows.iter().position(|at| *at == place));
        let otherwise = if self.at_top { 0 } else { self.selected };
        self.select(again.unwrap_or(otherwise));
    }

    /// The traces whose figures are wanted next: those in view, then those that follow.
    fn wanted(&self, height: usize) -> Vec<Entry> {
        let rows = self.rows.iter().skip(self.offset);
        let before = self.rows.iter().take(self.offset);
        let waits = |at: &&usize| self.traces[**at].known == Known::Waiting;
        let ahead = rows.clone().take(height).filter(waits);
        let wanted = ahead.chain(rows.skip(height).chain(before).filter(waits));
        wanted
            .take(ASKED)
            .map(|at| self.traces[*at].entry.clone())
            .collect()
    }

    /// Keeps the selected row in view, and asks for the figures of what is.
    pub(super) fn prepare(&mut self, height: usize) {
        let most = self.rows.len().saturating_sub(height);
        let least = (self.selected + 1).saturating_sub(height);
        self.offset = self.offset.clamp(least, self.selected.max(least)).min(most);
        let wanted = self.wanted(height);
        if let Some(scout) = &self.scout {
            scout.want(wanted);
        }
    }

    /// Takes what came in since. Whether the screen changes.
    fn poll(&mut self) -> bool {
        let Some(scout) = &mut self.scout else {
            return false;
        };
        let (mut changed, mut moves) = (false, false);
        let by_figures = !matches!(self.sort, Sort::Time | Sort::Name | Sort::Size);
        for news in scout.news() {
            changed = true;
            match news {
                News::Found(found) => {
                    moves |= !found.is_empty();
                    self.take(found);
                }
                News::Walked => {
                    moves = true;
                    self.walked();
                }
                News::Figures(entry, figures) => {
                    moves |= by_figures || !self.filter.is_empty();
                    self.learn(&entry, figures);
                }
            }
        }
        if moves {
            self.arrange();
        }
        let before = self.now;
        self.now = SystemTime::now();
        let passed = self.now.duration_since(before).unwrap_or_default();
        changed || passed.as_secs() > 0
    }

    /// Whether something goes on that `poll` must be asked about.
    pub fn is_busy(&self) -> bool {
        let waits = || {
            self.traces
                .iter()
                .any(|listed| listed.known == Known::Waiting)
        };
        self.opening.is_some()
            || (self.scout.is_some() && self.is_shown && (self.walk == 0 || waits()))
    }

    /// Begins to open a trace, off the drawing thread.
    pub fn open(&mut self, path: PathBuf) {
        self.opening = self.scout.as_ref().map(|scout| scout.open(path));
    }
}
