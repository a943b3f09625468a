//! Looks into a folder off the drawing thread: walks through it now and then, and reads the traces
//! that are wanted for their figures.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::follow::Watch;
use super::reading::{self, Files};
use crate::load::folder::{self, Entry, Found};
use crate::load::{self, Figures, Loaded, Loader, Progress};

/// How long the folder rests between two walks; after a long walk as many times longer.
const REST: Duration = Duration::from_secs(2);
const REST_FACTOR: u32 = 8;

/// How long what a walk finds may wait.
const BATCH: Duration = Duration::from_millis(30);

/// What is told of the folder.
pub enum News {
    /// Something was found.
    Found(Vec<Found>),
    /// A walk has ended.
    Walked,
    /// A trace's figures, or why it can't be opened.
    Figures(Entry, Result<Figures, String>),
}

/// Traces whose figures are wanted, the most urgent first.
#[derive(Default)]
struct Wanted {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Nobody is there any longer.
    stop: AtomicBool,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Entry>,
    /// What is being read.
    current: Option<Entry>,
}

/// The threads that look into a folder. They end with it.
pub struct Scout {
    format: Option<&'static dyn Loader>,
    wanted: Arc<Wanted>,
    coming: Receiver<News>,
}

impl std::fmt::Debug for Scout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scout")
    }
}

impl Scout {
    /// Begins to look.
    pub fn start(root: &Path, format: Option<&'static dyn Loader>) -> Self {
        let wanted = Arc::new(Wanted::default());
        let (send, coming) = channel();
        let (root, stop, tell) = (root.to_owned(), Arc::clone(&wanted), send.clone());
        thread::spawn(move || walk(&root, &stop, &tell));
        let queue = Arc::clone(&wanted);
        thread::spawn(move || read(&queue, format, &send));
        Self {
            format,
            wanted,
            coming,
        }
    }

    /// Wants the figures of these traces, and no longer of others.
    pub(super) fn want(&self, entries: Vec<Entry>) {
        let mut queue = self
            .wanted
            .queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        queue.waiting = entries.into();
        let current = queue.current.clone();
        queue
            .waiting
            .retain(|entry| Some(entry) != current.as_ref());
        self.wanted.changed.notify_one();
    }

    /// What came in since the last time.
    pub(super) fn news(&mut self) -> Vec<News> {
        self.coming.try_iter().collect()
    }

    /// Begins to open a trace.
    pub(super) fn open(&self, path: PathBuf) -> Opening {
        let (send, coming) = channel();
        let (file, format) = (path.clone(), self.format);
        let progress = Arc::<Progress>::default();
        let seen = Arc::clone(&progress);
        thread::spawn(move || {
            let (loaded, watch) = open(&file, format, &progress);
            // Nobody waits any longer where somebody left.
            let _ = send.send(Opened {
                path: file,
                loaded,
                watch,
            });
        });
        Opening {
            path,
            begun: Instant::now(),
            progress: seen,
            coming,
        }
    }
}

impl Drop for Scout {
    fn drop(&mut self) {
        self.wanted.stop.store(true, Ordering::Relaxed);
        self.wanted.changed.notify_all();
    }
}

fn walk(root: &Path, wanted: &Wanted, tell: &Sender<News>) {
    let stopped = || wanted.stop.load(Ordering::Relaxed);
    while !stopped() {
        let begun = Instant::now();
        let mut batch = Vec::new();
        let mut sent = Instant::now();
        folder::walk(root, &mut |found| {
            batch.push(found);
            if sent.elapsed() > BATCH {
                sent = Instant::now();
                let _ = tell.send(News::Found(std::mem::take(&mut batch)));
            }
            !stopped()
        });
        if tell.send(News::Found(batch)).is_err() || tell.send(News::Walked).is_err() {
            return;
        }
        let until = Instant::now() + (begun.elapsed() * REST_FACTOR).max(REST);
        while !stopped() && Instant::now() < until {
            thread::sleep(Duration::from_millis(100));
        }
    }
}

fn read(wanted: &Wanted, format: Option<&'static dyn Loader>, tell: &Sender<News>) {
    let format = format.map(|loader| loader as &dyn Loader);
    let mut queue = wanted.queue.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if wanted.stop.load(Ordering::Relaxed) {
            return;
        }
        let Some(entry) = queue.waiting.pop_front() else {
            queue.current = None;
            queue = wanted
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        queue.current = Some(entry.clone());
        drop(queue);
        let mut figures = Figures::read(&entry.path, format);
        if let Ok(figures) = &mut figures {
            // The list has no totals, and would hold those of all files.
            figures.replies = Vec::new();
        }
        if tell.send(News::Figures(entry, figures)).is_err() {
            return;
        }
        queue = wanted.queue.lock().unwrap_or_else(PoisonError::into_inner);
    }
}

/// Opens a trace: of a large file first the beginning.
fn open(
    file: &Path,
    format: Option<&'static dyn Loader>,
    progress: &Arc<Progress>,
) -> (Result<Loaded, String>, Option<Watch>) {
    let by_format = format.map(|loader| loader as &dyn Loader);
    let files = Files::one(file, format);
    if let Some(loaded) = load::open_beginning(file, by_format) {
        return (Ok(loaded), Some(Watch::reading(files)));
    }
    let begun_at = SystemTime::now();
    let loaded = load::open_with(file, by_format, progress).map_err(|error| error.to_string());
    let beside = loaded.as_ref().map_or(&[][..], |loaded| &loaded.beside);
    let watch = file.is_file().then(|| Watch::new(files, beside, begun_at));
    (loaded, watch)
}

/// A trace that is being opened.
#[derive(Debug)]
pub struct Opening {
    /// Where it lies.
    pub path: PathBuf,
    /// Since when.
    pub begun: Instant,
    /// How far it has come.
    progress: Arc<Progress>,
    coming: Receiver<Opened>,
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.progress.leave();
    }
}

/// What became of opening a trace.
#[derive(Debug)]
pub struct Opened {
    /// Where it lies.
    pub path: PathBuf,
    /// What was loaded, or why nothing was.
    pub loaded: Result<Loaded, String>,
    /// Follows it, where it is a file.
    pub watch: Option<Watch>,
}

impl Opening {
    /// How far it has come, in words.
    pub(super) fn words(&self) -> String {
        reading::words(&self.progress)
    }

    /// What became of it, once that is known.
    pub(super) fn poll(&mut self) -> Option<Opened> {
        match self.coming.try_recv() {
            Ok(opened) => Some(opened),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Opened {
                path: self.path.clone(),
                loaded: Err("opening it ended in a fault of the program".to_owned()),
                watch: None,
            }),
        }
    }
}
