//! Lists over the panes: moving in them as in any list, and their help.

use super::*;
use ratatui::layout::Position;
use turnscope::tui::mouse::{self, Mouse};

/// A run in which much goes wrong and the ninth turn needs something of each before.
fn busy() -> Loaded {
    let memory = |n: usize| {
        let names: Vec<String> = (1..=n.min(6)).map(|n| format!(r#""a{n}": {n}"#)).collect();
        names.join(",")
    };
    let turn = |n: usize| match n {
        9 => r#"{"number": 9, "program": "(+ a1 a2 a3 a4 a5 a6)", "result": 21, "memory": {}}"#
            .to_owned(),
        7 | 8 | 10 | 11 => format!(
            r#"{{"number": {n}, "success": false, "program": "(boom{n})", "result": {{"message": "no boom{n}"}}}}"#
        ),
        _ => format!(
            r#"{{"number": {n}, "program": "(def a{n} {n})", "result": {n}, "memory": {{{}}}}}"#,
            memory(n)
        ),
    };
    let turns: Vec<String> = (1..=11).map(turn).collect();
    text(&format!(
        r#"{{"mission": "Add.", "turns": [{}]}}"#,
        turns.join(",")
    ))
}

/// The selected row of what lies over the panes.
fn selected(screen: &Screen) -> String {
    let rows = screen.text();
    let mut rows = rows.lines().filter(|row| row.contains("│▸"));
    rows.next().unwrap_or_default().trim().to_owned()
}

#[test]
fn lists_are_moved_in_by_counts_and_to_their_ends() {
    for (open, back) in [
        ("E", "esc"),
        ("t", "q"),
        ("u", "esc"),
        ("i", "q"),
        ("X", "esc"),
    ] {
        let mut screen = Screen::new(busy(), 100, 30);
        screen.keys(&format!("9G {open}"));
        settle(&mut screen);
        screen.keys("g");
        let first = selected(&screen);
        screen.keys("j");
        let second = selected(&screen);
        screen.keys("j");
        let third = selected(&screen);
        screen.keys("G");
        let last = selected(&screen);
        assert!(
            !first.is_empty() && first != third,
            "{open}: {}",
            screen.text()
        );
        assert_ne!(first, last, "{open}");
        screen.keys("g");
        assert_eq!(selected(&screen), first, "{open}");
        screen.keys("2 j");
        assert_eq!(selected(&screen), third, "{open}");
        screen.keys("2 g");
        assert_eq!(selected(&screen), second, "{open}");
        screen.keys("9 0 j");
        assert_eq!(selected(&screen), last, "{open}");
        screen.keys("9 0 k ctrl-d");
        assert_ne!(selected(&screen), first, "{open}");
        screen.keys(back);
        assert!(screen.app.overlay.is_none(), "{open}");
    }
}

#[test]
fn help_is_there_in_every_list_and_gives_it_back() {
    for open in ["E", "t", "u", "i", "X", "d", "r"] {
        let mut screen = Screen::new(busy(), 100, 30);
        screen.keys(&format!("9G {open}"));
        settle(&mut screen);
        let before = screen.text();
        let context = screen.app.context();
        assert!(before.contains("? help"), "{open}: {before}");
        for close in ["?", "esc", "q"] {
            screen.keys("?");
            assert_eq!(screen.app.context(), Context::Help, "{open}");
            let title = format!("Keys in the {}", context.title());
            assert!(screen.text().contains(&title), "{open}: {}", screen.text());
            screen.keys(close);
            settle(&mut screen);
            assert_eq!(screen.app.context(), context, "{open}");
            assert_eq!(screen.text(), before, "{open}");
        }
    }
}

#[test]
fn who_jumps_no_longer_follows() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.step.json");
    std::fs::copy(fixture("step/incident-review.step.json"), &path).expect("copied");
    for jump in ["m g '", "3G", "e", ": 2 enter", "K", "/ b o o m enter n"] {
        let mut screen = Screen::new(busy(), 100, 30);
        screen.app.watch = Some(watch(&path));
        screen.keys("F");
        assert!(screen.app.follows);
        screen.keys(jump);
        settle(&mut screen);
        assert!(!screen.app.follows, "{jump}");
    }
}

/// The place of a text on the screen.
fn place(screen: &Screen, words: &str) -> Position {
    let text = screen.text();
    let mut rows = text.lines().enumerate();
    let found = rows.find_map(|(y, row)| {
        let byte = row.find(words)?;
        Some((turnscope::text::width(&row[..byte]), y))
    });
    let (x, y) = found.unwrap_or_else(|| panic!("{words}: {text}"));
    Position::new(
        x.try_into().expect("a column"),
        y.try_into().expect("a row"),
    )
}

fn click(screen: &mut Screen, words: &str) {
    let at = place(screen, words);
    mouse::take(&mut screen.app, Mouse::Click(at));
    screen.draw();
}

#[test]
fn a_click_selects_an_entry_and_another_takes_it() {
    let mut screen = Screen::new(busy(), 100, 30);
    screen.keys("E");
    settle(&mut screen);
    click(&mut screen, "turn 10: ");
    assert!(selected(&screen).contains("turn 10: "), "{}", screen.text());
    let list = screen.text();
    // Neither the border nor the panes behind it are entries.
    for at in [
        Position::new(3, 1),
        Position::new(0, 0),
        Position::new(99, 29),
    ] {
        mouse::take(&mut screen.app, Mouse::Click(at));
        screen.draw();
        assert_eq!(screen.text(), list, "{at}");
    }
    click(&mut screen, "turn 10: ");
    assert!(screen.app.overlay.is_none());
    assert_eq!(screen.app.document().selected, 9);
    screen.keys("9G u");
    settle(&mut screen);
    click(&mut screen, "name    a3 ");
    assert!(selected(&screen).contains(" a3 "), "{}", screen.text());
    click(&mut screen, "name    a3 ");
    assert_eq!(screen.app.document().selected, 2);
    screen.keys("i");
    settle(&mut screen);
    click(&mut screen, " 7 ✗");
    click(&mut screen, "▸  7 ✗");
    assert_eq!(screen.app.document().selected, 6);
}

#[test]
fn a_click_puts_the_cursor_of_a_text_there() {
    let mut screen = Screen::new(sample("step/incident-review.step.json"), 160, 48);
    click(&mut screen, "You write one PTC-Lisp");
    assert_eq!(screen.app.context(), Context::Prompt);
    let row = screen
        .app
        .document()
        .lens()
        .view
        .cursor_row()
        .expect("a cursor");
    let shown = screen.app.document().lens().view.rows()[row].text();
    assert!(shown.contains("You write one PTC-Lisp"), "{shown}");
}

#[test]
fn a_click_in_the_palette_selects_a_command_and_another_runs_it() {
    let mut screen = Screen::new(busy(), 100, 30);
    screen.keys(": z o o m");
    let zoom = place(&screen, "▸ zoom");
    click(&mut screen, "▸ zoom");
    assert!(screen.app.overlay.is_none() && screen.app.zoomed);
    screen.keys("z :");
    // What is typed and the border are no commands.
    for at in [zoom.y - 1, zoom.y - 2] {
        let at = Position::new(zoom.x, at);
        mouse::take(&mut screen.app, Mouse::Click(at));
        screen.draw();
        assert!(matches!(screen.app.context(), Context::Palette));
    }
    let third = Position::new(zoom.x, zoom.y + 2);
    mouse::take(&mut screen.app, Mouse::Click(third));
    screen.draw();
    let row = |screen: &Screen, y: u16| {
        let text = screen.text();
        text.lines().nth(y.into()).unwrap_or_default().to_owned()
    };
    assert!(row(&screen, third.y).contains("▸ "), "{}", screen.text());
    assert!(!row(&screen, zoom.y).contains("▸ "), "{}", screen.text());
}

#[test]
fn the_palette_tells_which_turn_a_number_is_and_keeps_to_its_entries() {
    let mut screen = Screen::new(busy(), 100, 30);
    screen.keys(": 1 0");
    let text = screen.text();
    assert!(text.contains("▸ turn 10 "), "{text}");
    assert!(text.contains("✗ no boom10"), "{text}");
    click(&mut screen, "▸ turn 10");
    assert_eq!(screen.app.document().selected, 9);
    screen.keys(": 9 9 9");
    assert!(screen.text().contains("to the end: the run has 11 turns"));
    screen.keys("esc : s e");
    let first = first_marked(&screen);
    screen.keys("down");
    let second = first_marked(&screen);
    assert_ne!(first, second);
    // Keys behind the last entry are not counted.
    for _ in 0..99 {
        screen.keys("down");
    }
    let last = first_marked(&screen);
    screen.keys("up");
    assert_ne!(first_marked(&screen), last);
    screen.keys("esc");
    screen.keys(": q q q q q");
    assert!(screen.text().contains("no command is called so"));
}

#[test]
fn a_click_in_a_diff_unfolds_what_is_the_same_and_goes_to_a_change() {
    let mut screen = Screen::new(sample("step/shop-refunds.step.json"), 100, 30);
    screen.keys("2s 2J d");
    settle(&mut screen);
    let folded = screen.text();
    click(&mut screen, "⋯ 25 unchanged lines");
    assert!(screen.text().contains("▾ 25 unchanged lines"));
    click(&mut screen, "▾ 25 unchanged lines");
    assert_eq!(screen.text(), folded);
    screen.keys("0");
    settle(&mut screen);
    let text = screen.text();
    assert!(
        text.contains("Change 1 of 7 ") && !text.contains('▸'),
        "{text}"
    );
    click(&mut screen, "Refund every order");
    let text = screen.text();
    assert!(text.contains("▸- ;; === tools ===") && text.contains("Change 1 of 7 "));
    click(&mut screen, "# Expected Output");
    let text = screen.text();
    assert!(text.contains("▸- # Expected Output"), "{text}");
    assert!(text.contains("Change 3 of 7 "), "{text}");
}

#[test]
fn a_second_click_on_a_heading_folds_it() {
    let mut screen = Screen::new(sample("step/incident-review.step.json"), 160, 48);
    screen.keys("2s 3J");
    let whole = screen.text();
    click(&mut screen, "[user] ");
    assert_eq!(rows(&screen), rows_of(&whole), "the first one only selects");
    click(&mut screen, "[user] ");
    assert!(rows(&screen) != rows_of(&whole), "{}", screen.text());
    click(&mut screen, "[user] ");
    assert_eq!(rows(&screen), rows_of(&whole));
    // Other lines stay as they are.
    for _ in 0..2 {
        click(&mut screen, "You write one PTC-Lisp");
    }
    assert_eq!(rows(&screen), rows_of(&whole));
}

/// The row that the palette marks.
fn first_marked(screen: &Screen) -> String {
    let text = screen.text();
    let found = text.lines().find(|line| line.contains("│▸ "));
    found.unwrap_or_default().to_owned()
}

/// The rows of the panes, without the cursor, their titles and what is said below them.
fn rows(screen: &Screen) -> Vec<String> {
    rows_of(&screen.text())
}

fn rows_of(text: &str) -> Vec<String> {
    text.lines()
        .skip(2)
        .take(43)
        .map(|row| row.replace('›', " "))
        .collect()
}
