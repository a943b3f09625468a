//! The header that Codex puts before what a command wrote, and the JSON it put it in earlier
//! (`formats/codex.md`).

use std::borrow::Cow;

use crate::value::{Value, json};

/// What the beginning of an output tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// What the command wrote, where a header stands before it.
    pub output: Option<Cow<'a, str>>,
    /// The exit code, where the command ended.
    pub exit_code: Option<i64>,
    /// Milliseconds it ran.
    pub duration_ms: Option<u64>,
}

/// Lines at the beginning of an output that may tell the exit code.
const LINES: usize = 6;

/// How the lines of a header begin.
const HEADS: [&str; 10] = [
    "Chunk ID: ",
    "Wall time",
    "Exit code: ",
    "Process exited with code ",
    "Process running with session ID ",
    "Original token count: ",
    "Total output lines: ",
    "Script completed",
    "Script failed",
    "Script running",
];

impl<'a> Frame<'a> {
    /// Reads an output's text.
    pub(crate) fn read(text: &'a str) -> Self {
        if let Some(frame) = Self::of_json(text) {
            return frame;
        }
        let mut frame = Self::default();
        let mut rest = text;
        let mut is_header = true;
        for count in 0..=LINES {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            let line = line.trim();
            if line == "Output:" {
                frame.output = (is_header && count > 0).then_some(Cow::Borrowed(after));
                break;
            }
            if count == LINES {
                break;
            }
            is_header &= HEADS.iter().any(|head| line.starts_with(head));
            frame.line(line);
            rest = after;
        }
        frame
    }

    fn line(&mut self, line: &str) {
        let code = ["Process exited with code ", "Exit code: "]
            .iter()
            .find_map(|start| line.strip_prefix(start));
        let code = code.and_then(|code| code.trim().parse().ok());
        self.exit_code = code.or(self.exit_code);
        let time = line
            .strip_prefix("Wall time")
            .and_then(|rest| rest.trim_start_matches([':', ' ']).split(' ').next());
        if let Some(Ok(time)) = time.map(str::parse) {
            self.duration_ms = milliseconds(&Value::Float(time));
        }
    }

    /// The layout of 2025: `{"output": .., "metadata": {"exit_code": .., "duration_seconds": ..}}`.
    fn of_json(text: &str) -> Option<Self> {
        if !text.starts_with('{') {
            return None;
        }
        let read = json::parse(text.as_bytes()).ok()?.value;
        let metadata = read.get_some("metadata")?;
        let output = read.get("output").and_then(Value::as_str);
        Some(Self {
            output: output.map(|output| Cow::Owned(output.to_owned())),
            exit_code: metadata.get("exit_code").and_then(Value::as_i64),
            duration_ms: metadata.get("duration_seconds").and_then(milliseconds),
        })
    }
}

/// Seconds in milliseconds.
fn milliseconds(seconds: &Value) -> Option<u64> {
    match seconds {
        // Far below 2^53 milliseconds.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Value::Float(number) if (0.0..9e12).contains(number) => {
            Some((number * 1000.0).round() as u64)
        }
        other => other.as_count()?.checked_mul(1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<String>, Option<i64>, Option<u64>) {
        let frame = Frame::read(text);
        let output = frame.output.map(Cow::into_owned);
        (output, frame.exit_code, frame.duration_ms)
    }

    #[test]
    fn headers_of_three_years() {
        let output = |text: &str| Some(text.to_owned());
        assert_eq!(
            read(r#"{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.25}}"#),
            (output("x"), Some(1), Some(250))
        );
        assert_eq!(
            read(
                "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 2\n\
                 Original token count: 4\nOutput:\nx\ny"
            ),
            (output("x\ny"), Some(2), Some(100))
        );
        assert_eq!(
            read("Exit code: 0\nOutput:\nExit code: 3"),
            (output("Exit code: 3"), Some(0), None)
        );
        assert_eq!(
            read("Script completed\nWall time 1.5 seconds\r\nOutput:"),
            (output(""), None, Some(1500))
        );
    }

    #[test]
    fn what_a_command_wrote_is_no_header() {
        for text in [
            "",
            "Output:\nx",
            "{\"output\":\"x\"}",
            "{\"metadata\":1}",
            "{",
        ] {
            assert_eq!(read(text), (None, None, None), "{text}");
        }
        let note = "note\nExit code: 1\nOutput:\nExit code: 0";
        assert_eq!(read(note), (None, Some(1), None));
        let late = "1\n2\n3\n4\n5\n6\nExit code: 1";
        assert_eq!(read(late), (None, None, None));
    }
}
