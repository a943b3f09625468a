//! `check`: what is recognised, and what is damaged.

use serde_json::{Value as Json, json};

use super::{file, run, sample};

fn checked(args: &[&str], code: i32) -> Json {
    let ended = run(["check", "--output", "json"].iter().chain(args));
    assert_eq!(ended.code, code, "{ended:?}");
    serde_json::from_str(&ended.out).expect("JSON")
}

#[test]
fn figures_of_a_sound_file() {
    let path = sample("log-triage");
    let expected = json!({
        "schema": "check/1",
        "files": [{
            "file": path, "format": "step", "skipped": 0, "damaged": 0, "damage": [],
            "unknown": {}, "notes": [],
            "conversations": [{
                "name": "log-triage", "turns": 6, "programs": 6, "calls": 1, "failed_calls": 0,
                "failed_turns": 3, "inputs": 0, "input": null, "output": null, "cached": null,
                "mission": "Find the service with the most errors and name the first err",
            }],
        }],
    });
    assert_eq!(checked(&[&path], 0), expected);
    assert_eq!(checked(&[&path, "--strict"], 0), expected);
    let text = run(["check", &path]);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    assert!(text.out.contains("6 turns, 3 failed") && text.out.contains("tokens not recorded"));
}

#[test]
fn tokens_and_inputs_are_counted_where_they_are_recorded() {
    let step = r#"{"mission": "m", "max_turns": 3, "pending_input": "more", "turns": [
        {"success": true, "input": "hi", "usage": {"input_tokens": 5, "output_tokens": 2}},
        {"success": true, "usage": {"input_tokens": 7},
         "tool_calls": [{"name": "a", "args": {}, "error": "no"}]}]}"#;
    let (_folder, path) = file("tokens.json", step);
    let run = &checked(&[&path], 0)["files"][0]["conversations"][0];
    assert_eq!(
        [
            &run["inputs"],
            &run["input"],
            &run["output"],
            &run["cached"],
            &run["failed_calls"]
        ],
        [&json!(2), &json!(12), &json!(2), &Json::Null, &json!(1)]
    );
    assert_eq!(run["programs"], 0);
}

#[test]
fn damage_is_told_with_its_line() {
    let whole = std::fs::read_to_string(sample("log-triage")).expect("a sample");
    let at = whole.find("Missing a parenthesis").expect("turn 4");
    let (_folder, path) = file("cut.json", &whole[..at]);
    let found = checked(&[&path], 1);
    let cut = &found["files"][0];
    assert_eq!(cut["damaged"], 1);
    let line = cut["damage"][0]["line"].as_u64().expect("a line");
    let text = run(["check", &path]);
    assert_eq!(text.code, 1);
    assert!(
        text.out.contains(&format!("damaged: line {line}: ")),
        "{}",
        text.out
    );
}

#[test]
fn one_bad_file_keeps_nobody_from_checking_the_others() {
    let good = sample("single-shot");
    let found = run(["check", "missing.json", &good, "--output", "json"]);
    assert_eq!(found.code, 1);
    assert_eq!(found.err.lines().count(), 1, "{}", found.err);
    let json: Json = serde_json::from_str(&found.out).expect("JSON");
    assert_eq!(json["files"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["files"][0]["file"], good);
}

#[test]
fn records_that_nobody_maps_can_be_looked_at() {
    let text = r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"q"}}
{"type":"assistant","uuid":"v","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"a"}]}}
{"type":"brand-new","what":"first"}
{"type":"brand-new","what":"second"}
{"type":"brand-new","what":"third"}
{"type":"brand-new","what":"fourth"}
"#;
    let (_folder, path) = super::file("session.jsonl", text);
    let shown = super::output(["check", &path]);
    assert!(shown.contains("unknown: 4 of kind brand-new"), "{shown}");
    assert!(
        shown.contains(r#"line 3: {"type":"brand-new","what":"first"}"#),
        "{shown}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&super::output(["check", "--output", "json", &path])).expect("JSON");
    let unread = json["files"][0]["unread"].as_array().expect("a list");
    let lines: Vec<_> = unread.iter().map(|unread| &unread["line"]).collect();
    assert_eq!(lines, [3, 4, 5]);
    assert_eq!(
        unread[2]["record"],
        r#"{"type":"brand-new","what":"third"}"#
    );
}

#[test]
fn tokens_of_agents_stand_beside_those_of_the_session() {
    let line = |kind: &str, side: bool, id: &str, content: &Json| {
        json!({"type": kind, "sessionId": "s", "uuid": id, "parentUuid": null, "isSidechain": side,
            "message": {"role": kind, "id": id, "content": content, "usage": {"input_tokens": 10, "output_tokens": 2}}})
        .to_string()
    };
    let call =
        json!([{"type": "tool_use", "id": "t", "name": "Task", "input": {"prompt": "look"}}]);
    let own = [
        line("user", false, "u", &json!("go")),
        line("assistant", false, "a", &call),
    ];
    let (_folder, path) = file("own.jsonl", own.join("\n"));
    let run_of = |path: &str| checked(&[path], 0)["files"][0]["conversations"][0].clone();
    assert_eq!(run_of(&path)["with_children"], Json::Null);
    let side = line("user", true, "b", &json!("look"));
    let reply = line("assistant", true, "c", &json!("seen"))
        .replace(r#""parentUuid":null"#, r#""parentUuid":"b""#);
    let (_folder, path) = file("all.jsonl", [own.join("\n"), side, reply].join("\n"));
    let told = run_of(&path);
    assert_eq!(told["input"], 10);
    let all = json!({"input": 20, "output": 4, "cached": null});
    assert_eq!(told["with_children"], all);
    let text = run(["check", &path]).out;
    assert!(text.contains("with the runs in it 20 in, 4 out"), "{text}");
    let text = run(["print", &path, "--usage"]).out;
    assert!(
        text.contains("tokens with the runs in it: 20 in, 4 out"),
        "{text}"
    );
}

/// What a format doesn't mark is as unknown in a step file of its run.
#[test]
fn what_is_not_marked_stays_so_in_a_step_file() {
    let chat = r#"[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[
        {"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"c","content":"r"}]"#;
    let span = r#"{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"scope":{"name":"x"},"spans":[
        {"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"chat m",
         "startTimeUnixNano":"1735689601000000000","endTimeUnixNano":"1735689602000000000","attributes":[
            {"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
            {"key":"gen_ai.request.model","value":{"stringValue":"m"}}]}]}]}]}"#;
    for (trace, figure) in [(chat, "failed_calls"), (span, "inputs")] {
        let (folder, path) = file("trace.json", trace);
        let step = folder.path().join("trace.step.json");
        let step = step.to_str().expect("a plain path");
        let ended = run(["convert", &path, "--to", "step", "--out", step]);
        assert_eq!(ended.code, 0, "{ended:?}");
        for path in [&path, step] {
            let told = &checked(&[path], 0)["files"][0];
            let figures = &told["conversations"][0];
            assert_eq!(figures[figure], Json::Null, "{told}");
        }
    }
}
