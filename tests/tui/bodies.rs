//! Texts of a size that nobody reads through: 70,000 lines, one line of 10 MB, a million times the same
//! character. Every class of keys works on them, to their end.

use super::*;

/// Keys of every class that moves in a text.
const KEYS: &str = "j k ctrl-d pgup G 3 0 k space space g w l h G w z esc Z Z";

/// Goes through a part of the turn, and the prompts, to the end of each.
fn go_through(screen: &mut Screen, part: &str) {
    screen.keys("tab");
    let place = match part {
        "program" | "prints" => 0,
        "response" => 1,
        "call" => 3,
        "memory" => 4,
        _ => 2,
    };
    for _ in 0..place {
        screen.keys(">");
    }
    screen.keys(KEYS).keys("tab 2s").keys(KEYS);
    screen.keys("v c J K c v t esc ? esc : esc");
    for last in ["y", "p", "t", "j"] {
        screen.keys("y");
        screen.key(last);
    }
    screen.resize(40, 10);
    screen.keys("G g").resize(160, 48);
}

/// A run of two turns with a text in a part of the first.
fn with(part: &str, body: &str) -> Loaded {
    let body = serde_json::to_string(body).expect("JSON");
    let turn = match part {
        "result" => format!(r#""result":{body}"#),
        "results" => format!(r#""result":{{"a":{body},"b":[1,{body}]}}"#),
        "prints" => format!(r#""prints":[{body},"last"]"#),
        "program" => format!(r#""program":{body}"#),
        "response" => format!(r#""raw_response":{body}"#),
        "call" => format!(
            r#""tool_calls":[{{"name":"f","args":{{"a":{body}}},"result":{body}}},{{"name":"g","args":{{}},"error":{body}}}]"#
        ),
        "memory" => format!(r#""memory":{{"name":{body}}}"#),
        _ => panic!("no part {part}"),
    };
    text(&format!(
        r#"{{"mission":"m","turns":[{{"success":true,{turn}}},{{"program":"(f)","result":1,"success":true}}]}}"#
    ))
}

const PARTS: [&str; 7] = [
    "result", "results", "prints", "program", "response", "call", "memory",
];

#[test]
fn seventy_thousand_lines_are_gone_through() {
    let lines = "a row of some words\n".repeat(70_000) + "the end";
    for part in PARTS {
        let mut screen = Screen::new(with(part, &lines), 160, 48);
        go_through(&mut screen, part);
    }
}

#[test]
fn a_line_of_ten_megabytes_is_gone_through() {
    let line = "words and \"more\" words ".repeat(10_000_000 / 23) + "the end";
    for part in ["result", "program", "prints"] {
        let mut screen = Screen::new(with(part, &line), 160, 48);
        go_through(&mut screen, part);
    }
}

#[test]
fn a_million_times_the_same_character_is_gone_through() {
    for c in ['x', '日', '\u{301}', '\u{200d}', '"', '\t', '(', '\u{1b}'] {
        // So many marks on one character are one cluster, which is measured as a whole.
        let bytes = if "\u{301}\u{200d}".contains(c) {
            4_000
        } else {
            1_000_000
        };
        let body: String = std::iter::repeat_n(c, bytes / c.len_utf8()).collect();
        // What is read as code, and what is not.
        let parts: &[&str] = if c == '(' {
            &["results", "program"]
        } else {
            &["results"]
        };
        for part in parts {
            let mut screen = Screen::new(with(part, &body), 160, 48);
            go_through(&mut screen, part);
        }
    }
}

#[test]
fn the_end_of_a_large_text_is_found_and_seen() {
    for (part, keys) in [
        ("result", "tab > >"),
        ("prints", "tab"),
        ("response", "tab >"),
        ("memory", "tab > > > > enter"),
    ] {
        for body in ["row\n".repeat(70_000), "x".repeat(1_000_000)] {
            let mut screen = Screen::new(with(part, &(body + "needle")), 100, 30);
            screen.keys(keys).keys("G");
            assert!(
                screen.text().contains("needle"),
                "{part}: {}",
                screen.text()
            );
            screen.keys("g w G").keys("w g");
            search(&mut screen, "needle");
            assert!(
                screen.text().contains("needle") && screen.text().contains("match 1 of"),
                "{part}: {}",
                screen.text()
            );
        }
    }
}
