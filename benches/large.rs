//! A frame at the end of a text of 100 MB against one at the end of 0.1 MB (performance G5), in each pane
//! that may show such a text, wrapped and not. The ratio of the two is what counts.

use std::sync::Arc;
use std::time::Duration;

use turnscope::step::{Field, Message, Program, Role, Step, Turn, TurnParts};
use turnscope::tui::app::Start;
use turnscope::value::Value;

/// As the program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[path = "common/screen.rs"]
mod screen;
#[path = "common/spread.rs"]
mod spread;

use screen::Screen;
use spread::{Spread, machine, ms};

/// Bytes of the texts that are compared.
const SIZES: [usize; 2] = [100_000, 100_000_000];

/// What a frame of the large text may take of one of the small text.
const GROWTH: f64 = 1.5;

/// Rounds of each key that are measured.
const ROUNDS: usize = 400;

/// A way to the end of the text, with one line or with many.
const PLACES: [(&str, &str); 6] = [
    ("raw response", "tab > G"),
    ("raw response, not wrapped", "tab > w G"),
    ("result", "tab > > G"),
    ("print", "tab > > G"),
    ("prompt", "tab tab G"),
    ("prompt, not wrapped", "tab tab w G"),
];

/// A run of one turn that has such a text where a place shows it.
fn run(place: &str, text: &str) -> Arc<Step> {
    let mut step = Step::default();
    let mut parts = TurnParts::default();
    let program = Program::ptc_lisp("(+ 1 2)".to_owned());
    parts.program = Field::Recorded(program);
    match place.split(',').next() {
        Some("raw response") => parts.raw_response = Field::Recorded(text.into()),
        Some("result") => parts.result = Field::Recorded(Value::string(text)),
        Some("print") => parts.prints = Field::Recorded(vec![text.into()]),
        _ => {
            let message = Message::new(Role::User, text);
            parts.messages = Field::Recorded(vec![message]);
        }
    }
    step.push_turn(Turn::success(1, parts));
    Arc::new(step)
}

fn screen(step: &Arc<Step>, way: &str) -> Screen {
    let mut screen = Screen::new(Arc::clone(step), &Start::default(), (200, 60));
    screen.keys(way);
    screen.settle_for(Duration::from_secs(2));
    screen
}

fn main() {
    // `cargo test --benches` runs benches too, and looks at no figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("{}; times in ms: half of the frames, 99 in 100", machine());
    let line = "a line of text like any other, with words and 12 numbers in it\n";
    let texts = SIZES.map(|size| line.repeat(size / line.len()));
    let long = SIZES.map(|size| "one line of words ".repeat(size / 18));
    let mut missed = 0;
    // A line that is not wrapped is one row of the small text, and in the large one a pane full of its
    // parts: what fills a pane is compared with what fills a pane.
    let mut full = [Duration::ZERO; PLACES.len()];
    for (kind, texts) in [("many lines", texts), ("one line", long)] {
        println!(
            "\n{kind:<26} {:>16} {:>16} {:>7}",
            "0.1 MB", "100 MB", "ratio"
        );
        for ((place, way), full) in PLACES.iter().zip(&mut full) {
            let [small, large] = texts.each_ref().map(|text| {
                let run = run(place, text);
                move || screen(&run, way)
            });
            let full_or = |small: &Spread| small.half.max(*full);
            let ratio = |[small, large]: &[Spread; 2]| ms(large.half) / ms(full_or(small));
            let grows = |both: &[Spread; 2]| {
                let [small, large] = both;
                // A part of a frame's noise is no growth.
                ratio(both) > GROWTH && large.half > full_or(small) + Duration::from_micros(100)
            };
            let both = spread::of_two([&small, &large], "k j", ROUNDS, grows);
            let (grows, ratio) = (grows(&both), ratio(&both));
            let [small, large] = both;
            *full = small.half.max(*full);
            missed += usize::from(grows);
            println!(
                "{place:<26} {small} {large} {ratio:>7.2}{}",
                if grows { "  grows" } else { "" }
            );
        }
    }
    println!("\n{missed} places miss the goal of {GROWTH}");
}
