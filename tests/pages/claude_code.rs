//! Claude Code: chains, arrays of records, replies in two files.

use std::fs;

use serde_json::{Value as Json, json};

use super::loaded;
use turnscope::load::{self, Figures, Source};
use turnscope::step::{Ending, EventKind};

fn text(said: &str) -> Json {
    json!([{"type": "text", "text": said}])
}

/// A record; `more` goes into it.
fn record(kind: &str, id: &str, parent: &Json, content: &Json, more: &Json) -> Json {
    let mut record = json!({"type": kind, "uuid": id, "parentUuid": parent, "sessionId": "s", "message": {"role": kind, "id": format!("m{id}"), "content": content}});
    for (key, value) in more.as_object().into_iter().flatten() {
        record[key] = value.clone();
    }
    record
}

fn lines(records: &[Json]) -> String {
    let lines: Vec<String> = records.iter().map(Json::to_string).collect();
    lines.join("\n")
}

#[test]
fn a_chain_goes_on_behind_what_is_no_message_and_behind_a_lost_record() {
    let side = json!({"isSidechain": true});
    let call =
        json!([{"type": "tool_use", "id": "t", "name": "Task", "input": {"prompt": "do it"}}]);
    let note = json!({"type": "attachment", "uuid": "s2", "parentUuid": "s1", "isSidechain": true});
    let records = [
        record("user", "u", &Json::Null, &json!("q"), &Json::Null),
        record("assistant", "a", &json!("u"), &call, &Json::Null),
        record("user", "s1", &Json::Null, &json!("do it"), &side),
        note,
        record("assistant", "s3", &json!("s2"), &text("one"), &side),
        record("assistant", "s5", &json!("lost"), &text("two"), &side),
        record("user", "s6", &json!("lost too"), &json!("another"), &side),
    ];
    let loaded = loaded("claude-code", &lines(&records));
    let step = &loaded.conversations[0];
    assert_eq!(step.turns().len(), 1);
    let children = step.children.iter();
    let told: Vec<_> = children
        .map(|child| (child.mission.as_deref(), child.turns().len()))
        .collect();
    assert_eq!(told, [(Some("do it"), 2), (Some("another"), 0)]);
    assert_eq!(step.turns()[0].children(), [0]);
    // Without the session: the first chain is the conversation.
    let loaded = super::loaded("claude-code", &lines(&records[2..]));
    let step = &loaded.conversations[0];
    assert_eq!(
        (step.mission.as_deref(), step.turns().len()),
        (Some("do it"), 2)
    );
}

#[test]
fn records_of_stream_json_may_stand_in_an_array_and_the_last_alone() {
    let init = json!({"type": "system", "subtype": "init", "session_id": "s", "tools": ["Bash"]});
    let said = json!({"type": "assistant", "session_id": "s", "message": {"id": "m", "role": "assistant", "content": text("done")}});
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "result": "done", "session_id": "s", "usage": {"input_tokens": 3, "output_tokens": 4}});
    let all = json!([init, said, result]);
    let pretty = serde_json::to_string_pretty(&all).expect("JSON");
    for text in [all.to_string(), pretty] {
        let loaded = loaded("claude-code", &text);
        let step = &loaded.conversations[0];
        assert_eq!((step.turns().len(), step.tools.len()), (1, 1));
        assert_eq!(step.ending, Ending::Return("done".into()));
        assert!(loaded.report.is_clean() && loaded.report.skipped() == 0);
    }
    let loaded = loaded("claude-code", &result.to_string());
    let step = &loaded.conversations[0];
    assert_eq!((step.turns().len(), step.usage.input), (0, Some(3)));
    assert_eq!(step.trace_id.as_deref(), Some("s"));
    // What a crash leaves of an array.
    let cut = &all.to_string()[..all.to_string().len() - 20];
    let loaded = super::loaded("claude-code", cut);
    assert_eq!(loaded.conversations[0].turns().len(), 1);
    assert!(!loaded.report.is_clean());
}

#[test]
fn references_to_tools_read_as_such() {
    let call = json!([{"type": "tool_use", "id": "t", "name": "ToolSearch", "input": {}}]);
    let found = json!([{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "tool_reference", "tool_name": "f"}]}]);
    let records = [
        record("assistant", "a", &Json::Null, &call, &Json::Null),
        record("user", "r", &json!("a"), &found, &Json::Null),
    ];
    let loaded = loaded("claude-code", &lines(&records));
    let call = &loaded.conversations[0].turns()[0].tool_calls()[0];
    assert_eq!(call.result.get(), Some(&"[tool: f]".into()));
}

#[test]
fn replies_of_a_session_that_was_resumed_are_known_in_both_files() {
    let reply = |id: &str, tokens: u64| json!({"type": "assistant", "uuid": id, "sessionId": "s", "requestId": format!("r{id}"), "message": {"role": "assistant", "id": id, "content": text(id), "usage": {"input_tokens": tokens, "output_tokens": 1}}});
    let figures = |records: &[Json]| Figures::of(&loaded("claude-code", &lines(records)));
    let first = figures(&[reply("a", 10), reply("b", 20)]);
    let resumed = figures(&[reply("a", 10), reply("b", 20), reply("c", 30)]);
    assert_eq!(first.replies, resumed.replies[..2]);
    let tokens: Vec<_> = resumed.replies.iter().map(|reply| reply.tokens).collect();
    assert_eq!(tokens, [Some(11), Some(21), Some(31)]);
}

/// Identifiers come again, and one record holds results for both turns.
#[test]
fn a_turn_that_is_read_again_has_its_own_results() {
    let call = json!([{"type": "tool_use", "id": "x", "name": "Bash", "input": {}}]);
    let result = |said: &str| json!({"type": "tool_result", "tool_use_id": "x", "content": said});
    let pad = json!({"type": "file-history-snapshot", "pad": "x".repeat(5 << 20)});
    let records = [
        record("user", "u", &Json::Null, &json!("q"), &Json::Null),
        record("assistant", "a", &Json::Null, &call, &Json::Null),
        record("assistant", "b", &Json::Null, &call, &Json::Null),
        record(
            "user",
            "r",
            &Json::Null,
            &json!([result("one"), result("two"), result("none")]),
            &Json::Null,
        ),
        pad,
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.jsonl");
    fs::write(&path, lines(&records)).expect("it is written");
    let large = load::open(&path, None).expect("it loads");
    let small = load::load(
        &Source::from_bytes("small", lines(&records[..4]).into_bytes()),
        None,
    );
    for loaded in [large, small.expect("it loads")] {
        let step = &loaded.conversations[0];
        let results: Vec<_> = (0..2)
            .filter_map(|at| step.turn(at)?.tool_calls()[0].result.get().cloned())
            .collect();
        assert_eq!(results, ["one".into(), "two".into()]);
        assert_eq!(step.unmatched_results[0].result.get(), Some(&"none".into()));
    }
}

#[test]
fn an_agent_that_an_agent_started_opens_from_its_call() {
    let start = |call: &str, prompt: &str| json!([{"type": "tool_use", "id": call, "name": "Agent", "input": {"prompt": prompt, "description": prompt}}]);
    let answer =
        |call: &str| json!([{"type": "tool_result", "tool_use_id": call, "content": "done"}]);
    let of = |agent: &str| json!({"isSidechain": true, "agentId": agent});
    let told = |agent: &str| json!({"toolUseResult": {"agentId": agent}});
    let mut with_result = of("a");
    with_result["toolUseResult"] = json!({"agentId": "b"});
    let folder = tempfile::tempdir().expect("a folder");
    let side = folder.path().join("s/subagents");
    fs::create_dir_all(&side).expect("a folder");
    let write = |path: std::path::PathBuf, records: &[Json]| {
        fs::write(path, lines(records)).expect("it is written");
    };
    let path = folder.path().join("s.jsonl");
    let main = [
        record("user", "u", &Json::Null, &json!("q"), &Json::Null),
        record(
            "assistant",
            "a",
            &json!("u"),
            &start("t1", "outer"),
            &Json::Null,
        ),
        record("user", "r", &json!("a"), &answer("t1"), &told("a")),
    ];
    write(path.clone(), &main);
    let outer = [
        record("user", "b1", &Json::Null, &json!("outer"), &of("a")),
        record(
            "assistant",
            "b2",
            &json!("b1"),
            &start("t2", "by its result"),
            &of("a"),
        ),
        record(
            "assistant",
            "b3",
            &json!("b2"),
            &start("t3", "by its prompt"),
            &of("a"),
        ),
        record("user", "b4", &json!("b3"), &answer("t2"), &with_result),
    ];
    write(side.join("agent-a.jsonl"), &outer);
    let inner = |agent: &str, asked: &str| {
        let id = |part: &str| format!("{agent}{part}");
        [
            record("user", &id("1"), &Json::Null, &json!(asked), &of(agent)),
            record(
                "assistant",
                &id("2"),
                &json!(id("1")),
                &text(agent),
                &of(agent),
            ),
        ]
    };
    write(side.join("agent-b.jsonl"), &inner("b", "other words"));
    write(side.join("agent-c.jsonl"), &inner("c", "by its prompt"));
    write(side.join("agent-d.jsonl"), &inner("d", "nobody's"));
    // Two that say that they started each other hang somewhere, once.
    for (agent, asked, asks) in [("x", "ping", "pong"), ("y", "pong", "ping")] {
        let mut records = inner(agent, asked);
        records[1]["message"]["content"] = start(agent, asks);
        write(side.join(format!("agent-{agent}.jsonl")), &records);
    }
    let loaded = load::open(&path, None).expect("it loads");
    let step = &loaded.conversations[0];
    let names = |step: &turnscope::step::Step| -> Vec<Option<String>> {
        let children = step.children.iter();
        children
            .map(|child| child.name.as_deref().map(str::to_owned))
            .collect()
    };
    let expected = |names: &[&str]| -> Vec<Option<String>> {
        names.iter().map(|name| Some((*name).to_owned())).collect()
    };
    assert_eq!(names(step), expected(&["outer", "d", "x"]));
    assert_eq!(step.turns()[0].children(), [0]);
    let outer = &step.children[0];
    assert_eq!(names(outer), expected(&["by its result", "by its prompt"]));
    let links: Vec<_> = outer.turns().iter().map(|turn| turn.children()).collect();
    assert_eq!(links, [vec![0], vec![1]]);
    assert_eq!(outer.children[0].mission.as_deref(), Some("other words"));
    assert_eq!(names(&step.children[2]), expected(&["pong"]));
    assert!(step.children[2].children[0].children.is_empty());
}

#[test]
fn what_is_skipped_in_the_file_of_an_agent_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let side = folder.path().join("s/subagents");
    fs::create_dir_all(&side).expect("a folder");
    let path = folder.path().join("s.jsonl");
    let main = record("user", "u", &Json::Null, &json!("q"), &Json::Null);
    fs::write(&path, main.to_string()).expect("it is written");
    let of = json!({"isSidechain": true, "agentId": "a"});
    let own = [
        record("user", "b1", &Json::Null, &json!("look"), &of),
        json!({"type": "attachment", "attachment": {}}),
    ];
    fs::write(side.join("agent-a.jsonl"), lines(&own)).expect("it is written");
    let loaded = load::open(&path, None).expect("it loads");
    let told = "in the sub-agent's file agent-a.jsonl: 1 not understood";
    assert_eq!(loaded.report.notes, [told]);
}

#[test]
fn a_reply_behind_one_that_hangs_on_nothing_is_no_branch() {
    let none = json!({});
    let loose = json!({"type": "assistant", "uuid": "x", "sessionId": "s", "message": {"role": "assistant", "id": "mx", "content": text("one")}});
    let records = [
        record("user", "u", &Json::Null, &json!("q"), &none),
        loose,
        record("assistant", "a", &json!("u"), &text("two"), &none),
    ];
    let known = loaded("claude-code", &lines(&records));
    assert!(known.conversations[0].events.is_empty());
    // Both hang on the same record.
    let mut again = records.clone();
    again[1]["parentUuid"] = json!("u");
    let branched = loaded("claude-code", &lines(&again));
    assert_eq!(branched.conversations[0].events.len(), 1);
}

#[test]
fn a_result_that_is_an_error_says_which_though_it_is_called_a_success() {
    let said = record("assistant", "a", &Json::Null, &text("hi"), &Json::Null);
    let result = json!({"type": "result", "subtype": "success", "is_error": true, "result": "API Error: 529", "session_id": "s"});
    let loaded = loaded("claude-code", &lines(&[said, result]));
    let Ending::Fail(failure) = &loaded.conversations[0].ending else {
        panic!("it failed");
    };
    assert_eq!(
        (failure.reason.as_deref(), failure.message.as_deref()),
        (None, Some("API Error: 529"))
    );
}

#[test]
fn a_summary_without_a_boundary_is_a_compaction() {
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null, "sessionId": "s"});
    let flag = json!({"isCompactSummary": true});
    let first = [
        record("user", "u", &Json::Null, &json!("q"), &Json::Null),
        record("assistant", "a", &json!("u"), &text("one"), &Json::Null),
    ];
    let then = [
        record("user", "c", &json!("a"), &json!("so far"), &flag),
        record("assistant", "d", &json!("c"), &text("two"), &Json::Null),
    ];
    let with = [&first[..], &[boundary], &then[..]].concat();
    for records in [[first, then].concat(), with] {
        let loaded = loaded("claude-code", &lines(&records));
        let events = &loaded.conversations[0].events;
        let told: Vec<_> = events
            .iter()
            .map(|event| (event.kind, event.after))
            .collect();
        assert_eq!(told, [(EventKind::Compaction, 1)]);
    }
}
