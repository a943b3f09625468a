//! A record without its long texts: what tells which turn it belongs to, and what kind of record it
//! is, at a small part of the cost of reading it. The texts are read when somebody looks at the turn.

mod known;

use std::sync::Arc;

use memchr::memchr;

use super::foreign::sketch::ITEMS;
use super::quotes;
use crate::value::{Map, Value, json, transit};
use known::{Names, Shapes};

/// Bytes that stay of a text.
pub(super) const KEPT: usize = 256;

/// Levels that are read; what is nested deeper is left to the reader that bounds it.
const LEVELS: usize = 128;

/// What the key of a map begins with that is a tag of Transit.
const TAG: &str = "~#";

/// Bytes of a text that may come again and again.
const LONGEST_WORD: usize = 16;

/// What is needed to read one record and the next.
#[derive(Default)]
pub(super) struct Room {
    quotes: Vec<u32>,
    /// Entries of the maps that are being read.
    entries: Vec<(Value, Value)>,
    /// A text with escapes.
    text: String,
    /// Apart, since values come and go.
    keys: Names,
    words: Names,
    shapes: Shapes,
}

/// How records are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// Bytes that stay of a text.
    pub kept: usize,
    /// Keys, wherever they stand, whose entries are passed over where they are texts, lists or objects:
    /// a number may be a count of tokens.
    pub passed: &'static [&'static str],
    /// What is told of such entries.
    pub told: Told,
    /// Whether the conventions of Transit hold. No text may be cut then.
    pub is_transit: bool,
    /// Lists in whose items texts are cut in any case, where the record is a map or a list.
    pub lists: &'static [Cut],
}

impl Manner {
    /// All of it.
    pub(super) const WHOLE: Self = Self {
        kept: usize::MAX,
        passed: &[],
        told: Told::Nothing,
        is_transit: false,
        lists: &[],
    };
}

/// A list in whose items long texts may be cut, but for the first [`ITEMS`]: sketches hold those.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// What the record has it under; nothing where the record itself is the list.
    pub name: &'static str,
    /// Whether the texts may be cut of an item, whose texts are cut here.
    pub of: fn(&Value) -> bool,
    /// Lists in those items of which they may not.
    pub within: &'static [Self],
}

/// What is told of entries that are passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// Nothing.
    Nothing,
    /// Their keys, with nothing behind them.
    Keys,
    /// Their keys, with a list or an object without anything in it; texts are read as all others are.
    Kinds,
}

impl Told {
    /// Whether an entry is passed over that begins so.
    fn passes(self, begin: u8) -> bool {
        match begin {
            b'{' | b'[' => true,
            b'"' => self != Self::Kinds,
            _ => false,
        }
    }

    /// What stands for an entry that begins so.
    fn of(self, begin: u8) -> Option<Value> {
        match self {
            Self::Nothing => None,
            Self::Keys => Some(Value::Nil),
            Self::Kinds if begin == b'[' => Some(Value::list(Vec::new())),
            Self::Kinds => Some(Value::map(Map::default())),
        }
    }
}

/// A record as it is read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Light {
    pub value: Value,
    /// Whether any text was cut, or an entry passed over.
    pub is_cut: bool,
}

/// Reads a record of JSON. None where only a reader of all of it can tell what it says: where it is no
/// JSON, holds control characters in a text or escapes that stand for no character, or is nested deep;
/// also where a key is longer than [`KEPT`], or a number has an exponent.
pub(super) fn read(line: &[u8], manner: Manner, room: &mut Room) -> Option<Light> {
    let text = quotes::find(line, &mut room.quotes)?;
    room.entries.clear();
    let mut reader = Reader {
        line,
        whole: text,
        at: 0,
        quotes: room.quotes.chunks_exact(2),
        entries: &mut room.entries,
        text: &mut room.text,
        keys: &mut room.keys,
        words: &mut room.words,
        shapes: &mut room.shapes,
        manner,
        lists: manner.lists,
        spared: ITEMS,
        is_cut: false,
    };
    let value = reader.value(0)?;
    let is_whole = reader.peek().is_none();
    is_whole.then_some(Light {
        value,
        is_cut: reader.is_cut,
    })
}

struct Reader<'a> {
    line: &'a [u8],
    /// The line as text.
    whole: &'a str,
    at: usize,
    /// The quotes around the texts that are still to come.
    quotes: std::slice::ChunksExact<'a, u32>,
    entries: &'a mut Vec<(Value, Value)>,
    text: &'a mut String,
    keys: &'a mut Names,
    words: &'a mut Names,
    shapes: &'a mut Shapes,
    manner: Manner,
    /// Lists with items to cut in the value that begins here.
    lists: &'static [Cut],
    /// The first items of such a list, which are read whole.
    spared: usize,
    is_cut: bool,
}

impl Reader<'_> {
    /// What comes next, where that is no white space.
    fn peek(&mut self) -> Option<u8> {
        while is_space(*self.line.get(self.at)?) {
            self.at += 1;
        }
        Some(self.line[self.at])
    }

    /// Passes over what has to come next.
    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn value(&mut self, level: usize) -> Option<Value> {
        let lists = std::mem::take(&mut self.lists);
        match self.peek()? {
            b'"' => self.string().map(|text| self.told(text)),
            b'{' if level < LEVELS => self.object(level, lists),
            b'[' if level < LEVELS => self.array(level, named(lists, "")),
            b't' => self.word(b"true", Value::Bool(true)),
            b'f' => self.word(b"false", Value::Bool(false)),
            b'n' => self.word(b"null", Value::Nil),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &[u8], value: Value) -> Option<Value> {
        let is_there = self.line[self.at..].starts_with(word);
        is_there.then(|| {
            self.at += word.len();
            value
        })
    }

    fn object(&mut self, level: usize, lists: &'static [Cut]) -> Option<Value> {
        self.pass(b'{')?;
        let first = self.entries.len();
        let (mut has_others, mut tag) = (false, None);
        if self.peek()? != b'}' {
            loop {
                let (key, is_passed) = self.key()?;
                let key = if self.is_special(&key) {
                    has_others = true;
                    if key.starts_with(TAG) {
                        if self.entries.len() == first {
                            tag = Some(Arc::clone(&key));
                        }
                        Value::Str(key)
                    } else {
                        transit::decode_string(&key)
                    }
                } else {
                    Value::Str(key)
                };
                self.pass(b':')?;
                let (begin, told) = (self.peek()?, self.manner.told);
                let cut = match (&key, begin) {
                    (Value::Str(name), b'[') => named(lists, name),
                    _ => None,
                };
                if is_passed && told.passes(begin) {
                    self.is_cut = true;
                    self.pass_value(level + 1)?;
                    self.entries.extend(told.of(begin).map(|told| (key, told)));
                } else {
                    let value = match cut {
                        Some(_) if level + 1 < LEVELS => self.array(level + 1, cut)?,
                        _ => self.value(level + 1)?,
                    };
                    self.entries.push((key, value));
                }
                if self.peek()? != b',' {
                    break;
                }
                self.at += 1;
            }
        }
        self.pass(b'}')?;
        let entries = self.entries.drain(first..);
        if !has_others {
            return Some(Value::map(self.shapes.map(entries)));
        }
        let map: Map = entries.collect();
        Some(match tag {
            Some(tag) if map.len() == 1 => transit::decode_tagged(&tag, map),
            _ => Value::map(map),
        })
    }

    /// The value that a text stands for.
    fn told(&self, text: Arc<str>) -> Value {
        if self.is_special(&text) {
            transit::decode_string(&text)
        } else {
            Value::Str(text)
        }
    }

    /// Whether a text may stand for something else than itself.
    fn is_special(&self, text: &str) -> bool {
        self.manner.is_transit && text.starts_with('~')
    }

    /// Passes over a value.
    fn pass_value(&mut self, level: usize) -> Option<()> {
        let open = self.peek()?;
        let close = match open {
            b'"' => return self.raw().map(|_| ()),
            b'{' if level < LEVELS => b'}',
            b'[' if level < LEVELS => b']',
            _ => return self.value(level).map(|_| ()),
        };
        self.pass(open)?;
        if self.peek()? != close {
            loop {
                if open == b'{' {
                    self.raw()?;
                    self.pass(b':')?;
                }
                self.pass_value(level + 1)?;
                if self.peek()? != b',' {
                    break;
                }
                self.at += 1;
            }
        }
        self.pass(close)
    }

    fn array(&mut self, level: usize, cut: Option<&'static Cut>) -> Option<Value> {
        self.pass(b'[')?;
        let mut items = Vec::new();
        if self.peek()? != b']' {
            loop {
                items.push(match cut {
                    Some(cut) if items.len() >= self.spared => self.item(level + 1, cut)?,
                    _ => self.value(level + 1)?,
                });
                if self.peek()? != b',' {
                    break;
                }
                self.at += 1;
            }
        }
        self.pass(b']')?;
        Some(Value::list(items))
    }

    /// An item of a list with its long texts cut, or read once more with all of them where they may not be.
    fn item(&mut self, level: usize, cut: &'static Cut) -> Option<Value> {
        let (at, quotes) = (self.at, self.quotes.clone());
        let was_cut = std::mem::take(&mut self.is_cut);
        let kept = std::mem::replace(&mut self.manner.kept, KEPT);
        let value = self.value(level);
        self.manner.kept = kept;
        let mut value = value?;
        if self.is_cut && !(cut.of)(&value) {
            (self.at, self.quotes, self.is_cut) = (at, quotes, false);
            self.lists = cut.within;
            let spared = std::mem::take(&mut self.spared);
            let read = self.value(level);
            self.spared = spared;
            value = read?;
        }
        self.is_cut |= was_cut;
        Some(value)
    }

    /// What stands between the next quotes, as it is written.
    fn raw(&mut self) -> Option<(usize, usize)> {
        self.peek()?;
        let [from, to] = self.quotes.next()? else {
            return None;
        };
        let (from, to) = (*from as usize, *to as usize);
        (from == self.at).then(|| {
            self.at = to + 1;
            (from + 1, to)
        })
    }

    /// A key, and whether its entry is passed over.
    fn key(&mut self) -> Option<(Arc<str>, bool)> {
        let (from, to) = self.raw()?;
        // A key that is cut may be another one; serde_json gives one of its own a meaning.
        if to - from > KEPT || self.line[from..to].starts_with(b"$serde_json") {
            return None;
        }
        let key = written(self.whole.get(from..to)?, self.text);
        Some(self.keys.shared(key, self.manner.passed))
    }

    fn string(&mut self) -> Option<Arc<str>> {
        let (from, to) = self.raw()?;
        let mut end = to;
        if to - from > self.manner.kept {
            self.is_cut = true;
            end = from + self.manner.kept;
            // Only whole characters stay.
            while end > from && self.line[end] & 0xc0 == 0x80 {
                end -= 1;
            }
        }
        let text = written(self.whole.get(from..end)?, self.text);
        if text.len() > LONGEST_WORD {
            return Some(text.into());
        }
        Some(self.words.shared(text, &[]).0)
    }

    fn number(&mut self) -> Option<Value> {
        let rest = &self.line[self.at..];
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'.' | b'+' | b'e' | b'E');
        let end = rest.iter().position(|byte| !is_part(byte));
        let end = end.unwrap_or(rest.len());
        let (text, written) = (&rest[..end], self.whole.get(self.at..self.at + end)?);
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        let mut parts = digits.split(|byte| *byte == b'.');
        let are_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        let whole = parts.next()?;
        let is_number = are_digits(whole)
            && (whole.len() == 1 || whole[0] != b'0')
            && parts.next().is_none_or(are_digits)
            && parts.next().is_none();
        self.at += text.len();
        is_number.then(|| json::number(written))?
    }
}

/// The list of a name among those with items to cut.
fn named(lists: &'static [Cut], name: &str) -> Option<&'static Cut> {
    lists.iter().find(|list| list.name == name)
}

/// What JSON takes for white space.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The text that is written so. Of an escape that is cut nothing stays.
fn written<'a>(raw: &'a str, room: &'a mut String) -> &'a str {
    let mut rest = raw;
    let Some(mut slash) = memchr(b'\\', raw.as_bytes()) else {
        return rest;
    };
    room.clear();
    loop {
        room.push_str(&rest[..slash]);
        let Some((character, length)) = escape(&rest[slash + 1..]) else {
            return room;
        };
        room.push(character);
        rest = &rest[slash + 1 + length..];
        match memchr(b'\\', rest.as_bytes()) {
            Some(next) => slash = next,
            None => break,
        }
    }
    room.push_str(rest);
    room
}

/// The character that an escape stands for, without its backslash, and the length of that.
fn escape(text: &str) -> Option<(char, usize)> {
    let character = match text.as_bytes().first()? {
        b'u' => {
            let code = u32::from_str_radix(text.get(1..5)?, 16).ok()?;
            return char::from_u32(code).map(|character| (character, 5));
        }
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        other => char::from(*other),
    };
    Some((character, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_light(line: &str, kept: usize) -> Option<Light> {
        let manner = Manner {
            kept,
            ..Manner::WHOLE
        };
        read(line.as_bytes(), manner, &mut Room::default())
    }

    fn whole(line: &str) -> Value {
        json::parse(line.as_bytes()).expect("it is JSON").value
    }

    /// Whether two values are the same but for long texts, of which the first keeps the beginning.
    fn begins(light: &Value, whole: &Value) -> bool {
        match (light, whole) {
            (Value::Str(light), Value::Str(whole)) => {
                light == whole || light.len() > KEPT / 6 && whole.starts_with(&**light)
            }
            (Value::List(light), Value::List(whole)) => {
                let mut both = light.iter().zip(whole.iter());
                light.len() == whole.len() && both.all(|(light, whole)| begins(light, whole))
            }
            (Value::Map(light), Value::Map(whole)) => {
                let same = |(at, (key, value)): (usize, (&Value, &Value))| {
                    let known = whole.get_index(at);
                    known.is_some_and(|(known, whole)| known == key && begins(value, whole))
                };
                light.len() == whole.len() && light.iter().enumerate().all(same)
            }
            (light, whole) => light == whole,
        }
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let text = || "(\\PC|\n|\"|\\\\|[a-zé€😀\"\\\\\t]{0,300}){0,5}";
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<u64>().prop_map(Into::into),
            (-1e9..1e9).prop_map(serde_json::Value::from),
            text().prop_map(Into::into),
        ];
        leaf.prop_recursive(5, 40, 6, move |inner| {
            let entries = proptest::collection::vec(("[a-dé\"\n]{0,2}", inner.clone()), 0..6);
            prop_oneof![
                proptest::collection::vec(inner, 0..6).prop_map(Into::into),
                entries.prop_map(|entries| serde_json::Map::from_iter(entries).into()),
            ]
        })
    }

    /// JSON in which the conventions of Transit are used, well and badly.
    fn transit_json() -> impl Strategy<Value = serde_json::Value> {
        let text =
            || "(~(:|~|n|z|t|#|\\^)?)?(|a|b|-?12|NaN|INF|2026-01-02|2026-01-02T03:04:05Z|set|cmap)";
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<i64>().prop_map(Into::into),
            text().prop_map(Into::into),
        ];
        let tag = "~#(set|cmap|tuple|bytes|var|builtin|cut|fn|other)";
        leaf.prop_recursive(5, 40, 6, move |inner| {
            let list = proptest::collection::vec(inner.clone(), 0..5);
            let entries = proptest::collection::vec((text(), inner.clone()), 0..5);
            let tagged = proptest::collection::vec((tag, inner.clone()), 1..3);
            let lists = (tag, list.clone());
            prop_oneof![
                list.prop_map(Into::into),
                entries.prop_map(|entries| serde_json::Map::from_iter(entries).into()),
                tagged.prop_map(|entries| serde_json::Map::from_iter(entries).into()),
                lists.prop_map(|(tag, items)| {
                    serde_json::Map::from_iter([(tag, items.into())]).into()
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_structure_stays_and_texts_keep_their_beginnings(json in json()) {
            let line = json.to_string();
            let light = read_light(&line, usize::MAX);
            let pretty = serde_json::to_string_pretty(&json).expect("it is JSON");
            prop_assert_eq!(&light, &read_light(&pretty, usize::MAX));
            prop_assert_eq!(light, Some(Light { value: whole(&line), is_cut: false }));
            let light = read_light(&line, KEPT).expect("it is JSON");
            prop_assert!(begins(&light.value, &whole(&line)));
            prop_assert_eq!(light.is_cut, light.value != whole(&line));
        }

        #[test]
        fn what_transit_tells_is_read_as_such(json in transit_json()) {
            let manner = Manner { is_transit: true, ..Manner::WHOLE };
            let mut room = Room::default();
            for text in [json.to_string(), format!("[{json:#},{json}]")] {
                let light = read(text.as_bytes(), manner, &mut room);
                let whole = transit::parse(text.as_bytes()).expect("it is JSON").value;
                prop_assert_eq!(light, Some(Light { value: whole, is_cut: false }));
            }
        }

        /// Whatever it takes for JSON is JSON, and is read as such.
        #[test]
        fn what_is_read_is_json(line in "([\\[\\]{}:,\" \n\r\t\x0b]|\"[ab]\"|\"[ab]\":|-?[0-9]{1,3}|true|null|[.eE+-]|\\\\[n\"u]){0,12}") {
            if let Some(light) = read_light(&line, usize::MAX) {
                prop_assert_eq!(light.value, whole(&line));
            }
        }
    }

    #[test]
    fn numbers_are_exact() {
        for number in [
            "0",
            "-0",
            "7",
            "-12.50",
            "0.1",
            "9223372036854775808",
            "1234567890123456789012345",
        ] {
            let light = read_light(number, KEPT).expect("it is a number");
            assert_eq!(light.value, whole(number), "{number}");
        }
        for wrong in [
            "", "-", "01", "1.", ".5", "1.2.3", "--1", "1-2", "1e5", "+1",
        ] {
            assert_eq!(read_light(wrong, KEPT), None, "{wrong}");
        }
    }

    #[test]
    fn what_only_a_reader_of_all_can_tell_is_left_to_it() {
        let long = "x".repeat(3 * KEPT);
        let deep = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for line in [format!(r#"{{"a":"{long}"}}"#), deep(LEVELS)] {
            assert!(read_light(&line, KEPT).is_some());
        }
        for wrong in [
            format!(r#"{{"{long}":1}}"#),
            format!(r#"{{"a":"{long}\ud83d"}}"#),
            format!(r#"{{"a":"{long}\q"}}"#),
            format!("{{\"a\":\"{long}\0\"}}"),
            format!(r#"{{"a":"{long}"#),
            format!(r#"{{"a":"{long}\"#),
            r#"{"$serde_json::private::Number":"1"}"#.to_owned(),
            r#"{"a":1}{"a":2}"#.to_owned(),
            deep(LEVELS + 1),
        ] {
            assert_eq!(read_light(&wrong, KEPT), None, "{wrong}");
        }
    }

    #[test]
    fn entries_are_passed_over_wherever_they_stand() {
        let line = r#"{"a":[{"p":{"b":["x",{}],"p":[]},"c":1,"q":"t"},{"p":2}],"p":"\\"}"#;
        let manner = Manner {
            kept: KEPT,
            passed: &["p", "q"],
            ..Manner::WHOLE
        };
        let light = read(line.as_bytes(), manner, &mut Room::default()).expect("it is JSON");
        // A number may be a count.
        assert_eq!(light.value, whole(r#"{"a":[{"c":1},{"p":2}]}"#));
        assert!(light.is_cut);
        for wrong in [
            r#"{"p":[1,}"#,
            r#"{"p":{"a"}}"#,
            r#"{"p":[1]]}"#,
            r#"{"p":{1:2}}"#,
        ] {
            assert_eq!(read(wrong.as_bytes(), manner, &mut Room::default()), None);
        }
    }

    /// Whether a value is marked so: it may be cut.
    fn is_marked(value: &Value) -> bool {
        value.get("m").and_then(Value::as_bool) == Some(true)
    }

    const LISTS: [Cut; 2] = [
        Cut {
            name: "a",
            of: is_marked,
            within: &[Cut {
                name: "a",
                of: is_marked,
                within: &[],
            }],
        },
        Cut {
            name: "",
            of: is_marked,
            within: &[],
        },
    ];

    #[test]
    fn texts_are_cut_in_the_items_of_some_lists_alone() {
        let (long, cut) = ("x".repeat(2 * KEPT), "x".repeat(KEPT));
        let manner = Manner {
            lists: &LISTS,
            ..Manner::WHOLE
        };
        let mut room = Room::default();
        // T stands for a text where it stays whole, C for one that is cut, F for the first items.
        let first = format!("{}T", "T,".repeat(ITEMS - 1));
        for line in [
            r#"{"b":T,"a":[F,{"m":true,"b":[C,{"a":[C]}]},{"m":false,"b":T},T,[T],{"a":[{"m":true,"b":C},{"b":T}],"m":false,"b":T},{"m":true}]}"#,
            r#"{"b":[{"m":true,"b":T}],"b":{"a":[{"m":true,"b":T}]},"a":{"m":true,"b":T}}"#,
            r#"[F,{"m":true,"a":C},{"m":false,"a":[{"m":true,"b":T}]},[{"m":true,"b":T}]]"#,
            r#"{"a":[F,{"m":1,"b":T}]}"#,
            r#"[{"m":true,"a":T}]"#,
            "T",
        ] {
            let with = |of_c: &str| {
                let line = line
                    .replace('F', &first)
                    .replace('T', &format!("\"{long}\""));
                line.replace('C', &format!("\"{of_c}\""))
            };
            let light = read(with(&long).as_bytes(), manner, &mut room).expect("it is JSON");
            assert_eq!(light.value, whole(&with(&cut)), "{line}");
            assert_eq!(light.is_cut, line.contains('C'), "{line}");
        }
    }

    #[test]
    fn of_a_tag_that_stands_twice_the_later_counts() {
        let manner = Manner {
            is_transit: true,
            ..Manner::WHOLE
        };
        for text in [
            r#"{"~#set":[1],"~#set":[2]}"#,
            r#"{"~#set":[1],"~#tuple":[2]}"#,
            r#"{"a":1,"~#set":[2]}"#,
        ] {
            let light = read(text.as_bytes(), manner, &mut Room::default()).expect("it is JSON");
            let whole = transit::parse(text.as_bytes()).expect("it is JSON");
            assert_eq!(light.value, whole.value, "{text}");
        }
    }

    #[test]
    fn records_of_one_shape_keep_their_own_values() {
        let mut room = Room::default();
        let manner = Manner {
            kept: KEPT,
            ..Manner::WHOLE
        };
        for at in 0..200 {
            let line = match at % 3 {
                0 => format!(r#"{{"a":{at},"b":{{"c":"{at}"}}}}"#),
                1 => format!(r#"{{"b":{at},"a":{{"c":[{at}]}}}}"#),
                _ => format!(r#"{{"a":{at},"b{at}":0,"a":{at}}}"#),
            };
            let light = read(line.as_bytes(), manner, &mut room).expect("it is JSON");
            assert_eq!(light.value, whole(&line));
            let place = light
                .value
                .as_map()
                .and_then(|map| map.get_index_of(&Value::from("a")));
            assert_eq!(
                place,
                whole(&line)
                    .as_map()
                    .and_then(|map| map.get_index_of(&Value::from("a")))
            );
        }
    }

    #[test]
    fn the_later_of_two_entries_counts_at_the_place_of_the_first() {
        let line = r#"{"a":1,"b":{"c":2,"c":3},"a":{}}"#;
        let light = read_light(line, KEPT).expect("it is JSON");
        assert_eq!(light.value, whole(line));
    }
}
