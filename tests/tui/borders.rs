//! Texts that terminals measure differently, at every width: borders stay straight, in the frame and
//! on a terminal that draws each character by itself.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use ratatui::backend::CrosstermBackend;
use ratatui::buffer::CellWidth as _;
use ratatui::{TerminalOptions, Viewport};
use turnscope::tui::prepare::overlay_area;
use unicode_width::UnicodeWidthStr as _;

use super::*;

/// Texts of which each is hard to measure.
const HARD: [&str; 16] = [
    "a\tb\t\tc",
    "one\rtwo\r\n",
    "日本語のテキスト",
    "e\u{301}\u{302}a\u{308}\u{20dd}",
    "👩\u{200d}👩\u{200d}👧\u{200d}👦 family",
    "🇩🇪🇫🇷🇯🇵",
    "⚠\u{fe0f}❤\u{fe0f} ok",
    "1\u{fe0f}\u{20e3}#\u{fe0f}\u{20e3}",
    "👍🏽👋🏿",
    "\u{202e}gnp.exe\u{202c}\u{2066}x\u{2069}",
    "\u{9b}2J\u{90}q\u{1b}[31m\u{7f}",
    "\u{200b}zero\u{200d}\u{feff}\u{2060}\u{ad}width",
    "ｶﾞｷﾞﾊﾟ",
    "क्षि தமி กำ",
    "\u{1112}\u{1161}\u{11ab}\u{fdfd}",
    "\u{301}\u{200d}starts with a mark",
];

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("JSON")
}

/// A run in whose every place one of the texts stands, or all of them.
fn hard(text: &str) -> Loaded {
    // Longer than any pane is wide.
    let evil = quoted(&text.repeat(1 + 240 / text.len()));
    let name = quoted(text);
    super::text(&format!(
        r#"{{"name":{evil},"mission":{evil},"max_turns":4,"model":{name},
        "messages":[{{"role":"system","content":{evil}}}],
        "tools":{{{name}:{{"description":{evil}}}}},"data":{{{name}:{evil}}},
        "turns":[
          {{"program":{evil},"raw_response":{evil},"result":{{{name}:[{evil},{evil}]}},"success":true,"prints":[{evil}],
            "tool_calls":[{{"name":{name},"args":{{"a":{evil}}},"error":{evil}}},{{"name":{name},"args":{{}},"result":{evil}}}],
            "memory":{{{name}:[{evil}]}},"input":{evil}}},
          {{"program":null,"raw_response":{evil},"result":{{"message":{evil}}},"success":false}}]}}"#
    ))
}

/// Keys that lead through list, panes, parts, comparisons and overlays, each from where the one
/// before has left.
const WAY: [&str; 20] = [
    "", "tab", ">", ">", ">", ">", ">", "tab", "3s", "v", "c", "J", "w", "l", "w", "t", "esc ?",
    "esc :", "esc E", "esc i",
];

/// A terminal that measures character by character, fed with what is really sent.
struct Plain {
    sent: Rc<RefCell<Vec<u8>>>,
    terminal: Terminal<CrosstermBackend<Sent>>,
    screen: vt100::Parser,
}

#[derive(Clone)]
struct Sent(Rc<RefCell<Vec<u8>>>);

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Plain {
    fn new(columns: u16, rows: u16) -> Self {
        let sent = Rc::new(RefCell::new(Vec::new()));
        let viewport = Viewport::Fixed(Rect::new(0, 0, columns, rows));
        let backend = CrosstermBackend::new(Sent(Rc::clone(&sent)));
        Self {
            sent,
            terminal: Terminal::with_options(backend, TerminalOptions { viewport })
                .expect("a screen"),
            screen: vt100::Parser::new(rows, columns, 0),
        }
    }

    /// Draws what the screen shows, over what is there, and compares what the terminal then has. The
    /// frame is given back: a test backend keeps what a wide character covers.
    fn draw(&mut self, screen: &Screen, after: &str) -> Buffer {
        let drawn = self.terminal.draw(|frame| view(&screen.app, frame));
        let buffer = drawn.expect("a frame").buffer.clone();
        self.screen.process(&self.sent.take());
        let shown = self.screen.screen();
        for y in 0..buffer.area.height {
            let mut x = 0;
            while x < buffer.area.width {
                let symbol = buffer[(x, y)].symbol();
                let wide = buffer[(x, y)].cell_width().max(1);
                // What terminals draw differently is not looked at, only what stands around it.
                if symbol.chars().count() == 1 {
                    let there = shown.cell(y, x).map_or("", vt100::Cell::contents);
                    assert_eq!(
                        there.trim(),
                        symbol.trim(),
                        "at {x}, {y} of {} after {after}",
                        buffer.area
                    );
                }
                x += wide;
            }
        }
        buffer
    }
}

/// Every cell is safe, has the width that it is measured with, and covers no other.
fn assert_even(buffer: &Buffer, after: &str) {
    for y in 0..buffer.area.height {
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            let at = format!("{symbol:?} at {x}, {y} of {} after {after}", buffer.area);
            assert!(!symbol.chars().any(is_unsafe), "unsafe: {at}");
            let wide = buffer[(x, y)].cell_width();
            assert_eq!(
                usize::from(wide),
                turnscope::text::width(symbol),
                "width: {at}"
            );
            let has_marks = symbol.contains(['\u{ff9e}', '\u{ff9f}']);
            assert!(
                has_marks || usize::from(wide) == symbol.width(),
                "unicode-width: {at}"
            );
            assert!(wide > 0, "nothing: {at}");
            assert!(x + wide <= buffer.area.width, "sticks out: {at}");
            for covered in x + 1..x + wide {
                assert_eq!(buffer[(covered, y)].symbol(), " ", "covers another: {at}");
            }
            x += wide;
        }
    }
}

/// Every place of a border has its sign.
fn assert_borders(screen: &Screen, buffer: &Buffer, after: &str) {
    let layout = &screen.app.layout;
    let over = overlay(buffer);
    let sign = |x: u16, y: u16, signs: &str| {
        if over.is_none_or(|area| !area.contains((x, y).into())) {
            let symbol = buffer[(x, y)].symbol();
            assert!(
                signs.contains(symbol),
                "{symbol:?}, not of {signs}, at {x}, {y} of {} after {after}",
                buffer.area
            );
        }
    };
    for area in [layout.turn, layout.prompt] {
        if area.width > 0 && area.x > 0 {
            for y in layout.titles.y..area.bottom() {
                sign(area.x - 1, y, "│");
            }
        }
    }
    for x in layout.rule.left()..layout.rule.right() {
        for y in layout.rule.top()..layout.rule.bottom() {
            sign(x, y, "─┴");
        }
    }
    // Of a frame of one column only a part is seen.
    if let Some(area) = over.filter(|area| area.width > 1) {
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        for y in area.y + 1..bottom {
            for x in [area.x, right] {
                assert_eq!(
                    buffer[(x, y)].symbol(),
                    "│",
                    "at {x}, {y} of {} after {after}",
                    buffer.area
                );
            }
        }
        for (x, y, corner) in [
            (right, area.y, "┐"),
            (area.x, bottom, "└"),
            (right, bottom, "┘"),
        ] {
            assert_eq!(
                buffer[(x, y)].symbol(),
                corner,
                "at {x}, {y} of {} after {after}",
                buffer.area
            );
        }
    }
}

/// The place of what lies over the panes: the corner that is seen, and the width that it must have.
fn overlay(buffer: &Buffer) -> Option<Rect> {
    let area = buffer.area;
    let mut cells = area.positions();
    let corner = cells.find(|at| buffer[*at].symbol() == "┌")?;
    let bottom = (corner.y..area.height)
        .rev()
        .find(|y| buffer[(corner.x, *y)].symbol() == "└")?;
    // The overview has all columns, every other one those of `overlay_area`.
    let is_whole = (corner.y, bottom + 2) == (0, area.height) && corner.x == 0;
    let width = if is_whole {
        area.width
    } else {
        overlay_area(area, 40).width
    };
    Some(Rect::new(corner.x, corner.y, width, bottom + 1 - corner.y))
}

/// Goes the way at a size and looks at each frame, and at each frame drawn over the one before.
fn go(loaded: Loaded, columns: u16, rows: u16) {
    let mut screen = Screen::new(loaded, columns, rows);
    let mut plain = Plain::new(columns, rows);
    for keys in WAY {
        screen.keys(keys);
        if keys.ends_with('E') {
            settle(&mut screen);
        }
        let buffer = plain.draw(&screen, keys);
        assert_even(&buffer, keys);
        assert_borders(&screen, &buffer, keys);
    }
}

#[test]
fn borders_are_straight_at_every_width() {
    let all = HARD.concat();
    for columns in (1..=80).chain(118..=124) {
        go(hard(&all), columns, 15);
    }
    for (columns, rows) in [
        (1, 1),
        (2, 2),
        (20, 1),
        (40, 3),
        (79, 5),
        (80, 9),
        (130, 60),
    ] {
        go(hard(&all), columns, rows);
    }
}

#[test]
fn no_text_alone_bends_a_border() {
    for text in HARD {
        for columns in [19, 20, 73, 80, 121] {
            go(hard(text), columns, 22);
        }
    }
}

#[test]
fn nothing_of_a_text_is_too_wide_for_its_place() {
    for text in HARD {
        let line = turnscope::text::clean_line(text);
        for columns in 1..40 {
            let rows = turnscope::text::rows::wrap(&line, columns);
            for row in rows {
                assert!(
                    turnscope::text::width(&line[row]) <= columns.max(3),
                    "{text:?} in {columns}"
                );
            }
        }
    }
}
