//! A limit is changed at 1,000 turns (performance G7): how long the frame takes, and how long until the
//! exact number of the prompt's tokens is on the screen. Times depend on the machine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use turnscope::compression::{Asked, STRATEGIES};
use turnscope::tui::app::Start;

/// As the program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[path = "common/big_step.rs"]
#[allow(dead_code)] // the step file is for the bench of loading
mod big_step;
#[path = "common/screen.rs"]
mod screen;
#[path = "common/spread.rs"]
#[allow(dead_code)] // it measures presses of its own
mod spread;

use screen::{Screen, keys};
use spread::{Spread, machine, ms};

/// Turns of the run.
const TURNS: usize = 1_000;

/// Presses that are measured, of those that raise a limit and those that lower it again together.
const PRESSES: usize = 200;

/// What the frame may take, and what the number may take behind it.
const GOALS: [Duration; 2] = [Duration::from_millis(4), Duration::from_micros(16_700)];

/// Longer than this nobody waits for the number.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the frames take, and what the numbers take behind them; and how often none came.
fn measure(screen: &mut Screen) -> ([Spread; 2], usize) {
    let (mut frames, mut numbers, mut missing) = (Vec::new(), Vec::new(), 0);
    // What is counted once is counted by the first presses.
    for round in 0..=PRESSES / 4 {
        let is_counted = round > 0;
        for key in keys("+ + - -") {
            let begun = Instant::now();
            screen.press(key);
            let drawn = begun.elapsed();
            while screen.app.document().lens().tokens().is_none() && begun.elapsed() < PATIENCE {
                screen.app.poll();
                std::thread::sleep(Duration::from_micros(200));
            }
            if is_counted {
                frames.push(drawn);
                numbers.push(begun.elapsed().saturating_sub(drawn));
                missing += usize::from(screen.app.document().lens().tokens().is_none());
            }
        }
        if missing > 4 {
            break;
        }
    }
    ([Spread::new(frames), Spread::new(numbers)], missing)
}

fn main() {
    // `cargo test --benches` runs benches too, and looks at no figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("{}; times in ms: half of the presses, 99 in 100", machine());
    println!("{:<24} {:>16} {:>16}", "", "frame", "tokens");
    let mut missed = 0;
    for lines in [2, 120] {
        println!("{lines} lines in each program");
        let step = Arc::new(big_step::big_step_of(TURNS, lines));
        for strategy in STRATEGIES {
            let start = Start {
                asked: Asked::new(Some(strategy.name().to_owned()), Vec::new()),
                ..Start::default()
            };
            let mut screen = Screen::new(Arc::clone(&step), &start, (200, 60));
            screen.keys("G K L");
            screen.settle_for(Duration::from_secs(2));
            let (spreads, missing) = measure(&mut screen);
            let slow = spreads
                .iter()
                .zip(GOALS)
                .any(|(spread, goal)| spread.most > goal);
            missed += usize::from(slow || missing > 0);
            let [frame, number] = &spreads;
            println!(
                "{:<24} {frame} {number}{}{}",
                strategy.name(),
                if slow { "  slow" } else { "" },
                if missing > 0 { "  no number" } else { "" },
            );
        }
    }
    let [frame, number] = GOALS.map(ms);
    println!("\n{missed} strategies miss the goals of {frame} and {number} ms");
}
