//! Traces of the formats that are objects with a list of what happened, and TraceLogs.

use std::io::{Result, Write};

use super::{Kind, at, text};

/// All of them, in the order of the README's table.
pub(crate) const KINDS: [Kind; 8] = [
    Kind {
        name: "step",
        head: |out| {
            out.write_all(b"{\"mission\":\"Find every order that was refunded twice.\",\"turns\":[")
        },
        turn: step_turn,
        tail: |out| out.write_all(b"],\"tools\":[]}\n"),
    },
    Kind {
        name: "trace-log",
        head: trace_log_head,
        turn: trace_log_turn,
        tail: |_| Ok(()),
    },
    Kind {
        name: "mini-swe-agent",
        head: |out| {
            out.write_all(b"{\"trajectory_format\":\"mini-swe-agent-1.1\",\"info\":{\"exit_status\":\"Submitted\",\"submission\":\"done\"},\"messages\":[{\"role\":\"system\",\"content\":\"You are an agent.\"},{\"role\":\"user\",\"content\":\"Find every order that was refunded twice.\"}")
        },
        turn: mini_turn,
        tail: |out| out.write_all(b"]}\n"),
    },
    Kind {
        name: "atif",
        head: |out| {
            out.write_all(b"{\"schema_version\":\"ATIF-v1.4\",\"session_id\":\"s\",\"agent\":{\"name\":\"agent\",\"version\":\"1\",\"model_name\":\"model\"},\"steps\":[{\"step_id\":1,\"source\":\"user\",\"message\":\"Find every order that was refunded twice.\"}")
        },
        turn: atif_turn,
        tail: |out| out.write_all(b"],\"final_metrics\":{\"total_prompt_tokens\":1000}}\n"),
    },
    Kind {
        name: "swe-agent",
        head: |out| {
            out.write_all(b"{\"environment\":\"main\",\"history\":[{\"role\":\"system\",\"content\":\"You are an agent.\",\"agent\":\"main\",\"message_type\":\"system_prompt\"},{\"role\":\"user\",\"content\":\"Find every order that was refunded twice.\",\"agent\":\"main\",\"message_type\":\"observation\"}],\"trajectory\":[")
        },
        turn: swe_turn,
        tail: |out| {
            out.write_all(b"],\"info\":{\"exit_status\":\"submitted\",\"submission\":\"done\"}}\n")
        },
    },
    Kind {
        name: "openhands",
        head: |out| {
            out.write_all(b"[{\"id\":0,\"timestamp\":\"2026-03-01T00:00:00\",\"source\":\"user\",\"action\":\"message\",\"args\":{\"content\":\"Find every order that was refunded twice.\"}}")
        },
        turn: openhands_turn,
        tail: |out| out.write_all(b"]\n"),
    },
    Kind {
        name: "inspect-ai",
        head: |out| {
            out.write_all(b"{\"version\":2,\"status\":\"success\",\"eval\":{\"task\":\"task\",\"model\":\"model\"},\"samples\":[")
        },
        turn: inspect_turn,
        tail: |out| out.write_all(b"]}\n"),
    },
    Kind {
        name: "chats-in-a-list",
        head: |out| out.write_all(b"["),
        turn: listed_turn,
        tail: |out| out.write_all(b"]}]\n"),
    },
];

/// What stands before every element but the first.
fn comma(turn: u64) -> &'static str {
    if turn == 1 { "" } else { ",\n" }
}

fn step_turn(out: &mut dyn Write, turn: u64) -> Result<()> {
    let (said, found) = (text(turn, 700), text(turn + 1, 24_000));
    let (comma, success) = (comma(turn), !turn.is_multiple_of(9));
    write!(
        out,
        r#"{comma}{{"number":{turn},"raw_response":"{said}","program":"(def found-{at} (tool/grep {{:at {turn}}}))","result":"found {turn}","prints":["{found}"],"tool_calls":[{{"name":"grep","args":{{"at":{turn}}},"result":"{turn} lines"}}],"memory":{{"found-{at}":"{turn} lines","count":{turn}}},"success":{success},"usage":{{"input_tokens":{turn},"output_tokens":50}}}}"#,
        at = turn % 20,
    )
}

fn trace_log_head(out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        r#"{{"schema_version":2,"event":"trace.start","trace_id":"t","timestamp":"{0}","seq":0,"trace_kind":"run"}}
{{"schema_version":2,"event":"agent.config","trace_id":"t","timestamp":"{0}","seq":1,"agent_id":"a","config":{{"prompt":"Find every order that was refunded twice."}}}}
{{"schema_version":2,"event":"run.start","trace_id":"t","timestamp":"{0}","seq":2,"agent_id":"a","span_id":"r","data":{{"context":{{}}}}}}"#,
        at(0)
    )
}

/// One turn of a run that is not over: the messages sent are those of the last turns.
fn trace_log_turn(out: &mut dyn Write, turn: u64) -> Result<()> {
    let (time, seq) = (at(turn), turn * 10);
    let head = |name: &str, more: u64| {
        format!(
            r#"{{"schema_version":2,"event":"{name}","trace_id":"t","timestamp":"{time}","seq":{},"agent_id":"a","turn":{turn}"#,
            seq + more
        )
    };
    let messages = if turn > 50 {
        format!("\"List({} items)\"", turn * 2 - 1)
    } else {
        let before = (1..turn).map(|turn| {
            let (said, found) = (text(turn, 700), text(turn + 1, 12_000));
            format!(r#",{{"role":"assistant","content":"{said}"}},{{"role":"user","content":"{found}"}}"#)
        });
        let before: String = before.collect();
        format!(
            r#"[{{"role":"user","content":"Find every order that was refunded twice."}}{before}]"#
        )
    };
    let (said, found) = (text(turn, 700), text(turn + 1, 12_000));
    writeln!(
        out,
        r#"{},"span_id":"r","data":{{"type":"normal"}}}}"#,
        head("turn.start", 0)
    )?;
    writeln!(
        out,
        r#"{},"parent_span_id":"r","data":{{"messages":{messages}}}}}"#,
        head("llm.start", 1)
    )?;
    writeln!(
        out,
        r#"{},"parent_span_id":"r","input_tokens":900,"output_tokens":90,"data":{{"response":"{said}"}}}}"#,
        head("llm.stop", 2)
    )?;
    writeln!(
        out,
        r#"{},"parent_span_id":"r","span_id":"c{turn}","tool_name":"grep","data":{{"args":{{"at":{turn}}}}}}}"#,
        head("tool.start", 3)
    )?;
    writeln!(
        out,
        r#"{},"parent_span_id":"r","span_id":"c{turn}","tool_name":"grep","duration_ms":5,"data":{{"result":"%{{lines: {turn}}}"}}}}"#,
        head("tool.stop", 4)
    )?;
    writeln!(
        out,
        r#"{},"span_id":"r","duration_ms":50,"data":{{"program":"(println (tool/grep {{:at {turn}}}))","result_preview":"nil","prints":["{found}"]}}}}"#,
        head("turn.stop", 5)
    )
}

fn mini_turn(out: &mut dyn Write, turn: u64) -> Result<()> {
    let (said, found) = (text(turn, 700), text(turn + 1, 24_000));
    let code = u64::from(turn.is_multiple_of(9));
    writeln!(
        out,
        r#",{{"role":"assistant","content":"{said}\n```mswea_bash_command\ngrep -rn refund src/{turn}\n```","extra":{{"timestamp":{turn}.5,"response":{{"usage":{{"prompt_tokens":900,"completion_tokens":90}}}}}}}},{{"role":"user","content":"<returncode>{code}</returncode>\n<output>\n{found}</output>","extra":{{"raw_output":"{found}","returncode":{code},"timestamp":{turn}.9}}}}"#
    )
}

fn atif_turn(out: &mut dyn Write, turn: u64) -> Result<()> {
    let (said, found, time, id) = (text(turn, 700), text(turn + 1, 24_000), at(turn), turn + 1);
    writeln!(
        out,
        r#",{{"step_id":{id},"timestamp":"{time}","source":"agent","message":"{said}","tool_calls":[{{"tool_call_id":"c{turn}","function_name":"grep","arguments":{{"path":"src/{turn}"}}}}],"observation":{{"results":[{{"source_call_id":"c{turn}","content":"{found}"}}]}},"metrics":{{"prompt_tokens":900,"completion_tokens":90}}}}"#
    )
}

/// Indented, as its writer indents it.
fn swe_turn(out: &mut dyn Write, turn: u64) -> Result<()> {
    let (said, found, comma) = (text(turn, 700), text(turn + 1, 12_000), comma(turn));
    write!(
        out,
        r#"{comma}
    {{
      "action": "grep -rn refund src/{turn}\n",
      "observation": "{found}",
      "response": "{said}",
      "thought": "{said}",
      "execution_time": 0.5,
      "state": {{
        "open_file": "n/a",
        "working_dir": "/shop"
      }},
      "query": [
        {{
          "role": "user",
          "content": "{found}"
        }}
      ]
    }}"#
    )
}

fn openhands_turn(out: &mut dyn Write, turn: u64) -> Result<()> {
    let (said, found, time) = (text(turn, 700), text(turn + 1, 24_000), at(turn));
    let (time, action, answer) = (time.trim_end_matches('Z'), turn * 2, turn * 2 + 1);
    let code = u64::from(turn.is_multiple_of(9));
    writeln!(
        out,
        r#",{{"id":{action},"timestamp":"{time}","source":"agent","message":"Running","action":"run","args":{{"command":"grep -rn refund src/{turn}","thought":"{said}"}},"tool_call_metadata":{{"function_name":"execute_bash","tool_call_id":"c{turn}","model_response":{{"id":"m{turn}","usage":{{"prompt_tokens":900,"completion_tokens":90}},"choices":[{{"message":{{"role":"assistant","content":"{said}","tool_calls":[{{"id":"c{turn}","type":"function","function":{{"name":"execute_bash","arguments":"{{\"command\":\"grep -rn refund src/{turn}\"}}"}}}}]}}}}]}}}}}},{{"id":{answer},"timestamp":"{time}","source":"agent","message":"Done","cause":{action},"observation":"run","content":"{found}","extras":{{"command":"grep","metadata":{{"exit_code":{code}}}}}}}"#
    )
}

/// Turns of a sample.
const SAMPLE: u64 = 40;

fn inspect_turn(out: &mut dyn Write, turn: u64) -> Result<()> {
    let comma = comma(turn);
    let (mut messages, mut events) = (Vec::new(), Vec::new());
    for at in turn * SAMPLE..(turn + 1) * SAMPLE {
        let (said, found) = (text(at, 700), text(at + 1, 12_000));
        let time = self::at(at);
        let reply = format!(
            r#"{{"id":"m{at}","role":"assistant","source":"generate","content":"{said}","tool_calls":[{{"id":"c{at}","function":"grep","arguments":{{"path":"src/{at}"}},"type":"function"}}]}}"#
        );
        let answer = format!(
            r#"{{"id":"r{at}","role":"tool","content":"{found}","tool_call_id":"c{at}","function":"grep"}}"#
        );
        write!(messages, ",\n{reply},\n{answer}")?;
        let sent = if at == turn * SAMPLE {
            r#"{"role":"user","source":"input","content":"Find every order."}"#.to_owned()
        } else {
            format!(
                r#"{{"role":"user","source":"input","content":"Find every order."}},{{"role":"assistant","content":"{}"}},{{"role":"tool","tool_call_id":"c{}","content":"{found}"}}"#,
                text(at - 1, 700),
                at - 1
            )
        };
        write!(
            events,
            r#",
{{"event":"model","timestamp":"{time}","model":"model","input":[{sent}],"output":{{"choices":[{{"message":{reply},"stop_reason":"tool_calls"}}],"usage":{{"input_tokens":900,"output_tokens":90,"total_tokens":990}}}},"working_time":1.5}},
{{"event":"tool","timestamp":"{time}","id":"c{at}","function":"grep","arguments":{{"path":"src/{at}"}},"result":"{found}","working_time":0.5}}"#
        )?;
    }
    let (messages, events) = (
        String::from_utf8_lossy(&messages),
        String::from_utf8_lossy(&events),
    );
    write!(
        out,
        r#"{comma}{{"id":{turn},"epoch":1,"input":"Find every order.","target":"x","messages":[{{"role":"user","source":"input","content":"Find every order."}}{messages}],"output":{{"completion":"done"}},"events":[{{"event":"sample_init"}}{events}],"attachments":{{}}}}"#
    )
}

/// Turns of a chat in a list of chats: more than 8 MB of them.
const CHAT: u64 = 2_000;

fn listed_turn(out: &mut dyn Write, turn: u64) -> Result<()> {
    let (said, found) = (text(turn, 700), text(turn + 1, 24_000));
    if turn % CHAT == 1 {
        let end = if turn == 1 { "" } else { "]},\n" };
        write!(
            out,
            r#"{end}{{"messages":[{{"role":"user","content":"Find every order that was refunded twice."}}"#
        )?;
    }
    writeln!(
        out,
        r#",{{"role":"assistant","content":"{said}","tool_calls":[{{"id":"c{turn}","type":"function","function":{{"name":"grep","arguments":"{{\"path\":\"src/{turn}\"}}"}}}}]}},{{"role":"tool","tool_call_id":"c{turn}","content":"{found}"}}"#
    )
}
