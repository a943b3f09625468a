//! `compare`: strategies side by side, as a table, JSON or CSV, and requirements on them.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::args::{CompareArgs, CompareOutput, Measuring};
use super::{Context, cases, compare_table, complain, open};
use crate::analysis::requirement::Requirement;
use crate::analysis::{Analysis, PROFILES, Profile, Row};
use crate::compression::{Asked, Run};
use crate::error::Error;
use crate::export;
use crate::text::escape_json;
use crate::tokens::Tokenizer;

/// What was found of a file.
pub(super) struct Compared {
    pub(super) file: String,
    pub(super) rows: Vec<Row>,
    /// The place of the baseline among the rows.
    pub(super) baseline: usize,
    /// Whether the tokenizer is the recorded model's.
    pub(super) exact: bool,
    /// What needs are measured by.
    pub(super) reference: &'static str,
}

impl Compared {
    pub(super) fn base(&self) -> &Row {
        &self.rows[self.baseline]
    }
}

/// Compares; false where a requirement is not met.
pub(super) fn run(args: &CompareArgs, context: &mut Context<'_>) -> Result<bool, Error> {
    let requirements = args.require.iter().map(|text| Requirement::parse(text));
    let requirements: Vec<Requirement> = requirements
        .collect::<Result<_, _>>()
        .map_err(Error::Usage)?;
    let profile = profile(&args.measuring)?;
    let tokenizer = tokenizer(&args.options.asked)?;
    let mut all = Vec::new();
    for file in open::expand(&args.files)? {
        let compared = compared(&file.path, args, tokenizer, profile);
        all.extend(open::or_left_out(&file, compared)?);
    }
    if let ([], [named, ..]) = (all.as_slice(), args.files.as_slice()) {
        return Err(open::no_trace(named));
    }
    match args.output {
        CompareOutput::Table => {
            for compared in &all {
                compare_table::table(context, compared, tokenizer, &profile)?;
            }
            if all.len() > 1 {
                compare_table::medians(context, &all)?;
            }
        }
        CompareOutput::Csv => compare_table::csv(context, &all)?,
        CompareOutput::Json => {
            let text = serde_json::to_string(&json(&all, tokenizer, &profile)).unwrap_or_default();
            writeln!(context.out, "{}", escape_json(&text))?;
        }
    }
    context.out.flush()?;
    Ok(check(&all, &requirements, args.allow_empty))
}

fn compared(
    file: &Path,
    args: &CompareArgs,
    tokenizer: Tokenizer,
    profile: Profile,
) -> Result<Compared, Error> {
    let loaded = open::open(file, &args.reading)?;
    let step = open::pick(&loaded, file, &args.picking)?;
    let exact = tokenizer.is_exact_for(step.model.as_deref());
    let run = Arc::new(Run::new(step));
    let analysis = Analysis::new(run, tokenizer, profile);
    let (cases, baseline) = cases::cases(args, &analysis)?;
    let rows = analysis.compare(&cases, args.turn)?;
    let at = rows.iter().position(|row| row.name == baseline);
    let baseline = at.ok_or_else(|| Error::Unreadable {
        name: file.to_string_lossy().into_owned(),
        what: format!(
            "what the LLM was sent is not recorded for every turn, so {baseline} can't be the baseline; --baseline uncompressed can"
        ),
    })?;
    let reference = analysis.reference(args.turn.unwrap_or(1)).0.name();
    Ok(Compared {
        file: file.to_string_lossy().into_owned(),
        rows,
        baseline,
        exact,
        reference,
    })
}

/// The cache profile of a name.
fn profile(measuring: &Measuring) -> Result<Profile, Error> {
    Profile::from_name(&measuring.profile).ok_or_else(|| {
        let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        Error::Usage(format!(
            "unknown profile '{}'; valid: {}",
            measuring.profile,
            names.join(", ")
        ))
    })
}

/// The tokenizer that options name.
pub(super) fn tokenizer(asked: &Asked) -> Result<Tokenizer, Error> {
    let named = asked
        .options
        .iter()
        .rev()
        .find(|(name, _)| name == "tokenizer");
    let Some((_, name)) = named else {
        return Ok(Tokenizer::default());
    };
    Tokenizer::from_name(name).ok_or_else(|| {
        let valid = Tokenizer::NAMES.join(", ");
        Error::Usage(format!("unknown tokenizer '{name}'; valid: {valid}"))
    })
}

/// One file's figures at the top; several files' in a list, a row a run, and the medians.
fn json(all: &[Compared], tokenizer: Tokenizer, profile: &Profile) -> Json {
    let mut out = json!({
        "schema": "compare/1",
        "tokenizer": tokenizer.name(),
        "profile": profile.name,
    });
    let files: Vec<Json> = all.iter().map(file_json).collect();
    if let [Json::Object(one)] = files.as_slice() {
        for (name, value) in one {
            out[name.as_str()] = value.clone();
        }
    } else {
        out["files"] = json!(files);
        out["medians"] = json!(compare_table::median_rows(all));
    }
    out
}

fn file_json(compared: &Compared) -> Json {
    let base = compared.base();
    let mut out = export::analysis::compare(&compared.rows);
    if let Some(rows) = out["rows"].as_array_mut() {
        for (json, row) in rows.iter_mut().zip(&compared.rows) {
            json["case"] = json!(row.name);
            let percent = row.percent_of(base).map(|p| (p * 10.0).round() / 10.0);
            json["vs_baseline"] = json!(percent);
            let losses = export::analysis::run_losses(&row.losses, true);
            json["pairs"] = losses["pairs"].clone();
        }
    }
    out["file"] = json!(compared.file);
    out["baseline"] = json!(base.name);
    out["exact"] = json!(compared.exact);
    out["reference"] = json!(compared.reference);
    out
}

/// Whether every row meets the requirements. What isn't met is told on standard error.
fn check(all: &[Compared], requirements: &[Requirement], allow_empty: bool) -> bool {
    let mut met = true;
    for requirement in requirements {
        for compared in all {
            let rows = compared.rows.iter().enumerate();
            let others =
                rows.filter(|(at, _)| *at != compared.baseline || compared.rows.len() == 1);
            for (_, row) in others.filter(|(_, row)| !requirement.is_met(row, compared.base())) {
                met = false;
                violation(compared, requirement, row);
            }
        }
        let figure = requirement.figure();
        let measurable = all
            .iter()
            .flat_map(|compared| &compared.rows)
            .any(|row| row.messages > 0 && figure.needed(row).is_none_or(|needed| needed > 0));
        if !measurable && !allow_empty {
            met = false;
            let text = requirement.text();
            complain(
                "not met",
                &format!("{text}: nothing was measurable; --allow-empty takes that as met"),
            );
        }
    }
    met
}

fn violation(compared: &Compared, requirement: &Requirement, row: &Row) {
    let figure = requirement.figure();
    let limit = requirement.limit(compared.base());
    let needed = figure
        .needed(row)
        .map(|needed| format!(" of {needed} needed"));
    complain(
        "not met",
        &format!(
            "{}: {}: {}: {}{}, the limit is {limit}",
            compared.file,
            row.name,
            requirement.text(),
            figure.of(row),
            needed.unwrap_or_default(),
        ),
    );
    for loss in figure.losses(row) {
        let turns: Vec<String> = loss.turns.iter().map(u32::to_string).collect();
        complain(
            "lost",
            &format!(
                "{}: {}: turn {}: {} {} of turn {}: {}",
                compared.file,
                row.name,
                turns.join(", "),
                loss.kind.name(),
                loss.item,
                loss.source,
                loss.reason.text()
            ),
        );
    }
}
