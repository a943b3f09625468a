//! The reference's answers to programs (`golden/eval.json`, `eval_sessions.json`).

mod common;

use std::sync::Arc;

use turnscope::lisp::{DescribedTools, Ended, Evaluated, Session, plain};
use turnscope::value::{Map, Value};

/// Cases that are left out, by index, and why.
const LEFT_OUT: &[(usize, &str)] = &[
    (
        680,
        "the reference prints a function as an address in its own memory",
    ),
    (
        681,
        "the reference prints a builtin as a value of its host language",
    ),
    (
        976,
        "the echo tool answers with strings for keywords, here alone",
    ),
];

fn map(case: &Value, name: &str) -> Map {
    case.get(name)
        .and_then(Value::as_map)
        .cloned()
        .unwrap_or_default()
}

fn get(case: &Value, name: &str) -> Value {
    case.get(name).cloned().unwrap_or_default()
}

/// The value that the golden files have for what a program gave.
fn ended(ended: &Ended) -> Value {
    let tagged =
        |tag: &str, value: &Value| Value::map(Map::from_iter([(Value::string(tag), shown(value))]));
    match ended {
        Ended::Value(value) => shown(value),
        Ended::Return(value) => tagged("~#return", value),
        Ended::Fail(value) => tagged("~#fail", value),
        Ended::Error(_) => Value::Nil,
    }
}

/// Without the source of functions, which the golden files don't have.
fn shown(value: &Value) -> Value {
    sourceless(&plain(value))
}

fn sourceless(value: &Value) -> Value {
    match value {
        Value::Fn(function) => {
            let mut function = (**function).clone();
            function.source = None;
            Value::Fn(Arc::new(function))
        }
        Value::List(items) => Value::list(items.iter().map(sourceless).collect()),
        Value::Map(map) => Value::map(
            map.iter()
                .map(|(k, v)| (sourceless(k), sourceless(v)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn memory(evaluated: &Evaluated) -> Value {
    let entries = evaluated.memory.iter();
    Value::map(
        entries
            .map(|(name, value)| (Value::string(Arc::clone(name)), shown(value)))
            .collect(),
    )
}

fn calls(evaluated: &Evaluated) -> Value {
    let calls = evaluated.tool_calls.iter().map(|call| {
        Value::map(Map::from_iter([
            ("args".into(), shown(&call.args)),
            ("name".into(), Value::string(Arc::clone(&call.name))),
        ]))
    });
    Value::list(calls.collect())
}

fn prints(evaluated: &Evaluated) -> Value {
    let prints = evaluated.prints.iter();
    Value::list(prints.map(|p| Value::string(Arc::clone(p))).collect())
}

/// What differs from a case, in words.
fn differences(case: &Value, got: &Evaluated) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |name: &str, wanted: Value, got: Value| {
        if wanted != got {
            found.push(format!("{name}: wanted {wanted:?}, got {got:?}"));
        }
    };
    let wanted = get(case, "error");
    match &got.ended {
        Ended::Error(error) => {
            compare("error", wanted, Value::string(error.reason));
        }
        ended_well => {
            compare("error", wanted, Value::Nil);
            compare("result", get(case, "result"), ended(ended_well));
        }
    }
    compare("prints", get(case, "prints"), prints(got));
    if case.get("tool_calls").is_some() {
        compare("calls", get(case, "tool_calls"), calls(got));
    }
    compare("memory", get(case, "memory"), memory(got));
    found
}

#[test]
fn programs_give_what_the_reference_gives() {
    let cases = common::golden("eval.json");
    let mut failed = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        if LEFT_OUT.iter().any(|(left_out, _)| *left_out == index) {
            continue;
        }
        let mut session = Session::default();
        if get(case, "topic").as_str() == Some("history") {
            // What the cases of this topic were made with.
            let before = vec![
                Value::map(Map::from_iter([("a".into(), Value::Int(1))])),
                "last".into(),
            ];
            session.history = Arc::new(before);
        }
        let mut tools = DescribedTools::new(&map(case, "tools")).expect("tools");
        let program = get(case, "program");
        let program = program.as_str().expect("a program");
        let got = session.run(program, &map(case, "data"), &mut tools);
        for difference in differences(case, &got) {
            failed.push(format!("{index}: {program}\n    {difference}"));
        }
    }
    assert!(LEFT_OUT.len() * 100 <= cases.len());
    assert!(
        failed.is_empty(),
        "{} differences in {} cases\n{}",
        failed.len(),
        cases.len(),
        failed.join("\n")
    );
    println!(
        "{} of {} cases pass",
        cases.len() - LEFT_OUT.len(),
        cases.len()
    );
}

#[test]
fn sessions_give_what_the_reference_gives() {
    let mut failed = Vec::new();
    let mut turns = 0;
    for case in common::golden("eval_sessions.json") {
        let mut session = Session::default();
        let mut tools = DescribedTools::new(&map(&case, "tools")).expect("tools");
        for turn in get(&case, "turns").as_list().expect("turns") {
            turns += 1;
            let program = get(turn, "program");
            let program = program.as_str().expect("a program");
            let got = session.run(program, &map(&case, "data"), &mut tools);
            for difference in differences(turn, &got) {
                failed.push(format!(
                    "{}: {program}\n    {difference}",
                    get(&case, "name").as_str().unwrap_or_default()
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}\n{}", failed.len(), failed.join("\n"));
    println!("{turns} programs of sessions pass");
}
