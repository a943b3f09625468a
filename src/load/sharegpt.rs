//! ShareGPT: lists of `{conversations: [{from, value}]}` (`formats/openai-chat.md`, container 8).

use std::sync::Arc;

use super::conversations::Lines;
use super::probe::Probe;
use super::talk::{Answer, Talk};
use super::{Loader, Records, Report, Source, blocks, documents, fields, openai_chat, think};
use crate::error::Error;
use crate::step::{Step, ToolCall};
use crate::value::{Value, json};

/// The loader of ShareGPT conversations (`formats/openai-chat.md`).
#[derive(Debug)]
pub struct ShareGpt;

impl Loader for ShareGpt {
    fn name(&self) -> &'static str {
        "sharegpt"
    }

    fn title(&self) -> &'static str {
        "ShareGPT conversations"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, thinking, calls and results, system prompt, tools where they are listed",
            missing: "usage, times, failures, memory",
        }
    }

    fn marks_failed_calls(&self) -> bool {
        false
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        let head = probe.head();
        let first = head.as_list().and_then(<[_]>::first).unwrap_or(head);
        is_of(first) || probe.records().iter().any(is_of)
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        let mut steps = Vec::new();
        let lines = Lines::of(source, is_record, conversations);
        documents::read_placed(source, report, is_record, |place, value, report| {
            let mut found = conversations(place.span.line, &value, report);
            if let Some(lines) = &lines {
                lines.shelve(place, &mut found);
            }
            steps.extend(found.into_iter().map(Arc::new));
        })?;
        Ok(steps)
    }
}

/// The conversations of a document.
fn conversations(line: u64, value: &Value, report: &mut Report) -> Vec<Step> {
    let mut steps = Vec::new();
    for item in value.as_list().unwrap_or(std::slice::from_ref(value)) {
        match item.get("conversations").and_then(Value::as_list) {
            Some(messages) => steps.push(step(line, item, messages, report)),
            None => report.unknown_record("a record that is no conversation", item, Some(line)),
        }
    }
    steps
}

fn is_record(value: &Value) -> bool {
    value.get("conversations").is_some()
}

fn is_of(value: &Value) -> bool {
    let messages = value.get("conversations").and_then(Value::as_list);
    let first = messages.and_then(<[_]>::first);
    first.is_some_and(|message| message.get("from").and_then(Value::as_str).is_some())
}

fn step(line: u64, around: &Value, messages: &[Value], report: &mut Report) -> Step {
    let mut talk = Talk::new();
    let told = around.get_some("tools");
    talk.step.tools = told.map(openai_chat::tools).unwrap_or_default();
    talk.step.system_prompt = fields::text(around, "system").filter(|text| !text.is_empty());
    talk.step.name = around.get_some("id").and_then(fields::text_or_printed);
    for message in messages {
        let value = message.get("value").unwrap_or(&Value::Nil);
        match message.get("from").and_then(Value::as_str) {
            Some("human" | "user") => talk.person(value),
            Some("gpt" | "assistant" | "model" | "chatgpt" | "bing" | "bard") => {
                let turn = talk.begin(line);
                let text = blocks::text(value);
                let (thoughts, said) = think::apart(&text);
                if let Some(draft) = talk.draft(turn) {
                    draft.thoughts.extend(thoughts);
                    if !said.is_empty() {
                        draft.texts.push((&*said).into());
                    }
                }
            }
            Some("system") if talk.len() == 0 && talk.step.system_prompt.is_none() => {
                talk.step.system_prompt = Some(blocks::text(value));
            }
            Some("system") => talk.injected(blocks::text(value)),
            Some("function_call") => {
                let turn = talk.begin(line);
                calls(&mut talk, turn, value);
            }
            Some("observation" | "tool") => {
                talk.answer_next(Answer {
                    content: blocks::result(value),
                    ..Answer::default()
                });
            }
            Some(other) => report.unknown_record(&format!("from {other}"), message, Some(line)),
            None => report.unknown_record("a message without a speaker", message, Some(line)),
        }
    }
    let step = talk.finish();
    if !step.unmatched_results.is_empty() {
        report.note("some results answer no call; they are kept beside the turns");
    }
    step
}

/// A call, or a list of them, as a text of JSON.
fn calls(talk: &mut Talk, turn: usize, value: &Value) {
    let parsed = value
        .as_str()
        .and_then(|text| json::parse(text.as_bytes()).ok());
    let told = parsed.map_or_else(|| value.clone(), |read| read.value);
    let items = told.as_list().unwrap_or(std::slice::from_ref(&told));
    for item in items {
        let args = item.get_some("arguments").map(blocks::arguments);
        let mut call = match fields::text(item, "name") {
            Some(name) => ToolCall::new(name, args.unwrap_or_default()),
            // Cut or broken JSON: the text is all there is.
            None => ToolCall::new("call that can't be read", item.clone()),
        };
        call.unmarked = true;
        talk.call(turn, call);
    }
}
