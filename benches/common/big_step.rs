//! Large runs for benches and tests: the reference case of the project's speed goals.

use std::fmt::Write as _;
use std::sync::Arc;

use turnscope::step::{Field, Memory, Program, Step, Tool, ToolCall, Turn, TurnParts};
use turnscope::value::{Function, Map, Value, transit::Transit};

/// Definitions in memory, half of them functions.
const DEFINITIONS: usize = 20;
/// Rows of the input's only field.
const ROWS: u16 = 500;

/// A run of so many turns with 20 definitions, 500 rows of data, two calls and two prints a turn.
/// From the 20th turn on every second turn changes a value.
pub(crate) fn big_step(turns: usize) -> Step {
    big_step_of(turns, 2)
}

/// The same with so many lines in each program.
pub(crate) fn big_step_of(turns: usize, lines: usize) -> Step {
    let mut step = Step::default();
    step.name = Some("reference case".into());
    step.mission = Some("Find the rows whose total is unusual and say why.".into());
    step.recorded_max_turns = u32::try_from(turns + 10).ok();
    step.tools = tools();
    step.data = data();
    let mut memory = Memory::new();
    for index in 0..turns {
        let (name, value) = definition(index);
        memory.insert(name, value);
        step.push_turn(turn(index, lines, Arc::new(memory.clone())));
    }
    step
}

fn tools() -> Vec<Tool> {
    ["search", "fetch", "notify"]
        .map(|name| {
            let signature = "(query :string, max_rows :int?) -> [{id :int, title :string}]";
            Tool::new(name, Some(signature.into()), Some("Asks the shop".into()))
        })
        .to_vec()
}

fn data() -> Map {
    let row = |id: u16| {
        let status = if id.is_multiple_of(2) { "paid" } else { "open" };
        let fields = [
            ("id", Value::Int(id.into())),
            ("status", Value::string(status)),
            ("total", Value::Float(f64::from(id) * 1.25)),
        ];
        let fields = fields.into_iter();
        Value::map(
            fields
                .map(|(key, value)| (Value::string(key), value))
                .collect(),
        )
    };
    let rows = Value::list((0..ROWS).map(row).collect());
    Map::from_iter([(Value::string("orders"), rows)])
}

fn definition(index: usize) -> (Arc<str>, Value) {
    let place = index % DEFINITIONS;
    if place.is_multiple_of(2) {
        let mut function = Function::new(vec!["order".into(), "limit".into()]);
        function.doc = Some(format!("Whether an order is over its limit, way {place}").into());
        function.returns = Some("boolean".into());
        return (
            format!("over-limit-{place}?").into(),
            Value::Fn(Arc::new(function)),
        );
    }
    let number = |n: usize| Value::Int(i64::try_from(n).expect("a small number"));
    let items = (0..12).map(|n| number(index * 100 + n)).collect();
    (format!("totals-{place}").into(), Value::list(items))
}

fn turn(index: usize, lines: usize, memory: Arc<Memory>) -> Turn {
    let mut parts = TurnParts::default();
    parts.raw_response = Field::Recorded("I look at the next rows.".into());
    let mut source = format!(
        "(println \"rows\" {index})\n(tool/search {{:query \"unusual\" :max_rows {index}}})"
    );
    for line in 2..lines {
        let _ = write!(
            source,
            "\n(def total-{line} (reduce + (map :total (filter (fn [row] (> (:id row) {index})) data/orders)))) ; {line}"
        );
    }
    parts.program = Field::Recorded(Program::ptc_lisp(source));
    parts.result = Field::Recorded(Value::list(vec![Value::Int(1); 30]));
    parts.prints = Field::Recorded(vec![
        format!("rows {index}").into(),
        format!("checked {index} of {ROWS}, nothing unusual so far").into(),
    ]);
    let args = |text: String| {
        let entries = [
            (Value::keyword("query"), Value::string(text)),
            (Value::keyword("max_rows"), Value::Int(10)),
        ];
        Value::map(Map::from_iter(entries))
    };
    parts.tool_calls = Field::Recorded(vec![
        ToolCall::new("search", args(format!("unusual rows {index}"))),
        ToolCall::new("fetch", args(format!("row {index}"))),
    ]);
    parts.memory = Field::Recorded(memory);
    let number = u32::try_from(index + 1).expect("a small number");
    Turn::success(number, parts)
}

/// A step file with such turns, as its text.
pub(crate) fn big_step_file(turns: usize) -> String {
    let step = big_step(turns);
    let json = |value: &Value| serde_json::to_string(&Transit(value)).expect("JSON");
    let turns: Vec<String> = step
        .turns()
        .iter()
        .map(|turn| {
            let memory = turn.memory().get().expect("memory").iter();
            let memory: Map = memory
                .map(|(name, value)| (Value::Str(Arc::clone(name)), value.clone()))
                .collect();
            let calls: Vec<String> = turn
                .tool_calls()
                .iter()
                .map(|call| format!(r#"{{"name":"{}","args":{},"result":null}}"#, call.name, json(&call.args)))
                .collect();
            let program = turn.program().get().expect("a program");
            format!(
                r#"{{"number":{},"program":{},"result":{},"prints":{},"tool_calls":[{}],"memory":{},"success":true}}"#,
                turn.number(),
                serde_json::to_string(&*program.source).expect("JSON"),
                json(turn.result().get().expect("a result")),
                json(&Value::list(turn.prints().iter().map(|p| Value::Str(Arc::clone(p))).collect())),
                calls.join(","),
                json(&Value::map(memory)),
            )
        })
        .collect();
    format!(
        r#"{{"mission":"Find the rows.","max_turns":{},"data":{},"turns":[{}]}}"#,
        turns.len() + 10,
        json(&Value::map(step.data)),
        turns.join(",\n")
    )
}
