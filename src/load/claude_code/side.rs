//! Runs of sub-agents: which call started each, and those in files of their own.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::super::Report;
use super::super::beside::Beside;
use super::Session;
use super::thread::{self, Spawn};
use crate::step::Step;

/// What tells which call started a run, besides its mission.
pub(super) struct Link {
    pub agent: Option<Arc<str>>,
    pub asked_by: Option<Arc<str>>,
}

/// Hangs the runs of sub-agents into the step, each linked from the call that started it.
pub(super) fn attach(step: &mut Step, spawns: &[Spawn], children: Vec<(Link, Step)>) {
    let mut taken = vec![false; spawns.len()];
    let mut links = Vec::new();
    for (index, (link, mut child)) in children.into_iter().enumerate() {
        let of = |same: &dyn Fn(&Spawn) -> bool| {
            spawns
                .iter()
                .enumerate()
                .position(|(at, spawn)| !taken[at] && same(spawn))
        };
        let found = of(&|spawn| link.asked_by.is_some() && spawn.id == link.asked_by)
            .or_else(|| of(&|spawn| link.agent.is_some() && spawn.agent == link.agent))
            .or_else(|| of(&|spawn| child.mission.is_some() && spawn.prompt == child.mission));
        if let Some(at) = found {
            taken[at] = true;
            links.push((spawns[at].at, index));
            child.name = spawns[at].description.clone().or(child.name.take());
        }
        child.parent_trace_id.clone_from(&step.trace_id);
        step.children.push(Arc::new(child));
    }
    thread::link(step, &links);
}

/// The files of sub-agents beside a session: `SESSION/subagents/agent-ID.jsonl`. Each is named by the
/// agent's identifier until the call that started it is known. Replies that stand in the session or in
/// another of the files, as in those of an agent that was given the history, are copies.
pub(super) fn files(
    path: &Path,
    beside: &Beside,
    replies: HashSet<Arc<str>>,
    report: &mut Report,
) -> Vec<Step> {
    let mut known = Arc::new(replies);
    let folder = path.with_extension("").join("subagents");
    beside.look_at(&folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "jsonl"));
    paths.sort();
    let mut steps = Vec::new();
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
        if own.damaged > 0 {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            report.note(format!(
                "{} damaged places in the sub-agent's file {name}",
                own.damaged
            ));
        }
        let agent = session.chains.iter().find_map(|chain| chain.agent.clone());
        let replies = session.replies();
        if let Some(mut step) = session.finish(Vec::new(), &mut own) {
            step.name = agent.or(step.name.take());
            steps.push(step);
        }
        Arc::make_mut(&mut known).extend(replies);
    }
    steps
}
