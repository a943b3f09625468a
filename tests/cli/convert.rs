//! `convert`: what is written means the same.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use turnscope::compression::{Case, Run, Uncompressed};
use turnscope::export;
use turnscope::load::{self, Source};
use turnscope::step::{
    Conventions, Ending, Field, Message, Program, Role, Step, ToolCall, Turn, TurnParts,
};
use turnscope::value::Value;

use super::{output, sample, samples};

fn open(path: &Path) -> Arc<Step> {
    let loaded = load::open(path, None).expect("a trace");
    Arc::clone(&loaded.conversations[0])
}

fn reloaded(text: &str) -> Arc<Step> {
    let loaded = load::load(&Source::from_bytes("written", text.into()), None).expect("a trace");
    assert!(loaded.report.is_clean(), "{:?}", loaded.report);
    Arc::clone(&loaded.conversations[0])
}

#[test]
fn a_step_comes_back_equal() {
    for path in samples() {
        let step = open(&path);
        let back = reloaded(&export::step::write(&step));
        assert_eq!(back.turns().len(), step.turns().len());
        for (back, turn) in back.turns().iter().zip(step.turns()) {
            assert!(back == turn, "{path:?}: turn {}", turn.number());
        }
        assert!(back == step, "{path:?}");
    }
}

#[test]
fn hostile_text_comes_back_equal() {
    let step = reloaded(&super::hostile::step());
    let written = export::step::write(&step);
    let unsafe_char = |c: char| c != '\n' && turnscope::text::is_unsafe(c);
    assert!(!written.contains(unsafe_char));
    assert!(reloaded(&written) == step);
}

#[test]
fn the_command_writes_what_the_library_does() {
    for name in ["history-and-unicode", "nested-agents", "no-turns"] {
        let path = sample(name);
        let written = output(["convert", &path, "--to", "step"]);
        assert_eq!(written, export::step::write(&open(Path::new(&path))));
        assert!(!written.trim_end().is_empty() && written.ends_with("}\n"));
    }
}

/// A turn of which everything is known in some other way.
fn doubtful(number: u32, state: fn(Value) -> Field<Value>) -> Turn {
    let text = |text: &str| {
        state(Value::string(text)).map(|value| value.as_str().unwrap_or_default().into())
    };
    let mut call = ToolCall::new("look", Value::Nil);
    call.result = state("seen".into());
    call.child = Some(0);
    let mut parts = TurnParts::default();
    parts.raw_response = text("```clojure\n(+ 1 2)\n```");
    parts.thinking = text("hm");
    parts.program = state(Value::Nil).map(|_| Program::new("ls", "bash"));
    parts.result = state("~odd ^text `here".into());
    parts.prints = state(Value::Nil).map(|_| vec!["one".into()]);
    parts.tool_calls = state(Value::Nil).map(|_| vec![call.clone()]);
    parts.messages = state(Value::Nil).map(|_| vec![Message::new(Role::Tool, "~:sent")]);
    Turn::success(number, parts)
}

#[test]
fn how_well_something_is_known_is_written_too() {
    let mut step = Step::default();
    step.mission = Some("~:mission".into());
    step.conventions = Conventions::Foreign;
    step.memory = Field::Absent;
    step.ending = Ending::Return(Value::Float(f64::NAN));
    step.push_turn(doubtful(1, Field::Recorded));
    step.push_turn(doubtful(2, Field::Preview));
    step.push_turn(doubtful(3, Field::Cut));
    step.push_turn(doubtful(4, |_| Field::Absent));
    step.push_turn(doubtful(5, |_| Field::NotRecorded));
    let mut unmarked = TurnParts::default();
    unmarked.raw_response = Field::Recorded("```clojure\n(+ 1 2)\n```".into());
    unmarked.unmarked = true;
    step.push_turn(Turn::success(6, unmarked));
    let back = reloaded(&export::step::write(&step));
    assert_eq!(back.conventions, Conventions::Foreign);
    assert_eq!((&back.memory, &back.ending), (&step.memory, &step.ending));
    for (back, turn) in back.turns().iter().zip(step.turns()) {
        assert_eq!(back.raw_response(), turn.raw_response());
        assert_eq!(back.thinking(), turn.thinking());
        assert_eq!(back.program(), turn.program(), "turn {}", turn.number());
        assert_eq!(back.result(), turn.result());
        assert_eq!(back.prints_field(), turn.prints_field());
        assert_eq!(back.tool_calls_field(), turn.tool_calls_field());
        assert_eq!(back.messages(), turn.messages());
        assert_eq!(back.outcome(), turn.outcome());
    }
}

#[test]
fn chosen_turns_keep_their_numbers() {
    let path = sample("log-triage");
    let written = output(["convert", &path, "--to", "step", "--turns", "2..3,6"]);
    let json: Json = serde_json::from_str(&written).expect("JSON");
    let turns = json["turns"].as_array().expect("turns").iter();
    let numbers: Vec<&Json> = turns.map(|turn| &turn["number"]).collect();
    assert_eq!(numbers, [2, 3, 6]);
    let markdown = output(["convert", &path, "--to", "markdown", "--turns", "2"]);
    assert!(markdown.contains("## Turn 2 ✗") && !markdown.contains("## Turn 3"));
}

#[test]
fn a_chat_is_the_uncompressed_prompt() {
    let path = sample("shop-refunds");
    let run = Run::new(open(Path::new(&path)));
    let prompt = run.prompt(5, &Case::new(&Uncompressed)).expect("a prompt");
    let expected: Vec<Json> = prompt
        .iter()
        .map(|message| serde_json::json!({"role": message.role.name(), "content": &*message.content}))
        .collect();
    let json = |to: &str| -> Json {
        serde_json::from_str(&output(["convert", &path, "--to", to])).expect("JSON")
    };
    assert_eq!(json("openai"), serde_json::json!({ "messages": expected }));
    assert_eq!(json("anthropic")["system"], expected[0]["content"]);
    assert_eq!(
        json("anthropic")["messages"].as_array().expect("messages"),
        &expected[1..]
    );
}

/// The lines of a report outside its fenced blocks, as CommonMark sees them.
fn outside_fences(report: &str) -> Vec<&str> {
    let ticks = |line: &str| line.len() - line.trim_start_matches('`').len();
    let mut open = 0;
    let mut outside = Vec::new();
    for line in report.lines() {
        let count = ticks(line);
        if open > 0 {
            if count >= open && line.len() == count {
                open = 0;
            }
        } else if count >= 3 {
            open = count;
        } else {
            outside.push(line);
        }
    }
    assert_eq!(open, 0, "a block stays open");
    outside
}

#[test]
fn nothing_of_a_trace_becomes_markup() {
    let evil = "```\n# evil\n````\n`````x\n# evil\n```";
    let mut step = Step::default();
    step.name = Some("# evil <b> *x* [a](b)\n# evil".into());
    step.mission = Some(evil.into());
    let mut call = ToolCall::new("a`b\n# evil", evil.into());
    call.error = Some(evil.into());
    call.result = Field::Recorded(evil.into());
    let mut parts = TurnParts::default();
    parts.raw_response = Field::Recorded(evil.into());
    parts.program = Field::Recorded(Program::new(evil, "x\n# evil ```"));
    parts.result = Field::Recorded(evil.into());
    parts.prints = Field::Recorded(vec![evil.into()]);
    parts.tool_calls = Field::Recorded(vec![call]);
    parts.input = Some(evil.into());
    step.push_turn(Turn::failure(1, parts));
    let report = export::markdown::report(&step);
    let outside = outside_fences(&report);
    assert!(report.matches("# evil").count() > 10);
    for line in &outside {
        assert!(
            !line.starts_with("# evil") && !line.contains("<b>"),
            "{line}"
        );
    }
    let headings: Vec<_> = outside
        .iter()
        .filter(|line| line.starts_with('#'))
        .collect();
    let expected = [
        "# ",
        "## Mission",
        "## Turn 1 ✗ failed",
        "### Input",
        "### Program",
    ];
    for (heading, expected) in headings.iter().zip(expected) {
        assert!(heading.starts_with(expected), "{heading}");
    }
    for path in samples() {
        outside_fences(&export::markdown::report(&open(&path)));
    }
}

#[test]
fn a_page_needs_nothing_else() {
    for path in samples() {
        let page = output([
            "convert",
            "--to",
            "html",
            path.to_str().expect("a plain path"),
        ]);
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
        assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("url("));
        let targets: Vec<&str> = page.split("href=\"#").skip(1).collect();
        for target in targets {
            let id = target.split('"').next().unwrap_or_default();
            assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        }
        for tag in ["details", "section", "div", "pre", "table"] {
            let opened = page.matches(&format!("<{tag}>")).count()
                + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
}

/// A result or an argument as its writer and its reader both know it.
fn told(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        // The order of keys is the writer's.
        other => {
            let json = serde_json::to_value(turnscope::value::json::Plain(other));
            json.expect("JSON").to_string()
        }
    }
}

#[test]
fn a_trajectory_comes_back_the_same() {
    let session = super::fixtures().join("redact/session.jsonl");
    for path in samples().into_iter().chain([session]) {
        let step = open(&path);
        let back = reloaded(&export::atif::write(&step));
        assert_eq!(
            back.mission.as_deref().or(Some("")),
            step.mission.as_deref().or(Some(""))
        );
        assert_eq!(back.system_prompt, step.system_prompt);
        assert_eq!(back.turns().len(), step.turns().len(), "{}", path.display());
        for (turn, new) in step.turns().iter().zip(back.turns()) {
            let said = |turn: &Turn| turn.raw_response().get().map(ToString::to_string);
            if said(turn).is_some() {
                assert_eq!(said(new), said(turn));
            }
            assert_eq!(new.thinking().get(), turn.thinking().get());
            assert_eq!(new.usage().input, turn.usage().input);
            assert_eq!(new.usage().output, turn.usage().output);
            assert_eq!(new.usage().cache_read, turn.usage().cache_read);
            assert_eq!(new.tool_calls().len(), turn.tool_calls().len());
            for (call, new) in turn.tool_calls().iter().zip(new.tool_calls()) {
                assert_eq!(new.name, call.name);
                if call.args.as_map().is_some() {
                    assert_eq!(told(&new.args), told(&call.args));
                }
                let answer = |call: &ToolCall| call.answer().filter(|r| !r.is_nil()).map(told);
                assert_eq!(answer(new), answer(call), "{}", path.display());
                assert_eq!(new.error.is_some(), call.error.is_some());
            }
        }
        assert_eq!(back.children.len(), step.children.len());
        let links = |step: &Step| -> Vec<bool> {
            let calls = step.turns().iter().flat_map(|turn| turn.tool_calls());
            calls.map(|call| call.child.is_some()).collect()
        };
        assert_eq!(links(&back), links(&step));
    }
}

#[test]
fn what_a_form_has_no_place_for_is_said() {
    let path = super::fixtures().join("beside/claude.jsonl");
    let path = path.to_string_lossy();
    let ended = super::run(["convert", &path, "--to", "openai"]);
    assert_eq!(
        ended.err.trim(),
        "turnscope: note: a chat for OpenAI's API has no place for: durations, what happened \
         between turns, tokens, times, the runs it started, results of no call"
    );
    let json: Json = serde_json::from_str(&ended.out).expect("JSON");
    let messages = json["messages"].as_array().expect("messages");
    assert_eq!(messages[2]["tool_calls"][0]["function"]["name"], "Task");
    assert_eq!(messages[3]["content"], "It failed.");
    let ended = super::run(["convert", &path, "--to", "step"]);
    assert_eq!(ended.err, "");
}
