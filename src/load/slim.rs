//! A record without its long texts: what tells which turn it belongs to, and what kind of record it
//! is, at a small part of the cost of reading it. The texts are read when somebody looks at the turn.

use memchr::{memchr, memchr2};

/// Bytes that stay of a text.
pub(super) const KEPT: usize = 256;

/// Puts a line of JSON into `out` with every longer text cut. False where the line is short anyway, or
/// where only a reader of all of it can tell what it says: it holds control characters, bytes that are
/// no UTF-8, an escape that is none, half a surrogate pair, or a text without an end.
pub(super) fn slim(line: &[u8], out: &mut Vec<u8>) -> bool {
    out.clear();
    if line.len() <= 2 * KEPT || line.chunks(BLOCK).any(has_control) {
        return false;
    }
    if simdutf8::basic::from_utf8(line).is_err() {
        return false;
    }
    let mut rest = line;
    while let Some(quote) = memchr(b'"', rest) {
        let (before, text) = rest.split_at(quote + 1);
        out.extend_from_slice(before);
        let Some((length, kept)) = text_of(text) else {
            return false;
        };
        let behind = &text[length..];
        // A key that is cut may be another one.
        if kept < length && behind.get(1) == Some(&b':') {
            return false;
        }
        out.extend_from_slice(&text[..kept]);
        out.push(b'"');
        rest = &behind[1..];
    }
    out.extend_from_slice(rest);
    true
}

/// Bytes that are looked through at once.
const BLOCK: usize = 4096;

fn has_control(block: &[u8]) -> bool {
    block.iter().copied().fold(u8::MAX, u8::min) < b' '
}

/// How long the text is that begins here, up to its quote, and how much of it stays.
fn text_of(text: &[u8]) -> Option<(usize, usize)> {
    let (mut at, mut kept) = (0, None);
    loop {
        let next = at + memchr2(b'"', b'\\', text.get(at..)?)?;
        if kept.is_none() && next >= KEPT {
            kept = Some(whole_characters(text));
        }
        if text[next] == b'"' {
            return Some((next, kept.unwrap_or(next).min(next)));
        }
        let end = next + escape(&text[next + 1..])? + 1;
        if kept.is_none() && end > KEPT {
            kept = Some(next);
        }
        at = end;
    }
}

/// Where the last whole character ends within what stays.
fn whole_characters(text: &[u8]) -> usize {
    let mut end = KEPT;
    while end > 0 && text[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    end
}

/// The length of what follows a backslash, where that is an escape of a whole character.
fn escape(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(1),
        b'u' => {
            let digits = text.get(1..5)?;
            let is_half = matches!(
                digits,
                [b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..]
            );
            (digits.iter().all(u8::is_ascii_hexdigit) && !is_half).then_some(5)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slimmed(line: &str) -> Option<serde_json::Value> {
        let mut out = Vec::new();
        slim(line.as_bytes(), &mut out).then(|| serde_json::from_slice(&out).expect("it is JSON"))
    }

    proptest! {
        #[test]
        fn the_structure_stays_and_texts_keep_their_beginnings(
            text in "(\\PC|\n|\"|\\\\){0,600}",
            more in proptest::collection::vec("[a-zé€😀\"\\\\\t]{0,300}", 0..4),
        ) {
            let whole = serde_json::json!({"key": text, "list": more, "n": [1, null, {"a": true}]});
            let line = whole.to_string();
            let Some(short) = slimmed(&line) else {
                // Only what is short, for nothing is wrong with it.
                prop_assert!(line.len() <= 2 * KEPT);
                return Ok(());
            };
            prop_assert_eq!(&short["n"], &whole["n"]);
            let texts = std::iter::once((&short["key"], &whole["key"]))
                .chain(short["list"].as_array().into_iter().flatten().zip(
                    whole["list"].as_array().into_iter().flatten()));
            for (short, whole) in texts {
                let (short, whole) = (short.as_str().expect("a text"), whole.as_str().expect("a text"));
                prop_assert!(whole.starts_with(short));
                prop_assert!(short == whole || short.len() > KEPT / 3, "{}", short.len());
            }
        }
    }

    #[test]
    fn what_only_a_reader_of_all_can_tell_is_left_to_it() {
        let long = "x".repeat(3 * KEPT);
        assert!(slimmed(&format!(r#"{{"a":"{long}"}}"#)).is_some());
        for wrong in [
            format!(r#"{{"{long}":1}}"#),
            format!(r#"{{"a":"{long}\ud83d"}}"#),
            format!(r#"{{"a":"{long}\q"}}"#),
            format!(r#"{{"a":"{long}\u12"}}"#),
            format!("{{\"a\":\"{long}\0\"}}"),
            format!(r#"{{"a":"{long}"#),
            format!(r#"{{"a":"{long}\"#),
        ] {
            assert!(slimmed(&wrong).is_none(), "{wrong}");
        }
        let mut bytes = format!(r#"{{"a":"{long}"}}"#).into_bytes();
        bytes[3 * KEPT] = 0xff;
        assert!(!slim(&bytes, &mut Vec::new()));
    }
}
