//! A look at a JSON document before it is read: its first items and keys, a few levels deep.
//!
//! Recognising a format must not cost a parse, and must work on documents that are cut, hold bare
//! `NaN` or bad bytes. So this reader forgives everything and keeps little.

use crate::value::{Map, Value};

/// Levels that are kept.
const LEVELS: usize = 5;
/// Items of an array that are kept.
const ITEMS: usize = 8;
/// Keys of an object that are kept.
const KEYS: usize = 100;
/// Bytes of a string that are kept.
const TEXT: usize = 4096;

/// The beginning of a document, as far as it goes.
pub(in crate::load) fn sketch(text: &[u8]) -> Value {
    let mut reader = Reader { text, at: 0 };
    reader.value(0)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.text.get(self.at) {
            if !byte.is_ascii_whitespace() && *byte != 0 {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn value(&mut self, level: usize) -> Value {
        match self.peek() {
            Some(b'{' | b'[') if level >= LEVELS => {
                self.skip();
                Value::Nil
            }
            Some(b'{') => self.object(level),
            Some(b'[') => self.array(level),
            Some(b'"') => Value::string(self.string()),
            Some(_) => self.word(),
            None => Value::Nil,
        }
    }

    fn object(&mut self, level: usize) -> Value {
        let mut map = Map::default();
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {}
                Some(b',') => {
                    self.at += 1;
                    continue;
                }
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                _ => break,
            }
            let key = self.string();
            if self.peek() != Some(b':') {
                break;
            }
            self.at += 1;
            if map.len() < KEYS {
                let value = self.value(level + 1);
                map.insert(Value::string(key), value);
            } else {
                self.skip();
            }
        }
        Value::map(map)
    }

    fn array(&mut self, level: usize) -> Value {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                None | Some(b'}' | b':') => break,
                Some(_) if items.len() < ITEMS => {
                    let value = self.value(level + 1);
                    items.push(value);
                }
                // The rest of the outermost array tells nothing more.
                Some(_) if level == 0 => {
                    self.at = self.text.len();
                    break;
                }
                Some(_) => self.skip(),
            }
        }
        Value::list(items)
    }

    fn string(&mut self) -> String {
        let start = self.at + 1;
        self.skip_string();
        let end = self.at.saturating_sub(1).clamp(start, start + TEXT);
        let kept = self.text.get(start..end.min(self.text.len()));
        let kept = String::from_utf8_lossy(kept.unwrap_or_default());
        if kept.contains('\\') {
            let quoted = format!("\"{kept}\"");
            // A text that was cut inside an escape keeps its escapes.
            return serde_json::from_str(&quoted).unwrap_or_else(|_| kept.replace("\\n", "\n"));
        }
        kept.into_owned()
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(found) =
            memchr::memchr2(b'"', b'\\', self.text.get(self.at..).unwrap_or(&[]))
        {
            self.at += found;
            if self.text[self.at] == b'"' {
                self.at += 1;
                return;
            }
            self.at += 2;
        }
        self.at = self.text.len();
    }

    /// A number or a word; whatever it is, reading goes on behind it.
    fn word(&mut self) -> Value {
        let rest = &self.text[self.at..];
        let end = rest
            .iter()
            .position(|byte| b",]}: \t\r\n\"{[".contains(byte))
            .unwrap_or(rest.len())
            .max(1);
        self.at += end;
        let word = rest.get(..end.min(64)).unwrap_or_default();
        match std::str::from_utf8(word) {
            Ok("true") => Value::Bool(true),
            Ok("false") => Value::Bool(false),
            Ok(word) => word.parse().map_or(Value::Nil, Value::Int),
            Err(_) => Value::Nil,
        }
    }

    /// Passes over a value without recursion.
    fn skip(&mut self) {
        let mut depth = 0usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => self.skip_string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth == 0 => return,
                b'}' | b']' => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => self.at += 1,
                b',' | b':' => return,
                _ => {
                    self.word();
                }
            }
            if depth == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Limits, to_clojure};
    use proptest::prelude::*;

    fn shown(text: &[u8]) -> String {
        to_clojure(&sketch(text), Limits::ALL).0
    }

    #[test]
    fn what_is_there_is_told() {
        assert_eq!(
            shown(br#" {"a":[1,{"b":NaN,"c":"x\n\"y"}],"d":{"e":{"f":{"g":{"h":1}}}},"z":true"#),
            "{\"a\" [1 {\"b\" nil \"c\" \"x\\n\\\"y\"}] \"d\" {\"e\" {\"f\" {\"g\" {\"h\" 1}}}} \"z\" true}"
        );
        assert_eq!(shown(b"[1,2,3,4,5,6,7,8,9,10]"), "[1 2 3 4 5 6 7 8]");
        assert_eq!(shown(b"{\"a\":{\"b"), "{\"a\" {}}");
        assert_eq!(shown(b"plain"), "nil");
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(text in "[\\[\\]{}\",:0-9a\\\\ \u{e9}]{0,80}") {
            let _ = sketch(text.as_bytes());
        }
    }
}
