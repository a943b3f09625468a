//! The inspector on a screen that is no terminal, for benches.

use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use turnscope::load::Report;
use turnscope::step::Step;
use turnscope::tokens::Tokenizer;
use turnscope::tui::MakingFrame;
use turnscope::tui::app::{App, Document, Start};
use turnscope::tui::key::{Key, parse_binding};
use turnscope::tui::theme::Theme;
use turnscope::tui::{prepare::prepare, view::view};

/// A screen of some size.
pub(crate) struct Screen {
    pub(crate) app: App,
    terminal: Terminal<TestBackend>,
}

impl Screen {
    /// The inspector on a run, as it is once the tokenizer's dictionary is read.
    pub(crate) fn new(step: Arc<Step>, start: &Start, (columns, rows): (u16, u16)) -> Self {
        let tokenizer = Tokenizer::default();
        tokenizer.count("");
        let document = Document::new("bench", step, Report::default(), start);
        let mut app = App::new(document.expect("it opens"), Theme::FULL);
        app.tokenizer = Some(tokenizer);
        let backend = TestBackend::new(columns, rows);
        let terminal = Terminal::new(backend).expect("a screen");
        let mut screen = Self { app, terminal };
        screen.draw();
        screen
    }

    /// Prepares and draws a frame.
    pub(crate) fn draw(&mut self) {
        let app = &mut self.app;
        let drawn = self.terminal.draw(|frame| {
            prepare(app, frame.area());
            view(app, frame);
        });
        drawn.expect("a frame");
    }

    /// From a key press to the finished frame.
    pub(crate) fn press(&mut self, key: Key) {
        let _making = MakingFrame::begin();
        self.app.key(key);
        self.draw();
    }

    /// Keys by their names, one after the other; `yy` is two of them.
    pub(crate) fn keys(&mut self, names: &str) {
        for key in keys(names) {
            self.press(key);
        }
    }

    /// Waits for what goes on in the background, but no longer than that.
    #[allow(dead_code)] // not every bench waits
    pub(crate) fn settle_for(&mut self, most: std::time::Duration) {
        let begun = std::time::Instant::now();
        while self.app.is_busy() && begun.elapsed() < most {
            self.app.poll();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.draw();
    }
}

/// The keys of their names.
pub(crate) fn keys(names: &str) -> Vec<Key> {
    let bindings = names.split_whitespace();
    bindings
        .flat_map(|name| parse_binding(name).expect("keys"))
        .collect()
}
