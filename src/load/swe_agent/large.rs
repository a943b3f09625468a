//! A large trajectory: its elements are read one by one, and again when somebody looks at their turns
//! (performance G3). Where replies make calls, which stand in the history, so are its messages.

use super::super::foreign::run::Run;
use super::super::records::Place;
use super::super::shelf::{Middle, Shelves};
use super::super::{Report, Source, elements};
use super::{Reader, SKIPPED, about, calls, is_demo, is_from_outside, role};
use crate::step::{Step, ToolCall, TurnParts};
use crate::value::{Value, json};

const TRAJECTORY: elements::How = elements::How {
    names: &["trajectory"],
    skipped: &["history"],
    parse: |text| json::parse_without(text, SKIPPED),
    texts: elements::Texts::CutOf(is_of_turn),
    passed: SKIPPED,
    lists: &[],
};

const HISTORY: elements::How = elements::How {
    names: &["history"],
    skipped: &["trajectory"],
    texts: elements::Texts::CutOf(is_of_reply),
    ..TRAJECTORY
};

/// Whether only the turn is made of an element's long texts: not its memory, and not whether there is an
/// action.
fn is_of_turn(element: &Value) -> bool {
    let action = element.get("action").and_then(Value::as_str);
    let is_told = action.is_none_or(|action| !action.trim().is_empty() || action.is_empty());
    is_told && element.get("state").is_none_or(elements::are_short)
}

/// Whether only a turn is made of a message's long texts: not the mission, and not what calls are matched
/// by.
fn is_of_reply(message: &Value) -> bool {
    let are_named = |call: &ToolCall| {
        let id = call.id.as_deref().unwrap_or_default();
        elements::is_short_text(id) && elements::is_short_text(&call.name)
    };
    match role(message) {
        "assistant" => calls(message).iter().all(are_named),
        "system" => false,
        _ => !is_from_outside(message),
    }
}

/// The run of a source; none where it must be read whole, as where there are several attempts.
pub(super) fn read(source: &Source, report: &mut Report) -> Option<Step> {
    let shelves = Shelves::of(source, |_| true, again)?;
    let mut run = Run::shelved(Some(&shelves));
    let history = History::read(source);
    let mut replies = history.iter().flat_map(|history| &history.replies);
    let with_calls = history.as_ref().is_some_and(|history| history.with_calls);
    let mut told = Report::default();
    let mut reader = Reader {
        run: &mut run,
        report,
    };
    if let Some(history) = &history {
        reader.start(&history.begun);
    }
    let document = elements::read(source, TRAJECTORY, &mut told, |place, element, _| {
        let reply = if with_calls { replies.next() } else { None };
        reader.run.reads(place);
        let calls = reply.map(|(_, calls)| calls.clone());
        reader.element(&element, calls.unwrap_or_default());
        if let Some((place, _)) = reply {
            reader.run.reads(*place);
            reader.run.last();
        }
        true
    })?;
    let has = |name: &str| document.get(name).is_some();
    let is_plain = !has("attempts") && (history.is_some() || !has("history"));
    let turns = run.turns.len();
    // What is replaced in it is told of the whole document.
    if turns == 0 || !is_plain || told != Report::default() {
        return None;
    }
    about(&mut run.step, &document, turns, report);
    Some(run.finish())
}

/// What is needed of the history.
#[derive(Default)]
struct History {
    /// The system prompt and the mission.
    begun: Vec<Value>,
    /// Where the replies stand, and the calls that they make, without what those are called with.
    replies: Vec<(Place, Vec<ToolCall>)>,
    with_calls: bool,
}

impl History {
    fn read(source: &Source) -> Option<Self> {
        let mut history = Self::default();
        let (mut told, mut is_begun) = (Report::default(), [false; 2]);
        elements::read(source, HISTORY, &mut told, |place, message, _| {
            if is_demo(&message) {
                return true;
            }
            history.with_calls |= message.get_some("tool_calls").is_some();
            match role(&message) {
                "assistant" => {
                    let mut calls = calls(&message);
                    for call in &mut calls {
                        call.args = Value::Nil;
                    }
                    history.replies.push((place, calls));
                }
                "system" if !is_begun[0] => {
                    is_begun[0] = true;
                    history.begun.push(message);
                }
                _ if !is_begun[1] && is_from_outside(&message) => {
                    is_begun[1] = true;
                    history.begun.push(message);
                }
                _ => {}
            }
            true
        })?;
        (told == Report::default()).then_some(history)
    }
}

/// Makes a turn of its element, and of its reply in the history, again.
fn again(records: &[(u64, Value)], middle: Middle) -> Option<TurnParts> {
    let mut run = Run::again(middle);
    let ((_, element), replies) = records.split_first()?;
    let calls = replies.iter().flat_map(|(_, reply)| calls(reply));
    let mut reader = Reader {
        run: &mut run,
        report: &mut Report::default(),
    };
    reader.element(element, calls.collect());
    run.only_turn()
}
