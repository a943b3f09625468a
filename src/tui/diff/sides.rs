//! What is compared with what: the two prompts of a diff, and the words for them.

use std::sync::Arc;

use super::Against;
use crate::compression::{Case, Run};
use crate::export;
use crate::text;
use crate::tui::app::Pane;
use crate::tui::content::Content;
use crate::tui::document::{Document, Spot};
use crate::tui::lens::{Lens, Shown};
use crate::tui::redaction::Hiding;

/// One side of a comparison.
#[derive(Debug, Clone)]
pub(super) struct Side {
    run: Arc<Run>,
    /// The prompt's number; 0 where there is none.
    pub(super) n: u32,
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
    pub(super) fn text(&self, hiding: &Hiding) -> Result<Arc<str>, String> {
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

/// What the shown prompt can be compared with, in the order in which `s` goes through it.
pub(super) fn entries(document: &Document, now: Against) -> Vec<Against> {
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

/// The two prompts.
pub(super) fn sides(document: &Document, against: Against) -> [Side; 2] {
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
            let left = document.lens_at(Pane::Turn);
            if left == Some(document.focused) {
                return [shown, other];
            }
            other
        }
    };
    [before, shown]
}

/// What is compared with what: what differs of run, prompt and strategy, then what is the same.
pub(super) fn title(document: &Document, sides: &[Side; 2]) -> String {
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
