//! What the loaders of other tools' traces have in common: looking at a document before it is read
//! ([`sketch`]), reading it whole ([`document`]), texts and counts in it ([`blocks`]), times
//! ([`clock`]), and putting turns, calls and results together ([`run`]).

pub(super) mod blocks;
pub(super) mod clock;
pub(super) mod run;
pub(super) mod sketch;

use super::{Report, Source, salvage};
use crate::error::Error;
use crate::value::{Value, json};

/// Reads a source that is one JSON document. What is missing in it is damage; a character that was
/// replaced is a note.
///
/// # Errors
/// Where it is no JSON at all.
pub(super) fn document(
    source: &Source,
    report: &mut Report,
    parse: salvage::Parse,
) -> Result<Value, Error> {
    read(source.bytes(), report, parse).map_err(|error| Error::NotJson {
        name: source.name().to_owned(),
        why: error.to_string(),
    })
}

/// Reads a text as [`document`] does.
///
/// # Errors
/// Where it is no JSON at all.
pub(super) fn read(
    text: &[u8],
    report: &mut Report,
    parse: salvage::Parse,
) -> Result<Value, serde_json::Error> {
    let read = salvage::read(text, parse)?;
    for wrong in read.wrong {
        if wrong.incomplete {
            report.damage(Some(wrong.line), wrong.what);
        } else {
            report.note(wrong.what);
        }
    }
    if read.parsed.too_deep > 0 {
        report.note("values that are nested too deep are not read");
    }
    Ok(read.parsed.value)
}

/// The error for a document that was recognised and holds nothing.
pub(super) fn nothing(source: &Source, what: &str) -> Error {
    Error::Unreadable {
        name: source.name().to_owned(),
        what: what.to_owned(),
    }
}

/// A value inside a text that is JSON, or inside the value itself; anything else is none.
pub(super) fn unwrapped(value: &Value) -> Option<Value> {
    match value {
        Value::Str(text) if text.trim_start().starts_with(['{', '[']) => {
            json::parse(text.as_bytes()).ok().map(|parsed| parsed.value)
        }
        Value::Map(_) | Value::List(_) => Some(value.clone()),
        _ => None,
    }
}

/// Arguments of a call: a map, or a text that is one; a text that is none stands as it is.
pub(super) fn arguments(value: Option<&Value>) -> Value {
    value.map_or(Value::Nil, |value| {
        blocks::without_images(&unwrapped(value).unwrap_or_else(|| value.clone()))
    })
}
