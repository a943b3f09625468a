//! Searching a run: every turn's texts, or every prompt, line by line, off the drawing thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;

use regex::{Regex, RegexBuilder};

use super::lens::Shown;
use super::pane::turn::{Tab, searched, searched_source};
use super::redaction::Hiding;
use super::rows::Block;
use crate::compression::{Case, Run};
use crate::namespace::content::turn_number;

/// Places that are kept; beyond, the count says that there are more.
const KEPT: usize = 100_000;

/// What can be typed.
const INPUT_LIMIT: usize = 200;

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
    pub text: String,
    /// Whether it is a regular expression.
    pub is_regex: bool,
}

impl Input {
    /// Types a character.
    pub fn push(&mut self, c: char) {
        if self.text.len() < INPUT_LIMIT {
            self.text.push(c);
        }
    }

    /// What to look for: case matters where a capital is typed.
    ///
    /// # Errors
    /// What is wrong with the regular expression, in a line.
    pub fn pattern(&self) -> Result<Regex, String> {
        let text = if self.is_regex {
            self.text.clone()
        } else {
            regex::escape(&self.text)
        };
        RegexBuilder::new(&text)
            .case_insensitive(!self.text.chars().any(char::is_uppercase))
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
    Prompts(Shown, Option<Case>),
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
    coming: Option<Receiver<Vec<Place>>>,
    cancelled: Arc<AtomicBool>,
}

impl Drop for Search {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl Search {
    /// Begins to search a run, in texts as they are seen.
    pub fn start(run: &Arc<Run>, pattern: Regex, scope: Scope, hiding: Hiding) -> Self {
        let (send, coming) = channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let worker = Worker {
            run: Arc::clone(run),
            pattern: pattern.clone(),
            scope,
            hiding,
            cancelled: Arc::clone(&cancelled),
        };
        thread::spawn(move || worker.search(&send));
        Self {
            run: Arc::clone(run),
            pattern,
            found: Vec::new(),
            more: false,
            at: None,
            waiting: None,
            coming: Some(coming),
            cancelled,
        }
    }

    /// Whether it goes on.
    pub fn is_running(&self) -> bool {
        self.coming.is_some()
    }

    /// Takes what was found since; whether that is anything, or the end.
    pub fn poll(&mut self) -> bool {
        let Some(coming) = &self.coming else {
            return false;
        };
        let mut changed = false;
        loop {
            match coming.try_recv() {
                Ok(places) => {
                    let room = KEPT.saturating_sub(self.found.len());
                    self.more |= places.len() > room;
                    self.found.extend(places.into_iter().take(room));
                    changed = true;
                }
                Err(TryRecvError::Empty) => return changed,
                // The worker has ended, by a panic of its own too: what was found stays.
                Err(TryRecvError::Disconnected) => {
                    self.coming = None;
                    return true;
                }
            }
        }
    }

    /// The place to go to from a row: the next one, or the one before.
    pub fn step(&mut self, row: usize, by: isize) -> Option<Place> {
        if self.found.is_empty() {
            return None;
        }
        let len = self.found.len().cast_signed();
        let next = match self.at {
            Some(at) => (at.cast_signed() + by).rem_euclid(len),
            None if by > 0 => {
                let first = self.found.partition_point(|place| place.row < row);
                if first == self.found.len() && self.is_running() {
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
    hiding: Hiding,
    cancelled: Arc<AtomicBool>,
}

impl Worker {
    fn search(&self, send: &Sender<Vec<Place>>) {
        for row in 0..=self.run.step().turns().len() {
            if self.cancelled.load(Ordering::Relaxed) {
                return;
            }
            let found = match &self.scope {
                Scope::Turns => self.turn(row),
                Scope::Prompts(shown, case) => self.prompt(row, *shown, case.as_ref()),
            };
            if !found.is_empty() && send.send(found).is_err() {
                return;
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

    fn prompt(&self, row: usize, shown: Shown, case: Option<&Case>) -> Vec<Place> {
        let n = turn_number(row);
        let texts: Vec<Arc<str>> = match (shown, case) {
            (Shown::Strategy(_), Some(case)) => match self.run.prompt(n, case) {
                Ok(prompt) => prompt
                    .iter()
                    .map(|message| Arc::clone(&message.content))
                    .collect(),
                Err(_) => Vec::new(),
            },
            _ => self
                .run
                .as_sent(n)
                .map(|sent| sent.messages)
                .unwrap_or_default()
                .into_iter()
                .map(|message| message.content)
                .collect(),
        };
        let mut places = Vec::new();
        for (number, text) in texts.into_iter().enumerate() {
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
