//! Sessions in which a person went back: nothing is lost, branches are marked and counted, and a
//! rebuilt prompt follows its own branch.

use std::sync::Arc;

use turnscope::analysis::{Analysis, Profile};
use turnscope::compression::Run;
use turnscope::load::{self, Loaded, Source};
use turnscope::step::{EventKind, Step};
use turnscope::tokens::Tokenizer;

fn loaded(text: &str) -> Loaded {
    let source = Source::from_bytes("branches", text.as_bytes().to_vec());
    load::load(&source, None).expect("a trace")
}

fn user(uuid: &str, parent: &str, content: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"{uuid}","parentUuid":{parent},"sessionId":"s","message":{{"role":"user","content":{content}}}}}"#
    )
}

fn said(uuid: &str, parent: &str, text: &str) -> String {
    user(uuid, parent, &format!("\"{text}\""))
}

fn reply(uuid: &str, parent: &str, text: &str) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"{uuid}","parentUuid":"{parent}","sessionId":"s","message":{{"id":"m{uuid}","role":"assistant","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
}

/// Where each branch begins, and after which turn it goes on.
fn branches(step: &Step) -> Vec<(usize, Option<usize>)> {
    let events = step.events.iter();
    let events = events.filter(|event| event.kind == EventKind::Branch);
    events.map(|event| (event.after, event.resumes)).collect()
}

/// What the prompt for a turn is made of.
fn prompt(step: &Arc<Step>, turn: u32) -> Vec<String> {
    let run = Run::new(Arc::clone(step));
    let sent = run.as_sent(turn).expect("a prompt");
    let texts = sent.messages.into_iter();
    texts.map(|message| message.content.to_string()).collect()
}

#[test]
fn a_rewind_leaves_its_branch_in_the_list_and_out_of_the_prompt() {
    let session = [
        said("u1", "null", "first"),
        reply("a1", "u1", "one"),
        said("u2", "\"a1\"", "second"),
        reply("a2", "u2", "two"),
        said("u3", "\"a2\"", "third"),
        reply("a3", "u3", "three"),
        // Back behind the first reply.
        said("u4", "\"a1\"", "other second"),
        reply("a4", "u4", "other two"),
        said("u5", "\"a4\"", "other third"),
        reply("a5", "u5", "other three"),
        // And back into the first branch.
        said("u6", "\"a2\"", "third once more"),
    ];
    let loaded = loaded(&session.join("\n"));
    let step = &loaded.conversations[0];
    assert_eq!(step.turns().len(), 5);
    assert_eq!(branches(step), [(3, Some(1)), (5, Some(2))]);
    assert_eq!(prompt(step, 3), ["first", "one", "second", "two", "third"]);
    assert_eq!(prompt(step, 4), ["first", "one", "other second"]);
    assert_eq!(
        prompt(step, 5),
        ["first", "one", "other second", "other two", "other third"]
    );
    assert_eq!(
        prompt(step, 6),
        ["first", "one", "second", "two", "third once more"]
    );
    let told = loaded.report.notes.join("\n");
    assert!(told.contains("2 branches"), "{told}");
    let run = Arc::new(Run::new(Arc::clone(step)));
    let analysis = Analysis::new(run, Tokenizer::Estimate, Profile::default());
    let problems: Vec<String> = analysis
        .problems(None)
        .iter()
        .map(|problem| problem.what.to_string())
        .filter(|problem| problem.starts_with("branch"))
        .collect();
    assert_eq!(
        problems,
        [
            "branch: it goes on after turn 1; turns 2 to 3 are on another branch",
            "branch: it goes on after turn 2; turns 3 to 5 are on another branch",
        ]
    );
}

#[test]
fn a_reply_made_again_answers_the_same_message() {
    let session = [
        said("u1", "null", "first"),
        reply("a1", "u1", "one"),
        reply("a2", "u1", "one again"),
    ];
    let loaded = loaded(&session.join("\n"));
    let step = &loaded.conversations[0];
    assert_eq!(branches(step), [(1, Some(0))]);
    assert_eq!(prompt(step, 2), ["first"]);
    assert_eq!(prompt(step, 3), ["first", "one again"]);
}

#[test]
fn what_hangs_on_one_record_in_the_course_of_things_is_no_branch() {
    let call = |uuid: &str, parent: &str, id: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","parentUuid":"{parent}","sessionId":"s","message":{{"id":"m","role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}]}}}}"#
        )
    };
    let result = |uuid: &str, parent: &str, id: &str| {
        let content = format!(r#"[{{"type":"tool_result","tool_use_id":"{id}","content":"r"}}]"#);
        user(uuid, parent, &content)
    };
    let session = [
        said("u1", "null", "first"),
        r#"{"type":"attachment","uuid":"x1","parentUuid":"u1","sessionId":"s"}"#.to_owned(),
        call("a1", "x1", "t1"),
        call("a2", "a1", "t2"),
        result("r1", "\"a1\"", "t1"),
        result("r2", "\"a2\"", "t2"),
        r#"{"type":"progress","uuid":"x2","parentUuid":"a2","sessionId":"s"}"#.to_owned(),
        reply("a3", "r1", "done"),
        // A parent that is nowhere.
        said("u2", "\"lost\"", "second"),
        reply("a4", "u2", "two"),
    ];
    let loaded = loaded(&session.join("\n"));
    let step = &loaded.conversations[0];
    assert_eq!((step.turns().len(), branches(step)), (3, Vec::new()));
}

#[test]
fn a_compaction_on_another_branch_is_not_in_the_prompt() {
    let session = [
        said("u1", "null", "first"),
        reply("a1", "u1", "one"),
        said("u2", "\"a1\"", "second"),
        reply("a2", "u2", "two"),
        r#"{"type":"system","subtype":"compact_boundary","uuid":"c","parentUuid":null,"sessionId":"s"}"#.to_owned(),
        said("u3", "\"c\"", "after"),
        reply("a3", "u3", "three"),
        said("u4", "\"a1\"", "back"),
    ];
    let loaded = loaded(&session.join("\n"));
    let step = &loaded.conversations[0];
    assert_eq!(prompt(step, 3), ["after"]);
    assert_eq!(prompt(step, 4), ["first", "one", "back"]);
}

#[test]
fn codex_takes_requests_back() {
    let line = |kind: &str, payload: &str| {
        format!(r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"{kind}","payload":{payload}}}"#)
    };
    let item = |role: &str, text: &str| {
        line(
            "response_item",
            &format!(
                r#"{{"type":"message","role":"{role}","content":[{{"type":"text","text":"{text}"}}]}}"#
            ),
        )
    };
    let rollout = [
        line("session_meta", r#"{"id":"s"}"#),
        item("user", "first"),
        item("assistant", "one"),
        item("user", "second"),
        item("assistant", "two"),
        line(
            "event_msg",
            r#"{"type":"thread_rolled_back","num_turns":1}"#,
        ),
        item("user", "other second"),
        item("assistant", "other two"),
    ];
    let loaded = loaded(&rollout.join("\n"));
    let step = &loaded.conversations[0];
    assert_eq!(branches(step), [(2, Some(1))]);
    assert_eq!(prompt(step, 3), ["first", "one", "other second"]);
}

#[test]
fn a_step_file_keeps_branches() {
    let session = [
        said("u1", "null", "first"),
        reply("a1", "u1", "one"),
        reply("a2", "u1", "one again"),
    ];
    let step = Arc::clone(&loaded(&session.join("\n")).conversations[0]);
    let written = turnscope::export::step::write(&step);
    let again = loaded(&written);
    assert_eq!(again.conversations[0].events, step.events);
}
