//! Values are laid out for the width of the pane, and found there at any width.

use super::*;

/// A turn with a result of many short entries, and a call with as many arguments.
fn values() -> Loaded {
    let entries: Vec<String> = (0..60)
        .map(|n| format!(r#""key{n}": ["needle{n}", {n}]"#))
        .collect();
    let value = format!("{{{}}}", entries.join(","));
    text(&format!(
        r#"{{"mission": "Look.", "turns": [{{"number": 1, "program": "(look)", "result": {value},
            "tool_calls": [{{"name": "look", "args": {value}, "result": "seen"}}]}}]}}"#
    ))
}

#[test]
fn a_value_fits_the_pane() {
    for columns in [48, 60, 100, 160, 200] {
        let mut screen = Screen::new(values(), columns, 48);
        for tab in ["> >", ">"] {
            screen.keys(&format!("tab shift-tab {tab}"));
            screen.app.focus_on(turnscope::tui::app::Pane::Turn);
            screen.draw();
            let area = screen.app.layout.turn;
            let view = &screen.app.document().turn.view;
            assert!(view.rows().len() > 8, "{columns}");
            // A line that is broken goes on without an indentation.
            let rows = view.rows().iter().map(turnscope::tui::rows::Row::text);
            let broken = rows.filter(|row| row.trim_start().starts_with("[\"needle"));
            assert_eq!(broken.count(), 0, "{columns}, {area}:\n{}", screen.text());
        }
    }
}

#[test]
fn a_match_is_in_view_at_any_width() {
    for columns in [48, 60, 100, 160, 200] {
        let mut screen = Screen::new(values(), columns, 15);
        for needle in [3, 31, 59] {
            let typed: String = format!("needle{needle}")
                .chars()
                .flat_map(|c| [c, ' '])
                .collect();
            screen.keys(&format!("/ {typed} enter"));
            settle(&mut screen);
            for _ in 0..2 {
                let word = format!("needle{needle}\"");
                assert!(
                    screen.text().contains(&word),
                    "{columns}: {word}\n{}",
                    screen.text()
                );
                screen.keys("n");
            }
        }
    }
}

#[test]
fn what_is_open_stays_open_when_the_width_changes() {
    let mut screen = Screen::new(sample("step/incident-review.step.json"), 160, 48);
    screen.keys("tab > > > space");
    let shape = |screen: &Screen| {
        let rows = screen.app.document().turn.view.rows().iter();
        let texts = rows.map(turnscope::tui::rows::Row::text);
        texts.filter(|row| row.contains(['▾', '▸'])).count()
    };
    let before = shape(&screen);
    for columns in [60, 100, 160] {
        screen.resize(columns, 48);
        assert_eq!(shape(&screen), before, "{columns}");
    }
}

#[test]
fn what_is_found_in_a_part_that_was_never_in_view_is_shown() {
    let entries: Vec<String> = (0..60)
        .map(|n| format!(r#""key{n}": ["needle{n}", {n}]"#))
        .collect();
    let value = format!("{{{}}}", entries.join(","));
    for (columns, needle) in [(40, 58), (60, 58), (100, 41), (160, 33)] {
        let loaded = text(&format!(
            r#"{{"mission": "Look.", "turns": [{{"number": 1, "program": "(look)", "result": 1,
                "tool_calls": [{{"name": "look", "args": {value}, "result": "seen"}}]}}]}}"#
        ));
        let mut screen = Screen::new(loaded, columns, 15);
        let typed: String = format!("needle{needle}")
            .chars()
            .flat_map(|c| [c, ' '])
            .collect();
        screen.keys(&format!("/ {typed} enter"));
        settle(&mut screen);
        screen.keys("n");
        let found = screen.text();
        assert!(
            found.contains(&format!("needle{needle}\"")),
            "{columns}\n{found}"
        );
    }
}
