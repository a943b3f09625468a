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
