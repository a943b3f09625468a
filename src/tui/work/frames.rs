//! The frame that is being made now: work in the background stands still for it. On few processors, or on
//! ones that are shared, work beside a frame makes it slower even where it takes no processor from it, by
//! the memory and the caches that both use.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long work stands still for one frame: one that takes longer is slow for other reasons, and may
/// itself wait for the work.
const PATIENCE: Duration = Duration::from_millis(20);

/// Frames that are being made, and the work that stands still for them.
struct Frames {
    /// How many are being made: one, where there is one screen. Written under the lock of [`State`].
    count: AtomicUsize,
    state: Mutex<State>,
    made: Condvar,
}

struct State {
    /// When the latest was begun.
    begun: Option<Instant>,
    /// How much work stands still.
    still: usize,
}

/// The frames of this process.
static FRAMES: Frames = Frames::new();

/// A frame that is being made: from the key press that asks for it until it is drawn, when this is let go.
#[derive(Debug)]
#[must_use = "the frame counts as made when this is dropped"]
pub struct MakingFrame(());

impl MakingFrame {
    /// A frame is begun.
    pub fn begin() -> Self {
        FRAMES.begin();
        Self(())
    }
}

impl Drop for MakingFrame {
    fn drop(&mut self) {
        FRAMES.end();
    }
}

/// Waits until no frame is being made, or nobody wants the work, but not for long.
pub(super) fn stand_still(cancelled: &AtomicBool) {
    FRAMES.stand_still(cancelled);
}

impl Frames {
    const fn new() -> Self {
        Self {
            count: AtomicUsize::new(0),
            state: Mutex::new(State {
                begun: None,
                still: 0,
            }),
            made: Condvar::new(),
        }
    }

    fn begin(&self) {
        let mut state = self.lock();
        state.begun = Some(Instant::now());
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn end(&self) {
        let state = self.lock();
        let is_last = self.count.fetch_sub(1, Ordering::Relaxed) == 1;
        // To wake nobody takes a call of the system too.
        let wakes = is_last && state.still > 0;
        drop(state);
        if wakes {
            self.made.notify_all();
        }
    }

    fn stand_still(&self, cancelled: &AtomicBool) {
        if self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut state = self.lock();
        state.still += 1;
        while self.count.load(Ordering::Relaxed) > 0 && !cancelled.load(Ordering::Relaxed) {
            let gone = state.begun.map_or(PATIENCE, |begun| begun.elapsed());
            let Some(left) = PATIENCE.checked_sub(gone).filter(|left| !left.is_zero()) else {
                break;
            };
            let waited = self.made.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.still -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    static WANTED: AtomicBool = AtomicBool::new(false);

    #[test]
    fn work_stands_still_until_the_frame_is_made() {
        static FRAMES: Frames = Frames::new();
        FRAMES.stand_still(&WANTED);
        let begun = Instant::now();
        FRAMES.begin();
        let (send, goes_on) = channel();
        thread::spawn(move || {
            FRAMES.stand_still(&WANTED);
            let _ = send.send(());
        });
        while FRAMES.lock().still == 0 {
            if goes_on.try_recv().is_ok() {
                // We may not have been let look in time: then it has gone on by itself.
                assert!(begun.elapsed() >= PATIENCE, "it doesn't stand still");
                return;
            }
            thread::yield_now();
        }
        FRAMES.end();
        let told = goes_on.recv_timeout(Duration::from_secs(60));
        assert_eq!(told, Ok(()));
        let counts = (FRAMES.count.load(Ordering::Relaxed), FRAMES.lock().still);
        assert_eq!(counts, (0, 0));
    }

    #[test]
    fn work_goes_on_beside_a_frame_that_takes_long_and_where_nobody_wants_it() {
        static FRAMES: Frames = Frames::new();
        let begun = Instant::now();
        FRAMES.begin();
        FRAMES.stand_still(&AtomicBool::new(true));
        FRAMES.stand_still(&WANTED);
        assert!(begun.elapsed() >= PATIENCE, "{:?}", begun.elapsed());
        assert_eq!(FRAMES.lock().still, 0);
        FRAMES.end();
    }
}
