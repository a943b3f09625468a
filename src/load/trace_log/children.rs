//! The runs that a run started: from its own events, from files of their own beside it, or from its
//! record at the end. Each is linked from the call that started it, where that can be told.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::beside::Beside;
use super::super::{Report, Source};
use super::build::Builder;
use super::event::Version;
use super::fold::{CallEvents, CallPlace, Trace};
use super::turns::Links;
use crate::step::{Ending, Step};
use crate::value::Value;

/// How deep runs may start runs before they are no longer followed.
pub(super) const MAX_DEPTH: usize = 32;

/// The note where they are not.
pub(super) const TOO_DEEP: &str =
    "agents start agents more than 32 deep; deeper ones are not shown";

/// Which runs of a trace started which.
#[derive(Debug, Default)]
pub(super) struct Kids {
    /// Runs that nobody in the file started.
    pub roots: Vec<usize>,
    of: Vec<Vec<(usize, Option<CallPlace>)>>,
}

impl Kids {
    /// Reads it off the spans. Spans that go in a circle are cut where the first of them began.
    pub(super) fn new(trace: &Trace) -> Self {
        let count = trace.runs.len();
        let mut kids = Self {
            roots: Vec::new(),
            of: vec![Vec::new(); count],
        };
        for (at, run) in trace.runs.iter().enumerate() {
            let Some(parent) = run.parent_span.as_ref().filter(|_| at > 0) else {
                kids.roots.push(at);
                continue;
            };
            let call = trace.calls.get(parent).copied();
            let parent = call
                .map(|(run, _, _)| run)
                .or_else(|| trace.spans.get(parent).copied());
            // The call that started it may be lost; the file is the first run's.
            kids.of[parent.unwrap_or(0)].push((at, call));
        }
        let mut reached = vec![false; count];
        let mut roots = std::mem::take(&mut kids.roots);
        for at in 0..count {
            roots.push(at);
        }
        for root in roots {
            if reached[root] {
                continue;
            }
            kids.roots.push(root);
            let mut open = vec![root];
            while let Some(run) = open.pop() {
                reached[run] = true;
                let Self { of, .. } = &mut kids;
                of[run].retain(|(kid, _)| !reached[*kid]);
                open.extend(of[run].iter().map(|(kid, _)| *kid));
            }
        }
        kids.roots.sort_unstable();
        kids
    }
}

/// Files beside the log, in which runs that it started have traces of their own.
#[derive(Debug, Default)]
pub(super) struct Files {
    beside: Beside,
    folder: Option<PathBuf>,
    /// Traces that were read or are being read.
    seen: HashSet<Arc<str>>,
    depth: usize,
}

impl Files {
    pub(super) fn beside(source: &Source) -> Self {
        let folder = source.path().map(|path| match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        });
        Self {
            beside: source.beside().clone(),
            folder,
            ..Self::default()
        }
    }

    pub(super) fn enter(&mut self, trace: Option<&Arc<str>>) {
        self.seen.extend(trace.cloned());
    }

    /// The first run of a trace's own file.
    fn open(&mut self, id: &Arc<str>, version: Version, report: &mut Report) -> Option<Step> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if id.is_empty() || !id.chars().all(plain) {
            return None;
        }
        let path = self.folder.as_ref()?.join(format!("trace_{id}.jsonl"));
        self.beside.look_at(&path);
        if !is_file(&path) {
            report.note(format!(
                "the trace {id} of an agent it started is not beside the file"
            ));
            return None;
        }
        if self.depth >= MAX_DEPTH {
            report.note(TOO_DEEP);
            return None;
        }
        if !self.seen.insert(Arc::clone(id)) {
            return None;
        }
        let source = self.beside.open(&path)?.ok()?;
        let mut own = Report::default();
        self.depth += 1;
        let steps = super::read(&source, version, self, &mut own);
        self.depth -= 1;
        if let Some(summary) = own.summary() {
            report.note(format!("in trace_{id}.jsonl: {summary}"));
        }
        steps.into_iter().next()
    }
}

/// Whether it is a plain file: reading a pipe would wait for ever.
fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|known| known.is_file())
}

/// Adds the runs that a run started to its step, and tells which call started which.
pub(super) fn attach(
    builder: &mut Builder<'_>,
    step: &mut Step,
    run: usize,
    kids: &Kids,
    depth: usize,
) -> Links {
    let mut links = Links::new();
    let mut by_trace: HashMap<Arc<str>, usize> = HashMap::new();
    let mut children = Vec::new();
    for (kid, place) in &kids.of[run] {
        if depth >= MAX_DEPTH {
            builder.report.note(TOO_DEEP);
            break;
        }
        let mut child = builder.step(*kid, kids, depth + 1);
        let call = place.and_then(|(run, turn, call)| {
            builder
                .trace
                .runs
                .get(run)?
                .turns
                .get(turn)?
                .calls
                .get(call)
        });
        let id = call.and_then(|call| call.child_trace.clone());
        let name = call.map(|call| Arc::clone(&call.name));
        if child.ending == Ending::Open
            && let Some(id) = &id
            && let Some(fuller) = builder.files.open(id, builder.version, builder.report)
            && fuller.turns().len() >= child.turns().len()
        {
            child = fuller;
        }
        child.parent_trace_id.clone_from(&step.trace_id);
        child.name = child.name.or(name);
        if let Some(id) = id {
            by_trace.insert(Arc::clone(&id), children.len());
            child.trace_id = Some(id);
        } else {
            // What stands there is the id of the file's own trace.
            child.trace_id = None;
        }
        if let Some((_, turn, call)) = place {
            links.insert((*turn, *call), children.len());
        }
        children.push(child);
    }
    from_files(builder, run, &mut children, &mut by_trace, &mut links);
    from_record(builder, run, &mut children, depth);
    step.children = children.into_iter().map(Arc::new).collect();
    links
}

/// Children that only their own files tell of: by the calls that name them, then by the parallel
/// calls, which name them but not the calls. Such a call is what the child says it was called with.
fn from_files(
    builder: &mut Builder<'_>,
    run: usize,
    children: &mut Vec<Step>,
    by_trace: &mut HashMap<Arc<str>, usize>,
    links: &mut Links,
) {
    for turn in 0..builder.trace.runs[run].turns.len() {
        let told = &builder.trace.runs[run].turns[turn];
        let named = told.calls.iter().enumerate();
        let named = named.filter_map(|(at, call)| Some((Some(at), call.child_trace.clone()?)));
        let parallel = told.child_traces.iter().map(|id| (None, Arc::clone(id)));
        let wanted: Vec<(Option<usize>, Arc<str>)> = named.chain(parallel).collect();
        for (call, id) in wanted {
            if let Some(known) = by_trace.get(&id) {
                if let Some(call) = call {
                    links.entry((turn, call)).or_insert(*known);
                }
                continue;
            }
            if call.is_some_and(|call| links.contains_key(&(turn, call))) {
                continue;
            }
            let Some(child) = builder.files.open(&id, builder.version, builder.report) else {
                continue;
            };
            let calls = &mut builder.trace.runs[run].turns[turn].calls;
            let call = call.unwrap_or(calls.len());
            if call == calls.len() {
                calls.push(CallEvents {
                    name: child.name.clone().unwrap_or_default(),
                    args: Some(Value::map(child.data.clone())),
                    child_trace: Some(Arc::clone(&id)),
                    ..CallEvents::default()
                });
            }
            links.insert((turn, call), children.len());
            by_trace.insert(id, children.len());
            children.push(child);
        }
    }
}

/// Children in the record of a finished step.
pub(super) fn recorded(told: &Value) -> &[Value] {
    let children = told.get_some("child_steps").and_then(Value::as_list);
    children.unwrap_or_default()
}

/// Children that `run.stop` records: those that are known already end as they end there; the others,
/// whose events are lost, are added.
fn from_record(builder: &mut Builder<'_>, run: usize, children: &mut Vec<Step>, depth: usize) {
    let stop = builder.end(&builder.trace.runs[run]);
    let Some(told) = stop.and_then(|(data, _)| data.get_some("step").cloned()) else {
        return;
    };
    let records = recorded(&told);
    if records.len() <= children.len() && children.iter().all(|child| child.ending != Ending::Open)
    {
        return;
    }
    let mut open: Vec<usize> = (0..children.len()).collect();
    for record in records {
        if depth >= MAX_DEPTH {
            builder.report.note(TOO_DEEP);
            return;
        }
        let fuller = builder.recorded(record, depth + 1);
        let same = open
            .iter()
            .position(|at| begins_like(&fuller, &children[*at]));
        let Some(same) = same else {
            children.push(fuller);
            continue;
        };
        let known = &mut children[open.remove(same)];
        if known.ending == Ending::Open {
            complete(known, fuller);
        }
    }
}

/// Whether the turns of one run are the first of another.
fn begins_like(fuller: &Step, known: &Step) -> bool {
    let responses = |step: &Step| -> Vec<Option<Arc<str>>> {
        let turns = step.each_turn();
        turns
            .map(|turn| turn.raw_response().get().cloned())
            .collect()
    };
    let prints = |step: &Step| step.turn(0).map(|turn| turn.prints().to_vec());
    responses(fuller).starts_with(&responses(known))
        && (known.turns().is_empty() || prints(fuller) == prints(known))
}

/// The known child with the end that the record has.
fn complete(known: &mut Step, fuller: Step) {
    let turns = fuller.turns().iter().map(|turn| turn.as_ref().clone());
    known.replace_turns(turns.collect());
    known.ending = fuller.ending;
    known.memory = fuller.memory;
    known.usage = fuller.usage;
    known.figures = fuller.figures;
    if known.children.is_empty() {
        known.children = fuller.children;
    }
}
