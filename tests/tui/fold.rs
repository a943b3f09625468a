//! What folds in a prompt: its sections, and around them its messages.

use super::*;

fn prompt(columns: u16, rows: u16) -> Screen {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), columns, rows);
    screen.keys("G 1s tab tab g");
    screen
}

/// Moves the cursor of the prompt to the row that has a text.
fn to_row(screen: &mut Screen, part: &str) {
    for _ in 0..200 {
        let at = screen
            .text()
            .lines()
            .position(|line| line.contains(&format!("›{part}")));
        if at.is_some() {
            return;
        }
        screen.keys("j");
    }
    panic!("no row begins with {part}: {}", screen.text());
}

#[test]
fn sections_fold_where_the_cursor_is() {
    for (columns, rows) in SIZES {
        let mut screen = prompt(columns, rows);
        to_row(&mut screen, "data/logs");
        screen.keys("space");
        to_row(&mut screen, ";; Output:");
        screen.keys("space");
        insta::assert_snapshot!(format!("folded-sections-{columns}x{rows}"), screen.text());
    }
}

#[test]
fn folding_goes_outward_and_unfolding_inward() {
    let mut screen = prompt(120, 40);
    let whole = screen.text();
    to_row(&mut screen, "data/logs");
    screen.keys("h");
    assert!(
        screen.text().contains("›;; === data/ ===  ⋯"),
        "{}",
        screen.text()
    );
    screen.keys("h");
    assert!(screen.text().contains("›[user]"), "{}", screen.text());
    assert!(!screen.text().contains("tool/search-logs"));
    screen.keys("l");
    // What was folded inside still is.
    assert!(
        screen.text().contains(" ;; === data/ ===  ⋯"),
        "{}",
        screen.text()
    );
    to_row(&mut screen, ";; === data/ ===");
    screen.keys("l g");
    assert_eq!(screen.text(), whole);
}

#[test]
fn a_folded_section_says_how_many_tokens_it_has() {
    let mut screen = prompt(120, 40);
    screen.app.tokenizer = Some(Tokenizer::default());
    screen.draw();
    to_row(&mut screen, "data/logs");
    screen.keys("space");
    let text = screen.text();
    let line = text
        .lines()
        .find(|line| line.contains("=== data/ ==="))
        .unwrap_or_default();
    assert!(
        line.contains("lines folded, ~") && line.contains(" tok"),
        "{text}"
    );
}

#[test]
fn a_search_unfolds_the_section_it_goes_to() {
    let mut screen = prompt(120, 40);
    to_row(&mut screen, ";; === data/ ===");
    screen.keys("space");
    assert!(!screen.text().contains("data/logs"));
    screen.keys("/ d a t a / l o g s enter");
    settle(&mut screen);
    assert!(screen.text().contains("data/logs"), "{}", screen.text());
}

#[test]
fn sections_stay_folded_in_the_next_prompt_and_with_secrets_hidden() {
    let mut screen = prompt(120, 40);
    to_row(&mut screen, ";; === data/ ===");
    screen.keys("space K");
    assert!(
        screen.text().contains("=== data/ ===  ⋯"),
        "{}",
        screen.text()
    );
    screen.keys("R");
    assert!(!screen.text().contains("data/logs  "), "{}", screen.text());
}
