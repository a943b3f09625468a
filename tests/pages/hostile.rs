//! Structures that no writer writes: circles, chains and crowds of runs and spans.

use serde_json::{Value as Json, json};

use super::loaded;

/// So many that what grows with their square, or goes down with each, is felt.
const MANY: usize = 20_000;

fn span(id: &str, parent: Option<&str>, operation: &str, at: usize) -> Json {
    let mut span = json!({"traceId": "t", "spanId": id, "name": operation, "startTimeUnixNano": at.to_string(), "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": operation}},
        {"key": "gen_ai.tool.definitions", "value": {"stringValue": format!("[{{\"name\":\"f{at}\"}}]")}},
    ]});
    if let Some(parent) = parent {
        span["parentSpanId"] = parent.into();
    }
    json!({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
}

fn lines(records: impl Iterator<Item = Json>) -> String {
    records
        .map(|record| record.to_string())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn spans_in_a_circle_are_read() {
    let turns = |spans: &[Json]| {
        let loaded = loaded("otlp-genai", &lines(spans.iter().cloned()));
        loaded.conversations[0].turns().len()
    };
    assert_eq!(turns(&[span("a", Some("a"), "chat", 1)]), 1);
    assert_eq!(
        turns(&[
            span("a", Some("b"), "chat", 1),
            span("b", Some("a"), "chat", 2)
        ]),
        1
    );
    // One hangs on the circle.
    let circle = [
        span("a", Some("c"), "invoke_agent", 1),
        span("b", Some("a"), "invoke_agent", 2),
        span("c", Some("b"), "chat", 3),
        span("d", Some("b"), "chat", 4),
    ];
    assert_eq!(turns(&circle), 2);
}

#[test]
fn many_spans_take_no_more_than_their_share() {
    let name = |at: usize| format!("s{at}");
    let chain = |operation: &'static str| {
        let spans = (0..MANY).map(move |at| {
            let parent = at.checked_sub(1).map(name);
            let operation = if at == 0 { "invoke_agent" } else { operation };
            span(&name(at), parent.as_deref(), operation, at)
        });
        lines(spans)
    };
    // The last of a chain of calls of models is the turn, the others are runs around it.
    assert_eq!(
        loaded("otlp-genai", &chain("chat")).conversations[0]
            .turns()
            .len(),
        1
    );
    let tools = loaded("otlp-genai", &chain("execute_tool"));
    assert_eq!(tools.conversations[0].unmatched_results.len(), MANY - 1);
    let crowd = (0..MANY).map(|at| span(&name(at), (at > 0).then_some("s0"), "chat", at));
    let crowd = loaded("otlp-genai", &lines(crowd));
    assert_eq!(crowd.conversations[0].turns().len(), MANY - 1);
    assert_eq!(crowd.conversations[0].tools.len(), MANY);
    let alike = (0..MANY).map(|at| span("same", Some("same"), "chat", at));
    let alike = loaded("otlp-genai", &lines(alike));
    assert!(alike.conversations[0].turns().len() >= MANY - 1);
}

#[test]
fn observations_and_runs_in_a_circle_are_read() {
    let observation = |id: &str, parent: &str| json!({"id": id, "parentObservationId": parent, "type": "GENERATION", "name": "g", "startTime": "2026-01-01T00:00:00Z", "output": "\"a\""});
    let text = json!({"trace": {"id": "t", "name": "n"}, "observations": [observation("a", "b"), observation("b", "a")]});
    assert_eq!(
        loaded("langfuse", &text.to_string()).conversations[0]
            .turns()
            .len(),
        1
    );
    let run = |id: &str, parent: &str| json!({"id": id, "trace_id": "t", "parent_run_id": parent, "name": "n", "run_type": "llm", "dotted_order": id, "start_time": "2026-01-01T00:00:00", "outputs": {"generations": [[{"text": "a"}]]}});
    let text = json!([run("a", "b"), run("b", "a")]);
    assert_eq!(
        loaded("langsmith", &text.to_string()).conversations[0]
            .turns()
            .len(),
        1
    );
    let row = |id: &str, parent: &str| json!({"name": "n", "context": {"trace_id": "t", "span_id": id}, "parent_id": parent, "span_kind": "LLM", "start_time": "2026-01-01T00:00:00", "attributes.output.value": "a"});
    let text = json!([row("a", "b"), row("b", "a")]);
    assert_eq!(
        loaded("phoenix", &text.to_string()).conversations[0]
            .turns()
            .len(),
        1
    );
}

#[test]
fn sessions_in_a_chain_or_a_circle_are_read() {
    let session = |id: usize, parent: usize, at: usize| json!({"info": {"id": format!("s{id}"), "parentID": format!("s{parent}"), "title": "t", "time": {"created": at}}, "messages": []});
    let chain = (0..MANY).map(|at| session(at, at.saturating_sub(1), at));
    let chain = loaded("opencode", &lines(chain));
    let mut found = 0;
    let mut open: Vec<_> = chain.conversations.iter().collect();
    while let Some(step) = open.pop() {
        found += 1;
        open.extend(&step.children);
    }
    assert_eq!(found, MANY);
    let crowd = loaded("opencode", &lines((0..MANY).map(|at| session(at, 0, at))));
    assert_eq!(crowd.conversations[0].children.len(), MANY - 1);
    let circle = loaded(
        "opencode",
        &lines((0..3).map(|at| session(at, (at + 1) % 3, at))),
    );
    let roots = circle.conversations.iter();
    let within: usize = roots.map(|step| 1 + step.children.len()).sum();
    assert_eq!(within, 3);
}
