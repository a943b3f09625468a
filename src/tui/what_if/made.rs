//! A fork while it is made, and when it is there: how it is shown, and what is told of it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use super::super::app::{App, Pane};
use super::super::beside::Beside;
use super::super::document::{Document, Start};
use super::super::lens::Shown;
use crate::agent::{Change, Fork, ForkError, Origin, fork};
use crate::compression::Run;
use crate::load::Report;
use crate::step::Ending;
use crate::text;

/// A fork that is being made.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) what: String,
    pub(super) cancelled: Arc<AtomicBool>,
    coming: Receiver<Result<Fork, ForkError>>,
}

/// What a document is the fork of.
#[derive(Debug)]
#[allow(clippy::exhaustive_structs)] // read by the panes
pub struct Forked {
    /// What was changed, in words.
    pub what: String,
    /// The fork.
    pub fork: Fork,
}

impl Forked {
    /// Where the answer of a turn, from 1, comes from, in words.
    pub fn origin(&self, turn: u32) -> Option<&'static str> {
        Some(match self.fork.origin(turn)? {
            Origin::Changed => "changed",
            Origin::Recorded => "recorded answer",
            Origin::OtherHistory => "for another history",
        })
    }

    /// What came of it, in words.
    fn summary(&self, beside: &Beside) -> String {
        let parts = beside.parts_at().and_then(|row| {
            let [own, was] = beside.turns_at(row);
            own.or(was)
        });
        let parts = parts.map_or_else(
            || "every turn comes out as it was".to_owned(),
            |turn| format!("◆ turn {} comes out otherwise", turn + 1),
        );
        let ends = match &self.fork.step.ending {
            Ending::Return(_) => "; it returns".to_owned(),
            Ending::Fail(failure) => {
                let reason = failure.reason.as_deref().unwrap_or("no reason told");
                format!("; it fails: {}", text::headline(reason, 40))
            }
            Ending::Open => String::new(),
        };
        let other = self
            .fork
            .origins
            .iter()
            .filter(|origin| **origin == Origin::OtherHistory);
        let other = match other.count() {
            0 => String::new(),
            1 => "; 1 answer was made for another history".to_owned(),
            count => format!("; {count} answers were made for another history"),
        };
        let stopped = self.fork.stopped.as_ref();
        let stopped = stopped.map_or_else(String::new, |why| format!("; {why}"));
        format!("{parts}{other}{ends}{stopped}")
    }
}

/// Begins to make a fork.
pub(super) fn start(app: &mut App, from: u32, change: Change, what: &str) {
    app.what_if.cancel();
    let step = Arc::clone(app.document().run.step());
    let cancelled = Arc::new(AtomicBool::new(false));
    let (send, coming) = channel();
    let flag = Arc::clone(&cancelled);
    thread::spawn(move || {
        // Nobody waits any longer where it was cancelled, or the inspector has ended.
        let _ = send.send(fork(&step, from, &change, &flag));
    });
    app.what_if.running = Some(Running {
        what: what.to_owned(),
        cancelled,
        coming,
    });
}

/// Takes a fork that is ready and shows it beside what was. Whether there was something to take.
pub(in super::super) fn poll(app: &mut App) -> bool {
    let Some(running) = &app.what_if.running else {
        return false;
    };
    let made = match running.coming.try_recv() {
        Err(TryRecvError::Empty) => return false,
        Ok(made) => made.map_err(|error| error.to_string()),
        Err(TryRecvError::Disconnected) => Err("what-if broke off; this is a bug".to_owned()),
    };
    let what = app.what_if.running.take().map(|running| running.what);
    let shown = made.and_then(|fork| show(app, what.unwrap_or_default(), fork));
    if let Err(why) = shown {
        app.message = Some(why);
    }
    true
}

fn show(app: &mut App, what: String, fork: Fork) -> Result<(), String> {
    let was = app.document();
    let step = Arc::new(fork.step.clone());
    let last = step.last_prompt();
    let start = Start {
        turn: Some(fork.from.min(last)),
        // Nothing was sent for a fork.
        prefer_strategy: true,
        ..app.start.for_another()
    };
    let title = format!("{} → what if: {what}", was.title);
    let made = Document::new("what if", step, Report::default(), &start);
    let mut document = made.map_err(|error| error.to_string())?;
    if was.lens().shown != Shown::Recorded {
        document.lenses = vec![was.lens().on(Arc::clone(&document.run))];
    }
    let run: Arc<Run> = Arc::clone(&was.run);
    document.put_beside(["what if".to_owned(), "what was".to_owned()], run);
    document.toggle_compare();
    document.title = title;
    let forked = Forked { what, fork };
    app.message = document.beside.as_mut().map(|beside| {
        beside.reversed = true;
        forked.summary(beside)
    });
    document.fork = Some(forked);
    app.documents.push(document);
    app.focus_on(Pane::Turns);
    Ok(())
}
