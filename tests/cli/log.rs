//! `TURNSCOPE_LOG`: what is done, and nothing that a trace says.

use super::{command, fixtures};

#[test]
fn a_log_tells_what_was_done_and_nothing_of_the_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let trace = fixtures().join("faults/10-ansi-osc52.jsonl");
    for _ in 0..2 {
        let ended = command(["print".as_ref(), trace.as_os_str()])
            .env("TURNSCOPE_LOG", &log)
            .output()
            .expect("the command runs");
        assert!(ended.status.success() && !ended.stdout.is_empty());
    }
    let log = std::fs::read_to_string(&log).expect("a log");
    // A second run adds to it.
    assert_eq!(log.matches("loaded").count(), 2, "{log}");
    assert_eq!(log.matches("ends code=0").count(), 2, "{log}");
    assert!(log.contains("format=\"claude-code\"") && log.contains("took="));
    let shown = String::from_utf8(std::fs::read(trace).expect("it is read")).expect("UTF-8");
    let words = shown.split(|letter: char| !letter.is_alphanumeric());
    let told: Vec<&str> = words
        .filter(|word| word.len() > 6 && log.contains(word))
        .collect();
    assert_eq!(told, [""; 0], "{log}");
}

#[test]
fn a_log_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = command(["keys", "--markdown"])
        .env("TURNSCOPE_LOG", folder.path())
        .output()
        .expect("the command runs");
    assert_eq!(ended.status.code(), Some(1));
    let err = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(err.contains("can't be written"), "{err}");
}
