//! What if the selected turn had been different: what can be changed, the run that is made off the
//! drawing thread, and the forks that are kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use super::app::{App, Effect, Overlay, Pane};
use super::beside::Beside;
use super::document::{Document, Start};
use super::external::{Handed, Program, Taker};
use super::lens::Shown;
use crate::agent::{Change, Fork, ForkError, Origin, Replay, fork};
use crate::compression::Run;
use crate::lisp::Limits;
use crate::load::Report;
use crate::step::{Ending, PTC_LISP, Step, Turn};
use crate::text;
use crate::value::transit::{self, Transit};

/// Forks that are kept; the oldest go.
const KEPT: usize = 16;

/// A limit that can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // the limits that programs have
pub enum Limit {
    /// Turns of the run.
    Turns,
    /// Steps of a program.
    Steps,
    /// Memory cells of a program.
    Cells,
    /// Evaluations inside each other.
    Depth,
    /// Rounds of a loop.
    Rounds,
}

impl Limit {
    const ALL: [Self; 5] = [
        Self::Turns,
        Self::Steps,
        Self::Cells,
        Self::Depth,
        Self::Rounds,
    ];

    /// The words for it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Turns => "turns of the run",
            Self::Steps => "steps of a program",
            Self::Cells => "memory cells of a program",
            Self::Depth => "evaluations inside each other",
            Self::Rounds => "rounds of a loop",
        }
    }

    /// What it is now, if it is limited.
    pub fn now(self, step: &Step) -> Option<u64> {
        let limits = Limits::default();
        let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        match self {
            Self::Turns => step.max_turns().map(u64::from),
            Self::Steps => Some(limits.steps),
            Self::Cells => Some(limits.cells),
            Self::Depth => Some(number(limits.depth)),
            Self::Rounds => Some(number(limits.rounds)),
        }
    }

    /// The change to another number. No limit goes beyond what is safe.
    fn change(self, number: u64) -> Change {
        let mut limits = Limits::default();
        let most = |limit: usize| usize::try_from(number).unwrap_or(usize::MAX).min(limit);
        match self {
            Self::Turns => return Change::MaxTurns(u32::try_from(number).unwrap_or(u32::MAX)),
            Self::Steps => limits.steps = number.min(limits.steps * 10),
            Self::Cells => limits.cells = number.min(limits.cells * 4),
            Self::Depth => limits.depth = most(limits.depth),
            Self::Rounds => limits.rounds = most(limits.rounds * 1000),
        }
        Change::Limits(limits)
    }
}

/// Something that can be done at a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // the list shows each
pub enum Entry {
    /// Write its program anew.
    Program,
    /// Write the result of a call anew.
    Result(usize),
    /// Set a limit.
    Limit(Limit),
    /// Go to a fork that is kept.
    Open(usize),
    /// Write the fork as a step file.
    Export,
    /// Throw the fork away.
    Discard,
    /// Go back to what was; the fork is kept.
    Keep,
}

/// The list of what can be done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(clippy::exhaustive_structs)] // the state of one overlay
pub struct Input {
    /// The selected entry.
    pub selected: usize,
    /// A number being typed.
    pub typed: String,
}

impl Input {
    /// Types a digit.
    pub(super) fn push(&mut self, digit: char) {
        // No limit has more digits.
        if self.typed.len() < 9 {
            self.typed.push(digit);
        }
    }

    /// Selects another of so many entries.
    pub(super) fn move_by(&mut self, by: isize, entries: usize) {
        self.selected = self
            .selected
            .saturating_add_signed(by)
            .min(entries.saturating_sub(1));
        self.typed.clear();
    }
}

/// A fork that is being made.
#[derive(Debug)]
struct Running {
    what: String,
    cancelled: Arc<AtomicBool>,
    coming: Receiver<Result<Fork, ForkError>>,
}

/// Everything of what-if that outlives its overlay.
#[derive(Debug, Default)]
pub struct WhatIf {
    running: Option<Running>,
    /// What is in the editor: the turn, from 1, and the part of it.
    editing: Option<(u32, Entry)>,
    /// Forks that were left, the latest last.
    kept: Vec<Document>,
}

impl WhatIf {
    /// Whether a fork is being made.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// What is being made, in words.
    pub fn status(&self) -> Option<String> {
        let running = self.running.as_ref()?;
        Some(format!("what if: {} … esc cancels", running.what))
    }

    /// Stops what is being made; whether there was something.
    pub(super) fn cancel(&mut self) -> bool {
        let Some(running) = self.running.take() else {
            return false;
        };
        running.cancelled.store(true, Ordering::Relaxed);
        true
    }

    /// Keeps a fork that is left.
    pub(super) fn keep(&mut self, document: Document) {
        self.kept.push(document);
        if self.kept.len() > KEPT {
            self.kept.remove(0);
        }
    }

    /// The titles of the kept forks.
    pub fn kept(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(|kept| kept.title.as_str())
    }
}

/// What a document is the fork of.
#[derive(Debug)]
#[allow(clippy::exhaustive_structs)] // read by the panes
pub struct Forked {
    /// What was changed, in words.
    pub what: String,
    /// The fork.
    pub fork: Fork,
}

impl Forked {
    /// Where the answer of a turn, from 1, comes from, in words.
    pub fn origin(&self, turn: u32) -> Option<&'static str> {
        Some(match self.fork.origin(turn)? {
            Origin::Changed => "changed",
            Origin::Recorded => "recorded answer",
            Origin::OtherHistory => "for another history",
        })
    }

    /// What came of it, in words.
    fn summary(&self, beside: &Beside) -> String {
        let parts = beside.parts_at().and_then(|row| {
            let [own, was] = beside.turns_at(row);
            own.or(was)
        });
        let parts = parts.map_or_else(
            || "every turn comes out as it was".to_owned(),
            |turn| format!("◆ turn {} comes out otherwise", turn + 1),
        );
        let ends = match &self.fork.step.ending {
            Ending::Return(_) => "; it returns".to_owned(),
            Ending::Fail(failure) => {
                let reason = failure.reason.as_deref().unwrap_or("no reason told");
                format!("; it fails: {}", text::headline(reason, 40))
            }
            Ending::Open => String::new(),
        };
        let other = self
            .fork
            .origins
            .iter()
            .filter(|origin| **origin == Origin::OtherHistory);
        let other = match other.count() {
            0 => String::new(),
            1 => "; 1 answer was made for another history".to_owned(),
            count => format!("; {count} answers were made for another history"),
        };
        let stopped = self.fork.stopped.as_ref();
        let stopped = stopped.map_or_else(String::new, |why| format!("; {why}"));
        format!("{parts}{other}{ends}{stopped}")
    }
}

/// What can be done at the selected turn.
pub fn entries(app: &App) -> Vec<Entry> {
    let document = app.document();
    if document.fork.is_some() {
        return vec![Entry::Keep, Entry::Export, Entry::Discard];
    }
    let mut entries = Vec::new();
    if let Some(turn) = turn(document) {
        entries.push(Entry::Program);
        entries.extend((0..calls(turn).count()).map(Entry::Result));
    }
    entries.extend(Limit::ALL.map(Entry::Limit));
    entries.extend((0..app.what_if.kept.len()).map(Entry::Open));
    entries
}

fn turn(document: &Document) -> Option<&Turn> {
    let turn = document.run.step().turns().get(document.selected)?;
    Some(turn)
}

fn calls(turn: &Turn) -> impl Iterator<Item = &crate::step::ToolCall> {
    turn.tool_calls().iter().chain(turn.unlisted_calls())
}

/// The number of the turn that is changed, from 1. Behind the last turn limits alone are, from the
/// first turn on.
pub fn number(document: &Document) -> u32 {
    turn(document).map_or(1, Turn::number)
}

/// The command: lists what can be done at the selected turn, or says why nothing can.
pub(super) fn open(app: &mut App) {
    let step = app.document().run.step();
    if app.document().fork.is_none() && !Replay::has_programs(step) {
        app.message = Some(ForkError::NoPrograms.to_string());
        return;
    }
    app.overlay = Some(Overlay::WhatIf(Input::default()));
}

/// Takes the selected entry.
pub(super) fn choose(app: &mut App, input: &Input) -> Option<Effect> {
    let entry = *entries(app).get(input.selected)?;
    match entry {
        Entry::Program | Entry::Result(_) => edit(app, entry),
        Entry::Limit(limit) => {
            let Ok(number) = input.typed.parse::<u64>() else {
                app.message = Some("type the number first, then enter".to_owned());
                app.overlay = Some(Overlay::WhatIf(input.clone()));
                return None;
            };
            let from = number_of_change(app.document(), limit);
            start(
                app,
                from,
                limit.change(number),
                &format!("{} {number}", limit.title()),
            );
            None
        }
        Entry::Open(at) => {
            if at < app.what_if.kept.len() {
                let fork = app.what_if.kept.remove(at);
                app.documents.push(fork);
                app.focus_on(Pane::Turns);
            }
            None
        }
        Entry::Export => {
            let document = app.document();
            let text = crate::export::step::write(document.run.step());
            Some(Effect::Save {
                what: "the fork".to_owned(),
                name: "what-if.step.json".to_owned(),
                text,
            })
        }
        Entry::Discard => {
            app.documents.pop();
            app.message = Some("the fork is gone".to_owned());
            None
        }
        Entry::Keep => {
            app.back();
            None
        }
    }
}

fn number_of_change(document: &Document, limit: Limit) -> u32 {
    match limit {
        // The whole run has it.
        Limit::Turns => 1,
        _ => number(document),
    }
}

/// Gives the editor a part of the selected turn.
fn edit(app: &mut App, entry: Entry) -> Option<Effect> {
    let turn = turn(app.document())?;
    let number = turn.number();
    let handed = match entry {
        Entry::Result(at) => result_of(turn, at)?,
        _ => program_of(turn),
    };
    app.what_if.editing = Some((number, entry));
    Some(Effect::HandOver(handed))
}

fn program_of(turn: &Turn) -> Handed {
    let program = turn.program().get();
    let program = program.filter(|program| &*program.language == PTC_LISP);
    let source = program.map_or("", |program| &program.source);
    Handed {
        program: Program::Editor,
        what: format!("the program of turn {}", turn.number()),
        text: format!("{}\n", text::clean(source)),
        extension: "clj",
        taker: Some(Taker(take)),
    }
}

/// A result as JSON, as step files write values.
fn result_of(turn: &Turn, at: usize) -> Option<Handed> {
    let call = calls(turn).nth(at)?;
    let value = call.result.get().cloned().unwrap_or_default();
    let json = serde_json::to_string_pretty(&Transit(&value)).unwrap_or_default();
    let name = text::clean_line(&call.name);
    Some(Handed {
        program: Program::Editor,
        what: format!("the result of {name} in turn {}", turn.number()),
        text: format!("{}\n", text::escape_json(&json)),
        extension: "json",
        taker: Some(Taker(take)),
    })
}

/// What came back from the editor.
#[allow(clippy::needless_pass_by_value)] // a taker gets the text for its own
fn take(app: &mut App, text: String) {
    let Some((from, entry)) = app.what_if.editing.take() else {
        return;
    };
    let change = match entry {
        Entry::Result(call) => match transit::parse(text.as_bytes()) {
            Ok(parsed) => Change::Result {
                call,
                value: parsed.value,
            },
            Err(error) => {
                app.message = Some(format!(
                    "nothing was changed: the result is no JSON: {error}"
                ));
                return;
            }
        },
        _ => Change::Program(text.trim_end().into()),
    };
    let what = match entry {
        Entry::Result(at) => {
            let turn = app.document().run.step().turns().get(from as usize - 1);
            let call = turn.and_then(|turn| calls(turn).nth(at));
            let name = call.map_or_else(String::new, |call| {
                text::clean_line(&call.name).into_owned()
            });
            format!("turn {from}, result of {name}")
        }
        _ => format!("turn {from}, program"),
    };
    start(app, from, change, &what);
}

/// Begins to make a fork.
fn start(app: &mut App, from: u32, change: Change, what: &str) {
    app.what_if.cancel();
    let step = Arc::clone(app.document().run.step());
    let cancelled = Arc::new(AtomicBool::new(false));
    let (send, coming) = channel();
    let flag = Arc::clone(&cancelled);
    thread::spawn(move || {
        // Nobody waits any longer where it was cancelled, or the inspector has ended.
        let _ = send.send(fork(&step, from, &change, &flag));
    });
    app.what_if.running = Some(Running {
        what: what.to_owned(),
        cancelled,
        coming,
    });
}

/// Takes a fork that is ready and shows it beside what was. Whether there was something to take.
pub(super) fn poll(app: &mut App) -> bool {
    let Some(running) = &app.what_if.running else {
        return false;
    };
    let made = match running.coming.try_recv() {
        Err(TryRecvError::Empty) => return false,
        Ok(made) => made.map_err(|error| error.to_string()),
        Err(TryRecvError::Disconnected) => Err("what-if broke off; this is a bug".to_owned()),
    };
    let what = app.what_if.running.take().map(|running| running.what);
    let shown = made.and_then(|fork| show(app, what.unwrap_or_default(), fork));
    if let Err(why) = shown {
        app.message = Some(why);
    }
    true
}

fn show(app: &mut App, what: String, fork: Fork) -> Result<(), String> {
    let was = app.document();
    let step = Arc::new(fork.step.clone());
    let last = step.last_prompt();
    let start = Start {
        turn: Some(fork.from.min(last)),
        // Nothing was sent for a fork.
        prefer_strategy: true,
        ..app.start.for_another()
    };
    let title = format!("{} → what if: {what}", was.title);
    let made = Document::new("what if", step, Report::default(), &start);
    let mut document = made.map_err(|error| error.to_string())?;
    if was.lens().shown != Shown::Recorded {
        document.lenses = vec![was.lens().on(Arc::clone(&document.run))];
    }
    let run: Arc<Run> = Arc::clone(&was.run);
    document.put_beside(["what if".to_owned(), "what was".to_owned()], run);
    document.toggle_compare();
    document.title = title;
    let forked = Forked { what, fork };
    app.message = document.beside.as_mut().map(|beside| {
        beside.reversed = true;
        forked.summary(beside)
    });
    document.fork = Some(forked);
    app.documents.push(document);
    app.focus_on(Pane::Turns);
    Ok(())
}
