//! `diff` of two runs: facts before and after, turns side by side, then the lines.

use super::{output, run, sample};
use serde_json::Value;

#[test]
fn two_runs_are_told_by_facts_turns_and_lines() {
    let (before, after) = (sample("log-triage"), sample("log-triage-stuck"));
    let text = output(["diff", &before, &after]);
    let (facts, lines) = text.split_once("\n\n").expect("two parts");
    for line in [
        "≠ turns allowed  8 → 4",
        "≠ outcome        returned → failed: max_turns_exceeded",
        "= tools          search-logs",
        "≠ tool search-logs (pattern :string) -> [{ts :string, … → (pattern :string) -> [:string]",
        "= strategy       not recorded",
        "≠ failed turn    3 → 4",
        "≠ turn    1    1  other doing  ◆ here the runs part",
        "- turn    6    -  only before",
    ] {
        assert!(facts.contains(line), "{line}: {facts}");
    }
    assert!(
        lines.starts_with("--- ") && lines.contains("\n+++ "),
        "{lines}"
    );
    // A run and itself differ in nothing.
    assert_eq!(output(["diff", &before, &before]), "");
}

#[test]
fn two_runs_as_json() {
    let (before, after) = (sample("log-triage"), sample("log-triage-stuck"));
    let json: Value =
        serde_json::from_str(&output(["diff", &before, &after, "--output", "json"])).expect("JSON");
    assert_eq!(json["schema"], "diff-runs/1");
    assert_eq!(
        (&json["before"]["turns"], &json["after"]["turns"]),
        (&6.into(), &4.into())
    );
    assert_eq!(json["after"]["problems"]["failed turn"], 4);
    assert_eq!(json["turns"].as_array().expect("a list").len(), 6);
    assert_eq!(json["divergence"]["likeness"], "other doing");
    let same: Value = serde_json::from_str(&output(["diff", &before, &before, "--output", "json"]))
        .expect("JSON");
    assert_eq!(same["divergence"], Value::Null);
    let turns = same["turns"].as_array().expect("a list").iter();
    assert!(turns.clone().count() == 6 && turns.into_iter().all(|pair| pair["likeness"] == "same"));
    let ended = run(["diff", &before, "--output", "json"]);
    assert_eq!(ended.code, 2);
    assert!(ended.err.contains("two runs"), "{ended:?}");
}

#[test]
fn the_setting_that_a_run_had_is_among_the_facts() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, compression: &str, prompt: &str| {
        let file = folder.path().join(name);
        let json = format!(
            r#"{{"mission": "Go.", "system_prompt": "{prompt}", "compression": {compression},
            "turns": [{{"number": 1, "program": "(return 1)", "result": 1}}]}}"#
        );
        std::fs::write(&file, json).expect("a file");
        file.to_str().expect("a path").to_owned()
    };
    let long = "Write one program a turn, in as few lines as it takes to do";
    let before = write("a.json", r#""rolling-window""#, &format!("{long} it."));
    let after = write(
        "b.json",
        r#"["rolling-window", {"window": 5}]"#,
        &format!("{long} that."),
    );
    let text = output(["diff", &before, &after]);
    assert!(
        text.contains("≠ strategy       rolling-window → rolling-window, window 5\n"),
        "{text}"
    );
    // What differs is seen, however far inside.
    assert!(text.contains("≠ system prompt  …it. → …that.\n"), "{text}");
    let json: Value =
        serde_json::from_str(&output(["diff", &before, &after, "--output", "json"])).expect("JSON");
    assert_eq!(json["after"]["strategy"], "rolling-window, window 5");
}
