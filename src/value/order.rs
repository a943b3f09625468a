//! The order of map keys in print (requirements 4): numbers, then keywords with `nil` and booleans
//! by name, then functions and the like, maps (sets and dates with them), lists, strings by bytes.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::Value;

impl Value {
    /// Compares two values as keys of a printed map. Values that tie keep their recorded order.
    pub fn compare(&self, other: &Self) -> Ordering {
        rank(self)
            .cmp(&rank(other))
            .then_with(|| within(self, other))
    }
}

/// Which group a value sorts into, and which kind of it.
fn rank(value: &Value) -> (u8, u8) {
    match value {
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => (0, 0),
        Value::Nil | Value::Bool(_) | Value::Keyword(_) => (1, 0),
        Value::Fn(_) | Value::Builtin(_) => (2, 0),
        Value::Var(_) => (2, 1),
        Value::Tuple(_) => (2, 2),
        Value::Map(_) => (3, 0),
        Value::Set(_) => (3, 1),
        Value::Date(_) | Value::DateTime(_) => (3, 2),
        Value::List(_) => (4, 0),
        Value::Str(_) | Value::Bytes(_) | Value::Cut(_) => (5, 0),
    }
}

/// The name under which `nil`, booleans and keywords sort.
fn name(value: &Value) -> &str {
    match value {
        Value::Nil => "nil",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Keyword(name) | Value::Var(name) => name,
        Value::Date(text) | Value::DateTime(text) => text,
        _ => "",
    }
}

fn within(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Int(_) | Value::BigInt(_) | Value::Float(_), _) => numbers(a, b),
        (Value::Map(a), Value::Map(b)) => a.len().cmp(&b.len()).then_with(|| {
            let (a, b) = (sorted(a), sorted(b));
            let keys = sequence(a.iter().map(|e| e.0), b.iter().map(|e| e.0));
            keys.then_with(|| sequence(a.iter().map(|e| e.1), b.iter().map(|e| e.1)))
        }),
        (Value::List(a), Value::List(b)) => sequence(a.iter(), b.iter()),
        (Value::Tuple(a), Value::Tuple(b)) => a
            .len()
            .cmp(&b.len())
            .then_with(|| sequence(a.iter(), b.iter())),
        (Value::Set(a), Value::Set(b)) => a
            .len()
            .cmp(&b.len())
            .then_with(|| sequence(a.iter(), b.iter())),
        (Value::Str(_) | Value::Bytes(_) | Value::Cut(_), _) => bytes(a).cmp(bytes(b)),
        _ => name(a).cmp(name(b)),
    }
}

fn sorted(map: &super::Map) -> Vec<(&Value, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by(|a, b| a.0.compare(b.0));
    entries
}

fn sequence<'a>(
    mut a: impl Iterator<Item = &'a Value>,
    mut b: impl Iterator<Item = &'a Value>,
) -> Ordering {
    loop {
        match (a.next(), b.next()) {
            (Some(x), Some(y)) => match x.compare(y) {
                Ordering::Equal => {}
                unequal => return unequal,
            },
            (Some(_), None) => return Ordering::Greater,
            (None, Some(_)) => return Ordering::Less,
            (None, None) => return Ordering::Equal,
        }
    }
}

fn bytes(value: &Value) -> &[u8] {
    match value {
        Value::Str(text) => text.as_bytes(),
        Value::Bytes(bytes) => bytes,
        Value::Cut(left) => left.note.as_bytes(),
        _ => &[],
    }
}

/// Compares numbers of any two kinds by value; `NaN` and the infinities come last.
fn numbers(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        // The two zeros are equal, as each is to the integer.
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).unwrap_or_else(|| a.total_cmp(b)),
        (Value::Float(a), _) => float_and_integer(*a, &integer(b)),
        (_, Value::Float(b)) => float_and_integer(*b, &integer(a)).reverse(),
        _ => integer(a).cmp(&integer(b)),
    }
}

fn integer(value: &Value) -> BigInt {
    match value {
        Value::Int(number) => BigInt::from(*number),
        Value::BigInt(number) => (**number).clone(),
        _ => BigInt::default(),
    }
}

fn float_and_integer(float: f64, integer: &BigInt) -> Ordering {
    if !float.is_finite() {
        return float.total_cmp(&0.0);
    }
    let whole = super::float::exact_integer(float.trunc());
    whole
        .cmp(integer)
        .then_with(|| float.fract().partial_cmp(&0.0).unwrap_or(Ordering::Equal))
}
