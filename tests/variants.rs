//! Layouts of other people's formats of which there is no sample: small traces made by hand from the
//! writers' documentation.

use turnscope::load::{self, Loaded, Source};
use turnscope::step::{Ending, Step};
use turnscope::value::Value;

fn loaded(format: &str, text: &str) -> Loaded {
    let source = Source::from_bytes(format, text.as_bytes().to_vec());
    let loaded = load::load(&source, None).unwrap_or_else(|error| panic!("{format}: {error}"));
    assert_eq!(loaded.format, format, "{text}");
    loaded
}

fn calls_and_results(step: &Step) -> (usize, usize) {
    let calls = || step.turns().iter().flat_map(|turn| turn.tool_calls());
    (
        calls().count(),
        calls().filter(|call| call.result.get().is_some()).count(),
    )
}

#[test]
fn the_responses_api_logs_a_question_and_items() {
    let text = r#"{"model":"m","instructions":"be-brief","input":"ask","output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"reply"}]}],"usage":{"input_tokens":4,"output_tokens":2}}"#;
    let loaded = loaded("openai-chat", text);
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("ask"));
    assert_eq!(step.system_prompt.as_deref(), Some("be-brief"));
    assert_eq!(step.turns().len(), 1);
    assert_eq!(step.turns()[0].usage().input, Some(4));
}

#[test]
fn results_find_their_calls_in_a_chat() {
    // Before its call; and under an identifier that the call doesn't have.
    for messages in [
        r#"{"role":"tool","tool_call_id":"a","content":"r"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}"#,
        r#"{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"r"}"#,
    ] {
        let loaded = loaded(
            "openai-chat",
            &format!(r#"[{{"role":"user","content":"q"}},{messages}]"#),
        );
        let step = &loaded.conversations[0];
        assert_eq!(calls_and_results(step), (1, 1), "{messages}");
        assert_eq!(step.unmatched_results, []);
    }
}

#[test]
fn a_chat_with_an_empty_list_of_tools_has_programs() {
    let text = r#"{"tools":[],"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"Do:\n```sh\nls\n```"}]}"#;
    let loaded = loaded("openai-chat", text);
    assert!(loaded.conversations[0].turns()[0].program().get().is_some());
}

#[test]
fn clines_history_tells_times_tokens_and_the_model() {
    let text = r#"[{"role":"user","content":[{"type":"text","text":"<task>\nfix\n</task>"}],"ts":1700000000000},{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"t","name":"read_file","input":{}}],"ts":1700000001000,"modelInfo":{"modelId":"m"},"metrics":{"tokens":{"prompt":7,"completion":3,"cached":2}}},{"role":"user","content":[{"type":"text","text":"[read_file for 'x'] Result:\nbody"}]}]"#;
    let loaded = loaded("anthropic-messages", text);
    let step = &loaded.conversations[0];
    assert_eq!(
        (step.mission.as_deref(), step.model.as_deref()),
        (Some("fix"), Some("m"))
    );
    let usage = step.turns()[0].usage();
    assert_eq!(
        (usage.input, usage.output, usage.cache_read),
        (Some(7), Some(3), Some(2))
    );
    assert_eq!(step.pending_person_inputs(), 0);
}

#[test]
fn blocks_of_anthropic_settle_a_list_with_a_system_message() {
    let text = r#"[{"role":"system","content":"be-brief"},{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"redacted_thinking","data":"x"},{"type":"tool_use","id":"t","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r"}]}]"#;
    let loaded = loaded("anthropic-messages", text);
    let step = &loaded.conversations[0];
    assert_eq!(step.system_prompt.as_deref(), Some("be-brief"));
    assert_eq!(calls_and_results(step), (1, 1));
}

#[test]
fn stream_json_tells_how_it_ended() {
    let begin = r#"{"type":"system","subtype":"hook_started","session_id":"s"}
{"type":"system","subtype":"init","session_id":"s","tools":["Bash"],"model":"m"}
{"type":"assistant","session_id":"s","message":{"id":"a","role":"assistant","content":[{"type":"text","text":"hi"}]}}
"#;
    let done = r#"{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s","usage":{"input_tokens":1,"output_tokens":2}}"#;
    let loaded_done = loaded("claude-code", &format!("{begin}{done}"));
    let ending = &loaded_done.conversations[0].ending;
    assert_eq!(*ending, Ending::Return(Value::string("done")));
    let failed =
        r#"{"type":"result","subtype":"error_max_turns","is_error":true,"session_id":"s"}"#;
    let loaded = loaded("claude-code", &format!("{begin}{failed}"));
    assert!(matches!(&loaded.conversations[0].ending, Ending::Fail(_)));
}

#[test]
fn a_broken_off_session_of_claude_code_says_so() {
    let text = r#"{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"go"}}
{"type":"user","sessionId":"s","uuid":"v","message":{"role":"user","content":""}}
{"type":"assistant","sessionId":"s","uuid":"w","isApiErrorMessage":true,"message":{"id":"a","role":"assistant","stop_reason":null,"content":[{"type":"redacted_thinking","data":"x"},{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}"#;
    let loaded = loaded("claude-code", text);
    let step = &loaded.conversations[0];
    assert_eq!(step.turns()[0].person_inputs(), 0);
    assert!(step.turns()[0].thinking().get().is_some());
    assert_eq!(loaded.report.notes.len(), 2, "{:?}", loaded.report.notes);
}

#[test]
fn a_codex_task_that_is_complete_has_returned() {
    let line = |kind: &str, payload: &str| {
        format!(r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"{kind}","payload":{payload}}}"#)
    };
    let text = [
        line(
            "session_meta",
            r#"{"id":"s","subagent_history_start_ordinal":0}"#,
        ),
        line(
            "event_msg",
            r#"{"type":"turn_aborted","reason":"interrupted"}"#,
        ),
        line("event_msg", r#"{"type":"task_started"}"#),
        line(
            "response_item",
            r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}"#,
        ),
        line(
            "event_msg",
            r#"{"type":"task_complete","last_agent_message":"done"}"#,
        ),
    ];
    let loaded = loaded("codex", &text.join("\n"));
    assert_eq!(
        loaded.conversations[0].ending,
        Ending::Return(Value::string("done"))
    );
}

#[test]
fn what_a_parent_thread_spent_is_not_spent_again() {
    let count = |ordinal: u32, total: u32| {
        format!(
            r#"{{"ordinal":{ordinal},"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{total},"output_tokens":0,"total_tokens":{total}}}}}}}}}"#
        )
    };
    let text = [
        r#"{"ordinal":0,"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","subagent_history_start_ordinal":5}}"#.to_owned(),
        count(2, 1000),
        r#"{"ordinal":6,"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"own"}]}}"#.to_owned(),
        count(7, 1030),
    ];
    let loaded = loaded("codex", &text.join("\n"));
    assert_eq!(loaded.conversations[0].turns()[0].usage().input, Some(30));
}

#[test]
fn the_last_message_of_an_old_mini_swe_agent_is_its_submission() {
    let text = r#"[{"role":"system","content":"s"},{"role":"user","content":"m"},{"role":"assistant","content":"Do\n```bash\nls\n```"},{"role":"user","content":"<returncode>0</returncode>"},{"role":"assistant","content":"Now\n```bash\nsubmit\n```"},{"role":"user","content":"the patch"}]"#;
    let loaded = loaded("mini-swe-agent", text);
    let step = &loaded.conversations[0];
    assert_eq!(step.ending, Ending::Return(Value::string("the patch")));
    assert_eq!(
        step.turns()[1].result().get(),
        Some(&Value::string("the patch"))
    );
    assert_eq!(step.pending_person_inputs(), 0);
}

#[test]
fn an_atif_run_may_begin_with_the_agent_and_hold_runs_in_runs() {
    let text = r#"{"schema_version":"ATIF-v1.7","agent":{"name":"a"},"trajectory_id":"0","steps":[
        {"source":"agent","message":"ready"},{"source":"user","message":"task"},{"source":"system","message":"context was cut"},
        {"source":"agent","message":"go","observation":{"results":[{"subagent_trajectory_ref":[{"trajectory_id":"1"}]}]}}],
        "subagent_trajectories":[{"trajectory_id":"1","agent":{"name":"b"},"steps":[{"source":"agent","message":"b","observation":{"results":[{"subagent_trajectory_ref":[{"trajectory_id":"2"}]}]}}],
            "subagent_trajectories":[{"trajectory_id":"2","agent":{"name":"c"},"steps":[{"source":"agent","message":"c"}]}]}]}"#;
    let loaded = loaded("atif", text);
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("task"));
    assert!(step.turns()[1].inputs().iter().any(|input| input.injected));
    assert_eq!(step.children[0].children[0].turns().len(), 1);
}

#[test]
fn a_history_of_swe_agent_alone_is_known_by_its_messages() {
    let text = r#"{"environment":"e","info":{"exit_status":"submitted (exit_cost)","submission":"p"},"history":[{"role":"system","content":"s","message_type":"system_prompt","agent":"main"},{"role":"user","content":"issue","message_type":"observation"},{"role":"assistant","content":"look","action":"ls","message_type":"action"}]}"#;
    let loaded = loaded("swe-agent", text);
    assert_eq!(loaded.conversations[0].turns().len(), 1);
    assert!(
        loaded
            .report
            .notes
            .iter()
            .any(|note| note.contains("forced"))
    );
}

#[test]
fn what_is_no_trace_is_refused_with_what_to_do() {
    for (bytes, word) in [
        (
            b"event: message_start\ndata: {}\n".as_slice(),
            "server-sent",
        ),
        (b"SQLite format 3\0rest".as_slice(), "opencode export"),
        (b" [] ".as_slice(), "nothing in it"),
        (b"{}".as_slice(), "nothing in it"),
        (b"a,b,c\n1,2,3\n".as_slice(), "JSON"),
        (b"2026-01-01 INFO started\n".as_slice(), "JSON"),
        (b"\x7fELF\0\0\0".as_slice(), "JSON"),
        (
            br#"{"name":"package","version":"1.0.0"}"#.as_slice(),
            "--format",
        ),
        (b"   \n\n\t ".as_slice(), "empty"),
        (b"".as_slice(), "empty"),
    ] {
        let source = Source::from_bytes("file", bytes.to_vec());
        let error = load::load(&source, None).expect_err("no trace").to_string();
        assert!(error.contains(word), "{word}: {error}");
    }
}
