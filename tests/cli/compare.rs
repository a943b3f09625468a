//! `compare` and `problems` as a job runs them: exit codes, what is told of each violation, the forms.

use std::path::Path;

use serde_json::Value as Json;

use super::two_turns::two_turns;
use super::{fixtures, output, run, sample};

fn json(args: &[&str]) -> Json {
    let mut all = vec!["compare"];
    all.extend(args);
    all.extend(["--output", "json"]);
    serde_json::from_str(&output(all)).expect("JSON")
}

fn row<'a>(json: &'a Json, case: &str) -> &'a Json {
    let rows = json["rows"].as_array().expect("rows");
    let found = rows.iter().find(|row| row["case"] == case);
    found.unwrap_or_else(|| panic!("no row {case}"))
}

#[test]
fn a_violation_names_file_turn_item_source_and_reason() {
    let file = sample("fleet-watch");
    let ended = run([
        "compare",
        &file,
        "--case",
        "trim",
        "--require",
        "lost<=baseline",
    ]);
    assert_eq!(ended.code, 3);
    let told: Vec<&str> = ended
        .err
        .lines()
        .filter(|l| l.contains(": lost: "))
        .collect();
    assert_eq!(told.len(), 7, "{}", ended.err);
    for line in told {
        assert!(
            line.contains("fleet-watch.step.json: trim: turn "),
            "{line}"
        );
        assert!(
            line.contains(" name ") && line.contains(" of turn "),
            "{line}"
        );
        assert!(line.ends_with("not shown by this strategy"), "{line}");
    }
    let met = run([
        "compare",
        &file,
        "--case",
        "trim",
        "--require",
        "tokens<=-20%",
    ]);
    assert_eq!((met.code, met.err.as_str()), (0, ""));
}

#[test]
fn nothing_measurable_is_a_failure_unless_it_is_allowed() {
    let empty = sample("no-turns");
    assert_eq!(run(["compare", &empty]).code, 3);
    assert_eq!(run(["compare", &empty, "--allow-empty"]).code, 0);
    let nothing_needed = sample("single-shot");
    let asked = ["compare", &nothing_needed, "--require", "lost<=baseline"];
    assert_eq!(run(asked).code, 3);
    let allowed = asked.into_iter().chain(["--allow-empty"]);
    assert_eq!(run(allowed).code, 0);
    assert_eq!(run(["compare", &empty, "--require", "lots<1"]).code, 2);
}

#[test]
fn a_saved_comparison_is_a_baseline() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("before.json");
    let file = sample("fleet-watch");
    let before = output([
        "compare",
        &file,
        "--case",
        "c=single-user-coalesced",
        "--output",
        "json",
    ]);
    std::fs::write(&saved, &before).expect("written");
    let saved = saved.to_str().expect("a plain path");
    let now = |limit: &str, require: &str| {
        let case = format!("c=single-user-coalesced,println_limit={limit}");
        run([
            "compare",
            &file,
            "--case",
            &case,
            "--baseline",
            saved,
            "--require",
            require,
        ])
    };
    // Fewer prints are cheaper; more of them are dearer.
    assert_eq!(now("3", "tokens<=baseline").code, 0);
    assert_eq!(now("40", "tokens<=baseline").code, 3);
    assert_eq!(now("15", "tokens==baseline").code, 0);
    let other = run(["compare", &file, "--baseline", saved, "--output", "json"]);
    let json: Json = serde_json::from_str(&other.out).expect("JSON");
    assert_eq!(json["baseline"], *saved);
    assert_eq!(
        row(&json, "trim")["vs_baseline"],
        Json::Null,
        "it has no such row"
    );
    // Another trace is one too: the run against itself.
    let itself = run([
        "compare",
        &file,
        "--baseline",
        &file,
        "--require",
        "weighted==baseline",
    ]);
    assert_eq!((itself.code, itself.err.as_str()), (0, ""));
}

#[test]
fn a_sweep_has_a_row_a_value() {
    let file = sample("fleet-watch");
    let swept = |sweep: &str| {
        let json = json(&[&file, "--strategy", "rolling-window", "--sweep", sweep]);
        let rows = json["rows"].as_array().expect("rows").clone();
        let names = rows
            .iter()
            .map(|row| row["case"].as_str().expect("a name").to_owned());
        names.skip(1).collect::<Vec<_>>()
    };
    assert_eq!(swept("window=1..3"), ["window=1", "window=2", "window=3"]);
    assert_eq!(
        swept("window=0..10:5"),
        ["window=0", "window=5", "window=10"]
    );
    for wrong in [
        "window",
        "window=3..1",
        "window=1..2:0",
        "window=1..9999",
        "windw=1..2",
    ] {
        let ended = run([
            "compare",
            &file,
            "--strategy",
            "rolling-window",
            "--sweep",
            wrong,
        ]);
        assert_eq!(ended.code, 2, "{wrong}");
    }
}

#[test]
fn prices_and_profiles_are_the_users() {
    let file = sample("fleet-watch");
    let json = json(&[
        &file,
        "--case",
        "uncompressed",
        "--profile",
        "raw,cached=0",
        "--price",
        "input=2",
    ]);
    let row = row(&json, "uncompressed");
    let fresh = row["fresh"].as_f64().expect("a count");
    assert_eq!(json["profile"]["cached"], 0.0);
    let cost = row["cost"].as_f64().expect("a price");
    assert!((cost - fresh * 2.0 / 1e6).abs() < 1e-6, "{cost}");
    assert_eq!(run(["compare", &file, "--price", "3"]).code, 2);
    assert_eq!(run(["compare", &file, "--profile", "raw,x=1"]).code, 2);
}

#[test]
fn a_folder_gives_medians_and_a_row_a_run() {
    let folder = fixtures().join("step-corners");
    let json = json(&[folder.to_str().expect("a plain path"), "--case", "trim"]);
    let files = json["files"].as_array().expect("runs");
    let traces = std::fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(files.len(), traces);
    assert_eq!(json["schema"], "compare/1");
    let medians = json["medians"].as_array().expect("medians");
    let trim = medians
        .iter()
        .find(|row| row["case"] == "trim")
        .expect("a row");
    let mut totals: Vec<f64> = files
        .iter()
        .flat_map(|file| file["rows"].as_array().expect("rows"))
        .filter(|row| row["case"] == "trim")
        .map(|row| row["total"].as_f64().expect("a count"))
        .collect();
    totals.sort_by(f64::total_cmp);
    assert_eq!(totals.len() % 2, 1);
    assert_eq!(trim["total"].as_f64(), Some(totals[totals.len() / 2]));
    let empty = tempfile::tempdir().expect("a folder");
    let ended = run(["compare", empty.path().to_str().expect("a plain path")]);
    assert_eq!(ended.code, 1, "{}", ended.err);
}

#[test]
fn tables_read_well() {
    let file = sample("fleet-watch");
    let args = [
        "compare",
        &file,
        "--case",
        "recorded",
        "--case",
        "trim",
        "--case",
        "u=uncompressed",
    ];
    let more = ["--profile", "openai", "--per-turn", "--price", "input=2.5"];
    let table = output(args.into_iter().chain(more));
    let folder = Path::new(&file).parent().expect("a folder").to_owned();
    let table = table.replace(folder.to_str().expect("a plain path"), "FOLDER");
    let head: Vec<&str> = table.lines().take(20).collect();
    insta::assert_snapshot!("compare", head.join("\n"));
}

#[test]
fn csv_has_as_many_cells_as_its_head() {
    let file = sample("fleet-watch");
    let csv = output(["compare", &file, "--output", "csv"]);
    let mut lines = csv.lines();
    let cells = |line: &str| line.split(',').count();
    let head = cells(lines.next().expect("a head"));
    assert!(lines.clone().count() > 8);
    assert!(lines.all(|line| cells(line) == head));
}

#[test]
fn what_is_needed_has_a_reach() {
    let json = json(&[&sample("fleet-watch"), "--case", "trim"]);
    let reach = json["reach"].as_array().expect("pairs");
    let all: u64 = reach
        .iter()
        .map(|pair| pair[1].as_u64().expect("a count"))
        .sum();
    assert_eq!(all, 66);
    assert_eq!(reach.last().expect("a pair")[0], 58);
}

#[test]
fn needs_of_a_conversation_are_by_its_rebuilt_prompts() {
    let file = fixtures().join("rebuilt/claude.jsonl");
    let file = file.to_str().expect("a path");
    assert_eq!(json(&[file])["reference"], "rebuilt");
    let table = output(["compare", file]);
    assert!(table.contains("needs by the rebuilt prompts"), "{table}");
}

#[test]
fn each_kind_of_miss_is_told_turn_by_turn() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.json");
    for (at, read, told, miss) in [
        ("00:01:00Z", 12, "", serde_json::json!(null)),
        (
            "00:06:40Z",
            0,
            "expired after 400 s",
            serde_json::json!("expired"),
        ),
        (
            "00:01:00Z",
            0,
            "not recorded",
            serde_json::json!("not recorded"),
        ),
    ] {
        std::fs::write(&file, two_turns(&format!("2026-01-01T{at}"), read)).expect("a file");
        let path = file.to_str().expect("a path");
        let profile = ["--profile", "anthropic,minimum=0"];
        let args = [path, "--case", "recorded", "--per-turn"];
        let found = json(&[&args[..], &profile].concat());
        let turn = &row(&found, "recorded")["turns"][1];
        assert_eq!(turn["miss"], miss, "{turn}");
        let gap = if told.starts_with("expired") {
            serde_json::json!(400)
        } else {
            serde_json::json!(null)
        };
        assert_eq!(turn["gap"], gap, "{turn}");
        let table = output([&["compare"], &args[..], &profile].concat());
        let line = table
            .lines()
            .rfind(|line| line.trim_start().starts_with("2 "));
        assert!(line.expect("turn 2").trim_end().ends_with(told), "{table}");
    }
}

/// A session that reads a file, does something, and reads it again.
fn read_again(between: &str) -> String {
    let reads = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"a{id}","parentUuid":"{parent}","sessionId":"s","message":{{"id":"m{id}","role":"assistant","content":[{{"type":"tool_use","id":"t{id}","name":"Read","input":{{"file_path":"/a/b.txt"}}}}]}}}}
{{"type":"user","uuid":"r{id}","parentUuid":"a{id}","sessionId":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{id}","content":"the seventh line of it"}}]}}}}"#
        )
    };
    let begin =
        r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"Go."}}"#;
    [begin, &reads("1", "u"), between, &reads("2", "r1")].join("\n")
}

#[test]
fn a_repeated_call_tells_what_removed_its_result_and_what_was_written_since() {
    let call = |tool: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"b","parentUuid":"r1","sessionId":"s","message":{{"id":"mb","role":"assistant","content":[{{"type":"tool_use","id":"tb","name":"{tool}","input":{{"command":"x"}}}}]}}}}
{{"type":"user","uuid":"rb","parentUuid":"b","sessionId":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"tb","content":"done"}}]}}}}"#
        )
    };
    let compaction = r#"{"type":"system","subtype":"compact_boundary","uuid":"c","sessionId":"s","content":"Conversation compacted"}
{"type":"user","uuid":"k","parentUuid":"c","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"A file was read."}}"#;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("session.jsonl");
    let path = file.to_str().expect("a path");
    for (between, told) in [
        (call("Edit"), "; something was written in between"),
        (call("Grep"), "; nothing was written in between"),
        (
            call("Bash"),
            "its result is visible, last in the prompt for turn 3",
        ),
    ] {
        std::fs::write(&file, read_again(&between)).expect("a file");
        let text = output(["problems", path]);
        let line = text
            .lines()
            .find(|line| line.contains("repeated call: Read"));
        assert!(
            line.is_some_and(|line| line.ends_with(told)),
            "{told}: {text}"
        );
    }
    let session = read_again(compaction).replace(r#""parentUuid":"r1""#, r#""parentUuid":"k""#);
    std::fs::write(&file, session).expect("a file");
    let text = output(["problems", path]);
    let told = "repeated call: Read, first in turn 1; its result is gone (compaction)";
    assert!(text.contains(told), "{text}");
    let json: Json =
        serde_json::from_str(&output(["problems", path, "--output", "json"])).expect("JSON");
    let problems = json["problems"].as_array().expect("problems");
    let repeated = problems
        .iter()
        .find(|problem| problem["problem"] == "repeated call");
    let repeated = repeated.expect("a repeated call");
    assert_eq!(repeated["removed"], "compaction");
    assert_eq!(repeated["written"], false);
}

#[test]
fn images_of_earlier_turns_and_of_what_just_arrived_are_counted() {
    let said = |role: &str, content: &str| format!(r#"{{"role": "{role}", "content": {content}}}"#);
    let image = r#"[{"type": "text", "text": "And this?"}, {"type": "image_url",
        "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]"#;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("chat.json");
    let path = file.to_str().expect("a path");
    let mut messages = vec![
        said("user", r#""Hello.""#),
        said("assistant", r#""Hello!""#),
    ];
    for images in [0, 1, 2] {
        if images > 0 {
            messages.extend([said("user", image), said("assistant", r#""A dot.""#)]);
        }
        let text = format!(r#"{{"messages": [{}]}}"#, messages.join(","));
        std::fs::write(&file, text).expect("a file");
        let found = json(&[path, "--case", "uncompressed"]);
        assert_eq!(found["besides"]["images"], images);
    }
}

#[test]
fn calls_that_a_person_did_not_permit_are_told_apart_from_failed_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("session.jsonl");
    let path = file.to_str().expect("a path");
    for (answer, problem) in [
        (
            "Claude requested permissions to write to /a, but you haven't granted it yet.",
            "refused call",
        ),
        (
            "The user doesn't want to proceed with this tool use. It was rejected.",
            "refused call",
        ),
        ("No such file", "failed call"),
    ] {
        let session = read_again("").replace(
            r#""content":"the seventh line of it""#,
            &format!(r#""is_error":true,"content":"{answer}""#),
        );
        std::fs::write(&file, session).expect("a file");
        let text = output(["problems", path]);
        assert!(text.contains(&format!("turn 1: {problem}: Read")), "{text}");
    }
}

#[test]
fn a_turn_without_a_prompt_is_named_as_it_was_asked_for() {
    let ended = run(["compare", &sample("shop-refunds"), "--turn", "99"]);
    assert_eq!(ended.code, 2);
    let told = "there is no prompt for turn 99; this run has prompts for turns 1 to";
    assert!(ended.err.contains(told), "{}", ended.err);
}
