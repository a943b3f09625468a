//! Which work in the background runs now: no more at a time than leaves the drawing thread a processor
//! of its own. What waits comes in the order it was asked for; nothing waits for long.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What a frame's work waits for lanes at most, where those on them don't make way: then it runs beside
/// them, a little slower for everybody.
const PATIENCE: Duration = Duration::from_millis(20);

/// What work runs before it makes way for what waits.
const SHARE: Duration = Duration::from_millis(4);

/// Lanes of one kind, and who waits for one.
pub(super) struct Lanes {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    /// How many there are; found out by the first that asks.
    count: Option<usize>,
    taken: usize,
    waiting: VecDeque<u64>,
    next: u64,
}

/// The lanes of this process.
pub(super) static LANES: Lanes = Lanes::new(None);

/// A place to run on, given back when it is let go.
pub(super) struct Lane {
    lanes: &'static Lanes,
    /// Whether it is one of the lanes; no, where none came free in time.
    is_held: Cell<bool>,
    /// Since when its work runs without a break.
    since: Cell<Instant>,
}

impl Lanes {
    const fn new(count: Option<usize>) -> Self {
        Self {
            state: Mutex::new(State {
                count,
                taken: 0,
                waiting: VecDeque::new(),
                next: 0,
            }),
            freed: Condvar::new(),
        }
    }

    /// Waits for a lane while somebody wants the work; the place it has then, which is beside the lanes
    /// where none came free in time.
    pub(super) fn enter(&'static self, cancelled: &AtomicBool) -> Lane {
        Lane {
            lanes: self,
            is_held: Cell::new(self.wait(cancelled)),
            since: Cell::new(Instant::now()),
        }
    }

    fn wait(&self, cancelled: &AtomicBool) -> bool {
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        state.waiting.push_back(ticket);
        let begun = Instant::now();
        let mut left = PATIENCE;
        while !(state.has_free() && state.waiting.front() == Some(&ticket)) {
            let waited = self.freed.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            left = PATIENCE.saturating_sub(begun.elapsed());
            if left.is_zero() || cancelled.load(Ordering::Relaxed) {
                break;
            }
        }
        let is_mine = state.has_free() && state.waiting.front() == Some(&ticket);
        state.waiting.retain(|waiting| *waiting != ticket);
        state.taken += usize::from(is_mine);
        drop(state);
        // Who stood behind may be the first now.
        self.freed.notify_all();
        is_mine
    }

    fn leave(&self) {
        self.lock().taken -= 1;
        self.freed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has_free(&mut self) -> bool {
        let count = *self.count.get_or_insert_with(|| {
            thread::available_parallelism().map_or(1, |all| all.get().saturating_sub(1).max(1))
        });
        self.taken < count
    }
}

impl Lane {
    /// Makes way where others wait, and waits where it has no lane, once its work has had its share.
    pub(super) fn make_way(&self, cancelled: &AtomicBool) {
        if self.since.get().elapsed() < SHARE {
            return;
        }
        if self.is_held.get() {
            if self.lanes.lock().waiting.is_empty() {
                return;
            }
            self.is_held.set(false);
            self.lanes.leave();
        }
        self.is_held.set(self.lanes.wait(cancelled));
        self.since.set(Instant::now());
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if self.is_held.get() {
            self.lanes.leave();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    static WANTED: AtomicBool = AtomicBool::new(false);

    #[test]
    fn work_waits_for_a_lane_and_goes_on_beside_them_where_none_comes_free() {
        static LANES: Lanes = Lanes::new(Some(1));
        let first = LANES.enter(&WANTED);
        assert!(first.is_held.get());
        let begun = Instant::now();
        let second = LANES.enter(&WANTED);
        assert!(begun.elapsed() >= PATIENCE && !second.is_held.get());
        drop(second);
        assert_eq!(LANES.lock().taken, 1, "it had none to give back");
        drop(first);
        assert!(LANES.enter(&WANTED).is_held.get());
        let state = LANES.lock();
        assert_eq!((state.taken, state.waiting.len()), (0, 0));
    }

    #[test]
    fn work_makes_way_once_it_had_its_share() {
        static LANES: Lanes = Lanes::new(Some(1));
        let first = LANES.enter(&WANTED);
        let (send, had) = channel();
        let other = thread::spawn(move || {
            while !LANES.enter(&WANTED).is_held.get() {}
            send.send(()).expect("somebody waits");
        });
        let begun = Instant::now();
        while had.try_recv().is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it has no way");
            first.make_way(&WANTED);
            thread::yield_now();
        }
        other.join().expect("no panic");
        thread::sleep(SHARE);
        first.make_way(&WANTED);
        assert!(first.is_held.get() && LANES.lock().taken == 1);
    }

    #[test]
    fn what_nobody_wants_waits_no_longer_than_the_next_change() {
        static LANES: Lanes = Lanes::new(Some(1));
        let first = LANES.enter(&WANTED);
        let cancelled = AtomicBool::new(true);
        assert!(!LANES.enter(&cancelled).is_held.get());
        drop(first);
        assert!(LANES.enter(&WANTED).is_held.get());
    }
}
