//! What a prompt has under each entry of a lens, in a few words: messages, and what was dropped. It is
//! found off the drawing thread, because some strategies show every turn there is.

use std::sync::Arc;

use super::app::App;
use super::lens::Shown;
use super::work::Work;
use crate::compression::{Case, Run};
use crate::text::amounts;

/// The words for one prompt under every entry, as far as they are found.
#[derive(Debug)]
pub struct Tally {
    words: Vec<(Shown, String)>,
    coming: Work<(Shown, String)>,
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
        let coming = Work::start(move |teller| {
            for (shown, case) in cases {
                let found = match (n, &case) {
                    (None, _) => "no turn here".to_owned(),
                    (Some(n), Some(case)) => of_strategy(&source, n, case),
                    (Some(n), None) => recorded(&run, n),
                };
                if !teller.tell((shown, found)) {
                    return;
                }
            }
        });
        Self {
            words: Vec::new(),
            coming,
        }
    }

    /// Whether they are still looked for.
    pub fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes what was found since; whether that is anything, or the end.
    pub fn poll(&mut self) -> bool {
        self.coming.poll(|found| self.words.push(found))
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
    amounts::of(count, "message")
}
