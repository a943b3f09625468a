//! Records of JSON lines, as far as they are whole.
//!
//! A line is one record as a rule. Crashes leave others: blocks of NUL bytes, half a record with a
//! whole one behind it on the same line, a last line that ends in the middle (`formats/faults.md` 4
//! to 8). Whole records are handed on, everything else is counted with its line.

use std::collections::HashSet;
use std::hash::BuildHasher as _;

use foldhash::quality::RandomState;

use super::bytes::{Line, Span};
use super::light::{self, Light, Manner, Room, Told};
use super::shorten::KEPT;
use super::{Report, Source, salvage};
use crate::text::amounts;
use crate::value::{Value, json};

/// Hands every whole record to `take`, with its line. A record that stands twice, byte for byte, is
/// handed on once. `is_record` tells a record behind half a one from a part of that half.
pub(super) fn read(
    source: &Source,
    report: &mut Report,
    is_record: fn(&Value) -> bool,
    mut take: impl FnMut(u64, Value, &mut Report),
) {
    let take = |place: Place, value, report: &mut Report| take(place.span.line, value, report);
    read_once_placed(source, report, is_record, take);
}

/// As [`read`], with where each record stands.
pub(super) fn read_once_placed(
    source: &Source,
    report: &mut Report,
    is_record: fn(&Value) -> bool,
    take: impl FnMut(Place, Value, &mut Report),
) {
    fold_once(source, report, is_record, &mut Plain(take));
}

/// As [`fold`], each record once that stands twice, byte for byte.
pub(super) fn fold_once(
    source: &Source,
    report: &mut Report,
    is_record: fn(&Value) -> bool,
    taker: &mut impl Fold,
) {
    // Seeded, so that nobody can make records that pass for each other.
    let (mut seen, hashing) = (HashSet::new(), RandomState::default());
    let first = |text: &[u8], report: &mut Report| {
        let twice = !seen.insert(hashing.hash_one(text)) && text.len() > 2 && text[0] == b'{';
        if twice {
            report.note("records that stand twice in the file are read once");
        }
        !twice
    };
    each(source, report, is_record, first, taker);
}

/// As [`read`], for formats in which two records may well be alike: each is handed on.
pub(super) fn read_all(
    source: &Source,
    report: &mut Report,
    is_record: fn(&Value) -> bool,
    mut take: impl FnMut(u64, Value, &mut Report),
) {
    let take = |place: Place, value, report: &mut Report| take(place.span.line, value, report);
    read_placed(source, report, is_record, take);
}

/// As [`read_all`], with where each record stands.
pub(super) fn read_placed(
    source: &Source,
    report: &mut Report,
    is_record: fn(&Value) -> bool,
    take: impl FnMut(Place, Value, &mut Report),
) {
    each(source, report, is_record, |_, _| true, &mut Plain(take));
}

/// As [`read_all`]. In a large file the texts of the records that belong to turns alone are cut: the
/// turns are read again, from where their records stand, when somebody looks at them.
pub(super) fn fold(
    source: &Source,
    report: &mut Report,
    is_record: fn(&Value) -> bool,
    taker: &mut impl Fold,
) {
    each(source, report, is_record, |_, _| true, taker);
}

/// What makes turns of records.
pub(super) trait Fold {
    /// Whether any texts may be cut.
    const CUTS: bool = true;

    /// Keys of entries that are only looked at when a turn is read again. Texts, lists and objects under
    /// them may be left out, wherever they stand, of records that belong to turns alone.
    const PASSED: &'static [&'static str] = &[];

    /// What is told of those.
    const TOLD: Told = Told::Nothing;

    /// Whether nothing but turns is made of a record's long texts. The texts may be cut here.
    fn is_of_turns(&self, record: &Value) -> bool;

    /// Takes a record, or looks at it.
    fn take(&mut self, place: Place, record: &mut Value, report: &mut Report);
}

/// Where a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    /// Its line.
    pub span: Span,
    /// Which of the whole records on the line it is, from 0.
    pub nth: usize,
}

/// A taker of whole records.
struct Plain<F>(F);

impl<F: FnMut(Place, Value, &mut Report)> Fold for Plain<F> {
    const CUTS: bool = false;

    fn is_of_turns(&self, _: &Value) -> bool {
        false
    }

    fn take(&mut self, place: Place, record: &mut Value, report: &mut Report) {
        (self.0)(place, std::mem::take(record), report);
    }
}

/// The record at a place of a line that is read again.
pub(super) fn nth(line: &[u8], nth: usize, is_record: fn(&Value) -> bool) -> Option<Value> {
    let (records, _) = split(line.trim_ascii(), is_record, &mut Report::default());
    records.into_iter().nth(nth)
}

fn each<T: Fold>(
    source: &Source,
    report: &mut Report,
    is_record: fn(&Value) -> bool,
    mut is_wanted: impl FnMut(&[u8], &mut Report) -> bool,
    taker: &mut T,
) {
    // Whether the line read last ends in the middle of a record.
    let mut cut = false;
    source.each_line(made::<T>, |span, text, made| {
        let line = span.line;
        let text = match text {
            Line::Whole(text) => text,
            Line::Shortened(text, length) => {
                let (size, kept) = (amounts::bytes(length), amounts::bytes(KEPT as u64));
                let what = format!("a record of {size} is read with {kept} of each longer text");
                report.damage(Some(line), what);
                text
            }
            Line::TooLong(length) => {
                let size = amounts::bytes(length);
                let what = format!("a record of {size} is too long to be read");
                report.damage(Some(line), what);
                return;
            }
        };
        if !is_wanted(text, report) {
            return;
        }
        let ready = made.as_mut().and_then(|made| match made {
            Made::Whole(value) => Some(value),
            Made::Cut(value) => taker.is_of_turns(value).then_some(value),
        });
        if let Some(value) = ready {
            cut = false;
            taker.take(Place { span, nth: 0 }, value, report);
            return;
        }
        let (mut records, damage) = split(text, is_record, report);
        cut = damage.last() == Some(&HALF);
        for what in damage {
            report.damage(Some(line), what);
        }
        for (nth, record) in records.iter_mut().enumerate() {
            taker.take(Place { span, nth }, record, report);
        }
    });
    if cut {
        report.note("the last record is incomplete");
    }
}

/// What is made of a line of a large file before its turn comes. A line that is more or less than one
/// sound record is left to [`split`].
enum Made {
    Whole(Value),
    /// With its long texts cut.
    Cut(Value),
}

fn made<T: Fold>(line: &[u8], room: &mut Room) -> Option<Made> {
    let manner = Manner {
        kept: if T::CUTS { light::KEPT } else { usize::MAX },
        passed: T::PASSED,
        told: T::TOLD,
        is_transit: false,
        lists: &[],
    };
    if let Some(Light { value, is_cut }) = light::read(line, manner, room) {
        return Some(if is_cut {
            Made::Cut(value)
        } else {
            Made::Whole(value)
        });
    }
    let read = json::parse(line).ok()?;
    (read.too_deep == 0).then_some(Made::Whole(read.value))
}

/// The whole records in the first lines, for recognising a format.
pub(super) fn sample(source: &Source, lines: usize, longest: usize) -> Vec<Value> {
    let mut report = Report::default();
    let lines = source.first_lines().take(lines);
    lines
        .flat_map(|(_, line)| match line.get(..longest) {
            // What a very long line begins with tells enough.
            Some(head) => salvage::read(head, json::parse)
                .map(|read| vec![read.parsed.value])
                .unwrap_or_default(),
            None => split(line, |value| value.as_map().is_some(), &mut report).0,
        })
        .collect()
}

const HALF: &str = "half a record";
const NULS: &str = "a block of NUL bytes";

/// The whole records of a line in order, and what is wrong with the rest of it, piece by piece.
fn split(
    line: &[u8],
    is_record: fn(&Value) -> bool,
    report: &mut Report,
) -> (Vec<Value>, Vec<&'static str>) {
    if let Some(value) = whole(line, report) {
        return (vec![value], Vec::new());
    }
    if line.contains(&0) {
        let rest: Vec<u8> = line.iter().copied().filter(|byte| *byte != 0).collect();
        let (records, _) = split(rest.trim_ascii(), is_record, report);
        return (records, vec![NULS]);
    }
    let mut records = Vec::new();
    let mut rest = line;
    while let Some(end) = first_end(rest)
        && let Some(value) = whole(&rest[..end], report).filter(&is_record)
    {
        records.push(value);
        rest = rest[end..].trim_ascii_start();
    }
    let mut behind = Vec::new();
    while let Some(start) = last_start(rest)
        && let Some(value) = whole(&rest[start..], report).filter(&is_record)
    {
        behind.push(value);
        rest = rest[..start].trim_ascii_end();
    }
    let mut halves = Vec::new();
    let mut budget = rest.len().saturating_mul(SEARCHED).saturating_add(1 << 20);
    while let Some((start, end)) = inside(rest, &mut budget) {
        let Some(value) = whole(&rest[start..end], report).filter(&is_record) else {
            rest = &rest[start + 1..];
            halves = vec![HALF];
            continue;
        };
        if start > 0 && halves.is_empty() {
            halves.push(HALF);
        }
        records.push(value);
        rest = rest[end..].trim_ascii_start();
        if !rest.is_empty() {
            halves.push(HALF);
        }
    }
    if halves.is_empty() && !rest.is_empty() {
        halves.push(HALF);
    }
    records.extend(behind.into_iter().rev());
    (records, halves)
}

/// Bytes that are looked at for a record between two halves, for each byte of the line, besides a
/// million.
const SEARCHED: usize = 8;

/// The next object that stands in a text, by its beginning and its end.
fn inside(text: &[u8], budget: &mut usize) -> Option<(usize, usize)> {
    let mut at = 0;
    loop {
        at += memchr::memmem::find(text.get(at..)?, b"{\"")?;
        let end = first_end(&text[at..]);
        *budget = budget.checked_sub(end.unwrap_or(text.len() - at))?;
        if let Some(end) = end {
            return Some((at, at + end));
        }
        at += 1;
    }
}

/// The value of a text that is one, with characters replaced that are none.
fn whole(text: &[u8], report: &mut Report) -> Option<Value> {
    let read = salvage::read_record(text)?;
    for wrong in read.wrong {
        report.note(wrong.what);
    }
    if read.parsed.too_deep > 0 {
        report.note("values that are nested too deep are not read");
    }
    Some(read.parsed.value)
}

/// Where the object ends that a text begins with.
pub(super) fn first_end(text: &[u8]) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        if depth == 0 {
            return None;
        }
    }
    None
}

/// Where the object begins that a text ends with. It is looked for from its end, since what stands
/// before it may end anywhere, even inside a string.
fn last_start(text: &[u8]) -> Option<usize> {
    let (mut depth, mut quoted) = (0usize, false);
    let mut at = text.len();
    while at > 0 {
        at -= 1;
        match text[at] {
            b'"' => {
                let before = &text[..at];
                let slashes = before.iter().rev().take_while(|b| **b == b'\\').count();
                // A quote that is escaped belongs to the string around it.
                quoted ^= slashes % 2 == 0;
                at -= slashes;
            }
            b'}' if !quoted => depth += 1,
            b'{' if !quoted => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return (at > 0).then_some(at);
                }
            }
            _ => {}
        }
        if depth == 0 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Limits, to_clojure};

    fn read_all(text: &[u8]) -> (Vec<String>, Report) {
        let mut report = Report::default();
        let mut found = Vec::new();
        let source = Source::from_bytes("test", text.to_vec());
        let is_record = |value: &Value| value.get("part").is_none();
        read(&source, &mut report, is_record, |line, value, _| {
            found.push(format!("{line} {}", to_clojure(&value, Limits::ALL).0));
        });
        (found, report)
    }

    #[test]
    fn a_whole_record_behind_half_a_one_is_recovered() {
        let whole = r#"{"a":{"b":"q\"}{\\"},"c":[1]}"#;
        for half in [
            r#"{"a":1"#,
            r#"{"a":"#,
            r#"{"a":"text"#,
            r#"{"a":"te\"xt\"#,
            r#"{"a":{"b":["#,
            "{",
            r#"{"a"#,
        ] {
            let (found, report) = read_all(format!("{half}{whole}\n{{\"d\":2}}\n").as_bytes());
            assert_eq!(
                found,
                [r#"1 {"a" {"b" "q\"}{\\"} "c" [1]}"#, r#"2 {"d" 2}"#],
                "{half}"
            );
            assert_eq!(report.damaged, 1, "{half}");
            assert_eq!(report.damage[0].line, Some(1));
        }
    }

    #[test]
    fn damage_is_counted_by_line() {
        let (found, report) =
            read_all(b"{\"a\":1}{\"a\":2}\n\0\0\0\0\n\0{\"a\":3}\nplain\n{\"a\":4}{\"a\":");
        assert_eq!(
            found,
            ["1 {\"a\" 1}", "1 {\"a\" 2}", "3 {\"a\" 3}", "5 {\"a\" 4}"]
        );
        let lines: Vec<_> = report.damage.iter().map(|damage| damage.line).collect();
        assert_eq!(lines, [Some(2), Some(3), Some(4), Some(5)]);
        assert_eq!(report.notes, ["the last record is incomplete"]);
    }

    #[test]
    fn a_whole_record_between_two_halves_is_recovered() {
        let (found, report) = read_all(br#"{"a":{"part":1},"b":"{"c":[{"part":2}]}{"d":1,"e"#);
        assert_eq!(found, [r#"1 {"c" [{"part" 2}]}"#]);
        assert_eq!(report.damaged, 2);
    }

    #[test]
    fn a_part_of_a_cut_record_is_no_record() {
        let (found, report) = read_all(b"{\"a\":1}\n{\"b\":[],\"c\":{\"part\":1}");
        assert_eq!(found, ["1 {\"a\" 1}"]);
        assert_eq!(report.damaged, 1);
    }

    #[test]
    fn replaced_characters_are_no_damage() {
        let (found, report) = read_all(b"{\"a\":\"x\xff\"}\n{\"a\":\"\\ud83d end\"}\n");
        assert_eq!(
            found,
            ["1 {\"a\" \"x\u{fffd}\"}", "2 {\"a\" \"\u{fffd} end\"}"]
        );
        assert!(report.is_clean());
        assert_eq!(report.notes.len(), 2);
    }
}
