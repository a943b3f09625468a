//! From a key press to the finished frame, at 10 to 10,000 turns: it must not grow with the run.

#![allow(missing_docs)] // the macro below makes a public function

use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use turnscope::compression::{Asked, Case, STRATEGIES};
use turnscope::load::Report;
use turnscope::tui::app::{App, Document, Start};
use turnscope::tui::key::Key;
use turnscope::tui::theme::Theme;
use turnscope::tui::{prepare::prepare, view::view};

#[path = "common/big_step.rs"]
#[allow(dead_code)] // the step file is for the bench of loading
mod big_step;

const TURNS: [usize; 4] = [10, 100, 1_000, 10_000];

/// Keys that are pressed in turn, so that the state comes back to where it was.
const KEYS: [(&str, &[&str]); 4] = [
    ("turn", &["K", "J"]),
    ("strategy", &["s", "S"]),
    ("option", &["L", "+", "-", "esc"]),
    ("scroll", &["tab", "tab", "k", "j", "tab"]),
];

struct Screen {
    app: App,
    terminal: Terminal<TestBackend>,
}

impl Screen {
    fn new(turns: usize, case: &Case) -> Self {
        let step = Arc::new(big_step::big_step(turns));
        let start = Start {
            asked: Asked::new(Some(case.strategy.name().to_owned()), Vec::new()),
            ..Start::default()
        };
        let document = Document::new("bench", step, Report::default(), &start);
        let document = document.expect("it opens");
        let terminal = Terminal::new(TestBackend::new(200, 60)).expect("a screen");
        let mut screen = Self {
            app: App::new(document, Theme::FULL),
            terminal,
        };
        screen.press("G");
        screen
    }

    fn press(&mut self, name: &str) {
        if let Some(key) = Key::parse(name) {
            self.app.key(key);
        }
        let app = &mut self.app;
        let drawn = self.terminal.draw(|frame| {
            prepare(app, frame.area());
            view(app, frame);
        });
        drawn.expect("a frame");
    }
}

fn frames(criterion: &mut Criterion) {
    for strategy in STRATEGIES {
        let case = Case::new(*strategy);
        for (what, keys) in KEYS {
            let mut group = criterion.benchmark_group(format!("frame/{}/{what}", strategy.name()));
            for turns in TURNS {
                let mut screen = Screen::new(turns, &case);
                group.bench_function(BenchmarkId::from_parameter(turns), |bencher| {
                    bencher.iter(|| keys.iter().for_each(|key| screen.press(key)));
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
