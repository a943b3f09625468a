//! A look at a JSON document before it is read: its first items and keys, a few levels deep.
//!
//! Recognising a format must not cost a parse, and must work on documents that are cut, hold bare
//! `NaN` or bad bytes. So this reader forgives everything and keeps little.

use std::io::BufRead;

use crate::value::{Map, Value};

/// Levels that are kept.
const LEVELS: usize = 5;
/// Items of an array that are kept.
pub(in crate::load) const ITEMS: usize = 8;
/// Keys of an object that are kept.
const KEYS: usize = 100;
/// Bytes of a string that are kept.
const TEXT: usize = 4096;
/// Bytes of a word that are kept.
const WORD: usize = 64;

/// The beginning of a document, as far as it goes.
pub(in crate::load) fn sketch(text: &[u8]) -> Value {
    sketch_of(text, 0)
}

/// The beginning of a document that is read for it, as far as it goes and can be read; or of a value that
/// stands so deep in one.
pub(in crate::load) fn sketch_of(input: impl BufRead, level: usize) -> Value {
    let mut reader = Reader {
        input,
        is_over: false,
    };
    reader.value(level)
}

/// The sketch of a value that was read, or of its sketch, where it stands so deep in a document.
pub(in crate::load) fn of_value(value: &Value, level: usize) -> Value {
    match value {
        Value::Map(_) | Value::List(_) if level >= LEVELS => Value::Nil,
        Value::Map(entries) => {
            let entries = entries.iter().take(KEYS);
            let told = entries.map(|(key, value)| (key.clone(), of_value(value, level + 1)));
            Value::map(told.collect())
        }
        Value::List(items) => {
            let items = items.iter().take(ITEMS);
            Value::list(items.map(|item| of_value(item, level + 1)).collect())
        }
        Value::Str(text) if text.len() > TEXT => {
            let is_end = |end: &usize| text.is_char_boundary(*end);
            let end = (0..=TEXT).rev().find(is_end).unwrap_or(0);
            Value::string(&text[..end])
        }
        Value::Str(_) | Value::Int(_) | Value::Bool(_) => value.clone(),
        _ => Value::Nil,
    }
}

struct Reader<R> {
    input: R,
    /// Whether the rest tells nothing more.
    is_over: bool,
}

impl<R: BufRead> Reader<R> {
    /// What comes next, as much of it as is there at once; nothing at the end.
    fn rest(&mut self) -> &[u8] {
        if self.is_over {
            return &[];
        }
        self.input.fill_buf().unwrap_or_default()
    }

    fn peek(&mut self) -> Option<u8> {
        loop {
            let rest = self.rest();
            let is_space = |byte: &&u8| byte.is_ascii_whitespace() || **byte == 0;
            let spaces = rest.iter().take_while(is_space).count();
            let found = rest.get(spaces).copied();
            let is_end = rest.is_empty();
            self.input.consume(spaces);
            if found.is_some() || is_end {
                return found;
            }
        }
    }

    /// Passes over the byte that was looked at.
    fn pass(&mut self) {
        self.input.consume(1);
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
        self.pass();
        loop {
            match self.peek() {
                Some(b'"') => {}
                Some(b',') => {
                    self.pass();
                    continue;
                }
                Some(b'}') => {
                    self.pass();
                    break;
                }
                _ => break,
            }
            let key = self.string();
            if self.peek() != Some(b':') {
                break;
            }
            self.pass();
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
        self.pass();
        loop {
            match self.peek() {
                Some(b',') => self.pass(),
                Some(b']') => {
                    self.pass();
                    break;
                }
                None | Some(b'}' | b':') => break,
                Some(_) if items.len() < ITEMS => {
                    let value = self.value(level + 1);
                    items.push(value);
                }
                // The rest of the outermost array tells nothing more.
                Some(_) if level == 0 => {
                    self.is_over = true;
                    break;
                }
                Some(_) => self.skip(),
            }
        }
        Value::list(items)
    }

    fn string(&mut self) -> String {
        let mut kept = Vec::new();
        self.pass_string(|part| {
            let room = TEXT - kept.len();
            kept.extend_from_slice(&part[..part.len().min(room)]);
        });
        let kept = String::from_utf8_lossy(&kept);
        if kept.contains('\\') {
            let quoted = format!("\"{kept}\"");
            // A text that was cut inside an escape keeps its escapes.
            return serde_json::from_str(&quoted).unwrap_or_else(|_| kept.replace("\\n", "\n"));
        }
        kept.into_owned()
    }

    /// Passes over a text, and gives what stands in it part by part.
    fn pass_string(&mut self, mut take: impl FnMut(&[u8])) {
        self.pass();
        let mut is_escaped = false;
        loop {
            let rest = self.rest();
            let Some(first) = rest.first() else { return };
            if is_escaped {
                take(&[*first]);
                self.pass();
                is_escaped = false;
                continue;
            }
            let end = memchr::memchr2(b'"', b'\\', rest);
            let is_quote = end.is_some_and(|end| rest[end] == b'"');
            is_escaped = end.is_some() && !is_quote;
            let length = end.map_or(rest.len(), |end| end + 1);
            take(&rest[..length - usize::from(is_quote)]);
            self.input.consume(length);
            if is_quote {
                return;
            }
        }
    }

    /// A number or a word; whatever it is, reading goes on behind it.
    fn word(&mut self) -> Value {
        let mut word = Vec::new();
        loop {
            let rest = self.rest();
            let is_end = |byte: &u8| b",]}: \t\r\n\"{[".contains(byte);
            let end = rest.iter().position(is_end);
            // What ends a word and begins none is passed over by itself.
            let length = match end {
                Some(0) if word.is_empty() => 1,
                Some(end) => end,
                None => rest.len(),
            };
            let room = WORD - word.len();
            word.extend_from_slice(&rest[..length.min(room)]);
            let is_over = end.is_some() || rest.is_empty();
            self.input.consume(length);
            if is_over {
                break;
            }
        }
        match std::str::from_utf8(&word) {
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
                b'"' => self.pass_string(|_| {}),
                b'{' | b'[' => {
                    depth += 1;
                    self.pass();
                }
                b'}' | b']' if depth == 0 => return,
                b'}' | b']' => {
                    depth -= 1;
                    self.pass();
                }
                b',' | b':' if depth > 0 => self.pass(),
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
    use std::io::BufReader;

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

    /// A value as JSON, with so many more levels.
    fn value() -> impl Strategy<Value = serde_json::Value> {
        use serde_json::{Value as Json, json};
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Json::from),
            any::<i32>().prop_map(Json::from),
            Just(json!(1.5)),
            "[a-z\n\"é]{0,4}".prop_map(Json::from),
            (TEXT - 9..TEXT + 9).prop_map(|length| Json::from("x".repeat(length))),
        ];
        leaf.prop_recursive(7, 200, 12, |inner| {
            let entries = prop::collection::btree_map("[a-z]{0,2}", inner.clone(), 0..12);
            prop_oneof![
                prop::collection::vec(inner, 0..12).prop_map(Json::from),
                entries.prop_map(|entries| Json::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_was_read_tells_what_its_text_does(value in value(), level in 1..3usize) {
            let text = value.to_string();
            let read = crate::value::json::parse(text.as_bytes()).expect("it is JSON").value;
            let expected = sketch_of(text.as_bytes(), level);
            prop_assert_eq!(&of_value(&read, level), &expected);
            prop_assert_eq!(&of_value(&of_value(&read, 0), level), &expected);
        }

        #[test]
        fn any_bytes_are_survived(text in "[\\[\\]{}\",:0-9a\\\\ \u{e9}]{0,80}", size in 1..9usize) {
            let at_once = sketch(text.as_bytes());
            let in_parts = sketch_of(BufReader::with_capacity(size, text.as_bytes()), 0);
            prop_assert_eq!(at_once, in_parts);
        }
    }
}
