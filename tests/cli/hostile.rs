//! Nothing of a trace acts on the terminal.

use super::{Ended, run};

const HOSTILE: &str = "\u{1b}]0;pwn\u{7}\u{1b}]52;c;eA==\u{1b}\\\u{1b}[31mred\u{9b}31m\u{7f}\u{202e}abc\u{2066}\r\nx\tb\0\u{85}\u{9d}\u{feff}\u{e0041}";

/// A step file with hostile text wherever text may stand.
pub(super) fn step() -> String {
    let h = serde_json::to_string(HOSTILE).expect("a text");
    let template = r#"{"name": H, "mission": H, "system_prompt": H, "signature": H, "model": H,
        "max_turns": 5, "tools": {H: {"signature": H, "description": H}}, "data": {H: H},
        "field_descriptions": {H: H}, "compression": H, "trace_id": H, "pending_input": H,
        "turns": [
          {"number": 1, "type": H, "success": true, "input": H, "raw_response": H, "thinking": H,
           "program": H, "language": H, "result": H, "prints": [H], "started_at": H,
           "tool_calls": [
             {"name": H, "args": {H: H}, "result": H, "error": null, "duration_ms": 3, "id": H},
             {"name": H, "args": H, "result": null, "error": H},
             {"name": H, "args": [H], "result": {H: [H]}, "error": {H: H}}],
           "memory": {H: H}, "messages": [{"role": "user", "content": H}]},
          {"number": 2, "success": false, "raw_response": H, "program": null,
           "result": {"message": H}, "prints": [], "tool_calls": []},
          {"number": 3, "success": false, "program": H, "result": {H: H}}],
        "fail": {"reason": H, "message": H, "op": H}, "usage": {"turns": 2}}"#;
    template.replace('H', &h)
}

/// The bytes that may not come through: everything below space but the line end, DEL, C1, marks
/// that reorder or hide.
fn harmful(text: &str) -> Option<char> {
    text.chars().find(|c| {
        let reorders = matches!(c,
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        (*c < ' ' && *c != '\n') || ('\u{7f}'..='\u{9f}').contains(c) || reorders
    })
}

fn harmless(args: &[&str]) -> Ended {
    let ended = run(args);
    assert_eq!(harmful(&ended.out), None, "{args:?}: {}", ended.out);
    assert_eq!(harmful(&ended.err), None, "{args:?}: {}", ended.err);
    ended
}

#[test]
fn no_control_character_comes_through() {
    let folder = tempfile::tempdir().expect("a folder");
    // The name may hold what a file system takes.
    let name = "\u{1b}[31m\u{9b}\u{202e}\tevil\u{7f}.json";
    let path = folder.path().join(name);
    std::fs::write(&path, step()).expect("it is written");
    let path = path.to_str().expect("a path");
    for args in [
        &["print", path][..],
        &[
            "print",
            path,
            "--raw",
            "--messages",
            "--usage",
            "--max-lines",
            "1",
        ],
        &["print", path, "--raw", "--messages", "--ascii"],
        &["print", path, "--view", "compressed", "--usage"],
        &[
            "print",
            path,
            "--view",
            "compressed",
            "--strategy",
            "recorded",
            "--turn",
            "1",
        ],
        &["messages", path],
        &[
            "messages",
            path,
            "--output",
            "text",
            "--strategy",
            "uncompressed",
        ],
        &[
            "messages",
            path,
            "--output",
            "openai",
            "--strategy",
            "rolling-window",
        ],
        &[
            "messages",
            path,
            "--output",
            "anthropic",
            "--strategy",
            "per-turn-summary",
        ],
        &[
            "messages",
            path,
            "--output",
            "text",
            "--strategy",
            "aggressive",
        ],
        &["check", path],
        &["check", path, "--output", "json"],
        &["convert", path, "--to", "step"],
        &["convert", path, "--to", "openai"],
        &["convert", path, "--to", "anthropic"],
        &["convert", path, "--to", "markdown"],
        &[path],
    ] {
        let ended = harmless(args);
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.err);
        assert!(ended.out.contains("pwn"), "{args:?} shows the text");
    }
}

#[test]
fn errors_are_harmless_and_of_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let evil = "\u{1b}[31m\u{9b}\u{202e}\t\nevil\u{7f}";
    let path = folder.path().join(format!("{evil}.json"));
    std::fs::write(&path, format!("{{\"{}\": 1}}", "\u{202e}\u{9b}")).expect("it is written");
    let path = path.to_str().expect("a path");
    let sample = super::sample("single-shot");
    let option = format!("{evil}={evil}");
    for args in [
        &["print", path][..],
        &["check", path],
        &["print", evil],
        &[evil, "x.json"],
        &["print", &sample, "--view", evil],
        &["print", &sample, evil],
        &["print", &sample, "--format", evil],
        &["messages", &sample, "--strategy", evil],
        &["messages", &sample, "--option", &option],
        &["messages", &sample, "--println-limit", evil],
        &["messages", &sample, "--turn", evil],
        &["print", &sample, "--turns", evil],
        &["convert", &sample, "--to", evil],
    ] {
        let ended = harmless(args);
        assert_ne!(ended.code, 0, "{args:?}");
        assert_eq!(
            ended.err.matches('\n').count(),
            1,
            "{args:?}: {}",
            ended.err
        );
    }
}
