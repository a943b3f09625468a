//! What the command line takes: the clap types.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::man::ManArgs;
use super::option_flags::OptionFlags;
use super::selection::Selection;
use crate::export::form::Form;
use crate::settings::Palette;

/// Inspects runs of multi-turn LLM agents: what the model saw, what it no longer saw, and what
/// another history strategy would have sent.
#[derive(Debug, Parser)]
#[command(
    name = "turnscope",
    version,
    override_usage = "turnscope [OPTIONS] [FILE]\n       turnscope [OPTIONS] COMMAND ..",
    after_help = "Without a command, FILE is inspected; without a file, a demo. '-' is standard input.\n\
                  Where standard output is not a terminal, the turns are printed.\n\
                  Exit codes: 0 done, 1 the input is not what it should be, 2 usage, 3 a requirement is not met\n\
                  or a program came out otherwise than recorded.",
    args_override_self = true
)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// What every command takes.
#[derive(Debug, Args)]
pub(super) struct Global {
    /// Colours; auto obeys NO_COLOR and is off where the output is no terminal
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN"
    )]
    pub(super) color: When,
    /// Draws with ASCII alone, as without a UTF-8 locale
    #[arg(
        long,
        global = true,
        value_name = "true|false",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    pub(super) ascii: Option<bool>,
    /// The settings file; by default the one that TURNSCOPE_CONFIG names, else turnscope/config.toml
    /// in the directory for settings
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Hides secrets in what is written: keys, tokens, passwords, e-mail addresses, home folders
    #[arg(long, global = true)]
    pub(super) redact: bool,
    /// Hides what a pattern of one's own finds too, under that name; a group in it is what is hidden
    #[arg(long, global = true, value_name = "NAME=REGEX")]
    pub(super) redact_pattern: Vec<String>,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Opens the inspector, the default
    Inspect(InspectArgs),
    /// Prints the turns, or the prompt that a strategy gives
    Print(PrintArgs),
    /// Prints the messages that the LLM is sent to produce a turn
    Messages(MessagesArgs),
    /// Compares strategies: what each costs, keeps and loses
    Compare(CompareArgs),
    /// Shows how two prompts, or two runs, differ
    Diff(DiffArgs),
    /// Lists everything that went wrong, in order
    Problems(ProblemsArgs),
    /// Says what is recognised in traces, and what was skipped or damaged
    Check(CheckArgs),
    /// Writes a run in another form
    Convert(ConvertArgs),
    /// Runs a PTC-Lisp program
    Eval(EvalArgs),
    /// Runs a trace's programs again on recorded results of tools
    Replay(ReplayArgs),
    /// Runs the agent loop on a file of responses, or live, and writes a step
    Run(RunArgs),
    /// Says where the settings are, what holds, and what was ignored
    Settings,
    /// Prints the inspector's keys
    Keys(KeysArgs),
    /// Prints a shell's completions
    Completions(CompletionsArgs),
    /// Prints the manual page of turnscope or of a command
    Man(ManArgs),
}

/// How a trace is read.
#[derive(Debug, Clone, Args)]
pub(super) struct Reading {
    /// The trace's format; auto recognises it by its content
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub(super) format: String,
}

/// Which of a trace's conversations is meant.
#[derive(Debug, Clone, Args)]
pub(super) struct Picking {
    /// Which conversation, where the trace holds several; from 1
    #[arg(long, value_name = "N", value_parser = whole_number, allow_hyphen_values = true)]
    pub(super) conversation: Option<u32>,
}

/// What `inspect DIR --output json` writes.
const FOLDER_JSON: &str = "\
JSON of a folder, schema folder/1: folder, traces (newest first), unread, totals.
A trace: file (its path in the folder), size (bytes), modified, format, conversations, name, mission,
turns, errors (failed turns and calls), tokens, duration_ms, damage (in words), error (why it can't be
opened). What is null is not recorded, or the format has no mark for it. unread: file and why.
totals: traces, unopened, turns, errors, tokens, size.";

#[derive(Debug, Args)]
#[command(after_long_help = FOLDER_JSON)]
pub(super) struct InspectArgs {
    /// A trace file, a folder of them, or - for standard input; none opens the demo, two files open side
    /// by side
    // More than two are taken only to be refused in words of our own.
    #[arg(value_name = "FILE", num_args = 0..)]
    pub(super) files: Vec<PathBuf>,
    /// The newest trace of a folder and those below it; of the current one by default
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", conflicts_with = "files")]
    pub(super) last: Option<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) picking: Picking,
    /// The turn to begin with
    #[arg(long, value_name = "N", value_parser = whole_number, allow_hyphen_values = true)]
    pub(super) turn: Option<u32>,
    /// The form in which the list of a folder is printed; json prints it on a terminal too
    #[arg(long, value_enum, default_value = "text")]
    pub(super) output: CheckOutput,
    #[command(flatten)]
    pub(super) screen: ScreenFlags,
    #[command(flatten)]
    pub(super) options: OptionFlags,
}

/// How the inspector looks, in place of what the settings say.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Screen")]
pub(super) struct ScreenFlags {
    /// The colours; those for a dark ground by default
    #[arg(long, value_name = "dark|light|none", value_parser = palette)]
    pub(super) theme: Option<Palette>,
    /// Takes the mouse; the terminal's own selection then needs shift held
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(super) mouse: Option<bool>,
    /// Wraps long lines, the default
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(super) wrap: Option<bool>,
}

#[derive(Debug, Args)]
pub(super) struct PrintArgs {
    /// A trace file, a folder of them, or - for standard input
    #[arg(required_unless_present = "last")]
    pub(super) file: Option<PathBuf>,
    /// The newest trace of a folder and those below it; of the current one by default
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", conflicts_with = "file")]
    pub(super) last: Option<PathBuf>,
    /// Goes on printing the turns that come into the file
    #[arg(long)]
    pub(super) follow: bool,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) picking: Picking,
    /// What is shown
    #[arg(long, value_enum, default_value = "turns")]
    pub(super) view: View,
    #[command(flatten)]
    pub(super) parts: Parts,
    /// The turns that are shown, such as 5..9,12
    #[arg(long, value_name = "TURNS", allow_hyphen_values = true)]
    pub(super) turns: Option<Selection>,
    /// Cuts each text to so many lines, with a note on the rest
    #[arg(long, value_name = "N", value_parser = line_count, allow_hyphen_values = true)]
    pub(super) max_lines: Option<usize>,
    /// The turn whose prompt is shown; the one after the last by default
    #[arg(long, value_name = "N", value_parser = whole_number, allow_hyphen_values = true)]
    pub(super) turn: Option<u32>,
    #[command(flatten)]
    pub(super) options: OptionFlags,
}

/// What the turns view shows besides the turns.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct Parts {
    /// Adds the raw responses
    #[arg(long)]
    pub(super) raw: bool,
    /// Adds what the LLM was sent
    #[arg(long)]
    pub(super) messages: bool,
    /// Adds tokens, calls by tool, and what the strategy dropped
    #[arg(long)]
    pub(super) usage: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum View {
    Turns,
    Compressed,
}

#[derive(Debug, Args)]
pub(super) struct MessagesArgs {
    /// A trace file, or - for standard input
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) picking: Picking,
    /// The turn that the messages are for; the one after the last by default
    #[arg(long, value_name = "N", value_parser = whole_number, allow_hyphen_values = true)]
    pub(super) turn: Option<u32>,
    /// The form
    #[arg(long, value_enum, default_value = "json")]
    pub(super) output: MessagesOutput,
    #[command(flatten)]
    pub(super) options: OptionFlags,
}

/// The forms that messages are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum MessagesOutput {
    /// An array of role and content on one line; frozen.
    Json,
    /// For people.
    Text,
    /// A request body for OpenAI's chat API.
    Openai,
    /// A request body for Anthropic's messages API.
    Anthropic,
}

/// With what figures are made.
#[derive(Debug, Clone, Args)]
pub(super) struct Measuring {
    /// The provider's cache: auto (by the model), raw (the equal prefix as it is), openai, anthropic or
    /// anthropic-1h; values can follow, as in anthropic,minimum=4096: minimum, step, lifetime, cached,
    /// fresh, written
    #[arg(long, default_value = "auto", value_name = "NAME[,VALUE=N..]")]
    pub(super) profile: String,
}

/// What the JSON of `compare` holds.
const COMPARE_JSON: &str = "\
JSON, --output json: one object with \"schema\": \"compare/1\". Of several runs, files (an object a run) and
medians (over the rows of one case). Of a run:
  file, tokenizer, exact (whether that is the recorded model's), reference (the prompts that needs are
  measured by: recorded, rebuilt or uncompressed; several where turns differ), baseline
  profile       name, source, read_on, and the values in force
  needed        names, literals, own: how many distinct items were needed
  reach         [[turns back, items that are never needed from further back], ..]
  recorded      turns, input, output, cache_read, cache_write: sums of what the trace records, null where
                it doesn't; ratio: recorded to counted prompt tokens; with --per-turn prompts
  besides       what the last prompt has besides its contents: call_arguments, thinking, tool_schemas
                (tokens), images (how many), overhead (tokens around messages, null where not known)
  rows          one a case:
    case, strategy, messages and tokens (of the last prompt), total (tokens of all prompts), vs_baseline
    (percent), cached_share (of the prompts from the second on), fresh, weighted, cost (with --price),
    lost (lost_names + lost_literals), lost_own, values (names without the value that the reference
    shows), values_vs_uncompressed (the same against uncompressed, null where that is the reference),
    calls and prints ([shown, dropped]), errors_collapsed, marked (cheapest that kept what was used)
    pairs       what is lost: kind (name, literal, own, value), item, source (turn), turns, reason
    turns       with --per-turn: turn, messages, prompt, cached, written, earlier (the turn whose prompt
                shares the prefix), miss (content, expired with gap in seconds, not recorded, null),
                break (message, char, piece; counted from 0), needed, lost, values
CSV has a line a row, the same names in its head.

Exit code 3: a requirement is not met, or nothing could be measured and --allow-empty isn't given.";

/// What the JSON of `problems` holds.
const PROBLEMS_JSON: &str = "\
JSON, --output json: one object with \"schema\": \"problems/1\", file and problems; of several files, files.
A problem has problem (its kind), path (of a child run: places among the children, from 0), and:
  no result        reason
  API error, interruption, compaction
                   turn, text
  unanswered call  turn, call (from 0), tool
  failed turn      turn, message
  failed call, refused call
                   turn, call, tool, message
  retry            turn, call, tool, first ([turn, call] of the failed one)
  repeated call    turn, call, tool, first, changed (it answered something else), result (visible, part,
                   gone, not known, same turn), last_prompt (the last turn whose prompt had it), removed
                   (what took it out: a reason, compaction), written (whether a call in between
                   changed anything, where the tools are known)
  undefined name   turn, name, would_have (the failed turn whose program would have defined it)
  cut              turn, part";

#[derive(Debug, Args)]
#[command(after_long_help = COMPARE_JSON)]
pub(super) struct CompareArgs {
    /// Trace files, folders of them, or - for standard input; of several runs the medians are given too
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) picking: Picking,
    /// One turn's prompt; by default the prompts of the whole run
    #[arg(long, value_name = "N", value_parser = whole_number, allow_hyphen_values = true)]
    pub(super) turn: Option<u32>,
    /// A row: NAME=STRATEGY,option=value,..; by default one a strategy, and what was really sent
    #[arg(long, value_name = "CASE")]
    pub(super) case: Vec<String>,
    /// The row that others are held against: recorded if there, else uncompressed. A file holds each row
    /// against the one of its name: an output of compare --output json, or another trace
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) baseline: Option<String>,
    /// A row for each value of one option of --strategy: option=a..b, or every step-th: option=a..b:step
    #[arg(long, value_name = "OPTION=A..B[:STEP]", conflicts_with = "case")]
    pub(super) sweep: Option<String>,
    /// What every row but the baseline must meet, such as lost<=baseline or tokens<=-20%; else exit 3
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(super) require: Vec<String>,
    /// Nothing to measure is no failure: no prompt, or a requirement where nothing was needed
    #[arg(long)]
    pub(super) allow_empty: bool,
    /// What a million tokens cost: input=P, and cached=P, written=P, output=P, which are else the input's
    /// price at the profile's factors, and no price for replies
    #[arg(long, value_name = "input=P[,..]")]
    pub(super) price: Option<String>,
    /// The prompts one by one too: tokens, what is cached and where that breaks, what is lost
    #[arg(long)]
    pub(super) per_turn: bool,
    /// The form
    #[arg(long, value_enum, default_value = "table")]
    pub(super) output: CompareOutput,
    #[command(flatten)]
    pub(super) measuring: Measuring,
    #[command(flatten)]
    pub(super) options: OptionFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CompareOutput {
    Table,
    Json,
    Csv,
}

/// What `diff --output json` writes.
const DIFF_JSON: &str = "\
JSON of two runs, --output json, schema diff-runs/1: before and after (file, system_prompt, mission,
model, tools, signatures by tool, strategy as it ran, max_turns, outcome, turns, calls, usage: recorded
input, cached and output tokens, problems: how many by kind); turns (before, after: turn numbers, null where a run has none; likeness:
same, other outcome, other doing, only before, only after); divergence: the first of turns that did
otherwise, null where none did. What is null is not recorded.";

#[derive(Debug, Args)]
#[command(after_long_help = DIFF_JSON)]
pub(super) struct DiffArgs {
    /// A trace file, or - for standard input
    pub(super) file: PathBuf,
    /// Another run; without --turn the runs are compared
    #[arg(value_name = "FILE2")]
    pub(super) file2: Option<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) picking: Picking,
    /// The turn whose prompt is compared; the one after the last by default
    #[arg(long, value_name = "N", value_parser = whole_number, allow_hyphen_values = true)]
    pub(super) turn: Option<u32>,
    /// The turn whose prompt it is compared with; the one before by default
    #[arg(long, value_name = "M", value_parser = whole_number, allow_hyphen_values = true, conflicts_with_all = ["against", "file2"])]
    pub(super) against_turn: Option<u32>,
    /// The strategy whose prompt for the same turn it is compared with, or recorded
    #[arg(long, value_name = "STRATEGY", conflicts_with = "file2")]
    pub(super) against: Option<String>,
    /// The form; json is of two runs alone
    #[arg(long, value_enum, default_value = "text")]
    pub(super) output: CheckOutput,
    #[command(flatten)]
    pub(super) options: OptionFlags,
}

#[derive(Debug, Args)]
#[command(after_long_help = PROBLEMS_JSON)]
pub(super) struct ProblemsArgs {
    /// Trace files, folders of them, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    /// The form
    #[arg(long, value_enum, default_value = "text")]
    pub(super) output: CheckOutput,
    #[command(flatten)]
    pub(super) options: OptionFlags,
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Trace files, folders of them, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    /// Records of an unknown kind count as damage
    #[arg(long)]
    pub(super) strict: bool,
    /// The form
    #[arg(long, value_enum, default_value = "text")]
    pub(super) output: CheckOutput,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CheckOutput {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub(super) struct ConvertArgs {
    /// A trace file, or - for standard input
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) picking: Picking,
    /// The form to write
    #[arg(long, value_enum)]
    pub(super) to: Form,
    /// The turns that are written, such as 5..9,12
    #[arg(long, value_name = "TURNS", allow_hyphen_values = true)]
    pub(super) turns: Option<Selection>,
    /// The file to write; standard output by default. A file is redacted
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Writes secrets into a file as they are
    #[arg(long, conflicts_with_all = ["redact", "redact_pattern"])]
    pub(super) no_redact: bool,
}

/// On the command line a form goes by its name.
impl ValueEnum for Form {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.title()))
    }
}

#[derive(Debug, Args)]
pub(super) struct EvalArgs {
    /// The program, or - for standard input
    #[arg(value_name = "PROGRAM", allow_hyphen_values = true)]
    pub(super) program: Option<String>,
    /// A JSON file whose fields are read as data/NAME
    #[arg(long, value_name = "FILE")]
    pub(super) data: Option<PathBuf>,
    /// A JSON file that describes tools; those of kind command are run
    #[arg(long, value_name = "FILE")]
    pub(super) tools: Option<PathBuf>,
    /// A JSON file of what is defined already
    #[arg(long, value_name = "FILE")]
    pub(super) memory: Option<PathBuf>,
    /// The form
    #[arg(long, value_enum, default_value = "text")]
    pub(super) output: EvalOutput,
    /// A name that nothing else has stands for a tool or a field of the data
    #[arg(long)]
    pub(super) bare_names: bool,
    /// Tells what a builtin does
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(super) doc: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalOutput {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// A trace file, or - for standard input
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) picking: Picking,
    /// A name that nothing else has stands for a tool or a field of the data
    #[arg(long)]
    pub(super) bare_names: bool,
    /// The form
    #[arg(long, value_enum, default_value = "text")]
    pub(super) output: EvalOutput,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// A step file with mission, data and tools; turns in it are not used
    pub(super) spec: PathBuf,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) picking: Picking,
    /// A JSON list of what the model answers, one text a turn
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "llm",
        conflicts_with = "llm"
    )]
    pub(super) responses: Option<PathBuf>,
    /// Asks an OpenAI-compatible endpoint, such as https://api.example.org/v1; the key is read from
    /// TURNSCOPE_API_KEY
    #[arg(long, value_name = "URL", requires = "model")]
    pub(super) llm: Option<String>,
    /// The model to ask
    #[arg(long, value_name = "NAME", requires = "llm")]
    pub(super) model: Option<String>,
    /// Seconds that one answer may take
    #[arg(long, value_name = "SECONDS", default_value = "120", requires = "llm")]
    pub(super) answer_time: u64,
    /// A JSON file that describes tools; those of kind command are run
    #[arg(long, value_name = "FILE")]
    pub(super) tools: Option<PathBuf>,
    /// The strategy; as the step says by default
    #[arg(long, value_name = "NAME")]
    pub(super) strategy: Option<String>,
    /// A name that nothing else has stands for a tool or a field of the data
    #[arg(long)]
    pub(super) bare_names: bool,
    /// The step file to write
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct KeysArgs {
    /// As a Markdown table, the only form so far
    #[arg(long)]
    pub(super) markdown: bool,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(super) shell: Shell,
}

fn palette(text: &str) -> Result<Palette, String> {
    Palette::from_name(text)
        .ok_or_else(|| format!("one of {} is needed", Palette::NAMES.join(", ")))
}

/// A turn or a conversation. 0 is told apart later, where what is valid is known.
fn whole_number(text: &str) -> Result<u32, String> {
    let number = text.parse::<u32>();
    number.map_err(|_| "a whole number from 1 is needed".to_owned())
}

fn line_count(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>();
    number.map_err(|_| "a whole number from 0 is needed".to_owned())
}
