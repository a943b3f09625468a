//! The verbose Transit conventions by which step files carry what JSON can't (requirements 2).
//!
//! Reading what was written gives the same value. Plain JSON reads as itself, and a `~` form that
//! nobody knows stays a string.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::json::{self, Dialect, Parsed};
use super::{CutValue, Function, Map, Set, Value};

/// Reads one JSON document with the Transit conventions.
///
/// # Errors
/// The syntax error of serde_json, with line and column.
pub fn parse(text: &[u8]) -> Result<Parsed, serde_json::Error> {
    json::parse_as(text, Dialect::Transit)
}

/// The value that a JSON string stands for.
pub(crate) fn decode_string(text: &str) -> Value {
    let Some(rest) = text.strip_prefix('~') else {
        return Value::string(text);
    };
    let mut chars = rest.chars();
    let known = match chars.next() {
        Some(':') => Some(Value::keyword(chars.as_str())),
        Some('~' | '^' | '`') => Some(Value::string(rest)),
        Some('n') => integer(chars.as_str()),
        Some('z') => match chars.as_str() {
            "NaN" => Some(Value::Float(f64::NAN)),
            "INF" => Some(Value::Float(f64::INFINITY)),
            "-INF" => Some(Value::Float(f64::NEG_INFINITY)),
            _ => None,
        },
        Some('t') => date(chars.as_str()),
        _ => None,
    };
    known.unwrap_or_else(|| Value::string(text))
}

fn integer(digits: &str) -> Option<Value> {
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Value::from_digits(digits)
}

/// A date or an instant, if the text has the shape of one: `2026-01-02`, then perhaps `T` or a
/// space and a time.
fn date(text: &str) -> Option<Value> {
    let day = text.get(..10)?;
    let shaped = day.bytes().enumerate().all(|(index, byte)| match index {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    if !shaped {
        return None;
    }
    let time = &text[10..];
    if time.is_empty() {
        return Some(Value::Date(text.into()));
    }
    let rest = time.strip_prefix(['T', ' '])?;
    let timed = !rest.is_empty()
        && rest
            .bytes()
            .all(|b| b.is_ascii_digit() || b":.+-Z".contains(&b));
    timed.then(|| Value::DateTime(text.into()))
}

/// The value that a map of one tagged entry stands for; an unknown or malformed tag stays a map.
pub(crate) fn decode_tagged(tag: &str, map: Map) -> Value {
    let known = map.first().and_then(|(_, content)| match tag {
        "~#set" => {
            let items = content.as_list()?;
            Some(Value::Set(Arc::new(items.iter().cloned().collect::<Set>())))
        }
        "~#cmap" => {
            let items = content.as_list()?;
            (items.len() % 2 == 0).then(|| {
                let pairs = items.chunks_exact(2);
                Value::map(pairs.map(|p| (p[0].clone(), p[1].clone())).collect())
            })
        }
        "~#tuple" => Some(Value::Tuple(Arc::new(content.as_list()?.to_vec()))),
        "~#bytes" => {
            let bytes = BASE64.decode(content.as_str()?).ok()?;
            Some(Value::Bytes(bytes.into()))
        }
        "~#var" => match content {
            Value::Str(name) => Some(Value::Var(Arc::clone(name))),
            _ => None,
        },
        "~#builtin" => match content {
            Value::Str(name) => Some(Value::Builtin(Some(Arc::clone(name)))),
            Value::Nil => Some(Value::Builtin(None)),
            _ => None,
        },
        "~#cut" => {
            let text = |name| content.get(name).and_then(Value::as_str);
            let left = CutValue::new(text("note")?, text("label")?);
            Some(Value::Cut(Arc::new(left)))
        }
        "~#fn" => Some(Value::Fn(Arc::new(function(content)?))),
        _ => None,
    });
    known.unwrap_or_else(|| Value::map(map))
}

fn function(content: &Value) -> Option<Function> {
    content.as_map()?;
    let text = |name: &str| match content.get(name) {
        Some(Value::Str(text)) => Some(Arc::clone(text)),
        _ => None,
    };
    let params = content.get("params").and_then(Value::as_list);
    Some(Function {
        params: params
            .unwrap_or_default()
            .iter()
            // A destructured parameter has no name of its own.
            .map(|param| match param {
                Value::Str(name) => Arc::clone(name),
                _ => "_".into(),
            })
            .collect(),
        doc: text("doc"),
        returns: text("returns"),
        source: text("source"),
        ..Function::default()
    })
}

/// A value written by the conventions; serialize it with serde_json.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs)] // a wrapper
pub struct Transit<'a>(pub &'a Value);

impl Serialize for Transit<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Nil => serializer.serialize_unit(),
            Value::Bool(flag) => serializer.serialize_bool(*flag),
            Value::Int(number) => serializer.serialize_i64(*number),
            Value::BigInt(number) => serializer.serialize_str(&format!("~n{number}")),
            Value::Float(number) if number.is_nan() => serializer.serialize_str("~zNaN"),
            Value::Float(number) if number.is_infinite() => {
                serializer.serialize_str(if *number > 0.0 { "~zINF" } else { "~z-INF" })
            }
            Value::Float(number) => serializer.serialize_f64(*number),
            Value::Str(_) | Value::Keyword(_) => serializer.serialize_str(&key_text(self.0)),
            Value::Date(text) | Value::DateTime(text) => {
                serializer.serialize_str(&format!("~t{text}"))
            }
            Value::List(items) => serializer.collect_seq(items.iter().map(Transit)),
            Value::Tuple(items) => tagged(serializer, "~#tuple", &List(items.iter())),
            Value::Set(items) => tagged(serializer, "~#set", &List(items.iter())),
            Value::Bytes(bytes) => tagged(serializer, "~#bytes", &BASE64.encode(bytes)),
            Value::Var(name) => tagged(serializer, "~#var", &escaped(name)),
            Value::Builtin(name) => tagged(serializer, "~#builtin", &name.as_deref().map(escaped)),
            Value::Cut(left) => {
                // Not Transit's: what a writer cut must not become a string of the program's.
                let body = [
                    ("note", escaped(&left.note)),
                    ("label", escaped(&left.label)),
                ];
                tagged(serializer, "~#cut", &BTreeMap::from(body))
            }
            Value::Fn(function) => tagged(serializer, "~#fn", &FunctionBody(function)),
            Value::Map(entries) if entries.keys().all(|key| key.as_name().is_some()) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries.iter() {
                    map.serialize_entry(&key_text(key), &Transit(value))?;
                }
                map.end()
            }
            Value::Map(entries) => {
                let flat = entries.iter().flat_map(|(key, value)| [key, value]);
                tagged(serializer, "~#cmap", &List(flat))
            }
        }
    }
}

/// The JSON text of a string or keyword, as a value and as a key.
fn key_text(key: &Value) -> String {
    match key {
        Value::Keyword(name) => format!("~:{name}"),
        Value::Str(text) => escaped(text),
        _ => String::new(),
    }
}

fn escaped(text: &str) -> String {
    if text.starts_with(['~', '^', '`']) {
        format!("~{text}")
    } else {
        text.to_owned()
    }
}

fn tagged<S: Serializer>(
    serializer: S,
    tag: &str,
    content: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(tag, content)?;
    map.end()
}

struct List<I>(I);

impl<'a, I: Iterator<Item = &'a Value> + Clone> Serialize for List<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone().map(Transit))
    }
}

struct FunctionBody<'a>(&'a Function);

impl Serialize for FunctionBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(function) = self;
        let params: Vec<String> = function.params.iter().map(|p| escaped(p)).collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("params", &params)?;
        map.serialize_entry("doc", &function.doc.as_deref().map(escaped))?;
        map.serialize_entry("returns", &function.returns.as_deref().map(escaped))?;
        if let Some(source) = &function.source {
            map.serialize_entry("source", &escaped(source))?;
        }
        map.end()
    }
}
