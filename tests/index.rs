//! What is known of a large trace before its turns are looked at, and what is read again of them, is what
//! all of its records say (performance G2, G3): records of all kinds in any order, with texts longer
//! than what is read of them at first.

use std::fs;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use turnscope::analysis::{Analysis, Profile};
use turnscope::compression::Run;
use turnscope::load::{self, Loaded, Source};
use turnscope::step::{Step, Turn};
use turnscope::tokens::Tokenizer;

#[path = "index/agents.rs"]
mod agents;
#[path = "index/logs.rs"]
mod logs;
#[path = "index/samples.rs"]
mod samples;
#[path = "index/steps.rs"]
mod steps;

/// Bytes of a file from which on its turns are shelved here: as few as leave each trace in the part of
/// the file that is held, as the records that a format is recognised by are in a truly large one.
const LARGE: usize = 256 << 10;

/// A text that may be longer than what is read of one at first.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("word ".to_owned()),
        Just(" \n".to_owned()),
        Just("é\n\"\\".to_owned()),
        Just("\u{1}€".to_owned()),
        "[a-z {}:,]{0,20}",
    ];
    (piece, prop_oneof![Just(1usize), 1..120usize]).prop_map(|(piece, times)| piece.repeat(times))
}

/// One of the few identifiers of calls, so that results find calls.
fn id() -> impl Strategy<Value = String> {
    (0..6u8).prop_map(|at| format!("c{at}"))
}

fn count() -> impl Strategy<Value = Json> {
    prop_oneof![
        6 => (0..5000u32).prop_map(|count| json!(count)),
        1 => Just(json!(-3)),
        1 => Just(json!(1e30)),
        1 => Just(json!(null)),
    ]
}

fn any_of(texts: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(texts)
}

/// What a command answered, in the layouts of three years.
fn codex_output() -> impl Strategy<Value = Json> {
    let code = || prop_oneof![Just(0), Just(1), -1..300i64];
    let object = (text(), code(), any::<bool>()).prop_map(|(text, code, is_first)| {
        let metadata = format!(r#""metadata":{{"exit_code":{code},"duration_seconds":1.5}}"#);
        let output = format!(r#""output":{}"#, json!(text));
        json!(if is_first {
            format!("{{{metadata},{output}}}")
        } else {
            format!("{{{output},{metadata}}}")
        })
    });
    let framed = (text(), code()).prop_map(|(text, code)| {
        json!(format!(
            "Chunk ID: {text}\nWall time: 0.2 seconds\nProcess exited with code {code}\nOutput:\n{text}"
        ))
    });
    let refused = any_of(&["exec command rejected by user", " patch rejected by user\n"])
        .prop_map(Json::from);
    prop_oneof![
        3 => object,
        2 => framed,
        1 => refused,
        1 => text().prop_map(Json::from),
        1 => text().prop_map(|text| json!({"type": "input_text", "text": text})),
        1 => text().prop_map(|text| json!([{"type": "input_text", "text": text}, {"type": "input_image", "image_url": format!("data:image/png;base64,{text}")}])),
        1 => text().prop_map(|text| json!([{"other": text}])),
    ]
}

fn codex_item() -> impl Strategy<Value = Json> {
    let role = any_of(&["assistant", "assistant", "user", "developer"]);
    prop_oneof![
        (role, text()).prop_map(|(role, text)| json!({"type": "message", "role": role, "content": [{"type": "output_text", "text": text}]})),
        text().prop_map(|text| json!({"type": "message", "role": "user", "content": [{"type": "input_image", "image_url": text}]})),
        text().prop_map(|text| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": format!("<environment_context>{text}")}]})),
        text().prop_map(|text| json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": text}], "encrypted_content": text})),
        text().prop_map(|text| json!({"type": "reasoning", "summary": [], "encrypted_content": text})),
        (id(), text()).prop_map(|(id, text)| json!({"type": "function_call", "name": "shell", "call_id": id, "arguments": json!({"command": [text]}).to_string()})),
        (id(), text()).prop_map(|(id, text)| json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": id, "input": text})),
        (id(), text()).prop_map(|(id, text)| json!({"type": "local_shell_call", "call_id": id, "action": {"command": [text]}})),
        (id(), text()).prop_map(|(id, text)| json!({"type": "image_generation_call", "id": id, "result": text})),
        text().prop_map(|text| json!({"type": "web_search_call", "action": {"query": text}})),
        text().prop_map(|text| json!({"type": "tool_call", "function": {"name": "run", "arguments": {"x": text}}})),
        (text(), 0..2u8).prop_map(|(text, code)| json!({"type": "tool_result", "name": "run", "result": {"stdout": text, "exitCode": code}})),
        (id(), codex_output()).prop_map(|(id, output)| json!({"type": "function_call_output", "call_id": id, "output": output})),
        (id(), codex_output()).prop_map(|(id, output)| json!({"type": "custom_tool_call_output", "call_id": id, "output": output})),
        text().prop_map(|text| json!({"type": "ghost_snapshot", "text": text})),
    ]
}

fn codex_event() -> impl Strategy<Value = Json> {
    let usage = || {
        (count(), count()).prop_map(|(input, output)| json!({"input_tokens": input, "cached_input_tokens": 1, "output_tokens": output}))
    };
    prop_oneof![
        text().prop_map(|text| json!({"type": "agent_message", "message": text})),
        text().prop_map(|text| json!({"type": "user_message", "message": text})),
        (usage(), usage()).prop_map(|(total, last)| json!({"type": "token_count", "info": {"total_token_usage": total, "last_token_usage": last}})),
        (id(), 0..2u8, text()).prop_map(|(id, code, text)| json!({"type": "exec_command_end", "call_id": id, "exit_code": code, "stdout": text, "duration": {"secs": 1, "nanos": 0}})),
        (id(), any::<bool>(), text()).prop_map(|(id, failed, text)| json!({"type": "mcp_tool_call_end", "call_id": id, "invocation": {"arguments": {"x": text}}, "result": {"Ok": {"content": [{"type": "text", "text": text}], "isError": failed}}})),
        (id(), any::<bool>(), text()).prop_map(|(id, good, text)| json!({"type": "patch_apply_end", "call_id": id, "success": good, "stdout": text, "status": if good { "completed" } else { "declined" }})),
        text().prop_map(|text| json!({"type": "turn_aborted", "reason": text})),
        text().prop_map(|text| json!({"type": "task_complete", "last_agent_message": text})),
        (0..3u8).prop_map(|turns| json!({"type": "thread_rolled_back", "num_turns": turns})),
        Just(json!({"type": "task_started"})),
    ]
}

fn codex() -> impl Strategy<Value = Json> {
    let record = |kind: &'static str, payload: Json| json!({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload});
    prop_oneof![
        10 => codex_item().prop_map(move |item| record("response_item", item)),
        6 => codex_event().prop_map(move |event| record("event_msg", event)),
        1 => any_of(&["a", "b"]).prop_map(move |model| record("turn_context", json!({"model": model}))),
        1 => text().prop_map(move |text| record("compacted", json!({"message": text}))),
        1 => count().prop_map(move |count| record("token_usage_record", json!({"usage": {"input_tokens": count}}))),
        1 => text().prop_map(move |text| record("inter_agent_communication_metadata", json!({"text": text}))),
    ]
}

fn claude_block() -> impl Strategy<Value = Json> {
    prop_oneof![
        text().prop_map(|text| json!({"type": "text", "text": text})),
        text().prop_map(|text| json!({"type": "thinking", "thinking": text, "signature": text})),
        (id(), text()).prop_map(|(id, text)| json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": text}})),
        (id(), text()).prop_map(|(id, text)| json!({"type": "tool_use", "id": id, "name": "Task", "input": {"prompt": text, "description": text}})),
        text().prop_map(|text| json!({"type": "tool_use", "name": "Read", "input": text})),
        text().prop_map(|text| json!({"type": "other", "input": text})),
    ]
}

fn claude_usage() -> impl Strategy<Value = Json> {
    let names = any_of(&["input_tokens", "input", "prompt_tokens"]);
    (names, count(), count()).prop_map(
        |(name, input, output)| json!({name: input, "cache_read_input_tokens": 2, "output_tokens": output}),
    )
}

fn claude_result() -> impl Strategy<Value = Json> {
    let error = prop_oneof![Just(json!(true)), Just(json!(false)), Just(json!(null))];
    let content = prop_oneof![
        text().prop_map(Json::from),
        text().prop_map(|text| json!(format!("Permission to use {text}"))),
        text().prop_map(|text| json!([{"type": "text", "text": text}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": text}}])),
        text().prop_map(|text| json!([{"type": "other", "stdout": text}])),
    ];
    (id(), error, content).prop_map(
        |(id, error, content)| json!({"type": "tool_result", "tool_use_id": id, "is_error": error, "content": content}),
    )
}

/// Results of one record. Where identifiers come again, only the records between tell which of several
/// results answers which call, so the second result of a record answers none.
fn claude_results() -> impl Strategy<Value = Vec<Json>> {
    prop::collection::vec(claude_result(), 1..3).prop_map(|mut results| {
        for more in results.iter_mut().skip(1) {
            more["tool_use_id"] = json!("none");
        }
        results
    })
}

fn claude_copy() -> impl Strategy<Value = Json> {
    prop_oneof![
        text().prop_map(|text| json!({"stdout": text, "stderr": text, "durationMs": 12})),
        text().prop_map(|text| json!({"content": text, "agentId": "a1", "totalDurationMs": 5})),
        text().prop_map(|text| json!(format!("Error: {text}"))),
        Just(json!(null)),
    ]
}

fn claude() -> impl Strategy<Value = Json> {
    let head = |at: u8, mut record: Json| {
        record["sessionId"] = json!("s");
        record["uuid"] = json!(format!("u{at}"));
        record["parentUuid"] = match at % 5 {
            0 => json!(null),
            _ => json!(format!("u{}", at / 2)),
        };
        record["timestamp"] = json!("2026-01-01T00:00:00Z");
        record["isSidechain"] = json!(at % 7 == 6);
        record
    };
    let reply = (any::<u8>(), 0..9u8, claude_usage(), prop::collection::vec(claude_block(), 1..3))
        .prop_map(move |(at, id, usage, blocks)| head(at, json!({"type": "assistant", "message": {"id": format!("m{id}"), "role": "assistant", "model": "a", "content": blocks, "usage": usage}})));
    let said = (any::<u8>(), text(), any::<bool>()).prop_map(move |(at, text, meta)| {
        head(
            at,
            json!({"type": "user", "isMeta": meta, "message": {"role": "user", "content": text}}),
        )
    });
    let told = (any::<u8>(), claude_results(), claude_copy())
        .prop_map(move |(at, blocks, copy)| head(at, json!({"type": "user", "toolUseResult": copy, "message": {"role": "user", "content": blocks}})));
    let both = (any::<u8>(), claude_result(), text())
        .prop_map(move |(at, block, text)| head(at, json!({"type": "user", "message": {"role": "user", "content": [block, {"type": "text", "text": text}]}})));
    let synthetic = (any::<u8>(), text())
        .prop_map(move |(at, text)| head(at, json!({"type": "assistant", "isApiErrorMessage": true, "message": {"id": "x", "model": "<synthetic>", "content": [{"type": "text", "text": text}]}})));
    let other = (
        any::<u8>(),
        text(),
        any_of(&["compact_boundary", "api_error", "info"]),
    )
        .prop_map(move |(at, text, kind)| {
            head(
                at,
                json!({"type": "system", "subtype": kind, "content": text}),
            )
        });
    let unknown = (any::<u8>(), text()).prop_map(move |(at, text)| {
        head(
            at,
            json!({"type": "attachment", "input": text, "text": text}),
        )
    });
    prop_oneof![6 => reply, 2 => said, 6 => told, 1 => both, 1 => synthetic, 1 => other, 1 => unknown]
}

/// A message as OpenAI's API has it.
fn message() -> impl Strategy<Value = Json> {
    prop_oneof![
        text().prop_map(|text| json!({"role": "user", "content": text})),
        text().prop_map(|text| json!({"role": "user", "content": [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]})),
        text().prop_map(|text| json!({"role": "assistant", "content": text})),
        (id(), text()).prop_map(|(id, text)| json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": {"name": "run", "arguments": json!({"x": text}).to_string()}}]})),
        (id(), text()).prop_map(|(id, text)| json!({"role": "assistant", "content": text, "tool_calls": [{"id": id, "type": "function", "function": {"name": "run", "arguments": "{}"}}]})),
        (id(), text()).prop_map(|(id, text)| json!({"role": "tool", "tool_call_id": id, "content": text})),
        text().prop_map(|text| json!({"role": "system", "content": text})),
        text().prop_map(|text| json!({"role": "exit", "content": text})),
    ]
}

/// What may stand around messages, before or behind them.
fn around() -> impl Strategy<Value = Vec<(&'static str, Json)>> {
    let entry = prop_oneof![
        text().prop_map(|text| ("instructions", json!(text))),
        text().prop_map(|text| ("model", json!(text))),
        text().prop_map(|text| ("zone", json!([[text], {"messages": []}]))),
        any_of(&["run", "walk"]).prop_map(|name| (
            "tools",
            json!([{"type": "function", "function": {"name": name}}])
        )),
        Just(("tools", json!([]))),
        any::<u8>().prop_map(|reward| ("reward", json!(reward))),
        any::<u8>().prop_map(|id| ("id", json!(id))),
    ];
    prop::collection::vec(entry, 0..4)
}

/// A conversation of such messages.
fn chat() -> impl Strategy<Value = Json> {
    (text(), prop::collection::vec(message(), 0..12)).prop_map(|(text, more)| {
        let first = json!({"role": "user", "content": text});
        let messages: Vec<Json> = std::iter::once(first).chain(more).collect();
        json!({"messages": messages})
    })
}

fn anthropic() -> impl Strategy<Value = Json> {
    let message = prop_oneof![
        text().prop_map(|text| json!({"role": "user", "content": text})),
        text().prop_map(|text| json!({"role": "user", "content": format!("<task>{text}</task>\n<environment_details>x")})),
        (claude_result(), text()).prop_map(|(result, text)| json!({"role": "user", "content": [result, {"type": "text", "text": text}]})),
        text().prop_map(|text| json!({"role": "system", "content": text})),
        text().prop_map(|text| json!({"role": "assistant", "content": text, "modelInfo": {"modelId": "b"}})),
        claude_result().prop_map(|result| json!({"role": "user", "content": [result]})),
        (id(), text()).prop_map(|(id, text)| json!({"role": "assistant", "content": [{"type": "text", "text": text}, {"type": "tool_use", "id": id, "name": "Bash", "input": {}}]})),
        (claude_block(), claude_usage()).prop_map(
            |(block, usage)| json!({"role": "assistant", "content": [block], "usage": usage})
        ),
    ];
    (text(), prop::collection::vec(message, 0..12))
        .prop_map(|(text, messages)| json!({"system": text, "messages": messages}))
}

fn sharegpt() -> impl Strategy<Value = Json> {
    let from = any_of(&["human", "gpt", "gpt", "function_call", "observation"]);
    let message = (from, text()).prop_map(|(from, text)| match from {
        "function_call" => {
            let call = json!({"name": "run", "arguments": {"x": text}}).to_string();
            json!({"from": from, "value": call})
        }
        from => json!({"from": from, "value": text}),
    });
    prop::collection::vec(message, 1..12).prop_map(|messages| json!({"conversations": messages}))
}

/// A trace of such records, with as much space behind it as makes the file large.
fn trace(first: &Json, records: &[Json]) -> String {
    let lines = std::iter::once(first).chain(records).map(Json::to_string);
    let mut text = lines.collect::<Vec<_>>().join("\n");
    text.push('\n');
    text.push_str(&" ".repeat(LARGE));
    text
}

/// A trace that is one document, written in one of the usual ways, with as much space.
fn document(document: &Json, is_pretty: bool) -> String {
    let mut text = if is_pretty {
        format!("{document:#}")
    } else {
        document.to_string()
    };
    text.push_str(&" ".repeat(LARGE));
    text
}

/// What is known of a turn without reading its records.
fn kept(turn: &Turn) -> String {
    let (number, outcome, amounts) = (turn.number(), turn.outcome(), turn.amounts());
    let (kind, usage, position) = (turn.kind(), turn.usage(), turn.position());
    let times = (turn.started_at(), turn.duration_ms(), turn.is_approximate());
    let copied = turn.copied();
    format!("{number} {outcome:?} {amounts:?} {kind:?} {usage:?} {position:?} {times:?} {copied}")
}

fn problems(step: &Arc<Step>) -> String {
    let run = Arc::new(Run::new(Arc::clone(step)));
    let analysis = Analysis::new(run, Tokenizer::Estimate, Profile::default());
    format!("{:?}", analysis.problems(None))
}

/// Whether a run of a large file is the one that is read of all its records at once. So many turns at its
/// end may be in memory.
fn is_alike(large: &Arc<Step>, whole: &Arc<Step>, kept_whole: usize) -> Result<(), TestCaseError> {
    prop_assert_eq!(large.turns().len(), whole.turns().len());
    for (index, turn) in whole.turns().iter().enumerate() {
        let known = &large.turns()[index];
        prop_assert!(known.is_shelved() || index + kept_whole >= whole.turns().len());
        prop_assert_eq!(kept(known), kept(turn));
        prop_assert_eq!(known.children(), turn.children());
        let again = large.turn(index).expect("there are as many turns");
        prop_assert_eq!(&*again, &**turn);
    }
    prop_assert_eq!(large.children.len(), whole.children.len());
    for (large, whole) in large.children.iter().zip(&whole.children) {
        is_alike(large, whole, kept_whole)?;
    }
    prop_assert!(large == whole, "what stands beside the turns differs");
    prop_assert_eq!(problems(large), problems(whole));
    Ok(())
}

fn loads_alike(text: impl AsRef<[u8]>, format: &str) -> Result<(), TestCaseError> {
    loads_alike_but(text, format, 0)
}

fn loads_alike_but(
    text: impl AsRef<[u8]>,
    format: &str,
    kept_whole: usize,
) -> Result<(), TestCaseError> {
    let text = text.as_ref();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.jsonl");
    fs::write(&path, text).expect("it is written");
    let large = Source::open_holding(&path, LARGE).expect("it can be read");
    let large = load::load(&large, None).expect("it loads");
    let source = Source::from_bytes("small", text.to_vec());
    let whole = load::load(&source, None).expect("it loads");
    prop_assert_eq!((large.format, whole.format), (format, format));
    prop_assert_eq!(&large.report, &whole.report);
    prop_assert_eq!(large.conversations.len(), whole.conversations.len());
    for (large, whole) in large.conversations.iter().zip(&whole.conversations) {
        is_alike(large, whole, kept_whole)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_a_rollout(mut records in prop::collection::vec(codex(), 1..40)) {
        // Turns that are made of events alone are not shelved.
        records.push(json!({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": []}}));
        let first = json!({"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "t"}});
        loads_alike(trace(&first, &records), "codex")?;
    }

    #[test]
    fn of_a_session(records in prop::collection::vec(claude(), 1..40)) {
        let first = json!({"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "Go."}});
        loads_alike(trace(&first, &records), "claude-code")?;
    }

    #[test]
    fn of_chats(records in prop::collection::vec(chat(), 1..12)) {
        let first = json!({"messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Gone."}]});
        loads_alike(trace(&first, &records), "openai-chat")?;
    }

    #[test]
    fn of_messages(records in prop::collection::vec(anthropic(), 1..12)) {
        let first = json!({"system": "Be kind.", "messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}]});
        loads_alike(trace(&first, &records), "anthropic-messages")?;
    }

    #[test]
    fn of_shared_chats(records in prop::collection::vec(sharegpt(), 1..12)) {
        let first = json!({"conversations": [{"from": "human", "value": "Go."}]});
        loads_alike(trace(&first, &records), "sharegpt")?;
    }

    #[test]
    fn of_messages_a_line(mut records in prop::collection::vec(message(), 1..40), is_code in any::<bool>()) {
        if is_code {
            // Without calls the only fenced block of a reply is its program.
            records.retain(|message| message.get("tool_calls").is_none());
            records.push(json!({"role": "assistant", "content": "Run it.\n```python\nprint(1)\n```"}));
        }
        let first = json!({"role": "user", "content": "Go."});
        loads_alike(trace(&first, &records), "openai-chat")?;
    }
}

// Documents are read on the same paths whatever stands in them, so fewer of them tell as much.
proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_a_list_of_messages(mut messages in prop::collection::vec(message(), 1..40), is_pretty in any::<bool>()) {
        messages.insert(0, json!({"role": "user", "content": "Go."}));
        loads_alike(document(&json!(messages), is_pretty), "openai-chat")?;
    }

    #[test]
    fn of_an_object_of_messages(mut chat in chat(), around in around(), is_code in any::<bool>(), is_pretty in any::<bool>()) {
        if let Some(messages) = chat["messages"].as_array_mut().filter(|_| is_code) {
            messages.retain(|message| message.get("tool_calls").is_none());
            messages.push(json!({"role": "assistant", "content": "Run it.\n```python\nprint(1)\n```"}));
        }
        for (name, value) in around {
            chat[name] = value;
        }
        loads_alike(document(&chat, is_pretty), "openai-chat")?;
    }

    #[test]
    fn of_a_list_of_chats(chats in prop::collection::vec(chat(), 1..8), is_pretty in any::<bool>()) {
        loads_alike(document(&json!(chats), is_pretty), "openai-chat")?;
    }

    #[test]
    fn of_an_object_of_blocks(mut chat in anthropic(), around in around(), is_pretty in any::<bool>()) {
        chat["anthropic_version"] = json!("x");
        if let Some(messages) = chat["messages"].as_array_mut() {
            messages.insert(0, json!({"role": "user", "content": "Go."}));
        }
        for (name, value) in around {
            chat[name] = value;
        }
        loads_alike(document(&chat, is_pretty), "anthropic-messages")?;
    }

    #[test]
    fn of_a_list_of_blocks(mut chat in anthropic(), is_pretty in any::<bool>()) {
        let mut messages = chat["messages"].take();
        if let Some(messages) = messages.as_array_mut() {
            messages.insert(0, json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}));
        }
        loads_alike(document(&messages, is_pretty), "anthropic-messages")?;
    }
}
