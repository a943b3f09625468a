//! Calls, and the results that come in any order: by their identifiers, by the order of the calls, before
//! their calls, or of none.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Shelving, Talk};
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

/// A result of the last turn that is not given to a call yet, see [`Talk::hold`].
pub(super) struct Held {
    id: Option<Arc<str>>,
    answer: Answer,
    /// Where it stands, in a large file.
    record: Option<u32>,
    /// Which of its record's results it is, from 0.
    nth: usize,
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

    /// Whether a call of the last turn waits without an identifier, where none of them has this one.
    pub(in crate::load) fn may_be_meant_by(&self, id: &str) -> bool {
        let last = self.drafts.last();
        let mut calls = last.into_iter().flat_map(|draft| &draft.calls);
        !self.nameless.is_empty() && calls.all(|call| call.id.as_deref() != Some(id))
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
        self.close(at, id.as_ref());
        self.set(Some(at), answer);
    }

    /// Keeps a result that doesn't name its call, or names none that there is, until the turn's other
    /// results are known: it belongs to a call that none of those answers.
    pub(in crate::load) fn hold(&mut self, id: Option<&Arc<str>>, answer: Answer) {
        let nth = self.results;
        self.results += 1;
        if self.collects || self.drafts.is_empty() {
            self.unmatched(id, answer);
            return;
        }
        self.touch(self.drafts.len() - 1);
        self.held.push(Held {
            id: id.map(Arc::clone),
            answer,
            record: self.shelving.as_mut().and_then(Shelving::record),
            nth,
        });
    }

    /// Gives the results that were kept to the calls of the last turn that have none, by their order: those
    /// that name no call to any, then those that name one that isn't there to calls without an identifier.
    pub(in crate::load) fn settle_held(&mut self) {
        let (named, nameless): (Vec<Held>, Vec<Held>) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|held| held.id.is_some());
        for held in nameless.into_iter().chain(named) {
            let Some(at) = self.next_of_last(held.answer.name.as_ref(), held.id.is_none()) else {
                let place = Some((held.record, held.nth));
                self.unmatched_at(held.id.as_ref(), held.answer, place);
                continue;
            };
            let draft = self.drafts.get_mut(at.turn);
            let Some(call) = draft.and_then(|draft| draft.calls.get_mut(at.call)) else {
                continue;
            };
            let id = call.id.clone();
            give(call, held.answer);
            self.close(at, id.as_ref());
        }
    }

    /// A call waits for no result any more.
    fn close(&mut self, at: CallAt, id: Option<&Arc<str>>) {
        let open = match id {
            Some(id) => self.open.get_mut(id),
            None => Some(&mut self.nameless),
        };
        if let Some(open) = open {
            open.retain(|waiting| *waiting != at);
        }
    }

    /// The oldest call of the last turn that has no result and for which none came before; where calls with
    /// identifiers are not asked for, only one without.
    fn next_of_last(&self, name: Option<&Arc<str>>, any: bool) -> Option<CallAt> {
        let turn = self.drafts.len().checked_sub(1)?;
        let came_before = |id: &Arc<str>| {
            let results = self.early.iter().zip(&self.step.unmatched_results).rev();
            results
                .take_while(|(at, _)| **at >= turn)
                .any(|(at, result)| *at == turn && result.id.as_ref() == Some(id))
        };
        let calls = &self.drafts.get(turn)?.calls;
        let call = calls.iter().position(|call| {
            !call.is_answered()
                && name.is_none_or(|name| *name == call.name)
                && match &call.id {
                    Some(id) => any && !(self.precede && came_before(id)),
                    None => true,
                }
        })?;
        Some(CallAt { turn, call })
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
        // A result that names the call after all answers none.
        self.answer_at(at, answer);
        Some(at)
    }

    fn set(&mut self, at: Option<CallAt>, answer: Answer) {
        if let Some(call) = at.and_then(|at| self.call_at(at)) {
            give(call, answer);
        }
    }

    /// Keeps a result that answers no call.
    fn unmatched(&mut self, id: Option<&Arc<str>>, answer: Answer) {
        self.unmatched_at(id, answer, None);
    }

    /// As [`Talk::unmatched`], with where the result stands where that is not the record being read.
    fn unmatched_at(
        &mut self,
        id: Option<&Arc<str>>,
        answer: Answer,
        place: Option<(Option<u32>, usize)>,
    ) {
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
        let Some(shelving) = &mut self.shelving else {
            return;
        };
        let (record, nth) = place.unwrap_or_else(|| (shelving.record(), self.results - 1));
        shelving.answers_none(record, nth);
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

/// Gives an answer to its call.
fn give(call: &mut ToolCall, answer: Answer) {
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
