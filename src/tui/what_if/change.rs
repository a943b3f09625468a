//! What is changed: limits, and the texts that the editor is given and gives back.

use super::super::app::{App, Effect};
use super::super::external::{Handed, Program, Taker};
use super::made::start;
use super::{Entry, calls, turn};
use crate::agent::Change;
use crate::lisp::Limits;
use crate::step::{PTC_LISP, Step, Turn};
use crate::text;
use crate::value::transit::{self, Transit};

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
    pub(super) const ALL: [Self; 5] = [
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
    pub(super) fn change(self, number: u64) -> Change {
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

/// Gives the editor a part of the selected turn.
pub(super) fn edit(app: &mut App, entry: Entry) -> Option<Effect> {
    let turn = turn(app.document())?;
    let number = turn.number();
    let handed = match entry {
        Entry::Result(at) => result_of(&turn, at)?,
        _ => program_of(&turn),
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
        hidden: Vec::new(),
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
        hidden: Vec::new(),
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
            let turn = app.document().run.step().turn(from as usize - 1);
            let call = turn.as_ref().and_then(|turn| calls(turn).nth(at));
            let name = call.map_or_else(String::new, |call| {
                text::clean_line(&call.name).into_owned()
            });
            format!("turn {from}, result of {name}")
        }
        _ => format!("turn {from}, program"),
    };
    start(app, from, change, &what);
}
