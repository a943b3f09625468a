//! Traces of Claude Code, Codex, OpenAI chat, ShareGPT, Anthropic messages, Gemini CLI and opencode
//! against `golden/formats.json`, and what each loader does besides.

mod common;

use std::path::PathBuf;

use common::formats::{cases, checked, differences, path_of};
use proptest::prelude::*;
use turnscope::load::{self, Loaded, Source};
use turnscope::step::{Conventions, Outcome, Step, Turn};

/// Formats whose cases are checked here.
const FORMATS: [&str; 7] = [
    "claude-code",
    "codex",
    "openai-chat",
    "sharegpt",
    "anthropic-messages",
    "gemini-cli",
    "opencode",
];

const PROGRAM: &str = env!("CARGO_BIN_EXE_turnscope");

#[test]
fn every_case_of_the_golden_file() {
    let (mut run, mut skipped, mut failed) = (0, 0, Vec::new());
    for (file, case) in &cases() {
        let format = case["format"].as_str().unwrap_or_default();
        if !FORMATS.contains(&format) {
            continue;
        }
        let Some(path) = path_of(file) else {
            skipped += 1;
            continue;
        };
        run += 1;
        let (told, code, errors) = checked(PROGRAM, &path);
        let found = match told {
            Some(told) => differences(file, case, &told),
            None => vec![format!("exit {code}: {}", errors.trim())],
        };
        if !found.is_empty() {
            failed.push(format!("{file}:\n    {}", found.join("\n    ")));
        }
    }
    println!(
        "{run} cases checked; {skipped} skipped, for their samples are not beside the repository"
    );
    assert!(
        failed.is_empty(),
        "{} of {run} differ\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn files_with_nothing_in_them_say_so() {
    for (file, case) in &cases() {
        if case["format"] != "unknown" {
            continue;
        }
        let path: PathBuf = path_of(file).expect("a fixture");
        let (_, code, errors) = checked(PROGRAM, &path);
        assert_eq!(code, 1, "{file}: {errors}");
        assert!(
            errors.contains("error: ") && !errors.contains("panicked"),
            "{file}: {errors}"
        );
    }
}

/// What a fault file loads to.
fn fault(name: &str) -> Loaded {
    let path = common::fixtures().join("faults").join(name);
    load::open(&path, None).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn run(loaded: &Loaded) -> &Step {
    &loaded.conversations[0]
}

fn said(turn: &Turn) -> &str {
    turn.raw_response().get().map_or("", |text| text)
}

fn result(step: &Step, turn: usize, call: usize) -> String {
    let call = &step.turns()[turn].tool_calls()[call];
    let told = call.error.as_ref().or(call.result.get());
    told.map_or_else(
        || "none".to_owned(),
        |value| {
            value
                .as_str()
                .map_or_else(|| format!("{value:?}"), str::to_owned)
        },
    )
}

#[test]
fn results_are_matched_by_their_identifiers() {
    let loaded = fault("01-dup-usage.jsonl");
    assert_eq!(result(run(&loaded), 0, 0), "first");
    assert_eq!(result(run(&loaded), 0, 1), "second");
}

#[test]
fn what_nobody_knows_is_kept_and_counted() {
    let loaded = fault("02-unknown-type.jsonl");
    assert_eq!(loaded.report.skipped(), 4);
    assert!(loaded.report.unknown.contains_key("mode"));
    let shown = said(&run(&loaded).turns()[0]);
    assert!(shown.contains('{') && shown.contains("\"type\""), "{shown}");
}

#[test]
fn damage_is_told() {
    let notes = |name| fault(name).report.notes;
    assert!(
        notes("03-truncated-tail.jsonl")
            .iter()
            .any(|note| note.contains("last record is incomplete"))
    );
    let loaded = fault("06-nul-bytes.jsonl");
    assert!(
        loaded
            .report
            .damage
            .iter()
            .all(|damage| damage.what.contains("NUL"))
    );
    assert_eq!(
        run(&fault("04-fused-lines.jsonl")).mission.as_deref(),
        Some("hi")
    );
    assert_eq!(
        run(&fault("08-bom-crlf.jsonl")).mission.as_deref(),
        Some("hi")
    );
    assert!(
        notes("09-utf16le.json")
            .iter()
            .any(|note| note.contains("UTF-16"))
    );
    assert!(
        notes("21-dangling-parent.jsonl")
            .iter()
            .any(|note| note.contains("compacted before turn 1"))
    );
}

#[test]
fn broken_characters_are_replaced() {
    let loaded = fault("05-bad-utf8.jsonl");
    let turns = run(&loaded).turns();
    assert!(said(&turns[0]).contains('\u{fffd}'));
    assert!(turns[0].usage().is_empty());
    let loaded = fault("07-lone-surrogate.jsonl");
    let shown = said(&run(&loaded).turns()[0]);
    assert_eq!(shown, "\u{fffd} end");
}

#[test]
fn pictures_are_placeholders() {
    let loaded = fault("12-base64-180k.jsonl");
    assert_eq!(result(run(&loaded), 0, 0), "[image/png, 68 kB]");
}

#[test]
fn cut_arguments_stay_text() {
    let loaded = fault("13-codex-dup-tokens.jsonl");
    let calls = run(&loaded).turns()[0].tool_calls();
    assert_eq!(calls[1].args.as_str(), Some("{\"cmd\":"));
    assert_eq!(result(run(&loaded), 0, 1), "none");
    assert_eq!(calls[0].duration_ms, Some(100));
    let loaded = fault("14-openai-odd.json");
    let calls = run(&loaded).turns()[0].tool_calls();
    assert_eq!(
        (calls[0].args.as_str(), calls[1].args.as_str()),
        (Some(""), Some("{bad"))
    );
    assert_eq!(
        (result(run(&loaded), 0, 0), result(run(&loaded), 0, 1)),
        ("Nil".to_owned(), "none".to_owned())
    );
    assert_eq!(
        run(&loaded).unmatched_results[0].id.as_deref(),
        Some("nope")
    );
}

#[test]
fn foreign_turns_have_no_mark_and_no_ptc_lisp() {
    for name in [
        "01-dup-usage.jsonl",
        "13-codex-dup-tokens.jsonl",
        "15-deep-nesting.json",
    ] {
        let loaded = fault(name);
        let step = run(&loaded);
        assert_eq!(step.conventions, Conventions::Foreign, "{name}");
        assert!(
            step.turns()
                .iter()
                .all(|turn| turn.outcome() == Outcome::Unknown),
            "{name}"
        );
        assert!(
            step.turns()
                .iter()
                .all(|turn| turn.program().get().is_none()),
            "{name}"
        );
    }
}

#[test]
fn a_folder_that_is_no_storage_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("message")).expect("a folder");
    let error = load::open(folder.path(), None).expect_err("no storage");
    assert!(error.to_string().contains("is a directory"), "{error}");
}

/// Text of a small file of each format, made from the pages and the writers' documentation, with the
/// words that must be found in what it loads to.
const SMALL: [(&str, &str, &[&str]); 9] = [
    (
        "claude-code",
        r#"{"type":"system","subtype":"init","session_id":"s","tools":["Bash","Task"],"model":"m"}
{"type":"assistant","session_id":"s","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"reply-one"},{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"child-task"}}],"usage":{"input_tokens":5,"output_tokens":2}}}
{"type":"user","session_id":"s","parent_tool_use_id":"t1","message":{"role":"user","content":[{"type":"text","text":"child-task"}]}}
{"type":"assistant","session_id":"s","parent_tool_use_id":"t1","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"child-reply"}]}}
{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"result-one"}]}}
{"type":"result","subtype":"success","session_id":"s","usage":{"input_tokens":5,"output_tokens":2}}
"#,
        &["reply-one", "child-task", "child-reply", "result-one"],
    ),
    (
        "codex",
        r#"{"id":"s","timestamp":"2025-05-01T10:00:00Z","instructions":"be-brief","git":null}
{"type":"message","role":"user","content":[{"type":"input_text","text":"task-one"}]}
{"record_type":"state"}
{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c1"}
{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"result-one\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.5}}"}
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"reply-two"}]}
"#,
        &["be-brief", "task-one", "result-one", "reply-two"],
    ),
    (
        "codex",
        r#"{"type":"thread.started","thread_id":"t"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"i1","type":"reasoning","text":"thought-one"}}
{"type":"item.completed","item":{"id":"i2","type":"command_execution","command":"ls","aggregated_output":"result-one","exit_code":0,"status":"completed"}}
{"type":"item.completed","item":{"id":"i3","type":"agent_message","text":"reply-two"}}
{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":3}}
"#,
        &["thought-one", "result-one", "reply-two"],
    ),
    (
        "openai-chat",
        r#"{"messages":[{"role":"user","content":"task-one"},{"role":"assistant","content":null,"tool_calls":[{"id":null,"function":{"name":"f","arguments":{"x":1}}}]},{"role":"tool","content":"result-one"}]}
{"messages":[{"role":"user","content":"task-two"},{"role":"assistant","content":"<think>thought-two</think>reply-two"}]}
"#,
        &[
            "task-one",
            "result-one",
            "task-two",
            "thought-two",
            "reply-two",
        ],
    ),
    (
        "sharegpt",
        r#"{"conversations":[{"from":"human","value":"task-one"},{"from":"function_call","value":"[{\"name\":\"f\",\"arguments\":{}},{\"name\":\"g\",\"arguments\":{}}]"},{"from":"observation","value":"result-one"},{"from":"gpt","value":"reply-two"}]}
"#,
        &["task-one", "result-one", "reply-two"],
    ),
    (
        "anthropic-messages",
        r#"{"request":{"system":"be-brief","messages":[{"role":"user","content":[{"text":"task-one"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"a","status":"error","content":[{"text":"result-one"}]}},{"text":"remark-one"}]}]},"response":{"type":"message","role":"assistant","content":[{"type":"text","text":"reply-two"}],"usage":{"input_tokens":1,"output_tokens":2}}}
"#,
        &[
            "be-brief",
            "task-one",
            "result-one",
            "remark-one",
            "reply-two",
        ],
    ),
    (
        "gemini-cli",
        r#"[{"role":"user","parts":[{"text":"task-one"}]},{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"result-one"}}}]},{"role":"model","parts":[{"text":"reply-two"}]}]
"#,
        &["task-one", "result-one", "reply-two"],
    ),
    (
        "opencode",
        r#"{"info":{"id":"s","title":"t","time":{"created":1}},"messages":[{"info":{"id":"m1","role":"user"},"parts":[{"type":"text","text":"task-one"}]},{"info":{"id":"m2","role":"assistant"},"parts":[{"type":"step-start"},{"type":"tool","callID":"c","tool":"bash","state":{"status":"completed","input":{},"output":"result-one","time":{"start":1,"end":5}}},{"type":"step-finish","tokens":{"input":1,"output":2,"reasoning":3,"cache":{"read":4,"write":5}}},{"type":"step-start"},{"type":"text","text":"reply-two"},{"type":"step-finish","tokens":{"input":1,"output":1}}]}]}
"#,
        &["task-one", "result-one", "reply-two"],
    ),
    (
        "gemini-cli",
        r#"{"type":"init","session_id":"s","model":"m","timestamp":"2026-01-01T00:00:00Z"}
{"type":"message","role":"user","content":"task-one"}
{"type":"message","role":"assistant","content":"reply-","delta":true}
{"type":"message","role":"assistant","content":"one","delta":true}
{"type":"tool_use","tool_name":"ls","tool_id":"t","parameters":{"path":"."}}
{"type":"tool_result","tool_id":"t","status":"error","error":{"message":"result-one"}}
{"type":"message","role":"assistant","content":"reply-two","delta":true}
{"type":"result","status":"success","stats":{"input_tokens":5,"output_tokens":2,"total_tokens":7}}
"#,
        &["task-one", "reply-one", "result-one", "reply-two"],
    ),
];

#[test]
fn small_files_of_each_layout() {
    for (format, text, words) in SMALL {
        let source = Source::from_bytes(format, text.as_bytes().to_vec());
        let loaded = load::load(&source, None).unwrap_or_else(|error| panic!("{format}: {error}"));
        assert_eq!(loaded.format, format);
        assert!(
            loaded.report.is_clean() && loaded.report.skipped() == 0,
            "{format}: {:?}",
            loaded.report
        );
        let shown = format!("{:?}", loaded.conversations);
        for word in words {
            assert!(shown.contains(word), "{format}: no {word} in {shown}");
        }
        for step in &loaded.conversations {
            assert_eq!(step.unmatched_results, [], "{format}");
        }
    }
}

#[test]
fn a_step_file_keeps_what_other_formats_tell() {
    let text = r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"system","content":"d"},{"role":"user","content":"e"},{"role":"assistant","content":"f"},{"role":"tool","tool_call_id":"x","content":"g"},{"role":"user","content":"h"},{"role":"user","content":"i"}]}"#;
    let source = Source::from_bytes("chat", text.as_bytes().to_vec());
    let loaded = load::load(&source, None).expect("a chat");
    let step = run(&loaded);
    assert_eq!(step.turns()[1].person_inputs(), 2);
    assert_eq!(step.pending_person_inputs(), 2);
    let written = turnscope::export::step::write(step);
    let source = Source::from_bytes("step", written.into_bytes());
    let again = load::load(&source, None).expect("a step");
    let again = run(&again);
    assert_eq!(again.turns()[1].inputs(), step.turns()[1].inputs());
    assert_eq!(again.pending_inputs, step.pending_inputs);
    assert_eq!(again.unmatched_results, step.unmatched_results);
}

#[test]
fn a_logged_request_is_what_was_sent() {
    let (_, text, _) = SMALL[5];
    let source = Source::from_bytes("log", text.as_bytes().to_vec());
    let loaded = load::load(&source, None).expect("a log");
    let turns = run(&loaded).turns();
    assert_eq!(turns[0].messages().get(), None);
    let sent = turns[1].messages().get().expect("the request");
    let roles: Vec<&str> = sent.iter().map(|message| message.role.name()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    assert_eq!(&*sent[0].content, "be-brief");
}

#[test]
fn calls_open_the_runs_they_started() {
    let (_, text, _) = SMALL[0];
    let source = Source::from_bytes("stream", text.as_bytes().to_vec());
    let loaded = load::load(&source, None).expect("a session");
    let step = run(&loaded);
    assert_eq!((step.turns().len(), step.children.len()), (1, 1));
    assert_eq!(step.turns()[0].tool_calls()[0].child, Some(0));
    assert_eq!(step.children[0].turns().len(), 1);
    assert_eq!(step.tools.len(), 2);
}

#[test]
fn each_step_of_opencode_is_a_turn() {
    let (_, text, _) = SMALL[7];
    let source = Source::from_bytes("export", text.as_bytes().to_vec());
    let loaded = load::load(&source, None).expect("a session");
    let turns = run(&loaded).turns();
    assert_eq!(turns.len(), 2);
    let usage = turns[0].usage();
    assert_eq!(
        (usage.input, usage.output, usage.cache_read),
        (Some(10), Some(5), Some(4))
    );
    assert_eq!(turns[0].tool_calls()[0].duration_ms, Some(4));
}

#[test]
fn gemini_takes_back_and_writes_anew() {
    let text = r#"{"sessionId":"s","projectHash":"p","startTime":"2026-04-29T21:39:22.319Z"}
{"id":"u1","type":"user","content":"one"}
{"id":"a1","type":"gemini","content":"first"}
{"id":"u2","type":"user","content":"two"}
{"id":"a2","type":"gemini","content":"second"}
{"$rewindTo":"u2"}
{"id":"a1","type":"gemini","content":"anew","toolCalls":[{"name":"f","args":{},"status":"error"}]}
"#;
    let source = Source::from_bytes("gemini", text.as_bytes().to_vec());
    let loaded = load::load(&source, None).expect("a session");
    let step = run(&loaded);
    assert_eq!(step.turns().len(), 1);
    assert_eq!(said(&step.turns()[0]), "anew");
    assert!(step.turns()[0].tool_calls()[0].error.is_some());
    assert_eq!(step.pending_input, None);
}

/// What is done to a text.
#[derive(Debug, Clone)]
enum Mutation {
    Cut(prop::sample::Index),
    Flip(prop::sample::Index, u8),
    Duplicate(prop::sample::Index),
    Swap(prop::sample::Index, prop::sample::Index),
    Interleave(prop::sample::Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        index().prop_map(Mutation::Cut),
        (index(), 1u8..).prop_map(|(at, bits)| Mutation::Flip(at, bits)),
        index().prop_map(Mutation::Duplicate),
        (index(), index()).prop_map(|(a, b)| Mutation::Swap(a, b)),
        index().prop_map(Mutation::Interleave),
    ]
}

fn mutate(text: &mut Vec<u8>, mutation: &Mutation) {
    if text.is_empty() {
        return;
    }
    let mut lines: Vec<Vec<u8>> = text
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    match mutation {
        Mutation::Cut(at) => text.truncate(at.index(text.len())),
        Mutation::Flip(at, bits) => {
            let at = at.index(text.len());
            text[at] ^= bits;
        }
        Mutation::Duplicate(at) => {
            let at = at.index(lines.len());
            lines.insert(at, lines[at].clone());
            *text = lines.concat();
        }
        Mutation::Swap(a, b) => {
            let (a, b) = (a.index(lines.len()), b.index(lines.len()));
            lines.swap(a, b);
            *text = lines.concat();
        }
        Mutation::Interleave(at) => {
            let at = at.index(text.len());
            let half = text[at / 2..at].to_vec();
            text.splice(at..at, half);
        }
    }
}

fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let small = SMALL
        .iter()
        .map(|(format, text, _)| (*format, text.as_bytes().to_vec()));
    let faults = [
        "01-dup-usage.jsonl",
        "02-unknown-type.jsonl",
        "13-codex-dup-tokens.jsonl",
        "14-openai-odd.json",
    ];
    let faults = faults.iter().map(|name| {
        let format = &fault(name).format;
        let path = common::fixtures().join("faults").join(name);
        (*format, std::fs::read(path).expect("a fixture"))
    });
    small.chain(faults).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn mutated_files_are_survived(which in any::<prop::sample::Index>(), mutations in prop::collection::vec(mutation(), 1..5)) {
        let texts = texts();
        let (format, text) = &texts[which.index(texts.len())];
        let mut text = text.clone();
        for mutation in &mutations {
            mutate(&mut text, mutation);
        }
        let loader = load::loader(format).expect("a format");
        let source = Source::from_bytes("mutated", text);
        // As its own format, and as whatever it looks like now.
        let _ = load::load(&source, loader);
        let _ = load::load(&source, None);
    }

    #[test]
    fn whole_records_before_a_cut_are_there(which in 0usize..3, cut in any::<prop::sample::Index>()) {
        let (format, text, words) = SMALL[which];
        let at = cut.index(text.len());
        let source = Source::from_bytes("cut", text.as_bytes()[..at].to_vec());
        let whole = text[..at].rfind('\n').map_or("", |end| &text[..end]);
        if let Ok(loaded) = load::load(&source, load::loader(format).expect("a format")) {
            let shown = format!("{:?}", loaded.conversations);
            for word in words.iter().filter(|word| whole.contains(**word)) {
                prop_assert!(shown.contains(word), "no {word} in {shown}");
            }
        } else {
            prop_assert!(!words.iter().any(|word| whole.contains(word)));
        }
    }
}
