//! Results that don't name their calls, in chats of OpenAI's API.

use std::fs;

use serde_json::{Value as Json, json};

use super::{held, loaded};
use turnscope::load::{self, Source};
use turnscope::step::{Step, ToolCall};
use turnscope::value::Value;

fn call(id: Option<&str>, name: &str) -> Json {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}})
}

fn result(id: Option<&str>, content: &str) -> Json {
    match id {
        Some(id) => json!({"role": "tool", "tool_call_id": id, "content": content}),
        None => json!({"role": "tool", "content": content}),
    }
}

fn reply(calls: &[Json]) -> Json {
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

/// What each call was answered, and what answers no call.
fn told(step: &Step) -> (Vec<String>, Vec<String>) {
    let said = |call: &ToolCall| match call.result.get() {
        Some(Value::Str(text)) => text.to_string(),
        _ => "-".to_owned(),
    };
    let calls = step.turns().iter().flat_map(|turn| turn.tool_calls());
    let unmatched = step.unmatched_results.iter();
    (calls.map(said).collect(), unmatched.map(said).collect())
}

/// Each goes to the next call that no other result names; nothing is given twice.
#[test]
fn a_result_without_an_identifier_answers_what_no_other_does() {
    let ask = json!({"role": "user", "content": "q"});
    let end = json!({"role": "assistant", "content": "end"});
    let (c1, c2, c3) = (Some("c1"), Some("c2"), Some("c3"));
    let cases: [(Vec<Json>, &[&str], &[&str]); 6] = [
        (
            vec![
                reply(&[call(c1, "f"), call(None, "n")]),
                result(None, "N"),
                result(c1, "F"),
            ],
            &["F", "N"],
            &[],
        ),
        (
            vec![
                reply(&[call(c1, "f"), call(c2, "g")]),
                result(None, "first"),
                result(c1, "second"),
            ],
            &["second", "first"],
            &[],
        ),
        (
            vec![
                reply(&[call(c1, "f"), call(c2, "g"), call(c3, "h")]),
                result(None, "r1"),
                result(None, "r2"),
                result(c2, "R"),
                result(c3, "r3"),
            ],
            &["r1", "R", "r3"],
            &["r2"],
        ),
        // One came before its call, one names a call that nobody made, one was given already.
        (
            vec![
                result(c1, "early"),
                reply(&[call(c1, "f"), call(None, "n"), call(None, "m")]),
                result(Some("zz"), "orphan"),
                result(None, "N"),
                result(None, "M"),
                result(c1, "late"),
            ],
            &["late", "N", "M"],
            &["early", "orphan"],
        ),
        (
            vec![reply(&[call(None, "n")]), result(Some("zz"), "N")],
            &["N"],
            &[],
        ),
        // A call of the next reply is none of this one's.
        (
            vec![
                reply(&[call(c1, "f")]),
                result(None, "one"),
                reply(&[call(c1, "f")]),
                result(c1, "two"),
                result(None, "three"),
            ],
            &["one", "two"],
            &["three"],
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (messages, calls, unmatched) in cases {
        let mut chat = vec![ask.clone()];
        chat.extend(messages);
        chat.push(end.clone());
        let text = Json::from(chat).to_string();
        let small = loaded("openai-chat", &text);
        let (answered, left) = told(&small.conversations[0]);
        assert_eq!(answered, calls, "{text}");
        assert_eq!(left, unmatched, "{text}");
        // A large one is read message by message, and its turns again.
        let pad = " ".repeat(64 << 10);
        let path = folder.path().join("chat.json");
        fs::write(&path, format!("{text}{pad}")).expect("it is written");
        let source = Source::open_holding(&path, 32 << 10).expect("it can be read");
        let large = load::load(&source, None).expect("it loads");
        assert_eq!(held::difference(&large, &small), None, "{text}");
    }
}
