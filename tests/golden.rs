//! The reference implementation's answers (`tests/fixtures/golden`), every case a test.

use std::path::Path;

use turnscope::syntax::{response, signature::Signature};
use turnscope::value::{Limits, Value, float, to_clojure, transit, type_label};

fn golden(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/golden")
        .join(name);
    let text = std::fs::read(&path).expect("the fixture is there");
    let parsed = transit::parse(&text).expect("the fixture is JSON");
    parsed.value.as_list().expect("a list of cases").to_vec()
}

/// Runs every case and reports all that differ at once.
fn check(name: &str, at_least: usize, run: impl Fn(&Value) -> Result<(), String>) {
    let cases = golden(name);
    assert!(
        cases.len() >= at_least,
        "{name} has only {} cases",
        cases.len()
    );
    let failures: Vec<String> = cases
        .iter()
        .enumerate()
        .filter_map(|(index, case)| run(case).err().map(|why| format!("case {index}: {why}")))
        .collect();
    assert!(
        failures.is_empty(),
        "{name}: {} of {} cases differ\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

fn same<T: PartialEq + std::fmt::Debug>(got: &T, expected: &T) -> Result<(), String> {
    if got == expected {
        return Ok(());
    }
    Err(format!("\n  got      {got:?}\n  expected {expected:?}"))
}

fn text<'a>(case: &'a Value, name: &str) -> Option<&'a str> {
    case.get(name).and_then(Value::as_str)
}

fn count(case: &Value, name: &str) -> Option<usize> {
    let number = case.get(name).and_then(Value::as_count)?;
    Some(usize::try_from(number).expect("a small number"))
}

#[test]
fn values_print_as_clojure() {
    check("to_clojure.json", 220, |case| {
        let limits = Limits {
            items: count(case, "limit"),
            printable: count(case, "printable_limit"),
            filter_hidden: case.get("filter_hidden") == Some(&Value::Bool(true)),
        };
        let (printed, truncated) = to_clojure(case.get("value").expect("a value"), limits);
        let expected = text(case, "expected").expect("text").to_owned();
        let cut = case
            .get("truncated")
            .and_then(Value::as_bool)
            .expect("a flag");
        same(&(printed, truncated), &(expected, cut))
    });
}

#[test]
fn floats_print_as_the_reference_does() {
    check("float_format.json", 416, |case| {
        let [Value::Float(number), Value::Str(expected)] = case.as_list().expect("a pair") else {
            return Err(format!("not a float and a text: {case:?}"));
        };
        same(&float::format(*number), &expected.to_string())
    });
}

#[test]
fn values_have_type_labels() {
    check("type_of.json", 97, |case| {
        let label = type_label(case.get("value").expect("a value"));
        same(&label.as_ref(), &text(case, "expected").expect("text"))
    });
}

#[test]
fn signatures_are_told_from_what_is_none() {
    check("signature.json", 21, |case| {
        let signature = text(case, "signature").expect("text");
        let expected = case.get("ok").and_then(Value::as_bool).expect("a flag");
        same(&Signature::parse(signature).is_some(), &expected)
            .map_err(|e| format!("{signature:?} {e}"))
    });
}

#[test]
fn programs_are_found_in_responses() {
    check("response_parse.json", 30, |case| {
        let response = text(case, "response").expect("text");
        let expected = text(case, "program").map(str::to_owned);
        same(&response::program(response), &expected).map_err(|e| format!("{response:?} {e}"))
    });
}
