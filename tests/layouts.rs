//! Older and newer layouts of other people's formats of which no sample is an example, each by a small
//! trace made by hand.

use turnscope::compression::Run;
use turnscope::load::{self, Loaded, Source};
use turnscope::step::{Ending, EventKind, Role, Step};

fn loaded(format: &str, text: &str) -> Loaded {
    let source = Source::from_bytes(format, text.as_bytes().to_vec());
    let loaded = load::load(&source, None).unwrap_or_else(|error| panic!("{format}: {error}"));
    assert_eq!(loaded.format, format, "{text}");
    loaded
}

/// The replies of a run.
fn replies(step: &Step) -> Vec<&str> {
    let turns = step.turns().iter();
    turns
        .map(|turn| turn.raw_response().get().map_or("", |text| text))
        .collect()
}

/// What a run was given besides its mission: the text, and whether a machine wrote it.
fn inputs(step: &Step) -> Vec<(&str, bool)> {
    let turns = step.turns().iter();
    let inputs = turns.flat_map(|turn| turn.inputs().iter());
    inputs
        .chain(&step.pending_inputs)
        .map(|input| (&*input.text, input.injected))
        .collect()
}

fn inspect(events: &str, messages: &str) -> String {
    format!(
        r#"{{"version":2,"status":"success","eval":{{"task":"t","model":"m"}},"samples":[{{"id":1,"epoch":1,"input":"q","messages":[{messages}],"events":[{events}]}}]}}"#
    )
}

#[test]
fn a_span_that_begins_again_in_itself_holds_no_run_without_end() {
    let span = |parent: &str| {
        format!(
            r#"{{"event":"span_begin","span_id":"s","id":"s","parent_id":"{parent}","type":"tool","name":"f"}}"#
        )
    };
    let model = |span: &str, said: &str| {
        format!(
            r#"{{"event":"model","span_id":"{span}","input":[],"output":{{"choices":[{{"message":{{"role":"assistant","content":"{said}"}}}}]}}}}"#
        )
    };
    let tool = |span: &str| {
        format!(
            r#"{{"event":"tool","span_id":"{span}","id":"f-1","function":"f","arguments":{{}},"result":"done"}}"#
        )
    };
    let main = r#"{"event":"span_begin","span_id":"main","id":"main","parent_id":"","type":"agent","name":"main"}"#;
    let twice = [
        main.to_owned(),
        model("main", "one"),
        span("main"),
        tool("main"),
        span("s"),
        model("s", "two"),
        tool("s"),
        tool("s"),
    ];
    let loaded_twice = loaded("inspect-ai", &inspect(&twice.join(","), ""));
    let step = &loaded_twice.conversations[0];
    assert_eq!((replies(step), step.children.len()), (vec!["one"], 1));
    assert_eq!(replies(&step.children[0]), ["two"]);
    // One that is in nothing but itself is no run: its reply is the conversation's.
    let alone = [
        model("main", "one"),
        span("s"),
        tool("s"),
        model("s", "two"),
    ];
    let loaded = loaded("inspect-ai", &inspect(&alone.join(","), ""));
    assert_eq!(replies(&loaded.conversations[0]), ["one", "two"]);
}

#[test]
fn an_agent_in_the_span_of_a_call_is_that_calls_run() {
    let span = |id: &str, parent: &str, kind: &str, name: &str| {
        format!(
            r#"{{"event":"span_begin","span_id":"{id}","id":"{id}","parent_id":"{parent}","type":"{kind}","name":"{name}"}}"#
        )
    };
    let model = |span: &str, said: &str, call: &str| {
        let call = match call {
            "" => String::new(),
            name => format!(
                r#","tool_calls":[{{"id":"{name}-1","function":"{name}","arguments":{{}}}}]"#
            ),
        };
        format!(
            r#"{{"event":"model","span_id":"{span}","input":[{{"role":"system","content":"be {span}"}},{{"role":"user","content":"to {span}"}}],"output":{{"choices":[{{"message":{{"role":"assistant","content":"{said}"{call}}}}}]}}}}"#
        )
    };
    let tool = |span: &str, name: &str, more: &str| {
        format!(
            r#"{{"event":"tool","span_id":"{span}","id":"{name}-1","function":"{name}","arguments":{{}},"result":"{name} done"{more}}}"#
        )
    };
    let events = [
        span("main", "", "agent", "main"),
        model("main", "ask", "helper"),
        span("t1", "main", "tool", "helper"),
        tool("main", "helper", r#","agent_span_id":"a1""#),
        span("a1", "t1", "agent", "helper"),
        model("a1", "look", "read"),
        span("t2", "a1", "tool", "read"),
        tool("a1", "read", ""),
        model("a1", "found", ""),
        model("main", "hand over", "transfer_to_other"),
        span("h1", "main", "handoff", "other"),
        span("t3", "h1", "tool", "transfer_to_other"),
        tool("main", "transfer_to_other", ""),
        span("a2", "t3", "agent", "other"),
        model("a2", "taken", ""),
    ];
    let loaded = loaded("inspect-ai", &inspect(&events.join(","), ""));
    let step = &loaded.conversations[0];
    assert_eq!(replies(step), ["ask", "hand over", "taken"]);
    assert_eq!(step.turns()[0].tool_calls()[0].child, Some(0));
    let [child] = step.children.as_slice() else {
        panic!("{} children", step.children.len());
    };
    assert_eq!(replies(child), ["look", "found"]);
    assert_eq!(child.mission.as_deref(), Some("to a1"));
    assert_eq!(child.system_prompt.as_deref(), Some("be a1"));
    assert_eq!(child.turns()[0].tool_calls().len(), 1);
    assert!(child.turns()[0].tool_calls()[0].result.get().is_some());
    assert!(
        matches!(&child.ending, Ending::Return(value) if value.as_str() == Some("helper done"))
    );
    assert!(step.unmatched_results.is_empty() && child.unmatched_results.is_empty());
}

#[test]
fn calls_of_a_model_in_a_step_that_scores_are_no_turns() {
    let model = |said: &str| {
        format!(
            r#"{{"event":"model","input":[],"output":{{"choices":[{{"message":{{"role":"assistant","content":"{said}"}}}}]}}}}"#
        )
    };
    let step = |action: &str, kind: &str| {
        format!(r#"{{"event":"step","action":"{action}","type":"{kind}","name":"{kind}"}}"#)
    };
    let events = [
        step("begin", "solver"),
        model("answer"),
        step("end", "solver"),
        step("begin", "scorer"),
        step("begin", "other"),
        model("grade"),
        step("end", "other"),
        step("end", "scorer"),
        model("afterwards"),
    ];
    let loaded = loaded("inspect-ai", &inspect(&events.join(","), ""));
    assert_eq!(replies(&loaded.conversations[0]), ["answer", "afterwards"]);
    assert_eq!(
        loaded.report.notes,
        ["1 calls of a model by a scorer are no turns"]
    );
}

#[test]
fn what_an_agents_scaffold_says_is_no_person_where_the_log_tells() {
    let messages = |source: &str| {
        format!(
            r#"{{"role":"user","content":"q"{source}}},{{"role":"assistant","content":"a","tool_calls":[{{"id":"c","function":"shot","arguments":{{}}}}]}},
            {{"role":"tool","tool_call_id":"c","function":"shot","content":"see"}},{{"role":"user","tool_call_id":["c"],"content":[{{"type":"image","image":"data:image/png;base64,AAAA"}}]}},
            {{"role":"user","content":"go on"}},{{"role":"assistant","content":"b"}}"#
        )
    };
    let told = loaded(
        "inspect-ai",
        &inspect("", &messages(r#","source":"input""#)),
    );
    assert_eq!(inputs(&told.conversations[0]), [("go on", true)]);
    let untold = loaded("inspect-ai", &inspect("", &messages("")));
    assert_eq!(inputs(&untold.conversations[0]), [("go on", false)]);
}

/// A span with attributes as texts, the numbers given as such, and events behind them.
fn span(id: &str, parent: &str, attributes: &[(&str, &str)], events: &str) -> String {
    let attributes: Vec<String> = attributes
        .iter()
        .map(|(key, value)| {
            let value = match value.parse::<i64>() {
                Ok(number) => format!(r#"{{"intValue":"{number}"}}"#),
                Err(_) => format!(
                    r#"{{"stringValue":{}}}"#,
                    serde_json::to_string(value).expect("JSON")
                ),
            };
            format!(r#"{{"key":"{key}","value":{value}}}"#)
        })
        .collect();
    let attributes = attributes.join(",");
    let at = id.trim_start_matches(char::is_alphabetic);
    format!(
        r#"{{"traceId":"t","spanId":"{id}","parentSpanId":"{parent}","name":"{id}","startTimeUnixNano":"{at}000000","endTimeUnixNano":"{at}500000","attributes":[{attributes}],"events":[{events}]}}"#
    )
}

fn otlp(spans: &[String]) -> String {
    format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{}]}}]}}]}}"#,
        spans.join(",")
    )
}

/// Each turn of a run as its reply, then its calls as `name answer`, a failed one with `!`.
fn told(step: &Step) -> Vec<String> {
    let turns = step.turns().iter();
    turns
        .map(|turn| {
            let said = turn.raw_response().get().map_or("-", |text| text);
            let calls = turn.tool_calls().iter().map(|call| {
                let result = call.result.get().and_then(|value| value.as_str());
                let failed = if call.error.is_some() { "!" } else { "" };
                format!(" {}{failed} {}", call.name, result.unwrap_or("-"))
            });
            format!("{said}{}", calls.collect::<String>())
        })
        .collect()
}

/// That a turn's span, and one of its tool, are read: the mission is `q`, the reply `a` with a call of
/// `f` that failed and answered `r`.
fn reads(name: &str, attributes: &[(&str, &str)], events: &str) {
    let tool = [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "f"),
        ("gen_ai.tool.call.id", "c"),
        ("tool_response", "r"),
        ("tool.status", "error"),
    ];
    let text = otlp(&[
        span("a1", "", attributes, events),
        span("b2", "", &tool, ""),
    ]);
    let loaded = loaded("otlp-genai", &text);
    let step = &loaded.conversations[0];
    assert_eq!(told(step), ["a f! r"], "{name}");
    assert_eq!(step.mission.as_deref(), Some("q"), "{name}");
}

#[test]
fn what_an_instrumentation_writes_is_read_in_its_own_attributes() {
    let m = "llm.output_messages.0.message";
    reads(
        "OpenInference with contents",
        &[
            ("openinference.span.kind", "LLM"),
            ("llm.input_messages.0.message.role", "user"),
            (
                "llm.input_messages.0.message.contents.0.message_content.type",
                "text",
            ),
            (
                "llm.input_messages.0.message.contents.0.message_content.text",
                "q",
            ),
            (&format!("{m}.role"), "assistant"),
            (&format!("{m}.contents.0.message_content.type"), "text"),
            (&format!("{m}.contents.0.message_content.text"), "a"),
            (&format!("{m}.contents.1.message_content.type"), "tool_use"),
            (&format!("{m}.tool_calls.0.tool_call.id"), "c"),
            (&format!("{m}.tool_calls.0.tool_call.function.name"), "f"),
        ],
        "",
    );
    reads(
        "the AI SDK",
        &[
            ("ai.operationId", "ai.generateText.doGenerate"),
            (
                "ai.prompt.messages",
                r#"[{"role":"user","content":[{"type":"text","text":"q"}]}]"#,
            ),
            ("ai.response.text", "a"),
            (
                "ai.response.toolCalls",
                r#"[{"type":"tool-call","toolCallId":"c","toolName":"f","input":"{}"}]"#,
            ),
        ],
        "",
    );
    reads(
        "Gemini's request and response",
        &[
            ("gen_ai.operation.name", "generate_content"),
            (
                "gcp.vertex.agent.llm_request",
                r#"{"model":"m","contents":[{"role":"user","parts":[{"text":"q"}]}]}"#,
            ),
            (
                "gcp.vertex.agent.llm_response",
                r#"{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"a"},{"function_call":{"id":"c","name":"f","args":{}}}]}}"#,
            ),
        ],
        "",
    );
    reads(
        "indexed attributes whose content is blocks in a text",
        &[
            ("llm.request.type", "chat"),
            ("gen_ai.prompt.0.role", "user"),
            (
                "gen_ai.prompt.0.content",
                r#"[{"type": "text", "text": "q"}]"#,
            ),
            ("gen_ai.completion.0.role", "assistant"),
            ("gen_ai.completion.0.content", "a"),
            ("gen_ai.completion.0.tool_calls.0.id", "c"),
            ("gen_ai.completion.0.tool_calls.0.name", "f"),
            ("gen_ai.completion.0.tool_calls.0.arguments", "{}"),
        ],
        "",
    );
}

#[test]
fn messages_that_are_events_are_read() {
    let chat = ("gen_ai.operation.name", "chat");
    reads(
        "events of the span",
        &[chat],
        r#"{"name":"gen_ai.user.message","attributes":[{"key":"content","value":{"stringValue":"[{\"text\": \"q\"}]"}}]},
            {"name":"gen_ai.choice","attributes":[{"key":"finish_reason","value":{"stringValue":"tool_use"}},{"key":"message","value":{"stringValue":"[{\"text\": \"a\"}, {\"toolUse\": {\"toolUseId\": \"c\", \"name\": \"f\", \"input\": {}}}]"}}]}"#,
    );
    reads(
        "events with the whole in one text",
        &[("gen_ai.system", "x"), ("gen_ai.request.model", "m")],
        r#"{"name":"gen_ai.user.message","attributes":[{"key":"gen_ai.event.content","value":{"stringValue":"{\"role\":\"user\",\"content\":\"q\"}"}}]},
            {"name":"gen_ai.choice","attributes":[{"key":"gen_ai.event.content","value":{"stringValue":"{\"message\":{\"content\":\"a\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}"}}]}"#,
    );
    reads(
        "events in an attribute",
        &[
            chat,
            (
                "events",
                r#"[{"event.name":"gen_ai.user.message","role":"user","content":"q"},{"event.name":"gen_ai.choice","message":{"role":"assistant","content":"a","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}}]"#,
            ),
        ],
        "",
    );
}

#[test]
fn spans_of_one_reply_are_one_turn() {
    let reply = |id: &'static str| {
        vec![
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.response.id", id),
            ("gen_ai.usage.input_tokens", "10"),
        ]
    };
    let with = |id: &'static str, said: &'static str| {
        let mut attributes = reply(id);
        attributes.push(("gen_ai.completion", said));
        attributes
    };
    let text = otlp(&[
        // Side by side.
        span("a1", "", &reply("one"), ""),
        span("b2", "", &with("one", "first"), ""),
        // The wire call inside has no content.
        span("c3", "", &with("", "second"), ""),
        span("d4", "c3", &reply("two"), ""),
        // A run around two calls is none.
        span("e5", "", &with("", "both"), ""),
        span("f6", "e5", &with("three", "third"), ""),
        span("g7", "e5", &reply("four"), ""),
    ]);
    let loaded = loaded("otlp-genai", &text);
    let step = &loaded.conversations[0];
    assert_eq!(told(step), ["first", "second", "third", "-"]);
    let input: u64 = step
        .turns()
        .iter()
        .filter_map(|turn| turn.usage().input)
        .sum();
    assert_eq!(input, 40);
}

#[test]
fn a_span_that_stands_twice_is_read_once() {
    let chat = |said: &'static str| {
        [
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.usage.input_tokens", "10"),
            ("gen_ai.completion", said),
        ]
    };
    let tool = [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "f"),
        ("tool_response", "r"),
    ];
    let whole = span("a1", "", &chat("first"), "");
    // As it was written when it began.
    let begun =
        span("a1", "", &chat("first")[..2], "").replace("\"endTimeUnixNano\":\"1500000\",", "");
    let called = span("b2", "", &tool, "");
    let next = span("c3", "", &chat("next"), "");
    // No identifiers: nothing tells whether they are one.
    let nameless = [0, 1].map(|_| span("d4", "", &chat("d"), "").replace("\"d4\"", "\"\""));
    let text = [
        otlp(&[begun, called.clone()]),
        otlp(&[whole.clone(), next.clone()]),
        otlp(&[whole, called, next]),
        otlp(&nameless),
    ]
    .join("\n");
    let loaded = loaded("otlp-genai", &text);
    let step = &loaded.conversations[0];
    assert_eq!(told(step), ["first", "next", "d", "d"]);
    let called = step.turns().iter().map(|turn| turn.unlisted_calls().len());
    assert_eq!(called.collect::<Vec<_>>(), [1, 0, 0, 0]);
    assert_eq!(
        loaded.report.notes,
        ["some spans stand more than once; each is read once"]
    );
}

#[test]
fn exports_stand_in_several_wrappers() {
    let spans = [span(
        "a1",
        "",
        &[
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.completion", "a"),
            ("gen_ai.usage.input_tokens", "7"),
        ],
        "",
    )];
    let plain = otlp(&spans);
    let snake = [
        "resourceSpans",
        "scopeSpans",
        "traceId",
        "spanId",
        "stringValue",
        "intValue",
    ]
    .iter()
    .fold(plain.clone(), |text, name| {
        let snake: String = name
            .chars()
            .flat_map(|c| {
                if c.is_uppercase() {
                    vec!['_', c.to_ascii_lowercase()]
                } else {
                    vec![c]
                }
            })
            .collect();
        text.replace(name, &snake)
    });
    let printed = r#"{
    "name": "chat",
    "context": {"trace_id": "0x1", "span_id": "0x2", "trace_state": "[]"},
    "kind": "SpanKind.CLIENT",
    "parent_id": null,
    "start_time": "2026-01-01T00:00:00.000001Z",
    "end_time": "2026-01-01T00:00:01.000001Z",
    "status": {"status_code": "UNSET"},
    "attributes": {"gen_ai.operation.name": "chat", "gen_ai.completion": "a", "gen_ai.usage.input_tokens": 7}
}"#;
    for text in [
        snake,
        plain.replace("resourceSpans", "batches"),
        format!(r#"{{"trace":{plain}}}"#),
        format!("[{plain}]"),
        printed.to_owned(),
        format!(
            "{printed}\n{}",
            printed.replace("0x2", "0x3").replace('7', "0")
        ),
    ] {
        let loaded = loaded("otlp-genai", &text);
        let step = &loaded.conversations[0];
        assert_eq!(told(step)[0], "a", "{text}");
        assert_eq!(step.turns()[0].usage().input, Some(7), "{text}");
        assert_eq!(loaded.report.damaged, 0, "{text}");
    }
}

#[test]
fn a_checkpoints_setup_is_no_mission() {
    let setup =
        "This is the Gemini CLI. We are setting up the context for our chat.\\nToday is Monday.";
    let content =
        |role: &str, text: &str| format!(r#"{{"role":"{role}","parts":[{{"text":"{text}"}}]}}"#);
    let contents = [
        content("user", setup),
        content("model", "Got it. Thanks for the context!"),
        content("user", "List the files"),
        content("model", "None"),
    ];
    let loaded = loaded("gemini-cli", &format!("[{}]", contents.join(",")));
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("List the files"));
    assert_eq!(replies(step), ["None"]);
    assert!(inputs(step).iter().all(|(_, injected)| *injected));
    assert_eq!(inputs(step).len(), 2);
}

#[test]
fn code_that_a_model_ran_reads_as_code() {
    let text = r#"[{"role":"user","parts":[{"text":"look"},{"fileData":{"mimeType":"image/png","fileUri":"gs://x"}}]},
        {"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"print(1)"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}}]}]"#;
    let loaded = loaded("gemini-cli", text);
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("look\n[image/png, gs://x]"));
    assert_eq!(replies(step), ["```python\nprint(1)\n```\n\n1"]);
}

#[test]
fn data_with_a_type_stays_the_text_that_it_is() {
    let data = r#"[{"type":"Point","at":[1,2]}]"#;
    let completion = r#"[{"tool_call_id_of":"x","type":"row"}]"#;
    let text = otlp(&[span(
        "a1",
        "",
        &[
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.prompt.0.role", "user"),
            ("gen_ai.prompt.0.content", data),
            ("gen_ai.completion.0.content", completion),
        ],
        "",
    )]);
    let loaded = loaded("otlp-genai", &text);
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some(data));
    assert_eq!(replies(step), [completion]);
}

#[test]
fn messages_of_a_prompt_have_the_roles_of_what_they_hold() {
    let input = r#"[{"role":"user","content":"q"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
        {"type":"function_call_output","call_id":"c","output":"r"},
        {"role":"user","parts":[{"type":"tool_call_response","id":"d","response":"{\"type\": \"function_result\", \"result\": \"s\"}"}]},
        {"role":"tool","content":{"type":"function","function":{"name":"f","description":"does","parameters":{}}}}]"#;
    let text = otlp(&[span(
        "a1",
        "",
        &[
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.input.messages", input),
            ("gen_ai.completion", "a"),
        ],
        "",
    )]);
    let loaded = loaded("otlp-genai", &text);
    let step = &loaded.conversations[0];
    let sent = step.turns()[0].messages().get().cloned().expect("recorded");
    let sent: Vec<(Role, &str)> = sent
        .iter()
        .map(|message| (message.role, &*message.content))
        .collect();
    let expected = [
        (Role::User, "q"),
        (Role::Assistant, "[f {}]"),
        (Role::Tool, "r"),
        (Role::Tool, "s"),
    ];
    assert_eq!(sent, expected);
    assert_eq!(step.tools.len(), 1);
}

#[test]
fn the_answer_of_an_old_log_is_that_of_its_last_message() {
    let text = r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"input":"q",
        "messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],
        "output":{"choices":[{"message":{"role":"assistant","content":"a"},"stop_reason":"stop"}]}}]}"#;
    let loaded = loaded("inspect-ai", text);
    assert_eq!(loaded.conversations[0].ending, Ending::Return("a".into()));
}

/// A Langfuse trace with its observations, each as `(type, name, input, output, more)`.
fn langfuse(trace: &str, observations: &[(&str, &str, &str, &str, &str)]) -> String {
    let text = |text: &str| match text {
        "" => "null".to_owned(),
        text => serde_json::to_string(text).expect("JSON"),
    };
    let observations = observations.iter().enumerate();
    let observations = observations.map(|(at, (kind, name, input, output, more))| {
        let parent = if at == 0 { "null" } else { r#""o0""# };
        format!(
            r#"{{"id":"o{at}","parentObservationId":{parent},"type":"{kind}","name":"{name}","startTime":"2026-01-01T00:00:0{at}Z","level":"DEFAULT","input":{},"output":{}{more}}}"#,
            text(input),
            text(output)
        )
    });
    let observations: Vec<String> = observations.collect();
    format!(
        r#"{{"trace":{{"id":"t","name":"n"{trace}}},"observations":[{}]}}"#,
        observations.join(",")
    )
}

#[test]
fn frameworks_of_langfuse_write_calls_in_several_ways() {
    // Calls as JSON within the content.
    let koog = r#"[{"role":"assistant","content":"[{\"function\":{\"name\":\"f\",\"arguments\":\"{}\"},\"id\":\"c\",\"type\":\"function\"}]"}]"#;
    // Gemini's request and response.
    let request = r#"{"model":"m","config":{"system_instruction":"be brief","tools":[{"function_declarations":[{"name":"f"}]}]},"contents":[{"role":"user","parts":[{"text":"q"}]}]}"#;
    let response = r#"{"candidates":[{"content":{"role":"model","parts":[{"function_call":{"name":"f","args":{}}}]}}]}"#;
    // LangChain's messages as their constructors.
    let chain = r#"{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"content":"","additional_kwargs":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},"tool_calls":[{"id":"c","name":"f","args":{},"type":"tool_call"}]}}"#;
    let answer = r#"{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"content":"r","tool_call_id":"c","status":"error"}}"#;
    let plain = r#"[{"role":"user","content":"q"}]"#;
    for (name, input, output, tool, answer, told_so) in [
        ("koog", plain, koog, ("SPAN", "tool.f"), "r", " f r"),
        (
            "adk",
            request,
            response,
            ("TOOL", "execute_tool f"),
            "r",
            " f r",
        ),
        ("langgraph", plain, chain, ("TOOL", "f"), answer, " f! r"),
    ] {
        let text = langfuse(
            "",
            &[
                ("SPAN", "root", "", "", ""),
                ("GENERATION", "llm", input, output, ""),
                (tool.0, tool.1, "{}", answer, ""),
            ],
        );
        let loaded = loaded("langfuse", &text);
        let step = &loaded.conversations[0];
        assert_eq!(told(step), [told_so], "{name}");
        assert_eq!(step.mission.as_deref(), Some("q"), "{name}");
        if name == "adk" {
            assert_eq!(step.system_prompt.as_deref(), Some("be brief"));
            assert_eq!(step.tools.len(), 1);
        }
    }
}

#[test]
fn what_went_into_a_trace_of_langfuse_may_stand_with_the_trace() {
    let told_with = r#","input":"\"say hello\"","output":"\"hello\"""#;
    let text = langfuse(
        told_with,
        &[
            ("SPAN", "root", "", "", ""),
            (
                "GENERATION",
                "llm",
                "system: be brief\nuser: say hello",
                "hello",
                "",
            ),
        ],
    );
    let loaded = loaded("langfuse", &text);
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("say hello"));
    assert_eq!(step.ending, Ending::Return("hello".into()));
}

#[test]
fn tokens_of_langfuse_are_whole_where_their_parts_stand_beside() {
    for (details, input, output) in [
        (
            r#"{"input":100,"output":35,"total":199,"output_reasoning":64,"input_cache_read":0}"#,
            100,
            99,
        ),
        (
            r#"{"input":100,"output":35,"total":255,"output_reasoning":64,"input_cache_read":50,"input_cache_creation":6}"#,
            156,
            99,
        ),
        (
            r#"{"input":100,"output":35,"total":135,"output_reasoning":20,"input_cache_read":50}"#,
            100,
            35,
        ),
        (
            r#"{"input":100,"output":35,"total":185,"input_cache_read":50}"#,
            150,
            35,
        ),
    ] {
        let more = format!(r#","usageDetails":{details}"#);
        let text = langfuse("", &[("GENERATION", "llm", "q", "a", &more)]);
        let loaded = loaded("langfuse", &text);
        let usage = loaded.conversations[0].turns()[0].usage();
        assert_eq!(
            (usage.input, usage.output),
            (Some(input), Some(output)),
            "{details}"
        );
    }
}

#[test]
fn what_the_system_did_in_between_is_no_result_of_no_call() {
    let text = r#"{"schema_version":"ATIF-v1.7","agent":{"name":"a"},"steps":[
        {"source":"user","message":"q"},{"source":"agent","message":"one"},
        {"source":"system","message":"Notice.","observation":{"results":[{"content":"disk is full"}]}},
        {"source":"system","message":"Compacted.","observation":{"results":[{"content":"all so far"}]},"extra":{"context_management":{"type":"compaction"}}},
        {"source":"agent","message":"two"}]}"#;
    let loaded = loaded("atif", text);
    let step = &loaded.conversations[0];
    assert!(step.unmatched_results.is_empty());
    assert_eq!(inputs(step), [("Notice.\n\ndisk is full", true)]);
    let [event] = step.events.as_slice() else {
        panic!("{:?}", step.events);
    };
    assert_eq!(event.kind, EventKind::Compaction);
    assert_eq!(event.text.as_deref(), Some("all so far"));
}

#[test]
fn prompts_before_the_only_recorded_one_are_rebuilt() {
    let text = r#"{"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user","content":"more"}],
        "response":{"choices":[{"message":{"role":"assistant","content":"b"}}]},"cost":0.1,"timestamp":1.0}"#;
    let loaded = loaded("openai-chat", text);
    let run = Run::new(loaded.conversations[0].clone());
    let first = run.as_sent(1).expect("rebuilt");
    assert!(first.rebuilt.is_some());
    let first: Vec<&str> = first.messages.iter().map(|sent| &*sent.content).collect();
    assert_eq!(first, ["s", "q"]);
    let second = run.as_sent(2).expect("recorded");
    assert!(second.rebuilt.is_none());
    assert_eq!(second.messages.len(), 4);
    assert!(run.as_sent(3).is_err());
}
