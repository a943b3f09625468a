//! Whole prompts (`tests/fixtures/golden/prompts.json`), byte for byte, and what strategies promise.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use turnscope::compression::{Case, Run, strategy};
use turnscope::load;
use turnscope::value::{Value, json};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn run(file: &str) -> Arc<Run> {
    let paths = ["step", "step-corners"].map(|folder| fixtures().join(folder).join(file));
    let path = paths
        .iter()
        .find(|path| path.exists())
        .expect("the sample is there");
    let loaded = load::open(path, None).expect("the sample loads");
    Arc::new(Run::new(Arc::clone(&loaded.conversations[0])))
}

fn golden(name: &str) -> Vec<Value> {
    let text = std::fs::read(fixtures().join("golden").join(name)).expect("the fixture is there");
    let parsed = json::parse(&text).expect("the fixture is JSON");
    parsed.value.as_list().expect("a list").to_vec()
}

fn case(query: &Value) -> Case {
    let name = query
        .get("strategy")
        .and_then(Value::as_str)
        .expect("a strategy");
    let mut case = Case::new(strategy(name).expect("a strategy there is"));
    let options = query
        .get("options")
        .and_then(Value::as_map)
        .expect("options");
    for (key, value) in options {
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

#[test]
fn prompts_come_out_byte_for_byte() {
    let mut runs: HashMap<String, Arc<Run>> = HashMap::new();
    let mut failures = Vec::new();
    let cases = golden("prompts.json");
    assert!(cases.len() >= 120);
    for query in &cases {
        let file = query.get("file").and_then(Value::as_str).expect("a file");
        let run = runs
            .entry(file.to_owned())
            .or_insert_with(|| self::run(file));
        let turn = query.get("turn").and_then(Value::as_i64).expect("a turn");
        let turn = u32::try_from(turn).expect("a small number");
        let prompt = run.prompt(turn, &case(query)).expect("a prompt");
        let got: Vec<(String, String)> = prompt
            .messages()
            .into_iter()
            .map(|(role, content)| (role.name().to_owned(), content.to_string()))
            .collect();
        let text = |message: &Value, name: &str| {
            let text = message.get(name).and_then(Value::as_str);
            text.expect("text").to_owned()
        };
        let expected: Vec<(String, String)> = query
            .get("messages")
            .and_then(Value::as_list)
            .expect("messages")
            .iter()
            .map(|message| (text(message, "role"), text(message, "content")))
            .collect();
        if got != expected {
            let strategy = query
                .get("strategy")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let at = got.iter().zip(&expected).position(|(a, b)| a != b);
            failures.push(format!(
                "{file} {strategy} turn {turn} {:?}: {} of {} messages, first difference at {at:?}\n  got      {:?}\n  expected {:?}",
                query.get("options"),
                got.len(),
                expected.len(),
                at.map(|at| &got[at].1),
                at.map(|at| &expected[at].1),
            ));
        }
    }
    assert!(
        failures.is_empty(),
        "{} differ\n{}",
        failures.len(),
        failures.join("\n")
    );
}
