//! Traces as spans (`formats/otlp-genai.md`): OTLP JSON with the GenAI conventions or OpenInference
//! ([`otlp`]), Langfuse's downloads ([`langfuse`]), LangSmith's runs ([`langsmith`]) and Phoenix's
//! spans ([`phoenix`]). All become [`Span`]s, of which [`forest`] tells where they stand and [`tree`] puts
//! runs together; [`said`] reads the many shapes of messages.

mod attributes;
mod described;
mod events;
mod forest;
mod langfuse;
mod langsmith;
mod otlp;
mod phoenix;
mod said;
mod stored;
mod tree;

use std::sync::Arc;

use indexmap::IndexMap;

pub use langfuse::Langfuse;
pub use langsmith::LangSmith;
pub use otlp::Otlp;
pub use phoenix::Phoenix;

use super::probe::Probe;
use super::{Report, Source, documents};
use crate::calendar;
use crate::error::Error;
use crate::step::{Step, Tool, Usage};
use crate::value::Value;

/// What a span stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    /// A call of a model.
    Llm,
    /// A call of a tool.
    Tool,
    /// A run of an agent.
    Agent,
    /// A step of a run.
    Chain,
    /// Anything else: structure.
    #[default]
    Other,
}

/// A piece of a trace.
#[derive(Debug, Default)]
struct Span {
    id: Arc<str>,
    parent: Option<Arc<str>>,
    kind: Kind,
    name: Arc<str>,
    /// Nanoseconds since 1970.
    start: Option<i64>,
    end: Option<i64>,
    model: Option<Arc<str>>,
    usage: Usage,
    /// Why it failed, where it did.
    error: Option<Value>,
    /// What went in: messages, a text, arguments. `nil` where it was not captured.
    input: Value,
    /// What came out.
    output: Value,
    /// The system prompt, where it stands apart.
    system: Option<Arc<str>>,
    tools: Vec<Tool>,
    /// The identifier of the call that a tool's span answers.
    call: Option<Arc<str>>,
    /// The identifier of a model's reply: two spans of the same one are one turn.
    reply: Option<Arc<str>>,
    /// What tells apart spans that began at once, where the writer does.
    order: Option<Arc<str>>,
    line: Option<u64>,
}

impl Span {
    fn duration_ms(&self) -> Option<u64> {
        u64::try_from(self.end?.checked_sub(self.start?)?)
            .ok()
            .map(|nanoseconds| nanoseconds / 1_000_000)
    }

    fn started_at(&self) -> Option<Arc<str>> {
        calendar::iso_of_ms(self.start? / 1_000_000).map(Into::into)
    }
}

/// Hands on what a source holds, with its line: a document a line, one behind the other, or one.
///
/// # Errors
/// Where a document is no JSON at all.
fn each_record(
    source: &Source,
    report: &mut Report,
    is_record: fn(&Value) -> bool,
    mut take: impl FnMut(&Value, Option<u64>, &mut Report),
) -> Result<(), Error> {
    let by_line = documents::are_lines(source);
    documents::read(source, report, is_record, |line, record, report| {
        take(&record, by_line.then_some(line), report);
    })?;
    Ok(())
}

/// The runs of a source whose records hold spans: `take` puts those of a record to their traces.
///
/// # Errors
/// Where a document is no JSON at all, or nothing in it is a span.
fn load(
    source: &Source,
    report: &mut Report,
    is_record: fn(&Value) -> bool,
    mut take: impl FnMut(&Value, Option<u64>, &mut Traces, &mut Report),
) -> Result<Vec<Arc<Step>>, Error> {
    let mut traces = Traces::new();
    each_record(source, report, is_record, |record, line, report| {
        take(record, line, &mut traces, report);
    })?;
    if traces.is_empty() {
        return Err(super::foreign::nothing(source, "no span could be read"));
    }
    Ok(tree::steps(traces, report))
}

/// The records that a record lists under a name or is a list of, else itself.
fn listed<'a>(record: &'a Value, name: &str) -> &'a [Value] {
    let inside = record.get(name).unwrap_or(record);
    inside.as_list().unwrap_or(std::slice::from_ref(inside))
}

/// Whether a source, or one of its first lines, holds a record of a kind, listed under a name or not.
fn holds(probe: &Probe<'_>, name: &str, is_record: fn(&Value) -> bool) -> bool {
    let is = |value: &Value| listed(value, name).iter().any(is_record);
    is(probe.sketch()) || probe.line_sketches().any(|line| is(&line))
}

/// Nanoseconds of a time as these tools write it.
fn nanoseconds(time: &Value) -> Option<i64> {
    super::foreign::clock::millis(time)?.checked_mul(1_000_000)
}

/// Spans by their traces, in the order in which they appear.
type Traces = IndexMap<Arc<str>, Vec<Span>>;

/// The tools of a list in OpenAI's shape, or of their bare descriptions.
fn tools(listed: &Value) -> Vec<Tool> {
    let tool = |tool: &Value| {
        let tool = super::foreign::unwrapped(tool)?;
        let told = tool.get("function").unwrap_or(&tool);
        let name = super::fields::text(told, "name")?;
        Some(Tool::new(
            name,
            None,
            super::fields::text(told, "description"),
        ))
    };
    let items = listed.as_list().unwrap_or_default();
    items.iter().filter_map(tool).collect()
}
