//! Calls, and the results that come in any order: by their identifiers, by the order of the calls, before
//! their calls, or of none.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Talk;
use crate::calendar;
use crate::step::{Field, ToolCall};
use crate::value::Value;

/// Where a call stands: its turn and its place there, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::load) struct CallAt {
    pub turn: usize,
    pub call: usize,
}

/// What answers a call.
#[derive(Debug, Default)]
pub(in crate::load) struct Answer {
    /// What it says.
    pub content: Value,
    /// Whether the format marks the call as failed.
    pub failed: bool,
    /// When it came, ISO 8601.
    pub at: Option<Arc<str>>,
    /// How long the call took, where that is told.
    pub duration_ms: Option<u64>,
    /// The tool's name, where the answer tells it.
    pub name: Option<Arc<str>>,
}

impl Talk {
    /// A result may stand right before the reply that makes its call.
    pub(in crate::load) fn results_may_precede(&mut self) {
        self.precede = true;
    }

    /// Whether a call waits for a result under an identifier.
    pub(in crate::load) fn waits_for(&self, id: &str) -> bool {
        self.open.get(id).is_some_and(|calls| !calls.is_empty())
    }

    /// Whether a call without an identifier waits for a result.
    pub(in crate::load) fn waits_without_id(&self) -> bool {
        !self.nameless.is_empty()
    }

    /// Adds a call to a turn.
    pub(in crate::load) fn call(&mut self, turn: usize, call: ToolCall) -> Option<CallAt> {
        let draft = self.draft(turn)?;
        let at = CallAt {
            turn,
            call: draft.calls.len(),
        };
        let id = call.id.clone();
        if draft.calls.is_empty() {
            // Most replies make one, and calls are large.
            draft.calls.reserve_exact(1);
        }
        draft.calls.push(call);
        match id {
            Some(id) => {
                self.open.entry(Arc::clone(&id)).or_default().push_back(at);
                self.by_id.insert(id, at);
            }
            None => self.nameless.push_back(at),
        }
        Some(at)
    }

    /// The call that the next result under an identifier answers; else the one made last under it.
    pub(in crate::load) fn call_of(&mut self, id: &str) -> Option<&mut ToolCall> {
        let waiting = self.open.get(id).and_then(VecDeque::front);
        let at = *waiting.or_else(|| self.by_id.get(id))?;
        self.call_at(at)
    }

    /// A call.
    pub(in crate::load) fn call_at(&mut self, at: CallAt) -> Option<&mut ToolCall> {
        self.draft(at.turn)?.calls.get_mut(at.call)
    }

    /// Answers the oldest call that waits under an identifier. A result that answers none is kept.
    pub(in crate::load) fn answer(
        &mut self,
        id: Option<&Arc<str>>,
        answer: Answer,
    ) -> Option<CallAt> {
        let nth = self.results;
        self.results += 1;
        if self.own_now.as_ref().is_some_and(|own| !own.contains(&nth)) {
            return None;
        }
        let at = match id {
            _ if self.collects => None,
            Some(id) => self.open.get_mut(id).and_then(VecDeque::pop_front),
            None => self.nameless.pop_front(),
        };
        if at.is_none() {
            self.unmatched(id, answer);
            return None;
        }
        if let (Some(at), Some(shelving)) = (at, &mut self.shelving) {
            shelving.answers(nth, at.turn);
        }
        self.set(at, answer);
        at
    }

    /// Answers a call.
    pub(in crate::load) fn answer_at(&mut self, at: CallAt, answer: Answer) {
        let id = self.call_at(at).and_then(|call| call.id.clone());
        let open = match id {
            Some(id) => self.open.get_mut(&id),
            None => Some(&mut self.nameless),
        };
        if let Some(open) = open {
            open.retain(|waiting| *waiting != at);
        }
        self.set(Some(at), answer);
    }

    /// Answers the oldest call of the last turn that has no result, whatever its identifier.
    pub(in crate::load) fn answer_next(&mut self, answer: Answer) -> Option<CallAt> {
        self.results += 1;
        let waits = |call: &ToolCall| call.error.is_none() && call.result.get().is_none();
        let named = |call: &ToolCall| answer.name.as_ref().is_none_or(|name| *name == call.name);
        let last = self.drafts.last().filter(|_| !self.collects);
        let calls = last.map_or(&[][..], |draft| &draft.calls);
        let Some(call) = calls.iter().position(|call| waits(call) && named(call)) else {
            self.unmatched(None, answer);
            return None;
        };
        let turn = self.drafts.len() - 1;
        let at = CallAt { turn, call };
        self.nameless.retain(|open| *open != at);
        self.set(Some(at), answer);
        Some(at)
    }

    fn set(&mut self, at: Option<CallAt>, answer: Answer) {
        let Some(call) = at.and_then(|at| self.call_at(at)) else {
            return;
        };
        let approximate = || {
            let (from, to) = (call.timestamp.as_deref()?, answer.at.as_deref()?);
            calendar::iso_ms(to)?.checked_sub(calendar::iso_ms(from)?)
        };
        let between = || approximate().and_then(|ms| u64::try_from(ms).ok());
        call.duration_ms = answer.duration_ms.or_else(between);
        call.approximate = answer.duration_ms.is_none() && call.duration_ms.is_some();
        if answer.failed {
            call.error = Some(answer.content);
        } else {
            call.result = Field::Recorded(answer.content);
        }
    }

    /// Keeps a result that answers no call.
    fn unmatched(&mut self, id: Option<&Arc<str>>, answer: Answer) {
        let mut result = ToolCall::new(answer.name.unwrap_or_default(), Value::Nil);
        result.id = id.map(Arc::clone);
        result.timestamp = answer.at;
        if answer.failed {
            result.error = Some(answer.content);
        } else {
            result.result = Field::Recorded(answer.content);
        }
        self.step.unmatched_results.push(result);
        self.early.push(self.drafts.len());
        if let Some(shelving) = &mut self.shelving {
            shelving.answers_none(self.results - 1);
        }
    }

    /// Gives results that came before their calls to them.
    pub(super) fn settle_early(&mut self) {
        let results = std::mem::take(&mut self.step.unmatched_results);
        for (nth, (result, turn)) in results.into_iter().zip(&self.early).enumerate() {
            let waits = |call: &&mut ToolCall| {
                call.id.is_some()
                    && call.id == result.id
                    && call.error.is_none()
                    && call.result.get().is_none()
            };
            let next = self.drafts.get_mut(*turn);
            match next.and_then(|draft| draft.calls.iter_mut().find(waits)) {
                Some(call) => {
                    call.result = result.result;
                    call.error = result.error;
                    if let Some(shelving) = &mut self.shelving {
                        shelving.settles(nth, *turn);
                    }
                }
                None => self.step.unmatched_results.push(result),
            }
        }
    }

    /// No result that comes from now on answers a call made before.
    pub(in crate::load) fn forget_open(&mut self) {
        self.open.clear();
        self.nameless.clear();
    }
}
