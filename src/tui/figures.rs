//! What each strategy's prompts cost, keep and lose, found turn by turn off the drawing thread: for the
//! picker and the overview of the run.

use std::sync::Arc;

use super::app::{App, Document, Overlay};
use super::lens::Shown;
use super::page;
use super::tally::Tally;
use super::two_runs;
use super::work::{Teller, Work};
use crate::analysis::{Analysis, Profile, TurnFigures, View, Walk};
use crate::compression::Run;
use crate::tokens::Tokenizer;

/// Figures of one prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Cell {
    /// Its tokens.
    pub tokens: usize,
    /// How many of them are cached.
    pub cached: usize,
    /// Names and literals that the turn needed.
    pub needed: usize,
    /// How many of them it doesn't show.
    pub lost: usize,
}

impl From<&TurnFigures> for Cell {
    fn from(figures: &TurnFigures) -> Self {
        Self {
            tokens: figures.cached.prompt,
            cached: figures.cached.cached,
            needed: figures.needed.names + figures.needed.literals,
            lost: figures.lost.names + figures.lost.literals,
        }
    }
}

/// Figures of a whole run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Sum {
    /// Tokens of all prompts.
    pub tokens: usize,
    /// The cached share of those from the second on.
    pub cached_share: f64,
    /// What all tokens cost, a fresh one being the unit.
    pub weighted: f64,
    /// Distinct names and literals needed.
    pub needed: usize,
    /// Those that aren't shown.
    pub lost: usize,
}

/// What a column of figures is of.
#[derive(Debug, Clone, PartialEq)]
struct Column {
    shown: Shown,
    view: View,
    /// The prompts for turn 1 and on; none where a prompt isn't recorded.
    cells: Vec<Option<Cell>>,
    /// The tokens of the largest of them.
    most: usize,
    /// Once all prompts were seen; none too where one isn't recorded.
    sum: Option<Sum>,
}

/// Something that was found: figures of some prompts of a column from the first on, or its sums.
#[derive(Debug)]
enum Found {
    Cells(usize, Vec<Option<Cell>>),
    Sum(usize, Sum),
}

/// Figures of a run under every entry of a lens, as far as they are found.
#[derive(Debug)]
pub struct Figures {
    run: Arc<Run>,
    tokenizer: Tokenizer,
    columns: Vec<Column>,
    coming: Work<Found>,
}

/// Prompts that are told of at once.
const BATCH: usize = 32;

impl Figures {
    fn start(run: &Arc<Run>, tokenizer: Tokenizer, views: Vec<(Shown, View)>) -> Self {
        let worker = Worker {
            run: Arc::clone(run),
            tokenizer,
            views: views.iter().map(|(_, view)| view.clone()).collect(),
        };
        let column = |(shown, view)| Column {
            shown,
            view,
            cells: Vec::new(),
            most: 0,
            sum: None,
        };
        Self {
            run: Arc::clone(run),
            tokenizer,
            columns: views.into_iter().map(column).collect(),
            coming: Work::start(move |teller| {
                worker.find(teller);
            }),
        }
    }

    /// Whether these are the figures of the same entries; their order aside.
    fn is_of(&self, run: &Arc<Run>, tokenizer: Tokenizer, views: &[(Shown, View)]) -> bool {
        let has = |(shown, view): &(Shown, View)| {
            let mut columns = self.columns.iter();
            columns.any(|column| column.shown == *shown && column.view == *view)
        };
        Arc::ptr_eq(&self.run, run) && self.tokenizer == tokenizer && views.iter().all(has)
    }

    /// Whether these are figures of a run.
    pub fn is_about(&self, run: &Arc<Run>) -> bool {
        Arc::ptr_eq(&self.run, run)
    }

    /// Whether they are still looked for.
    pub fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes what was found since; whether that is anything, or the end.
    pub fn poll(&mut self) -> bool {
        self.coming.poll(|found| match found {
            Found::Cells(at, cells) => {
                let column = &mut self.columns[at];
                let tokens = cells.iter().flatten().map(|cell| cell.tokens);
                column.most = tokens.fold(column.most, usize::max);
                column.cells.extend(cells);
            }
            Found::Sum(at, sum) => self.columns[at].sum = Some(sum),
        })
    }

    fn column(&self, shown: Shown) -> Option<&Column> {
        self.columns.iter().find(|column| column.shown == shown)
    }

    /// Figures of turn N's prompt, once they are found.
    pub fn cell(&self, shown: Shown, n: u32) -> Option<Cell> {
        let at = n.checked_sub(1)? as usize;
        *self.column(shown)?.cells.get(at)?
    }

    /// Figures of the whole run, once they are found.
    pub fn sum(&self, shown: Shown) -> Option<Sum> {
        self.column(shown)?.sum
    }

    /// The tokens of the largest prompt found so far.
    pub fn most_tokens(&self, shown: Shown) -> usize {
        self.column(shown).map_or(0, |column| column.most)
    }
}

struct Worker {
    run: Arc<Run>,
    tokenizer: Tokenizer,
    views: Vec<View>,
}

impl Worker {
    fn find(&self, teller: &Teller<Found>) {
        let model = self.run.step().model.clone();
        let profile = Profile::of_model(model.as_deref());
        let analysis = Analysis::new(Arc::clone(&self.run), self.tokenizer, profile);
        for (at, view) in self.views.iter().enumerate() {
            if find_column(&analysis, at, view, teller).is_none() {
                return;
            }
        }
    }
}

/// Finds a column; none where nobody waits for it any longer.
fn find_column(analysis: &Analysis, at: usize, view: &View, teller: &Teller<Found>) -> Option<()> {
    let mut walk = Walk::new(analysis, view);
    let mut cells = Vec::new();
    let mut is_whole = true;
    let last = analysis.last_turn();
    for n in 1..=last {
        teller.is_wanted().then_some(())?;
        let found = walk.turn(n).ok().flatten();
        is_whole &= found.is_some();
        cells.push(found.as_ref().map(Cell::from));
        if cells.len() >= BATCH {
            teller.tell(Found::Cells(at, std::mem::take(&mut cells)));
        }
    }
    // Nothing was needed of the prompt after the last turn, and it counts for no sum.
    let next = walk.pass(last.saturating_add(1)).ok().flatten();
    cells.push(next.map(|cached| Cell {
        tokens: cached.prompt,
        cached: cached.cached,
        ..Cell::default()
    }));
    teller.tell(Found::Cells(at, cells));
    if is_whole {
        let (sums, losses) = (walk.sums(), walk.losses());
        let sum = Sum {
            tokens: sums.tokens,
            cached_share: sums.cached_share(),
            weighted: sums.weighted(analysis.profile()),
            needed: losses.needed.names + losses.needed.literals,
            lost: losses.headline(),
        };
        teller.tell(Found::Sum(at, sum));
    }
    Some(())
}

/// Begins to look for the figures of every entry of the lens, unless they are there; what is shown
/// comes first.
pub(super) fn ask(app: &mut App) {
    let tokenizer = app.tokenizer.unwrap_or_default();
    let document = app.document_mut();
    let lens = document.lens();
    let run = Arc::clone(lens.source());
    let mut entries = lens.entries();
    entries.sort_by_key(|shown| *shown != lens.shown);
    let views = entries.into_iter().map(|shown| {
        let view = lens.case_of(shown).cloned();
        (shown, view.map_or(View::Recorded, View::Case))
    });
    let views: Vec<_> = views.collect();
    let known = document.figures.as_ref();
    if !known.is_some_and(|known| known.is_of(&run, tokenizer, &views)) {
        document.figures = Some(Figures::start(&run, tokenizer, views));
    }
}

/// Takes what was found since for the picker and the overview; whether that is anything, or the end.
pub(super) fn poll(document: &mut Document) -> bool {
    let figures = document.figures.as_mut();
    let found = figures.is_some_and(Figures::poll);
    found | document.tally.as_mut().is_some_and(Tally::poll)
}

/// Whether anything is still looked for, for the picker and the overview.
pub(super) fn is_running(document: &Document) -> bool {
    let figures = document.figures.as_ref();
    let tally = document.tally.as_ref();
    figures.is_some_and(Figures::is_running) || tally.is_some_and(Tally::is_running)
}

/// Looks again where a run has grown whose figures are in view, once those of what it was are found:
/// they stay in view until then, and a run that grows all the time gets some too.
pub(super) fn follow(app: &mut App) {
    let document = app.document();
    let is_old = |figures: &Figures| {
        let mut lenses = document.lenses().iter();
        !figures.is_running() && lenses.all(|lens| !figures.is_about(lens.source()))
    };
    if !document.figures.as_ref().is_some_and(is_old) {
        return;
    }
    match page::lowest(app) {
        Some(Overlay::Picker(_)) => {
            ask(app);
            app.document_mut().tally = Some(Tally::start(app));
        }
        Some(Overlay::Overview(_)) => {
            ask(app);
            app.ask_for_problems();
        }
        _ if document.compares() => ask(app),
        _ => {}
    }
}

/// Stops looking where nobody looks at the figures.
pub(super) fn drop_unseen(app: &mut App) {
    let listed = matches!(
        page::lowest(app),
        Some(Overlay::Picker(_) | Overlay::Overview(_))
    );
    let document = app.document_mut();
    let seen = listed || document.compares();
    document
        .figures
        .take_if(|figures| !seen && figures.is_running());
    document.tally.take_if(|tally| !seen && tally.is_running());
}

/// Opens the picker on what is shown.
pub(super) fn open_picker(app: &mut App) {
    ask(app);
    app.document_mut().tally = Some(Tally::start(app));
    let lens = app.document().lens();
    let at = lens.entries().iter().position(|shown| *shown == lens.shown);
    app.overlay = Some(Overlay::Picker(at.unwrap_or(0)));
}

/// Opens the overview of the run on the selected turn.
pub(super) fn open_overview(app: &mut App) {
    ask(app);
    two_runs::ask(app.document_mut());
    app.ask_for_problems();
    let document = app.document();
    let row = document.row_of(document.lens()).unwrap_or(0);
    let last = document.lens().run().step().turns().len().saturating_sub(1);
    app.overlay = Some(Overlay::Overview(row.min(last)));
}

/// Selects another turn of the overview.
pub(super) fn move_turn(app: &mut App, by: isize, count: Option<usize>) {
    let turns = app.document().lens().run().step().turns().len();
    if let Some(Overlay::Overview(at)) = &mut app.overlay {
        let by = by.saturating_mul(count.unwrap_or(1).cast_signed());
        *at = at.saturating_add_signed(by).min(turns.saturating_sub(1));
    }
}

/// Leaves the overview for its selected turn.
pub(super) fn take_turn(app: &mut App) {
    if let Some(Overlay::Overview(at)) = app.overlay.take() {
        app.remember();
        let document = app.document_mut();
        let on_first = document.row_of(document.lens()) == Some(document.selected);
        if on_first || document.lens().run().step().turns().len() == document.turns() {
            document.select(at);
        }
    }
}
