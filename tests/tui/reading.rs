//! Loads that take long: they show how far they have come, and can be left; what belongs to a run may
//! come later than it does.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use super::*;

/// A record of a session: what was asked, or a reply of so many bytes.
fn record(at: usize, bytes: usize) -> String {
    let text = "word ".repeat(bytes / 5);
    format!(
        r#"{{"type":"assistant","sessionId":"s","uuid":"a{at}","message":{{"id":"m{at}","role":"assistant","content":[{{"type":"text","text":"reply-{at} {text}"}}]}}}}"#
    ) + "\n"
}

const ASKED: &str = r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"Go."}}
"#;

/// Waits for something; it is a failure where that takes longer than anything here does.
fn wait_for(screen: &mut Screen, what: &str, mut is_there: impl FnMut(&mut Screen) -> bool) {
    let begun = Instant::now();
    while !is_there(screen) {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
        screen.app.poll();
    }
    screen.draw();
}

fn header(screen: &Screen) -> String {
    screen.text().lines().next().expect("a header").to_owned()
}

#[cfg(unix)]
#[test]
fn what_comes_slowly_shows_how_far_it_is_and_can_be_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("slow.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo runs").success());
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 100, 30);
    let files = Files::one(&path, None);
    screen.app.reading = Some(Reading::start(files, &Start::default()));
    // It is written to, and not to its end.
    let mut pipe = OpenOptions::new().write(true).open(&path).expect("a pipe");
    let begin = format!("{ASKED}{}{}", record(1, 10), record(2, 20_000));
    pipe.write_all(begin.as_bytes()).expect("it is read");
    for (columns, rows) in SIZES {
        screen.resize(columns, rows);
        wait_for(&mut screen, "it is counted", |screen| {
            screen.draw();
            screen.text().contains("reading 20 kB")
        });
        assert_eq!(screen.app.context(), Context::Reading);
        let text = screen
            .text()
            .replace(" 1 s", " 0 s")
            .replace(" 2 s", " 0 s");
        insta::assert_snapshot!(format!("reading-{columns}x{rows}"), text);
    }
    screen.keys("esc");
    wait_for(&mut screen, "what was read is shown", |screen| {
        screen.app.reading.is_none()
    });
    assert_eq!(screen.app.document().turns(), 2);
    assert!(
        header(&screen).contains("20 kB read, the rest left · 2 turns"),
        "{}",
        header(&screen)
    );
    assert!(!header(&screen).contains("damaged"));
}

#[test]
fn the_rest_of_a_large_file_is_left_and_read_after_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.jsonl");
    let mut text = ASKED.to_owned();
    text.extend((0..450).map(|at| record(at, 20_000)));
    std::fs::write(&path, &text).expect("written");
    let early = load::open_beginning(&path, None).expect("a beginning");
    written_before(&path, Duration::from_secs(3600 + 60));
    let mut screen = Screen::new(early, 60, 15);
    let some = screen.app.document().turns();
    screen.app.watch = Some(Watch::reading(Files::one(&path, None)));
    screen.draw();
    assert!(header(&screen).contains("f stops"), "{}", header(&screen));
    screen.keys("esc");
    // What is shown stays, though less was read of the whole by now.
    for _ in 0..100 {
        screen.app.poll();
        std::thread::sleep(Duration::from_millis(5));
    }
    screen.draw();
    assert!(
        header(&screen).contains(" read, f reads on"),
        "{}",
        header(&screen)
    );
    assert!(screen.app.document().turns() >= some);
    assert!(!header(&screen).contains("damaged"));
    screen.keys("f");
    wait_for(&mut screen, "it is read on", |screen| {
        screen.app.document().turns() == 450
    });
    assert!(!header(&screen).contains("9.1 MB"), "{}", header(&screen));
    let watch = screen.app.watch.as_ref().expect("it is watched");
    assert_eq!(watch.status(), "quiet 1 h", "reading on is no change");
}

/// A session that asks an agent, and the file of that agent with so many replies.
fn agent(folder: &Path, replies: usize) {
    let beside = folder.join("session/subagents");
    std::fs::create_dir_all(&beside).expect("a folder");
    let head = r#""isSidechain":true,"agentId":"7","sessionId":"s""#;
    let mut text = format!(
        r#"{{"type":"user","uuid":"b",{head},"message":{{"role":"user","content":"Look at it."}}}}"#
    ) + "\n";
    for at in 0..replies {
        let reply = format!(
            r#"{{"type":"assistant",{head},"uuid":"b{at}","message":{{"id":"n{at}","role":"assistant","content":[{{"type":"text","text":"seen-{at}"}}]}}}}"#
        );
        text = text + &reply + "\n";
    }
    std::fs::write(beside.join("agent-7.jsonl"), text).expect("written");
}

#[test]
fn the_file_of_an_agent_that_comes_later_joins_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.jsonl");
    let call = r#"{"type":"assistant","sessionId":"s","uuid":"a","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"c","name":"Task","input":{"description":"Look","prompt":"Look at it."}}]}}
"#;
    std::fs::write(&path, format!("{ASKED}{call}")).expect("written");
    let begun_at = SystemTime::now() + Duration::from_secs(1);
    let loaded = load::open(&path, None).expect("it loads");
    let beside = loaded.beside.clone();
    let mut screen = Screen::new(loaded, 100, 30);
    screen.app.watch = Some(Watch::new(Files::one(&path, None), &beside, begun_at));
    screen.keys("enter");
    assert_eq!(screen.app.documents.len(), 1, "nobody answered yet");
    screen.keys("esc");
    agent(folder.path(), 1);
    wait_for(&mut screen, "it joins", |screen| {
        !screen.app.document().run.step().children.is_empty()
    });
    screen.keys("enter");
    assert_eq!(screen.app.documents.len(), 2);
    assert!(screen.text().contains("seen-0"), "{}", screen.text());
    // While it is open it grows, too.
    agent(folder.path(), 3);
    wait_for(&mut screen, "it grows", |screen| {
        screen.app.document().turns() == 3
    });
    screen.keys("2J");
    assert!(screen.text().contains("seen-2"), "{}", screen.text());
    screen.keys("esc");
    assert_eq!(screen.app.documents.len(), 1);
}

#[test]
fn the_second_of_two_files_is_followed_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = ["a", "b"].map(|name| folder.path().join(name).with_extension("jsonl"));
    std::fs::write(&first, format!("{ASKED}{}", record(0, 10))).expect("written");
    std::fs::write(&second, format!("{ASKED}{}", record(0, 10))).expect("written");
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 120, 30);
    let mut files = Files::one(&first, None);
    files.second = Some(second.clone());
    screen.app.reading = Some(Reading::start(files, &Start::default()));
    wait_for(&mut screen, "both are there", |screen| {
        screen.app.reading.is_none()
    });
    assert!(
        header(&screen).contains("1 → 1 turn"),
        "{}",
        header(&screen)
    );
    let more = format!("{ASKED}{}{}", record(0, 10), record(1, 10));
    screen.keys("i");
    settle(&mut screen);
    let told = |screen: &Screen| {
        let text = screen.text();
        let facts = text.lines().find(|line| line.contains("≠ turns  "));
        facts.unwrap_or_default().to_owned()
    };
    assert_eq!(told(&screen), "", "as many turns");
    std::fs::write(&second, more).expect("written");
    wait_for(&mut screen, "the second grows", |screen| {
        screen.draw();
        told(screen).contains("1 → 2")
    });
    screen.keys("esc");
    assert!(header(&screen).contains("1 → 2 turns"));
}

#[test]
fn an_overview_of_a_run_that_grows_tells_of_its_new_turns() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.jsonl");
    std::fs::write(&path, format!("{ASKED}{}", record(0, 10))).expect("written");
    let begun_at = SystemTime::now() + Duration::from_secs(1);
    let loaded = load::open(&path, None).expect("it loads");
    let beside = loaded.beside.clone();
    let mut screen = Screen::new(loaded, 120, 30);
    screen.app.watch = Some(Watch::new(Files::one(&path, None), &beside, begun_at));
    for opened in ["i", "esc t"] {
        screen.keys(opened);
        settle(&mut screen);
        let before = screen.app.document().turns();
        let records: String = (0..=before).map(|at| record(at, 10)).collect();
        std::fs::write(&path, format!("{ASKED}{records}")).expect("written");
        wait_for(&mut screen, "its figures are found", |screen| {
            screen.draw();
            let document = screen.app.document();
            let shown = document.lens().shown;
            let figures = document.figures.as_ref();
            let n = u32::try_from(before + 1).expect("few turns");
            // The prompt after the last turn has no more than tokens: the turn is there too.
            document.turns() > before
                && figures.is_some_and(|found| found.cell(shown, n + 1).is_some())
        });
    }
}
