//! JSON text that may be printed to a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::is_unsafe;

/// Escapes what serde_json leaves as it is and a terminal would obey (DEL, C1, reordering marks).
/// The JSON means the same: such characters only occur inside its strings.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    let harmless = |c: char| c < '\u{7f}' || !is_unsafe(c);
    if json.chars().all(harmless) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if harmless(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meaning_stays() {
        let text = "\u{1b}]0;x\u{9c} \u{202e} \u{e0041} \u{7f} ok";
        let json = serde_json::to_string(text).expect("a string");
        let safe = escape_json(&json);
        assert!(!safe.chars().any(is_unsafe));
        let back: String = serde_json::from_str(&safe).expect("JSON");
        assert_eq!(back, text);
    }
}
