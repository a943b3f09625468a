//! A file that another program writes while it is open.

use super::*;

fn record(at: usize) -> String {
    format!(
        r#"{{"type":"assistant","sessionId":"s","uuid":"a{at}","message":{{"id":"m{at}","role":"assistant","content":[{{"type":"text","text":"reply-{at}"}}]}}}}"#
    ) + "\n"
}

#[test]
fn a_file_that_grows_and_is_replaced_is_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.jsonl");
    let asked =
        r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"Go."}}"#;
    let begin = format!("{asked}\n{}", record(1));
    std::fs::write(&path, &begin).expect("it is written");
    let name = path.to_string_lossy().into_owned();
    let mut terminal = Terminal::start(turnscope(&[&name]), 100, 30);
    terminal.wait_for("reply-1");
    terminal.type_keys("F");
    terminal.wait_for("following");
    // It grows by whole records, and by half of one.
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .expect("it is there");
    file.write_all((record(2) + &record(3)).as_bytes())
        .expect("it is written");
    terminal.wait_for("3 turns");
    terminal.wait_for("▸ 3");
    let last = record(4);
    let (half, rest) = last.split_at(60);
    file.write_all(half.as_bytes()).expect("it is written");
    file.flush().expect("it is written");
    terminal.wait_for("LIVE");
    file.write_all(rest.as_bytes()).expect("it is written");
    terminal.wait_for("▸ 4");
    // Another file takes its place.
    let other = folder.path().join("other");
    std::fs::write(&other, format!("{asked}\n{}", record(9))).expect("it is written");
    std::fs::rename(&other, &path).expect("it is replaced");
    terminal.wait_for(" 1 turn ");
    terminal.wait_for("reply-9");
    terminal.type_keys("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_taken_and_given_back(1);
}
