//! The screen at every size where nothing else looks at it: contexts, and what the header tells.

use std::fmt::Write as _;
use std::time::Duration;

use super::survive::AGENT;
use super::*;

/// Takes a snapshot of a screen at every size, after some keys.
fn shots(name: &str, keys: &str, open: impl Fn(u16, u16) -> Screen) {
    for (columns, rows) in SIZES {
        let mut screen = open(columns, rows);
        // What is looked for in the background is there before the keys behind a full stop.
        for keys in keys.split(" . ") {
            screen.keys(keys);
            settle(&mut screen);
        }
        insta::assert_snapshot!(format!("{name}-{columns}x{rows}"), screen.text());
    }
}

#[test]
fn what_is_searched_for_and_what_is_found() {
    let open = |columns, rows| Screen::new(sample("step/log-triage.step.json"), columns, rows);
    shots("search", "2J / e r r", open);
    shots("search-wrong", "/ ctrl-r a ( enter", open);
    shots("search-found", "2J / e r r o r s enter . n", open);
    shots("search-in-diff", "2J d . / ctrl-r ^ e r r", open);
}

#[test]
fn one_problem_is_told_whole_and_a_rebuilt_prompt_is_called_that() {
    let open = |columns, rows| Screen::new(sample("rebuilt/claude.jsonl"), columns, rows);
    shots("picker-rebuilt", "t", open);
    let error = "the disk of the machine on which all of this was meant to be done is full again";
    let json = format!(
        r#"{{"name":"x","mission":"m","turns":[{{"number":1,"success":false,"program":"(f)","result":{{"reason":"failed","message":"{error} and again"}}}}]}}"#
    );
    shots("one-problem", "E . j", |columns, rows| {
        Screen::new(text(&json), columns, rows)
    });
}

#[test]
fn a_prompt_that_the_log_does_not_hold_is_called_rebuilt_beside_one_that_it_holds() {
    let log = r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user","content":"more"}],
        "response":{"choices":[{"message":{"role":"assistant","content":"b"}}]},"cost":0.1,"timestamp":1.0}"#;
    let mut screen = Screen::new(text(log), 160, 48);
    screen.keys("g");
    assert!(screen.text().contains("[rebuilt]"), "{}", screen.text());
    screen.keys("J");
    assert!(screen.text().contains("[recorded]"), "{}", screen.text());
}

#[test]
fn a_child_run_stands_in_the_place_of_its_parent() {
    shots("child", "enter 9k tab", |columns, rows| {
        let mut screen = Screen::new(text(AGENT), columns, rows);
        assert!(screen.app.open_child(1), "a child run");
        screen.draw();
        screen
    });
}

#[test]
fn every_part_of_a_turn_at_every_size() {
    for (columns, rows) in SIZES {
        let mut screen = Screen::new(sample("step/log-triage.step.json"), columns, rows);
        screen.keys("4J tab");
        let mut seen = String::new();
        for _ in 0..6 {
            settle(&mut screen);
            let _ = writeln!(seen, "{}\n", screen.text());
            screen.keys(">");
        }
        insta::assert_snapshot!(format!("parts-{columns}x{rows}"), seen);
    }
}

#[test]
fn what_is_left_out_zoomed_and_typed_at_every_size() {
    let long = |columns, rows| Screen::new(sample("step/fleet-watch.step.json"), columns, rows);
    shots("left-out", "G K s v tab tab ctrl-d ctrl-d ctrl-d", long);
    shots("zoomed", "2 0 J tab tab z G", long);
    shots("counted", "1 2", long);
    shots("begun", "y", long);
    shots("message", "é", long);
}

#[test]
fn one_of_several_conversations_is_named() {
    let one =
        r#"{"messages":[{"role":"user","content":"Go."},{"role":"assistant","content":"Gone."}]}"#;
    let file = format!("{one}\n{}\n", one.replace("Go", "Come"));
    shots("conversations", ")", |columns, rows| {
        let loaded = text(&file);
        let conversations = loaded.conversations.clone();
        let mut screen = Screen::new(loaded, columns, rows);
        screen.app.conversations = conversations;
        screen
    });
}

#[test]
fn a_file_that_is_followed_says_when_it_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    for (columns, rows) in SIZES {
        let path = folder.path().join("run.step.json");
        std::fs::copy(fixture("step/log-triage.step.json"), &path).expect("copied");
        let loaded = load::open(&path, None).expect("it loads");
        let mut screen = Screen::new(loaded, columns, rows);
        written_before(&path, Duration::from_secs(5 * 60 + 20));
        let later = std::time::SystemTime::now() + Duration::from_secs(9);
        screen.app.watch = Some(Watch::new(Files::one(&path, None), &[], later));
        screen.keys("F J");
        screen.keys("F esc");
        insta::assert_snapshot!(format!("quiet-{columns}x{rows}"), screen.text());
        let text = std::fs::read_to_string(&path).expect("text");
        std::fs::write(&path, text + "\n").expect("written");
        let begun = std::time::Instant::now();
        while !screen.text().contains("LIVE") {
            screen.app.poll();
            screen.draw();
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "it was not seen to change"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        let text = screen.text();
        let live = text.find("LIVE ").expect("it says so");
        let text = text.replace(&text[live..live + 8], "LIVE 0 s");
        insta::assert_snapshot!(format!("live-{columns}x{rows}"), text);
    }
}

/// A file that another program replaces, writes anew and takes away while it is open.
#[test]
fn a_file_that_is_replaced_or_gone_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.step.json");
    let put = |name: &str| {
        let beside = folder.path().join("new");
        std::fs::copy(fixture(name), &beside).expect("copied");
        std::fs::rename(&beside, &path).expect("moved");
    };
    put("step/log-triage.step.json");
    let loaded = load::open(&path, None).expect("it loads");
    let mut screen = Screen::new(loaded, 100, 30);
    let later = std::time::SystemTime::now() + Duration::from_secs(9);
    screen.app.watch = Some(Watch::new(Files::one(&path, None), &[], later));
    put("step/fleet-watch.step.json");
    until_it_says(
        &mut screen,
        "the file was replaced: it holds another run now",
    );
    assert!(screen.app.title().starts_with("fleet-watch"));
    let text = std::fs::read_to_string(&path).expect("text");
    let mut run: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let turns = run["turns"].as_array_mut().expect("turns");
    let had = turns.len();
    turns.truncate(1);
    std::fs::write(&path, run.to_string()).expect("written");
    let told = format!("the file was written anew: 1 turn, where it had {had} turns");
    until_it_says(&mut screen, &told);
    std::fs::remove_file(&path).expect("removed");
    until_it_says(
        &mut screen,
        "the file is gone; what was read of it stays here",
    );
    assert_eq!(screen.app.document().turns(), 1);
}

fn until_it_says(screen: &mut Screen, words: &str) {
    let begun = std::time::Instant::now();
    while !screen.text().contains(words) {
        screen.app.poll();
        screen.draw();
        let waited = begun.elapsed();
        assert!(waited < Duration::from_secs(30), "{}", screen.text());
        std::thread::sleep(Duration::from_millis(10));
    }
}
