//! The keys of the object that a text begins with, which tell its format.

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Keys that are looked at; no format has more.
const PROBED_KEYS: usize = 200;

/// The keys of the object a text begins with, read up to its end or to the first thing wrong, and whether
/// nothing was.
pub(super) fn of(text: &[u8]) -> (Vec<String>, bool) {
    let mut keys = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(text);
    reader.disable_recursion_limit();
    // An error ends the reading; the keys before it count.
    let is_whole = reader.deserialize_any(Keys(&mut keys)).is_ok();
    (keys, is_whole)
}

struct Keys<'a>(&'a mut Vec<String>);

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(key) = entries.next_key::<String>()? {
            if self.0.len() < PROBED_KEYS {
                self.0.push(key);
            }
            entries.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Ok(())
    }
}
