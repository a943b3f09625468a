//! Turns of a large file are read when somebody looks at them (performance G2, G3), and are then what
//! they are in a small one: every sample of a format that is read so, made large by a record at its
//! end that says nothing.

use std::fs;
use std::path::{Path, PathBuf};

use turnscope::compression::{Case, Run, strategy};
use turnscope::load::{self, Source};
use turnscope::step::{Amounts, Step};

#[path = "common/held.rs"]
mod held;

/// Bytes of a file from which on its turns are shelved here.
const LARGE: usize = 1 << 20;

/// The formats whose turns are shelved, with a record that says nothing; of documents that is space.
const FORMATS: [(&str, &str); 10] = [
    (
        "claude-code",
        r#"{"type":"file-history-snapshot","uuid":"z","pad":"PAD"}"#,
    ),
    (
        "codex",
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"world_state","payload":{"pad":"PAD"}}"#,
    ),
    ("step", ""),
    ("mini-swe-agent", ""),
    ("atif", ""),
    ("swe-agent", ""),
    ("openhands", ""),
    ("trace-log-v2", ""),
    ("trace-log-v1", ""),
    ("inspect-ai", ""),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn samples() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    files(&root.join("tests/fixtures"), &mut found);
    let shared = root.join("../shared/samples/formats");
    if shared.is_dir() {
        files(&shared, &mut found);
    } else {
        println!("skipped: ../shared/samples/formats is not there");
    }
    found.sort();
    found
}

fn shelved(step: &Step) -> usize {
    let turns = step.turns().iter();
    let own = turns.filter(|turn| turn.is_shelved()).count();
    own + step
        .children
        .iter()
        .map(|child| shelved(child))
        .sum::<usize>()
}

fn amounts(step: &Step) -> Vec<Amounts> {
    step.turns().iter().map(|turn| turn.amounts()).collect()
}

#[test]
fn a_turn_that_is_read_again_is_what_it_was() {
    let (mut seen, mut shelved_of) = ([0; FORMATS.len()], [0; FORMATS.len()]);
    for path in samples() {
        let Ok(text) = fs::read(&path) else { continue };
        let source = Source::from_bytes("sample", text.clone());
        let Ok(small) = load::load(&source, None) else {
            continue;
        };
        // Behind an archive nothing may stand.
        if text.starts_with(b"PK") {
            continue;
        }
        let Some(at) = FORMATS.iter().position(|(name, _)| *name == small.format) else {
            continue;
        };
        let is_lines = source.lines().nth(1).is_some() && text.trim_ascii_start().starts_with(b"{");
        if !FORMATS[at].1.is_empty() && !is_lines {
            continue;
        }
        // In a folder of its own, where no files of sub-agents lie.
        let folder = tempfile::tempdir().expect("a folder");
        let large = folder.path().join("large.jsonl");
        let mut bytes = text;
        if !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        let pad = match FORMATS[at].1 {
            "" => " ".repeat(LARGE),
            record => record.replace("PAD", &"x".repeat(LARGE)),
        };
        bytes.extend(pad.bytes());
        fs::write(&large, &bytes).expect("it is written");
        let large = Source::open_holding(&large, LARGE).expect("it can be read");
        let loaded = load::load(&large, None).expect("it loads");
        assert_eq!(loaded.format, small.format, "{}", path.display());
        assert_eq!(loaded.conversations.len(), small.conversations.len());
        for (large, small) in loaded.conversations.iter().zip(&small.conversations) {
            assert_eq!(amounts(large), amounts(small), "{}", path.display());
            for (index, turn) in small.turns().iter().enumerate() {
                let kept = &large.turns()[index];
                assert_eq!(kept.children(), turn.children(), "{}", path.display());
                let again = large.turn(index).expect("there are as many turns");
                assert_eq!(*again, **turn, "turn {} of {}", index + 1, path.display());
            }
            assert_eq!(large.loose_children(), small.loose_children());
            shelved_of[at] += shelved(large);
            let mut expected = (**small).clone();
            expected.ended_at.clone_from(&large.ended_at);
            assert!(**large == expected, "{}", path.display());
        }
        seen[at] += 1;
    }
    println!("{seen:?} files, {shelved_of:?} shelved turns");
    // Some samples are not where the tests are alone.
    let is_read = seen
        .iter()
        .zip(&shelved_of)
        .all(|(files, turns)| *files == 0 || *turns > 0);
    assert!(is_read && seen[..2].iter().all(|count| *count > 0));
}

/// What is known of a run without its turns is known without the file; a turn that can't be read again
/// says so.
#[test]
fn the_file_is_needed_only_for_turns_that_are_looked_at() {
    let mut lines = vec![
        r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"Go."}}"#
            .to_owned(),
    ];
    let text = "word ".repeat(20_000);
    for turn in 0..60 {
        let head = r#""sessionId":"s""#;
        lines.push(format!(r#"{{"type":"assistant",{head},"uuid":"a{turn}","message":{{"id":"m{turn}","role":"assistant","content":[{{"type":"tool_use","id":"c{turn}","name":"Bash","input":{{"command":"ls"}}}}]}}}}"#));
        lines.push(format!(r#"{{"type":"user",{head},"uuid":"r{turn}","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{turn}","content":"{text}"}}]}}}}"#));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.jsonl");
    fs::write(&path, lines.join("\n")).expect("it is written");
    let loaded = load::open(&path, None).expect("it loads");
    let step = &loaded.conversations[0];
    assert_eq!(shelved(step), 60);
    let file = fs::OpenOptions::new().write(true).open(&path);
    file.and_then(|file| file.set_len(0)).expect("it is cut");
    let run = Run::new(step.clone());
    let whole = Case::new(strategy("uncompressed").expect("there is one"));
    for (n, messages) in [(1, 1), (20, 39), (61, 121)] {
        let prompt = run.prompt(n, &whole).expect("a prompt");
        assert_eq!(prompt.len(), messages, "turn {n}");
    }
    assert!(step.loose_children().is_empty() && step.turns()[7].children().is_empty());
    assert_eq!(step.turns()[7].amounts().calls, 1);
    let turn = step.turn(7).expect("a turn");
    let said = turn.raw_response().get().expect("it says what happened");
    assert!(said.contains("the file was changed"), "{said}");
}

/// However much of it is held, a sample of any format says the same.
#[test]
fn a_sample_says_the_same_however_much_of_it_is_held() {
    /// As much as a format is recognised by.
    const LEAST: usize = 8 << 10;
    let mut compared = 0;
    for path in samples() {
        let text = fs::read(&path).expect("it can be read");
        // In a folder of its own, where no files of sub-agents lie.
        let folder = tempfile::tempdir().expect("a folder");
        let alone = folder.path().join("sample");
        fs::write(&alone, &text).expect("it is written");
        let Ok(whole) = load::open(&alone, None) else {
            continue;
        };
        let parts = [text.len(), text.len() * 3 / 4, text.len() / 3];
        for bytes in parts
            .into_iter()
            .filter(|bytes| *bytes == text.len() || *bytes >= LEAST)
        {
            let place = format!("{bytes} bytes of {}", path.display());
            let source = Source::open_holding(&alone, bytes).expect("it can be read");
            let loaded =
                load::load(&source, None).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(held::difference(&loaded, &whole), None, "{place}");
            compared += 1;
        }
        // Too little to recognise anything by is survived.
        for bytes in [0, 1, 100] {
            let source = Source::open_holding(&alone, bytes).expect("it can be read");
            let _ = load::load(&source, None);
        }
    }
    assert!(compared > 50, "{compared} compared");
}
