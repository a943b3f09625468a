//! `print --follow`, and `--last`.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant, SystemTime};

use super::{command, file, output, run};

/// A session of Claude Code with the replies from one number to another.
fn records(from: usize, to: usize) -> String {
    let mut out = String::new();
    if from == 1 {
        out.push_str("{\"type\":\"user\",\"uuid\":\"u0\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"Go.\"}}\n");
    }
    for at in from..=to {
        writeln!(out, r#"{{"type":"assistant","sessionId":"s","uuid":"a{at}","message":{{"id":"m{at}","role":"assistant","content":[{{"type":"text","text":"reply-{at}"}}]}}}}"#).expect("a string");
    }
    out
}

/// A command that goes on, and the lines that it writes.
struct Going {
    child: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Drop for Going {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Going {
    fn start(args: &[&str]) -> Self {
        let mut child = command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command runs");
        let out = child.stdout.take().expect("a pipe");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            lines,
            seen: Vec::new(),
        }
    }

    /// Waits for a line that has a text, so many times in all.
    fn until(&mut self, text: &str, times: usize) {
        let end = Instant::now() + Duration::from_secs(60);
        while self.count(text) < times {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.seen.push(line),
                Err(error) => panic!("no {text:?}: {error}: {:#?}", self.seen),
            }
        }
    }

    fn count(&self, text: &str) -> usize {
        self.seen.iter().filter(|line| line.contains(text)).count()
    }
}

fn append(path: &str, text: &str) {
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(path)
        .expect("it is there");
    file.write_all(text.as_bytes()).expect("it is written");
}

#[test]
fn turns_are_printed_as_they_come() {
    let (_folder, path) = file("s.jsonl", records(1, 2));
    let mut going = Going::start(&["print", &path, "--follow"]);
    going.until("reply-1", 1);
    append(&path, &records(3, 4));
    going.until("reply-3", 1);
    // The last one counts as done after a while, and is printed once.
    going.until("reply-4", 1);
    append(&path, &records(5, 6));
    going.until("reply-6", 1);
    for turn in 1..=6 {
        assert_eq!(
            going.count(&format!("reply-{turn}")),
            1,
            "{:#?}",
            going.seen
        );
    }
    // A file that is replaced is printed from its start.
    std::fs::write(&path, records(1, 1)).expect("it is written");
    going.until("reply-1", 2);
}

#[test]
fn chosen_turns_alone_are_followed() {
    let (_folder, path) = file("s.jsonl", records(1, 2));
    let mut going = Going::start(&["print", &path, "--follow", "--turns", "4.."]);
    append(&path, &records(3, 5));
    going.until("reply-4", 1);
    assert_eq!(going.count("reply-2") + going.count("reply-3"), 0);
}

#[test]
fn what_cannot_be_followed_says_so() {
    let (folder, path) = file("s.jsonl", records(1, 1));
    let folder = folder.path().to_string_lossy().into_owned();
    for args in [
        &["print", &folder, "--follow"][..],
        &["print", "-", "--follow"],
        &["print", &path, "--follow", "--usage"],
        &["print", &path, "--follow", "--view", "compressed"],
    ] {
        let ended = run(args);
        assert_eq!(ended.code, 2, "{args:?}: {ended:?}");
        assert!(ended.err.contains("--follow"), "{ended:?}");
    }
}

/// Sets when a file was written last, so many seconds ago.
fn written(path: &Path, seconds_ago: u64) {
    let file = std::fs::File::options().write(true).open(path);
    let time = SystemTime::now() - Duration::from_secs(seconds_ago);
    file.and_then(|file| file.set_modified(time))
        .expect("a time");
}

#[test]
fn the_newest_trace_of_a_folder_is_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).expect("a folder");
    for (path, text, age) in [
        (folder.path().join("old.jsonl"), records(1, 1), 300),
        (inner.join("new.jsonl"), records(1, 3), 200),
        (
            folder.path().join("other.json"),
            "{\"a\": 1}".to_owned(),
            100,
        ),
    ] {
        std::fs::write(&path, text).expect("it is written");
        written(&path, age);
    }
    let name = folder.path().to_string_lossy().into_owned();
    for args in [&["print", "--last", &name][..], &["--last", &name]] {
        let ended = run(args);
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(ended.out.contains("reply-3"), "{ended:?}");
        assert!(
            ended.err.contains("new.jsonl; a newer file is none"),
            "{ended:?}"
        );
    }
    let here = command(["print", "--last", "--turns", "2"])
        .current_dir(folder.path())
        .output()
        .expect("the command runs");
    assert!(String::from_utf8_lossy(&here.stdout).contains("reply-2"));
    let empty = tempfile::tempdir().expect("a folder");
    let ended = run(["--last", &empty.path().to_string_lossy()]);
    assert_eq!(ended.code, 1);
    assert!(ended.err.contains("no trace"), "{ended:?}");
    assert_eq!(run(["print", "--last", &name, "another.jsonl"]).code, 2);
    assert!(output(["print", "--help"]).contains("--last"));
}
