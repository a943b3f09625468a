//! The turn pane: values as trees, calls and memory as items that fold, and what keys do to them.

use super::*;

/// A run of two turns: calls that answered, failed and stayed open; memory that grew and changed.
fn run(items: usize, names: usize) -> Loaded {
    let rows: Vec<String> = (0..items)
        .map(|n| {
            format!(
                r#"{{"id": {n}, "title": "A product with the number {n}", "tags": ["red", "large"]}}"#
            )
        })
        .collect();
    let calls: Vec<String> = (0..6)
        .map(|n| match n {
            2 => r#"{"name": "fetch", "args": {"url": "http://127.0.0.1:9/"}, "error": "connection refused\nafter 3 tries", "duration_ms": 3100}"#.to_owned(),
            4 => r#"{"name": "search", "args": {"query": "slow"}, "id": "call-4"}"#.to_owned(),
            _ => format!(
                r#"{{"name": "search", "args": {{"query": "product {n}"}}, "result": [{}], "duration_ms": {n}, "timestamp": "2026-01-02T03:04:05Z"}}"#,
                rows[..items.min(n + 2)].join(",")
            ),
        })
        .collect();
    let memory = |changed: &str| -> String {
        let more = (0..names).map(|n| format!(r#", "name-{n:04}": {n}"#));
        format!(
            r#"{{"total": {changed}, "log": "one\ntwo"{}}}"#,
            more.collect::<String>()
        )
    };
    let after = memory(&format!("[{}]", rows.join(",")));
    text(&format!(
        r#"{{"name": "large", "mission": "Find it.", "turns": [
            {{"number": 1, "success": true, "program": "(def total 0)", "result": 0, "memory": {}}},
            {{"number": 2, "success": true, "program": "(search)", "tool_calls": [{}],
              "result": {{"rows": [{}], "needle-count": 1, "note": "first line\nsecond needle line"}},
              "memory": {after}}}
        ], "return": 1}}"#,
        memory("0"),
        calls.join(","),
        rows.join(","),
    ))
}

fn shots(name: &str, loaded: impl Fn() -> Loaded, keys: &str) {
    for (columns, rows) in SIZES {
        let mut screen = Screen::new(loaded(), columns, rows);
        screen.keys(keys);
        insta::assert_snapshot!(format!("{name}-{columns}x{rows}"), screen.text());
    }
}

#[test]
fn a_large_result_is_a_tree() {
    shots("result-tree", || run(40, 0), "J tab > > j j space j j l");
    let mut screen = Screen::new(run(40, 0), 120, 30);
    screen.keys("J tab > > z");
    assert!(
        screen.text().contains("▸ \"rows\" list[40]"),
        "{}",
        screen.text()
    );
    screen.keys("Z");
    assert!(!screen.text().contains("│ first line"), "{}", screen.text());
    screen.keys("Z");
    assert!(screen.text().contains("│ first line"), "{}", screen.text());
    screen.keys("G");
    assert!(screen.text().contains("number 39"), "{}", screen.text());
}

#[test]
fn many_calls_are_a_row_each_and_a_failed_one_is_open() {
    shots("calls", || run(8, 0), "J tab > > > j enter");
    shots(
        "calls-shell",
        || sample("formats/mini-swe-agent.traj.json"),
        "J tab > > >",
    );
}

#[test]
fn enter_on_a_call_opens_its_run() {
    let file = "ptc-runner/trace-log-v2/nested-agents.jsonl";
    let mut screen = Screen::new(sample(file), 100, 24);
    screen.keys("tab > > >");
    assert!(
        screen.text().contains("enter opens its run"),
        "{}",
        screen.text()
    );
    // At the second call it is the second run.
    screen.keys("2 j enter");
    let title = |screen: &Screen| screen.app.document().title.clone();
    assert_eq!(screen.app.documents.len(), 2, "{}", screen.text());
    let second = title(&screen);
    screen.keys("esc g enter");
    assert_eq!(screen.app.documents.len(), 2, "{}", screen.text());
    assert_ne!(screen.app.document().run.step().mission, None, "{second}");
}

#[test]
fn memory_is_a_table_that_opens_row_by_row() {
    shots("memory", || run(3, 20), "J tab < <");
    shots("memory-open", || run(3, 20), "J tab < < enter j j");
    let mut screen = Screen::new(run(3, 20), 100, 30);
    screen.keys("J tab < <");
    let table = screen.text();
    screen.keys("enter j j esc");
    assert_eq!(screen.text(), table, "esc folds what enter opened");
    screen.keys("esc");
    assert_eq!(screen.app.context(), Context::Turns);
}

#[test]
fn thousands_of_names_are_scrolled_through() {
    let mut screen = Screen::new(run(3, 5_000), 100, 30);
    screen.keys("J tab < <");
    let start = std::time::Instant::now();
    screen.keys("G");
    assert!(screen.text().contains("name-4999"), "{}", screen.text());
    screen.keys("g ctrl-d ctrl-d 1 0 0 j ctrl-u k Z G");
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn a_search_opens_what_it_finds() {
    let mut screen = Screen::new(run(60, 0), 120, 30);
    search(&mut screen, "number 57");
    let text = screen.text();
    assert!(text.contains("[result]"), "{text}");
    assert!(text.contains("A product with the number 57"), "{text}");
    assert!(text.contains("match 1 of 2"), "{text}");
    // The other one is in memory, in a row that was folded.
    screen.keys("n");
    let text = screen.text();
    assert!(text.contains("[memory]"), "{text}");
    assert!(text.contains("A product with the number 57"), "{text}");
}

#[test]
fn the_item_at_the_cursor_is_copied() {
    let mut screen = Screen::new(run(40, 0), 120, 30);
    screen.keys("J tab > > j j");
    screen.keys("y");
    let Some(Effect::Copy { text, .. }) = screen.key("y") else {
        panic!("nothing was copied: {}", screen.text());
    };
    assert!(text == "1" || text.starts_with("first line"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_keys_keep_the_cursor_in_view(
        tab in 2usize..5,
        keys in proptest::collection::vec(
            proptest::sample::select(vec![
                "j", "k", "space", "h", "l", "enter", "esc", "Z", "g", "G", "ctrl-d", "ctrl-u",
                "3", "w", "z", "pgdn", "tab", "shift-tab",
            ]),
            0..25,
        ),
        sizes in proptest::collection::vec((0u16..90, 0u16..30), 1..4),
    ) {
        let mut screen = Screen::new(run(12, 9), 100, 30);
        screen.keys("J tab");
        for _ in 0..tab {
            screen.keys(">");
        }
        for (at, key) in keys.iter().enumerate() {
            if at % 8 == 7 {
                let (columns, rows) = sizes[at / 8 % sizes.len()];
                screen.resize(columns, rows);
            }
            screen.key(key);
            let view = &screen.app.document().turn.view;
            if let (Some(_), true) = (view.cursor_place(), view.rows().len() > 1) {
                let row = view.cursor_row();
                let area = screen.app.layout.turn;
                prop_assert!(
                    area.width == 0 || row.is_some_and(|row| row < usize::from(area.height).max(1)),
                    "the cursor is at {row:?} of {area:?} after {key}"
                );
            }
        }
    }
}

#[test]
fn an_empty_response_reads_as_such() {
    let json = r#"{"name":"x","mission":"m","turns":[{"number":1,"raw_response":" ","program":null,"result":null,"tool_calls":[],"prints":[]}]}"#;
    let mut screen = Screen::new(text(json), 100, 20);
    screen.keys("tab");
    assert!(
        screen.text().contains("Response: empty"),
        "{}",
        screen.text()
    );
    screen.keys(">");
    assert!(
        screen.text().contains("Response: empty"),
        "{}",
        screen.text()
    );
}

#[test]
fn messages_name_the_keys_that_the_settings_give() {
    let mut screen = Screen::new(sample("step/shop-refunds.step.json"), 100, 20);
    screen.keys("m");
    assert!(screen.text().contains("marked; ' comes back here"));
    let line = turnscope::settings::Settings::parse("[keys]\nto-mark = \"f9\"\nhelp = \"f1\"\n");
    screen.app.keymap = turnscope::tui::keymap::Keymap::new(&line.keys).0;
    screen.keys("m");
    assert!(
        screen.text().contains("marked; f9 comes back here"),
        "{}",
        screen.text()
    );
    screen.keys("f5");
    assert!(
        screen.text().contains("f1 lists the keys"),
        "{}",
        screen.text()
    );
}
