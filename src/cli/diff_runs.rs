//! `diff` of two runs: facts before and after, and the turns side by side.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::Context;
use super::style::Role;
use crate::analysis::{Alignment, FactRow, Pair, RunFacts, fact_rows};
use crate::compression::Run;
use crate::error::Error;
use crate::step::Step;
use crate::text::{clean_line, escape_json};

/// Columns of a value in the table of facts.
const COLUMNS: usize = 36;

/// Two runs, compared.
pub(super) struct Runs {
    names: [String; 2],
    facts: [RunFacts; 2],
    alignment: Alignment,
}

impl Runs {
    pub(super) fn new(sides: [(&Arc<Step>, &Path); 2]) -> Self {
        let [before, after] = sides.map(|(step, _)| step);
        let facts = |step: &Arc<Step>| RunFacts::of(&Arc::new(Run::new(Arc::clone(step))));
        Self {
            names: sides.map(|(_, path)| path.to_string_lossy().into_owned()),
            facts: [facts(before), facts(after)],
            alignment: Alignment::new(before.each_turn(), after.each_turn()),
        }
    }

    /// Whether anything that is told of both isn't the same.
    pub(super) fn facts_differ(&self) -> bool {
        fact_rows(&self.facts).iter().any(FactRow::differs)
    }

    /// As text, before the lines that differ.
    pub(super) fn print(&self, context: &mut Context<'_>) -> Result<(), Error> {
        let style = context.style;
        let [before, after] = &self.names;
        let title = clean_line(&format!("{before} → {after}")).into_owned();
        writeln!(context.out, "{}", style.paint(Role::Heading, &title))?;
        for row in fact_rows(&self.facts) {
            let role = if row.differs() {
                Role::Heading
            } else {
                Role::Dim
            };
            writeln!(context.out, "  {}", style.paint(role, &row.line(COLUMNS)))?;
        }
        let divergence = self.alignment.divergence();
        for (at, pair) in self.alignment.pairs().iter().enumerate() {
            let part = if divergence == Some(at) {
                "  ◆ here the runs part"
            } else {
                ""
            };
            let [before, after] =
                numbers(pair).map(|n| n.map_or("-".to_owned(), |n| n.to_string()));
            let line = format!(
                "{} turn {before:>4} {after:>4}  {}{part}",
                pair.likeness.sign(),
                pair.likeness.name()
            );
            writeln!(context.out, "  {line}")?;
        }
        Ok(writeln!(context.out)?)
    }

    /// As JSON, schema `diff-runs/1`.
    pub(super) fn print_json(&self, context: &mut Context<'_>) -> Result<(), Error> {
        let side = |at: usize| side(&self.names[at], &self.facts[at]);
        let pairs = self.alignment.pairs();
        let turns: Vec<Json> = pairs.iter().map(pair).collect();
        let parts = self.alignment.divergence().and_then(|at| pairs.get(at));
        let out = json!({
            "schema": "diff-runs/1",
            "before": side(0),
            "after": side(1),
            "turns": turns,
            "divergence": parts.map(pair),
        });
        let text = serde_json::to_string(&out).unwrap_or_default();
        Ok(writeln!(context.out, "{}", escape_json(&text))?)
    }
}

/// The numbers of a pair's turns, from 1.
fn numbers(pair: &Pair) -> [Option<usize>; 2] {
    [pair.before, pair.after].map(|at| at.map(|at| at + 1))
}

fn pair(pair: &Pair) -> Json {
    let [before, after] = numbers(pair);
    json!({"before": before, "after": after, "likeness": pair.likeness.name()})
}

fn side(name: &str, facts: &RunFacts) -> Json {
    let tools: Vec<&str> = facts.tools.iter().map(|tool| &*tool.name).collect();
    let signatures = facts.tools.iter().filter_map(|tool| {
        let signature = tool.signature.as_deref()?;
        Some((tool.name.to_string(), signature.into()))
    });
    let signatures: serde_json::Map<String, Json> = signatures.collect();
    json!({
        "file": name,
        "system_prompt": facts.system_prompt.as_deref(),
        "mission": facts.mission.as_deref(),
        "model": facts.model.as_deref(),
        "tools": tools,
        "signatures": signatures,
        "strategy": facts.strategy,
        "max_turns": facts.max_turns,
        "outcome": facts.outcome,
        "turns": facts.turns,
        "calls": facts.calls,
        "usage": {"input": facts.input, "cached": facts.cached, "output": facts.output},
        "problems": facts.problems,
    })
}
