//! Small traces of every format whose records each hold a word of their own, so that a test can tell
//! which records a loader lost.

/// A trace that is put together of records.
pub(crate) struct Trace {
    /// The loader's name.
    pub format: &'static str,
    /// What stands before the records.
    pub head: &'static str,
    /// The records; each holds the word of its place.
    pub records: Vec<String>,
    /// What stands between two.
    pub between: &'static str,
    /// What stands behind the last.
    pub tail: &'static str,
}

impl Trace {
    /// The whole text.
    pub(crate) fn text(&self) -> Vec<u8> {
        let records = self.records.join(self.between);
        format!("{}{records}{}", self.head, self.tail).into_bytes()
    }

    /// Whether each record is a line of its own.
    pub(crate) fn is_lines(&self) -> bool {
        self.between == "\n" && !self.records[0].contains('\n')
    }
}

/// The word of a record.
pub(crate) fn word(at: usize) -> String {
    format!("word-{at:03}-end")
}

/// Records from a text in which `#` stands for a record's number and `@` for its word.
fn records(of: &str) -> Vec<String> {
    let record = |at: usize| {
        of.replace('@', &word(at))
            .replace('#', &(at + 1).to_string())
    };
    (0..12).map(record).collect()
}

fn lines(format: &'static str, head: &'static str, of: &str) -> Trace {
    Trace {
        format,
        head,
        records: records(of),
        between: "\n",
        tail: "\n",
    }
}

fn document(format: &'static str, head: &'static str, of: &str, tail: &'static str) -> Trace {
    Trace {
        format,
        head,
        records: records(of),
        between: ",",
        tail,
    }
}

/// As [`document`], over several lines.
fn printed(format: &'static str, head: &'static str, of: &str, tail: &'static str) -> Trace {
    Trace {
        format,
        head,
        records: records(&of.replace("{\"", "{\n    \"").replace(",\"", ",\n    \"")),
        between: ",\n  ",
        tail,
    }
}

/// Traces of all formats, each in the layouts that its loader reads.
pub(crate) fn all() -> Vec<Trace> {
    [step_and_logs(), sessions(), chats(), runs(), spans()]
        .into_iter()
        .flatten()
        .collect()
}

fn step_and_logs() -> Vec<Trace> {
    vec![
        document(
            "step",
            r#"{"name":"n","mission":"m","turns":["#,
            r#"{"number":#,"type":"normal","success":true,"raw_response":"@","program":"(+ 1 2)","result":3,"prints":[],"tool_calls":[],"memory":{}}"#,
            r#"],"return":1}"#,
        ),
        lines(
            "trace-log-v2",
            "{\"event\":\"trace.start\",\"schema_version\":2,\"seq\":0,\"trace_id\":\"t\",\"timestamp\":\"2026-11-27T20:53:03Z\",\"data\":null}\n{\"event\":\"run.start\",\"schema_version\":2,\"seq\":1,\"trace_id\":\"t\",\"span_id\":\"s\",\"agent_id\":\"a\",\"timestamp\":\"2026-11-27T20:53:03Z\",\"data\":{\"context\":{}}}\n",
            r#"{"agent_id":"a","data":{"prints":[],"program":"(println \"@\")","result_preview":"nil","type":"normal"},"event":"turn.stop","schema_version":2,"seq":1#,"span_id":"s","timestamp":"2026-11-27T20:53:04Z","trace_id":"t","turn":#}"#,
        ),
        lines(
            "trace-log-v1",
            "{\"event\":\"run.start\",\"measurements\":{},\"metadata\":{\"span_id\":\"s\",\"agent\":{\"prompt\":\"m\"},\"context\":{}},\"span_id\":\"s\",\"timestamp\":\"2026-11-27T20:53:00Z\",\"trace_id\":\"t\"}\n",
            r#"{"duration_ms":0,"event":"turn.stop","measurements":{},"metadata":{"agent":{"prompt":"m"},"program":"(println \"@\")","result_preview":"nil","span_id":"s","turn":#,"type":"normal"},"span_id":"s","timestamp":"2026-11-27T20:53:01Z","trace_id":"t"}"#,
        ),
    ]
}

fn sessions() -> Vec<Trace> {
    vec![
        lines(
            "claude-code",
            "",
            r#"{"parentUuid":null,"sessionId":"s","type":"assistant","uuid":"u#","timestamp":"2026-01-01T00:00:00Z","message":{"id":"m#","role":"assistant","content":[{"type":"text","text":"@"}],"usage":{"input_tokens":1,"output_tokens":2}}}"#,
        ),
        lines(
            "claude-code",
            "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"tools\":[]}\n",
            r#"{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t#","content":"@"}]}}"#,
        ),
        lines(
            "codex",
            "",
            r#"{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c#","output":"@"}}"#,
        ),
        lines(
            "codex",
            "{\"id\":\"s\",\"timestamp\":\"2025-05-01T10:00:00Z\",\"instructions\":\"i\"}\n",
            r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"@"}]}"#,
        ),
        lines(
            "codex",
            "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n",
            r#"{"type":"item.completed","item":{"id":"i#","type":"agent_message","text":"@"}}"#,
        ),
        lines(
            "gemini-cli",
            "{\"sessionId\":\"s\",\"projectHash\":\"p\",\"startTime\":\"2026-04-29T21:39:22Z\"}\n",
            r#"{"id":"a#","timestamp":"2026-04-29T21:39:22Z","type":"gemini","content":"@"}"#,
        ),
        lines(
            "gemini-cli",
            "{\"type\":\"init\",\"session_id\":\"s\",\"model\":\"m\"}\n",
            r#"{"type":"tool_result","tool_id":"t#","status":"success","output":"@"}"#,
        ),
        printed(
            "gemini-cli",
            "{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"p\",\n  \"startTime\": \"2026-04-29T21:39:22Z\",\n  \"messages\": [\n  ",
            r#"{"id":"a#","type":"gemini","content":"@"}"#,
            "\n  ]\n}\n",
        ),
        document(
            "gemini-cli",
            "[",
            r#"{"role":"model","parts":[{"text":"@"},{"functionCall":{"name":"f","args":{}}}]}"#,
            "]",
        ),
        document(
            "opencode",
            r#"{"info":{"id":"s","title":"t"},"messages":["#,
            r#"{"info":{"id":"m#","role":"assistant"},"parts":[{"type":"step-start"},{"type":"text","text":"@"}]}"#,
            "]}",
        ),
    ]
}

fn chats() -> Vec<Trace> {
    vec![
        document(
            "openai-chat",
            "[",
            r#"{"role":"assistant","content":"@","tool_calls":[{"id":"c#","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
            "]",
        ),
        printed(
            "openai-chat",
            "{\n  \"messages\": [\n  ",
            r#"{"role":"assistant","content":"@"}"#,
            "\n  ]\n}\n",
        ),
        lines(
            "openai-chat",
            "",
            r#"{"messages":[{"role":"user","content":"@"},{"role":"assistant","content":"reply"}]}"#,
        ),
        lines("openai-chat", "", r#"{"role":"assistant","content":"@"}"#),
        Trace {
            format: "openai-chat",
            head: "",
            records: records(
                "{\n  \"messages\": [\n    {\"role\": \"user\", \"content\": \"@\"}\n  ]\n}",
            ),
            between: "\n",
            tail: "\n",
        },
        lines(
            "sharegpt",
            "",
            r#"{"conversations":[{"from":"human","value":"@"},{"from":"gpt","value":"reply"}]}"#,
        ),
        document(
            "sharegpt",
            "[",
            r#"{"conversations":[{"from":"human","value":"@"},{"from":"gpt","value":"reply"}]}"#,
            "]",
        ),
        document(
            "anthropic-messages",
            r#"{"system":"s","messages":["#,
            r#"{"role":"assistant","content":[{"type":"text","text":"@"},{"type":"tool_use","id":"t#","name":"f","input":{}}]}"#,
            "]}",
        ),
        lines(
            "anthropic-messages",
            "",
            r#"{"request":{"system":"s","messages":[{"role":"user","content":"@"}]},"response":{"type":"message","role":"assistant","content":[{"type":"text","text":"reply"}],"usage":{"input_tokens":1}}}"#,
        ),
    ]
}

fn runs() -> Vec<Trace> {
    vec![
        document(
            "mini-swe-agent",
            r#"{"trajectory_format":"mini-swe-agent-1.1","info":{},"messages":["#,
            r#"{"role":"assistant","content":"@","extra":{"actions":[{"command":"ls"}]}}"#,
            "]}",
        ),
        printed(
            "swe-agent",
            "{\n  \"environment\": \"e\",\n  \"trajectory\": [\n  ",
            r#"{"action":"ls","observation":"@","response":"r"}"#,
            "\n  ],\n  \"info\": {}\n}\n",
        ),
        document(
            "atif",
            r#"{"schema_version":"ATIF-v1.4","agent":{"name":"a"},"steps":["#,
            r#"{"step_id":#,"source":"agent","message":"@","tool_calls":[{"tool_call_id":"c#","function_name":"f","arguments":{}}]}"#,
            "]}",
        ),
        document(
            "openhands",
            "[",
            r#"{"id":#,"timestamp":"2025-01-01T00:00:00","source":"agent","message":"m","action":"run","args":{"command":"@","thought":"t"}}"#,
            "]",
        ),
        lines(
            "openhands",
            "",
            r#"{"kind":"MessageEvent","source":"agent","id":"e#","llm_message":{"role":"assistant","content":[{"type":"text","text":"@"}]}}"#,
        ),
        lines(
            "openhands",
            "",
            r#"{"instance_id":"i#","instruction":"@","history":[{"id":1,"source":"agent","action":"message","args":{"content":"reply"}}]}"#,
        ),
        document(
            "smolagents",
            r#"[{"task":"t","task_images":null},"#,
            r#"{"step_number":#,"timing":{"start_time":1.0,"end_time":2.0,"duration":1.0},"tool_calls":null,"model_output":"@","code_action":"x = 1","observations":"o"}"#,
            "]",
        ),
        document(
            "inspect-ai",
            r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"input":"i","messages":["#,
            r#"{"id":"m#","role":"assistant","content":"@"}"#,
            r#"],"scores":{}}]}"#,
        ),
        document(
            "inspect-ai",
            r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":["#,
            r#"{"id":#,"epoch":1,"input":"@","messages":[{"role":"user","content":"@"},{"role":"assistant","content":"reply"}]}"#,
            "]}",
        ),
    ]
}

fn spans() -> Vec<Trace> {
    vec![
        lines(
            "otlp-genai",
            "",
            r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"s#","name":"chat","startTimeUnixNano":"100#","endTimeUnixNano":"200#","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"@\"}]}]"}}]}]}]}]}"#,
        ),
        document(
            "otlp-genai",
            r#"{"resourceSpans":[{"scopeSpans":[{"spans":["#,
            r#"{"traceId":"t","spanId":"s#","name":"chat","startTimeUnixNano":"100#","endTimeUnixNano":"200#","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"@\"}]}]"}}]}"#,
            "]}]}]}",
        ),
        document(
            "langfuse",
            r#"{"trace":{"id":"t","name":"n"},"observations":["#,
            r#"{"id":"o-#-","type":"GENERATION","name":"g","startTime":"2025-01-01T00:00:00Z","output":"@"}"#,
            "]}",
        ),
        lines(
            "langsmith",
            "",
            r#"{"id":"r#","trace_id":"t","parent_run_id":null,"run_type":"llm","name":"m","start_time":"2025-01-01T00:00:00","inputs":{},"outputs":{"choices":[{"message":{"role":"assistant","content":"@"}}]}}"#,
        ),
        document(
            "langsmith",
            "[",
            r#"{"id":"r#","trace_id":"t","parent_run_id":null,"run_type":"llm","name":"m","start_time":"2025-01-01T00:00:00","inputs":{},"outputs":{"choices":[{"message":{"role":"assistant","content":"@"}}]}}"#,
            "]",
        ),
        lines(
            "phoenix",
            "",
            r#"{"name":"m","span_kind":"LLM","parent_id":null,"start_time":1777629601000,"context.span_id":"s#","context.trace_id":"t","attributes.llm.output_messages":[{"message.role":"assistant","message.content":"@"}]}"#,
        ),
        document(
            "phoenix",
            "[",
            r#"{"name":"m","span_kind":"LLM","parent_id":null,"start_time":1777629601000,"context.span_id":"s#","context.trace_id":"t","attributes.llm.output_messages":[{"message.role":"assistant","message.content":"@"}]}"#,
            "]",
        ),
    ]
}
