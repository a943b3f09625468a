//! Writes a large trace, to measure how such a one is opened:
//! `cargo run --release --example big_trace -- PATH SIZE [FORMAT]`.
//!
//! SIZE is in bytes, with `k`, `M` or `G` behind it; FORMAT is claude-code (the default) or another one
//! that is told where none is known by that name. The same arguments always give the same bytes.

use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::process::ExitCode;

#[path = "big_trace/kinds.rs"]
mod kinds;

/// What a kind of trace begins with, and each turn of it.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    head: fn(&mut dyn Write) -> Result<()>,
    turn: fn(&mut dyn Write, u64) -> Result<()>,
    tail: fn(&mut dyn Write) -> Result<()>,
}

/// All of them.
pub(crate) fn kinds() -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().chain(&kinds::KINDS)
}

/// Those whose records stand a line, chats, and one line.
const KINDS: [Kind; 4] = [
    Kind {
        name: "claude-code",
        head: claude_head,
        turn: claude_turn,
        tail: |_| Ok(()),
    },
    Kind {
        name: "codex",
        head: codex_head,
        turn: codex_turn,
        tail: |_| Ok(()),
    },
    Kind {
        name: "openai-chat",
        head: chat_head,
        turn: chat_turn,
        tail: |out| out.write_all(b"]}\n"),
    },
    Kind {
        name: "one-line",
        head: |out| {
            out.write_all(
                b"{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"",
            )
        },
        turn: |out, turn| out.write_all(text(turn, 16_000).as_bytes()),
        tail: |out| out.write_all(b"\"}}\n"),
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let kind = args.get(2).map_or("claude-code", String::as_str);
    let kind = kinds().find(|known| known.name == kind);
    let size = args.get(1).and_then(|size| bytes(size));
    let (Some(path), Some(size), Some(kind)) = (args.first(), size, kind) else {
        let names: Vec<&str> = kinds().map(|kind| kind.name).collect();
        let names = names.join("|");
        eprintln!("usage: big_trace PATH SIZE[k|M|G] [{names}]");
        return ExitCode::from(2);
    };
    match write(path, size, kind) {
        Ok(turns) => {
            println!("{path}: {turns} turns");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['k', 'M', 'G']);
    let unit = match &text[digits.len()..] {
        "" => 1,
        "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Writes a trace of at least so many bytes, and says how many turns it has.
pub(crate) fn write(path: &str, size: u64, kind: &Kind) -> Result<u64> {
    let mut out = Counted {
        out: BufWriter::new(File::create(path)?),
        written: 0,
    };
    (kind.head)(&mut out)?;
    let mut turns = 0;
    while out.written < size {
        turns += 1;
        (kind.turn)(&mut out, turns)?;
    }
    (kind.tail)(&mut out)?;
    out.flush()?;
    Ok(turns)
}

struct Counted<W> {
    out: W,
    written: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}

/// A text as tools print it, escaped for JSON: lines of words that differ from turn to turn.
fn text(seed: u64, length: usize) -> String {
    const WORDS: [&str; 12] = [
        "fn",
        "the",
        "order",
        "value",
        "src/main.rs",
        "error",
        "refund",
        "naïve",
        "return",
        "test",
        "ok",
        "42",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut out = String::with_capacity(length + 32);
    while out.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let at = usize::try_from(state % 12).unwrap_or(0);
        out.push_str(WORDS[at]);
        out.push_str(match state >> 32 & 15 {
            0 => "\\n",
            1 => " \\\"quoted\\\" ",
            _ => " ",
        });
    }
    out
}

/// The moment of a turn.
fn at(turn: u64) -> String {
    let seconds = turn * 7;
    format!(
        "2026-03-{:02}T{:02}:{:02}:{:02}.000Z",
        1 + seconds / 86_400 % 28,
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60
    )
}

fn claude_head(out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        r#"{{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{{"role":"user","content":"Find every order that was refunded twice."}},"uuid":"u0","timestamp":"{}"}}"#,
        at(0)
    )
}

fn claude_turn(out: &mut dyn Write, turn: u64) -> Result<()> {
    let (said, found, time) = (text(turn, 700), text(turn + 1, 12_000), at(turn));
    let before = turn - 1;
    let head = r#""isSidechain":false,"sessionId":"s""#;
    let usage = format!(
        r#"{{"input_tokens":{},"cache_read_input_tokens":900,"output_tokens":{}}}"#,
        turn % 90,
        200 + turn % 50
    );
    let failed = turn.is_multiple_of(9);
    writeln!(
        out,
        r#"{{"parentUuid":"u{before}",{head},"message":{{"id":"m{turn}","type":"message","role":"assistant","model":"model","content":[{{"type":"text","text":"{said}"}}],"stop_reason":null,"usage":{usage}}},"requestId":"r{turn}","type":"assistant","uuid":"a{turn}","timestamp":"{time}"}}"#
    )?;
    writeln!(
        out,
        r#"{{"parentUuid":"a{turn}",{head},"message":{{"id":"m{turn}","type":"message","role":"assistant","model":"model","content":[{{"type":"tool_use","id":"c{turn}","name":"Bash","input":{{"command":"grep -rn refund src/{turn}"}}}}],"stop_reason":"tool_use","usage":{usage}}},"requestId":"r{turn}","type":"assistant","uuid":"b{turn}","timestamp":"{time}"}}"#
    )?;
    writeln!(
        out,
        r#"{{"parentUuid":"b{turn}",{head},"type":"user","message":{{"role":"user","content":[{{"tool_use_id":"c{turn}","type":"tool_result","content":"{found}","is_error":{failed}}}]}},"uuid":"u{turn}","timestamp":"{time}","toolUseResult":{{"stdout":"{found}","stderr":"","interrupted":false}}}}"#
    )
}

fn codex_head(out: &mut dyn Write) -> Result<()> {
    let time = at(0);
    writeln!(
        out,
        r#"{{"timestamp":"{time}","type":"session_meta","payload":{{"id":"s","timestamp":"{time}","cwd":"/shop","base_instructions":{{"text":"You are an agent."}}}}}}"#
    )?;
    writeln!(
        out,
        r#"{{"timestamp":"{time}","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"Find every order that was refunded twice."}}]}}}}"#
    )
}

fn codex_turn(out: &mut dyn Write, turn: u64) -> Result<()> {
    let (said, found, time) = (text(turn, 700), text(turn + 1, 24_000), at(turn));
    let code = u64::from(turn.is_multiple_of(9));
    let (input, spent) = (turn * 1_000, turn * 200);
    let mut item = |payload: String, kind: &str| {
        writeln!(
            out,
            r#"{{"timestamp":"{time}","type":"{kind}","payload":{payload}}}"#
        )
    };
    item(
        format!(
            r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{said}"}}]}}"#
        ),
        "response_item",
    )?;
    item(
        format!(
            r#"{{"type":"function_call","name":"shell","arguments":"{{\"command\":[\"grep\",\"refund\",\"src/{turn}\"]}}","call_id":"c{turn}"}}"#
        ),
        "response_item",
    )?;
    item(
        format!(
            r#"{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{input},"cached_input_tokens":0,"output_tokens":{spent}}},"last_token_usage":{{"input_tokens":1000,"output_tokens":200}}}}}}"#
        ),
        "event_msg",
    )?;
    item(
        format!(
            r#"{{"type":"function_call_output","call_id":"c{turn}","output":"Process exited with code {code}\nWall time: 0.2 seconds\nOutput:\n{found}"}}"#
        ),
        "response_item",
    )
}

fn chat_head(out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        r#"{{"messages":[{{"role":"user","content":"Find every order that was refunded twice."}}"#
    )
}

fn chat_turn(out: &mut dyn Write, turn: u64) -> Result<()> {
    let (said, found) = (text(turn, 700), text(turn + 1, 24_000));
    writeln!(
        out,
        r#",{{"role":"assistant","content":"{said}","tool_calls":[{{"id":"c{turn}","type":"function","function":{{"name":"grep","arguments":"{{\"path\":\"src/{turn}\"}}"}}}}]}},{{"role":"tool","tool_call_id":"c{turn}","content":"{found}"}}"#
    )
}
