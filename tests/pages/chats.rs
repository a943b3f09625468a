//! Chats of OpenAI's and Anthropic's APIs: batches, items of the Responses API, Bedrock, Cline.

use serde_json::{Value as Json, json};

use super::loaded;
use turnscope::step::{Ending, Step};

fn lines(records: &[Json]) -> String {
    let lines: Vec<String> = records.iter().map(Json::to_string).collect();
    lines.join("\n")
}

fn inputs(step: &Step) -> Vec<(&str, bool)> {
    let turns = step.turns().iter();
    let inputs = turns.flat_map(|turn| turn.inputs().iter());
    let inputs = inputs.chain(&step.pending_inputs);
    inputs.map(|input| (&*input.text, input.injected)).collect()
}

#[test]
fn lines_of_a_batch_are_requests_and_responses() {
    let asked = |id: &str, question: &str| json!({"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": [{"role": "user", "content": question}]}});
    let answered = |id: &str, said: &str| json!({"id": "b", "custom_id": id, "error": null, "response": {"status_code": 200, "body": {"object": "chat.completion", "choices": [{"message": {"role": "assistant", "content": said}}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}}});
    let requests = loaded(
        "openai-chat",
        &lines(&[asked("r1", "q1"), asked("r2", "q2")]),
    );
    let missions = requests.conversations.iter();
    let told: Vec<_> = missions
        .map(|step| (step.name.as_deref(), step.mission.as_deref()))
        .collect();
    assert_eq!(told, [(Some("r1"), Some("q1")), (Some("r2"), Some("q2"))]);
    let responses = loaded(
        "openai-chat",
        &lines(&[answered("r1", "a"), answered("r2", "b")]),
    );
    assert_eq!(responses.conversations.len(), 2);
    let step = &responses.conversations[1];
    assert_eq!(step.name.as_deref(), Some("r2"));
    assert_eq!(step.turns()[0].usage().input, Some(3));
    let asked = |id: &str| json!({"custom_id": id, "params": {"model": "m", "system": "s", "messages": [{"role": "user", "content": "q"}]}});
    let requests = loaded("anthropic-messages", &lines(&[asked("r1"), asked("r2")]));
    let step = &requests.conversations[1];
    assert_eq!(
        (step.name.as_deref(), step.system_prompt.as_deref()),
        (Some("r2"), Some("s"))
    );
    let done = json!({"custom_id": "r1", "result": {"type": "succeeded", "message": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 2}}}});
    let failed = json!({"custom_id": "r2", "result": {"type": "errored", "error": {}}});
    let results = loaded("anthropic-messages", &lines(&[done, failed]));
    assert_eq!(results.conversations.len(), 1);
    assert_eq!(results.conversations[0].turns()[0].usage().output, Some(2));
    assert_eq!(results.report.skipped(), 1);
}

#[test]
fn tools_that_the_api_itself_has_are_calls() {
    let text = json!({"input": [{"role": "user", "content": "q"}], "output": [
        {"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "x"}},
        {"type": "mcp_call", "id": "m", "name": "t", "server_label": "s", "arguments": "{\"a\":1}", "output": "found", "error": null},
        {"type": "code_interpreter_call", "id": "i", "code": "1 + 1", "outputs": [{"type": "logs", "logs": "2"}]},
        {"type": "custom_tool_call", "name": "patch", "input": "free", "call_id": "k"},
        {"type": "something_new", "id": "n"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
    ]});
    let loaded = loaded("openai-chat", &text.to_string());
    let step = &loaded.conversations[0];
    assert_eq!(
        (step.turns().len(), step.mission.as_deref()),
        (1, Some("q"))
    );
    let calls = step.turns()[0].tool_calls();
    let names: Vec<_> = calls.iter().map(|call| &*call.name).collect();
    assert_eq!(names, ["web_search", "s.t", "code_interpreter", "patch"]);
    assert_eq!(calls[1].result.get(), Some(&"found".into()));
    let answered: Vec<_> = calls
        .iter()
        .map(turnscope::step::ToolCall::is_answered)
        .collect();
    assert_eq!(answered, [true, true, true, false]);
    assert_eq!(loaded.report.skipped(), 1);
    // As they stand in a request after it.
    let items = json!([
        {"role": "user", "content": "q"},
        {"type": "custom_tool_call", "name": "patch", "input": "free", "call_id": "k"},
        {"type": "custom_tool_call_output", "call_id": "k", "output": "done"},
    ]);
    let loaded = super::loaded("openai-chat", &json!({"input": items}).to_string());
    let call = &loaded.conversations[0].turns()[0].tool_calls()[0];
    assert_eq!(call.result.get(), Some(&"done".into()));
}

#[test]
fn free_text_is_what_a_custom_tool_is_called_with() {
    let text = json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "c", "input": "free"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "r"},
    ]);
    let loaded = loaded("openai-chat", &text.to_string());
    let call = &loaded.conversations[0].turns()[0].tool_calls()[0];
    assert_eq!((&*call.name, &call.args), ("c", &"free".into()));
}

#[test]
fn thinking_may_be_a_list_of_parts() {
    let text = json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "so"}]},
    ]);
    let loaded = loaded("anthropic-messages", &text.to_string());
    let turn = &loaded.conversations[0].turns()[0];
    assert_eq!(turn.thinking().get().map(|text| &**text), Some("hm"));
    assert_eq!(turn.raw_response().get().map(|text| &**text), Some("so"));
}

#[test]
fn bedrocks_thinking_and_responses_are_read() {
    let text = json!({"system": [{"text": "s"}], "messages": [
        {"role": "user", "content": [{"text": "q"}]},
        {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "hm", "signature": "x"}}}, {"text": "so"}]},
    ]});
    let request = loaded("anthropic-messages", &text.to_string());
    let turn = &request.conversations[0].turns()[0];
    assert_eq!(turn.thinking().get().map(|text| &**text), Some("hm"));
    assert_eq!(turn.raw_response().get().map(|text| &**text), Some("so"));
    let text = json!({"output": {"message": {"role": "assistant", "content": [{"text": "bye"}]}}, "stopReason": "end_turn", "usage": {"inputTokens": 3, "outputTokens": 4, "cacheReadInputTokens": 5}});
    let response = loaded("anthropic-messages", &text.to_string());
    let usage = response.conversations[0].turns()[0].usage();
    assert_eq!(
        (usage.input, usage.output, usage.cache_read),
        (Some(8), Some(4), Some(5))
    );
}

#[test]
fn what_cline_writes_itself_is_no_persons() {
    let block = |text: &str| json!({"type": "text", "text": text});
    let text = json!([
        {"role": "user", "content": [block("<task>\nfix it\n</task>"), block("# advice"), block("<environment_details>e</environment_details>")], "ts": 1_700_000_000_000_u64},
        {"role": "assistant", "content": [block("look")], "ts": 1_700_000_001_000_u64, "metrics": {"tokens": {"prompt": 1}}},
        {"role": "user", "content": [block("[read_file for 'a'] Result:"), block("what is in it"), block("and this?")]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [block("[ERROR] You did not use a tool")]},
    ]);
    let loaded = loaded("anthropic-messages", &text.to_string());
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("fix it"));
    let expected = [
        ("<environment_details>e</environment_details>", true),
        ("# advice", true),
        ("[read_file for 'a'] Result:", true),
        ("what is in it", true),
        ("and this?", false),
        ("[ERROR] You did not use a tool", true),
    ];
    assert_eq!(inputs(step), expected);
}

#[test]
fn logs_of_anthropic_may_be_a_list() {
    let answer = |said: &str| json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": said}], "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 4}});
    let log = |said: &str| json!({"request": {"model": "m", "messages": [{"role": "user", "content": "q"}]}, "response": answer(said)});
    let text = json!([log("one"), log("two")]).to_string();
    let loaded = loaded("anthropic-messages", &text);
    let replies: Vec<_> = loaded
        .conversations
        .iter()
        .flat_map(|step| step.turns())
        .map(|turn| turn.raw_response().get().map(ToString::to_string))
        .collect();
    let expected = ["one", "two"].map(|text| Some(text.to_owned()));
    assert_eq!(replies, expected);
    assert_eq!(loaded.conversations[1].mission.as_deref(), Some("q"));
}

#[test]
fn messages_of_anthropic_a_line_may_begin_with_the_system() {
    let call = json!([{"type": "tool_use", "id": "c", "name": "f", "input": {}}]);
    let records = [
        json!({"role": "system", "content": "be good"}),
        json!({"role": "user", "content": "q"}),
        json!({"role": "assistant", "content": call, "stop_reason": "tool_use"}),
    ];
    let loaded = loaded("anthropic-messages", &lines(&records));
    let step = &loaded.conversations[0];
    assert_eq!(step.system_prompt.as_deref(), Some("be good"));
    assert_eq!(step.turns()[0].position().line, Some(3));
    assert_eq!(loaded.report.skipped(), 0);
    assert_eq!(
        loaded.report.notes,
        ["the run is not finished: calls of its last reply have no result"]
    );
}

#[test]
fn what_was_sent_to_the_responses_api_has_its_items() {
    let text = json!({"model": "m", "input": [
        {"role": "user", "content": "hi"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "thought"}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"x\":1}"},
        {"type": "function_call_output", "call_id": "c", "output": "F"},
        {"type": "web_search_call", "id": "w", "action": {"query": "q"}},
    ], "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}]});
    let loaded = loaded("openai-chat", &text.to_string());
    let step = &loaded.conversations[0];
    let last = step.turns().last().expect("a turn");
    let sent = last.messages().get().expect("what was sent");
    let told: Vec<String> = sent
        .iter()
        .map(|message| format!("{:?} {}", message.role, message.content))
        .collect();
    assert_eq!(
        told,
        [
            "User hi",
            "Assistant thought",
            "Assistant f {\"x\":1}",
            "Tool F",
            "Assistant web_search {\"query\":\"q\"}"
        ]
    );
}

#[test]
fn a_log_may_have_an_error_or_the_reply_alone_in_a_responses_place() {
    let log = |response: Json| {
        let log = json!({"messages": [{"role": "user", "content": "q"}], "response": response});
        loaded("openai-chat", &log.to_string())
    };
    let failed = log(json!({"error": {"message": "Rate limit", "type": "rate"}}));
    let step = &failed.conversations[0];
    let Ending::Fail(failure) = &step.ending else {
        panic!("{:?}", step.ending);
    };
    assert_eq!(failure.message.as_deref(), Some("Rate limit"));
    assert_eq!(step.events.len(), 1);
    assert!(step.turns().is_empty() && !failed.report.notes.is_empty());
    for response in [
        json!("said"),
        json!({"role": "assistant", "content": "said"}),
        json!([{"choices": [{"message": {"role": "assistant", "content": "said"}}]}]),
    ] {
        let loaded = log(response);
        let turn = &loaded.conversations[0].turns()[0];
        assert_eq!(turn.raw_response().get().map(|text| &**text), Some("said"));
        assert!(turn.messages().get().is_some());
    }
    assert_eq!(log(json!({"x": 1})).report.skipped(), 1);
}

#[test]
fn a_log_of_anthropic_may_have_an_error_in_a_responses_place() {
    let text = json!({"request": {"system": "s", "messages": [
        {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}, {"role": "user", "content": "r"}]},
        "response": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}});
    let loaded = loaded("anthropic-messages", &text.to_string());
    let step = &loaded.conversations[0];
    assert!(matches!(&step.ending, Ending::Fail(failure)
        if failure.message.as_deref() == Some("Overloaded")));
    assert_eq!((step.events.len(), loaded.report.skipped()), (1, 0));
    // What was sent was sent for a reply that never came.
    assert!(step.turns()[0].messages().get().is_none());
}

#[test]
fn a_response_of_items_says_why_it_is_not_complete() {
    let text = json!({"object": "response", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so f"}]}]});
    let loaded = loaded("openai-chat", &text.to_string());
    let notes = &loaded.report.notes;
    assert_eq!(notes, &["the last reply was broken off: max_output_tokens"]);
}

#[test]
fn a_content_that_is_null_is_an_empty_text() {
    let text = json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "t"}]},
        {"role": "user", "content": null},
    ]);
    let loaded = loaded("anthropic-messages", &text.to_string());
    assert_eq!(inputs(&loaded.conversations[0]), [("", false)]);
}

#[test]
fn bedrocks_results_are_texts_and_its_pictures_placeholders() {
    let picture =
        || json!({"image": {"format": "png", "source": {"bytes": "iVBORw0KGgoAAAANSUhEUgAA"}}});
    let called = json!([
        {"role": "user", "content": [{"text": "q"}]},
        {"role": "assistant", "content": [
            {"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}, {"toolUse": {"toolUseId": "b", "name": "f", "input": {}}}]},
        {"role": "user", "content": [
            {"toolResult": {"toolUseId": "a", "content": [{"text": "r"}, {"json": {"k": 1}}]}},
            {"toolResult": {"toolUseId": "b", "content": [picture()]}}]},
    ]);
    let called = loaded("anthropic-messages", &called.to_string());
    let calls = called.conversations[0].turns()[0].tool_calls();
    let said = |at: usize| calls[at].result.get().and_then(|result| result.as_str());
    assert_eq!(said(0), Some("r\n{\"k\":1}"));
    assert_eq!(said(1), Some("[image/png, 18 B]"));
    let seen = json!([
        {"role": "user", "content": [{"text": "see"}, picture()]},
        {"role": "assistant", "content": [{"text": "ok"}]},
    ]);
    let seen = loaded("anthropic-messages", &seen.to_string());
    let step = &seen.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("see"));
    assert_eq!(inputs(step)[0].0, "[image/png, 18 B]");
}

#[test]
fn a_document_may_be_a_text() {
    let text = json!([
        {"role": "user", "content": [
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "of the document"}},
            {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "its part"}]}},
            {"type": "text", "text": "see"}]},
        {"role": "assistant", "content": "ok"},
    ]);
    let loaded = loaded("anthropic-messages", &text.to_string());
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("see"));
    let texts: Vec<&str> = inputs(step).iter().map(|(text, _)| *text).collect();
    assert_eq!(texts, ["of the document", "its part"]);
}

#[test]
fn clines_history_of_texts_is_known_by_what_it_adds() {
    let task = || json!({"role": "user", "ts": 1_700_000_000_000_u64, "content": [{"type": "text", "text": "<task>\nfix\n</task>"}, {"type": "text", "text": "<environment_details>\nx\n</environment_details>"}]});
    let reply = || json!({"role": "assistant", "ts": 1_700_000_001_000_u64, "content": [{"type": "text", "text": "<read_file>\n<path>a</path>\n</read_file>"}]});
    let result = || json!({"role": "user", "ts": 1_700_000_002_000_u64, "content": [{"type": "text", "text": "[read_file for 'a'] Result:"}, {"type": "text", "text": "body"}]});
    let old = loaded(
        "anthropic-messages",
        &json!([task(), reply(), result(), reply()]).to_string(),
    );
    let step = &old.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("fix"));
    assert!(inputs(step).iter().all(|(_, injected)| *injected));
    let mut told = reply();
    told["modelInfo"] = json!({"modelId": "m"});
    told["metrics"] = json!({"tokens": {"prompt": 7, "completion": 3, "cached": 2}});
    let mut plain = task();
    plain["content"] = json!("fix");
    let told = loaded("anthropic-messages", &json!([plain, told]).to_string());
    let step = &told.conversations[0];
    assert_eq!(step.model.as_deref(), Some("m"));
    assert_eq!(step.turns()[0].usage().input, Some(7));
}

#[test]
fn thinking_in_the_text_is_kept_apart_wherever_it_stands() {
    let chat = json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "first <think>t</think>then"},
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "t</think>first then"},
    ]);
    let shared = json!([{"conversations": [
        {"from": "human", "value": "q"},
        {"from": "gpt", "value": "<think>t</think>first then"},
    ]}]);
    for (format, text) in [("openai-chat", chat), ("sharegpt", shared)] {
        let loaded = loaded(format, &text.to_string());
        for turn in loaded.conversations[0].turns() {
            let said = turn.raw_response().get().map(|text| &**text);
            let thought = turn.thinking().get().map(|text| &**text);
            assert_eq!((said, thought), (Some("first then"), Some("t")));
        }
    }
}

#[test]
fn a_system_prompt_may_stand_beside_a_chat_with_calls() {
    let text = json!({"system": "be brief", "messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "r"},
    ]});
    let loaded = loaded("openai-chat", &text.to_string());
    let step = &loaded.conversations[0];
    assert_eq!(step.system_prompt.as_deref(), Some("be brief"));
}

#[test]
fn the_mission_is_the_first_text_that_says_something() {
    let empty = |content: Json| json!({"role": "user", "content": content});
    let chat = json!([
        empty(json!([{"type": "text", "text": ""}])),
        empty(json!([{"type": "text", "text": "real"}])),
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "a"}]},
        empty(json!([{"type": "text", "text": "next"}])),
    ]);
    let told = loaded("anthropic-messages", &chat.to_string());
    let step = &told.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("real"));
    assert_eq!(inputs(step), [("next", false)]);
    let chat =
        json!([empty(json!("")), {"role": "assistant", "content": "a"}, empty(json!("next"))]);
    let told = loaded("openai-chat", &chat.to_string());
    let step = &told.conversations[0];
    assert_eq!(step.mission.as_deref(), Some(""));
    assert_eq!(inputs(step), [("next", false)]);
}

#[test]
fn calls_that_are_no_list_are_read_or_counted() {
    let call = || json!({"id": "c", "function": {"name": "f", "arguments": "{}"}});
    let calls = |told: Json| {
        let chat = json!([
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": "a", "tool_calls": told},
        ]);
        let loaded = loaded("openai-chat", &chat.to_string());
        let calls = loaded.conversations[0].turns()[0].tool_calls().len();
        (calls, loaded.report.skipped())
    };
    assert_eq!(calls(call()), (1, 0));
    assert_eq!(calls(json!(json!([call(), call()]).to_string())), (2, 0));
    assert_eq!(calls(json!("none that is known")), (0, 1));
    assert_eq!(calls(json!("")), (0, 0));
    assert_eq!(calls(Json::Null), (0, 0));
}

#[test]
fn what_was_spoken_is_what_was_said() {
    let chat = json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "audio": {"id": "a", "transcript": "spoken"}},
    ]);
    let loaded = loaded("openai-chat", &chat.to_string());
    let said = loaded.conversations[0].turns()[0].raw_response().get();
    assert_eq!(said.map(|text| &**text), Some("spoken"));
}
