//! `diff` of two runs: facts before and after, and the turns side by side.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::Context;
use super::style::Role;
use crate::analysis::{Alignment, Pair, RunFacts};
use crate::compression::Run;
use crate::error::Error;
use crate::step::Step;
use crate::step::Tool;
use crate::text::{clean_line, escape_json, headline};

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
            alignment: Alignment::new(before.turns(), after.turns()),
        }
    }

    /// Whether anything that is told of both isn't the same.
    pub(super) fn facts_differ(&self) -> bool {
        self.rows()
            .iter()
            .any(|(_, [before, after])| before != after)
    }

    /// As text, before the lines that differ.
    pub(super) fn print(&self, context: &mut Context<'_>) -> Result<(), Error> {
        let style = context.style;
        let [before, after] = &self.names;
        let title = clean_line(&format!("{before} → {after}")).into_owned();
        writeln!(context.out, "{}", style.paint(Role::Heading, &title))?;
        for (name, [before, after]) in self.rows() {
            let sign = if before == after { "=" } else { "≠" };
            let [before, after] = cells(&before, &after);
            let line = if sign == "=" {
                format!("= {name:<14} {before}")
            } else {
                format!("≠ {name:<14} {before} → {after}")
            };
            let role = if sign == "=" {
                Role::Dim
            } else {
                Role::Heading
            };
            writeln!(context.out, "  {}", style.paint(role, &line))?;
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

    /// What is told of both, in words.
    fn rows(&self) -> Vec<(String, [String; 2])> {
        let both =
            |tell: &dyn Fn(&RunFacts) -> String| [tell(&self.facts[0]), tell(&self.facts[1])];
        let text = |text: &Option<Arc<str>>| text.as_deref().unwrap_or("not recorded").to_owned();
        let count = |count: Option<u64>| count.map_or("not recorded".to_owned(), |n| n.to_string());
        let mut rows = vec![
            ("system prompt", both(&|facts| text(&facts.system_prompt))),
            ("mission", both(&|facts| text(&facts.mission))),
            ("model", both(&|facts| text(&facts.model))),
            ("tools", both(&tools)),
            ("strategy", both(&strategy)),
            (
                "turns allowed",
                both(&|facts| count(facts.max_turns.map(u64::from))),
            ),
            ("outcome", both(&|facts| facts.outcome.clone())),
            ("turns", both(&|facts| facts.turns.to_string())),
            ("calls", both(&|facts| facts.calls.to_string())),
            ("tokens in", both(&|facts| count(facts.input))),
            ("tokens cached", both(&|facts| count(facts.cached))),
            ("tokens out", both(&|facts| count(facts.output))),
        ]
        .into_iter()
        .map(|(name, row)| (name.to_owned(), row))
        .collect::<Vec<_>>();
        rows.extend(self.changed_tools());
        let kinds = self.facts.iter().flat_map(|facts| facts.problems.keys());
        for kind in kinds.collect::<BTreeSet<_>>() {
            let count =
                |facts: &RunFacts| facts.problems.get(kind).copied().unwrap_or(0).to_string();
            rows.push(((*kind).to_owned(), both(&count)));
        }
        rows
    }

    /// The tools that both runs have, but not with the same signature and description.
    fn changed_tools(&self) -> Vec<(String, [String; 2])> {
        let [before, after] = &self.facts;
        let both = before.tools.iter().filter_map(|tool| {
            let other = after.tools.iter().find(|other| other.name == tool.name)?;
            let row = [contract(tool), contract(other)];
            (row[0] != row[1]).then(|| (format!("tool {}", clean_line(&tool.name)), row))
        });
        both.collect()
    }
}

/// The first words of two texts; where these are the same, those from the first difference on.
fn cells(before: &str, after: &str) -> [String; 2] {
    let cell = |text: &str| clean_line(&headline(text, COLUMNS)).into_owned();
    let both = [cell(before), cell(after)];
    if both[0] != both[1] || before == after {
        return both;
    }
    let same = before.chars().zip(after.chars());
    let same = same.take_while(|(a, b)| a == b).map(|(a, _)| a);
    let common: String = same.collect();
    let word = common.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    [before, after].map(|text| format!("…{}", cell(&text[word..])))
}

/// A tool's signature and what it does.
fn contract(tool: &Tool) -> String {
    let told = [&tool.signature, &tool.description].into_iter().flatten();
    let told: Vec<&str> = told.map(|text| &**text).collect();
    told.join("; ")
}

/// The names of the tools.
fn tools(facts: &RunFacts) -> String {
    let names: Vec<&str> = facts.tools.iter().map(|tool| &*tool.name).collect();
    match names.as_slice() {
        [] => "none recorded".to_owned(),
        names => names.join(", "),
    }
}

fn strategy(facts: &RunFacts) -> String {
    let told = facts.strategy.as_deref();
    told.unwrap_or("not recorded").to_owned()
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
