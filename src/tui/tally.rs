//! What a prompt has under each entry of a lens, in a few words: messages, and what was dropped. It is
//! found off the drawing thread, because some strategies show every turn there is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use super::app::App;
use super::lens::Shown;
use crate::compression::{Case, Run};

/// The words for one prompt under every entry, as far as they are found.
#[derive(Debug)]
pub struct Tally {
    words: Vec<(Shown, String)>,
    coming: Option<Receiver<(Shown, String)>>,
    cancelled: Arc<AtomicBool>,
}

impl Drop for Tally {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl Tally {
    /// Begins to look for what the prompt of the selected turn has, what is shown first.
    pub(super) fn start(app: &App) -> Self {
        let document = app.document();
        let lens = document.lens();
        let n = document.n_of(lens);
        let (run, source) = (Arc::clone(lens.run()), Arc::clone(lens.source()));
        let mut entries = lens.entries();
        entries.sort_by_key(|shown| *shown != lens.shown);
        let cases = entries.into_iter();
        let cases: Vec<(Shown, Option<Case>)> = cases
            .map(|shown| (shown, lens.case_of(shown).cloned()))
            .collect();
        let (send, coming) = channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&cancelled);
        thread::spawn(move || {
            for (shown, case) in cases {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let found = match (n, &case) {
                    (None, _) => "no turn here".to_owned(),
                    (Some(n), Some(case)) => of_strategy(&source, n, case),
                    (Some(n), None) => recorded(&run, n),
                };
                // Nobody waits any longer where the sending fails.
                if send.send((shown, found)).is_err() {
                    return;
                }
            }
        });
        Self {
            words: Vec::new(),
            coming: Some(coming),
            cancelled,
        }
    }

    /// Whether they are still looked for.
    pub fn is_running(&self) -> bool {
        self.coming.is_some()
    }

    /// Takes what was found since; whether that is anything, or the end.
    pub fn poll(&mut self) -> bool {
        let Some(coming) = &self.coming else {
            return false;
        };
        let mut changed = false;
        loop {
            match coming.try_recv() {
                Ok(found) => self.words.push(found),
                Err(TryRecvError::Empty) => return changed,
                // The worker has ended, by a panic of its own too: what was found stays.
                Err(TryRecvError::Disconnected) => {
                    self.coming = None;
                    return true;
                }
            }
            changed = true;
        }
    }

    /// The words for an entry, once they are found.
    pub fn of(&self, shown: Shown) -> Option<&str> {
        let found = self.words.iter().find(|(entry, _)| *entry == shown);
        found.map(|(_, words)| words.as_str())
    }
}

fn of_strategy(source: &Run, n: u32, case: &Case) -> String {
    let Ok(prompt) = source.prompt(n, case) else {
        return String::new();
    };
    let dropped = prompt.stats.calls.dropped() + prompt.stats.prints.dropped();
    let gone = if dropped > 0 {
        let plural = if dropped == 1 { "" } else { "s" };
        format!(", {dropped} item{plural} dropped")
    } else {
        String::new()
    };
    messages(prompt.len()) + &gone
}

fn recorded(run: &Run, n: u32) -> String {
    match run.as_sent(n) {
        Ok(sent) => messages(sent.messages.len()),
        Err(_) => "not recorded for this turn".to_owned(),
    }
}

fn messages(count: usize) -> String {
    format!("{count} message{}", if count == 1 { "" } else { "s" })
}
