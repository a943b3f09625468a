//! Times as traces write them: ISO 8601, seconds or nanoseconds since 1970.

use std::sync::Arc;

use crate::calendar::{iso_ms, iso_of_ms};
use crate::value::Value;

/// Milliseconds since 1970 of a value: ISO 8601, or seconds.
pub(in crate::load) fn millis(value: &Value) -> Option<i64> {
    match value {
        Value::Str(text) => iso_ms(text),
        Value::Int(seconds) => seconds.checked_mul(1000),
        // Far below 2^53 ms, so nothing is lost.
        #[allow(clippy::cast_possible_truncation)]
        Value::Float(seconds) if (0.0..9e12).contains(seconds) => Some((seconds * 1000.0) as i64),
        _ => None,
    }
}

/// The time under a name, as ISO 8601.
pub(in crate::load) fn stamp(record: &Value, name: &str) -> Option<Arc<str>> {
    match record.get_some(name)? {
        Value::Str(text) => Some(Arc::clone(text)),
        other => millis(other).and_then(iso_of_ms).map(Into::into),
    }
}

/// Milliseconds from one time to another; none where the end is before the start.
pub(in crate::load) fn between(start: Option<i64>, end: Option<i64>) -> Option<u64> {
    u64::try_from(end?.checked_sub(start?)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_passes_backwards() {
        assert_eq!(between(Some(5), Some(3)), None);
    }
}
