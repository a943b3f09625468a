//! Contents of messages as foreign formats write them: a text, or a list of parts. Texts are joined,
//! pictures and other data become placeholders, what nobody knows stays as its JSON.

use std::sync::Arc;

use crate::value::json::Plain;
use crate::value::{Value, json};

/// A content as one text, a line end between two parts.
pub(super) fn text(content: &Value) -> Arc<str> {
    match content {
        Value::Str(text) => Arc::clone(text),
        Value::Nil => "".into(),
        Value::List(parts) => {
            let texts: Vec<Arc<str>> = parts.iter().map(part).collect();
            match texts.as_slice() {
                [one] => Arc::clone(one),
                more => more.join("\n").into(),
            }
        }
        other => part(other),
    }
}

/// The texts of a content, and what stands for its other parts.
pub(super) fn texts_and_others(content: &Value) -> (Vec<Arc<str>>, Vec<Arc<str>>) {
    let parts = match content {
        Value::List(parts) => parts.as_slice(),
        Value::Nil => &[],
        other => std::slice::from_ref(other),
    };
    let is_text = |value: &&Value| value.as_str().is_some() || plain_text(value).is_some();
    let (texts, others): (Vec<&Value>, Vec<&Value>) = parts.iter().partition(is_text);
    let shown = |values: Vec<&Value>| values.into_iter().map(part).collect();
    (shown(texts), shown(others))
}

/// What a tool answered: contents as text, other values as they are.
pub(super) fn result(content: &Value) -> Value {
    match content {
        Value::List(parts) if parts.iter().all(is_part) => Value::Str(text(content)),
        map @ Value::Map(_) if is_part(map) => Value::Str(part(map)),
        other => other.clone(),
    }
}

fn is_part(value: &Value) -> bool {
    value.as_str().is_some() || plain_text(value).is_some() || placeholder(value).is_some()
}

/// A part of a content as text.
pub(super) fn part(part: &Value) -> Arc<str> {
    match part {
        Value::Str(text) => return Arc::clone(text),
        Value::Nil => return "".into(),
        _ => {}
    }
    plain_text(part)
        .or_else(|| placeholder(part).map(Into::into))
        .unwrap_or_else(|| printed(part))
}

/// The text of a part that is one.
pub(super) fn plain_text(part: &Value) -> Option<Arc<str>> {
    let kind = part.get("type").and_then(Value::as_str);
    let names: &[&str] = match kind {
        Some("text" | "input_text" | "output_text" | "reasoning" | "summary_text") => {
            &["text", "value"]
        }
        Some("refusal") => &["refusal"],
        None => &["text"],
        Some(_) => return None,
    };
    let found = names.iter().find_map(|name| part.get_some(name));
    match found {
        Some(Value::Str(text)) => Some(Arc::clone(text)),
        _ => None,
    }
}

/// A value as its JSON.
pub(super) fn printed(value: &Value) -> Arc<str> {
    serde_json::to_string(&Plain(value))
        .unwrap_or_default()
        .into()
}

/// What stands for a picture or for other data.
pub(super) fn placeholder(part: &Value) -> Option<String> {
    let get = |value: &Value, name: &str| {
        value
            .get_some(name)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    if let Some(data) = part
        .get_some("inlineData")
        .or_else(|| part.get_some("inline_data"))
    {
        let kind = get(data, "mimeType").or_else(|| get(data, "mime_type"));
        return Some(of_data(kind.as_deref(), data.get("data")));
    }
    let Some(kind) = part.get("type").and_then(Value::as_str) else {
        return of_bedrock(part);
    };
    match kind {
        "tool_reference" => Some(format!("[tool: {}]", get(part, "tool_name")?)),
        "image" | "document" => {
            let Some(source) = part.get_some("source") else {
                return Some(of_url(
                    kind,
                    get(part, "url").or_else(|| get(part, "value")).as_deref(),
                ));
            };
            if let Some(url) = get(source, "url") {
                return Some(of_url(kind, Some(&url)));
            }
            // A document may be a text, or parts of its own.
            match get(source, "type").as_deref() {
                Some("text") => return get(source, "data"),
                Some("content") => {
                    return source
                        .get_some("content")
                        .map(|told| text(told).to_string());
                }
                _ => {}
            }
            let media = get(source, "media_type");
            Some(of_data(media.as_deref().or(Some(kind)), source.get("data")))
        }
        "image_url" | "input_image" | "video_url" | "audio_url" => {
            let told = part.get_some(kind).or_else(|| part.get_some("image_url"));
            let url = told.and_then(|told| {
                told.as_str()
                    .map(str::to_owned)
                    .or_else(|| get(told, "url"))
            });
            let what = kind.trim_start_matches("input_").trim_end_matches("_url");
            Some(of_url(
                what,
                url.as_deref().or(get(part, "value").as_deref()),
            ))
        }
        "video" | "audio" => Some(of_url(
            kind,
            get(part, "url").or_else(|| get(part, "value")).as_deref(),
        )),
        "input_audio" => {
            let audio = part.get_some("input_audio")?;
            let format = get(audio, "format").unwrap_or_else(|| "data".to_owned());
            Some(of_data(Some(&format!("audio/{format}")), audio.get("data")))
        }
        "file" | "input_file" => {
            let file = part.get_some("file").unwrap_or(part);
            let name = get(file, "filename");
            let name = name.as_deref().unwrap_or("file");
            let Some(data) = get(file, "file_data") else {
                let place = get(file, "file_url").or_else(|| get(file, "file_id"))?;
                return Some(of_url(name, Some(&place)));
            };
            let data = data.rsplit(',').next().unwrap_or_default();
            Some(of_data(Some(name), Some(&Value::string(data))))
        }
        _ => None,
    }
}

/// What stands for a picture or other data as Bedrock writes them: `{"image": {format, source: {bytes}}}`.
fn of_bedrock(part: &Value) -> Option<String> {
    let mut kinds = ["image", "document", "video"].into_iter();
    let (kind, told) = kinds.find_map(|kind| Some((kind, part.get_some(kind)?)))?;
    let text = |value: &Value, name: &str| Some(value.get_some(name)?.as_str()?.to_owned());
    let source = told.get_some("source")?;
    let format = text(told, "format").map(|format| format!("{kind}/{format}"));
    if let Some(place) = source.get_some("s3Location") {
        return Some(of_url(kind, text(place, "uri").as_deref()));
    }
    if let Some(said) = text(source, "text") {
        return Some(said);
    }
    let bytes = source.get_some("bytes")?;
    Some(of_data(format.as_deref().or(Some(kind)), Some(bytes)))
}

/// What stands for data in base64.
pub(super) fn of_data(kind: Option<&str>, data: Option<&Value>) -> String {
    let kind = kind.unwrap_or("data");
    match data.and_then(Value::as_str) {
        Some(data) => format!("[{kind}, {}]", size(data.len() / 4 * 3 + data.len() % 4)),
        None => format!("[{kind}]"),
    }
}

fn of_url(kind: &str, url: Option<&str>) -> String {
    let Some(url) = url else {
        return format!("[{kind}]");
    };
    match url
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(','))
    {
        Some((head, data)) => {
            let media = head.split(';').next().filter(|media| !media.is_empty());
            let bytes = if head.ends_with("base64") {
                data.len() / 4 * 3
            } else {
                data.len()
            };
            format!("[{}, {}]", media.unwrap_or(kind), size(bytes))
        }
        None => format!("[{kind}: {url}]"),
    }
}

/// A size as people read it, such as `68 kB`.
fn size(bytes: usize) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{} kB", (bytes + 500) / 1000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// What a block of thinking says; a hidden one says that it is hidden.
pub(super) fn thinking(block: &Value) -> Option<Arc<str>> {
    // Some write a list of parts.
    let told = block.get_some("thinking").map(text);
    let text = told.filter(|text| !text.is_empty());
    let is_hidden = block.get("type").and_then(Value::as_str) == Some("redacted_thinking");
    text.or_else(|| is_hidden.then(|| "[redacted thinking]".into()))
}

/// Arguments that are written as a text of JSON, as far as they are some; else the text.
pub(super) fn arguments(told: &Value) -> Value {
    match told {
        Value::Str(text) => match json::parse(text.as_bytes()) {
            Ok(read) if read.value.as_map().is_some() => read.value,
            _ => told.clone(),
        },
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json_text: &str) -> String {
        let value = json::parse(json_text.as_bytes()).expect("JSON").value;
        text(&value).to_string()
    }

    #[test]
    fn data_becomes_a_placeholder() {
        let data = "A".repeat(90_000);
        let block = format!(
            r#"[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}]"#
        );
        assert_eq!(shown(&block), "[image/png, 68 kB]");
        let url = format!(
            r#"[{{"type":"text","text":"see"}},{{"type":"image_url","image_url":{{"url":"data:image/jpeg;base64,{data}"}}}}]"#
        );
        assert_eq!(shown(&url), "see\n[image/jpeg, 68 kB]");
        assert_eq!(
            shown(r#"[{"type":"image_url","image_url":{"url":"https://x/y.png"}}]"#),
            "[image: https://x/y.png]"
        );
    }

    #[test]
    fn a_file_is_told_by_its_name() {
        let file = r#"[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AAAAAAAA"}}]"#;
        assert_eq!(shown(file), "[a.pdf, 6 B]");
        let file = r#"[{"type":"input_file","file_id":"f1"}]"#;
        assert_eq!(shown(file), "[file: f1]");
        // Others call other things so.
        let other = r#"[{"type":"file","path":"x"}]"#;
        assert_eq!(shown(other), r#"{"type":"file","path":"x"}"#);
    }

    #[test]
    fn unknown_parts_stay_as_they_are() {
        assert_eq!(
            shown(r#"["a",{"type":"new","x":1}]"#),
            "a\n{\"type\":\"new\",\"x\":1}"
        );
        assert_eq!(shown("null"), "");
        assert_eq!(shown("[null]"), "");
    }
}
