//! Sentences about other people's formats of which no sample is an example, each by a small trace made
//! by hand.

use turnscope::export;
use turnscope::load::{self, Loaded, Source};
use turnscope::step::{Conventions, Step, Told};

fn loaded(format: &str, text: &str) -> Loaded {
    let source = Source::from_bytes(format, text.as_bytes().to_vec());
    let loaded = load::load(&source, None).unwrap_or_else(|error| panic!("{format}: {error}"));
    assert_eq!(loaded.format, format, "{text}");
    loaded
}

/// How each answer of a run's calls is displayed, with the exit code in its header.
fn answers(step: &Step) -> Vec<(String, Option<i64>)> {
    let turns = step.turns().iter();
    let calls = turns.flat_map(|turn| turn.tool_calls().iter().cloned());
    let answer = |call: turnscope::step::ToolCall| {
        let answer = call
            .error
            .as_ref()
            .or(call.result.get())
            .expect("an answer");
        let text = match call.told_answer(answer, Conventions::Foreign) {
            Told::Text(text) => text.into_owned(),
            other => panic!("{other:?}"),
        };
        (text, call.told_exit_code())
    };
    calls.map(answer).collect()
}

fn codex(outputs: &[&str]) -> String {
    let mut lines = vec![
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s"}}"#
            .to_owned(),
    ];
    for (index, output) in outputs.iter().enumerate() {
        let output = serde_json::to_string(output).expect("JSON");
        lines.push(format!(
            r#"{{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{{"type":"function_call","name":"shell","arguments":"{{\"command\":[\"ls\"]}}","call_id":"c{index}"}}}}"#
        ));
        lines.push(format!(
            r#"{{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{{"type":"function_call_output","call_id":"c{index}","output":{output}}}}}"#
        ));
    }
    lines.join("\n")
}

#[test]
fn the_header_of_an_output_belongs_to_its_call() {
    let text = codex(&[
        "Exit code: 2\nWall time: 0.5 seconds\nTotal output lines: 1\nOutput:\nno such file",
        "Chunk ID: a\nWall time: 0.25 seconds\nProcess exited with code 0\nOutput:\na.txt",
        r#"{"output":"b.txt","metadata":{"exit_code":0,"duration_seconds":1.5}}"#,
        "plain",
    ]);
    let loaded = loaded("codex", &text);
    let step = &loaded.conversations[0];
    let expected = [
        ("no such file".to_owned(), Some(2)),
        ("a.txt".to_owned(), Some(0)),
        ("b.txt".to_owned(), Some(0)),
        ("plain".to_owned(), None),
    ];
    assert_eq!(answers(step), expected);
    let turns = step.turns().iter();
    let durations = turns.map(|turn| turn.tool_calls()[0].duration_ms);
    let expected = [Some(500), Some(250), Some(1500), Some(1000)];
    assert_eq!(durations.collect::<Vec<_>>(), expected);
    let source = Source::from_bytes("step", export::step::write(step).into_bytes());
    let again = load::load(&source, None).expect("a step");
    assert_eq!(answers(&again.conversations[0]), answers(step));
    // What the model saw stays whole.
    let whole = step.turns()[1].tool_calls()[0].result.get().cloned();
    assert!(whole.is_some_and(|text| text.as_str().is_some_and(|text| text.starts_with("Chunk"))));
}
