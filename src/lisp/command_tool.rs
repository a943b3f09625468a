//! A tool that is a program: it gets the arguments as JSON on its standard input, and answers JSON.
//!
//! Only a file named on the command line can describe one, never a trace that is opened.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::session::plain;
use super::tools::Answer;
use crate::value::Value;
use crate::value::json::{self, Plain};

/// Bytes that an answer may have.
const MAX_ANSWER: u64 = 16 << 20;

/// A program and its arguments, and how long it may take.
#[derive(Debug, Clone)]
pub(super) struct Command {
    words: Vec<String>,
    time: Duration,
}

impl Command {
    /// `{"command": ["program", "argument"], "timeout_ms": 30000}`.
    pub(super) fn new(described: &Value) -> Result<Self, String> {
        let words = described.get("command").and_then(Value::as_list);
        let words: Option<Vec<String>> = words
            .unwrap_or_default()
            .iter()
            .map(|word| word.as_str().map(str::to_owned))
            .collect();
        let words = words.filter(|words| !words.is_empty());
        let time = described.get("timeout_ms").and_then(Value::as_count);
        Ok(Self {
            words: words.ok_or(r#"needs "command": ["program", "argument", ..]"#)?,
            time: Duration::from_millis(time.unwrap_or(30_000)),
        })
    }

    pub(super) fn call(&self, args: &Value) -> Answer {
        match self.run(args) {
            Ok(value) => Answer::Value(value),
            Err(why) => Answer::Crashed(Value::string(why)),
        }
    }

    fn run(&self, args: &Value) -> Result<Value, String> {
        let name = &self.words[0];
        let input = serde_json::to_string(&Plain(&plain(args))).map_err(|e| e.to_string())?;
        let mut child = std::process::Command::new(name)
            .args(&self.words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{name} can't be started: {error}"))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        // A program may answer without reading, so both ends have a thread of their own.
        let writer = std::thread::spawn(move || {
            if let Some(mut stdin) = stdin {
                // A program that closed its input has read enough.
                let _ = stdin.write_all(input.as_bytes());
            }
        });
        let reader = std::thread::spawn(move || {
            let mut answer = Vec::new();
            if let Some(stdout) = stdout {
                // What came before an error is judged as it is.
                let _ = stdout.take(MAX_ANSWER).read_to_end(&mut answer);
            }
            answer
        });
        let status = self.wait(&mut child)?;
        let _ = writer.join();
        let answer = reader
            .join()
            .map_err(|_| format!("{name}: reading its answer failed"))?;
        if !status.success() {
            return Err(format!("{name} ended with {status}"));
        }
        let parsed = json::parse(&answer);
        parsed
            .map(|parsed| parsed.value)
            .map_err(|error| format!("{name} answered no JSON: {error}"))
    }

    fn wait(&self, child: &mut Child) -> Result<std::process::ExitStatus, String> {
        let started = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if started.elapsed() < self.time => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(None) => {
                    // It is stopped because it is late; that it ended just now doesn't matter.
                    let _ = child.kill();
                    let _ = child.wait();
                    let limit = self.time.as_millis();
                    return Err(format!(
                        "{} gave no answer within {limit} ms",
                        self.words[0]
                    ));
                }
                Err(error) => return Err(format!("{}: {error}", self.words[0])),
            }
        }
    }
}
