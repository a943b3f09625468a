//! `--redact`: no secret is in what any command writes, and figures stay those of the original.

use super::{command, fixtures};

/// Every secret of the fixture.
const SECRETS: [&str; 10] = [
    "ines",
    "example.org; the",
    "sk-test",
    "4fQ9xT2mB7vK1sR8wZ3c",
    "letmein",
    "zx81cv92",
    "correcthorse",
    "hunter2",
    "MIIEvQIBADAN",
    "eyJhbGciOiJIUzI1NiJ9",
];

/// Beginnings of the secrets of the run, which are cut off in samples of values.
const OF_THE_RUN: [&str; 11] = [
    "/home/ines",
    "ines.l",
    "jo@ex",
    "4fQ9xT2",
    "letm",
    "zx81c",
    "correcth",
    "hunt",
    "swordf",
    "MIIEv",
    "eyJhb",
];

fn session() -> String {
    sample("redact/session.jsonl")
}

fn sample(name: &str) -> String {
    let path = fixtures().join(name);
    path.to_str().expect("a plain path").to_owned()
}

fn written(args: &[&str]) -> (String, String) {
    let output = command(args).output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

fn assert_clean(text: &str, what: &str) {
    for secret in SECRETS {
        assert!(!text.contains(secret), "{what} shows {secret}:\n{text}");
    }
}

#[test]
fn no_command_shows_a_secret() {
    let file = session();
    let commands: &[&[&str]] = &[
        &["print"],
        &["print", "--messages", "--raw", "--usage"],
        &["print", "--view", "compressed"],
        &["messages"],
        &["messages", "--output", "text"],
        &[
            "messages",
            "--output",
            "openai",
            "--strategy",
            "uncompressed",
        ],
        &["messages", "--output", "anthropic"],
        &["diff"],
        &["diff", "--against", "uncompressed"],
        &["problems"],
        &["problems", "--output", "json"],
        &["check"],
        &["check", "--output", "json"],
        &["compare"],
        &["compare", "--output", "json"],
        &["convert", "--to", "step"],
        &["convert", "--to", "openai"],
        &["convert", "--to", "anthropic"],
        &["convert", "--to", "markdown"],
        &[],
    ];
    for words in commands {
        for color in ["--color=never", "--color=always"] {
            let mut args = words.to_vec();
            args.extend([color, file.as_str(), "--redact"]);
            let (out, err) = written(&args);
            assert!(!out.is_empty(), "{args:?}: {err}");
            assert_clean(&out, &format!("{args:?}"));
            assert_clean(&err, &format!("{args:?}"));
            assert!(err.contains("redacted"), "{args:?}: {err}");
        }
        let run = sample("redact/run.step.json");
        let mut args = words.to_vec();
        args.extend([run.as_str(), "--redact"]);
        let (out, _) = written(&args);
        for secret in OF_THE_RUN {
            assert!(!out.contains(secret), "{args:?} shows {secret}:\n{out}");
        }
    }
}

#[test]
fn check_knows_what_only_a_later_record_tells_to_be_a_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chat.json");
    let chat = r#"[{"role":"user","content":"Send zx81cv92bn73mm64 along."},{"role":"assistant","content":"TOKEN=zx81cv92bn73mm64"}]"#;
    std::fs::write(&path, chat).expect("it can be written");
    let path = path.to_str().expect("a plain path");
    let (out, err) = written(&["check", "--output", "json", "--redact", path]);
    assert!(out.contains("Send ‹secret-1› along."), "{out}{err}");
}

#[test]
fn a_secret_has_the_same_stand_in_everywhere() {
    let file = session();
    let (out, err) = written(&["print", "--redact", &file]);
    assert_eq!(out.matches("‹secret-1›").count(), 3);
    assert_eq!(out.matches("‹api-key-1›").count(), 2);
    assert!(!out.contains("‹api-key-2›") && !out.contains("‹secret-2›"));
    assert!(
        out.contains("│     ‹private-key-1›\n│     PORT=8080\n"),
        "{out}"
    );
    assert!(err.contains("secret in 3 places (1 distinct)"), "{err}");
    // What is looked at first doesn't matter, nor where a strategy cuts.
    let (out, _) = written(&["print", "--redact", "--turns", "2", &file]);
    assert!(out.contains("‹secret-1›") && out.contains("‹email-1›"));
    let (out, _) = written(&["messages", "--redact", &file]);
    assert!(
        out.contains("‹secret-1›") && !out.contains("‹secret-2›"),
        "{out}"
    );
}

#[test]
fn figures_are_those_of_the_original() {
    let file = session();
    for output in ["table", "json", "csv"] {
        let (plain, _) = written(&["compare", "--output", output, &file]);
        let (redacted, _) = written(&["compare", "--output", output, "--redact", &file]);
        assert_eq!(
            plain.replace("/home/ines/", ""),
            redacted.replace("/home/‹user-1›/", "")
        );
    }
}

#[test]
fn a_file_is_redacted_unless_told_otherwise() {
    let file = session();
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("x.md");
    let out = out.to_str().expect("a plain path");
    let (said, err) = written(&["convert", "--to", "markdown", "--out", out, &file]);
    assert!(said.is_empty() && err.contains("redacted: private-key in 1 place"));
    assert_clean(&std::fs::read_to_string(out).expect("the file"), "the file");
    let (_, err) = written(&[
        "convert",
        "--to",
        "markdown",
        "--out",
        out,
        "--no-redact",
        &file,
    ]);
    assert_eq!(err, "");
    let text = std::fs::read_to_string(out).expect("the file");
    assert!(text.contains("correcthorse") && text.contains("/home/ines"));
}

#[test]
fn patterns_of_ones_own_hide_more() {
    let file = session();
    let (out, err) = written(&["print", "--redact-pattern", "port=PORT=(\\d+)", &file]);
    assert!(out.contains("PORT=‹port-1›"), "{err}");
    assert_clean(&out, "the output");
    for pattern in ["port", "a port=x", "x=("] {
        let output = command(["print", "--redact-pattern", pattern, &file]).output();
        let output = output.expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{pattern}");
        assert!(output.stdout.is_empty());
    }
}
