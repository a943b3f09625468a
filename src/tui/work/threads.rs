//! Threads for work in the background, kept for a while for the work that comes next: keys follow each
//! other, and each asks for more.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a thread stays without work.
const KEPT: Duration = Duration::from_secs(10);

/// How far they step back, of 0 to 19: they have a tenth of what the drawing thread may have where a
/// processor is short, and all of it where none is.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

type Job = Box<dyn FnOnce() + Send>;

struct Threads {
    state: Mutex<State>,
    came: Condvar,
}

struct State {
    jobs: VecDeque<Job>,
    /// Threads that wait for a job.
    idle: usize,
}

static THREADS: Threads = Threads {
    state: Mutex::new(State {
        jobs: VecDeque::new(),
        idle: 0,
    }),
    came: Condvar::new(),
};

/// Runs a job on a thread of its own.
pub(super) fn run(job: impl FnOnce() + Send + 'static) {
    let mut state = THREADS.lock();
    state.jobs.push_back(Box::new(job));
    if state.jobs.len() > state.idle {
        thread::spawn(|| {
            step_aside();
            // A job that panics ends its thread, which is none of the idle ones then.
            while let Some(job) = THREADS.next() {
                job();
            }
        });
    } else {
        THREADS.came.notify_one();
    }
}

impl Threads {
    /// Waits for a job; none where there was none for a while.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        if state.jobs.is_empty() {
            state.idle += 1;
            let waited = self
                .came
                .wait_timeout_while(state, KEPT, |state| state.jobs.is_empty());
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
        state.jobs.pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the drawing thread and other programs go first: a key must not wait for a figure.
fn step_aside() {
    // Elsewhere a number of 0 is the whole process, whose keys are to be answered.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "work in the background goes at full priority");
    }
}
