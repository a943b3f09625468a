//! Files of JSON documents: one, one a line, or one behind the other over several lines each.

use super::{Report, Source, records, salvage};
use crate::error::Error;
use crate::value::{Value, json};

/// Hands every document of a source to `take`, with the line it begins in. What is damaged is
/// reported; of a single document that is cut, what is whole is handed on.
///
/// # Errors
/// Where the source is no JSON at all.
pub(super) fn read(
    source: &Source,
    report: &mut Report,
    mut take: impl FnMut(u64, Value, &mut Report),
) -> Result<(), Error> {
    if let Ok(parsed) = json::parse(source.bytes()) {
        note_depth(parsed.too_deep, report);
        take(1, parsed.value, report);
        return Ok(());
    }
    let mut lines = source.lines();
    let first = lines.next().map(|(_, line)| line).unwrap_or_default();
    let by_line =
        json::parse(first).is_ok() || lines.next().is_some_and(|(_, line)| is_object(line));
    if by_line && lines_are_documents(source) {
        records::read_all(source, report, |value| value.as_map().is_some(), take);
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

fn note_depth(too_deep: usize, report: &mut Report) {
    if too_deep > 0 {
        report.note("values that are nested too deep are not read");
    }
}

fn is_object(line: &[u8]) -> bool {
    line.first() == Some(&b'{') && json::parse(line).is_ok()
}

/// Whether the source is one document a line, and no array with an element a line.
fn lines_are_documents(source: &Source) -> bool {
    let first = source.lines().next().map(|(_, line)| line);
    first.is_some_and(|line| line.first() == Some(&b'{') || json::parse(line).is_ok())
}

/// Objects one behind the other, as pretty-printers leave them. False where they are not that.
fn read_in_a_row(
    bytes: &[u8],
    report: &mut Report,
    take: &mut impl FnMut(u64, Value, &mut Report),
) -> bool {
    let mut found = Vec::new();
    let mut rest = bytes.trim_ascii();
    let mut line = 1;
    while let Some(end) = records::first_end(rest) {
        let Ok(read) = salvage::read(&rest[..end], json::parse) else {
            return false;
        };
        if read.wrong.iter().any(|wrong| wrong.incomplete) {
            return false;
        }
        let lines = memchr::memchr_iter(b'\n', &rest[..end]).count();
        found.push((line, read));
        line += u64::try_from(lines).unwrap_or_default();
        let behind = &rest[end..];
        rest = behind.trim_ascii_start();
        let between = &behind[..behind.len() - rest.len()];
        line += u64::try_from(memchr::memchr_iter(b'\n', between).count()).unwrap_or_default();
    }
    if found.len() < 2 {
        return false;
    }
    for (line, read) in found {
        for wrong in read.wrong {
            report.note(wrong.what);
        }
        note_depth(read.parsed.too_deep, report);
        take(line, read.parsed.value, report);
    }
    if !rest.is_empty() {
        report.damage(Some(line), "half a record");
        report.note("the last record is incomplete");
    }
    true
}
