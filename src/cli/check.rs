//! `check`: what is recognised in traces, and what was skipped or damaged and where.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::args::{CheckArgs, CheckOutput};
use super::page::Page;
use super::{Context, complain, open, redaction};
use crate::error::Error;
use crate::load::{self, Calls, Loaded, Loader};
use crate::step::{Step, Turn, Usage};
use crate::text::{escape_json, headline};

/// What is told of all files.
#[derive(Serialize)]
struct Checked {
    schema: &'static str,
    files: Vec<File>,
}

/// What is told of a file.
#[derive(Serialize)]
#[allow(clippy::struct_field_names)] // the names of the JSON
struct File {
    file: String,
    format: &'static str,
    conversations: Vec<Conversation>,
    skipped: usize,
    damaged: usize,
    damage: Vec<Damage>,
    unknown: BTreeMap<String, usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
    notes: Vec<String>,
}

/// A conversation in figures; what is null is not recorded, or the format has no mark for it.
#[derive(Serialize)]
struct Conversation {
    name: Option<String>,
    turns: usize,
    programs: usize,
    calls: usize,
    failed_calls: Option<usize>,
    failed_turns: usize,
    inputs: Option<usize>,
    input: Option<u64>,
    output: Option<u64>,
    cached: Option<u64>,
    mission: Option<String>,
    /// What the file itself says that the whole run took.
    #[serde(skip_serializing_if = "Option::is_none")]
    totals: Option<Totals>,
    /// Tokens with those of the runs that it started, where that is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    with_children: Option<Totals>,
    #[serde(skip_serializing_if = "is_none")]
    copied: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    continued: Option<String>,
    #[serde(skip_serializing_if = "is_none")]
    unmatched_results: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Child>,
}

/// Tokens of a whole run; what is null is not recorded.
#[derive(Serialize)]
struct Totals {
    input: Option<u64>,
    output: Option<u64>,
    cached: Option<u64>,
}

/// A run that a conversation started, and the call that did: `TURN.CALL`, from 1.
#[derive(Serialize)]
struct Child {
    call: Option<String>,
    /// The file that holds the run, where it is not in this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten)]
    run: Option<Conversation>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// A record of an unknown kind, as it stands in the source.
#[derive(Serialize)]
struct Unread {
    kind: String,
    line: Option<u64>,
    record: String,
}

/// Columns of such a record that are shown.
const SHOWN: usize = 160;

#[derive(Serialize)]
struct Damage {
    line: Option<u64>,
    what: String,
}

/// Checks the files; false where one of them is not what it should be.
pub(super) fn run(args: &CheckArgs, context: &mut Context<'_>) -> Result<bool, Error> {
    let format = load::loader(&args.reading.format)?;
    let mut sound = true;
    let mut files = Vec::new();
    for named in open::expand(&args.files)? {
        let path = &named.path;
        let file = match load::open(path, format) {
            Ok(loaded) => {
                redaction::learn(&loaded);
                file(path, &loaded)
            }
            // Not everything in a folder is a trace.
            Err(error @ Error::Unrecognised { .. }) if named.found => {
                open::or_left_out::<()>(&named, Err(error))?;
                continue;
            }
            Err(error) => {
                sound = false;
                if args.output == CheckOutput::Text {
                    // So that the lines stand in the order of the files.
                    context.out.flush()?;
                }
                complain("error", &error.to_string());
                continue;
            }
        };
        sound &= file.damaged == 0 && (file.skipped == 0 || !args.strict);
        match args.output {
            CheckOutput::Text => print(&mut Page::new(context.out, context.style, None), &file)?,
            CheckOutput::Json => files.push(file),
        }
    }
    if args.output == CheckOutput::Json {
        let checked = Checked {
            schema: "check/1",
            files,
        };
        let json = serde_json::to_string_pretty(&checked).unwrap_or_default();
        writeln!(context.out, "{}", escape_json(&json))?;
    }
    Ok(sound)
}

fn file(path: &Path, loaded: &Loaded) -> File {
    let report = &loaded.report;
    let format = load::loader(loaded.format).ok().flatten();
    let conversations = loaded.conversations.iter();
    let damage = report.damage.iter().map(|damage| Damage {
        line: damage.line,
        what: damage.what.clone(),
    });
    let unread = report.unread.iter().map(|unread| Unread {
        kind: unread.kind.clone(),
        line: unread.line,
        record: unread.record.clone(),
    });
    File {
        file: path.to_string_lossy().into_owned(),
        format: loaded.format,
        conversations: conversations
            .map(|step| conversation(step, format))
            .collect(),
        skipped: report.skipped(),
        damaged: report.damaged,
        damage: damage.collect(),
        unknown: report.unknown.clone(),
        unread: unread.collect(),
        notes: report.notes.clone(),
    }
}

fn conversation(step: &Step, format: Option<&dyn Loader>) -> Conversation {
    let turns = step.turns();
    let count = |has: fn(&Turn) -> bool| turns.iter().filter(|turn| has(turn)).count();
    let seen = Seen::of(step);
    let of_run = load::tells_of_run(step);
    let sum = |part| load::usage_sum(step, part);
    let arrived = turns.iter().map(|turn| turn.person_inputs());
    let inputs = arrived.sum::<usize>() + step.pending_person_inputs();
    let marks_inputs = format.is_none_or(Loader::marks_inputs) && !step.inputs_unmarked;
    Conversation {
        name: step.name.as_deref().map(str::to_owned),
        turns: turns.len(),
        programs: seen.programs,
        calls: seen.calls.count,
        failed_calls: seen.calls.failed_in(format),
        failed_turns: count(Turn::failed),
        inputs: marks_inputs.then_some(inputs),
        input: sum(|usage: &Usage| usage.input),
        output: sum(|usage| usage.output),
        cached: sum(|usage| usage.cache_read),
        mission: step
            .mission
            .as_deref()
            .map(|mission| mission.chars().take(60).collect()),
        totals: (!of_run && !step.usage.is_empty()).then_some(Totals {
            input: step.usage.input,
            output: step.usage.output,
            cached: step.usage.cache_read,
        }),
        with_children: with_children(step),
        copied: count(Turn::copied),
        continued: step.continued.as_deref().map(str::to_owned),
        unmatched_results: step.unmatched_results.len(),
        children: children(step, seen.callers, format),
    }
}

fn with_children(step: &Step) -> Option<Totals> {
    let parts: [fn(&Usage) -> Option<u64>; 3] = [
        |usage| usage.input,
        |usage| usage.output,
        |usage| usage.cache_read,
    ];
    let own = parts.map(|part| load::usage_sum(step, part));
    let [input, output, cached] = parts.map(|part| load::usage_with_runs(step, part));
    (own != [input, output, cached]).then_some(Totals {
        input,
        output,
        cached,
    })
}

/// What is seen of a run by going through its turns, one after the other: a large trace is read once,
/// and none of its turns stays in memory.
struct Seen {
    programs: usize,
    calls: Calls,
    /// The call that started each child.
    callers: Vec<Option<String>>,
}

impl Seen {
    fn of(step: &Step) -> Self {
        let mut seen = Self {
            programs: 0,
            calls: Calls::default(),
            callers: vec![None; step.children.len()],
        };
        for turn in step.each_turn() {
            seen.programs += usize::from(turn.program().get().is_some());
            let calls = turn.tool_calls();
            seen.calls.take(calls);
            for (at, call) in calls.iter().enumerate() {
                if let Some(place) = call.child.and_then(|child| seen.callers.get_mut(child)) {
                    *place = Some(format!("{}.{}", turn.number(), at + 1));
                }
            }
        }
        seen
    }
}

fn children(step: &Step, callers: Vec<Option<String>>, format: Option<&dyn Loader>) -> Vec<Child> {
    let runs = step.children.iter().zip(callers);
    runs.map(|(child, call)| Child {
        call,
        file: child.elsewhere.as_deref().map(str::to_owned),
        run: child
            .elsewhere
            .is_none()
            .then(|| conversation(child, format)),
    })
    .collect()
}

fn print(page: &mut Page<'_>, file: &File) -> Result<(), Error> {
    let count = file.conversations.len();
    let plural = if count == 1 { "" } else { "s" };
    let facts = [
        file.format.to_owned(),
        format!("{count} conversation{plural}"),
    ];
    page.title(&file.file, &facts)?;
    for conversation in &file.conversations {
        page.clean("  ", &figures(conversation))?;
        if let Some(mission) = &conversation.mission {
            page.note("    ", &format!("mission: {}", mission.replace('\n', " ")))?;
        }
    }
    for damage in &file.damage {
        let place = damage.line.map(|line| format!("line {line}: "));
        let text = format!("damaged: {}{}", place.unwrap_or_default(), damage.what);
        page.clean("  ", &text)?;
    }
    if file.damaged > file.damage.len() {
        let more = file.damaged - file.damage.len();
        page.clean("  ", &format!("damaged: {more} more"))?;
    }
    for (kind, count) in &file.unknown {
        page.clean("  ", &format!("unknown: {count} of kind {kind}"))?;
        // The first of them as it stands, in a line; JSON has more of it, and of others.
        if let Some(first) = file.unread.iter().find(|unread| unread.kind == *kind) {
            let line = first.line.map(|line| format!("line {line}: "));
            let record = headline(&first.record, SHOWN);
            page.note("    ", &format!("{}{record}", line.unwrap_or_default()))?;
        }
    }
    for note in &file.notes {
        page.clean("  ", &format!("note: {note}"))?;
    }
    Ok(())
}

/// Counts of tokens in words: of prompts, of replies, of what was read from a cache.
fn tokens(counts: [Option<u64>; 3]) -> Option<String> {
    let named = counts.into_iter().zip(["in", "out", "cached"]);
    let words = named.filter_map(|(count, what)| Some(format!("{} {what}", count?)));
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn figures(conversation: &Conversation) -> String {
    let Conversation {
        name,
        turns,
        programs,
        calls,
        failed_turns,
        ..
    } = conversation;
    let name = name.as_deref().unwrap_or("run without a name");
    let mut words = vec![
        format!("{turns} turns, {failed_turns} failed"),
        format!("{programs} programs"),
        match conversation.failed_calls {
            Some(failed) => format!("{calls} calls, {failed} failed"),
            None => format!("{calls} calls, failures not marked"),
        },
    ];
    if let Some(inputs) = conversation.inputs.filter(|inputs| *inputs > 0) {
        words.push(format!("{inputs} inputs"));
    }
    let own = [conversation.input, conversation.output, conversation.cached];
    words.push(match tokens(own) {
        Some(tokens) => format!("tokens {tokens}"),
        None => "tokens not recorded".to_owned(),
    });
    if let Some(all) = &conversation.with_children {
        let all = tokens([all.input, all.output, all.cached]);
        words.extend(all.map(|tokens| format!("with the runs in it {tokens}")));
    }
    format!("{name}: {}", words.join("; "))
}
