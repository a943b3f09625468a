//! Where the spans of a trace stand: each once, below its parent; and which of them are turns.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::{Report, fields};
use super::{Kind, Span};

/// Each span once: an exporter that got no answer sends what it has again, and some write a span when it
/// begins and when it ends. Spans of one identifier that tell different things all stay.
pub(super) fn once(spans: Vec<Span>, report: &mut Report) -> Vec<Span> {
    let mut kept: Vec<Span> = Vec::with_capacity(spans.len());
    let mut known: HashMap<(Arc<str>, Option<i64>), usize> = HashMap::new();
    for span in spans {
        let key = (Arc::clone(&span.id), span.start);
        let place = *known.entry(key).or_insert(kept.len());
        let copy = kept.get_mut(place).filter(|_| !span.id.is_empty());
        match copy {
            Some(copy) if is_begun(copy) && !is_begun(&span) => *copy = span,
            Some(copy) if is_begun(&span) || is_copy(&span, copy) => {}
            _ => {
                kept.push(span);
                continue;
            }
        }
        report.note("some spans stand more than once; each is read once");
    }
    kept
}

/// Whether a span tells no more than that it began.
fn is_begun(span: &Span) -> bool {
    span.end.is_none() && span.output.is_nil()
}

fn is_copy(span: &Span, other: &Span) -> bool {
    (&span.name, &span.parent, span.end) == (&other.name, &other.parent, other.end)
        && (&span.input, &span.output) == (&other.input, &other.output)
        && (&span.error, span.usage) == (&other.error, other.usage)
}

/// Spans with their parents.
pub(super) struct Tree<'a> {
    pub(super) spans: &'a [Span],
    parents: Vec<Option<usize>>,
}

/// Where each span's parent stands. In a circle the first span has none, so that every way up ends.
fn parents(spans: &[Span]) -> Vec<Option<usize>> {
    let by_id: HashMap<&str, usize> = spans
        .iter()
        .enumerate()
        .map(|(at, span)| (&*span.id, at))
        .collect();
    let of = |span: &Span| by_id.get(span.parent.as_deref()?).copied();
    let mut parents: Vec<Option<usize>> = spans.iter().map(of).collect();
    // From which span each was passed on the way up.
    let mut passed = vec![usize::MAX; spans.len()];
    for start in 0..spans.len() {
        let mut at = start;
        while passed[at] == usize::MAX {
            passed[at] = start;
            let Some(up) = parents[at] else { break };
            if passed[up] == start {
                let mut first = up;
                let mut round = parents[up];
                while let Some(next) = round.filter(|next| *next != up) {
                    first = first.min(next);
                    round = parents[next];
                }
                parents[first] = None;
                break;
            }
            at = up;
        }
    }
    parents
}

impl<'a> Tree<'a> {
    pub(super) fn new(spans: &'a [Span]) -> Self {
        Self {
            spans,
            parents: parents(spans),
        }
    }

    fn parent(&self, at: usize) -> Option<usize> {
        self.parents[at]
    }

    /// The nearest of some spans above each, by the places that those have.
    pub(super) fn nearest(&self, places: &HashMap<usize, usize>) -> Vec<Option<usize>> {
        let mut nearest: Vec<Option<usize>> = vec![None; self.spans.len()];
        let mut known = vec![false; self.spans.len()];
        for start in 0..self.spans.len() {
            let (mut way, mut at) = (Vec::new(), start);
            let found = loop {
                if known[at] {
                    break nearest[at];
                }
                way.push(at);
                match self.parent(at) {
                    Some(up) => match places.get(&up) {
                        Some(place) => break Some(*place),
                        None => at = up,
                    },
                    None => break None,
                }
            };
            for at in way {
                (nearest[at], known[at]) = (found, true);
            }
        }
        nearest
    }

    /// The first span without a parent; parents may be missing.
    pub(super) fn root(&self) -> Option<usize> {
        let mut roots = (0..self.spans.len()).filter(|at| self.parent(*at).is_none());
        roots.next()
    }

    /// Which spans have one of these below.
    fn above(&self, spans: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut above = vec![false; self.spans.len()];
        for at in spans {
            let mut up = self.parent(at);
            // What was marked has marked everything above it.
            while let Some(next) = up.filter(|next| !above[*next]) {
                above[next] = true;
                up = self.parent(next);
            }
        }
        above
    }

    /// The spans that are turns: calls of models without another below, else the steps of agents.
    pub(super) fn turns(&self) -> Vec<usize> {
        let all = 0..self.spans.len();
        let of_kind = |kind: Kind| all.clone().filter(move |at| self.spans[*at].kind == kind);
        let above = self.above(of_kind(Kind::Llm));
        let models: Vec<usize> = of_kind(Kind::Llm).filter(|at| !above[*at]).collect();
        if !models.is_empty() {
            return self.replies(&models);
        }
        let is_step = |at: &usize| {
            let parent = self.parent(*at);
            parent.is_some_and(|parent| self.spans[parent].kind == Kind::Agent)
        };
        of_kind(Kind::Chain).filter(is_step).collect()
    }

    /// The turns among calls of models. Two libraries may have written one call: where its own span has
    /// no content, that of the one right around it stands, and of spans of one reply the one with
    /// content.
    fn replies(&self, models: &[usize]) -> Vec<usize> {
        let around = |at: usize| {
            let up = self.parent(at)?;
            (self.spans[up].kind == Kind::Llm).then_some(up)
        };
        let mut inside: HashMap<usize, usize> = HashMap::new();
        for up in models.iter().filter_map(|at| around(*at)) {
            *inside.entry(up).or_default() += 1;
        }
        let has_content = |at: usize| !self.spans[at].output.is_nil();
        let with_content = |at: usize| {
            let up = around(at).filter(|up| inside[up] == 1 && has_content(*up));
            up.filter(|_| !has_content(at)).unwrap_or(at)
        };
        let mut of_reply: HashMap<&str, usize> = HashMap::new();
        let mut turns: Vec<usize> = Vec::new();
        for at in models.iter().map(|at| with_content(*at)) {
            let reply = self.spans[at].reply.as_deref();
            let known = reply.and_then(|reply| of_reply.get(reply).copied());
            match known {
                Some(place) if has_content(turns[place]) || !has_content(at) => {}
                Some(place) => turns[place] = at,
                None => {
                    of_reply.extend(reply.map(|reply| (reply, turns.len())));
                    turns.push(at);
                }
            }
        }
        turns
    }

    /// Notes what failed and is neither the root nor a turn nor a tool, which have marks, unless
    /// something in it failed.
    pub(super) fn note_failures(&self, turns: &[usize], report: &mut Report) {
        let failed = || (0..self.spans.len()).filter(|at| self.spans[*at].error.is_some());
        let above = self.above(failed());
        let turns: HashSet<usize> = turns.iter().copied().collect();
        let root = self.root();
        for at in failed().filter(|at| !above[*at] && root != Some(*at) && !turns.contains(at)) {
            let span = &self.spans[at];
            if let Some(error) = span.error.as_ref().filter(|_| span.kind != Kind::Tool) {
                let why = fields::text_or_printed(error).unwrap_or_default();
                let why: String = why.chars().take(200).collect();
                report.note(format!("'{}' failed: {why}", span.name));
            }
        }
    }
}
