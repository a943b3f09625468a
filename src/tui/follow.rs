//! Following a file that another program still writes, or replaces, and those that belong to it.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::reading::{Both, Files, Load};
use crate::load::Stamp;
use crate::step::Step;
use crate::text::amounts;

/// How often size and time are asked for.
const INTERVAL: Duration = Duration::from_millis(500);

/// How far the times of files may be behind the clock.
const CLOCK: Duration = Duration::from_millis(20);

/// After a change the file counts as live for so long.
const LIVE: Duration = Duration::from_secs(60);

/// What is known of changes: the stamps of the file and of those that belong to it.
type Stamps = Vec<Option<Stamp>>;

/// How much of the file was read.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// All of it.
    Whole,
    /// The rest of it is being read for the first time.
    Coming,
    /// So much, in words; the rest is not wanted.
    Left(String),
}

/// A file and what is known of its changes.
#[derive(Debug)]
pub struct Watch {
    files: Files,
    /// Files and folders that belong to it, whether they are there or not.
    beside: Vec<PathBuf>,
    stamps: Stamps,
    asked_at: Instant,
    /// Loading takes its time, and is not begun again before a few times that have passed.
    rest: Duration,
    changed_at: Option<Instant>,
    /// When the last of them was written to before the watch began.
    written_at: Option<SystemTime>,
    /// What is being found out about changes, where that may take a while.
    asking: Option<Receiver<Stamps>>,
    coming: Option<Load>,
    part: Part,
    is_gone: bool,
    news: Option<String>,
}

impl Watch {
    /// Watches a file whose loading began then, and what else was looked at for it.
    pub fn new(files: Files, beside: &[PathBuf], begun_at: SystemTime) -> Self {
        Self {
            stamps: stamps_since(&files, beside, begun_at),
            written_at: last_written(&stamps(&files, beside)),
            files,
            beside: beside.to_vec(),
            asked_at: Instant::now(),
            rest: INTERVAL,
            changed_at: None,
            asking: None,
            coming: None,
            part: Part::Whole,
            is_gone: false,
            news: None,
        }
    }

    /// Watches a file of which only the beginning was loaded, and begins to load the whole.
    pub fn reading(files: Files) -> Self {
        let mut watch = Self::new(files, &[], SystemTime::now());
        watch.read_on();
        watch
    }

    /// Whether the rest of the file is being read for the first time, or was left.
    pub(super) fn has_rest(&self) -> bool {
        self.part != Part::Whole
    }

    /// Whether the rest of the file is being read for the first time.
    pub(super) fn is_reading(&self) -> bool {
        self.part == Part::Coming
    }

    /// How far the file was read, in words, where that is not all of it.
    pub(super) fn first_reading(&self) -> Option<String> {
        match (&self.part, &self.coming) {
            (Part::Left(part), _) => Some(part.clone()),
            (Part::Coming, Some(load)) => Some(load.words()),
            _ => None,
        }
    }

    /// Wants no more of the file: what was read is taken, and no more is read.
    pub(super) fn leave(&mut self) {
        if let Some(load) = self.coming.as_ref().filter(|_| self.is_reading()) {
            load.progress.leave();
            self.part = Part::Left(load.part());
        }
    }

    /// The file was left when so much of it was read.
    pub(super) fn leave_at(&mut self, part: String) {
        self.part = Part::Left(part);
    }

    /// Reads the whole file after all.
    pub(super) fn read_on(&mut self) {
        self.part = Part::Coming;
        let now = stamps(&self.files, &self.beside);
        self.load(now);
    }

    /// Why the whole file could not be loaded, or that it is gone, once that is known.
    pub(super) fn news(&mut self) -> Option<String> {
        self.news.take()
    }

    /// Begins to load the file, which has these stamps.
    fn load(&mut self, stamps: Stamps) {
        self.stamps = stamps;
        self.coming = Some(Load::start(&self.files));
    }

    /// Asks now and then whether something has changed.
    fn look(&mut self) {
        if let Some(asking) = &self.asking {
            match asking.try_recv() {
                Ok(now) => self.compare(now),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {}
            }
            self.asking = None;
            return;
        }
        if self.asked_at.elapsed() < self.rest || self.has_rest() {
            return;
        }
        self.asked_at = Instant::now();
        if self.beside.is_empty() {
            self.compare(stamps(&self.files, &[]));
            return;
        }
        // There may be many, and a frame can't wait for them.
        let (send, asking) = channel();
        let (files, beside) = (self.files.clone(), self.beside.clone());
        thread::spawn(move || {
            let _ = send.send(stamps(&files, &beside));
        });
        self.asking = Some(asking);
    }

    fn compare(&mut self, now: Stamps) {
        let is_there = now.first().is_some_and(Option::is_some);
        if !is_there && !self.is_gone {
            self.news = Some("the file is gone; what was read of it stays here".to_owned());
        }
        self.is_gone = !is_there;
        if is_there && now != self.stamps {
            self.changed_at = Some(Instant::now());
            self.load(now);
        }
    }

    /// Takes what else was looked at for a load that began then.
    fn take_beside(&mut self, both: &Both, begun_at: SystemTime) {
        if self.beside != both.first.beside {
            self.beside.clone_from(&both.first.beside);
            self.stamps = stamps_since(&self.files, &self.beside, begun_at);
            self.written_at = last_written(&stamps(&self.files, &self.beside));
        }
    }

    /// What was loaded anew since the last time, if anything. It never waits.
    pub(super) fn poll(&mut self) -> Option<Both> {
        let Some(load) = &mut self.coming else {
            self.look();
            return None;
        };
        let loaded = load.wait(Duration::ZERO)?;
        let load = self.coming.take()?;
        self.rest = (load.begun.elapsed() * 4).max(INTERVAL);
        match &loaded {
            Ok(both) if both.is_part => self.part = Part::Left(load.part()),
            Ok(_) => self.part = Part::Whole,
            Err(_) => {}
        }
        match loaded {
            Ok(both) => {
                self.take_beside(&both, load.begun_at);
                Some(both)
            }
            // A file that can't be read right now is read after its next change.
            Err(error) => {
                if self.is_reading() {
                    self.news = Some(error.to_string());
                    self.part = Part::Whole;
                }
                None
            }
        }
    }

    /// Whether there is something new to tell of what is read.
    pub(super) fn has_news(&mut self) -> bool {
        let is_reading = self.is_reading();
        let load = self.coming.as_mut().filter(|_| is_reading);
        load.is_some_and(Load::has_news)
    }

    /// Whether it changed lately, and when: `LIVE 3 s`, `quiet 5 min`. What was written while nobody
    /// watched counts from then.
    pub fn status(&self) -> String {
        let written = || self.written_at?.elapsed().ok();
        match self.changed_at.map(|at| at.elapsed()).or_else(written) {
            Some(ago) if ago < LIVE => format!("LIVE {}", amounts::age(ago.as_secs())),
            Some(ago) => format!("quiet {}", amounts::age(ago.as_secs())),
            None => "quiet".to_owned(),
        }
    }
}

/// What to tell where a file that was read again holds another run, or less of it than before.
pub(super) fn told_of_replaced(before: &Step, after: &Step) -> Option<String> {
    let differ = |one: Option<&str>, other: Option<&str>| {
        one.zip(other).is_some_and(|(one, other)| one != other)
    };
    if differ(before.trace_id.as_deref(), after.trace_id.as_deref())
        || differ(before.mission.as_deref(), after.mission.as_deref())
    {
        return Some("the file was replaced: it holds another run now".to_owned());
    }
    let [had, has] = [before, after].map(|step| step.turns().len());
    (has < had).then(|| {
        let (had, has) = (amounts::of(had, "turn"), amounts::of(has, "turn"));
        format!("the file was written anew: {has}, where it had {had}")
    })
}

/// The last time that any of the files was written to.
fn last_written(stamps: &Stamps) -> Option<SystemTime> {
    stamps.iter().flatten().filter_map(Stamp::written).max()
}

fn paths<'a>(files: &'a Files, beside: &'a [PathBuf]) -> impl Iterator<Item = &'a Path> {
    let first = std::iter::once(files.first.as_path());
    let others = files.second.iter().chain(beside);
    first.chain(others.map(PathBuf::as_path))
}

fn stamps(files: &Files, beside: &[PathBuf]) -> Stamps {
    paths(files, beside).map(Stamp::of).collect()
}

/// The stamps of what was loaded from then on. What has changed since, or at that moment, may not have
/// been read as it is now: it gets none, and so is read again.
fn stamps_since(files: &Files, beside: &[PathBuf], begun_at: SystemTime) -> Stamps {
    let before = begun_at - CLOCK;
    let is_old = |stamp: &Stamp| stamp.is_before(before);
    let stamps = stamps(files, beside).into_iter();
    stamps.map(|stamp| stamp.filter(is_old)).collect()
}
