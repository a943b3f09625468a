//! Traces as spans: results that only a prompt tells, failures inside, what LangSmith and Langfuse list.

use serde_json::{Value as Json, json};

use super::loaded;
use turnscope::step::Step;

fn span(id: u64, name: &str, attributes: &[(&str, &str)], more: &Json) -> Json {
    let attributes: Vec<Json> = attributes
        .iter()
        .map(|(key, value)| json!({"key": key, "value": {"stringValue": value}}))
        .collect();
    let mut span = json!({"traceId": "t", "spanId": id.to_string(), "name": name, "startTimeUnixNano": format!("{id}000000"), "endTimeUnixNano": format!("{id}500000"), "attributes": attributes});
    for (key, value) in more.as_object().into_iter().flatten() {
        span[key] = value.clone();
    }
    span
}

fn otlp(spans: &[Json]) -> String {
    json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string()
}

/// A call of a model, with what it was sent and what it answered.
fn chat(id: u64, sent: &[Json], answered: &Json) -> Json {
    let sent = json!(sent).to_string();
    let answered = json!([{"role": "assistant", "parts": [answered]}]).to_string();
    let attributes = [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.input.messages", sent.as_str()),
        ("gen_ai.output.messages", answered.as_str()),
    ];
    span(id, "chat", &attributes, &Json::Null)
}

/// What became of each call.
fn results(step: &Step) -> Vec<Option<&str>> {
    let calls = step.turns().iter().flat_map(|turn| turn.tool_calls());
    calls
        .map(|call| call.result.get().and_then(|value| value.as_str()))
        .collect()
}

#[test]
fn a_prompt_tells_the_results_that_no_span_has() {
    let person = json!({"role": "user", "parts": [{"type": "text", "content": "q"}]});
    let call = json!({"type": "tool_call", "id": "call_1", "name": "f", "arguments": {}});
    let said = json!({"role": "assistant", "parts": [call]});
    let result = |text: &str| json!({"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_1", "response": text}]});
    let end = json!({"type": "text", "content": "done"});
    let (first, second) = (result("one"), result("two"));
    let tool = [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "f"),
        ("gen_ai.tool.call.id", "call_1"),
    ];
    let spans = [
        chat(1, std::slice::from_ref(&person), &call),
        // Its content was not captured.
        span(2, "execute_tool f", &tool, &Json::Null),
        chat(3, &[person.clone(), said.clone(), first.clone()], &call),
        chat(5, &[person, said.clone(), first, said, second], &end),
    ];
    let loaded = loaded("otlp-genai", &otlp(&spans));
    assert_eq!(
        results(&loaded.conversations[0]),
        [Some("one"), Some("two")]
    );
}

#[test]
fn a_call_without_an_identifier_is_known_by_its_name() {
    let person = json!({"role": "user", "parts": [{"text": "q"}]});
    let said = json!({"role": "model", "parts": [{"function_call": {"name": "f", "args": {}}}]});
    let result =
        json!({"role": "user", "parts": [{"function_response": {"name": "f", "response": "r"}}]});
    let chat = |id: u64, contents: &[Json], answer: &Json| {
        let (sent, answered) = (
            json!({"contents": contents}).to_string(),
            json!({"content": answer}).to_string(),
        );
        let attributes = [
            ("gen_ai.operation.name", "generate_content"),
            ("gcp.vertex.agent.llm_request", sent.as_str()),
            ("gcp.vertex.agent.llm_response", answered.as_str()),
        ];
        span(id, "call_llm", &attributes, &Json::Null)
    };
    let end = json!({"role": "model", "parts": [{"text": "done"}]});
    let spans = [
        chat(1, std::slice::from_ref(&person), &said),
        chat(2, &[person, said.clone(), result], &end),
    ];
    let loaded = loaded("otlp-genai", &otlp(&spans));
    assert_eq!(results(&loaded.conversations[0]), [Some("r")]);
}

#[test]
fn what_failed_without_a_mark_of_its_own_is_noted() {
    let agent = [("gen_ai.operation.name", "invoke_agent")];
    let failed = |parent: &str, why: &str| json!({"parentSpanId": parent, "status": {"code": 2, "message": why}});
    let mut inside = chat(4, &[], &json!({"type": "text", "content": "a"}));
    inside["parentSpanId"] = json!("3");
    inside["status"] = json!({"code": 2, "message": "no"});
    let spans = [
        span(1, "outer", &agent, &Json::Null),
        span(2, "inner", &agent, &failed("1", "died")),
        // The turn in it has the mark.
        span(3, "around", &agent, &failed("1", "no")),
        inside,
        json!("no span"),
    ];
    let loaded = loaded("otlp-genai", &otlp(&spans));
    assert_eq!(loaded.report.notes, ["'inner' failed: died"]);
    assert_eq!(loaded.report.skipped(), 1);
    assert!(loaded.conversations[0].turns()[0].failed());
}

#[test]
fn runs_of_langsmith_fail_by_their_status_and_not_by_an_empty_text() {
    let run = |id: &str, second: u32, more: &Json| {
        let mut run = json!({"id": id, "trace_id": "t", "run_type": "chain", "name": id, "start_time": format!("2026-01-01T00:00:0{second}")});
        for (key, value) in more.as_object().into_iter().flatten() {
            run[key] = value.clone();
        }
        run
    };
    let inner = run("c", 3, &json!({"outputs": {"output": "deep"}}));
    let children = [
        run(
            "a",
            1,
            &json!({"child_runs": [inner], "error": "", "status": "success"}),
        ),
        run("b", 4, &json!({"status": "error"})),
        json!("no run"),
    ];
    let root = run(
        "r",
        0,
        &json!({"inputs": {"input": "q"}, "child_runs": children}),
    );
    let loaded = loaded("langsmith", &root.to_string());
    let turns = loaded.conversations[0].turns();
    // Only the steps right below the root are turns.
    let failed: Vec<bool> = turns.iter().map(|turn| turn.failed()).collect();
    assert_eq!(failed, [false, true]);
    assert_eq!(loaded.report.skipped(), 1);
}

#[test]
fn observations_of_langfuse_alone_may_be_of_any_type() {
    let record = |id: &str, kind: &str| {
        json!({"id": id, "traceId": "t", "type": kind, "name": id, "startTime": "2026-01-01T00:00:00Z", "output": "\"a\""}).to_string()
    };
    let text = [record("g", "GENERATION"), record("r", "RETRIEVER")].join("\n");
    let loaded = loaded("langfuse", &text);
    assert_eq!(loaded.report.skipped(), 0, "{:?}", loaded.report);
    assert_eq!(loaded.conversations[0].turns().len(), 1);
}

/// What a run of two spans tells, in whatever store they lay.
fn is_read(text: &Json) {
    let loaded = loaded("otlp-genai", &text.to_string());
    let step = &loaded.conversations[0];
    let [turn] = step.turns() else {
        panic!("{} turns: {text}", step.turns().len());
    };
    assert_eq!(step.name.as_deref(), Some("agent"), "{text}");
    assert_eq!(step.mission.as_deref(), Some("q"), "{text}");
    assert_eq!(turn.usage().input, Some(7), "{text}");
    assert_eq!(turn.duration_ms(), Some(500), "{text}");
    let why = turn.result().get().and_then(|value| value.as_str());
    assert_eq!((turn.failed(), why), (true, Some("too slow")), "{text}");
    assert_eq!(loaded.report.skipped(), 0, "{text}");
}

#[test]
fn spans_of_jaeger_are_read() {
    let tag = |key: &str, value: Json| json!({"key": key, "type": "string", "value": value});
    let event = [
        tag("event", json!("gen_ai.user.message")),
        tag("content", json!("q")),
    ];
    let model = json!({"traceID": "t", "spanID": "2", "operationName": "chat", "startTime": 1_500_000, "duration": 500_000,
        "references": [{"refType": "CHILD_OF", "traceID": "t", "spanID": "1"}],
        "logs": [{"timestamp": 1, "fields": event}],
        "tags": [tag("gen_ai.operation.name", json!("chat")), tag("gen_ai.usage.input_tokens", json!(7)), tag("error", json!(true)), tag("otel.status_description", json!("too slow"))]});
    let agent = json!({"traceID": "t", "spanID": "1", "operationName": "agent", "startTime": 1_000_000, "duration": 2_000_000,
        "references": [], "logs": [], "tags": [tag("gen_ai.operation.name", json!("invoke_agent"))]});
    let trace = json!({"traceID": "t", "spans": [model, agent], "processes": {}});
    is_read(&trace);
    is_read(&json!({"data": [trace]}));
}

#[test]
fn spans_of_zipkin_are_read() {
    let model = json!({"traceId": "t", "id": "2", "parentId": "1", "name": "chat", "timestamp": 1_500_000, "duration": 500_000,
        "annotations": [{"timestamp": 1, "value": "\"gen_ai.user.message\": {\"content\": \"q\"}"}],
        "tags": {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": "7", "otel.status_code": "ERROR", "error": "too slow"}});
    let agent = json!({"traceId": "t", "id": "1", "name": "agent", "timestamp": 1_000_000, "duration": 2_000_000, "tags": {"gen_ai.operation.name": "invoke_agent"}});
    is_read(&json!([model, agent]));
    is_read(&json!([[model, agent]]));
}
