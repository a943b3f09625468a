//! The rows that `compare` is asked for: cases, a sweep, or every strategy.

use super::args::CompareArgs;
use super::option_flags::{RECORDED, naming_recorded};
use crate::analysis::{Analysis, Reference, View};
use crate::compression::{Asked, Case, STRATEGIES, strategy};
use crate::error::Error;

/// A sweep has no more rows than this.
const SWEEP: usize = 500;

/// Rows with their names, and the name of the baseline, which is among them unless it is a file.
pub(super) fn cases(
    args: &CompareArgs,
    analysis: &Analysis,
    is_file: bool,
) -> Result<(Vec<(String, View)>, String), Error> {
    let mut cases = if let Some(sweep) = &args.sweep {
        swept(sweep, &args.options.asked, analysis)?
    } else if !args.case.is_empty() {
        let given = args
            .case
            .iter()
            .map(|case| given(case, &args.options.asked));
        given.collect::<Result<_, _>>()?
    } else if args.options.asked.strategy.is_some() {
        vec![one(&args.options.asked, analysis)?]
    } else {
        all(&args.options.asked, analysis)?
    };
    // What was sent is not recorded itself where it is rebuilt, and isn't called so.
    let is_rebuilt = analysis.run().is_rebuilt();
    for (name, _) in cases
        .iter_mut()
        .filter(|(name, view)| is_rebuilt && name == RECORDED && *view == View::Recorded)
    {
        Reference::Rebuilt.name().clone_into(name);
    }
    let baseline = match &args.baseline {
        Some(name) if is_rebuilt && name == RECORDED => Reference::Rebuilt.name().to_owned(),
        Some(name) => name.clone(),
        None if analysis.is_recorded() => RECORDED.to_owned(),
        None => "uncompressed".to_owned(),
    };
    if !is_file && cases.iter().all(|(name, _)| *name != baseline) {
        let view = named(&baseline).map_err(|_| {
            let names: Vec<&str> = cases.iter().map(|(name, _)| name.as_str()).collect();
            Error::Usage(format!(
                "there is no row and no file {baseline} to hold others against; rows: {}, any strategy, or {RECORDED}",
                names.join(", ")
            ))
        })?;
        cases.insert(0, (baseline.clone(), view));
    }
    Ok((cases, baseline))
}

fn named(name: &str) -> Result<View, Error> {
    if [RECORDED, Reference::Rebuilt.name()].contains(&name) {
        return Ok(View::Recorded);
    }
    let strategy = strategy(name).map_err(naming_recorded)?;
    Ok(View::Case(Case::new(strategy)))
}

/// The strategy that flags name, with its options.
fn one(asked: &Asked, analysis: &Analysis) -> Result<(String, View), Error> {
    if asked.strategy.as_deref() == Some(RECORDED) {
        return Ok((RECORDED.to_owned(), View::Recorded));
    }
    let case = asked
        .case(analysis.run().step())
        .map_err(naming_recorded)?
        .case;
    Ok((case.strategy.name().to_owned(), View::Case(case)))
}

/// Every strategy, with the options given as far as it has them; what was really sent first.
fn all(asked: &Asked, analysis: &Analysis) -> Result<Vec<(String, View)>, Error> {
    let recorded = (RECORDED.to_owned(), View::Recorded);
    let mut cases = Vec::new();
    cases.extend(analysis.is_recorded().then_some(recorded));
    for &strategy in STRATEGIES {
        let mut case = Case::new(strategy);
        for (name, value) in &asked.options {
            if case.spec(name).is_ok() {
                case.set(name, value)?;
            }
        }
        cases.push((strategy.name().to_owned(), View::Case(case)));
    }
    for (name, _) in &asked.options {
        let known = STRATEGIES
            .iter()
            .any(|&strategy| Case::new(strategy).spec(name).is_ok());
        if !known {
            // The error lists the valid ones.
            Case::default().spec(name)?;
        }
    }
    Ok(cases)
}

/// `NAME=STRATEGY,option=value,..`, or without a name.
fn given(text: &str, asked: &Asked) -> Result<(String, View), Error> {
    let mut parts = text.split(',');
    let head = parts.next().unwrap_or_default();
    let (name, strategy) = head.split_once('=').unwrap_or((text, head));
    let mut view = named(strategy.trim())?;
    let options = parts.map(|option| {
        option.split_once('=').ok_or_else(|| {
            Error::Usage(format!(
                "--case {text}: '{option}' is no option; NAME=STRATEGY,option=value,.. is needed"
            ))
        })
    });
    for option in options {
        let (option, value) = option?;
        match &mut view {
            View::Case(case) => case.set(&option.trim().replace('-', "_"), value)?,
            View::Recorded => {
                return Err(Error::Usage(format!(
                    "--case {text}: {RECORDED} takes no options; leave them out or choose a strategy"
                )));
            }
        }
    }
    if let View::Case(case) = &mut view {
        let tokenizer = asked
            .options
            .iter()
            .rev()
            .find(|(name, _)| name == "tokenizer");
        if let Some((name, value)) = tokenizer {
            case.set(name, value)?;
        }
    }
    Ok((name.trim().to_owned(), view))
}

/// A row for each value of an option.
fn swept(sweep: &str, asked: &Asked, analysis: &Analysis) -> Result<Vec<(String, View)>, Error> {
    let wrong = || {
        Error::Usage(format!(
            "--sweep {sweep}: OPTION=A..B or OPTION=A..B:STEP is needed, with whole numbers of which A is \
             not larger than B, STEP is not 0, and no more than {SWEEP} values"
        ))
    };
    let (option, range) = sweep.split_once('=').ok_or_else(wrong)?;
    let (from, to) = range.split_once("..").ok_or_else(wrong)?;
    let (to, step) = to.split_once(':').unwrap_or((to, "1"));
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
    let (from, to, step) = (number(from)?, number(to)?, number(step)?);
    if from > to || step == 0 || (to - from) / step >= SWEEP {
        return Err(wrong());
    }
    let option = option.trim().replace('-', "_");
    let (_, View::Case(case)) = one(asked, analysis)? else {
        return Err(Error::Usage(format!(
            "--sweep needs a strategy; {RECORDED} has no options"
        )));
    };
    let rows = (from..=to).step_by(step).map(|value| {
        let mut case = case.clone();
        case.set(&option, &value.to_string())?;
        Ok((format!("{option}={value}"), View::Case(case)))
    });
    rows.collect()
}
