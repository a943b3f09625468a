//! `compare`: strategies side by side, as a table, JSON or CSV, and requirements on them.

use std::path::Path;
use std::sync::Arc;

use super::args::{CompareArgs, CompareOutput};
use super::compare_base::Base;
use super::open::Named;
use super::{Context, cases, compare_csv, compare_json, compare_table, complain, open};
use crate::analysis::requirement::{Figure, Requirement};
use crate::analysis::{Analysis, Besides, Price, Profile, RecordedUsage, Row};
use crate::compression::{Asked, Run};
use crate::error::Error;
use crate::step::Step;
use crate::tokens::Tokenizer;

/// What was found of a run.
pub(super) struct Compared {
    pub(super) file: String,
    pub(super) rows: Vec<Row>,
    /// What the rows are held against.
    pub(super) base: Base,
    pub(super) profile: Profile,
    pub(super) tokenizer: Tokenizer,
    /// Whether the tokenizer is the recorded model's.
    pub(super) exact: bool,
    /// What needs are measured by.
    pub(super) reference: String,
    pub(super) usage: RecordedUsage,
    /// What the last prompt has besides its contents.
    pub(super) besides: Besides,
    pub(super) price: Option<Price>,
    /// The recorded figures of each turn: prompt, read from the cache, written to it.
    pub(super) recorded: Vec<[Option<u64>; 3]>,
}

impl Compared {
    /// The baseline's figure for a row.
    pub(super) fn base_of(&self, row: &Row, figure: Figure) -> Option<f64> {
        self.base.figure(&self.rows, row, figure)
    }

    /// Tokens of all prompts of a row against the baseline's, in percent.
    pub(super) fn percent(&self, row: &Row) -> Option<f64> {
        row.percent_of(self.base_of(row, Figure::Tokens)?)
    }

    /// What a row costs by the user's prices.
    pub(super) fn cost(&self, row: &Row) -> Option<f64> {
        let price = self.price?;
        Some(price.of(&row.sums, self.usage.output, &self.profile))
    }
}

/// Compares; false where a requirement is not met, or nothing could be measured.
pub(super) fn run(args: &CompareArgs, context: &mut Context<'_>) -> Result<bool, Error> {
    let requirements = args.require.iter().map(|text| Requirement::parse(text));
    let requirements: Vec<Requirement> = requirements
        .collect::<Result<_, _>>()
        .map_err(Error::Usage)?;
    let mut all = Vec::new();
    for file in open::expand(&args.files)? {
        let runs = runs(&file, args);
        all.extend(open::or_left_out(&file, runs)?.into_iter().flatten());
    }
    if let ([], [named, ..]) = (all.as_slice(), args.files.as_slice()) {
        return Err(open::no_trace(named));
    }
    match args.output {
        CompareOutput::Table => compare_table::write(context, &all, args.per_turn)?,
        CompareOutput::Csv => compare_csv::write(context, &all)?,
        CompareOutput::Json => compare_json::write(context, &all, args.per_turn)?,
    }
    context.out.flush()?;
    Ok(check(&all, &requirements, args.allow_empty))
}

/// The run of a trace; of one found in a folder each conversation.
fn runs(file: &Named, args: &CompareArgs) -> Result<Vec<Compared>, Error> {
    let loaded = open::open(&file.path, &args.reading)?;
    let name = file.path.to_string_lossy();
    if !file.found || loaded.conversations.len() == 1 {
        let step = open::pick(&loaded, &file.path, &args.picking)?;
        return Ok(vec![compared(&name, step, args)?]);
    }
    let runs = loaded.conversations.iter().zip(1..);
    runs.map(|(step, number)| compared(&format!("{name}#{number}"), Arc::clone(step), args))
        .collect()
}

fn compared(file: &str, step: Arc<Step>, args: &CompareArgs) -> Result<Compared, Error> {
    let model = step.model.clone();
    let tokenizer = tokenizer(&args.options.asked)?;
    let profile = Profile::parse(&args.measuring.profile, model.as_deref());
    let profile = profile.map_err(Error::Usage)?;
    let price = args.price.as_deref().map(Price::parse).transpose();
    let price = price.map_err(Error::Usage)?;
    let run = Arc::new(Run::new(open::inferred(step, &args.options)));
    let analysis = Analysis::new(run, tokenizer, profile);
    let saved = Base::from_file(args, file)?;
    let (cases, name) = cases::cases(args, &analysis, saved.is_some())?;
    let rows = analysis.compare(&cases, args.turn)?;
    let base = match saved {
        Some(saved) => saved,
        None => Base::row(&rows, &name, file)?,
    };
    let at = args.turn.unwrap_or_else(|| analysis.last_turn());
    let usage = |turn: &Arc<crate::step::Turn>| {
        let usage = turn.usage();
        [usage.input, usage.cache_read, usage.cache_write]
    };
    Ok(Compared {
        file: file.to_owned(),
        base,
        profile,
        tokenizer,
        exact: tokenizer.is_exact_for(model.as_deref()),
        reference: analysis.references(args.turn.unwrap_or(1)..=at),
        usage: analysis.recorded_usage(),
        besides: analysis.besides(at, rows.first().map_or(0, |row| row.messages)),
        price,
        recorded: analysis.run().step().turns().iter().map(usage).collect(),
        rows,
    })
}

/// The rows of another trace under the same cases.
pub(super) fn rows_of(file: &Path, args: &CompareArgs) -> Result<Vec<Row>, Error> {
    let loaded = open::open(file, &args.reading)?;
    let step = open::pick(&loaded, file, &args.picking)?;
    let profile = Profile::parse(&args.measuring.profile, step.model.as_deref());
    let profile = profile.map_err(Error::Usage)?;
    let tokenizer = tokenizer(&args.options.asked)?;
    let run = Arc::new(Run::new(open::inferred(step, &args.options)));
    let analysis = Analysis::new(run, tokenizer, profile);
    let (cases, _) = cases::cases(args, &analysis, true)?;
    Ok(analysis.compare(&cases, args.turn)?)
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

/// Whether every row meets the requirements, and anything was measured. What isn't is told on standard
/// error.
fn check(all: &[Compared], requirements: &[Requirement], allow_empty: bool) -> bool {
    let mut met = true;
    for requirement in requirements {
        let figure = requirement.figure();
        for compared in all {
            let rows = compared.rows.iter().enumerate();
            for (_, row) in rows.filter(|(at, _)| compared.base.judges(*at, &compared.rows)) {
                let base = compared.base_of(row, figure).unwrap_or_default();
                if !requirement.is_met(row, base) {
                    met = false;
                    violation(compared, requirement, row, base);
                }
            }
        }
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
    let rows = || all.iter().flat_map(|compared| &compared.rows);
    if requirements.is_empty() && !allow_empty && !rows().any(|row| row.messages > 0) {
        met = false;
        complain(
            "not met",
            "nothing was measurable: there is no prompt to compare; --allow-empty takes that as done",
        );
    }
    met
}

fn violation(compared: &Compared, requirement: &Requirement, row: &Row, base: f64) {
    let figure = requirement.figure();
    // A percentage of a count has decimals that tell nothing.
    let rounded = |figure: f64| (figure * 100.0).round() / 100.0;
    let limit = rounded(requirement.limit(base));
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
            rounded(figure.of(row)),
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
