//! Older and newer layouts of other people's formats of which no sample is an example, each by a small
//! trace made by hand.

use turnscope::load::{self, Loaded, Source};
use turnscope::step::{Ending, Step};

fn loaded(format: &str, text: &str) -> Loaded {
    let source = Source::from_bytes(format, text.as_bytes().to_vec());
    let loaded = load::load(&source, None).unwrap_or_else(|error| panic!("{format}: {error}"));
    assert_eq!(loaded.format, format, "{text}");
    loaded
}

/// The replies of a run.
fn replies(step: &Step) -> Vec<&str> {
    let turns = step.turns().iter();
    turns
        .map(|turn| turn.raw_response().get().map_or("", |text| text))
        .collect()
}

/// What a run was given besides its mission: the text, and whether a machine wrote it.
fn inputs(step: &Step) -> Vec<(&str, bool)> {
    let turns = step.turns().iter();
    let inputs = turns.flat_map(|turn| turn.inputs().iter());
    inputs
        .chain(&step.pending_inputs)
        .map(|input| (&*input.text, input.injected))
        .collect()
}

fn inspect(events: &str, messages: &str) -> String {
    format!(
        r#"{{"version":2,"status":"success","eval":{{"task":"t","model":"m"}},"samples":[{{"id":1,"epoch":1,"input":"q","messages":[{messages}],"events":[{events}]}}]}}"#
    )
}

#[test]
fn an_agent_in_the_span_of_a_call_is_that_calls_run() {
    let span = |id: &str, parent: &str, kind: &str, name: &str| {
        format!(
            r#"{{"event":"span_begin","span_id":"{id}","id":"{id}","parent_id":"{parent}","type":"{kind}","name":"{name}"}}"#
        )
    };
    let model = |span: &str, said: &str, call: &str| {
        let call = match call {
            "" => String::new(),
            name => format!(
                r#","tool_calls":[{{"id":"{name}-1","function":"{name}","arguments":{{}}}}]"#
            ),
        };
        format!(
            r#"{{"event":"model","span_id":"{span}","input":[{{"role":"system","content":"be {span}"}},{{"role":"user","content":"to {span}"}}],"output":{{"choices":[{{"message":{{"role":"assistant","content":"{said}"{call}}}}}]}}}}"#
        )
    };
    let tool = |span: &str, name: &str, more: &str| {
        format!(
            r#"{{"event":"tool","span_id":"{span}","id":"{name}-1","function":"{name}","arguments":{{}},"result":"{name} done"{more}}}"#
        )
    };
    let events = [
        span("main", "", "agent", "main"),
        model("main", "ask", "helper"),
        span("t1", "main", "tool", "helper"),
        tool("main", "helper", r#","agent_span_id":"a1""#),
        span("a1", "t1", "agent", "helper"),
        model("a1", "look", "read"),
        span("t2", "a1", "tool", "read"),
        tool("a1", "read", ""),
        model("a1", "found", ""),
        model("main", "hand over", "transfer_to_other"),
        span("h1", "main", "handoff", "other"),
        span("t3", "h1", "tool", "transfer_to_other"),
        tool("main", "transfer_to_other", ""),
        span("a2", "t3", "agent", "other"),
        model("a2", "taken", ""),
    ];
    let loaded = loaded("inspect-ai", &inspect(&events.join(","), ""));
    let step = &loaded.conversations[0];
    assert_eq!(replies(step), ["ask", "hand over", "taken"]);
    assert_eq!(step.turns()[0].tool_calls()[0].child, Some(0));
    let [child] = step.children.as_slice() else {
        panic!("{} children", step.children.len());
    };
    assert_eq!(replies(child), ["look", "found"]);
    assert_eq!(child.mission.as_deref(), Some("to a1"));
    assert_eq!(child.system_prompt.as_deref(), Some("be a1"));
    assert_eq!(child.turns()[0].tool_calls().len(), 1);
    assert!(child.turns()[0].tool_calls()[0].result.get().is_some());
    assert!(
        matches!(&child.ending, Ending::Return(value) if value.as_str() == Some("helper done"))
    );
    assert!(step.unmatched_results.is_empty() && child.unmatched_results.is_empty());
}

#[test]
fn calls_of_a_model_in_a_step_that_scores_are_no_turns() {
    let model = |said: &str| {
        format!(
            r#"{{"event":"model","input":[],"output":{{"choices":[{{"message":{{"role":"assistant","content":"{said}"}}}}]}}}}"#
        )
    };
    let step = |action: &str, kind: &str| {
        format!(r#"{{"event":"step","action":"{action}","type":"{kind}","name":"{kind}"}}"#)
    };
    let events = [
        step("begin", "solver"),
        model("answer"),
        step("end", "solver"),
        step("begin", "scorer"),
        step("begin", "other"),
        model("grade"),
        step("end", "other"),
        step("end", "scorer"),
        model("afterwards"),
    ];
    let loaded = loaded("inspect-ai", &inspect(&events.join(","), ""));
    assert_eq!(replies(&loaded.conversations[0]), ["answer", "afterwards"]);
    assert_eq!(
        loaded.report.notes,
        ["1 calls of a model by a scorer are no turns"]
    );
}

#[test]
fn what_an_agents_scaffold_says_is_no_person_where_the_log_tells() {
    let messages = |source: &str| {
        format!(
            r#"{{"role":"user","content":"q"{source}}},{{"role":"assistant","content":"a","tool_calls":[{{"id":"c","function":"shot","arguments":{{}}}}]}},
            {{"role":"tool","tool_call_id":"c","function":"shot","content":"see"}},{{"role":"user","tool_call_id":["c"],"content":[{{"type":"image","image":"data:image/png;base64,AAAA"}}]}},
            {{"role":"user","content":"go on"}},{{"role":"assistant","content":"b"}}"#
        )
    };
    let told = loaded(
        "inspect-ai",
        &inspect("", &messages(r#","source":"input""#)),
    );
    assert_eq!(inputs(&told.conversations[0]), [("go on", true)]);
    let untold = loaded("inspect-ai", &inspect("", &messages("")));
    assert_eq!(inputs(&untold.conversations[0]), [("go on", false)]);
}
