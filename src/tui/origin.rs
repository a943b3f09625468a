//! From a line of the prompt to the turn and the item that it comes from, and back.

use std::sync::Arc;

use regex::Regex;

use super::app::{App, Pane};
use super::command::Context;
use super::document::Document;
use super::lens::{Content, Side};
use super::pane::turn::{Tab, name_in_memory, searched_source};
use super::rows::Block;
use crate::compression::{Prompt, Reason, Run};
use crate::namespace::{Origin, content::turn_number};
use crate::step::{History, Turn};
use crate::text;

pub(super) use listed::from_list;

mod listed;

/// The parts of a turn in which an item of some origin is looked for.
fn tabs(origin: &Origin) -> &'static [Tab] {
    match origin {
        Origin::Call { .. } => &[Tab::Tools, Tab::Raw, Tab::Program],
        Origin::Definition { .. } => &[Tab::Program, Tab::Memory],
        Origin::Input(_) => &[Tab::Input],
        Origin::Program(_) => &[Tab::Program, Tab::Raw],
        _ => &[Tab::Program, Tab::Result, Tab::Tools],
    }
}

/// What finds a text in lines of any form: its first line that says anything.
fn pattern(needle: &str) -> Option<Regex> {
    let mut lines = needle.lines().map(str::trim);
    let line = lines.find(|line| line.chars().any(char::is_alphanumeric))?;
    let line: String = line.chars().take(200).collect();
    Regex::new(&regex::escape(&line)).ok()
}

/// Selects a turn and goes to a text in it, in the parts that the origins name first.
pub(super) fn go_to_turn(app: &mut App, turn: u32, origins: &[Origin], needle: &str) {
    let row = turn_index(turn);
    let document = app.document_mut();
    if document.compares() {
        // The turn's pane has the other prompt.
        document.toggle_compare();
    }
    document.select(row);
    let wanted = origins.iter().flat_map(|origin| tabs(origin));
    let pattern = pattern(needle);
    let place = wanted.chain(&Tab::ALL).find_map(|tab| {
        let pattern = pattern.as_ref()?;
        let (source, blocks) = searched_source(&document.run, row, *tab);
        (0..blocks).find_map(|at| {
            let line = *source.block(at).matching_lines(pattern).first()?;
            Some((*tab, at, line))
        })
    });
    if let Some((tab, block, line)) = place {
        document.turn.tab = tab;
        document.turn.prepare(row);
        document.turn.go_to_recorded(block, line);
    } else if let Some(tab) = origins.first().and_then(|origin| tabs(origin).first()) {
        document.turn.tab = *tab;
    }
    app.focus_on(Pane::Turn);
    let what = origins.first().map_or("item", Origin::kind);
    app.message = Some(format!("{what} of turn {turn}; ctrl-o goes back"));
}

/// Goes to where an item stands in the prompt for turn N; where it doesn't, to where it would, with
/// the reason.
pub(super) fn go_to_prompt(
    app: &mut App,
    n: u32,
    origins: &[Origin],
    needle: &str,
    gone: Option<Reason>,
) {
    let document = app.document_mut();
    let lens = document.lens_mut();
    lens.ghosts = gone.is_some();
    let row = turn_index(n);
    let (row, side) = match lens.side {
        // The prompt for N follows the turn before it.
        Side::After if row > 0 => (row - 1, Side::After),
        _ => (row, Side::Before),
    };
    lens.side = side;
    document.select(row);
    document.prepare_lenses();
    let place = match gone {
        Some(_) => None,
        None => of_origin(document.lens().content(), origins, needle),
    };
    let source = origins
        .first()
        .and_then(Origin::turn)
        .filter(|_| gone.is_some());
    let ghosts = source.and_then(|turn| {
        let item = regex::escape(needle.lines().next().unwrap_or_default());
        let kinds = origins.iter().map(|origin| match origin {
            Origin::Definition { .. } => "def",
            other => other.kind(),
        });
        let of_kinds = kinds.map(|kind| format!("┊ turn {turn} {kind} .*{item}"));
        let in_turn = [format!("┊ turn {turn} .*{item}"), format!("┊ turn {turn} ")];
        let mut patterns = of_kinds
            .chain(in_turn)
            .filter_map(|pattern| Regex::new(&pattern).ok());
        patterns.find_map(|pattern| document.lens().find_line(&pattern))
    });
    let place = place.or(ghosts);
    let place = place.or_else(|| document.lens().find_line(&pattern(needle)?));
    let what = origins.first().map_or_else(|| "it".to_owned(), describe);
    let item = text::headline(needle, 40);
    if let Some((block, line)) = place {
        document.lens_mut().view.go_to_recorded(block, line);
    }
    app.focus_on(Pane::Prompt);
    app.message = Some(match gone {
        Some(reason) => format!(
            "{item} ({what}) is not in the prompt for turn {n}: {}",
            reason.text()
        ),
        None => format!("{item} ({what}) in the prompt for turn {n}"),
    });
}

/// An origin with its turn: `print of turn 2`, `definition of turn 3`.
fn describe(origin: &Origin) -> String {
    match origin.turn() {
        Some(turn) => format!("{} of turn {turn}", origin.kind()),
        None => origin.to_string(),
    }
}

/// The message and the line of a piece of one of these origins, of the line that has the text.
fn of_origin(content: &Content, origins: &[Origin], needle: &str) -> Option<(usize, usize)> {
    let Content::Rendered(prompt) = content else {
        return None;
    };
    let needle = needle.lines().map(str::trim).find(|line| !line.is_empty());
    let needle = needle.unwrap_or_default();
    let mut whole = None;
    for at in 0..prompt.len() {
        let message = prompt.get(at)?;
        let mut start = 0;
        for piece in &message.pieces {
            let text = &message.content[start..piece.end];
            if origins.iter().any(|origin| is_same(origin, &piece.origin)) {
                if let Some(inside) = text.find(needle) {
                    return Some((at, line_of(&message.content, start + inside, piece.end)));
                }
                whole = whole.or_else(|| Some((at, line_of(&message.content, start, piece.end))));
            }
            start = piece.end;
        }
    }
    whole
}

/// The line of a message's block at which some of its text begins; blank lines before it don't count.
fn line_of(text: &str, start: usize, end: usize) -> usize {
    let part = &text[start..end];
    let first = part.len() - part.trim_start_matches('\n').len();
    // A heading line comes before the text.
    1 + text[..start + first].matches('\n').count()
}

fn is_same(wanted: &Origin, found: &Origin) -> bool {
    match (wanted, found) {
        (Origin::Definition { name: a, .. }, Origin::Definition { name: b, .. }) => a == b,
        (a, b) => a == b,
    }
}

/// Goes from the line at the cursor, else on top of the pane, or of the row that is counted, to what it
/// comes from, or to where it stands.
pub(super) fn jump(app: &mut App, count: Option<usize>) {
    let counted = count.map(|count| count.saturating_sub(1));
    if app.context() == Context::Prompt {
        let row = counted.or(app.document().lens().view.cursor_row());
        from_prompt(app, row.unwrap_or(0));
    } else {
        from_turn(app, counted.unwrap_or(0));
    }
}

/// From a row of the prompt to its turn.
fn from_prompt(app: &mut App, row: usize) {
    let document = app.document_mut();
    let Some(n) = document.n_of(document.lens()) else {
        return;
    };
    let Some((origin, line)) = document.lens_mut().origin_at(row) else {
        app.message = Some("this line is a heading or was left out".to_owned());
        return;
    };
    match (&origin, origin.turn()) {
        (_, Some(turn)) => {
            app.remember();
            go_to_turn(app, turn, std::slice::from_ref(&origin), &line);
        }
        (Origin::Recorded, None) => {
            let found = recorded_in(app, n, &line);
            if let Some((turn, origin)) = found {
                app.remember();
                go_to_turn(app, turn, &[origin], &line);
            } else {
                let what = "the trace doesn't tell which turn this line comes from";
                app.message = Some(what.to_owned());
            }
        }
        _ => {
            app.message = Some(format!("this line is of the opening: {origin}"));
        }
    }
}

/// The last turn before N that said or was told a line.
fn recorded_in(app: &App, n: u32, line: &str) -> Option<(u32, Origin)> {
    let needle = line.trim();
    if needle.len() < 3 {
        return None;
    }
    let run = app.document().lens().run();
    let earlier = run.step().each_turn().take(turn_index(n));
    earlier.rev().find_map(|turn| {
        let number = turn.number();
        let has = |text: &str| text.contains(needle);
        let program = turn
            .program()
            .get()
            .is_some_and(|program| has(&program.source));
        let said = turn.raw_response().get().is_some_and(|said| has(said));
        if program || said {
            return Some((number, Origin::Program(number)));
        }
        if let Some(index) = turn.prints().iter().position(|print| has(print)) {
            return Some((
                number,
                Origin::Print {
                    turn: number,
                    index,
                },
            ));
        }
        if turn.input().is_some_and(|input| has(input)) {
            return Some((number, Origin::Input(number)));
        }
        let calls = turn.tool_calls().iter();
        let told = turn.result().get().into_iter();
        let mut told =
            told.chain(calls.flat_map(|call| call.error.iter().chain(call.result.get())));
        told.any(|value| value.as_str().is_some_and(has))
            .then_some((number, Origin::Result(number)))
    })
}

/// From a row of the turn's pane to the prompt that follows the turn.
fn from_turn(app: &mut App, row: usize) {
    let document = app.document_mut();
    let selected = document.selected;
    let run = Arc::clone(&document.run);
    let Some(turn) = run.step().turn(selected) else {
        app.message = Some("this is no turn's item".to_owned());
        return;
    };
    let Some(pointed) = Pointed::at(document, row) else {
        app.message = Some("there is no item on this line".to_owned());
        return;
    };
    let Some(origin) = pointed.origin(&run, &turn) else {
        app.message = Some("there is no item on this line".to_owned());
        return;
    };
    let number = turn.number();
    let n = number.saturating_add(1).min(run.step().last_prompt());
    app.remember();
    let document = app.document_mut();
    show_following(document);
    let content = document.lens().content().clone();
    // A prompt without the program may have what it defines.
    let defined = defined_name(&pointed.text).map(|name| Origin::Definition {
        name: name.into(),
        turn: Some(number),
    });
    let has = |origin: &Origin| of_origin(&content, std::slice::from_ref(origin), "").is_some();
    let origin = match defined {
        Some(defined) if !has(&origin) && has(&defined) => defined,
        _ => origin,
    };
    let item = match &origin {
        Origin::Definition { name, .. } => name.to_string(),
        Origin::Call { index, .. } => turn
            .tool_calls()
            .get(*index)
            .map_or_else(String::new, |call| call.name.to_string()),
        _ => pointed.text,
    };
    let stands = of_origin(&content, std::slice::from_ref(&origin), &item).is_some();
    let gone = match &content {
        Content::Rendered(prompt) if !stands => Some(reason(
            prompt,
            run.history(turn_number(n as usize - 1)),
            &origin,
        )),
        _ => None,
    };
    go_to_prompt(app, n, &[origin], &item, gone);
}

/// Makes the prompt that follows the selected turn.
fn show_following(document: &mut Document) {
    document.lens_mut().side = Side::After;
    document.prepare_lenses();
}

/// What a row of the turn's pane shows.
struct Pointed {
    tab: Tab,
    /// The place of its block, from 0.
    block: usize,
    text: String,
    /// Whether it is of a call's error or result.
    answers: bool,
}

impl Pointed {
    fn at(document: &mut Document, row: usize) -> Option<Self> {
        let (at, block, line) = document.turn.view.line_at(row)?;
        let text = shown(&block, line);
        let text = text.trim().trim_start_matches(ANSWERS).trim();
        (!text.is_empty()).then(|| Self {
            tab: document.turn.tab,
            block: at,
            text: text.to_owned(),
            answers: (0..=line).any(|line| shown(&block, line).trim_start().starts_with(ANSWERS)),
        })
    }

    /// The item of a turn that it is of.
    fn origin(&self, run: &Arc<Run>, turn: &Turn) -> Option<Origin> {
        let number = turn.number();
        let outcome = if turn.failed() {
            Origin::Error(number)
        } else {
            Origin::Result(number)
        };
        let has = |text: &str| text.contains(&self.text);
        Some(match self.tab {
            Tab::Raw => Origin::Program(number),
            Tab::Program => {
                let program = turn.program().get();
                if program.is_some_and(|program| has(&program.source)) {
                    return Some(Origin::Program(number));
                }
                match turn.prints().iter().position(|print| has(print)) {
                    Some(index) => Origin::Print {
                        turn: number,
                        index,
                    },
                    None if program.is_none() => Origin::Program(number),
                    None => outcome,
                }
            }
            Tab::Result => outcome,
            // Without a program the calls' results are the turn's own.
            Tab::Tools if self.answers && turn.program().get().is_none() => outcome,
            Tab::Tools => {
                let last = turn.tool_calls().len().saturating_sub(1);
                Origin::Call {
                    turn: number,
                    index: self.block.min(last),
                }
            }
            Tab::Memory => Origin::Definition {
                name: name_in_memory(run, turn_index(number), self.block)?,
                turn: Some(number),
            },
            Tab::Input => Origin::Input(number),
        })
    }
}

/// A line of a block: as recorded, else as it is shown.
fn shown(block: &Block, line: usize) -> String {
    match block.raw_line(line) {
        Some(text) => text.to_owned(),
        None => block.line(line).text().to_owned(),
    }
}

fn turn_index(number: u32) -> usize {
    (number as usize).saturating_sub(1)
}

/// What a call's error or result begins with.
const ANSWERS: [char; 2] = ['→', '✗'];

/// The name that a line of a program defines.
fn defined_name(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("(defn ")
        .or_else(|| line.strip_prefix("(def "))?;
    rest.split([' ', ')']).find(|name| !name.is_empty())
}

/// Why an item is not in a prompt: the first of several reasons.
fn reason(prompt: &Prompt, history: History<'_>, origin: &Origin) -> Reason {
    reason_of(prompt, history, |found| is_same(origin, found))
}

/// Why none of some items is in a prompt: the first of several reasons.
fn reason_of(prompt: &Prompt, history: History<'_>, is_one: impl Fn(&Origin) -> bool) -> Reason {
    let gone = prompt.left_out.iter();
    let gone = gone.filter(|gone| gone.list(history).iter().any(&is_one));
    gone.map(|gone| gone.reason)
        .min()
        .unwrap_or(Reason::NotShown)
}
