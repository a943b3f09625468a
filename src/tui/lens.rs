//! A lens: a run, a turn N, and what is shown of its prompt. One is the usual screen; a second one
//! may be on the same run or on another.

use std::sync::Arc;

use super::app::Start;
pub use super::content::Content;
use super::gutter::Gutter;
use super::infer::{self, Inference};
use super::pane::ghosts::{Ghost, ghosts};
use super::pane::prompt::{Counting, PromptSource};
use super::text_view::TextView;
use super::total::Total;
use crate::compression::{
    AsSent, Asked, Case, OptionError, OptionSpec, Run, SHARED, STRATEGIES, Setting,
};
use crate::namespace::Origin;
use crate::tokens::Tokenizer;

/// What a lens shows of prompt N.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// What the LLM was really sent.
    Recorded,
    /// What the strategy at this index would send.
    Strategy(usize),
}

/// Which prompt goes with the selected turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// The one that produced it.
    #[default]
    Before,
    /// The one that follows it.
    After,
}

impl Side {
    /// N for a row of a run.
    pub fn n(self, run: &Run, row: usize) -> u32 {
        let before = crate::namespace::content::turn_number(row);
        match self {
            Self::Before => before,
            Self::After => before.saturating_add(1).min(run.step().last_prompt()),
        }
    }
}

fn has_recorded(run: &Run) -> bool {
    run.has_recorded() || run.is_rebuilt()
}

/// What the made content depends on.
#[derive(Debug, Clone, PartialEq)]
struct Key {
    n: u32,
    shown: Shown,
    case: Option<Case>,
    ghosts: bool,
    tokenizer: Option<Tokenizer>,
}

/// A lens.
#[derive(Debug)]
pub struct Lens {
    run: Arc<Run>,
    /// One case a strategy; the shared options of all are the same.
    cases: Vec<Case>,
    /// What is shown.
    pub shown: Shown,
    /// What was shown before.
    previous: Option<Shown>,
    /// Which prompt goes with the selected turn.
    pub side: Side,
    /// Whether what was left out is shown in its place.
    pub ghosts: bool,
    /// The tokenizer, once its dictionary is read.
    pub tokenizer: Option<Tokenizer>,
    /// Tokens of the whole prompt, where it is small enough to be counted at once.
    total: Total,
    /// Cases before each change of an option, and whether definitions were inferred.
    undo: Vec<(Vec<Case>, bool)>,
    /// What is inferred of definitions, where that is asked for.
    infer: Option<Inference>,
    has_recorded: bool,
    key: Option<Key>,
    content: Content,
    /// What was left out of it, where that is shown.
    placed: Arc<[Ghost]>,
    /// The text of the prompt pane.
    pub view: TextView,
    /// What is wrong with the setting that the trace records, if anything.
    pub setting_note: Option<String>,
}

impl Lens {
    /// A lens on a run: what was sent where the trace has that, else the recorded setting, else the
    /// default strategy (requirements 12); what was asked for goes before.
    ///
    /// # Errors
    /// An unknown strategy, option or value.
    pub fn new(run: Arc<Run>, start: &Start) -> Result<Self, OptionError> {
        let mut asked = start.asked.clone();
        if asked.strategy.is_none() && run.step().compression.is_none() {
            asked.strategy = start.usual_strategy.map(str::to_owned);
        }
        let chosen = asked.case(run.step())?;
        let setting_note = chosen
            .unreadable
            .map(|error| format!("the recorded setting was not used: {error}"));
        let case = chosen.case;
        let strategies = STRATEGIES.iter();
        let cases: Vec<Case> = strategies
            .map(|strategy| case.with_strategy(*strategy))
            .collect();
        let name = case.strategy.name();
        let at = cases.iter().position(|case| case.strategy.name() == name);
        let strategy = Shown::Strategy(at.unwrap_or(0));
        let has_recorded = has_recorded(&run);
        let asks_strategy = start.prefer_strategy || start.asked != Asked::default();
        let shown = if start.recorded || (has_recorded && !asks_strategy) {
            Shown::Recorded
        } else {
            strategy
        };
        let mut view = TextView::default();
        view.wrapped = !start.unwrapped;
        let infer = start.infer.then(|| Inference::start(&run));
        Ok(Self {
            infer,
            run,
            cases,
            shown,
            previous: (shown == Shown::Recorded).then_some(strategy),
            side: Side::Before,
            ghosts: false,
            tokenizer: None,
            total: Total::default(),
            undo: Vec::new(),
            has_recorded,
            key: None,
            content: Content::Missing(String::new()),
            placed: Arc::default(),
            view,
            setting_note,
        })
    }

    /// A lens on another run that shows the same of it, as far as that run has it.
    #[must_use]
    pub fn on(&self, run: Arc<Run>) -> Self {
        let has_recorded = has_recorded(&run);
        let mut lens = Self {
            infer: self.infer.is_some().then(|| Inference::start(&run)),
            run,
            cases: self.cases.clone(),
            shown: self.shown,
            previous: Some(self.shown),
            side: self.side,
            ghosts: false,
            tokenizer: None,
            total: Total::default(),
            undo: Vec::new(),
            has_recorded,
            key: None,
            content: Content::Missing(String::new()),
            placed: Arc::default(),
            view: TextView::default(),
            setting_note: None,
        };
        if lens.shown == Shown::Recorded && !has_recorded {
            lens.shown = self.previous.unwrap_or(Shown::Strategy(0));
        }
        lens.view.wrapped = self.view.wrapped;
        lens.view.marked.clone_from(&self.view.marked);
        lens
    }

    /// A second lens on the same run, on what was shown before, or on the next entry.
    #[must_use]
    pub fn beside(&self) -> Self {
        let mut lens = self.on(Arc::clone(&self.run));
        match self.previous.filter(|previous| *previous != self.shown) {
            Some(previous) => lens.shown = previous,
            None => lens.cycle(1),
        }
        lens
    }

    /// Shows a fuller record of the same run.
    pub fn set_run(&mut self, run: Arc<Run>) {
        self.has_recorded |= has_recorded(&run);
        self.run = run;
        self.infer = self.infer.is_some().then(|| Inference::start(&self.run));
        self.key = None;
    }

    /// The run that prompts are made of: with what is inferred of it, where that is asked for.
    pub fn source(&self) -> &Arc<Run> {
        let inferred = self.infer.as_ref().and_then(Inference::run);
        inferred.unwrap_or(&self.run)
    }

    /// What is inferred, if that is asked for.
    pub fn inference(&self) -> Option<&Inference> {
        self.infer.as_ref()
    }

    /// Takes what was inferred since; whether the prompt may change.
    pub fn poll(&mut self) -> bool {
        let changed = self.infer.as_mut().is_some_and(Inference::poll);
        if changed {
            self.key = None;
        }
        changed | self.total.poll()
    }

    /// Whether its tokens are still counted.
    pub(super) fn is_counting(&self) -> bool {
        self.total.is_running()
    }

    fn set_infer(&mut self, infer: bool) {
        if infer != self.infer.is_some() {
            self.infer = infer.then(|| Inference::start(&self.run));
            self.key = None;
        }
    }

    /// How tokens are counted, once they can be.
    fn counting(&self) -> Option<Counting> {
        let tokenizer = self.tokenizer?;
        let model = self.run.step().model.as_deref();
        Some(Counting {
            tokenizer,
            is_exact: tokenizer.is_exact_for(model),
        })
    }

    /// The tokens of the whole prompt, where they are counted, and how they are.
    pub fn tokens(&self) -> Option<(Counting, usize)> {
        Some((self.counting()?, self.total.found()?))
    }

    /// Marks what another prompt doesn't have.
    pub fn mark_against(&mut self, base: Content) {
        if matches!(self.content, Content::Missing(_)) {
            return;
        }
        Gutter::put(&mut self.view.gutter, base);
    }

    /// Whether the trace has any prompt as sent.
    pub fn has_recorded(&self) -> bool {
        self.has_recorded
    }

    /// The case shown, if it is one.
    pub fn case(&self) -> Option<&Case> {
        self.case_of(self.shown)
    }

    /// The case that an entry stands for, if it is one.
    pub fn case_of(&self, shown: Shown) -> Option<&Case> {
        match shown {
            Shown::Recorded => None,
            Shown::Strategy(at) => self.cases.get(at),
        }
    }

    /// What an entry's prompts are made of: a run and a case; without one they are those sent.
    pub fn made_of(&self, shown: Shown) -> (&Arc<Run>, Option<&Case>) {
        match self.case_of(shown) {
            Some(case) => (self.source(), Some(case)),
            None => (&self.run, None),
        }
    }

    /// The prompt as prepared.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// N for a selected row: turns are rows 0 and up, the row behind them is `next`.
    pub fn n(&self, selected: usize) -> u32 {
        self.side.n(&self.run, selected)
    }

    /// Shows something else.
    pub fn choose(&mut self, shown: Shown) {
        if shown != self.shown {
            self.previous = Some(self.shown);
            self.shown = shown;
        }
    }

    /// Shows what was shown before.
    pub fn back(&mut self) {
        if let Some(previous) = self.previous {
            self.choose(previous);
        }
    }

    /// The entries that `s` goes through.
    pub fn entries(&self) -> Vec<Shown> {
        let recorded = self.has_recorded.then_some(Shown::Recorded);
        recorded
            .into_iter()
            .chain((0..self.cases.len()).map(Shown::Strategy))
            .collect()
    }

    /// Goes on by so many entries, around the end.
    pub fn cycle(&mut self, by: isize) {
        let entries = self.entries();
        let at = entries
            .iter()
            .position(|shown| *shown == self.shown)
            .unwrap_or(0);
        let len = isize::try_from(entries.len()).unwrap_or(1);
        let next = (isize::try_from(at).unwrap_or(0) + by).rem_euclid(len);
        if let Some(shown) = usize::try_from(next)
            .ok()
            .and_then(|next| entries.get(next))
        {
            self.choose(*shown);
        }
    }

    /// The word for what is shown, in a tab.
    pub fn title(shown: Shown) -> &'static str {
        match shown {
            Shown::Recorded => "recorded",
            Shown::Strategy(at) => STRATEGIES.get(at).map_or("", |strategy| strategy.title()),
        }
    }

    /// The word for an entry at this turn: `rebuilt` where what was sent is not recorded itself.
    pub fn title_here(&self, shown: Shown) -> &'static str {
        let rebuilt = |sent: &AsSent| sent.rebuilt.is_some();
        match (shown, &self.content) {
            // A log may hold the request of one turn alone.
            (Shown::Recorded, Content::Recorded(sent)) if rebuilt(sent) => "rebuilt",
            _ => self.title_of_run(shown),
        }
    }

    /// The word for an entry of the whole run: `rebuilt` where no prompt is recorded itself.
    pub fn title_of_run(&self, shown: Shown) -> &'static str {
        match shown {
            Shown::Recorded if self.run.is_rebuilt() => "rebuilt",
            shown => Self::title(shown),
        }
    }

    /// The options of the case shown: what only this strategy has comes first.
    pub fn specs(&self) -> Vec<&'static OptionSpec> {
        let Some(case) = self.case() else {
            return Vec::new();
        };
        let of_strategy = case.strategy.options().iter().chain(SHARED);
        of_strategy.chain([&infer::SPEC]).collect()
    }

    /// The value of one of these options.
    pub fn setting(&self, spec: &OptionSpec) -> Option<Setting> {
        if spec.name == infer::SPEC.name {
            return Some(Setting::Flag(self.infer.is_some()));
        }
        self.case()?.options.get(spec.name)
    }

    /// Sets an option of the case shown; shared ones are set for every strategy.
    pub fn set(&mut self, spec: &OptionSpec, setting: Setting) {
        let Shown::Strategy(at) = self.shown else {
            return;
        };
        if self.setting(spec) == Some(setting) {
            return;
        }
        self.undo.push((self.cases.clone(), self.infer.is_some()));
        if spec.name == infer::SPEC.name {
            self.set_infer(setting == Setting::Flag(true));
        } else if SHARED.iter().any(|shared| shared.name == spec.name) {
            for case in &mut self.cases {
                case.options.set(spec, setting);
            }
        } else {
            self.cases[at].options.set(spec, setting);
        }
    }

    /// Takes back the last change of an option. Whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some((cases, infer)) = self.undo.pop() else {
            return false;
        };
        self.cases = cases;
        self.set_infer(infer);
        true
    }

    /// The run.
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// Makes the prompt that goes with a row, unless it is made already. A row in which only the other
    /// run has a turn has none.
    pub fn prepare(&mut self, selected: Option<usize>) {
        let n = selected.map_or(0, |selected| self.n(selected));
        let key = Key {
            n,
            shown: self.shown,
            case: self.case().cloned(),
            ghosts: self.ghosts,
            tokenizer: self.tokenizer,
        };
        if self.key.as_ref() == Some(&key) {
            return;
        }
        // What was left out is shown in the same prompt, or no longer.
        let of_same = |made: Key| {
            Key {
                ghosts: self.ghosts,
                ..made
            } == key
        };
        let is_same = self.key.take().is_some_and(of_same);
        if !is_same {
            self.content = self.make(n);
        }
        self.key = Some(key);
        self.placed = match &self.content {
            Content::Rendered(prompt) if self.ghosts => {
                ghosts(prompt, self.source().history(n)).into()
            }
            _ => Arc::default(),
        };
        // The static prompt is turnscope's own where the trace has none.
        let is_static = self.run.step().system_prompt.is_none();
        let counting = self.counting();
        if !is_same {
            self.total = counting.map_or_else(Total::default, |counting| {
                Total::start(&self.content, counting)
            });
        }
        let ghosts = Arc::clone(&self.placed);
        let source = PromptSource::new(self.content.clone(), ghosts, is_static, counting);
        self.view.show_again(Arc::new(source));
        if is_same {
            return;
        }
        // What is new since the prompt before it; why there is none is no line of it.
        let is_there = !matches!(self.content, Content::Missing(_));
        let before = n.checked_sub(1).filter(|before| is_there && *before > 0);
        let base = before.map_or(Content::Missing(String::new()), |before| self.make(before));
        self.view.gutter = Some(Gutter::new(base));
    }

    /// Where the line so many rows below the top of the view comes from, and its text; none for
    /// headings and for what was left out.
    pub(super) fn origin_at(&mut self, rows: usize) -> Option<(Origin, String)> {
        let (at, block, line) = self.view.line_at(rows)?;
        let mut byte = block.line_start(line)?;
        let text = block.raw_line(line)?.to_owned();
        let Content::Rendered(prompt) = &self.content else {
            return Some((Origin::Recorded, text));
        };
        let mut before = 0;
        for ghost in self.placed.iter().filter(|ghost| ghost.message == at) {
            let start = ghost.at + before;
            if start >= byte {
                break;
            }
            if byte < start + ghost.text.len() {
                return None;
            }
            before += ghost.text.len();
        }
        byte -= before;
        let message = prompt.get(at)?;
        let piece = message.pieces.iter().find(|piece| piece.end > byte)?;
        Some((piece.origin.clone(), text))
    }

    /// The first block and line in which a pattern is found, what was left out before the rest.
    pub(super) fn find_line(&self, pattern: &regex::Regex) -> Option<(usize, usize)> {
        let mut first = None;
        for at in 0..self.view.blocks() {
            let block = self.view.made(at);
            for line in block.matching_lines(pattern) {
                let is_ghost = block.raw_line(line).is_some_and(|raw| raw.starts_with('┊'));
                if is_ghost || !self.ghosts {
                    return Some((at, line));
                }
                first = first.or(Some((at, line)));
            }
        }
        first
    }

    fn make(&self, n: u32) -> Content {
        let (run, case) = self.made_of(self.shown);
        Content::of(run, n, case)
    }
}
