//! Shortening a line of JSON that is too long to be held: its long texts are cut while it is read, its
//! structure is kept, so that it is still a record.

use memchr::memchr2;

use crate::text::amounts;

/// Bytes that are kept of a text of a record.
pub(super) const KEPT: usize = 1 << 20;

/// A line that is read block by block.
#[derive(Debug)]
pub(super) struct Shortener {
    /// Bytes that are kept of a text.
    kept: usize,
    out: Vec<u8>,
    place: Place,
    /// Bytes that were read of the text.
    length: usize,
    /// Bytes that were left out of it.
    left_out: u64,
}

/// Where in the line its next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Between texts.
    Outside,
    /// In a text.
    Text,
    /// Behind a backslash.
    Escape,
    /// Before so many digits of an escape.
    Digits(u8),
}

impl Shortener {
    /// One that keeps so many bytes of a text.
    pub(super) fn new(kept: usize) -> Self {
        Self {
            kept,
            out: Vec::new(),
            place: Place::Outside,
            length: 0,
            left_out: 0,
        }
    }

    /// Takes the next bytes of the line.
    pub(super) fn feed(&mut self, mut block: &[u8]) {
        while let Some((&byte, behind)) = block.split_first() {
            if self.place == Place::Text && self.left_out > 0 {
                let count = memchr2(b'"', b'\\', block).unwrap_or(block.len());
                if count > 0 {
                    self.left_out += count as u64;
                    block = &block[count..];
                    continue;
                }
            }
            self.take(byte);
            block = behind;
        }
    }

    /// What is left of the line.
    pub(super) fn line(&self) -> &[u8] {
        &self.out
    }

    fn take(&mut self, byte: u8) {
        // A cut stands before a whole character.
        let begins = self.place == Place::Text && byte & 0xc0 != 0x80;
        let next = match (self.place, byte) {
            (Place::Outside, b'"') => {
                (self.length, self.left_out) = (0, 0);
                Place::Text
            }
            (Place::Text, b'"') => {
                if self.left_out > 0 {
                    let told = format!(" … ({} left out)", amounts::bytes(self.left_out));
                    self.out.extend_from_slice(told.as_bytes());
                }
                self.out.push(byte);
                self.place = Place::Outside;
                return;
            }
            (Place::Text, b'\\') => Place::Escape,
            (Place::Escape, b'u') => Place::Digits(4),
            (Place::Digits(more @ 2..), _) => Place::Digits(more - 1),
            (Place::Outside, _) => Place::Outside,
            _ => Place::Text,
        };
        if self.place != Place::Outside && (self.left_out > 0 || begins && self.length >= self.kept)
        {
            self.left_out += 1;
        } else {
            self.out.push(byte);
        }
        self.length += 1;
        self.place = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(line: &str) -> String {
        let mut shortener = Shortener::new(KEPT);
        for block in line.as_bytes().chunks(1000) {
            shortener.feed(block);
        }
        String::from_utf8(shortener.line().to_vec()).expect("it is cut between characters")
    }

    #[test]
    fn long_texts_are_cut_and_the_rest_stays() {
        let unit = |unit: &str| unit.repeat((KEPT + 5000) / unit.len());
        for text in ["word", "é", "\\u00e9", "\\\"", "\\\\", "€\\n"].map(unit) {
            for before in 0..7 {
                let before = "x".repeat(before);
                let line = format!(r#"{{"a\"b":[1,"{before}{text}"],"c":{{"d":"end\\"}}}}"#);
                let short = shortened(&line);
                let read: serde_json::Value = serde_json::from_str(&short).expect("it is JSON");
                assert_eq!(read["c"]["d"], "end\\");
                let told = read["a\"b"][1].as_str().expect("a text");
                let (kept, note) = told.split_once(" … (").expect("it says that it was cut");
                assert!(note.starts_with("5 kB left out)"), "{note}");
                let whole: serde_json::Value = serde_json::from_str(&line).expect("it is JSON");
                let whole = whole["a\"b"][1].as_str().expect("a text");
                assert!(whole.starts_with(kept));
            }
        }
    }

    #[test]
    fn what_is_short_stays_as_it_is() {
        let line = r#"{"a":["\\","\"",1.5,"é",null],"b":"\u00e9\\"}"#;
        assert_eq!(shortened(line), line);
    }
}
