//! What records have again and again, and a reader keeps for the next one: texts, and maps with the same
//! keys.

use std::hash::BuildHasher as _;
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::value::{Map, Value};

/// Texts that come again and again: keys, and the kinds of things.
pub(super) struct Names {
    /// Each with whether it names an entry that is passed over.
    known: Vec<Option<(Arc<str>, bool)>>,
    hashing: RandomState,
}

impl Names {
    /// Places for them, a power of two.
    const PLACES: usize = 256;
    /// Places that are looked at for one of them.
    const TRIED: usize = 4;

    /// A text, the same one where it was there lately, and whether it is among those that are passed over.
    pub(super) fn shared(&mut self, text: &str, passed: &[&str]) -> (Arc<str>, bool) {
        #[allow(clippy::cast_possible_truncation)] // only its lowest bits count
        let first = self.hashing.hash_one(text) as usize % Self::PLACES;
        let mut place = first;
        for (at, known) in self.known.iter().enumerate().skip(first).take(Self::TRIED) {
            match known {
                Some(known) if *known.0 == *text => return known.clone(),
                Some(_) => {}
                None => {
                    place = at;
                    break;
                }
            }
        }
        let named = (text.into(), passed.contains(&text));
        self.known[place].insert(named).clone()
    }
}

impl Default for Names {
    fn default() -> Self {
        Self {
            known: vec![None; Self::PLACES + Self::TRIED],
            hashing: RandomState::default(),
        }
    }
}

/// Maps with the same keys in the same order: a copy of one with other values costs less than one that
/// is made of its entries.
#[derive(Default)]
pub(super) struct Shapes {
    known: Vec<Option<Map>>,
}

impl Shapes {
    /// Places for them, a power of two.
    const PLACES: usize = 512;
    /// Entries of the largest that is kept.
    const LARGEST: usize = 32;

    /// The map of entries whose keys are all texts.
    pub(super) fn map(&mut self, entries: std::vec::Drain<'_, (Value, Value)>) -> Map {
        let read = entries.as_slice();
        if read.len() > Self::LARGEST {
            return entries.collect();
        }
        // The same keys are the same texts as a rule, see `Names`.
        let address = |key: &Value| match key {
            Value::Str(text) => Arc::as_ptr(text).addr(),
            _ => 0,
        };
        let mixed = read.iter().fold(0, |mixed: usize, (key, _)| {
            (mixed.rotate_left(5) ^ address(key) >> 4).wrapping_mul(0x9e37_79b9)
        });
        self.known.resize(Self::PLACES, None);
        let place = &mut self.known[(mixed >> 8) % Self::PLACES];
        let is_of = |known: &&Map| {
            let mut both = known.keys().zip(read);
            known.len() == read.len()
                && both.all(|(known, (key, _))| address(known) == address(key))
        };
        if let Some(known) = place.as_ref().filter(is_of) {
            let mut map = known.clone();
            for (value, (_, read)) in map.values_mut().zip(entries) {
                *value = read;
            }
            return map;
        }
        let map: Map = entries.collect();
        let mut shape = map.clone();
        shape.values_mut().for_each(|value| *value = Value::Nil);
        *place = Some(shape);
        map
    }
}
