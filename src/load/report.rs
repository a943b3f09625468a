//! What a loader has to say besides what it loaded.

use std::collections::BTreeMap;

use crate::value::Value;
use crate::value::json::Plain;

/// Places of damage that are kept one by one; beyond, only the count grows.
const KEPT_DAMAGE: usize = 1000;

/// Kinds of unknown records that are told apart.
const KEPT_KINDS: usize = 200;

/// Notes that are kept.
const KEPT_NOTES: usize = 200;

/// A piece of a source that is no whole record, or a value that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The line it stands in or begins in, from 1.
    pub line: Option<u64>,
    /// What is wrong with it.
    pub what: String,
}

/// A record of a kind that nobody maps, as it stands in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unread {
    /// Its kind, as [`Report::unknown`] counts it.
    pub kind: String,
    /// The line it stands in, from 1.
    pub line: Option<u64>,
    /// Its JSON; of a long one the beginning.
    pub record: String,
}

/// Records of one kind that are kept as they are.
const KEPT_RECORDS: usize = 3;

/// Bytes of such a record that are kept while there is room for them, and of each when there is none.
const KEPT_BYTES: [usize; 2] = [64 * 1024, 4096];

/// Bytes of all such records from which on there is no room.
const ROOM: usize = 2 * 1024 * 1024;

/// A reply that may stand in another file too, as those of a session that was resumed or forked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// Made of the identifiers under which its writer knows it.
    pub key: u64,
    /// Its tokens, of prompt and reply; none where they are not recorded.
    pub tokens: Option<u64>,
    /// Its calls that failed.
    pub errors: usize,
}

/// What could not be read, and notes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Report {
    /// Pieces that are no whole record, a cut tail included; the first thousand.
    pub damage: Vec<Damage>,
    /// How many such pieces there are.
    pub damaged: usize,
    /// Whole records of a kind that nobody maps, by kind.
    pub unknown: BTreeMap<String, usize>,
    /// The first few of them of each kind.
    pub unread: Vec<Unread>,
    /// What else a reader should know, such as that a run has no end.
    pub notes: Vec<String>,
    /// The replies of the conversations that may stand in other files too, a turn each.
    pub replies: Vec<Reply>,
}

impl Report {
    /// Notes damage.
    pub fn damage(&mut self, line: Option<u64>, what: impl Into<String>) {
        self.damaged += 1;
        if self.damage.len() < KEPT_DAMAGE {
            self.damage.push(Damage {
                line,
                what: what.into(),
            });
        }
    }

    /// Counts a whole record of an unknown kind, and keeps it if it is one of the first.
    pub fn unknown_record(&mut self, kind: &str, record: &Value, line: Option<u64>) {
        let kind = self.unknown(kind);
        if !self.has_room(&kind) {
            return;
        }
        let mut record = serde_json::to_string(&Plain(record)).unwrap_or_default();
        let taken: usize = self.unread.iter().map(|unread| unread.record.len()).sum();
        let most = KEPT_BYTES[usize::from(taken > ROOM)];
        if record.len() > most {
            let end = (0..=most).rev().find(|at| record.is_char_boundary(*at));
            record.truncate(end.unwrap_or_default());
            record.push('…');
        }
        self.unread.push(Unread { kind, line, record });
    }

    /// Whether another record of a kind is kept.
    fn has_room(&self, kind: &str) -> bool {
        let kept = self.unread.iter().filter(|unread| unread.kind == kind);
        kept.count() < KEPT_RECORDS
    }

    /// Counts a whole record of an unknown kind; what it is counted as.
    pub fn unknown(&mut self, kind: &str) -> String {
        let known = self.unknown.len() < KEPT_KINDS || self.unknown.contains_key(kind);
        let kind = if known { kind } else { "other kinds" };
        let kind: String = kind.chars().take(80).collect();
        *self.unknown.entry(kind.clone()).or_default() += 1;
        kind
    }

    /// Whole records of a kind that nobody maps.
    pub fn skipped(&self) -> usize {
        self.unknown.values().sum()
    }

    /// Adds a note, once; there is an end to how many are kept.
    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.notes.len() > KEPT_NOTES || self.notes.contains(&note) {
            return;
        }
        let full = self.notes.len() == KEPT_NOTES;
        self.notes.push(if full {
            "there is more to note".to_owned()
        } else {
            note
        });
    }

    /// Adds what was said of another part of the same source.
    pub(super) fn append(&mut self, other: Self) {
        self.damaged += other.damaged;
        self.damage.extend(other.damage);
        self.damage.truncate(KEPT_DAMAGE);
        for (kind, count) in other.unknown {
            *self.unknown.entry(kind).or_default() += count;
        }
        for unread in other.unread {
            if self.has_room(&unread.kind) {
                self.unread.push(unread);
            }
        }
        for note in other.notes {
            self.note(note);
        }
    }

    /// Whether everything was read.
    pub fn is_clean(&self) -> bool {
        self.damaged == 0
    }

    /// The counts in a few words, for a header; nothing where all was read.
    pub fn summary(&self) -> Option<String> {
        let damaged = (self.damaged > 0).then(|| format!("{} damaged", self.damaged));
        let skipped = (self.skipped() > 0).then(|| format!("{} not understood", self.skipped()));
        let words: Vec<String> = damaged.into_iter().chain(skipped).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}
