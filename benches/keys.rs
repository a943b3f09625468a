//! From a key press to the finished frame for every class of keys, with both text panes full, at 100 and
//! at 10,000 turns (performance G4): what half of the presses take at most, and what 99 in 100 do.
//!
//! The ratio of the two runs is what counts; times depend on the machine.

use std::sync::Arc;
use std::time::Duration;

use turnscope::compression::Asked;
use turnscope::step::Step;
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
mod spread;

use screen::Screen;
use spread::{Spread, machine, ms};

/// Turns of the runs that are compared.
const TURNS: [usize; 2] = [100, 10_000];

/// Lines of each turn's program: more than a pane has rows.
const LINES: usize = 120;

/// Presses of each class that are measured in all, at least: of much fewer, what 99 in 100 take would be
/// what one press took that another program came between.
const PRESSES: usize = 800;

/// A screen, and what a press may take on it.
const SIZES: [((u16, u16), Duration); 2] = [
    ((200, 60), Duration::from_millis(4)),
    ((400, 100), Duration::from_micros(8_300)),
];

/// What a run of 10,000 turns may take of one of 100.
const GROWTH: f64 = 1.2;

/// A class of keys: those that lead there, and those that are pressed in turn and come back.
const CLASSES: [(&str, &str, &str); 29] = [
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
    ("needs", "u", "j k"),
    ("diff", "d", "j ctrl-d ctrl-u k s S"),
    ("options row", "", "L l h esc"),
    ("overview", "i", "j k ctrl-u ctrl-d"),
    ("problems", "E", "j k"),
    ("help and palette", "", "? j esc : z o esc"),
    ("origin", "tab tab 9 j", "o ctrl-o"),
    ("search", "/ r o w s enter", "n N"),
    ("copy", "", "yy yp yt yj"),
];

fn screen(step: &Arc<Step>, strategy: &str, size: (u16, u16), way: &str) -> Screen {
    let start = Start {
        asked: Asked::new(Some(strategy.to_owned()), Vec::new()),
        ..Start::default()
    };
    let mut screen = Screen::new(Arc::clone(step), &start, size);
    screen.keys("G K");
    screen.keys(way);
    // Figures of long runs take minutes: they are looked at while they come.
    screen.settle_for(Duration::from_millis(300));
    screen
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
    println!("{}; times in ms: half of the presses, 99 in 100", machine());
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
                let [few, many] = [0, 1].map(|at| {
                    let run = &runs[at];
                    move || screen(run, strategy, size, way)
                });
                let rounds = PRESSES.div_ceil(screen::keys(cycle).len());
                let slow = |both: &[Spread; 2]| both.iter().any(|one| one.most > goal);
                let ratio = |[few, many]: &[Spread; 2]| ms(many.half) / ms(few.half);
                let grows = |both: &[Spread; 2]| {
                    let [few, many] = both;
                    // A part of a frame's noise is no growth.
                    ratio(both) > GROWTH && many.half > few.half + Duration::from_micros(100)
                };
                let is_off = |both: &[Spread; 2]| slow(both) || grows(both);
                let both = spread::of_two([&few, &many], cycle, rounds, is_off);
                let (slow, grows, ratio) = (slow(&both), grows(&both), ratio(&both));
                let [few, many] = both;
                missed += usize::from(slow || grows);
                println!(
                    "{class:<22} {few} {many} {ratio:>7.2}{}{}",
                    if slow { "  slow" } else { "" },
                    if grows { "  grows" } else { "" },
                );
            }
        }
    }
    println!("\n{missed} classes miss their goals");
}
