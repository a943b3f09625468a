//! How long presses take: the middle, and the slowest one in a hundred.

use std::fmt;
use std::time::{Duration, Instant};

use crate::screen::{Screen, keys};

/// Blocks of presses that are measured of each of two screens, by turns.
#[allow(dead_code)] // not every bench compares
const BLOCKS: usize = 5;

/// How many times as many of what misses its goal.
#[allow(dead_code)] // not every bench compares
const TRIES: usize = 4;

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
#[allow(dead_code)] // not every bench compares
fn of(mut screen: Screen, cycle: &str, rounds: usize) -> Spread {
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

/// What presses take on two screens that are compared, block after block by turns, each on a screen of its
/// own, so that one's work in the background is not the other's. What else the machine does makes presses
/// slower for seconds at a time, as a rule for both blocks of a pair: the pair counts whose ratio is the
/// middle one, and of what 99 in 100 take the least. What misses its goal is measured for longer.
#[allow(dead_code)] // not every bench compares
pub(crate) fn of_two(
    screens: [&dyn Fn() -> Screen; 2],
    cycle: &str,
    rounds: usize,
    misses: impl Fn(&[Spread; 2]) -> bool,
) -> [Spread; 2] {
    let mut blocks: Vec<[Spread; 2]> = Vec::new();
    loop {
        for _ in 0..BLOCKS {
            let block = |screen: &dyn Fn() -> Screen| of(screen(), cycle, rounds.div_ceil(BLOCKS));
            blocks.push(screens.map(block));
        }
        let ratio = |[one, other]: &[Spread; 2]| ms(other.half) / ms(one.half);
        blocks.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
        let least = |at: usize| blocks.iter().map(|block| block[at].most).min();
        let [one, other] = &blocks[blocks.len() / 2];
        let found = [(one, 0), (other, 1)].map(|(spread, at)| Spread {
            half: spread.half,
            most: least(at).unwrap_or(spread.most),
        });
        if blocks.len() >= BLOCKS * TRIES || !misses(&found) {
            return found;
        }
    }
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
