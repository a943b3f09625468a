//! `problems`: everything that went wrong in a run, in order.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;

use super::args::{CheckOutput, ProblemsArgs};
use super::style::Role;
use super::{Context, compare, open};
use crate::analysis::{Analysis, Problem, Profile, View};
use crate::compression::Run;
use crate::error::Error;
use crate::export;
use crate::text::{clean_line, escape_json};

pub(super) fn run(args: &ProblemsArgs, context: &mut Context<'_>) -> Result<(), Error> {
    let tokenizer = compare::tokenizer(&args.options.asked)?;
    let mut files = Vec::new();
    for file in open::expand(&args.files)? {
        let loaded = open::open(&file.path, &args.reading);
        let Some(loaded) = open::or_left_out(&file, loaded)? else {
            continue;
        };
        let name = file.path.to_string_lossy();
        let mut found = Vec::new();
        for step in &loaded.conversations {
            let step = &open::inferred(Arc::clone(step), &args.options);
            let run = Arc::new(Run::new(Arc::clone(step)));
            let view = if args.options.is_recorded() {
                Some(View::Recorded)
            } else if args.options.is_empty() {
                None
            } else {
                Some(View::Case(args.options.asked.case(step)?.case))
            };
            let analysis = Analysis::new(run, tokenizer, Profile::default());
            found.extend(analysis.problems(view.as_ref()));
        }
        match args.output {
            CheckOutput::Text => print(context, &name, &found)?,
            CheckOutput::Json => {
                let problems = export::analysis::problems(&found);
                files.push(json!({"file": name, "problems": problems}));
            }
        }
    }
    if args.output == CheckOutput::Json {
        let mut out = match files.as_mut_slice() {
            [one] => std::mem::take(one),
            _ => json!({ "files": files }),
        };
        out["schema"] = json!("problems/1");
        let text = serde_json::to_string(&out).unwrap_or_default();
        writeln!(context.out, "{}", escape_json(&text))?;
    }
    Ok(())
}

fn print(context: &mut Context<'_>, file: &str, problems: &[Problem]) -> Result<(), Error> {
    let style = context.style;
    let count = match problems.len() {
        0 => "no problems".to_owned(),
        1 => "1 problem".to_owned(),
        count => format!("{count} problems"),
    };
    let title = format!("{file}: {count}");
    writeln!(
        context.out,
        "{}",
        style.paint(Role::Heading, &clean_line(&title))
    )?;
    for problem in problems {
        let mut path = String::new();
        for at in &problem.path {
            let _ = write!(path, "child {}: ", at + 1);
        }
        let turn = problem
            .what
            .turn()
            .map_or_else(String::new, |turn| format!("turn {turn}: "));
        let what = problem.what.to_string().replace('\n', " ");
        let line = format!("  {path}{turn}{what}");
        writeln!(context.out, "{}", clean_line(&line))?;
    }
    Ok(())
}
