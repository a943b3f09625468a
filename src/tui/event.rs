//! The loop: event → key → update → effect, then prepare, then draw.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event};
use tracing::debug;

use super::app::{App, Effect};
use super::export;
use super::external;
use super::key::Key;
use super::mouse::{self, Mouse};
use super::prepare::prepare;
use super::problems;
use super::terminal::{self, Screen};
use super::view::view;
use super::work::MakingFrame;
use crate::error::Error;

/// How long a signal may wait.
const TICK: Duration = Duration::from_millis(200);

/// How long what is found in the background may wait.
const BUSY_TICK: Duration = Duration::from_millis(16);

/// Shows the state until somebody leaves.
///
/// # Errors
/// [`Error::Terminal`] where the terminal can't be used; it is given back first.
pub fn run(app: &mut App) -> Result<(), Error> {
    if !std::io::stdout().is_terminal() {
        return Err(Error::Terminal("standard output is no terminal".to_owned()));
    }
    let stop = Arc::new(AtomicBool::new(false));
    watch_signals(&stop)?;
    let mut screen = Screen::take()?;
    let failed = |error: std::io::Error| Error::Terminal(error.to_string());
    let mut changed = true;
    // From the event that asks for a frame until it is drawn.
    let mut making = None;
    // The dictionary takes a moment to read: the first frames come without counts.
    let (ready, counts) = std::sync::mpsc::channel();
    let tokenizer = app.counts_with;
    std::thread::spawn(move || {
        tokenizer.count("");
        let _ = ready.send(tokenizer);
    });
    let mut waking = Waking::default();
    watch_waking(&waking.woken)?;
    loop {
        if waking.is_unforeseen() {
            screen.lend(|| ())?;
            changed = true;
        }
        if let Ok(tokenizer) = counts.try_recv() {
            app.tokenizer = Some(tokenizer);
            changed = true;
        }
        if changed {
            making.get_or_insert_with(MakingFrame::begin);
            draw(&mut screen, app).map_err(failed)?;
            changed = false;
        }
        making = None;
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        problems::attend(app);
        // What follows shows how long ago the last change was.
        changed |= app.poll() || app.follows;
        if let Some((what, text)) = app.document_mut().copying.take() {
            app.message = Some(terminal::copy(&what, &text));
        }
        if let Some(error) = app.failed.take() {
            return Err(error);
        }
        let wait = if app.is_busy() { BUSY_TICK } else { TICK };
        if !event::poll(wait).map_err(failed)? {
            continue;
        }
        making = Some(MakingFrame::begin());
        // Everything that is there already is taken before the next frame.
        while event::poll(Duration::ZERO).map_err(failed)? {
            let effect = match event::read().map_err(failed)? {
                Event::Key(event) => Key::from_event(event).map(|key| app.key(key)),
                Event::Mouse(event) => {
                    Mouse::from_event(event).map(|mouse| mouse::take(app, mouse))
                }
                Event::Resize(_, _) | Event::FocusGained => Some(None),
                _ => None,
            };
            // What means nothing, as a mouse that is only moved, is worth no frame.
            let Some(effect) = effect else { continue };
            changed = true;
            match effect {
                Some(Effect::Quit) => return Ok(()),
                Some(Effect::Suspend) => suspend(&mut screen, &mut waking)?,
                Some(Effect::Open(path)) => {
                    if let Some(folder) = &mut app.folder {
                        folder.open(path);
                    }
                }
                Some(Effect::Save { what, name, text }) => {
                    app.message = Some(terminal::save(&what, &name, &text));
                }
                Some(Effect::Export) => export::start(app),
                Some(Effect::Copy { what, text }) => {
                    app.message = Some(terminal::copy(&what, &text));
                }
                Some(Effect::HandOver(handed)) => {
                    external::hand_over(app, &mut screen, &handed, &stop)?;
                }
                None => {}
            }
            // The next key may depend on what this one shows, such as a page's height.
            prepare(app, app.layout.screen);
        }
    }
}

fn draw(screen: &mut Screen, app: &mut App) -> std::io::Result<()> {
    let began = Instant::now();
    terminal::set_mouse(app.mouse)?;
    screen.set_title(&app.title())?;
    screen.terminal().draw(|frame| {
        prepare(app, frame.area());
        view(app, frame);
    })?;
    debug!(took = ?began.elapsed(), "frame");
    Ok(())
}

/// How late the signal that woke the program may be told: any thread can be the one that takes it,
/// and the one that draws may be faster.
const LATE: Duration = Duration::from_secs(1);

/// That the program goes on after it was stopped.
#[derive(Default)]
struct Waking {
    /// Set where the system says so.
    woken: Arc<AtomicBool>,
    /// When we went on after stopping ourselves, while the signal of that has not been told.
    awaited: Option<Instant>,
}

impl Waking {
    /// Notes that the program has gone on after it stopped itself and took the terminal again.
    fn went_on(&mut self) {
        let told = self.woken.swap(false, Ordering::Relaxed);
        self.awaited = (!told).then(Instant::now);
    }

    /// Whether somebody else stopped the program and woke it since this was last asked: then the
    /// terminal may be in any state.
    fn is_unforeseen(&mut self) -> bool {
        if !self.woken.swap(false, Ordering::Relaxed) {
            return false;
        }
        let awaited = self.awaited.take();
        awaited.is_none_or(|since| since.elapsed() > LATE)
    }
}

/// Stops until the shell wakes us.
#[cfg(unix)]
fn suspend(screen: &mut Screen, waking: &mut Waking) -> Result<(), Error> {
    screen.suspend()?;
    waking.went_on();
    Ok(())
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)] // the same form as where programs can be stopped
fn suspend(_: &mut Screen, waking: &mut Waking) -> Result<(), Error> {
    waking.went_on();
    Ok(())
}

/// Sets the flag when the program goes on after it was stopped.
#[cfg(unix)]
fn watch_waking(woken: &Arc<AtomicBool>) -> Result<(), Error> {
    let watched = signal_hook::flag::register(signal_hook::consts::SIGCONT, Arc::clone(woken));
    watched.map_err(|error| Error::Terminal(error.to_string()))?;
    Ok(())
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)] // the same form as where there are signals
fn watch_waking(_: &Arc<AtomicBool>) -> Result<(), Error> {
    Ok(())
}

/// How long the loop may take to end by itself after a signal.
#[cfg(unix)]
const GRACE: Duration = Duration::from_secs(1);

/// A signal that ends a program sets the flag, so that the loop gives the terminal back. Where the
/// terminal has gone away the loop hangs in reading it; then the process is ended from here.
#[cfg(unix)]
fn watch_signals(stop: &Arc<AtomicBool>) -> Result<(), Error> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP]);
    let mut signals = signals.map_err(|error| Error::Terminal(error.to_string()))?;
    let stop = Arc::clone(stop);
    std::thread::spawn(move || {
        // While another program has the terminal, its Ctrl-C is that program's.
        let ends = |signal: &i32| *signal != SIGINT || !terminal::is_lent();
        if let Some(signal) = signals.forever().find(ends) {
            stop.store(true, Ordering::Relaxed);
            std::thread::sleep(GRACE);
            terminal::give_back();
            // As shells count: 128 and the signal.
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)] // the same form as where there are signals
fn watch_signals(_: &Arc<AtomicBool>) -> Result<(), Error> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signal_of_our_own_stop_may_come_late_and_counts_once() {
        let mut waking = Waking::default();
        let wake = |waking: &Waking| waking.woken.store(true, Ordering::Relaxed);
        assert!(!waking.is_unforeseen());
        // Told at once, as mostly; the next is somebody else's.
        wake(&waking);
        waking.went_on();
        assert!(!waking.is_unforeseen());
        wake(&waking);
        assert!(waking.is_unforeseen());
        // Told after the screen was drawn.
        waking.went_on();
        assert!(!waking.is_unforeseen());
        wake(&waking);
        assert!(!waking.is_unforeseen());
        wake(&waking);
        assert!(waking.is_unforeseen());
        assert!(!waking.is_unforeseen(), "told once");
    }
}
