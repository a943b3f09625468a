//! A run that is open: its turns, what is selected, and the lenses on its prompts.

use std::sync::Arc;

use super::abreast::Abreast;
use super::app::Pane;
use super::beside::{Beside, Second, titles};
use super::child::OpenedFrom;
use super::copying::Copying;
use super::figures::Figures;
use super::lens::{Lens, Shown, Side};
use super::pane::turn::{Tab, TurnView};
use super::problems::{Marks, Problems};
use super::search::Search;
use super::tally::Tally;
use super::text_view::Anchor;
use super::two_runs::TwoRuns;
use super::what_if::Forked;
use crate::compression::{Asked, Run, TurnOutOfRange};
use crate::error::Error;
use crate::load::{Loaded, Report};
use crate::step::Step;

/// A place in a run: everything that is needed to come back to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spot {
    pub(super) focus: Pane,
    pub(super) row: usize,
    pub(super) tab: Tab,
    pub(super) shown: Shown,
    pub(super) side: Side,
    pub(super) turn_top: Anchor,
    pub(super) prompt_top: Anchor,
}

impl Spot {
    /// The row of the list, and what was shown of its prompt.
    pub(super) fn prompt(self) -> (usize, Shown) {
        (self.row, self.shown)
    }
}

/// Places that are kept to go back to.
pub(super) const KEPT_PLACES: usize = 100;

/// A run that is open.
#[derive(Debug)]
pub struct Document {
    /// What it is called: the step's name, else the file's.
    pub title: String,
    /// The file's name.
    file: String,
    /// The run.
    pub run: Arc<Run>,
    /// What could not be read.
    pub report: Report,
    /// The run beside it, if there is one.
    pub beside: Option<Beside>,
    /// Where it was opened from, where it is a child run.
    pub(super) opened_from: Option<OpenedFrom>,
    /// What was changed, where this is a fork; what was stands beside it.
    pub fork: Option<Forked>,
    /// The selected turn, or behind the last one `next`.
    pub selected: usize,
    /// The selected row of the list. It has that turn, or where a second run stands beside this one
    /// perhaps a turn of that run alone.
    pub(super) row: usize,
    /// The first row in view.
    pub offset: usize,
    /// The pane of the selected turn.
    pub turn: TurnView,
    /// What is shown of the prompt: one lens, or two side by side.
    pub(super) lenses: Vec<Lens>,
    /// What the prompts of two lenses share.
    pub(super) abreast: Abreast,
    /// A prompt that is put together to be copied.
    pub copying: Copying,
    /// The lens that commands act on.
    pub(super) focused: usize,
    /// What was searched for last.
    pub search: Option<Search>,
    /// What went wrong, once somebody asked.
    pub problems: Option<Problems>,
    /// What can be told of this run and the one beside it, once somebody asked.
    pub(super) two_runs: Option<TwoRuns>,
    /// Where something went wrong, for the list of turns.
    pub marks: Marks,
    /// What each strategy costs and loses, once somebody asked.
    pub figures: Option<Figures>,
    /// What the selected turn's prompt has under each strategy, once somebody asked.
    pub tally: Option<Tally>,
    /// Places to go back to, the latest last.
    pub(super) places: Vec<Spot>,
    /// The place that was marked.
    pub(super) mark: Option<Spot>,
    /// Failed turns, calls and prints, counted once.
    pub counts: crate::step::history::Counts,
    /// Calls that only the trace's events tell of.
    pub unlisted: usize,
}

impl Document {
    /// Opens a run.
    ///
    /// # Errors
    /// An option or a turn that was asked for and isn't there.
    pub fn new(name: &str, step: Arc<Step>, report: Report, start: &Start) -> Result<Self, Error> {
        let file = std::path::Path::new(name).file_name();
        let file = file.map_or(name.into(), |file| file.to_string_lossy());
        let file = file.into_owned();
        let title = step.name.as_deref().unwrap_or(&file).to_owned();
        let run = Arc::new(Run::new(step));
        let lens = Lens::new(Arc::clone(&run), start)?;
        let counts = run.timeline().all().counts();
        let selected = start.turn.unwrap_or(1);
        // The rows are the turns and the one behind them: the same range as prompts have.
        let last = run.step().last_prompt();
        if selected == 0 || selected > last {
            return Err(TurnOutOfRange { n: selected, last }.into());
        }
        let mut turn = TurnView::new(Arc::clone(&run));
        turn.view.wrapped = !start.unwrapped;
        let mut document = Self {
            title,
            file,
            report,
            beside: None,
            opened_from: None,
            fork: None,
            selected: selected as usize - 1,
            row: selected as usize - 1,
            offset: 0,
            turn,
            lenses: vec![lens],
            abreast: Abreast::default(),
            copying: Copying::default(),
            focused: 0,
            search: None,
            problems: None,
            two_runs: None,
            marks: Marks::default(),
            figures: None,
            tally: None,
            places: Vec::new(),
            mark: None,
            counts,
            unlisted: unlisted(&run),
            run,
        };
        if let Some(second) = &start.beside {
            let other = Arc::new(Run::new(Arc::clone(&second.step)));
            document.put_beside(titles(name, &second.name), other);
            let beside = document.beside.iter_mut();
            beside.for_each(|beside| {
                beside.report = second.report.clone();
                beside.conversation = second.conversation;
            });
        }
        Ok(document)
    }

    /// Puts a run beside this one: the list shows both turn by turn, a second lens its prompts. The
    /// titles are of this one and of the other.
    pub fn put_beside(&mut self, titles: [String; 2], other: Arc<Run>) {
        self.title = titles.join(" → ");
        self.beside = Some(Beside::new(titles, &self.run, other));
        self.lenses.truncate(1);
        self.toggle_compare();
        self.select(self.selected);
    }

    /// The run beside this one, to be put beside another.
    pub(super) fn second(&self) -> Option<Second> {
        let beside = self.beside.as_ref()?;
        Some(Second {
            name: beside.titles[1].clone(),
            step: Arc::clone(beside.run.step()),
            report: beside.report.clone(),
            conversation: beside.conversation,
        })
    }

    /// The lens that commands act on.
    pub fn lens(&self) -> &Lens {
        &self.lenses[self.focused]
    }

    /// The lens that commands act on.
    pub fn lens_mut(&mut self) -> &mut Lens {
        &mut self.lenses[self.focused]
    }

    /// The lens on the right, and the one on the left where two are compared.
    pub fn lenses(&self) -> &[Lens] {
        &self.lenses
    }

    /// The lens on the right, and the one on the left where two are compared.
    pub fn lenses_mut(&mut self) -> &mut [Lens] {
        &mut self.lenses
    }

    /// Whether two prompts stand side by side.
    pub fn compares(&self) -> bool {
        self.lenses.len() > 1
    }

    /// Puts a second lens beside the first, or takes it away: on the run beside this one, else on this.
    pub fn toggle_compare(&mut self) {
        self.focused = 0;
        if self.compares() {
            self.lenses.truncate(1);
        } else {
            let first = &self.lenses[0];
            let lens = match &self.beside {
                Some(beside) => first.on(Arc::clone(&beside.run)),
                None => first.beside(),
            };
            self.lenses.push(lens);
        }
    }

    /// The lens that a pane shows, if it shows one. The second prompt of a run takes the turn's place, and
    /// the first stays where it was; of two runs the first stands on the left.
    pub fn lens_at(&self, pane: Pane) -> Option<usize> {
        let second = usize::from(self.beside.as_ref().is_some_and(|beside| !beside.reversed));
        match (pane, self.compares()) {
            (Pane::Turns, _) | (Pane::Turn, false) => None,
            (Pane::Prompt, false) => Some(0),
            (Pane::Prompt, true) => Some(second),
            (Pane::Turn, true) => Some(1 - second),
        }
    }

    /// The pane of a lens.
    pub(super) fn pane_of(&self, lens: usize) -> Pane {
        match self.lens_at(Pane::Turn) {
            Some(at) if at == lens => Pane::Turn,
            _ => Pane::Prompt,
        }
    }

    /// The row of a lens's run that is selected: a turn or `next`; none where that run has no turn.
    pub fn row_of(&self, lens: &Lens) -> Option<usize> {
        self.row_at(self.row, lens)
    }

    /// The row of a lens's run that stands in a row of the list.
    pub(super) fn row_at(&self, row: usize, lens: &Lens) -> Option<usize> {
        let Some(beside) = &self.beside else {
            return Some(row);
        };
        let is_other = Arc::ptr_eq(lens.run(), &beside.run);
        beside.turns_at(row)[usize::from(is_other)]
    }

    /// The number of the prompt that a lens shows.
    pub fn n_of(&self, lens: &Lens) -> Option<u32> {
        Some(lens.n(self.row_of(lens)?))
    }

    /// Makes the prompts of the selected row, and marks in each what its base doesn't have: the other
    /// one where two are compared, else the prompt before it.
    pub fn prepare_lenses(&mut self) {
        for at in 0..self.lenses.len() {
            let row = self.row_of(&self.lenses[at]);
            self.lenses[at].prepare(row);
        }
        if let [right, left] = self.lenses.as_mut_slice() {
            right.mark_against(left.content().clone());
            left.mark_against(right.content().clone());
            self.abreast.ask([right.content(), left.content()]);
        }
    }

    /// Takes what was found of its texts since; whether that is anything.
    pub(super) fn poll(&mut self) -> bool {
        let told = self.two_runs.as_mut().is_some_and(TwoRuns::poll);
        self.turn.view.poll() | self.abreast.poll() | self.copying.poll() | told
    }

    /// Whether something of its texts is still looked for.
    pub(super) fn is_busy(&self) -> bool {
        let tells = self.two_runs.as_ref().is_some_and(TwoRuns::is_running);
        self.turn.view.is_busy() || self.abreast.is_running() || self.copying.is_running() || tells
    }

    /// Puts two prompts side by side by what they share; the sizes are of their panes, in the order of
    /// the lenses. Where there is room for one only the other one goes to the same place unseen.
    pub(super) fn align_lenses(&mut self, sizes: [(usize, usize); 2]) {
        let [one, other] = self.lenses.as_mut_slice() else {
            if let [lens] = self.lenses.as_mut_slice() {
                lens.view.put_alone();
            }
            return;
        };
        let views = [&mut one.view, &mut other.view];
        let seen = sizes.map(|(columns, _)| columns > 0);
        for (at, view) in views.into_iter().enumerate() {
            let size = sizes[if seen[at] { at } else { 1 - at }];
            view.resize(size.0, size.1);
        }
        let anchors = self.abreast.anchors().filter(|anchors| !anchors.is_empty());
        let Some(anchors) = anchors.filter(|_| seen != [false; 2]) else {
            one.view.put_alone();
            other.view.put_alone();
            return;
        };
        if seen == [true; 2] {
            one.view.put_beside(&other.view, anchors, 0);
            other.view.put_beside(&one.view, anchors, 1);
        } else {
            one.view.put_alone();
            other.view.put_alone();
        }
        if self.focused == 0 {
            other.view.follow(&mut one.view, anchors, 1);
        } else {
            one.view.follow(&mut other.view, anchors, 0);
        }
    }

    /// Takes a fuller record of the run.
    pub(super) fn replace(&mut self, step: Arc<Step>, report: Report) {
        let was_at_end = self.selected == self.turns();
        if self.beside.is_none() && self.opened_from.is_none() {
            step.name
                .as_deref()
                .unwrap_or(&self.file)
                .clone_into(&mut self.title);
        }
        let before = std::mem::replace(&mut self.run, Arc::new(Run::new(step)));
        self.counts = self.run.timeline().all().counts();
        self.unlisted = unlisted(&self.run);
        self.report = report;
        self.problems = None;
        self.turn.set_run(Arc::clone(&self.run));
        for lens in &mut self.lenses {
            if Arc::ptr_eq(lens.run(), &before) {
                lens.set_run(Arc::clone(&self.run));
            }
        }
        if let Some(beside) = self.beside.take() {
            let mut again = Beside::new(beside.titles, &self.run, beside.run);
            again.report = beside.report;
            again.conversation = beside.conversation;
            self.beside = Some(again);
        }
        let row = if was_at_end {
            usize::MAX
        } else {
            self.selected
        };
        self.select(row);
    }

    /// Takes a fuller record of the run beside this one.
    pub(super) fn replace_beside(&mut self, loaded: Loaded) {
        let Some(beside) = self.beside.take() else {
            return;
        };
        let step = loaded
            .conversations
            .get(beside.conversation)
            .map(Arc::clone);
        let run = step.map(|step| Arc::new(Run::new(step)));
        for lens in &mut self.lenses {
            if let Some(run) = run
                .as_ref()
                .filter(|_| Arc::ptr_eq(lens.run(), &beside.run))
            {
                lens.set_run(Arc::clone(run));
            }
        }
        let run = run.unwrap_or(beside.run);
        let mut again = Beside::new(beside.titles, &self.run, run);
        again.report = loaded.report;
        again.conversation = beside.conversation;
        self.beside = Some(again);
        self.select(self.selected);
    }

    /// Where the document is.
    pub(super) fn spot(&self, focus: Pane) -> Spot {
        Spot {
            focus,
            row: self.row,
            tab: self.turn.tab,
            shown: self.lens().shown,
            side: self.lens().side,
            turn_top: self.turn.view.top(),
            prompt_top: self.lens().view.top(),
        }
    }

    /// How many turns there are.
    pub fn turns(&self) -> usize {
        self.run.step().turns().len()
    }

    /// How many rows the list has.
    pub fn rows(&self) -> usize {
        let beside = self.beside.as_ref();
        beside.map_or(self.turns() + 1, Beside::rows)
    }

    /// The selected row of the list.
    pub fn row(&self) -> usize {
        self.row
    }

    /// Selects a turn, as far as there are turns, or behind them `next`.
    pub fn select(&mut self, turn: usize) {
        self.selected = turn.min(self.turns());
        let beside = self.beside.as_ref();
        self.row = beside.map_or(self.selected, |beside| beside.row_of_own(self.selected));
    }

    /// Selects a row of the list, as far as there are rows.
    pub fn select_row(&mut self, row: usize) {
        self.row = row.min(self.rows() - 1);
        let beside = self.beside.as_ref();
        self.selected = beside.map_or(self.row, |beside| beside.own_near(self.row));
    }

    /// Selects a turn of this run or of the one beside it.
    pub(super) fn select_of(&mut self, run: &Arc<Run>, turn: usize) {
        match &self.beside {
            Some(beside) if Arc::ptr_eq(run, &beside.run) => {
                let row = beside.row_of_this(turn);
                self.select_row(row);
            }
            _ => self.select(turn),
        }
    }
}

fn unlisted(run: &Run) -> usize {
    let turns = run.step().turns().iter();
    turns.map(|turn| turn.amounts().unlisted_calls).sum()
}

impl Start {
    /// What holds of it for another run that is opened from the first one.
    #[must_use]
    pub fn for_another(&self) -> Self {
        Self {
            usual_strategy: self.usual_strategy,
            unwrapped: self.unwrapped,
            infer: self.infer,
            ..Self::default()
        }
    }
}

/// How a run is first shown.
#[derive(Debug, Clone, Default)]
#[allow(clippy::exhaustive_structs)] // filled in by whoever composes the program
#[allow(clippy::struct_excessive_bools)] // independent of each other, each a flag of its own
pub struct Start {
    /// The strategy and options asked for.
    pub asked: Asked,
    /// What was really sent was asked for.
    pub recorded: bool,
    /// The conversation asked for, where the file holds several; from 1.
    pub conversation: Option<u32>,
    /// The turn asked for.
    pub turn: Option<u32>,
    /// A strategy is shown even where the trace has what was sent.
    pub prefer_strategy: bool,
    /// The strategy that is shown where the trace records none and none was asked for.
    pub usual_strategy: Option<&'static str>,
    /// Long lines are cut instead of wrapped.
    pub unwrapped: bool,
    /// A second run, to be shown beside the first.
    pub beside: Option<Second>,
    /// What the trace doesn't tell of definitions is taken from running its programs.
    pub infer: bool,
}
