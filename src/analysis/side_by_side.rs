//! Facts of two runs of the same mission, row by row.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::RunFacts;
use crate::step::Tool;
use crate::text::{clean_line, headline};

/// What is told of both runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FactRow {
    /// What it is; cleaned.
    pub name: String,
    /// Before and after, as recorded.
    pub values: [String; 2],
}

impl FactRow {
    /// Whether the two aren't the same.
    pub fn differs(&self) -> bool {
        self.values[0] != self.values[1]
    }

    /// In a line, with the sign of whether they differ; texts of at most so many columns each.
    pub fn line(&self, columns: usize) -> String {
        let [before, after] = cells(&self.values[0], &self.values[1], columns);
        if self.differs() {
            format!("≠ {:<14} {before} → {after}", self.name)
        } else {
            format!("= {:<14} {before}", self.name)
        }
    }
}

/// What is told of both, in words: what they were asked, what came of it, what it took, what went wrong.
pub fn fact_rows(facts: &[RunFacts; 2]) -> Vec<FactRow> {
    let both = |tell: &dyn Fn(&RunFacts) -> String| [tell(&facts[0]), tell(&facts[1])];
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
    .map(|(name, values)| (name.to_owned(), values))
    .collect::<Vec<_>>();
    rows.extend(changed_tools(facts));
    let kinds = facts.iter().flat_map(|facts| facts.problems.keys());
    for kind in kinds.collect::<BTreeSet<_>>() {
        let count = |facts: &RunFacts| facts.problems.get(kind).copied().unwrap_or(0).to_string();
        rows.push(((*kind).to_owned(), both(&count)));
    }
    let rows = rows.into_iter();
    rows.map(|(name, values)| FactRow { name, values })
        .collect()
}

/// The tools that both runs have, but not with the same signature and description.
fn changed_tools([before, after]: &[RunFacts; 2]) -> Vec<(String, [String; 2])> {
    let both = before.tools.iter().filter_map(|tool| {
        let other = after.tools.iter().find(|other| other.name == tool.name)?;
        let row = [contract(tool), contract(other)];
        (row[0] != row[1]).then(|| (format!("tool {}", clean_line(&tool.name)), row))
    });
    both.collect()
}

/// The first words of two texts; where these are the same, those from the first difference on.
fn cells(before: &str, after: &str, columns: usize) -> [String; 2] {
    let cell = |text: &str| clean_line(&headline(text, columns)).into_owned();
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
