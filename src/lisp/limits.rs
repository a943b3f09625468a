//! What a program may use, and what it has used.

use std::time::{Duration, Instant};

use super::error::{LispError, Res};

/// What a program may use. Beyond it, it fails with `out_of_budget`, or `loop_limit_exceeded` and
/// `timeout` as the reference calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Expressions evaluated, items visited.
    pub steps: u64,
    /// Items and texts made: an item is a cell, eight bytes of a text are one.
    pub cells: u64,
    /// Evaluations inside each other.
    pub depth: usize,
    /// Rounds of one `loop`.
    pub rounds: usize,
    /// Characters of one `println`.
    pub print_chars: usize,
    /// Time.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 2_000_000,
            cells: 8_000_000,
            depth: 4_000,
            rounds: 1_000,
            print_chars: 2_000,
            time: Duration::from_secs(5),
        }
    }
}

/// Steps between two looks at the clock.
const CLOCK: u64 = 1024;

pub(super) struct Budget {
    pub(super) limits: Limits,
    steps: u64,
    cells: u64,
    next_look: u64,
    end: Option<Instant>,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            steps: 0,
            cells: 0,
            next_look: CLOCK,
            end: Instant::now().checked_add(limits.time),
        }
    }

    pub(super) fn step(&mut self, count: usize) -> Res<()> {
        self.steps = self.steps.saturating_add(count as u64);
        if self.steps > self.limits.steps {
            return Err(out_of("steps", self.limits.steps).into());
        }
        if self.steps >= self.next_look {
            self.next_look = self.steps + CLOCK;
            if self.end.is_some_and(|end| Instant::now() > end) {
                let message = format!("timeout after {} ms", self.limits.time.as_millis());
                return Err(LispError::new("timeout", message).into());
            }
        }
        Ok(())
    }

    pub(super) fn cells(&mut self, count: usize) -> Res<()> {
        self.cells = self.cells.saturating_add(count as u64);
        if self.cells > self.limits.cells {
            return Err(out_of("memory cells", self.limits.cells).into());
        }
        Ok(())
    }
}

fn out_of(what: &str, limit: u64) -> LispError {
    LispError::new(
        "out_of_budget",
        format!("the program used up its {limit} {what}"),
    )
    .hint("work on fewer items, or in several turns")
}

/// The error of a program that goes too deep.
pub(super) fn too_deep(limit: usize) -> LispError {
    let message = format!("more than {limit} evaluations inside each other");
    LispError::new("out_of_budget", message).hint("end the recursion earlier, or use reduce")
}
