//! Cases of `formats.json`: what a loader of other people's traces must find in a file.

use std::path::{Path, PathBuf};

use turnscope::load::{self, Loaded, Loader};
use turnscope::step::{Step, Turn, Usage};
use turnscope::value::{Value, json};

/// A file and what is expected of it.
pub(crate) struct Case {
    /// The path under `samples`.
    pub file: String,
    /// What is expected.
    pub expected: Value,
}

/// The cases of some formats, in the order of the file.
pub(crate) fn cases(formats: &[&str]) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden/formats.json");
    let text = std::fs::read(path).expect("the fixture is there");
    let cases = json::parse(&text).expect("the fixture is JSON").value;
    let cases = cases.as_map().expect("files by name").iter();
    cases
        .filter(|(_, case)| {
            formats.contains(&case.get("format").and_then(Value::as_str).unwrap_or(""))
        })
        .map(|(file, case)| Case {
            file: file.as_str().expect("a path").to_owned(),
            expected: case.clone(),
        })
        .collect()
}

/// Where a sample lies; other people's data is not in the repository.
pub(crate) fn sample(file: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = root.join("tests/fixtures").join(file);
    let shared = root.join("../shared/samples").join(file);
    [own, shared].into_iter().find(|path| path.exists())
}

/// What differs between a file and what is expected of it.
pub(crate) fn differences(case: &Case, loaded: &Loaded) -> Vec<String> {
    let mut found = Found(Vec::new());
    let name = |key: &str| case.expected.get(key).and_then(Value::as_str);
    if ![name("format"), name("format_also")].contains(&Some(loaded.format)) {
        found.0.push(format!("format {}", loaded.format));
    }
    let count = |key: &str| {
        case.expected
            .get(key)
            .and_then(Value::as_count)
            .unwrap_or(0)
    };
    let skipped = loaded.report.skipped() as u64;
    let exact = case.file.starts_with("faults/");
    if skipped > count("skipped") || (exact && skipped != count("skipped")) {
        found
            .0
            .push(format!("skipped {skipped}: {:?}", loaded.report.unknown));
    }
    found.equal(
        "damaged",
        &Some(loaded.report.damaged as u64),
        &Some(count("damaged")),
    );
    let expected = case.expected.get("conversations").and_then(Value::as_list);
    let expected = expected.expect("a list of conversations");
    found.equal(
        "conversations",
        &loaded.conversations.len(),
        &expected.len(),
    );
    let format = load::loader(loaded.format).expect("a known format");
    let format = format.expect("a format");
    for (at, expected) in expected.iter().enumerate() {
        let step = match expected.get("name").and_then(Value::as_str) {
            Some(name) => {
                let mut steps = loaded.conversations.iter();
                steps.find(|step| step.name.as_deref() == Some(name))
            }
            None => loaded.conversations.get(at),
        };
        match step {
            Some(step) => found.conversation(&format!("{at}"), step, format, expected),
            None => found.0.push(format!("conversation {at} is missing")),
        }
    }
    found.0
}

struct Found(Vec<String>);

impl Found {
    fn equal<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, found: &T, expected: &T) {
        if found != expected {
            self.0
                .push(format!("{what}: {found:?}, expected {expected:?}"));
        }
    }

    fn conversation(&mut self, at: &str, step: &Step, format: &dyn Loader, expected: &Value) {
        let turns = step.turns();
        let count = |has: fn(&Turn) -> bool| turns.iter().filter(|turn| has(turn)).count();
        let calls = || turns.iter().flat_map(|turn| turn.tool_calls());
        let inputs = turns.iter().map(|turn| turn.person_inputs()).sum::<usize>()
            + step.pending_person_inputs();
        let sum = |part: fn(&Usage) -> Option<u64>| {
            if turns.iter().all(|turn| turn.usage().is_empty()) {
                return part(&step.usage);
            }
            let known = turns.iter().filter_map(|turn| part(&turn.usage()));
            known.reduce(u64::saturating_add)
        };
        let some = |count: usize| Some(count as u64);
        let failed = calls().filter(|call| call.error.is_some()).count();
        let figures = [
            ("turns", some(turns.len())),
            (
                "programs",
                some(count(|turn| turn.program().get().is_some())),
            ),
            ("calls", some(calls().count())),
            (
                "failed_calls",
                some(failed).filter(|_| format.marks_failed_calls()),
            ),
            ("failed_turns", some(count(Turn::failed))),
            ("inputs", some(inputs).filter(|_| format.marks_inputs())),
            ("input", sum(|usage| usage.input)),
            ("output", sum(|usage| usage.output)),
            ("cached", sum(|usage| usage.cache_read)),
        ];
        for (name, found) in figures {
            let expected = expected.get(name).and_then(Value::as_count);
            self.equal(&format!("{at}.{name}"), &found, &expected);
        }
        let mission = step
            .mission
            .as_deref()
            .map(|m| m.chars().take(60).collect::<String>());
        let told = expected.get_some("mission").and_then(Value::as_str);
        self.equal(&format!("{at}.mission"), &mission.as_deref(), &told);
        let or_none = |name: &str| expected.get(name).and_then(Value::as_count).unwrap_or(0);
        let copied = count(Turn::copied) as u64;
        self.equal(&format!("{at}.copied"), &copied, &or_none("copied"));
        let unmatched = step.unmatched_results.len() as u64;
        self.equal(
            &format!("{at}.unmatched"),
            &unmatched,
            &or_none("unmatched_results"),
        );
        let continued = expected.get("continued").and_then(Value::as_str);
        self.equal(
            &format!("{at}.continued"),
            &step.continued.as_deref(),
            &continued,
        );
        if let Some(totals) = expected.get("totals") {
            let total = |name: &str| totals.get(name).and_then(Value::as_count);
            let told = (total("input"), total("output"), total("cached"));
            let found = (step.usage.input, step.usage.output, step.usage.cache_read);
            self.equal(&format!("{at}.totals"), &found, &told);
        }
        self.children(at, step, format, expected);
    }

    fn children(&mut self, at: &str, step: &Step, format: &dyn Loader, expected: &Value) {
        let expected = expected.get("children").and_then(Value::as_list);
        let expected = expected.unwrap_or_default();
        self.equal(
            &format!("{at}.children"),
            &step.children.len(),
            &expected.len(),
        );
        for (index, (child, expected)) in step.children.iter().zip(expected).enumerate() {
            let at = format!("{at}.child {index}");
            let call = step.turns().iter().find_map(|turn| {
                let mut calls = turn.tool_calls().iter();
                let place = calls.position(|call| call.child == Some(index))?;
                Some(format!("{}.{}", turn.number(), place + 1))
            });
            let told = expected.get("call").and_then(Value::as_str);
            self.equal(&format!("{at}.call"), &call.as_deref(), &told);
            match expected.get("file").and_then(Value::as_str) {
                Some(file) => {
                    self.equal(
                        &format!("{at}.file"),
                        &child.elsewhere.as_deref(),
                        &Some(file),
                    );
                }
                None => self.conversation(&at, child, format, expected),
            }
        }
    }
}
