//! PTC-Lisp values: what programs compute, what memory holds, what tools take and give.
//!
//! This module holds the model alone. How a value is read and written as JSON is in [`transit`],
//! how it is printed for an LLM in [`clojure`], what it is called in a listing in [`mod@type_label`].

pub mod clojure;
mod code;
pub mod float;
pub mod json;
mod name;
mod order;
pub mod pretty;
pub mod transit;
pub mod type_label;

pub use clojure::{Limits, to_clojure};
pub use code::Code;
pub use type_label::type_label;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use num_bigint::BigInt;

/// How keys and members are hashed: fast, and each from a seed of its own, so that no trace can tell
/// which of its keys collide.
type Hashing = foldhash::fast::RandomState;

/// A map: any value may be a key, insertion order is kept, equality ignores the order.
pub type Map = IndexMap<Value, Value, Hashing>;

/// A set: insertion order is kept, equality ignores the order.
pub type Set = IndexSet<Value, Hashing>;

/// A PTC-Lisp value (requirements 2).
///
/// Cloning is cheap: everything larger than a number is shared. Equality is strict: `1` and `1.0`
/// differ, and so do `0.0` and `-0.0`; `NaN` equals itself, so that an unchanged definition is one.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// `nil`.
    #[default]
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// An integer that fits 64 bits. Larger ones are [`Value::BigInt`]; see [`Value::from_bigint`].
    Int(i64),
    /// An integer outside the range of [`Value::Int`].
    BigInt(Arc<BigInt>),
    /// A float, `NaN` and the infinities included.
    Float(f64),
    /// A string.
    Str(Arc<str>),
    /// Bytes that are no text.
    Bytes(Arc<[u8]>),
    /// A keyword, without its colon.
    Keyword(Arc<str>),
    /// A list or vector.
    List(Arc<Vec<Value>>),
    /// A tuple of the host language; it prints as a vector.
    Tuple(Arc<Vec<Value>>),
    /// A map.
    Map(Arc<Map>),
    /// A set.
    Set(Arc<Set>),
    /// A function that a program made.
    Fn(Arc<Function>),
    /// A builtin function, with its name where it is known.
    Builtin(Option<Arc<str>>),
    /// A reference to a definition, such as `#'total`.
    Var(Arc<str>),
    /// A date as ISO 8601 text, such as `2026-01-02`.
    Date(Arc<str>),
    /// An instant or a date with a time as ISO 8601 text.
    DateTime(Arc<str>),
    /// What a trace's writer left of a value that it cut.
    Cut(Arc<CutValue>),
}

/// What a trace's writer left of a value that was too large for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CutValue {
    /// The writer's own text, such as `List(120 items)`.
    pub note: Arc<str>,
    /// The type label that the value had, such as `list[120]`.
    pub label: Arc<str>,
}

impl CutValue {
    /// What is left of a cut value.
    pub fn new(note: impl Into<Arc<str>>, label: impl Into<Arc<str>>) -> Self {
        Self {
            note: note.into(),
            label: label.into(),
        }
    }
}

/// What is known of a function that a program made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Function {
    /// Parameter names; a destructured parameter reads `_`, a rest parameter follows `&`.
    pub params: Vec<Arc<str>>,
    /// The docstring as written.
    pub doc: Option<Arc<str>>,
    /// The type label of what its last call returned.
    pub returns: Option<Arc<str>>,
    /// Source text, where the trace has it.
    pub source: Option<Arc<str>>,
    /// What runs when it is called, where a program of this process made it.
    pub code: Code,
}

impl Function {
    /// A function with these parameters and nothing else known of it.
    pub fn new(params: Vec<Arc<str>>) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }
}

/// Characters of the longest integer that is read as one.
const MAX_DIGITS: usize = 10_000;

impl Value {
    /// A string value.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::Str(text.into())
    }

    /// A keyword value; `name` comes without its colon.
    pub fn keyword(name: impl Into<Arc<str>>) -> Self {
        Self::Keyword(name.into())
    }

    /// A list value.
    pub fn list(items: Vec<Value>) -> Self {
        Self::List(Arc::new(items))
    }

    /// A map value.
    pub fn map(entries: Map) -> Self {
        Self::Map(Arc::new(entries))
    }

    /// An integer from its digits, perhaps behind a minus. One of more than 10,000 digits is no number
    /// here: reading and printing it would take a time that grows with their square.
    pub(crate) fn from_digits(text: &str) -> Option<Self> {
        if let Ok(number) = text.parse::<i64>() {
            return Some(Self::Int(number));
        }
        if text.len() > MAX_DIGITS {
            return None;
        }
        text.parse::<BigInt>().ok().map(Self::from_bigint)
    }

    /// An integer in its one representation: 64 bits where it fits.
    pub fn from_bigint(number: BigInt) -> Self {
        i64::try_from(&number).map_or_else(|_| Self::BigInt(Arc::new(number)), Self::Int)
    }

    /// The text of a string, and of nothing else.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a string or the name of a keyword.
    pub fn as_name(&self) -> Option<&str> {
        match self {
            Self::Str(text) | Self::Keyword(text) => Some(text),
            _ => None,
        }
    }

    /// The map inside, if this is one.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items of a list, and of nothing else.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// A 64-bit integer.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// A count: a non-negative integer. Negative and fractional numbers are none (`formats/README.md`:
    /// they read "not recorded").
    pub fn as_count(&self) -> Option<u64> {
        self.as_i64().and_then(|number| u64::try_from(number).ok())
    }

    /// A truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    /// Whether this is `nil`.
    pub fn is_nil(&self) -> bool {
        matches!(self, Self::Nil)
    }

    /// The entry of a map under a name, be the key a keyword or a string (the keyword first).
    pub fn get(&self, name: &str) -> Option<&Value> {
        name::find(self.as_map()?, name)
    }

    /// As [`Value::get`], with `nil` counting as absent.
    pub fn get_some(&self, name: &str) -> Option<&Value> {
        self.get(name).filter(|value| !value.is_nil())
    }

    /// Whether this is a function that a program made (requirements 5: they come first in `user/`).
    pub fn is_function(&self) -> bool {
        matches!(self, Self::Fn(_))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::string(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nil, Self::Nil) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::BigInt(a), Self::BigInt(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => {
                a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
            }
            (Self::Str(a), Self::Str(b))
            | (Self::Keyword(a), Self::Keyword(b))
            | (Self::Var(a), Self::Var(b))
            | (Self::Date(a), Self::Date(b))
            | (Self::DateTime(a), Self::DateTime(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::List(a), Self::List(b)) | (Self::Tuple(a), Self::Tuple(b)) => {
                Arc::ptr_eq(a, b) || a == b
            }
            (Self::Map(a), Self::Map(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Set(a), Self::Set(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Fn(a), Self::Fn(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Builtin(a), Self::Builtin(b)) => a == b,
            (Self::Cut(a), Self::Cut(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

/// Which kind of value it is, as far as its hash is concerned.
#[derive(Clone, Copy, Hash)]
enum Kind {
    Nil,
    Bool,
    Int,
    BigInt,
    Float,
    /// A string or a keyword.
    Name,
    Bytes,
    List,
    Tuple,
    Map,
    Set,
    Fn,
    Builtin,
    Var,
    Date,
    DateTime,
    Cut,
}

impl Value {
    fn kind(&self) -> Kind {
        match self {
            Self::Nil => Kind::Nil,
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) => Kind::Int,
            Self::BigInt(_) => Kind::BigInt,
            Self::Float(_) => Kind::Float,
            Self::Str(_) | Self::Keyword(_) => Kind::Name,
            Self::Bytes(_) => Kind::Bytes,
            Self::List(_) => Kind::List,
            Self::Tuple(_) => Kind::Tuple,
            Self::Map(_) => Kind::Map,
            Self::Set(_) => Kind::Set,
            Self::Fn(_) => Kind::Fn,
            Self::Builtin(_) => Kind::Builtin,
            Self::Var(_) => Kind::Var,
            Self::Date(_) => Kind::Date,
            Self::DateTime(_) => Kind::DateTime,
            Self::Cut(_) => Kind::Cut,
        }
    }
}

/// A hash of some things in whatever order.
fn unordered(things: impl Iterator<Item = impl Hash>) -> u64 {
    let hash = |thing| {
        let mut hasher = DefaultHasher::new();
        Hash::hash(&thing, &mut hasher);
        hasher.finish()
    };
    things.map(hash).fold(0, u64::wrapping_add)
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind().hash(state);
        match self {
            Self::Nil => {}
            Self::Bool(flag) => flag.hash(state),
            Self::Int(number) => number.hash(state),
            Self::BigInt(number) => number.hash(state),
            Self::Float(number) if number.is_nan() => f64::NAN.to_bits().hash(state),
            Self::Float(number) => number.to_bits().hash(state),
            Self::Str(text)
            | Self::Keyword(text)
            | Self::Var(text)
            | Self::Date(text)
            | Self::DateTime(text) => text.hash(state),
            Self::Bytes(bytes) => bytes.hash(state),
            Self::List(items) | Self::Tuple(items) => items.hash(state),
            // Equality ignores the order of maps and sets, so their hash may not depend on it.
            Self::Map(entries) => unordered(entries.iter()).hash(state),
            Self::Set(items) => unordered(items.iter()).hash(state),
            Self::Fn(function) => function.hash(state),
            Self::Builtin(name) => name.hash(state),
            Self::Cut(left) => left.hash(state),
        }
    }
}
