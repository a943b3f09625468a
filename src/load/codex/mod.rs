//! Rollouts of OpenAI's Codex CLI (`formats/codex.md`): JSON lines, also packed by zstd, in today's
//! layout and older ones. [`rollout`] makes turns of the records, [`events`] reads what stands
//! between them, [`output`] what commands answered.

mod events;
mod left;
mod live;
mod output;
mod rollout;

use std::sync::Arc;

use super::probe::Probe;
use super::shelf::Shelves;
use super::{Loader, Records, Report, Source, foreign, records};
use crate::error::Error;
use crate::step::Step;
use crate::value::{Value, json};
use rollout::Rollout;

/// The loader of Codex rollouts (`formats/codex.md`).
#[derive(Debug)]
pub struct Codex;

impl Loader for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex CLI rollout"
    }

    fn records(&self) -> Records {
        Records {
            read: "turns, reasoning summaries, calls and results, failures, inputs, system prompt, usage, compactions",
            missing: "most tools, the prompts as sent, whole reasoning, memory",
        }
    }

    fn recognises(&self, probe: &Probe<'_>) -> bool {
        if is_document(probe) {
            return true;
        }
        let records = probe.records();
        records.iter().take(20).any(is_of)
            || records.first().is_some_and(is_old_head) && records.len() > 1
    }

    fn load(&self, source: &Source, report: &mut Report) -> Result<Vec<Arc<Step>>, Error> {
        let mut rollout = Rollout::new();
        let first = records::sample(source, 50, 1 << 16);
        let is_today = first.iter().any(is_enveloped);
        if !is_today && is_document(&Probe::new(source)) {
            let document = foreign::document(source, report, json::parse)?;
            rollout.document(&document, report);
            return Ok(vec![Arc::new(rollout.finish(report))]);
        }
        let is_record = if is_today { is_enveloped } else { is_record };
        if let Some(shelves) = Shelves::of(source, is_record, rollout::again) {
            rollout.talk.shelve(&shelves);
        }
        records::fold(source, report, is_record, &mut rollout);
        if !rollout.any() {
            return Err(Error::Unreadable {
                name: source.name().to_owned(),
                what: "no record of a Codex rollout could be read".to_owned(),
            });
        }
        Ok(vec![Arc::new(rollout.finish(report))])
    }
}

fn is_record(record: &Value) -> bool {
    let named = ["type", "record_type", "msg", "prompt"].iter();
    named
        .map(|name| record.get(name))
        .any(|told| told.is_some())
        || is_old_head(record)
}

/// Whether a record is one of today's layout, or of `codex exec --json`.
fn is_of(record: &Value) -> bool {
    let kind = record
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let kinds = [
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
        "world_state",
    ];
    is_enveloped(record) && kinds.contains(&kind)
        || kind == "thread.started" && record.get("thread_id").is_some()
        || kind == "item.completed" && record.get("item").is_some()
        || live::is_of(record)
}

/// Whether a record holds another one, as in today's layout.
fn is_enveloped(record: &Value) -> bool {
    let inside = record.get("payload").and_then(Value::as_map);
    inside.is_some() && record.get("type").is_some()
}

/// Whether a source is one document, as the first versions wrote it: the head and the items.
fn is_document(probe: &Probe<'_>) -> bool {
    let head = probe.sketch().get("session");
    probe.has_key("items") && head.is_some_and(|head| head.get("id").is_some())
}

/// Whether a record is the first of the layout before mid-2025.
fn is_old_head(record: &Value) -> bool {
    let has = |name: &str| record.get(name).is_some();
    has("id") && has("timestamp") && has("instructions") && !has("type")
}
