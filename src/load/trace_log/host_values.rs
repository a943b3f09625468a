//! Values as a TraceLog's writer leaves them (`formats/ptc-trace-log.md`): it knows no keywords, sets,
//! dates or functions, and cuts what is large. [`decode`] gives back what can be told for certain;
//! the rest stays what plain JSON says.

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::value::{CutValue, Function, Map, Set, Value};

/// Items or keys above which the writer puts a note in the place of a list or a map.
const CUT_ABOVE: u64 = 100;

/// Bytes above which the writer keeps the beginning of a string only.
const CUT_STRING_ABOVE: u64 = 64 << 10;

/// Characters that are left of a cut string.
const KEPT_CHARACTERS: usize = 200;

/// A value of a log, with functions, sets, dates and what was cut recognised.
pub(super) fn decode(value: &Value) -> Value {
    match value {
        Value::Str(text) => cut(text).unwrap_or_else(|| value.clone()),
        Value::List(items) => {
            function(items).unwrap_or_else(|| Value::list(items.iter().map(decode).collect()))
        }
        Value::Map(entries) => binary(entries)
            .or_else(|| set(entries))
            .or_else(|| date(entries))
            .unwrap_or_else(|| Value::map(decode_entries(entries))),
        other => other.clone(),
    }
}

/// The entries of a map, decoded; what they are together is not asked.
pub(super) fn decode_entries(entries: &Map) -> Map {
    let decoded = entries.iter().map(|(key, value)| {
        // Keys are never cut.
        (key.clone(), decode(value))
    });
    decoded.collect()
}

/// Whether a text is what the writer left of a longer one.
pub(super) fn is_cut_text(text: &str) -> bool {
    is_cut_string(text)
}

/// The writer's note for a list that it cut, and nothing else.
pub(super) fn is_cut_list(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| noted(text, "List(", " items)").is_some())
}

/// The writer's note for a map that it cut, and nothing else.
pub(super) fn is_cut_map(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| noted(text, "Map(", " keys)").is_some())
}

fn cut(text: &Arc<str>) -> Option<Value> {
    let label = if let Some(count) = noted(text, "List(", " items)") {
        format!("list[{count}]")
    } else if let Some(count) = noted(text, "Map(", " keys)") {
        format!("map[{count}]")
    } else if is_cut_string(text) {
        "string".to_owned()
    } else {
        return None;
    };
    Some(left(Arc::clone(text), label))
}

fn left(note: impl Into<Arc<str>>, label: impl Into<Arc<str>>) -> Value {
    Value::Cut(Arc::new(CutValue::new(note, label)))
}

/// The count in a note. Only counts that the writer cuts at are notes of its own.
fn noted(text: &str, before: &str, after: &str) -> Option<u64> {
    let digits = text.strip_prefix(before)?.strip_suffix(after)?;
    decimal(digits).filter(|count| *count > CUT_ABOVE)
}

/// A number as a writer prints it: digits alone, no zero in front.
fn decimal(digits: &str) -> Option<u64> {
    let plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

fn is_cut_string(text: &str) -> bool {
    let told = || {
        let body = text.strip_suffix(" bytes total]")?;
        let digits = body.rfind(' ').map(|at| &body[at + 1..])?;
        let kept = body
            .strip_suffix(digits)?
            .strip_suffix("...\n\n[String truncated — ")?;
        Some((kept, decimal(digits)?))
    };
    told().is_some_and(|(kept, bytes)| {
        bytes > CUT_STRING_ABOVE && kept.graphemes(true).count() == KEPT_CHARACTERS
    })
}

/// `{"__binary__": true, "size": N}`.
fn binary(entries: &Map) -> Option<Value> {
    if entries.len() != 2 || entry(entries, "__binary__")?.as_bool() != Some(true) {
        return None;
    }
    let size = entry(entries, "size")?.as_count()?;
    Some(left(
        format!("{{\"__binary__\": true, \"size\": {size}}}"),
        "string",
    ))
}

fn entry<'a>(entries: &'a Map, name: &str) -> Option<&'a Value> {
    entries.get(&Value::string(name))
}

/// `{"map": {ELEMENT: []}}`. The elements became texts; what they were isn't told.
fn set(entries: &Map) -> Option<Value> {
    if entries.len() != 1 {
        return None;
    }
    let elements = entry(entries, "map")?.as_map()?;
    let marked = |value: &Value| value.as_list().is_some_and(<[Value]>::is_empty);
    let all = elements.values().all(marked);
    all.then(|| Value::Set(Arc::new(elements.keys().cloned().collect::<Set>())))
}

/// A date, or a date with a time, as a map of its fields.
fn date(entries: &Map) -> Option<Value> {
    const DAY: usize = 4;
    const DAY_AND_TIME: usize = 8;
    const INSTANT: usize = 12;
    /// Seconds: sixteen hours are more than any zone is away.
    const FAR: i64 = 16 * 3600;
    if !matches!(entries.len(), DAY | DAY_AND_TIME | INSTANT)
        || entry(entries, "calendar")?.as_str()? != "Elixir.Calendar.ISO"
    {
        return None;
    }
    let number = |name: &str, range: std::ops::RangeInclusive<i64>| {
        let number = entry(entries, name)?.as_i64()?;
        range.contains(&number).then_some(number)
    };
    let (year, month) = (number("year", 0..=9999)?, number("month", 1..=12)?);
    let day = format!("{year:04}-{month:02}-{:02}", number("day", 1..=31)?);
    if entries.len() == DAY {
        return Some(Value::Date(day.into()));
    }
    let (hour, minute) = (number("hour", 0..=23)?, number("minute", 0..=59)?);
    let second = number("second", 0..=60)?;
    let fraction = fraction(entry(entries, "microsecond")?)?;
    let zone = if entries.len() == INSTANT {
        entry(entries, "time_zone")?.as_str()?;
        entry(entries, "zone_abbr")?.as_str()?;
        offset(number("utc_offset", -FAR..=FAR)? + number("std_offset", -FAR..=FAR)?)
    } else {
        String::new()
    };
    let text = format!("{day}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}");
    Some(Value::DateTime(text.into()))
}

/// `[MICROSECONDS, DIGITS]` as the digits behind the second.
fn fraction(value: &Value) -> Option<String> {
    let [microseconds, digits] = value.as_list()? else {
        return None;
    };
    let microseconds = microseconds.as_count().filter(|count| *count < 1_000_000)?;
    let digits = usize::try_from(digits.as_count()?).ok()?;
    let all = format!("{microseconds:06}");
    match digits {
        0 => Some(String::new()),
        1..=6 => Some(format!(".{}", &all[..digits])),
        _ => None,
    }
}

fn offset(seconds: i64) -> String {
    if seconds == 0 {
        return "Z".to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// `["closure", PARAMS, BODY, ENV, HISTORY]`, in newer logs with `{docstring, return_type}` behind.
fn function(items: &[Value]) -> Option<Value> {
    let (params, told) = match items {
        [tag, params, _, _, _] if tag.as_str() == Some("closure") => (params, None),
        [tag, params, _, _, _, told] if tag.as_str() == Some("closure") => {
            (params, Some(told.as_map()?))
        }
        _ => return None,
    };
    let mut function = Function::new(parameters(params)?);
    let text = |name| Some(entry(told?, name)?.as_str()?.into());
    function.doc = text("docstring");
    function.returns = text("return_type");
    Some(Value::Fn(Arc::new(function)))
}

fn parameters(value: &Value) -> Option<Vec<Arc<str>>> {
    let items = value.as_list()?;
    if let [tag, leading, rest] = items
        && tag.as_str() == Some("variadic")
    {
        let mut names = parameters(leading)?;
        names.push("&".into());
        names.push(parameter(rest)?);
        return Some(names);
    }
    items.iter().map(parameter).collect()
}

/// A parameter's name; a pattern that takes a value apart reads `_`.
fn parameter(value: &Value) -> Option<Arc<str>> {
    match value.as_list()? {
        [tag, Value::Str(name)] if tag.as_str() == Some("var") => Some(Arc::clone(name)),
        [tag, ..] if tag.as_str().is_some() => Some("_".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{json, type_label};

    fn read(text: &str) -> Value {
        decode(&json::parse(text.as_bytes()).expect("JSON").value)
    }

    fn note_and_label(value: &Value) -> (String, String) {
        let Value::Cut(left) = value else {
            panic!("{value:?} is not cut");
        };
        (left.note.to_string(), left.label.to_string())
    }

    #[test]
    fn notes_of_the_writer_are_cut_values() {
        let pair = |note: &str, label: &str| (note.to_owned(), label.to_owned());
        assert_eq!(
            note_and_label(&read(r#""List(120 items)""#)),
            pair("List(120 items)", "list[120]")
        );
        assert_eq!(
            note_and_label(&read(r#""Map(101 keys)""#)),
            pair("Map(101 keys)", "map[101]")
        );
        assert_eq!(
            note_and_label(&read(r#"{"__binary__": true, "size": 3}"#)),
            pair(r#"{"__binary__": true, "size": 3}"#, "string")
        );
        let long = format!(
            "{}...\n\n[String truncated — 70000 bytes total]",
            "é".repeat(200)
        );
        let value = decode(&Value::string(long.as_str()));
        assert_eq!(note_and_label(&value), pair(&long, "string"));
        assert_eq!(type_label(&value), "string");
    }

    #[test]
    fn what_only_resembles_a_note_stays_a_string() {
        for text in [
            "List(5 items)",
            "List(100 items)",
            "List(0120 items)",
            "List(120 items) ",
            "a List(120 items)",
            "Map(-120 keys)",
            "List(+120 items)",
            "List(120 keys)",
            "List( items)",
            "x...\n\n[String truncated — 70000 bytes total]",
        ] {
            assert_eq!(decode(&Value::string(text)), Value::string(text), "{text}");
        }
        let short = format!(
            "{}...\n\n[String truncated — 300 bytes total]",
            "x".repeat(200)
        );
        assert_eq!(
            decode(&Value::string(short.as_str())).as_str(),
            Some(short.as_str())
        );
    }

    #[test]
    fn functions_are_known_by_their_shape() {
        let Value::Fn(function) = read(
            r#"["closure",[["var","a"],["destructure",[]]],["call"],"Map(235 keys)",[null],
                {"docstring":"Adds","return_type":"integer"}]"#,
        ) else {
            panic!("no function");
        };
        let names: Vec<&str> = function.params.iter().map(AsRef::as_ref).collect();
        assert_eq!(names, ["a", "_"]);
        assert_eq!(function.doc.as_deref(), Some("Adds"));
        assert_eq!(function.returns.as_deref(), Some("integer"));
        let Value::Fn(older) =
            read(r#"["closure",["variadic",[["var","a"]],["var","more"]],["nil"],{},[]]"#)
        else {
            panic!("no function");
        };
        let names: Vec<&str> = older.params.iter().map(AsRef::as_ref).collect();
        assert_eq!(names, ["a", "&", "more"]);
        assert_eq!((&older.doc, &older.returns), (&None, &None));
        for other in [
            r#"["closure"]"#,
            r#"["closure",["x"],1,2,3]"#,
            r#"["closure",[["var","x"]],1,2,3,4]"#,
        ] {
            assert!(read(other).as_list().is_some(), "{other}");
        }
    }

    #[test]
    fn sets_and_dates_are_known_by_their_shape() {
        let Value::Set(items) = read(r#"{"map": {"a": [], "b": []}}"#) else {
            panic!("no set");
        };
        assert_eq!(items.len(), 2);
        assert!(read(r#"{"map": {"a": [], "b": [1]}}"#).as_map().is_some());
        assert!(read(r#"{"map": {"a": []}, "n": 1}"#).as_map().is_some());
        let day = r#"{"calendar":"Elixir.Calendar.ISO","day":1,"month":5,"year":2026}"#;
        assert_eq!(read(day), Value::Date("2026-05-01".into()));
        let time = r#""calendar":"Elixir.Calendar.ISO","day":1,"month":5,"year":2026,"hour":8,"minute":30,"second":0"#;
        let naive = format!("{{{time},\"microsecond\":[1500,3]}}");
        assert_eq!(
            read(&naive),
            Value::DateTime("2026-05-01T08:30:00.001".into())
        );
        let at = |offset: i64| {
            format!(
                "{{{time},\"microsecond\":[0,0],\"std_offset\":0,\"time_zone\":\"Etc/UTC\",\"utc_offset\":{offset},\"zone_abbr\":\"UTC\"}}"
            )
        };
        assert_eq!(read(&at(0)), Value::DateTime("2026-05-01T08:30:00Z".into()));
        assert_eq!(
            read(&at(-12600)),
            Value::DateTime("2026-05-01T08:30:00-03:30".into())
        );
        let wrong = day.replace("\"month\":5", "\"month\":13");
        assert!(read(&wrong).as_map().is_some());
    }
}
