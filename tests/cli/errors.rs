//! Exit codes, and errors of one line that say what is valid.

use super::{command, file, output, run, run_with_input, sample};
use std::process::Stdio;

/// Runs a command that must fail with a code, and one line that has all of these words.
fn fails(args: &[&str], code: i32, words: &[&str]) {
    let ended = run(args);
    assert_eq!(ended.code, code, "{args:?}: {ended:?}");
    assert_eq!(ended.out, "", "{args:?}");
    one_line(&ended.err, args, words);
}

fn one_line(err: &str, args: &[&str], words: &[&str]) {
    assert_eq!(err.matches('\n').count(), 1, "{args:?}: {err}");
    assert!(err.starts_with("turnscope: error: "), "{args:?}: {err}");
    assert!(err.ends_with('\n'), "{args:?}: {err}");
    for word in words {
        assert!(err.contains(word), "{args:?} lacks {word:?}: {err}");
    }
}

#[test]
fn unknown_names_list_the_valid_ones() {
    let file = &*sample("log-triage");
    let strategies = [
        "'nope'",
        "single-user-coalesced",
        "uncompressed",
        "per-turn-summary",
        "rolling-window",
        "aggressive",
        "recorded",
    ];
    fails(&["messages", file, "--strategy", "nope"], 2, &strategies);
    let print = ["print", file, "--view", "compressed", "--strategy", "nope"];
    fails(&print, 2, &strategies);
    fails(&["inspect", file, "--strategy", "nope"], 2, &strategies);
    let bogus = ["messages", file, "--option", "bogus=1"];
    fails(&bogus, 2, &["'bogus'", "println_limit", "summary_style"]);
    fails(&["messages", file, "--option", "bogus"], 2, &["NAME=VALUE"]);
    fails(
        &["print", "--format", "q", file],
        2,
        &["'q'", "auto", "step"],
    );
    fails(
        &["pritn", file],
        2,
        &["'pritn'", "print", "messages", "check"],
    );
    fails(&["print", file, "--view", "x"], 2, &["turns", "compressed"]);
    fails(&["convert", file, "--to", "x"], 2, &["step", "markdown"]);
}

#[test]
fn options_say_what_they_take() {
    let file = &*sample("log-triage");
    let messages = |rest: &[&str], words: &[&str]| {
        let args: Vec<&str> = ["messages", file].iter().chain(rest).copied().collect();
        fails(&args, 2, words);
    };
    let number = ["println_limit", "whole number from 0", "'-1'"];
    messages(&["--println-limit", "-1"], &number);
    messages(&["--println-limit=-1"], &number);
    messages(&["--option", "println-limit=-1"], &number);
    messages(&["--summary-style", "x"], &["namespaces or flat"]);
    messages(&["--collapse-repeats=x"], &["true or false"]);
    let other = ["single-user-coalesced", "'window'", "println_limit"];
    messages(&["--window", "2"], &other);
    let own = ["uncompressed", "'token_budget'", "result_limit"];
    messages(&["--strategy", "uncompressed", "--token-budget", "9"], &own);
    let budget = ["aggressive", "--token-budget", "x"];
    let args = ["--strategy", budget[0], budget[1], budget[2]];
    messages(&args, &["whole number from 0, or none"]);
    let recorded = ["--strategy", "recorded", "--println-limit", "3"];
    messages(&recorded, &["recorded takes no options", "println_limit"]);
}

#[test]
fn turns_say_which_there_are() {
    let file = &*sample("log-triage");
    fails(&["messages", file, "--turn", "0"], 2, &["turns 1 to 7"]);
    fails(&["messages", file, "--turn", "8"], 2, &["turns 1 to 7"]);
    fails(&["messages", file, "--turn", "-1"], 2, &["whole number"]);
    let recorded = ["messages", file, "--strategy", "recorded", "--turn"];
    let turn = |turn| [&recorded[..], &[turn]].concat();
    fails(&turn("8"), 2, &["turns 1 to 7"]);
    fails(&turn("7"), 1, &["turn 7", "not recorded", "1..6"]);
    let corner = &*sample("redefinition");
    let none = ["messages", corner, "--strategy", "recorded"];
    fails(&none, 1, &["not recorded", "no turn", "--strategy NAME"]);
    fails(&["print", file, "--turns", "0"], 2, &["5..9,12"]);
    fails(&["print", file, "--turns", "9.."], 2, &["turns 1 to 6"]);
    let convert = ["convert", file, "--to", "step", "--turns", "9"];
    fails(&convert, 2, &["turns 1 to 6"]);
    let conversation = ["messages", file, "--conversation", "2"];
    fails(&conversation, 2, &["no conversation 2", "has one"]);
}

#[test]
fn usage_errors_are_short() {
    let file = &*sample("log-triage");
    let hint = "see 'turnscope messages --help'";
    fails(&["messages"], 2, &["<FILE>", hint]);
    fails(&["messages", file, "--bogus"], 2, &["'--bogus'", hint]);
    fails(
        &["messages", file, "--tool-call"],
        2,
        &["--tool-call-limit"],
    );
    fails(&["check"], 2, &["<FILE>"]);
    fails(&["convert", file], 2, &["--to"]);
    fails(&["--bogus"], 2, &["'--bogus'"]);
    fails(&[file, file, file], 2, &["one trace opens at a time"]);
    fails(&["-", "-"], 2, &["standard input can be read once"]);
    fails(&["print", file, "--turn", "2"], 2, &["--view compressed"]);
    fails(&["print", file, "--window", "2"], 2, &["--view compressed"]);
}

#[test]
fn flags_that_would_do_nothing_are_told() {
    let file = &*sample("log-triage");
    let compressed =
        |rest: &[&'static str]| [&["print", file, "--view", "compressed"], rest].concat();
    fails(&compressed(&["--turns", "2"]), 2, &["--view turns"]);
    fails(&compressed(&["--raw"]), 2, &["--view turns"]);
}

#[test]
fn files_that_are_no_trace() {
    for command in [
        &["print"][..],
        &["messages"],
        &["check"],
        &["convert", "--to", "step"],
    ] {
        let on = |path: &str, words: &[&str]| {
            let args: Vec<&str> = command.iter().copied().chain([path]).collect();
            let ended = run(&args);
            assert_eq!(ended.code, 1, "{args:?}");
            assert_eq!(ended.out, "", "{args:?}");
            one_line(&ended.err, &args, words);
            assert!(ended.err.contains(path), "{}", ended.err);
        };
        on("missing.json", &["can't be read"]);
        let folder = tempfile::tempdir().expect("a folder");
        let takes_folders = ["print", "check"].contains(&command[0]);
        let words = if takes_folders {
            "there is no trace in this folder"
        } else {
            "is a directory"
        };
        on(folder.path().to_str().expect("a path"), &[words]);
        for empty in ["", " \n\n"] {
            let (_folder, path) = file("empty.json", empty);
            on(&path, &["is empty"]);
        }
        let (_folder, path) = file("text.json", "hello\nthere");
        on(&path, &["not JSON"]);
        let (_folder, path) = file("other.json", "{\"a\": 1}");
        on(&path, &["no known trace format", "'a'", "step"]);
        let (_folder, path) = file("array.json", "[1]");
        on(&path, &["no known trace format"]);
    }
}

#[cfg(unix)]
#[test]
fn a_file_without_permission() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_folder, path) = file("secret.json", "{}");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("it is closed");
    if std::fs::read(&path).is_ok() {
        return; // a superuser reads everything
    }
    fails(&["print", &path], 1, &["can't be read"]);
}

#[test]
fn a_cut_file_shows_what_is_whole() {
    let whole = std::fs::read_to_string(sample("log-triage")).expect("a sample");
    let at = whole.find("Missing a parenthesis").expect("turn 4");
    let (_folder, path) = file("cut.json", &whole[..at]);
    let ended = run(["print", &path]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.contains("Turn 3 ✗") && ended.out.contains("no end recorded"));
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    assert!(ended.err.starts_with("turnscope: note: ") && ended.err.contains("1 damaged"));
}

#[test]
fn a_run_without_turns() {
    let file = sample("no-turns");
    let out = output(["print", &file]);
    assert!(out.contains("0 of 6 turns"), "{out}");
    assert!(output(["messages", &file]).contains("Turns left: 6"));
    fails(&["messages", &file, "--turn", "2"], 2, &["turns 1 to 1"]);
}

#[test]
fn standard_input_is_a_file() {
    let path = sample("log-triage");
    let text = std::fs::read_to_string(&path).expect("a sample");
    for args in [&["print", "-"][..], &["messages", "-"], &["-"]] {
        let named: Vec<&str> = args
            .iter()
            .map(|arg| if *arg == "-" { &*path } else { arg })
            .collect();
        let ended = run_with_input(args, &text);
        assert_eq!((ended.code, ended.err.as_str()), (0, ""));
        assert_eq!(ended.out, output(named));
    }
    let ended = run_with_input(["print", "-"], "");
    assert_eq!(ended.code, 1);
    one_line(&ended.err, &["print", "-"], &["standard input: is empty"]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let big = sample("fleet-watch");
    let big = big.as_str();
    for args in [
        &["print", big, "--messages"][..],
        &[
            "messages",
            big,
            "--strategy",
            "uncompressed",
            "--result-printable-limit",
            "99999",
        ],
        &["convert", big, "--to", "step"],
        &["--help"],
    ] {
        let mut child = command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs");
        drop(child.stdout.take());
        let ended = child.wait_with_output().expect("it ends");
        let err = String::from_utf8_lossy(&ended.stderr);
        assert_eq!((ended.status.code(), &*err), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn help_version_and_completions() {
    let help = output(["--help"]);
    for command in [
        "inspect",
        "print",
        "messages",
        "check",
        "convert",
        "keys",
        "completions",
    ] {
        assert!(help.contains(command), "{command}");
        assert!(output([command, "--help"]).contains("Usage:"));
    }
    assert!(output(["--version"]).starts_with("turnscope "));
    for shell in ["bash", "zsh", "fish"] {
        assert!(output(["completions", shell]).contains("println-limit"));
    }
}

#[test]
fn manual_pages_come_from_the_commands() {
    let page = output(["man"]);
    assert!(page.contains(".TH turnscope 1"), "{page}");
    assert!(page.contains("turnscope\\-print(1)"), "{page}");
    let page = output(["man", "print"]);
    assert!(page.contains(".TH turnscope-print 1"), "{page}");
    assert!(page.contains("\\-\\-println\\-limit") && page.contains("\\-\\-redact"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_string_lossy().into_owned();
    assert_eq!(output(["man", "--out", &path]), "");
    for page in ["turnscope.1", "turnscope-print.1", "turnscope-man.1"] {
        assert!(folder.path().join(page).is_file(), "{page}");
    }
    fails(&["man", "nonsense"], 2, &["no command 'nonsense'"]);
}
