//! Chats as OpenAI's API takes and gives them (`formats/openai-chat.md`): bare arrays, objects with
//! `messages`, one a line, logs of requests with responses, lists of results, bare responses.
//! [`messages`] makes turns of them, [`container`] finds them, [`large`] reads them one by one.

mod container;
mod items;
mod large;
mod messages;
mod response;

pub(super) use items::{called, came_to, is_call, is_call_output, made_with};
pub(super) use messages::tools;

use std::sync::Arc;

use super::conversations::Lines;
use super::probe::Probe;
use super::shelf::Shelves;
use super::{Loader, Records, Report, Source, documents, records};
use crate::error::Error;
use crate::step::Step;
use crate::value::Value;
use messages::Chat;

/// The loader of OpenAI chats (`formats/openai-chat.md`).
#[derive(Debug)]
pub struct OpenAiChat;

impl Loader for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn title(&self) -> &'static str {
        "OpenAI chat messages"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, calls and results, inputs, system prompt, tools, usage of responses",
            missing: "which calls failed, memory, durations; usage in bare messages",
        }
    }

    fn marks_failed_calls(&self) -> bool {
        false
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let others = ["trajectory_format", "projectHash", "samples"];
        if others.iter().any(|key| probe.has_key(key)) {
            return false;
        }
        container::is_of(probe.head()) || probe.records().iter().any(container::is_of)
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        if let Some(steps) = large::read(source, report) {
            return Ok(steps);
        }
        let mut steps = Vec::new();
        // Messages that stand one a line are one conversation.
        let mut loose: Option<Chat> = None;
        let first = records::sample(source, 20, 1 << 16);
        let is_record = if first.iter().any(container::is_container) {
            container::is_container
        } else {
            container::is_message
        };
        let shelves = |again| Shelves::of(source, is_record, again);
        let lines = Lines::of(source, is_record, conversations);
        documents::read_placed(source, report, is_record, |place, value, report| {
            if container::is_message(&value) && value.get("type").is_none() {
                // Of what is read whole nobody knows where it stands.
                let is_placed = place.span.length > 0;
                let shelves = || is_placed.then(|| shelves(messages::again)).flatten();
                let begun = || Chat::of_records(shelves().as_ref());
                let chat = loose.get_or_insert_with(begun);
                chat.take(place, &value, report);
                return;
            }
            let line = place.span.line;
            let mut found = conversations(line, &value, report);
            if found.is_empty() && value.as_list().is_none_or(|items| !items.is_empty()) {
                report.unknown_record("a record that is no conversation", &value, Some(line));
            }
            if let Some(lines) = &lines {
                lines.shelve(place, &mut found);
            }
            steps.extend(found.into_iter().map(Arc::new));
        })?;
        if let Some(chat) = loose {
            let with_programs = shelves(messages::again_with_program);
            steps.push(Arc::new(chat.end(
                &Value::Nil,
                with_programs.as_ref(),
                report,
            )));
        }
        Ok(steps)
    }
}

/// The conversations of a document.
fn conversations(line: u64, value: &Value, report: &mut Report) -> Vec<Step> {
    messages::steps(line, container::conversations(value), report)
}
