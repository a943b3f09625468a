//! What the selected turn needed, and how much of it the prompt shows; found off the drawing thread.

use std::sync::Arc;

use super::app::{App, Overlay};
use super::origin;
use super::rows::Row;
use super::theme::Role;
use super::work::Work;
use crate::analysis::{Analysis, Level, LossKind, NeedShown, Profile, View};
use crate::compression::Run;
use crate::text;
use crate::tokens::Tokenizer;

/// What was found of a turn.
#[derive(Debug)]
pub struct Found {
    /// The prompt that says what the model could see.
    reference: &'static str,
    /// What was needed; none where the prompt isn't recorded.
    needs: Option<Vec<NeedShown>>,
}

/// The list while it is open.
#[derive(Debug)]
pub struct Needs {
    /// The turn.
    n: u32,
    /// What is shown of its prompt.
    shown: &'static str,
    selected: usize,
    found: Option<Found>,
    coming: Work<Found>,
}

impl Needs {
    fn start(run: &Arc<Run>, n: u32, view: View, shown: &'static str) -> Self {
        let run = Arc::clone(run);
        let coming = Work::one(move || {
            // Needs don't depend on how tokens are counted; the estimate needs no dictionary.
            let analysis = Analysis::new(run, Tokenizer::Estimate, Profile::default());
            let needs = analysis.needs_shown(n, &view).ok().flatten();
            let reference = analysis.needs(n).reference.name();
            Found { reference, needs }
        });
        Self {
            n,
            shown,
            selected: 0,
            found: None,
            coming,
        }
    }

    /// Whether they are still looked for.
    pub fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes what was found; whether that has just come.
    pub fn poll(&mut self) -> bool {
        let Some(found) = self.coming.take() else {
            return false;
        };
        self.found = found.ok();
        true
    }

    fn needs(&self) -> &[NeedShown] {
        let needs = self.found.as_ref().and_then(|found| found.needs.as_deref());
        needs.unwrap_or_default()
    }

    /// The title of the list.
    pub fn title(&self) -> String {
        let (n, shown) = (self.n, &self.shown);
        match self.found.as_ref().map(|found| &found.reference) {
            Some(reference) if reference == shown => {
                format!("What turn {n} needed of the {shown} prompt")
            }
            Some(reference) => {
                format!("What turn {n} needed of {shown}, by the {reference} prompt")
            }
            None => format!("What turn {n} needed of {shown}"),
        }
    }

    /// The entries, and the place of the selected one.
    pub fn rows(&self) -> (Vec<Row>, usize) {
        let why = match &self.found {
            None if self.is_running() => "looking …",
            None | Some(Found { needs: None, .. }) => "this prompt is not recorded",
            Some(_) => "it needed nothing that earlier turns had made or seen",
        };
        if self.needs().is_empty() {
            return (vec![Row::of(why, Role::Dim)], 0);
        }
        let rows = self.needs().iter().enumerate();
        let rows = rows.map(|(at, need)| row(need, at == self.selected));
        (rows.collect(), self.selected)
    }

    /// The selected entry in a line.
    pub(super) fn selected_words(&self) -> String {
        let need = self.needs().get(self.selected);
        let spans = need.map_or_else(Vec::new, |need| row(need, false).spans);
        let words: String = spans.into_iter().map(|(text, _)| text).collect();
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Selects another entry.
    pub fn move_by(&mut self, by: isize) {
        let last = self.needs().len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }
}

/// Columns of an item.
const ITEM: usize = 20;

fn row(shown: &NeedShown, is_selected: bool) -> Row {
    let need = &shown.need;
    let (sign, role, how) = match (shown.lost, shown.level) {
        (Some(LossKind::Value), _) => ("≈", Role::Notice, "by name only"),
        (Some(_), _) => ("✗", Role::Bad, "not at all"),
        (None, Level::Name) => ("✓", Role::Good, "by name"),
        (None, _) if need.kind == crate::analysis::NeedKind::Name => ("✓", Role::Good, "by value"),
        (None, _) => ("✓", Role::Good, "there"),
    };
    let reason = shown
        .reason
        .map_or_else(String::new, |reason| format!(": {}", reason.text()));
    let mark = if is_selected { "▸ " } else { "  " };
    let plain = if is_selected {
        Role::Selected
    } else {
        Role::Text
    };
    let item = text::headline(&need.item, ITEM);
    let pad = " ".repeat(ITEM.saturating_sub(text::width(&item)));
    Row {
        spans: vec![
            (mark.to_owned(), plain),
            (format!("{sign} "), role),
            (format!("{:<8}", need.kind.name()), Role::Dim),
            (format!("{item}{pad}"), plain),
            (
                format!(" turn {}, {} back  ", need.source, need.reach),
                Role::Dim,
            ),
            (format!("{how}{reason}"), role),
        ],
    }
}

/// Opens the list of what the selected turn needed.
pub(super) fn open(app: &mut App) {
    let document = app.document();
    let lens = document.lens();
    let turns = lens.run().step().turns().len();
    let Some(row) = document.row_of(lens).filter(|row| *row < turns) else {
        app.message = Some("there is no turn here that needed anything".to_owned());
        return;
    };
    let n = crate::namespace::content::turn_number(row);
    let view = lens.case_of(lens.shown).cloned();
    let view = view.map_or(View::Recorded, View::Case);
    let needs = Needs::start(lens.run(), n, view, lens.title_here(lens.shown));
    app.overlay = Some(Overlay::Needs(Box::new(needs)));
}

/// Selects another entry.
pub(super) fn move_by(app: &mut App, by: isize) {
    if let Some(Overlay::Needs(needs)) = &mut app.overlay {
        needs.move_by(by);
    }
}

fn chosen(app: &mut App) -> Option<(u32, NeedShown)> {
    let Some(Overlay::Needs(needs)) = &app.overlay else {
        return None;
    };
    let found = needs.needs().get(needs.selected).cloned();
    let found = found.map(|need| (needs.n, need))?;
    app.overlay = None;
    Some(found)
}

/// Goes to where the selected need was: its source turn and the item in it.
pub(super) fn go_to_source(app: &mut App) {
    if let Some((_, shown)) = chosen(app) {
        app.remember();
        origin::go_to_turn(app, shown.need.source, &shown.sources, &shown.need.item);
    }
}

/// Goes to where the selected need stands in the prompt, or to where it is missing there.
pub(super) fn go_to_prompt(app: &mut App) {
    if let Some((n, shown)) = chosen(app) {
        app.remember();
        origin::go_to_prompt(app, n, &shown.sources, &shown.need.item, shown.reason);
    }
}
