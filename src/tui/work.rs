//! Work that takes longer than a frame: on a thread of its own, its results taken when they are there.
//! Whoever lets go of it no longer wants it. The drawing thread comes first: work has the processors that
//! it leaves ([`lanes`]), stands still while a frame is made ([`frames`]), and steps aside where other
//! programs want the processors too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

mod frames;
mod lanes;
mod threads;

pub use frames::MakingFrame;
use lanes::{LANES, Lane};

/// Work that goes on, or is over.
#[derive(Debug)]
pub(super) struct Work<T> {
    coming: Option<Receiver<T>>,
    cancelled: Arc<AtomicBool>,
}

/// What the work tells of itself, and learns from whoever wants it.
pub(super) struct Teller<T> {
    send: Sender<T>,
    cancelled: Arc<AtomicBool>,
    lane: Lane,
}

/// The work ended without a result: by a panic.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BrokeOff;

/// No work.
impl<T> Default for Work<T> {
    fn default() -> Self {
        Self {
            coming: None,
            cancelled: Arc::default(),
        }
    }
}

impl<T> Drop for Work<T> {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl<T> Teller<T> {
    /// Tells a result; whether anybody wants more.
    pub(super) fn tell(&self, result: T) -> bool {
        self.send.send(result).is_ok() && self.is_wanted()
    }

    /// Whether anybody still wants it. Where a frame is made or other work waits, that goes on first.
    pub(super) fn is_wanted(&self) -> bool {
        frames::stand_still(&self.cancelled);
        self.lane.make_way(&self.cancelled);
        !self.cancelled.load(Ordering::Relaxed)
    }

    /// What is set once nobody wants it any longer.
    pub(super) fn cancelled(&self) -> &AtomicBool {
        &self.cancelled
    }
}

impl<T: Send + 'static> Work<T> {
    /// Begins work that tells its results one after the other.
    pub(super) fn start(work: impl FnOnce(&Teller<T>) + Send + 'static) -> Self {
        let (send, coming) = channel();
        let cancelled = Arc::<AtomicBool>::default();
        let wanted = Arc::clone(&cancelled);
        threads::run(move || {
            frames::stand_still(&wanted);
            let lane = LANES.enter(&wanted);
            work(&Teller {
                send,
                cancelled: wanted,
                lane,
            });
        });
        Self {
            coming: Some(coming),
            cancelled,
        }
    }

    /// Begins work that has one result.
    pub(super) fn one(make: impl FnOnce() -> T + Send + 'static) -> Self {
        Self::start(move |teller| {
            teller.tell(make());
        })
    }
}

impl<T> Work<T> {
    /// Whether it goes on.
    pub(super) fn is_running(&self) -> bool {
        self.coming.is_some()
    }

    /// Says that it is no longer wanted; it goes on until it looks.
    pub(super) fn give_up(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Takes the results that are there; whether there is any, or it is over.
    pub(super) fn poll(&mut self, mut take: impl FnMut(T)) -> bool {
        let Some(coming) = &self.coming else {
            return false;
        };
        let mut changed = false;
        loop {
            match coming.try_recv() {
                Ok(result) => take(result),
                Err(TryRecvError::Empty) => return changed,
                // Over, by a panic of its own too: what was told stays.
                Err(TryRecvError::Disconnected) => {
                    self.coming = None;
                    return true;
                }
            }
            changed = true;
        }
    }

    /// Takes the one result, with which the work is over; none while it goes on.
    pub(super) fn take(&mut self) -> Option<Result<T, BrokeOff>> {
        let result = match self.coming.as_ref()?.try_recv() {
            Err(TryRecvError::Empty) => return None,
            result => result.map_err(|_| BrokeOff),
        };
        self.coming = None;
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    fn until(mut is_there: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !is_there() {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "it takes too long"
            );
            thread::yield_now();
        }
    }

    #[test]
    fn results_come_in_order_and_then_it_is_over() {
        let mut work = Work::start(|teller| {
            for result in 0..5 {
                teller.tell(result);
            }
        });
        let mut found = Vec::new();
        until(|| {
            work.poll(|result| found.push(result));
            !work.is_running()
        });
        assert_eq!(found, [0, 1, 2, 3, 4]);
        assert!(!work.poll(|_| ()));
    }

    #[test]
    fn one_result_ends_it_and_so_does_a_panic() {
        let mut work = Work::one(|| 7);
        let mut taken = None;
        until(|| {
            taken = work.take();
            taken.is_some()
        });
        assert_eq!((taken, work.is_running()), (Some(Ok(7)), false));
        let mut work: Work<u8> = Work::one(|| panic!("in the work"));
        let mut taken = None;
        until(|| {
            taken = work.take();
            taken.is_some()
        });
        assert_eq!((taken, work.take()), (Some(Err(BrokeOff)), None));
    }

    #[test]
    fn who_lets_go_no_longer_wants_it() {
        let (send, ended) = channel();
        let work: Work<()> = Work::start(move |teller| {
            while teller.is_wanted() {
                thread::yield_now();
            }
            let _ = send.send(teller.tell(()));
        });
        drop(work);
        let told = ended.recv_timeout(Duration::from_secs(60));
        assert_eq!(told, Ok(false));
    }
}
