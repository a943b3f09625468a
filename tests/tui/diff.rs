//! The diff of two prompts: what it compares, what folds, where its keys go.

use super::*;

const SHOP: &str = "step/shop-refunds.step.json";

/// The first row: which change is in view, and what is compared.
fn head(screen: &Screen) -> String {
    let text = screen.text();
    let first = text.lines().next().unwrap_or_default();
    let words = first.trim_matches(|c: char| !c.is_alphanumeric());
    words.to_owned()
}

fn after(file: &str, keys: &str) -> Screen {
    let mut screen = Screen::new(sample(file), 100, 30);
    for key in keys.split_whitespace() {
        screen.keys(key);
        settle(&mut screen);
    }
    screen
}

#[test]
fn the_diff_of_two_prompts_folds_what_is_the_same() {
    for (columns, rows) in SIZES {
        for (name, keys) in [("diff", "2s 2J d"), ("diff-recorded", "2J d s s s n n")] {
            let mut screen = after(SHOP, keys);
            screen.resize(columns, rows);
            insta::assert_snapshot!(format!("{name}-{columns}x{rows}"), screen.text());
        }
        let mut screen = after(SHOP, "2s 2J d");
        search(&mut screen, "data/");
        screen.resize(columns, rows);
        insta::assert_snapshot!(format!("diff-search-{columns}x{rows}"), screen.text());
        let mut screen = Screen::two(
            "step/log-triage.step.json",
            "step/log-triage-stuck.step.json",
            columns,
            rows,
        );
        screen.keys("J d");
        settle(&mut screen);
        screen.keys("2n");
        insta::assert_snapshot!(format!("diff-runs-{columns}x{rows}"), screen.text());
    }
}

#[test]
fn it_compares_with_what_is_asked_for() {
    let heads = [
        (
            "2s 3J d",
            "Change 1 of 1 · prompt 3 → prompt 4, uncompressed",
        ),
        (
            "2s 3J 2d",
            "Change 1 of 1 · prompt 2 → prompt 4, uncompressed",
        ),
        (
            "2s 3J d 3d",
            "Change 1 of 1 · prompt 1 → prompt 4, uncompressed",
        ),
        (
            "2s 3J d K",
            "Change 1 of 1 · prompt 2 → prompt 3, uncompressed",
        ),
        (
            "2s 3J d 0",
            "Change 1 of 9 · recorded → uncompressed, prompt 4",
        ),
        (
            "2s J m 2J d '",
            "Change 1 of 1 · prompt 2 → prompt 4, uncompressed",
        ),
        ("2s d", "Diff · no prompt → prompt 1, uncompressed"),
        ("G d", "Diff · prompt 4 → prompt 5, recorded"),
        (
            "2s 3J d 0 2s",
            "Change 1 of 6 · per turn → uncompressed, prompt 4",
        ),
        (
            "2s 3J c d",
            "Change 1 of 9 · recorded → uncompressed, prompt 4",
        ),
    ];
    for (keys, expected) in heads {
        let screen = after(SHOP, keys);
        assert_eq!(head(&screen), expected, "after {keys}\n{}", screen.text());
    }
}

#[test]
fn a_side_that_was_not_recorded_is_named() {
    let screen = after(SHOP, "G d");
    let text = screen.text();
    assert!(!text.contains("s shows"), "{text}");
    assert!(
        text.contains("No prompt was sent after the last turn."),
        "{text}"
    );
}

#[test]
fn changes_are_gone_to_and_stretches_unfold_in_place() {
    let mut screen = after(SHOP, "2J d s");
    let first = screen.text();
    screen.keys("n n n N");
    assert!(
        head(&screen).starts_with("Change 2 of "),
        "{}",
        screen.text()
    );
    screen.keys("9 9 n");
    let last = head(&screen);
    let count = last.split([' ', '·']).nth(3).expect("a count");
    assert!(
        last.starts_with(&format!("Change {count} of {count}")),
        "{last}"
    );
    screen.keys("g");
    assert_eq!(screen.text(), first);
    let mut screen = after(SHOP, "2s 2J d");
    let first = screen.text();
    assert!(first.contains("⋯ 25 unchanged lines"), "{first}");
    screen.keys("Z");
    assert!(!screen.text().contains('⋯'), "{}", screen.text());
    screen.keys("Z");
    assert_eq!(screen.text(), first);
    screen.keys("space space");
    assert_eq!(screen.text(), first);
    screen.keys("d esc");
    assert!(screen.text().contains("Turns"), "{}", screen.text());
}

#[test]
fn the_whole_diff_is_copied() {
    let mut screen = after(SHOP, "2s 2J d y");
    let Some(Effect::Copy { text, .. }) = screen.key("y") else {
        panic!("nothing was copied");
    };
    assert!(text.starts_with("@@ "), "{text}");
    assert!(text.contains("\n-") && text.contains("\n+"), "{text}");
}

/// The row of the diff's own figures.
fn figures(screen: &Screen) -> String {
    let text = screen.text();
    let bottom = text.lines().rev().nth(1).unwrap_or_default();
    bottom.trim_matches(['└', '┘', '─', ' ']).to_owned()
}

#[test]
fn a_diff_is_searched_with_what_is_folded() {
    let mut screen = after(SHOP, "2s 2J d");
    let first = screen.text();
    assert!(first.contains("⋯ 25 unchanged lines"), "{first}");
    assert!(!first.contains("data/"), "{first}");
    search(&mut screen, "data/");
    let text = screen.text();
    assert!(text.contains("data/") && text.contains('▸'), "{text}");
    assert!(figures(&screen).starts_with("match 1 of "), "{text}");
    screen.key("n");
    assert!(
        figures(&screen).starts_with("match 2 of "),
        "{}",
        screen.text()
    );
    screen.keys("N N");
    let last = figures(&screen);
    let count = last.split(' ').nth(3).expect("a count").to_owned();
    assert!(
        last.starts_with(&format!("match {count} of {count}")),
        "{last}"
    );
    // Changes are gone to as before, and without a search `n` goes to them too.
    screen.key("]");
    assert!(
        head(&screen).starts_with("Change 1 of 1"),
        "{}",
        screen.text()
    );
    screen.key("esc");
    assert!(!figures(&screen).contains("match"), "{}", screen.text());
    assert!(
        head(&screen).starts_with("Change 1 of 1"),
        "{}",
        screen.text()
    );
    screen.key("esc");
    assert!(screen.text().contains("Turns"), "{}", screen.text());
}

#[test]
fn a_search_of_a_diff_has_cases_patterns_and_goes_on_in_the_next_diff() {
    let mut screen = after(SHOP, "2s 2J d Z");
    for (words, found) in [("DATA/", "no match"), ("no such words", "no match")] {
        search(&mut screen, words);
        assert!(figures(&screen).starts_with(found), "{}", screen.text());
    }
    screen.keys("/ ctrl-r");
    for c in r"^(def|\[user".chars() {
        screen.key(&c.to_string());
    }
    screen.key("enter");
    assert!(
        screen.text().contains("not a regular expression"),
        "{}",
        screen.text()
    );
    screen.key(")");
    screen.key("enter");
    settle(&mut screen);
    // A line begins behind its sign.
    assert!(
        figures(&screen).starts_with("match 1 of "),
        "{}",
        screen.text()
    );
    screen.key("K");
    settle(&mut screen);
    assert!(figures(&screen).contains("match"), "{}", screen.text());
    screen.keys("/ backspace");
    assert!(
        head(&screen).starts_with("Change"),
        "an empty line leaves the search alone"
    );
}
