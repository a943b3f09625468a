//! Room for what is read of a document, which is used again.
//!
//! Of that which a long element needs three are there at most, of which two are on their way: memory is
//! bounded by that, not by how many batches are on their way, and goes back to the system when the document
//! is read.

use std::ops::{Deref, DerefMut};
use std::sync::mpsc::{Receiver, Sender};

use memmap2::MmapMut;

use super::super::bytes::MAX_RECORD;
use super::{BATCH, BLOCK};

/// Bytes that there is room for as a rule, and where an element is longer. What is not used of it takes no
/// memory.
const SHORT: usize = 4 << 20;
const LONG: usize = MAX_RECORD + BATCH + 2 * BLOCK;

/// Long texts that may be on their way.
const LONG_OUT: usize = 2;

/// Room for a text.
pub(super) enum Buffer {
    Short(Vec<u8>),
    /// Memory alone, no file.
    Long(MmapMut),
}

impl Default for Buffer {
    fn default() -> Self {
        Self::Short(Vec::new())
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Short(room) => room,
            Self::Long(room) => room,
        }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Short(room) => room,
            Self::Long(room) => room,
        }
    }
}

/// A text on its way, which goes home however it is left: somebody may wait for its room.
pub(super) struct Lent<'a> {
    pub text: Buffer,
    pub home: &'a Sender<Buffer>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let _ = self.home.send(std::mem::take(&mut self.text));
    }
}

/// All room that there is.
pub(super) struct Buffers<'a> {
    used: &'a Receiver<Buffer>,
    short: Vec<Buffer>,
    long: Vec<Buffer>,
    /// Long ones that are on their way.
    long_out: usize,
}

impl<'a> Buffers<'a> {
    /// No room yet. What was lent comes back as `used`.
    pub(super) fn new(used: &'a Receiver<Buffer>) -> Self {
        Self {
            used,
            short: Vec::new(),
            long: Vec::new(),
            long_out: 0,
        }
    }

    fn put(&mut self, room: Buffer) {
        match room {
            Buffer::Short(_) => self.short.push(room),
            Buffer::Long(_) => {
                self.long_out -= 1;
                self.long.push(room);
            }
        }
    }

    /// Notes that a text goes out; a long one waits until there are not too many. None where none of those
    /// comes back.
    pub(super) fn lend(&mut self, text: &Buffer) -> Option<()> {
        while let Ok(room) = self.used.try_recv() {
            self.put(room);
        }
        if matches!(text, Buffer::Long(_)) {
            while self.long_out >= LONG_OUT {
                let room = self.used.recv().ok()?;
                self.put(room);
            }
            self.long_out += 1;
        }
        Some(())
    }

    /// Room for a text that begins so: behind a long element another one may follow. None where there is
    /// no memory.
    pub(super) fn next(&mut self, begins: &[u8], is_long: bool) -> Option<Buffer> {
        let long = if is_long { self.long.pop() } else { None };
        let next = long.or_else(|| self.short.pop());
        let mut next = next.unwrap_or_else(|| Buffer::Short(vec![0; SHORT]));
        while next.len() < begins.len() + BLOCK {
            next = self.longer(next)?;
        }
        next[..begins.len()].copy_from_slice(begins);
        Some(next)
    }

    /// More room for a text that fills what it has; none where there is no more.
    pub(super) fn longer(&mut self, text: Buffer) -> Option<Buffer> {
        if matches!(text, Buffer::Long(_)) {
            return None;
        }
        let mut long = match self.long.pop() {
            Some(long) => long,
            None => Buffer::Long(MmapMut::map_anon(LONG).ok()?),
        };
        long.get_mut(..text.len())?.copy_from_slice(&text);
        self.short.push(text);
        Some(long)
    }
}
