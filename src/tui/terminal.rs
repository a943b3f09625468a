//! The terminal: taking it, and giving it back on every way out.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use crossterm::{cursor, event, execute, terminal};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::error::Error;
use crate::text::headline;

/// Bytes of base64 that terminals take in one clipboard sequence.
const CLIPBOARD_BYTES: usize = 74_994;

/// Whether the terminal is ours at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether it sends us what the mouse does.
static MOUSE: AtomicBool = AtomicBool::new(false);

/// Puts the window's title on a stack, and takes it from there (xterm's control sequences).
const PUSH_TITLE: &[u8] = b"\x1b[22;2t";
const POP_TITLE: &[u8] = b"\x1b[23;2t";

/// Whether its window has a title of ours.
static TITLED: AtomicBool = AtomicBool::new(false);

/// Columns of a window's title.
const TITLE_COLUMNS: usize = 80;

/// Whether another program has it at the moment.
static LENT: AtomicBool = AtomicBool::new(false);

static HOOK: Once = Once::new();

/// The terminal while it is ours; dropping it gives it back.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<io::Stdout>>,
    /// What the window is called.
    title: String,
}

impl Screen {
    /// Takes the terminal: raw mode, the alternate screen.
    ///
    /// # Errors
    /// [`Error::Terminal`] where there is none; it is given back.
    pub(super) fn take() -> Result<Self, Error> {
        HOOK.call_once(install_panic_hook);
        match enter() {
            Ok(terminal) => Ok(Self {
                terminal,
                title: String::new(),
            }),
            Err(error) => {
                give_back();
                Err(Error::Terminal(error.to_string()))
            }
        }
    }

    /// Lends the terminal to another program while `run` goes on; the screen is empty afterwards.
    ///
    /// # Errors
    /// [`Error::Terminal`] where it can't be taken again.
    pub(super) fn lend<T>(&mut self, run: impl FnOnce() -> T) -> Result<T, Error> {
        give_back();
        LENT.store(true, Ordering::SeqCst);
        let outcome = run();
        LENT.store(false, Ordering::SeqCst);
        // Another one, since what this one last drew is no longer there.
        self.terminal = enter().map_err(|error| Error::Terminal(error.to_string()))?;
        self.title.clear();
        Ok(outcome)
    }

    /// Stops the program as the shell's ctrl-z does, until the shell wakes it.
    ///
    /// # Errors
    /// [`Error::Terminal`] where the terminal can't be taken again.
    #[cfg(unix)]
    pub(super) fn suspend(&mut self) -> Result<(), Error> {
        use rustix::process::{Signal, kill_current_process_group};
        // Where no shell could wake it the system lets it run on.
        self.lend(|| kill_current_process_group(Signal::TSTP))?
            .map_err(|error| Error::Terminal(error.to_string()))
    }

    /// Calls the window by a text of a trace; the name it had is kept on the terminal's stack.
    pub(super) fn set_title(&mut self, text: &str) -> io::Result<()> {
        if self.title == text {
            return Ok(());
        }
        text.clone_into(&mut self.title);
        let mut out = io::stdout();
        if !TITLED.swap(true, Ordering::SeqCst) {
            out.write_all(PUSH_TITLE)?;
        }
        let title = format!("{} - turnscope", headline(text, TITLE_COLUMNS));
        execute!(out, terminal::SetTitle(title))
    }

    /// The terminal to draw on.
    pub(super) fn terminal(&mut self) -> &mut Terminal<CrosstermBackend<io::Stdout>> {
        &mut self.terminal
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Raw mode and the alternate screen, empty.
fn enter() -> io::Result<Terminal<CrosstermBackend<io::Stdout>>> {
    terminal::enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let all = terminal::Clear(terminal::ClearType::All);
    execute!(io::stdout(), terminal::EnterAlternateScreen, all)?;
    Terminal::new(CrosstermBackend::new(io::stdout()))
}

/// Takes the mouse, or gives it back.
pub(super) fn set_mouse(taken: bool) -> io::Result<()> {
    if MOUSE.swap(taken, Ordering::SeqCst) == taken {
        return Ok(());
    }
    if taken {
        execute!(io::stdout(), event::EnableMouseCapture)
    } else {
        execute!(io::stdout(), event::DisableMouseCapture)
    }
}

/// Whether another program has the terminal.
#[cfg(unix)]
pub(super) fn is_lent() -> bool {
    LENT.load(Ordering::SeqCst)
}

/// Gives the terminal back, once.
pub(super) fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // Nothing can be done where this fails: the terminal has gone away.
    if MOUSE.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), event::DisableMouseCapture);
    }
    if TITLED.swap(false, Ordering::SeqCst) {
        let _ = io::stdout().write_all(POP_TITLE);
    }
    let _ = execute!(io::stdout(), terminal::LeaveAlternateScreen, cursor::Show);
    let _ = terminal::disable_raw_mode();
}

/// A panic gives the terminal back and writes where it happened to a file. What it says may hold text
/// of the trace, so that is left out.
fn install_panic_hook() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !TAKEN.load(Ordering::SeqCst) {
            before(panic);
            return;
        }
        give_back();
        let place = panic
            .location()
            .map_or_else(String::new, ToString::to_string);
        let trace = std::backtrace::Backtrace::force_capture();
        let path = std::env::temp_dir().join(format!("turnscope-crash-{}.txt", std::process::id()));
        let report = format!(
            "turnscope {} crashed at {place}\n\n{trace}\n",
            env!("CARGO_PKG_VERSION")
        );
        let saved = match std::fs::write(&path, report) {
            Ok(()) => format!("; the place is kept in {}", path.display()),
            Err(_) => String::new(),
        };
        // A closed standard error must not panic again.
        let _ = writeln!(io::stderr(), "turnscope: crashed at {place}{saved}");
    }));
}

/// Other names that are tried for a file where one of its name is there.
const NAMES: u32 = 99;

/// Writes a new file in the current directory. The answer tells a person what was done.
pub(super) fn save(what: &str, name: &str, text: &str) -> String {
    let (stem, end) = name.split_once('.').unwrap_or((name, ""));
    for number in 1..=NAMES {
        let name = match number {
            1 => name.to_owned(),
            number => format!("{stem}-{number}.{end}"),
        };
        let file = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&name);
        return match file.and_then(|mut file| file.write_all(text.as_bytes())) {
            Ok(()) => format!("wrote {what} to {name}, {} bytes", text.len()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => format!("{what} was not written to {name}: {error}"),
        };
    }
    format!("{what} was not written: {NAMES} files of its name are there")
}

/// Puts a text into the terminal's clipboard by OSC 52, or into a file where it is too long for that.
/// The answer tells a person what was done.
pub(super) fn copy(what: &str, text: &str) -> String {
    let encoded = BASE64.encode(text);
    if encoded.len() <= CLIPBOARD_BYTES {
        let mut out = io::stdout();
        let sent = write!(out, "\u{1b}]52;c;{encoded}\u{7}").and_then(|()| out.flush());
        return match sent {
            Ok(()) => format!(
                "copied {what}, {} bytes, by OSC 52; the terminal does not confirm it",
                text.len()
            ),
            Err(error) => format!("{what} was not copied: {error}"),
        };
    }
    match write_private("turnscope-copy", "txt", text) {
        Ok(path) => format!(
            "{what} is too long for the clipboard ({} bytes): it is in {}",
            text.len(),
            path.display()
        ),
        Err(error) => format!("{what} was not copied: {error}"),
    }
}

/// Writes a text to a new file that only its owner can read; its name has a number where it must.
pub(super) fn write_private(name: &str, extension: &str, text: &str) -> io::Result<PathBuf> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    for number in 1..1000 {
        let file = format!("{name}-{}-{number}.{extension}", std::process::id());
        let path = std::env::temp_dir().join(file);
        match options.open(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes())?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
