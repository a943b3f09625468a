//! The shelf of a large file of records: which records each turn was made of, and making the turn
//! again of them when somebody looks at it (performance G2, G3).

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::bytes::Span;
use super::light::{self, Manner, Room};
use super::records::{self, Place};
use super::{Source, bytes};
use crate::step::{Field, Shelf, TurnParts};
use crate::value::Value;

/// Makes a turn of its records, which come with their lines.
pub(super) type Again = fn(&[(u64, Value)], Middle) -> Option<TurnParts>;

/// What the records of a turn don't tell: what was before them, and what of them is another turn's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Middle {
    /// How many turns there were.
    pub turns: usize,
    /// Whether the mission was given.
    pub has_mission: bool,
    /// Of records that went into several turns and hold results: which of those, from 0, belong to this
    /// one, by the record's place among the turn's.
    pub results: HashMap<usize, Vec<usize>>,
}

/// A large file whose records are read again.
pub(super) struct Reread {
    /// Kept open, so that a file put in its place doesn't matter; and what reading a record needs.
    file: Mutex<(File, Room)>,
    is_record: fn(&Value) -> bool,
}

/// All of a record.
const WHOLE: Manner = Manner::WHOLE;

/// Bytes of records that stand close to each other and are read together.
const TOGETHER: u64 = 1 << 20;

/// A large file whose turns are shelved.
pub(super) struct Shelves {
    records: Reread,
    again: Again,
}

impl Shelves {
    /// Of a source; none where it is small enough to be held.
    pub(super) fn of(
        source: &Source,
        is_record: fn(&Value) -> bool,
        again: Again,
    ) -> Option<Arc<Self>> {
        let records = Reread::of(source, is_record)?;
        Some(Arc::new(Self { records, again }))
    }
}

impl Reread {
    /// Of a source; none where it is small enough to be held.
    pub(super) fn of(source: &Source, is_record: fn(&Value) -> bool) -> Option<Self> {
        let file = Mutex::new((source.large_file()?, Room::default()));
        Some(Self { file, is_record })
    }

    /// The records at some places, as far as they can still be read.
    pub(super) fn read(&self, places: impl Iterator<Item = Place>) -> Vec<(u64, Value)> {
        let mut held = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, room) = &mut *held;
        let places: Vec<Place> = places.collect();
        let ends = |place: &Place| place.span.at + place.span.length;
        let from = places.iter().map(|place| place.span.at).min().unwrap_or(0);
        let to = places.iter().map(ends).max().unwrap_or(0);
        // Most turns stand in one piece.
        let all = Span {
            line: 0,
            at: from,
            length: to - from,
        };
        let together = (places.len() > 1 && all.length <= TOGETHER)
            .then(|| bytes::line_at(file, all).ok())
            .flatten();
        let mut records = Vec::new();
        for Place { span, nth } in places {
            let inside = together.as_ref().and_then(|text| {
                let begin = usize::try_from(span.at - from).ok()?;
                text.get(begin..begin + usize::try_from(span.length).ok()?)
            });
            let record = match inside {
                Some(line) => self.record(line, nth, room),
                None => match bytes::line_at(file, span) {
                    Ok(line) => self.record(&line, nth, room),
                    Err(_) => None,
                },
            };
            records.extend(record.map(|record| (span.line, record)));
        }
        records
    }

    /// The record at a place of a line.
    fn record(&self, line: &[u8], nth: usize, room: &mut Room) -> Option<Value> {
        let mut own = Room::default();
        // What a long one needs is not kept.
        let is_long = line.len() as u64 > TOGETHER;
        let room = if is_long { &mut own } else { room };
        let sound = light::read(line.trim_ascii(), WHOLE, room).filter(|_| nth == 0);
        let sound = sound.map(|sound| sound.value);
        sound.or_else(|| records::nth(line, nth, self.is_record))
    }
}

impl fmt::Debug for Shelves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelves").finish_non_exhaustive()
    }
}

/// Which records the turns of a conversation are made of, while it is put together.
#[derive(Debug)]
pub(super) struct Shelving {
    shelves: Arc<Shelves>,
    /// Where the records stand that went into turns.
    places: Vec<Place>,
    /// The record that is being read, once it is among the places.
    now: Option<u32>,
    /// Where the record stands that is being read.
    at: Option<Place>,
    turns: Vec<Vec<u32>>,
    /// Records of what waits for the next turn.
    waiting: Vec<u32>,
    mission: Option<u32>,
    /// Results that answer no call: the record, and which of its results each is, from 0.
    unmatched: Vec<(Option<u32>, usize)>,
    /// The turns that the results of the record that is being read went to, and which result each is.
    given: Vec<(usize, usize)>,
    /// A turn that the record goes into, and whether there is another.
    into: Option<(usize, bool)>,
    shared: Shared,
}

/// Records whose results went to several turns: the turns, and which of the record's results each got.
type Shared = HashMap<u32, Vec<(usize, usize)>>;

impl Shelving {
    pub(super) fn new(shelves: Arc<Shelves>) -> Self {
        Self {
            shelves,
            places: Vec::new(),
            now: None,
            at: None,
            turns: Vec::new(),
            waiting: Vec::new(),
            mission: None,
            unmatched: Vec::new(),
            given: Vec::new(),
            into: None,
            shared: HashMap::new(),
        }
    }

    /// From here on the record at this place is read.
    pub(super) fn reads(&mut self, place: Place) {
        self.ends();
        self.at = Some(place);
    }

    /// Everything is read.
    pub(super) fn ends(&mut self) {
        let given = std::mem::take(&mut self.given);
        let into = self.into.take();
        let is_shared = into.is_some_and(|(_, is_shared)| is_shared) && !given.is_empty();
        if let Some(record) = self.now.filter(|_| is_shared) {
            self.shared.insert(record, given);
        }
        (self.now, self.at) = (None, None);
    }

    /// The record's result at this place, from 0, answers a call of a turn.
    pub(super) fn answers(&mut self, nth: usize, turn: usize) {
        self.given.push((turn, nth));
    }

    /// The record that is being read, if any is.
    pub(super) fn record(&mut self) -> Option<u32> {
        let (at, next) = (self.at?, u32::try_from(self.places.len()).ok()?);
        Some(*self.now.get_or_insert_with(|| {
            self.places.push(at);
            next
        }))
    }

    /// The record goes into a turn.
    pub(super) fn goes_into(&mut self, turn: usize) {
        let Some(record) = self.record() else { return };
        if self.turns.len() <= turn {
            self.turns.resize_with(turn + 1, Vec::new);
        }
        let (first, is_shared) = self.into.get_or_insert((turn, false));
        *is_shared |= *first != turn;
        if self.turns[turn].last() != Some(&record) {
            self.turns[turn].push(record);
        }
    }

    /// The record waits for the next turn.
    pub(super) fn waits(&mut self, is_mission: bool) {
        let Some(record) = self.record() else { return };
        if is_mission {
            self.mission = Some(record);
        }
        if self.waiting.last() != Some(&record) {
            self.waiting.push(record);
        }
    }

    /// A turn begins with what waited.
    pub(super) fn begins(&mut self, turn: usize) {
        let waiting = std::mem::take(&mut self.waiting);
        self.turns.resize_with(turn, Vec::new);
        self.turns.push(waiting);
    }

    /// A record's result at this place, from 0, answers no call.
    pub(super) fn answers_none(&mut self, record: Option<u32>, nth: usize) {
        self.unmatched.push((record, nth));
    }

    /// A result that answered no call, by its place among those, belongs to a turn after all.
    pub(super) fn settles(&mut self, nth: usize, turn: usize) {
        let record = self.unmatched.get(nth).and_then(|(record, _)| *record);
        if let (Some(record), Some(records)) = (record, self.turns.get_mut(turn)) {
            records.push(record);
        }
    }

    /// Turns are made again in another way.
    pub(super) fn changes(&mut self, shelves: &Arc<Shelves>) {
        self.shelves = Arc::clone(shelves);
    }

    /// The results that answer no call: their records, read again one after the other, and which of
    /// the results in them each is.
    pub(super) fn unmatched(&self) -> impl Iterator<Item = (Option<(u64, Value)>, usize)> {
        self.unmatched.iter().map(|(record, nth)| {
            let place = record.map(|at| self.places[at as usize]);
            (self.shelves.records.read(place.into_iter()).pop(), *nth)
        })
    }

    pub(super) fn finish(mut self) -> Arc<dyn Shelf> {
        self.ends();
        let turns = self.turns.into_iter().map(Vec::into_boxed_slice);
        Arc::new(Records {
            turns: turns.collect(),
            shelves: self.shelves,
            places: self.places,
            mission: self.mission,
            shared: self.shared,
        })
    }
}

/// Stands for a text that is read again, where it must be known that there is one.
pub(super) fn some_text() -> Arc<str> {
    static SOME_TEXT: LazyLock<Arc<str>> = LazyLock::new(|| "...".into());
    Arc::clone(&SOME_TEXT)
}

/// Stands where a turn was.
const CHANGED: &str = "[the file was changed while it was open: this turn can't be read again]";

/// What stands for a turn that can't be read again.
pub(super) fn changed() -> TurnParts {
    TurnParts {
        raw_response: Field::Cut(CHANGED.into()),
        ..TurnParts::default()
    }
}

/// The shelf of a conversation.
#[derive(Debug)]
struct Records {
    shelves: Arc<Shelves>,
    places: Vec<Place>,
    turns: Vec<Box<[u32]>>,
    mission: Option<u32>,
    shared: Shared,
}

impl Records {
    fn places(&self, index: usize) -> impl Iterator<Item = Place> {
        let records = self.turns.get(index).map(|records| &**records);
        let records = records.unwrap_or_default().iter();
        records.map(|at| self.places[*at as usize])
    }

    /// Which results of the records of a turn are its own, where others are not.
    fn results(&self, index: usize) -> HashMap<usize, Vec<usize>> {
        let records = self.turns.get(index).into_iter().flatten().enumerate();
        let own = |given: &Vec<(usize, usize)>| {
            let own = given.iter().filter(|(turn, _)| *turn == index);
            own.map(|(_, nth)| *nth).collect()
        };
        records
            .filter_map(|(at, record)| Some((at, own(self.shared.get(record)?))))
            .collect()
    }
}

impl Shelf for Records {
    fn fetch(&self, index: usize) -> TurnParts {
        let records = self.shelves.records.read(self.places(index));
        let of_turn = self.turns.get(index);
        let holds_mission = of_turn
            .zip(self.mission)
            .is_some_and(|(records, mission)| records.contains(&mission));
        let middle = Middle {
            turns: index,
            has_mission: !holds_mission,
            results: self.results(index),
        };
        (self.shelves.again)(&records, middle).unwrap_or_else(changed)
    }

    fn size(&self, index: usize) -> u64 {
        self.places(index).map(|place| place.span.length).sum()
    }
}
