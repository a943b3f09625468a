//! Searching a run: every turn's texts, or every prompt, line by line, off the drawing thread, from the
//! selected row on, so that the first match is there at once.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use super::content::Content;
use super::lens::{Lens, Side};
use super::line::Line;
use super::pane::ghosts::ghosts;
use super::pane::prompt::text_with;
use super::pane::turn::{Tab, searched, searched_source};
use super::redaction::Hiding;
use super::rows::Block;
use super::work::{Teller, Work};
use crate::compression::{Case, Run};

/// Places that are kept; beyond, the count says that there are more.
const KEPT: usize = 100_000;

/// Which pane a place is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A part of the turn, by its place among the sub-tabs.
    Turn(usize),
    /// The prompt.
    Prompt,
}

/// A line that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The row in the list of turns.
    pub row: usize,
    /// The pane.
    pub part: Part,
    /// The block of its text.
    pub block: usize,
    /// The line of the block.
    pub line: usize,
}

/// What is typed while somebody searches.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The words, or the regular expression.
    pub text: Line,
    /// Whether it is a regular expression.
    pub is_regex: bool,
}

impl Input {
    /// What stands before it.
    pub(super) fn lead(&self) -> &'static str {
        if self.is_regex { " regex /" } else { " /" }
    }

    /// What is shown of it in a row of so many columns, and the column of the cursor there.
    pub(super) fn shown(&self, columns: u16) -> (String, usize) {
        let lead = self.lead().len();
        let (typed, column) = self.text.shown(usize::from(columns).saturating_sub(lead));
        (typed, lead + column)
    }

    /// What to look for: case matters where a capital is typed.
    ///
    /// # Errors
    /// What is wrong with the regular expression, in a line.
    pub fn pattern(&self) -> Result<Regex, String> {
        let text = if self.is_regex {
            self.text.to_string()
        } else {
            regex::escape(&self.text)
        };
        RegexBuilder::new(&text)
            .case_insensitive(!self.text.chars().any(char::is_uppercase))
            .multi_line(true)
            .size_limit(1 << 20)
            .build()
            .map_err(|error| {
                let said = error.to_string();
                let last = said.lines().last().unwrap_or_default().trim();
                format!(
                    "not a regular expression: {}",
                    last.trim_start_matches("error: ")
                )
            })
    }
}

/// Where to search.
#[derive(Debug, Clone)]
pub enum Scope {
    /// The texts of all turns.
    Turns,
    /// The prompts for all turns, as they are shown.
    Prompts(Box<Prompts>),
}

/// How prompts are shown.
#[derive(Debug, Clone)]
pub struct Prompts {
    /// What they are made of.
    pub run: Arc<Run>,
    /// Under which case; without one as they were sent.
    pub case: Option<Case>,
    /// Which of them goes with a turn.
    pub side: Side,
    /// Whether what was left out is shown in its place.
    pub ghosts: bool,
}

impl Prompts {
    /// As a lens shows them.
    pub fn of(lens: &Lens) -> Self {
        let (run, case) = lens.made_of(lens.shown);
        Self {
            run: Arc::clone(run),
            case: case.cloned(),
            side: lens.side,
            ghosts: lens.ghosts,
        }
    }

    /// The texts of the messages that go with a row.
    fn texts(&self, row: usize) -> Vec<Arc<str>> {
        let n = self.side.n(&self.run, row);
        let content = Content::of(&self.run, n, self.case.as_ref());
        let ghosts = match &content {
            Content::Rendered(prompt) if self.ghosts => ghosts(prompt, self.run.history(n)),
            _ => Vec::new(),
        };
        let texts = (0..content.messages()).map_while(|at| text_with(&content, at, &ghosts));
        texts.collect()
    }
}

impl PartialEq for Prompts {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.run, &other.run)
            && (&self.case, self.side, self.ghosts) == (&other.case, other.side, other.ghosts)
    }
}

/// A search that goes on or has ended.
#[derive(Debug)]
pub struct Search {
    /// The run that is searched; the rows of places are its turns.
    pub run: Arc<Run>,
    /// What is looked for.
    pub pattern: Regex,
    /// Lines found so far, in order.
    pub found: Vec<Place>,
    /// Whether there are more than are kept.
    pub more: bool,
    /// The place that was gone to last.
    pub at: Option<usize>,
    /// A step that is to be made once there is a place to go to.
    pub waiting: Option<isize>,
    /// Where it goes on from, where it is made again because prompts are shown otherwise.
    after: Option<Place>,
    scope: Scope,
    /// The row that it began at; those before it are searched last.
    from: usize,
    /// How many of the places found are in rows before that one.
    before: usize,
    coming: Work<Vec<Place>>,
}

impl Search {
    /// Begins to search a run from a row on and then up to it, in texts as they are seen.
    pub fn start(
        run: &Arc<Run>,
        pattern: Regex,
        scope: Scope,
        from: usize,
        hiding: Hiding,
    ) -> Self {
        let worker = Worker {
            run: Arc::clone(run),
            pattern: pattern.clone(),
            scope: scope.clone(),
            from,
            hiding,
        };
        Self {
            run: Arc::clone(run),
            pattern,
            found: Vec::new(),
            more: false,
            at: None,
            waiting: None,
            after: None,
            scope,
            from,
            before: 0,
            coming: Work::start(move |teller| worker.search(teller)),
        }
    }

    /// The search made again where it went through prompts that are shown otherwise by now: from the
    /// place on that was gone to last.
    pub fn again(&self, lens: &Lens, row: usize, hiding: Hiding) -> Option<Self> {
        let Scope::Prompts(before) = &self.scope else {
            return None;
        };
        let now = Prompts::of(lens);
        if **before == now || !Arc::ptr_eq(lens.run(), &self.run) {
            return None;
        }
        let scope = Scope::Prompts(Box::new(now));
        let mut again = Self::start(&self.run, self.pattern.clone(), scope, row, hiding);
        again.after = self.at.and_then(|at| self.found.get(at).copied());
        Some(again)
    }

    /// Whether it goes on.
    pub fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes what was found since; whether that is anything, or the end.
    pub fn poll(&mut self) -> bool {
        let mut before = Vec::new();
        let changed = self.coming.poll(|places| {
            let kept = self.found.len() + before.len();
            let room = KEPT.saturating_sub(kept);
            self.more |= places.len() > room;
            let is_before = places.first().is_some_and(|place| place.row < self.from);
            let places = places.into_iter().take(room);
            if is_before {
                before.extend(places);
            } else {
                self.found.extend(places);
            }
        });
        let more = before.len();
        self.found.splice(self.before..self.before, before);
        self.at = self
            .at
            .map(|at| if at >= self.before { at + more } else { at });
        self.before += more;
        changed
    }

    /// The place to go to from a row: the next one, or the one before.
    pub fn step(&mut self, row: usize, by: isize) -> Option<Place> {
        if self.found.is_empty() {
            return None;
        }
        let len = self.found.len().cast_signed();
        let goes_over = |at: usize| {
            let next = at.cast_signed() + by;
            // Beyond an end that is still to come.
            self.is_running() && (next < 0 || (next >= len && self.before == 0))
        };
        if self.at.is_some_and(goes_over) {
            return None;
        }
        let next = match self.at {
            Some(at) => (at.cast_signed() + by).rem_euclid(len),
            None if by > 0 => {
                let after = self.after.filter(|after| after.row == row);
                let is_before = |place: &Place| match after {
                    Some(after) => *place <= after,
                    None => place.row < row,
                };
                let first = self.found.partition_point(is_before);
                if first == self.found.len() && self.is_running() && self.before == 0 {
                    // The turns from here on are still being searched.
                    return None;
                }
                first.cast_signed().rem_euclid(len)
            }
            None => {
                let behind = self.found.partition_point(|place| place.row <= row);
                (behind.cast_signed() - 1).rem_euclid(len)
            }
        };
        self.at = Some(next.cast_unsigned());
        self.found.get(next.cast_unsigned()).copied()
    }

    /// How many there are, for the last row of the screen.
    pub fn status(&self) -> String {
        let more = if self.more || self.is_running() {
            "+"
        } else {
            ""
        };
        match (self.at, self.found.len()) {
            (_, 0) if self.is_running() => "searching …".to_owned(),
            (_, 0) => "no match".to_owned(),
            (Some(at), count) => format!("match {} of {count}{more}", at + 1),
            (None, count) => format!("{count}{more} matches"),
        }
    }
}

struct Worker {
    run: Arc<Run>,
    pattern: Regex,
    scope: Scope,
    from: usize,
    hiding: Hiding,
}

impl Worker {
    fn search(&self, teller: &Teller<Vec<Place>>) {
        let last = self.run.step().turns().len();
        for row in (self.from..=last).chain(0..self.from.min(last + 1)) {
            if !teller.is_wanted() {
                return;
            }
            let found = match &self.scope {
                Scope::Turns => self.turn(row),
                Scope::Prompts(prompts) => self.prompt(row, prompts),
            };
            if !found.is_empty() {
                teller.tell(found);
            }
        }
    }

    fn turn(&self, row: usize) -> Vec<Place> {
        let mut places = Vec::new();
        for (at, tab) in Tab::ALL.into_iter().enumerate() {
            let keep = |block: &Block, line: usize| searched(&self.run, row, tab, block, line);
            let (source, blocks) = searched_source(&self.run, row, tab);
            for number in 0..blocks {
                let block = self.hiding.block(source.block(number));
                let lines = block.matching_lines(&self.pattern);
                let lines = lines.into_iter().filter(|line| keep(&block, *line));
                places.extend(lines.map(|line| Place {
                    row,
                    part: Part::Turn(at),
                    block: number,
                    line,
                }));
            }
        }
        places
    }

    fn prompt(&self, row: usize, prompts: &Prompts) -> Vec<Place> {
        let mut places = Vec::new();
        for (number, text) in prompts.texts(row).into_iter().enumerate() {
            // A message's heading is its first line.
            let block = Block::plain(text, super::theme::Role::Text)
                .headed(vec![(String::from(" "), super::theme::Role::Text)]);
            let block = self.hiding.block(Arc::new(block));
            let lines = block.matching_lines(&self.pattern).into_iter();
            places.extend(lines.map(|line| Place {
                row,
                part: Part::Prompt,
                block: number,
                line,
            }));
        }
        places
    }
}
