//! Equality and order as programs see them: numbers by value, the rest as it is.

use std::cmp::Ordering;

use crate::value::Value;

/// `=`: `1` and `1.0` are equal, `NaN` to nothing; keys and items of sets are compared strictly.
#[allow(clippy::float_cmp)] // the program asks for it
pub(in super::super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => x == y,
        (Value::Int(_) | Value::BigInt(_), Value::Float(float))
        | (Value::Float(float), Value::Int(_) | Value::BigInt(_)) => {
            !float.is_nan() && a.compare(b) == Ordering::Equal
        }
        (Value::List(x), Value::List(y)) | (Value::Tuple(x), Value::Tuple(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(x, y)| equal(x, y))
        }
        (Value::Map(x), Value::Map(y)) => {
            let same = |(key, value): (&Value, &Value)| y.get(key).is_some_and(|v| equal(value, v));
            x.len() == y.len() && x.iter().all(same)
        }
        _ => a == b,
    }
}

/// Whether it is the float that is no number.
pub(super) fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Float(number) if number.is_nan())
}

/// The order of any two values; `NaN` is neither less nor greater than a number.
pub(super) fn less(a: &Value, b: &Value) -> bool {
    !is_nan(a) && !is_nan(b) && order(a, b) == Ordering::Less
}

/// The order of any two values, infinities among the numbers.
pub(super) fn order(a: &Value, b: &Value) -> Ordering {
    let infinite = |value: &Value| match value {
        Value::Float(number) if number.is_infinite() => Some(*number),
        _ => None,
    };
    let sign = |infinity: f64| {
        if infinity > 0.0 {
            Ordering::Greater
        } else {
            Ordering::Less
        }
    };
    let number = |value: &Value| super::arith::as_float(value).is_some();
    match (infinite(a), infinite(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y),
        (Some(x), None) if number(b) => sign(x),
        (None, Some(y)) if number(a) => sign(y).reverse(),
        _ => a.compare(b),
    }
}
