//! A run with what its analyses share: prompts as sent or as they would be, and what each turn said
//! and was told.

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::cache::{Cache, CacheSums, Cached};
use super::current::Current;
use super::known::Known;
use super::needs::{Needs, TurnTexts};
use super::profile::Profile;
use super::program::Uses;
use super::shown::Level;
use super::time::seconds;
use super::walk::Walk;
use crate::compression::{Case, LeftOut, Prompt, Run, Stats, Stretch, TurnOutOfRange, strategy};
use crate::namespace::PromptMessage;
use crate::step::{PTC_LISP, Turn};
use crate::tokens::Tokenizer;
use crate::value::{Limits, Value, to_clojure};

/// What is looked at: what was really sent, or what a strategy would send.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::exhaustive_enums)] // there are these two
pub enum View {
    /// What was really sent.
    Recorded,
    /// A strategy with its options.
    Case(Case),
}

impl View {
    /// `recorded`, or the strategy's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Case(case) => case.strategy.name(),
        }
    }
}

/// Which prompt needs are measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reference {
    /// What was really sent.
    Recorded,
    /// What a conversation's records add up to, where it records no prompt.
    Rebuilt,
    /// Every turn whole, where there is neither.
    Uncompressed,
}

impl Reference {
    /// Its name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Rebuilt => "rebuilt",
            Self::Uncompressed => "uncompressed",
        }
    }
}

/// A prompt.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Sent {
    /// Its messages.
    pub messages: Vec<Arc<PromptMessage>>,
    /// What the strategy left out.
    pub left_out: Vec<LeftOut>,
    /// What the strategy reports; nothing of a recorded prompt.
    pub stats: Option<Stats>,
}

impl From<Prompt> for Sent {
    fn from(prompt: Prompt) -> Self {
        Self {
            messages: prompt.iter().collect(),
            left_out: prompt.left_out,
            stats: Some(prompt.stats),
        }
    }
}

impl Sent {
    /// Tokens of its messages' contents.
    pub fn tokens(&self, tokenizer: Tokenizer) -> Vec<usize> {
        let messages = self.messages.iter();
        messages.map(|message| message.tokens(tokenizer)).collect()
    }

    /// Tokens by kind of piece, in the order in which kinds first appear.
    pub fn shares(&self, tokenizer: Tokenizer) -> Vec<(&'static str, usize)> {
        let mut shares: Vec<(&'static str, usize)> = Vec::new();
        for message in &self.messages {
            message.add_shares(tokenizer, &mut shares);
        }
        shares.retain(|(_, tokens)| *tokens > 0);
        shares
    }
}

/// A run under analysis, with the tokenizer and the cache profile that figures are made with.
#[derive(Debug)]
pub struct Analysis {
    run: Arc<Run>,
    tokenizer: Tokenizer,
    profile: Profile,
    uncompressed: Option<Case>,
    known: Mutex<Known>,
    /// The messages of the conversation that prompts are rebuilt from.
    conversation: OnceLock<Vec<OnceLock<Arc<PromptMessage>>>>,
    turns: Vec<Facts>,
    needs: Vec<OnceLock<Arc<Needs>>>,
    /// How much the prompts of whole turns show of the names needed.
    shown_whole: Vec<OnceLock<Arc<[Level]>>>,
    first: OnceLock<(Reference, Sent)>,
    /// The reference prompt that was looked at last, and the prompt of whole turns.
    reference: Mutex<Current>,
    whole: Mutex<Current>,
    turn_texts: Mutex<TurnTexts>,
}

/// What a turn said and was told, found when it is first asked for.
#[derive(Debug, Default)]
struct Facts {
    uses: OnceLock<Uses>,
    told: OnceLock<String>,
}

impl Analysis {
    /// Of a run.
    pub fn new(run: Arc<Run>, tokenizer: Tokenizer, profile: Profile) -> Self {
        let turns = run.step().turns().len();
        Self {
            run,
            tokenizer,
            profile,
            uncompressed: strategy("uncompressed").ok().map(Case::new),
            known: Mutex::default(),
            conversation: OnceLock::new(),
            turns: std::iter::repeat_with(Facts::default).take(turns).collect(),
            needs: std::iter::repeat_with(OnceLock::new).take(turns).collect(),
            shown_whole: std::iter::repeat_with(OnceLock::new).take(turns).collect(),
            first: OnceLock::new(),
            reference: Mutex::default(),
            whole: Mutex::default(),
            turn_texts: Mutex::default(),
        }
    }

    /// The run.
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    /// The cache profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The last turn: the prompts of the run are those for turns 1 to this.
    pub fn last_turn(&self) -> u32 {
        self.run.step().last_prompt().saturating_sub(1)
    }

    /// Whether every turn's prompt is recorded.
    pub fn is_recorded(&self) -> bool {
        let turns = self.run.step().turns();
        !turns.is_empty() && turns.iter().all(|turn| turn.amounts().sent)
    }

    /// The turn of a number.
    pub fn turn(&self, n: u32) -> Option<Arc<Turn>> {
        self.run.step().turn(n.checked_sub(1)? as usize)
    }

    /// Turn N's prompt; none where a recorded one is asked for and there is none.
    ///
    /// # Errors
    /// [`TurnOutOfRange`] where there is no such prompt.
    pub fn sent(&self, n: u32, view: &View) -> Result<Option<Sent>, TurnOutOfRange> {
        match view {
            View::Recorded => Ok(self.as_sent(n).map(|(_, sent)| sent)),
            View::Case(case) => self.rendered(n, case).map(|prompt| Some(prompt.into())),
        }
    }

    pub(super) fn rendered(&self, n: u32, case: &Case) -> Result<Prompt, TurnOutOfRange> {
        let mut case = case.clone();
        case.options.set_tokenizer(self.tokenizer);
        self.run.prompt(n, &case)
    }

    /// What was sent: recorded, else rebuilt.
    pub(super) fn as_sent(&self, n: u32) -> Option<(Reference, Sent)> {
        let (reference, head, rest) = if let Some(messages) = self.run.recorded_prompt(n) {
            (Reference::Recorded, messages, Vec::new())
        } else {
            let Stretch { head, rest, .. } = self.run.rebuilt(n)?;
            (Reference::Rebuilt, head, rest)
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let head = head.into_iter();
        let mut messages: Vec<_> = head.map(|message| known.message(message)).collect();
        if !rest.is_empty() {
            let all = self.conversation.get_or_init(|| {
                let all = std::iter::repeat_with(OnceLock::new);
                all.take(self.run.conversation_len()).collect()
            });
            for at in rest.into_iter().flatten() {
                let made = || known.message(self.run.conversation_message(at));
                messages.push(Arc::clone(all[at].get_or_init(made)));
            }
        }
        let sent = Sent {
            messages,
            ..Sent::default()
        };
        let is_there = reference == Reference::Recorded || !sent.messages.is_empty();
        is_there.then_some((reference, sent))
    }

    /// The reference prompt for N: the recorded one, else the rebuilt one, else every turn whole.
    pub fn reference(&self, n: u32) -> (Reference, Sent) {
        let sent = self.as_sent(n);
        sent.unwrap_or_else(|| {
            let whole = self.whole(n).map_or_else(Sent::default, Sent::from);
            (Reference::Uncompressed, whole)
        })
    }

    /// What the needs of some turns are measured by, the best first: one name, or several where turns
    /// differ.
    pub fn references(&self, turns: RangeInclusive<u32>) -> String {
        let mut found: Vec<Reference> = turns.map(|n| self.needs(n).reference).collect();
        if found.is_empty() {
            found.push(self.first_prompt().0);
        }
        found.sort_unstable();
        found.dedup();
        let names: Vec<&str> = found.into_iter().map(Reference::name).collect();
        names.join(", ")
    }

    /// The prompt for N with every turn whole.
    pub(super) fn whole(&self, n: u32) -> Option<Prompt> {
        self.rendered(n, self.uncompressed.as_ref()?).ok()
    }

    /// The reference prompt for turn 1.
    pub(super) fn first_prompt(&self) -> &(Reference, Sent) {
        self.first.get_or_init(|| self.reference(1))
    }

    /// When turn N's prompt was sent, in seconds.
    pub(super) fn sent_at(&self, n: u32) -> Option<u64> {
        seconds(self.turn(n)?.started_at()?)
    }

    /// What is cached of every prompt of the run, and the sums.
    pub fn cache(&self, view: &View) -> (Vec<Cached>, CacheSums) {
        let mut cache = Cache::new(self.tokenizer, self.profile);
        let mut sums = CacheSums::default();
        let mut prompts = Vec::new();
        for n in 1..=self.last_turn() {
            let sent = self.sent(n, view).ok().flatten().unwrap_or_default();
            let cached = cache.push(&sent.messages, self.sent_at(n));
            sums.add(&cached, &self.profile);
            sums.later += if n > 1 { cached.prompt } else { 0 };
            prompts.push(cached);
        }
        (prompts, sums)
    }

    /// What is cached of turn N's prompt.
    pub fn cached(&self, n: u32, view: &View) -> Option<Cached> {
        let mut walk = Walk::new(self, view);
        let mut last = None;
        for n in 1..=n {
            last = Some(walk.pass(n).ok().flatten()?);
        }
        last
    }

    /// What turn N's program uses; nothing where it has none in PTC-Lisp.
    pub(super) fn uses(&self, n: u32) -> Option<&Uses> {
        let turn = self.turn(n)?;
        let program = turn.program().get()?;
        if &*program.language != PTC_LISP {
            return None;
        }
        let facts = self.turns.get(n as usize - 1)?;
        Some(facts.uses.get_or_init(|| Uses::of(&program.source)))
    }

    /// All that turn N brought: prints, result or error, calls' results, definitions, input.
    pub(super) fn told(&self, n: u32) -> &str {
        let at = n.saturating_sub(1) as usize;
        let Some((facts, turn)) = self.turns.get(at).zip(self.turn(n)) else {
            return "";
        };
        facts.told.get_or_init(|| {
            let mut told = String::new();
            let mut add = |text: &str| {
                told.push_str(text);
                told.push('\n');
            };
            turn.input().into_iter().for_each(|text| add(text));
            turn.prints().iter().for_each(|text| add(text));
            if let Some(result) = turn.result().get() {
                add(&whole_text(result));
            }
            for call in turn.tool_calls() {
                let results = call.error.iter().chain(call.result.get());
                results.for_each(|result| add(&whole_text(result)));
            }
            if !turn.failed() {
                for (name, value) in self.run.history(n + 1).changed_by_last() {
                    add(name);
                    add(&whole_text(value));
                }
            }
            told
        })
    }

    /// The reference prompts, one after the other.
    pub(super) fn reference_prompt(&self) -> MutexGuard<'_, Current> {
        self.reference
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The prompts of whole turns, one after the other.
    pub(super) fn whole_prompt(&self) -> MutexGuard<'_, Current> {
        self.whole.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the turns were told and what the model wrote, as far as it was read.
    pub(super) fn turn_texts(&self) -> MutexGuard<'_, TurnTexts> {
        self.turn_texts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn needs_cell(&self, n: u32) -> Option<&OnceLock<Arc<Needs>>> {
        self.needs.get(n.checked_sub(1)? as usize)
    }

    pub(super) fn shown_whole_cell(&self, n: u32) -> Option<&OnceLock<Arc<[Level]>>> {
        self.shown_whole.get(n.checked_sub(1)? as usize)
    }
}

/// A value without limits; a string as it is.
pub(super) fn whole_text(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        other => clojure_text(other),
    }
}

/// A value without limits, as programs print it.
pub(super) fn clojure_text(value: &Value) -> String {
    let limits = Limits {
        items: None,
        printable: None,
        filter_hidden: false,
    };
    to_clojure(value, limits).0
}
