//! How long presses take: the middle, and the slowest one in a hundred.

use std::fmt;
use std::time::{Duration, Instant};

use crate::screen::{Screen, keys};

/// What presses take.
pub(crate) struct Spread {
    /// Half of them take no longer.
    pub(crate) half: Duration,
    /// 99 in 100 take no longer.
    pub(crate) most: Duration,
}

impl Spread {
    /// Of so many times.
    pub(crate) fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)];
        Self {
            half: at(50),
            most: at(99),
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>7.2} {:>8.2}", ms(self.half), ms(self.most))
    }
}

/// Presses keys in turn, which come back to where they began, and measures each press with its frame.
pub(crate) fn of(screen: &mut Screen, cycle: &str, rounds: usize) -> Spread {
    let cycle = keys(cycle);
    // What is made once is made by the first round.
    for key in &cycle {
        screen.press(*key);
    }
    let mut times = Vec::with_capacity(rounds * cycle.len());
    for _ in 0..rounds {
        for key in &cycle {
            let begun = Instant::now();
            screen.press(*key);
            times.push(begun.elapsed());
        }
    }
    Spread::new(times)
}

/// Milliseconds.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// What machine this is, as far as it tells.
pub(crate) fn machine() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find(|line| line.starts_with("model name"));
    let model = model
        .and_then(|line| line.split(": ").nth(1))
        .unwrap_or("unknown");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{cores} × {model}")
}
