//! How the shown prompt differs from another one: from an earlier turn's, another strategy's, what was
//! really sent, the marked place's, the other run's. Compared off the drawing thread, one pair at a time.

use std::sync::Arc;

use super::app::{App, Effect, Overlay};
use super::lens::Shown;
use super::pane::diff::{DiffText, Differences};
use super::redaction::Hiding;
use super::rows::Block;
use super::search::Input;
use super::text_view::{Anchor, TextView};
use super::theme::Role;
use super::work::{BrokeOff, Work};
use crate::analysis::diff::unified;
use searching::Searching;
use sides::{Side, entries, sides, title};

pub(super) mod clicking;
pub(super) mod searching;
mod sides;

/// What the shown prompt is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The prompt so many turns before.
    Earlier(u32),
    /// The prompt that stands beside it: the other run's, or the second one that is compared.
    Other,
    /// The prompt of the marked place.
    Mark,
    /// The same turn's as recorded, or under a strategy.
    Shown(Shown),
}

/// What comes of a comparison, or why there is none.
type Made = Result<Differences, String>;

/// The differences while they are shown.
#[derive(Debug)]
pub struct DiffView {
    /// What the shown prompt is compared with.
    against: Against,
    /// The text.
    pub view: TextView,
    text: Option<DiffText>,
    /// What is compared with what, in words.
    title: String,
    /// What is compared, or was last.
    sides: Option<([Side; 2], Hiding)>,
    coming: Work<Made>,
    /// What is being compared with what, in words.
    next_title: String,
    /// What was gone to last.
    jumped: Option<Jump>,
    /// The row in view in which that begins.
    pub row: Option<usize>,
    /// What is typed to search for, while somebody types.
    typed: Option<Input>,
    searching: Searching,
}

/// A change or a line that was gone to.
#[derive(Debug, Clone, Copy)]
struct Jump {
    change: Option<usize>,
    line: usize,
    /// What was at the top then.
    top: Anchor,
}

impl DiffView {
    fn new(against: Against) -> Self {
        Self {
            against,
            view: TextView::default(),
            text: None,
            title: String::new(),
            sides: None,
            coming: Work::default(),
            next_title: String::new(),
            jumped: None,
            row: None,
            typed: None,
            searching: Searching::default(),
        }
    }

    /// Whether it is still compared, or searched.
    pub fn is_running(&self) -> bool {
        self.coming.is_running() || self.searching.is_running()
    }

    /// Takes what was found; whether that has just come.
    pub fn poll(&mut self) -> bool {
        let Some(made) = self.coming.take() else {
            return self.poll_search();
        };
        let made = made.unwrap_or_else(|BrokeOff| Err("they could not be compared".to_owned()));
        self.title = std::mem::take(&mut self.next_title);
        self.jumped = None;
        self.text = None;
        match made {
            Ok(made) if made.changes() == 0 => self.note("no line differs"),
            Ok(made) => {
                let text = DiffText::new(Arc::new(made));
                self.view.show(Arc::new(text.clone()));
                self.text = Some(text);
            }
            Err(why) => self.note(&why),
        }
        // The same is searched for in what is shown now.
        self.search_for(self.searching.pattern().cloned());
        true
    }

    fn note(&mut self, note: &str) {
        let block = Arc::new(Block::plain(note, Role::Dim));
        self.view.show(Arc::new(vec![block]));
    }

    /// Which change is in view of how many, and what is compared with what.
    pub fn title(&self) -> String {
        let title = match &self.text {
            Some(text) => {
                let (at, count) = (self.change(), text.differences().changes());
                format!("Change {} of {count} · {}", at + 1, self.title)
            }
            None => format!("Diff · {}", self.title),
        };
        if self.coming.is_running() {
            format!("{title} · comparing …")
        } else {
            title
        }
    }

    /// What a search found, lines more and lines less, and how far the view is.
    pub fn figures(&self) -> String {
        let figures = self.text.as_ref().map(|text| {
            let [more, less] = text.differences().figures;
            format!("+{more} -{less} lines")
        });
        let far = self.view.position().filter(|_| figures.is_some());
        let far = far.map(|percent| format!("{percent}%"));
        let figures = [self.matches(), figures, far].into_iter().flatten();
        figures.collect::<Vec<_>>().join(" · ")
    }

    /// The change that was gone to, else the first one in view, else the last one before; from 0.
    fn change(&self) -> usize {
        let top = self.view.top();
        let jumped = self.jumped.filter(|jump| jump.top == top);
        match (jumped.and_then(|jump| jump.change), &self.text) {
            (Some(change), _) => change,
            (_, Some(text)) => {
                let above = text.changes().filter(|lines| lines.end <= top.block);
                let last = text.differences().changes().saturating_sub(1);
                above.count().min(last)
            }
            _ => 0,
        }
    }

    /// Shows the text with other stretches open, a line of it on top.
    fn show_again(&mut self, text: DiffText, top: usize) {
        self.view.show_again(Arc::new(text.clone()));
        self.text = Some(text);
        self.view.set_top(Anchor {
            block: top,
            ..Anchor::default()
        });
        self.jumped = None;
    }

    /// Goes to a line, with which a change begins where one is told.
    fn jump(&mut self, line: (usize, usize), change: Option<usize>) {
        self.view.go_to(line.0, line.1);
        self.jumped = Some(Jump {
            change,
            line: line.0,
            top: self.view.top(),
        });
    }

    /// Lays out what is in view.
    pub fn prepare(&mut self, columns: usize, height: usize) {
        self.view.prepare(columns, height);
        let jumped = self.jumped.filter(|jump| jump.top == self.view.top());
        self.row = jumped.and_then(|jump| {
            let mut rows = 0..height;
            rows.find(|row| {
                let at = self.view.line_at(*row);
                at.is_some_and(|(block, ..)| block == jump.line)
            })
        });
    }
}

/// Begins to compare what is shown now, where that isn't what was compared; once the comparison before
/// has ended, so that there is never more than one.
pub(super) fn prepare(app: &mut App) {
    let is_diff = |overlay: &mut Overlay| matches!(overlay, Overlay::Diff(_));
    let Some(Overlay::Diff(mut diff)) = app.overlay.take_if(is_diff) else {
        return;
    };
    let document = app.document();
    let searched = diff.searching.pattern().cloned();
    diff.view.marked = searched.or_else(|| document.lens().view.marked.clone());
    // What it was compared with may be gone, or shown itself by now.
    if !entries(document, diff.against).contains(&diff.against) {
        diff.against = Against::Earlier(1);
    }
    let wanted = (sides(document, diff.against), app.redaction.hiding());
    if !diff.coming.is_running() && diff.sides.as_ref() != Some(&wanted) {
        let title = title(document, &wanted.0);
        if diff.title.is_empty() {
            diff.title.clone_from(&title);
        }
        diff.sides = Some(wanted.clone());
        diff.next_title = title;
        let is_first = matches!(diff.against, Against::Earlier(_)) && wanted.0[0].n == 0;
        diff.coming = Work::one(move || {
            let (sides, hiding) = wanted;
            match sides.each_ref().map(|side| side.text(&hiding)) {
                [_, Ok(_)] if is_first => Err("There is no prompt before this one.".to_owned()),
                [Ok(before), Ok(after)] => Ok(Differences::new(before, after)),
                [Err(why), _] | [_, Err(why)] => Err(why),
            }
        });
    }
    app.overlay = Some(Overlay::Diff(diff));
}

fn shown(app: &mut App) -> Option<&mut DiffView> {
    match &mut app.overlay {
        Some(Overlay::Diff(diff)) => Some(diff),
        _ => None,
    }
}

/// Shows how the prompt differs from the one that stands beside it, else from the one so many turns
/// before.
pub(super) fn open(app: &mut App, count: Option<usize>) {
    let document = app.document();
    let against = match count {
        None if document.compares() => Against::Other,
        _ => Against::Earlier(u32::try_from(count.unwrap_or(1)).unwrap_or(u32::MAX)),
    };
    let mut diff = DiffView::new(against);
    diff.view.wrapped = document.lens().view.wrapped;
    app.overlay = Some(Overlay::Diff(Box::new(diff)));
}

/// Compares with the next entry.
pub(super) fn cycle(app: &mut App, by: isize, count: Option<usize>) {
    let Some(against) = shown(app).map(|diff| diff.against) else {
        return;
    };
    let entries = entries(app.document(), against);
    let at = entries.iter().position(|entry| *entry == against);
    let by = by.saturating_mul(count.unwrap_or(1).cast_signed());
    let at = at.unwrap_or(0).cast_signed().saturating_add(by);
    let at = at.rem_euclid(entries.len().max(1).cast_signed());
    compare_with(app, entries.get(at.cast_unsigned()).copied());
}

/// Compares with the prompt so many turns before.
pub(super) fn earlier(app: &mut App, count: Option<usize>) {
    let turns = u32::try_from(count.unwrap_or(1)).unwrap_or(u32::MAX);
    compare_with(app, Some(Against::Earlier(turns)));
}

/// Compares with what was really sent.
pub(super) fn recorded(app: &mut App) {
    let lens = app.document().lens();
    let is_there = lens.has_recorded() && lens.shown != Shown::Recorded;
    compare_with(app, is_there.then_some(Against::Shown(Shown::Recorded)));
}

/// Compares with the prompt of the marked place.
pub(super) fn marked(app: &mut App) {
    let mark = app.document().mark.map(|_| Against::Mark);
    compare_with(app, mark);
}

fn compare_with(app: &mut App, against: Option<Against>) {
    match (against, shown(app)) {
        (Some(against), Some(diff)) => diff.against = against,
        (None, Some(_)) => app.message = Some("no such prompt to compare with".to_owned()),
        (_, None) => {}
    }
}

/// Goes to the next change, or one before.
pub(super) fn move_change(app: &mut App, by: isize, count: Option<usize>) {
    let Some(diff) = shown(app) else { return };
    let Some(text) = &diff.text else { return };
    let top = diff.view.top();
    let is_change = |jump: Jump| jump.top == top && jump.change.is_some();
    let has_jumped = diff.jumped.is_some_and(is_change);
    let last = text.differences().changes().saturating_sub(1);
    // The first one in view is the next one where none was gone to yet.
    let by = by.saturating_mul(count.unwrap_or(1).cast_signed());
    let by = by - isize::from(!has_jumped && by > 0);
    let change = diff.change().saturating_add_signed(by).min(last);
    let Some(lines) = text.changes().nth(change) else {
        return;
    };
    diff.jump((lines.start, 0), Some(change));
}

/// Unfolds the first unchanged stretch in view, or the one of a number, or folds it again.
pub(super) fn toggle_fold(app: &mut App, count: Option<usize>) {
    let Some(diff) = shown(app) else { return };
    let Some(mut text) = diff.text.clone() else {
        return;
    };
    match text.toggle(diff.view.top_block(), count.unwrap_or(1)) {
        Some(top) => diff.show_again(text, top),
        None => app.message = Some("nothing folds from here on".to_owned()),
    }
}

/// Unfolds all unchanged stretches, or folds them.
pub(super) fn toggle_folds(app: &mut App) {
    let Some(diff) = shown(app) else { return };
    if let Some(mut text) = diff.text.clone() {
        let top = text.toggle_all(diff.view.top_block());
        diff.show_again(text, top);
    }
}

/// Whether long lines are wrapped in it.
pub(super) fn is_wrapped(app: &App) -> bool {
    matches!(&app.overlay, Some(Overlay::Diff(diff)) if diff.view.wrapped)
}

/// Wraps long lines, or no longer.
pub(super) fn toggle_wrap(app: &mut App) {
    if let Some(diff) = shown(app) {
        diff.view.toggle_wrap();
    }
}

/// Scrolls to the side.
pub(super) fn sideways(app: &mut App, columns: isize, count: Option<usize>) {
    if let Some(diff) = shown(app) {
        let times = count.unwrap_or(1).cast_signed();
        diff.view.scroll_sideways(columns.saturating_mul(times));
    }
}

/// Copies the whole of it as a unified diff.
pub(super) fn copy(app: &mut App) -> Option<Effect> {
    let text = shown(app).and_then(|diff| diff.text.as_ref());
    let copied = text.map(|text| {
        let [before, after] = text.differences().texts();
        super::actions::copy("the diff", &unified(before, after))
    });
    if copied.is_none() {
        app.message = Some("there is no difference to copy".to_owned());
    }
    copied
}
