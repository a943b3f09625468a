//! The messages that are shown for a turn: a strategy's, or those that were really sent.

use std::sync::Arc;

use crate::compression::{Asked, Run, Stats};
use crate::error::Error;
use crate::export::ChatMessage;
use crate::step::{Field, Message, Role, Step};

use super::option_flags::{RECORDED, naming_recorded};

/// The messages for a turn.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Shown {
    /// The turn that they are for.
    pub turn: u32,
    /// Where they come from, in a few words.
    pub title: String,
    /// The messages.
    pub messages: Vec<ChatMessage>,
    /// What the strategy reports; nothing for recorded messages.
    pub stats: Option<Stats>,
    /// What else there is to say.
    pub note: Option<String>,
}

/// The messages for a turn as asked for; `file` is what errors call the trace. Without a turn: the one
/// after the last, for recorded messages the last one that has some.
///
/// # Errors
/// An unknown strategy or option, a turn that has no prompt, messages that were not recorded.
pub fn shown(run: &Run, turn: Option<u32>, asked: &Asked, file: &str) -> Result<Shown, Error> {
    if asked.strategy.as_deref() == Some(RECORDED) {
        if let Some((name, _)) = asked.options.first() {
            return Err(Error::Usage(format!(
                "--strategy {RECORDED} takes no options, and {name} is one; leave it out or choose a strategy"
            )));
        }
        return recorded(run, turn, file);
    }
    let chosen = asked.case(run.step()).map_err(naming_recorded)?;
    let turn = turn.unwrap_or_else(|| run.step().last_prompt());
    let prompt = run.prompt(turn, &chosen.case)?;
    let name = chosen.case.strategy.name();
    let title = if chosen.recorded {
        format!("{name}, as the trace's setting says")
    } else {
        format!("what-if {name}")
    };
    Ok(Shown {
        turn,
        title,
        messages: prompt.messages(),
        stats: Some(prompt.stats),
        note: chosen.unreadable.map(|error| {
            format!("the trace's compression setting can't be read ({error}); {name} is used")
        }),
    })
}

fn recorded(run: &Run, turn: Option<u32>, file: &str) -> Result<Shown, Error> {
    let step = run.step();
    let turn_of = |number: u32| step.turn((number as usize).checked_sub(1)?);
    if let Some(number) = turn {
        // The range of turns is the same as a strategy's.
        run.prompt(number, &crate::compression::Case::default())?;
    }
    // A log may have one request alone: the others are rebuilt.
    let is_rebuilt = |number| matches!(run.as_sent(number), Ok(sent) if sent.rebuilt.is_some());
    if run.is_rebuilt() || turn.is_some_and(is_rebuilt) {
        let turn = turn.unwrap_or_else(|| step.last_prompt());
        let unreadable = |what| Error::Unreadable {
            name: file.to_owned(),
            what,
        };
        let sent = run.as_sent(turn).map_err(unreadable)?;
        let messages = sent.messages.into_iter();
        return Ok(Shown {
            turn,
            title: "rebuilt".to_owned(),
            messages: messages.map(|sent| (sent.role, sent.content)).collect(),
            stats: None,
            note: sent
                .rebuilt
                .map(|rebuilt| format!("the prompt for turn {turn} is {}", rebuilt.note())),
        });
    }
    let mut turns = step.turns().iter().rev();
    let last = turns.find(|turn| turn.amounts().sent);
    let number = turn.or(last.map(|turn| turn.number()));
    let asked = number.and_then(turn_of);
    let field = asked.as_ref().map(|turn| turn.messages());
    let Some((number, field, messages)) =
        number.and_then(|number| Some((number, field?, field?.get()?)))
    else {
        return Err(not_recorded(step, turn, file));
    };
    Ok(Shown {
        turn: number,
        title: "recorded".to_owned(),
        messages: with_system(step, messages),
        stats: None,
        note: match field {
            Field::Recorded(_) => None,
            other => other
                .note()
                .map(|note| format!("the messages for turn {number}: {note}")),
        },
    })
}

/// Messages as sent; the trace's own system prompt comes first where they have none.
pub(super) fn with_system(step: &Step, messages: &[Message]) -> Vec<ChatMessage> {
    let has_system = messages.iter().any(|message| message.role == Role::System);
    let system = step.system_prompt.iter().filter(|_| !has_system);
    let system = system.map(|text| (Role::System, Arc::clone(text)));
    let sent = messages
        .iter()
        .map(|message| (message.role, Arc::clone(&message.content)));
    system.chain(sent).collect()
}

fn not_recorded(step: &Step, turn: Option<u32>, file: &str) -> Error {
    let having = step.turns().iter().filter(|turn| turn.amounts().sent);
    let having: Vec<u32> = having.map(|turn| turn.number()).collect();
    let which = turn.map(|number| format!(" for turn {number}"));
    let there = if having.is_empty() {
        "for no turn of this run; --strategy NAME renders what one would send".to_owned()
    } else {
        format!("for turns {}", ranges(&having))
    };
    Error::Unreadable {
        name: file.to_owned(),
        what: format!(
            "what the LLM was sent{} is not recorded; it is {there}",
            which.unwrap_or_default()
        ),
    }
}

/// Ascending numbers, runs of them as `a..b`.
fn ranges(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |(start, end): (u32, u32)| {
        if start == end {
            start.to_string()
        } else {
            format!("{start}..{end}")
        }
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_as_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 5, 8, 9]), "1..3, 5, 8..9");
    }
}
