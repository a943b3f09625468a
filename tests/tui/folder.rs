//! The list of a folder: its screen, order, filter, and going to a run and back.

use std::time::{Duration, SystemTime};

use turnscope::load::Figures;
use turnscope::load::folder::{Entry, Found};
use turnscope::tui::folder::{Folder, Known, Sort};
use turnscope::tui::scout::{Opened, Scout};

use super::survive::any_key;
use super::*;

/// Traces with what they amount to, so many minutes old.
const TRACES: [(&str, u64); 7] = [
    ("step/log-triage.step.json", 3),
    ("step/fleet-watch.step.json", 90),
    ("faults/02-unknown-type.jsonl", 4_000),
    ("faults/17-empty.json", 50_000),
    ("faults/03-truncated-tail.jsonl", 51_000),
    ("step-corners/no-turns.step.json", 52_000),
    ("step/big-values.step.json", 53_000),
];

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn entry(file: &str, minutes: u64) -> Entry {
    let path = fixture(file);
    Entry {
        size: std::fs::metadata(&path).expect("it is there").len(),
        modified: Some(now() - Duration::from_secs(minutes * 60)),
        path,
    }
}

/// A folder in which all but the last trace were read.
fn folder() -> Folder {
    let mut folder = Folder::new(&fixture(""), Start::default(), None);
    folder.now = now();
    let entries = TRACES.map(|(file, minutes)| entry(file, minutes));
    folder.take(entries.iter().cloned().map(Found::Trace).collect());
    folder.walked();
    for entry in &entries[..6] {
        folder.learn(entry, Figures::read(&entry.path, None));
    }
    folder.arrange();
    folder.root = "~/traces".into();
    folder
}

impl Screen {
    pub(super) fn on_folder(columns: u16, rows: u16) -> Self {
        let mut screen = Self::new(sample("step/log-triage.step.json"), columns, rows);
        screen.app.folder = Some(folder());
        screen.draw();
        screen
    }

    fn folder(&self) -> &Folder {
        self.app.folder.as_ref().expect("a folder")
    }

    /// The names in the list.
    fn names(&self) -> Vec<&str> {
        let folder = self.folder();
        let rows = (0..folder.rows()).filter_map(|row| folder.row(row));
        let names = rows.map(|listed| listed.name.as_str());
        names
            .map(|name| &name[name.rfind('/').map_or(0, |at| at + 1)..])
            .collect()
    }

    fn selected(&self) -> &str {
        let folder = self.folder();
        &folder.row(folder.selected).expect("a row").name
    }
}

fn shots(name: &str, keys: &str) {
    for (columns, rows) in SIZES {
        let mut screen = Screen::on_folder(columns, rows);
        screen.keys(keys);
        insta::assert_snapshot!(format!("{name}-{columns}x{rows}"), screen.text());
    }
}

#[test]
fn a_folder_lists_its_traces() {
    shots("folder", "j j j");
    shots("folder-filter", "/ s t e p");
}

#[test]
fn traces_are_sorted_by_what_is_chosen() {
    let mut screen = Screen::on_folder(100, 30);
    assert_eq!(
        screen.names()[..2],
        ["log-triage.step.json", "fleet-watch.step.json"]
    );
    screen.keys("s");
    assert_eq!(screen.names()[0], "02-unknown-type.jsonl");
    // What isn't known comes last.
    screen.keys("s");
    assert_eq!(screen.folder().sort, Sort::Turns);
    assert_eq!(screen.names()[0], "fleet-watch.step.json");
    assert_eq!(
        screen.names()[5..],
        ["17-empty.json", "big-values.step.json"]
    );
    screen.keys("S S S");
    assert_eq!(screen.folder().sort, Sort::Took);
}

#[test]
fn the_selected_trace_stays_selected() {
    let mut screen = Screen::on_folder(100, 30);
    screen.keys("j");
    let selected = screen.selected().to_owned();
    screen.keys("s s s s s s s");
    assert_eq!(screen.selected(), selected);
    screen.keys("/ w a t c h enter");
    assert_eq!(screen.selected(), selected);
    assert_eq!(screen.names().len(), 1);
    screen.keys("esc");
    assert_eq!(
        (screen.names().len(), screen.selected()),
        (7, selected.as_str())
    );

    // A newer one joins above it, and one is gone.
    let folder = screen.app.folder.as_mut().expect("a folder");
    let kept = TRACES[1..]
        .iter()
        .map(|(file, minutes)| entry(file, *minutes));
    let new = entry("faults/16-nan.json", 1);
    folder.take(kept.chain([new]).map(Found::Trace).collect());
    folder.walked();
    folder.arrange();
    assert_eq!(screen.selected(), selected);
    assert_eq!(screen.names()[0], "16-nan.json");
    assert_eq!(screen.names().len(), 7);
}

#[test]
fn a_trace_that_was_written_to_is_read_again() {
    let mut screen = Screen::on_folder(100, 30);
    let folder = screen.app.folder.as_mut().expect("a folder");
    let old = entry(TRACES[0].0, TRACES[0].1);
    let new = Entry {
        size: old.size + 1,
        ..old.clone()
    };
    folder.take(vec![Found::Trace(new)]);
    folder.arrange();
    assert_eq!(
        folder.row(0).map(|listed| &listed.known),
        Some(&Known::Waiting)
    );
    // What was found of the old one comes too late.
    folder.learn(&old, Figures::read(&old.path, None));
    assert_eq!(
        folder.row(0).map(|listed| &listed.known),
        Some(&Known::Waiting)
    );
}

#[test]
fn enter_opens_a_trace_and_esc_comes_back_to_its_place() {
    let mut screen = Screen::on_folder(100, 30);
    screen.keys("j");
    let Some(Effect::Open(path)) = screen.key("enter") else {
        panic!("nothing is opened");
    };
    assert!(path.ends_with("fleet-watch.step.json"));
    let loaded = load::open(&path, None).map_err(|error| error.to_string());
    screen.app.show_opened(Opened {
        path,
        loaded,
        watch: None,
    });
    screen.draw();
    assert_eq!(screen.app.document().turns(), 60);
    screen.keys("4J esc");
    assert!(screen.app.shows_folder());
    assert!(screen.selected().ends_with("fleet-watch.step.json"));
    // The run is still there, as it was left.
    assert_eq!(screen.key("enter"), None);
    assert_eq!(screen.app.document().selected, 4);

    screen.keys("esc G");
    let lost = Opened {
        path: "lost.json".into(),
        loaded: Err("it is gone".to_owned()),
        watch: None,
    };
    screen.app.show_opened(lost);
    assert!(screen.app.shows_folder());
    assert_eq!(screen.app.message.as_deref(), Some("it is gone"));
}

#[test]
fn problems_are_gone_to_around_the_end() {
    let mut screen = Screen::on_folder(100, 30);
    let mut seen = Vec::new();
    for _ in 0..6 {
        screen.keys("e");
        seen.push(screen.folder().selected);
    }
    assert_eq!(seen, [1, 2, 3, 4, 0, 1]);
}

#[test]
fn a_folder_is_looked_through_in_the_background() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    for number in 0..3 {
        let name = root.join(format!("{number}.json"));
        std::fs::copy(fixture("step/log-triage.step.json"), name).expect("a copy");
    }
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 100, 30);
    let scout = Scout::start(root, None);
    screen.app.folder = Some(Folder::new(root, Start::default(), Some(scout)));
    let begun = std::time::Instant::now();
    let read = |screen: &Screen| {
        let known = screen.folder().traces().iter();
        known.filter(|listed| listed.figures().is_some()).count()
    };
    while read(&screen) < 3 {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{}",
            screen.text()
        );
        screen.app.poll();
        screen.draw();
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!screen.app.is_busy());
    assert!(
        screen.text().contains("3 traces · 18 turns"),
        "{}",
        screen.text()
    );
    // The run itself is opened in the background too.
    let Some(Effect::Open(path)) = screen.key("enter") else {
        panic!("nothing is opened");
    };
    screen.app.folder.as_mut().expect("a folder").open(path);
    while screen.app.shows_folder() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        screen.app.poll();
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(screen.app.document().turns(), 6);
    assert!(screen.app.watch.is_some());
}

#[test]
fn ten_thousand_traces_are_listed_at_once() {
    let mut screen = Screen::on_folder(160, 48);
    let folder = screen.app.folder.as_mut().expect("a folder");
    let found = (0..10_000u64).map(|number| {
        Found::Trace(Entry {
            path: format!("/traces/{}/{number}.jsonl", number % 97).into(),
            size: number,
            modified: Some(now() - Duration::from_secs(number)),
        })
    });
    let begun = std::time::Instant::now();
    folder.take(found.collect());
    folder.arrange();
    screen.keys("G / 9 9 enter");
    // In a test that isn't optimised, on a machine that others use too.
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    assert!(screen.folder().rows() > 200);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_keys_in_a_folder_are_survived(
        keys in proptest::collection::vec((any_key(), proptest::option::weighted(0.15, (0u16..90, 0u16..30))), 1..40),
    ) {
        let mut screen = Screen::on_folder(80, 24);
        for (name, size) in keys {
            screen.app.key(Key::parse(&name).expect("a key"));
            if let Some((columns, rows)) = size {
                screen.resize(columns, rows);
            } else {
                screen.draw();
            }
            let area = *screen.terminal.backend().buffer().area();
            let cursor = screen.terminal.get_cursor_position().expect("a place");
            if !area.is_empty() {
                prop_assert!(area.contains(cursor), "{cursor} is outside of {area}");
            }
        }
    }
}
