//! A large document of chats: its messages, or its conversations, are read one by one, and again when
//! somebody looks at them (performance G3).

use std::sync::Arc;

use super::super::conversations::Lines;
use super::super::light::Cut;
use super::super::shelf::Shelves;
use super::super::{Report, Source, elements};
use super::container;
use super::messages::{self, Chat};
use crate::step::Step;
use crate::value::{Value, json};

const HOW: elements::How = elements::How {
    names: &container::NAMES,
    skipped: &[],
    parse: json::parse,
    texts: elements::Texts::CutOf(messages::is_result),
    passed: &[],
    lists: &LISTS,
};

/// Where results of calls stand in a conversation.
const LISTS: [Cut; container::NAMES.len() + 1] = {
    let mut lists = [Cut {
        name: "",
        of: messages::is_result,
        within: &[],
    }; container::NAMES.len() + 1];
    let mut at = 0;
    while at < container::NAMES.len() {
        lists[at].name = container::NAMES[at];
        at += 1;
    }
    lists
};

/// The conversations of a source; none where it must be read whole.
pub(super) fn read(source: &Source, report: &mut Report) -> Option<Vec<Arc<Step>>> {
    let shelves = |again| Shelves::of(source, |_| true, again);
    let (messages, lines) = (
        shelves(messages::again),
        Lines::of(source, |_| true, listed)?,
    );
    let mut chat: Option<Chat> = None;
    let mut steps: Vec<Arc<Step>> = Vec::new();
    let (mut is_chat, mut has_message, mut is_all_of_chat) = (None, false, true);
    let mut told = report.clone();
    let around = elements::read_told(source, HOW, &mut told, |element, told| {
        let value = &element.value;
        let is_of_chat = container::is_of_chat(value);
        has_message |= container::is_message(value);
        is_all_of_chat &= is_of_chat;
        if *is_chat.get_or_insert(is_of_chat) {
            let chat = chat.get_or_insert_with(|| Chat::of_records(messages.as_ref()));
            chat.take(element.place, value, told);
            return true;
        }
        let found = lines.shelved(&element, told);
        steps.extend(found.into_iter().map(Arc::new));
        // One message makes a chat of the whole list.
        !is_of_chat
    })?;
    let is_list = around.as_list().is_some();
    if let Some(chat) = chat {
        if !is_list && !container::is_plain(&around, has_message, is_all_of_chat) {
            return None;
        }
        let with_programs = shelves(messages::again_with_program);
        let step = chat.end(&around, with_programs.as_ref(), &mut told);
        steps.push(Arc::new(step));
    } else if !is_list || steps.is_empty() {
        return None;
    }
    *report = told;
    Some(steps)
}

/// The conversation that an element of a list is.
fn listed(line: u64, value: &Value, report: &mut Report) -> Vec<Step> {
    messages::steps(line, container::listed(value), report)
}
