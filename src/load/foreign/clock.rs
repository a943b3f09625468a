//! Times as traces write them: ISO 8601, seconds or nanoseconds since 1970.

use std::sync::Arc;

use crate::value::Value;

/// Milliseconds since 1970 of an ISO 8601 time; a time without a zone is taken as UTC, since only
/// differences within a file are looked at.
pub(in crate::load) fn iso(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let rest = text.get(19..)?;
    let digits = rest.strip_prefix('.').unwrap_or_default();
    let fraction: String = digits
        .chars()
        .take_while(char::is_ascii_digit)
        .chain("000".chars())
        .take(3)
        .collect();
    let zone = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let offset = match zone.split_at_checked(1) {
        Some((sign @ ("+" | "-"), time)) => {
            let hours = time.get(..2)?.parse::<i64>().ok()?;
            let minutes = time.trim_start_matches(|c: char| c != ':').get(1..3);
            let minutes = minutes.and_then(|m| m.parse::<i64>().ok()).unwrap_or(0);
            (hours * 60 + minutes) * if sign == "+" { 1 } else { -1 }
        }
        _ => 0,
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
    Some(seconds * 1000 + fraction.parse::<i64>().ok()?)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// ISO 8601 of milliseconds since 1970.
pub(in crate::load) fn from_millis(millis: i64) -> Arc<str> {
    let (seconds, fraction) = (millis.div_euclid(1000), millis.rem_euclid(1000));
    let (day, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted - era * 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z")
        .into()
}

/// Milliseconds since 1970 of a value: ISO 8601, or seconds.
pub(in crate::load) fn millis(value: &Value) -> Option<i64> {
    match value {
        Value::Str(text) => iso(text),
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
        other => millis(other).map(from_millis),
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
    fn times_go_there_and_back() {
        assert_eq!(iso("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(iso("2024-02-29T12:30:15.5+01:00"), Some(1_709_206_215_500));
        assert_eq!(iso("2025-04-30T16:45:41.913899"), Some(1_746_031_541_913));
        assert_eq!(iso("soon"), None);
        assert_eq!(&*from_millis(1_709_206_215_500), "2024-02-29T11:30:15.500Z");
        assert_eq!(&*from_millis(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(between(Some(5), Some(3)), None);
    }
}
