//! Codex: layouts of the first versions, what open models think, what Codex itself puts in.

use serde_json::{Value as Json, json};

use super::{held, loaded};
use turnscope::load::{self, Source};
use turnscope::step::{Ending, Step};

fn lines(records: &[Json]) -> String {
    let lines: Vec<String> = records.iter().map(Json::to_string).collect();
    lines.join("\n")
}

fn item(payload: &Json) -> Json {
    json!({"type": "response_item", "timestamp": "2026-01-01T00:00:00Z", "payload": payload})
}

fn message(role: &str, text: &str) -> Json {
    json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]})
}

fn event(payload: &Json) -> Json {
    json!({"type": "event_msg", "timestamp": "2026-01-01T00:00:00Z", "payload": payload})
}

fn head() -> Json {
    json!({"type": "session_meta", "payload": {"id": "s"}})
}

/// How each call was named, and what became of it.
fn calls(step: &Step) -> Vec<(String, String)> {
    let calls = step.turns().iter().flat_map(|turn| turn.tool_calls());
    let told = |call: &turnscope::step::ToolCall| {
        let answer = call.error.as_ref().or(call.result.get());
        answer.map_or_else(String::new, |told| {
            told.as_str()
                .map_or_else(|| format!("{told:?}"), str::to_owned)
        })
    };
    calls
        .map(|call| (call.name.to_string(), told(call)))
        .collect()
}

#[test]
fn what_codex_puts_in_is_no_mission_in_events_either() {
    let context = "<environment_context>here</environment_context>";
    let told = |text: &str| event(&json!({"type": "user_message", "message": text}));
    let with_items = [
        head(),
        item(&message("user", context)),
        told(context),
        item(&message("user", "go")),
        told("go"),
        item(&message("assistant", "done")),
    ];
    let events = [
        head(),
        told(context),
        told("go"),
        event(&json!({"type": "agent_message", "message": "done"})),
    ];
    for records in [&with_items[..], &events] {
        let loaded = loaded("codex", &lines(records));
        let step = &loaded.conversations[0];
        assert_eq!(step.mission.as_deref(), Some("go"));
        let inputs = step.turns()[0].inputs();
        assert!(matches!(inputs, [input] if input.injected && &*input.text == context));
    }
}

#[test]
fn the_first_versions_wrote_one_document() {
    let document = json!({
        "session": {"timestamp": "2025-04-20T00:00:00Z", "id": "u", "instructions": "be good"},
        "items": [
            message("user", "hi"),
            {"type": "reasoning", "id": "r", "summary": [], "duration_ms": 5},
            {"type": "function_call", "id": "f", "call_id": "c", "name": "shell", "arguments": "{\"cmd\":[\"ls\"]}"},
            {"type": "function_call_output", "call_id": "c", "output": "{\"output\":\"a\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":1}}"},
            message("assistant", "ok"),
        ],
    });
    let pretty = serde_json::to_string_pretty(&document).expect("JSON");
    for text in [document.to_string(), pretty] {
        let loaded = loaded("codex", &text);
        let step = &loaded.conversations[0];
        assert_eq!(step.turns().len(), 2);
        assert_eq!(step.mission.as_deref(), Some("hi"));
        assert_eq!(step.system_prompt.as_deref(), Some("be good"));
        let call = &step.turns()[0].tool_calls()[0];
        assert!(call.error.is_some() && call.duration_ms == Some(1000));
    }
}

#[test]
fn thinking_stands_in_the_content_where_there_is_no_summary() {
    let thought = |text: &str| json!([{"type": "reasoning_text", "text": text}]);
    let records = [
        head(),
        item(
            &json!({"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "f"}]}),
        ),
        item(&message("user", "go")),
        item(&json!({"type": "reasoning", "summary": [], "content": thought("hm")})),
        item(
            &json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "so"}], "content": thought("long")}),
        ),
        item(&message("assistant", "done")),
    ];
    let loaded = loaded("codex", &lines(&records));
    let step = &loaded.conversations[0];
    assert_eq!(
        step.turns()[0].thinking().get().map(|text| &**text),
        Some("hm\n\nso")
    );
    assert_eq!(step.tools.len(), 1);
    assert_eq!(loaded.report.skipped(), 0);
}

#[test]
fn items_of_an_execution_are_calls_with_what_they_came_to() {
    let done = |item: &Json| json!({"type": "item.completed", "item": item});
    let records = [
        json!({"type": "thread.started", "thread_id": "t"}),
        done(
            &json!({"id": "0", "type": "mcp_tool_call", "server": "s", "tool": "t", "arguments": {}, "result": {"content": [{"type": "text", "text": "hey"}], "structured_content": null}, "error": null, "status": "completed"}),
        ),
        done(
            &json!({"id": "1", "type": "mcp_tool_call", "server": "s", "tool": "t", "arguments": {}, "result": null, "error": {"message": "bad"}, "status": "failed"}),
        ),
        done(
            &json!({"id": "2", "type": "collab_tool_call", "tool": "wait", "prompt": null, "agents_states": {}, "status": "completed"}),
        ),
        done(&json!({"id": "3", "type": "plan", "text": "first this"})),
    ];
    let loaded = loaded("codex", &lines(&records));
    let step = &loaded.conversations[0];
    let told = calls(step);
    let told: Vec<_> = told.iter().map(|(name, said)| (&**name, &**said)).collect();
    assert_eq!(told[..2], [("mcp__s__t", "hey"), ("mcp__s__t", "bad")]);
    assert_eq!((told[2].0, step.turns().len()), ("wait", 2));
    assert_eq!(loaded.report.skipped(), 0);
}

#[test]
fn events_alone_tell_what_happened_where_it_did() {
    let said = |text: &str| event(&json!({"type": "agent_message", "message": text}));
    let records = [
        head(),
        event(&json!({"type": "user_message", "message": "go"})),
        event(&json!({"type": "agent_reasoning", "text": "hm"})),
        said("one"),
        event(
            &json!({"type": "exec_command_end", "call_id": "c", "command": ["ls"], "aggregated_output": "no", "exit_code": 2}),
        ),
        event(&json!({"type": "turn_aborted", "reason": "interrupted"})),
        said("two"),
        event(&json!({"type": "error", "message": "over"})),
    ];
    let loaded = loaded("codex", &lines(&records));
    let step = &loaded.conversations[0];
    let events = step.events.iter();
    let told: Vec<_> = events
        .map(|event| (event.after, event.text.as_deref()))
        .collect();
    assert_eq!(told, [(1, Some("interrupted")), (2, Some("over"))]);
    assert_eq!(step.turns().len(), 2);
    assert_eq!(
        step.turns()[0].thinking().get().map(AsRef::as_ref),
        Some("hm")
    );
    assert_eq!(calls(step), [("exec_command".to_owned(), "no".to_owned())]);
    assert!(step.turns()[0].tool_calls()[0].error.is_some());
}

#[test]
fn each_completed_turn_of_exec_without_items_is_a_turn() {
    let done = |count: u64| json!({"type": "turn.completed", "usage": {"input_tokens": count, "output_tokens": 1}});
    let item = json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": "said"}});
    let start = json!({"type": "thread.started", "thread_id": "t"});
    let loaded = loaded(
        "codex",
        &lines(&[start, done(10), done(20), item, done(30)]),
    );
    let turns = loaded.conversations[0].turns();
    let told: Vec<_> = turns
        .iter()
        .map(|turn| (turn.usage().input, turn.raw_response().get().is_some()))
        .collect();
    assert_eq!(
        told,
        [(Some(10), false), (Some(20), false), (Some(30), true)]
    );
}

#[test]
fn an_error_of_exec_before_a_turn_that_completed_is_no_end() {
    let start = json!({"type": "thread.started", "thread_id": "t"});
    let error = json!({"type": "error", "message": "Reconnecting... 1/5"});
    let said = json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": "said"}});
    let done = json!({"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}});
    let good = loaded(
        "codex",
        &lines(&[start.clone(), error.clone(), said.clone(), done]),
    );
    assert_eq!(good.conversations[0].ending, Ending::Open);
    assert_eq!(good.conversations[0].events.len(), 1);
    assert_eq!(good.report.notes.len(), 1);
    let bad = loaded("codex", &lines(&[start, said, error]));
    assert!(matches!(bad.conversations[0].ending, Ending::Fail(_)));
}

/// What arrived before the first reply, the mission in its place.
fn arrived(step: &Step) -> Vec<(String, bool)> {
    let inputs = step.turns()[0].inputs().iter();
    let mut told: Vec<(String, bool)> = inputs
        .map(|input| (input.text.to_string(), input.injected))
        .collect();
    let mission = step.mission.as_deref().unwrap_or_default().to_owned();
    told.insert(step.mission_after, (mission, false));
    told
}

#[test]
fn what_was_sent_around_the_mission_is_kept() {
    let asked = || event(&json!({"type": "user_message", "message": "fix bug"}));
    let sent = || {
        let text = "# Context from my IDE setup:\nx.rs\n\n## My request for Codex:\nfix bug\n";
        item(&message("user", text))
    };
    let done = || item(&message("assistant", "done"));
    let folder = tempfile::tempdir().expect("a folder");
    for records in [
        vec![head(), sent(), asked(), done()],
        vec![head(), asked(), sent(), done()],
    ] {
        let text = lines(&records);
        let small = loaded("codex", &text);
        let around = "# Context from my IDE setup:\nx.rs\n\n## My request for Codex:";
        let expected = [(around.to_owned(), true), ("fix bug".to_owned(), false)];
        assert_eq!(arrived(&small.conversations[0]), expected, "{text}");
        // A large one is read again.
        let path = folder.path().join("rollout.jsonl");
        let pad = json!({"type": "world_state", "payload": {"pad": "x".repeat(64 << 10)}});
        std::fs::write(&path, format!("{text}\n{pad}\n")).expect("it is written");
        let source = Source::open_holding(&path, 32 << 10).expect("it can be read");
        let large = load::load(&source, None).expect("it loads");
        assert!(large.conversations[0].turns()[0].is_shelved());
        assert_eq!(held::difference(&large, &small), None, "{text}");
    }
    // A machine's text that nobody knows as one came first.
    let first = item(&message("user", "<new_context>x</new_context>"));
    let records = [head(), first, sent(), asked(), done()];
    let loaded = loaded("codex", &lines(&records));
    let told = arrived(&loaded.conversations[0]);
    let injected: Vec<bool> = told.iter().map(|(_, injected)| *injected).collect();
    assert_eq!(injected, [true, true, false], "{told:?}");
    assert_eq!(loaded.conversations[0].mission.as_deref(), Some("fix bug"));
    // What is asked stands in what is around it too.
    let twice = "Open: fix bug.txt\nfix bug";
    let first = item(&message("user", twice));
    let loaded = super::loaded("codex", &lines(&[head(), first, asked(), done()]));
    let expected = [(twice.to_owned(), false)];
    assert_eq!(arrived(&loaded.conversations[0]), expected);
}

#[test]
fn a_counter_before_the_first_turn_is_no_total_of_the_run() {
    let count = |input: u64| {
        let usage = json!({"input_tokens": input, "output_tokens": 1, "total_tokens": input + 1});
        event(&json!({"type": "token_count", "info": {"total_token_usage": usage}}))
    };
    let records = [
        head(),
        item(&message("user", "q")),
        count(1000),
        item(&message("assistant", "a")),
        count(1300),
    ];
    let told = loaded("codex", &lines(&records));
    let step = &told.conversations[0];
    assert_eq!(step.turns()[0].usage().input, Some(300));
    assert!(step.usage.is_empty(), "{:?}", step.usage);
    assert_eq!(told.report.notes.len(), 1, "{:?}", told.report.notes);
    // Where no turn has a counter, it is the run's.
    let told = loaded("codex", &lines(&records[..4]));
    assert_eq!(told.conversations[0].usage.input, Some(1000));
}

#[test]
fn a_thread_that_goes_on_in_its_file_has_no_parent_in_it() {
    let again = |id: &str| {
        let next = json!({"type": "session_meta", "payload": {"id": id}});
        let said = item(&message("assistant", "a"));
        loaded("codex", &lines(&[head(), said.clone(), next, said]))
    };
    assert_eq!(again("s").report.notes, [] as [&str; 0]);
    assert_eq!(again("parent").report.notes.len(), 1);
}
