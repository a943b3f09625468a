//! Any value, and any run.

use std::sync::Arc;

use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use turnscope::value::{CutValue, Function, Limits, Map, Set, Value};

/// Text with what the Transit conventions and the printer treat apart.
pub(crate) fn text() -> impl Strategy<Value = Arc<str>> {
    prop_oneof![
        3 => "[a-z]{0,6}",
        2 => "[~^`:#_a-z]{0,6}",
        1 => "[a-z\"\\\\#{}\\n\\t\\r é👩\u{200d}\u{301}\u{202e}]{0,8}",
        1 => any::<String>(),
        1 => prop_oneof![
            Just("~#set"), Just("~#cmap"), Just("~:k"), Just("~n12"), Just("~zNaN"),
            Just("~t2026-01-02"), Just("$serde_json::private::Number"), Just("_hidden"),
            Just("message"), Just("reason"), Just("12"),
        ]
        .prop_map(str::to_owned),
    ]
    .prop_map(Into::into)
}

fn big_integer() -> impl Strategy<Value = Value> {
    "-?[1-9][0-9]{0,60}".prop_map(|digits| {
        let number: BigInt = digits.parse().expect("digits");
        Value::from_bigint(number)
    })
}

fn function() -> impl Strategy<Value = Value> {
    let parts = (
        vec(text(), 0..3),
        option::of(text()),
        option::of(text()),
        option::of(text()),
    );
    parts.prop_map(|(params, doc, returns, source)| {
        let mut function = Function::new(params);
        function.doc = doc;
        function.returns = returns;
        function.source = source;
        Value::Fn(Arc::new(function))
    })
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-2i64..3).prop_map(Value::Int),
        big_integer(),
        (proptest::num::f64::ANY | proptest::num::f64::QUIET_NAN).prop_map(Value::Float),
        prop_oneof![
            Just(0.0),
            Just(-0.0),
            Just(1.0),
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY),
            Just(f64::NAN),
        ]
        .prop_map(Value::Float),
        text().prop_map(Value::Str),
        text().prop_map(Value::Keyword),
        vec(any::<u8>(), 0..60).prop_map(|bytes| Value::Bytes(bytes.into())),
        function(),
        option::of(text()).prop_map(Value::Builtin),
        text().prop_map(Value::Var),
        Just(Value::Date("2026-01-02".into())),
        Just(Value::DateTime("2026-01-02T03:04:05Z".into())),
        (text(), text()).prop_map(|(note, label)| Value::Cut(Arc::new(CutValue::new(note, label)))),
    ]
}

/// Any value.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 40, 6, |inner| {
        let name = prop_oneof![text().prop_map(Value::Str), text().prop_map(Value::Keyword)];
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::list),
            vec(inner.clone(), 0..6).prop_map(|items| Value::Tuple(Arc::new(items))),
            vec(inner.clone(), 0..6)
                .prop_map(|items| Value::Set(Arc::new(items.into_iter().collect::<Set>()))),
            vec((name, inner.clone()), 0..6)
                .prop_map(|entries| Value::map(entries.into_iter().collect::<Map>())),
            vec((inner.clone(), inner), 0..6)
                .prop_map(|entries| Value::map(entries.into_iter().collect::<Map>())),
        ]
    })
}

/// Any limits, small ones above all.
pub(crate) fn limits() -> impl Strategy<Value = Limits> {
    let limit = || option::of(prop_oneof![4 => 0usize..8, 2 => 8usize..100, 1 => Just(usize::MAX)]);
    (limit(), limit(), any::<bool>()).prop_map(|(items, printable, filter_hidden)| Limits {
        items,
        printable,
        filter_hidden,
    })
}
