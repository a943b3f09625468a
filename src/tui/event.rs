//! The loop: event → key → update → effect, then prepare, then draw.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::event::{self, Event};

use super::app::{App, Effect};
use super::key::Key;
use super::prepare::prepare;
use super::terminal::{self, Screen};
use super::view::view;
use crate::error::Error;

/// How long a signal may wait.
const TICK: Duration = Duration::from_millis(200);

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
    loop {
        if changed {
            draw(&mut screen, app).map_err(failed)?;
            changed = false;
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        if !event::poll(TICK).map_err(failed)? {
            continue;
        }
        // Everything that is there already is taken before the next frame.
        while event::poll(Duration::ZERO).map_err(failed)? {
            match event::read().map_err(failed)? {
                Event::Key(event) => {
                    let effect = Key::from_event(event).and_then(|key| app.key(key));
                    match effect {
                        Some(Effect::Quit) => return Ok(()),
                        Some(Effect::Copy { what, text }) => {
                            app.message = Some(terminal::copy(&what, &text));
                        }
                        None => {}
                    }
                    changed = true;
                    // The next key may depend on what this one shows, such as a page's height.
                    prepare(app, app.layout.screen);
                }
                Event::Resize(_, _) | Event::FocusGained => changed = true,
                _ => {}
            }
        }
    }
}

fn draw(screen: &mut Screen, app: &mut App) -> std::io::Result<()> {
    screen.terminal().draw(|frame| {
        prepare(app, frame.area());
        view(app, frame);
    })?;
    Ok(())
}

/// Signals that end a program set the flag, so that the terminal is given back first.
#[cfg(unix)]
fn watch_signals(stop: &Arc<AtomicBool>) -> Result<(), Error> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(stop))
            .map_err(|error| Error::Terminal(error.to_string()))?;
    }
    Ok(())
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)] // the same form as where there are signals
fn watch_signals(_: &Arc<AtomicBool>) -> Result<(), Error> {
    Ok(())
}
