//! Two prompts side by side: what both have stands at the same height.

use super::*;

/// The columns of the two panes, row by row.
fn panes(screen: &Screen) -> Vec<[String; 2]> {
    let text = screen.text();
    let rows = text.lines().filter(|row| row.matches('│').count() == 2);
    rows.map(|row| {
        let mut parts = row.split('│').skip(1);
        [(); 2].map(|()| {
            let part = parts.next().unwrap_or_default();
            part.trim_start_matches(['›', '▎', ' '])
                .trim_end()
                .to_owned()
        })
    })
    .skip(1)
    .collect()
}

/// What the prompts of this sample have, as it was sent and uncompressed.
const SHARED: [&str; 4] = [";; === data/ ===", "[system]", "[user]", "[assistant]"];

#[track_caller]
fn assert_aligned(screen: &Screen) -> usize {
    let mut seen = 0;
    for row in panes(screen) {
        for part in SHARED {
            let starts = row.each_ref().map(|side| side.starts_with(part));
            assert_eq!(starts[0], starts[1], "{row:?}\n{}", screen.text());
            seen += usize::from(starts[0]);
        }
    }
    seen
}

#[test]
fn what_both_prompts_have_stands_at_the_same_height_wherever_they_are() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 160, 24);
    screen.keys("5J 2s 0 c");
    for keys in ["j", "k", "ctrl-d", "ctrl-u"] {
        for _ in 0..30 {
            screen.keys(keys);
            assert_aligned(&screen);
        }
    }
    assert!(assert_aligned(&screen) > 0, "{}", screen.text());
    // The other pane leads as well, and folding in one keeps both in step.
    screen.keys("shift-tab");
    for keys in ["j", "j j j j j space", "j", "w", "j", "Z", "space", "k"] {
        for _ in 0..8 {
            screen.keys(keys);
            assert_aligned(&screen);
        }
    }
}

#[test]
fn sections_of_two_prompts_are_side_by_side() {
    snapshots("sections", "step/log-triage.step.json", "5J 2s 0 c 1 6 j");
}

#[test]
fn both_ends_are_reached_together() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 160, 24);
    screen.keys("5J c 2s G");
    let last = panes(&screen);
    let has = |side: usize, part: &str| last.iter().any(|row| row[side].starts_with(part));
    assert!(
        has(0, "Turns left: 3") && has(1, "Turns left: 3"),
        "{}",
        screen.text()
    );
    screen.keys("g");
    assert!(
        panes(&screen)[0]
            .iter()
            .all(|side| side.starts_with("[system]"))
    );
}

#[test]
fn where_one_pane_is_seen_the_other_is_at_the_same_section() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 60, 15);
    screen.keys("5J c 2s g");
    while !screen.text().contains("›;; === data/ ===") {
        screen.keys("j");
    }
    screen.keys("z z shift-tab");
    assert!(
        screen.text().contains(";; === data/ ==="),
        "{}",
        screen.text()
    );
}

#[test]
fn large_prompts_are_compared_in_the_background() {
    let turns: Vec<String> = (0..80)
        .map(|n| format!(r#"{{"program":"(def a{n} {n})","result":{n},"success":true,"prints":["print {n}"]}}"#))
        .collect();
    let step = format!(
        r#"{{"name":"many","mission":"m","max_turns":90,"turns":[{}]}}"#,
        turns.join(",")
    );
    let mut screen = Screen::new(text(&step), 160, 24);
    screen.keys("G 2s c");
    assert!(screen.app.is_busy());
    settle(&mut screen);
    screen.keys("4s tab tab G");
    settle(&mut screen);
    let last = panes(&screen);
    let ends = |row: &[String; 2]| row.iter().all(|side| side.starts_with("Turns left"));
    assert!(last.iter().any(ends), "{}", screen.text());
}

#[test]
fn titles_tell_what_differs_first() {
    let file = "step-corners/many-prints.step.json";
    let mut screen = Screen::new(sample(file), 60, 15);
    let title = |screen: &Screen| screen.text().lines().nth(1).unwrap_or_default().to_owned();
    screen.keys("G 1s c");
    let text = title(&screen);
    assert!(text.contains(" coalesced: prompt "), "{text}");
    assert!(text.contains(" uncompressed: prompt "), "{text}");
    screen.keys("1s tab tab 1s L 3 enter esc");
    let text = title(&screen);
    assert!(text.contains("println ≤3*: prompt"), "{text}");
    assert!(text.contains("println ≤15: prompt"), "{text}");
}
