//! Whatever is done, on whatever trace, at whatever size, down to none at all: nothing panics, the
//! cursor stays on the screen, and the same state gives the same frame.

use ratatui::layout::Position;
use turnscope::tui::mouse::{self, Mouse};
use turnscope::tui::scout::Opened as Loading;

use super::*;

/// What may happen to the inspector.
#[derive(Debug, Clone)]
enum Deed {
    Key(String),
    Size(u16, u16),
    Click(u16, u16),
    Wheel(u16, u16, isize),
    /// What was looked for in the background comes in.
    Poll,
}

/// What it is opened on.
#[derive(Debug, Clone, Copy)]
enum Opened {
    One(&'static str),
    Two(&'static str, &'static str),
    /// A run that another one started.
    Child,
    /// What follows from a changed turn, beside what was.
    Fork,
    Folder,
    /// Nothing yet.
    Reading,
}

const FILES: [&str; 6] = [
    "step/log-triage.step.json",
    "step/history-and-unicode.step.json",
    "step/big-values.step.json",
    "step-corners/no-turns.step.json",
    "step-corners/hidden-names.step.json",
    "rebuilt/claude.jsonl",
];

/// Those of the damaged and hostile traces that open.
const FAULTS: [&str; 17] = [
    "faults/01-dup-usage.jsonl",
    "faults/02-unknown-type.jsonl",
    "faults/03-truncated-tail.jsonl",
    "faults/04-fused-lines.jsonl",
    "faults/05-bad-utf8.jsonl",
    "faults/06-nul-bytes.jsonl",
    "faults/07-lone-surrogate.jsonl",
    "faults/08-bom-crlf.jsonl",
    "faults/09-utf16le.json",
    "faults/10-ansi-osc52.jsonl",
    "faults/11-tabs-wide.jsonl",
    "faults/14-openai-odd.json",
    "faults/15-deep-nesting.json",
    "faults/16-nan.json",
    "faults/20-empty-turns.json",
    "faults/21-dangling-parent.jsonl",
    "faults/22-negative-and-float-tokens.json",
];

/// A session that asks an agent, whose records stand between its own.
pub(super) const AGENT: &str = r#"{"type":"assistant","sessionId":"s","uuid":"a","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"c","name":"Task","input":{"description":"Look","prompt":"Look at it."}}]}}
{"type":"user","isSidechain":true,"agentId":"7","uuid":"b","sessionId":"s","message":{"role":"user","content":"Look at it."}}
{"type":"assistant","isSidechain":true,"agentId":"7","parentUuid":"b","uuid":"d","sessionId":"s","message":{"id":"n","role":"assistant","content":[{"type":"text","text":"seen"},{"type":"tool_use","id":"e","name":"Bash","input":{"command":"ls"}}]}}
{"type":"user","isSidechain":true,"agentId":"7","parentUuid":"d","uuid":"f","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"e","content":"a\u001b[31m b","is_error":true}]}}
"#;

fn opened() -> impl Strategy<Value = Opened> {
    let all = || proptest::sample::select([&FILES[..], &FAULTS[..]].concat());
    prop_oneof![
        2 => proptest::sample::select(FILES.to_vec()).prop_map(Opened::One),
        3 => proptest::sample::select(FAULTS.to_vec()).prop_map(Opened::One),
        2 => (all(), all()).prop_map(|(one, other)| Opened::Two(one, other)),
        1 => Just(Opened::Child),
        1 => Just(Opened::Fork),
        2 => Just(Opened::Folder),
        1 => Just(Opened::Reading),
    ]
}

impl Opened {
    fn screen(self) -> Screen {
        let (columns, rows) = (80, 24);
        match self {
            Self::One(file) => Screen::new(sample(file), columns, rows),
            Self::Two(one, other) => Screen::two(one, other, columns, rows),
            Self::Child => {
                let mut screen = Screen::new(text(AGENT), columns, rows);
                assert!(screen.app.open_child(1), "a child run is open");
                screen.draw();
                screen
            }
            Self::Fork => {
                let mut screen = Screen::new(sample(PARTED[0]), columns, rows);
                screen.keys("J r");
                screen.edited(|program| program.replace("errros", "errors"));
                assert!(screen.app.document().fork.is_some(), "a fork is open");
                screen
            }
            Self::Folder => Screen::on_folder(columns, rows),
            Self::Reading => {
                let mut screen = Screen::new(sample(FILES[0]), columns, rows);
                let files = Files::one(&fixture(FILES[1]), None);
                screen.app.reading = Some(Reading::start(files, &Start::default()));
                screen.draw();
                screen
            }
        }
    }
}

/// Every key that a row of the table names, and some that none does.
pub(super) fn any_key() -> impl Strategy<Value = String> {
    let mut names: Vec<String> = COMMANDS
        .iter()
        .flat_map(|command| command.keys)
        .filter_map(|binding| parse_binding(binding))
        .flatten()
        .map(|key| key.to_string())
        .filter(|name| name != "ctrl-c")
        .collect();
    names.extend(["5", "0", "9", "Z", "é", "字", "delete", "alt-x"].map(str::to_owned));
    proptest::sample::select(names)
}

/// Anything, on a screen of at most so many columns and rows, or a little beside it.
fn deed() -> impl Strategy<Value = Deed> {
    let place = || (0u16..90, 0u16..32);
    prop_oneof![
        20 => any_key().prop_map(Deed::Key),
        3 => place().prop_map(|(columns, rows)| Deed::Size(columns, rows)),
        3 => place().prop_map(|(x, y)| Deed::Click(x, y)),
        2 => (place(), proptest::sample::select(vec![-1isize, 1]))
            .prop_map(|((x, y), by)| Deed::Wheel(x, y, by)),
        2 => Just(Deed::Poll),
    ]
}

impl Screen {
    fn do_it(&mut self, deed: &Deed) {
        let effect = match deed {
            Deed::Key(name) => self.app.key(Key::parse(name).expect("a key")),
            Deed::Size(columns, rows) => {
                self.resize(*columns, *rows);
                None
            }
            Deed::Click(x, y) => mouse::take(&mut self.app, Mouse::Click(Position::new(*x, *y))),
            Deed::Wheel(x, y, by) => {
                mouse::take(&mut self.app, Mouse::Wheel(Position::new(*x, *y), *by))
            }
            Deed::Poll => {
                std::thread::sleep(std::time::Duration::from_millis(1));
                self.app.poll();
                None
            }
        };
        match effect {
            Some(Effect::Open(path)) => {
                let loaded = load::open(&path, None).map_err(|error| error.to_string());
                let watch = None;
                self.app.show_opened(Loading {
                    path,
                    loaded,
                    watch,
                });
            }
            Some(Effect::HandOver(handed)) => {
                if let Some(Taker(take)) = handed.taker {
                    take(&mut self.app, handed.text + " ( \u{1b}[2J");
                }
            }
            // Nothing outside is written to or left; the state goes on.
            _ => {}
        }
        self.draw();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn anything_at_any_size_is_survived(
        opened in opened(),
        deeds in proptest::collection::vec(deed(), 1..50),
    ) {
        let mut screen = opened.screen();
        for deed in &deeds {
            screen.do_it(deed);
            let document = screen.app.document();
            prop_assert!(document.selected <= document.turns());
            prop_assert!(document.row() < document.rows());
            let area = *screen.terminal.backend().buffer().area();
            let cursor = screen.terminal.get_cursor_position().expect("a place");
            if !area.is_empty() {
                prop_assert!(area.contains(cursor), "{cursor} is outside of {area}");
            }
            for cell in screen.buffer().content() {
                prop_assert!(!cell.symbol().chars().any(is_unsafe), "{:?}", cell.symbol());
            }
        }
        // How far it is read is no part of the state.
        if screen.app.reading.is_none() {
            let before = screen.buffer().clone();
            screen.draw();
            prop_assert_eq!(&before, screen.buffer());
        }
    }
}
