//! Files of JSON documents: one, one a line, or one behind the other over several lines each.

use super::bytes::Span;
use super::records::Place;
use super::{Report, Source, records, salvage};
use crate::error::Error;
use crate::value::{Value, json};

/// Hands every document of a source to `take`, with the line it begins in. What is damaged is
/// reported, and what is whole in it is handed on. `is_record` tells a document behind half a one on
/// the same line from a part of that half.
///
/// # Errors
/// Where the source is no JSON at all.
pub(super) fn read(
    source: &Source,
    report: &mut Report,
    is_record: fn(&Value) -> bool,
    mut take: impl FnMut(u64, Value, &mut Report),
) -> Result<(), Error> {
    let take = |place: Place, value, report: &mut Report| take(place.span.line, value, report);
    read_placed(source, report, is_record, take)
}

/// As [`read`], with where each document stands: of a file that is read whole only the line.
///
/// # Errors
/// Where the source is no JSON at all.
pub(super) fn read_placed(
    source: &Source,
    report: &mut Report,
    is_record: fn(&Value) -> bool,
    mut take_placed: impl FnMut(Place, Value, &mut Report),
) -> Result<(), Error> {
    // A large file of lines is never held whole.
    let by_line = are_lines(source);
    if by_line && source.is_large() {
        records::read_placed(source, report, is_record, take_placed);
        return Ok(());
    }
    let mut take = |line, value, report: &mut Report| {
        let span = Span {
            line,
            ..Span::default()
        };
        take_placed(Place { span, nth: 0 }, value, report);
    };
    if let Ok(parsed) = json::parse(source.bytes()) {
        note_depth(parsed.too_deep, report);
        take(1, parsed.value, report);
        return Ok(());
    }
    if by_line {
        records::read_all(source, report, is_record, take);
        return Ok(());
    }
    if read_in_a_row(source.bytes(), report, &mut take) {
        return Ok(());
    }
    let read = salvage::read(source.bytes(), json::parse).map_err(|error| Error::NotJson {
        name: source.name().to_owned(),
        why: error.to_string(),
    })?;
    for wrong in read.wrong {
        if wrong.incomplete {
            report.damage(Some(wrong.line), wrong.what);
        } else {
            report.note(wrong.what);
        }
    }
    note_depth(read.parsed.too_deep, report);
    take(1, read.parsed.value, report);
    Ok(())
}

/// Lines that are looked at to tell documents a line from one over several lines.
const LOOKED_AT: usize = 20;

/// The start of a record, to its first key.
const START: usize = 8;

/// Whether a source holds a document a line: at least half of its first lines are one, or begin and
/// end as one does and no part of a document over several lines. Where all are damaged, records that
/// begin with the same key tell, at the start of a line or behind half a record.
pub(super) fn are_lines(source: &Source) -> bool {
    let (mut lines, mut alike, mut whole) = (0, 0, 0);
    let mut start: Option<&[u8]> = None;
    for (_, line) in source.first_lines().take(LOOKED_AT) {
        let is_whole = salvage::read_record(line).is_some();
        if lines == 0 && is_whole {
            return true;
        }
        if lines == 0 && matches!(line, [b'[' | b'{'] | [b'[', b'{', ..]) {
            return false;
        }
        let is_object = line.len() > 2 && line[0] == b'{';
        lines += 1;
        let begins_alike = start.is_some_and(|start| line.starts_with(start));
        start = start.or_else(|| first_key(line));
        let holds_one = || start.is_some_and(|start| ends_in_record(line, start));
        whole += usize::from(is_object && (is_whole || begins_alike || holds_one()));
        alike += usize::from(is_object && !line.ends_with(b",") && !line.ends_with(b"["));
    }
    whole > 0 && alike * 2 >= lines
}

/// What the first object with a key begins with.
fn first_key(line: &[u8]) -> Option<&[u8]> {
    let at = memchr::memmem::find(line, b"{\"")?;
    line.get(at..at + START)
}

/// Whether a line ends in a whole record that begins so, with something before it.
fn ends_in_record(line: &[u8], start: &[u8]) -> bool {
    let at = memchr::memmem::rfind(line, start).filter(|at| *at > 0);
    at.is_some_and(|at| salvage::read_record(&line[at..]).is_some())
}

fn note_depth(too_deep: usize, report: &mut Report) {
    if too_deep > 0 {
        report.note("values that are nested too deep are not read");
    }
}

/// Objects one behind the other, as pretty-printers leave them. False where they are not that. Behind
/// a damaged one the next begins with a line.
fn read_in_a_row(
    bytes: &[u8],
    report: &mut Report,
    take: &mut impl FnMut(u64, Value, &mut Report),
) -> bool {
    let (mut found, mut damaged) = (Vec::new(), Vec::new());
    let mut rest = bytes.trim_ascii();
    while !rest.is_empty() {
        let at = bytes.len() - rest.len();
        let whole = records::first_end(rest)
            .and_then(|end| Some((end, salvage::read_record(&rest[..end])?)));
        let Some((end, read)) = whole else {
            damaged.push(at);
            match memchr::memmem::find(rest, b"\n{") {
                Some(next) => rest = &rest[next + 1..],
                None => break,
            }
            continue;
        };
        found.push((at, read));
        rest = rest[end..].trim_ascii_start();
        if matches!(rest.first(), Some(b',' | b']' | b'}')) {
            // The end of a damaged one, or a part of something larger.
            let next = memchr::memmem::find(rest, b"\n{");
            let Some(next) = next.filter(|_| rest[0] != b',') else {
                return false;
            };
            damaged.push(bytes.len() - rest.len());
            rest = &rest[next + 1..];
        }
    }
    if found.is_empty() || found.len() + damaged.len() < 2 {
        return false;
    }
    let line = |at: usize| {
        let lines = memchr::memchr_iter(b'\n', &bytes[..at]).count();
        u64::try_from(lines).unwrap_or(u64::MAX).saturating_add(1)
    };
    if damaged
        .last()
        .is_some_and(|at| found.iter().all(|(before, _)| before < at))
    {
        report.note("the last record is incomplete");
    }
    for at in damaged {
        report.damage(Some(line(at)), "half a record");
    }
    for (at, read) in found {
        for wrong in read.wrong {
            report.note(wrong.what);
        }
        note_depth(read.parsed.too_deep, report);
        take(line(at), read.parsed.value, report);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(text: &str) -> (Vec<u64>, usize) {
        let source = Source::from_bytes("test", text.as_bytes().to_vec());
        let (mut report, mut found) = (Report::default(), Vec::new());
        let is_record = |value: &Value| value.get("a").is_some();
        read(&source, &mut report, is_record, |line, _, _| {
            found.push(line);
        })
        .expect("JSON");
        (found, report.damaged)
    }

    #[test]
    fn documents_stand_in_three_ways() {
        assert_eq!(lines_of("{\n \"a\": 1\n}"), (vec![1], 0));
        assert_eq!(lines_of("{\"a\":1}\n\n{\"a\":2}\n"), (vec![1, 3], 0));
        assert_eq!(
            lines_of("{\n \"a\": 1\n}\n{\n \"a\": 2\n}"),
            (vec![1, 4], 0)
        );
    }

    #[test]
    fn a_damaged_document_costs_no_other() {
        assert_eq!(lines_of("garbage\n{\"a\":1}\n{\"a\":2}\n"), (vec![2, 3], 1));
        assert_eq!(lines_of("{\"a\":[{\"a\":1}\n{\"a\":2}\n"), (vec![1, 2], 1));
        assert_eq!(
            lines_of("{\n \"a\": 1\n}\n{\n \"a\" 2\n}\n{\n \"a\": 3\n}"),
            (vec![1, 7], 1)
        );
        assert_eq!(
            lines_of("{\"b\":[\n{\"a\":1},\n{\"a\":#},\n{\"a\":3}\n]}"),
            (vec![1], 1)
        );
    }
}
