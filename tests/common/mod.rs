//! What several test files need: fixtures, and cases read from them.

// Every test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use turnscope::compression::{Case, Run, strategy};
use turnscope::load;
use turnscope::value::{Value, transit};

pub(crate) mod arbitrary;
#[path = "../../benches/common/big_step.rs"]
pub(crate) mod big_step;
pub(crate) mod formats;

/// The folder of fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The cases of a golden file.
pub(crate) fn golden(name: &str) -> Vec<Value> {
    let text = std::fs::read(fixtures().join("golden").join(name)).expect("the fixture is there");
    let parsed = transit::parse(&text).expect("the fixture is JSON");
    parsed.value.as_list().expect("a list of cases").to_vec()
}

/// Runs every case of a golden file and reports all that differ at once.
pub(crate) fn check(name: &str, at_least: usize, run: impl Fn(&Value) -> Result<(), String>) {
    check_cases(name, &golden(name), at_least, run);
}

/// Runs cases and reports all that differ at once.
pub(crate) fn check_cases(
    name: &str,
    cases: &[Value],
    at_least: usize,
    run: impl Fn(&Value) -> Result<(), String>,
) {
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

/// Says how two values differ.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(got: &T, expected: &T) -> Result<(), String> {
    if got == expected {
        return Ok(());
    }
    Err(format!("\n  got      {got:?}\n  expected {expected:?}"))
}

/// The text under a name.
pub(crate) fn text<'a>(case: &'a Value, name: &str) -> Option<&'a str> {
    case.get(name).and_then(Value::as_str)
}

/// The count under a name.
pub(crate) fn count(case: &Value, name: &str) -> Option<usize> {
    let number = case.get(name).and_then(Value::as_count)?;
    Some(usize::try_from(number).expect("a small number"))
}

/// The run in a sample file.
pub(crate) fn sample(file: &str) -> Run {
    let paths = ["step", "step-corners"].map(|folder| fixtures().join(folder).join(file));
    let path = paths
        .iter()
        .find(|path| path.exists())
        .expect("the sample is there");
    let loaded = load::open(path, None).expect("the sample loads");
    Run::new(Arc::clone(&loaded.conversations[0]))
}

/// The strategy and the options of a query.
pub(crate) fn case(query: &Value) -> Case {
    let name = text(query, "strategy").expect("a strategy");
    let mut case = Case::new(strategy(name).expect("a strategy there is"));
    let options = query.get("options").and_then(Value::as_map);
    for (key, value) in options.into_iter().flatten() {
        let text = match value {
            Value::Bool(flag) => flag.to_string(),
            Value::Int(number) => number.to_string(),
            other => other.as_str().expect("text").to_owned(),
        };
        case.set(key.as_str().expect("a name"), &text)
            .expect("a valid option");
    }
    case
}

/// Messages as role and text.
pub(crate) type Messages = Vec<(String, String)>;

/// The messages of the prompt that a query asks for.
pub(crate) fn prompt(run: &Run, query: &Value) -> Messages {
    let turn = count(query, "turn").expect("a turn");
    let turn = u32::try_from(turn).expect("a small number");
    let prompt = run.prompt(turn, &case(query)).expect("a prompt");
    let messages = prompt.messages().into_iter();
    messages
        .map(|(role, content)| (role.name().to_owned(), content.to_string()))
        .collect()
}

/// The messages that a case expects, from a list of `{role, content}`.
pub(crate) fn expected_messages(value: &Value) -> Messages {
    let messages = value.as_list().expect("messages").iter();
    messages
        .map(|message| {
            let text = |name| text(message, name).expect("text").to_owned();
            (text("role"), text("content"))
        })
        .collect()
}

/// Says where two lists of messages differ first.
pub(crate) fn same_messages(got: &Messages, expected: &Messages) -> Result<(), String> {
    if got == expected {
        return Ok(());
    }
    let at = got.iter().zip(expected).position(|(a, b)| a != b);
    Err(format!(
        "{} of {} messages, first difference at {at:?}\n  got      {:?}\n  expected {:?}",
        got.len(),
        expected.len(),
        at.map(|at| &got[at].1),
        at.map(|at| &expected[at].1),
    ))
}
