//! `replay`: runs a trace's programs again on the recorded results of tools.

use serde::Serialize;

use super::args::{EvalOutput, ReplayArgs};
use super::{Context, open};
use crate::agent::{Replay, ReplayedTurn, Verdict, replay_in};
use crate::error::Error;
use crate::lisp::Session;
use crate::text::{clean_line, escape_json};

/// Bytes of each side of a difference.
const SIDE: usize = 400;

#[derive(Serialize)]
struct Told {
    schema: &'static str,
    same: usize,
    differs: usize,
    cant: usize,
    turns: Vec<ToldTurn>,
}

#[derive(Serialize)]
struct ToldTurn {
    turn: u32,
    verdict: &'static str,
    why: Option<String>,
    differences: Vec<ToldDifference>,
    notes: Vec<&'static str>,
}

#[derive(Serialize)]
struct ToldDifference {
    part: &'static str,
    recorded: String,
    replayed: String,
}

/// Runs the programs again; false where one came out otherwise.
pub(super) fn run(args: &ReplayArgs, context: &mut Context<'_>) -> Result<bool, Error> {
    let loaded = open::open(&args.file, &args.reading)?;
    let step = open::pick(&loaded, &args.file, &args.picking)?;
    if !Replay::has_programs(&step) {
        return Err(Error::Unreadable {
            name: args.file.to_string_lossy().into_owned(),
            what: "there is no PTC-Lisp program in it to run again".to_owned(),
        });
    }
    let session = Session::default().with_bare_names(args.bare_names);
    let replayed = replay_in(session, &step);
    let (same, differs, cant) = replayed.counts();
    let told = Told {
        schema: "turnscope.replay/1",
        same,
        differs,
        cant,
        turns: replayed.turns.iter().map(told).collect(),
    };
    match args.output {
        EvalOutput::Json => {
            let json = serde_json::to_string_pretty(&told).unwrap_or_default();
            writeln!(context.out, "{}", escape_json(&json))?;
        }
        EvalOutput::Text => write_text(&told, context)?,
    }
    Ok(differs == 0)
}

fn told(turn: &ReplayedTurn) -> ToldTurn {
    let differences = turn.differences.iter().map(|difference| {
        let (recorded, replayed) = difference.sides(SIDE);
        ToldDifference {
            part: difference.part,
            recorded,
            replayed,
        }
    });
    let (verdict, why) = match &turn.verdict {
        Verdict::Same => ("same", None),
        Verdict::Differs => ("differs", None),
        Verdict::Cant(why) => ("can't", Some(why.clone())),
    };
    ToldTurn {
        turn: turn.number,
        verdict,
        why,
        differences: differences.collect(),
        notes: turn.notes.clone(),
    }
}

fn write_text(told: &Told, context: &mut Context<'_>) -> Result<(), Error> {
    for turn in &told.turns {
        write!(context.out, "turn {}: {}", turn.turn, turn.verdict)?;
        if let Some(why) = &turn.why {
            write!(context.out, ": {}", clean_line(why))?;
        }
        writeln!(context.out)?;
        for note in &turn.notes {
            writeln!(context.out, "  {note}")?;
        }
        for difference in &turn.differences {
            writeln!(context.out, "  {}", difference.part)?;
            writeln!(
                context.out,
                "    recorded {}",
                one_line(&difference.recorded)
            )?;
            writeln!(
                context.out,
                "    replayed {}",
                one_line(&difference.replayed)
            )?;
        }
    }
    let Told {
        same,
        differs,
        cant,
        ..
    } = told;
    Ok(writeln!(
        context.out,
        "{same} same, {differs} differ, {cant} can't be told"
    )?)
}

fn one_line(text: &str) -> String {
    clean_line(&text.replace(['\n', '\r'], " ")).into_owned()
}
