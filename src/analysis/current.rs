//! The prompts of a run one after the other, and what stands in each: only what is new in a prompt is
//! read. A message that stays from one prompt to the next is put into an index; one that is there once
//! is read when something is looked for.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::needs::Item;
use super::sent::{Analysis, Reference, Sent, View};
use super::shown::{Level, NameFacts, in_message};
use super::text_index::TextIndex;
use super::words::has_line;
use crate::compression::{Prompt, TurnOutOfRange};
use crate::namespace::{Origin, PromptMessage};

/// The prompt that is looked at.
#[derive(Debug, Default)]
pub(super) struct Current {
    /// As the strategy made it, where one did.
    prompt: Option<Prompt>,
    sent: Sent,
    /// Places of the messages that are not in the index.
    loose: Vec<usize>,
    /// The messages that the prompt before had from the first on that differs, and the place of that.
    gone: Vec<Arc<PromptMessage>>,
    fresh_from: usize,
    read: Read,
}

impl Current {
    /// A prompt by itself.
    pub(super) fn of(sent: Sent) -> Self {
        Self {
            loose: (0..sent.messages.len()).collect(),
            sent,
            ..Self::default()
        }
    }

    /// The prompt.
    pub(super) fn sent(&self) -> &Sent {
        &self.sent
    }

    /// Messages that the prompt before had from the first on that differs.
    pub(super) fn gone(&self) -> &[Arc<PromptMessage>] {
        &self.gone
    }

    /// Its messages from the first on that differs from the prompt before.
    pub(super) fn fresh(&self) -> &[Arc<PromptMessage>] {
        self.sent.messages.get(self.fresh_from..).unwrap_or(&[])
    }

    /// Goes to turn N's prompt under a view, or where there is none to the reference prompt.
    pub(super) fn go_to_view(&mut self, analysis: &Analysis, n: u32, view: Option<&View>) {
        let went = view.map(|view| self.go(analysis, n, view));
        if !matches!(went, Some(Ok(Some(_)))) {
            self.go_to_reference(analysis, n);
        }
    }

    /// Goes to turn N's prompt under a view, and says how many messages at its start are those of the
    /// prompt before; none where it isn't recorded.
    ///
    /// # Errors
    /// [`TurnOutOfRange`] where there is no such prompt.
    pub(super) fn go(
        &mut self,
        analysis: &Analysis,
        n: u32,
        view: &View,
    ) -> Result<Option<usize>, TurnOutOfRange> {
        match view {
            View::Recorded => Ok(analysis
                .as_sent(n)
                .map(|(_, sent)| self.take(sent.messages))),
            View::Case(case) => analysis
                .rendered(n, case)
                .map(|prompt| Some(self.take_prompt(prompt))),
        }
    }

    /// Goes to the reference prompt for N.
    pub(super) fn go_to_reference(&mut self, analysis: &Analysis, n: u32) -> Reference {
        if let Some((reference, sent)) = analysis.as_sent(n) {
            self.take(sent.messages);
            return reference;
        }
        self.go_to_whole(analysis, n);
        Reference::Uncompressed
    }

    /// Goes to the prompt for N with every turn whole.
    pub(super) fn go_to_whole(&mut self, analysis: &Analysis, n: u32) {
        match analysis.whole(n) {
            Some(prompt) => self.take_prompt(prompt),
            None => self.take(Vec::new()),
        };
    }

    fn take(&mut self, messages: Vec<Arc<PromptMessage>>) -> usize {
        self.prompt = None;
        self.sent.left_out.clear();
        self.sent.stats = None;
        let both = self.sent.messages.iter().zip(&messages);
        let same = both.take_while(|(old, new)| Arc::ptr_eq(old, new)).count();
        self.replace_from(same, messages.into_iter().skip(same));
        same
    }

    fn take_prompt(&mut self, prompt: Prompt) -> usize {
        let before = self.prompt.as_ref();
        let same = before.map_or(0, |before| before.equal_start(&prompt));
        self.replace_from(same, prompt.iter_from(same));
        self.sent.left_out.clone_from(&prompt.left_out);
        self.sent.stats = Some(prompt.stats.clone());
        self.prompt = Some(prompt);
        same
    }

    /// Takes other messages from a place on.
    fn replace_from(&mut self, same: usize, new: impl Iterator<Item = Arc<PromptMessage>>) {
        self.fresh_from = same;
        self.gone = self.sent.messages.drain(same..).collect();
        for message in &self.gone {
            self.read.leave(message);
        }
        let mut loose = std::mem::take(&mut self.loose);
        loose.retain(|place| *place < same);
        for place in loose {
            self.read.add(&self.sent.messages[place]);
        }
        let gone: HashSet<_> = self.gone.iter().map(place).collect();
        for message in new {
            if gone.contains(&place(&message)) {
                self.read.add(&message);
            } else if !self.read.enter(&message) {
                self.loose.push(self.sent.messages.len());
            }
            self.sent.messages.push(message);
        }
    }

    fn loose(&self) -> impl Iterator<Item = &Arc<PromptMessage>> {
        let places = self.loose.iter().rev();
        places.map(|place| &self.sent.messages[*place])
    }

    /// Whether a word or a line stands in it.
    pub(super) fn has(&self, item: &Item) -> bool {
        self.find(item).is_some()
    }

    /// A message in which a word or a line stands.
    pub(super) fn find(&self, item: &Item) -> Option<&Arc<PromptMessage>> {
        self.first(item.text(), |text| item.is_in(text))
    }

    /// Whether a line stands in it.
    pub(super) fn has_line(&self, line: &str) -> bool {
        self.first(line, |text| has_line(text, line)).is_some()
    }

    fn first(&self, part: &str, holds: impl Fn(&str) -> bool) -> Option<&Arc<PromptMessage>> {
        let loose = self.loose().find(|message| holds(&message.content));
        loose.or_else(|| {
            let mut read = self.read.may_have(part);
            read.find(|message| holds(&message.content))
        })
    }

    /// How much it shows of a name.
    pub(super) fn level(&self, name: &NameFacts<'_>) -> Level {
        let mut best = Level::None;
        let loose = self.loose();
        for message in loose.chain(self.read.may_show_value(name)) {
            best = best.max(in_message(message, name));
            if best == Level::Value {
                return best;
            }
        }
        if best == Level::None {
            let mut named = self.read.may_have(name.name);
            let found = named.find_map(|message| {
                Some(in_message(message, name)).filter(|level| *level > Level::None)
            });
            best = found.unwrap_or(best);
        }
        best
    }
}

/// Where a message lies.
pub(super) fn place(message: &Arc<PromptMessage>) -> usize {
    Arc::as_ptr(message).addr()
}

/// Messages that stayed for more than one prompt.
#[derive(Debug, Default)]
struct Read {
    messages: Vec<Kept>,
    by_place: HashMap<usize, u32>,
    index: TextIndex,
    /// Messages with a definition's line, by the name, with the turn that made the value.
    definitions: HashMap<Arc<str>, Vec<(Option<u32>, u32)>>,
    /// Messages with a turn's program.
    programs: HashMap<u32, Vec<u32>>,
    /// Messages of which no piece is known.
    has_recorded: bool,
}

/// A message that stayed. It is kept, so that no other comes to lie in its place.
#[derive(Debug)]
struct Kept {
    message: Arc<PromptMessage>,
    /// How often it stands in the prompt.
    present: usize,
    /// The last turn that it has a print or a result of.
    told: u32,
}

impl Read {
    fn number(&self, message: &Arc<PromptMessage>) -> Option<u32> {
        self.by_place.get(&place(message)).copied()
    }

    /// Counts a message that is known; says whether it is.
    fn enter(&mut self, message: &Arc<PromptMessage>) -> bool {
        let number = self.number(message);
        let kept = number.and_then(|number| self.messages.get_mut(number as usize));
        kept.map(|kept| kept.present += 1).is_some()
    }

    fn leave(&mut self, message: &Arc<PromptMessage>) {
        let number = self.number(message);
        if let Some(kept) = number.and_then(|number| self.messages.get_mut(number as usize)) {
            kept.present -= 1;
        }
    }

    /// Counts a message, and reads it where it isn't known yet.
    fn add(&mut self, message: &Arc<PromptMessage>) {
        if self.enter(message) {
            return;
        }
        let Ok(number) = u32::try_from(self.messages.len()) else {
            return;
        };
        let mut told = 0;
        for piece in &message.pieces {
            match &piece.origin {
                Origin::Definition { name, turn } => {
                    let lines = self.definitions.entry(Arc::clone(name)).or_default();
                    lines.push((*turn, number));
                }
                Origin::Program(turn) => self.programs.entry(*turn).or_default().push(number),
                Origin::Print { turn, .. } | Origin::Result(turn) => told = told.max(*turn),
                Origin::Recorded => self.has_recorded = true,
                _ => {}
            }
        }
        self.index.add(number, &message.content);
        self.by_place.insert(place(message), number);
        self.messages.push(Kept {
            message: Arc::clone(message),
            present: 1,
            told,
        });
    }

    /// The message of a number, where it stands in the prompt.
    fn present(&self, number: u32) -> Option<&Kept> {
        let kept = self.messages.get(number as usize)?;
        (kept.present > 0).then_some(kept)
    }

    /// Messages of the prompt that may have a part, the latest first.
    fn may_have(&self, part: &str) -> impl Iterator<Item = &Arc<PromptMessage>> {
        let found = self.index.candidates(part);
        let all = found.is_none().then(|| 0..self.count());
        let numbers = found.into_iter().flatten().rev();
        let numbers = numbers.chain(all.into_iter().flatten().rev());
        let kept = numbers.filter_map(|number| self.present(number));
        kept.map(|kept| &kept.message)
    }

    fn count(&self) -> u32 {
        u32::try_from(self.messages.len()).unwrap_or(u32::MAX)
    }

    /// Messages of the prompt that may show a name's value: lines of its definition, its program, what
    /// was told since then, and recorded text.
    fn may_show_value<'a>(
        &'a self,
        name: &'a NameFacts<'_>,
    ) -> impl Iterator<Item = &'a Arc<PromptMessage>> {
        let lines = self.definitions.get(name.name).into_iter().flatten();
        let lines = lines.filter(|(turn, _)| name.is_function() || *turn == name.changed);
        let programs = self.programs.get(&name.source).into_iter().flatten();
        let numbers = lines.map(|(_, number)| number).chain(programs).copied();
        let made = numbers.filter_map(|number| self.present(number));
        let proof = name.proof().into_iter();
        let told = proof.flat_map(|proof| {
            let numbers = self.index.candidates(proof);
            let all = numbers.is_none().then(|| 0..self.count());
            let numbers = numbers.into_iter().flatten().rev();
            numbers.chain(all.into_iter().flatten().rev())
        });
        let told = told.filter_map(|number| self.present(number));
        let told = told.filter(|kept| kept.told >= name.source);
        let recorded = self.has_recorded.then(|| name.assignments());
        let recorded = recorded.into_iter().flatten();
        let recorded = recorded.flat_map(|text| self.may_have(&text).collect::<Vec<_>>());
        made.chain(told).map(|kept| &kept.message).chain(recorded)
    }
}
