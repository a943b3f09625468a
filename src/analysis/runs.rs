//! What can be told of a run beside another of the same mission: before and after (analysis, "Two
//! runs").

use std::collections::BTreeMap;
use std::sync::Arc;

use super::sent::clojure_text;
use super::{Analysis, Profile};
use crate::compression::{Run, normalize};
use crate::load::usage_sum;
use crate::step::{Ending, Step, Tool};
use crate::tokens::Tokenizer;
use crate::value::Value;

/// Facts of one run; what is `None` is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RunFacts {
    /// The system prompt.
    pub system_prompt: Option<Arc<str>>,
    /// The mission.
    pub mission: Option<Arc<str>>,
    /// The model.
    pub model: Option<Arc<str>>,
    /// The tools, in order.
    pub tools: Vec<Tool>,
    /// The history strategy that it ran under, with the options that aren't as by default.
    pub strategy: Option<String>,
    /// Turns that the run was allowed.
    pub max_turns: Option<u32>,
    /// How it ended: `returned`, `failed` with the reason, or `no end recorded`.
    pub outcome: String,
    /// Turns.
    pub turns: usize,
    /// Calls of tools, those that only events tell of included.
    pub calls: usize,
    /// Recorded tokens of prompts.
    pub input: Option<u64>,
    /// Recorded tokens of prompts that a cache held.
    pub cached: Option<u64>,
    /// Recorded tokens of replies.
    pub output: Option<u64>,
    /// Problems, by kind.
    pub problems: BTreeMap<&'static str, usize>,
}

impl RunFacts {
    /// The facts of a run.
    pub fn of(run: &Arc<Run>) -> Self {
        let step: &Step = run.step();
        let calls = step.turns().iter();
        let calls = calls.map(|turn| turn.amounts());
        let calls = calls.map(|amounts| amounts.calls + amounts.unlisted_calls);
        // Problems don't depend on how tokens are counted; the estimate needs no dictionary.
        let analysis = Analysis::new(Arc::clone(run), Tokenizer::Estimate, Profile::default());
        let mut problems = BTreeMap::new();
        for problem in analysis.problems(None) {
            *problems.entry(problem.what.name()).or_default() += 1;
        }
        Self {
            system_prompt: step.system_prompt.clone(),
            mission: step.mission.clone(),
            model: step.model.clone(),
            tools: step.tools.clone(),
            strategy: step.compression.as_ref().map(strategy),
            max_turns: step.max_turns(),
            outcome: outcome(step),
            turns: step.turns().len(),
            calls: calls.sum(),
            input: usage_sum(step, |usage| usage.input),
            cached: usage_sum(step, |usage| usage.cache_read),
            output: usage_sum(step, |usage| usage.output),
            problems,
        }
    }
}

/// A recorded setting in words: as it is read, else as it stands.
fn strategy(setting: &Value) -> String {
    let Ok(case) = normalize(setting) else {
        return clojure_text(setting);
    };
    let set = case.specs().filter_map(|spec| {
        let value = case.options.get(spec.name)?;
        (value != spec.default).then(|| format!(", {} {}", spec.label, spec.display(value)))
    });
    std::iter::once(case.strategy.name().to_owned())
        .chain(set)
        .collect()
}

fn outcome(step: &Step) -> String {
    match &step.ending {
        Ending::Return(_) => "returned".to_owned(),
        Ending::Fail(failure) => match &failure.reason {
            Some(reason) => format!("failed: {reason}"),
            None => "failed".to_owned(),
        },
        Ending::Open => "no end recorded".to_owned(),
    }
}
