//! The keys of the object that a source is, which tell its format. Those of a large document stand
//! anywhere in it, so all of it is read, but for its long texts.

use std::io::{self, BufReader, Read};

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::bytes::Bytes;
use super::shorten::Shortener;

/// Bytes that are read at a time.
const BLOCK: usize = 256 << 10;

/// Bytes that stay of a text; no key that tells a format is longer.
const KEPT: usize = 256;

/// Keys that are looked at; no format has more.
const PROBED_KEYS: usize = 200;

/// The keys of the object a source begins with, read up to its end or to the first thing wrong.
pub(super) fn of(bytes: &Bytes) -> Vec<String> {
    let mut keys = Vec::new();
    let whole = {
        let mut reader = serde_json::Deserializer::from_slice(&bytes.head);
        reader.disable_recursion_limit();
        // An error ends the reading; the keys before it count.
        reader.deserialize_any(Keys(&mut keys)).is_ok()
    };
    if !whole && bytes.is_large() {
        keys.clear();
        let mut reader = serde_json::Deserializer::from_reader(WithoutTexts::new(bytes.reader()));
        reader.disable_recursion_limit();
        let _ = reader.deserialize_any(Keys(&mut keys));
    }
    keys
}

struct Keys<'a>(&'a mut Vec<String>);

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(key) = entries.next_key::<String>()? {
            if self.0.len() < PROBED_KEYS {
                self.0.push(key);
            }
            entries.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Ok(())
    }
}

/// Hands on what it reads of JSON with each longer text cut: whoever takes it byte by byte has little
/// to take.
struct WithoutTexts<R> {
    inner: R,
    block: Vec<u8>,
    short: Shortener,
    /// How much of what is short was handed on.
    at: usize,
}

impl<R: Read> WithoutTexts<R> {
    fn new(inner: R) -> BufReader<Self> {
        BufReader::new(Self {
            inner,
            block: vec![0; BLOCK],
            short: Shortener::new(KEPT),
            at: 0,
        })
    }
}

impl<R: Read> Read for WithoutTexts<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.short.line().len() {
            self.short.clear();
            self.at = 0;
            match self.inner.read(&mut self.block)? {
                0 => return Ok(0),
                count => self.short.feed(&self.block[..count]),
            }
        }
        let count = (&self.short.line()[self.at..]).read(out)?;
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_has_all_but_long_texts() {
        let long = "word \" \\ é\n".repeat(BLOCK / 5);
        let json =
            serde_json::json!({"a": [long, {"b": "short", "c": long}], "d": 1, "long": long});
        let text = json.to_string();
        let mut read = String::new();
        let mut reader = WithoutTexts::new(text.as_bytes());
        reader.read_to_string(&mut read).expect("it is text");
        assert!(read.len() < 2000, "{}", read.len());
        let mut short: serde_json::Value = serde_json::from_str(&read).expect("it is JSON");
        assert_eq!(short["a"][1]["b"], "short");
        for place in ["/a/0", "/a/1/c", "/long"] {
            let text = short.pointer_mut(place).expect("it is there");
            let kept = text.as_str().and_then(|text| text.split(" … (").next());
            assert!(kept.is_some_and(|kept| long.starts_with(kept) && kept.len() > KEPT / 2));
        }
        assert_eq!(short["d"], 1);
    }
}
