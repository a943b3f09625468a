//! How far a long load has come, and a way to leave it before its end.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// A load as it goes on, seen from another thread. What is left early is loaded as far as it was read.
#[derive(Debug, Default)]
pub struct Progress {
    size: AtomicU64,
    read: AtomicU64,
    is_left: AtomicBool,
    /// Whether leaving came before the end.
    cut: AtomicBool,
    /// Whether it was cut inside a document, rather than between two records.
    cut_inside: AtomicBool,
}

impl Progress {
    /// The bytes that were read so far, each counted once.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// The bytes that there are, as far as that is known; 0 where nothing is, as of standard input.
    pub fn size(&self) -> u64 {
        self.size.load(Ordering::Relaxed)
    }

    /// Wants no more of it. What was read is made something of.
    pub fn leave(&self) {
        self.is_left.store(true, Ordering::Relaxed);
    }

    /// Whether no more is wanted.
    pub fn is_left(&self) -> bool {
        self.is_left.load(Ordering::Relaxed)
    }

    /// Whether something was not read because no more was wanted.
    pub fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// Whether damage that was found may only be the place where it was cut.
    pub(super) fn is_cut_inside(&self) -> bool {
        self.cut_inside.load(Ordering::Relaxed)
    }

    pub(super) fn cut_inside(&self) {
        self.cut.store(true, Ordering::Relaxed);
        self.cut_inside.store(true, Ordering::Relaxed);
    }

    /// Notes that something is not read because no more is wanted.
    pub(super) fn cut_between(&self) {
        self.cut.store(true, Ordering::Relaxed);
    }

    /// Notes that more bytes were read.
    pub(super) fn add(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Counts the bytes of one file, however often it is read.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter {
    pub(super) progress: Arc<Progress>,
    furthest: Arc<AtomicU64>,
}

impl Meter {
    /// Begins to count a file of so many bytes.
    pub(super) fn new(progress: &Arc<Progress>, size: u64) -> Self {
        progress.size.fetch_add(size, Ordering::Relaxed);
        Self {
            progress: Arc::clone(progress),
            furthest: Arc::default(),
        }
    }

    /// A reader that counts, from so many bytes on, and ends early where no more is wanted.
    pub(super) fn of<R: Read>(&self, inner: R, at: u64) -> Metered<R> {
        Metered {
            inner,
            at,
            meter: self.clone(),
        }
    }

    /// Notes that the file was read up to there.
    pub(super) fn reached(&self, at: u64) {
        let before = self.furthest.fetch_max(at, Ordering::Relaxed);
        self.progress.add(at.saturating_sub(before));
    }
}

/// A reader whose bytes are counted. It ends where no more is wanted.
#[derive(Debug)]
pub(super) struct Metered<R> {
    inner: R,
    at: u64,
    meter: Meter,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.meter.progress.is_left() {
            // At the very end nothing is cut, but nobody knows that before the next byte.
            self.meter.progress.cut_between();
            return Ok(0);
        }
        let count = self.inner.read(buffer)?;
        self.at += count as u64;
        self.meter.reached(self.at);
        Ok(count)
    }
}

/// How often what comes in is asked whether it is still wanted.
const ASKED: Duration = Duration::from_millis(50);

/// Bytes that are read at a time of what comes in.
const BLOCK: usize = 64 << 10;

/// Reads standard input or a pipe to its end, or until no more is wanted. It may be long before anything
/// comes, and longer to the end, so it is opened and read on a thread of its own.
///
/// # Errors
/// Where it can't be read.
pub(super) fn read_stream<R: Read>(
    open: impl FnOnce() -> io::Result<R> + Send + 'static,
    progress: &Arc<Progress>,
) -> io::Result<Vec<u8>> {
    let (send, coming) = channel();
    thread::spawn(move || {
        let mut input = match open() {
            Ok(input) => input,
            Err(error) => {
                let _ = send.send(Err(error));
                return;
            }
        };
        let mut block = vec![0; BLOCK];
        loop {
            let read = match input.read(&mut block) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map(|count| block[..count].to_vec()),
            };
            let is_last = read.as_ref().map_or(true, Vec::is_empty);
            if send.send(read).is_err() || is_last {
                return;
            }
        }
    });
    let mut bytes = Vec::new();
    while !progress.is_left() {
        match coming.recv_timeout(ASKED) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Ok(block)) if !block.is_empty() => {
                progress.add(block.len() as u64);
                bytes.extend(block);
            }
            Ok(Err(error)) => return Err(error),
            Ok(Ok(_)) | Err(RecvTimeoutError::Disconnected) => return Ok(bytes),
        }
    }
    progress.cut_inside();
    Ok(bytes)
}
