//! Layouts of other people's formats of which there is no sample: small traces made by hand from the
//! writers' documentation.

use turnscope::load::{self, Loaded, Source};
use turnscope::step::{Ending, EventKind, Outcome, Step};
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

/// A run of LangSmith's: its own fields, then what only it has.
fn langsmith_run(id: &str, parent: &str, kind: &str, second: u32, rest: &str) -> String {
    let parent = if parent.is_empty() {
        "null".to_owned()
    } else {
        format!("\"{parent}\"")
    };
    format!(
        r#"{{"id":"{id}","trace_id":"t1","parent_run_id":{parent},"run_type":"{kind}","name":"{kind}-{id}","start_time":"2026-05-01T10:00:{second:02}.000000","end_time":"2026-05-01T10:00:{second:02}.250000","dotted_order":"20260501T1000{second:02}Z{id}",{rest}}}"#
    )
}

fn langsmith_runs() -> Vec<String> {
    let human = r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"How many?","type":"human"}}"#;
    let call = r#"{"name":"count","args":{"of":"birds"},"id":"c1","type":"tool_call"}"#;
    let asks = format!(
        r#"{{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{{"content":[{{"type":"text","text":"I count."}},{{"type":"tool_use","id":"c1","name":"count","input":{{"of":"birds"}}}}],"tool_calls":[{call}],"usage_metadata":{{"input_tokens":30,"output_tokens":5,"total_tokens":35,"input_token_details":{{"cache_read":10}}}}}}}}"#
    );
    let told = r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"kwargs":{"content":"7","tool_call_id":"c1","type":"tool"}}"#;
    let says = r#"{"text":"Seven.","message":{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"Seven."}}}"#;
    vec![
        // Children come before their parents, as runs end.
        langsmith_run(
            "b",
            "a",
            "llm",
            1,
            &format!(
                r#""inputs":{{"messages":[[{human}]]}},"outputs":{{"generations":[[{{"message":{asks}}}]]}},"extra":{{"invocation_params":{{"model":"m-1","tools":[{{"type":"function","function":{{"name":"count","description":"Counts"}}}}]}}}}"#
            ),
        ),
        langsmith_run(
            "c",
            "a",
            "tool",
            2,
            r#""inputs":{"input":"{\"of\":\"birds\"}"},"outputs":{"output":{"content":"7","type":"tool","tool_call_id":"c1","status":"success"}}"#,
        ),
        langsmith_run(
            "d",
            "a",
            "llm",
            3,
            &format!(
                r#""inputs":{{"messages":[[{human},{asks},{told}]]}},"outputs":{{"generations":[[{says}]]}},"error":null"#
            ),
        ),
        langsmith_run(
            "a",
            "",
            "chain",
            0,
            r#""inputs":{"messages":[{"role":"user","content":"How many?"}]},"outputs":{"output":"Seven."}"#,
        ),
    ]
}

#[test]
fn runs_of_langsmith_are_turns() {
    let runs = langsmith_runs();
    for text in [
        runs.join("\n"),
        format!("[{}]", runs.join(",")),
        format!("{{\"runs\":[{}]}}", runs.join(",\n")),
    ] {
        let loaded = loaded("langsmith", &text);
        assert_eq!(loaded.report.damaged, 0, "{:?}", loaded.report);
        assert_eq!(loaded.conversations.len(), 1);
        let step = &loaded.conversations[0];
        assert_eq!(step.mission.as_deref(), Some("How many?"));
        assert_eq!(step.model.as_deref(), Some("m-1"));
        assert_eq!(step.tools.len(), 1);
        assert_eq!(step.turns().len(), 2);
        assert_eq!(calls_and_results(step), (1, 1));
        let turn = &step.turns()[0];
        assert_eq!(
            turn.raw_response().get().map(|said| &**said),
            Some("I count.")
        );
        let call = &turn.tool_calls()[0];
        assert_eq!(call.result.get(), Some(&Value::string("7")));
        assert_eq!(call.duration_ms, Some(250));
        let usage = turn.usage();
        assert_eq!(
            (usage.input, usage.output, usage.cache_read),
            (Some(30), Some(5), Some(10))
        );
        let sent = step.turns()[1].messages().get().expect("a prompt");
        assert_eq!(sent.len(), 3);
        assert_eq!(step.ending, Ending::Return(Value::string("Seven.")));
    }
}

#[test]
fn runs_of_langsmith_inside_runs_and_failed_ones_are_read() {
    let text = r#"{"id":"a","run_type":"chain","name":"agent","start_time":"2026-05-01T10:00:00","inputs":{"input":"Go"},"error":"stopped","child_runs":[{"id":"b","run_type":"llm","name":"model","inputs":{"messages":[{"role":"user","content":"Go"}]},"outputs":{"choices":[{"message":{"role":"assistant","content":"","tool_calls":[{"id":"x","type":"function","function":{"name":"go","arguments":"{}"}}]}}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}},"child_runs":[]},{"id":"c","run_type":"tool","name":"go","inputs":{},"outputs":null,"error":"no way"}]}"#;
    let loaded = loaded("langsmith", text);
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("Go"));
    assert_eq!(step.turns().len(), 1);
    assert_eq!(step.turns()[0].usage().total, Some(4));
    let call = &step.turns()[0].tool_calls()[0];
    assert_eq!(call.error, Some(Value::string("no way")));
}

#[test]
fn spans_of_phoenix_are_turns() {
    let flat = [
        r#"{"name":"agent","span_kind":"AGENT","parent_id":null,"start_time":1777629600000,"end_time":1777629604000,"status_code":"OK","context.span_id":"a","context.trace_id":"t1","attributes.input.value":"{\"task\":\"How many?\"}","attributes.output.value":"Seven."}"#,
        r#"{"name":"model","span_kind":"LLM","parent_id":"a","start_time":1777629601000,"end_time":1777629601500,"status_code":"OK","context.span_id":"b","context.trace_id":"t1","attributes.llm.model_name":"m-1","attributes.llm.token_count.prompt":30,"attributes.llm.token_count.completion":5,"attributes.llm.input_messages":[{"message.role":"user","message.content":"How many?"}],"attributes.llm.output_messages":[{"message.role":"assistant","message.content":"I count.","message.tool_calls":[{"tool_call.id":"c1","tool_call.function.name":"count","tool_call.function.arguments":"{\"of\":\"birds\"}"}]}],"attributes.llm.tools":[{"tool.json_schema":"{\"type\":\"function\",\"function\":{\"name\":\"count\"}}"}]}"#,
        r#"{"name":"count","span_kind":"TOOL","parent_id":"a","start_time":1777629602000,"end_time":1777629602100,"status_code":"ERROR","status_message":"no birds","context.span_id":"c","context.trace_id":"t1","attributes.tool.name":"count","attributes.input.value":"{\"of\":\"birds\"}"}"#,
    ];
    let nested = r#"{"data":[{"id":"S1","name":"model","context":{"trace_id":"t1","span_id":"b"},"span_kind":"LLM","parent_id":null,"start_time":"2026-05-01T10:00:01+00:00","end_time":"2026-05-01T10:00:01.500+00:00","status_code":"OK","status_message":"","attributes":{"llm":{"model_name":"m-1","token_count":{"prompt":30},"output_messages":[{"message":{"role":"assistant","content":"I count.","tool_calls":[{"tool_call":{"function":{"name":"count","arguments":"{}"}}}]}}]}},"events":[]}],"next_cursor":null}"#;
    for text in [flat.join("\n"), format!("[{}]", flat.join(","))] {
        let loaded = loaded("phoenix", &text);
        let step = &loaded.conversations[0];
        assert_eq!(step.mission.as_deref(), Some("How many?"));
        assert_eq!((step.turns().len(), step.tools.len()), (1, 1));
        let turn = &step.turns()[0];
        assert_eq!(
            turn.raw_response().get().map(|said| &**said),
            Some("I count.")
        );
        assert_eq!(turn.duration_ms(), Some(500));
        assert_eq!(turn.usage().input, Some(30));
        assert_eq!(turn.tool_calls()[0].error, Some(Value::string("no birds")));
    }
    let loaded = loaded("phoenix", nested);
    let turn = &loaded.conversations[0].turns()[0];
    assert_eq!(turn.tool_calls().len(), 1);
    assert_eq!(
        (turn.duration_ms(), turn.usage().input),
        (Some(500), Some(30))
    );
}

#[test]
fn calls_without_a_mark_are_neither_failed_nor_well() {
    let codex = |output: &str| {
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{{"type":"function_call","name":"f","call_id":"c","arguments":"{{}}"}}}}
{{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{{"type":"function_call_output","call_id":"c","output":"{output}"}}}}"#
        )
    };
    let chat = r#"[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"r"}]"#;
    for (format, text, unmarked) in [
        ("openai-chat", chat.to_owned(), true),
        ("codex", codex("it went"), true),
        ("codex", codex("Exit code: 0\\nOutput:\\nit went"), false),
    ] {
        let loaded = loaded(format, &text);
        let call = &loaded.conversations[0].turns()[0].tool_calls()[0];
        assert_eq!(call.unmarked, unmarked, "{text}");
        assert!(call.error.is_none() && call.is_answered(), "{text}");
    }
}

#[test]
fn codex_exec_wrote_events_before_it_had_items() {
    let event = |msg: &str| format!(r#"{{"id":"0","msg":{msg}}}"#);
    let text = [
        r#"{"workdir":"/w","model":"m","provider":"openai","approval":"never","sandbox":"read-only"}"#.to_owned(),
        r#"{"prompt":"count the files"}"#.to_owned(),
        event(r#"{"type":"task_started","model_context_window":1000}"#),
        event(r#"{"type":"agent_reasoning","text":"I look."}"#),
        event(r#"{"type":"exec_command_begin","call_id":"c1","command":["bash","-lc","ls"],"cwd":"/w"}"#),
        event(r#"{"type":"exec_command_begin","call_id":"c2","command":["false"],"cwd":"/w"}"#),
        event(r#"{"type":"exec_command_end","call_id":"c1","stdout":"a\n","stderr":"","exit_code":0,"duration":{"secs":0,"nanos":5000000}}"#),
        event(r#"{"type":"exec_command_end","call_id":"c2","stdout":"","stderr":"no","exit_code":1,"duration":{"secs":1,"nanos":0}}"#),
        event(r#"{"type":"token_count","input_tokens":100,"cached_input_tokens":40,"output_tokens":10,"total_tokens":110}"#),
        event(r#"{"type":"agent_message","message":"One file."}"#),
        event(r#"{"type":"token_count","input_tokens":250,"cached_input_tokens":90,"output_tokens":15,"total_tokens":265}"#),
        event(r#"{"type":"task_complete","last_agent_message":"One file."}"#),
    ];
    let loaded = loaded("codex", &text.join("\n"));
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("count the files"));
    assert_eq!(step.model.as_deref(), Some("m"));
    let [first, second] = step.turns() else {
        panic!("{} turns", step.turns().len());
    };
    let calls = first.tool_calls();
    assert_eq!(calls[0].result.get(), Some(&Value::string("a\n")));
    assert_eq!((calls[0].duration_ms, calls[0].unmarked), (Some(5), false));
    assert_eq!(calls[1].error, Some(Value::string("no")));
    assert_eq!(first.usage().input, Some(100));
    let usage = second.usage();
    assert_eq!(
        (usage.input, usage.cache_read, usage.output),
        (Some(150), Some(50), Some(5))
    );
    assert_eq!(step.ending, Ending::Return(Value::string("One file.")));
    assert_eq!(loaded.report.skipped(), 0, "{:?}", loaded.report);
}

#[test]
fn searches_of_the_web_are_not_unanswered() {
    let item = |payload: &str| {
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{payload}}}"#
        )
    };
    let text = [
        item(
            r#"{"type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}}"#,
        ),
        item(r#"{"type":"function_call","name":"f","call_id":"c","arguments":"{}"}"#),
        item(r#"{"type":"function_call_output","call_id":"c","output":"done"}"#),
    ];
    let found = problems(&loaded("codex", &text.join("\n")));
    assert!(!found.iter().any(|told| told.starts_with("unanswered")));
}

/// What went wrong in a run, in words.
fn problems(loaded: &Loaded) -> Vec<String> {
    let run = turnscope::compression::Run::new(std::sync::Arc::clone(&loaded.conversations[0]));
    let analysis = turnscope::analysis::Analysis::new(
        std::sync::Arc::new(run),
        turnscope::tokens::Tokenizer::Estimate,
        turnscope::analysis::Profile::default(),
    );
    let problems = analysis.problems(None);
    let told = problems.iter().map(|problem| problem.what.to_string());
    told.collect()
}

/// Nothing answers the call by which a run returns.
#[test]
fn the_call_that_ends_a_run_is_not_unanswered() {
    let text = r#"[
        {"id":0,"source":"user","action":"message","args":{"content":"task"}},
        {"id":1,"source":"agent","action":"run","args":{"command":"ls"}},
        {"id":2,"source":"agent","observation":"run","cause":1,"content":"a","extras":{}},
        {"id":3,"source":"agent","action":"run","args":{"command":"pwd"}},
        {"id":4,"source":"agent","action":"finish","args":{"final_thought":"done"}}]"#;
    let found = problems(&loaded("openhands", text));
    assert_eq!(found, ["unanswered call: run (call 1)"]);
}

/// Of an answer that is not known nobody can say that it changed.
#[test]
fn an_unknown_answer_has_not_changed() {
    let call =
        |id: &str| format!(r#"{{"tool_call_id":"{id}","function_name":"f","arguments":{{}}}}"#);
    let step = |call: &str, result: &str| {
        format!(
            r#"{{"source":"agent","message":"a","tool_calls":[{call}],"observation":{{"results":[{result}]}}}}"#
        )
    };
    let trace = |first: &str| {
        format!(
            r#"{{"schema_version":"ATIF-v1.6","agent":{{"name":"a"}},"steps":[{{"source":"user","message":"m"}},{},{}]}}"#,
            step(&call("1"), first),
            step(&call("2"), r#"{"source_call_id":"2","content":"two"}"#),
        )
    };
    let changed = |first: &str| {
        let found = problems(&loaded("atif", &trace(first)));
        let repeated = found.iter().find(|told| told.contains("repeated call"));
        let repeated = repeated.expect("it is repeated");
        repeated.contains("the answer changed")
    };
    assert!(!changed(r#"{"content":"of them all"}"#));
    assert!(changed(r#"{"source_call_id":"1","content":"one"}"#));
}

/// Something that happened: its kind, the turns before it, and what is said of it.
type Told<'a> = (EventKind, usize, Option<&'a str>);

/// What happened in a run, the texts of refused calls, and how many calls failed otherwise.
fn happened(step: &Step) -> (Vec<Told<'_>>, Vec<String>, usize) {
    let events = step.events.iter();
    let events = events.map(|event| (event.kind, event.after, event.text.as_deref()));
    let calls = || step.turns().iter().flat_map(|turn| turn.tool_calls());
    let refused = calls().filter(|call| call.refused).map(|call| {
        let told = call.error.as_ref().or(call.result.get());
        told.and_then(Value::as_str).unwrap_or_default().to_owned()
    });
    let failed = calls().filter(|call| call.error.is_some() && !call.refused);
    (events.collect(), refused.collect(), failed.count())
}

#[test]
fn opencode_tells_errors_interruptions_refusals_and_compactions() {
    let message = |id: &str, rest: &str, parts: &str| {
        format!(r#"{{"info":{{"id":"{id}","sessionID":"s",{rest}}},"parts":[{parts}]}}"#)
    };
    let tool = r#"{"type":"tool","callID":"c","tool":"bash","state":{"status":"error","input":{"command":"ls"},"error":"The user rejected permission to use this specific tool call."}}"#;
    let failed = r#"{"type":"tool","callID":"d","tool":"bash","state":{"status":"error","input":{"command":"no"},"error":"not found"}}"#;
    let retry = r#"{"type":"retry","attempt":1,"error":{"name":"APIError","data":{"message":"overloaded"}}}"#;
    let messages = [
        message("1", r#""role":"user""#, r#"{"type":"text","text":"go"}"#),
        message(
            "2",
            r#""role":"assistant","modelID":"m""#,
            &format!("{retry},{tool},{failed}"),
        ),
        message(
            "3",
            r#""role":"assistant","error":{"name":"APIError","data":{"message":"no credit","statusCode":402}}"#,
            "",
        ),
        message(
            "4",
            r#""role":"user""#,
            r#"{"type":"compaction","auto":true}"#,
        ),
        message(
            "5",
            r#""role":"assistant","summary":true"#,
            r#"{"type":"text","text":"so far"}"#,
        ),
        message(
            "6",
            r#""role":"assistant","error":{"name":"MessageAbortedError","data":{"message":"aborted"}}"#,
            r#"{"type":"text","text":"I"}"#,
        ),
    ];
    let text = format!(
        r#"{{"info":{{"id":"s"}},"messages":[{}]}}"#,
        messages.join(",")
    );
    let loaded = loaded("opencode", &text);
    let (events, refused, failed) = happened(&loaded.conversations[0]);
    assert_eq!(
        events,
        [
            (EventKind::ApiError, 1, Some("overloaded")),
            (EventKind::ApiError, 2, Some("no credit")),
            (EventKind::Compaction, 3, Some("so far")),
            (EventKind::Interruption, 4, Some("aborted")),
        ]
    );
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(failed, 1);
}

#[test]
fn gemini_tells_errors_interruptions_and_refusals() {
    let response = |error: &str| {
        format!(
            r#"[{{"functionResponse":{{"id":"c","name":"f","response":{{"error":"{error}"}}}}}}]"#
        )
    };
    let refused = response("[Operation Cancelled] Reason: User did not allow tool call");
    let stopped = response("[Operation Cancelled] Reason: User cancelled tool execution.");
    let messages = [
        r#"{"id":"1","type":"user","content":"go"}"#.to_owned(),
        format!(
            r#"{{"id":"2","type":"gemini","content":"","toolCalls":[{{"id":"c","name":"f","args":{{}},"status":"cancelled","result":{refused}}},{{"id":"d","name":"f","args":{{}},"status":"cancelled","result":{stopped}}}]}}"#
        ),
        r#"{"id":"3","type":"error","content":"[API error: quota]"}"#.to_owned(),
        r#"{"id":"4","type":"error","content":"a file is missing"}"#.to_owned(),
        r#"{"id":"5","type":"gemini","content":"I"}"#.to_owned(),
        r#"{"id":"6","type":"info","content":"Request cancelled."}"#.to_owned(),
    ];
    let text = format!(
        r#"{{"sessionId":"s","projectHash":"p","startTime":"2026-01-01T00:00:00Z","messages":[{}]}}"#,
        messages.join(",")
    );
    let loaded = loaded("gemini-cli", &text);
    let (events, refused, failed) = happened(&loaded.conversations[0]);
    assert_eq!(
        events,
        [
            (EventKind::ApiError, 1, Some("[API error: quota]")),
            (EventKind::Interruption, 2, Some("Request cancelled.")),
        ]
    );
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(failed, 0);
}

#[test]
fn openhands_tells_errors_interruptions_refusals_and_condensations() {
    let event = |id: u32, rest: &str| {
        format!(r#"{{"id":{id},"timestamp":"2025-01-01T00:00:0{id}",{rest}}}"#)
    };
    let events = [
        event(
            0,
            r#""source":"user","action":"message","args":{"content":"go"}"#,
        ),
        event(
            1,
            r#""source":"agent","action":"run","args":{"command":"rm x"}"#,
        ),
        event(
            2,
            r#""source":"agent","cause":1,"observation":"user_rejected","content":"Action has been rejected by the user! Waiting for further user input.","extras":{}"#,
        ),
        event(
            3,
            r#""source":"user","action":"change_agent_state","args":{"agent_state":"stopped","thought":""}"#,
        ),
        event(
            4,
            r#""source":"agent","action":"condensation","args":{"forgotten_event_ids":[1,2],"summary":"nothing yet"}"#,
        ),
        event(
            5,
            r#""source":"environment","observation":"agent_state_changed","content":"","extras":{"agent_state":"error","reason":"STATUS$ERROR_LLM_SERVICE_UNAVAILABLE"}"#,
        ),
    ];
    let loaded = loaded("openhands", &format!("[{}]", events.join(",")));
    let step = &loaded.conversations[0];
    let (events, refused, failed) = happened(step);
    assert_eq!(
        events,
        [
            (EventKind::Interruption, 1, None),
            (EventKind::Compaction, 1, Some("nothing yet")),
            (
                EventKind::ApiError,
                1,
                Some("STATUS$ERROR_LLM_SERVICE_UNAVAILABLE")
            ),
        ]
    );
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(failed, 0);
    assert!(matches!(step.ending, Ending::Fail(_)));
}

#[test]
fn codex_tells_what_was_refused() {
    let call = |id: &str, output: &str| {
        [
            format!(
                r#"{{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{{"type":"function_call","name":"shell","arguments":"{{}}","call_id":"{id}"}}}}"#
            ),
            format!(
                r#"{{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{{"type":"function_call_output","call_id":"{id}","output":"{output}"}}}}"#
            ),
        ]
    };
    let mut lines = vec![
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"t"}}"#
            .to_owned(),
    ];
    lines.extend(call("a", "exec command rejected by user"));
    let [made, answered] = call("b", "no");
    let declined = r#"{"timestamp":"2026-01-01T00:00:01Z","type":"event_msg","payload":{"type":"patch_apply_end","call_id":"b","success":false,"status":"declined"}}"#;
    lines.extend([made, declined.to_owned(), answered]);
    lines.extend(call(
        "c",
        r"Process exited with code 1\nOutput:\nrejected by user",
    ));
    let loaded = loaded("codex", &lines.join("\n"));
    let step = &loaded.conversations[0];
    let (_, refused, failed) = happened(step);
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert_eq!(failed, 1);
}

#[test]
fn a_note_behind_an_observation_leaves_its_failure() {
    let text = r#"{"trajectory_format":"mini-swe-agent-1.1","messages":[{"role":"system","content":"s"},{"role":"user","content":"q"},{"role":"assistant","content":"Try:\n```mswea_bash_command\nls x\n```"},{"role":"user","content":"failed","extra":{"returncode":"1","raw_output":"no such file"}},{"role":"user","content":"go on"},{"role":"assistant","content":"Again:\n```mswea_bash_command\nls\n```"},{"role":"user","content":"fine","extra":{"returncode":0,"raw_output":"a"}},{"role":"user","content":"go on"}]}"#;
    let loaded = loaded("mini-swe-agent", text);
    let turns = loaded.conversations[0].turns();
    assert_eq!(turns.len(), 2);
    assert_eq!(
        (turns[0].outcome(), turns[1].outcome()),
        (Outcome::Failure, Outcome::Success)
    );
}

/// Events of OpenHands V0.
fn events(of_run: &str) -> Loaded {
    let start = r#"{"id":0,"source":"agent","action":"system","args":{"content":"s"}},{"id":1,"source":"agent","action":"message","args":{"content":"hello"}},{"id":2,"source":"user","action":"message","args":{"content":"q","image_urls":["data:image/png;base64,AAAA"]}}"#;
    let run = r#"{"id":3,"source":"agent","action":"run","args":{"command":"ls"}},{"id":4,"source":"agent","observation":"run","cause":3,"content":"a","extras":{"exit_code":"2"}}"#;
    loaded("openhands", &format!("[{start},{run},{of_run}]"))
}

#[test]
fn openhands_ends_with_what_the_agent_says_of_its_task() {
    let finish = |told: &str| {
        let loaded = events(&format!(
            r#"{{"id":5,"source":"agent","action":"finish","args":{{"final_thought":"t","task_completed":{told}}}}}"#
        ));
        let step = &loaded.conversations[0];
        (step.ending.clone(), loaded.report.notes.len())
    };
    for told in ["true", "\"true\"", "null"] {
        assert_eq!(finish(told), (Ending::Return(Value::from("t")), 0));
    }
    for told in ["false", "\"false\"", "\"False\""] {
        assert!(
            matches!(finish(told), (Ending::Fail(why), 0) if why.message.as_deref() == Some("t"))
        );
    }
    assert_eq!(finish("\"partial\"").1, 1);
}

#[test]
fn openhands_has_a_place_for_what_is_no_turn_of_the_agent() {
    let loaded = events(
        r#"{"id":5,"source":"user","action":"run","args":{"command":"pwd"}},{"id":6,"source":"user","observation":"run","cause":5,"content":"/x","extras":{"exit_code":0}},{"id":7,"source":"environment","observation":"error","cause":2,"content":"no reply"},{"id":8,"source":"environment","observation":"user_rejected","content":"no"}"#,
    );
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("q\n[image/png, 3 B]"));
    let outcomes: Vec<Outcome> = step.turns().iter().map(|turn| turn.outcome()).collect();
    assert_eq!(outcomes.last(), Some(&Outcome::Failure));
    assert_eq!(
        step.turns()[1].tool_calls()[0].error,
        Some(Value::from("exit code 2"))
    );
    let beside = step.unmatched_results.iter();
    let beside: Vec<(&str, Option<&str>)> = beside
        .map(|call| (&*call.name, call.result.get().and_then(Value::as_str)))
        .collect();
    assert_eq!(beside, [("run", Some("/x")), ("user_rejected", Some("no"))]);
}

#[test]
fn an_error_behind_an_answered_flat_call_is_another_reply() {
    let loaded = loaded(
        "openhands",
        r#"[{"action":"read","path":"a","thought":""},{"observation":"read","content":"text"},{"observation":"error","content":"no call"}]"#,
    );
    let turns = loaded.conversations[0].turns();
    assert_eq!(turns.len(), 2);
    let call = &turns[0].tool_calls()[0];
    assert_eq!((&call.error, turns[1].outcome()), (&None, Outcome::Failure));
}

#[test]
fn what_was_thought_is_no_part_of_an_evaluations_answer() {
    let text = r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"input":"q","messages":[],"output":{"choices":[{"message":{"role":"assistant","content":[{"type":"reasoning","reasoning":"hm"},{"type":"text","text":"a"}]}}]}}]}"#;
    let loaded = loaded("inspect-ai", text);
    let ending = &loaded.conversations[0].ending;
    assert_eq!(*ending, Ending::Return(Value::from("a")));
}

#[test]
fn what_follows_a_sound_document_is_damaged_once() {
    let steps = r#"{"step_id":1,"source":"user","message":"q"},{"step_id":2,"source":"agent","message":"a"}"#;
    let document = format!(
        r#"{{"schema_version":"ATIF-v1.4","session_id":"s","agent":{{"name":"n","version":"1"}},"steps":[{steps}],"final_metrics":{{"total_steps":2}}}}"#
    );
    for behind in ["garbage", "\0\0\0\0", "]", "}}", "\"x\""] {
        let loaded = loaded("atif", &format!("{document}\n{behind}\n"));
        assert_eq!(loaded.report.damaged, 1, "{behind:?}");
        assert_eq!(loaded.conversations[0].turns().len(), 1);
    }
}

#[test]
fn a_format_is_known_by_what_stands_behind_a_long_text() {
    let long = "x".repeat(600_000);
    let chat = format!(
        r#"[{{"role":"user","content":"{long}"}},{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"f","input":{{}}}}]}}]"#
    );
    assert_eq!(
        calls_and_results(&loaded("anthropic-messages", &chat).conversations[0]),
        (1, 0)
    );
    let session = format!(
        r#"{{"messages":[{{"info":{{"id":"m","role":"user"}},"parts":[{{"type":"text","text":"{long}"}}]}}],"info":{{"id":"s","title":"t"}}}}"#
    );
    assert_eq!(loaded("opencode", &session).conversations.len(), 1);
    let mut lines = String::new();
    for _ in 0..60 {
        lines.push_str(
            "{\"role\":\"user\",\"content\":\"q\"}\n{\"role\":\"assistant\",\"content\":\"a\"}\n",
        );
    }
    lines.push_str(
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}"#,
    );
    assert_eq!(
        calls_and_results(&loaded("anthropic-messages", &lines).conversations[0]),
        (1, 0)
    );
}

#[test]
fn a_reply_is_no_run_where_the_runs_own_span_is_missing() {
    let span = |id: &str, start: u64, status: &str| {
        format!(
            r#"{{"traceId":"t","spanId":"{id}","parentSpanId":"gone","name":"chat","startTimeUnixNano":"{start}","endTimeUnixNano":"{}","attributes":[{{"key":"gen_ai.operation.name","value":{{"stringValue":"chat"}}}}],"status":{status}}}"#,
            start + 1
        )
    };
    let spans = |spans: &[String]| {
        let text = format!(
            r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{}]}}]}}]}}"#,
            spans.join(",")
        );
        loaded("otlp-genai", &text).conversations[0].ending.clone()
    };
    let failed = span("a", 1000, r#"{"code":2,"message":"rate limit"}"#);
    let fine = span("b", 2000, "{}");
    assert_eq!(spans(&[failed.clone(), fine]), Ending::Open);
    assert!(matches!(spans(&[failed]), Ending::Fail(_)));
}

#[test]
fn a_langfuse_trace_tells_what_went_in_and_came_out_of_all_of_it() {
    let trace = r#""trace":{"id":"t","name":"n","input":"in","output":"out"}"#;
    let reply = |id: &str, more: &str| {
        format!(
            r#"{{"id":"{id}","type":"GENERATION","name":"g","startTime":"2025-01-01T00:00:0{id}Z","input":"asked","output":"said"{more}}}"#
        )
    };
    for observations in [
        format!("{},{}", reply("1", ""), reply("2", r#","level":"ERROR""#)),
        format!("{},{}", reply("1", r#","level":"ERROR""#), reply("2", "")),
        reply("1", ""),
    ] {
        let loaded = loaded(
            "langfuse",
            &format!(r#"{{{trace},"observations":[{observations}]}}"#),
        );
        let step = &loaded.conversations[0];
        assert_eq!(step.mission.as_deref(), Some("in"));
        assert_eq!(step.ending, Ending::Return(Value::from("out")));
    }
}

#[test]
fn a_history_of_swe_agent_is_known_by_any_of_its_messages() {
    let text = r#"{"history":[{"role":"system","content":"s"},{"role":"user","content":"demo","is_demo":true},{"role":"assistant","content":"demo","is_demo":true},{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}"#;
    let loaded = loaded("swe-agent", text);
    let step = &loaded.conversations[0];
    assert_eq!(
        (step.mission.as_deref(), step.turns().len()),
        (Some("q"), 1)
    );
}

#[test]
fn elements_that_are_no_records_are_counted() {
    let text = r#"{"environment":"e","trajectory":[{"action":"ls","observation":"a","response":"r"},"x",null],"history":[],"info":{}}"#;
    let swe = loaded("swe-agent", text);
    assert_eq!(
        (swe.report.skipped(), swe.conversations[0].turns().len()),
        (2, 1)
    );
    let text = r#"{"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"n","version":"1"},"steps":[{"step_id":1,"source":"agent","message":"a","observation":{"results":["x",null,{"content":"c"}]}}]}"#;
    let atif = loaded("atif", text);
    assert_eq!(
        (atif.report.skipped(), atif.conversations[0].turns().len()),
        (2, 1)
    );
}

#[test]
fn a_reply_that_is_an_error_of_the_api_is_told_as_one() {
    let text = r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"q"}}
{"type":"assistant","uuid":"a","parentUuid":"u","sessionId":"s","isApiErrorMessage":true,"message":{"id":"m","role":"assistant","model":"large","content":[{"type":"text","text":"API Error: 529"}]}}"#;
    let loaded = loaded("claude-code", text);
    let step = &loaded.conversations[0];
    let told = step
        .events
        .iter()
        .map(|event| (event.kind, event.text.as_deref()));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [(EventKind::ApiError, Some("API Error: 529"))]
    );
    assert_eq!(step.turns().len(), 1);
}

#[test]
fn spans_of_a_trace_are_its_own_however_its_identifier_is_written() {
    let span = |trace: &str, id: &str, parent: &str, operation: &str| {
        format!(
            r#"{{"traceId":"{trace}","spanId":"{id}","parentSpanId":"{parent}","name":"{operation}","startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{{"key":"gen_ai.operation.name","value":{{"stringValue":"{operation}"}}}}]}}"#
        )
    };
    let (trace, agent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let spans = [
        span(trace, agent, "", "invoke_agent"),
        span(
            &trace.to_uppercase(),
            "00f067aa0ba902b7",
            &agent.to_uppercase(),
            "chat",
        ),
    ];
    let text = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{}]}}]}}]}}"#,
        spans.join(",")
    );
    let loaded = loaded("otlp-genai", &text);
    assert_eq!(loaded.conversations.len(), 1);
    let step = &loaded.conversations[0];
    assert_eq!(
        (step.name.as_deref(), step.turns().len()),
        (Some("invoke_agent"), 1)
    );
}
