//! Gemini CLI: what tells of a session besides its own file.

use serde_json::json;

use super::loaded;
use turnscope::step::Ending;

#[test]
fn the_log_of_what_was_asked_has_a_run_a_session() {
    let entry = |session: &str, id: u32, said: &str| json!({"sessionId": session, "messageId": id, "type": "user", "message": said, "timestamp": "2026-01-01T00:00:00Z"});
    let text = json!([
        entry("a", 0, "one"),
        entry("b", 0, "other"),
        entry("a", 1, "two")
    ]);
    let pretty = serde_json::to_string_pretty(&text).expect("JSON");
    for text in [text.to_string(), pretty] {
        let loaded = loaded("gemini-cli", &text);
        let told: Vec<_> = loaded
            .conversations
            .iter()
            .map(|step| {
                (
                    step.mission.as_deref(),
                    step.pending_input.as_deref(),
                    step.turns().len(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [(Some("one"), Some("two"), 0), (Some("other"), None, 0)]
        );
        assert_eq!(loaded.conversations[0].trace_id.as_deref(), Some("a"));
        assert_eq!(loaded.report.skipped(), 0);
    }
}

#[test]
fn the_answer_alone_tells_what_the_run_spent() {
    let tokens = |prompt: u32| json!({"tokens": {"prompt": prompt, "candidates": 3, "thoughts": 1, "cached": 2, "total": 20}});
    let text = json!({"session_id": "s", "response": "hello", "stats": {"models": {"big": tokens(10), "small": tokens(5)}, "tools": {}}});
    let loaded = loaded("gemini-cli", &text.to_string());
    let step = &loaded.conversations[0];
    assert_eq!(step.turns().len(), 1);
    assert_eq!(step.ending, Ending::Return("hello".into()));
    assert_eq!(
        (step.usage.input, step.usage.output, step.usage.cache_read),
        (Some(15), Some(8), Some(4))
    );
    let text = json!({"error": {"type": "ApiError", "message": "no"}, "stats": {"models": {}}});
    let loaded = super::loaded("gemini-cli", &text.to_string());
    let step = &loaded.conversations[0];
    assert!(
        matches!(&step.ending, Ending::Fail(failure) if failure.message.as_deref() == Some("no"))
    );
}

#[test]
fn taking_back_costs_what_is_taken_back() {
    let mut lines = vec![json!({"sessionId": "s", "projectHash": "p"}).to_string()];
    for at in 0..20_000 {
        lines.push(json!({"id": format!("m{at}"), "type": "user", "content": "q"}).to_string());
        if at % 2 == 1 {
            lines.push(json!({"$rewindTo": format!("m{at}")}).to_string());
        }
    }
    let loaded = loaded("gemini-cli", &lines.join("\n"));
    let step = &loaded.conversations[0];
    assert_eq!(step.pending_inputs.len(), 9_999);
}

#[test]
fn a_failed_call_of_a_stream_tells_its_error_beside_its_output() {
    let records = [
        json!({"type": "init", "session_id": "s", "model": "m"}),
        json!({"type": "message", "role": "user", "content": "q"}),
        json!({"type": "tool_use", "tool_name": "f", "tool_id": "t", "parameters": {}}),
        json!({"type": "tool_result", "tool_id": "t", "status": "error", "output": "half", "error": {"message": "it broke"}}),
    ];
    let text: Vec<String> = records.iter().map(ToString::to_string).collect();
    let loaded = loaded("gemini-cli", &text.join("\n"));
    let call = &loaded.conversations[0].turns()[0].tool_calls()[0];
    let told = call.error.as_ref().and_then(|value| value.as_str());
    assert_eq!(told, Some("half\nit broke"));
}

#[test]
fn a_reply_without_a_content_says_nothing() {
    let text = r#"{"sessionId":"s","projectHash":"p","startTime":"2026-01-01T00:00:00Z"}
{"id":"1","type":"user","content":"q"}
{"id":"2","type":"gemini","content":null}
{"id":"3","type":"gemini"}"#;
    let loaded = loaded("gemini-cli", text);
    let turns = loaded.conversations[0].turns();
    assert_eq!(turns.len(), 2);
    let said = turns.iter().map(|turn| turn.raw_response().get());
    assert!(said.flatten().next().is_none());
}
