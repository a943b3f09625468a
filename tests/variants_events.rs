//! What formats tell beside turns, in small traces made by hand from the writers' documentation:
//! compactions, interruptions, refusals, outcomes, runs that nobody refers to.

use std::sync::Arc;

use turnscope::compression::Run;
use turnscope::export::form::{self, Form};
use turnscope::load::{self, Loaded, Source};
use turnscope::step::{Ending, EventKind, Outcome, Role, Step};
use turnscope::value::Value;

fn loaded(format: &str, text: &str) -> Loaded {
    let source = Source::from_bytes(format, text.as_bytes().to_vec());
    let loaded = load::load(&source, None).unwrap_or_else(|error| panic!("{format}: {error}"));
    assert_eq!(loaded.format, format, "{text}");
    loaded
}

/// What happened, and after how many turns.
fn events(step: &Step) -> Vec<(EventKind, usize, Option<&str>)> {
    let events = step.events.iter();
    events
        .map(|event| (event.kind, event.after, event.text.as_deref()))
        .collect()
}

#[test]
fn opencode_goes_on_from_a_summary() {
    let text = r#"{"info":{"id":"s","title":"t"},"messages":[
        {"info":{"id":"m1","role":"user"},"parts":[{"type":"text","text":"first"}]},
        {"info":{"id":"m2","role":"assistant"},"parts":[{"type":"text","text":"one"}]},
        {"info":{"id":"m3","role":"user"},"parts":[{"type":"compaction","auto":true}]},
        {"info":{"id":"m4","role":"assistant","summary":true},"parts":[{"type":"text","text":"so far"}]},
        {"info":{"id":"m5","role":"user"},"parts":[{"type":"text","text":"second"}]},
        {"info":{"id":"m6","role":"assistant"},"parts":[{"type":"text","text":"two"}]}]}"#;
    let loaded = loaded("opencode", text);
    let step = &loaded.conversations[0];
    assert_eq!(events(step), [(EventKind::Compaction, 2, Some("so far"))]);
    assert_eq!(prompt(step, 2), ["first", "one"]);
    assert_eq!(prompt(step, 3), ["so far", "second"]);
}

/// The texts of the prompt for a turn, and of the same run from a step file.
fn prompt(step: &Arc<Step>, turn: u32) -> Vec<String> {
    let texts = |step: Arc<Step>| -> Vec<String> {
        let sent = Run::new(step).as_sent(turn).expect("a prompt").messages;
        let texts = sent.iter().map(|message| message.content.to_string());
        texts.collect()
    };
    let written = form::write(step, Form::Step, None).expect("a step file");
    let again = loaded("step", &written).conversations;
    let prompt = texts(Arc::clone(step));
    assert_eq!(texts(Arc::clone(&again[0])), prompt);
    prompt
}

/// What a person said and a compaction took in before any reply is not sent again.
#[test]
fn what_arrived_before_a_compaction_is_gone_with_it() {
    let message = |kind: &str, id: &str, parent: &str, more: &str| {
        format!(r#"{{"type":"{kind}","uuid":"{id}","parentUuid":{parent},"sessionId":"s",{more}}}"#)
    };
    let said = |text: &str| format!(r#""message":{{"role":"user","content":"{text}"}}"#);
    let reply = |text: &str| {
        let content = format!(r#"[{{"type":"text","text":"{text}"}}]"#);
        format!(r#""message":{{"role":"assistant","id":"{text}","model":"m","content":{content}}}"#)
    };
    let summary = format!(r#""isCompactSummary":true,{}"#, said("so far"));
    let boundary = r#""subtype":"compact_boundary","content":"Conversation compacted""#;
    let lines = [
        message("user", "1", "null", &said("first")),
        message("assistant", "2", r#""1""#, &reply("one")),
        message("user", "3", r#""2""#, &said("second")),
        message("system", "4", "null", boundary),
        message("user", "5", r#""4""#, &summary),
        message("user", "6", r#""5""#, &said("third")),
        message("assistant", "7", r#""6""#, &reply("two")),
    ];
    let loaded = loaded("claude-code", &lines.join("\n"));
    let step = &loaded.conversations[0];
    assert_eq!(prompt(step, 2), ["so far", "third"]);
    assert_eq!(prompt(step, 3), ["so far", "third", "two"]);
}

/// Where a condensation names what it leaves out, the rest of the history stays where it was.
#[test]
fn a_condensation_leaves_out_what_it_names() {
    let person = |id: &str, text: &str| {
        format!(
            r#"{{"kind":"MessageEvent","id":"{id}","source":"user","llm_message":{{"role":"user","content":"{text}"}}}}"#
        )
    };
    let reply = |id: &str, text: &str| {
        format!(
            r#"{{"kind":"MessageEvent","id":"{id}","source":"agent","llm_message":{{"role":"assistant","content":"{text}"}}}}"#
        )
    };
    let condensed = |id: &str, named: &str, summary: &str| {
        format!(
            r#"{{"kind":"Condensation","id":"{id}","source":"environment","forgotten_event_ids":{named},"summary":"{summary}"}}"#
        )
    };
    let lines = [
        person("a", "task"),
        reply("b", "one"),
        person("c", "go on"),
        reply("d", "two"),
        condensed("e", r#"["b"]"#, "of one"),
        reply("f", "three"),
        condensed("g", r#"["c","f"]"#, "of more"),
        person("h", "well?"),
        reply("i", "four"),
    ];
    let loaded = loaded("openhands", &lines.join("\n"));
    let step = &loaded.conversations[0];
    assert_eq!(prompt(step, 2), ["task", "one", "go on"]);
    assert_eq!(prompt(step, 3), ["task", "of one", "go on", "two"]);
    assert_eq!(prompt(step, 4), ["task", "of more", "two", "well?"]);
    let rebuilt = Run::new(Arc::clone(step)).as_sent(4).expect("a prompt");
    let note = rebuilt.rebuilt.expect("rebuilt").note();
    assert!(note.contains("without what the compaction before turn 4 left out"));

    let lines = [
        r#"{"id":0,"source":"user","action":"message","args":{"content":"task"}}"#,
        r#"{"id":1,"source":"agent","action":"message","args":{"content":"one"}}"#,
        r#"{"id":2,"source":"agent","action":"message","args":{"content":"two"}}"#,
        r#"{"id":3,"source":"agent","action":"condensation","args":{"forgotten_events_start_id":1,"forgotten_events_end_id":1,"summary":"of one"}}"#,
        r#"{"id":4,"source":"agent","action":"message","args":{"content":"three"}}"#,
    ];
    let loaded = self::loaded("openhands", &format!("[{}]", lines.join(",")));
    let step = &loaded.conversations[0];
    assert_eq!(prompt(step, 3), ["task", "of one", "two"]);
}

#[test]
fn openhands_tells_of_condensations_rejections_and_errors_that_passed() {
    let text = r#"[
        {"id":0,"source":"user","action":"message","args":{"content":"task"},"timestamp":"2026-01-01T00:00:00"},
        {"id":1,"source":"agent","action":"run","args":{"command":"rm x"},"timestamp":"2026-01-01T00:00:01"},
        {"id":2,"source":"environment","observation":"user_rejected","cause":1,"content":"no","extras":{},"timestamp":"2026-01-01T00:00:02"},
        {"id":3,"source":"environment","observation":"agent_state_changed","content":"","extras":{"agent_state":"error","reason":"rate limit"},"timestamp":"2026-01-01T00:00:03"},
        {"id":4,"source":"environment","observation":"agent_state_changed","content":"","extras":{"agent_state":"running"},"timestamp":"2026-01-01T00:00:04"},
        {"id":5,"source":"agent","action":"condensation","args":{"summary":"x was to go"},"timestamp":"2026-01-01T00:00:05"},
        {"id":6,"source":"agent","action":"message","args":{"content":"well"},"timestamp":"2026-01-01T00:00:06"}]"#;
    let loaded = loaded("openhands", text);
    let step = &loaded.conversations[0];
    let call = &step.turns()[0].tool_calls()[0];
    assert!(call.refused && call.error.is_none() && call.approximate);
    assert_eq!(
        events(step),
        [(EventKind::Compaction, 1, Some("x was to go"))]
    );
    assert_eq!(step.ending, Ending::Open);
    // Nothing that is no program is told not to be recorded.
    assert_eq!(step.turns()[1].program().note(), Some("none"));
}

#[test]
fn an_evaluation_that_did_not_succeed_says_so() {
    let sample = r#"{"id":1,"epoch":1,"input":"q","messages":[
        {"role":"user","content":"q"},
        {"role":"assistant","content":"","tool_calls":[{"id":"c","function":"bash","arguments":{"cmd":"ls"}}]},
        {"role":"tool","tool_call_id":"c","function":"bash","content":"","error":{"type":"approval","message":"rejected"}}]}"#;
    for (status, error, note) in [
        (
            "error",
            r#"{"message":"no key","traceback":""}"#,
            "the evaluation's status is error: no key",
        ),
        ("cancelled", "null", "the evaluation's status is cancelled"),
        ("started", "null", "the evaluation's status is started"),
    ] {
        let text = format!(
            r#"{{"version":2,"status":"{status}","eval":{{"task":"t","model":"m"}},"error":{error},"samples":[{sample}]}}"#
        );
        let loaded = loaded("inspect-ai", &text);
        assert!(
            loaded.report.notes.iter().any(|told| told == note),
            "{:?}",
            loaded.report
        );
        let turn = &loaded.conversations[0].turns()[0];
        assert!(turn.tool_calls()[0].refused);
        assert_eq!(turn.outcome(), Outcome::Unknown);
    }
    // An evaluation that failed before its first sample.
    let text = r#"{"version":2,"status":"error","eval":{"task":"t","model":"m"},"error":{"message":"no key"},"samples":[]}"#;
    let loaded = loaded("inspect-ai", text);
    assert!(loaded.conversations.is_empty());
    assert!(loaded.report.notes[0].contains("no key"));
}

#[test]
fn inspect_events_are_kept_and_prompts_have_their_calls() {
    let text = r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"input":"q","messages":[],"events":[
        {"event":"model","input":[{"role":"user","content":"q"}],"output":{"choices":[{"message":{"role":"assistant","content":"","tool_calls":[{"id":"c","function":"bash","arguments":{"cmd":"ls"}}]}}]}},
        {"event":"compaction"},
        {"event":"model","input":[{"role":"user","content":"q"},{"role":"assistant","content":"","tool_calls":[{"id":"c","function":"bash","arguments":{"cmd":"ls"}}]}],"output":{"choices":[{"message":{"role":"assistant","content":"done"}}]}},
        {"event":"interrupt"}]}]}"#;
    let loaded = loaded("inspect-ai", text);
    let step = &loaded.conversations[0];
    assert_eq!(
        events(step),
        [
            (EventKind::Compaction, 1, None),
            (EventKind::Interruption, 2, None)
        ]
    );
    let sent = step.turns()[1].messages().get().expect("recorded");
    assert_eq!(&*sent[1].content, r#"bash {"cmd":"ls"}"#);
}

#[test]
fn a_trajectory_that_nobody_refers_to_is_a_child_all_the_same() {
    let text = r#"{"schema_version":"ATIF-v1.7","agent":{"name":"a"},"steps":[{"source":"user","message":"q"},{"source":"agent","message":"go"}],
        "subagent_trajectories":[{"trajectory_id":"x","agent":{"name":"b"},"steps":[{"source":"agent","message":"alone"}]}]}"#;
    let loaded = loaded("atif", text);
    let step = &loaded.conversations[0];
    assert_eq!(step.children.len(), 1);
    assert_eq!(step.loose_children(), [0]);
}

#[test]
fn gemini_counts_what_was_taken_back_and_tells_of_failure() {
    let session = r#"{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T00:00:00Z"}
{"id":"1","type":"user","content":"first"}
{"id":"2","type":"gemini","content":"one"}
{"id":"3","type":"user","content":"second"}
{"id":"4","type":"gemini","content":"two"}
{"$rewindTo":"3"}
{"id":"5","type":"error","content":"[API Error: quota]"}"#;
    let loaded_session = loaded("gemini-cli", session);
    let step = &loaded_session.conversations[0];
    assert_eq!(step.turns().len(), 1);
    assert!(loaded_session.report.notes[0].ends_with(": 2"));
    assert_eq!(
        events(step),
        [(EventKind::ApiError, 1, Some("[API Error: quota]"))]
    );
    let stream = r#"{"type":"init","session_id":"s","model":"m"}
{"type":"message","role":"user","content":"q"}
{"type":"result","status":"error","error":{"type":"quota","message":"none left"},"stats":{}}"#;
    let loaded = loaded("gemini-cli", stream);
    let Ending::Fail(failure) = &loaded.conversations[0].ending else {
        panic!("it failed");
    };
    assert_eq!(failure.message.as_deref(), Some("none left"));
}

#[test]
fn a_replay_of_swe_agent_asked_no_model() {
    let text = r#"{"environment":"e","trajectory":[{"action":"ls","observation":"x","response":"look","thought":"look"}],"history":[{"role":"system","content":"s"}],"info":{"exit_status":"submitted","model_stats":{"tokens_sent":0,"tokens_received":0,"api_calls":1,"instance_cost":0}}}"#;
    let loaded = loaded("swe-agent", text);
    assert!(
        loaded
            .report
            .notes
            .iter()
            .any(|note| note.contains("replay"))
    );
}

#[test]
fn several_traces_of_langfuse_are_a_list_and_a_failed_root_fails() {
    let trace = |id: &str, level: &str| {
        format!(
            r#"{{"trace":{{"id":"{id}","name":"{id}"}},"observations":[
            {{"id":"r","type":"AGENT","name":"root","startTime":"2026-01-01T00:00:00Z","level":"{level}","statusMessage":"broke","input":"task","output":"done"}},
            {{"id":"g","parentObservationId":"r","type":"GENERATION","name":"llm","startTime":"2026-01-01T00:00:01Z","input":"task","output":"text"}}]}}"#
        )
    };
    let text = format!("[{},{}]", trace("a", "DEFAULT"), trace("b", "ERROR"));
    let loaded = loaded("langfuse", &text);
    let [one, other] = loaded.conversations.as_slice() else {
        panic!("{} traces", loaded.conversations.len());
    };
    assert_eq!(one.ending, Ending::Return(Value::string("done")));
    let Ending::Fail(failure) = &other.ending else {
        panic!("it failed");
    };
    assert_eq!(failure.message.as_deref(), Some("broke"));
}

#[test]
fn an_error_that_is_all_that_was_answered_is_told_once() {
    let v0 = r#"[
        {"id":1,"source":"agent","action":"read","args":{"path":"x"},"timestamp":"2026-01-01T00:00:01"},
        {"id":2,"source":"environment","observation":"error","cause":1,"content":"no such file","extras":{},"timestamp":"2026-01-01T00:00:02"},
        {"id":3,"source":"agent","action":"run","args":{"command":"ls"},"timestamp":"2026-01-01T00:00:03"},
        {"id":4,"source":"environment","observation":"run","cause":3,"content":"nothing","extras":{"metadata":{"exit_code":2}},"timestamp":"2026-01-01T00:00:04"}]"#;
    let v1 = r#"{"kind":"ActionEvent","id":"a","source":"agent","tool_name":"t","tool_call_id":"c","llm_response_id":"r","thought":[],"action":{"kind":"X"}}
{"kind":"AgentErrorEvent","id":"b","source":"agent","tool_call_id":"c","error":"no such file"}
{"kind":"ActionEvent","id":"d","source":"agent","tool_name":"t","tool_call_id":"e","llm_response_id":"q","thought":[],"action":{"kind":"X"}}
{"kind":"ObservationEvent","id":"f","source":"environment","tool_call_id":"e","observation":{"content":[{"type":"text","text":"nothing"}],"exit_code":2}}"#;
    for text in [v0, v1] {
        let loaded = loaded("openhands", text);
        let turns = loaded.conversations[0].turns();
        let call = &turns[0].tool_calls()[0];
        assert_eq!(call.error, Some(Value::string("no such file")), "{text}");
        assert_eq!(call.result.get(), None, "{text}");
        let call = &turns[1].tool_calls()[0];
        assert_eq!(call.error, Some(Value::string("exit code 2")), "{text}");
        assert_eq!(call.result.get(), Some(&Value::string("nothing")), "{text}");
    }
}

/// Why a provider gave no reply is told to whoever looks at the run; the model was never sent it.
#[test]
fn an_error_of_the_provider_is_no_message() {
    let text = r#"{"info":{"id":"s","title":"t"},"messages":[
        {"info":{"id":"m1","role":"user"},"parts":[{"type":"text","text":"first"}]},
        {"info":{"id":"m2","role":"assistant","error":{"name":"APIError","data":{"message":"overloaded"}}},
         "parts":[{"type":"text","text":"partly"}]},
        {"info":{"id":"m3","role":"user"},"parts":[{"type":"text","text":"again"}]},
        {"info":{"id":"m4","role":"assistant"},"parts":[{"type":"text","text":"one"}]}]}"#;
    let loaded = loaded("opencode", text);
    let step = &loaded.conversations[0];
    assert!(step.turns()[0].failed());
    assert_eq!(prompt(step, 2), ["first", "partly", "again"]);
    for form in [Form::Openai, Form::Anthropic] {
        let written = form::write(step, form, None).expect("a chat");
        assert!(!written.contains("overloaded"), "{written}");
    }
}

/// What a compaction left keeps its roles and its calls, and what can't be read of it is named.
#[test]
fn codex_goes_on_from_the_history_that_a_compaction_left() {
    let item = |item: &str| format!(r#"{{"type":"response_item","payload":{item}}}"#);
    let message = |role: &str, kind: &str, text: &str| {
        format!(
            r#"{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"{text}"}}]}}"#
        )
    };
    let left = [
        message("developer", "input_text", "be brief"),
        message("user", "input_text", "first"),
        message("assistant", "output_text", "one"),
        r#"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}"#.to_owned(),
        r#"{"type":"function_call_output","call_id":"c","output":"listed"}"#.to_owned(),
        r#"{"type":"compaction","encrypted_content":"gAAA"}"#.to_owned(),
    ];
    let compacted = format!(
        r#"{{"type":"compacted","payload":{{"message":"","replacement_history":[{}]}}}}"#,
        left.join(",")
    );
    let lines = [
        r#"{"type":"session_meta","payload":{"id":"s"}}"#.to_owned(),
        item(&message("user", "input_text", "first")),
        item(&message("assistant", "output_text", "one")),
        compacted,
        item(&message("user", "input_text", "second")),
        item(&message("assistant", "output_text", "two")),
    ];
    let loaded = loaded("codex", &lines.join("\n"));
    let step = &loaded.conversations[0];
    let texts = ["be brief", "first", "one\nshell {}", "listed", "second"];
    assert_eq!(prompt(step, 2), texts);
    let sent = Run::new(Arc::clone(step)).as_sent(2).expect("a prompt");
    let roles: Vec<Role> = sent.messages.iter().map(|message| message.role).collect();
    let user = Role::User;
    assert_eq!(roles, [Role::System, user, Role::Assistant, user, user]);
    let missing = sent.rebuilt.and_then(|rebuilt| rebuilt.missing());
    assert!(missing.is_some_and(|missing| missing.contains("encrypted")));
    let notes = loaded.report.notes.join("; ");
    assert!(
        notes.contains("1 item(s) that a compaction left"),
        "{notes}"
    );
}
