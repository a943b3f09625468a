//! Traces of Claude Code, Codex, OpenAI chat, ShareGPT, Anthropic messages, Gemini CLI and opencode
//! against `golden/formats.json`, and what each loader does besides.

mod common;

use std::path::PathBuf;

use common::formats::{cases, checked, differences, path_of};

/// Formats whose cases are checked here.
const FORMATS: [&str; 5] = [
    "claude-code",
    "codex",
    "openai-chat",
    "sharegpt",
    "anthropic-messages",
];

const PROGRAM: &str = env!("CARGO_BIN_EXE_turnscope");

#[test]
fn every_case_of_the_golden_file() {
    let (mut run, mut skipped, mut failed) = (0, 0, Vec::new());
    for (file, case) in &cases() {
        let format = case["format"].as_str().unwrap_or_default();
        if !FORMATS.contains(&format) {
            continue;
        }
        let Some(path) = path_of(file) else {
            skipped += 1;
            continue;
        };
        run += 1;
        let (told, code, errors) = checked(PROGRAM, &path);
        let found = match told {
            Some(told) => differences(file, case, &told),
            None => vec![format!("exit {code}: {}", errors.trim())],
        };
        if !found.is_empty() {
            failed.push(format!("{file}:\n    {}", found.join("\n    ")));
        }
    }
    println!(
        "{run} cases checked; {skipped} skipped, for their samples are not beside the repository"
    );
    assert!(
        failed.is_empty(),
        "{} of {run} differ\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn files_with_nothing_in_them_say_so() {
    for (file, case) in &cases() {
        if case["format"] != "unknown" {
            continue;
        }
        let path: PathBuf = path_of(file).expect("a fixture");
        let (_, code, errors) = checked(PROGRAM, &path);
        assert_eq!(code, 1, "{file}: {errors}");
        assert!(
            errors.contains("error: ") && !errors.contains("panicked"),
            "{file}: {errors}"
        );
    }
}
