//! The reference implementation's answers (`tests/fixtures/golden`), every case a test.

mod common;

use std::sync::Arc;

use common::{check, count, same, text};
use indexmap::IndexMap;
use turnscope::namespace::{Content, data, execution_history, tool, user};
use turnscope::step::{Field, Memory, Step, Timeline, Tool, ToolCall, Turn, TurnParts};
use turnscope::syntax::{response, signature::Signature};
use turnscope::value::{Limits, Map, Value, float, to_clojure, type_label};

#[test]
fn values_print_as_clojure() {
    check("to_clojure.json", 220, |case| {
        let limits = Limits {
            items: count(case, "limit"),
            printable: count(case, "printable_limit"),
            filter_hidden: case.get("filter_hidden") == Some(&Value::Bool(true)),
        };
        let (printed, truncated) = to_clojure(case.get("value").expect("a value"), limits);
        let expected = text(case, "expected").expect("text").to_owned();
        let cut = case
            .get("truncated")
            .and_then(Value::as_bool)
            .expect("a flag");
        same(&(printed, truncated), &(expected, cut))
    });
}

#[test]
fn floats_print_as_the_reference_does() {
    check("float_format.json", 416, |case| {
        let [Value::Float(number), Value::Str(expected)] = case.as_list().expect("a pair") else {
            return Err(format!("not a float and a text: {case:?}"));
        };
        same(&float::format(*number), &expected.to_string())
    });
}

#[test]
fn values_have_type_labels() {
    check("type_of.json", 97, |case| {
        let label = type_label(case.get("value").expect("a value"));
        same(&label.as_ref(), &text(case, "expected").expect("text"))
    });
}

#[test]
fn signatures_are_told_from_what_is_none() {
    check("signature.json", 21, |case| {
        let signature = text(case, "signature").expect("text");
        let expected = case.get("ok").and_then(Value::as_bool).expect("a flag");
        same(&Signature::parse(signature).is_some(), &expected)
            .map_err(|e| format!("{signature:?} {e}"))
    });
}

#[test]
fn programs_are_found_in_responses() {
    check("response_parse.json", 30, |case| {
        let response = text(case, "response").expect("text");
        let expected = text(case, "program").map(str::to_owned);
        same(&response::program(response), &expected).map_err(|e| format!("{response:?} {e}"))
    });
}

/// The limits of samples; a case may set its own.
fn sample_limits(case: &Value) -> Limits {
    let limit = |name, default| count(case, name).unwrap_or(default);
    Limits::new(
        limit("sample_limit", 3),
        limit("sample_printable_limit", 80),
    )
}

/// The text of the section that `write` appends, none where it appends nothing.
fn section(write: impl FnOnce(&mut Content)) -> Option<String> {
    let mut content = Content::new();
    write(&mut content);
    (!content.is_empty()).then(|| content.as_str().to_owned())
}

fn same_section(case: &Value, write: impl FnOnce(&mut Content)) -> Result<(), String> {
    same(&section(write).as_deref(), &text(case, "expected"))
}

fn entries<'a>(case: &'a Value, name: &str) -> &'a Map {
    case.get(name).and_then(Value::as_map).expect("a map")
}

fn name(key: &Value) -> Arc<str> {
    key.as_name().expect("a name").into()
}

/// A run of one successful turn.
fn one_turn(parts: TurnParts) -> Timeline {
    let mut step = Step::default();
    step.push_turn(Turn::success(1, parts));
    Timeline::new(Arc::new(step))
}

#[test]
fn the_tool_section_is_the_reference_s() {
    check("namespace_tool.json", 17, |case| {
        let tools: Vec<Tool> = entries(case, "tools")
            .iter()
            .map(|(key, told)| {
                let told = |name| text(told, name).map(Into::into);
                Tool::new(name(key), told("signature"), told("description"))
            })
            .collect();
        same_section(case, |out| tool::section(out, &tools))
    });
}

#[test]
fn the_data_section_is_the_reference_s() {
    check("namespace_data.json", 27, |case| {
        let told = case.get("field_descriptions").and_then(Value::as_map);
        let descriptions: IndexMap<Arc<str>, Arc<str>> = told
            .into_iter()
            .flatten()
            .map(|(key, told)| (name(key), told.as_str().expect("text").into()))
            .collect();
        let signature = text(case, "context_signature");
        let data = data::Data::new(entries(case, "data"), &descriptions, signature);
        same_section(case, |out| data::section(out, data, sample_limits(case)))
    });
}

#[test]
fn the_user_section_is_the_reference_s() {
    check("namespace_user.json", 20, |case| {
        let memory = entries(case, "memory").iter();
        let memory: Memory = memory
            .map(|(key, value)| (name(key), value.clone()))
            .collect();
        let mut parts = TurnParts::default();
        parts.memory = Field::Recorded(Arc::new(memory));
        let timeline = one_turn(parts);
        let history = timeline.all();
        let printed = case.get("has_println") == Some(&Value::Bool(true));
        let sample = (!printed).then(|| sample_limits(case));
        let definitions = history.definitions();
        same_section(case, |out| {
            user::section(out, history, &definitions, sample);
        })
    });
}

#[test]
fn the_sections_of_calls_and_output_are_the_reference_s() {
    check("execution_history.json", 17, |case| {
        let limit = count(case, "limit").expect("a limit");
        let items = |name| case.get(name).and_then(Value::as_list).unwrap_or_default();
        let mut parts = TurnParts::default();
        let call = |call: &Value| {
            let args = call.get("args").cloned().unwrap_or_default();
            ToolCall::new(text(call, "name").expect("a name"), args)
        };
        let print = |print: &Value| print.as_str().expect("text").into();
        parts.tool_calls = Field::Recorded(items("tool_calls").iter().map(call).collect());
        parts.prints = Field::Recorded(items("prints").iter().map(print).collect());
        let timeline = one_turn(parts);
        let history = timeline.all();
        same_section(case, |out| match text(case, "fn").expect("a section") {
            "render_tool_calls" => {
                let args = Limits::new(3, 60);
                execution_history::calls(out, history, history.calls(), limit, args, false);
            }
            "render_output" => {
                // Whether anything was printed is a flag of the reference's own; here it shows in
                // the prints.
                let printed = case.get("has_println") == Some(&Value::Bool(true));
                let prints = if printed { history.prints() } else { &[] };
                execution_history::output(out, history, prints, limit);
            }
            other => panic!("no section {other}"),
        })
    });
}
