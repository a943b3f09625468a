//! Opening a file of 200 MB: how long its beginning and the whole take against an index of its lines
//! made with the same block reader, and the memory that stays (performance G1–G3). It prints each
//! figure beside its goal; it doesn't fail, for times are the machine's.

#![allow(missing_docs)] // a program

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use turnscope::load;

/// As the program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[path = "../examples/big_trace.rs"]
#[allow(dead_code)] // its own main
mod big_trace;

/// Bytes of the trace.
const SIZE: u64 = 200_000_000;
/// Bytes that the loader reads at a time.
const BLOCK: usize = 256 << 10;
/// Each is measured so often; the fastest counts.
const TIMES: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked: Vec<String> = std::env::args().collect();
    for kind in big_trace::kinds() {
        if asked.iter().any(|word| word == kind.name) {
            return measure(kind);
        }
    }
    // Each in a process of its own: what one gave back would count as room for the next.
    for kind in big_trace::kinds().filter(|kind| kind.name != "one-line") {
        Command::new(std::env::current_exe()?)
            .arg(kind.name)
            .status()?;
    }
    Ok(())
}

fn measure(kind: &big_trace::Kind) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("trace.jsonl");
    let turns = big_trace::write(&path.to_string_lossy(), SIZE, kind)?;
    println!("{}, {turns} turns, {} MB", kind.name, SIZE / 1_000_000);
    let blocks = fastest(|| index(&path));
    let beginning = fastest(|| load::open_beginning(&path, None).map_or(0, |_| 1));
    let before = private_kb("RssAnon");
    let loaded = load::open(&path, None)?;
    let after = private_kb("RssAnon");
    let most = private_kb("VmHWM").unwrap_or_default() / 1000;
    let spent = processor_time();
    let whole = fastest(|| load::open(&path, None).map_or(0, |_| 1));
    let spent = spent.and_then(|before| processor_time()?.checked_sub(before));
    let ratio = |time: Duration| time.as_secs_f64() / blocks.as_secs_f64();
    println!("  index of lines {blocks:.1?}");
    println!("  the beginning  {beginning:.1?}, {:.2}x", ratio(beginning));
    println!(
        "  all turns      {whole:.1?}, {:.1}x (goal 2.5x, 6x in any order of keys)",
        ratio(whole)
    );
    if let Some(spent) = spent.and_then(|spent| spent.checked_div(u32::try_from(TIMES).ok()?)) {
        // Where others use the machine too, this tells more than how long it took.
        println!("                 {spent:.1?} of processor time, on all threads");
    }
    if let (Some(before), Some(after)) = (before, after) {
        let goal = SIZE / 20 / 1_000_000 + 80;
        let kept = after.saturating_sub(before) / 1000;
        println!("  private memory {kept} MB more (goal {goal} MB), {most} MB of all at most");
    }
    drop(loaded);
    Ok(())
}

/// How many lines there are.
fn index(path: &Path) -> usize {
    let mut starts = Vec::new();
    let Ok(file) = File::open(path) else { return 0 };
    let (mut file, mut at) = (BufReader::with_capacity(BLOCK, file), 0);
    while let Ok(block) = file.fill_buf() {
        if block.is_empty() {
            break;
        }
        starts.extend(memchr::memchr_iter(b'\n', block).map(|end| at + end + 1));
        let used = block.len();
        at += used;
        file.consume(used);
    }
    starts.len()
}

fn fastest(mut run: impl FnMut() -> usize) -> Duration {
    let times = (0..TIMES).map(|_| {
        let began = Instant::now();
        std::hint::black_box(run());
        began.elapsed()
    });
    times.min().unwrap_or_default()
}

/// What all threads of this process spent so far, where the system tells it.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the program's name, which may hold anything; in hundredths of a second.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}

/// Memory of this process by the system's name for it, where the system tells it.
fn private_kb(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
