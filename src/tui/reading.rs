//! A load that takes a while: how far it has come, and leaving it. Until there is anything to show of
//! what was asked for, it has the screen.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::app::{App, Document, Start};
use super::beside::{Second, titles};
use super::follow::Watch;
use super::place;
use super::theme::Theme;
use crate::error::Error;
use crate::load::{self, Loaded, Loader, Progress};
use crate::step::Step;
use crate::text::amounts;

/// What is to be opened: a file, and perhaps another one to stand beside it.
#[derive(Clone)]
#[allow(clippy::exhaustive_structs)] // filled in by whoever composes the program
pub struct Files {
    /// The file; `-` is standard input.
    pub first: PathBuf,
    /// The one beside it.
    pub second: Option<PathBuf>,
    /// Their format; none is recognised by the content.
    pub format: Option<&'static dyn Loader>,
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Files({}, {:?})", self.first.display(), self.second)
    }
}

impl Files {
    /// One file by itself.
    pub fn one(file: &Path, format: Option<&'static dyn Loader>) -> Self {
        Self {
            first: file.to_owned(),
            second: None,
            format,
        }
    }
}

/// What was loaded of a file, and of the one beside it.
#[derive(Debug)]
pub(super) struct Both {
    pub(super) first: Loaded,
    pub(super) second: Option<Loaded>,
    /// Whether it was left before the end.
    pub(super) is_part: bool,
}

type Coming = Receiver<Result<Loaded, Error>>;

/// A load that goes on. It is left where nobody waits for it any longer.
#[derive(Debug)]
pub(super) struct Load {
    pub(super) begun: Instant,
    pub(super) begun_at: SystemTime,
    pub(super) progress: Arc<Progress>,
    first: Coming,
    second: Option<Coming>,
    got: Option<Loaded>,
    /// What was told of it last.
    told: String,
}

impl Drop for Load {
    fn drop(&mut self) {
        self.progress.leave();
    }
}

impl Load {
    /// Begins to load.
    pub(super) fn start(files: &Files) -> Self {
        let progress = Arc::<Progress>::default();
        let begin = |path: &Path| {
            let (send, coming) = channel();
            let (path, format, progress) = (path.to_owned(), files.format, Arc::clone(&progress));
            thread::spawn(move || {
                let format = format.map(|loader| loader as &dyn Loader);
                // Nobody waits any longer where the inspector has ended.
                let _ = send.send(load::open_with(&path, format, &progress));
            });
            coming
        };
        Self {
            begun: Instant::now(),
            begun_at: SystemTime::now(),
            first: begin(&files.first),
            second: files.second.as_deref().map(begin),
            progress,
            got: None,
            told: String::new(),
        }
    }

    /// What was loaded, once it is; it waits no longer than so long.
    pub(super) fn wait(&mut self, most: Duration) -> Option<Result<Both, Error>> {
        let until = Instant::now() + most;
        if self.got.is_none() {
            match received(&self.first, most)? {
                Ok(loaded) => self.got = Some(loaded),
                Err(error) => return Some(Err(error)),
            }
        }
        let left = until.saturating_duration_since(Instant::now());
        let second = match &self.second {
            None => None,
            Some(coming) => match received(coming, left)? {
                Ok(loaded) => Some(loaded),
                Err(error) => return Some(Err(error)),
            },
        };
        let first = self.got.take()?;
        Some(Ok(Both {
            first,
            second,
            is_part: self.progress.is_cut(),
        }))
    }

    /// Whether there is something new to tell of it.
    pub(super) fn has_news(&mut self) -> bool {
        let words = self.words();
        let is_new = words != self.told;
        self.told = words;
        is_new
    }

    /// How far it has come, in words.
    pub(super) fn words(&self) -> String {
        words(&self.progress)
    }

    /// How much was read, in words.
    pub(super) fn part(&self) -> String {
        part(self.progress.read(), self.progress.size())
    }
}

/// What comes in so long.
fn received(coming: &Coming, most: Duration) -> Option<Result<Loaded, Error>> {
    let received = match coming.try_recv() {
        Err(TryRecvError::Empty) if !most.is_zero() => coming.recv_timeout(most),
        Err(TryRecvError::Empty) => Err(RecvTimeoutError::Timeout),
        Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
        Ok(received) => Ok(received),
    };
    match received {
        Ok(received) => Some(received),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Err(Error::Unreadable {
            name: "the trace".to_owned(),
            what: "loading it ended in a fault of the program".to_owned(),
        })),
    }
}

/// How far a load has come, in words.
pub(super) fn words(progress: &Progress) -> String {
    let (read, size) = (progress.read(), progress.size());
    if read == 0 {
        "reading".to_owned()
    } else if size > 0 && read >= size {
        format!("making turns of {}", amounts::bytes(size))
    } else {
        format!("reading {}", part(read, size))
    }
}

/// A part of so many bytes; of how many there are nothing may be known.
fn part(read: u64, size: u64) -> String {
    match size {
        0 => amounts::bytes(read),
        _ => format!("{} % of {}", read * 100 / size, amounts::bytes(size)),
    }
}

/// What was asked for, while nothing of it can be shown.
#[derive(Debug)]
pub struct Reading {
    pub(super) files: Files,
    pub(super) load: Load,
    start: Start,
}

impl Reading {
    /// Begins to load files that are then shown so.
    pub fn start(files: Files, start: &Start) -> Self {
        Self {
            load: Load::start(&files),
            files,
            start: start.clone(),
        }
    }

    /// What can be shown, or why nothing can; it waits no longer than so long.
    pub(super) fn wait(&mut self, most: Duration) -> Option<Result<Opened, Error>> {
        let loaded = self.load.wait(most)?;
        let opened = loaded.and_then(|both| self.open(&both));
        if opened.is_err() && self.load.progress.is_left() {
            return Some(Err(Error::Unreadable {
                name: name(&self.files.first),
                what: "it was left before there was anything to show".to_owned(),
            }));
        }
        Some(opened)
    }

    fn open(&self, both: &Both) -> Result<Opened, Error> {
        let mut start = self.start.clone();
        if let (Some(file), Some(loaded)) = (&self.files.second, &both.second) {
            let second = Second::pick(name(file), loaded, start.conversation)?;
            start.beside = Some(second);
        }
        let mut files = self.files.clone();
        // Standard input and pipes end once; a file may grow.
        let is_file = files.first.is_file();
        files.second = files.second.filter(|second| second.is_file());
        let beside = &both.first.beside;
        let mut watch = is_file.then(|| Watch::new(files, beside, self.load.begun_at));
        let mut opened = opened(&name(&self.files.first), &both.first, &start)?;
        if self.load.progress.is_cut() {
            let part = self.load.part();
            match &mut watch {
                Some(watch) => watch.leave_at(part),
                None => opened.left = Some(format!("{part} read, the rest left")),
            }
        }
        opened.watch = watch;
        Ok(opened)
    }

    /// What is read, in words.
    pub(super) fn names(&self) -> String {
        let first = name(&self.files.first);
        match &self.files.second {
            Some(second) => titles(&first, &name(second)).join(" → "),
            None => titles(&first, "")[0].clone(),
        }
    }
}

/// A run that can be shown, and what belongs to it.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) document: Document,
    pub(super) conversations: Vec<Arc<Step>>,
    pub(super) conversation: usize,
    pub(super) watch: Option<Watch>,
    /// How much was read of what can't be read on, where that is not all of it.
    left: Option<String>,
}

impl Opened {
    /// The inspector on it.
    pub(super) fn app(self, theme: Theme) -> App {
        let mut app = App::new(self.document, theme);
        app.conversations = self.conversations;
        app.conversation = self.conversation;
        app.watch = self.watch;
        app
    }
}

/// Makes a document of what was loaded.
///
/// # Errors
/// What was asked for and isn't there.
pub(super) fn opened(name: &str, loaded: &Loaded, start: &Start) -> Result<Opened, Error> {
    let conversation = super::conversation(name, loaded, start.conversation)?;
    let step = Arc::clone(&loaded.conversations[conversation]);
    Ok(Opened {
        document: Document::new(name, step, loaded.report.clone(), start)?,
        conversations: loaded.conversations.clone(),
        conversation,
        watch: None,
        left: None,
    })
}

fn name(file: &Path) -> String {
    if file == Path::new("-") {
        return "standard input".to_owned();
    }
    file.to_string_lossy().into_owned()
}

impl App {
    /// Takes what was loaded, where the screen waits for it. Whether something changed.
    pub(super) fn poll_reading(&mut self) -> bool {
        let Some(reading) = &mut self.reading else {
            return false;
        };
        let Some(opened) = reading.wait(Duration::ZERO) else {
            return reading.load.has_news();
        };
        if reading.load.progress.is_left() {
            // That it was being shown is no longer worth telling.
            self.message = None;
        }
        self.reading = None;
        match opened {
            Ok(opened) => {
                self.show(opened);
                place::arrive(self);
            }
            Err(error) => self.failed = Some(error),
        }
        true
    }

    /// Shows a run in the place of all others.
    pub(super) fn show(&mut self, opened: Opened) {
        self.documents = vec![opened.document];
        self.conversations = opened.conversations;
        self.conversation = opened.conversation;
        self.watch = opened.watch;
        self.left = opened.left;
        self.follows = false;
        self.zoomed = false;
        self.focus_on(super::app::Pane::Turns);
    }
}

/// Wants no more of what has the screen while it is read.
pub(super) fn leave(app: &mut App) {
    if let Some(reading) = &app.reading {
        reading.load.progress.leave();
        app.message = Some("showing what was read …".to_owned());
    }
}

/// Whether the rest of the file is being read, or was left.
pub(super) fn has_rest(app: &App) -> bool {
    app.watch.as_ref().is_some_and(Watch::has_rest)
}

/// Wants no more of the file, or reads on.
pub(super) fn toggle(app: &mut App) {
    let key = app.key_of("read-rest");
    let Some(watch) = &mut app.watch else {
        return;
    };
    app.message = Some(if watch.is_reading() {
        watch.leave();
        format!("no longer reading; {key} reads on")
    } else {
        watch.read_on();
        format!("reading on; {key} stops")
    });
}

/// Wants no more of the file that is being read. Whether one is.
pub(super) fn stop(app: &mut App) -> bool {
    let is_reading = app.watch.as_ref().is_some_and(Watch::is_reading);
    if is_reading {
        toggle(app);
    }
    is_reading
}

/// For the header: how far the file was read, where that is not all of it.
pub(super) fn status(app: &App) -> Option<String> {
    if app.left.is_some() {
        return app.left.clone();
    }
    let watch = app.watch.as_ref()?;
    let words = watch.first_reading()?;
    let key = app.key_of("read-rest");
    Some(if watch.is_reading() {
        format!("{words}, {key} stops")
    } else {
        format!("{words} read, {key} reads on")
    })
}
