//! Files that are too large to be read before anything is shown (performance G1, G10): their beginning
//! opens at once, the whole is read record by record.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use turnscope::load::{self, Loaded, Source};

fn write(name: &str, text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("it is written");
    (folder, path)
}

/// A session of so many turns with results of so many bytes.
fn session(turns: usize, result: usize) -> String {
    let mut out = String::new();
    let said =
        r#"{"type":"user","uuid":"u0","sessionId":"s","message":{"role":"user","content":"Go."}}"#;
    writeln!(out, "{said}").expect("a string");
    let text = "line\\n".repeat(result / 6);
    for turn in 0..turns {
        let head = r#""sessionId":"s""#;
        writeln!(out, r#"{{"type":"assistant",{head},"uuid":"a{turn}","message":{{"id":"m{turn}","role":"assistant","content":[{{"type":"tool_use","id":"c{turn}","name":"Bash","input":{{"command":"ls {turn}"}}}}]}}}}"#).expect("a string");
        writeln!(out, r#"{{"type":"user",{head},"uuid":"r{turn}","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{turn}","content":"{text}{turn}"}}]}}}}"#).expect("a string");
    }
    out
}

fn turns(loaded: &Loaded) -> usize {
    loaded.conversations[0].turns().len()
}

/// What is read from a file in pieces is what is read from memory.
fn reads_as_from_memory(path: &Path, text: &str) -> Loaded {
    let loaded = load::open(path, None).expect("it loads");
    let source = Source::from_bytes(path.to_string_lossy(), text.as_bytes().to_vec());
    let whole = load::load(&source, None).expect("it loads");
    assert_eq!(loaded.format, whole.format);
    assert!(
        loaded.conversations == whole.conversations,
        "the runs differ"
    );
    assert_eq!(loaded.report, whole.report);
    loaded
}

#[test]
fn a_large_file_is_read_record_by_record() {
    let mut text = session(120, 60_000);
    text.push_str("half a record\n\n");
    let (_folder, path) = write("session.jsonl", &text);
    let loaded = reads_as_from_memory(&path, &text);
    assert_eq!(turns(&loaded), 120);
    assert_eq!(loaded.report.damage[0].line, Some(242));
}

/// A chat of so many turns as one document, with results of so many bytes.
fn chat(turns: usize, result: usize) -> String {
    let mut out = r#"{"messages":[{"role":"user","content":"Go."}"#.to_owned();
    let text = "line\\n".repeat(result / 6);
    for turn in 0..turns {
        write!(out, r#",{{"role":"assistant","content":"On it.","tool_calls":[{{"id":"c{turn}","type":"function","function":{{"name":"ls","arguments":"{{\"at\":{turn}}}"}}}}]}},{{"role":"tool","tool_call_id":"c{turn}","content":"{text}{turn}"}}"#).expect("a string");
    }
    out.push_str(r#"],"model":"m"}"#);
    out
}

fn shelved(loaded: &Loaded) -> usize {
    let turns = loaded.conversations.iter().flat_map(|step| step.turns());
    turns.filter(|turn| turn.is_shelved()).count()
}

#[test]
fn a_large_document_is_read_message_by_message() {
    let text = chat(80, 60_000);
    let half = text.find("On it.").expect("a reply");
    let mut replaced = text.clone();
    replaced.replace_range(half..half + 6, "On \\ud83d.");
    for text in [text.clone(), text.replace(",{", ",\n {"), replaced] {
        let (_folder, path) = write("chat.json", &text);
        let loaded = reads_as_from_memory(&path, &text);
        assert_eq!(loaded.conversations[0].model.as_deref(), Some("m"));
        assert_eq!((turns(&loaded), shelved(&loaded)), (80, 80));
    }
    let long = "word ".repeat(1_500_000);
    let one = format!(
        r#"{{"messages":[{{"role":"user","content":"Go."}},{{"role":"assistant","content":"{long}"}}]}}"#
    );
    let (_folder, path) = write("chat.json", &one);
    let loaded = reads_as_from_memory(&path, &one);
    assert_eq!((turns(&loaded), shelved(&loaded)), (1, 1));
}

/// The format is guessed by the beginning; what stands last may tell another one.
#[test]
fn a_large_document_is_what_its_last_keys_tell() {
    let chat = chat(80, 60_000);
    let atif = r#"],"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"Go."},{"step_id":2,"source":"agent","message":"Done."}],"model"#;
    let mini =
        r#"],"info":{"exit_status":"Submitted"},"trajectory_format":"mini-swe-agent-1","model"#;
    for (last, format) in [
        (r#"],"model"#, "openai-chat"),
        (mini, "mini-swe-agent"),
        (atif, "atif"),
    ] {
        let text = chat.replacen(r#"],"model"#, last, 1);
        let (_folder, path) = write("run.json", &text);
        let loaded = reads_as_from_memory(&path, &text);
        assert_eq!(loaded.format, format);
        let given = load::loader(format).expect("a format");
        let given = load::open(&path, given).expect("it loads");
        assert!(loaded.conversations == given.conversations, "{format}");
        assert_eq!(loaded.report, given.report);
        // It was kept to its place in the file even where it was guessed wrong first.
        assert_eq!(shelved(&loaded), shelved(&given));
    }
}

#[test]
fn a_large_document_that_is_damaged_is_read_whole() {
    let text = chat(80, 60_000);
    let cut = &text[..text.len() - 30_000];
    let gap = text.replacen(r#""content":"On it.","#, r#""content":,"#, 1);
    let more = text.replacen("[{", r#"[{"role":"user"},],"messages":[{"#, 1);
    let twice = text.replacen("],\"model", "],\"messages\":[],\"model", 1);
    for text in [cut, &gap, &more, &twice] {
        let (_folder, path) = write("chat.json", text);
        let loaded = reads_as_from_memory(&path, text);
        assert_eq!(shelved(&loaded), 0);
    }
}

#[test]
fn a_document_that_changes_while_it_is_open_says_so() {
    let (_folder, path) = write("chat.json", &chat(80, 60_000));
    let loaded = load::open(&path, None).expect("it loads");
    std::fs::write(&path, "{}").expect("it is written");
    let turn = loaded.conversations[0].turn(70).expect("a turn");
    let said = turn.raw_response().get().expect("it says what happened");
    assert!(said.contains("the file was changed"), "{said}");
    assert_eq!(loaded.conversations[0].turns()[70].amounts().calls, 1);
}

#[test]
fn the_beginning_of_a_large_file_opens_by_itself() {
    let text = session(300, 60_000);
    let (_folder, path) = write("session.jsonl", &text);
    let begun = load::open_beginning(&path, None).expect("it has a beginning");
    assert_eq!(begun.format, "claude-code");
    assert!((2..20).contains(&turns(&begun)), "{} turns", turns(&begun));
    assert!(begun.report.is_clean());
    let whole = load::open(&path, None).expect("it loads");
    let (begun, whole) = (
        begun.conversations[0].turns(),
        whole.conversations[0].turns(),
    );
    assert_eq!(begun[..begun.len() - 1], whole[..begun.len() - 1]);

    // A file that is read in no time has none, and what can't be told from its beginning neither.
    let (_folder, small) = write("session.jsonl", &session(3, 100));
    assert!(load::open_beginning(&small, None).is_none());
    let (_folder, other) = write("other.txt", &"word ".repeat(2_000_000));
    assert!(load::open_beginning(&other, None).is_none());
}

/// Two sessions with a line between them.
fn around(line: &str) -> String {
    let mut text = session(2, 100);
    writeln!(text, "{line}").expect("a string");
    text.push_str(&session(1, 100).replace("\"m0\"", "\"m9\""));
    text
}

#[test]
fn a_line_that_is_too_long_is_read_with_shorter_texts() {
    let long = "y".repeat(70 << 20);
    let text = around(&format!(
        r#"{{"type":"user","uuid":"x","message":{{"role":"user","content":"{long}"}}}}"#
    ));
    let (_folder, path) = write("session.jsonl", &text);
    let loaded = load::open(&path, None).expect("it loads");
    assert_eq!(turns(&loaded), 3);
    let said = loaded.conversations[0].turns()[2].input();
    let said = said.expect("what stands in the long line arrived");
    assert!(said.starts_with("yyyy") && said.len() < 2 << 20);
    assert!(said.contains("y … (72.4 MB left out)"));
    let damage = &loaded.report.damage;
    assert_eq!((damage.len(), damage[0].line), (1, Some(6)));
    assert_eq!(
        damage[0].what,
        "a record of 73.4 MB is read with 1.0 MB of each longer text"
    );
}

#[test]
fn a_line_of_too_many_values_is_told_and_left_out() {
    let many = "0,".repeat(35 << 20);
    let text = around(&format!(
        r#"{{"type":"user","uuid":"x","message":{{"role":"user","content":[{many}0]}}}}"#
    ));
    let (_folder, path) = write("session.jsonl", &text);
    let loaded = load::open(&path, None).expect("it loads");
    assert_eq!(turns(&loaded), 3);
    let damage = &loaded.report.damage;
    assert_eq!((damage.len(), damage[0].line), (1, Some(6)));
    assert_eq!(damage[0].what, "a record of 73.4 MB is too long to be read");
}

#[test]
fn a_file_is_known_by_long_records_among_its_first() {
    let long = "x".repeat(5_000_000);
    let chat = |text: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":"{text}"}}]}}"#
        )
    };
    // The first of several conversations; what only stands before a session; its first message.
    let cases = [
        ("openai-chat", format!("{}\n{}\n", chat(&long), chat("a"))),
        (
            "claude-code",
            format!(
                "{{\"type\":\"summary\",\"summary\":\"{long}\",\"leafUuid\":\"l\"}}\n{}",
                session(2, 10)
            ),
        ),
        (
            "claude-code",
            format!(
                "{{\"type\":\"summary\",\"summary\":\"s\",\"leafUuid\":\"l\"}}\n{}",
                session(2, 10).replacen("Go.", &long, 1)
            ),
        ),
    ];
    for (format, text) in cases {
        let (_folder, path) = write("trace.jsonl", &text);
        let loaded = reads_as_from_memory(&path, &text);
        assert_eq!(loaded.format, format);
        assert_eq!(loaded.report.skipped(), 0);
    }
    // A document of one line is none of them, whatever ends it.
    for end in ["", "\n", "\n \n"] {
        let text = format!("[{},{}]{end}", chat(&long), chat("a"));
        let (_folder, path) = write("trace.json", &text);
        let loaded = reads_as_from_memory(&path, &text);
        assert_eq!(loaded.conversations.len(), 2);
    }
}

#[test]
fn results_that_are_no_turns_are_whole_in_conversations_of_a_list() {
    let text = "y".repeat(9_000);
    // The first messages are whole in any case.
    let start = r#"{"role":"user","content":"q"}"#;
    let start = [start; 9].join(",");
    let turns = |id: &str| {
        format!(
            r#"{{"messages":[{start},{{"role":"assistant","content":"{text}","tool_calls":[{{"id":"a","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"{id}","content":"{text}"}},{{"role":"assistant","content":"done"}}]}}"#
        )
    };
    let mut list: Vec<String> = (0..300).map(|_| turns("a")).collect();
    // An answer to a call that nobody made, where no other call waits.
    let orphan = format!(
        r#"{{"messages":[{start},{{"role":"assistant","content":"ok"}},{{"role":"tool","tool_call_id":"b","content":"{text}"}}]}}"#
    );
    list.push(orphan);
    let text_of_list = format!("[{}]", list.join(",\n"));
    let (_folder, path) = write("trace.json", &text_of_list);
    let loaded = reads_as_from_memory(&path, &text_of_list);
    assert_eq!(shelved(&loaded), 601);
    let orphan = &loaded.conversations[300].unmatched_results[0];
    let kept = orphan.result.get().and_then(|result| result.as_str());
    assert_eq!(kept, Some(&*text));
}
