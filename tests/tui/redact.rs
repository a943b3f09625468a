//! `R`: what is on the screen and what leaves it has no secrets.

use turnscope::load::folder::{Entry, Found};
use turnscope::tui::folder::Folder;

use super::*;

/// Beginnings of the secrets in the samples: none of them may be seen, whole or cut off.
const SECRETS: [&str; 12] = [
    "/home/ines",
    "ines.l",
    "jo@ex",
    "4fQ9xT2",
    "letm",
    "zx81c",
    "correcth",
    "hunt",
    "swordf",
    "MIIEv",
    "BKcwgg",
    "eyJhb",
];

const SAMPLES: [&str; 2] = ["redact/session.jsonl", "redact/run.step.json"];

/// The screens that are looked at, one after the other.
const WALK: &str = "J K tab > > > > > > > space g j j j space l l h w h w tab s s s s s s v G K g \
                    ` 0 c s c d esc t esc E j esc i j j s esc L + - esc x u j esc o ctrl-o p \
                    z J z J J tab tab > > > > > > G k r j j esc e e ?";

fn assert_clean(text: &str, what: &str) {
    for secret in SECRETS {
        assert!(!text.contains(secret), "{what} shows {secret}:\n{text}");
    }
}

/// Hides secrets, as soon as they have their numbers.
fn hidden(loaded: Loaded, columns: u16, rows: u16) -> Screen {
    let mut screen = Screen::new(loaded, columns, rows);
    screen.keys("R");
    settle(&mut screen);
    screen
}

#[test]
fn nothing_on_the_screen_is_a_secret() {
    for file in SAMPLES {
        for (columns, rows) in SIZES.into_iter().chain([(40, 12), (9, 4), (1, 1)]) {
            let mut screen = hidden(sample(file), columns, rows);
            let known = screen.text();
            let count = |text: &str| {
                let words = text.split_once(" hidden")?.0.rsplit(' ').next()?;
                words.parse::<usize>().ok()
            };
            for keys in WALK.split_whitespace() {
                screen.keys(keys);
                settle(&mut screen);
                let what = format!("{file} at {columns}x{rows} after {keys}");
                assert_clean(&screen.text(), &what);
            }
            screen.keys("esc esc esc R R");
            settle(&mut screen);
            // Nothing that was drawn was taken for another secret.
            assert_eq!(count(&screen.text()), count(&known), "{file}");
            assert!(columns < 60 || count(&known) > Some(6), "{known}");
        }
    }
}

#[test]
fn two_runs_are_without_secrets_and_so_are_forks() {
    for (columns, rows) in SIZES {
        let mut screen = Screen::two(SAMPLES[1], SAMPLES[0], columns, rows);
        screen.keys("R");
        settle(&mut screen);
        for keys in WALK.split_whitespace() {
            screen.keys(keys);
            settle(&mut screen);
            assert_clean(&screen.text(), keys);
        }
    }
}

#[test]
fn the_screen_reads_well_without_secrets() {
    for (columns, rows) in SIZES {
        let mut screen = hidden(sample(SAMPLES[1]), columns, rows);
        screen.keys("tab > >");
        insta::assert_snapshot!(format!("redacted-{columns}x{rows}"), screen.text());
    }
}

#[test]
fn stand_ins_are_those_of_the_commands() {
    let loaded = sample(SAMPLES[1]);
    let redactor = turnscope::text::redact::Redactor::new([]).expect("rules");
    loaded.conversations[0].learn(&redactor);
    redactor.learned();
    let mut screen = hidden(loaded, 160, 48);
    // Whatever was looked at first.
    screen.keys("G K tab > > > > > >");
    for secret in ["zx81cv92bn73mm64", "jo@example.net"] {
        let stand_in = redactor.text(secret).into_owned();
        assert!(stand_in.starts_with('‹'));
        let screens = ["< < < < < <", ">", "> > >", "tab G"].map(|keys| {
            screen.keys(keys);
            screen.text()
        });
        let seen = screens.iter().any(|text| text.contains(&stand_in));
        assert!(seen, "{stand_in} in\n{}", screens.concat());
    }
}

#[test]
fn copies_are_clean_and_the_screen_shows_all_again() {
    for file in SAMPLES {
        let mut screen = Screen::new(sample(file), 160, 48);
        assert!(screen.text().contains("/home/ines"));
        screen.keys("R");
        settle(&mut screen);
        for moves in ["", "tab", "> > >", "tab"] {
            screen.keys(moves);
            for keys in [["y", "y"], ["y", "p"], ["y", "t"], ["y", "j"]] {
                screen.key(keys[0]);
                if let Some(Effect::Copy { what, text }) = screen.key(keys[1]) {
                    assert_clean(&text, &what);
                    assert!(what == "the list of turns" || text.contains('‹') || keys[1] == "y");
                }
            }
        }
        assert!(screen.app.title().contains('‹') || file == SAMPLES[0]);
        screen.keys("R");
        assert!(screen.text().contains("/home/ines") && !screen.text().contains(" hidden"));
    }
}

#[test]
fn what_an_editor_is_given_comes_back_with_what_was_hidden() {
    let mut screen = hidden(sample(SAMPLES[1]), 160, 48);
    screen.keys("r");
    let Some(Effect::HandOver(handed)) = screen.key("enter") else {
        panic!("the program is given to the editor:\n{}", screen.text());
    };
    assert_clean(&handed.text, &handed.what);
    let restored = handed.restored(handed.text.replace("println", "prn"));
    assert!(
        restored.contains("(def password \"letmein\")\n"),
        "{restored}"
    );
    assert!(
        restored.contains("[\"ines.lund@example.org\"]"),
        "{restored}"
    );
}

#[test]
fn a_search_finds_what_is_seen() {
    for file in SAMPLES {
        let mut screen = hidden(sample(file), 160, 48);
        for (typed, found) in [("zx81", false), ("letmein", false), ("email-1", true)] {
            search(&mut screen, typed);
            settle(&mut screen);
            let search = screen.app.document().search.as_ref().expect("a search");
            assert_eq!(!search.found.is_empty(), found, "{typed}");
        }
        // A line behind a key of several lines is found in its place.
        if file == SAMPLES[1] {
            search(&mut screen, "printed behind");
            settle(&mut screen);
            assert!(screen.text().contains("printed behind the key"));
        }
    }
}

#[test]
fn the_list_of_a_folder_is_without_secrets() {
    let mut screen = Screen::new(sample(SAMPLES[1]), 160, 20);
    let path = fixture(SAMPLES[0]);
    let mut folder = Folder::new(Path::new("/home/ines/traces"), Start::default(), None);
    let entry = Entry {
        size: 1,
        modified: None,
        path: path.clone(),
    };
    folder.take(vec![Found::Trace(entry.clone())]);
    folder.walked();
    folder.learn(&entry, load::Figures::read(&path, None));
    folder.arrange();
    screen.app.folder = Some(folder);
    screen.draw();
    assert!(screen.text().contains("/home/ines"), "{}", screen.text());
    screen.keys("R");
    for columns in 20..160 {
        screen.resize(columns, 20);
        assert_clean(&screen.text(), "the list");
    }
    assert!(
        screen.text().contains("secrets hidden"),
        "{}",
        screen.text()
    );
    assert_clean(&screen.app.title(), "the title");
}

#[test]
fn secrets_are_hidden_from_whatever_is_open() {
    for keys in ["d", "i", "E", "u", "t"] {
        let mut screen = Screen::new(sample(SAMPLES[0]), 160, 48);
        screen.keys("G K");
        screen.keys(keys);
        settle(&mut screen);
        let open = screen.text();
        screen.keys("R");
        settle(&mut screen);
        let hidden = screen.text();
        assert_clean(&hidden, keys);
        assert!(hidden.contains(" hidden"), "{keys}:\n{hidden}");
        screen.keys("R");
        settle(&mut screen);
        let again = screen.text();
        let body = |text: &str| text.lines().skip(1).take(44).collect::<Vec<_>>().join("\n");
        assert_eq!(body(&again), body(&open), "{keys}: no longer open");
    }
}
