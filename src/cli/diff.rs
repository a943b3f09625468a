//! `diff`: how two prompts, or two runs, differ.

use std::path::Path;
use std::sync::Arc;

use super::args::{CheckOutput, DiffArgs};
use super::diff_runs::Runs;
use super::prompt::shown;
use super::style::Role;
use super::{Context, open};
use crate::analysis::diff::unified;
use crate::compression::{Asked, Run};
use crate::error::Error;
use crate::export;
use crate::step::Step;
use crate::text::clean_line;

/// One side: what it is called, and its text.
struct Side {
    title: String,
    text: String,
}

pub(super) fn run(args: &DiffArgs, context: &mut Context<'_>) -> Result<(), Error> {
    let both = args.file2.is_some() && args.turn.is_none() && args.options.is_empty();
    let is_json = args.output == CheckOutput::Json;
    if is_json && !both {
        let what = "--output json compares two runs: two files, without --turn and a strategy";
        return Err(Error::Usage(what.to_owned()));
    }
    if let Some(file2) = args.file2.as_ref().filter(|_| both) {
        let (first, second) = (step(args, &args.file)?, step(args, file2)?);
        let runs = Runs::new([(&first, &args.file), (&second, file2)]);
        if is_json {
            return runs.print_json(context);
        }
        let (before, after) = (report(&first, &args.file), report(&second, file2));
        if before.text == after.text && !runs.facts_differ() {
            return Ok(());
        }
        runs.print(context)?;
        return lines(&before, &after, context);
    }
    let (before, after) = sides(args)?;
    lines(&before, &after, context)
}

/// The lines that differ.
fn lines(before: &Side, after: &Side, context: &mut Context<'_>) -> Result<(), Error> {
    let style = context.style;
    let diff = unified(&before.text, &after.text);
    if diff.is_empty() {
        return Ok(());
    }
    let heads = [("---", before, Role::Bad), ("+++", after, Role::Good)];
    for (sign, side, role) in heads {
        let line = format!("{sign} {}", side.title.replace('\n', " "));
        writeln!(context.out, "{}", style.paint(role, &clean_line(&line)))?;
    }
    for line in diff.lines() {
        let line = clean_line(line);
        let painted = match line.chars().next() {
            Some('-') => style.paint(Role::Bad, &line),
            Some('+') => style.paint(Role::Good, &line),
            Some('@') => style.paint(Role::Dim, &line),
            _ => line.into_owned(),
        };
        writeln!(context.out, "{painted}")?;
    }
    Ok(())
}

fn step(args: &DiffArgs, file: &Path) -> Result<Arc<Step>, Error> {
    let step = open::pick(&open::open(file, &args.reading)?, file, &args.picking)?;
    Ok(open::inferred(step, &args.options))
}

/// Two prompts: of one run, or of two for the same turn.
fn sides(args: &DiffArgs) -> Result<(Side, Side), Error> {
    let first = step(args, &args.file)?;
    let asked = &args.options.asked;
    if let Some(file2) = &args.file2 {
        let second = step(args, file2)?;
        let before = prompt(&Run::new(first), args.turn, asked, &args.file)?;
        let after = prompt(&Run::new(second), args.turn, asked, file2)?;
        return Ok((before.1, after.1));
    }
    let run = Run::new(first);
    let (turn, after) = prompt(&run, args.turn, asked, &args.file)?;
    let (_, before) = if let Some(strategy) = &args.against {
        let options = asked.options.iter();
        let options = options.filter(|_| *strategy != super::RECORDED);
        let other = Asked::new(Some(strategy.clone()), options.cloned().collect());
        prompt(&run, Some(turn), &other, &args.file)?
    } else {
        let earlier = turn.saturating_sub(1).max(1);
        let earlier = args.against_turn.unwrap_or(earlier);
        prompt(&run, Some(earlier), asked, &args.file)?
    };
    Ok((before, after))
}

/// A run as a report.
fn report(step: &Arc<Step>, file: &Path) -> Side {
    Side {
        title: file.to_string_lossy().into_owned(),
        text: export::markdown::report(step),
    }
}

/// A prompt as text, and the turn that it is for.
fn prompt(run: &Run, turn: Option<u32>, asked: &Asked, file: &Path) -> Result<(u32, Side), Error> {
    let name = file.to_string_lossy();
    let shown = shown(run, turn, asked, &name)?;
    let side = Side {
        title: format!("{name}, prompt for turn {}, {}", shown.turn, shown.title),
        text: export::text::messages(&shown.messages),
    };
    Ok((shown.turn, side))
}
