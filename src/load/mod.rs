//! Reading traces: recognising a format by its content, loading it, and saying what could not be read.
//!
//! A format is one file and one row in [`LOADERS`]; the smallest to copy is `step.rs`. A bad trace
//! never stops the program: what is whole is loaded, the rest is counted in the [`Report`].

mod anthropic;
mod atif;
mod batches;
mod beside;
mod blocks;
mod bytes;
mod claude_code;
mod codex;
mod conversations;
mod documents;
mod elements;
mod fields;
mod figures;
pub mod folder;
mod foreign;
mod gemini;
mod inspect_ai;
mod keys;
mod lanes;
mod light;
mod mini_swe_agent;
mod openai_chat;
mod opencode;
mod openhands;
mod packed;
mod probe;
mod progress;
mod quotes;
mod records;
mod report;
mod salvage;
mod sent;
mod sharegpt;
mod shelf;
mod shorten;
mod smolagents;
mod source;
mod spans;
mod step;
mod storage;
mod swe_agent;
mod talk;
mod think;
mod trace_log;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

pub use anthropic::AnthropicMessages;
pub use atif::Atif;
pub use claude_code::ClaudeCode;
pub use codex::Codex;
pub(crate) use fields::usage as usage_of;
pub use figures::Figures;
pub(crate) use figures::{Calls, tells_of_run, usage_sum, usage_with_runs};
pub use gemini::GeminiCli;
pub use inspect_ai::InspectAi;
pub use mini_swe_agent::MiniSweAgent;
pub use openai_chat::OpenAiChat;
pub use opencode::OpenCode;
pub use openhands::OpenHands;
pub use progress::Progress;
pub use report::{Damage, Reply, Report, Unread};
pub use sharegpt::ShareGpt;
pub use smolagents::Smolagents;
pub use source::Source;
pub use spans::{LangSmith, Langfuse, Otlp, Phoenix};
pub use step::StepFile;
pub use storage::is_storage;
pub use swe_agent::SweAgent;
pub use trace_log::{TraceLogV1, TraceLogV2};

use tracing::debug;

use crate::error::Error;
use crate::step::Step;
use probe::Probe;

/// What was loaded from a source.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The format's name.
    pub format: &'static str,
    /// The conversations in it, in file order. There may be none.
    pub conversations: Vec<Arc<Step>>,
    /// What could not be read, and what else there is to say.
    pub report: Report,
    /// Files and folders that were looked at besides the source, such as those of runs that it started,
    /// whether they are there or not.
    pub beside: Vec<PathBuf>,
}

/// What traces of a format tell, in a few words each.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs)] // the columns of a table
pub struct Records {
    /// What is read.
    pub read: &'static str,
    /// What is not recorded.
    pub missing: &'static str,
}

/// The formats as a Markdown table: what is read, and what is not recorded.
pub fn formats_table() -> String {
    let mut out = String::from(
        "| format | `--format` | what is read | what is not recorded |\n|---|---|---|---|\n",
    );
    for loader in LOADERS {
        let Records { read, missing } = loader.records();
        let _ = writeln!(
            out,
            "| {} | `{}` | {read} | {missing} |",
            loader.title(),
            loader.name()
        );
    }
    out
}

/// A trace format.
pub trait Loader: Sync {
    /// The name for `--format`.
    fn name(&self) -> &'static str;

    /// What it is, in a few words.
    fn title(&self) -> &'static str;

    /// What its traces tell, and what they don't.
    fn records(&self) -> Records;

    /// Whether the format marks failed calls as such. Without the mark nobody knows.
    fn marks_failed_calls(&self) -> bool {
        true
    }

    /// Whether the format tells a person's messages from other text.
    fn marks_inputs(&self) -> bool {
        true
    }

    /// Whether a source is of this format, by its content.
    fn recognises(&self, probe: &Probe<'_>) -> bool;

    /// Loads a source. What can't be read is noted in `report`.
    ///
    /// # Errors
    /// Where nothing at all can be made of it.
    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error>;
}

/// All formats, in the order in which they are tried.
pub const LOADERS: &[&dyn Loader] = &[
    &StepFile,
    &TraceLogV2,
    &TraceLogV1,
    // Before those that know chats in general.
    &MiniSweAgent,
    &Atif,
    &SweAgent,
    &OpenHands,
    &Otlp,
    &Langfuse,
    &LangSmith,
    &Phoenix,
    &InspectAi,
    &Smolagents,
    &ClaudeCode,
    &Codex,
    &GeminiCli,
    &OpenCode,
    &ShareGpt,
    &AnthropicMessages,
    &OpenAiChat,
];

/// The names of all formats.
pub fn format_names() -> Vec<&'static str> {
    LOADERS.iter().map(|loader| loader.name()).collect()
}

/// The loader of a format's name; `auto` is none.
///
/// # Errors
/// [`Error::UnknownFormat`], which lists the valid names.
pub fn loader(name: &str) -> Result<Option<&'static dyn Loader>, Error> {
    if name == "auto" {
        return Ok(None);
    }
    let found = LOADERS.iter().find(|loader| loader.name() == name);
    found
        .map(|loader| Some(*loader))
        .ok_or_else(|| Error::UnknownFormat {
            name: name.to_owned(),
            known: format_names(),
        })
}

/// Opens and loads a file, or standard input for `-`.
///
/// # Errors
/// Where it can't be read, is empty or of no known format.
pub fn open(path: &Path, format: Option<&dyn Loader>) -> Result<Loaded, Error> {
    load(&Source::open(path)?, format)
}

/// As [`open`], seen from another thread, which may leave it early.
///
/// # Errors
/// As [`open`]; where it was left before anything could be made of it, too.
pub fn open_with(
    path: &Path,
    format: Option<&dyn Loader>,
    progress: &Arc<Progress>,
) -> Result<Loaded, Error> {
    let mut loaded = load(&Source::open_with(path, progress)?, format)?;
    if progress.is_cut_inside() {
        // Where it was cut is no damage.
        loaded.report = Report::default();
    }
    Ok(loaded)
}

/// Loads the beginning of a file that takes a while to be read whole, so that something can be shown
/// meanwhile; nothing of a file that is read in no time, and of one whose beginning tells nothing.
pub fn open_beginning(path: &Path, format: Option<&dyn Loader>) -> Option<Loaded> {
    let source = Source::beginning_of(path).ok()??;
    let mut loaded = load(&source, format).ok()?;
    // Where it was cut is no damage.
    loaded.report = Report::default();
    let has_turns = loaded
        .conversations
        .iter()
        .any(|step| !step.turns().is_empty());
    has_turns.then_some(loaded)
}

/// Whether a file is a trace, by its content.
pub fn is_trace(path: &Path) -> bool {
    Source::open(path).is_ok_and(|source| !source.is_blank() && recognise(&source).is_ok())
}

/// The size of a file and when it was last written to: what tells that it has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Its bytes.
    pub(crate) size: u64,
    written: Option<SystemTime>,
}

impl Stamp {
    /// The stamp of a file; none where there is none.
    pub fn of(path: &Path) -> Option<Self> {
        let about = std::fs::metadata(path).ok()?;
        Some(Self {
            size: about.len(),
            written: about.modified().ok(),
        })
    }

    /// When it was last written to, where the file system tells.
    pub fn written(&self) -> Option<SystemTime> {
        self.written
    }

    /// Whether it was last written to before a time.
    pub fn is_before(&self, time: SystemTime) -> bool {
        self.written.is_some_and(|written| written < time)
    }
}

/// Loads a source, recognising its format where none is given.
///
/// # Errors
/// Where it is empty or of no known format.
pub fn load(source: &Source, format: Option<&dyn Loader>) -> Result<Loaded, Error> {
    let began = Instant::now();
    let mut report = Report::default();
    source.describe(&mut report);
    if source.is_blank() {
        return Err(Error::Empty {
            name: source.name().to_owned(),
        });
    }
    let (loader, conversations): (&dyn Loader, _) = match format {
        Some(loader) => (loader, loader.load(source, &mut report)?),
        None => load_unknown(source, &mut report)?,
    };
    let mut steps = conversations.iter();
    if steps.any(|step| !step.unmatched_results.is_empty()) {
        report.note("some results answer no call; they are kept beside the turns");
    }
    debug!(
        file = source.name(),
        format = loader.name(),
        conversations = conversations.len(),
        turns = conversations.iter().map(|step| step.turns().len()).sum::<usize>(),
        skipped = report.skipped(),
        took = ?began.elapsed(),
        "loaded"
    );
    Ok(Loaded {
        format: loader.name(),
        conversations,
        report,
        beside: source.beside().seen(),
    })
}

/// Loads a source of a format that is not known. What a large document begins with tells its format as a
/// rule: then it is read only once, and what was seen of it thereby has to tell the same.
fn load_unknown(
    source: &Source,
    report: &mut Report,
) -> Result<(&'static dyn Loader, Vec<Arc<Step>>), Error> {
    let mut probe = Probe::of_beginning(source);
    let guessed = recognised(&probe).filter(|_| probe.is_cut());
    let mut told = report.clone();
    let outcome = guessed.map(|loader| (loader, loader.load(source, &mut told)));
    // What nobody wanted to read to its end tells nothing more.
    let is_left = guessed.is_some() && source.is_left();
    if !is_left {
        probe.look_to_end();
    }
    if let Some((loader, Ok(conversations))) = outcome {
        let is_so = || recognised(&probe).is_some_and(|found| found.name() == loader.name());
        if is_left || is_so() {
            *report = told;
            return Ok((loader, conversations));
        }
    }
    let loader = known(&probe)?;
    Ok((loader, loader.load(source, report)?))
}

fn recognised(probe: &Probe<'_>) -> Option<&'static dyn Loader> {
    let mut loaders = LOADERS.iter().copied();
    loaders.find(|loader| loader.recognises(probe))
}

fn known(probe: &Probe<'_>) -> Result<&'static dyn Loader, Error> {
    let found = recognised(probe).or_else(|| recognised(&probe.mended()));
    found.ok_or_else(|| probe.unrecognised())
}

fn recognise(source: &Source) -> Result<&'static dyn Loader, Error> {
    known(&Probe::new(source))
}
