//! `print`: a run as text (requirements 9). Lines are not wrapped, and boxes have no right side, so
//! that a pipe gets every line as it is.

use std::sync::Arc;

use super::args::{CheckOutput, InspectArgs, Parts, PrintArgs, View};
use super::page::Page;
use super::prompt::shown;
use super::selection::{self, Selection};
use super::{Context, folder, follow, note, open, print_beside, print_turn, print_usage};
use crate::compression::{Asked, Run};
use crate::error::Error;
use crate::load::Loaded;
use crate::step::{Conventions, Ending, Input, Step, Turn};
use crate::value::Value;

/// What is to be printed.
pub(super) struct Request<'a> {
    view: View,
    parts: Parts,
    turns: Option<&'a Selection>,
    max_lines: Option<usize>,
    turn: Option<u32>,
    asked: &'a Asked,
}

impl<'a> Request<'a> {
    /// What is printed where nothing can be inspected: the turns, or the prompt that was asked for.
    pub(super) fn of(args: &'a InspectArgs) -> Self {
        let compressed = args.turn.is_some() || !args.options.is_empty();
        Self {
            view: if compressed {
                View::Compressed
            } else {
                View::Turns
            },
            parts: Parts::default(),
            turns: None,
            max_lines: None,
            turn: args.turn,
            asked: &args.options.asked,
        }
    }

    /// What `print` is asked for.
    pub(super) fn of_print(args: &'a PrintArgs) -> Self {
        Self {
            view: args.view,
            parts: args.parts,
            turns: args.turns.as_ref(),
            max_lines: args.max_lines,
            turn: args.turn,
            asked: &args.options.asked,
        }
    }

    /// Lines that a text is cut to.
    pub(super) fn max_lines(&self) -> Option<usize> {
        self.max_lines
    }

    /// Whether a turn is among those that are shown.
    pub(super) fn shows(&self, turn: u32) -> bool {
        self.turns.is_none_or(|turns| turns.has(turn))
    }
}

pub(super) fn run(args: &PrintArgs, context: &mut Context<'_>) -> Result<(), Error> {
    check_flags(args)?;
    let last = args.last.as_deref().map(open::newest).transpose()?;
    // One of them is there, the arguments see to it.
    let file = args.file.clone().or(last).unwrap_or_default();
    if args.follow {
        return follow::run(args, &file, context);
    }
    if open::is_folder(&file) {
        return folder::run(&file, &args.reading, CheckOutput::Text, context);
    }
    let mut loaded = open::open(&file, &args.reading)?;
    if args.picking.conversation.is_some() {
        loaded.conversations = vec![open::pick(&loaded, &file, &args.picking)?];
    }
    for step in &mut loaded.conversations {
        *step = open::inferred(Arc::clone(step), &args.options);
    }
    conversations(
        &loaded,
        &Request::of_print(args),
        &file.to_string_lossy(),
        context,
    )
}

/// Flags that would do nothing are an error.
fn check_flags(args: &PrintArgs) -> Result<(), Error> {
    let problem = match args.view {
        View::Turns if args.turn.is_some() => {
            "--turn needs --view compressed; --turns chooses the turns that are shown"
        }
        View::Turns if !args.options.is_empty() && !args.parts.usage => {
            "a strategy and its options need --view compressed or --usage"
        }
        View::Compressed if args.follow => "--follow needs --view turns",
        _ if args.follow && args.parts.usage => {
            "--usage is about the whole run; it doesn't go with --follow"
        }
        View::Compressed if args.turns.is_some() => {
            "--turns needs --view turns; --turn chooses the turn whose prompt is shown"
        }
        View::Compressed if args.parts.raw || args.parts.messages => {
            "--raw and --messages need --view turns"
        }
        _ => return Ok(()),
    };
    Err(Error::Usage(problem.to_owned()))
}

/// Prints every conversation of a trace that errors call `name`.
pub(super) fn conversations(
    loaded: &Loaded,
    request: &Request<'_>,
    name: &str,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    let all = &loaded.conversations;
    if all.is_empty() {
        return Err(Error::Unreadable {
            name: name.to_owned(),
            what: "there is no conversation in it".to_owned(),
        });
    }
    let mut page = Page::new(context.out, context.style, request.max_lines);
    // Chosen turns need not be in every conversation, but in one.
    let mut nothing_chosen = None;
    let mut printed = 0;
    for (index, step) in all.iter().enumerate() {
        if let Err(error) = selection::turns(step, request.turns) {
            nothing_chosen = Some(error);
            continue;
        }
        if printed > 0 {
            page.line("")?;
        }
        printed += 1;
        if all.len() > 1 {
            let title = format!("Conversation {} of {}", index + 1, all.len());
            page.heading(&title)?;
        }
        match request.view {
            View::Turns => turns_view(&mut page, step, request, name)?,
            View::Compressed => compressed_view(&mut page, step, request, name)?,
        }
    }
    match nothing_chosen {
        Some(error) if printed == 0 => Err(error),
        _ => Ok(()),
    }
}

fn turns_view(
    page: &mut Page<'_>,
    step: &Arc<Step>,
    request: &Request<'_>,
    name: &str,
) -> Result<(), Error> {
    whole_run(page, step, request, "", name)
}

/// Prints a run, then the runs that it started; `path` is what their numbers begin with. Where turns
/// are chosen, they are the run's own.
pub(super) fn whole_run(
    page: &mut Page<'_>,
    step: &Arc<Step>,
    request: &Request<'_>,
    path: &str,
    name: &str,
) -> Result<(), Error> {
    // What can't be shown is told before anything is printed.
    let run = Run::new(Arc::clone(step));
    let usage = request.parts.usage;
    let stats = usage
        .then(|| shown(&run, None, request.asked, name))
        .transpose()?;
    if let Some(text) = stats.as_ref().and_then(|shown| shown.note.as_ref()) {
        note(text);
    }
    let turns = selection::turns(step, request.turns)?;
    opening(page, step)?;
    // One after the other: of a large trace no turn stays in memory.
    for turn in turns.into_iter().filter_map(|index| step.turn(index)) {
        print_beside::events(page, step, turn.number() as usize - 1)?;
        page.line("")?;
        one_turn(page, &run, &turn, request)?;
    }
    if request.turns.is_none() {
        print_beside::events(page, step, step.turns().len())?;
    }
    for input in Input::apart(step.pending_input.as_ref(), &step.pending_inputs) {
        page.line("")?;
        let note = input.note().map(|note| format!(" ({note})"));
        page.heading(&format!(
            "Input without a reply{}",
            note.unwrap_or_default()
        ))?;
        page.text("  ", &input.text)?;
    }
    ending(page, step)?;
    print_beside::unmatched(page, step)?;
    if let Some(shown) = stats {
        print_usage::section(page, step, &shown)?;
    }
    if request.turns.is_none() {
        print_beside::children(page, step, request, path, name)?;
    }
    Ok(())
}

pub(super) fn opening(page: &mut Page<'_>, step: &Step) -> Result<(), Error> {
    let turns = step.turns().len();
    let plural = if turns == 1 { "" } else { "s" };
    let mut facts = vec![match step.max_turns() {
        Some(max) => format!("{turns} of {max} turns"),
        None => format!("{turns} turn{plural}"),
    }];
    if let Some(model) = &step.model {
        facts.push(model.to_string());
    }
    facts.push(match step.ending {
        Ending::Return(_) => "returned".to_owned(),
        Ending::Fail(_) => "failed".to_owned(),
        Ending::Open => "no end recorded".to_owned(),
    });
    page.title(step.name.as_deref().unwrap_or("run without a name"), &facts)?;
    match step.mission.as_deref() {
        Some(mission) => page.text("  ", mission)?,
        None => page.note("  ", "mission: not recorded")?,
    }
    if !step.tools.is_empty() {
        let tools: Vec<&str> = step.tools.iter().map(|tool| &*tool.name).collect();
        page.note("  ", &format!("tools: {}", tools.join(", ")))?;
    }
    print_beside::unrecorded(page, step)
}

/// Prints a turn.
pub(super) fn one_turn(
    page: &mut Page<'_>,
    run: &Run,
    turn: &Arc<Turn>,
    request: &Request<'_>,
) -> Result<(), Error> {
    print_turn::turn(page, run, turn, request.parts)
}

pub(super) fn ending(page: &mut Page<'_>, step: &Step) -> Result<(), Error> {
    match &step.ending {
        Ending::Return(answer) => {
            page.line("")?;
            page.heading("Returned")?;
            match answer {
                Value::Str(text) if step.conventions == Conventions::Foreign => {
                    page.text("  ", text)?;
                }
                answer => page.value("  ", answer)?,
            }
        }
        Ending::Fail(failure) => {
            page.line("")?;
            page.heading("Failed")?;
            let words = [&failure.reason, &failure.message, &failure.op];
            for text in words.into_iter().flatten() {
                page.text("  ", text)?;
            }
        }
        Ending::Open => {}
    }
    if let Some(file) = &step.continued {
        page.line("")?;
        page.heading(&format!("Goes on in {file}"))?;
    }
    Ok(())
}

fn compressed_view(
    page: &mut Page<'_>,
    step: &Arc<Step>,
    request: &Request<'_>,
    name: &str,
) -> Result<(), Error> {
    let run = Run::new(Arc::clone(step));
    let shown = shown(&run, request.turn, request.asked, name)?;
    if let Some(text) = &shown.note {
        note(text);
    }
    let title = step.name.as_deref().unwrap_or("run without a name");
    let facts = [
        format!("prompt for turn {}", shown.turn),
        shown.title.clone(),
    ];
    page.title(title, &facts)?;
    for (role, content) in &shown.messages {
        page.line("")?;
        page.open_box(role.name())?;
        page.boxed("", content)?;
        page.close_box()?;
    }
    if request.parts.usage {
        print_usage::section(page, step, &shown)?;
    }
    Ok(())
}
