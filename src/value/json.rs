//! JSON read straight into [`Value`], and values written as plain JSON.
//!
//! Numbers stay exact, whatever their size. Nesting is bounded: what lies deeper than
//! [`MAX_DEPTH`] is replaced by a note and counted, so that no trace can exhaust the stack.
//! Step files are read by [`super::transit`], which adds the Transit conventions to this reader.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{Limits, Map, Value, clojure::to_clojure, transit};

/// Levels of nesting that are read. `formats/faults.md` 22: 200 must be shown.
pub const MAX_DEPTH: usize = 256;

/// Stands where a value was nested too deep to be read.
pub const TOO_DEEP: &str = "[nested too deep: not read]";

/// The key under which serde_json hands over a number's text with `arbitrary_precision`. A trace may
/// have such a key of its own; only a number's text comes as a `String`.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// How a bare `NaN`, which JSON has no form for and Python writes, is put into a text for [`parse`]:
/// a number that nobody writes.
pub(crate) const NAN: &str = "0.0e-2147483648";

/// How a bare `Infinity` is put into a text for [`parse`]: a number too large for a float.
pub(crate) const INFINITY: &str = "1e2147483647";

/// How JSON is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Strings are strings.
    Plain,
    /// The Transit conventions of step files (requirements 2).
    Transit,
}

/// A value and how many parts of it were nested too deep to be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Parsed {
    /// The value.
    pub value: Value,
    /// Parts replaced by [`TOO_DEEP`].
    pub too_deep: usize,
}

/// Reads one JSON document as plain JSON.
///
/// # Errors
/// The syntax error of serde_json, with line and column.
pub fn parse(text: &[u8]) -> Result<Parsed, serde_json::Error> {
    parse_as(text, Dialect::Plain)
}

/// Reads one JSON document as plain JSON, without the values under some keys: long lists of numbers
/// or copies of what stands elsewhere.
///
/// # Errors
/// As [`parse`].
pub(crate) fn parse_without(
    text: &[u8],
    skipped: &'static [&'static str],
) -> Result<Parsed, serde_json::Error> {
    read(text, Dialect::Plain, skipped)
}

pub(super) fn parse_as(text: &[u8], dialect: Dialect) -> Result<Parsed, serde_json::Error> {
    read(text, dialect, &[])
}

fn read(
    text: &[u8],
    dialect: Dialect,
    skipped: &'static [&'static str],
) -> Result<Parsed, serde_json::Error> {
    let too_deep = Cell::new(0);
    let number_text = Cell::new(false);
    let mut reader = serde_json::Deserializer::from_slice(text);
    // Depth is bounded by the seed below; deeper parts are skipped without recursion.
    reader.disable_recursion_limit();
    let value = Seed {
        dialect,
        skipped,
        depth: 0,
        too_deep: &too_deep,
        number_text: &number_text,
    }
    .deserialize(&mut reader)?;
    reader.end()?;
    Ok(Parsed {
        value,
        too_deep: too_deep.get(),
    })
}

/// An integer or a float from the text of a JSON number; none of what is too long for that, whose text
/// is shown.
pub(crate) fn number(text: &str) -> Option<Value> {
    if text.contains(['.', 'e', 'E']) {
        if text == NAN {
            return Some(Value::Float(f64::NAN));
        }
        return text.parse().ok().map(Value::Float);
    }
    Value::from_digits(text)
}

#[derive(Clone, Copy)]
struct Seed<'a> {
    dialect: Dialect,
    /// Keys whose values are not read.
    skipped: &'static [&'static str],
    depth: usize,
    too_deep: &'a Cell<usize>,
    /// Whether the value read last was a number's text.
    number_text: &'a Cell<bool>,
}

impl Seed<'_> {
    fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    fn note_depth(self) -> Value {
        self.too_deep.set(self.too_deep.get() + 1);
        Value::string(TOO_DEEP)
    }

    fn string(self, text: &str) -> Value {
        match self.dialect {
            Dialect::Plain => Value::string(text),
            Dialect::Transit => transit::decode_string(text),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Int(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::from_bigint(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(self.string(text))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        self.number_text.set(true);
        Ok(number(&text).unwrap_or_else(|| Value::string(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        if self.depth >= MAX_DEPTH {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(self.note_depth());
        }
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.deeper())? {
            list.push(item);
        }
        Ok(Value::list(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let Some(first) = entries.next_key_seed(KeySeed(self))? else {
            return Ok(Value::map(Map::default()));
        };
        // A number is looked for one level further down: the deepest container may hold some.
        if matches!(first, Key::Number) && self.depth <= MAX_DEPTH {
            self.number_text.set(false);
            let value = entries.next_value_seed(self.deeper())?;
            if self.number_text.replace(false) {
                return Ok(value);
            }
            return self.map(first, value, entries);
        }
        if self.depth >= MAX_DEPTH {
            entries.next_value::<IgnoredAny>()?;
            while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(self.note_depth());
        }
        let value = self.value_under(&first, &mut entries)?;
        self.map(first, value, entries)
    }
}

impl Seed<'_> {
    /// The value of an entry; `nil` where it is not read.
    fn value_under<'de, A: MapAccess<'de>>(
        self,
        key: &Key,
        entries: &mut A,
    ) -> Result<Value, A::Error> {
        match key {
            Key::Other(Value::Str(name)) if self.skipped.contains(&&**name) => {
                entries.next_value::<IgnoredAny>()?;
                Ok(Value::Nil)
            }
            _ => entries.next_value_seed(self.deeper()),
        }
    }

    /// The map, or the value that it stands for, that begins with an entry and goes on.
    fn map<'de, A: MapAccess<'de>>(
        self,
        first: Key,
        value: Value,
        mut entries: A,
    ) -> Result<Value, A::Error> {
        let tag = match &first {
            Key::Tag(tag) => Some(Arc::clone(tag)),
            _ => None,
        };
        let mut map = Map::default();
        map.insert(first.into_value(), value);
        while let Some(key) = entries.next_key_seed(KeySeed(self))? {
            let value = self.value_under(&key, &mut entries)?;
            map.insert(key.into_value(), value);
        }
        match tag {
            Some(tag) if map.len() == 1 => Ok(transit::decode_tagged(&tag, map)),
            _ => Ok(Value::map(map)),
        }
    }
}

/// The key of a map's entry.
enum Key {
    /// The key under which serde_json hands over a number.
    Number,
    /// A tag of the Transit conventions, with its `~#`.
    Tag(Arc<str>),
    /// Any other.
    Other(Value),
}

impl Key {
    fn into_value(self) -> Value {
        match self {
            Self::Number => Value::string(NUMBER_KEY),
            Self::Tag(tag) => Value::Str(tag),
            Self::Other(key) => key,
        }
    }
}

/// Reads a key without a copy in between: step files are keys for the most part.
struct KeySeed<'a>(Seed<'a>);

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, text: &str) -> Result<Key, E> {
        Ok(match self.0.dialect {
            _ if text == NUMBER_KEY => Key::Number,
            Dialect::Transit if text.starts_with("~#") => Key::Tag(text.into()),
            _ => Key::Other(self.0.string(text)),
        })
    }
}

/// A value as plain JSON for readers that know no PTC-Lisp: keywords and dates become strings, sets
/// and tuples arrays, functions their printed form, numbers JSON has no form for strings.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs)] // a wrapper
pub struct Plain<'a>(pub &'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Nil => serializer.serialize_unit(),
            Value::Bool(flag) => serializer.serialize_bool(*flag),
            Value::Int(number) => serializer.serialize_i64(*number),
            Value::BigInt(number) => exact(&number.to_string()).serialize(serializer),
            Value::Float(number) if number.is_finite() => serializer.serialize_f64(*number),
            Value::Str(text) | Value::Keyword(text) | Value::Date(text) | Value::DateTime(text) => {
                serializer.serialize_str(text)
            }
            Value::List(items) | Value::Tuple(items) => sequence(serializer, items.iter()),
            Value::Set(items) => sequence(serializer, items.iter()),
            Value::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries.iter() {
                    map.serialize_entry(&*plain_key(key), &Plain(value))?;
                }
                map.end()
            }
            other => serializer.serialize_str(&to_clojure(other, Limits::ALL).0),
        }
    }
}

/// The name of a map key in plain JSON.
fn plain_key(key: &Value) -> Arc<str> {
    match key {
        Value::Str(text) | Value::Keyword(text) => Arc::clone(text),
        other => to_clojure(other, Limits::ALL).0.into(),
    }
}

/// A JSON number from decimal digits, which always is one.
pub(super) fn exact(digits: &str) -> Option<serde_json::Number> {
    digits.parse().ok()
}

fn sequence<'a, S: Serializer>(
    serializer: S,
    items: impl ExactSizeIterator<Item = &'a Value>,
) -> Result<S::Ok, S::Error> {
    let mut seq = serializer.serialize_seq(Some(items.len()))?;
    for item in items {
        seq.serialize_element(&Plain(item))?;
    }
    seq.end()
}
