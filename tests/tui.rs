//! The inspector without a terminal: key scripts through the real command table, snapshots of the
//! screen, and what must hold for any keys at any size.
#![cfg(feature = "tui")]

#[path = "tui/abreast.rs"]
mod abreast;
#[path = "tui/beside_turns.rs"]
mod beside_turns;
#[path = "tui/bodies.rs"]
mod bodies;
#[path = "tui/borders.rs"]
mod borders;
#[path = "tui/diff.rs"]
mod diff;
#[path = "tui/export.rs"]
mod export_to_file;
#[path = "tui/fold.rs"]
mod fold;
#[path = "tui/folder.rs"]
mod folder;
#[path = "tui/kept.rs"]
mod kept;
#[path = "tui/lists.rs"]
mod lists;
#[path = "tui/notices.rs"]
mod notices;
#[path = "tui/origin.rs"]
mod origin;
#[path = "tui/problems.rs"]
mod problem_list;
#[path = "tui/reading.rs"]
mod reading;
#[path = "tui/rebuilt.rs"]
mod rebuilt;
#[path = "tui/redact.rs"]
mod redact;
#[path = "tui/shots.rs"]
mod shots;
#[path = "tui/style.rs"]
mod style;
#[path = "tui/survive.rs"]
mod survive;
#[path = "tui/tokens.rs"]
mod tokens;
#[path = "tui/totals.rs"]
mod totals;
#[path = "tui/turn.rs"]
mod turn;
#[path = "tui/typing.rs"]
mod typing;
#[path = "tui/widths.rs"]
mod widths;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use turnscope::compression::{Asked, Case, Run, STRATEGIES};
use turnscope::load::{self, Loaded, Source};
use turnscope::settings::Palette;
use turnscope::text::is_unsafe;
use turnscope::tokens::Tokenizer;
use turnscope::tui::app::{App, Document, Effect, Start};
use turnscope::tui::beside::Second;
use turnscope::tui::command::{COMMANDS, Context};
use turnscope::tui::external::Taker;
use turnscope::tui::follow::Watch;
use turnscope::tui::key::{Key, parse_binding};
use turnscope::tui::lens::Lens;
use turnscope::tui::reading::{Files, Reading};
use turnscope::tui::theme::Theme;
use turnscope::tui::{prepare::prepare, view::view};

fn fixture(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(file)
}

fn sample(file: &str) -> Loaded {
    load::open(&fixture(file), None).expect("the sample loads")
}

/// Makes a file look as if it was last written to so long ago.
fn written_before(path: &Path, ago: std::time::Duration) {
    let file = std::fs::File::options().append(true).open(path);
    let time = std::time::SystemTime::now() - ago;
    let set = file.and_then(|file| file.set_modified(time));
    set.expect("its time is set");
}

fn text(json: &str) -> Loaded {
    load::load(&Source::from_bytes("text", json.as_bytes().to_vec()), None).expect("it loads")
}

/// The inspector on a screen that is no terminal.
struct Screen {
    app: App,
    terminal: Terminal<TestBackend>,
}

impl Screen {
    fn new(loaded: Loaded, columns: u16, rows: u16) -> Self {
        Self::start(loaded, &Start::default(), columns, rows)
    }

    /// Two runs side by side.
    fn two(first: &str, second: &str, columns: u16, rows: u16) -> Self {
        let beside = Second::pick(second.to_owned(), &sample(second), None);
        let start = Start {
            beside: Some(beside.expect("a run")),
            ..Start::default()
        };
        Self::start(sample(first), &start, columns, rows)
    }

    fn start(loaded: Loaded, start: &Start, columns: u16, rows: u16) -> Self {
        let step = Arc::clone(&loaded.conversations[0]);
        let document = Document::new("sample", step, loaded.report, start);
        let document = document.expect("it opens");
        let backend = TestBackend::new(columns, rows);
        let mut screen = Self {
            app: App::new(document, Theme::FULL),
            terminal: Terminal::new(backend).expect("a screen"),
        };
        screen.draw();
        screen
    }

    fn draw(&mut self) {
        let app = &mut self.app;
        self.terminal
            .draw(|frame| {
                prepare(app, frame.area());
                view(app, frame);
            })
            .expect("a frame");
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal.backend_mut().resize(columns, rows);
        self.terminal
            .resize(Rect::new(0, 0, columns, rows))
            .expect("another size");
        self.draw();
    }

    fn key(&mut self, name: &str) -> Option<Effect> {
        let key = Key::parse(name).expect("a key");
        let effect = self.app.key(key);
        self.draw();
        effect
    }

    /// Keys one after the other; `yy` is two of them.
    fn keys(&mut self, names: &str) -> &mut Self {
        for name in names.split_whitespace() {
            for key in parse_binding(name).expect("keys") {
                self.app.key(key);
                self.draw();
            }
        }
        self
    }

    fn buffer(&self) -> &Buffer {
        self.terminal.backend().buffer()
    }

    fn text(&self) -> String {
        let buffer = self.buffer();
        let mut out = String::new();
        for y in 0..buffer.area.height {
            let row: String = (0..buffer.area.width)
                .map(|x| buffer[(x, y)].symbol())
                .collect();
            let _ = writeln!(out, "{}", row.trim_end());
        }
        out
    }
}

/// The sizes at which the screen must read well.
const SIZES: [(u16, u16); 3] = [(160, 48), (100, 30), (60, 15)];

/// Takes a snapshot of a screen after some keys, at every size.
fn snapshots(name: &str, file: &str, keys: &str) {
    for (columns, rows) in SIZES {
        let mut screen = Screen::new(sample(file), columns, rows);
        screen.keys(keys);
        insta::assert_snapshot!(format!("{name}-{columns}x{rows}"), screen.text());
    }
}

/// The same once everything is found that is looked for in the background.
fn settled_snapshots(name: &str, file: &str, keys: &str) {
    for (columns, rows) in SIZES {
        let mut screen = Screen::new(sample(file), columns, rows);
        screen.keys(keys);
        settle(&mut screen);
        insta::assert_snapshot!(format!("{name}-{columns}x{rows}"), screen.text());
    }
}

#[test]
fn what_a_turn_needed_is_listed_with_what_its_prompt_shows() {
    settled_snapshots("needs", "step/fleet-watch.step.json", "G K 7s u j");
    // enter goes to the source turn and the item in it, and ctrl-o comes back.
    let mut screen = Screen::new(sample("step/fleet-watch.step.json"), 140, 40);
    screen.keys("G K 7s u");
    settle(&mut screen);
    screen.keys("enter");
    insta::assert_snapshot!("needs-source", screen.text());
    screen.keys("ctrl-o u");
    settle(&mut screen);
    screen.keys("o");
    insta::assert_snapshot!("needs-missing", screen.text());
}

#[test]
fn a_line_of_the_prompt_leads_to_its_turn_and_back() {
    let mut screen = Screen::new(sample("step/shop-refunds.step.json"), 140, 40);
    screen.keys("3J s tab tab G 1 7 o");
    insta::assert_snapshot!("origin-turn", screen.text());
    screen.keys("o");
    insta::assert_snapshot!("origin-prompt", screen.text());
    // In a recorded prompt the line's text tells.
    let mut screen = Screen::new(sample("step/shop-refunds.step.json"), 140, 40);
    screen.keys("3J tab tab G 5 o");
    insta::assert_snapshot!("origin-recorded", screen.text());
}

#[test]
fn the_overview_has_a_row_a_turn() {
    settled_snapshots("overview", "step/fleet-watch.step.json", "2J i 1 0 j");
    settled_snapshots("overview-strategy", "step/shop-refunds.step.json", "i s G");
    let mut screen = Screen::new(sample("step/fleet-watch.step.json"), 100, 30);
    screen.keys("i 4 1 j enter");
    assert!(screen.text().contains("▸42 "), "{}", screen.text());
    let figures = screen.app.document().figures.as_ref();
    let goes_on = figures.is_some_and(turnscope::tui::figures::Figures::is_running);
    assert!(!goes_on, "what nobody sees is no longer looked for");
}

#[test]
fn it_opens_on_the_first_turn_and_what_was_sent() {
    snapshots("open", "step/log-triage.step.json", "");
}

#[test]
fn a_strategy_shows_what_it_would_send() {
    snapshots("coalesced", "step/shop-refunds.step.json", "G s");
    snapshots("window-flat", "step/fleet-watch.step.json", "20J 4s x");
}

#[test]
fn every_part_of_a_turn_is_shown() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 140, 40);
    screen.keys("4J tab");
    let mut seen = String::new();
    for _ in 0..6 {
        let _ = writeln!(seen, "{}\n", screen.text());
        screen.keys(">");
    }
    insta::assert_snapshot!("parts", seen);
}

#[test]
fn overlays_lie_over_the_panes() {
    snapshots("help", "step/shop-refunds.step.json", "?");
    settled_snapshots("picker", "step/shop-refunds.step.json", "2J t j");
    snapshots("palette", "step/shop-refunds.step.json", ": z o");
    snapshots(
        "options",
        "step/shop-refunds.step.json",
        "G s L l 1 2 enter l +",
    );
}

#[test]
fn a_run_without_turns_and_the_end_of_a_run_are_shown() {
    snapshots("no-turns", "step-corners/no-turns.step.json", "");
    snapshots("end", "step/shop-refunds.step.json", "G tab");
    snapshots("failed", "step/log-triage-stuck.step.json", "2J z");
}

#[test]
fn damage_is_said_in_the_header() {
    let whole = std::fs::read_to_string(fixture("step/shop-refunds.step.json")).expect("text");
    let cut = &whole[..whole.len() / 2];
    let screen = Screen::new(text(cut), 120, 20);
    assert!(
        screen
            .text()
            .lines()
            .next()
            .expect("a header")
            .contains("1 damaged")
    );
}

#[test]
fn what_is_selected_and_what_failed_is_seen_without_colour() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 120, 24);
    screen.app.theme = Theme {
        palette: Palette::None,
        ..Theme::FULL
    };
    screen.keys("J");
    let buffer = screen.buffer();
    let row: String = (0..20).map(|x| buffer[(x, 3)].symbol()).collect();
    assert!(row.starts_with("▸ 2 ✗"), "{row}");
    assert!(buffer[(5, 3)].modifier.contains(Modifier::REVERSED));
    assert!(!buffer[(5, 2)].modifier.contains(Modifier::REVERSED));
    for cell in buffer.content() {
        assert_eq!(cell.fg, Color::Reset, "no colour at all");
    }
    screen.app.theme = Theme::FULL;
    screen.draw();
    assert_eq!(screen.buffer()[(4, 3)].symbol(), "✗");
    assert_eq!(screen.buffer()[(4, 3)].fg, Color::Red);
}

#[test]
fn moving_shows_the_turn_and_its_prompt_in_the_next_frame() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 160, 30);
    screen.keys("s 3 j");
    assert!(screen.text().contains("Prompt for turn 4"));
    screen.keys("p");
    assert!(screen.text().contains("Prompt for turn 5"));
    screen.keys("G");
    assert!(screen.text().contains("Prompt for turn 7"));
    screen.keys(": 2 enter");
    assert!(screen.text().contains("Turn 2 ✗"));
    screen.keys("2G");
    assert_eq!(screen.app.document().selected, 1);
}

/// The prompt pane's messages, as they are copied.
fn copied_prompt(screen: &mut Screen) -> Vec<(String, String)> {
    screen.app.key(Key::parse("y").expect("a key"));
    let Some(Effect::Copy { text, .. }) = screen.app.key(Key::parse("j").expect("a key")) else {
        return Vec::new();
    };
    let messages: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let messages = messages.as_array().expect("messages").iter();
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    messages
        .map(|message| (text(&message["role"]), text(&message["content"])))
        .collect()
}

#[test]
fn the_screen_has_what_the_library_renders() {
    let mut compared = 0;
    for folder in ["step", "step-corners"] {
        let files = std::fs::read_dir(fixture(folder)).expect("the fixtures");
        for file in files {
            let path = file.expect("a file").path();
            let loaded = load::open(&path, None).expect("it loads");
            let run = Run::new(Arc::clone(&loaded.conversations[0]));
            let mut screen = Screen::new(loaded, 160, 30);
            let turns = screen.app.document().turns();
            for (number, strategy) in STRATEGIES.iter().enumerate() {
                screen.app.show_strategy(number + 1);
                for row in (0..=turns).step_by(1 + turns / 7) {
                    screen.app.document_mut().select(row);
                    prepare(&mut screen.app, Rect::new(0, 0, 160, 30));
                    let n = u32::try_from(row + 1).expect("a small number");
                    let prompt = run.prompt(n, &Case::new(*strategy)).expect("a prompt");
                    let expected: Vec<_> = prompt
                        .messages()
                        .into_iter()
                        .map(|(role, content)| (role.name().to_owned(), content.to_string()))
                        .collect();
                    let name = strategy.name();
                    assert_eq!(copied_prompt(&mut screen), expected, "{path:?} {name} {n}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 500, "only {compared} prompts were compared");
}

#[test]
fn options_change_the_prompt_at_once_and_can_be_taken_back() {
    let mut screen = Screen::new(sample("step/fleet-watch.step.json"), 160, 30);
    screen.keys("G s L");
    assert!(screen.text().contains("println ≤15 (15 of 51)"));
    screen.keys("3 enter");
    assert!(screen.text().contains("println ≤3* (3 of 51)"));
    screen.keys("+ u u");
    assert!(screen.text().contains("println ≤15 (15 of 51)"));
    screen.keys("u");
    assert!(screen.text().contains("no change to take back"));
    // Shared options hold for every strategy; a strategy's own stay its own.
    screen.keys("3 enter esc 4s");
    assert!(screen.text().contains("println ≤3* (5 of 51)"));
}

#[test]
fn leaving_is_always_possible() {
    for keys in ["", "?", ":", "t", "s L", "tab z", "tab tab"] {
        let mut screen = Screen::new(sample("step/shop-refunds.step.json"), 80, 20);
        screen.keys(keys);
        assert_eq!(screen.key("ctrl-c"), Some(Effect::Quit), "after {keys}");
        screen.keys("esc");
        assert_eq!(screen.key("q"), Some(Effect::Quit), "after {keys} esc");
    }
}

/// Waits until what goes on in the background has ended.
fn settle(screen: &mut Screen) {
    while screen.app.is_busy() {
        screen.app.poll();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    screen.draw();
}

fn search(screen: &mut Screen, words: &str) {
    screen.keys("/");
    for c in words.chars() {
        let name = if c == ' ' {
            "space".to_owned()
        } else {
            c.to_string()
        };
        screen.key(&name);
    }
    screen.keys("enter");
    settle(screen);
}

#[test]
fn a_search_goes_through_all_turns() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 120, 30);
    search(&mut screen, "by-service");
    let first = screen.app.document().selected;
    assert!(screen.text().contains("match 1 of"), "{}", screen.text());
    assert_eq!(screen.app.focus, turnscope::tui::app::Pane::Turn);
    let marked = screen
        .buffer()
        .content()
        .iter()
        .filter(|cell| cell.fg == Color::Yellow);
    assert!(marked.count() >= "by-service".len());
    let count = screen
        .app
        .document()
        .search
        .as_ref()
        .map_or(0, |search| search.found.len());
    assert!(count > 2);
    let mut rows = Vec::new();
    for _ in 0..count {
        rows.push(screen.app.document().selected);
        screen.keys("n");
    }
    assert!(rows.is_sorted() && rows.first() < rows.last());
    assert_eq!(screen.app.document().selected, first, "around the end");
    screen.keys("N");
    assert_eq!(Some(&screen.app.document().selected), rows.last());
    screen.keys("ctrl-o");
    assert_eq!(screen.app.document().selected, first);
    screen.keys("esc");
    assert!(screen.app.document().search.is_none());
}

#[test]
fn case_matters_where_a_capital_is_typed_and_patterns_are_checked() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 120, 30);
    let found = |screen: &Screen| screen.app.document().search.as_ref().map(|s| s.found.len());
    search(&mut screen, "oom");
    assert!(found(&screen) > Some(0));
    search(&mut screen, "Oom");
    assert_eq!(found(&screen), Some(0));
    assert!(screen.text().contains("no match"));
    search(&mut screen, "r-10.2");
    assert_eq!(found(&screen), Some(0));
    screen.keys("/ ctrl-r r - 1 0 . 2 enter");
    settle(&mut screen);
    assert!(found(&screen) > Some(0));
    screen.keys("/ ctrl-r ( enter");
    assert!(screen.text().contains("not a regular expression"));
    assert_eq!(screen.app.context(), Context::Search);
}

#[test]
fn prompts_are_searched_from_their_pane() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 120, 30);
    screen.keys("1s tab tab");
    search(&mut screen, "turns left");
    let search = screen.app.document().search.as_ref().expect("a search");
    // One prompt a turn, and the one after the last; the last but one is no FINAL TURN yet.
    assert_eq!(search.found.len(), 7);
    screen.keys("n n");
    assert!(screen.text().contains("Prompt for turn 3"));
}

#[test]
fn what_was_left_out_stands_in_its_place() {
    let mut screen = Screen::new(sample("step-corners/many-prints.step.json"), 120, 40);
    screen.keys("G 1s v");
    insta::assert_snapshot!("left-out", screen.text());
    screen.keys("v");
    assert!(!screen.text().contains("over the limit"));
}

#[test]
fn two_prompts_stand_side_by_side() {
    snapshots("compare", "step/log-triage.step.json", "5J 1s c");
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 160, 40);
    screen.keys("5J 2s c shift-tab 5s");
    let lenses = screen.app.document().lenses();
    assert_eq!(lenses.len(), 2);
    let titles: Vec<&str> = lenses.iter().map(|lens| Lens::title(lens.shown)).collect();
    assert_eq!(
        titles,
        ["uncompressed", "aggressive"],
        "the focused one changes"
    );
    screen.keys("G");
    let tops = screen
        .app
        .document()
        .lenses()
        .iter()
        .map(|lens| lens.view.position());
    assert!(
        tops.into_iter().all(|top| top.is_none_or(|top| top == 100)),
        "both scroll"
    );
    screen.keys("c");
    assert_eq!(screen.app.document().lenses().len(), 1);
}

const PARTED: [&str; 2] = [
    "step/log-triage.step.json",
    "step/log-triage-stuck.step.json",
];

impl Screen {
    /// Takes the selected entry of what-if and edits what the editor is given, until the fork is there.
    fn edited(&mut self, edit: impl Fn(&str) -> String) -> &mut Self {
        let Some(Effect::HandOver(handed)) = self.key("enter") else {
            panic!("the editor is given nothing: {}", self.text());
        };
        let Taker(take) = handed.taker.expect("a text that can be edited");
        take(&mut self.app, edit(&handed.text));
        self.wait()
    }

    fn wait(&mut self) -> &mut Self {
        while self.app.is_busy() {
            self.app.poll();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.draw();
        self
    }
}

#[test]
fn a_changed_turn_shows_what_follows_beside_what_was() {
    for (columns, rows) in SIZES {
        let name = |name: &str| format!("what-if-{name}-{columns}x{rows}");
        let mut screen = Screen::new(sample("step/log-triage.step.json"), columns, rows);
        screen.keys("4J r");
        insta::assert_snapshot!(name("list"), screen.text());
        screen.keys("esc K K K r");
        screen.edited(|program| program.replace("errros", "errors"));
        insta::assert_snapshot!(name("fork"), screen.text());
        screen.keys("J J c");
        insta::assert_snapshot!(name("prompts"), screen.text());
        screen.keys("r");
        insta::assert_snapshot!(name("keep"), screen.text());
    }
}

#[test]
fn forks_are_kept_exported_and_discarded() {
    let mut screen = Screen::new(sample("step/shop-refunds.step.json"), 120, 24);
    screen.keys("2J r j j");
    screen.edited(|json| json.replace("true", "false"));
    assert!(
        screen
            .text()
            .contains("◆ turn 3 comes out otherwise; 1 answer was made")
    );
    assert!(screen.text().contains("Turn 3 ✓ changed"));
    screen.keys("J");
    assert!(
        screen.text().contains("Turn 4 ✓ for another history"),
        "{}",
        screen.text()
    );
    screen.keys("r j");
    let Some(Effect::Save { name, text, .. }) = screen.key("enter") else {
        panic!("nothing is exported: {}", screen.text());
    };
    assert_eq!(name, "what-if.step.json");
    assert!(text.contains("\"ok\": false"), "{text}");
    screen.keys("esc r");
    let kept = "shop-refunds → what if: turn 3, result of refund-order";
    assert!(screen.text().contains(kept), "{}", screen.text());
    screen.keys("j j j j j j j j enter");
    assert!(screen.text().starts_with(&format!(" {}", &kept[..30])));
    screen.keys("r j j enter");
    assert!(screen.text().contains("the fork is gone"));
    // A limit is typed where it stands.
    screen.keys("r j j j enter");
    assert!(screen.text().contains("type the number first"));
    screen.keys("2 enter");
    screen.wait();
    assert!(
        screen.text().contains("it fails: max_turns_exceeded"),
        "{}",
        screen.text()
    );
}

#[test]
fn what_if_says_what_cant_be() {
    let mut screen = Screen::new(sample("step-corners/no-turns.step.json"), 120, 24);
    screen.keys("r");
    assert!(
        screen
            .text()
            .contains("no program of this trace can be run"),
        "{}",
        screen.text()
    );
    let mut screen = Screen::new(sample("step/shop-refunds.step.json"), 120, 24);
    screen.keys("2J r j");
    screen.edited(|_| "{".to_owned());
    assert!(
        screen.text().contains("the result is no JSON"),
        "{}",
        screen.text()
    );
    // What goes on is said, and esc ends it.
    screen.keys("r");
    let Some(Effect::HandOver(handed)) = screen.key("enter") else {
        panic!("the editor is given nothing");
    };
    let Taker(take) = handed.taker.expect("a taker");
    take(&mut screen.app, "(loop [i 0] (recur i))".to_owned());
    screen.draw();
    assert!(
        screen.text().contains("what if: turn 3, program"),
        "{}",
        screen.text()
    );
    screen.keys("esc");
    assert!(screen.text().contains("what-if was cancelled"));
    assert!(!screen.app.is_busy());
}

#[test]
fn definitions_are_inferred_where_the_options_say_so() {
    let mut screen = Screen::new(sample("step/shop-refunds.step.json"), 160, 48);
    screen.keys("2J s");
    let place = |text: &str, name: &str| text.find(name).expect("a line");
    let told = screen.text();
    assert!(place(&told, "biggest   ") < place(&told, "to-refund   "));
    // The last option of the row.
    screen.keys("L l l l l l l l l l l l l +");
    screen.wait();
    let inferred = screen.text();
    assert!(inferred.contains("infer definitions on*"), "{inferred}");
    assert!(place(&inferred, "to-refund   ") < place(&inferred, "biggest   "));
    screen.keys("esc");
    let note = "inferred: order in 1 turns, docstrings 0, return types 0";
    assert!(screen.text().contains(note), "{}", screen.text());
    screen.keys("L u esc");
    assert_eq!(screen.text(), told);
}

#[test]
fn two_runs_stand_side_by_side() {
    for (columns, rows) in SIZES {
        let mut screen = Screen::two(PARTED[0], PARTED[1], columns, rows);
        let name = |part: &str| format!("runs-{part}-{columns}x{rows}");
        insta::assert_snapshot!(name("open"), screen.text());
        screen.keys("4j");
        insta::assert_snapshot!(name("one-only"), screen.text());
    }
}

#[test]
fn moving_moves_both_runs_and_their_prompts_go_together() {
    let mut screen = Screen::two(PARTED[0], PARTED[1], 160, 40);
    let prompts = |screen: &Screen| -> Vec<Option<u32>> {
        let document = screen.app.document();
        let lenses = document.lenses().iter();
        lenses.map(|lens| document.n_of(lens)).collect()
    };
    assert_eq!(prompts(&screen), [Some(1), Some(1)]);
    screen.keys("J tab J");
    assert_eq!(prompts(&screen), [Some(3), Some(3)]);
    screen.keys("shift-tab 5G");
    assert!(screen.text().contains("only the other one took it"));
    screen.keys("G");
    assert_eq!(prompts(&screen), [Some(7), Some(5)]);
    screen.keys("tab 2s");
    let document = screen.app.document();
    let lenses = document.lenses();
    let shown: Vec<&str> = lenses.iter().map(|lens| Lens::title(lens.shown)).collect();
    assert_eq!(
        shown,
        ["uncompressed", "recorded"],
        "the left one is the first run's"
    );
    screen.keys("c");
    assert!(screen.text().contains("[program]"), "one run's turn again");
    screen.keys("c");
    assert_eq!(screen.app.document().lenses().len(), 2);
}

/// Follows a file that was loaded just now.
fn watch(path: &Path) -> Watch {
    Watch::new(Files::one(path, None), &[], std::time::SystemTime::now())
}

#[test]
fn a_file_that_grows_and_is_replaced_is_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.step.json");
    let whole = std::fs::read_to_string(fixture("step/log-triage.step.json")).expect("text");
    let fourth = whole
        .match_indices("\"number\"")
        .nth(3)
        .expect("four turns");
    let cut = &whole[..fourth.0];
    std::fs::write(&path, cut).expect("written");
    let loaded = load::open(&path, None).expect("what is whole of it");
    let mut screen = Screen::new(loaded, 120, 30);
    let before = screen.app.document().turns();
    assert!(before > 0 && before < 6, "{before}");
    screen.app.watch = Some(watch(&path));
    let wait_for = |screen: &mut Screen, turns: usize| {
        let start = std::time::Instant::now();
        while screen.app.document().turns() != turns {
            screen.app.poll();
            assert!(
                start.elapsed() < std::time::Duration::from_secs(30),
                "it was not read again"
            );
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        screen.draw();
    };
    screen.keys("F");
    std::fs::write(&path, &whole).expect("written");
    wait_for(&mut screen, 6);
    assert_eq!(screen.app.document().selected, 5);
    assert!(
        screen
            .text()
            .lines()
            .next()
            .expect("a header")
            .contains("LIVE")
    );
    screen.keys("K K");
    assert!(!screen.app.follows);
    // Replaced by another file: what is selected stays, as far as it is there.
    let other = folder.path().join("other");
    std::fs::copy(fixture("step/fleet-watch.step.json"), &other).expect("copied");
    std::fs::rename(&other, &path).expect("replaced");
    wait_for(&mut screen, 60);
    assert_eq!(screen.app.document().selected, 3);
    assert!(screen.text().contains("60 turns"));
}

#[test]
fn every_conversation_of_a_file_can_be_opened() {
    let two = r#"{"messages":[{"role":"user","content":"first"},{"role":"assistant","content":"a"}]}
{"messages":[{"role":"user","content":"second"},{"role":"assistant","content":"b"},{"role":"user","content":"more"},{"role":"assistant","content":"c"}]}"#;
    let loaded = text(two);
    let conversations = loaded.conversations.clone();
    assert_eq!(conversations.len(), 2);
    let mut screen = Screen::new(loaded, 120, 20);
    screen.app.conversations = conversations;
    screen.keys("J )");
    assert!(screen.text().contains("conversation 2 of 2") && screen.text().contains("second"));
    assert_eq!(screen.app.document().turns(), 2);
    screen.keys(")");
    assert!(screen.text().contains("none of them"));
    screen.keys("(");
    assert!(screen.text().contains("conversation 1 of 2") && screen.text().contains("first"));
}

#[test]
fn problems_are_listed_and_gone_through() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 120, 30);
    screen.keys("e");
    settle(&mut screen);
    assert_eq!(screen.app.document().selected, 1);
    assert!(
        screen
            .text()
            .contains("turn 2: failed turn: Undefined variable: errros")
    );
    screen.keys("e e e");
    assert_eq!(screen.app.document().selected, 1, "around the end");
    screen.keys("E");
    settle(&mut screen);
    insta::assert_snapshot!("problems", screen.text());
    // In the order of turns: two of turn 2, then those of turn 3.
    screen.keys("j j enter");
    assert_eq!(screen.app.document().selected, 2);
    let mut clean = Screen::new(sample("step/shop-refunds.step.json"), 120, 30);
    clean.keys("E");
    settle(&mut clean);
    assert!(clean.text().contains("nothing went wrong"));
}

#[test]
fn tokens_are_shown_once_they_can_be_counted() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 160, 30);
    screen.keys("5J 1s");
    assert!(!screen.text().contains(" tok"));
    screen.app.tokenizer = Some(Tokenizer::O200k);
    screen.draw();
    // What `compare` tells of this prompt: 268 tokens, 36 of them the system prompt.
    assert!(
        screen.text().contains("[system] 144 B · ~36 tok"),
        "{}",
        screen.text()
    );
    assert!(screen.text().contains("what-if: coalesced · ~268 tok"));
}

#[test]
fn messages_fold_and_marks_come_back() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 120, 30);
    screen.keys("G 2s tab tab m g space");
    assert!(screen.text().contains(" folded"), "{}", screen.text());
    screen.keys("space");
    assert!(!screen.text().contains(" folded"));
    screen.keys("tab g '");
    assert_eq!(screen.app.document().selected, 6);
    assert_eq!(screen.app.focus, turnscope::tui::app::Pane::Prompt);
}

#[test]
fn an_unknown_key_says_so() {
    let mut screen = Screen::new(sample("step/shop-refunds.step.json"), 80, 20);
    screen.keys("Z");
    assert!(screen.text().contains("Z does nothing here"));
    screen.keys("y Z");
    assert!(screen.app.pending.is_empty());
    // A key that has a meaning but nothing to act on says which.
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 100, 30);
    screen.keys("0 L");
    let text = screen.text();
    assert!(text.contains("L has nothing to act on"), "{text}");
}

/// A step whose every text is hostile.
fn hostile() -> Loaded {
    let evil = "\\u001b]52;c;eA==\\u0007\\u001b[31m\\u009b2J\\r\\t\\u202e\\u2066x\\u0000日本👩\\u200d👩\\u0301";
    text(&format!(
        r#"{{"name":"n{evil}","mission":"m{evil}","max_turns":3,"tools":{{"t{evil}":{{"description":"d{evil}"}}}},
        "data":{{"k{evil}":"v{evil}"}},"turns":[
        {{"program":"(p \"{evil}\") ; {evil}","raw_response":"r{evil}","result":"{evil}","success":true,
          "prints":["{evil}"],"tool_calls":[{{"name":"t{evil}","args":{{"a":"{evil}"}},"error":"{evil}"}}],
          "memory":{{"d{evil}":["{evil}"]}},"input":"{evil}"}},
        {{"program":null,"raw_response":"{evil}","result":{{"message":"{evil}"}},"success":false}}]}}"#
    ))
}

#[test]
fn no_control_of_a_trace_reaches_the_screen_or_the_clipboard() {
    for (columns, rows) in SIZES {
        let mut screen = Screen::new(hostile(), columns, rows);
        for keys in [
            "", "tab", ">", ">", ">", ">", ">", "J", "<", "tab", "3s", "J", "w", "l", "t", "esc",
            ":",
        ] {
            screen.keys(keys);
            for cell in screen.buffer().content() {
                assert!(
                    !cell.symbol().chars().any(is_unsafe),
                    "after {keys}: {:?}",
                    cell.symbol()
                );
            }
        }
        screen.keys("esc g");
        for focus in ["", "tab", "tab"] {
            screen.keys(focus);
            for last in ["y", "p", "t", "j"] {
                screen.keys("y");
                if let Some(Effect::Copy { text, .. }) = screen.key(last) {
                    assert!(
                        !text.chars().any(|c| is_unsafe(c) && c != '\n' && c != '\t'),
                        "y{last}"
                    );
                }
            }
        }
    }
}

#[test]
fn large_texts_are_scrolled_to_their_end() {
    let lines = "row\\n".repeat(70_000);
    let long = "x".repeat(1_000_000);
    let json = format!(
        r#"{{"mission":"m","turns":[{{"program":"(f)","result":"{lines}end","success":true,"prints":["{long}","last"]}}]}}"#
    );
    let mut screen = Screen::new(text(&json), 100, 30);
    screen.keys("tab > > G");
    assert!(screen.text().contains("end"), "{}", screen.text());
    screen.keys("w G <  < G");
    assert!(screen.text().contains("last"));
    screen.keys("tab 2s G");
    assert!(screen.text().contains("FINAL TURN") || screen.text().contains("Turns left"));
}

#[test]
fn every_command_can_be_reached_by_its_keys() {
    for command in COMMANDS {
        for context in Context::ALL
            .into_iter()
            .filter(|c| command.contexts.includes(*c))
        {
            let keys = match context {
                Context::Turns | Context::Folder | Context::Reading => "",
                Context::Turn => "tab",
                Context::Prompt => "tab tab",
                Context::Options => "s L",
                Context::Help => "?",
                Context::Palette => ":",
                Context::Picker => "t",
                Context::Search | Context::Filter => "/",
                Context::Overview => "i",
                Context::Needs => "u",
                Context::Name => "X enter",
                Context::Diff => "d",
            };
            let mut screen = match context {
                Context::Folder | Context::Filter => Screen::on_folder(100, 30),
                _ => Screen::new(sample("step/log-triage.step.json"), 100, 30),
            };
            if context == Context::Reading {
                let files = Files::one(&fixture("step/log-triage.step.json"), None);
                screen.app.reading = Some(Reading::start(files, &Start::default()));
            }
            screen.keys(keys);
            assert_eq!(screen.app.context(), context);
            if !(command.enabled)(&screen.app) {
                continue;
            }
            for binding in command.keys {
                let keys = parse_binding(binding).expect("keys");
                let found = turnscope::tui::command::find(&screen.app, &keys);
                assert!(
                    matches!(found, turnscope::tui::command::Found::Command(row) if row.name == command.name),
                    "{binding} in {context:?} is not {}",
                    command.name
                );
            }
        }
    }
}
