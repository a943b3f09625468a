//! Lines that are typed: the cursor goes through them as at a shell's prompt.

use super::*;

/// Where the cursor stands, and the row it stands in up to it.
fn before_cursor(screen: &mut Screen) -> String {
    let cursor = screen.terminal.get_cursor_position().expect("a place");
    let buffer = screen.buffer();
    let row = (0..cursor.x).map(|x| buffer[(x, cursor.y)].symbol());
    row.collect::<String>().trim_start().to_owned()
}

#[test]
fn every_line_is_edited_in_its_middle() {
    for (open, lead) in [
        ("/", "/"),
        (":", "│:"),
        ("X enter ctrl-e ctrl-u", "│file: "),
    ] {
        let mut screen = Screen::new(sample("step/log-triage.step.json"), 60, 15);
        screen.keys(open);
        screen.keys("a b space c d left left X");
        assert!(
            before_cursor(&mut screen).ends_with(&format!("{lead}ab X")),
            "{}",
            screen.text()
        );
        screen.keys("home delete ctrl-e backspace ctrl-w");
        assert!(
            before_cursor(&mut screen).ends_with(&format!("{lead}b ")),
            "{}",
            screen.text()
        );
        screen.keys("ctrl-a Y right ctrl-u end");
        assert!(
            before_cursor(&mut screen).ends_with(&format!("{lead} ")),
            "{}",
            screen.text()
        );
    }
    let mut screen = Screen::on_folder(60, 15);
    screen.keys("/ e p left s t right backspace");
    assert_eq!(
        &*screen.app.folder.as_ref().expect("a folder").filter,
        "est"
    );
    screen.keys("backspace backspace backspace");
    assert_eq!(
        screen.app.context(),
        Context::Filter,
        "an empty line is left by the next one"
    );
    screen.keys("backspace");
    assert_eq!(screen.app.context(), Context::Folder);
}

#[test]
fn a_long_name_shows_what_is_around_the_cursor() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 60, 15);
    screen.keys("X enter ctrl-u");
    for c in "abcdefghij".repeat(8).chars() {
        screen.keys(&c.to_string());
    }
    assert!(
        before_cursor(&mut screen).ends_with("fghij"),
        "{}",
        screen.text()
    );
    screen.keys("home right right");
    assert!(
        before_cursor(&mut screen).ends_with("│file: ab"),
        "{}",
        screen.text()
    );
}
