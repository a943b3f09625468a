//! From a turn in the list to where it stands in the prompt that follows it.

use std::cmp::Reverse;
use std::sync::Arc;

use super::{describe, go_to_prompt, line_of, pattern, reason_of, show_following, turn_index};
use crate::namespace::Origin;
use crate::step::Turn;
use crate::tui::app::{App, Pane};
use crate::tui::document::Document;
use crate::tui::lens::Content;

/// Goes from the selected turn, or from the one that is counted, to where it stands in the prompt that
/// follows it; where nothing of it does, to where it would, with the reason.
pub(in crate::tui) fn from_list(app: &mut App, count: Option<usize>) {
    let document = app.document();
    let run = Arc::clone(document.lens().run());
    let row = match count {
        Some(number) => Some(number.saturating_sub(1)),
        None => document.row_of(document.lens()),
    };
    let Some(turn) = row.and_then(|row| run.step().turn(row)) else {
        let what = "there is no turn in this row; o leads from a turn to where the prompt has it";
        app.message = Some(what.replacen('o', &app.key_of("turn-in-prompt"), 1));
        return;
    };
    let number = turn.number();
    let n = number.saturating_add(1).min(run.step().last_prompt());
    app.remember();
    let document = app.document_mut();
    document.select_of(&run, turn_index(number));
    show_following(document);
    let content = document.lens().content().clone();
    let place = match &content {
        Content::Rendered(_) => rendered(&content, &turn),
        Content::Recorded(_) => recorded(document, &turn).map(|place| (place, None)),
        Content::Missing(why) => {
            app.message = Some(why.clone());
            app.focus_on(Pane::Prompt);
            return;
        }
    };
    let Some(((block, line), origin)) = place else {
        let origins = [Origin::Program(number)];
        let gone = match &content {
            Content::Rendered(prompt) => {
                let is_of = |origin: &Origin| origin.turn() == Some(number);
                Some(reason_of(prompt, run.history(number), is_of))
            }
            _ => None,
        };
        go_to_prompt(app, n, &origins, "", gone);
        let reason = gone.map_or_else(String::new, |reason| format!(": {}", reason.text()));
        app.message = Some(format!(
            "turn {number} is not in the prompt for turn {n}{reason}"
        ));
        return;
    };
    document.lens_mut().view.go_to_recorded(block, line);
    app.focus_on(Pane::Prompt);
    let what = origin.map_or_else(|| format!("turn {number}"), |origin| describe(&origin));
    app.message = Some(format!("{what} in the prompt for turn {n}"));
}

/// The place that tells most of a turn, and what of the turn stands there.
fn rendered(content: &Content, turn: &Turn) -> Option<((usize, usize), Option<Origin>)> {
    let Content::Rendered(prompt) = content else {
        return None;
    };
    let program = turn.program().get().map(|program| &*program.source);
    let said = program.or(turn.raw_response().get().map(|said| &**said));
    let begin = said.and_then(|said| said.lines().map(str::trim).find(|line| !line.is_empty()));
    // Of several pieces that tell as much, the first.
    let mut best: Option<(Reverse<usize>, usize, usize, Origin)> = None;
    for at in 0..prompt.len() {
        let message = prompt.get(at)?;
        let mut start = 0;
        for piece in &message.pieces {
            let rank = Reverse(rank(&piece.origin));
            let is_better = best.as_ref().is_none_or(|(known, ..)| rank > *known);
            if piece.origin.turn() == Some(turn.number()) && is_better {
                let text = &message.content[start..piece.end];
                let begin = begin.and_then(|begin| text.find(begin));
                let from = start + begin.unwrap_or_else(|| telling(text));
                let line = line_of(&message.content, from, piece.end);
                best = Some((rank, at, line, piece.origin.clone()));
            }
            start = piece.end;
        }
    }
    best.map(|(_, at, line, origin)| ((at, line), Some(origin)))
}

/// Where a text begins to say anything; a rule doesn't.
fn telling(text: &str) -> usize {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.chars().any(char::is_alphanumeric) {
            return start;
        }
        start += line.len();
    }
    0
}

/// How early a kind of item says what a turn was about; less is more.
const fn rank(origin: &Origin) -> usize {
    match origin {
        Origin::Program(_) => 0,
        Origin::Call { .. } => 1,
        Origin::Error(_) => 2,
        Origin::Result(_) => 3,
        Origin::Print { .. } => 4,
        Origin::Definition { .. } => 5,
        _ => 6,
    }
}

/// The last place of a recorded prompt that has a text of a turn.
fn recorded(document: &Document, turn: &Turn) -> Option<(usize, usize)> {
    let program = turn.program().get().map(|program| &*program.source);
    let said = turn.raw_response().get().map(|said| &**said);
    let called = turn.tool_calls().iter().map(|call| &*call.name);
    let result = turn.result().get().and_then(|result| result.as_str());
    let texts = program.into_iter().chain(said).chain(called).chain(result);
    let view = &document.lens().view;
    texts.filter_map(pattern).find_map(|pattern| {
        let mut blocks = (0..view.blocks()).rev();
        blocks.find_map(|at| {
            let line = *view.made(at).matching_lines(&pattern).first()?;
            Some((at, line))
        })
    })
}
