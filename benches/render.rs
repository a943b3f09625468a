//! What it costs to load a run and to render its prompts.
//!
//! Ratios and growth from few turns to many are what counts; times depend on the machine. The case
//! is the one that the speed goals name: 20 definitions, 500 data rows, 2 calls and 2 prints a turn.

#![allow(missing_docs)] // the macro below makes a public function

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use turnscope::compression::{Case, Run, STRATEGIES};
use turnscope::load::{self, Source};

/// As the program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[path = "common/big_step.rs"]
mod big_step;

const TURNS: [usize; 4] = [10, 100, 1_000, 10_000];

/// The prompt after the last turn, from a run that is ready: what a key press costs.
fn render(criterion: &mut Criterion) {
    let runs = TURNS.map(|turns| (turns, Run::new(Arc::new(big_step::big_step(turns)))));
    for strategy in STRATEGIES {
        let mut group = criterion.benchmark_group(format!("prompt/{}", strategy.name()));
        let case = Case::new(*strategy);
        for (turns, run) in &runs {
            let last = run.step().last_prompt();
            group.bench_function(BenchmarkId::from_parameter(turns), |bencher| {
                bencher.iter(|| run.prompt(black_box(last), &case));
            });
        }
        group.finish();
    }
}

/// The first prompt from a step just loaded: reading it through, then rendering.
fn first_prompt(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("first-prompt");
    for turns in TURNS {
        let step = Arc::new(big_step::big_step(turns));
        group.throughput(Throughput::Elements(turns as u64));
        group.bench_function(BenchmarkId::from_parameter(turns), |bencher| {
            bencher.iter(|| {
                let run = Run::new(Arc::clone(&step));
                run.prompt(step.last_prompt(), &Case::default())
            });
        });
    }
    group.finish();
}

/// A step file from its bytes.
fn load_step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("load-step");
    for turns in [100, 1_000] {
        let text = big_step::big_step_file(turns);
        let source = Source::from_bytes("big.step.json", text.into_bytes());
        group.throughput(Throughput::Bytes(source.bytes().len() as u64));
        group.bench_function(BenchmarkId::from_parameter(turns), |bencher| {
            bencher.iter(|| load::load(&source, None));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    // Short: the whole run stays under a minute and a half.
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(800))
        .sample_size(20)
        .without_plots();
    targets = render, first_prompt, load_step
}
criterion_main!(benches);
