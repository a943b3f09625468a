//! Texts, images and counts inside other tools' records.

use std::sync::Arc;

use crate::load::Report;
use crate::step::{Message, Role, Usage};
use crate::value::{Limits, Map, Value, to_clojure};

/// A content as one text: a string, or parts that are joined by line ends. Images and files become
/// placeholders (`formats/faults.md` 10).
pub(in crate::load) fn text(content: &Value) -> String {
    match content {
        Value::Nil => String::new(),
        Value::Str(text) => image_url(text).unwrap_or_else(|| text.to_string()),
        Value::List(parts) => {
            let texts = parts.iter().map(part).filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Map(_) => part(content),
        other => to_clojure(other, Limits::ALL).0,
    }
}

/// A part of a content.
fn part(part: &Value) -> String {
    if part.as_map().is_none() {
        return text(part);
    }
    if let Some(shown) = image(part) {
        return shown;
    }
    for name in ["text", "content", "reasoning", "thinking", "output_text"] {
        match part.get(name) {
            Some(Value::Str(found)) => {
                return image_url(found).unwrap_or_else(|| found.to_string());
            }
            Some(inner @ Value::List(_)) => return text(inner),
            _ => {}
        }
    }
    to_clojure(&without_images(part), Limits::ALL).0
}

/// The text under a name, where there is one.
pub(in crate::load) fn text_of(record: &Value, name: &str) -> Option<Arc<str>> {
    record.get_some(name).map(|value| text(value).into())
}

/// The placeholder of an image part: `{type: image, ..}` in the shapes that writers give it.
fn image(part: &Value) -> Option<String> {
    let kind = part.get("type").and_then(Value::as_str)?;
    let others = ["file", "blob", "audio", "video"];
    if !kind.contains("image") && !others.contains(&kind) {
        return None;
    }
    if let Some(shown) = part.get_some("image_urls").and_then(images) {
        return Some(shown);
    }
    let source = part.get_some("source").unwrap_or(part);
    // OpenInference nests it.
    let source = match source.get_some("image") {
        Some(inner @ Value::Map(_)) if inner.get("image").is_some() => inner,
        _ => source,
    };
    let media = ["media_type", "mime_type", "mimeType"]
        .iter()
        .find_map(|name| source.get(name).and_then(Value::as_str));
    let inner = |name: &str| match source.get_some(name) {
        Some(Value::Map(_)) => source.get(name)?.get("url").and_then(Value::as_str),
        found => found.and_then(Value::as_str),
    };
    for name in [
        "image_url",
        "image",
        "audio",
        "video",
        "url",
        "data",
        "content",
        "path",
        "uri",
        "file",
    ] {
        let Some(found) = inner(name) else { continue };
        if let Some(shown) = image_url(found) {
            return Some(shown);
        }
        let media = media.unwrap_or("image");
        let short = found.len() <= 300 && name != "data";
        return Some(if short {
            format!("[{media}, {found}]")
        } else {
            placeholder(media, found.len())
        });
    }
    None
}

/// The placeholders of a list of addresses of images, a line each; none where there are none.
pub(in crate::load) fn images(urls: &Value) -> Option<String> {
    let urls = urls.as_list()?.iter().filter_map(Value::as_str);
    let shown: Vec<String> = urls
        .map(|url| {
            let shown = image_url(url);
            shown.unwrap_or_else(|| format!("[image, {}]", shortened(url)))
        })
        .collect();
    (!shown.is_empty()).then(|| shown.join("\n"))
}

/// The beginning of an address.
fn shortened(url: &str) -> String {
    url.chars().take(300).collect()
}

/// The placeholder of a `data:` address.
fn image_url(text: &str) -> Option<String> {
    let (media, data) = text.strip_prefix("data:")?.split_once(";base64,")?;
    let is_media = media.len() < 100 && media.contains('/') && !media.contains(char::is_whitespace);
    is_media.then(|| placeholder(media, data.len()))
}

fn placeholder(media: &str, base64: usize) -> String {
    let bytes = base64 / 4 * 3;
    if bytes < 1000 {
        format!("[{media}, {bytes} B]")
    } else {
        format!("[{media}, {} kB]", (bytes + 500) / 1000)
    }
}

/// A value with its images replaced by placeholders.
pub(in crate::load) fn without_images(value: &Value) -> Value {
    match value {
        Value::Str(found) => image_url(found).map_or_else(|| value.clone(), Value::string),
        Value::List(items) if items.iter().any(holds_image) => {
            Value::list(items.iter().map(without_images).collect())
        }
        Value::Map(entries) if entries.values().any(holds_image) => {
            let entries = entries.iter();
            let map: Map = entries
                .map(|(key, value)| (key.clone(), without_images(value)))
                .collect();
            Value::map(map)
        }
        other => other.clone(),
    }
}

fn holds_image(value: &Value) -> bool {
    match value {
        Value::Str(text) => text.starts_with("data:"),
        Value::List(items) => items.iter().any(holds_image),
        Value::Map(entries) => entries.values().any(holds_image),
        _ => false,
    }
}

/// A count under one of several names. One that is negative, no whole number or over 2^63-1 is not
/// recorded, which the report says (`formats/README.md`).
pub(in crate::load) fn count(record: &Value, names: &[&str], report: &mut Report) -> Option<u64> {
    let (name, value) = names
        .iter()
        .find_map(|name| Some((name, record.get_some(name)?)))?;
    let found = number(value);
    if found.is_none() {
        let shown = to_clojure(value, Limits::ALL).0;
        let shown: String = shown.chars().take(40).collect();
        report.note(format!("{name} {shown} is no count: not recorded"));
    }
    found
}

/// A value as a count: `1.5e3` is 1500, and so is `"1500"`.
pub(in crate::load) fn number(value: &Value) -> Option<u64> {
    match value {
        // Whole and below 2^53, so nothing is lost.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Value::Float(number) if number.fract() == 0.0 && (0.0..9e15).contains(number) => {
            Some(*number as u64)
        }
        Value::Str(text) => text.parse::<i64>().ok().and_then(|n| u64::try_from(n).ok()),
        other => other.as_count(),
    }
}

/// Token usage by the names that writers give its parts; see [`count`].
pub(in crate::load) fn usage(record: &Value, report: &mut Report) -> Usage {
    let details = ["prompt_tokens_details", "input_tokens_details"];
    let details = details.iter().find_map(|name| record.get_some(name));
    let inner = |report: &mut Report| count(details?, &["cached_tokens"], report);
    let cached = &[
        "cached_tokens",
        "cache_read_tokens",
        "input_tokens_cache_read",
    ];
    let written = &["cache_write_tokens", "input_tokens_cache_write"];
    Usage {
        input: count(record, &["prompt_tokens", "input_tokens", "input"], report),
        output: count(
            record,
            &["completion_tokens", "output_tokens", "output"],
            report,
        ),
        total: count(record, &["total_tokens", "total"], report),
        cache_read: count(record, cached, report).or_else(|| inner(report)),
        cache_write: count(record, written, report),
    }
}

/// Usage whose input is the whole prompt: where the total shows that cached tokens were counted beside
/// the input, they are added to it.
pub(in crate::load) fn with_cached_beside(mut usage: Usage, cached: Option<u64>) -> Usage {
    let beside = |cached: u64| {
        let input = usage.input?.checked_add(cached)?;
        (cached > 0 && input.checked_add(usage.output?)? == usage.total?).then_some(input)
    };
    usage.input = cached.and_then(beside).or(usage.input);
    usage
}

/// Messages as sent: a list of `{role, content}` with whatever content; unknown roles are told as
/// what a person's turn would be.
pub(in crate::load) fn messages(items: &[Value]) -> Vec<Message> {
    let message = |item: &Value| {
        let role = item.get("role").and_then(Value::as_name)?;
        let role = match role {
            "tool-call" => Role::Assistant,
            "tool-response" => Role::Tool,
            other => Role::from_name(other).unwrap_or(Role::User),
        };
        Some(Message::new(role, text(item.get("content")?)))
    };
    items.iter().filter_map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn of(json: &str) -> Value {
        json::parse(json.as_bytes()).expect("JSON").value
    }

    #[test]
    fn images_become_placeholders() {
        let data = "A".repeat(90_668);
        for shape in [
            format!(r#"[{{"type":"image","image":"data:image/png;base64,{data}"}}]"#),
            format!(
                r#"[{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{data}"}}}}]"#
            ),
            format!(
                r#"[{{"type":"image","source":{{"media_type":"image/png","data":"{data}"}}}}]"#
            ),
            format!(r#""data:image/png;base64,{data}""#),
            format!(r#"[{{"type":"image","image_urls":["data:image/png;base64,{data}"]}}]"#),
            format!(
                r#"[{{"type":"image","image":{{"image":{{"url":"data:image/png;base64,{data}"}}}}}}]"#
            ),
        ] {
            assert_eq!(text(&of(&shape)), "[image/png, 68 kB]");
        }
        let path = r#"[{"type":"image","source":{"media_type":"image/png","path":"a.png"}}]"#;
        assert_eq!(text(&of(path)), "[image/png, a.png]");
        let sound = r#"[{"type":"audio","audio":"data:audio/wav;base64,AAAA","format":"wav"}]"#;
        assert_eq!(text(&of(sound)), "[audio/wav, 3 B]");
        let two =
            r#"[{"type":"image","image_urls":["https://a/b.png","data:image/png;base64,AAAA"]}]"#;
        assert_eq!(text(&of(two)), "[image, https://a/b.png]\n[image/png, 3 B]");
    }

    #[test]
    fn counts_that_are_none_are_told() {
        let mut report = Report::default();
        let usage = usage(
            &of(r#"{"prompt_tokens":1.5e3,"completion_tokens":-1,"total":"18446744073709551615"}"#),
            &mut report,
        );
        assert_eq!(
            (usage.input, usage.output, usage.total),
            (Some(1500), None, None)
        );
        assert_eq!(report.notes.len(), 2);
    }
}
