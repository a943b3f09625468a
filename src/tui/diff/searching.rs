//! Searching the differences of two prompts: all of their lines, those of folded stretches too, off the
//! drawing thread.

use std::sync::Arc;

use regex::Regex;

use super::{App, DiffView, shown};
use crate::tui::command::Context;
use crate::tui::pane::diff::Place;
use crate::tui::search::Input;
use crate::tui::work::Work;

/// What is searched for in the differences, and what was found.
#[derive(Debug, Default)]
pub(super) struct Searching {
    pattern: Option<Regex>,
    /// Lines found so far, in order.
    found: Vec<Place>,
    /// The one that was gone to last.
    at: Option<usize>,
    /// A step that is to be made once there is a line to go to.
    waiting: Option<isize>,
    coming: Work<Vec<Place>>,
}

impl Searching {
    /// What is searched for.
    pub(super) fn pattern(&self) -> Option<&Regex> {
        self.pattern.as_ref()
    }

    pub(super) fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// The number of the next line to go to, or of the one before; `behind` counts those before the
    /// first row in view. None where it isn't known yet.
    fn next(&self, by: isize, behind: usize) -> Option<usize> {
        let len = self.found.len().cast_signed();
        let at = match self.at {
            Some(at) => at.cast_signed().saturating_add(by),
            None if by > 0 => behind.cast_signed() + by - 1,
            None => behind.cast_signed() + by,
        };
        let is_known = len > 0 && (!self.is_running() || (0..len).contains(&at));
        is_known.then(|| at.rem_euclid(len).cast_unsigned())
    }
}

impl DiffView {
    /// What is typed to search for, while somebody types.
    pub fn input(&self) -> Option<&Input> {
        self.typed.as_ref()
    }

    /// What is typed to search for, while somebody types.
    pub fn input_mut(&mut self) -> Option<&mut Input> {
        self.typed.as_mut()
    }

    /// Where keys go: into what is typed, else to the differences.
    pub fn context(&self) -> Context {
        match self.input() {
            Some(_) => Context::Search,
            None => Context::Diff,
        }
    }

    /// Which line that matches was gone to, of how many.
    pub(super) fn matches(&self) -> Option<String> {
        let search = &self.searching;
        search.pattern()?;
        let more = if search.is_running() { "+" } else { "" };
        Some(match (search.at, search.found.len()) {
            (_, 0) if search.is_running() => "searching …".to_owned(),
            (_, 0) => "no match".to_owned(),
            (Some(at), count) => format!("match {} of {count}{more}", at + 1),
            (None, 1) => format!("1{more} match"),
            (None, count) => format!("{count}{more} matches"),
        })
    }

    /// Searches the differences that are shown now for a pattern, or for none any longer.
    pub(super) fn search_for(&mut self, pattern: Option<Regex>) {
        let Some((pattern, text)) = pattern.clone().zip(self.text.as_ref()) else {
            self.searching = Searching {
                pattern,
                ..Searching::default()
            };
            return;
        };
        let differences = Arc::clone(text.differences());
        let wanted = pattern.clone();
        self.searching = Searching {
            pattern: Some(pattern),
            coming: Work::start(move |teller| {
                differences.find(&wanted, |places| teller.tell(places));
            }),
            ..Searching::default()
        };
    }

    /// Takes what was found since; whether that is anything, or the end.
    pub(super) fn poll_search(&mut self) -> bool {
        let search = &mut self.searching;
        let changed = search.coming.poll(|places| search.found.extend(places));
        if let Some(by) = search.waiting.take_if(|_| changed) {
            self.step(by);
        }
        changed
    }

    /// Goes to a line that matches, so many places on; waits for it where the search goes on.
    fn step(&mut self, by: isize) {
        let Some(text) = &self.text else { return };
        let top = text.place_of(self.view.top_block());
        let found = &self.searching.found;
        let behind = found.partition_point(|place| *place < top);
        let Some(at) = self.searching.next(by, behind) else {
            self.searching.waiting = self.searching.is_running().then_some(by);
            return;
        };
        let place = found[at];
        self.searching.at = Some(at);
        self.view.marked.clone_from(&self.searching.pattern);
        let mut open = text.clone();
        if open.open(place) {
            self.show_again(open, self.view.top_block());
        }
        let Some(text) = &self.text else { return };
        let line = text.line_of(place);
        // A very long line is shown in pieces.
        let pattern = self.searching.pattern();
        let pieces = pattern.map(|pattern| self.view.made(line).matching_lines(pattern));
        let piece = pieces.and_then(|pieces| pieces.first().copied());
        self.jump((line, piece.unwrap_or(0)), None);
    }
}

/// Begins to type what to search for.
pub(in crate::tui) fn open(app: &mut App) {
    if let Some(diff) = shown(app) {
        diff.typed = Some(Input::default());
    }
}

/// Searches for what is typed, and goes to the first match from the top of the view on; for nothing, ends
/// the search. Whether anything was typed into a diff.
pub(in crate::tui) fn start(app: &mut App) -> bool {
    let Some((diff, pattern)) = shown(app).and_then(|diff| {
        let pattern = diff.input()?.pattern();
        Some((diff, pattern))
    }) else {
        return false;
    };
    match pattern {
        Ok(pattern) => {
            let is_empty = diff.input().is_some_and(|input| input.text.is_empty());
            diff.typed = None;
            diff.search_for((!is_empty).then_some(pattern));
            diff.searching.waiting = Some(1);
        }
        Err(what) => app.message = Some(what),
    }
    true
}

/// Goes to the next match, or to one before; where nothing is searched for, to a change.
pub(in crate::tui) fn next(app: &mut App, by: isize, count: Option<usize>) {
    match shown(app) {
        Some(diff) if diff.searching.pattern.is_some() => {
            diff.step(by.saturating_mul(count.unwrap_or(1).cast_signed()));
        }
        _ => super::move_change(app, by, count),
    }
}

/// Leaves what is typed, or ends the search. Whether there was one.
pub(in crate::tui) fn leave(app: &mut App) -> bool {
    let Some(diff) = shown(app) else { return false };
    if diff.typed.take().is_some() {
        return true;
    }
    let has_searched = diff.searching.pattern.is_some();
    if has_searched {
        diff.search_for(None);
    }
    has_searched
}
