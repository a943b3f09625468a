//! What a command answered, and whether it failed: there is no uniform mark (`formats/codex.md`).

use crate::value::{Value, json};

/// What an output tells besides its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Whether the call failed; `None` where nothing tells.
    pub failed: Option<bool>,
    pub duration_ms: Option<u64>,
    /// Whether a person refused the call, so that nothing ran.
    pub refused: bool,
}

/// What stands in the place of the output of a call that a person refused.
const REFUSALS: [&str; 3] = [
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
];

/// Lines at the beginning of an output that may tell the exit code.
const PREAMBLE: usize = 6;

/// Reads an output's text.
pub(super) fn told(text: &str) -> Told {
    if text.starts_with('{')
        && let Ok(read) = json::parse(text.as_bytes())
        && let Some(metadata) = read.value.get_some("metadata")
    {
        let code = metadata.get("exit_code").and_then(Value::as_i64);
        return Told {
            failed: code.map(|code| code != 0),
            duration_ms: metadata.get("duration_seconds").and_then(seconds),
            refused: false,
        };
    }
    let mut told = Told {
        refused: REFUSALS.contains(&text.trim()),
        ..Told::default()
    };
    for line in text.lines().take(PREAMBLE) {
        let line = line.trim();
        if line == "Output:" {
            break;
        }
        let code = ["Process exited with code ", "Exit code: "]
            .iter()
            .find_map(|start| line.strip_prefix(start));
        if let Some(code) = code.and_then(|code| code.trim().parse::<i64>().ok()) {
            told.failed = Some(code != 0);
        }
        let time = line
            .strip_prefix("Wall time: ")
            .and_then(|rest| rest.split(' ').next());
        if let Some(Ok(time)) = time.map(str::parse) {
            told.duration_ms = seconds(&Value::Float(time));
        }
    }
    told
}

/// A duration as `{secs, nanos}` in milliseconds.
pub(super) fn duration(value: &Value) -> Option<u64> {
    let part = |name: &str| value.get(name).and_then(Value::as_count);
    let nanos = part("nanos").unwrap_or_default();
    part("secs")?
        .checked_mul(1000)?
        .checked_add(nanos / 1_000_000)
}

fn seconds(value: &Value) -> Option<u64> {
    match value {
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

    #[test]
    fn exit_codes_of_three_years() {
        let failed = |text: &str| told(text).failed;
        assert_eq!(
            failed(r#"{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.25}}"#),
            Some(true)
        );
        assert_eq!(
            told(r#"{"output":"x","metadata":{"exit_code":0,"duration_seconds":0.25}}"#)
                .duration_ms,
            Some(250)
        );
        assert_eq!(
            failed("Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nx"),
            Some(true)
        );
        assert_eq!(failed("Exit code: 0\nOutput:\nExit code: 3"), Some(false));
        assert_eq!(failed("Wall time: 0.1 seconds\nOutput:\na"), None);
        assert_eq!(
            told("Wall time: 0.1 seconds\nOutput:\na").duration_ms,
            Some(100)
        );
    }
}
