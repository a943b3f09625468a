//! Getting what is whole out of JSON that isn't.
//!
//! Writers leave files cut in the middle, bytes that are no UTF-8, halves of surrogate pairs, `NaN`
//! (`formats/faults.md`). [`mend`] makes JSON of such text: each change it makes is told. Behind a
//! damaged place reading goes on where [`resync`] finds the next whole item.

mod resync;

use std::borrow::Cow;

use crate::value::Value;
use crate::value::json;
use crate::value::transit;

/// A way to read JSON: [`json::parse`] or [`transit::parse`].
pub(super) type Parse = fn(&[u8]) -> Result<json::Parsed, serde_json::Error>;

/// What was read, and what had to be changed for it.
pub(super) struct Salvaged {
    pub parsed: json::Parsed,
    /// What was wrong, in the order in which it was found.
    pub wrong: Vec<Wrong>,
}

/// Something wrong in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    /// The line within the text, from 1.
    pub line: u64,
    /// What, in words.
    pub what: String,
    /// Whether something is missing that was recorded. A replaced character or number is not.
    pub incomplete: bool,
}

/// Reads a whole document as a step file is written; where it isn't one, what can be had of it.
pub(super) fn read(text: &[u8], parse: Parse) -> Result<Salvaged, serde_json::Error> {
    read_with(text, parse, MAX_GAPS)
}

/// Reads a record: as [`read`], but nothing of it may be missing.
pub(super) fn read_record(text: &[u8]) -> Option<Salvaged> {
    let read = read_with(text, json::parse, 0).ok()?;
    let whole = read.wrong.iter().all(|wrong| !wrong.incomplete);
    whole.then_some(read)
}

fn read_with(text: &[u8], parse: Parse, gaps: usize) -> Result<Salvaged, serde_json::Error> {
    let error = match parse(text) {
        Ok(parsed) => {
            return Ok(Salvaged {
                parsed,
                wrong: Vec::new(),
            });
        }
        Err(error) => error,
    };
    let nan = if std::ptr::fn_addr_eq(parse, transit::parse as Parse) {
        Nan::Transit
    } else {
        Nan::Number
    };
    let Some((mended, wrong)) = mend(text, nan, gaps) else {
        return Err(error);
    };
    let parsed = parse(&mended).map_err(|_| error)?;
    Ok(Salvaged { parsed, wrong })
}

/// How a number that JSON has no form for is written instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nan {
    /// As the Transit conventions say.
    Transit,
    /// As a number that [`json::parse`] understands.
    Number,
}

/// An open bracket.
#[derive(Debug, Clone, Copy)]
struct Open {
    object: bool,
    /// What the container waits for.
    state: State,
    /// Length of the output behind its opening bracket.
    start: usize,
    /// Length of the output behind its last whole item, so that what follows can be taken back.
    whole: usize,
    /// Where in the text that is.
    read: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A key, or the end of the object.
    Key,
    /// The colon behind a key.
    Colon,
    /// A value.
    Value,
    /// A comma or the end.
    Comma,
}

/// Makes JSON of a text that is nearly some: brackets are closed where the text ends, what is
/// half-written at the end is taken back. `None` where the text isn't JSON at all.
fn mend(text: &[u8], nan: Nan, gaps: usize) -> Option<(Vec<u8>, Vec<Wrong>)> {
    let mut mender = Mender {
        text,
        at: 0,
        line: 1,
        out: Vec::with_capacity(text.len() + 16),
        stack: Vec::new(),
        wrong: Vec::new(),
        nan,
        gaps,
        spent: 0,
        cut: false,
        closed: Vec::new(),
        string: 0,
    };
    mender.run().then_some((mender.out, mender.wrong))
}

struct Mender<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
    out: Vec<u8>,
    stack: Vec<Open>,
    wrong: Vec<Wrong>,
    nan: Nan,
    /// Damaged places that may still be left out.
    gaps: usize,
    /// Bytes that were read to find out where to go on.
    spent: usize,
    /// Whether the text ends within a string.
    cut: bool,
    /// The containers that were closed last, by level: one may have been closed too early.
    closed: Vec<Option<Open>>,
    /// Where the string began that was read last: one without its closing quote takes in what follows.
    string: usize,
}

/// Damaged places behind which a text is read on; there is an end to it, for looking on from the end
/// costs a pass over the text.
const MAX_GAPS: usize = 100;

/// Bytes of a list's first item that are looked at to know the next one by.
const MAX_FIRST: usize = 1 << 20;

/// What is said of a text that its end cuts.
const CUT: &str = "the text ends in the middle; its last record is incomplete";

impl Mender<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn note(&mut self, what: impl Into<String>, incomplete: bool) {
        self.wrong.push(Wrong {
            line: self.line,
            what: what.into(),
            incomplete,
        });
    }

    /// Copies white space.
    fn space(&mut self) {
        while let Some(byte) = self.peek().filter(u8::is_ascii_whitespace) {
            self.line += u64::from(byte == b'\n');
            self.out.push(byte);
            self.at += 1;
        }
    }

    /// Whether a document came out of it.
    fn run(&mut self) -> bool {
        self.space();
        if !matches!(self.peek(), Some(b'{' | b'[')) {
            return false;
        }
        self.open();
        while let Some(&top) = self.stack.last() {
            self.space();
            let Some(byte) = self.peek() else {
                self.note(CUT, true);
                self.close_all();
                return true;
            };
            let done = match (top.state, byte) {
                (State::Key | State::Comma, b'}') if top.object => self.close(),
                (State::Value | State::Comma, b']') if !top.object => self.close(),
                (State::Key, b'"') => self.string(State::Colon),
                (State::Comma, b',') if top.object => self.punctuation(State::Key),
                (State::Colon, b':') | (State::Comma, b',') => self.punctuation(State::Value),
                (State::Value, b'{' | b'[') => {
                    self.open();
                    true
                }
                (State::Value, b'"') => self.string(State::Comma),
                (State::Value, _) => self.word(),
                _ => false,
            };
            let closed = done && self.stack.is_empty() && !self.is_over();
            if done && !closed {
                continue;
            }
            if closed {
                // The outermost bracket was closed too early.
                self.out.pop();
                self.stack.push(Open {
                    state: State::Comma,
                    whole: self.out.len(),
                    ..top
                });
            }
            if self.goes_on(closed) {
                continue;
            }
            let what = if closed {
                "something follows the end of the document"
            } else if self.cut {
                CUT
            } else {
                "what follows is not JSON and was not read"
            };
            self.note(what, true);
            self.close_all();
            return true;
        }
        true
    }

    /// Whether nothing but white space is left.
    fn is_over(&self) -> bool {
        self.text[self.at..].trim_ascii().is_empty()
    }

    /// Leaves out a damaged item and goes on behind it. False where nothing whole follows.
    fn goes_on(&mut self, closed: bool) -> bool {
        let Some(left) = self.gaps.checked_sub(1) else {
            return false;
        };
        self.gaps = left;
        self.space();
        if closed && matches!(self.peek(), Some(b'{' | b'[')) {
            // Another document.
            return false;
        }
        let Some(mut from) = self.stack.last().map(|top| top.read) else {
            return false;
        };
        // The comma behind the last whole item led here.
        let rest = self.text[from..].trim_ascii_start();
        if rest.first() == Some(&b',') {
            from = self.text.len() - rest.len() + 1;
        }
        let mut by_end = resync::from_the_end(self.text, from, &self.stack);
        let level = self.stack.len();
        if let Some(list) = self
            .closed
            .get(level)
            .copied()
            .flatten()
            .filter(|open| !open.object)
        {
            let mut reopened = self.stack.clone();
            reopened.push(list);
            let place = resync::from_the_end(self.text, list.read + 1, &reopened);
            let is_in_it = |place: resync::Place| {
                place.level == level && by_end.is_none_or(|known| place.at < known.at)
            };
            if place.is_some_and(is_in_it) {
                self.stack = reopened;
                by_end = place;
            }
        }
        let mut firsts = self.firsts();
        if let Some(place) = by_end {
            // The first item of a list may be the damaged one.
            firsts.extend(resync::object_of(self.text, place));
        }
        let by_shape = resync::by_shape(self.text, from.min(self.string), &firsts, &mut self.spent);
        let found = match (by_end, by_shape) {
            (Some(one), Some(other)) if other.at < one.at => other,
            (one, other) => match one.or(other) {
                Some(found) => found,
                None => return false,
            },
        };
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'}' | b']');
        if closed && found.at < self.at && self.text[found.at..self.at].iter().all(is_end) {
            // The end of the document, which would only be read once more.
            return false;
        }
        self.note("what is damaged here is left out", true);
        self.close_down_to(found.level + 1);
        let Some(top) = self.stack.last_mut() else {
            return false;
        };
        self.out.truncate(top.whole);
        let has_items = top.whole > top.start;
        top.state = match (has_items, top.object) {
            (true, _) => State::Comma,
            (false, true) => State::Key,
            (false, false) => State::Value,
        };
        top.read = found.at;
        self.at = found.at;
        let lines = memchr::memchr_iter(b'\n', &self.text[..self.at]).count();
        self.line = u64::try_from(lines).unwrap_or(u64::MAX).saturating_add(1);
        match (self.text[self.at], has_items) {
            // Nothing stands before the comma any more.
            (b',', false) => self.at += 1,
            (b'{', true) => {
                self.out.push(b',');
                self.set(State::Value);
            }
            _ => {}
        }
        true
    }

    /// Closes containers until so many are open. The innermost item of a list is the damaged one and
    /// is left out; of what is around it, whatever is whole is kept.
    fn close_down_to(&mut self, open: usize) {
        let mut left_out = false;
        while self.stack.len() > open
            && let Some(top) = self.stack.pop()
        {
            let in_list = self.stack.last().is_some_and(|outer| !outer.object);
            if in_list && !left_out || top.whole == top.start {
                left_out |= in_list;
                continue;
            }
            self.out.truncate(top.whole);
            self.out.push(if top.object { b'}' } else { b']' });
            self.set(State::Comma);
        }
    }

    /// The first items of the open lists, by the lists' levels.
    fn firsts(&self) -> Vec<(usize, Value)> {
        let lists = self.stack.iter().enumerate();
        let lists = lists.filter(|(_, open)| !open.object && open.whole > open.start);
        let first = |(level, open): (usize, &Open)| {
            let items = &self.out[open.start..open.whole];
            let items = items.get(..MAX_FIRST).unwrap_or(items);
            let items = &items[memchr::memchr(b'{', items)?..];
            let end = super::records::first_end(items)?;
            Some((level, json::parse(&items[..end]).ok()?.value))
        };
        lists.filter_map(first).collect()
    }

    fn set(&mut self, state: State) {
        let (whole, read) = (self.out.len(), self.at);
        if let Some(top) = self.stack.last_mut() {
            top.state = state;
            if state == State::Comma {
                top.whole = whole;
                top.read = read;
            }
        }
    }

    fn open(&mut self) {
        let object = self.peek() == Some(b'{');
        self.closed.truncate(self.stack.len());
        self.out.push(if object { b'{' } else { b'[' });
        self.at += 1;
        self.stack.push(Open {
            object,
            state: if object { State::Key } else { State::Value },
            start: self.out.len(),
            whole: self.out.len(),
            read: self.at,
        });
    }

    fn close(&mut self) -> bool {
        let Some(top) = self.stack.pop() else {
            return false;
        };
        let level = self.stack.len();
        if self.closed.len() <= level {
            self.closed.resize(level + 1, None);
        }
        self.closed[level] = Some(top);
        // A comma before the bracket is no item.
        self.out.truncate(top.whole);
        self.out.push(if top.object { b'}' } else { b']' });
        self.at += 1;
        self.set(State::Comma);
        true
    }

    /// Takes back what is half-written and closes every bracket.
    fn close_all(&mut self) {
        while let Some(top) = self.stack.pop() {
            // The innermost container keeps its whole items; each outer one then has a whole item.
            self.out.truncate(top.whole);
            self.out.push(if top.object { b'}' } else { b']' });
            self.set(State::Comma);
        }
    }

    fn punctuation(&mut self, next: State) -> bool {
        self.out.push(self.text[self.at]);
        self.at += 1;
        self.set(next);
        true
    }

    /// A number or a word. False where it is neither, or where the text ends in it.
    fn word(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let end = rest
            .iter()
            .position(|b| !(b.is_ascii_alphanumeric() || b"+-.".contains(b)));
        // A number that the end of the text cuts may have been longer.
        let Some(end) = end.filter(|end| *end > 0) else {
            return false;
        };
        let word = &rest[..end];
        let replaced: Option<&[u8]> = match (word, self.nan) {
            (b"NaN", Nan::Transit) => Some(b"\"~zNaN\""),
            (b"Infinity", Nan::Transit) => Some(b"\"~zINF\""),
            (b"-Infinity", Nan::Transit) => Some(b"\"~z-INF\""),
            (b"NaN", Nan::Number) => Some(json::NAN.as_bytes()),
            (b"Infinity", Nan::Number) => Some(json::INFINITY.as_bytes()),
            (b"-Infinity", Nan::Number) => {
                self.out.push(b'-');
                Some(json::INFINITY.as_bytes())
            }
            _ => None,
        };
        match replaced {
            Some(instead) => self.out.extend_from_slice(instead),
            None if serde_json::from_slice::<serde::de::IgnoredAny>(word).is_ok() => {
                self.out.extend_from_slice(word);
            }
            None => return false,
        }
        self.at += end;
        self.set(State::Comma);
        true
    }

    /// A string up to its closing quote. False where the text ends in it.
    fn string(&mut self, next: State) -> bool {
        let start = self.at + 1;
        let mut end = start;
        self.string = self.at;
        loop {
            match self.text.get(end) {
                None => {
                    self.cut = true;
                    return false;
                }
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
            }
        }
        let content = &self.text[start..end.min(self.text.len())];
        self.out.push(b'"');
        match String::from_utf8_lossy(content) {
            Cow::Borrowed(text) => self.content(text),
            Cow::Owned(text) => {
                self.note("bytes that are no UTF-8 were replaced by U+FFFD", false);
                self.content(&text);
            }
        }
        self.out.push(b'"');
        self.at = end + 1;
        self.set(next);
        true
    }

    /// Copies the inside of a string, with what JSON doesn't allow there replaced.
    fn content(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += self.escape(&bytes[at..]),
                byte if byte < 0x20 => {
                    self.line += u64::from(byte == b'\n');
                    self.out
                        .extend_from_slice(format!("\\u{byte:04x}").as_bytes());
                    at += 1;
                }
                byte => {
                    self.out.push(byte);
                    at += 1;
                }
            }
        }
    }

    /// Copies an escape and gives its length; half a surrogate pair becomes U+FFFD.
    fn escape(&mut self, rest: &[u8]) -> usize {
        const REPLACEMENT: &[u8] = b"\\ufffd";
        match rest.get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.out.extend_from_slice(&rest[..2]);
                2
            }
            Some(b'u') => match (hex(rest, 0), hex(rest, 6)) {
                (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => {
                    self.out.extend_from_slice(&rest[..12]);
                    12
                }
                (Some(0xd800..=0xdfff), _) => {
                    self.note("half a surrogate pair was replaced by U+FFFD", false);
                    self.out.extend_from_slice(REPLACEMENT);
                    6
                }
                (Some(_), _) => {
                    self.out.extend_from_slice(&rest[..6]);
                    6
                }
                (None, _) => {
                    self.note("a broken escape was replaced by U+FFFD", false);
                    self.out.extend_from_slice(REPLACEMENT);
                    2
                }
            },
            _ => {
                // A backslash before anything else was meant as one.
                self.out.extend_from_slice(b"\\\\");
                1
            }
        }
    }
}

/// The code unit of the escape `\uXXXX` at a place.
fn hex(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Limits, to_clojure};
    use proptest::prelude::*;

    fn salvage(text: &[u8]) -> (String, usize) {
        let read = read(text, json::parse).expect("something");
        let (shown, _) = to_clojure(&read.parsed.value, Limits::ALL);
        (shown, read.wrong.len())
    }

    #[test]
    fn what_is_whole_is_kept() {
        assert_eq!(
            salvage(br#"{"a":[1,{"b":2},{"c":"x"#).0,
            r#"{"a" [1 {"b" 2} {}]}"#
        );
        assert_eq!(salvage(br#"{"a":1,"b":12"#).0, r#"{"a" 1}"#);
        assert_eq!(salvage(br#"{"a":1,"b"#).0, r#"{"a" 1}"#);
        assert_eq!(salvage(br#"{"a":"x\u00"#).0, "{}");
        assert_eq!(salvage(br"[1,2,}").0, "[1 2]");
        assert_eq!(
            salvage(br#"["x\ud83d", NaN, "\q"]"#).0,
            r#"["x�" ##NaN "\\q"]"#
        );
        assert_eq!(salvage(b"[\"\xff\x80\"] tail").0, r#"["��"]"#);
    }

    #[test]
    fn what_is_no_json_is_none() {
        assert!(read(b"PK\x03\x04", json::parse).is_err());
        assert!(read(b"plain words", json::parse).is_err());
    }

    #[test]
    fn what_stands_behind_a_damaged_place_is_read() {
        let of = |text: &str| salvage(text.as_bytes()).0;
        // One damaged place: the brackets at the end tell where it ends.
        assert_eq!(
            of(r#"{"a":[{"x":1,"y":2},{"x":#,"y":[{"z":1}]},{"x":3,"y":4}],"b":5}"#),
            r#"{"a" [{"x" 1 "y" 2} {"y" [{"z" 1}]} {"x" 3 "y" 4}] "b" 5}"#
        );
        assert_eq!(of(r#"[{"x":1},garbage,{"x":2}]"#), r#"[{"x" 1} {"x" 2}]"#);
        assert_eq!(
            of(r#"[{"x":"1},{"x":2},{"x":3}]"#),
            r#"[{"x" "1},{"} {"x" 3}]"#
        );
        assert_eq!(of(r#"{"a":[1,2]],"b":3}"#), r#"{"a" [1 2] "b" 3}"#);
        assert_eq!(of(r#"{"a":{"c":1}},"b":3}"#), r#"{"a" {"c" 1} "b" 3}"#);
        assert_eq!(
            of("[{\"x\":1},\n{\"x\":\0\0,\n{\"x\":2}]"),
            r#"[{"x" 1} {"x" 2}]"#
        );
        // Two, and a cut end: what looks like its neighbours is one of them.
        assert_eq!(
            of(r#"[{"r":1,"c":"a"},{"r":2,"c":#},{"r":3,"c":"b"},{"r":4,"c":"#),
            r#"[{"c" "a" "r" 1} {"c" "b" "r" 3} {"r" 4}]"#
        );
        // Another document is no part of the first.
        assert_eq!(of(r#"{"a":1}{"b":2,"c":3}"#), r#"{"a" 1}"#);
    }

    proptest! {
        #[test]
        fn a_cut_document_can_be_read(cut in 1usize..120) {
            let whole = r#"{"turns":[{"n":1,"p":"(+ 1 2)","é":["\ud83d\ude00",null]},{"n":-2.5e3,"x":true}],"z":{"a":{}}}"#;
            let text = &whole.as_bytes()[..cut.min(whole.len())];
            let read = read(text, json::parse).expect("something");
            prop_assert_eq!(read.wrong.is_empty(), text.len() == whole.len());
        }

        #[test]
        fn any_bytes_are_survived(text in proptest::collection::vec(any::<u8>(), 0..80), open in any::<bool>()) {
            let mut bytes = if open { b"{\"".to_vec() } else { Vec::new() };
            bytes.extend(text);
            let _ = read(&bytes, transit::parse);
        }
    }
}
