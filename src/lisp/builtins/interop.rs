//! What programs write as if Java were there: methods of texts, dates and instants.

use std::fmt::Write as _;

use super::args::{string, type_error};
use super::higher::number;
use super::strings::index_of;
use super::{Builtin, row};
use crate::calendar;
use crate::lisp::error::Res;
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    row(
        ".contains",
        2,
        2,
        "Whether a text has another in it.",
        |_, a| {
            let (text, part) = (string(".contains", &a, 0)?, string(".contains", &a, 1)?);
            Ok(Value::Bool(text.contains(&**part)))
        },
    ),
    row(
        ".startsWith",
        2,
        2,
        "Whether a text begins with another.",
        |_, a| {
            let (text, part) = (string(".startsWith", &a, 0)?, string(".startsWith", &a, 1)?);
            Ok(Value::Bool(text.starts_with(&**part)))
        },
    ),
    row(
        ".endsWith",
        2,
        2,
        "Whether a text ends with another.",
        |_, a| {
            let (text, part) = (string(".endsWith", &a, 0)?, string(".endsWith", &a, 1)?);
            Ok(Value::Bool(text.ends_with(&**part)))
        },
    ),
    row(
        ".indexOf",
        2,
        3,
        "Where a text first has another, or -1.",
        |_, a| {
            Ok(match index_of(".indexOf", &a)? {
                Value::Nil => Value::Int(-1),
                found => found,
            })
        },
    ),
    row(
        ".lastIndexOf",
        2,
        2,
        "Where a text last has another, or -1.",
        |_, a| {
            let (text, part) = (
                string(".lastIndexOf", &a, 0)?,
                string(".lastIndexOf", &a, 1)?,
            );
            let found = text.rfind(&**part);
            Ok(found.map_or(Value::Int(-1), |at| {
                number(super::args::graphemes(&text[..at]).count())
            }))
        },
    ),
    row(".toUpperCase", 1, 1, "A text in capitals.", |m, a| {
        m.text(string(".toUpperCase", &a, 0)?.to_uppercase())
    }),
    row(".toLowerCase", 1, 1, "A text in small letters.", |m, a| {
        m.text(string(".toLowerCase", &a, 0)?.to_lowercase())
    }),
    row(
        ".trim",
        1,
        1,
        "A text without space at its ends.",
        |m, a| m.text(string(".trim", &a, 0)?.trim()),
    ),
    row(
        ".length",
        1,
        1,
        "How many characters a text has.",
        |_, a| {
            Ok(number(
                super::args::graphemes(string(".length", &a, 0)?).count(),
            ))
        },
    ),
    row(
        "LocalDate/parse",
        1,
        1,
        "The date that a text writes as 2026-01-31.",
        |_, a| match a[0].as_str().filter(|text| days(text).is_some()) {
            Some(text) => Ok(Value::Date(text.into())),
            None => type_error("LocalDate/parse", &a),
        },
    ),
    row(
        "Date.",
        1,
        1,
        "The instant of a text, or of seconds or milliseconds.",
        |_, a| {
            let millis = match &a[0] {
                // As in the reference: small numbers are seconds.
                Value::Int(seconds) if seconds.unsigned_abs() < 1_000_000_000_000 => {
                    seconds.checked_mul(1000)
                }
                Value::Int(millis) => Some(*millis),
                Value::Str(text) if text.len() > 10 && !has_offset(text) => mail_date(text),
                Value::Str(text) => instant(text).or_else(|| mail_date(text)),
                _ => None,
            };
            match millis.and_then(written) {
                Some(text) => Ok(Value::DateTime(text.into())),
                None => type_error("Date.", &a),
            }
        },
    ),
    row(
        ".getTime",
        1,
        1,
        "Milliseconds since 1970.",
        |_, a| match &a[0] {
            Value::DateTime(text) => {
                instant(text).map_or_else(|| type_error(".getTime", &a), |ms| Ok(Value::Int(ms)))
            }
            _ => type_error(".getTime", &a),
        },
    ),
    row(
        ".isBefore",
        2,
        2,
        "Whether a date is before another.",
        |_, a| before(".isBefore", &a, 0, 1),
    ),
    row(
        ".isAfter",
        2,
        2,
        "Whether a date is after another.",
        |_, a| before(".isAfter", &a, 1, 0),
    ),
];

const DAY: i64 = 86_400_000;

fn before(op: &str, args: &[Value], first: usize, second: usize) -> Res {
    let time = |at: usize| match &args[at] {
        Value::Date(text) | Value::DateTime(text) => instant(text),
        _ => None,
    };
    match (time(first), time(second)) {
        (Some(a), Some(b)) => Ok(Value::Bool(a < b)),
        _ => type_error(op, args),
    }
}

/// Days since 1970 of a date written as `2026-01-31`, if there is such a day.
fn days(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let part = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse::<i64>().ok())?
    };
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    Some(calendar::days(year, month, day))
}

/// Milliseconds since 1970 of a date, or a date with a time and perhaps an offset.
fn instant(text: &str) -> Option<i64> {
    let day = days(text.get(..10)?)?;
    let rest = &text[10..];
    if rest.is_empty() {
        return Some(day * DAY);
    }
    let time = rest.strip_prefix(['T', ' '])?;
    let (time, offset) = match time.strip_suffix('Z') {
        Some(time) => (time, 0),
        None => match time.rfind(['+', '-']) {
            Some(at) => (&time[..at], offset(&time[at..])?),
            None => (time, 0),
        },
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut parts = time.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    let fits = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
    if !fits || parts.next().is_some() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    Some(day * DAY + ((hour * 60 + minute) * 60 + second) * 1000 + millis - offset)
}

/// `+05:30`, `+0530` or `+05`.
fn offset(text: &str) -> Option<i64> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits = text[1..].replacen(':', "", 1);
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: i64 = digits.parse().ok()?;
    let minutes = if digits.len() == 2 {
        number * 60
    } else {
        number / 100 * 60 + number % 100
    };
    Some(sign * minutes * 60_000)
}

/// Whether a date with a time says how far it is from universal time.
fn has_offset(text: &str) -> bool {
    let time = text.get(10..).unwrap_or_default();
    time.ends_with('Z') || time.contains(['+', '-'])
}

/// A date as mails write it: `Wed, 8 Jan 2026 14:30:00 +0000`. As in the reference, the zone at its
/// end isn't looked at.
fn mail_date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let text = match text.split_once(',') {
        Some((day, rest)) if day.len() == 3 => rest.trim_start(),
        Some(_) => return None,
        None => text,
    };
    let mut words = text.split_ascii_whitespace();
    let day: i64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let year = words.next()?;
    let date = format!("{year}-{month:02}-{day:02}");
    instant(&format!("{date}T{}", words.next()?))
}

/// An instant as ISO 8601 text.
fn written(millis: i64) -> Option<String> {
    let days = millis.div_euclid(DAY);
    let of_day = millis.rem_euclid(DAY);
    let (year, month, day) = calendar::date(days);
    if !(0..=9999).contains(&year) {
        return None;
    }
    let (hour, minute, second) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1000 % 60);
    let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if of_day % 1000 != 0 {
        // Writing into a text can't fail.
        let _ = write!(text, ".{:03}", of_day % 1000);
    }
    text.push('Z');
    Some(text)
}
