//! What stays as a person left it: what is folded, what was left out while it is searched.

use super::*;

#[test]
fn what_is_folded_in_a_turn_is_so_again_when_somebody_comes_back() {
    let mut screen = Screen::new(sample("step/fleet-watch.step.json"), 120, 30);
    screen.keys("3G tab g");
    let open = screen.text();
    screen.keys("space");
    let folded = screen.text();
    assert_ne!(open, folded);
    screen.keys("J K");
    assert_eq!(screen.text(), folded);
    screen.keys("> <");
    assert_eq!(screen.text(), folded);
    // With secrets hidden the blocks stay as they were folded.
    screen.keys("J R K");
    settle(&mut screen);
    assert!(screen.text().contains("folded"), "{}", screen.text());
}

#[test]
fn left_out_items_are_found_by_a_search() {
    let mut screen = Screen::new(sample("step/fleet-watch.step.json"), 140, 40);
    screen.keys("G 1s v tab tab");
    search(&mut screen, "not shown");
    let text = screen.text();
    assert!(
        text.contains("›┊ turn") && text.contains("match "),
        "{text}"
    );
    let first = screen.app.document().lens().view.cursor_place();
    screen.keys("n");
    assert_ne!(screen.app.document().lens().view.cursor_place(), first);
    screen.keys("N");
    assert_eq!(screen.app.document().lens().view.cursor_place(), first);
    // No longer shown they are no longer found: the search is made again.
    screen.keys("v n");
    settle(&mut screen);
    assert!(screen.text().contains("no match"), "{}", screen.text());
    screen.keys("v n");
    settle(&mut screen);
    assert!(screen.text().contains("match "), "{}", screen.text());
}

#[test]
fn behind_the_last_turn_no_prompt_follows() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 100, 30);
    screen.keys("G 1s p");
    assert!(
        screen.text().contains("no prompt follows"),
        "{}",
        screen.text()
    );
    screen.keys("K p");
    assert!(
        screen.text().contains("Prompt for turn 7"),
        "{}",
        screen.text()
    );
    screen.keys("J p");
    assert!(
        !screen.text().contains("no prompt follows"),
        "{}",
        screen.text()
    );
}
