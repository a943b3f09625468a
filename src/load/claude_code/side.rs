//! Runs of sub-agents: which call started each, and those in files of their own.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use super::super::Report;
use super::super::beside::Beside;
use super::Session;
use super::thread::{self, Spawn};
use crate::step::Step;

/// Levels of runs in runs; one that is deeper hangs on the session itself.
const MAX_DEPTH: usize = 64;

/// A conversation that was read, its own calls of sub-agents, and what tells which call started it.
pub(super) struct Run {
    pub step: Step,
    pub spawns: Vec<Spawn>,
    /// The agent's identifier.
    pub agent: Option<Arc<str>>,
    /// The identifier of the call, in stream-json.
    pub asked_by: Option<Arc<str>>,
    /// The first run of the file that it stands in, by its place among all.
    pub home: usize,
}

/// Adds the runs in files of their own beside a session: `SESSION/subagents/agent-ID.jsonl`. Each is named
/// by the agent's identifier until the call that started it is known. Replies that stand in the session
/// or in another of the files, as in those of an agent that was given the history, are copies.
pub(super) fn files(
    path: &Path,
    beside: &Beside,
    replies: HashSet<Arc<str>>,
    runs: &mut Vec<Run>,
    report: &mut Report,
) {
    let mut known = Arc::new(replies);
    let here = runs.iter().skip(1);
    let mut agents: HashSet<Arc<str>> = here.filter_map(|run| run.agent.clone()).collect();
    let folder = path.with_extension("").join("subagents");
    beside.look_at(&folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return;
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "jsonl"));
    paths.sort();
    for path in paths {
        let mut session = Session {
            elsewhere: Arc::clone(&known),
            ..Session::default()
        };
        let mut own = Report::default();
        let Some(opened) = beside.open(&path) else {
            break;
        };
        match opened {
            Ok(source) => session.read(&source, &mut own),
            Err(error) => report.note(format!("a sub-agent's file can't be read: {error}")),
        }
        let agent = session.chains.iter().find_map(|chain| chain.agent.clone());
        let replies = session.replies();
        let mut of_file = session.runs(&mut own);
        if let Some(told) = own.summary() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            report.note(format!("in the sub-agent's file {name}: {told}"));
        }
        let home = runs.len();
        // A run that stands in the session too is the same one.
        let is_new = agent
            .as_ref()
            .is_none_or(|agent| agents.insert(Arc::clone(agent)));
        if let (true, Some(first)) = (is_new, of_file.first_mut()) {
            first.step.name = agent.clone().or(first.step.name.take());
            first.agent = agent;
            runs.extend(of_file.into_iter().map(|run| Run { home, ..run }));
        }
        Arc::make_mut(&mut known).extend(replies);
    }
}

/// Hangs runs into the first of them and into one another, each linked from the call that started it.
/// One that no call started hangs on the first of its file. None where there are none.
pub(super) fn attach(runs: Vec<Run>) -> Option<Step> {
    runs.first()?;
    let mut places = Places::of(&runs);
    places.settle(0, &runs);
    for is_left in [|started: bool| !started, |_| true] {
        for at in 1..runs.len() {
            if places.owners[at].is_none() && is_left(places.started[at]) {
                let home = runs[at].home;
                let owner = if places.is_placed(home) { home } else { 0 };
                places.put(at, owner, None);
                places.settle(at, &runs);
            }
        }
    }
    places.assemble(runs)
}

/// Where each run hangs, as far as that is known.
struct Places {
    /// The run on which each hangs, and the call there that started it.
    owners: Vec<Option<(usize, Option<usize>)>>,
    depths: Vec<usize>,
    /// The runs, each after the one on which it hangs.
    order: Vec<usize>,
    /// Whether some call says that it started the run.
    started: Vec<bool>,
    /// Runs by what a call may know them by, the strongest first.
    known: [HashMap<Arc<str>, VecDeque<usize>>; 3],
}

/// What a call knows the run by that it starts, the strongest first.
fn keys_of_call(spawn: &Spawn) -> [Option<&Arc<str>>; 3] {
    [
        spawn.id.as_ref(),
        spawn.agent.as_ref(),
        spawn.prompt.as_ref(),
    ]
}

/// The same of a run.
fn keys_of_run(run: &Run) -> [Option<&Arc<str>>; 3] {
    [
        run.asked_by.as_ref(),
        run.agent.as_ref(),
        run.step.mission.as_ref(),
    ]
}

impl Places {
    fn of(runs: &[Run]) -> Self {
        let mut told: [HashSet<&Arc<str>>; 3] = Default::default();
        for spawn in runs.iter().flat_map(|run| &run.spawns) {
            for (told, key) in told.iter_mut().zip(keys_of_call(spawn)) {
                told.extend(key);
            }
        }
        let mut places = Self {
            owners: vec![None; runs.len()],
            depths: vec![0; runs.len()],
            order: vec![0],
            started: vec![false; runs.len()],
            known: Default::default(),
        };
        for (at, run) in runs.iter().enumerate().skip(1) {
            let mut keys = keys_of_run(run).into_iter().enumerate();
            let strongest = keys
                .find_map(|(kind, key)| Some((kind, key.filter(|key| told[kind].contains(key))?)));
            if let Some((kind, key)) = strongest {
                places.started[at] = true;
                let known = places.known[kind].entry(Arc::clone(key));
                known.or_default().push_back(at);
            }
        }
        places
    }

    fn is_placed(&self, at: usize) -> bool {
        at == 0 || self.owners[at].is_some()
    }

    fn put(&mut self, at: usize, owner: usize, spawn: Option<usize>) {
        let is_too_deep = self.depths[owner] >= MAX_DEPTH;
        let (owner, spawn) = if is_too_deep {
            (0, None)
        } else {
            (owner, spawn)
        };
        self.depths[at] = self.depths[owner] + 1;
        self.owners[at] = Some((owner, spawn));
        self.order.push(at);
    }

    /// Places what a run's calls started, and so on.
    fn settle(&mut self, from: usize, runs: &[Run]) {
        let mut open = VecDeque::from([from]);
        while let Some(owner) = open.pop_front() {
            let mut free: Vec<usize> = (0..runs[owner].spawns.len()).collect();
            for kind in 0..self.known.len() {
                free.retain(|spawn| {
                    let key = keys_of_call(&runs[owner].spawns[*spawn])[kind];
                    let waiting = key.and_then(|key| self.known[kind].get_mut(key));
                    let next = waiting.and_then(|waiting| next_free(waiting, &self.owners));
                    if let Some(at) = next {
                        self.put(at, owner, Some(*spawn));
                        open.push_back(at);
                    }
                    next.is_none()
                });
            }
        }
    }

    fn assemble(self, runs: Vec<Run>) -> Option<Step> {
        let mut inner: Vec<Vec<usize>> = vec![Vec::new(); runs.len()];
        for (at, owner) in self.owners.iter().enumerate() {
            if let Some((owner, _)) = owner {
                inner[*owner].push(at);
            }
        }
        let trace_id = runs.first()?.step.trace_id.clone();
        let mut runs: Vec<Option<Run>> = runs.into_iter().map(Some).collect();
        for owner in self.order.into_iter().rev() {
            let Some(mut run) = runs[owner].take() else {
                continue;
            };
            let mut links = Vec::new();
            for at in &inner[owner] {
                let Some(mut child) = runs[*at].take().map(|run| run.step) else {
                    continue;
                };
                let spawn = self.owners[*at].and_then(|(_, spawn)| run.spawns.get(spawn?));
                if let Some(spawn) = spawn {
                    links.push((spawn.at, run.step.children.len()));
                    child.name = spawn.description.clone().or(child.name.take());
                }
                child.parent_trace_id.clone_from(&trace_id);
                run.step.children.push(Arc::new(child));
            }
            thread::link(&mut run.step, &links);
            runs[owner] = Some(run);
        }
        Some(runs.into_iter().next()??.step)
    }
}

/// The next of some runs that hangs nowhere yet.
fn next_free(
    waiting: &mut VecDeque<usize>,
    owners: &[Option<(usize, Option<usize>)>],
) -> Option<usize> {
    loop {
        let at = waiting.pop_front()?;
        if owners[at].is_none() {
            return Some(at);
        }
    }
}
