//! Questions about one value.

use super::args::{is_callable, type_error};
use super::arith::as_float;
use super::{Builtin, MANY, pattern_text, row};
use crate::lisp::error::Res;
use crate::lisp::eval::truthy;
use crate::value::Value;

const fn is(name: &'static str, doc: &'static str, run: super::Run) -> Builtin {
    row(name, 1, 1, doc, run)
}

fn yes(flag: bool) -> Res {
    Ok(Value::Bool(flag))
}

fn is_integer(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::BigInt(_))
}

fn is_number(value: &Value) -> bool {
    as_float(value).is_some()
}

fn is_list(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Tuple(_))
}

fn is_map(value: &Value) -> bool {
    matches!(value, Value::Map(_) | Value::Date(_) | Value::DateTime(_))
}

fn is_collection(value: &Value) -> bool {
    is_list(value) || matches!(value, Value::Map(_) | Value::Set(_))
}

fn sign(value: &Value) -> Option<f64> {
    as_float(value)
}

fn parity(value: &Value) -> Option<bool> {
    match value {
        Value::Int(number) => Some(number % 2 == 0),
        Value::BigInt(number) => Some(!number.bit(0)),
        Value::Float(number) if number.fract() == 0.0 => Some(number % 2.0 == 0.0),
        _ => None,
    }
}

fn is_empty(value: &Value) -> Option<bool> {
    Some(match value {
        Value::Nil => true,
        Value::Str(text) => text.is_empty(),
        Value::List(items) | Value::Tuple(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Set(items) => items.is_empty(),
        _ => return None,
    })
}

pub(super) const TABLE: &[Builtin] = &[
    is("nil?", "Whether it is nil.", |_, a| yes(a[0].is_nil())),
    is("some?", "Whether it is anything but nil.", |_, a| {
        yes(!a[0].is_nil())
    }),
    is("boolean?", "Whether it is true or false.", |_, a| {
        yes(matches!(a[0], Value::Bool(_)))
    }),
    is("number?", "Whether it is a number.", |_, a| {
        yes(is_number(&a[0]))
    }),
    is("string?", "Whether it is a string.", |_, a| {
        yes(matches!(a[0], Value::Str(_)))
    }),
    is(
        "char?",
        "Whether it is a string of one character.",
        |_, a| {
            yes(a[0]
                .as_str()
                .is_some_and(|text| super::args::graphemes(text).count() == 1))
        },
    ),
    is("keyword?", "Whether it is a keyword.", |_, a| {
        yes(matches!(a[0], Value::Keyword(_)))
    }),
    is("symbol?", "Always false: there are no symbols.", |_, _| {
        yes(false)
    }),
    is("vector?", "Whether it is a vector.", |_, a| {
        yes(is_list(&a[0]))
    }),
    is("seq?", "Whether it is a list.", |_, a| yes(is_list(&a[0]))),
    is("sequential?", "Whether it is a list.", |_, a| {
        yes(is_list(&a[0]))
    }),
    is("indexed?", "Whether it is a vector or a text.", |_, a| {
        yes(is_list(&a[0]) || matches!(a[0], Value::Str(_)))
    }),
    is(
        "reversible?",
        "Whether it is a vector or a text.",
        |_, a| yes(is_list(&a[0]) || matches!(a[0], Value::Str(_))),
    ),
    is("set?", "Whether it is a set.", |_, a| {
        yes(matches!(a[0], Value::Set(_)))
    }),
    is("map?", "Whether it is a map.", |_, a| yes(is_map(&a[0]))),
    is(
        "map-entry?",
        "Always false: entries are vectors.",
        |_, _| yes(false),
    ),
    is("coll?", "Whether it is a list, map or set.", |_, a| {
        yes(is_collection(&a[0]))
    }),
    is(
        "counted?",
        "Whether it is a list, map, set or text.",
        |_, a| yes(is_collection(&a[0]) || matches!(a[0], Value::Str(_))),
    ),
    is(
        "associative?",
        "Whether it is a map or a vector.",
        |_, a| yes(is_list(&a[0]) || is_map(&a[0])),
    ),
    is("seqable?", "Whether seq takes it.", |_, a| {
        yes(is_collection(&a[0]) || matches!(a[0], Value::Nil | Value::Str(_)))
    }),
    is(
        "sorted?",
        "Always false: nothing is kept sorted.",
        |_, _| yes(false),
    ),
    is("integer?", "Whether it is a whole number.", |_, a| {
        yes(is_integer(&a[0]))
    }),
    is("int?", "Whether it is a whole number.", |_, a| {
        yes(is_integer(&a[0]))
    }),
    is("rational?", "Whether it is a whole number.", |_, a| {
        yes(is_integer(&a[0]))
    }),
    is("ratio?", "Always false: there are no ratios.", |_, _| {
        yes(false)
    }),
    is(
        "decimal?",
        "Always false: there are no decimals.",
        |_, _| yes(false),
    ),
    is("double?", "Whether it is a float.", |_, a| {
        yes(matches!(a[0], Value::Float(_)))
    }),
    is("float?", "Whether it is a float.", |_, a| {
        yes(matches!(a[0], Value::Float(_)))
    }),
    is("NaN?", "Whether it is not a number.", |_, a| {
        yes(matches!(a[0], Value::Float(number) if number.is_nan()))
    }),
    is("infinite?", "Whether it is infinite.", |_, a| {
        yes(matches!(a[0], Value::Float(number) if number.is_infinite()))
    }),
    is("zero?", "Whether it is 0.", |_, a| {
        yes(sign(&a[0]).is_some_and(|n| n == 0.0))
    }),
    is("pos?", "Whether it is above 0.", |_, a| {
        yes(sign(&a[0]).is_some_and(|n| n > 0.0))
    }),
    is("neg?", "Whether it is below 0.", |_, a| {
        yes(sign(&a[0]).is_some_and(|n| n < 0.0))
    }),
    is(
        "pos-int?",
        "Whether it is a whole number above 0.",
        |_, a| yes(is_integer(&a[0]) && sign(&a[0]).is_some_and(|n| n > 0.0)),
    ),
    is(
        "neg-int?",
        "Whether it is a whole number below 0.",
        |_, a| yes(is_integer(&a[0]) && sign(&a[0]).is_some_and(|n| n < 0.0)),
    ),
    is(
        "nat-int?",
        "Whether it is a whole number from 0.",
        |_, a| yes(is_integer(&a[0]) && sign(&a[0]).is_some_and(|n| n >= 0.0)),
    ),
    is("even?", "Whether it is an even number.", |_, a| {
        yes(parity(&a[0]) == Some(true))
    }),
    is("odd?", "Whether it is an odd number.", |_, a| {
        yes(parity(&a[0]) == Some(false))
    }),
    is("true?", "Whether it is true.", |_, a| {
        yes(a[0] == Value::Bool(true))
    }),
    is("false?", "Whether it is false.", |_, a| {
        yes(a[0] == Value::Bool(false))
    }),
    is("boolean", "false for nil and false, else true.", |_, a| {
        yes(truthy(&a[0]))
    }),
    is(
        "empty?",
        "Whether there is nothing in it.",
        |_, a| match is_empty(&a[0]) {
            Some(empty) => yes(empty),
            None => type_error("empty?", &a),
        },
    ),
    is(
        "not-empty",
        "The collection, or nil if there is nothing in it.",
        |_, a| match is_empty(&a[0]) {
            Some(true) => Ok(Value::Nil),
            Some(false) => Ok(a[0].clone()),
            None => type_error("not-empty", &a),
        },
    ),
    is("regex?", "Whether it is a pattern.", |_, a| {
        yes(pattern_text(&a[0]).is_some())
    }),
    is("fn?", "Whether it is a function.", |_, a| {
        yes(is_callable(&a[0]) && matches!(a[0], Value::Fn(_) | Value::Builtin(_)))
    }),
    is("ifn?", "Whether it can be called.", |_, a| {
        yes(is_callable(&a[0]))
    }),
    is("type", "A keyword for the kind of value.", |_, a| {
        Ok(type_of(&a[0]))
    }),
    row(
        "distinct?",
        1,
        MANY,
        "Whether no two values are equal.",
        |m, a| {
            for value in &a {
                m.weigh(value)?;
            }
            let count = a.len();
            let distinct: crate::value::Set = a.into_iter().collect();
            yes(distinct.len() == count)
        },
    ),
];

fn type_of(value: &Value) -> Value {
    Value::keyword(match value {
        Value::Nil => return Value::Nil,
        Value::Fn(_) if pattern_text(value).is_some() => "regex",
        Value::List(_) | Value::Tuple(_) => "vector",
        Value::Date(_) | Value::DateTime(_) => "map",
        Value::Var(_) => "unknown",
        other => super::kind(other),
    })
}
