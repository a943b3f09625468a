//! What a command answered, and whether it failed: there is no uniform mark (`formats/codex.md`).

use crate::step::frame::Frame;
use crate::value::Value;

/// What an output tells besides its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Whether the call failed; `None` where nothing tells.
    pub failed: Option<bool>,
    pub duration_ms: Option<u64>,
    /// Whether a person refused the call, so that nothing ran.
    pub refused: bool,
    /// Whether a header stands before what the command wrote.
    pub framed: bool,
}

/// What stands in the place of the output of a call that a person refused.
const REFUSALS: [&str; 3] = [
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
];

/// Reads an output's text.
pub(super) fn told(text: &str) -> Told {
    let frame = Frame::read(text);
    Told {
        failed: frame.exit_code.map(|code| code != 0),
        duration_ms: frame.duration_ms,
        refused: REFUSALS.contains(&text.trim()),
        framed: frame.output.is_some(),
    }
}

/// A duration as `{secs, nanos}` in milliseconds.
pub(super) fn duration(value: &Value) -> Option<u64> {
    let part = |name: &str| value.get(name).and_then(Value::as_count);
    let nanos = part("nanos").unwrap_or_default();
    part("secs")?
        .checked_mul(1000)?
        .checked_add(nanos / 1_000_000)
}
