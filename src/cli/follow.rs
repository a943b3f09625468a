//! `print --follow`: turns are printed as they come into a file that another program writes.
//!
//! A file is asked for its size and time, and loaded anew when they change, so every format can be
//! followed, and what a strategy or a person needs of later records (a call's result) is there. A turn
//! is printed when it is done: another follows, the run has ended, or nothing has changed for a while.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::args::PrintArgs;
use super::page::Page;
use super::print::{self, Request};
use super::{Context, note, open, print_beside};
use crate::compression::Run;
use crate::error::Error;
use crate::load::{Loaded, Stamp};
use crate::step::{Ending, Step, Turn};

/// How often size and time are asked for.
const INTERVAL: Duration = Duration::from_millis(300);

/// Without a change for so long, the last turn counts as done.
const QUIET: Duration = Duration::from_secs(2);

/// What of a conversation is printed.
#[derive(Default)]
struct Printed {
    /// What tells the turns from others, as far as they are known without being read again.
    turns: Vec<u64>,
    /// What tells the last of them from others.
    last: u64,
    has_ended: bool,
}

/// What tells a turn from others.
fn print_of(turn: &Turn) -> u64 {
    let mut hasher = DefaultHasher::new();
    let _ = write!(Hashed(&mut hasher), "{turn:?}");
    hasher.finish()
}

/// As [`print_of`]; of a turn that is read when somebody looks at it only what is known without.
fn glance_of(turn: &Turn) -> u64 {
    if !turn.is_shelved() {
        return print_of(turn);
    }
    let mut hasher = DefaultHasher::new();
    let (times, amounts) = ((turn.started_at(), turn.duration_ms()), turn.amounts());
    let known = (turn.number(), turn.usage(), turn.position());
    let _ = write!(Hashed(&mut hasher), "{known:?} {times:?} {amounts:?}");
    hasher.finish()
}

/// Hashes what is written.
struct Hashed<'a>(&'a mut DefaultHasher);

impl std::fmt::Write for Hashed<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// Prints until the reader goes away or the program is stopped.
pub(super) fn run(args: &PrintArgs, file: &Path, context: &mut Context<'_>) -> Result<(), Error> {
    if !file.is_file() {
        let name = file.to_string_lossy();
        let what = format!("--follow follows a file; {name} is none");
        return Err(Error::Usage(what));
    }
    let name = file.to_string_lossy().into_owned();
    let request = Request::of_print(args);
    let mut printed: Vec<Printed> = Vec::new();
    let mut seen = Stamp::of(file);
    let mut loaded = load(args, file)?;
    let mut changed = Instant::now();
    let mut is_gone = false;
    loop {
        if is_another(&printed, &loaded) {
            note(&format!(
                "{name} was replaced; it is printed from its start"
            ));
            printed.clear();
        }
        let is_quiet = changed.elapsed() >= QUIET;
        show(&loaded, &mut printed, is_quiet, &request, context)?;
        context.out.flush()?;
        thread::sleep(INTERVAL);
        let now = Stamp::of(file);
        if now.is_none() && !is_gone {
            note(&format!(
                "{name} is gone; it is printed when it is there again"
            ));
        }
        is_gone = now.is_none();
        if now.is_some() && now != seen {
            seen = now;
            changed = Instant::now();
            // What is being written may be half a file: it is read after the next change.
            if let Ok(fuller) = load(args, file) {
                loaded = fuller;
            }
        }
    }
}

fn load(args: &PrintArgs, file: &Path) -> Result<Loaded, Error> {
    let mut loaded = open::open_quietly(file, &args.reading)?;
    if args.picking.conversation.is_some() {
        loaded.conversations = vec![open::pick(&loaded, file, &args.picking)?];
    }
    Ok(loaded)
}

/// Whether what was loaded doesn't begin with what is printed. The turn printed last may have grown.
fn is_another(printed: &[Printed], loaded: &Loaded) -> bool {
    let is_other = |(at, printed): (usize, &Printed)| {
        let Some(step) = loaded.conversations.get(at) else {
            return true;
        };
        let before = printed
            .turns
            .split_last()
            .map_or(&[][..], |(_, before)| before);
        let known = step.turns().iter().zip(before);
        let same = known.filter(|(turn, before)| glance_of(turn) == **before);
        step.turns().len() < printed.turns.len() || same.count() < before.len()
    };
    printed.iter().enumerate().any(is_other)
}

fn show(
    loaded: &Loaded,
    printed: &mut Vec<Printed>,
    is_quiet: bool,
    request: &Request<'_>,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    let several = loaded.conversations.len() > 1;
    for (at, step) in loaded.conversations.iter().enumerate() {
        let title = several.then(|| format!("Conversation {}", at + 1));
        if at == printed.len() {
            let mut page = Page::new(context.out, context.style, request.max_lines());
            if at > 0 {
                page.line("")?;
            }
            if let Some(title) = &title {
                page.heading(title)?;
            }
            print::opening(&mut page, step)?;
            printed.push(Printed::default());
        }
        turns(step, &mut printed[at], is_quiet, request, context)?;
    }
    Ok(())
}

/// Prints the turns that are done and not printed yet, and the end.
fn turns(
    step: &Arc<Step>,
    printed: &mut Printed,
    is_quiet: bool,
    request: &Request<'_>,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    let has_ended = !matches!(step.ending, Ending::Open);
    let all = step.turns();
    let done = if has_ended || is_quiet {
        all.len()
    } else {
        all.len().saturating_sub(1)
    };
    let mut page = Page::new(context.out, context.style, request.max_lines());
    // What came later to a turn that counted as done is shown by printing it again.
    let last = printed
        .turns
        .len()
        .checked_sub(1)
        .filter(|last| *last < done);
    if let Some((at, turn)) = last.and_then(|at| Some((at, step.turn(at)?)))
        && print_of(&turn) != printed.last
    {
        printed.turns.truncate(at);
    }
    // Made only where something is printed: a run is asked for every change of the file.
    let mut run = None;
    let left = all.iter().enumerate().take(done);
    for (at, held) in left.skip(printed.turns.len()) {
        let Some(turn) = step.turn(at) else { break };
        if request.shows(turn.number()) {
            let run = run.get_or_insert_with(|| Run::new(Arc::clone(step)));
            print_beside::events(&mut page, step, at)?;
            page.line("")?;
            print::one_turn(&mut page, run, &turn, request)?;
        }
        printed.turns.push(glance_of(held));
        printed.last = print_of(&turn);
    }
    if has_ended && !printed.has_ended {
        printed.has_ended = true;
        print::ending(&mut page, step)?;
        print_beside::unmatched(&mut page, step)?;
    }
    Ok(())
}
