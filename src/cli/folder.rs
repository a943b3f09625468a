//! The list of a folder's traces, with their figures and totals, where it is printed rather than
//! inspected.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::UNIX_EPOCH;

use serde::Serialize;

use super::args::{CheckOutput, Reading};
use super::page::Page;
use super::style::Role;
use super::{Context, open};
use crate::calendar;
use crate::error::Error;
use crate::load::folder::{self, Entry};
use crate::load::{self, Figures, Loader, Reply};
use crate::text::{amounts, clean_line, escape_json, headline, width};

/// A folder, as JSON.
#[derive(Serialize)]
struct Listed {
    schema: &'static str,
    folder: String,
    traces: Vec<Trace>,
    /// What can't be looked at, and why.
    unread: Vec<Unread>,
    totals: Totals,
}

/// A trace; what is null is not recorded, or the format has no mark for it.
#[derive(Serialize)]
struct Trace {
    /// Its path in the folder.
    file: String,
    /// Bytes.
    size: u64,
    /// When it was last written to, ISO 8601.
    modified: Option<String>,
    format: Option<&'static str>,
    conversations: usize,
    name: Option<String>,
    mission: Option<String>,
    turns: usize,
    errors: Option<usize>,
    tokens: Option<u64>,
    duration_ms: Option<u64>,
    /// What is damaged or not understood in it, in a few words.
    damage: Option<String>,
    /// Why it can't be opened.
    error: Option<String>,
    /// Its turns that may stand in other traces too.
    #[serde(skip)]
    replies: Vec<Reply>,
}

#[derive(Serialize)]
struct Unread {
    file: String,
    why: String,
}

#[derive(Serialize, Default)]
struct Totals {
    traces: usize,
    unopened: usize,
    turns: usize,
    errors: usize,
    tokens: Option<u64>,
    size: u64,
}

/// Prints the list.
///
/// # Errors
/// Where there is no trace, and where writing fails.
pub(super) fn run(
    folder: &Path,
    reading: &Reading,
    output: CheckOutput,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    let format = load::loader(&reading.format)?;
    let (entries, unread) = folder::list(folder);
    if entries.is_empty() && unread.is_empty() {
        return Err(open::no_trace(folder));
    }
    let traces: Vec<Trace> = figures(&entries, format)
        .into_iter()
        .zip(&entries)
        .map(|(figures, entry)| trace(folder, entry, figures))
        .collect();
    let unread = unread.into_iter().map(|(path, why)| Unread {
        file: inside(folder, &path),
        why,
    });
    let listed = Listed {
        schema: "folder/1",
        folder: folder.to_string_lossy().into_owned(),
        totals: totals(&traces),
        traces,
        unread: unread.collect(),
    };
    match output {
        CheckOutput::Text => print(&listed, context),
        CheckOutput::Json => {
            let json = serde_json::to_string_pretty(&listed).unwrap_or_default();
            Ok(writeln!(context.out, "{}", escape_json(&json))?)
        }
    }
}

/// The figures of all traces, or why one can't be opened; as many at a time as there are processors.
fn figures(entries: &[Entry], format: Option<&dyn Loader>) -> Vec<Result<Figures, String>> {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, |count| count.get().min(8));
    let work = || {
        let mut made = Vec::new();
        while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
            made.push((&entry.path, Figures::read(&entry.path, format)));
        }
        made
    };
    let mut made: Vec<(&PathBuf, Result<Figures, String>)> = thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let made = running.into_iter().map(thread::ScopedJoinHandle::join);
        made.flat_map(Result::unwrap_or_default).collect()
    });
    made.sort_by_key(|(path, _)| *path);
    let of = |path: &PathBuf| made.binary_search_by_key(&path, |(path, _)| path);
    let stopped = || Err("reading it ended in a fault of the program".to_owned());
    entries
        .iter()
        .map(|entry| of(&entry.path).map_or_else(|_| stopped(), |at| made[at].1.clone()))
        .collect()
}

/// The path of a trace in its folder.
fn inside(folder: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    inside.to_string_lossy().into_owned()
}

fn trace(folder: &Path, entry: &Entry, figures: Result<Figures, String>) -> Trace {
    let (figures, error) = match figures {
        Ok(figures) => (figures, None),
        Err(why) => (Figures::default(), Some(why)),
    };
    let modified = entry
        .modified
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let modified = modified.and_then(|at| i64::try_from(at.as_millis()).ok());
    Trace {
        file: inside(folder, &entry.path),
        size: entry.size,
        modified: modified.and_then(calendar::iso_of_ms),
        format: error.is_none().then_some(figures.format),
        conversations: figures.conversations,
        name: figures.name,
        mission: figures.mission,
        turns: figures.turns,
        errors: figures.errors,
        tokens: figures.tokens,
        duration_ms: figures.duration_ms,
        damage: figures.damage,
        error,
        replies: figures.replies,
    }
}

/// The totals. A turn that stands in several traces counts once (`formats/claude-code.md`).
fn totals(traces: &[Trace]) -> Totals {
    let mut totals = Totals::default();
    let mut seen = HashSet::new();
    for trace in traces {
        totals.traces += 1;
        totals.unopened += usize::from(trace.error.is_some());
        let known = trace
            .replies
            .iter()
            .filter(|reply| seen.contains(&reply.key));
        let (twice, failed, spent) = known.fold((0, 0, 0_u64), |(turns, errors, tokens), reply| {
            let spent = tokens.saturating_add(reply.tokens.unwrap_or(0));
            (turns + 1, errors + reply.errors, spent)
        });
        seen.extend(trace.replies.iter().map(|reply| reply.key));
        totals.turns += trace.turns.saturating_sub(twice);
        totals.errors += trace.errors.unwrap_or(0).saturating_sub(failed);
        let sum = totals.tokens.unwrap_or(0);
        let own = trace.tokens.map(|tokens| tokens.saturating_sub(spent));
        let tokens = own.map(|tokens| sum.saturating_add(tokens));
        totals.tokens = tokens.or(totals.tokens);
        totals.size = totals.size.saturating_add(trace.size);
    }
    totals
}

/// Columns of a mission, or of a reason, in the list.
const WORDS: usize = 60;

const HEADS: [&str; 9] = [
    "modified", "turns", "errors", "tokens", "size", "took", "format", "file", "mission",
];

fn print(listed: &Listed, context: &mut Context<'_>) -> Result<(), Error> {
    let style = context.style;
    let mut page = Page::new(context.out, style, None);
    let Totals {
        traces,
        unopened,
        turns,
        errors,
        tokens,
        size,
    } = listed.totals;
    let plural = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let mut facts = vec![
        plural(traces, "trace"),
        plural(turns, "turn"),
        plural(errors, "error"),
    ];
    facts.extend(tokens.map(|tokens| format!("{} tokens", amounts::count(tokens))));
    facts.push(amounts::bytes(size));
    if unopened > 0 {
        facts.push(format!("{unopened} can't be opened"));
    }
    page.title(&listed.folder, &facts)?;
    let rows: Vec<[String; 9]> = listed.traces.iter().map(cells).collect();
    let mut widths = HEADS.map(str::len);
    for row in &rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = width(cell).max(*widest);
        }
    }
    let line = |cells: &[String; 9]| {
        let mut line = String::from(" ");
        for (at, (cell, columns)) in cells.iter().zip(widths).enumerate() {
            let gap = " ".repeat(columns.saturating_sub(width(cell)));
            // Figures stand on the right of their columns.
            let parts = if (1..6).contains(&at) {
                [&gap, cell]
            } else {
                [cell, &gap]
            };
            line.push(' ');
            line.extend(parts.map(String::as_str));
            line.push(' ');
        }
        line.trim_end().to_owned()
    };
    page.line(&style.paint(Role::Dim, &line(&HEADS.map(str::to_owned))))?;
    for (row, trace) in rows.iter().zip(&listed.traces) {
        let line = line(row);
        let role = trace.error.is_some().then_some(Role::Bad);
        page.line(&role.map_or(line.clone(), |role| style.paint(role, &line)))?;
    }
    for Unread { file, why } in &listed.unread {
        page.clean("  ", &format!("{file}: can't be read: {why}"))?;
    }
    Ok(())
}

fn cells(trace: &Trace) -> [String; 9] {
    let dash = || "-".to_owned();
    let known = |shown: Option<String>| shown.unwrap_or_else(dash);
    let opened = trace.error.is_none();
    let modified = trace.modified.as_deref().and_then(|at| at.get(..16));
    let words = match (&trace.error, &trace.damage, &trace.mission) {
        (Some(why), _, _) => why.clone(),
        (None, Some(damage), mission) => {
            format!("[{damage}] {}", mission.as_deref().unwrap_or_default())
        }
        (None, None, mission) => known(mission.clone()),
    };
    [
        known(modified.map(|at| at.replace('T', " "))),
        known(opened.then(|| trace.turns.to_string())),
        known(trace.errors.map(|errors| errors.to_string())),
        known(trace.tokens.map(amounts::count)),
        amounts::bytes(trace.size),
        known(trace.duration_ms.map(amounts::duration)),
        known(trace.format.map(str::to_owned)),
        clean_line(&trace.file).into_owned(),
        headline(&words, WORDS),
    ]
}
