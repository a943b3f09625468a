//! The bytes of a trace, as its loaders read them.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::beside::Beside;
use super::bytes::{self, Bytes, HEAD, Line, Span, lines};
use super::foreign::sketch::{self, sketch, sketch_of};
use super::packed::{self, Fault};
use super::progress::{Metered, Progress, read_stream};
use super::report::Report;
use super::{probe, storage};
use crate::error::Error;
use crate::value::Value;

/// The name under which standard input is opened and shown.
const STDIN: &str = "-";

/// Bytes of elements of which a sketch is made.
const SKETCHED: u64 = 32 << 20;

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

    /// As [`Source::open`], where a file of so many bytes or more counts as a large one, of which no more
    /// than that is held, and what tells what it is: its turns are read when somebody looks at them. For
    /// whoever holds many traces.
    ///
    /// # Errors
    /// [`Error::Directory`] and [`Error::Read`].
    pub fn open_holding(path: &Path, bytes: usize) -> Result<Self, Error> {
        Self::open_as(path, bytes, &Arc::default())
    }

    /// As [`Source::open`], seen from another thread.
    ///
    /// # Errors
    /// [`Error::Directory`] and [`Error::Read`].
    pub(super) fn open_with(path: &Path, progress: &Arc<Progress>) -> Result<Self, Error> {
        Self::open_as(path, HEAD, progress)
    }

    fn open_as(path: &Path, large: usize, progress: &Arc<Progress>) -> Result<Self, Error> {
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
            Bytes::open(path, large, is_wanted_whole, progress)
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
        if packed::is_packed(&source.bytes.head) {
            source.unpack();
        }
        source.decode();
        source
    }

    /// Unpacks what is packed, as far as it goes.
    fn unpack(&mut self) {
        let (unpacked, fault) = packed::unpack(&self.bytes.head, MAX_UNPACKED);
        self.damage = fault.map(|fault| match fault {
            Fault::Damaged => "the compressed file is damaged or cut",
            Fault::Sum => "the compressed file's checksum is another one",
            Fault::TooLarge => "the compressed file is too large: only its beginning is read",
        });
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

    /// The sketch of a large document to its end, which is looked through for it unless it was read.
    pub(super) fn outline(&self) -> Option<Value> {
        let known = self.outline.get().cloned();
        known.or_else(|| self.bytes.outline())
    }

    /// What can be told of it without reading it whole: of a large file what is read at once, up to the
    /// last end of a line.
    pub(super) fn beginning(&self) -> &[u8] {
        self.bytes.beginning()
    }

    /// Takes what stands around the elements of the large document that the source is, with the lists of
    /// all these names empty, and where its first elements stand, with the sketches of those that were read
    /// whole: that makes the sketch of the document, which then need not be looked through for it.
    pub(super) fn tell_around(
        &self,
        around: &[u8],
        first: &[(Span, Option<Value>)],
        names: &[&str],
        passed_over: &[&str],
    ) {
        // An element of a list, or of a list in an object.
        let level = if around.trim_ascii_start().starts_with(b"[") {
            1
        } else {
            2
        };
        let elements = || {
            let mut file = self.large_file()?;
            let mut told = |(span, known): &(Span, Option<Value>)| match known {
                Some(known) => Some(sketch::of_value(known, level)),
                None => Some(sketch_of(&*bytes::line_at(&mut file, *span).ok()?, level)),
            };
            first.iter().map(&mut told).collect::<Option<Vec<Value>>>()
        };
        // Where they are large, little is gained.
        let looked_through = first.iter().filter(|(_, sketch)| sketch.is_none());
        let bytes: u64 = looked_through.map(|(span, _)| span.length).sum();
        if bytes > SKETCHED {
            return;
        }
        let beginning = sketch(&self.bytes.head);
        let outline = elements().and_then(|elements| {
            probe::outline_of(around, elements, &beginning, names, passed_over)
        });
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
    packed::is_packed(head) || utf16(head).is_some()
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
