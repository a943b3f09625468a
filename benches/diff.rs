//! What it costs to compare two large prompts: by line, and by word where changes are in view.

#![allow(missing_docs)] // the macro below makes a public function

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use turnscope::analysis::diff::{changed_words, hunks};

/// As the program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Bytes of a prompt; the speed goal names the larger one.
const BYTES: [usize; 2] = [100_000, 1_000_000];

/// Changes that a tall screen shows at most: of two lines each, and a line between.
const IN_VIEW: usize = 20;

/// A prompt, and the next one: a line in 50 says something else, one in 200 is gone, one in 200 is new.
fn prompts(bytes: usize) -> [String; 2] {
    let (mut before, mut after) = (String::new(), String::new());
    for at in 0.. {
        if before.len() >= bytes {
            break;
        }
        let line = |total: usize| {
            let status = if at % 3 == 0 { "paid" } else { "open" };
            format!(
                "order {at} ; {{:status \"{status}\", :total {total}.5}}, checked by turn {}\n",
                at % 17
            )
        };
        if at % 200 != 7 {
            before.push_str(&line(at * 3));
        }
        if at % 200 != 99 {
            after.push_str(&line(if at % 50 == 0 { at * 5 } else { at * 3 }));
        }
    }
    [before, after]
}

/// All lines.
fn lines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("diff-lines");
    for bytes in BYTES {
        let [before, after] = prompts(bytes);
        group.throughput(Throughput::Bytes((before.len() + after.len()) as u64));
        group.bench_function(BenchmarkId::from_parameter(bytes), |bencher| {
            bencher.iter(|| hunks(black_box(&before), black_box(&after)));
        });
    }
    group.finish();
}

/// The words of the changes that are in view.
fn words(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("diff-words");
    for bytes in BYTES {
        let [before, after] = prompts(bytes);
        let [old, new] =
            [&before, &after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
        let hunks = hunks(&before, &after).into_iter();
        let changed = hunks.filter(|hunk| !hunk.before.is_empty() && !hunk.after.is_empty());
        let changed = changed.map(|hunk| [old[hunk.before].concat(), new[hunk.after].concat()]);
        let in_view: Vec<[String; 2]> = changed.take(IN_VIEW).collect();
        assert_eq!(in_view.len(), IN_VIEW);
        group.bench_function(BenchmarkId::from_parameter(bytes), |bencher| {
            bencher.iter(|| {
                for [before, after] in &in_view {
                    black_box(changed_words(before, after));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, lines, words);
criterion_main!(benches);
