//! Logs of inspect_ai: one document, and an archive.

use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

fn reply() -> impl Strategy<Value = Json> {
    let calls = prop::collection::vec((id(), text()), 0..3);
    (text(), calls).prop_map(|(text, calls)| {
        let calls = calls.into_iter();
        let call = |(id, text)| json!({"id": id, "function": "run", "arguments": {"x": text}, "type": "function"});
        let calls: Vec<Json> = calls.map(call).collect();
        json!({"role": "assistant", "content": [{"type": "reasoning", "reasoning": text}, {"type": "text", "text": text}], "tool_calls": calls})
    })
}

fn message() -> impl Strategy<Value = Json> {
    prop_oneof![
        3 => reply(),
        3 => (id(), text()).prop_map(|(id, text)| json!({"role": "tool", "tool_call_id": id, "function": "run", "content": text})),
        1 => text().prop_map(|text| json!({"role": "user", "source": "input", "content": text})),
        1 => text().prop_map(|text| json!({"role": "system", "content": text})),
        1 => Just(json!({"role": "odd"})),
    ]
}

fn event() -> impl Strategy<Value = Json> {
    let sent = prop::collection::vec(message(), 0..3);
    let model = (sent, reply(), count(), any::<bool>()).prop_map(|(sent, reply, count, failed)| {
        let error = if failed { json!("it failed") } else { json!(null) };
        json!({"event": "model", "timestamp": "2026-01-01T00:00:00Z", "input": sent, "input_refs": [[0, 1]], "error": error, "working_time": 0.5, "output": {"choices": [{"message": reply, "stop_reason": "stop"}], "usage": {"input_tokens": count}}})
    });
    let model = model.boxed();
    let inside = prop::collection::vec(model.clone(), 0..2);
    prop_oneof![
        4 => model,
        3 => (id(), text(), inside).prop_map(|(id, text, inside)| json!({"event": "tool", "id": id, "function": "run", "result": text, "timestamp": "2026-01-01T00:00:00Z", "working_time": 1.5, "events": inside})),
        1 => (id(), text()).prop_map(|(id, text)| json!({"event": "tool", "id": id, "function": "run", "error": {"type": "timeout", "message": text}})),
        1 => Just(json!({"event": "compaction"})),
        1 => Just(json!({"event": "odd"})),
    ]
}

fn sample() -> impl Strategy<Value = Json> {
    let messages = prop::collection::vec(message(), 0..8);
    let events = prop::collection::vec(event(), 0..6);
    (messages, events, text(), 1..4u8).prop_map(|(messages, events, text, epoch)| {
        json!({
            "id": "s", "epoch": epoch, "input": text, "messages": messages, "events": events,
            "message_pool": [{"role": "user", "content": "attachment://a"}], "attachments": {"a": text},
            "store": {"x": text}, "output": {"completion": text},
        })
    })
}

fn header() -> Json {
    json!({"version": 2, "status": "cancelled", "eval": {"task": "t", "model": "m"}})
}

/// An archive of entries, some packed, with one that makes it large.
fn archive(entries: &[(String, Json)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let plain = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (at, (name, value)) in entries.iter().enumerate() {
        let options = if at % 2 == 0 {
            plain
        } else {
            SimpleFileOptions::default()
        };
        archive.start_file(name, options).expect("an entry");
        archive
            .write_all(value.to_string().as_bytes())
            .expect("it is written");
    }
    archive.start_file("pad", plain).expect("an entry");
    archive
        .write_all(&vec![b' '; LARGE])
        .expect("it is written");
    archive.finish().expect("an archive").into_inner()
}

// Whatever stands in them is read on the same paths, so a few of them tell much.
proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_samples(samples in prop::collection::vec(sample(), 1..5), is_archive in any::<bool>(), is_pretty in any::<bool>()) {
        if is_archive {
            let mut entries = vec![("header.json".to_owned(), header())];
            let samples = samples.into_iter().enumerate();
            entries.extend(samples.map(|(at, sample)| (format!("samples/s_epoch_{at}.json"), sample)));
            return loads_alike(archive(&entries), "inspect-ai");
        }
        let mut log = header();
        let mut all = samples;
        all.push(json!({"other": 1}));
        log["samples"] = json!(all);
        loads_alike(document(&log, is_pretty), "inspect-ai")?;
    }
}

#[test]
fn the_first_samples_of_a_large_archive_show_early() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.eval");
    let mut entries = vec![("header.json".to_owned(), header())];
    entries.extend((0..8).map(|at| {
        let said = format!("{at} {}", "x".repeat(2 << 20));
        let messages =
            json!([{"role": "user", "content": "say it"}, {"role": "assistant", "content": said}]);
        let sample =
            json!({"id": at, "epoch": 1, "input": "say it", "messages": messages, "events": []});
        (format!("samples/{at}_epoch_1.json"), sample)
    }));
    std::fs::write(&path, archive(&entries)).expect("written");
    let said = |loaded: &Loaded| -> Vec<_> {
        let steps = loaded.conversations.iter();
        let turns = steps.map(|step| step.turn(0).expect("a turn"));
        turns.map(|turn| turn.raw_response().clone()).collect()
    };
    let early = said(&load::open_beginning(&path, None).expect("a beginning"));
    let all = said(&load::open(&path, None).expect("it loads"));
    assert_eq!(all.len(), 8);
    assert!((1..8).contains(&early.len()), "{}", early.len());
    assert_eq!(early, all[..early.len()]);
}
