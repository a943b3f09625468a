//! From a key press to the finished frame for every class of keys, with both text panes full, at 100 and
//! at 10,000 turns: what a key takes, and what the slowest key of the class takes, each as the middle of
//! many presses, because what others do on the machine is no part of it.
//!
//! The ratio of the two runs is what counts; times depend on the machine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use turnscope::compression::Asked;
use turnscope::step::Step;
use turnscope::tui::app::Start;

#[path = "common/big_step.rs"]
#[allow(dead_code)] // the step file is for the bench of loading
mod big_step;
#[path = "common/screen.rs"]
mod screen;

use screen::{Screen, keys};

/// Turns of the runs that are compared.
const TURNS: [usize; 2] = [100, 10_000];

/// Lines of each turn's program: more than a pane has rows.
const LINES: usize = 120;

/// Presses of each key that are measured.
const ROUNDS: usize = 15;

/// A screen, and what a press may take on it.
const SIZES: [((u16, u16), Duration); 2] = [
    ((200, 60), Duration::from_millis(4)),
    ((400, 100), Duration::from_micros(8_300)),
];

/// What a run of 10,000 turns may take of one of 100.
const GROWTH: f64 = 1.2;

/// A class of keys: those that lead there, and those that are pressed in turn and come back.
const CLASSES: [(&str, &str, &str); 26] = [
    ("turn", "", "K J"),
    ("turn, far", "", "g G"),
    ("page of turns", "", "ctrl-u ctrl-d"),
    ("pane", "", "tab tab tab"),
    ("part of the turn", "tab", "> > > > > >"),
    ("strategy", "", "s S"),
    ("strategy, last two", "s", "` `"),
    ("option", "L", "+ -"),
    ("style of summaries", "", "x x"),
    ("scroll the turn", "tab", "j j k k"),
    ("scroll the prompt", "tab tab", "j ctrl-d ctrl-u k"),
    ("ends of the prompt", "tab tab", "g G"),
    ("sideways", "tab tab w", "l h"),
    ("wrap", "tab", "w w"),
    ("fold", "tab tab", "space space"),
    ("zoom", "tab tab", "z z"),
    ("left out", "", "v v"),
    ("prompt after", "", "p p"),
    ("compare", "c tab", "K J s S j k"),
    ("picker", "", "t down esc"),
    ("overview", "i", "j k ctrl-u ctrl-d"),
    ("problems", "E", "j k"),
    ("help and palette", "", "? j esc : z o esc"),
    ("origin", "tab tab 9 j", "o ctrl-o"),
    ("search", "/ r o w s enter", "n N"),
    ("copy", "", "yy yp yt yj"),
];

/// What the keys of a class take: the middle of all, and the slowest one.
struct Spread {
    half: Duration,
    most: Duration,
}

fn middle(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn measure(step: &Arc<Step>, strategy: &str, size: (u16, u16), way: &str, cycle: &str) -> Spread {
    let start = Start {
        asked: Asked::new(Some(strategy.to_owned()), Vec::new()),
        ..Start::default()
    };
    let mut screen = Screen::new(Arc::clone(step), &start, size);
    screen.keys("G K");
    screen.keys(way);
    // Figures of long runs take minutes: they are looked at while they come.
    screen.settle_for(Duration::from_millis(300));
    let cycle = keys(cycle);
    let mut times = vec![Vec::with_capacity(ROUNDS); cycle.len()];
    // What is made once is made by the first round.
    for key in &cycle {
        screen.press(*key);
    }
    for _ in 0..ROUNDS {
        for (key, times) in cycle.iter().zip(&mut times) {
            let begun = Instant::now();
            screen.press(*key);
            times.push(begun.elapsed());
        }
    }
    let mut keys: Vec<Duration> = times.iter_mut().map(|times| middle(times)).collect();
    Spread {
        most: keys.iter().copied().max().unwrap_or_default(),
        half: middle(&mut keys),
    }
}

/// What machine this is, as far as it tells.
fn machine() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find(|line| line.starts_with("model name"));
    let model = model
        .and_then(|line| line.split(": ").nth(1))
        .unwrap_or("unknown");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{cores} × {model}")
}

fn main() {
    // `cargo test --benches` runs benches too, and looks at no figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let runs = TURNS.map(|turns| Arc::new(big_step::big_step_of(turns, LINES)));
    println!("{}; times in ms", machine());
    let mut missed = 0;
    for strategy in ["single-user-coalesced", "uncompressed"] {
        for (size, goal) in SIZES {
            println!("\n{strategy}, {} × {}", size.0, size.1);
            println!(
                "{:<22} {:>16} {:>16} {:>7}",
                "", TURNS[0], TURNS[1], "ratio"
            );
            for (class, way, cycle) in CLASSES {
                if !words.is_empty() && !words.iter().any(|word| class.contains(word)) {
                    continue;
                }
                let [few, many] = [0, 1].map(|at| measure(&runs[at], strategy, size, way, cycle));
                let ms = |time: Duration| time.as_secs_f64() * 1000.0;
                let ratio = ms(many.half) / ms(few.half);
                let slow = many.most > goal || few.most > goal;
                // A part of a frame's noise is no growth.
                let grows = ratio > GROWTH && many.half > few.half + Duration::from_micros(100);
                missed += usize::from(slow || grows);
                println!(
                    "{class:<22} {:>7.2} {:>8.2} {:>7.2} {:>8.2} {ratio:>7.2}{}{}",
                    ms(few.half),
                    ms(few.most),
                    ms(many.half),
                    ms(many.most),
                    if slow { "  slow" } else { "" },
                    if grows { "  grows" } else { "" },
                );
            }
        }
    }
    println!("\n{missed} classes miss their goals");
}
