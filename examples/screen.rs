//! Makes the README's picture of the inspector: `cargo run --example screen > assets/screen.svg`.
//!
//! It draws the real screen on the bundled demo after a few keys and writes it as SVG. Arguments are
//! columns, rows and keys: `cargo run --example screen -- 100 30 J J s`.

use std::fmt::Write as _;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use turnscope::load::Report;
use turnscope::tui::app::{App, Document, Start};
use turnscope::tui::key::Key;
use turnscope::tui::theme::Theme;
use turnscope::tui::{prepare::prepare, view::view};

/// Pixels of a cell.
const CELL: (u16, u16) = (8, 17);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let columns = arguments.next().map_or(Ok(150), |text| text.parse())?;
    let rows = arguments.next().map_or(Ok(36), |text| text.parse())?;
    let mut keys: Vec<String> = arguments.collect();
    if keys.is_empty() {
        keys = ["J", "J", "J"].map(str::to_owned).to_vec();
    }
    let start = Start {
        prefer_strategy: true,
        ..Start::default()
    };
    let step = turnscope::demo::step();
    let document = Document::new(turnscope::demo::NAME, step, Report::default(), &start)?;
    let mut app = App::new(document, Theme::FULL);
    let mut terminal = Terminal::new(TestBackend::new(columns, rows))?;
    terminal.draw(|frame| prepare(&mut app, frame.area()))?;
    for name in keys {
        let key = Key::parse(&name).ok_or_else(|| format!("no key is called {name}"))?;
        app.key(key);
        terminal.draw(|frame| prepare(&mut app, frame.area()))?;
    }
    terminal.draw(|frame| {
        prepare(&mut app, frame.area());
        view(&app, frame);
    })?;
    println!("{}", svg(terminal.backend().buffer()));
    Ok(())
}

fn svg(buffer: &Buffer) -> String {
    let (columns, rows) = (buffer.area.width, buffer.area.height);
    let (width, height) = (columns * CELL.0 + 16, rows * CELL.1 + 16);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#1b1d23\"/>\n\
         <g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\" xml:space=\"preserve\">\n"
    );
    for y in 0..rows {
        let mut x = 0;
        while x < columns {
            let style = buffer[(x, y)].style();
            let start = x;
            let mut text = String::new();
            while x < columns && buffer[(x, y)].style() == style {
                text.push_str(buffer[(x, y)].symbol());
                x += 1;
            }
            run(&mut out, (start, y), x - start, &text, style);
        }
    }
    out.push_str("</g>\n</svg>");
    out
}

/// Writes cells of one style.
fn run(out: &mut String, (x, y): (u16, u16), cells: u16, text: &str, style: Style) {
    let has = |modifier| style.add_modifier.contains(modifier);
    let mut ink = color(style.fg);
    let (left, top) = (8 + x * CELL.0, 8 + y * CELL.1);
    let width = cells * CELL.0;
    if has(Modifier::REVERSED) {
        let _ = writeln!(
            out,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{}\" fill=\"{ink}\"/>",
            CELL.1
        );
        ink = "#1b1d23";
    }
    if text.trim().is_empty() {
        return;
    }
    let weight = if has(Modifier::BOLD) {
        " font-weight=\"bold\""
    } else {
        ""
    };
    let faint = if has(Modifier::DIM) {
        " opacity=\"0.6\""
    } else {
        ""
    };
    let line = if has(Modifier::UNDERLINED) {
        " text-decoration=\"underline\""
    } else {
        ""
    };
    let escaped = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text x=\"{left}\" y=\"{}\" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{ink}\"{weight}{faint}{line}>{escaped}</text>",
        top + 13
    );
}

fn color(color: Option<Color>) -> &'static str {
    match color {
        Some(Color::Red) => "#e06c75",
        Some(Color::Green) => "#98c379",
        Some(Color::Yellow) => "#e5c07b",
        Some(Color::Blue) => "#61afef",
        Some(Color::Magenta) => "#c678dd",
        Some(Color::Cyan) => "#56b6c2",
        _ => "#d7dae0",
    }
}
