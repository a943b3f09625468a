//! Threads for work in the background, kept for a while for the work that comes next: keys follow each
//! other, and each asks for more.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a thread stays without work.
const KEPT: Duration = Duration::from_secs(10);

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
#[cfg(target_os = "linux")]
fn step_aside() {
    use thread_priority::ThreadPriority;
    use thread_priority::unix::{
        NormalThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy,
        thread_native_id,
    };

    // Only an idle thread gives way at once to one that is woken, and never takes the processor from who
    // woke it. Another one keeps it for as long as 4 ms where the scheduler counts in such ticks, at
    // whatever priority: a key would wait for it. Where all processors are taken it has a three-hundredth
    // of one, and all of it where none is.
    let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    let least = ThreadPriority::Min;
    if let Err(error) = set_thread_priority_and_policy(thread_native_id(), least, policy) {
        tracing::debug!(?error, "work in the background goes at full priority");
    }
}

/// Elsewhere a priority is the whole process's, whose keys are to be answered.
#[cfg(not(target_os = "linux"))]
fn step_aside() {}
