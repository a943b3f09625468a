//! Nothing that a trace or a name says drives the terminal.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::*;

/// What the sample of escapes would send to a terminal.
const ESCAPES: [&[u8]; 7] = [
    b"\x1b]52;c;ZXZpbA==",
    b"\x1b]0;title",
    b"\x1b]0;\"",
    b"\x1b]8;;http",
    b"\x1b[6n",
    b"\xc2\x9b31m",
    b"\xc2\x90q",
];

fn assert_harmless(output: &[u8], of: &str) {
    for escape in ESCAPES {
        let through = place(output, escape).is_some();
        assert!(!through, "{of}: {escape:?} got through");
    }
}

#[test]
fn no_escape_of_a_trace_reaches_the_terminal_or_the_clipboard() {
    let file = sample("faults/10-ansi-osc52.jsonl");
    let mut terminal = Terminal::start(turnscope(&[&file]), 160, 40);
    terminal.wait_for("1 turn");
    // Every part of the turn, the prompts, wrapped and not, searched for, and all of it copied.
    let keys = "\t > > > > > yy yp \t s v w l w yy yp yt yj J yt 0 yj /red\r K";
    for keys in keys.split(' ') {
        terminal.type_keys(keys);
        thread::sleep(Duration::from_millis(50));
    }
    terminal.type_keys("zJ");
    terminal.wait_for("␛[31mred␛]52;c;ZXZpbA==␇");
    terminal.type_keys("\x03");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
    let output = terminal.output();
    assert_harmless(&output, "the inspector");
    // Copies are base64, and are text when they are pasted.
    let mut copies = 0;
    let mut rest = output.as_slice();
    while let Some(at) = place(rest, b"\x1b]52;c;") {
        rest = &rest[at + 7..];
        let end = place(rest, b"\x07").expect("it ends");
        let text = BASE64.decode(&rest[..end]).expect("base64");
        assert!(!text.iter().any(|byte| matches!(byte, 0x1b | 0x07)));
        assert_harmless(&text, "a copy");
        copies += 1;
    }
    assert!(copies >= 4, "only {copies} texts were copied");
    for arguments in [
        &["print", &file, "--raw", "--messages", "--color", "always"][..],
        &["print", &file, "--view", "compressed"],
        &["messages", &file, "--output", "text"],
        &["check", &file],
        &["problems", &file],
        &["diff", &file, "--against", "aggressive"],
    ] {
        let mut terminal = Terminal::start(turnscope(arguments), 160, 40);
        terminal.end();
        assert!(!terminal.output().is_empty());
        assert_harmless(&terminal.output(), arguments[0]);
    }
}

#[test]
fn escapes_in_names_are_only_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let evil = "x\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[6n\u{9b}31m.jsonl";
    let path = folder.path().join(evil);
    let path = path.to_str().expect("UTF-8").to_owned();
    std::fs::copy(sample("faults/10-ansi-osc52.jsonl"), &path).expect("copied");
    // The window is called by the file's name where the run has none.
    let mut terminal = Terminal::start(turnscope(&[&path]), 160, 40);
    terminal.wait_for("1 turn");
    terminal.type_keys("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
    let output = terminal.output();
    let title = "\u{1b}]0;x␛]52;c;ZXZpbA==␇␛[6n<U+009B>31m.jsonl - turnscope\u{7}";
    assert!(place(&output, title.as_bytes()).is_some());
    assert_harmless(&output, "the title");
    for arguments in [
        &["print", &path, "--conversation", "9"][..],
        &["print", &path, "--format", evil],
        &["--config", evil, "print", &path],
        &["no-such-\u{1b}]52;c;ZXZpbA==\u{7}-file"],
        &["print", &path, "--strategy", evil, "--view", "compressed"],
    ] {
        let mut terminal = Terminal::start(turnscope(arguments), 160, 40);
        terminal.end();
        terminal.wait_for("turnscope: ");
        assert_harmless(&terminal.output(), &format!("{arguments:?}"));
    }
}
