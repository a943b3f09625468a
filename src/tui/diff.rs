//! How the shown prompt differs from another one: from an earlier turn's, another strategy's, what was
//! really sent, the marked place's, the other run's. Compared off the drawing thread, one pair at a time.

use std::sync::Arc;

use super::app::{App, Effect, Overlay};
use super::content::Content;
use super::document::{Document, Spot};
use super::lens::{Lens, Shown};
use super::pane::diff::{DiffText, Differences};
use super::redaction::Hiding;
use super::rows::Block;
use super::text_view::{Anchor, TextView};
use super::theme::Role;
use super::work::{BrokeOff, Work};
use crate::analysis::diff::unified;
use crate::compression::{Case, Run};
use crate::export;
use crate::text;

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

/// One side of a comparison.
#[derive(Debug, Clone)]
struct Side {
    run: Arc<Run>,
    /// The prompt's number; 0 where there is none.
    n: u32,
    shown: Shown,
    case: Option<Case>,
}

impl PartialEq for Side {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.run, &other.run)
            && (self.n, self.shown, &self.case) == (other.n, other.shown, &other.case)
    }
}

impl Side {
    fn of(document: &Document, lens: &Lens, row: usize, shown: Shown) -> Self {
        let n = document.row_at(row, lens).map_or(0, |turn| lens.n(turn));
        let (run, case) = lens.made_of(shown);
        Self {
            run: Arc::clone(run),
            n,
            shown,
            case: case.cloned(),
        }
    }

    /// The prompt as text. Secrets are hidden in all of it, since some have several lines.
    ///
    /// # Errors
    /// Why there is none.
    fn text(&self, hiding: &Hiding) -> Result<Arc<str>, String> {
        let content = Content::of(&self.run, self.n, self.case.as_ref());
        if let Content::Missing(why) = content {
            // A prompt that stands alone says which key shows another; here that key is the other side's.
            let is_sent = self.case.is_none() && self.n > 0;
            let sent = is_sent.then(|| self.run.as_sent(self.n).err());
            return Err(sent.flatten().unwrap_or(why));
        }
        let messages = (0..content.messages()).filter_map(|at| content.message(at));
        let messages: Vec<_> = messages.collect();
        Ok(hiding.text(&export::text::messages(&messages)).into())
    }
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
    /// The change that was gone to last, and what was at the top then.
    jumped: Option<(usize, Anchor)>,
    /// The row in view in which that change begins.
    pub row: Option<usize>,
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
        }
    }

    /// Whether it is still compared.
    pub fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes what was found; whether that has just come.
    pub fn poll(&mut self) -> bool {
        let Some(made) = self.coming.take() else {
            return false;
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
        if self.is_running() {
            format!("{title} · comparing …")
        } else {
            title
        }
    }

    /// Lines more and lines less, and how far the view is.
    pub fn figures(&self) -> String {
        let Some(text) = &self.text else {
            return String::new();
        };
        let [more, less] = text.differences().figures;
        let far = self.view.position();
        let far = far.map_or_else(String::new, |percent| format!(" · {percent}%"));
        format!("+{more} -{less} lines{far}")
    }

    /// The change that was gone to, else the first one in view, else the last one before; from 0.
    fn change(&self) -> usize {
        let top = self.view.top();
        match (self.jumped, &self.text) {
            (Some((change, at)), _) if at == top => change,
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

    /// Lays out what is in view.
    pub fn prepare(&mut self, columns: usize, height: usize) {
        self.view.prepare(columns, height);
        let change = self.change();
        let jumped = self.jumped.filter(|(_, at)| *at == self.view.top());
        let line = self.text.as_ref().filter(|_| jumped.is_some());
        let line = line.and_then(|text| text.changes().nth(change));
        self.row = line.and_then(|line| {
            let mut rows = 0..height;
            rows.find(|row| {
                let at = self.view.line_at(*row);
                at.is_some_and(|(block, ..)| block == line.start)
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
    diff.view.marked.clone_from(&document.lens().view.marked);
    // What it was compared with may be gone, or shown itself by now.
    if !entries(document, diff.against).contains(&diff.against) {
        diff.against = Against::Earlier(1);
    }
    let wanted = (sides(document, diff.against), app.redaction.hiding());
    if !diff.is_running() && diff.sides.as_ref() != Some(&wanted) {
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

/// What the shown prompt can be compared with, in the order in which `s` goes through it.
fn entries(document: &Document, now: Against) -> Vec<Against> {
    let lens = document.lens();
    let other = document.beside.is_some() || document.compares();
    let earlier = match now {
        Against::Earlier(turns) => turns,
        _ => 1,
    };
    let shown = lens.entries().into_iter();
    let shown = shown.filter(|shown| *shown != lens.shown);
    let other = other.then_some(Against::Other).into_iter();
    other
        .chain([Against::Earlier(earlier)])
        .chain(document.mark.map(|_| Against::Mark))
        .chain(shown.map(Against::Shown))
        .collect()
}

fn sides(document: &Document, against: Against) -> [Side; 2] {
    let lens = document.lens();
    let row = document.row();
    let shown = Side::of(document, lens, row, lens.shown);
    let before = match against {
        Against::Earlier(turns) => Side {
            n: shown.n.saturating_sub(turns),
            ..shown.clone()
        },
        Against::Mark => {
            let (row, entry) = document.mark.map_or((row, lens.shown), Spot::prompt);
            Side::of(document, lens, row, entry)
        }
        Against::Shown(entry) => Side::of(document, lens, row, entry),
        Against::Other => {
            let mut lenses = document.lenses().iter();
            let standing = lenses.find(|other| !std::ptr::eq(*other, lens));
            let beside = document.beside.as_ref();
            let other = match (standing, beside) {
                (Some(other), _) => Side::of(document, other, row, other.shown),
                (None, Some(beside)) => {
                    let other = lens.on(Arc::clone(&beside.run));
                    Side::of(document, &other, row, other.shown)
                }
                (None, None) => shown.clone(),
            };
            // Of two, the one on the left was before, whichever is looked at.
            let left = document.lens_at(super::app::Pane::Turn);
            if left == Some(document.focused) {
                return [shown, other];
            }
            other
        }
    };
    [before, shown]
}

/// What is compared with what: what differs of run, prompt and strategy, then what is the same.
fn title(document: &Document, sides: &[Side; 2]) -> String {
    let run = |side: &Side| {
        let beside = document.beside.as_ref()?;
        let is_own = Arc::ptr_eq(side.run.step(), document.run.step());
        Some(text::headline(&beside.titles[usize::from(!is_own)], 24))
    };
    let n = |side: &Side| {
        Some(match side.n {
            0 => "no prompt".to_owned(),
            n => format!("prompt {n}"),
        })
    };
    let shown = |side: &Side| {
        Some(match side.shown {
            Shown::Recorded if side.run.is_rebuilt() => "rebuilt".to_owned(),
            entry => Lens::title(entry).to_owned(),
        })
    };
    let facts = sides
        .each_ref()
        .map(|side| [run(side), n(side), shown(side)]);
    let [before, after] = facts;
    let (mut left, mut right, mut same) = (Vec::new(), Vec::new(), Vec::new());
    for (before, after) in before.into_iter().zip(after) {
        if before == after {
            same.extend(before);
        } else {
            left.extend(before);
            right.extend(after);
        }
    }
    if left.is_empty() && right.is_empty() && sides[0].case != sides[1].case {
        // The same strategy twice, under other limits.
        (left, right) = (vec!["left".to_owned()], vec!["right".to_owned()]);
    }
    let differs = format!("{} → {}", left.join(" "), right.join(" "));
    let differs = (!left.is_empty()).then_some(differs);
    let words: Vec<String> = differs.into_iter().chain(same).collect();
    words.join(", ")
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
    let has_jumped = diff.jumped.is_some_and(|(_, at)| at == top);
    let last = text.differences().changes().saturating_sub(1);
    // The first one in view is the next one where none was gone to yet.
    let by = by.saturating_mul(count.unwrap_or(1).cast_signed());
    let by = by - isize::from(!has_jumped && by > 0);
    let change = diff.change().saturating_add_signed(by).min(last);
    let Some(lines) = text.changes().nth(change) else {
        return;
    };
    diff.view.go_to(lines.start, 0);
    diff.jumped = Some((change, diff.view.top()));
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
