//! Documents of agents: one list of messages, steps or events.

use super::*;

/// A command in a reply's only fenced block, or none.
fn reply() -> impl Strategy<Value = String> {
    let fence = any_of(&["mswea_bash_command", "bash", "python"]);
    (text(), fence, any::<bool>()).prop_map(|(text, fence, twice)| {
        let block = format!("\n```{fence}\nls {}\n```\n", text.len());
        format!("{text}{block}{}", if twice { &block } else { "" })
    })
}

fn seconds() -> impl Strategy<Value = Json> {
    (0..9000u32).prop_map(|ms| json!(f64::from(ms) / 1000.0))
}

/// A message of mini-swe-agent, in any of its dialects.
fn mini() -> impl Strategy<Value = Json> {
    let extra = || {
        prop_oneof![
            (seconds(), 0..2u8, text()).prop_map(
                |(at, code, text)| json!({"timestamp": at, "returncode": code, "raw_output": text})
            ),
            (seconds(), text())
                .prop_map(|(at, text)| json!({"timestamp": at, "exception_info": text})),
            seconds().prop_map(|at| json!({"timestamp": at})),
        ]
    };
    let usage = || {
        (seconds(), count()).prop_map(|(at, count)| json!({"timestamp": at, "response": {"usage": {"prompt_tokens": count, "completion_tokens": 2}}}))
    };
    prop_oneof![
        3 => (reply(), usage()).prop_map(|(text, extra)| json!({"role": "assistant", "content": text, "extra": extra})),
        2 => (id(), text(), usage()).prop_map(|(id, text, extra)| json!({"role": "assistant", "content": text, "reasoning_content": text, "extra": extra, "tool_calls": [{"id": id, "function": {"name": "bash", "arguments": json!({"command": text}).to_string()}}]})),
        1 => (id(), text(), usage()).prop_map(|(id, text, extra)| json!({"object": "response", "extra": extra, "output": [{"type": "reasoning", "summary": [{"text": text}]}, {"type": "message", "content": [{"text": text}]}, {"type": "function_call", "call_id": id, "name": "bash", "arguments": "{\"a\":1}"}, {"type": "other"}]})),
        3 => (text(), extra()).prop_map(|(text, extra)| json!({"role": "user", "content": text, "extra": extra})),
        2 => (text(), 0..2u8).prop_map(|(text, code)| json!({"role": "user", "content": format!("<returncode>{code}</returncode>\n{text}")})),
        1 => text().prop_map(|text| json!({"role": "user", "content": text})),
        2 => (id(), text(), extra()).prop_map(|(id, text, extra)| json!({"role": "tool", "tool_call_id": id, "content": text, "extra": extra})),
        1 => (id(), text()).prop_map(|(id, text)| json!({"type": "function_call_output", "call_id": id, "output": text})),
        1 => text().prop_map(|text| json!({"role": "exit", "content": text, "extra": {"exit_status": "Submitted", "submission": text}})),
        1 => text().prop_map(|text| json!({"role": "system", "content": text})),
        1 => text().prop_map(|text| json!({"role": "odd", "content": text})),
    ]
}

fn time() -> impl Strategy<Value = Json> {
    (0..60u8).prop_map(|second| json!(format!("2026-01-01T00:00:{second:02}")))
}

/// A result of a step of ATIF.
fn atif_result() -> impl Strategy<Value = Json> {
    let child = text().prop_map(|text| json!({"session_id": "other", "trajectory_path": "other.json", "extra": {"summary": text}}));
    prop_oneof![
        3 => (id(), text()).prop_map(|(id, text)| json!({"source_call_id": id, "content": text})),
        1 => id().prop_map(|id| json!({"source_call_id": id})),
        1 => text().prop_map(|text| json!({"content": text})),
        1 => (id(), child).prop_map(|(id, child)| json!({"source_call_id": id, "subagent_trajectory_ref": child})),
        1 => Just(json!({"subagent_trajectory_ref": [{"trajectory_id": "x"}]})),
    ]
}

fn atif_step() -> impl Strategy<Value = Json> {
    let source = any_of(&["agent", "agent", "agent", "user", "system", "odd"]);
    let calls = prop::collection::vec((id(), text()), 0..3).prop_map(|calls| {
        let calls = calls.into_iter();
        let call = |(id, text)| json!({"tool_call_id": id, "function_name": "run", "arguments": {"x": text}});
        calls.map(call).collect::<Vec<_>>()
    });
    let results = prop::collection::vec(atif_result(), 0..3);
    let extra = prop_oneof![
        4 => Just(json!(null)),
        1 => Just(json!({"of_no_call": true})),
        1 => Just(json!({"context_management": {"type": "compaction"}})),
    ];
    let rest = (time(), count(), any::<bool>());
    (source, text(), calls, results, extra, rest).prop_map(
        |(source, text, calls, results, extra, (time, count, copied))| {
            json!({
                "source": source, "message": text, "reasoning_content": text, "timestamp": time,
                "tool_calls": calls, "observation": {"results": results}, "extra": extra,
                "is_copied_context": copied, "metrics": {"prompt_tokens": count, "logprobs": [0.5, text]},
            })
        },
    )
}

/// An event of OpenHands as it was before its SDK.
fn old_event() -> impl Strategy<Value = Json> {
    let number = || 1..9u8;
    let call = any_of(&["run", "read", "think", "finish", "message"]);
    let source = any_of(&["agent", "agent", "user", "environment"]);
    let reply = (0..4u8, id(), text(), count()).prop_map(|(reply, id, text, count)| {
        json!({"tool_call_id": id, "function_name": "execute", "model_response": {
            "id": format!("m{reply}"), "usage": {"prompt_tokens": count},
            "choices": [{"message": {"content": text, "tool_calls": [{"id": id, "function": {"name": "execute", "arguments": json!({"x": text}).to_string()}}]}}],
        }})
    });
    prop_oneof![
        4 => (number(), call, source, text(), time(), reply).prop_map(|(number, call, source, text, time, reply)| json!({"id": number, "action": call, "source": source, "timestamp": time, "args": {"content": text, "thought": text, "command": text}, "tool_call_metadata": reply})),
        2 => (number(), text(), time(), count()).prop_map(|(number, text, time, count)| json!({"id": number, "action": "run", "source": "agent", "timestamp": time, "args": {"command": text}, "llm_metrics": {"accumulated_token_usage": {"prompt_tokens": count}}})),
        4 => (number(), any_of(&["run", "error", "user_rejected", "read"]), text(), time(), 0..2u8).prop_map(|(cause, kind, text, time, code)| json!({"id": 90, "cause": cause, "observation": kind, "source": "agent", "timestamp": time, "content": text, "extras": {"metadata": {"exit_code": code}}})),
        1 => text().prop_map(|text| json!({"id": 91, "observation": "error", "source": "agent", "content": text})),
        1 => text().prop_map(|text| json!({"observation": "run", "content": text, "success": false})),
        1 => text().prop_map(|text| json!({"action": "run", "command": text})),
        1 => text().prop_map(|text| json!([{"action": "run", "command": text}, {"observation": "run", "content": text}])),
        1 => text().prop_map(|text| json!({"id": 92, "action": "condensation", "source": "agent", "args": {"summary": text}})),
        1 => text().prop_map(|text| json!({"id": 93, "action": "odd", "source": "agent", "args": {"summary": text}})),
    ]
}

/// An event of the SDK.
fn new_event() -> impl Strategy<Value = Json> {
    prop_oneof![
        4 => (id(), 0..4u8, text(), time()).prop_map(|(id, reply, text, time)| json!({"kind": "ActionEvent", "source": "agent", "timestamp": time, "llm_response_id": format!("m{reply}"), "thought": [{"type": "text", "text": text}], "reasoning_content": text, "tool_name": "run", "tool_call_id": id, "action": {"kind": "RunAction", "command": text}})),
        4 => (id(), text(), time(), any::<bool>()).prop_map(|(id, text, time, failed)| json!({"kind": "ObservationEvent", "source": "environment", "timestamp": time, "tool_name": "run", "tool_call_id": id, "observation": {"content": [{"type": "text", "text": text}], "is_error": failed, "exit_code": 0}})),
        1 => (id(), text()).prop_map(|(id, text)| json!({"kind": "AgentErrorEvent", "source": "agent", "tool_name": "run", "tool_call_id": id, "error": text})),
        1 => (id(), text()).prop_map(|(id, text)| json!({"kind": "UserRejectObservation", "source": "environment", "tool_name": "run", "tool_call_id": id, "rejection_reason": text})),
        2 => (any_of(&["agent", "user"]), text()).prop_map(|(source, text)| json!({"kind": "MessageEvent", "source": source, "llm_message": {"role": source, "content": [{"type": "text", "text": text}]}})),
        2 => (id(), text(), any_of(&["completed", "failed", "in_progress"])).prop_map(|(id, text, status)| json!({"kind": "ACPToolCallEvent", "source": "agent", "tool_call_id": id, "title": "run", "raw_input": {"x": text}, "raw_output": text, "status": status})),
        1 => count().prop_map(|count| json!({"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "stats", "value": {"usage_to_metrics": {"agent": {"accumulated_token_usage": {"prompt_tokens": count}}}}})),
        1 => text().prop_map(|text| json!({"kind": "Condensation", "source": "environment", "summary": text})),
        1 => text().prop_map(|text| json!({"kind": "OddEvent", "source": "environment", "text": text})),
    ]
}

/// An element of a trajectory of SWE-agent.
fn element() -> impl Strategy<Value = Json> {
    let state = prop_oneof![
        Just(json!({"open_file": "n/a"})),
        text().prop_map(|text| json!(json!({"diff": text}).to_string())),
    ];
    let query = text().prop_map(|text| json!([{"role": "user", "content": text}]));
    (text(), text(), state, query, seconds()).prop_map(|(said, seen, state, query, time)| {
        json!({"action": said, "observation": seen, "response": said, "thought": said, "state": state, "query": query, "execution_time": time})
    })
}

/// A message of its history.
fn told() -> impl Strategy<Value = Json> {
    let calls = prop::collection::vec((id(), text()), 0..3).prop_map(|calls| {
        let calls = calls.into_iter();
        let call = |(id, text)| json!({"id": id, "function": {"name": "run", "arguments": json!({"x": text}).to_string()}});
        calls.map(call).collect::<Vec<_>>()
    });
    prop_oneof![
        1 => text().prop_map(|text| json!({"role": "system", "content": text})),
        1 => (text(), any::<bool>()).prop_map(|(text, demo)| json!({"role": "user", "content": text, "is_demo": demo, "message_type": "observation"})),
        3 => (text(), calls).prop_map(|(text, calls)| json!({"role": "assistant", "content": text, "tool_calls": calls})),
        1 => text().prop_map(|text| json!({"role": "assistant", "content": text})),
    ]
}

// Whatever stands in them is read on the same paths, so a few of them tell much.
proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_a_trajectory(messages in prop::collection::vec(mini(), 1..30), text in text(), is_bare in any::<bool>(), is_pretty in any::<bool>()) {
        let mut all = vec![
            json!({"role": "system", "content": "Be brief."}),
            json!({"role": "user", "content": text}),
            json!({"role": "assistant", "content": "Look.\n```mswea_bash_command\nls\n```"}),
        ];
        all.extend(messages);
        if is_bare {
            // What is submitted makes the last turn another one.
            loads_alike_but(document(&json!(all), is_pretty), "mini-swe-agent", 1)?;
        } else {
            let info = json!({"exit_status": "Submitted", "submission": text, "config": {"model": {"model_name": "m"}}});
            let trajectory = json!({"info": info, "messages": all, "trajectory_format": "mini-swe-agent-1"});
            loads_alike(document(&trajectory, is_pretty), "mini-swe-agent")?;
        }
    }

    #[test]
    fn of_steps(steps in prop::collection::vec(atif_step(), 1..20), totals in count(), is_late in any::<bool>(), is_pretty in any::<bool>()) {
        let mut all = vec![json!({"source": "user", "message": "Go."})];
        all.extend(steps);
        let agent = json!({"name": "a", "tool_definitions": [{"function": {"name": "run"}}]});
        // Keys stand in the order of the alphabet.
        let metrics = json!({"total_prompt_tokens": totals});
        let version = if is_late { "schema_version" } else { "a_version" };
        let mut trajectory = json!({"agent": agent, "final_metrics": metrics, "session_id": "s", "steps": all, "schema_version": "ATIF-v1.4"});
        trajectory[version] = json!("ATIF-v1.4");
        loads_alike(document(&trajectory, is_pretty), "atif")?;
    }

    #[test]
    fn of_elements(elements in prop::collection::vec(element(), 1..12), history in prop::option::of(prop::collection::vec(told(), 0..12)), text in text(), is_pretty in any::<bool>()) {
        let info = json!({"exit_status": "submitted", "submission": text, "model_stats": {"tokens_sent": 5}});
        let mut trajectory = json!({"environment": "e", "info": info, "trajectory": elements});
        if let Some(history) = history {
            trajectory["history"] = json!(history);
        }
        loads_alike(document(&trajectory, is_pretty), "swe-agent")?;
    }

    #[test]
    fn of_events(events in prop::collection::vec(old_event(), 1..30), is_bare in any::<bool>(), is_pretty in any::<bool>()) {
        let mut all = vec![json!({"id": 0, "source": "user", "action": "message", "args": {"content": "Go."}})];
        all.extend(events);
        all.push(json!({"id": 99, "source": "agent", "action": "message", "args": {"content": "Gone."}}));
        let told = if is_bare { json!(all) } else { json!({"trajectory": all}) };
        loads_alike(document(&told, is_pretty), "openhands")?;
    }

    #[test]
    fn of_events_of_the_sdk(events in prop::collection::vec(new_event(), 1..30)) {
        let first = json!({"kind": "MessageEvent", "source": "user", "llm_message": {"content": "Go."}});
        loads_alike(trace(&first, &events), "openhands")?;
        let all: Vec<Json> = std::iter::once(first).chain(events).collect();
        loads_alike(document(&json!(all), false), "openhands")?;
    }

    #[test]
    fn of_output(histories in prop::collection::vec((prop::collection::vec(old_event(), 1..12), text()), 1..6)) {
        let records = histories.into_iter().map(|(events, text)| json!({"instance_id": "i", "instruction": text, "history": events, "success": true}));
        let records: Vec<Json> = records.collect();
        let first = json!({"history": [{"id": 0, "source": "agent", "action": "message", "args": {"content": "Go."}}]});
        loads_alike(trace(&first, &records), "openhands")?;
    }
}
