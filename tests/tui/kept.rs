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

#[test]
fn a_search_begins_at_the_selected_turn_and_finds_all_in_order() {
    let turns: Vec<String> = (0..400)
        .map(|n| format!(r#"{{"program":"(def a{n} \"needle\")","result":{n},"success":true}}"#))
        .collect();
    let step = format!(
        r#"{{"name":"many","mission":"m","max_turns":500,"turns":[{}]}}"#,
        turns.join(",")
    );
    let mut screen = Screen::new(text(&step), 100, 24);
    screen.keys("300G");
    search(&mut screen, "needle");
    settle(&mut screen);
    let found = &screen
        .app
        .document()
        .search
        .as_ref()
        .expect("a search")
        .found;
    let rows: Vec<usize> = found.iter().map(|place| place.row).collect();
    assert!(rows.is_sorted() && rows.len() >= 400, "{rows:?}");
    assert_eq!(screen.app.document().selected, 299);
    screen.keys("N");
    assert_eq!(screen.app.document().selected, 298);
    screen.keys("n n");
    assert_eq!(screen.app.document().selected, 300);
    assert!(screen.text().contains("match 301 of"), "{}", screen.text());
}

/// A run of so many turns.
fn many(turns: usize) -> Loaded {
    let turns: Vec<String> = (0..turns)
        .map(|n| format!(r#"{{"program":"(def a{n} {n})","result":{n},"success":true}}"#))
        .collect();
    let turns = turns.join(",");
    text(&format!(
        r#"{{"name":"many","mission":"m","max_turns":500,"turns":[{turns}]}}"#
    ))
}

#[test]
fn a_long_list_is_put_together_in_the_background() {
    let mut screen = Screen::new(many(250), 100, 24);
    screen.key("y");
    assert!(screen.key("p").is_none() && screen.text().contains("putting the list of turns"));
    settle(&mut screen);
    let (what, text) = screen.app.document_mut().copying.take().expect("a copy");
    assert_eq!((&*what, text.lines().count()), ("the list of turns", 251));
    assert!(
        text.lines()
            .nth(249)
            .is_some_and(|row| row.starts_with("250 ✓ ")),
        "{text}"
    );
    assert!(text.ends_with("next"), "{text}");
}

#[test]
fn a_long_prompt_is_put_together_in_the_background() {
    let mut screen = Screen::new(many(150), 100, 24);
    screen.keys("G 2s");
    for (key, start) in [("t", "[system]\n"), ("j", "[{\"role\"")] {
        screen.key("y");
        assert!(screen.key(key).is_none() && screen.text().contains("putting the prompt as"));
        settle(&mut screen);
        let (what, text) = screen.app.document_mut().copying.take().expect("a copy");
        assert!(what.starts_with("the prompt as "));
        assert!(
            text.starts_with(start) && text.contains("(def a149 149)"),
            "{text}"
        );
        assert!(screen.app.document_mut().copying.take().is_none());
    }
}

#[test]
fn what_a_turn_never_had_is_not_told_as_left_out() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("chat.json");
    let chat = r#"[{"role":"user","content":"look"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function",
         "function":{"name":"list_files","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"a","content":"one.txt"},
        {"role":"assistant","content":"Only one file."}]"#;
    std::fs::write(&path, chat).expect("written");
    let loaded = load::open(&path, None).expect("it loads");
    let mut screen = Screen::new(loaded, 160, 40);
    screen.keys("G 1s v");
    let text = screen.text();
    // The first turn's call was answered, but it says nothing; the second is text, no program.
    assert!(text.contains("┊ turn 1 result one.txt  —"), "{text}");
    assert!(text.contains("┊ turn 2 reply Only one file.  —"), "{text}");
    assert!(!text.contains("┊ turn 1 program"), "{text}");
    assert!(!text.contains("┊ turn 2 result"), "{text}");
}

#[test]
fn the_program_tab_tells_why_a_call_failed() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("session.jsonl");
    let session = r#"{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"look"}}
{"type":"assistant","sessionId":"s","uuid":"a","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"/a"}}]}}
{"type":"user","sessionId":"s","uuid":"r","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"<tool_use_error>File does not exist.\nLook elsewhere.</tool_use_error>"}]}}
"#;
    std::fs::write(&path, session).expect("written");
    let mut screen = Screen::new(load::open(&path, None).expect("it loads"), 120, 30);
    screen.keys("g tab");
    let text = screen.text();
    assert!(text.contains(" ✗ "), "{text}");
    assert!(text.contains("  File does not exist. "), "{text}");
    assert!(text.contains("  Look elsewhere. "), "{text}");
    assert!(!text.contains("tool_use_error"), "{text}");
}
