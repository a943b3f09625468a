//! The bytes of a source: in memory, or those of a large file, of which only the beginning is read
//! until more is asked for. Line by line, so that a file of any size takes little memory.
//!
//! Files are read in blocks, never mapped: what another program cuts while it is mapped ends the
//! process.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::batches::{self, Prepared};
use super::foreign::sketch::sketch_of;
use super::progress::{Meter, Metered, Progress};
use super::shorten::{self, Shortener};
use crate::value::Value;

/// Bytes of a file that are read at once; a smaller file is read whole.
pub(super) const HEAD: usize = 4 << 20;

/// Bytes of a record that is read as it is. In a longer line the long texts are cut.
pub(super) const MAX_RECORD: usize = 64 << 20;

/// Bytes that are read at a time.
const BLOCK: usize = 256 << 10;

/// The bytes of a source.
#[derive(Debug, Clone, Default)]
pub(super) struct Bytes {
    /// All of them, or the first of a large file: to the end of a line that is one of its first records.
    pub head: Vec<u8>,
    rest: Option<Rest>,
}

/// A large file behind its head.
#[derive(Debug, Clone)]
struct Rest {
    path: PathBuf,
    /// Where the head begins in it.
    start: u64,
    whole: OnceLock<Vec<u8>>,
    meter: Meter,
}

/// Lines that tell what a file is, as a rule.
const TELLING: usize = 50;

/// Where the long line ends that cuts what is read of a file at once, where that is one of its first and may
/// be a record: what the file is may be told by the whole of it. None where the file is a document.
fn end_of_cut_line(file: &mut File, head: &[u8]) -> io::Result<Option<u64>> {
    let closes = |byte: Option<&u8>| matches!(byte, Some(b'}' | b']'));
    let opens = |byte: u8| matches!(byte, b'{' | b'[');
    let cut = memchr::memrchr(b'\n', head).map_or(0, |end| end + 1);
    let (before, line) = (head[..cut].trim_ascii_end(), head[cut..].trim_ascii_end());
    let is_first = before.is_empty();
    if !is_first
        && (!closes(before.last()) || memchr::memchr_iter(b'\n', before).nth(TELLING).is_some())
    {
        return Ok(None);
    }
    let (mut block, mut at) = (vec![0; BLOCK], head.len() as u64);
    // What the line ends with, white space aside, and where it ends.
    let (mut last, mut end) = (line.last().copied(), None);
    loop {
        let read = match file.read(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let mut behind = &block[..read];
        if end.is_none() {
            let cut = memchr::memchr(b'\n', behind);
            let line = behind[..cut.unwrap_or(read)].trim_ascii_end();
            last = line.last().copied().or(last);
            end = cut.map(|cut| at + cut as u64 + 1);
            at += read as u64;
            if read == 0 || at > MAX_RECORD as u64 || end.is_some() && !closes(last.as_ref()) {
                return Ok(None);
            }
            behind = &behind[cut.unwrap_or(read)..];
        }
        // One line alone is a document.
        if end.is_some() && !is_first {
            return Ok(end);
        }
        if end.is_some() {
            match behind.trim_ascii_start().first() {
                Some(next) => return Ok(end.filter(|_| opens(*next))),
                None if read == 0 => return Ok(None),
                None => {}
            }
        }
    }
}

/// Where a line stands in its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Span {
    /// Its number, from 1.
    pub line: u64,
    /// Where it begins, in bytes from the beginning of the file.
    pub at: u64,
    /// Its bytes.
    pub length: u64,
}

/// A line as it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Its bytes, without white space around them.
    Whole(&'a [u8]),
    /// It is too long to be held: what cutting its texts left of it, and its length.
    Shortened(&'a [u8], u64),
    /// It is too long even so; its length.
    TooLong(u64),
}

impl Bytes {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self {
            head: bytes,
            rest: None,
        }
    }

    /// The bytes of a file; of one with `large` bytes or more the first so many, unless
    /// `is_wanted_whole` says of those that the whole is needed anyway. What is read is counted.
    ///
    /// # Errors
    /// Where it can't be read.
    pub(super) fn open(
        path: &Path,
        large: usize,
        is_wanted_whole: fn(&[u8]) -> bool,
        progress: &Arc<Progress>,
    ) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let size = file.metadata().map_or(0, |about| about.len());
        let meter = Meter::new(progress, size);
        let mut head = Vec::new();
        (&mut file).take(large as u64).read_to_end(&mut head)?;
        meter.reached(head.len() as u64);
        if head.len() < large || is_wanted_whole(&head) {
            // What is packed is nothing without its end.
            file.read_to_end(&mut head)?;
            meter.reached(head.len() as u64);
            return Ok(Self::new(head));
        }
        if let Some(end) = end_of_cut_line(&mut file, &head)? {
            file.seek(SeekFrom::Start(head.len() as u64))?;
            // With the next lines, should this one be such that stands before others of any format.
            let more = end.saturating_sub(head.len() as u64) + BLOCK as u64;
            file.take(more).read_to_end(&mut head)?;
        }
        let rest = Rest {
            path: path.to_owned(),
            start: 0,
            whole: OnceLock::new(),
            meter,
        };
        Ok(Self {
            head,
            rest: Some(rest),
        })
    }

    /// Leaves out the first bytes.
    pub(super) fn skip(&mut self, count: usize) {
        self.head.drain(..count);
        if let Some(rest) = &mut self.rest {
            rest.start += count as u64;
        }
    }

    /// Whether there is more than the head.
    pub(super) fn is_large(&self) -> bool {
        self.rest.is_some()
    }

    /// All bytes. A file that can't be read any longer ends where that happens.
    pub(super) fn whole(&self) -> &[u8] {
        let Some(rest) = &self.rest else {
            return &self.head;
        };
        rest.whole.get_or_init(|| {
            let mut bytes = Vec::new();
            if let Ok(mut file) = rest.open() {
                // Room for all of it at once, as far as there is any: growing costs more than reading.
                let size = std::fs::metadata(&rest.path).map_or(0, |about| about.len());
                let size = usize::try_from(size.saturating_sub(rest.start) + 1);
                let _ = bytes.try_reserve_exact(size.unwrap_or(0));
                let _ = file.read_to_end(&mut bytes);
            }
            if rest.meter.progress.is_left() {
                rest.meter.progress.cut_inside();
            }
            bytes
        })
    }

    /// What can be told of the source without reading it whole: its head up to the last end of a
    /// line, or all of it where it is small.
    pub(super) fn beginning(&self) -> &[u8] {
        if !self.is_large() {
            return &self.head;
        }
        match memchr::memrchr(b'\n', &self.head) {
            Some(end) => &self.head[..end],
            None => &self.head,
        }
    }

    /// The sketch of a large document, looked through to its end; none of what is in memory.
    pub(super) fn outline(&self) -> Option<Value> {
        let (file, _) = self.large_reader()?;
        Some(sketch_of(BufReader::with_capacity(BLOCK, file), 0))
    }

    /// A reader of a large file's bytes, and where they begin in it; none where they are in memory.
    pub(super) fn large_reader(&self) -> Option<(Metered<File>, u64)> {
        let rest = self.rest.as_ref()?;
        Some((rest.open().ok()?, rest.start))
    }

    /// Whether no more of a large file is wanted.
    pub(super) fn is_left(&self) -> bool {
        let rest = self.rest.as_ref();
        rest.is_some_and(|rest| rest.meter.progress.is_left())
    }

    /// The large file that the bytes are those of.
    pub(super) fn large_file(&self) -> Option<File> {
        File::open(&self.rest.as_ref()?.path).ok()
    }

    /// Hands on every line that holds something, with where it stands; those of a large file with what
    /// `prepare` made of them, on several threads.
    pub(super) fn each_line<T: Send, R: Default>(
        &self,
        prepare: impl Fn(&[u8], &mut R) -> Option<T> + Sync,
        mut take: impl FnMut(Span, Line<'_>, &mut Option<T>),
    ) {
        let Some(rest) = &self.rest else {
            for (line, text) in lines(&self.head) {
                let span = Span {
                    line,
                    ..Span::default()
                };
                take(span, Line::Whole(text), &mut None);
            }
            return;
        };
        let progress = &rest.meter.progress;
        let go_on = |reached| {
            rest.meter.reached(reached);
            if progress.is_left() {
                progress.cut_between();
            }
            !progress.is_left()
        };
        let take = |span: Span, line: Prepared<'_, T>| match line {
            Prepared::Line(text, made) => take(span, Line::Whole(text), made),
            Prepared::Long => {
                let file = rest.open_at(span.at);
                let Ok((line, short)) = file.and_then(long_line) else {
                    return;
                };
                if progress.is_left() {
                    // It may be half of one.
                    return;
                }
                let short = short.as_ref().map(|short| short.line().trim_ascii());
                let line = match short {
                    None => Line::Whole(line.trim_ascii()),
                    Some(short) if short.len() > MAX_RECORD => Line::TooLong(span.length),
                    Some(short) => Line::Shortened(short, span.length),
                };
                take(span, line, &mut None);
            }
        };
        // A file that can't be read any longer ends where that happens.
        let _ = batches::each(&rest.path, rest.start, prepare, take, go_on);
    }
}

impl Rest {
    fn open(&self) -> io::Result<Metered<File>> {
        self.open_at(self.start)
    }

    fn open_at(&self, at: u64) -> io::Result<Metered<File>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(at))?;
        Ok(self.meter.of(file, at))
    }
}

/// Reads a line again, as [`Bytes::each_line`] gave it.
///
/// # Errors
/// Where the file no longer has it.
pub(super) fn line_at(file: &mut File, span: Span) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(span.at))?;
    if span.length > MAX_RECORD as u64 {
        let (line, short) = long_line(file)?;
        return Ok(short.map_or(line, |short| short.line().to_vec()));
    }
    let mut line = Vec::new();
    file.take(span.length).read_to_end(&mut line)?;
    Ok(line)
}

/// A long line, or what is left of one that is too long.
fn long_line(file: impl io::Read) -> io::Result<(Vec<u8>, Option<Shortener>)> {
    let mut line = Vec::new();
    let (_, short) = read_line(&mut BufReader::with_capacity(BLOCK, file), &mut line)?;
    Ok((line, short))
}

/// Reads a line with its end, and gives its length, and what is left of one that is too long.
fn read_line(
    file: &mut impl io::BufRead,
    line: &mut Vec<u8>,
) -> io::Result<(u64, Option<Shortener>)> {
    let (mut length, mut short): (u64, Option<Shortener>) = (0, None);
    loop {
        let block = file.fill_buf()?;
        let end = memchr::memchr(b'\n', block);
        let used = end.map_or(block.len(), |end| end + 1);
        match &mut short {
            // Where there is too much structure too, nothing more is kept.
            Some(short) if short.line().len() > MAX_RECORD => {}
            Some(short) => short.feed(&block[..used]),
            None => line.extend_from_slice(&block[..used]),
        }
        length += used as u64;
        file.consume(used);
        if line.len() > MAX_RECORD {
            let mut begun = Shortener::new(shorten::KEPT);
            // One such line is no reason to keep its room.
            begun.feed(&std::mem::take(line));
            short = Some(begun);
        }
        if end.is_some() || used == 0 {
            return Ok((length, short));
        }
    }
}

/// The lines of a text that hold something, with their numbers from 1 and without their ends.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut number = 0;
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        loop {
            let current = rest?;
            let (line, after) = match memchr::memchr(b'\n', current) {
                Some(at) => (&current[..at], Some(&current[at + 1..])),
                None => (current, None),
            };
            rest = after;
            number += 1;
            let line = line.trim_ascii();
            if !line.is_empty() {
                return Some((number, line));
            }
        }
    })
}
