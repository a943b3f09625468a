//! The last of some prompts in which something stood, for many things at once: the prompts are gone through
//! one after the other, and a thing is looked for again where a message that had it leaves, or one comes
//! that may have what was missing.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::current::{Current, place};
use super::needs::Item;
use super::sent::{Analysis, View};
use super::text_index::run_hashes;
use crate::namespace::PromptMessage;

/// What is looked for, and in which prompts.
pub(super) struct Asked<'a> {
    /// All of it as one text, which is mostly how it stands.
    pub(super) whole: Option<&'a Item>,
    /// Its parts, which all must stand.
    pub(super) parts: &'a [Item],
    pub(super) prompts: Range<u32>,
}

/// What is known of it in the prompt that was looked at last.
#[derive(Default)]
struct Found {
    /// Whether all of it stands there.
    stands: bool,
    /// The last prompt in which it stood before it was gone.
    last: Option<u32>,
}

/// What makes it worth to look for something again.
#[derive(Default)]
struct Watch {
    /// By messages that have a part.
    by_message: HashMap<usize, Vec<usize>>,
    /// By a run of letters of what is missing.
    by_run: HashMap<u64, Vec<usize>>,
    /// What is missing has no such run.
    always: Vec<usize>,
}

impl Watch {
    /// Waits for a part to come back, by the run that the fewest others wait for.
    fn wait(&mut self, at: usize, missing: &str) {
        let waiting = |run: &u64| self.by_run.get(run).map_or(0, Vec::len);
        match run_hashes(missing).min_by_key(waiting) {
            Some(run) => self.by_run.entry(run).or_default().push(at),
            None => self.always.push(at),
        }
    }

    /// What is to be looked for again.
    fn woken(&mut self, prompt: &Current) -> Vec<usize> {
        let gone = prompt.gone().iter();
        let gone = gone.filter_map(|message| self.by_message.remove(&place(message)));
        let mut woken: Vec<usize> = gone.flatten().collect();
        for message in prompt.fresh() {
            let runs = run_hashes(&message.content);
            woken.extend(runs.filter_map(|run| self.by_run.remove(&run)).flatten());
            woken.append(&mut self.always);
        }
        woken.sort_unstable();
        woken.dedup();
        woken
    }
}

impl Analysis {
    /// The last prompt of each range that has all of what is asked for.
    pub(super) fn last_seen(&self, asked: &[Asked<'_>], view: Option<&View>) -> Vec<Option<u32>> {
        let mut starts: Vec<usize> = (0..asked.len()).collect();
        starts.retain(|at| !asked[*at].prompts.is_empty());
        starts.sort_by_key(|at| asked[*at].prompts.start);
        let mut starts = starts.into_iter().peekable();
        let mut found: Vec<Found> = asked.iter().map(|_| Found::default()).collect();
        let mut watch = Watch::default();
        let mut prompt = Current::default();
        let mut end = 0;
        while let Some(first) = starts.peek().map(|at| asked[*at].prompts.start) {
            // What lies between the ranges is passed over.
            let mut n = first;
            while n < end.max(first + 1) {
                prompt.go_to_view(self, n, view);
                let mut to_do = watch.woken(&prompt);
                while let Some(at) = starts.next_if(|at| asked[*at].prompts.start <= n) {
                    end = end.max(asked[at].prompts.end);
                    to_do.push(at);
                }
                for at in to_do {
                    if asked[at].prompts.contains(&n) {
                        look(at, &asked[at], n, &prompt, &mut found[at], &mut watch);
                    }
                }
                n += 1;
            }
        }
        let last = |(asked, found): (&Asked<'_>, Found)| {
            let stood = asked.prompts.end.checked_sub(1).filter(|_| found.stands);
            stood.or(found.last)
        };
        asked.iter().zip(found).map(last).collect()
    }
}

/// Looks for something in prompt N, and notes when to look again.
fn look(
    at: usize,
    asked: &Asked<'_>,
    n: u32,
    prompt: &Current,
    found: &mut Found,
    watch: &mut Watch,
) {
    let stood = std::mem::take(&mut found.stands);
    let whole = asked.whole.and_then(|whole| prompt.find(whole));
    let messages = match whole {
        Some(message) => Ok(vec![message]),
        None => all(asked.parts, prompt),
    };
    match messages {
        Ok(messages) => {
            found.stands = true;
            let mut places: Vec<usize> = messages.into_iter().map(place).collect();
            places.sort_unstable();
            places.dedup();
            for place in places {
                watch.by_message.entry(place).or_default().push(at);
            }
        }
        Err(missing) => {
            if stood {
                found.last = Some(n - 1);
            }
            watch.wait(at, missing.text());
        }
    }
}

/// The messages that have all parts, or the first part that none has.
fn all<'a>(
    parts: &'a [Item],
    prompt: &'a Current,
) -> Result<Vec<&'a Arc<PromptMessage>>, &'a Item> {
    let mut messages = Vec::new();
    for part in parts {
        messages.push(prompt.find(part).ok_or(part)?);
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::PROFILES;
    use crate::compression::{Case, Run, strategy};
    use crate::tokens::Tokenizer;

    #[test]
    fn it_finds_what_a_look_into_every_prompt_finds() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/fixtures/step/fleet-watch.step.json"
        );
        let loaded = crate::load::open(path.as_ref(), None).expect("it loads");
        let run = Arc::new(Run::new(Arc::clone(&loaded.conversations[0])));
        let analysis = Analysis::new(run, Tokenizer::Estimate, PROFILES[0]);
        let turns = analysis.last_turn();
        let mut gone = 0;
        for name in ["", "uncompressed", "trim", "rolling-window", "head-tail"] {
            let view = strategy(name)
                .ok()
                .map(|found| View::Case(Case::new(found)));
            let parts: Vec<Vec<Item>> = (1..=turns)
                .map(|turn| {
                    let told = analysis.told(turn).lines().map(str::trim);
                    let told = told
                        .filter(|line| !line.is_empty())
                        .take(1 + turn as usize % 2);
                    told.map(|line| Item::Line(line.to_owned())).collect()
                })
                .collect();
            // Ranges that begin before what they look for, that end soon, and that lie apart.
            let ranges = (1..=turns).map(|turn| match turn % 3 {
                0 => turn.saturating_sub(5)..turn + 20,
                1 => turn + 1..turns + 1,
                _ => turn + 2..turn + 4,
            });
            let ranges = ranges.map(|range| range.start.max(1)..range.end.min(turns + 1));
            let asked: Vec<Asked<'_>> = parts
                .iter()
                .zip(ranges)
                .map(|(parts, prompts)| Asked {
                    whole: None,
                    parts,
                    prompts,
                })
                .collect();
            let has_all = |asked: &Asked<'_>, n: u32| {
                let mut prompt = Current::default();
                prompt.go_to_view(&analysis, n, view.as_ref());
                asked
                    .parts
                    .iter()
                    .all(|part| part.is_in_sent(prompt.sent()))
            };
            let last = |asked: &Asked<'_>| asked.prompts.clone().rev().find(|n| has_all(asked, *n));
            let expected: Vec<Option<u32>> = asked.iter().map(last).collect();
            assert_eq!(
                analysis.last_seen(&asked, view.as_ref()),
                expected,
                "{name}"
            );
            let ends = asked.iter().zip(&expected);
            gone += ends
                .filter(|(asked, last)| last.is_some_and(|n| n + 1 < asked.prompts.end))
                .count();
        }
        assert!(gone > 20, "{gone} things were there and gone again");
    }
}
