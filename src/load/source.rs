//! The bytes of a trace, and what can be told of them before they are parsed.

use std::cell::OnceCell;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::beside::Beside;
use super::bytes::{Bytes, Line, Span, lines};
use super::foreign::sketch::{self, sketch};
use super::progress::{Metered, Progress, read_stream};
use super::report::Report;
use super::{keys, records, salvage, storage};
use crate::error::Error;
use crate::value::Value;
use crate::value::json;

/// The name under which standard input is opened and shown.
const STDIN: &str = "-";

/// A trace's bytes, as UTF-8 without a byte order mark as far as its writer made them so.
#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    path: Option<PathBuf>,
    bytes: Bytes,
    /// The files of a folder, by their paths inside it.
    files: Vec<(PathBuf, Vec<u8>)>,
    /// How the bytes were changed before anybody reads them.
    note: Option<&'static str>,
    damage: Option<&'static str>,
    /// Files of the folder that could not be read.
    unread: usize,
    /// Whether only what comes first of the archive that it is shall be read.
    is_beginning: bool,
    /// The sketch of a large document whose elements were read one by one, to its end.
    outline: OnceLock<Value>,
    beside: Beside,
}

/// How a file begins that zstd compressed.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// How an archive begins.
pub(super) const ARCHIVE: &[u8] = b"PK\x03\x04";

/// Bytes from which on a file's beginning is shown before it is read whole, and bytes of that.
const SHOWN_EARLY: u64 = 8 << 20;
const EARLY: u64 = 512 << 10;

/// Bytes that a compressed file may grow to.
const MAX_UNPACKED: u64 = 4 << 30;

impl Source {
    /// Reads a file, or standard input for `-`.
    ///
    /// # Errors
    /// [`Error::Directory`] and [`Error::Read`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with(path, &Arc::default())
    }

    /// As [`Source::open`], seen from another thread.
    ///
    /// # Errors
    /// [`Error::Directory`] and [`Error::Read`].
    pub(super) fn open_with(path: &Path, progress: &Arc<Progress>) -> Result<Self, Error> {
        let name = path.to_string_lossy().into_owned();
        let read = |source| Error::Read {
            name: name.clone(),
            source,
        };
        if path == Path::new(STDIN) {
            let bytes = read_stream(|| Ok(std::io::stdin()), progress).map_err(read)?;
            let mut source = Self::from_bytes("standard input", bytes);
            source.beside = Beside::new(progress);
            return Ok(source);
        }
        if path.is_dir() {
            let Some(folder) = storage::read(path, progress).map_err(read)? else {
                return Err(Error::Directory { name });
            };
            let mut source = Self::from_bytes(name, Vec::new());
            source.beside = Beside::new(progress);
            source.path = Some(path.to_owned());
            source.files = folder.files;
            source.note = folder.too_large.then_some(storage::TOO_LARGE);
            source.unread = folder.unread;
            return Ok(source);
        }
        let bytes = if is_stream(path) {
            let path = path.to_owned();
            read_stream(|| File::open(path), progress).map(Bytes::new)
        } else {
            Bytes::open(path, is_wanted_whole, progress)
        };
        let bytes = bytes.map_err(read)?;
        let mut source = Self::of(name, bytes);
        source.path = Some(path.to_owned());
        source.beside = Beside::new(progress);
        Ok(source)
    }

    /// What belongs to it, such as the files of runs that it started.
    pub(super) fn beside(&self) -> &Beside {
        &self.beside
    }

    /// The beginning of a file that takes a while to be read whole, as if that were all of it; none
    /// of other files. It lies nowhere, so nothing is looked for beside it.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn beginning_of(path: &Path) -> Result<Option<Self>, Error> {
        let name = path.to_string_lossy().into_owned();
        let read = |source| Error::Read {
            name: name.clone(),
            source,
        };
        let about = std::fs::metadata(path).map_err(read)?;
        if !about.is_file() || about.len() < SHOWN_EARLY {
            return Ok(None);
        }
        let mut head = Vec::new();
        let file = File::open(path).map_err(read)?;
        file.take(EARLY).read_to_end(&mut head).map_err(read)?;
        if head.starts_with(ARCHIVE) {
            let mut source = Self::open(path)?;
            source.is_beginning = true;
            return Ok(Some(source));
        }
        if is_wanted_whole(&head) {
            return Ok(None);
        }
        if let Some(end) = memchr::memrchr(b'\n', &head) {
            head.truncate(end);
        }
        Ok(Some(Self::from_bytes(name, head)))
    }

    /// A source of given bytes.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self::of(name.into(), Bytes::new(bytes))
    }

    fn of(name: String, bytes: Bytes) -> Self {
        let mut source = Self {
            name,
            path: None,
            files: Vec::new(),
            bytes,
            note: None,
            damage: None,
            unread: 0,
            is_beginning: false,
            outline: OnceLock::new(),
            beside: Beside::default(),
        };
        if source.bytes.head.starts_with(&ZSTD) {
            source.unpack();
        }
        source.decode();
        source
    }

    /// Unpacks what zstd packed, as far as it goes.
    fn unpack(&mut self) {
        let mut unpacked = Vec::new();
        let read = ruzstd::decoding::StreamingDecoder::new(self.bytes.head.as_slice())
            .map_err(std::io::Error::other)
            .and_then(|decoder| decoder.take(MAX_UNPACKED).read_to_end(&mut unpacked));
        self.damage = match read {
            Err(_) => Some("the compressed file is damaged or cut"),
            Ok(_) if unpacked.len() as u64 >= MAX_UNPACKED => {
                Some("the compressed file is too large: only its beginning is read")
            }
            Ok(_) => None,
        };
        self.bytes = Bytes::new(unpacked);
    }

    /// Drops a byte order mark; turns UTF-16, which some shells write, into UTF-8.
    fn decode(&mut self) {
        if self.bytes.head.starts_with(&[0xef, 0xbb, 0xbf]) {
            self.bytes.skip(3);
            return;
        }
        let Some((begin, unit)) = utf16(&self.bytes.head) else {
            return;
        };
        let pairs = self.bytes.head[begin..].chunks_exact(2);
        if !pairs.remainder().is_empty() {
            self.damage = Some("half a UTF-16 unit at the end");
        }
        let units: Vec<u16> = pairs.map(|pair| unit([pair[0], pair[1]])).collect();
        self.bytes = Bytes::new(String::from_utf16_lossy(&units).into_bytes());
        self.note = Some("the file is UTF-16; it was read as such");
    }

    /// Notes how the bytes were changed.
    pub(super) fn describe(&self, report: &mut Report) {
        if let Some(note) = self.note {
            report.note(note);
        }
        if let Some(what) = self.damage {
            report.damage(None, what);
        }
        if self.unread > 0 {
            report.damage(
                None,
                format!("{} files of the folder can't be read", self.unread),
            );
        }
    }

    /// What the source is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it lies, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Its bytes, all of them. A large file is read whole for it: where lines do, [`Source::lines`]
    /// and the loaders' reader of records take less memory.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.whole()
    }

    /// The first lines that hold something, as far as the source is read at once.
    pub(super) fn first_lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        lines(self.bytes.beginning())
    }

    /// The first line that holds something; of a very long one what it begins with.
    pub(super) fn first_line(&self) -> Option<&[u8]> {
        self.first_lines().next().map(|(_, line)| line)
    }

    /// What is read of it at once, from its first byte.
    pub(super) fn head(&self) -> &[u8] {
        &self.bytes.head
    }

    /// Whether only what comes first of the archive that it is shall be read.
    pub(super) fn is_beginning(&self) -> bool {
        self.is_beginning
    }

    /// Whether only its beginning is in memory.
    pub(super) fn is_large(&self) -> bool {
        self.bytes.is_large()
    }

    /// A reader of all bytes of the large file that the source is, and where they begin in it.
    pub(super) fn large_reader(&self) -> Option<(Metered<File>, u64)> {
        self.bytes.large_reader()
    }

    /// Whether no more of a large file is wanted.
    pub(super) fn is_left(&self) -> bool {
        self.bytes.is_left()
    }

    /// The large file that the source is.
    pub(super) fn large_file(&self) -> Option<File> {
        self.bytes.large_file()
    }

    /// Takes what stands around the elements of the large document that the source is, with the lists of
    /// these names empty: with their first elements it is the sketch of the document, which then need not
    /// be looked through for it.
    pub(super) fn tell_around<'a>(&self, around: &[u8], lists: impl Iterator<Item = &'a str>) {
        let outline = outline_of(around, &sketch(&self.bytes.head), lists);
        if let Some(outline) = outline {
            let _ = self.outline.set(outline);
        }
    }

    /// Hands on every line that holds something, with where it stands; those of a large file with what
    /// `prepare` made of them, on several threads.
    pub(super) fn each_line<T: Send, R: Default>(
        &self,
        prepare: impl Fn(&[u8], &mut R) -> Option<T> + Sync,
        take: impl FnMut(Span, Line<'_>, &mut Option<T>),
    ) {
        self.bytes.each_line(prepare, take);
    }

    /// The files of a folder that is one tool's storage, by their paths inside it; none of a file.
    pub fn files(&self) -> &[(PathBuf, Vec<u8>)] {
        &self.files
    }

    /// Whether there is nothing but white space.
    pub fn is_blank(&self) -> bool {
        let blank = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_whitespace);
        self.files.is_empty() && blank(&self.bytes.head) && blank(self.bytes.whole())
    }

    /// The lines that hold something, with their numbers from 1 and without their ends.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        lines(self.bytes())
    }
}

/// Whether it is no file that can be read twice, as a pipe.
fn is_stream(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Whether a file that begins so is no text that could be read line by line.
fn is_wanted_whole(head: &[u8]) -> bool {
    head.starts_with(&ZSTD) || utf16(head).is_some()
}

/// How a unit of UTF-16 is read out of its two bytes.
type Unit = fn([u8; 2]) -> u16;

/// Where the text begins of a file that is UTF-16, and how it is read.
fn utf16(head: &[u8]) -> Option<(usize, Unit)> {
    match head.get(..4).or(head.get(..2))? {
        [0xff, 0xfe, ..] => Some((2, u16::from_le_bytes)),
        [0xfe, 0xff, ..] => Some((2, u16::from_be_bytes)),
        // Without a mark the first character, a bracket, tells.
        [b'{' | b'[', 0, next, 0] if *next != 0 => Some((0, u16::from_le_bytes)),
        [0, b'{' | b'[', 0, next] if *next != 0 => Some((0, u16::from_be_bytes)),
        _ => None,
    }
}

/// The sketch of a document, from what stands around its lists and the sketch of its beginning; none where
/// the first elements of a list are not in that.
fn outline_of<'a>(
    around: &[u8],
    beginning: &Value,
    lists: impl Iterator<Item = &'a str>,
) -> Option<Value> {
    let mut outline = sketch(around).as_map()?.clone();
    let beginning = beginning.as_map()?;
    let is_empty = |value: &Value| value.as_list().is_some_and(<[Value]>::is_empty);
    for name in lists.map(Value::string) {
        if !outline.get(&name).is_some_and(is_empty) {
            continue;
        }
        let begun = beginning.get(&name)?;
        // The beginning is cut inside its last entry.
        let is_cut = beginning.keys().last() == Some(&name);
        if is_cut && begun.as_list()?.len() < sketch::ITEMS {
            return None;
        }
        outline.insert(name, begun.clone());
    }
    Some(Value::map(outline))
}

/// Bytes of a first line that are parsed to recognise a format.
const PROBED_LINE: usize = 4 << 20;

/// Lines that are looked at where the first tells nothing.
const SKETCHED_LINES: usize = 20;
/// Lines whose records are looked at to recognise a format.
const PROBED_LINES: usize = 50;

/// Bytes of a document, or of a long line, that are looked at to recognise a format.
const PROBED_HEAD: usize = 256 << 10;

/// What can be told of a source before a loader reads it.
#[derive(Debug)]
pub struct Probe<'a> {
    source: &'a Source,
    /// The first line that holds something, if it is JSON by itself.
    first_line: Option<Value>,
    /// The keys of the JSON object that the whole source is, as far as it goes.
    keys: Vec<String>,
    /// Whether more may stand behind what is read at once of the document that the source is.
    is_cut: bool,
    /// The sketch of a document that does not end with what is read at once.
    outline: Option<Value>,
    sketch: OnceCell<Value>,
    records: OnceCell<Vec<Value>>,
    head: OnceCell<Value>,
}

impl<'a> Probe<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        let mut probe = Self::of_beginning(source);
        if probe.is_cut {
            let outline = source.outline.get().cloned();
            probe.know(outline.or_else(|| source.bytes.outline()));
        }
        probe
    }

    /// What can be told of a source by what is read of it at once.
    pub(super) fn of_beginning(source: &'a Source) -> Self {
        // What ends with what is read at once is no line by itself.
        let is_begun = source.is_large() && !source.head().contains(&b'\n');
        let first_line = source
            .first_line()
            .filter(|line| line.len() <= PROBED_LINE && !is_begun)
            .and_then(|line| json::parse(line).ok())
            .map(|parsed| parsed.value);
        let (keys, is_whole) = keys::of(&source.bytes.head);
        Self {
            source,
            first_line,
            keys,
            is_cut: source.is_large() && !is_whole,
            outline: None,
            sketch: OnceCell::new(),
            records: OnceCell::new(),
            head: OnceCell::new(),
        }
    }

    /// Takes the sketch of the whole document, where there is one.
    fn know(&mut self, outline: Option<Value>) {
        if let Some(entries) = outline.as_ref().and_then(Value::as_map) {
            let names = entries.keys().filter_map(Value::as_str);
            self.keys = names.map(str::to_owned).collect();
        }
        self.outline = outline;
    }

    /// Whether a document may go on behind what is read of it at once.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The whole records in the first lines; of a very long one what it begins with. None where the
    /// source is one document over several lines.
    pub fn records(&self) -> &[Value] {
        self.records
            .get_or_init(|| records::sample(self.source, PROBED_LINES, PROBED_HEAD))
    }

    /// What the source begins with, as far as that is JSON: an array with its first elements, an
    /// object with its first entries.
    pub fn head(&self) -> &Value {
        self.head.get_or_init(|| {
            let bytes = self.source.bytes.beginning();
            let head = bytes.get(..PROBED_HEAD).unwrap_or(bytes);
            let read = salvage::read(head, json::parse);
            read.map(|read| read.parsed.value).unwrap_or_default()
        })
    }

    /// The first lines that hold something.
    pub(super) fn first_lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.source.first_lines()
    }

    /// The source.
    pub fn source(&self) -> &Source {
        self.source
    }

    /// The first line that holds something, if it is JSON by itself.
    pub fn first_line(&self) -> Option<&Value> {
        self.first_line.as_ref()
    }

    /// Whether the whole source is a JSON object with this key, as far as it can be read.
    pub fn has_key(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known == key)
    }

    /// The first items and keys of the JSON document that the source is or begins with, a few levels
    /// deep; also of one that is cut or isn't quite JSON.
    pub(super) fn sketch(&self) -> &Value {
        let outline = self.outline.as_ref();
        outline.unwrap_or_else(|| {
            let beginning = self.source.bytes.beginning();
            self.sketch.get_or_init(|| sketch(beginning))
        })
    }

    /// As this one, with what can be read of a damaged beginning in the place of the sketch.
    pub(super) fn mended(&self) -> Self {
        let mut other = Self::new(self.source);
        other.outline = Some(self.head().clone());
        other
    }

    /// Sketches of the first lines.
    pub(super) fn line_sketches(&self) -> impl Iterator<Item = Value> {
        let lines = self.first_lines().take(SKETCHED_LINES);
        lines.map(|(_, line)| sketch(&line[..line.len().min(PROBED_LINE)]))
    }

    /// The error for a source that nobody recognises.
    pub(super) fn unrecognised(&self, name: &str) -> Error {
        let name = name.to_owned();
        let known = super::format_names;
        let start = self.source.bytes().trim_ascii();
        let begins = |with: &[u8]| start.starts_with(with);
        let other = if begins(b"event:") || begins(b"data:") {
            Some("it is a stream of server-sent events; save the whole response instead")
        } else if begins(b"SQLite format 3\0") {
            Some("it is an SQLite database; of opencode's, export a session: opencode export ID")
        } else if start == b"[]" || start == b"{}" {
            Some("there is nothing in it")
        } else {
            super::storage::part_of_one(&self.keys)
        };
        if let Some(why) = other {
            return Error::Unrecognised {
                name,
                why: why.to_owned(),
                known: known(),
            };
        }
        if self.first_line.is_none() && self.keys.is_empty() {
            let why = match json::parse(self.source.bytes()) {
                Err(error) => error.to_string(),
                Ok(_) => String::new(),
            };
            if !why.is_empty() {
                return Error::NotJson { name, why };
            }
        }
        let why = if self.keys.is_empty() {
            "it is JSON, but no object".to_owned()
        } else {
            let shown: Vec<String> = self
                .keys
                .iter()
                .take(8)
                .map(|key| format!("'{key}'"))
                .collect();
            format!("its keys are {}", shown.join(", "))
        };
        Error::Unrecognised {
            name,
            why,
            known: super::format_names(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::Map;

    fn entries(names: &'static [&'static str]) -> impl Strategy<Value = Vec<String>> {
        let value = prop_oneof![
            Just("1"),
            Just("\"a\\n\""),
            Just("[]"),
            Just("[1,{\"b\":[2]}]"),
            Just("{\"messages\":[3]}"),
        ];
        let entry = (0..names.len(), value);
        let entries = proptest::collection::vec(entry, 0..3);
        entries.prop_map(|entries| {
            let entry = |(at, value): (usize, &str)| format!("\"{}\":{value}", names[at]);
            entries.into_iter().map(entry).collect()
        })
    }

    proptest! {
        /// However much of a document is read at once, what is told of it by what stands around its lists
        /// is what the whole tells, but for an element in which that ends.
        #[test]
        fn the_outline_is_that_of_the_whole(
            before in entries(&["a", "info"]),
            between in entries(&["b", "model"]),
            after in entries(&["c", "usage"]),
            lists in [0..12usize, 0..12usize],
            cut in 0..400usize,
        ) {
            let text = |[messages, steps]: [usize; 2]| {
                let list = |name: &str, count: usize| {
                    let items: Vec<String> = (0..count).map(|at| format!("{{\"n\":{at}}}")).collect();
                    vec![format!("\"{name}\":[{}]", items.join(","))]
                };
                let all = [&before[..], &list("messages", messages), &between, &list("steps", steps), &after];
                format!("{{{}}}", all.concat().join(","))
            };
            let whole = text(lists);
            let head = &whole[..cut.min(whole.len())];
            let names = ["messages", "steps"];
            let outline = outline_of(text([0, 0]).as_bytes(), &sketch(head.as_bytes()), names.into_iter());
            let is_read = head.len() == whole.len() && !after.is_empty();
            prop_assert!(!is_read || outline.is_some());
            if let Some(outline) = outline {
                let told = |mut outline: Map| {
                    for name in names.map(Value::string) {
                        let list = outline.get(&name).and_then(Value::as_list).unwrap_or_default().to_vec();
                        let kept = list.len().min(sketch::ITEMS - 1);
                        outline.insert(name, Value::list(list[..kept].to_vec()));
                    }
                    outline
                };
                let expected = sketch(whole.as_bytes());
                let both = [&outline, &expected].map(|outline| told(outline.as_map().expect("a map").clone()));
                prop_assert_eq!(&both[0], &both[1]);
                prop_assert!(both[0].keys().eq(both[1].keys()));
            }
        }
    }
}
