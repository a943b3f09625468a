//! What a turn holds: program, calls, inputs, and how each was asked for and came out.

use std::sync::Arc;

use indexmap::IndexMap;

use super::{Field, Message, Usage};
use crate::value::Value;

/// What the programs defined so far, in the order of definition where that is known.
pub type Memory = IndexMap<Arc<str>, Value>;

/// A program and the language it is written in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Program {
    /// Source text.
    pub source: Arc<str>,
    /// The language as a fence names it; PTC-Lisp is `clojure` (requirements 7).
    pub language: Arc<str>,
}

/// The fence language of PTC-Lisp programs.
pub const PTC_LISP: &str = "clojure";

impl Program {
    /// A program in a named language.
    pub fn new(source: impl Into<Arc<str>>, language: impl Into<Arc<str>>) -> Self {
        Self {
            source: source.into(),
            language: language.into(),
        }
    }

    /// A PTC-Lisp program.
    pub fn ptc_lisp(source: impl Into<Arc<str>>) -> Self {
        Self::new(source, PTC_LISP)
    }
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // each tells of another thing that a trace may record
pub struct ToolCall {
    /// The tool's name.
    pub name: Arc<str>,
    /// The arguments, a map as a rule.
    pub args: Value,
    /// What the tool answered.
    pub result: Field<Value>,
    /// The call's own identifier.
    pub id: Option<Arc<str>>,
    /// Why the call failed. `None`: the trace doesn't mark it as failed.
    pub error: Option<Value>,
    /// The trace has no mark for whether it failed, so that is unknown.
    pub unmarked: bool,
    /// Whether a person or a rule refused it, so that the tool never ran.
    pub refused: bool,
    /// Whether what it answered begins with a header that tells its exit code and its duration.
    pub framed: bool,
    /// Milliseconds from start to answer.
    pub duration_ms: Option<u64>,
    /// Whether the duration is not told but lies between the times of two records.
    pub approximate: bool,
    /// When it started, ISO 8601.
    pub timestamp: Option<Arc<str>>,
    /// The index among the step's children of the run that this call started.
    pub child: Option<usize>,
}

impl ToolCall {
    /// A call of which only name and arguments are known.
    pub fn new(name: impl Into<Arc<str>>, args: Value) -> Self {
        Self {
            name: name.into(),
            args,
            ..Self::default()
        }
    }

    /// What stands before the duration: that it is not told as such.
    pub fn duration_mark(&self) -> &'static str {
        if self.approximate { "approx. " } else { "" }
    }

    /// What came back: why it failed, else its result.
    pub fn answer(&self) -> Option<&Value> {
        self.error.as_ref().or(self.result.get())
    }

    /// Whether it has a result or an error, or is known to have neither.
    pub fn is_answered(&self) -> bool {
        self.answer().is_some() || matches!(self.result, Field::Absent)
    }
}

/// How a turn was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TurnKind {
    /// An ordinary turn.
    #[default]
    Normal,
    /// The last turn, in which the program must return.
    MustReturn,
    /// Another try after a failed turn.
    Retry,
    /// A kind that only the trace's writer knows.
    Other(Arc<str>),
}

impl TurnKind {
    /// The name in a step file.
    pub fn name(&self) -> &str {
        match self {
            Self::Normal => "normal",
            Self::MustReturn => "must_return",
            Self::Retry => "retry",
            Self::Other(name) => name,
        }
    }

    /// The kind of a name in a step file.
    pub fn from_name(name: &str) -> Self {
        match name {
            "normal" => Self::Normal,
            "must_return" => Self::MustReturn,
            "retry" => Self::Retry,
            other => Self::Other(other.into()),
        }
    }
}

/// Whether a turn succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums)] // there is no fourth
pub enum Outcome {
    /// It succeeded.
    Success,
    /// It failed: its program or the LLM call did.
    Failure,
    /// The format has no mark for it. It is rendered like a success.
    Unknown,
}

/// What a step file may tell of a definition beyond its value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Definition {
    /// The docstring.
    pub doc: Option<Arc<str>>,
    /// The place among the definitions of its turn.
    pub order: Option<i64>,
}

impl Definition {
    /// What is told of a definition.
    pub fn new(doc: Option<Arc<str>>, order: Option<i64>) -> Self {
        Self { doc, order }
    }
}

/// A message that arrived before a reply (`formats/README.md`).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// What it says.
    pub text: Arc<str>,
    /// Whether a machine wrote it: the body of a slash command, a note on the environment, a summary.
    /// The model saw it all the same.
    pub injected: bool,
    /// Whether it came with the mission, such as a picture.
    pub attached: bool,
    /// Whether the person went back and sent another in its place before any reply, so that the model
    /// never saw it.
    pub replaced: bool,
}

impl Input {
    /// A message of a person.
    pub fn of_person(text: impl Into<Arc<str>>) -> Self {
        Self {
            text: text.into(),
            injected: false,
            attached: false,
            replaced: false,
        }
    }

    /// A message that a machine made.
    pub fn injected(text: impl Into<Arc<str>>) -> Self {
        Self {
            text: text.into(),
            injected: true,
            attached: false,
            replaced: false,
        }
    }

    /// What stands for something that came with the mission; it is no message of its own.
    pub fn attached(text: impl Into<Arc<str>>) -> Self {
        Self {
            attached: true,
            ..Self::injected(text)
        }
    }

    /// Who wrote it, where that was no person; whether it was sent.
    pub fn note(&self) -> Option<&'static str> {
        if self.replaced {
            Some("taken back before any reply")
        } else if self.attached {
            Some("sent with the mission")
        } else {
            self.injected.then_some("written by a machine")
        }
    }

    /// Those of [`Self::apart`] that the model saw.
    pub fn sent(joined: Option<&Arc<str>>, inputs: &[Self]) -> Vec<Self> {
        let mut sent = Self::apart(joined, inputs);
        sent.retain(|input| !input.replaced);
        sent
    }

    /// The messages that a text is joined of: those that are told apart, else it is a person's.
    pub fn apart(joined: Option<&Arc<str>>, inputs: &[Self]) -> Vec<Self> {
        if inputs.is_empty() {
            let text = joined.map(Arc::clone);
            return text.map(Self::of_person).into_iter().collect();
        }
        inputs.to_vec()
    }

    /// Those that the model saw as one text, a blank line between two; nothing where there are none.
    pub fn joined(inputs: &[Self]) -> Option<Arc<str>> {
        let sent: Vec<&Self> = inputs.iter().filter(|input| !input.replaced).collect();
        match sent.as_slice() {
            [] => None,
            [one] => Some(Arc::clone(&one.text)),
            more => {
                let texts: Vec<&str> = more.iter().map(|input| &*input.text).collect();
                Some(texts.join("\n\n").into())
            }
        }
    }
}

/// Where in its source a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Position {
    /// The line of the file, from 1.
    pub line: Option<u64>,
    /// The place among the turns of the file, from 0.
    pub index: Option<usize>,
}

impl Position {
    /// A line of the file, from 1.
    pub fn line(line: u64) -> Self {
        Self {
            line: Some(line),
            index: None,
        }
    }

    /// A place among the turns of the file, from 0.
    pub fn index(index: usize) -> Self {
        Self {
            line: None,
            index: Some(index),
        }
    }
}

/// Everything a turn may hold besides its number and outcome; what isn't set is not recorded.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // each tells of another thing that a trace may record
pub struct TurnParts {
    /// Everything the LLM said.
    pub raw_response: Field<Arc<str>>,
    /// Its thinking, where that is kept apart.
    pub thinking: Field<Arc<str>>,
    /// The program extracted from the response.
    pub program: Field<Program>,
    /// The program's value, or the error of a failed turn.
    pub result: Field<Value>,
    /// Printed texts, one a `println`.
    pub prints: Field<Vec<Arc<str>>>,
    /// Calls in the order they were made.
    pub tool_calls: Field<Vec<ToolCall>>,
    /// Calls that the trace's events tell of and its record of the turn leaves out.
    pub unlisted_calls: Vec<ToolCall>,
    /// Memory after the turn.
    pub memory: Field<Arc<Memory>>,
    /// Text that arrived before the turn, such as a person's message.
    pub input: Option<Arc<str>>,
    /// The messages that [`TurnParts::input`] is joined of, where the format tells them apart.
    pub inputs: Vec<Input>,
    /// How the turn was asked for.
    pub kind: TurnKind,
    /// What the LLM was really sent.
    pub messages: Field<Vec<Message>>,
    /// Tokens.
    pub usage: Usage,
    /// When it started, ISO 8601.
    pub started_at: Option<Arc<str>>,
    /// Milliseconds it took.
    pub duration_ms: Option<u64>,
    /// Whether the duration is not told but lies between the times of two records.
    pub approximate: bool,
    /// Where it stands in the source.
    pub position: Position,
    /// What is told of its definitions.
    pub definitions: IndexMap<Arc<str>, Definition>,
    /// The format has no mark for success, so it is unknown.
    pub unmarked: bool,
    /// Brought along from another run's record: the LLM saw it, its tokens count there.
    pub copied: bool,
    /// The writer was not to capture what was said: its content is missing for that reason.
    pub uncaptured: bool,
    /// Asking the LLM failed: the error is the provider's, and no LLM was told it.
    pub request_failed: bool,
}

/// Links a run from the call that started it.
pub(super) fn link(parts: &mut TurnParts, call: usize, child: usize) {
    if let Some(call) = calls(parts).nth(call) {
        call.child = Some(child);
    }
}

/// Links no run from any call.
pub(super) fn unlink(parts: &mut TurnParts) {
    calls(parts).for_each(|call| call.child = None);
}

/// All calls.
fn calls(parts: &mut TurnParts) -> impl Iterator<Item = &mut ToolCall> {
    let listed = match &mut parts.tool_calls {
        Field::Recorded(calls) | Field::Preview(calls) | Field::Cut(calls) => calls.as_mut_slice(),
        Field::Absent | Field::NotRecorded => &mut [],
    };
    listed.iter_mut().chain(&mut parts.unlisted_calls)
}

/// The messages of a person among inputs; an input that is one text is one message.
pub(super) fn person_inputs(text: Option<&Arc<str>>, inputs: &[Input]) -> usize {
    if inputs.is_empty() {
        return usize::from(text.is_some());
    }
    inputs.iter().filter(|input| !input.injected).count()
}
