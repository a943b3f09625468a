//! Checks traces against `golden/formats.json`: every figure that `check --output json` tells.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value as Json};

/// Figures of a conversation that are compared as they are.
const FIGURES: [&str; 12] = [
    "turns",
    "programs",
    "calls",
    "failed_calls",
    "failed_turns",
    "inputs",
    "input",
    "output",
    "cached",
    "mission",
    "call",
    "name",
];

/// All cases by file.
pub(crate) fn cases() -> Map<String, Json> {
    let path = super::fixtures().join("golden/formats.json");
    let text = std::fs::read(path).expect("the golden file is there");
    let cases: Json = serde_json::from_slice(&text).expect("JSON");
    cases.as_object().expect("an object").clone()
}

/// Where a case's file lies: the fault files are fixtures; the samples, which are other people's,
/// stand beside the repository or nowhere.
pub(crate) fn path_of(file: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixture = super::fixtures().join(file);
    let sample = root.join("../shared/samples").join(file);
    [fixture, sample].into_iter().find(|path| path.exists())
}

/// What `check` says of a file, and its exit code.
pub(crate) fn checked(program: &str, path: &Path) -> (Option<Json>, i32, String) {
    let ended = Command::new(program)
        .args(["check", "--output", "json"])
        .arg(path)
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("the program runs");
    let told: Option<Json> = serde_json::from_slice(&ended.stdout).ok();
    let file = told.and_then(|told| told["files"].get(0).cloned());
    let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
    (file, ended.status.code().unwrap_or(-1), errors)
}

/// What differs between what is told of a file and what the golden file says.
pub(crate) fn differences(file: &str, case: &Json, told: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let format = &told["format"];
    if *format != case["format"] && *format != case["format_also"] {
        found.push(format!("format {format}, expected {}", case["format"]));
    }
    // A damage may be mended differently; a record must not be lost.
    let exact = file.starts_with("faults/");
    let skipped = (told["skipped"].as_u64(), case["skipped"].as_u64());
    if exact && skipped.0 != skipped.1 || skipped.0 > skipped.1 {
        found.push(format!("skipped {skipped:?} {}", told["unknown"]));
    }
    if told["damaged"] != case["damaged"] {
        found.push(format!(
            "damaged {}, expected {}",
            told["damage"], case["damaged"]
        ));
    }
    let known_failures = *format == case["format"];
    conversations(
        "",
        &case["conversations"],
        &told["conversations"],
        known_failures,
        &mut found,
    );
    found
}

fn conversations(
    place: &str,
    expected: &Json,
    told: &Json,
    known_failures: bool,
    found: &mut Vec<String>,
) {
    let none = Vec::new();
    let (expected, told) = (
        expected.as_array().unwrap_or(&none),
        told.as_array().unwrap_or(&none),
    );
    if expected.len() != told.len() {
        found.push(format!(
            "{place}{} conversations, expected {}",
            told.len(),
            expected.len()
        ));
    }
    for (at, (expected, told)) in expected.iter().zip(told).enumerate() {
        let place = format!("{place}[{at}]");
        for figure in FIGURES {
            // A child in a file of its own is told by that file alone.
            let Some(wanted) = expected.get(figure) else {
                continue;
            };
            // Under the other name the format may mark more, or less.
            if figure == "failed_calls" && !known_failures {
                continue;
            }
            if told.get(figure) != Some(wanted) {
                found.push(format!(
                    "{place} {figure} {}, expected {wanted}",
                    told[figure]
                ));
            }
        }
        let count = |json: &Json| json["unmatched_results"].as_u64().unwrap_or_default();
        if expected.get("turns").is_some() && count(expected) != count(told) {
            found.push(format!(
                "{place} {} unmatched results, expected {}",
                count(told),
                count(expected)
            ));
        }
        if expected.get("file").is_none() {
            conversations(
                &format!("{place} child "),
                &expected["children"],
                &told["children"],
                known_failures,
                found,
            );
        }
    }
}
