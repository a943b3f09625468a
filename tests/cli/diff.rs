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
