//! Turns of a large log, which are made again of their events, and of the run's end, when somebody looks
//! at them (performance G3).

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::records::Place;
use super::super::shelf::{self, Reread};
use super::super::{Report, Source};
use super::event::{Event, Texts, Version};
use super::fold::{RunEvents, TurnEvents};
use super::is_event;
use super::turns::{Links, Maker};
use crate::step::{Shelf, Turn, TurnParts};
use crate::value::Value;

/// A large log, whose records are read again.
pub(super) struct LargeLog {
    records: Reread,
    version: Version,
    /// What the end of the run says that was looked at last.
    last: Mutex<Option<(Place, Value)>>,
}

impl LargeLog {
    /// Of a source; none where it is small enough to be held.
    pub(super) fn of(source: &Source, version: Version) -> Option<Arc<Self>> {
        let records = Reread::of(source, is_event)?;
        Some(Arc::new(Self {
            records,
            version,
            last: Mutex::default(),
        }))
    }

    /// The events at some places; none where one of them is no longer there.
    fn events(&self, places: impl ExactSizeIterator<Item = Place>) -> Option<Vec<Event>> {
        let count = places.len();
        let mut texts = Texts::default();
        let records = self.records.read(places).into_iter();
        let event = |(line, record)| Event::new(line, &record, self.version, &mut texts).ok();
        let events: Option<Vec<Event>> = records.map(event).collect();
        events.filter(|events| events.len() == count)
    }

    /// What the end of a run says.
    pub(super) fn stop(&self, place: Place) -> Option<Value> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, data)) = &*last
            && *known == place
        {
            return Some(data.clone());
        }
        let data = self.events(std::iter::once(place))?.pop()?.data;
        *last = Some((place, data.clone()));
        Some(data)
    }

    /// Forgets what was looked at last.
    pub(super) fn forget(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What the events of a turn tell; none where one of them is no longer there.
    fn told(&self, places: &[(Place, Option<usize>)]) -> Option<TurnEvents> {
        let mut told = TurnEvents::default();
        let events = self.events(places.iter().map(|(place, _)| *place))?;
        for ((_, call), event) in places.iter().zip(events) {
            match call {
                Some(call) => told.tell_call(*call, &event, self.version),
                None => told.tell(&event),
            }
        }
        Some(told)
    }

    /// A turn with all that its events tell, where that was not read yet. What is known without them
    /// stays.
    pub(super) fn filled(&self, known: &TurnEvents) -> Option<TurnEvents> {
        if known.is_filled {
            return None;
        }
        let mut told = self.told(&known.places)?;
        // Calls of which only files of runs that they started tell.
        let more = known.calls.iter().skip(told.calls.len());
        told.calls.extend(more.cloned());
        Some(TurnEvents {
            number: known.number,
            line: known.line,
            kind: known.kind.clone(),
            started_at: known.started_at.clone(),
            duration_ms: known.duration_ms,
            usage: known.usage,
            child_traces: known.child_traces.clone(),
            places: known.places.clone(),
            is_filled: true,
            ..told
        })
    }

    /// Whether the log has all that is known of a turn: not where only files of runs that it started
    /// tell of a call.
    pub(super) fn tells_all_of(known: &TurnEvents) -> bool {
        let calls = known.places.iter().filter_map(|(_, call)| *call).max();
        known.calls.len() <= calls.map_or(0, |at| at + 1)
    }

    /// Shelves a turn of events, and of a record at the end of its run. One that more is known of stays
    /// whole.
    pub(super) fn shelve(
        self: &Arc<Self>,
        turn: Turn,
        events: Option<&TurnEvents>,
        recorded: Option<(Place, usize)>,
    ) -> Turn {
        let places = events.map_or(&[][..], |events| &events.places);
        let is_told = events.is_none_or(Self::tells_all_of);
        if !is_told || places.is_empty() && recorded.is_none() {
            return turn;
        }
        let own = OfTurn {
            log: Arc::clone(self),
            has_events: events.is_some(),
            places: places.into(),
            recorded,
        };
        turn.shelve(Arc::new(own), 0)
    }
}

/// The shelf of one turn.
struct OfTurn {
    log: Arc<LargeLog>,
    has_events: bool,
    places: Box<[(Place, Option<usize>)]>,
    /// The end of its run, and its place among the turns recorded there.
    recorded: Option<(Place, usize)>,
}

impl OfTurn {
    fn read(&self) -> Option<TurnParts> {
        let told = self.log.told(&self.places)?;
        let mut maker = Maker {
            run: &RunEvents::default(),
            links: &Links::new(),
            version: self.log.version,
            texts: &mut Texts::default(),
            large: None,
            report: &mut Report::default(),
        };
        let Some((place, index)) = self.recorded else {
            return Some(maker.of_events(0, &told));
        };
        let data = self.log.stop(place)?;
        let record = data.get("step")?.get("turns")?.as_list()?.get(index)?;
        let told = self.has_events.then_some((0, &told));
        Some(maker.of_record(record, told, None))
    }
}

impl fmt::Debug for OfTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfTurn").finish_non_exhaustive()
    }
}

impl Shelf for OfTurn {
    fn fetch(&self, _: usize) -> TurnParts {
        self.read().unwrap_or_else(shelf::changed)
    }

    fn size(&self, _: usize) -> u64 {
        let places = self.places.iter();
        places.map(|(place, _)| place.span.length).sum()
    }
}
