//! What was left out of a prompt, as lines in the place where it would stand, with the reason.

mod places;

use places::{Place, Places};

use crate::compression::{LeftOut, Prompt, Reason, plain_or_formatted};
use crate::namespace::Origin;
use crate::step::{History, ToolCall, Turn};
use crate::text;
use crate::value::{Limits, to_clojure};

/// Items of one entry that are shown, the latest ones; the rest is counted.
const SHOWN: usize = 100;

/// Columns of an item's text.
const COLUMNS: usize = 100;

/// Left-out lines, and the message and byte before which they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ghost {
    /// The message.
    pub message: usize,
    /// The byte of its content.
    pub at: usize,
    /// The lines, each with a line end before it.
    pub text: String,
}

/// The left-out items of a prompt in the order of their places, in one place in the order of time.
pub fn ghosts(prompt: &Prompt, history: History<'_>) -> Vec<Ghost> {
    let mut places = Places::of(prompt);
    let mut lines: Vec<Line> = prompt
        .left_out
        .iter()
        // What is cut inside a shown piece stands there already.
        .filter(|gone| gone.reason != Reason::Cut)
        .flat_map(|gone| lines_of(history, gone, &mut places))
        .collect();
    lines.sort_by_key(|line| (line.place, line.time));
    let of_place = lines.chunk_by(|line, next| line.place == next.place);
    of_place
        .map(|lines| Ghost {
            message: lines[0].place.0,
            at: lines[0].place.1,
            text: lines.iter().map(|line| line.text.as_str()).collect(),
        })
        .collect()
}

/// A left-out item.
struct Line {
    place: Place,
    /// Its turn, and where the turn has such items.
    time: (Option<u32>, usize),
    text: String,
}

fn lines_of(history: History<'_>, gone: &LeftOut, places: &mut Places<'_>) -> Vec<Line> {
    let (origins, count) = gone.last(history, SHOWN);
    let last = origins.last();
    let summary = last.and_then(|last| places.in_summary(&gone.items, last));
    let mut lines: Vec<Line> = origins
        .iter()
        .filter_map(|origin| {
            let item = text::headline(&describe(history, origin), COLUMNS);
            Some(Line {
                place: summary.or_else(|| places.of_item(origin))?,
                time: (origin.turn(), rank(origin)),
                text: format_line(&item, gone.reason),
            })
        })
        .collect();
    if let Some(first) = lines.first().filter(|_| count > SHOWN) {
        let kind = origins.first().map_or("item", Origin::kind);
        let is_one_kind = origins.iter().all(|origin| origin.kind() == kind);
        let kind = if is_one_kind { kind } else { "item" };
        let earlier = format!("{} earlier {kind}s", count - SHOWN);
        lines.insert(
            0,
            Line {
                place: first.place,
                time: (None, 0),
                text: format_line(&earlier, gone.reason),
            },
        );
    }
    lines
}

/// Where a turn has items of a kind.
fn rank(origin: &Origin) -> usize {
    match origin {
        Origin::Input(_) => 0,
        Origin::Program(_) => 1,
        Origin::Call { .. } => 2,
        Origin::Definition { .. } => 3,
        Origin::Result(_) | Origin::Error(_) => 4,
        _ => 5,
    }
}

fn format_line(item: &str, reason: Reason) -> String {
    format!("\n┊ {item}  — {}", reason.text())
}

/// An item in a few words.
fn describe(history: History<'_>, origin: &Origin) -> String {
    let turn = origin
        .turn()
        .and_then(|turn| history.turn(turn as usize - 1));
    let said = turn.as_deref().and_then(|turn| item(turn, origin));
    match (origin, origin.turn()) {
        (Origin::Definition { name, .. }, Some(turn)) => {
            let value = history.first(turn as usize).memory().get(name).cloned();
            let shown = value.map(|value| to_clojure(&value, Limits::new(3, 60)).0);
            format!("turn {turn} def {name} {}", shown.unwrap_or_default())
        }
        (origin, Some(number)) => {
            let is_text = turn.is_some_and(|turn| turn.program().get().is_none());
            let kind = match origin {
                Origin::Program(_) if is_text => "reply",
                origin => origin.kind(),
            };
            format!("turn {number} {kind} {}", said.unwrap_or_default())
        }
        (origin, None) => origin.to_string(),
    }
}

fn item(turn: &Turn, origin: &Origin) -> Option<String> {
    let limits = Limits::new(3, 80);
    // No more is taken of a text than is shown of it.
    let beginning = |text: &str| text::headline(text, COLUMNS);
    Some(match origin {
        Origin::Call { index, .. } => {
            let call = turn.tool_calls().get(*index)?;
            format!("{}({})", call.name, to_clojure(&call.args, limits).0)
        }
        Origin::Print { index, .. } => beginning(turn.prints().get(*index)?),
        Origin::Program(_) => match turn.program().get() {
            Some(program) => beginning(&program.source),
            None => beginning(turn.raw_response().get()?),
        },
        // Where the turn itself has none, its calls' results stand in its place in a prompt.
        Origin::Result(_) => match turn.result().get() {
            Some(result) => to_clojure(result, limits).0,
            None => answers(turn, limits),
        },
        Origin::Error(_) => crate::compression::error_message(turn, limits).0,
        Origin::Input(_) => beginning(turn.input()?),
        _ => return None,
    })
}

/// What came back from the calls of a turn, as far as a headline goes.
fn answers(turn: &Turn, limits: Limits) -> String {
    let mut text = String::new();
    for answer in turn.tool_calls().iter().filter_map(ToolCall::answer) {
        if !text.is_empty() {
            text.push_str(" · ");
        }
        text.push_str(&plain_or_formatted(answer, limits).0);
        if text.len() > COLUMNS {
            break;
        }
    }
    text
}
