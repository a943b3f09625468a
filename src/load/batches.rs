//! The lines of a large file, made ready by several threads and handed on in their order.
//!
//! Each thread takes the next stretch of the file, reads the lines that begin in it, and does with each
//! what needs nothing but the line. A line that is long is left to whoever takes them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use super::bytes::Span;

/// Bytes of a stretch.
const STRETCH: u64 = 1 << 20;
/// Bytes that are read at a time behind a stretch, to the end of its last line.
const MORE: u64 = 64 << 10;
/// Bytes of a line from which on it is left to whoever takes the lines, so that no thread holds many.
const LONG: usize = 8 << 20;
/// Threads at most: the lines are taken by one, which can't keep up with more.
const THREADS: usize = 4;

/// Stretches that may be ready before their turn: what a slow thread holds up takes no more memory.
const AHEAD: u64 = 2 * THREADS as u64;
/// How often a thread that is too far ahead looks again.
const PAUSE: Duration = Duration::from_micros(200);

/// The lines that begin in a stretch.
struct Batch<T> {
    text: Vec<u8>,
    lines: Vec<Ready<T>>,
    /// How many lines begin in it, empty ones too.
    count: u64,
    /// Where the stretch ends in the file.
    end: u64,
}

/// A line that holds something.
struct Ready<T> {
    /// Its number within the batch, from 0.
    number: u64,
    /// Where it stands in the file, with its end.
    at: u64,
    length: u64,
    /// Where it stands in the text; none where it is long.
    place: Option<(usize, usize)>,
    made: Option<T>,
}

/// A stretch that a thread is through with.
struct Done<T> {
    /// Which one it is, from 0.
    nth: u64,
    /// None behind the end of the file.
    batch: io::Result<Option<Batch<T>>>,
    /// Where the batch goes back to, since its memory is that thread's.
    home: Sender<Batch<T>>,
}

/// A line on its way.
pub(super) enum Prepared<'a, T> {
    /// A line without white space around it, and what was made of it. What is not taken of that goes
    /// back to the thread that made it.
    Line(&'a [u8], &'a mut Option<T>),
    /// A long line, not read.
    Long,
}

/// Hands on every line that holds something of a file from `start` on, with what `prepare` makes of it,
/// for which it has some room that is used again. `goes_on` is told how far in the file it has come,
/// and says whether more is wanted.
pub(super) fn each<T: Send, R: Default>(
    path: &Path,
    start: u64,
    prepare: impl Fn(&[u8], &mut R) -> Option<T> + Sync,
    mut take: impl FnMut(Span, Prepared<'_, T>),
    mut goes_on: impl FnMut(u64) -> bool,
) -> io::Result<()> {
    let mut own = File::open(path)?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut line = 0;
    let mut hand_on = |batch: &mut Batch<T>| {
        for ready in &mut batch.lines {
            let span = Span {
                line: line + ready.number + 1,
                at: ready.at,
                length: ready.length,
            };
            take(
                span,
                match ready.place {
                    Some((from, to)) => Prepared::Line(&batch.text[from..to], &mut ready.made),
                    None => Prepared::Long,
                },
            );
        }
        line += batch.count;
        goes_on(batch.end)
    };
    if threads == 1 {
        let (mut text, mut room) = (Vec::new(), R::default());
        for nth in 0.. {
            let Some(mut batch) = stretch(&mut own, start, nth, text, &prepare, &mut room)? else {
                break;
            };
            if !hand_on(&mut batch) {
                break;
            }
            text = batch.text;
        }
        return Ok(());
    }
    let (next, handed_on) = (AtomicU64::new(0), AtomicU64::new(0));
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        // However this ends, nobody waits for it any longer.
        let _stop = Stop(&stop);
        let (send, receive) = sync_channel(1);
        for _ in 0..threads.min(THREADS) {
            let (send, next, stop) = (send.clone(), &next, &stop);
            let (prepare, handed_on) = (&prepare, &handed_on);
            scope.spawn(move || {
                let take_next = || {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    while nth > handed_on.load(Ordering::Relaxed) + AHEAD {
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        thread::sleep(PAUSE);
                    }
                    (!stop.load(Ordering::Relaxed)).then_some(nth)
                };
                // A panic here would leave the others waiting for this thread's stretch.
                let on_panic = Stop(stop);
                work(path, start, take_next, prepare, &send);
                std::mem::forget(on_panic);
            });
        }
        drop(send);
        in_order(&receive, &handed_on, &mut hand_on)
    })
}

/// Tells all threads to stop once it is dropped.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One thread's part: stretch after stretch, until there is none or nobody wants more.
fn work<T, R: Default>(
    path: &Path,
    start: u64,
    take_next: impl Fn() -> Option<u64>,
    prepare: &impl Fn(&[u8], &mut R) -> Option<T>,
    send: &SyncSender<Done<T>>,
) {
    let (home, used) = channel::<Batch<T>>();
    let (mut file, mut room) = (File::open(path), R::default());
    let mut texts = Vec::new();
    while let Some(nth) = take_next() {
        let back = used.try_iter().map(|batch| batch.text);
        // One with a long line is no reason to keep its room.
        texts.extend(back.filter(|text| text.capacity() as u64 <= 2 * STRETCH));
        let batch = match &mut file {
            Ok(file) => stretch(
                file,
                start,
                nth,
                texts.pop().unwrap_or_default(),
                prepare,
                &mut room,
            ),
            Err(error) => Err(error.kind().into()),
        };
        let is_last = !matches!(batch, Ok(Some(_)));
        let home = home.clone();
        if send.send(Done { nth, batch, home }).is_err() || is_last {
            return;
        }
    }
}

/// Hands batches on in their order, up to the first that is missing.
fn in_order<T>(
    receive: &Receiver<Done<T>>,
    handed_on: &AtomicU64,
    hand_on: &mut impl FnMut(&mut Batch<T>) -> bool,
) -> io::Result<()> {
    let (mut waiting, mut wanted) = (BTreeMap::new(), 0);
    for done in receive {
        waiting.insert(done.nth, done);
        while let Some(done) = waiting.remove(&wanted) {
            wanted += 1;
            handed_on.store(wanted, Ordering::Relaxed);
            let Some(mut batch) = done.batch? else {
                return Ok(());
            };
            if !hand_on(&mut batch) {
                return Ok(());
            }
            let _ = done.home.send(batch);
        }
    }
    Ok(())
}

/// The lines that begin in a stretch; none behind the end of the file.
fn stretch<T, R>(
    file: &mut File,
    start: u64,
    nth: u64,
    mut text: Vec<u8>,
    prepare: &impl Fn(&[u8], &mut R) -> Option<T>,
    room: &mut R,
) -> io::Result<Option<Batch<T>>> {
    text.clear();
    // One byte more in front tells whether a line begins right here.
    let before = u64::from(nth > 0);
    let from = start + nth * STRETCH - before;
    file.seek(SeekFrom::Start(from))?;
    // With room for what stands behind it, and to see that there is no more.
    text.reserve(usize::try_from(STRETCH + 2 * MORE).unwrap_or(0));
    file.by_ref()
        .take(STRETCH + before)
        .read_to_end(&mut text)?;
    if text.len() as u64 <= before {
        return Ok(None);
    }
    let mut batch = Batch {
        text: Vec::new(),
        lines: Vec::new(),
        count: 0,
        end: from + text.len() as u64,
    };
    let is_whole = text.len() as u64 == STRETCH + before;
    let mut at = match memchr::memchr(b'\n', &text) {
        _ if nth == 0 => 0,
        Some(end) => end + 1,
        // A line that began before goes on behind it.
        None => text.len(),
    };
    let end = text.len();
    while at < end {
        let mut to = memchr::memchr(b'\n', &text[at..]).map(|to| at + to + 1);
        if to.is_none() && is_whole {
            to = to_line_end(file, &mut text, at)?;
        }
        let cut = to.unwrap_or(text.len());
        let is_long = cut - at > LONG;
        let length = match to {
            None if is_long => rest_of_line(file, (cut - at) as u64)?,
            _ => (cut - at) as u64,
        };
        let line = text[at..cut].trim_ascii();
        if is_long || !line.is_empty() {
            let begin = text[at..cut]
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace());
            let begin = at + begin.count();
            batch.lines.push(Ready {
                number: batch.count,
                at: from + at as u64,
                length,
                place: (!is_long).then_some((begin, begin + line.len())),
                made: if is_long { None } else { prepare(line, room) },
            });
        }
        batch.count += 1;
        if is_long {
            // It is no reason to keep its room.
            text.truncate(at);
            text.shrink_to(2 * LONG);
        }
        at = cut;
    }
    batch.text = text;
    Ok(Some(batch))
}

/// Reads on to the end of the line that begins at a place of the text; none where it is long, or
/// ends with the file.
fn to_line_end(file: &mut File, text: &mut Vec<u8>, at: usize) -> io::Result<Option<usize>> {
    loop {
        let behind = text.len();
        file.by_ref().take(MORE).read_to_end(text)?;
        if let Some(end) = memchr::memchr(b'\n', &text[behind..]) {
            return Ok(Some(behind + end + 1));
        }
        if text.len() == behind || text.len() - at > LONG {
            return Ok(None);
        }
    }
}

/// The whole length of a line of which so many bytes were read.
fn rest_of_line(file: &mut File, read: u64) -> io::Result<u64> {
    let mut length = read;
    let mut block = vec![0; 256 << 10];
    loop {
        let count = file.read(&mut block)?;
        match memchr::memchr(b'\n', &block[..count]) {
            Some(end) => return Ok(length + end as u64 + 1),
            None if count == 0 => return Ok(length),
            None => length += count as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// Lines of so many bytes, each with its number, one long, some empty.
    fn file(lines: usize) -> (tempfile::NamedTempFile, Vec<(u64, u64)>) {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let (mut at, mut expected) = (0, Vec::new());
        for line in 0..lines {
            let length = match line % 7 {
                3 => 0,
                5 if line == 5 => LONG + 1000,
                other => 100_000 * (other + 1),
            };
            let text = "x".repeat(length) + "\n";
            file.write_all(text.as_bytes()).expect("it is written");
            if length > 0 {
                expected.push((line as u64 + 1, at));
            }
            at += text.len() as u64;
        }
        (file, expected)
    }

    #[test]
    fn lines_come_in_their_order_with_their_places() {
        let (file, expected) = file(200);
        let mut found = Vec::new();
        let mut reached = 0;
        each(
            file.path(),
            0,
            |line, (): &mut ()| Some(line.len() as u64),
            |span, line| {
                match line {
                    Prepared::Line(text, made) => {
                        assert_eq!(*made, Some(text.len() as u64));
                        assert_eq!(span.length, text.len() as u64 + 1);
                    }
                    Prepared::Long => assert_eq!(span.length, LONG as u64 + 1001),
                }
                found.push((span.line, span.at));
            },
            |at| {
                reached = at;
                true
            },
        )
        .expect("it can be read");
        assert_eq!(found, expected);
        assert!(reached >= file.path().metadata().expect("it is there").len());
    }

    #[test]
    fn a_panic_on_any_thread_ends_it() {
        let (file, _) = file(200);
        let prepared = AtomicU64::new(0);
        let in_prepare = |_: &[u8], (): &mut ()| {
            assert!(prepared.fetch_add(1, Ordering::Relaxed) < 3, "a line");
            Some(())
        };
        let ended = catch_unwind(AssertUnwindSafe(|| {
            each(file.path(), 0, in_prepare, |_, _| {}, |_| true)
        }));
        assert!(ended.is_err());
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let take = |_, _: Prepared<'_, ()>| panic!("a line");
            each(file.path(), 0, |_, (): &mut ()| Some(()), take, |_| true)
        }));
        assert!(ended.is_err());
    }

    #[test]
    fn who_wants_no_more_gets_no_more() {
        let (file, _) = file(200);
        let mut asked = 0;
        let stop = |_| {
            asked += 1;
            asked < 2
        };
        each(file.path(), 0, |_, (): &mut ()| Some(()), |_, _| {}, stop).expect("it can be read");
        assert_eq!(asked, 2);
    }
}
