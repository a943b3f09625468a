//! `o` from each kind of item of a turn to the prompt and from there back, and to the reason where it
//! doesn't stand there.

use super::*;

/// A turn of every kind of item, then one that failed.
const RUN: &str = r#"{"mission": "Count.", "max_turns": 9, "turns": [
    {"number": 1, "input": "begin with the west", "program": "(def total 41)\n(tool/search {:q \"west\"})",
     "result": ["north", "south"], "prints": ["first print", "second print"],
     "tool_calls": [{"name": "search", "args": {"q": "west"}, "result": "what was found"}],
     "memory": {"total": 41}},
    {"number": 2, "success": false, "program": "(boom)", "result": {"message": "nobody knows boom"},
     "prints": ["before the end"], "tool_calls": [], "memory": {"total": 41}}]}"#;

/// A turn without a program: its call's result is its own.
const TALK: &str = r#"{"mission": "Count.", "max_turns": 9, "turns": [
    {"number": 1, "raw_response": "I look.", "tool_calls":
     [{"name": "search", "args": {"q": "west"}, "result": "what was found\nand more"}]}]}"#;

/// Presses `o` on the line with a text in a part of a turn. `tab` is how many parts that is on.
fn from_turn(screen: &mut Screen, turn: usize, tab: usize, line: &str) {
    screen.keys(&format!("{turn}G {}", "> ".repeat(tab)));
    let view = &mut screen.app.document_mut().turn.view;
    let row = (0..40).find(|row| {
        let found = view.line_at(*row);
        found.is_some_and(|(_, block, at)| block.line(at).text().contains(line))
    });
    let row = row.unwrap_or_else(|| panic!("{line} isn't shown:\n{}", screen.text()));
    let count: String = (row + 1)
        .to_string()
        .chars()
        .flat_map(|c| [c, ' '])
        .collect();
    screen.keys(&format!("tab {count}o"));
}

fn message(screen: &Screen) -> &str {
    screen.app.message.as_deref().unwrap_or_default()
}

/// The line of the prompt that the cursor is on.
fn cursor_line(screen: &mut Screen) -> String {
    let view = &mut screen.app.document_mut().lens_mut().view;
    let row = view.cursor_row().expect("a cursor");
    let (_, block, line) = view.line_at(row).expect("a line");
    block.raw_line(line).expect("its text").to_owned()
}

/// A run, a strategy; a turn, how many parts on, and a line there; what is told of it, and the line of
/// the prompt that it leads to.
type Standing = (
    &'static str,
    &'static str,
    usize,
    usize,
    &'static str,
    &'static str,
    &'static str,
);

const STANDING: [Standing; 12] = [
    (
        RUN,
        "uncompressed",
        1,
        0,
        "(def total 41)",
        "program of turn 1",
        "(def total 41)",
    ),
    (
        RUN,
        "uncompressed",
        1,
        0,
        "second print",
        "print of turn 1",
        "second print",
    ),
    (
        RUN,
        "uncompressed",
        1,
        2,
        "north",
        "result of turn 1",
        "north",
    ),
    (
        RUN,
        "uncompressed",
        1,
        5,
        "the west",
        "input of turn 1",
        "begin with the west",
    ),
    (
        RUN,
        "uncompressed",
        2,
        2,
        "nobody",
        "error of turn 2",
        "nobody knows boom",
    ),
    (
        RUN,
        "single-user-coalesced",
        1,
        4,
        "total",
        "definition of turn 1",
        "total",
    ),
    (
        RUN,
        "single-user-coalesced",
        1,
        3,
        "west",
        "call of turn 1",
        "search",
    ),
    (
        RUN,
        "single-user-coalesced",
        1,
        0,
        "first print",
        "print of turn 1",
        "first print",
    ),
    (
        RUN,
        "single-user-coalesced",
        2,
        0,
        "(boom)",
        "program of turn 2",
        "(boom)",
    ),
    (TALK, "uncompressed", 1, 3, "west", "call of turn 1", "west"),
    (
        TALK,
        "uncompressed",
        1,
        3,
        "what was found",
        "result of turn 1",
        "what was found",
    ),
    (
        TALK,
        "uncompressed",
        1,
        1,
        "I look.",
        "program of turn 1",
        "I look.",
    ),
];

#[test]
fn each_kind_of_item_leads_to_the_prompt_and_back() {
    for (run, strategy, turn, tab, line, told, stands) in STANDING {
        let start = Start {
            asked: Asked::new(Some(strategy.to_owned()), Vec::new()),
            ..Start::default()
        };
        let mut screen = Screen::start(text(run), &start, 160, 48);
        from_turn(&mut screen, turn, tab, line);
        let whole = format!("({told}) in the prompt for turn {}", turn + 1);
        assert!(
            message(&screen).ends_with(&whole),
            "{line}: {}",
            message(&screen)
        );
        let found = cursor_line(&mut screen);
        assert!(found.contains(stands), "{line}: {found:?}");
        // And back to the turn.
        screen.keys("o");
        let kind = told.split(' ').next().expect("a kind");
        let back = format!("{kind} of turn {turn}; ctrl-o goes back");
        assert_eq!(message(&screen), back, "{line}");
        assert_eq!(screen.app.document().selected, turn - 1, "{line}");
    }
}

#[test]
fn what_stands_nowhere_has_its_reason() {
    let limits = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
    for (strategy, options, turn, tab, line, reason) in [
        (
            "single-user-coalesced",
            limits("println_limit", "1"),
            1,
            0,
            "first print",
            "over the limit",
        ),
        (
            "single-user-coalesced",
            limits("tool_call_limit", "0"),
            1,
            3,
            "west",
            "over the limit",
        ),
        (
            "single-user-coalesced",
            vec![],
            1,
            2,
            "north",
            "not shown by this strategy",
        ),
        (
            "single-user-coalesced",
            vec![],
            2,
            0,
            "before the end",
            "not shown by this strategy",
        ),
        (
            "observation-masking",
            limits("window", "0"),
            1,
            0,
            "first print",
            "masked",
        ),
        (
            "observation-masking",
            limits("window", "0"),
            2,
            2,
            "nobody",
            "masked",
        ),
        (
            "head-tail",
            limits("tail", "0"),
            2,
            0,
            "(boom)",
            "not shown by this strategy",
        ),
        (
            "aggressive",
            limits("token_budget", "1"),
            1,
            4,
            "total",
            "over the budget",
        ),
    ] {
        let start = Start {
            asked: Asked::new(Some(strategy.to_owned()), options),
            ..Start::default()
        };
        let mut screen = Screen::start(text(RUN), &start, 160, 48);
        from_turn(&mut screen, turn, tab, line);
        let end = format!("is not in the prompt for turn {}: {reason}", turn + 1);
        assert!(
            message(&screen).ends_with(&end),
            "{strategy}: {line}: {}",
            message(&screen)
        );
        let found = cursor_line(&mut screen);
        assert!(
            found.contains(&format!("┊ turn {turn} ")),
            "{strategy}: {line}: {found:?}\n{}",
            screen.text()
        );
        assert!(found.ends_with(reason), "{strategy}: {line}: {found:?}");
    }
}

#[test]
fn a_turn_of_the_list_leads_to_the_prompt_and_back() {
    // At 60x15 the pane of the prompt has no place yet.
    for (strategy, (columns, rows), turn, told, stands) in [
        (
            "uncompressed",
            (160, 48),
            1,
            "program of turn 1",
            "(def total 41)",
        ),
        ("uncompressed", (60, 15), 2, "program of turn 2", "(boom)"),
        (
            "single-user-coalesced",
            (60, 15),
            1,
            "call of turn 1",
            "search(",
        ),
        (
            "single-user-coalesced",
            (100, 30),
            2,
            "program of turn 2",
            "(boom)",
        ),
    ] {
        let start = Start {
            asked: Asked::new(Some(strategy.to_owned()), Vec::new()),
            ..Start::default()
        };
        let mut screen = Screen::start(text(RUN), &start, columns, rows);
        screen.keys(&format!("{turn}G o"));
        let told = format!("{told} in the prompt for turn {}", turn + 1);
        assert_eq!(message(&screen), told, "{strategy}");
        let found = cursor_line(&mut screen);
        assert!(found.contains(stands), "{strategy}: {found:?}");
        screen.keys("o");
        assert_eq!(screen.app.document().selected, turn - 1);
        assert_eq!(screen.app.context(), Context::Turn);
        screen.keys("ctrl-o ctrl-o");
        assert_eq!(screen.app.context(), Context::Turns, "back in the list");
        assert!(
            screen.text().contains(&format!("Prompt for turn {turn}")),
            "{}",
            screen.text()
        );
    }
}

#[test]
fn a_turn_that_no_prompt_has_says_why() {
    let start = Start {
        asked: Asked::new(
            Some("head-tail".to_owned()),
            vec![
                ("tail".to_owned(), "0".to_owned()),
                ("head".to_owned(), "1".to_owned()),
            ],
        ),
        ..Start::default()
    };
    let mut screen = Screen::start(text(RUN), &start, 100, 30);
    screen.keys("2G o");
    let why = "turn 2 is not in the prompt for turn 3: not shown by this strategy";
    assert_eq!(message(&screen), why);
    assert!(cursor_line(&mut screen).contains("┊ turn 2 "));
    screen.keys("esc G o");
    assert!(
        message(&screen).starts_with("there is no turn in this row"),
        "{}",
        message(&screen)
    );
}

#[test]
fn a_turn_leads_to_the_prompt_that_was_sent() {
    let mut screen = Screen::new(sample("step/log-triage.step.json"), 100, 30);
    screen.keys("2G o");
    assert_eq!(message(&screen), "turn 2 in the prompt for turn 3");
    assert!(cursor_line(&mut screen).starts_with("(def errors (filter"));
    // Nothing was sent after the last turn.
    screen.keys("esc 6G o");
    assert!(
        message(&screen).starts_with("No prompt was sent"),
        "{}",
        message(&screen)
    );
}
