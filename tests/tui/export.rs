//! Writing what is shown to a file.

use super::*;
use turnscope::tui::app::Effect;
use turnscope::tui::export;

/// Types a file's name in the place of the one that is proposed.
fn name(screen: &mut Screen, name: &str) {
    screen.keys("ctrl-u");
    for letter in name.chars() {
        let key = if letter == ' ' {
            "space".to_owned()
        } else {
            letter.to_string()
        };
        screen.key(&key);
    }
}

/// Takes the name, writes, and gives what the screen says.
fn written(screen: &mut Screen) -> String {
    assert_eq!(screen.key("enter"), Some(Effect::Export));
    export::start(&mut screen.app);
    settle(screen);
    screen.app.message.clone().unwrap_or_default()
}

#[test]
fn the_list_and_the_name_are_shown() {
    for (columns, rows) in SIZES {
        let mut screen = Screen::new(sample("step/shop-refunds.step.json"), columns, rows);
        screen.keys("J X j j");
        insta::assert_snapshot!(format!("export-list-{columns}x{rows}"), screen.text());
        screen.keys("enter");
        insta::assert_snapshot!(format!("export-name-{columns}x{rows}"), screen.text());
        screen.keys("esc esc");
        assert!(screen.app.overlay.is_none());
    }
}

#[test]
fn every_entry_writes_what_the_commands_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let loaded = || sample("step/shop-refunds.step.json");
    let step = std::sync::Arc::clone(&loaded().conversations[0]);
    for (at, what) in export::What::ALL.into_iter().enumerate() {
        let mut screen = Screen::new(loaded(), 100, 30);
        screen.keys("X");
        (0..at).for_each(|_| _ = screen.keys("j"));
        screen.keys("enter");
        let path = folder.path().join(format!("file {at}"));
        name(&mut screen, &path.to_string_lossy());
        let said = written(&mut screen);
        assert!(
            said.starts_with("wrote the ") && said.contains("secrets hidden"),
            "{said}"
        );
        let text = std::fs::read_to_string(&path).expect("it is there");
        match what {
            export::What::Run(form) => {
                let written = turnscope::export::form::write(&step, form, None);
                // Nothing in this run is a secret.
                assert_eq!(text, written.expect("it is written"), "{what:?}");
            }
            _ => assert!(text.len() > 40, "{what:?}: {text}"),
        }
    }
}

#[test]
fn a_file_that_is_there_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.txt");
    std::fs::write(&path, "mine").expect("it is written");
    let mut screen = Screen::new(sample("step/shop-refunds.step.json"), 100, 30);
    screen.keys("X enter");
    name(&mut screen, &path.to_string_lossy());
    let said = written(&mut screen);
    assert!(said.contains("is there already"), "{said}");
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), "mine");
    // The name is still being typed, so that another can be.
    screen.keys("2");
    let said = written(&mut screen);
    assert!(said.contains("mine.txt2"), "{said}");
    // A folder that isn't there is told, too.
    screen.keys("X enter");
    name(
        &mut screen,
        &folder.path().join("no/where").to_string_lossy(),
    );
    let said = written(&mut screen);
    assert!(said.contains("can't be written"), "{said}");
    screen.keys("ctrl-u");
    assert_eq!(screen.key("enter"), None);
    assert!(screen.text().contains("a file needs a name"));
}

#[test]
fn secrets_are_hidden_unless_they_are_wanted() {
    let folder = tempfile::tempdir().expect("a folder");
    let secret = "ines.lund@example.org";
    for hidden in [true, false] {
        let mut screen = Screen::new(sample("redact/run.step.json"), 100, 30);
        let path = folder.path().join(format!("run-{hidden}"));
        screen.keys("X");
        if !hidden {
            (0..export::What::ALL.len()).for_each(|_| _ = screen.keys("j"));
            screen.keys("enter");
            (0..export::What::ALL.len()).for_each(|_| _ = screen.keys("k"));
        }
        (0..7).for_each(|_| _ = screen.keys("j"));
        screen.keys("enter");
        name(&mut screen, &path.to_string_lossy());
        let said = written(&mut screen);
        let text = std::fs::read_to_string(&path).expect("it is there");
        assert_eq!(text.contains(secret), !hidden, "{said}");
        assert_eq!(said.contains("secrets hidden"), hidden, "{said}");
    }
}
