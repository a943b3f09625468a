//! TraceLogs, of both versions.

use super::*;

/// What was sent, or the writer's note in its place.
fn sent() -> impl Strategy<Value = Json> {
    prop_oneof![
        4 => prop::collection::vec(text(), 1..4).prop_map(|texts| json!(texts.into_iter().map(|text| json!({"role": "user", "content": text})).collect::<Vec<_>>())),
        1 => Just(json!("List(120 items)")),
        1 => Just(json!(null)),
    ]
}

/// What the events of a turn may be, without what all have in common: the kind, `data`, and the number
/// of the call.
fn events() -> impl Strategy<Value = Vec<(&'static str, Json, u8)>> {
    let one = prop_oneof![
        2 => any_of(&["normal", "must_return"]).prop_map(|kind| ("turn.start", json!({"type": kind}), 0)),
        3 => sent().prop_map(|sent| ("llm.start", json!({"messages": sent}), 0)),
        1 => text().prop_map(|text| ("llm.start", json!({"messages": [], "system_prompt": text}), 0)),
        3 => text().prop_map(|text| ("llm.stop", json!({"response": format!("{text}\n```clojure\n(+ 1 2)\n```")}), 0)),
        3 => (text(), 1..4u8).prop_map(|(text, call)| ("tool.start", json!({"args": {"x": text}}), call)),
        3 => (text(), 1..4u8).prop_map(|(text, call)| ("tool.stop", json!({"result": text}), call)),
        1 => (text(), 1..4u8).prop_map(|(text, call)| ("tool.exception", json!({"reason": {"message": text, "more": null}}), call)),
        1 => (text(), 1..4u8).prop_map(|(text, call)| ("tool.stop", json!({"args": {"y": 1}, "result": text, "child_trace_id": "lost one"}), call)),
        3 => (text(), text()).prop_map(|(program, print)| ("turn.stop", json!({"program": program, "result_preview": "nil", "prints": [print]}), 0)),
        1 => text().prop_map(|text| ("turn.stop", json!({"raw_response": text}), 0)),
        1 => Just(("odd.event", json!({}), 0)),
    ];
    prop::collection::vec(one, 1..8)
}

/// A turn as the end of the run records it.
fn record() -> impl Strategy<Value = Json> {
    let call = (text(), text())
        .prop_map(|(args, result)| json!({"name": "run", "args": {"x": args}, "result": result}));
    let calls = prop::collection::vec(call, 0..3);
    (text(), text(), calls, sent(), any::<bool>(), 0..3u8).prop_map(
        |(program, print, calls, sent, success, memory)| {
            let memory = match memory {
                0 => json!({"a": print}),
                1 => json!({"a": print, "b": [1, 2]}),
                _ => json!("Map(200 keys)"),
            };
            json!({
                "program": program, "raw_response": program, "result": print, "prints": [print],
                "tool_calls": calls, "messages": sent, "success?": success, "memory": memory,
            })
        },
    )
}

fn log(
    turns: Vec<Vec<(&'static str, Json, u8)>>,
    records: Option<Vec<Json>>,
    is_old: bool,
) -> Vec<Json> {
    let mut told = vec![("run.start", json!({"context": {"n": 1}}), 0, 0)];
    for (number, events) in turns.into_iter().enumerate() {
        told.extend(
            events
                .into_iter()
                .map(|(kind, data, call)| (kind, data, call, number + 1)),
        );
    }
    if let Some(records) = records {
        let step = json!({"turns": records, "prompt": "Go.", "usage": {"total_tokens": 7}, "memory": {"a": 1}});
        told.push(("run.stop", json!({"return": 5, "step": step}), 0, 0));
    }
    let told = told.into_iter().enumerate();
    let event = |(at, (kind, data, call, number)): (usize, (&str, Json, u8, usize))| {
        let is_tool = call > 0;
        let span = if is_tool {
            format!("c{number}-{call}")
        } else {
            "r".to_owned()
        };
        let turn = if is_tool || number == 0 {
            json!(null)
        } else {
            json!(number)
        };
        let parent = if is_tool { json!("r") } else { json!(null) };
        let mut event = json!({"event": kind, "trace_id": "t", "timestamp": format!("2026-01-01T00:00:{:02}Z", at % 60), "span_id": span, "parent_span_id": parent, "duration_ms": at});
        let tool = json!(if is_tool { json!("run") } else { json!(null) });
        if is_old {
            let mut inside = data;
            inside["turn"] = turn;
            inside["tool_name"] = tool;
            inside["agent"] = json!({"prompt": "Go.", "tools": {"run": {"signature": "(x)"}}});
            event["metadata"] = inside;
            event["measurements"] = json!({"input_tokens": at});
        } else {
            event["data"] = data;
            event["schema_version"] = json!(2);
            event["seq"] = json!(at + 1);
            event["turn"] = turn;
            event["tool_name"] = tool;
            event["input_tokens"] = json!(at);
        }
        event
    };
    told.map(event).collect()
}

// Whatever stands in them is read on the same paths, so a few of them tell much.
proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_a_log(turns in prop::collection::vec(events(), 1..8), records in prop::option::of(prop::collection::vec(record(), 0..8)), is_old in any::<bool>()) {
        let (first, format) = if is_old {
            (json!({"event": "trace.start", "trace_id": "t", "meta": {"query": "Go."}, "metadata": {}}), "trace-log-v1")
        } else {
            (json!({"schema_version": 2, "event": "trace.start", "trace_id": "t", "seq": 0, "query": "Go."}), "trace-log-v2")
        };
        loads_alike(trace(&first, &log(turns, records, is_old)), format)?;
    }
}
