//! A long run of an agent without programs: each turn a response, one shell command, its output.

use std::fmt::Write as _;

use turnscope::step::{Conventions, Field, Step, ToolCall, Turn, TurnParts};
use turnscope::value::{Map, Value};

/// Lines of a command's output, some 80 bytes each.
const LINES: usize = 40;

/// A conversation of so many turns. Commands name files and functions that earlier outputs told of, just
/// now or long ago, and some that nothing told of.
pub(crate) fn shell_run(turns: usize) -> Step {
    let mut step = Step::default();
    step.mission = Some("Find out why totals are wrong, and correct them.".into());
    step.conventions = Conventions::Foreign;
    for index in 0..turns {
        step.push_turn(turn(index));
    }
    step
}

fn turn(index: usize) -> Turn {
    let (near, far) = (index.saturating_sub(1), index / 3);
    let command = format!(
        "grep -n 'fn sum_{near}_3' src/part_{near}.rs && sed -n '10,20p' src/part_{far}.rs > out/step_{index}.txt"
    );
    let args = Map::from_iter([(Value::string("command"), Value::string(command))]);
    let mut call = ToolCall::new("shell", Value::map(args));
    call.result = Field::Recorded(Value::string(output(index)));
    let mut parts = TurnParts::default();
    parts.raw_response = Field::Recorded(
        format!("The sums of part {near} look right, so I look at those of part {far} again.")
            .into(),
    );
    parts.tool_calls = Field::Recorded(vec![call]);
    let number = u32::try_from(index + 1).expect("a small number");
    Turn::success(number, parts)
}

fn output(index: usize) -> String {
    let mut out = String::new();
    for line in 0..LINES {
        let _ = writeln!(
            out,
            "src/part_{index}.rs:{line}: fn sum_{index}_{line}(order: &Order) -> Total {{ order.rows.sum() }}"
        );
    }
    out
}
