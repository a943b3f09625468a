//! Sentences about other people's formats of which no sample is an example, each by a small trace made
//! by hand.

#[path = "pages/agents.rs"]
mod agents;
#[path = "pages/chats.rs"]
mod chats;
#[path = "pages/claude_code.rs"]
mod claude_code;
#[path = "pages/codex.rs"]
mod codex_layouts;
#[path = "pages/gemini.rs"]
mod gemini;
#[path = "common/held.rs"]
mod held;
#[path = "pages/hostile.rs"]
mod hostile;
#[path = "pages/opencode.rs"]
mod opencode;
#[path = "pages/results.rs"]
mod results;
#[path = "pages/spans.rs"]
mod spans;

use std::sync::Arc;

use serde_json::{Value as Json, json};

use turnscope::compression::Run;
use turnscope::export;
use turnscope::load::{self, Loaded, Source};
use turnscope::step::{Conventions, Ending, Role, Step, Told};

fn loaded(format: &str, text: &str) -> Loaded {
    let source = Source::from_bytes(format, text.as_bytes().to_vec());
    let loaded = load::load(&source, None).unwrap_or_else(|error| panic!("{format}: {error}"));
    assert_eq!(loaded.format, format, "{text}");
    loaded
}

#[test]
fn nobody_knows_how_much_counts_are_of_which_one_is_none() {
    let input = |counts: [Json; 3]| {
        let [input, write, read] = counts;
        let usage = json!({"input_tokens": input, "cache_creation_input_tokens": write, "cache_read_input_tokens": read, "output_tokens": 2});
        let message = json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}], "usage": usage});
        let chat = json!([{"role": "user", "content": "Go."}, message]);
        let loaded = loaded("anthropic-messages", &chat.to_string());
        loaded.conversations[0].turns()[0].usage().input
    };
    assert_eq!(input([json!(1), json!(2), json!(3)]), Some(6));
    assert_eq!(input([json!(1), Json::Null, json!(3)]), Some(4));
    assert_eq!(input([json!(-1), json!(2), json!(3)]), None);
    assert_eq!(input([json!(1), json!(-2), json!(3)]), None);
    assert_eq!(input([json!(i64::MAX), json!(1), json!(1)]), None);
    let gemini = json!({"sessionId": "s", "projectHash": "p", "messages": [
        {"id": "1", "type": "user", "content": "q"},
        {"id": "2", "type": "gemini", "content": "a", "tokens": {"input": 1, "output": -1, "thoughts": 3}}]});
    let told = loaded("gemini-cli", &gemini.to_string());
    assert_eq!(told.conversations[0].turns()[0].usage().output, None);
    let opencode = json!({"info": {"id": "s"}, "messages": [
        {"info": {"id": "1", "role": "user"}, "parts": [{"type": "text", "text": "q"}]},
        {"info": {"id": "2", "role": "assistant", "tokens": {"input": -1, "output": 2, "reasoning": 3, "cache": {"read": 1, "write": 1}}}, "parts": [{"type": "text", "text": "a"}]}]});
    let told = loaded("opencode", &opencode.to_string());
    let used = told.conversations[0].turns()[0].usage();
    assert_eq!((used.input, used.output), (None, Some(5)));
}

/// How each answer of a run's calls is displayed, with the exit code in its header.
fn answers(step: &Step) -> Vec<(String, Option<i64>)> {
    let turns = step.turns().iter();
    let calls = turns.flat_map(|turn| turn.tool_calls().iter().cloned());
    let answer = |call: turnscope::step::ToolCall| {
        let answer = call
            .error
            .as_ref()
            .or(call.result.get())
            .expect("an answer");
        let text = match call.told_answer(answer, Conventions::Foreign) {
            Told::Text(text) => text.into_owned(),
            other => panic!("{other:?}"),
        };
        (text, call.told_exit_code())
    };
    calls.map(answer).collect()
}

fn codex(outputs: &[&str]) -> String {
    let mut lines = vec![
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s"}}"#
            .to_owned(),
    ];
    for (index, output) in outputs.iter().enumerate() {
        let output = serde_json::to_string(output).expect("JSON");
        lines.push(format!(
            r#"{{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{{"type":"function_call","name":"shell","arguments":"{{\"command\":[\"ls\"]}}","call_id":"c{index}"}}}}"#
        ));
        lines.push(format!(
            r#"{{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{{"type":"function_call_output","call_id":"c{index}","output":{output}}}}}"#
        ));
    }
    lines.join("\n")
}

#[test]
fn the_header_of_an_output_belongs_to_its_call() {
    let text = codex(&[
        "Exit code: 2\nWall time: 0.5 seconds\nTotal output lines: 1\nOutput:\nno such file",
        "Chunk ID: a\nWall time: 0.25 seconds\nProcess exited with code 0\nOutput:\na.txt",
        r#"{"output":"b.txt","metadata":{"exit_code":0,"duration_seconds":1.5}}"#,
        "plain",
    ]);
    let loaded = loaded("codex", &text);
    let step = &loaded.conversations[0];
    let expected = [
        ("no such file".to_owned(), Some(2)),
        ("a.txt".to_owned(), Some(0)),
        ("b.txt".to_owned(), Some(0)),
        ("plain".to_owned(), None),
    ];
    assert_eq!(answers(step), expected);
    let turns = step.turns().iter();
    let durations = turns.map(|turn| turn.tool_calls()[0].duration_ms);
    let expected = [Some(500), Some(250), Some(1500), Some(1000)];
    assert_eq!(durations.collect::<Vec<_>>(), expected);
    let source = Source::from_bytes("step", export::step::write(step).into_bytes());
    let again = load::load(&source, None).expect("a step");
    assert_eq!(answers(&again.conversations[0]), answers(step));
    // What the model saw stays whole.
    let whole = step.turns()[1].tool_calls()[0].result.get().cloned();
    assert!(whole.is_some_and(|text| text.as_str().is_some_and(|text| text.starts_with("Chunk"))));
}

#[test]
fn a_history_is_a_chat_a_checkpoint_or_an_agents_by_what_is_in_it() {
    let chat = r#"{"history":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}"#;
    assert_eq!(
        loaded("openai-chat", chat).conversations[0].turns().len(),
        1
    );
    let checkpoint = r#"{"history":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":"no"}}}]}],"authType":"x"}"#;
    let loaded_checkpoint = loaded("gemini-cli", checkpoint);
    let step = &loaded_checkpoint.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("q"));
    assert!(step.turns()[0].tool_calls()[0].error.is_some());
    let agent = r#"{"history":[{"role":"system","content":"s","agent":"main"},{"role":"user","content":"issue","agent":"main"},{"role":"user","content":"hint","agent":"main"},{"role":"assistant","content":"look","action":"ls","agent":"main"}]}"#;
    let loaded_agent = loaded("swe-agent", agent);
    let step = &loaded_agent.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("issue"));
    let inputs = step.turns()[0].inputs();
    assert!(matches!(inputs, [input] if input.injected && &*input.text == "hint"));
}

#[test]
fn all_attempts_of_swe_agent_can_be_seen() {
    let attempt = |name: &str, more: &str| {
        format!(
            r#""trajectory":[{{"action":"ls {name}","observation":"o","response":"r"}}],"history":[{{"role":"user","content":"issue","message_type":"observation"}}],"info":{{"exit_status":"submitted","submission":"{name}"{more}}}"#
        )
    };
    let list: Vec<String> = ["a", "b", "c"]
        .iter()
        .map(|name| format!("{{{}}}", attempt(name, "")))
        .collect();
    let list = list.join(",");
    let copied = attempt("b", r#","best_attempt_idx":1"#);
    for (text, shown, others) in [
        (
            format!(r#"{{"attempts":[{list}],{copied}}}"#),
            "ls b",
            ["attempt 1", "attempt 3"],
        ),
        (
            format!(r#"{{"attempts":[{list}],"info":{{"submission":"a"}}}}"#),
            "ls a",
            ["attempt 2", "attempt 3"],
        ),
        (
            format!(r#"{{"attempts":[{list}]}}"#),
            "ls c",
            ["attempt 1", "attempt 2"],
        ),
    ] {
        let loaded = loaded("swe-agent", &text);
        let step = &loaded.conversations[0];
        let program = step.turns()[0]
            .program()
            .get()
            .map(|code| code.source.to_string());
        assert_eq!(program.as_deref(), Some(shown));
        let names: Vec<_> = step
            .children
            .iter()
            .map(|child| child.name.as_deref())
            .collect();
        assert_eq!(names, others.map(Some));
        assert!(
            loaded
                .report
                .notes
                .iter()
                .any(|note| note.contains("3 attempts"))
        );
    }
}

#[test]
fn an_old_mini_swe_agent_may_have_an_object_around_its_messages() {
    let text = r#"{"messages":[{"role":"system","content":"s"},{"role":"user","content":"fix"},{"role":"assistant","content":"do\n```bash\nls\n```"},{"role":"user","content":"<returncode>1</returncode>\n<output>x</output>"}],"info":{"exit_status":"LimitsExceeded"}}"#;
    let loaded = loaded("mini-swe-agent", text);
    let turn = &loaded.conversations[0].turns()[0];
    assert!(turn.failed() && turn.program().get().is_some());
}

#[test]
fn plans_of_smolagents_say_what_they_cost() {
    let text = r#"[{"task":"t","task_images":null},{"plan":"first","timing":{},"token_usage":{"input_tokens":11,"output_tokens":7}},{"step_number":1,"timing":{"duration":1.0},"model_output":"x","code_action":"print(1)","token_usage":{"input_tokens":5,"output_tokens":2}}]"#;
    let loaded = loaded("smolagents", text);
    let step = &loaded.conversations[0];
    assert_eq!(step.turns()[0].usage().input, Some(5));
    let told = loaded.report.notes.iter();
    assert!(told.clone().any(|note| note.contains("11 in, 7 out")));
}

#[test]
fn evaluations_of_openhands_tell_usage_and_success() {
    let action = r#"{"id":1,"source":"agent","action":"run","args":{"command":"ls"},"timestamp":"2026-01-01T00:00:01"}"#;
    let text = format!(
        r#"{{"instance_id":"i","history":[{action}],"metrics":{{"token_usages":[{{"prompt_tokens":5,"completion_tokens":2}},{{"prompt_tokens":6,"completion_tokens":1}}]}},"error":null}}"#
    );
    let usage = loaded("openhands", &text).conversations[0].usage;
    assert_eq!((usage.input, usage.output), (Some(11), Some(3)));
    let text = format!(
        r#"{{"issue":{{"owner":"o","repo":"r","number":3}},"history":[{action}],"success":true,"git_patch":"diff"}}"#
    );
    let ending = loaded("openhands", &text).conversations[0].ending.clone();
    assert_eq!(ending, Ending::Return("diff".into()));
}

#[test]
fn parts_of_gemini_hold_calls_and_their_answers() {
    let text = r#"{"sessionId":"s","projectHash":"p"}
{"id":"1","type":"user","content":[{"text":"q"}]}
{"id":"2","type":"model","parts":[{"text":"look"},{"functionCall":{"id":"c","name":"ls","args":{}}}]}
{"id":"3","type":"user","content":[{"functionResponse":{"id":"c","name":"ls","response":{"output":"x"}}}]}
"#;
    let loaded = loaded("gemini-cli", text);
    let step = &loaded.conversations[0];
    assert_eq!(step.turns().len(), 1);
    assert_eq!(
        step.turns()[0].raw_response().get().map(|text| &**text),
        Some("look")
    );
    assert_eq!(answers(step), [("x".to_owned(), None)]);
    assert_eq!(step.pending_input, None);
}

#[test]
fn opencode_takes_messages_back() {
    let message = |id: &str, role: &str, at: u32| {
        format!(
            r#"{{"info":{{"id":"{id}","role":"{role}","sessionID":"s","time":{{"created":{at}}}}},"parts":[{{"type":"text","text":"{id}"}}]}}"#
        )
    };
    let messages = [
        message("m1", "user", 1),
        message("m2", "assistant", 2),
        message("m3", "user", 3),
        message("m4", "assistant", 4),
    ];
    let text = format!(
        r#"{{"info":{{"id":"s","title":"t","revert":{{"messageID":"m3"}}}},"messages":[{}]}}"#,
        messages.join(",")
    );
    let loaded = loaded("opencode", &text);
    let step = &loaded.conversations[0];
    assert_eq!(step.turns().len(), 2);
    let branches = step.events.iter().map(|event| (event.after, event.resumes));
    assert_eq!(branches.collect::<Vec<_>>(), [(2, Some(1))]);
    assert!(
        loaded
            .report
            .notes
            .iter()
            .any(|note| note.contains("took back"))
    );
}

#[test]
fn items_of_a_response_are_one_reply_and_a_question_begins_another() {
    let text = r#"{"object":"response","output":[{"type":"function_call","name":"f","arguments":"{}","call_id":"c"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]},{"type":"function_call","name":"f","arguments":"{}","call_id":"d"}]}"#;
    let response = loaded("openai-chat", text);
    let step = &response.conversations[0];
    assert_eq!(
        (step.turns().len(), step.turns()[0].tool_calls().len()),
        (1, 2)
    );
    let text = r#"{"input":[{"role":"user","content":"q"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]},{"role":"user","content":"again"},{"type":"function_call","name":"f","arguments":"{}","call_id":"c"}]}"#;
    let asked = loaded("openai-chat", text);
    let turns = asked.conversations[0].turns();
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[1].input().map(|text| &**text), Some("again"));
    assert_eq!(turns[1].tool_calls().len(), 1);
}

#[test]
fn steps_of_atif_take_until_the_next() {
    let text = r#"{"steps":[{"timestamp":"2026-01-01T00:00:00Z","source":"user","message":"q"},{"timestamp":"2026-01-01T00:00:05Z","source":"agent","message":"a","tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":{}}],"observation":{"results":[{"source_call_id":"c"}]}},{"timestamp":"2026-01-01T00:00:15Z","source":"agent","message":"b"},{"timestamp":"2026-01-01T00:01:00Z","source":"user","message":"more"}],"agent":{"name":"x"},"schema_version":"ATIF-v1.4"}"#;
    let loaded = loaded("atif", text);
    let turns = loaded.conversations[0].turns();
    let durations = [turns[0].duration_ms(), turns[1].duration_ms()];
    assert_eq!(durations, [Some(10_000), None]);
    assert_eq!(turns[0].duration_mark(), "approx. ");
    // A tool that gave nothing has answered.
    assert!(turns[0].tool_calls()[0].is_answered());
}

#[test]
fn a_message_that_is_sent_again_before_any_reply_is_sent_once() {
    let user = |uuid: &str, parent: &str, text: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","parentUuid":"{parent}","sessionId":"s","message":{{"role":"user","content":"{text}"}}}}"#
        )
    };
    let reply = |uuid: &str, parent: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","parentUuid":"{parent}","sessionId":"s","message":{{"role":"assistant","id":"m{uuid}","content":[{{"type":"text","text":"{uuid}"}}]}}}}"#
        )
    };
    let text = [
        user("u0", "", "begin"),
        reply("a0", "u0"),
        user("u1", "a0", "first try"),
        user("u2", "a0", "second try"),
        reply("a1", "u2"),
        user("u3", "a1", "third"),
    ]
    .join("\n");
    let loaded = loaded("claude-code", &text);
    let step = &loaded.conversations[0];
    let turn = &step.turns()[1];
    assert_eq!(turn.person_inputs(), 2);
    let replaced: Vec<bool> = turn.inputs().iter().map(|input| input.replaced).collect();
    assert_eq!(replaced, [true, false]);
    assert_eq!(turn.input().map(|text| &**text), Some("second try"));
    let sent = Run::new(Arc::clone(step)).as_sent(3).expect("a prompt");
    let sent: Vec<_> = sent
        .messages
        .iter()
        .map(|message| &*message.content)
        .collect();
    assert_eq!(sent, ["begin", "a0", "second try", "a1", "third"]);
}

/// A line of a session; `more` goes into the message.
fn session_line(
    kind: &str,
    uuid: &str,
    parent: Option<&str>,
    content: &Json,
    more: &Json,
) -> String {
    let mut message = json!({"role": kind, "content": content});
    for (key, value) in more.as_object().into_iter().flatten() {
        message[key] = value.clone();
    }
    json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message})
        .to_string()
}

/// A reply that says its own identifier.
fn session_reply(uuid: &str, parent: &str) -> String {
    let more = json!({"id": uuid});
    session_line("assistant", uuid, Some(parent), &json!(uuid), &more)
}

fn sent(step: &Arc<Step>, turn: u32) -> Vec<String> {
    let sent = Run::new(Arc::clone(step)).as_sent(turn).expect("a prompt");
    let texts = sent.messages.iter();
    texts.map(|message| message.content.to_string()).collect()
}

#[test]
fn a_mission_that_is_sent_again_before_any_reply_is_sent_once() {
    let none = json!({});
    let said = |uuid, text: &str| session_line("user", uuid, None, &json!(text), &none);
    let reply = session_line(
        "assistant",
        "a",
        Some("u2"),
        &json!("done"),
        &json!({"id": "m"}),
    );
    let loaded = loaded(
        "claude-code",
        &[said("u1", "Do x"), said("u2", "Do y"), reply].join("\n"),
    );
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("Do y"));
    let inputs = step.turns()[0].inputs();
    assert_eq!((&*inputs[0].text, inputs[0].replaced), ("Do x", true));
    assert_eq!(sent(step, 2), ["Do y", "done"]);
}

#[test]
fn a_first_message_that_is_sent_again_after_replies_begins_anew() {
    let none = json!({});
    let said = |uuid, text: &str| session_line("user", uuid, None, &json!(text), &none);
    let text = [
        said("u1", "Do x"),
        session_reply("a1", "u1"),
        said("u2", "Do y"),
        session_reply("a2", "u2"),
    ];
    let loaded = loaded("claude-code", &text.join("\n"));
    let step = &loaded.conversations[0];
    assert_eq!(step.events[0].resumes, Some(0));
    assert_eq!(step.turns()[1].input().map(|text| &**text), Some("Do y"));
}

#[test]
fn a_picture_alone_is_no_mission() {
    let picture = json!([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]);
    let none = json!({});
    let said = |uuid, parent, content: &Json| session_line("user", uuid, parent, content, &none);
    let begin = said("u1", None, &picture);
    let text = [
        begin.clone(),
        said("u2", Some("u1"), &json!("What is it?")),
        session_reply("a1", "u2"),
    ];
    let asked = loaded("claude-code", &text.join("\n"));
    let step = &asked.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("What is it?"));
    assert_eq!(sent(step, 2), ["[image/png, 3 B]", "What is it?", "a1"]);
    // After a reply no message is the mission any longer.
    let text = [
        begin,
        session_reply("a1", "u1"),
        said("u2", Some("a1"), &json!("More.")),
    ];
    let unasked = loaded("claude-code", &text.join("\n"));
    let step = &unasked.conversations[0];
    assert_eq!(step.mission, None);
    assert_eq!(sent(step, 2), ["[image/png, 3 B]", "a1", "More."]);
}

#[test]
fn a_reply_that_stands_in_two_files_counts_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.jsonl");
    let side = folder.path().join("s/subagents");
    std::fs::create_dir_all(&side).expect("a folder");
    let usage = |id: &str| json!({"id": id, "usage": {"input_tokens": 10, "output_tokens": 5}});
    let call =
        json!([{"type": "tool_use", "id": "c", "name": "Agent", "input": {"prompt": "Look."}}]);
    let main = [
        session_line("user", "u", None, &json!("Go."), &json!({})),
        session_line("assistant", "a", Some("u"), &call, &usage("m1")),
    ];
    std::fs::write(&path, main.join("\n")).expect("it is written");
    let own = [
        session_line("user", "u", None, &json!("Go."), &json!({})),
        session_line("assistant", "a", Some("u"), &call, &usage("m1")),
        session_line("assistant", "b", Some("a"), &json!("Seen."), &usage("m2")),
    ];
    let own = own.join("\n").replace(
        "\"sessionId\"",
        "\"agentId\":\"x\",\"isSidechain\":true,\"sessionId\"",
    );
    std::fs::write(side.join("agent-x.jsonl"), own).expect("it is written");
    let loaded = turnscope::load::open(&path, None).expect("it loads");
    let step = &loaded.conversations[0];
    assert_eq!(step.turns()[0].usage().input, Some(10));
    let child = step.children[0].turns();
    let told: Vec<_> = child
        .iter()
        .map(|turn| (turn.copied(), turn.usage().input))
        .collect();
    assert_eq!(told, [(true, None), (false, Some(10))]);
}

#[test]
fn counts_of_tokens_that_are_none_are_told() {
    let usage = json!({"input_tokens": -3, "output_tokens": 5, "prompt_tokens": -3, "completion_tokens": 5});
    let done = json!([{"type": "text", "text": "done"}]);
    let session = [
        session_line("user", "u", None, &json!("Go."), &json!({})),
        session_line(
            "assistant",
            "a",
            Some("u"),
            &done,
            &json!({"id": "m", "usage": usage}),
        ),
    ];
    let rollout = [
        json!({"type": "session_meta", "payload": {"id": "t"}}),
        json!({"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": done}}),
        json!({"type": "event_msg", "payload": {"type": "token_count", "info": {"last_token_usage": usage}}}),
    ];
    let chat = json!({"messages": [{"role": "user", "content": "Go."}], "response": {"choices": [{"message": {"role": "assistant", "content": "done"}}], "usage": usage}});
    let message = json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}], "usage": usage});
    let messages = json!({"messages": [{"role": "user", "content": "Go."}, message]});
    for (format, text) in [
        ("claude-code", session.join("\n")),
        ("codex", rollout.map(|record| record.to_string()).join("\n")),
        ("openai-chat", chat.to_string()),
        ("anthropic-messages", messages.to_string()),
    ] {
        let loaded = loaded(format, &text);
        let used = loaded.conversations[0].turns()[0].usage();
        assert_eq!((used.input, used.output), (None, Some(5)), "{format}");
        let told = loaded.report.notes.iter();
        let told = told.filter(|note| note.ends_with("_tokens -3 is no count: not recorded"));
        assert!(told.count() > 0, "{format}: {:?}", loaded.report.notes);
    }
}

#[test]
fn a_request_that_is_taken_back_before_any_reply_is_not_sent() {
    let item = |role: &str, text: &str| {
        json!({"type": "response_item", "timestamp": "2026-01-01T00:00:00Z", "payload": {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}}).to_string()
    };
    let event = |payload: Json| json!({"type": "event_msg", "payload": payload}).to_string();
    let said = |text: &str| event(json!({"type": "user_message", "message": text}));
    let back = |turns: u32| event(json!({"type": "thread_rolled_back", "num_turns": turns}));
    let head = json!({"type": "session_meta", "payload": {"id": "t"}}).to_string();
    let begin = [
        head,
        item("user", "Do x"),
        said("Do x"),
        back(1),
        item("user", "Do y"),
        said("Do y"),
        item("assistant", "one"),
    ];
    let first = loaded("codex", &begin.join("\n"));
    let step = &first.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("Do y"));
    assert_eq!(sent(step, 2), ["Do y", "one"]);
    // Later, and with the request before it.
    let more = |turns| {
        let more = [
            item("user", "typo"),
            back(turns),
            item("user", "next"),
            item("assistant", "two"),
        ];
        begin
            .iter()
            .cloned()
            .chain(more)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let later = loaded("codex", &more(1));
    assert_eq!(
        sent(&later.conversations[0], 3),
        ["Do y", "one", "next", "two"]
    );
    let both = loaded("codex", &more(2));
    let step = &both.conversations[0];
    assert_eq!(step.turns()[1].input().map(|text| &**text), Some("next"));
    assert!(!sent(step, 3).contains(&"typo".to_owned()));
}

#[test]
fn marks_of_a_format_may_stand_behind_all_the_rest() {
    let filler = "x".repeat(5 << 20);
    let atif = format!(
        r#"{{"steps":[{{"source":"user","message":"q"}},{{"source":"agent","message":"{filler}"}}],"agent":{{"name":"a"}},"schema_version":"ATIF-v1.5"}}"#
    );
    let mini = format!(
        r#"{{"messages":[{{"role":"system","content":"s"}},{{"role":"user","content":"{filler}"}},{{"role":"assistant","content":"a"}}],"info":{{}},"trajectory_format":"mini-swe-agent-1.1"}}"#
    );
    let inspect = format!(
        r#"{{"samples":[{{"id":1,"input":"{filler}","messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":"a"}}]}}],"version":2,"status":"success","eval":{{"task":"t"}}}}"#
    );
    for (format, text) in [
        ("atif", atif),
        ("mini-swe-agent", mini),
        ("inspect-ai", inspect),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trace.json");
        std::fs::write(&path, text).expect("written");
        let loaded = load::open(&path, None).unwrap_or_else(|error| panic!("{format}: {error}"));
        assert_eq!(loaded.format, format);
        assert_eq!(loaded.conversations[0].turns().len(), 1, "{format}");
    }
}

#[test]
fn a_rebuilt_prompt_begins_as_the_records_do() {
    let message = |role: &str, text: &str| {
        format!(
            r#"{{"type":"response_item","payload":{{"type":"message","role":"{role}","content":[{{"type":"input_text","text":"{text}"}}]}}}}"#
        )
    };
    let context =
        |model: &str| format!(r#"{{"type":"turn_context","payload":{{"model":"{model}"}}}}"#);
    let text = [
        r#"{"type":"session_meta","payload":{"id":"s"}}"#.to_owned(),
        message("user", "<environment_context>here</environment_context>"),
        message("user", "go"),
        context("small"),
        message("assistant", "done"),
        context("large"),
        message("user", "more"),
    ]
    .join("\n");
    let loaded = loaded("codex", &text);
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("go"));
    let expected = [
        "<environment_context>here</environment_context>",
        "go",
        "done",
        "more",
    ];
    let source = Source::from_bytes("step", export::step::write(step).into_bytes());
    let again = load::load(&source, None).expect("a step");
    for step in [step, &again.conversations[0]] {
        let sent = Run::new(Arc::clone(step)).as_sent(2).expect("a prompt");
        let sent = sent
            .messages
            .iter()
            .filter(|message| message.role != Role::System);
        let sent: Vec<_> = sent.map(|message| &*message.content).collect();
        assert_eq!(sent, expected);
    }
    assert!(
        loaded
            .report
            .notes
            .iter()
            .any(|note| note == "the model changed to large before turn 2")
    );
}

#[test]
fn a_rollout_that_is_there_plain_and_packed_is_listed_once() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in [
        "a.jsonl",
        "a.jsonl.zst",
        "b.jsonl.zst",
        "a.jsonl.gz",
        "c.json.gz",
        "d.tar.gz",
    ] {
        std::fs::write(folder.path().join(name), codex(&["x"])).expect("written");
    }
    let (traces, _) = load::folder::list(folder.path());
    let mut names: Vec<_> = traces
        .iter()
        .filter_map(|entry| entry.path.file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["a.jsonl", "b.jsonl.zst", "c.json.gz"]);
}

#[test]
fn an_agents_span_may_have_the_system_prompt_beside_the_prompt() {
    let text = r#"{"trace":{"id":"t","name":"n"},"observations":[{"id":"a","type":"SPAN","name":"run","startTime":"2026-01-01T00:00:00Z","endTime":"2026-01-01T00:00:09Z","input":"{\"prompt\":\"q\",\"system\":\"be brief\"}"},{"id":"b","parentObservationId":"a","type":"GENERATION","name":"g","startTime":"2026-01-01T00:00:01Z","endTime":"2026-01-01T00:00:02Z","output":"{\"role\":\"assistant\",\"content\":\"x\"}"}]}"#;
    let loaded = loaded("langfuse", text);
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("q"));
    assert_eq!(step.system_prompt.as_deref(), Some("be brief"));
}

#[test]
fn every_kind_of_event_that_openhands_names_is_known() {
    let event = |kind: &str, rest: &str| {
        format!(
            r#"{{"kind":"{kind}","id":"{kind}","timestamp":"2026-01-01T00:00:00","source":"agent"{rest}}}"#
        )
    };
    let names = [
        "PauseEvent",
        "InterruptEvent",
        "TokenEvent",
        "StreamingDeltaEvent",
        "HookExecutionEvent",
        "LLMCompletionLogEvent",
        "CondensationSummaryEvent",
        "CondensationRequest",
        "Condensation",
        "ConversationErrorEvent",
        "UserRejectObservation",
    ];
    let mut lines: Vec<String> = names.iter().map(|name| event(name, "")).collect();
    let call = r#","tool_call_id":"c","title":"Run ls","raw_input":{"command":"ls"},"status":"#;
    lines.push(event(
        "ACPToolCallEvent",
        &format!(r#"{call}"in_progress""#),
    ));
    lines.push(event(
        "ACPToolCallEvent",
        &format!(r#"{call}"completed","raw_output":"a""#),
    ));
    let told = r#","tool_call_id":"d","title":"Edit","status":"failed","content":[{"type":"text","text":"no"}]"#;
    lines.push(event("ACPToolCallEvent", told));
    let loaded = loaded("openhands", &lines.join("\n"));
    assert_eq!(loaded.report.skipped(), 0, "{:?}", loaded.report.unknown);
    let step = &loaded.conversations[0];
    let calls = step.turns().iter().flat_map(|turn| turn.tool_calls());
    let failed: Vec<_> = calls.map(|call| call.error.clone()).collect();
    assert_eq!(failed, [None, Some("no".into())]);
    assert_eq!(
        step.turns()[0].tool_calls()[0].result.get(),
        Some(&"a".into())
    );
}
