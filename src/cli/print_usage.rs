//! What `--usage` adds: recorded tokens, calls by tool, and what the strategy dropped.

use std::sync::Arc;

use indexmap::IndexMap;

use super::page::Page;
use super::prompt::Shown;
use crate::compression::{Shown as Items, Stats};
use crate::error::Error;
use crate::load;
use crate::step::{Step, Usage};

/// Prints the section.
pub(super) fn section(page: &mut Page<'_>, step: &Step, shown: &Shown) -> Result<(), Error> {
    page.line("")?;
    page.heading("Usage")?;
    let recorded = tokens(step.usage).unwrap_or_else(|| "not recorded".to_owned());
    page.line(&format!("  tokens of the run: {recorded}"))?;
    let mut sum = Usage::default();
    for turn in step.turns() {
        let one = turn.usage();
        add(&mut sum.input, one.input);
        add(&mut sum.output, one.output);
        add(&mut sum.total, one.total);
        add(&mut sum.cache_read, one.cache_read);
        add(&mut sum.cache_write, one.cache_write);
    }
    let recorded = tokens(sum).unwrap_or_else(|| "not recorded".to_owned());
    page.line(&format!("  tokens of the turns: {recorded}"))?;
    if !step.children.is_empty() {
        let sum = |part| load::usage_with_runs(step, part);
        let all = Usage {
            input: sum(|usage: &Usage| usage.input),
            output: sum(|usage| usage.output),
            total: sum(|usage| usage.total),
            cache_read: sum(|usage| usage.cache_read),
            cache_write: sum(|usage| usage.cache_write),
        };
        let recorded = tokens(all).unwrap_or_else(|| "not recorded".to_owned());
        page.line(&format!("  tokens with the runs in it: {recorded}"))?;
    }
    let mut calls: IndexMap<Arc<str>, usize> = IndexMap::new();
    for turn in step.each_turn() {
        for call in turn.tool_calls() {
            *calls.entry(Arc::clone(&call.name)).or_default() += 1;
        }
    }
    let calls: Vec<String> = calls
        .iter()
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    let calls = if calls.is_empty() {
        "none".to_owned()
    } else {
        calls.join(", ")
    };
    page.clean("  ", &format!("calls: {calls}"))?;
    page.line(&format!(
        "  prompt for turn {}: {}",
        shown.turn, shown.title
    ))?;
    if let Some(stats) = &shown.stats {
        for line in stats_lines(stats) {
            page.clean("    ", &line)?;
        }
    }
    Ok(())
}

fn add(sum: &mut Option<u64>, count: Option<u64>) {
    if let Some(count) = count {
        *sum = Some(sum.unwrap_or(0).saturating_add(count));
    }
}

fn stats_lines(stats: &Stats) -> Vec<String> {
    let shown = |what: &str, items: Items| {
        format!("{what}: {} shown, {} dropped", items.shown, items.dropped())
    };
    let mut lines = vec![
        format!("turns compressed: {}", stats.turns_compressed),
        shown("calls", stats.calls),
        shown("prints", stats.prints),
        format!("errors collapsed: {}", stats.errors_collapsed),
    ];
    lines.extend(stats.notes.iter().cloned());
    lines
}

/// Recorded tokens in words; nothing where none are.
pub(super) fn tokens(usage: Usage) -> Option<String> {
    let parts = [
        (usage.input, "in"),
        (usage.output, "out"),
        (usage.total, "in all"),
        (usage.cache_read, "from the cache"),
        (usage.cache_write, "to the cache"),
    ];
    let told: Vec<String> = parts
        .iter()
        .filter_map(|(count, what)| Some(format!("{} {what}", (*count)?)))
        .collect();
    (!told.is_empty()).then(|| told.join(", "))
}
