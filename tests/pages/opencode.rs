//! opencode: records without identifiers or times, parts that belong nowhere.

use std::fs;

use serde_json::{Value as Json, json};

use super::loaded;
use turnscope::load;
use turnscope::step::Step;

/// Each turn as what came before it, and the reply.
fn told(step: &Step) -> Vec<(String, String)> {
    let turns = step.turns().iter();
    turns
        .map(|turn| {
            let before = turn.input().map_or("", |text| text);
            let reply = turn.raw_response().get().map_or("-", |text| text);
            (before.to_owned(), reply.to_owned())
        })
        .collect()
}

fn pair(before: &str, reply: &str) -> (String, String) {
    (before.to_owned(), reply.to_owned())
}

fn message(role: &str, time: Option<u64>, parts: &Json) -> Json {
    let mut info = json!({"role": role});
    if let Some(time) = time {
        info["time"] = json!({"created": time});
    }
    json!({"info": info, "parts": parts})
}

fn text(said: &str) -> Json {
    json!([{"type": "text", "text": said}])
}

#[test]
fn messages_need_neither_identifiers_nor_times() {
    let export = |title: &str| {
        json!({"info": {"title": title}, "messages": [
            message("user", Some(5), &text("q1")),
            message("assistant", None, &text("a1")),
            message("user", Some(9), &text("q2")),
            message("assistant", Some(10), &text("a2")),
        ]})
        .to_string()
    };
    let loaded = loaded("opencode", &[export("one"), export("two")].join("\n"));
    assert_eq!(loaded.conversations.len(), 2);
    for step in &loaded.conversations {
        assert_eq!(step.mission.as_deref(), Some("q1"));
        assert_eq!(told(step), [pair("", "a1"), pair("q2", "a2")]);
    }
}

#[test]
fn parts_of_a_person_are_read_or_counted() {
    let parts = json!([
        {"type": "text", "text": "q"},
        {"type": "subtask", "prompt": "look", "agent": "a"},
        {"type": "agent", "name": "a"},
        {"type": "new"},
    ]);
    let export = json!({"info": {"id": "s"}, "messages": [message("user", None, &parts)]});
    let loaded = loaded("opencode", &export.to_string());
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("q\nlook"));
    assert_eq!(loaded.report.unknown.get("part new"), Some(&1));
    assert_eq!(loaded.report.skipped(), 1);
}

#[test]
fn parts_of_messages_that_are_not_there_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, record: &Json| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, record.to_string()).expect("it is written");
    };
    write("session/p/s.json", &json!({"id": "s"}));
    write("message/s/m.json", &json!({"id": "m", "role": "assistant"}));
    write("part/m/p.json", &json!({"type": "text", "text": "a"}));
    write("part/lost/p.json", &json!({"type": "text", "text": "b"}));
    let loaded = load::open(folder.path(), None).expect("it loads");
    assert_eq!(told(&loaded.conversations[0]), [pair("", "a")]);
    assert_eq!(loaded.report.unknown.get("a part of no message"), Some(&1));
}
