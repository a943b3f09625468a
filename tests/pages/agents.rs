//! Runs of agents: mini-swe-agent, smolagents, ATIF.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::loaded;
use turnscope::analysis::{Analysis, Profile};
use turnscope::compression::Run;
use turnscope::step::Outcome;
use turnscope::tokens::Tokenizer;

#[test]
fn a_reply_without_a_command_is_neither_good_nor_bad() {
    let text = json!({"trajectory_format": "mini-swe-agent-1.1", "info": {"exit_status": "Submitted", "submission": "d"}, "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "task"},
        {"role": "assistant", "content": "no block", "extra": {"actions": []}},
        {"role": "user", "content": "Format error"},
        {"role": "assistant", "content": "x", "extra": {"actions": [{"command": "ls"}]}},
        {"role": "user", "content": "o", "extra": {"returncode": 0, "raw_output": "o"}},
        {"role": "assistant", "content": "x", "extra": {"actions": [{"command": "no"}]}},
        {"role": "user", "content": "o", "extra": {"returncode": 1, "raw_output": "o"}},
        {"role": "exit", "content": "d", "extra": {"exit_status": "Submitted", "submission": "d"}},
    ]});
    let loaded = loaded("mini-swe-agent", &text.to_string());
    let turns = loaded.conversations[0].turns().iter();
    let outcomes: Vec<_> = turns.map(|turn| turn.outcome()).collect();
    assert_eq!(
        outcomes,
        [Outcome::Unknown, Outcome::Success, Outcome::Failure]
    );
}

#[test]
fn older_versions_of_smolagents_write_times_and_code_elsewhere() {
    let code = json!([{"id": "c", "type": "function", "function": {"name": "python_interpreter", "arguments": "print(1)"}}]);
    let step = json!({"step_number": 1, "start_time": 1.0, "end_time": 3.0, "duration": 2.0, "tool_calls": code, "error": null, "model_output": "Thought", "observations": "Execution logs:\nhello", "action_output": 42});
    let flat = json!([{"task": "t", "task_images": null}, step]);
    let result = json!({"output": 42, "state": "success", "messages": [{"task": "t"}, step], "token_usage": {"input_tokens": 5, "output_tokens": 6}});
    for text in [flat, result] {
        let loaded = loaded("smolagents", &text.to_string());
        let run = &loaded.conversations[0];
        let turn = &run.turns()[0];
        assert_eq!(run.mission.as_deref(), Some("t"));
        assert_eq!(turn.duration_ms(), Some(2000));
        let program = turn
            .program()
            .get()
            .map(|program| program.source.to_string());
        assert_eq!(program.as_deref(), Some("print(1)"));
        assert_eq!(
            (turn.tool_calls().len(), turn.prints()),
            (0, &["hello".into()][..])
        );
    }
}

fn trajectory(id: &str, asked: &str, refers: &[&str]) -> Json {
    let results: Vec<Json> = refers
        .iter()
        .map(|id| json!({"subagent_trajectory_ref": [{"session_id": id}]}))
        .collect();
    json!({"schema_version": "ATIF-v1.6", "session_id": id, "agent": {"name": "a"}, "steps": [
        {"step_id": 1, "source": "user", "message": asked},
        {"step_id": 2, "source": "agent", "message": "done", "observation": {"results": results}},
    ]})
}

#[test]
fn trajectories_may_stand_one_a_line() {
    let text = [
        trajectory("a", "q1", &["c"]),
        trajectory("b", "q2", &[]),
        trajectory("c", "q3", &[]),
    ];
    let lines = text.each_ref().map(Json::to_string).join("\n");
    let loaded = loaded("atif", &lines);
    assert_eq!(loaded.report.damaged, 0);
    let missions: Vec<_> = loaded
        .conversations
        .iter()
        .map(|step| step.mission.as_deref())
        .collect();
    assert_eq!(missions, [Some("q1"), Some("q2")]);
    assert_eq!(
        loaded.conversations[0].children[0].mission.as_deref(),
        Some("q3")
    );
}

#[test]
fn trajectories_that_refer_to_each_other_are_read_once_each() {
    // Besides one that nobody refers to, two that refer to each other.
    let text = json!([
        trajectory("r", "root", &[]),
        trajectory("a", "A", &["b"]),
        trajectory("b", "B", &["a", "b"])
    ]);
    let loaded = loaded("atif", &text.to_string());
    let roots: Vec<_> = loaded
        .conversations
        .iter()
        .map(|step| step.mission.as_deref())
        .collect();
    assert_eq!(roots, [Some("root"), Some("A")]);
    let child = &loaded.conversations[1].children[0];
    assert_eq!(child.mission.as_deref(), Some("B"));
    let again: Vec<_> = child
        .children
        .iter()
        .map(|step| (step.trace_id.as_deref(), step.turns().len()))
        .collect();
    assert_eq!(again, [(Some("a"), 0), (Some("b"), 0)]);
    // Each refers to all: as many ways through them as there are orders.
    let ids: Vec<String> = (0..30).map(|at| format!("t{at}")).collect();
    let all: Vec<&str> = ids.iter().map(String::as_str).collect();
    let many: Vec<Json> = ids.iter().map(|id| trajectory(id, id, &all)).collect();
    let loaded = super::loaded("atif", &json!(many).to_string());
    let (mut open, mut runs) = (loaded.conversations.clone(), 0);
    while let Some(step) = open.pop() {
        runs += usize::from(!step.turns().is_empty());
        open.extend(step.children.iter().cloned());
    }
    assert_eq!(runs, 30, "each stands once");
}

#[test]
fn two_calls_of_one_run_lead_to_it() {
    let mut first = trajectory("a", "A", &["b", "b"]);
    let step = &mut first["steps"][1];
    step["tool_calls"] = ["1", "2"]
        .map(|id| json!({"tool_call_id": id, "function_name": "f", "arguments": {}}))
        .into();
    for (at, id) in ["1", "2"].into_iter().enumerate() {
        step["observation"]["results"][at]["source_call_id"] = id.into();
    }
    let text = json!([first, trajectory("b", "B", &[])]);
    let loaded = loaded("atif", &text.to_string());
    let [root] = &*loaded.conversations else {
        panic!("one run is no child");
    };
    assert_eq!(root.children.len(), 1);
    let calls = root.turns()[0].tool_calls().to_vec();
    let led: Vec<_> = calls.iter().map(|call| call.child).collect();
    assert_eq!(led, [Some(0), Some(0)]);
}

#[test]
fn observations_of_langfuse_may_stand_without_their_traces() {
    let observation = |trace: &str, id: &str, said: &str| json!({"id": id, "traceId": trace, "type": "GENERATION", "name": "g", "startTime": "2026-01-01T00:00:00Z", "input": "\"q\"", "output": said, "usageDetails": {"input": 1, "output": 2}});
    let all = [
        observation("a", "1", "x"),
        observation("b", "2", "y"),
        observation("a", "3", "z"),
    ];
    let lines = all.each_ref().map(Json::to_string).join("\n");
    let listed = json!({"data": all, "meta": {"page": 1}}).to_string();
    for text in [lines, listed, json!(all).to_string()] {
        let loaded = loaded("langfuse", &text);
        let told: Vec<_> = loaded
            .conversations
            .iter()
            .map(|step| (step.trace_id.as_deref(), step.turns().len()))
            .collect();
        assert_eq!(told, [(Some("a"), 2), (Some("b"), 1)]);
    }
    let snake = json!({"id": "1", "trace_id": "t", "type": "GENERATION", "name": "g", "start_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:02Z", "output": "x", "usage_details": {"input": 1, "output": 2}});
    let loaded = loaded("langfuse", &snake.to_string());
    let turn = &loaded.conversations[0].turns()[0];
    assert_eq!(
        (turn.duration_ms(), turn.usage().input),
        (Some(2000), Some(1))
    );
}

#[test]
fn why_the_last_command_failed_stays_though_something_was_submitted() {
    let text = json!({"trajectory_format": "mini-swe-agent-1.1", "info": {}, "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "task"},
        {"role": "assistant", "content": "x", "extra": {"actions": [{"command": "sleep 99"}]}},
        {"role": "user", "content": "o", "extra": {"returncode": -1, "exception_info": "it took too long"}},
        {"role": "exit", "content": "", "extra": {"exit_status": "LimitsExceeded", "submission": ""}},
    ]});
    let loaded = loaded("mini-swe-agent", &text.to_string());
    let turn = &loaded.conversations[0].turns()[0];
    let why = turn.result().get().and_then(|value| value.as_str());
    assert_eq!((turn.failed(), why), (true, Some("it took too long")));
}

#[test]
fn pictures_of_smolagents_are_told_of() {
    let step = json!({"step_number": 1, "timing": {"start_time": 1.0, "end_time": 2.0}, "code_action": "1", "observations_images": "[b'\\x89PNG']"});
    let text = json!([{"task": "t", "task_images": ["b'..'"]}, step]).to_string();
    let loaded = loaded("smolagents", &text);
    assert_eq!(loaded.report.notes.len(), 2, "{:?}", loaded.report.notes);
}

#[test]
fn calls_whose_results_stand_together_are_not_unanswered() {
    let call =
        |id: &str| json!({"id": id, "type": "function", "function": {"name": id, "arguments": {}}});
    let step = |number: u64, calls: &[Json], observed: &Json| json!({"step_number": number, "timing": {"start_time": 1.0, "end_time": 2.0}, "tool_calls": calls, "model_output": "", "observations": observed});
    let text = json!([
        {"task": "t", "task_images": null},
        step(1, &[call("a"), call("b")], &json!("A\nB")),
        step(2, &[call("c")], &json!("C")),
        step(3, &[call("d")], &Json::Null),
    ]);
    let loaded = loaded("smolagents", &text.to_string());
    let run = Arc::new(Run::new(Arc::clone(&loaded.conversations[0])));
    let analysis = Analysis::new(run, Tokenizer::Estimate, Profile::default());
    let problems = analysis.problems(None);
    let told = problems.iter().map(|problem| problem.what.to_string());
    let unanswered: Vec<String> = told.filter(|told| told.starts_with("unanswered")).collect();
    assert_eq!(unanswered.len(), 1, "{unanswered:?}");
}

#[test]
fn logs_of_inspect_name_what_is_not_shown_and_keep_identifiers() {
    let model = json!({"event": "model", "model": "m", "input": [], "output": {"choices": [{"message": {"role": "assistant", "content": "a"}}]}});
    let log = |messages: &Json, events: &Json| {
        json!({"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": [
            {"id": 1, "epoch": 1, "input": "q", "messages": messages, "events": events},
        ]})
        .to_string()
    };
    let info = json!({"event": "info", "data": "x"});
    let events = loaded("inspect-ai", &log(&json!([]), &json!([info, model])));
    let told = "events beside the turns are not shown: info";
    assert_eq!(events.report.notes, [told]);
    let messages = json!([
        {"role": "user", "content": "q"},
        {"role": "tool", "tool_call_id": "gone", "content": "r"},
        {"role": "assistant", "content": "a"},
    ]);
    let messages = loaded("inspect-ai", &log(&messages, &json!([])));
    let unmatched = &messages.conversations[0].unmatched_results[0];
    assert_eq!(unmatched.id.as_deref(), Some("gone"));
}

#[test]
fn steps_of_smolagents_that_are_numbered_otherwise_are_told_of() {
    let step = |number: u64| json!({"step_number": number, "timing": {"duration": 1.0}, "model_output": "o", "code_action": "a"});
    let notes = |numbers: [u64; 2]| {
        let text = json!([{"task": "t"}, step(numbers[0]), step(numbers[1])]);
        loaded("smolagents", &text.to_string()).report.notes
    };
    assert_eq!(notes([1, 2]), [] as [&str; 0]);
    assert_eq!(
        notes([2, 3]),
        ["turns are numbered by their order: turn 1 is step 2 of the file"]
    );
}
