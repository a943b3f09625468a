//! What of a run is no turn: marked inputs, results of no call, runs that no call is known to have
//! started.

use super::*;

#[test]
fn the_end_of_a_run_has_a_place_for_what_belongs_to_no_turn() {
    for (columns, rows) in SIZES {
        let mut screen = Screen::new(sample("beside/claude.jsonl"), columns, rows);
        screen.keys("G tab");
        insta::assert_snapshot!(format!("end-{columns}x{rows}"), screen.text());
    }
}

#[test]
fn a_run_without_a_call_opens_from_the_end() {
    let mut screen = Screen::new(sample("beside/claude.jsonl"), 160, 48);
    screen.keys("G enter");
    assert!(screen.text().contains("I am ready."), "{}", screen.text());
    screen.keys("esc");
    assert!(
        screen.text().contains("Results of no call"),
        "{}",
        screen.text()
    );
    // The one that a call started opens from it, and only there.
    screen.keys("g g enter");
    assert!(
        screen.text().contains("Count all files below."),
        "{}",
        screen.text()
    );
}

#[test]
fn what_a_machine_wrote_is_no_persons_input() {
    let mut screen = Screen::new(sample("beside/claude.jsonl"), 100, 30);
    screen.keys("< tab");
    let text = screen.text();
    assert!(text.contains("Input  written by a machine"), "{text}");
    assert!(text.contains("System prompt: not recorded"), "{text}");
}

#[test]
fn the_overview_of_two_runs_tells_in_what_they_differ() {
    let files = [
        "step/log-triage.step.json",
        "step/log-triage-stuck.step.json",
    ];
    for (columns, rows) in SIZES {
        let mut screen = Screen::two(files[0], files[1], columns, rows);
        screen.keys("i");
        settle(&mut screen);
        insta::assert_snapshot!(format!("two-runs-{columns}x{rows}"), screen.text());
        assert!(
            screen.text().contains("≠ turns allowed  8 → 4"),
            "{}",
            screen.text()
        );
        screen.keys("f");
        assert!(
            screen.text().contains("= tools          search-logs"),
            "{}",
            screen.text()
        );
        screen.keys("esc");
        assert!(
            screen.text().contains("9 of 16 facts differ"),
            "{}",
            screen.text()
        );
        // The turns are all there, too.
        screen.keys("G enter");
        assert_eq!(screen.app.document().selected, 5);
    }
    let mut screen = Screen::new(sample(files[0]), 100, 30);
    screen.keys("i f");
    settle(&mut screen);
    assert!(!screen.text().contains("facts"), "{}", screen.text());
}

#[test]
fn two_runs_that_are_the_same_say_so() {
    let file = "step/log-triage.step.json";
    let mut screen = Screen::two(file, file, 100, 30);
    screen.keys("i");
    settle(&mut screen);
    assert!(
        screen.text().contains("nothing told of both differs"),
        "{}",
        screen.text()
    );
}
