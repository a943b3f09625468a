//! The prompts of a run as a tree of messages: what a prompt shares with the best earlier one is found
//! without holding it against each of them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::cache::Break;
use super::profile::Profile;
use crate::namespace::{Origin, PromptMessage};
use crate::step::Role;
use crate::tokens::{Tokenizer, code_points};

/// Prompts that passed a message, as far as they can matter: the latest, and before it those that
/// were sent at a later time.
#[derive(Debug, Clone, Default)]
struct Seen(Vec<(usize, Option<u64>)>);

impl Seen {
    fn push(&mut self, prompt: usize, at: Option<u64>) {
        // No time is taken for one that never ends.
        let matters = |before: &Option<u64>| at.is_some_and(|at| before.is_none_or(|b| b > at));
        self.0.retain(|(_, before)| matters(before));
        self.0.push((prompt, at));
    }

    /// Those of a prompt and of all after it.
    fn since(&self, prompt: usize) -> &[(usize, Option<u64>)] {
        &self.0[self.0.partition_point(|(seen, _)| *seen < prompt)..]
    }

    /// The latest prompt of which a test holds.
    fn latest(&self, holds: impl Fn(Option<u64>) -> bool) -> Option<usize> {
        let found = self.0.iter().rev().find(|(_, at)| holds(*at));
        found.map(|(prompt, _)| *prompt)
    }
}

/// What a message is compared by: token ids, or characters where these are estimated.
type Symbols = Arc<[u32]>;

/// A message after those before it.
#[derive(Debug)]
struct Node {
    parent: usize,
    /// Messages up to this one.
    depth: usize,
    /// None of the root.
    message: Option<Arc<PromptMessage>>,
    /// Tokens up to this one.
    tokens: usize,
    seen: Seen,
    /// Messages that followed, in the order in which they were first sent.
    followers: Vec<usize>,
    /// The one that followed last.
    last: Option<usize>,
    by_content: HashMap<(Role, Arc<str>), usize>,
    by_symbols: BTreeMap<(&'static str, Symbols), usize>,
}

impl Node {
    fn new(parent: usize, depth: usize, message: Option<Arc<PromptMessage>>) -> Self {
        Self {
            parent,
            depth,
            message,
            tokens: 0,
            seen: Seen::default(),
            followers: Vec::new(),
            last: None,
            by_content: HashMap::new(),
            by_symbols: BTreeMap::new(),
        }
    }
}

/// What a prompt shares with an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shared {
    /// The earlier one, from 0.
    pub(super) earlier: usize,
    /// Whole messages.
    pub(super) messages: usize,
    /// Tokens.
    pub(super) tokens: usize,
}

/// A prompt that was sent.
#[derive(Debug, Clone, Copy)]
struct Sent {
    end: usize,
    at: Option<u64>,
}

/// All prompts that were sent.
#[derive(Debug)]
pub(super) struct Prefixes {
    tokenizer: Tokenizer,
    profile: Profile,
    nodes: Vec<Node>,
    sent: Vec<Sent>,
    /// All prompts, as far as they can matter.
    all: Seen,
    /// The messages of the last prompt, each with the first of the prompts in a row that all had it:
    /// these are not among those that its node has seen yet.
    path: Vec<(usize, usize)>,
}

impl Prefixes {
    pub(super) fn new(tokenizer: Tokenizer, profile: Profile) -> Self {
        Self {
            tokenizer,
            profile,
            nodes: vec![Node::new(0, 0, None)],
            sent: Vec::new(),
            all: Seen::default(),
            path: vec![(0, 0)],
        }
    }

    /// Adds a prompt, of which so many messages at the start are those of the prompt before, and gives its
    /// tokens, what it shares with the best earlier prompt that is still cached, and with the best of
    /// all.
    pub(super) fn push(
        &mut self,
        same: usize,
        messages: &[Arc<PromptMessage>],
        at: Option<u64>,
    ) -> (usize, Option<Shared>, Option<Shared>) {
        let known = self.known(same, messages);
        self.leave(known);
        let alive = |then| self.is_alive(then, at);
        let best = (
            self.best(known, messages, &alive),
            self.best(known, messages, &|_| true),
        );
        let end = self.add(known, messages);
        let prompt = self.sent.len();
        self.sent.push(Sent { end, at });
        self.all.push(prompt, at);
        self.enter(end, prompt);
        (self.nodes[end].tokens, best.0, best.1)
    }

    /// Leaves the path of the last prompt where another one goes its own way behind a message.
    fn leave(&mut self, known: usize) {
        // Behind a message that isn't on the path, the path begins where they part.
        let mut node = known;
        while self.place(node).is_none() {
            node = self.nodes[node].parent;
        }
        let parted = self.nodes[node].depth + 1;
        for (node, since) in self.path.split_off(parted.min(self.path.len())) {
            for (prompt, at) in self.all.since(since) {
                self.nodes[node].seen.push(*prompt, *at);
            }
        }
    }

    /// Makes the messages of the last prompt the path.
    fn enter(&mut self, end: usize, prompt: usize) {
        let mut new = Vec::new();
        let mut node = end;
        while self.place(node).is_none() {
            new.push((node, prompt));
            node = self.nodes[node].parent;
        }
        self.path.extend(new.into_iter().rev());
    }

    /// The first prompt of those in a row that went on through a message; none of a message that isn't
    /// on the path.
    fn place(&self, node: usize) -> Option<usize> {
        let (on_path, since) = self.path.get(self.nodes[node].depth)?;
        (*on_path == node).then_some(*since)
    }

    /// The latest prompt that has a message and of which a test holds.
    fn latest(&self, node: usize, holds: impl Fn(Option<u64>) -> bool) -> Option<usize> {
        let recent = self.place(node).map(|since| self.all.since(since));
        let recent = recent.unwrap_or_default().iter().rev();
        let mut found = recent
            .filter(|(_, at)| holds(*at))
            .map(|(prompt, _)| *prompt);
        found
            .next()
            .or_else(|| self.nodes[node].seen.latest(&holds))
    }

    /// The last message from the start on that was sent so before.
    fn known(&self, same: usize, messages: &[Arc<PromptMessage>]) -> usize {
        let same = same.min(self.path.len() - 1);
        let mut node = self.path[same].0;
        for message in &messages[same..] {
            let here = &self.nodes[node];
            let is_last = |last: &usize| {
                let last = self.nodes[*last].message.as_ref();
                last.is_some_and(|last| Arc::ptr_eq(last, message))
            };
            let key = || (message.role, Arc::clone(&message.content));
            let next = here.last.filter(is_last);
            match next.or_else(|| here.by_content.get(&key()).copied()) {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }

    /// Adds what is new of a prompt, and gives its last message.
    fn add(&mut self, known: usize, messages: &[Arc<PromptMessage>]) -> usize {
        let mut node = known;
        while self.place(node).is_none() {
            let parent = self.nodes[node].parent;
            self.nodes[parent].last = Some(node);
            node = parent;
        }
        node = known;
        for message in &messages[self.nodes[known].depth..] {
            let next = self.nodes.len();
            let symbols = self.symbols(message);
            let key = (message.role, Arc::clone(&message.content));
            let here = &mut self.nodes[node];
            here.followers.push(next);
            here.last = Some(next);
            here.by_content.insert(key, next);
            if !self.profile.whole_messages {
                here.by_symbols.insert((message.role.name(), symbols), next);
            }
            let mut new = Node::new(node, here.depth + 1, Some(Arc::clone(message)));
            new.tokens = here.tokens + message.tokens(self.tokenizer);
            self.nodes.push(new);
            node = next;
        }
        node
    }

    /// Symbols that make a token.
    fn symbols_a_token(&self) -> usize {
        if self.tokenizer == Tokenizer::Estimate {
            4
        } else {
            1
        }
    }

    fn symbols(&self, message: &PromptMessage) -> Symbols {
        if self.tokenizer == Tokenizer::Estimate {
            message.content.chars().map(u32::from).collect()
        } else {
            message.token_ids(self.tokenizer)
        }
    }

    fn is_alive(&self, then: Option<u64>, now: Option<u64>) -> bool {
        match (self.profile.lifetime, then, now) {
            (Some(lifetime), Some(then), Some(now)) => {
                now.saturating_sub(then) <= u64::from(lifetime)
            }
            _ => true,
        }
    }

    /// The prompt that shares most, of equals the latest.
    fn best(
        &self,
        known: usize,
        messages: &[Arc<PromptMessage>],
        holds: &dyn Fn(Option<u64>) -> bool,
    ) -> Option<Shared> {
        let mut node = known;
        let latest = loop {
            match self.latest(node, holds) {
                Some(latest) => break latest,
                None if node == 0 => return None,
                None => node = self.nodes[node].parent,
            }
        };
        let here = &self.nodes[node];
        let mut shared = Shared {
            earlier: latest,
            messages: here.depth,
            tokens: here.tokens,
        };
        let next = messages.get(here.depth);
        if let Some((within, earlier)) = next.and_then(|next| self.within(node, next, holds)) {
            shared.earlier = earlier;
            shared.tokens += within;
            return Some(shared);
        }
        // So does a later prompt that differs in messages without tokens only.
        while node != 0 && self.nodes[self.nodes[node].parent].tokens == shared.tokens {
            node = self.nodes[node].parent;
        }
        let here = &self.nodes[node];
        if let Some(seen) = self.latest(node, holds).filter(|s| *s > shared.earlier) {
            shared.earlier = seen;
            shared.messages = here.depth;
        }
        // And one whose message begins with this one.
        if let (Some(own), false) = (&here.message, self.profile.whole_messages) {
            let parent = here.parent;
            let own_symbols = self.symbols(own);
            let others = self.nodes[parent].followers.iter().filter(|f| **f != node);
            for other in others {
                let Some(seen) = self.latest(*other, holds).filter(|s| *s > shared.earlier) else {
                    continue;
                };
                let Some(message) = self.nodes[*other]
                    .message
                    .as_ref()
                    .filter(|m| m.role == own.role)
                else {
                    continue;
                };
                let whole = own_symbols.len().is_multiple_of(self.symbols_a_token());
                if whole && self.symbols(message).starts_with(&own_symbols) {
                    shared.earlier = seen;
                    shared.messages = here.depth - 1;
                }
            }
        }
        Some(shared)
    }

    /// Tokens that a message shares with the best of those sent in its place, and the latest prompt
    /// of which that is so; none where it shares none.
    fn within(
        &self,
        node: usize,
        message: &PromptMessage,
        holds: &dyn Fn(Option<u64>) -> bool,
    ) -> Option<(usize, usize)> {
        if self.profile.whole_messages {
            return None;
        }
        let here = &self.nodes[node];
        let symbols = self.symbols(message);
        let role = message.role.name();
        let a_token = self.symbols_a_token();
        let key = (role, Arc::clone(&symbols));
        let lives = |follower: usize| self.latest(follower, holds);
        // Those that share most are neighbours in order; where one is no longer cached, each is asked.
        let before = here.by_symbols.range(..&key).next_back();
        let behind = here.by_symbols.range(&key..).next();
        let near = [before, behind].into_iter().flatten();
        let all_live = self.profile.lifetime.is_none();
        let equal = |((other, known), follower): (&(&str, Symbols), &usize)| {
            (*other == role && lives(*follower).is_some()).then(|| equal_start(known, &symbols))
        };
        let most = if all_live {
            near.filter_map(equal).max()
        } else {
            here.by_symbols.iter().filter_map(equal).max()
        };
        let tokens = most.unwrap_or(0) / a_token;
        if tokens == 0 {
            return None;
        }
        let start = &symbols[..tokens * a_token];
        let mut latest = None;
        for follower in here.followers.iter().rev() {
            let Some(seen) = lives(*follower).filter(|seen| latest.is_none_or(|l| *seen > l))
            else {
                continue;
            };
            let known = self.nodes[*follower].message.as_ref();
            let shares = known.is_some_and(|known| {
                known.role == message.role && self.symbols(known).starts_with(start)
            });
            if shares {
                latest = Some(seen);
            }
        }
        Some((tokens, latest?))
    }

    /// Seconds between an earlier prompt and the last one.
    pub(super) fn gap(&self, earlier: usize) -> Option<u64> {
        let now = self.sent.last()?.at?;
        Some(now.saturating_sub(self.sent[earlier].at?))
    }

    /// The first difference of a prompt to an earlier one with so many equal messages; none where one
    /// of them ends there.
    pub(super) fn difference(
        &self,
        messages: &[Arc<PromptMessage>],
        earlier: usize,
        equal: usize,
    ) -> Option<Break> {
        let mut node = self.sent.get(earlier)?.end;
        while self.nodes[node].depth > equal + 1 {
            node = self.nodes[node].parent;
        }
        let node = &self.nodes[node];
        let (new, old) = (messages.get(equal)?, node.message.as_ref()?);
        if node.depth != equal + 1 {
            return None;
        }
        let at = if new.role == old.role {
            equal_bytes(&new.content, &old.content)
        } else {
            0
        };
        let of = if at < new.content.len() { new } else { old };
        let piece = of.pieces.iter().find(|piece| piece.end > at);
        let origin = piece.map(|piece| piece.origin.clone());
        Some(Break {
            message: equal,
            char: code_points(&new.content[..at]),
            piece: origin.filter(|origin| *origin != Origin::Recorded),
        })
    }
}

fn equal_start(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Bytes of the equal characters at the start of two texts.
fn equal_bytes(a: &str, b: &str) -> usize {
    let equal = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    (0..=equal)
        .rev()
        .find(|&at| a.is_char_boundary(at) && b.is_char_boundary(at))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What two prompts share, message by message and token by token.
    fn share(
        a: &[Arc<PromptMessage>],
        b: &[Arc<PromptMessage>],
        of: Tokenizer,
        whole: bool,
    ) -> usize {
        let mut tokens = 0;
        for (a, b) in a.iter().zip(b) {
            if a.role == b.role && a.content == b.content {
                tokens += a.tokens(of);
                continue;
            }
            if a.role == b.role && !whole {
                tokens += match of {
                    Tokenizer::Estimate => {
                        code_points(&a.content[..equal_bytes(&a.content, &b.content)]) / 4
                    }
                    _ => equal_start(&a.token_ids(of), &b.token_ids(of)),
                };
            }
            break;
        }
        tokens
    }

    fn message() -> impl Strategy<Value = Arc<PromptMessage>> {
        let text = prop::collection::vec(prop::sample::select(vec!["one ", "two ", "a"]), 0..4);
        let role = prop::sample::select(vec![Role::User, Role::Assistant]);
        (role, text).prop_map(|(role, text)| {
            let message = PromptMessage::whole(role, text.concat().into(), Origin::Fixed);
            Arc::new(message)
        })
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_a_comparison_with_each_finds(
            prompts in prop::collection::vec(
                (prop::collection::vec(message(), 0..4), prop::option::of(0..20u64)), 1..12),
            lifetime in prop::option::of(0..9u32),
            whole in any::<bool>(),
            told in any::<bool>(),
            of in prop::sample::select(vec![Tokenizer::O200k, Tokenizer::Estimate]),
        ) {
            let profile = Profile { lifetime, whole_messages: whole, ..Profile::default() };
            let mut prefixes = Prefixes::new(of, profile);
            for (n, (messages, at)) in prompts.iter().enumerate() {
                // It may be told less than there is.
                let same = n.checked_sub(1).map_or(0, |before| {
                    let both = prompts[before].0.iter().zip(messages);
                    both.take_while(|(old, new)| told && old.role == new.role && old.content == new.content).count()
                });
                let (tokens, alive, any) = prefixes.push(same, messages, *at);
                prop_assert_eq!(tokens, messages.iter().map(|m| m.tokens(of)).sum::<usize>());
                let lives = |then: &Option<u64>| match (lifetime, then, at) {
                    (Some(lifetime), Some(then), Some(now)) =>
                        now.saturating_sub(*then) <= u64::from(lifetime),
                    _ => true,
                };
                let best = |lives: &dyn Fn(&Option<u64>) -> bool| {
                    let earlier = prompts[..n].iter().enumerate();
                    let living = earlier.filter(|(_, (_, then))| lives(then));
                    // Of equals the latest.
                    living.map(|(at, (old, _))| (share(messages, old, of, whole), at)).max()
                };
                let found = |shared: Option<Shared>| shared.map(|shared| (shared.tokens, shared.earlier));
                prop_assert_eq!(found(alive), best(&lives));
                prop_assert_eq!(found(any), best(&|_| true));
            }
        }
    }
}
