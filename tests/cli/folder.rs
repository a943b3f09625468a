//! Folders of traces: what is found in them, and what commands make of them.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use tempfile::TempDir;
use turnscope::load::{self, folder};

use super::{run, sample};

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
    fs::write(path, text).expect("it is written");
}

fn found(root: &Path) -> Vec<String> {
    let (entries, unread) = folder::list(root);
    assert_eq!(unread, []);
    let names = entries.iter().map(|entry| {
        let inside = entry.path.strip_prefix(root).expect("inside");
        inside.to_string_lossy().into_owned()
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

const EVENT: &str = r#"{"id":0,"source":"user","action":"message","timestamp":"2026-01-01T00:00:00","args":{"content":"Fix it."}}"#;
const RUN: &str = r#"{"id":2,"source":"agent","action":"run","timestamp":"2026-01-01T00:00:01","args":{"command":"ls","thought":"Look."}}"#;
const RAN: &str = r#"{"id":3,"source":"agent","observation":"run","cause":2,"timestamp":"2026-01-01T00:00:03","content":"a.txt","extras":{"metadata":{"exit_code":0}}}"#;

/// A folder with traces of several kinds, and with what is none.
fn mixed() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::copy(sample("log-triage"), root.join("triage.json")).expect("a copy");
    fs::create_dir_all(root.join("deep/er")).expect("it is made");
    fs::copy(sample("no-turns"), root.join("deep/er/notes")).expect("a copy");
    write(root, "deep/readme.md", "# Nothing\n");
    write(root, "deep/picture", "\u{89}PNG");
    write(root, "package.json", "{\"private\":true}");
    write(root, "cut.jsonl", "");
    write(root, ".git/index.json", "{}");
    for (number, event) in [(0, EVENT), (2, RUN), (10, RAN)] {
        write(root, &format!("hands/s1/events/{number}.json"), event);
    }
    write(root, "session.jsonl", "{}");
    write(root, "session/subagents/agent-1.jsonl", "{}");
    write(root, "alone/subagents/agent-1.jsonl", "{}");
    folder
}

const MIXED: [&str; 7] = [
    "alone/subagents/agent-1.jsonl",
    "cut.jsonl",
    "deep/er/notes",
    "hands/s1",
    "package.json",
    "session.jsonl",
    "triage.json",
];

#[test]
fn what_may_be_a_trace_is_found() {
    let folder = mixed();
    assert_eq!(found(folder.path()), MIXED);
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere_twice() {
    use std::os::unix::fs::symlink;
    let folder = mixed();
    let root = folder.path();
    symlink(root, root.join("deep/up")).expect("a link");
    symlink("nowhere", root.join("lost.json")).expect("a link");
    symlink(root.join("deep"), root.join("again")).expect("a link");
    let names = found(root);
    assert_eq!(names.len(), MIXED.len(), "{names:?}");
}

#[test]
fn a_folder_of_events_is_one_run() {
    let folder = mixed();
    let path = folder.path().join("hands/s1");
    assert!(load::is_storage(&path));
    let loaded = load::open(&path, None).expect("it loads");
    assert_eq!(loaded.format, "openhands");
    let [step] = loaded.conversations.as_slice() else {
        panic!("{} conversations", loaded.conversations.len());
    };
    assert_eq!(step.mission.as_deref(), Some("Fix it."));
    // By their numbers: 10 comes last.
    let calls = step.turns()[0].tool_calls();
    assert_eq!(
        calls[0].result.get().and_then(|text| text.as_str()),
        Some("a.txt")
    );
    assert!(loaded.report.is_clean());
}

#[test]
fn a_folder_of_newer_events_has_a_state_beside_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let usage = r#"{"accumulated_token_usage":{"prompt_tokens":700,"completion_tokens":30}}"#;
    let state = format!(r#"{{"id":"c1","stats":{{"usage_to_metrics":{{"default":{usage}}}}}}}"#);
    write(root, "base_state.json", &state);
    let said = r#"{"kind":"MessageEvent","id":"a","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"Go."}]}}"#;
    let answered = r#"{"kind":"MessageEvent","id":"b","source":"agent","llm_message":{"role":"assistant","content":[{"type":"text","text":"Gone."}]}}"#;
    write(root, "events/event-00000-a.json", said);
    write(root, "events/event-00001-b.json", answered);
    write(root, "events/event-00002-c.json", "{\"kind\":\"Mess");
    let loaded = load::open(root, None).expect("it loads");
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("Go."));
    assert_eq!(step.turns().len(), 1);
    assert_eq!(step.usage.input, Some(700));
    assert_eq!(step.trace_id.as_deref(), Some("c1"));
    assert_eq!(loaded.report.damaged, 1, "{:?}", loaded.report);
}

#[test]
fn a_folder_is_listed_with_totals() {
    let folder = mixed();
    let root = folder.path().to_string_lossy().into_owned();
    let listed = run([root.as_str()]);
    assert_eq!(listed.code, 0, "{}", listed.err);
    let lines: Vec<&str> = listed.out.lines().collect();
    assert!(lines[0].contains("7 traces · 7 turns"), "{}", lines[0]);
    assert!(lines[0].contains("4 can't be opened"), "{}", lines[0]);
    assert_eq!(lines.len(), 2 + MIXED.len());
    let line = |name: &str| lines.iter().find(|line| line.contains(name));
    assert!(line("cut.jsonl").is_some_and(|line| line.contains("is empty")));
    assert!(line("package.json").is_some_and(|line| line.contains("'private'")));
    assert!(
        line("hands/s1").is_some_and(|line| line.contains("openhands") && line.contains("Fix it."))
    );

    let listed = run([root.as_str(), "--output", "json"]);
    let json: Json = serde_json::from_str(&listed.out).expect("JSON");
    assert_eq!(json["schema"], "folder/1");
    assert_eq!(json["totals"]["unopened"], 4);
    assert_eq!(json["traces"].as_array().map(Vec::len), Some(7));
}

#[test]
fn a_reply_that_stands_in_two_sessions_counts_once_in_the_totals() {
    let reply = |id: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"{id}","sessionId":"s","requestId":"r","message":{{"role":"assistant","id":"{id}","content":[{{"type":"tool_use","id":"t{id}","name":"Bash","input":{{}}}}],"usage":{{"input_tokens":10,"output_tokens":1}}}}}}
{{"type":"user","sessionId":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{id}","is_error":true,"content":"no"}}]}}}}"#
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, ids: &[&str]| {
        let lines: Vec<String> = ids.iter().map(|id| reply(id)).collect();
        fs::write(folder.path().join(name), lines.join("\n")).expect("it is written");
    };
    write("first.jsonl", &["a", "b"]);
    write("resumed.jsonl", &["a", "b", "c"]);
    let root = folder.path().to_string_lossy().into_owned();
    let listed = run([root.as_str(), "--output", "json"]);
    let json: Json = serde_json::from_str(&listed.out).expect("JSON");
    assert_eq!(json["totals"]["turns"], 3);
    assert_eq!(json["totals"]["tokens"], 33);
    assert_eq!(json["totals"]["errors"], 3);
    let tokens = json["traces"].as_array().expect("traces").iter();
    assert_eq!(
        tokens
            .map(|trace| trace["tokens"].as_u64())
            .sum::<Option<u64>>(),
        Some(55)
    );
}

#[test]
fn commands_take_what_a_folder_holds() {
    let folder = mixed();
    let root = folder.path().to_string_lossy().into_owned();
    let checked = run(["check", root.as_str()]);
    assert_eq!(checked.code, 1);
    assert!(checked.out.contains("s1 · openhands"), "{}", checked.out);
    assert!(
        checked
            .err
            .contains("package.json: left out: no known trace format"),
        "{}",
        checked.err
    );
    assert!(checked.err.contains("error: ") && checked.err.contains("cut.jsonl: is empty"));

    let problems = run(["problems", root.as_str()]);
    assert_eq!(problems.code, 0);
    assert!(problems.out.contains("triage.json: "), "{}", problems.out);

    let compared = run(["compare", root.as_str(), "--output", "json"]);
    let json: Json = serde_json::from_str(&compared.out).expect("JSON");
    assert_eq!(
        json["files"].as_array().map(Vec::len),
        Some(3),
        "{}",
        compared.err
    );

    let empty = tempfile::tempdir().expect("a folder");
    let none = run(["problems", &empty.path().to_string_lossy()]);
    assert_eq!(none.code, 1);
    assert!(none.err.contains("no trace in this folder"), "{}", none.err);
}
