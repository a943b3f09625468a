//! Following a file that another program still writes, or replaces.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::load::{self, Loaded, Loader, Stamp};

/// How often size and time are asked for.
const INTERVAL: Duration = Duration::from_millis(500);

/// After a change the file counts as live for so long.
const LIVE: Duration = Duration::from_secs(60);

/// A file and what is known of its changes.
pub struct Watch {
    path: PathBuf,
    format: Option<&'static dyn Loader>,
    stamp: Option<Stamp>,
    asked_at: Instant,
    /// Loading takes its time, and is not begun again before a few times that have passed.
    rest: Duration,
    changed_at: Option<Instant>,
    coming: Option<(Instant, Receiver<Result<Loaded, Error>>)>,
    /// Only the beginning was loaded so far.
    is_first: bool,
    failure: Option<String>,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Watch({})", self.path.display())
    }
}

impl Watch {
    /// Watches a file that was just loaded.
    pub fn new(path: &Path, format: Option<&'static dyn Loader>) -> Self {
        Self {
            path: path.to_owned(),
            format,
            stamp: Stamp::of(path),
            asked_at: Instant::now(),
            rest: INTERVAL,
            changed_at: None,
            coming: None,
            is_first: false,
            failure: None,
        }
    }

    /// Watches a file of which only the beginning was loaded, and begins to load the whole.
    pub fn reading(path: &Path, format: Option<&'static dyn Loader>) -> Self {
        let mut watch = Self::new(path, format);
        watch.is_first = true;
        watch.load();
        watch
    }

    /// The bytes of the file, while it is read whole for the first time.
    pub fn first_reading(&self) -> Option<u64> {
        let size = self.stamp.map_or(0, |stamp| stamp.size);
        (self.is_first && self.coming.is_some()).then_some(size)
    }

    /// Why the whole file could not be loaded, once that is known.
    pub(super) fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// Begins to load the file.
    fn load(&mut self) {
        let (send, coming) = channel();
        let (path, format) = (self.path.clone(), self.format);
        thread::spawn(move || {
            let format = format.map(|loader| loader as &dyn Loader);
            // Nobody waits any longer where the inspector has ended.
            let _ = send.send(load::open(&path, format));
        });
        self.coming = Some((Instant::now(), coming));
    }

    /// What was loaded anew since the last time, if anything. It never waits.
    pub fn poll(&mut self) -> Option<Loaded> {
        if let Some((begun, coming)) = &self.coming {
            let loaded = match coming.try_recv() {
                Err(TryRecvError::Empty) => return None,
                // A file that can't be read right now is read after its next change.
                Err(TryRecvError::Disconnected) => None,
                Ok(Err(error)) => {
                    self.failure = self.is_first.then(|| error.to_string());
                    None
                }
                Ok(Ok(loaded)) => Some(loaded),
            };
            self.rest = (begun.elapsed() * 4).max(INTERVAL);
            self.coming = None;
            self.is_first = false;
            return loaded;
        }
        if self.asked_at.elapsed() < self.rest {
            return None;
        }
        self.asked_at = Instant::now();
        let now = Stamp::of(&self.path);
        if now.is_none() || now == self.stamp {
            return None;
        }
        self.stamp = now;
        self.changed_at = Some(Instant::now());
        self.load();
        None
    }

    /// Whether it changed lately, and when: `LIVE 3 s`, `quiet 5 min`.
    pub fn status(&self) -> String {
        match self.changed_at.map(|at| at.elapsed()) {
            Some(ago) if ago < LIVE => format!("LIVE {} s", ago.as_secs()),
            Some(ago) => format!("quiet {} min", ago.as_secs() / 60),
            None => "quiet".to_owned(),
        }
    }
}
