//! Other people's traces: what `formats.json` says is in each sample must be found there.

use std::path::Path;
use std::sync::OnceLock;

use proptest::prelude::*;
use turnscope::load::{self, Loaded, Source};
use turnscope::step::Ending;
use turnscope::value::Value;

mod common;
#[path = "common/formats_b.rs"]
mod formats_b;

use formats_b::{cases, differences, sample};

/// Runs every case of a format whose sample is there and reports all that differ at once.
fn check(format: &str) {
    let cases = cases(&[format]);
    assert!(!cases.is_empty(), "no case of {format}");
    let (mut passed, mut wrong) = (0, Vec::new());
    for case in &cases {
        let Some(path) = sample(&case.file) else {
            println!("{}: skipped, the sample is not here", case.file);
            continue;
        };
        match load::open(Path::new(&path), None) {
            Ok(loaded) => match differences(case, &loaded) {
                found if found.is_empty() => passed += 1,
                found => wrong.push(format!("{}: {}", case.file, found.join("; "))),
            },
            Err(error) => wrong.push(format!("{}: {error}", case.file)),
        }
    }
    println!("{format}: {passed} of {} cases", cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mini_swe_agent() {
    check("mini-swe-agent");
}

#[test]
fn atif() {
    check("atif");
}

#[test]
fn swe_agent() {
    check("swe-agent");
}

#[test]
fn openhands() {
    check("openhands");
}

#[test]
fn smolagents() {
    check("smolagents");
}

#[test]
fn otlp_genai() {
    check("otlp-genai");
}

#[test]
fn langfuse() {
    check("langfuse");
}

#[test]
fn inspect_ai() {
    check("inspect-ai");
}

/// The formats of this file.
const FORMATS: [&str; 8] = [
    "mini-swe-agent",
    "atif",
    "swe-agent",
    "openhands",
    "otlp-genai",
    "langfuse",
    "inspect-ai",
    "smolagents",
];

/// Samples of these formats that are here, small ones.
fn samples() -> &'static [(String, Vec<u8>)] {
    static SAMPLES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    SAMPLES.get_or_init(small_samples)
}

fn small_samples() -> Vec<(String, Vec<u8>)> {
    let cases = cases(&FORMATS).into_iter();
    let found = cases.filter_map(|case| {
        let bytes = std::fs::read(sample(&case.file)?).ok()?;
        let format = case.expected.get("format")?.as_str()?.to_owned();
        (bytes.len() < 40_000).then_some((format, bytes))
    });
    found.collect()
}

fn load_as(format: &str, bytes: Vec<u8>) -> Result<Loaded, turnscope::Error> {
    let source = Source::from_bytes("test", bytes);
    load::load(&source, load::loader(format).expect("a known format"))
}

#[test]
fn check_tells_the_same_figures() {
    let program = env!("CARGO_BIN_EXE_turnscope");
    let mut wrong = Vec::new();
    for (file, case) in &common::formats::cases() {
        if !FORMATS.contains(&case["format"].as_str().unwrap_or_default()) {
            continue;
        }
        let Some(path) = sample(file) else { continue };
        let found = match common::formats::checked(program, &path) {
            (Some(told), _, _) => common::formats::differences(file, case, &told),
            (None, code, errors) => vec![format!("exit {code}: {errors}")],
        };
        if !found.is_empty() {
            wrong.push(format!("{file}: {}", found.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nan_reads_as_a_number_that_is_none() {
    let path = sample("faults/16-nan.json").expect("the fixture is there");
    let loaded = load::open(&path, None).expect("a trace");
    let turn = &loaded.conversations[0].turns()[0];
    let Some(Value::Float(number)) = turn.result().get() else {
        panic!("{:?}", turn.result());
    };
    assert!(number.is_nan());
    assert!(loaded.report.is_clean());
}

#[test]
fn what_is_no_count_is_told() {
    let path = sample("faults/22-negative-and-float-tokens.json").expect("the fixture is there");
    let loaded = load::open(&path, None).expect("a trace");
    assert_eq!(
        loaded.report.notes,
        ["completion_tokens -1 is no count: not recorded"]
    );
    let path = sample("faults/23-otlp-no-content.jsonl").expect("the fixture is there");
    let loaded = load::open(&path, None).expect("a trace");
    let turn = &loaded.conversations[0].turns()[0];
    assert_eq!(turn.duration_ms(), None);
    assert_eq!(turn.raw_response().note(), Some("not recorded"));
    assert_eq!(loaded.report.notes.len(), 2, "{:?}", loaded.report.notes);
}

#[test]
fn a_run_without_turns_opens() {
    let path = sample("faults/20-empty-turns.json").expect("the fixture is there");
    let loaded = load::open(&path, None).expect("a trace");
    assert!(loaded.conversations[0].turns().is_empty());
}

#[test]
fn openhands_events_of_one_reply_are_one_turn() {
    let events = [
        r#"{"kind":"SystemPromptEvent","source":"agent","id":"0","system_prompt":{"type":"text","text":"Be brief."},"tools":[]}"#,
        r#"{"kind":"MessageEvent","source":"user","id":"1","llm_message":{"role":"user","content":[{"type":"text","text":"Do it"}]}}"#,
        r#"{"kind":"ActionEvent","source":"agent","id":"2","thought":[{"type":"text","text":"Two"}],"tool_name":"terminal","tool_call_id":"a","tool_call":{"id":"a","name":"terminal","arguments":"{\"command\":\"ls\"}"},"llm_response_id":"r"}"#,
        r#"{"kind":"ActionEvent","source":"agent","id":"3","thought":[],"tool_name":"terminal","tool_call_id":"b","tool_call":{"id":"b","name":"terminal","arguments":"{}"},"llm_response_id":"r"}"#,
        r#"{"kind":"AgentErrorEvent","source":"agent","id":"4","tool_name":"terminal","tool_call_id":"b","error":"no command"}"#,
        r#"{"kind":"ObservationEvent","source":"environment","id":"5","tool_name":"terminal","tool_call_id":"a","observation":{"content":[{"type":"text","text":"file"}],"exit_code":-1}}"#,
        r#"{"kind":"MessageEvent","source":"user","id":"6","llm_message":{"role":"user","content":"More"}}"#,
    ];
    let loaded = load::load(
        &Source::from_bytes("test", events.join("\n").into_bytes()),
        None,
    );
    let loaded = loaded.expect("events");
    assert_eq!(loaded.format, "openhands");
    let step = &loaded.conversations[0];
    assert_eq!(step.mission.as_deref(), Some("Do it"));
    assert_eq!(step.system_prompt.as_deref(), Some("Be brief."));
    assert_eq!(step.pending_input.as_deref(), Some("More"));
    let [turn] = step.turns() else {
        panic!("{} turns", step.turns().len());
    };
    let errors: Vec<bool> = turn
        .tool_calls()
        .iter()
        .map(|call| call.error.is_some())
        .collect();
    assert_eq!(errors, [false, true]);
}

#[test]
fn a_responses_dialect_of_mini_swe_agent_has_calls() {
    let text = r#"{"trajectory_format":"mini-swe-agent-1.1","info":{"exit_status":"LimitsExceeded"},"messages":[
        {"type":"message","role":"system","content":[{"type":"input_text","text":"S"}]},
        {"type":"message","role":"user","content":[{"type":"input_text","text":"M"}]},
        {"object":"response","usage":{"input_tokens":5,"output_tokens":2},"output":[
            {"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},
            {"type":"message","content":[{"type":"output_text","text":"Look"}]},
            {"type":"function_call","call_id":"c","name":"bash","arguments":"{\"command\":\"ls\"}"}],"extra":{"timestamp":1.0}},
        {"type":"function_call_output","call_id":"c","output":"x","extra":{"returncode":1,"raw_output":"gone","timestamp":1.5}}]}"#;
    let loaded = load::load(&Source::from_bytes("test", text.into()), None).expect("a trace");
    let step = &loaded.conversations[0];
    let turn = &step.turns()[0];
    assert_eq!(turn.raw_response().get().map(|text| &**text), Some("Look"));
    assert_eq!(turn.thinking().get().map(|text| &**text), Some("hm"));
    let call = &turn.tool_calls()[0];
    assert_eq!(call.result.get(), Some(&Value::string("gone")));
    assert!(call.error.is_some());
    assert_eq!(call.duration_ms, Some(500));
    assert_eq!(turn.usage().input, Some(5));
    assert!(
        matches!(&step.ending, Ending::Fail(failure) if failure.reason.as_deref() == Some("LimitsExceeded"))
    );
}

#[test]
fn a_cut_archive_is_refused_with_what_to_do() {
    let Some(path) = sample("formats/inspect-ai/log_formats.eval") else {
        println!("skipped, the sample is not here");
        return;
    };
    let mut bytes = std::fs::read(path).expect("the sample is there");
    bytes.truncate(bytes.len() / 2);
    let error = load::load(&Source::from_bytes("test", bytes), None).expect_err("no table");
    assert!(error.to_string().contains("still being written"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_damage_is_survived(
        pick in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        length in 1usize..400,
        byte in any::<u8>(),
        kind in 0..4,
    ) {
        let samples = samples();
        let (format, whole) = &samples[pick.index(samples.len())];
        let mut bytes = whole.clone();
        let at = place.index(bytes.len());
        let end = (at + length).min(bytes.len());
        match kind {
            0 => bytes.truncate(at),
            1 => bytes[at] = byte,
            2 => drop(bytes.drain(at..end)),
            _ => {
                let twice = bytes[at..end].to_vec();
                bytes.splice(at..at, twice);
            }
        }
        let _ = load::load(&Source::from_bytes("test", bytes.clone()), None);
        if let Ok(loaded) = load_as(format, bytes) {
            for step in &loaded.conversations {
                prop_assert!(step.turns().len() < 1000);
            }
        }
    }

    #[test]
    fn whole_records_before_a_cut_are_there(place in any::<prop::sample::Index>()) {
        let lines = openhands_lines(40);
        let whole = lines.join("\n");
        let cut = place.index(whole.len());
        let before = whole[..cut].matches('\n').count();
        if let Ok(loaded) = load_as("openhands", whole.as_bytes()[..cut].to_vec()) {
            let turns = loaded.conversations[0].turns().len();
            // The last line may be whole but for its end.
            prop_assert!(turns == before || turns == before + 1, "{turns} of {before}");
        } else {
            prop_assert_eq!(before, 0);
        }
    }
}

/// A line a turn.
fn openhands_lines(count: usize) -> Vec<String> {
    let line = |n: usize| {
        format!(
            r#"{{"kind":"ActionEvent","source":"agent","id":"e{n}","thought":[{{"type":"text","text":"t{n}"}}],"tool_name":"terminal","tool_call_id":"c{n}","action":{{"command":"ls {n}","kind":"TerminalAction"}},"llm_response_id":"r{n}"}}"#
        )
    };
    (0..count).map(line).collect()
}

#[test]
fn a_step_file_keeps_copied_turns_and_where_a_run_goes_on() {
    let text = r#"{"schema_version":"ATIF-v1.7","agent":{"name":"a"},"continued_trajectory_ref":"next.json","steps":[
        {"source":"user","message":"m"},
        {"source":"agent","message":"x","is_copied_context":true,"metrics":{"prompt_tokens":5}},
        {"source":"system","message":"s","observation":{"results":[{"subagent_trajectory_ref":[{"session_id":"c","trajectory_path":"c.json"}]}]}}]}"#;
    let loaded = load::load(&Source::from_bytes("test", text.into()), None).expect("a trace");
    let written = turnscope::export::step::write(&loaded.conversations[0]);
    let again = load::load(&Source::from_bytes("step", written.into_bytes()), None);
    let again = again.expect("a step file");
    let step = &again.conversations[0];
    assert_eq!(step.continued.as_deref(), Some("next.json"));
    assert_eq!(step.children[0].elsewhere.as_deref(), Some("c.json"));
    let turn = &step.turns()[0];
    assert!(turn.copied() && turn.usage().is_empty());
}
