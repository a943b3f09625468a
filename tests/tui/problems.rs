//! What went wrong: marks in the list of turns, and the list of problems.

use super::*;
use turnscope::tui::problems;

#[test]
fn turns_with_problems_are_marked() {
    for (columns, rows) in SIZES {
        let mut screen = Screen::new(sample("step/log-triage-stuck.step.json"), columns, rows);
        let before = screen.text();
        problems::attend(&mut screen.app);
        settle(&mut screen);
        let after = screen.text();
        // A failed turn has its own sign; turn 2 used a name that isn't defined, too.
        assert!(
            !before.contains(" 2!✗") && after.contains(" 2!✗"),
            "{after}"
        );
        assert_eq!(after.matches("!✗").count(), 1, "{after}");
        screen.keys("E j");
        insta::assert_snapshot!(format!("problems-{columns}x{rows}"), screen.text());
    }
}

#[test]
fn problems_stand_in_the_order_of_turns_and_lead_there() {
    let mut screen = Screen::new(sample("step/log-triage-stuck.step.json"), 60, 15);
    screen.keys("E");
    settle(&mut screen);
    let found = &screen
        .app
        .document()
        .problems
        .as_ref()
        .expect("asked for")
        .found;
    let rows: Vec<Option<usize>> = found.iter().map(|found| found.row).collect();
    assert!(rows.is_sorted() && rows.len() > 4, "{rows:?}");
    // The selected one stands whole below the list, however narrow the screen is.
    screen.keys("j j j");
    let text = screen.text();
    assert!(
        text.contains("failed turn 1 would have") && text.contains("defined it"),
        "{text}"
    );
    screen.keys("enter");
    assert_eq!(screen.app.document().selected, 1);
}

#[test]
fn a_run_that_grows_keeps_its_marks_meanwhile() {
    let mut screen = Screen::new(sample("step/log-triage-stuck.step.json"), 100, 30);
    problems::attend(&mut screen.app);
    settle(&mut screen);
    assert!(screen.app.document().marks.has(1));
    screen.app.document_mut().problems = None;
    screen.draw();
    assert!(screen.text().contains(" 2!✗"));
}

#[test]
fn what_of_the_file_was_not_understood_can_be_seen() {
    for (columns, rows) in SIZES {
        let mut screen = Screen::new(sample("beside/rewind.jsonl"), columns, rows);
        screen.keys("E");
        settle(&mut screen);
        screen.draw();
        let text = screen.text();
        let at = |words: &str| {
            text.find(words)
                .unwrap_or_else(|| panic!("{words}: {text}"))
        };
        assert!(at("damaged, line 8") < at("turn 3: branch"));
        assert!(at("turn 3: branch") < at("not understood, line 7, mode"));
        assert!(at("not understood, line 7, mode") < at("note: the session has a branch"));
        screen.keys("j j");
        insta::assert_snapshot!(format!("of-file-{columns}x{rows}"), screen.text());
    }
}

#[test]
fn a_long_record_is_read_whole_and_the_list_is_there_again() {
    let record = format!(
        r#"{{"type":"odd","words":"{}END\u001b[31m"}}"#,
        "word ".repeat(8_000)
    );
    let asked =
        r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"Go."}}"#;
    let said = r#"{"type":"assistant","sessionId":"s","uuid":"a","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"Gone."}]}}"#;
    let mut screen = Screen::new(text(&format!("{asked}\n{said}\n{record}\n")), 60, 15);
    let header = |screen: &Screen| screen.text().lines().next().map(str::to_owned);
    assert!(header(&screen).expect("a row").contains("1 not understood"));
    screen.keys("E");
    settle(&mut screen);
    let at = |screen: &Screen| {
        screen
            .app
            .document()
            .problems
            .as_ref()
            .map(|all| all.found.len())
    };
    assert!(at(&screen) > Some(0));
    screen.keys("G");
    while !screen.text().contains("▸ not understood") {
        screen.keys("k");
    }
    let list = screen.text();
    screen.keys("enter");
    assert!(
        screen.text().contains("not understood, line 3, odd: "),
        "{}",
        screen.text()
    );
    assert!(!screen.text().contains("END"));
    screen.keys("G");
    assert!(screen.text().contains("END"), "{}", screen.text());
    screen.keys("w g");
    assert!(!screen.text().contains("END"));
    screen.keys("esc");
    assert_eq!(screen.text(), list, "the list is there again");
    screen.keys("space G");
    assert!(screen.text().contains("END"));
}

#[test]
fn a_childs_problem_leads_into_the_child() {
    let trace = r#"{"mission": "Ask.", "turns": [
        {"number": 1, "program": "(tool/ask {})", "tool_calls": []}],
        "children": [{"mission": "Answer.", "turns": [
            {"number": 1, "program": "(println 1)", "prints": ["1"]},
            {"number": 2, "success": false, "program": "(boom)",
             "result": {"message": "nobody knows boom"}}]}]}"#;
    let mut screen = Screen::new(text(trace), 100, 30);
    assert!(!screen.app.document().run.step().children.is_empty());
    screen.keys("E");
    settle(&mut screen);
    let found = &screen
        .app
        .document()
        .problems
        .as_ref()
        .expect("asked for")
        .found;
    let at = found
        .iter()
        .position(|found| found.text.starts_with("child 1: turn 2"));
    let number: String = (at.expect("the child's") + 1).to_string();
    screen.keys(&format!("{number}G enter"));
    assert_eq!(screen.app.documents.len(), 2);
    assert_eq!(screen.app.document().selected, 1);
    assert!(
        screen.text().contains("nobody knows boom"),
        "{}",
        screen.text()
    );
    screen.keys("esc");
    assert_eq!(screen.app.documents.len(), 1);
}

#[test]
fn notes_of_the_reader_have_a_sign() {
    let screen = Screen::new(sample("beside/rewind.jsonl"), 160, 48);
    let notes = screen.app.document().report.notes.len();
    assert!(notes > 0);
    let header = screen
        .text()
        .lines()
        .next()
        .map(str::to_owned)
        .expect("a row");
    assert!(header.contains(&format!(" · {notes} note")), "{header}");
}

#[test]
fn turns_on_a_branch_that_was_left_are_told_apart() {
    let screen = Screen::new(sample("beside/rewind.jsonl"), 60, 15);
    let text = screen.text();
    assert!(text.contains("2 · (left) They are deleted."), "{text}");
    assert_eq!(text.matches("(left)").count(), 1, "{text}");
}

#[test]
fn turns_that_were_copied_are_told_apart() {
    let trace = r#"{"schema_version":"ATIF-v1.7","agent":{"name":"a"},"steps":[{"source":"user","message":"q"},{"source":"agent","message":"old","is_copied_context":true},{"source":"agent","message":"new"}]}"#;
    let screen = Screen::new(text(trace), 60, 15);
    let shown = screen.text();
    assert!(shown.contains("1 · (copied) old"), "{shown}");
    assert!(shown.contains("2 · new"), "{shown}");
}
