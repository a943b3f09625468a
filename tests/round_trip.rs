//! Every form of every sample of other tools' formats: written without failure, and read again as the
//! same run as far as the form has a place for it.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use turnscope::export::form::{self, Form};
use turnscope::export::losses::left_out;
use turnscope::load::{self, Loaded, Source};
use turnscope::step::{Message, Step, Turn};
use turnscope::value::Value;

/// The samples, where they stand beside the repository, and the fixtures.
fn files() -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/samples");
    let roots = [
        beside.join("formats"),
        common::fixtures().join("faults"),
        common::fixtures().join("beside"),
        common::fixtures().join("rebuilt"),
        common::fixtures().join("formats"),
    ];
    let mut found = Vec::new();
    for root in roots {
        collect(&root, &mut found);
    }
    found.sort();
    found
}

fn collect(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_file() || load::is_storage(path) {
        found.push(path.to_owned());
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        collect(&entry.path(), found);
    }
}

/// Every conversation that a file holds, with a name for messages.
fn runs() -> Vec<(String, Arc<Step>)> {
    let mut runs = Vec::new();
    for path in files() {
        // What is no trace is other tests' matter.
        let Ok(Loaded { conversations, .. }) = load::open(&path, None) else {
            continue;
        };
        for (at, step) in conversations.into_iter().enumerate() {
            runs.push((format!("{} [{at}]", path.display()), step));
        }
    }
    assert!(runs.len() > 20, "{} runs", runs.len());
    runs
}

fn written(step: &Arc<Step>, form: Form) -> String {
    form::write(step, form, None).expect("a form of it")
}

fn reloaded(text: &str, format: &str) -> Arc<Step> {
    let source = Source::from_bytes("written", text.as_bytes().to_vec());
    let of = load::loader(format).expect("a format");
    let loaded = load::load(&source, of).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(loaded.report.is_clean(), "{:?}", loaded.report);
    assert_eq!(loaded.report.skipped(), 0, "{:?}", loaded.report);
    assert_eq!(loaded.conversations.len(), 1, "{text}");
    Arc::clone(&loaded.conversations[0])
}

/// Calls by name, with whether they are answered and whether they failed.
fn calls(turn: &Turn, marks: bool) -> Vec<(String, bool, bool)> {
    let calls = turn.tool_calls().iter();
    let calls = calls.map(|call| {
        // An empty result and none at all are one thing to some formats.
        let says = |result: &Value| !result.is_nil() && result.as_str() != Some("");
        let answered = call.error.is_some() || call.result.get().is_some_and(says);
        (
            call.name.to_string(),
            answered,
            marks && call.error.is_some(),
        )
    });
    calls.collect()
}

fn same_turns(name: &str, step: &Step, back: &Step, marks: bool) {
    assert_eq!(back.turns().len(), step.turns().len(), "{name}");
    assert_eq!(
        back.system_prompt.as_deref().unwrap_or_default(),
        step.system_prompt.as_deref().unwrap_or_default(),
        "{name}"
    );
    for (turn, new) in step.turns().iter().zip(back.turns()) {
        let place = format!("{name}: turn {}", turn.number());
        assert_eq!(calls(new, marks), calls(turn, marks), "{place}");
        let said = |turn: &Turn| turn.raw_response().get().map(|text| text.trim().to_owned());
        let text = said(turn).unwrap_or_default();
        if !text.is_empty() && !text.starts_with("<think>") {
            assert_eq!(said(new), Some(text), "{place}");
        }
    }
}

#[test]
fn a_step_file_is_the_same_run() {
    for (name, step) in runs() {
        let back = reloaded(&written(&step, Form::Step), "step");
        assert_eq!(back.turns().len(), step.turns().len(), "{name}");
        for (turn, new) in step.turns().iter().zip(back.turns()) {
            let place = format!("{name}: turn {}", turn.number());
            assert_eq!(new.tool_calls_field(), turn.tool_calls_field(), "{place}");
            assert_eq!(new.raw_response(), turn.raw_response(), "{place}");
            assert_eq!(new.program(), turn.program(), "{place}");
            assert_eq!(new.result(), turn.result(), "{place}");
            assert_eq!(new.prints_field(), turn.prints_field(), "{place}");
            assert_eq!(new.messages(), turn.messages(), "{place}");
            assert_eq!(new.inputs(), turn.inputs(), "{place}");
            assert_eq!(new.usage(), turn.usage(), "{place}");
            assert_eq!(new.outcome(), turn.outcome(), "{place}");
        }
        assert_eq!(back.events, step.events, "{name}");
        assert_eq!(back.unmatched_results, step.unmatched_results, "{name}");
        assert_eq!(back.ending, step.ending, "{name}");
        assert_eq!(
            written(&back, Form::Step),
            written(&step, Form::Step),
            "{name}"
        );
        assert_eq!(left_out(&step, Form::Step), [""; 0]);
    }
}

#[test]
fn a_trajectory_has_turns_calls_and_tokens() {
    for (name, step) in runs() {
        let back = reloaded(&written(&step, Form::Atif), "atif");
        same_turns(&name, &step, &back, false);
        for (turn, new) in step.turns().iter().zip(back.turns()) {
            let place = format!("{name}: turn {}", turn.number());
            let counts = |turn: &Turn| {
                let usage = turn.usage();
                (usage.input, usage.output, usage.cache_read)
            };
            assert_eq!(counts(new), counts(turn), "{place}");
            assert_eq!(new.thinking().get(), turn.thinking().get(), "{place}");
            let injected = |turn: &Turn| turn.inputs().iter().filter(|i| i.injected).count();
            if step.mission.is_some() {
                assert_eq!(injected(new), injected(turn), "{place}");
                assert_eq!(new.person_inputs(), turn.person_inputs(), "{place}");
            }
        }
        assert_eq!(back.usage.input, step.usage.input, "{name}");
        assert_eq!(back.children.len(), step.children.len(), "{name}");
        assert_eq!(
            back.unmatched_results.len(),
            step.unmatched_results.len(),
            "{name}"
        );
        let failed = step.turns().iter().any(|turn| turn.failed());
        let told = left_out(&step, Form::Atif);
        assert_eq!(told.contains(&"which turns failed"), failed, "{name}");
    }
}

/// A result that stands before its call, and one that names none: neither is what the system did in
/// between, which is text in the next prompt.
#[test]
fn results_of_no_call_stay_so_in_a_trajectory() {
    let at = r#""timestamp":"2026-01-01T00:00:00Z""#;
    let items = [
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"Go."}]}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"too early"}"#,
        r#"{"type":"function_call_output","output":"of none"}"#,
        r#"{"type":"function_call_output"}"#,
        r#"{"type":"function_call","call_id":"a","name":"ls","arguments":"{}"}"#,
    ];
    let lines = items
        .map(|item| format!(r#"{{{at},"type":"response_item","payload":{item}}}"#))
        .join("\n");
    let source = Source::from_bytes("rollout", lines.into_bytes());
    let of = load::loader("codex").expect("a format");
    let loaded = load::load(&source, of).expect("a rollout");
    let step = &loaded.conversations[0];
    let said = |step: &Step| -> Vec<Option<Value>> {
        let results = step.unmatched_results.iter();
        let says = |value: &&Value| !value.is_nil();
        results
            .map(|call| call.result.get().filter(says).cloned())
            .collect()
    };
    let text = |text| Some(Value::string(text));
    let all = [text("too early"), text("of none"), None];
    assert_eq!(said(step), all);
    let back = reloaded(&written(step, Form::Atif), "atif");
    assert_eq!(said(&back), all);
    assert!(!back.turns()[0].tool_calls()[0].is_answered());
    assert_eq!(back.pending_inputs, []);
}

#[test]
fn a_chat_has_turns_and_calls() {
    for (name, step) in runs() {
        let back = reloaded(&written(&step, Form::Openai), "openai-chat");
        same_turns(&name, &step, &back, false);
        let back = reloaded(&written(&step, Form::Anthropic), "anthropic-messages");
        // That API takes no message that says nothing.
        let is_silent = step.turns().iter().any(|turn| !turn.amounts().says());
        if is_silent {
            let told = left_out(&step, Form::Anthropic);
            assert!(told.contains(&"replies that say nothing"), "{name}");
        } else {
            same_turns(&name, &step, &back, true);
        }
        let tokens = step.turns().iter().any(|turn| !turn.usage().is_empty());
        for form in [Form::Openai, Form::Anthropic] {
            let told = left_out(&step, form);
            let tokens = tokens || !step.usage.is_empty();
            assert_eq!(told.contains(&"tokens"), tokens, "{name}");
        }
    }
}

#[test]
fn reports_are_written_of_all() {
    for (name, step) in runs() {
        for form in [Form::Markdown, Form::Html] {
            let text = written(&step, form);
            let turns = step.turns().len();
            assert!(text.matches("Turn ").count() >= turns, "{name}");
        }
    }
}

/// A run of one conversation.
fn loaded(format: &str, text: &str) -> Arc<Step> {
    let source = Source::from_bytes(format, text.as_bytes().to_vec());
    let of = load::loader(format).expect("a format");
    let loaded = load::load(&source, of).unwrap_or_else(|error| panic!("{error}: {text}"));
    Arc::clone(&loaded.conversations[0])
}

/// Messages that are not the mission.
fn messages(step: &Arc<Step>, form: Form) -> Vec<serde_json::Value> {
    let json: serde_json::Value = serde_json::from_str(&written(step, form)).expect("JSON");
    json["messages"].as_array().expect("messages")[1..].to_vec()
}

/// The model saw what a failed command wrote, not the error that is made of its exit code.
#[test]
fn what_a_failed_call_wrote_goes_along() {
    let step = loaded(
        "openhands",
        r#"[
        {"id":0,"source":"user","action":"message","args":{"content":"Fix the test."}},
        {"id":1,"source":"agent","action":"run","args":{"command":"pytest","thought":"Now."}},
        {"id":2,"source":"agent","observation":"run","cause":1,"content":"E assert 3 == 4","extras":{"metadata":{"exit_code":1}}},
        {"id":3,"source":"agent","action":"message","args":{"content":"Line 17."}}]"#,
    );
    let said = &messages(&step, Form::Openai)[1];
    assert_eq!(said["content"], "E assert 3 == 4");
    let said = &messages(&step, Form::Anthropic)[1]["content"][0];
    assert_eq!(said["content"], "E assert 3 == 4");
    assert_eq!(said["is_error"], true);
    let back = reloaded(&written(&step, Form::Atif), "atif");
    let call = |step: &Step| {
        let call = step.turns()[0].tool_calls()[0].clone();
        (call.result, call.error)
    };
    assert_eq!(call(&back), call(&step));

    let sent = sent(step);
    assert_eq!(&*sent[2].content, "E assert 3 == 4");
}

/// What was sent to produce the second turn.
fn sent(step: Arc<Step>) -> Vec<Message> {
    let run = turnscope::compression::Run::new(step);
    run.as_sent(2).expect("a prompt").messages
}

/// So it is where the command is the reply itself and its output what it printed.
#[test]
fn what_a_failed_program_printed_goes_along() {
    let step = loaded(
        "mini-swe-agent",
        r#"{"trajectory_format":"mini-swe-agent-1.1","info":{},"messages":[
        {"role":"system","content":"s"},{"role":"user","content":"Go."},
        {"role":"assistant","content":"Now.\n\n```bash\nfalse\n```"},
        {"role":"user","content":"<returncode>1</returncode>\n<output>\noops\n</output>","extra":{"raw_output":"oops","returncode":1}},
        {"role":"assistant","content":"Well.\n\n```bash\ntrue\n```"}]}"#,
    );
    assert!(step.turns()[0].failed());
    let said = messages(&step, Form::Openai);
    let last = said.iter().rfind(|message| message["role"] == "user");
    assert_eq!(last.expect("an observation")["content"], "oops");
    let sent = sent(step);
    assert_eq!(sent.last().map(|message| &*message.content), Some("oops"));
}

/// An error that tells more than the result stands behind it.
#[test]
fn an_error_beside_a_result_goes_along() {
    let step = loaded(
        "step",
        r#"{"mission":"Go.","conventions":"foreign","turns":[{"number":1,"raw_response":"Now.","program":null,
        "tool_calls":[{"name":"run","args":{},"result":"half of it","error":"timed out"}]}]}"#,
    );
    let said = &messages(&step, Form::Openai)[1];
    assert_eq!(said["content"], "half of it\ntimed out");
    let sent = sent(step);
    assert_eq!(&*sent[2].content, "half of it\ntimed out");
}

/// A result without content tells that the tool gave nothing. A trajectory has a mark of failed calls
/// and what the run cost, too.
#[test]
fn a_tool_that_gave_nothing_has_answered() {
    let step = loaded(
        "atif",
        r#"{"schema_version":"ATIF-v1.4","agent":{"name":"a"},"final_metrics":{"total_cost_usd":0.25},"steps":[
        {"source":"user","message":"Go."},
        {"source":"agent","message":"Now.","tool_calls":[
            {"tool_call_id":"c","function_name":"run","arguments":{}},
            {"tool_call_id":"d","function_name":"run","arguments":{}}],
         "observation":{"results":[{"source_call_id":"c"},
            {"source_call_id":"d","content":"no such file","extra":{"is_error":true}}]}}]}"#,
    );
    let calls = step.turns()[0].tool_calls();
    assert_eq!(calls[1].error, Some(Value::string("no such file")));
    let text = written(&step, Form::Atif);
    let back = reloaded(&text, "atif");
    assert_eq!(back.turns()[0].tool_calls(), calls);
    assert!(text.contains(r#""total_cost_usd": 0.25"#), "{text}");
    let said = &messages(&step, Form::Openai)[1];
    assert_eq!(
        (&said["role"], &said["content"]),
        (&"tool".into(), &"".into())
    );
    let said = &messages(&step, Form::Anthropic)[1]["content"][0];
    assert_eq!(
        (&said["tool_use_id"], &said["content"]),
        (&"c".into(), &"".into())
    );
}

/// Arguments that are no JSON stay as they were written where a text is their place.
#[test]
fn arguments_that_are_no_object_stay_a_text() {
    let step = loaded(
        "openai-chat",
        r#"[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[
            {"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\": \"cut"}}]}]"#,
    );
    let call = &messages(&step, Form::Openai)[0]["tool_calls"][0];
    assert_eq!(call["function"]["arguments"], r#"{"a": "cut"#);
    let loss = "that arguments are no object";
    assert!(!left_out(&step, Form::Openai).contains(&loss));
    assert!(left_out(&step, Form::Openai).contains(&"calls without a result"));
    assert!(left_out(&step, Form::Anthropic).contains(&loss));
}

/// A reply that failed before it said anything is no message; a turn's result that is its call's stands
/// once.
#[test]
fn nothing_is_said_without_words_or_twice() {
    let step = loaded(
        "step",
        r#"{"mission":"Go.","conventions":"foreign","turns":[
        {"number":1,"success":false,"raw_response":"","program":null,"result":"overloaded","request_failed":true},
        {"number":2,"raw_response":"Now.","program":null,"result":"done",
         "tool_calls":[{"id":"c","name":"final_answer","args":{"answer":"done"},"result":"done"}]}]}"#,
    );
    let said = messages(&step, Form::Anthropic);
    let roles: Vec<_> = said.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["assistant", "user"], "{said:?}");
    assert!(left_out(&step, Form::Anthropic).contains(&"replies that say nothing"));
    let trajectory = written(&step, Form::Atif);
    assert_eq!(trajectory.matches(r#""content": "done""#).count(), 1);
    let back = reloaded(&trajectory, "atif");
    let failed = &back.turns()[0];
    assert!(failed.request_failed() && failed.prints().is_empty());
    assert_eq!(failed.result().get(), Some(&Value::string("overloaded")));
}

/// What arrived before the mission would be taken for it.
#[test]
fn a_mission_behind_other_messages_is_told() {
    let step = loaded(
        "step",
        r#"{"mission":"Go.","mission_after":1,"conventions":"foreign","turns":[{"number":1,
        "inputs":[{"text":"a note","injected":true}],"raw_response":"Now.","program":null}]}"#,
    );
    for form in [Form::Openai, Form::Anthropic] {
        assert!(left_out(&step, form).contains(&"which message is the mission"));
    }
}

/// A count over 2^63-1 is none, a sum of counts neither.
#[test]
fn sums_that_are_no_counts_are_not_recorded() {
    let step = loaded(
        "anthropic-messages",
        r#"{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"a"}],
        "usage":{"input_tokens":9223372036854775807,"output_tokens":1,"cache_read_input_tokens":9223372036854775807}}"#,
    );
    let usage = step.turns()[0].usage();
    assert_eq!((usage.input, usage.output), (None, Some(1)));
    let back = reloaded(&written(&step, Form::Step), "step");
    assert_eq!(back.turns()[0].usage(), usage);
}

/// That a tool gave nothing is a message of its own in the prompts that follow.
#[test]
fn an_empty_answer_is_a_message() {
    let step = loaded(
        "atif",
        r#"{"schema_version":"ATIF-v1.4","agent":{"name":"a"},"steps":[{"source":"user","message":"Go."},
        {"source":"agent","message":"Now.","tool_calls":[{"tool_call_id":"c","function_name":"run","arguments":{}}],
         "observation":{"results":[{"source_call_id":"c"}]}},
        {"source":"agent","message":"Well."}]}"#,
    );
    let sent = sent(step);
    let texts: Vec<&str> = sent.iter().map(|message| &*message.content).collect();
    assert_eq!(texts, ["Go.", "Now.\nrun {}", ""]);
}
