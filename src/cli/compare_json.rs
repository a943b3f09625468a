//! The rows of `compare` as JSON. `compare --help` documents the fields.

use serde_json::{Value as Json, json};

use super::Context;
use super::compare::Compared;
use super::compare_runs::median_rows;
use crate::error::Error;
use crate::export::analysis as export;
use crate::text::escape_json;

/// The form of the output.
pub(super) const SCHEMA: &str = "compare/1";

/// Writes one line. One run's figures stand at the top; several runs' in a list, with the medians.
pub(super) fn write(
    context: &mut Context<'_>,
    all: &[Compared],
    per_turn: bool,
) -> Result<(), Error> {
    let runs: Vec<Json> = all.iter().map(|run| run_json(run, per_turn)).collect();
    let mut out = match runs.as_slice() {
        [one] => one.clone(),
        several => json!({"files": several, "medians": median_rows(all)}),
    };
    out["schema"] = json!(SCHEMA);
    let text = serde_json::to_string(&out).unwrap_or_default();
    writeln!(context.out, "{}", escape_json(&text))?;
    Ok(())
}

fn run_json(compared: &Compared, per_turn: bool) -> Json {
    let mut out = export::compare(&compared.rows);
    if let Some(rows) = out["rows"].as_array_mut() {
        for (json, row) in rows.iter_mut().zip(&compared.rows) {
            json["case"] = json!(row.name);
            let percent = compared.percent(row);
            json["vs_baseline"] = json!(percent.map(|p| (p * 10.0).round() / 10.0));
            json["values_vs_uncompressed"] = json!(row.losses.values_of_uncompressed);
            if let Some(cost) = compared.cost(row) {
                json["cost"] = export::rounded(cost, 6);
            }
            let losses = export::run_losses(&row.losses, true);
            json["pairs"] = losses["pairs"].clone();
            if per_turn {
                let turns = row.turns.iter().map(export::turn_figures);
                json["turns"] = turns.collect();
            }
        }
    }
    let reach = compared.rows.first().map(|row| &row.losses.reach);
    out["reach"] = json!(reach);
    out["file"] = json!(compared.file);
    out["tokenizer"] = json!(compared.tokenizer.name());
    out["profile"] = export::profile(&compared.profile);
    out["baseline"] = json!(compared.base.name(&compared.rows));
    out["exact"] = json!(compared.exact);
    out["reference"] = json!(compared.reference);
    out["recorded"] = export::recorded_usage(&compared.usage);
    out["besides"] = export::besides(&compared.besides);
    if per_turn {
        let turns = compared.recorded.iter().zip(1..);
        let turn = |([input, read, written], turn): (&[Option<u64>; 3], u32)| json!({"turn": turn, "input": input, "cache_read": read, "cache_write": written});
        out["recorded"]["prompts"] = turns.map(turn).collect();
    }
    out
}
