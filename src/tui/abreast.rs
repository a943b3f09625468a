//! Two prompts abreast: which of their messages and sections stand at the same height. Found at once
//! for small prompts, off the drawing thread for large ones.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use imara_diff::{Algorithm, Diff, InternedInput};

use super::content::Content;
use super::gutter::is_same;
use super::pane::prompt::sections_of;
use super::sections::{Start, sections};
use super::work::Work;

/// Messages and bytes of both prompts up to which they are compared between two frames.
const AT_ONCE: (usize, usize) = (64, 100_000);

/// A place in a prompt: a message, and in it a section; 0 is the message's head.
pub type Place = (usize, usize);

/// Places of two prompts that stand at the same height, in order on both sides.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Anchors(Vec<[Place; 2]>);

impl Anchors {
    /// The places that two prompts share.
    pub fn new(contents: [&Content; 2]) -> Self {
        Self::until(contents, &|| true).unwrap_or_default()
    }

    /// The same, unless nobody wants it any longer.
    fn until(contents: [&Content; 2], is_wanted: &dyn Fn() -> bool) -> Option<Self> {
        let [left, right] = contents.map(|content| messages(content, is_wanted));
        let sides = [left?, right?];
        let mut anchors = Vec::new();
        for [left, right] in pairs(&sides[0], &sides[1]) {
            anchors.push([(left, 0), (right, 0)]);
            let kinds = [&sides[0][left], &sides[1][right]].map(|message| message.kinds.as_slice());
            let shared = common(kinds[0], kinds[1]).into_iter();
            // The first section begins with the message; plain text is not known again.
            let shared = shared.filter(|[one, other]| *one > 0 && *other > 0);
            let shared = shared.filter(|[one, _]| !kinds[0][*one].is_empty());
            anchors.extend(shared.map(|[one, other]| [(left, one), (right, other)]));
        }
        let last = anchors.last().copied();
        let goes_on =
            |ends: &[Place; 2]| last.is_none_or(|last| (0..2).all(|at| last[at] < ends[at]));
        anchors.extend(endings(&sides).filter(goes_on));
        // Both begin at the same height, whatever they begin with.
        if anchors.first() != Some(&[(0, 0); 2]) && sides.iter().all(|side| !side.is_empty()) {
            anchors.retain(|places| places.iter().all(|place| *place > (0, 0)));
            anchors.insert(0, [(0, 0); 2]);
        }
        Some(Self(anchors))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The place of one on a side.
    pub fn place(&self, at: usize, side: usize) -> Option<Place> {
        Some(self.0.get(at)?[side])
    }

    /// The one that is at a place of a side.
    pub fn at(&self, place: Place, side: usize) -> Option<usize> {
        let found = self.0.binary_search_by_key(&place, |places| places[side]);
        found.ok()
    }

    /// The last one that begins at a place of a side, or before it.
    pub fn before(&self, place: Place, side: usize) -> Option<usize> {
        let behind = self.0.partition_point(|places| places[side] <= place);
        behind.checked_sub(1)
    }
}

/// What is compared of a message.
struct Message {
    role: &'static str,
    hash: u64,
    kinds: Vec<Arc<str>>,
}

/// The messages of a prompt; none where nobody wants them any longer.
fn messages(content: &Content, is_wanted: &dyn Fn() -> bool) -> Option<Vec<Message>> {
    let wanted = (0..content.messages()).take_while(|_| is_wanted());
    let messages = wanted.filter_map(|at| {
        let (role, text) = content.message(at)?;
        let starts: Vec<Start> = match content {
            Content::Rendered(prompt) => sections_of(prompt.get(at)?.as_ref()),
            _ => sections(&text, &[]),
        };
        Some(Message {
            role: role.name(),
            hash: hash(&*text),
            kinds: starts.into_iter().map(|start| start.kind).collect(),
        })
    });
    let messages = messages.collect();
    is_wanted().then_some(messages)
}

/// The last sections of both, where they are of one kind, as the turns left are.
fn endings(sides: &[Vec<Message>; 2]) -> Option<[Place; 2]> {
    let [left, right] = sides.each_ref().map(|side| {
        let message = side.len().checked_sub(1)?;
        let section = side[message].kinds.len().checked_sub(1)?;
        Some(((message, section), &side[message].kinds[section]))
    });
    let ((left, kind), (right, other)) = left.zip(right)?;
    let are_alike = kind == other && !kind.is_empty() && left.1 > 0 && right.1 > 0;
    are_alike.then_some([left, right])
}

fn hash(item: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    item.hash(&mut hasher);
    hasher.finish()
}

/// The items that two sequences share, in order.
fn common(one: &[impl Hash], other: &[impl Hash]) -> Vec<[usize; 2]> {
    let mut input = InternedInput::<u64>::default();
    input.update_before(one.iter().map(hash));
    input.update_after(other.iter().map(hash));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let mut shared = Vec::new();
    let (mut left, mut right) = (0, 0);
    let end = (one.len(), other.len());
    let hunks = diff.hunks().map(|hunk| (hunk.before, hunk.after));
    let hunks = hunks.map(|(before, after)| {
        let range = |range: std::ops::Range<u32>| range.start as usize..range.end as usize;
        (range(before), range(after))
    });
    for (before, after) in hunks.chain([(end.0..end.0, end.1..end.1)]) {
        shared.extend(
            (left..before.start)
                .zip(right..after.start)
                .map(|(a, b)| [a, b]),
        );
        (left, right) = (before.end, after.end);
    }
    shared
}

/// Messages that stand side by side: equal ones, and between them those of the same role in order.
fn pairs(one: &[Message], other: &[Message]) -> Vec<[usize; 2]> {
    let keys = |side: &[Message]| -> Vec<(&'static str, u64)> {
        side.iter()
            .map(|message| (message.role, message.hash))
            .collect()
    };
    let equal = common(&keys(one), &keys(other));
    let mut pairs = Vec::new();
    let (mut left, mut right) = (0, 0);
    for [a, b] in equal.into_iter().chain([[one.len(), other.len()]]) {
        // Of each role, where the other side's messages of it are.
        let mut next: HashMap<&str, Vec<usize>> = HashMap::new();
        for at in (left..a).rev() {
            next.entry(one[at].role).or_default().push(at);
        }
        for (at, message) in other.iter().enumerate().take(b).skip(right) {
            let Some(rest) = next.get_mut(message.role) else {
                continue;
            };
            while rest.pop_if(|found| *found < left).is_some() {}
            if let Some(found) = rest.pop() {
                pairs.push([found, at]);
                left = found + 1;
            }
        }
        if a < one.len() {
            pairs.push([a, b]);
        }
        (left, right) = (a + 1, b + 1);
    }
    pairs
}

/// The two prompts that are shown, and what they share once it is found.
#[derive(Debug, Default)]
pub struct Abreast {
    of: Option<[Content; 2]>,
    anchors: Option<Arc<Anchors>>,
    coming: Work<Option<Anchors>>,
}

impl Abreast {
    /// Looks for what two prompts share, unless that is known or looked for.
    pub fn ask(&mut self, contents: [&Content; 2]) {
        let is_known = |known: &[Content; 2]| {
            let mut pairs = known.iter().zip(contents);
            pairs.all(|(known, content)| is_same(known, content))
        };
        if self.of.as_ref().is_some_and(is_known) {
            return;
        }
        let contents = contents.map(Clone::clone);
        self.of = Some(contents.clone());
        (self.anchors, self.coming) = (None, Work::default());
        if contents.iter().any(|content| content.messages() == 0) {
            return;
        }
        if is_small(&contents) {
            self.anchors = Some(Arc::new(Anchors::new(contents.each_ref())));
            return;
        }
        self.coming = Work::start(move |teller| {
            teller.tell(Anchors::until(contents.each_ref(), &|| teller.is_wanted()));
        });
    }

    /// What they share, once it is found.
    pub fn anchors(&self) -> Option<&Arc<Anchors>> {
        self.anchors.as_ref()
    }

    /// Whether it is still looked for.
    pub fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes what was found; whether that has just come.
    pub fn poll(&mut self) -> bool {
        let Some(found) = self.coming.take() else {
            return false;
        };
        self.anchors = found.ok().flatten().map(Arc::new);
        true
    }
}

fn is_small(contents: &[Content; 2]) -> bool {
    let mut bytes = 0;
    contents.iter().all(|content| {
        let mut texts = (0..content.messages()).filter_map(|at| content.message(at));
        content.messages() <= AT_ONCE.0
            && texts.all(|(_, text)| {
                bytes += text.len();
                bytes <= AT_ONCE.1
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(role: &'static str, hash: u64) -> Message {
        Message {
            role,
            hash,
            kinds: Vec::new(),
        }
    }

    #[test]
    fn equal_messages_stand_side_by_side_and_between_them_those_of_a_role() {
        let one = [("s", 1), ("u", 2), ("a", 3), ("u", 4), ("a", 5), ("u", 6)];
        let other = [("s", 1), ("u", 7), ("a", 5), ("u", 8), ("a", 9)];
        let [one, other] = [&one[..], &other[..]].map(|side| -> Vec<Message> {
            side.iter()
                .map(|(role, hash)| message(role, *hash))
                .collect()
        });
        assert_eq!(pairs(&one, &other), [[0, 0], [1, 1], [4, 2], [5, 3]]);
    }

    proptest! {
        #[test]
        fn pairs_are_in_order_on_both_sides(
            one in proptest::collection::vec((0usize..3, 0u64..4), 0..12),
            other in proptest::collection::vec((0usize..3, 0u64..4), 0..12),
        ) {
            let side = |side: Vec<(usize, u64)>| -> Vec<Message> {
                let roles = ["system", "user", "assistant"];
                side.into_iter().map(|(role, hash)| message(roles[role], hash)).collect()
            };
            let (one, other) = (side(one), side(other));
            let pairs = pairs(&one, &other);
            for pair in pairs.windows(2) {
                prop_assert!(pair[0][0] < pair[1][0] && pair[0][1] < pair[1][1]);
            }
            for [a, b] in pairs {
                prop_assert_eq!(one[a].role, other[b].role);
            }
        }
    }
}
