//! Everything that went wrong in a run, in order (analysis, "Problems").

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::repeated::{Repeated, Repeats, Visible, call_key};
use super::sent::{Analysis, View};
use crate::compression::{Run, error_message};
use crate::step::{Conventions, Ending, EventKind, Field, Step, ToolCall, Turn};
use crate::value::{Limits, Value};

/// Something that went wrong, and in which run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Problem {
    /// The way to the child run, by places among the children; empty for the run itself.
    pub path: Vec<usize>,
    /// What it is.
    pub what: What,
}

/// What went wrong. The variants stand in the order in which problems are listed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum What {
    /// The run ended without a result.
    NoResult {
        /// The kind of failure, where the trace has it.
        reason: Option<Arc<str>>,
    },
    /// The provider answered with an error, or didn't.
    ApiError(Happened),
    /// A person, or the program that drives the agent, broke in.
    Interruption(Happened),
    /// A call without an answer.
    Unanswered(Call),
    /// A turn failed.
    FailedTurn {
        /// The turn.
        turn: u32,
        /// Its error.
        message: String,
    },
    /// A call failed.
    FailedCall {
        /// The call.
        call: Call,
        /// Its error.
        message: String,
    },
    /// A call was refused by a person or a rule; the tool never ran.
    Refused {
        /// The call.
        call: Call,
        /// What was said.
        message: String,
    },
    /// A failed call was made once more.
    Retry {
        /// The later call.
        call: Call,
        /// The turn and the place of the failed one.
        first: (u32, usize),
    },
    /// A call was made once more.
    Repeated(Repeated),
    /// A name was used that isn't defined.
    Undefined {
        /// The turn.
        turn: u32,
        /// The name.
        name: String,
        /// The failed turn whose program would have defined it.
        would_have: Option<u32>,
    },
    /// The history was replaced by a shorter one.
    Compaction(Happened),
    /// A person went back, so that turns are on another branch.
    Branch(Happened),
    /// The trace's writer cut a value.
    Cut {
        /// The turn.
        turn: u32,
        /// What was cut.
        part: &'static str,
    },
}

/// Something that happened between turns.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Happened {
    /// The turn that it befell: what was going on, or for a compaction the next one; none in a run
    /// without turns.
    pub turn: Option<u32>,
    /// What the trace says of it.
    pub text: Option<Arc<str>>,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// The turn.
    pub turn: u32,
    /// Its place among the turn's calls, from 0.
    pub call: usize,
    /// The tool.
    pub tool: Arc<str>,
}

impl Call {
    fn new(turn: u32, call: usize, made: &ToolCall) -> Self {
        Self {
            turn,
            call,
            tool: Arc::clone(&made.name),
        }
    }
}

impl What {
    /// The turn that it is about, if it is about one.
    pub fn turn(&self) -> Option<u32> {
        match self {
            Self::NoResult { .. } => None,
            Self::ApiError(event)
            | Self::Interruption(event)
            | Self::Compaction(event)
            | Self::Branch(event) => event.turn,
            Self::Unanswered(call)
            | Self::FailedCall { call, .. }
            | Self::Refused { call, .. }
            | Self::Retry { call, .. } => Some(call.turn),
            Self::Repeated(repeated) => Some(repeated.turn),
            Self::FailedTurn { turn, .. }
            | Self::Undefined { turn, .. }
            | Self::Cut { turn, .. } => Some(*turn),
        }
    }

    /// The name in outputs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoResult { .. } => "no result",
            Self::ApiError(_) => EventKind::ApiError.name(),
            Self::Interruption(_) => EventKind::Interruption.name(),
            Self::Compaction(_) => EventKind::Compaction.name(),
            Self::Branch(_) => EventKind::Branch.name(),
            Self::Unanswered(_) => "unanswered call",
            Self::Refused { .. } => "refused call",
            Self::FailedTurn { .. } => "failed turn",
            Self::FailedCall { .. } => "failed call",
            Self::Retry { .. } => "retry",
            Self::Repeated(_) => "repeated call",
            Self::Undefined { .. } => "undefined name",
            Self::Cut { .. } => "cut",
        }
    }
}

/// The name, and what it doesn't say.
impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name(), more(self))
    }
}

/// What a problem's name doesn't say.
fn more(what: &What) -> String {
    match what {
        What::NoResult { reason } => reason.as_ref().map_or_else(
            || ": how the run ended is not recorded".to_owned(),
            |reason| format!(": {reason}"),
        ),
        What::ApiError(event)
        | What::Interruption(event)
        | What::Compaction(event)
        | What::Branch(event) => event
            .text
            .as_ref()
            .map_or_else(String::new, |text| format!(": {text}")),
        What::Unanswered(call) => format!(": {} (call {})", call.tool, call.call + 1),
        What::FailedTurn { message, .. } => format!(": {message}"),
        What::FailedCall { call, message } | What::Refused { call, message } => {
            format!(": {}: {message}", call.tool)
        }
        What::Retry { call, first } => format!(": {}, failed in turn {}", call.tool, first.0),
        What::Repeated(repeated) => {
            let removed = repeated
                .removed
                .map(|removed| format!(" ({})", removed.text()));
            let last = repeated
                .last_prompt
                .map(|n| format!(", last in the prompt for turn {n}"));
            format!(
                ": {}, first in turn {}; its result is {}{}{}{}{}",
                repeated.tool,
                repeated.first.0,
                match repeated.result {
                    Visible::SameTurn => "of the same turn",
                    other => other.name(),
                },
                removed.unwrap_or_default(),
                last.unwrap_or_default(),
                if repeated.changed {
                    "; the answer changed"
                } else {
                    ""
                },
                match repeated.written {
                    Some(true) => "; something was written in between",
                    Some(false) => "; nothing was written in between",
                    None => "",
                },
            )
        }
        What::Undefined {
            name, would_have, ..
        } => {
            let would =
                would_have.map(|turn| format!("; failed turn {turn} would have defined it"));
            format!(": {name}{}", would.unwrap_or_default())
        }
        What::Cut { part, .. } => format!(": {part}"),
    }
}

impl Analysis {
    /// All that went wrong, in order; repeated calls are seen in the prompts of a view, or else in
    /// the reference prompts. Child runs' problems follow, with their paths.
    pub fn problems(&self, view: Option<&View>) -> Vec<Problem> {
        let mut found = Vec::new();
        self.own_problems(view, &mut found);
        let mut problems: Vec<Problem> = found
            .into_iter()
            .map(|what| Problem {
                path: Vec::new(),
                what,
            })
            .collect();
        for (index, child) in self.run().step().children.iter().enumerate() {
            let run = Arc::new(Run::new(Arc::clone(child)));
            let child = Self::new(run, self.tokenizer(), *self.profile());
            let view = view.filter(|view| **view != View::Recorded || child.is_recorded());
            problems.extend(child.problems(view).into_iter().map(|mut problem| {
                problem.path.insert(0, index);
                problem
            }));
        }
        problems
    }

    fn own_problems(&self, view: Option<&View>, found: &mut Vec<What>) {
        let step = Arc::clone(self.run().step());
        match &step.ending {
            Ending::Return(_) => {}
            Ending::Fail(failure) => found.push(What::NoResult {
                reason: failure.reason.clone().or_else(|| failure.message.clone()),
            }),
            Ending::Open if ends_with_reply(&step) => {}
            Ending::Open => found.push(What::NoResult { reason: None }),
        }
        found.extend(happened(&step, EventKind::ApiError).map(What::ApiError));
        found.extend(happened(&step, EventKind::Interruption).map(What::Interruption));
        let mut sorts = Sorts::default();
        let mut repeats = Repeats::default();
        let records_answers = self.run().timeline().records_answers();
        // Once through all turns: those of a large trace are read for it.
        for turn in step.each_turn() {
            let ends = ends_the_run(&step, &turn);
            sorts.take(&turn, records_answers, ends);
            repeats.take(self, view, &turn);
        }
        found.append(&mut sorts.unanswered);
        found.append(&mut sorts.failed_turns);
        found.append(&mut sorts.failed_calls);
        found.append(&mut sorts.refused);
        found.append(&mut sorts.retries);
        let repeats = repeats.finish(self, view);
        found.extend(repeats.into_iter().map(What::Repeated));
        self.undefined(found);
        found.extend(happened(&step, EventKind::Compaction).map(What::Compaction));
        found.extend(happened(&step, EventKind::Branch).map(What::Branch));
        found.append(&mut sorts.cut);
    }

    fn undefined(&self, found: &mut Vec<What>) {
        let mut lost = LostDefinitions::default();
        for n in 1..=self.last_turn() {
            let history = self.run().history(n);
            // Only a failed turn says so, or leaves what a later one misses.
            let turns = self.run().step().turns();
            let fails = turns.get(n as usize - 1).is_some_and(|turn| turn.failed());
            if !fails && history.failed_in(0..n as usize).is_empty() {
                continue;
            }
            let Some(turn) = self.run().step().turn(n as usize - 1) else {
                continue;
            };
            let mut names = Vec::new();
            if turn.failed() {
                let message = error_message(&turn, ERROR_LIMITS).0;
                names.extend(unbound_name(&message).map(str::to_owned));
            }
            lost.read(self, history.failed_in(0..n as usize));
            if let Some(uses) = self.uses(n) {
                let missing = uses.reads.iter().filter(|name| {
                    lost.in_turn(name).is_some()
                        && !history.memory().contains_key(name.as_str())
                        && uses.definition(name).is_none()
                });
                names.extend(missing.cloned());
            }
            let mut seen = std::collections::HashSet::new();
            for name in names {
                if seen.insert(name.clone()) {
                    let would_have = lost.in_turn(&name);
                    found.push(What::Undefined {
                        turn: n,
                        name,
                        would_have,
                    });
                }
            }
        }
    }
}

/// What the programs of failed turns would have defined, as far as they were read.
#[derive(Default)]
struct LostDefinitions {
    /// How many failed turns were read.
    read: usize,
    /// The last of them that would have defined a name.
    last: HashMap<String, u32>,
}

impl LostDefinitions {
    /// Reads on, in failed turns from the first on.
    fn read(&mut self, analysis: &Analysis, failed: &[usize]) {
        for at in failed.iter().skip(self.read) {
            let Ok(turn) = u32::try_from(at + 1) else {
                break;
            };
            let defined = analysis.uses(turn).into_iter();
            let defined = defined.flat_map(|uses| &uses.defines);
            self.last
                .extend(defined.map(|made| (made.name.clone(), turn)));
        }
        self.read = self.read.max(failed.len());
    }

    /// The last failed turn whose program would have defined a name.
    fn in_turn(&self, name: &str) -> Option<u32> {
        self.last.get(name).copied()
    }
}

/// Limits of errors that are no text.
const ERROR_LIMITS: Limits = Limits {
    items: Some(50),
    printable: Some(500),
    filter_hidden: true,
};

/// Problems of turns and calls by their sort, each in the order of the run.
#[derive(Default)]
struct Sorts {
    unanswered: Vec<What>,
    failed_turns: Vec<What>,
    failed_calls: Vec<What>,
    refused: Vec<What>,
    retries: Vec<What>,
    cut: Vec<What>,
    /// Calls that failed, and were not made successfully since.
    failing: HashMap<String, (u32, usize)>,
}

impl Sorts {
    /// Takes the next turn; `ends` says that its last call is the run's end, which nothing answers.
    fn take(&mut self, turn: &Turn, records_answers: bool, ends: bool) {
        let number = turn.number();
        if turn.failed() {
            self.failed_turns.push(What::FailedTurn {
                turn: number,
                message: error_message(turn, ERROR_LIMITS).0,
            });
        }
        // What several calls answered may stand together, as what the turn printed.
        let is_together = turn.program().get().is_none() && !turn.prints().is_empty();
        for (at, call) in turn.tool_calls().iter().enumerate() {
            let is_end = ends && at + 1 == turn.tool_calls().len();
            if records_answers && !is_together && !is_end && !call.is_answered() {
                self.unanswered
                    .push(What::Unanswered(Call::new(number, at, call)));
            }
            let told = call.error.as_ref();
            let told = told.or_else(|| call.result.get().filter(|_| call.refused));
            if let Some(told) = told {
                let message = super::sent::whole_text(told);
                let call_at = Call::new(number, at, call);
                if call.refused {
                    self.refused.push(What::Refused {
                        call: call_at,
                        message,
                    });
                } else {
                    self.failed_calls.push(What::FailedCall {
                        call: call_at,
                        message,
                    });
                }
            }
            self.retried(number, at, call);
        }
        if let Some(part) = cut_part(turn) {
            self.cut.push(What::Cut { turn: number, part });
        }
    }

    /// A call that had failed before with the same arguments.
    fn retried(&mut self, turn: u32, at: usize, call: &ToolCall) {
        if self.failing.is_empty() && call.error.is_none() {
            return;
        }
        let key = call_key(call);
        if let Some(&first) = self.failing.get(&key) {
            let call = Call::new(turn, at, call);
            self.retries.push(What::Retry { call, first });
        }
        if call.error.is_some() {
            self.failing.insert(key, (turn, at));
        } else {
            self.failing.remove(&key);
        }
    }
}

/// Whether a turn's last call is how the run of a conversation returned: there is none behind it.
fn ends_the_run(step: &Step, turn: &Turn) -> bool {
    step.conventions == Conventions::Foreign
        && matches!(step.ending, Ending::Return(_))
        && turn.program().get().is_none()
        && step.turns().last().map(|last| last.number()) == Some(turn.number())
}

/// Whether a run of a conversation ends as they do: with a reply that calls nothing.
fn ends_with_reply(step: &Step) -> bool {
    let last = step.turns().len().checked_sub(1);
    let last = last.and_then(|last| step.turn(last));
    step.conventions == Conventions::Foreign
        && last.is_some_and(|turn| {
            !turn.failed() && turn.tool_calls().is_empty() && turn.raw_response().get().is_some()
        })
}

/// What happened of one kind.
fn happened(step: &Step, kind: EventKind) -> impl Iterator<Item = Happened> {
    let turns = step.turns().len();
    let of_kind = step.events.iter().filter(move |event| event.kind == kind);
    of_kind.map(move |event| {
        let next = usize::from(matches!(kind, EventKind::Compaction | EventKind::Branch));
        let turn = (event.after + next).clamp(1, turns.max(1));
        Happened {
            turn: u32::try_from(turn).ok().filter(|_| turns > 0),
            text: event.text.clone(),
        }
    })
}

/// The name that an error says isn't defined.
fn unbound_name(message: &str) -> Option<&str> {
    const SAYINGS: [&str; 4] = [
        "Undefined variable: ",
        "undefined variable: ",
        "Unbound variable: ",
        "Unable to resolve symbol: ",
    ];
    let saying = SAYINGS.iter().find_map(|saying| message.split_once(saying));
    let name = saying?
        .1
        .split(|c: char| c.is_whitespace() || ",;()\"".contains(c));
    name.into_iter().next().filter(|name| !name.is_empty())
}

/// The first part of a turn that the trace's writer cut.
fn cut_part(turn: &Turn) -> Option<&'static str> {
    let is_cut = |value: &Field<Value>| match value {
        Field::Cut(_) => true,
        other => other.get().is_some_and(holds_cut),
    };
    let calls = || turn.tool_calls().iter();
    let memory = turn.memory().get();
    [
        ("response", matches!(turn.raw_response(), Field::Cut(_))),
        ("program", matches!(turn.program(), Field::Cut(_))),
        ("result", is_cut(turn.result())),
        ("prints", matches!(turn.prints_field(), Field::Cut(_))),
        (
            "call's arguments",
            calls().any(|call| holds_cut(&call.args)),
        ),
        ("call's result", calls().any(|call| is_cut(&call.result))),
        (
            "memory",
            memory.is_some_and(|memory| memory.values().any(holds_cut)),
        ),
        ("messages", matches!(turn.messages(), Field::Cut(_))),
    ]
    .into_iter()
    .find_map(|(part, cut)| cut.then_some(part))
}

fn holds_cut(value: &Value) -> bool {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value {
            Value::Cut(_) => return true,
            Value::List(items) | Value::Tuple(items) => todo.extend(items.iter()),
            Value::Set(items) => todo.extend(items.iter()),
            Value::Map(entries) => todo.extend(entries.iter().flat_map(|(k, v)| [k, v])),
            _ => {}
        }
    }
    false
}
