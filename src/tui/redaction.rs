//! Hiding secrets on the screen, in copies, in files, and from programs that texts are handed to.
//!
//! Texts of the panes are redacted block by block, before they are broken into rows
//! ([`super::text_view::TextView`]); whatever else is drawn is covered on the finished screen, so that
//! no list, title or overlay can forget it. A run is shown once its secrets have their numbers: in the
//! order of its records, as the commands count. Figures are those of the original texts.

use std::borrow::Cow;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use super::actions;
use super::app::{App, Document, Effect};
use super::rows::Block;
use crate::step::Step;
use crate::text::redact::Redactor;

mod cover;

pub(super) use cover::waiting;

/// How long a key may wait for the run's secrets to have their numbers.
const PATIENCE: Duration = Duration::from_millis(100);

/// Whether secrets are hidden, and by what.
#[derive(Debug, Default)]
pub struct Redaction {
    redactor: Option<Arc<Redactor>>,
    is_on: bool,
    /// The patterns of the settings can't be used, so nothing is promised.
    is_unusable: bool,
    /// Runs whose secrets have their numbers, or that are shown already and only grew.
    known: Vec<Weak<Step>>,
    /// Grown runs that are still to be looked through.
    grown: Vec<Arc<Step>>,
    learning: Option<Learning>,
    /// Rises when texts are to be made again.
    version: u64,
}

/// Runs that are being looked through.
#[derive(Debug)]
struct Learning {
    runs: Vec<Weak<Step>>,
    done: Receiver<()>,
}

/// What a text passes before it is shown: nothing where secrets are shown.
#[derive(Debug, Clone, Default)]
pub struct Hiding(Option<(Arc<Redactor>, u64)>);

impl PartialEq for Hiding {
    fn eq(&self, other: &Self) -> bool {
        let version = |hiding: &Self| hiding.0.as_ref().map(|(_, version)| *version);
        version(self) == version(other)
    }
}

impl Hiding {
    /// Whether secrets are hidden.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// A block as it is shown.
    pub fn block(&self, block: Arc<Block>) -> Arc<Block> {
        match &self.0 {
            Some((redactor, _)) => Arc::new(block.redacted(redactor)),
            None => block,
        }
    }

    /// A text as it is shown.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.0 {
            Some((redactor, _)) => redactor.text(text),
            None => Cow::Borrowed(text),
        }
    }
}

impl Redaction {
    /// With a redactor; without one nothing can be hidden.
    pub fn new(redactor: Option<Arc<Redactor>>, is_on: bool) -> Self {
        Self {
            is_unusable: redactor.is_none(),
            is_on: is_on && redactor.is_some(),
            redactor,
            ..Self::default()
        }
    }

    /// What hides secrets, where they are hidden.
    fn active(&self) -> Option<&Arc<Redactor>> {
        self.redactor.as_ref().filter(|_| self.is_on)
    }

    /// What texts pass.
    pub fn hiding(&self) -> Hiding {
        Hiding(self.active().map(|made| (Arc::clone(made), self.version)))
    }

    /// Whether runs are being looked through.
    pub fn is_learning(&self) -> bool {
        self.learning.is_some()
    }

    /// Whether a document is not to be shown yet, because its secrets have no numbers.
    pub fn holds_back(&self, document: &Document) -> bool {
        self.is_on && runs(document).any(|run| !self.knows(run))
    }

    /// A text as it is shown, for places where it is fitted before it is drawn.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.active()
            .map_or(Cow::Borrowed(text), |redactor| redactor.text(text))
    }

    /// How many secrets are hidden, in words; none where they are shown.
    pub fn status(&self) -> Option<String> {
        let redactor = self.active()?;
        Some(format!("{} hidden", redactor.distinct()))
    }

    fn knows(&self, run: &Arc<Step>) -> bool {
        let run = Arc::as_ptr(run);
        self.known.iter().any(|known| known.as_ptr() == run)
    }

    /// What hides secrets; made now where none was given. None where its patterns can't be used.
    fn made(&mut self) -> Option<Arc<Redactor>> {
        if self.redactor.is_none() && !self.is_unusable {
            self.redactor = Redactor::new([]).ok().map(Arc::new);
        }
        self.redactor.clone()
    }

    /// Takes note that a run which is shown grew: what is new is shown without waiting.
    pub fn grown(&mut self, before: &Arc<Step>, after: &Arc<Step>) {
        if self.knows(before) {
            self.known.push(Arc::downgrade(after));
            self.grown.push(Arc::clone(after));
        }
    }

    /// Gives the secrets of runs their numbers, off the drawing thread.
    fn learn(&mut self, runs: Vec<Arc<Step>>) {
        let Some(redactor) = self.redactor.clone() else {
            return;
        };
        let (send, done) = channel();
        let learned = runs.iter().map(Arc::downgrade).collect();
        thread::spawn(move || {
            for run in runs {
                run.learn(&redactor);
            }
            redactor.learned();
            let _ = send.send(());
        });
        self.learning = Some(Learning {
            runs: learned,
            done,
        });
    }

    /// Takes what was learned since; whether that is all that was to be learned.
    fn take(&mut self, patience: Duration) -> bool {
        let Some(learning) = &self.learning else {
            return false;
        };
        let waiting = if patience.is_zero() {
            learning.done.try_recv() == Err(TryRecvError::Empty)
        } else {
            use std::sync::mpsc::RecvTimeoutError::Timeout;
            learning.done.recv_timeout(patience) == Err(Timeout)
        };
        if waiting {
            return false;
        }
        if let Some(learning) = self.learning.take() {
            self.known.retain(|run| run.strong_count() > 0);
            self.known.extend(learning.runs);
        }
        self.version += 1;
        true
    }

    /// What hides secrets in files. The rules hold where the patterns of the settings don't.
    pub(super) fn for_files(&mut self) -> Option<Arc<Redactor>> {
        let rules = || Redactor::new([]).ok().map(Arc::new);
        self.made().or_else(rules)
    }

    /// An effect without secrets. A file that is written never has any.
    fn hide(&mut self, effect: Effect, run: &Arc<Step>) -> Effect {
        match effect {
            Effect::Copy { what, text } if self.is_on => Effect::Copy {
                what,
                text: self.text(&text).into_owned(),
            },
            Effect::Save { what, name, text } => {
                let Some(redactor) = self.for_files() else {
                    return Effect::Save { what, name, text };
                };
                if !self.knows(run) {
                    run.learn(&redactor);
                    redactor.learned();
                }
                let text = redactor.text(&text).into_owned();
                Effect::Save { what, name, text }
            }
            Effect::HandOver(mut handed) => {
                let traced = self.active().and_then(|made| made.traced(&handed.text));
                if let Some(traced) = traced {
                    handed.hidden = traced.hidden(&handed.text);
                    handed.text = traced.text;
                }
                Effect::HandOver(handed)
            }
            other => other,
        }
    }
}

/// The runs that a document shows.
fn runs(document: &Document) -> impl Iterator<Item = &Arc<Step>> {
    let beside = document.beside.iter().map(|beside| beside.run.step());
    std::iter::once(document.run.step()).chain(beside)
}

/// What follows from a command: a run that came into view is looked through, and what leaves the
/// program has no secrets.
pub(super) fn follow(app: &mut App, effect: Option<Effect>) -> Option<Effect> {
    if attend(app) {
        app.redaction.take(PATIENCE);
    }
    let run = Arc::clone(app.document().run.step());
    effect.map(|effect| app.redaction.hide(effect, &run))
}

/// Takes what was learned since; whether the screen changes.
pub(super) fn poll(app: &mut App) -> bool {
    let changed = app.redaction.take(Duration::ZERO);
    attend(app) || changed
}

/// Begins to look through runs that are shown and not known yet. Whether there are any.
fn attend(app: &mut App) -> bool {
    if !app.redaction.is_on || app.redaction.is_learning() {
        return false;
    }
    let mut wanted = Vec::new();
    if app.redaction.holds_back(app.document()) {
        // As the commands do: all of the file, then what stands beside it.
        let all = app.conversations.iter().chain(runs(app.document()));
        for run in all {
            let is_new = !wanted.iter().any(|other| Arc::ptr_eq(other, run));
            if is_new && !app.redaction.knows(run) {
                wanted.push(Arc::clone(run));
            }
        }
    }
    wanted.append(&mut app.redaction.grown);
    let any = !wanted.is_empty();
    if any {
        app.redaction.learn(wanted);
    }
    any
}

/// The command: hides secrets, or shows them again.
pub(super) fn toggle(app: &mut App) {
    if app.redaction.is_on {
        app.redaction.is_on = false;
        app.message = Some("secrets are shown".to_owned());
    } else if app.redaction.made().is_some() {
        app.redaction.is_on = true;
        app.message = Some("secrets are hidden, in copies too".to_owned());
    } else {
        let what = "not all patterns of [redact] can be used, so nothing is hidden; 'turnscope settings' says why";
        app.message = Some(what.to_owned());
    }
    app.redaction.version += 1;
    // Its places may be others in the texts that are shown now.
    actions::set_search(app, None);
}
