//! Any value, and any run.

use std::sync::Arc;

use indexmap::IndexMap;
use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use turnscope::compression::{Case, Kind, SHARED, STRATEGIES};
use turnscope::step::{
    Conventions, Definition, Field, Memory, Program, Step, Tool, ToolCall, Turn, TurnParts,
};
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

/// How well a part of a turn is known.
fn field<T: Clone + std::fmt::Debug + 'static>(
    value: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Field<T>> {
    (0..10, value).prop_map(|(how, value)| match how {
        0 => Field::NotRecorded,
        1 => Field::Absent,
        2 => Field::Preview(value),
        3 => Field::Cut(value),
        _ => Field::Recorded(value),
    })
}

/// Names that occur again, so that definitions are made anew.
fn name() -> impl Strategy<Value = Arc<str>> {
    prop_oneof![
        5 => prop_oneof![Just("a"), Just("total"), Just("late?"), Just("_secret"), Just("é👩"), Just("")]
            .prop_map(Into::into),
        1 => text(),
    ]
}

fn call() -> impl Strategy<Value = ToolCall> {
    let args = prop_oneof![3 => small_map(), 1 => value()];
    (name(), args, field(value()), option::weighted(0.2, value())).prop_map(
        |(name, args, result, error)| {
            let mut call = ToolCall::new(name, args);
            call.result = result;
            call.error = error;
            call
        },
    )
}

fn small_map() -> impl Strategy<Value = Value> {
    let key = name().prop_map(Value::Str);
    vec((key, leaf()), 0..3).prop_map(|entries| Value::map(entries.into_iter().collect::<Map>()))
}

fn memory() -> impl Strategy<Value = Arc<Memory>> {
    let value = prop_oneof![2 => leaf(), 1 => function(), 1 => value()];
    vec((name(), value), 0..5).prop_map(|entries| Arc::new(entries.into_iter().collect()))
}

fn definitions() -> impl Strategy<Value = IndexMap<Arc<str>, Definition>> {
    let told = (option::of(text()), option::of(-3i64..4));
    vec((name(), told), 0..2).prop_map(|told| {
        let told = told.into_iter();
        told.map(|(name, (doc, order))| (name, Definition::new(doc, order)))
            .collect()
    })
}

/// A turn but for its number: whether it failed, and its parts.
fn turn() -> impl Strategy<Value = (bool, TurnParts)> {
    let program = (
        text(),
        prop_oneof![3 => Just("clojure"), 1 => Just("python")],
    )
        .prop_map(|(source, language)| Program::new(source, language));
    let said = (field(text()), field(program), field(value()));
    let done = (
        field(vec(text(), 0..4)),
        field(vec(call(), 0..4)),
        field(memory()),
        definitions(),
    );
    let flags = (
        proptest::bool::weighted(0.3),
        proptest::bool::weighted(0.1),
        option::weighted(0.2, text()),
    );
    (said, done, flags).prop_map(|(said, done, (failed, unmarked, input))| {
        let mut parts = TurnParts::default();
        (parts.raw_response, parts.program, parts.result) = said;
        (
            parts.prints,
            parts.tool_calls,
            parts.memory,
            parts.definitions,
        ) = done;
        (parts.unmarked, parts.input) = (unmarked, input);
        (failed, parts)
    })
}

/// A run of some turns.
pub(crate) fn step() -> impl Strategy<Value = Step> {
    let head = (
        option::of(text()),
        vec((name(), option::of(text()), option::of(text())), 0..3),
        small_map(),
        vec((name(), text()), 0..2),
        option::of(prop_oneof![
            Just("(total :int) -> :any"),
            Just("no signature")
        ]),
    );
    let ends = (
        prop_oneof![3 => Just(None), 3 => (2u32..9).prop_map(Some), 1 => Just(Some(1)), 1 => Just(Some(0))],
        proptest::bool::weighted(0.3),
        option::weighted(0.2, text()),
        option::weighted(0.3, text()),
    );
    (head, ends, vec(turn(), 0..8)).prop_map(|(head, ends, turns)| {
        let mut step = Step::default();
        step.mission = head.0;
        let tools = head.1.into_iter();
        step.tools = tools
            .map(|(name, signature, description)| Tool::new(name, signature, description))
            .collect();
        step.data = head.2.as_map().cloned().unwrap_or_default();
        step.field_descriptions = head.3.into_iter().collect();
        step.signature = head.4.map(Into::into);
        step.recorded_max_turns = ends.0;
        if ends.1 {
            step.conventions = Conventions::Foreign;
        }
        step.pending_input = ends.2;
        step.system_prompt = ends.3;
        for (failed, parts) in turns {
            let number = step.last_prompt();
            step.push_turn(if failed {
                Turn::failure(number, parts)
            } else {
                Turn::success(number, parts)
            });
        }
        step
    })
}

/// A strategy with some of its options set, small limits above all.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    let settings = vec((0usize..20, 0usize..6), 0..5);
    (0..STRATEGIES.len(), settings).prop_map(|(strategy, settings)| {
        let mut case = Case::new(STRATEGIES[strategy]);
        let own = case.strategy.options();
        for (at, number) in settings {
            // Every other setting is one of the strategy's own, if it has any.
            let spec = match own.get(at / 2 % own.len().max(1)) {
                Some(spec) if at.is_multiple_of(2) => spec,
                _ => &SHARED[at % SHARED.len()],
            };
            let text = match spec.kind {
                Kind::Count => number.to_string(),
                // A budget of a few tokens, or of many.
                Kind::MaybeCount => (number * number * 10).to_string(),
                Kind::Flag => (number % 2 == 1).to_string(),
                Kind::Choice(words) => words[number % words.len()].to_owned(),
                _ => continue,
            };
            case.set(spec.name, &text).expect("a valid value");
        }
        case
    })
}
