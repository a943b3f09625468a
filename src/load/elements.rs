//! A large document that is one long list, or an object with one: its elements are handed on one by
//! one, with where each stands, so that they can be read again (performance G3).
//!
//! One thread finds where the elements begin and end, others read them. Only a sound document is read
//! so: of a damaged one nothing is told here, it is read whole ([`super::salvage`]).

mod buffers;
mod scan;

use std::io::{ErrorKind, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::bytes::{MAX_RECORD, Span};
use super::foreign::sketch::{self, ITEMS};
use super::light::{self, Light, Manner, Room, Told};
use super::records::Place;
use super::{Report, Source, salvage};
use crate::value::Value;
use buffers::{Buffer, Buffers, Lent};
use scan::Scan;

/// Bytes that are read at a time.
const BLOCK: usize = 256 << 10;
/// Bytes of elements that are given to a thread together.
const BATCH: usize = 1 << 20;
/// Batches that may be on their way.
const AHEAD: usize = 8;
/// Threads that read elements, at most.
const THREADS: usize = 4;

/// How the elements of a document are read.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// Names of the list, where it is not the document itself.
    pub names: &'static [&'static str],
    /// Names of other lists, which are passed over: they are empty in what stands around the elements.
    pub skipped: &'static [&'static str],
    /// What reads an element, or what is around them, that is more than plain JSON.
    pub parse: salvage::Parse,
    /// What is read of them.
    pub texts: Texts,
    /// Keys of entries that are passed over, wherever they stand, where they are texts, lists or objects:
    /// nil is read in their place.
    pub passed: &'static [&'static str],
    /// Lists in elements of which all is read else: long texts may be cut in their items. Not where Transit
    /// is told.
    pub lists: &'static [light::Cut],
}

/// What is read of elements.
#[derive(Clone, Copy)]
pub(super) enum Texts {
    /// All of it.
    Whole,
    /// Long texts may be cut of elements of which this says so: nothing but turns is made of them, which
    /// are read again, and no identifier in them is long.
    CutOf(fn(&Value) -> bool),
    /// All of it, with the conventions of Transit. Nothing in it may have to be replaced.
    Transit,
}

/// Hands the elements of a large source on, in order, until `take` says that it can't be read so. The
/// list is the document itself, or stands in it under one of the names. Gives what stands around the
/// elements: the document with the list empty.
///
/// None where the source must be read whole: it is small or damaged, or there is not one such list. The
/// report is then what it was.
pub(super) fn read(
    source: &Source,
    how: How,
    report: &mut Report,
    mut take: impl FnMut(Place, Value, &mut Report) -> bool,
) -> Option<Value> {
    read_told(source, how, report, |element, told| {
        take(element.place, element.value, told)
    })
}

/// As [`read`], with whether any text of an element was cut.
pub(super) fn read_told(
    source: &Source,
    how: How,
    report: &mut Report,
    mut take: impl FnMut(Element, &mut Report) -> bool,
) -> Option<Value> {
    let (file, start) = source.large_reader()?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (mut told, mut wrong) = (report.clone(), Vec::new());
    let mut first = Vec::new();
    let scanned = thread::scope(|scope| {
        let (hand_out, batches) = sync_channel(AHEAD);
        let (promise, promised) = sync_channel(AHEAD);
        let (give_back, used) = channel();
        let batches = Arc::new(Mutex::new(batches));
        for _ in 0..threads.min(THREADS) {
            let (batches, give_back) = (Arc::clone(&batches), give_back.clone());
            scope.spawn(move || work(&batches, how, &give_back));
        }
        drop((batches, give_back));
        let scan = scope.spawn(move || {
            let mut scan = Scan::new(how.names, how.skipped);
            let buffers = Buffers::new(&used);
            scan_all(file, start, &mut scan, &hand_out, &promise, buffers).map(|()| scan)
        });
        for made in promised {
            let made: Receiver<Option<Vec<Made>>> = made;
            for made in made.recv().ok()?? {
                wrong.extend(made.wrong);
                let element = made.element;
                if first.len() < ITEMS {
                    let is_whole = made.is_told_whole;
                    let told = is_whole.then(|| sketch::of_value(&element.value, 0));
                    first.push((element.place.span, told));
                }
                if !take(element, &mut told) {
                    return None;
                }
            }
        }
        scan.join().ok()?
    })?;
    let around = scanned.around(source.is_left())?;
    let (value, replaced) = sound(&around, how)?;
    wrong.extend(replaced);
    // Of a name that stands twice the last counts, and that one is not empty.
    let mut lists = how
        .names
        .iter()
        .filter_map(|name| value.get(name)?.as_list());
    let has_one = value.as_list().is_some()
        || lists.next().is_some_and(<[_]>::is_empty) && lists.next().is_none();
    if !has_one {
        return None;
    }
    source.tell_around(&around, &first, how.names, how.skipped);
    // As they are told of a document that is read whole: before anything else is said.
    let others = told.notes.split_off(report.notes.len());
    for note in wrong.into_iter().chain(others) {
        told.note(note);
    }
    *report = told;
    Some(value)
}

/// Elements as they stand in the file.
struct Batch {
    /// What was read, and room behind it.
    text: Buffer,
    /// Where the text begins in the file.
    at: u64,
    /// Where each element begins and ends in the text.
    found: Vec<(usize, usize)>,
    /// How deep they stand.
    depth: usize,
    /// Where they go to once they are read.
    to: SyncSender<Option<Vec<Made>>>,
}

/// Whether an identifier is none that may be cut, if it is there at all.
pub(super) fn is_short(id: Option<&Value>) -> bool {
    id.and_then(Value::as_str).is_none_or(is_short_text)
}

/// Whether no identifier under some names may be cut.
pub(super) fn have_short(value: &Value, names: &[&str]) -> bool {
    names.iter().all(|name| is_short(value.get(name)))
}

/// Whether a text is none that may be cut.
pub(super) fn is_short_text(text: &str) -> bool {
    text.len() < light::KEPT / 2
}

/// Whether no text in a value may be cut. A key never is.
pub(super) fn are_short(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().all(are_short),
        Value::Map(entries) => entries.values().all(are_short),
        text => is_short(Some(text)),
    }
}

/// An element as it is handed on.
pub(super) struct Element {
    pub place: Place,
    pub value: Value,
    /// Whether any of its texts was cut, or an entry passed over.
    pub is_cut: bool,
}

/// What a thread made of an element.
struct Made {
    element: Element,
    /// Whether its value is all that a sketch tells of what stands there.
    is_told_whole: bool,
    /// What had to be replaced in it.
    wrong: Vec<String>,
}

/// One thread's part: batch after batch, until there are no more. Their room is given back to be used
/// again.
fn work(batches: &Mutex<Receiver<Batch>>, how: How, give_back: &Sender<Buffer>) {
    let (mut room, mut cutting) = (Room::default(), Cutting::default());
    let next = || {
        let batches = batches.lock().unwrap_or_else(PoisonError::into_inner);
        batches.recv()
    };
    while let Ok(mut batch) = next() {
        let lent = Lent {
            text: std::mem::take(&mut batch.text),
            home: give_back,
        };
        let element = |(from, to): &(usize, usize)| {
            let text = &lent.text[*from..*to];
            let read = light(text, how, &mut room, &mut cutting);
            let is_transit = matches!(how.texts, Texts::Transit);
            let (Light { value, is_cut }, is_told_whole, wrong) =
                if let Some((read, is_told_whole)) = read {
                    (read, is_told_whole && !is_transit, Vec::new())
                } else {
                    let (read, wrong) = element(text, batch.depth, how)?;
                    (read, false, wrong)
                };
            let span = Span {
                line: 1,
                at: batch.at + *from as u64,
                length: (to - from) as u64,
            };
            let place = Place { span, nth: 0 };
            Some(Made {
                element: Element {
                    place,
                    value,
                    is_cut,
                },
                is_told_whole,
                wrong,
            })
        };
        let read = batch.found.iter().map(element).collect();
        // Where nobody waits for it any longer, that's that.
        let _ = batch.to.send(read);
    }
}

/// Whether it is worth trying to read elements with their texts cut: those that must be read whole in the
/// end were read twice.
#[derive(Default)]
struct Cutting {
    /// Bytes of elements whose texts could be cut.
    good: usize,
    /// Bytes of those that had to be read again.
    vain: usize,
    tried: usize,
}

impl Cutting {
    /// Bytes that may be read in vain before it is given up.
    const VAIN: usize = 1 << 20;
    /// Of so many elements one is tried still: others may follow.
    const STILL: usize = 16;

    fn is_worth(&mut self) -> bool {
        self.tried += 1;
        self.vain <= 2 * self.good + Self::VAIN || self.tried.is_multiple_of(Self::STILL)
    }
}

/// The value of a sound element, with its long texts cut where they may be, and whether it is all that a
/// sketch tells; none where only a reader of all of it can tell what it says.
fn light(text: &[u8], how: How, room: &mut Room, cutting: &mut Cutting) -> Option<(Light, bool)> {
    let passed = how.passed;
    let mut read = |kept| {
        let manner = Manner {
            kept,
            passed,
            told: Told::Keys,
            is_transit: matches!(how.texts, Texts::Transit),
            lists: how.lists,
        };
        light::read(text, manner, room)
    };
    let told = |light: Light| {
        let is_told_whole = passed.is_empty() || !light.is_cut;
        (light, is_told_whole)
    };
    let is_of_turns = match how.texts {
        Texts::CutOf(is_of_turns) if cutting.is_worth() => is_of_turns,
        Texts::CutOf(_) | Texts::Whole | Texts::Transit => return Some(told(read(usize::MAX)?)),
    };
    let short = read(light::KEPT)?;
    if !short.is_cut {
        return Some((short, true));
    }
    if is_of_turns(&short.value) {
        cutting.good += text.len();
        return Some((short, false));
    }
    cutting.vain += text.len();
    Some(told(read(usize::MAX)?))
}

/// The value of an element that is nested so deep; none where it is damaged, or holds values that are
/// nested too deep.
fn element(text: &[u8], depth: usize, how: How) -> Option<(Light, Vec<String>)> {
    // Within as much as it stands in, so that it is read as it is there.
    let (open, close) = (b"[".repeat(depth), b"]".repeat(depth));
    let text = [&*open, text, &*close].concat();
    let (mut value, wrong) = sound(&text, how)?;
    for _ in 0..depth {
        let [inner] = value.as_list()? else {
            return None;
        };
        value = inner.clone();
    }
    let is_cut = false;
    Some((Light { value, is_cut }, wrong))
}

/// The value of a text, and what had to be replaced in it; none where it is damaged, or holds values that
/// are nested too deep.
fn sound(text: &[u8], how: How) -> Option<(Value, Vec<String>)> {
    let read = salvage::read(text, how.parse).ok()?;
    let may_replace = !matches!(how.texts, Texts::Transit);
    let mut wrong = read.wrong.iter();
    let is_sound = wrong.all(|wrong| may_replace && !wrong.incomplete);
    let wrong = read.wrong.into_iter().map(|wrong| wrong.what);
    (is_sound && read.parsed.too_deep == 0).then(|| (read.parsed.value, wrong.collect()))
}

/// Finds the elements of a file, and hands them out; each batch is promised in its order. None where it
/// is not to be read so.
fn scan_all(
    mut file: impl Read,
    start: u64,
    scan: &mut Scan<'_>,
    hand_out: &SyncSender<Batch>,
    promise: &SyncSender<Receiver<Option<Vec<Made>>>>,
    mut buffers: Buffers<'_>,
) -> Option<()> {
    // Behind what is known of the text there is room: what is read into need not be emptied first.
    let (mut text, mut known, mut at) = (buffers.next(&[], false)?, 0, start);
    loop {
        while text.len() < known + BLOCK {
            text = buffers.longer(text)?;
        }
        let before = known;
        known += match file.read(&mut text[before..before + BLOCK]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.ok()?,
        };
        let is_end = known == before;
        scan.feed(&text[..known], before)?;
        let done = scan.begun.unwrap_or(known);
        let is_too_long = |(from, to): &(usize, usize)| to - from > MAX_RECORD;
        if known - done > MAX_RECORD || scan.found.iter().any(is_too_long) {
            return None;
        }
        if done >= BATCH || is_end {
            buffers.lend(&text)?;
            let next = buffers.next(&text[done..known], done > 4 * BATCH)?;
            known -= done;
            let (to, made) = sync_channel(1);
            let batch = Batch {
                at,
                found: std::mem::take(&mut scan.found),
                depth: scan.depth_of_elements,
                text: std::mem::replace(&mut text, next),
                to,
            };
            at += done as u64;
            scan.begun = scan.begun.map(|_| 0);
            hand_out.send(batch).ok()?;
            promise.send(made).ok()?;
        }
        if is_end {
            return Some(());
        }
    }
}
