//! What reading the file has to say, as rows of the list of what went wrong: damage in front, behind the
//! run's own problems records that nobody maps, as they stand in the file, and notes.

use super::problems::Found;
use crate::load::Report;

/// What stands around the problems of a run.
#[derive(Debug, Default)]
pub(super) struct ToldOfFile {
    before: Vec<Found>,
    behind: Vec<Found>,
}

impl ToldOfFile {
    /// The rows of a report.
    pub(super) fn new(report: &Report) -> Self {
        let mut before: Vec<Found> = report
            .damage
            .iter()
            .map(|damage| row(&format!("damaged{}", at(damage.line)), &damage.what))
            .collect();
        let more = report.damaged.saturating_sub(report.damage.len());
        if more > 0 {
            before.push(row("damaged", &format!("{more} more places")));
        }
        let unread = report.unread.iter().map(|unread| {
            let count = match report.unknown.get(&unread.kind) {
                Some(count) if *count > 1 => format!(", one of {count}"),
                _ => String::new(),
            };
            let place = at(unread.line);
            let what = format!("not understood{place}, {}{count}", unread.kind);
            row(&what, &unread.record)
        });
        let kept = |kind: &String| report.unread.iter().any(|unread| unread.kind == *kind);
        let counted = report.unknown.iter().filter(|(kind, _)| !kept(kind));
        let counted =
            counted.map(|(kind, count)| row("not understood", &format!("{kind}, {count} records")));
        let notes = report.notes.iter().map(|note| row("note", note));
        Self {
            before,
            behind: unread.chain(counted).chain(notes).collect(),
        }
    }

    /// The problems of the run with the rows around them.
    pub(super) fn around(&self, found: Vec<Found>) -> Vec<Found> {
        let (before, behind) = (self.before.iter().cloned(), self.behind.iter().cloned());
        before.chain(found).chain(behind).collect()
    }
}

fn row(what: &str, told: &str) -> Found {
    Found::apart(format!("{what}: {told}"))
}

fn at(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(", line {line}"))
}
