//! What commands have to say is read whole where there is room for it.

use super::*;

#[test]
fn a_long_notice_takes_the_row_of_the_options() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 60, 15);
    screen.keys("tab tab s");
    let options = |screen: &Screen| screen.text().lines().nth(13).map(str::to_owned);
    let before = options(&screen);
    screen.keys("c");
    let message = screen.app.message.clone().expect("a message");
    assert!(message.len() > 60);
    let text = screen.text();
    let rows: Vec<&str> = text.lines().skip(13).map(str::trim).collect();
    assert_eq!(rows.join(" "), message);
    screen.keys("c");
    assert_eq!(options(&screen), before, "the options are back");
    // While an option is being changed, its row is looked at.
    screen.keys("L");
    screen.app.message = Some(message.clone());
    screen.draw();
    assert!(
        screen
            .text()
            .lines()
            .nth(13)
            .expect("a row")
            .contains("coalesced")
    );
    assert!(screen.text().lines().nth(14).expect("a row").ends_with('…'));
}

#[test]
fn what_is_longer_than_two_rows_says_that_it_goes_on() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 40, 24);
    screen.app.message = Some(format!("{}\u{1b}[31m end", "word ".repeat(400)));
    screen.draw();
    let text = screen.text();
    let last: Vec<&str> = text.lines().skip(20).collect();
    assert!(!last[0].contains("word"), "panes stay: {}", last[0]);
    assert!(last[1].contains("───"), "{}", last[1]);
    assert!(last[2].contains("word"));
    assert!(last[3].ends_with('…'), "{}", last[3]);
}
