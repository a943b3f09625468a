//! `print`: turns and prompts as text.

use super::{command, file, fixtures, output, run, sample};

#[test]
fn turns_view() {
    insta::assert_snapshot!(output(["print", &sample("payroll-audit")]));
}

#[test]
fn everything_of_a_turn() {
    let path = sample("shop-refunds");
    let all = [
        "--turns",
        "2",
        "--raw",
        "--messages",
        "--usage",
        "--max-lines",
        "4",
    ];
    insta::assert_snapshot!(output(["print", &path].into_iter().chain(all)));
}

#[test]
fn compressed_view() {
    let path = sample("fail-then-recover");
    let args = [
        "print",
        &path,
        "--view",
        "compressed",
        "--turn",
        "3",
        "--usage",
    ];
    insta::assert_snapshot!(output(args));
}

#[test]
fn what_is_not_recorded_is_said() {
    let step = r#"{"mission": null, "max_turns": 3, "turns": [
        {"number": 1, "success": true, "raw_response": "no program here",
         "tool_calls": [{"name": "ls", "args": {"path": "."}, "duration_ms": 12},
                        {"name": "cat", "args": {}, "error": "no such\nfile"}],
         "result": "shortened", "prints": ["first"],
         "known": {"result": "preview", "prints": "cut"}},
        {"number": 2, "input": "go on", "program": "ls", "language": "bash"}],
        "pending_input": "are you there?"}"#;
    let (_folder, path) = file("gaps.json", step);
    insta::assert_snapshot!(output(["print", &path, "--messages", "--raw"]));
}

#[test]
fn without_a_terminal_a_file_is_printed() {
    let path = sample("payroll-audit");
    let printed = output(["print", &path]);
    assert_eq!(output([&path]), printed);
    assert_eq!(output(["inspect", &path]), printed);
    let demo = output::<&str>([]);
    assert!(demo.starts_with("shop-refunds") && demo.contains("Turn 2 ✗ failed"));
    let prompt = output(["print", &path, "--view", "compressed", "--turn", "2"]);
    assert_eq!(output([&path, "--turn", "2"]), prompt);
}

#[test]
fn long_texts_are_cut_with_a_count() {
    let path = sample("log-triage");
    let cut = output(["print", &path, "--max-lines", "1"]);
    assert!(
        cut.contains("│   … 1 more line\n") && cut.contains("more lines\n"),
        "{cut}"
    );
    let whole = output(["print", &path]);
    assert!(!whole.contains("more line"));
    assert_eq!(whole, output(["print", &path, "--max-lines", "99999"]));
}

#[test]
fn colours_only_where_they_are_wanted() {
    let path = sample("log-triage");
    let plain = output(["print", &path]);
    assert!(!plain.contains('\u{1b}'));
    let coloured = output(["print", &path, "--color", "always"]);
    assert!(
        coloured.contains("\u{1b}[31m✗ failed\u{1b}[0m"),
        "{coloured}"
    );
    let mut stripped = String::new();
    for (place, part) in coloured.split("\u{1b}[").enumerate() {
        let text = if place == 0 {
            part
        } else {
            part.split_once('m').expect("a colour").1
        };
        stripped.push_str(text);
    }
    let trim = |text: &str| {
        text.lines()
            .map(str::trim_end)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(trim(&stripped), trim(&plain));
}

#[test]
fn ascii_where_the_locale_has_no_utf8() {
    let path = sample("log-triage");
    let ascii = output(["print", &path, "--ascii"]);
    assert!(ascii.contains("+- Turn 2 FAILED\n| program\n"), "{ascii}");
    assert!(ascii.is_ascii());
    let by_locale = command(["print", &path]).env("LC_ALL", "C").output();
    let by_locale = by_locale.expect("it runs").stdout;
    assert_eq!(String::from_utf8(by_locale).expect("UTF-8"), ascii);
}

#[test]
fn keys_come_from_the_inspector() {
    let ended = run(["keys", "--markdown"]);
    // Until there is an inspector, one line says so.
    if ended.code == 0 {
        assert!(ended.out.contains('|'));
    } else {
        assert_eq!((ended.code, ended.err.lines().count()), (2, 1));
    }
}

#[test]
fn what_is_no_turn_is_printed_too() {
    let path = fixtures()
        .join("beside/claude.jsonl")
        .to_string_lossy()
        .into_owned();
    insta::assert_snapshot!(output(["print", &path]));
    // Chosen turns are the run's own, and its alone.
    let chosen = output(["print", &path, "--turns", "2"]);
    assert!(chosen.contains("overloaded"), "{chosen}");
    assert!(!chosen.contains("Child 1"), "{chosen}");
}

#[test]
fn messages_that_are_rebuilt_say_so() {
    let path = fixtures()
        .join("rebuilt/claude.jsonl")
        .to_string_lossy()
        .into_owned();
    let printed = output(["print", &path, "--messages", "--turns", "3"]);
    assert!(
        printed.contains(
            "messages (rebuilt from the records since the compaction before turn 3; not recorded: \
             the system prompt, the tools' schemas)"
        ),
        "{printed}"
    );
    assert!(
        printed.contains("Summary: two files were counted."),
        "{printed}"
    );
    let without = output(["print", &path, "--turns", "3"]);
    assert!(!without.contains("rebuilt"), "{without}");
}

/// Spans have no content where their writer was not told to capture it; that is said, not left blank.
#[test]
fn content_that_was_not_captured_is_said() {
    let span = r#"{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"scope":{"name":"x"},"spans":[
        {"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"chat m",
         "startTimeUnixNano":"1735689601000000000","endTimeUnixNano":"1735689602000000000","attributes":[
            {"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
            {"key":"gen_ai.request.model","value":{"stringValue":"m"}}]}]}]}]}"#;
    let (folder, path) = file("spans.json", span);
    let step = folder.path().join("spans.step.json");
    let step = step.to_str().expect("a plain path");
    assert_eq!(
        run(["convert", &path, "--to", "step", "--out", step]).code,
        0
    );
    for path in [&path, step] {
        let told = run(["print", path]).out;
        assert!(told.contains("response: content not captured"), "{told}");
    }
    for form in ["markdown", "html"] {
        let told = run(["convert", &path, "--to", form]).out;
        assert!(told.contains("content not captured"), "{told}");
    }
}
