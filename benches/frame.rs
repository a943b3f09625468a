//! From a key press to the finished frame, at 10 to 10,000 turns: it must not grow with the run.

#![allow(missing_docs)] // the macro below makes a public function

use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use turnscope::compression::{Asked, Case, STRATEGIES};
use turnscope::tui::app::Start;

/// As the program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[path = "common/big_step.rs"]
#[allow(dead_code)] // the step file is for the bench of loading
mod big_step;
#[path = "common/screen.rs"]
mod screen;

use screen::{Screen, keys};

const TURNS: [usize; 4] = [10, 100, 1_000, 10_000];

/// Keys that are pressed in turn, so that the state comes back to where it was.
const KEYS: [(&str, &str); 4] = [
    ("turn", "K J"),
    ("strategy", "s S"),
    ("option", "L + - esc"),
    ("scroll", "tab tab k j tab"),
];

/// At the last turn, under a strategy.
fn screen(turns: usize, case: &Case) -> Screen {
    let step = Arc::new(big_step::big_step(turns));
    let start = Start {
        asked: Asked::new(Some(case.strategy.name().to_owned()), Vec::new()),
        ..Start::default()
    };
    let mut screen = Screen::new(step, &start, (200, 60));
    screen.keys("G");
    screen
}

fn frames(criterion: &mut Criterion) {
    for strategy in STRATEGIES {
        let case = Case::new(*strategy);
        for (what, names) in KEYS {
            let mut group = criterion.benchmark_group(format!("frame/{}/{what}", strategy.name()));
            for turns in TURNS {
                let mut screen = screen(turns, &case);
                let cycle = keys(names);
                group.bench_function(BenchmarkId::from_parameter(turns), |bencher| {
                    bencher.iter(|| cycle.iter().for_each(|key| screen.press(*key)));
                });
            }
            group.finish();
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(400))
        .sample_size(10)
        .without_plots();
    targets = frames
}
criterion_main!(benches);
