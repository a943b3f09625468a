//! Calls of tools from programs.

use std::sync::Arc;

use super::super::error::{LispError, Res, ToolFault, fail};
use super::super::tools::Answer;
use super::Machine;
use crate::step::{Field, ToolCall};
use crate::value::{Limits, Map, Value, to_clojure};

impl Machine<'_> {
    pub(super) fn call_tool(&mut self, name: &Arc<str>, args: Vec<Value>) -> Res {
        let args = tool_args(name, args)?;
        self.budget.step(16)?;
        self.weigh(&args)?;
        let mut call = ToolCall::new(Arc::clone(name), args);
        let (reason, crashed) = match self.tools.call(name, &call.args) {
            Answer::Value(value) => {
                self.weigh(&value)?;
                call.result = Field::Recorded(value.clone());
                self.calls.push(call);
                return Ok(value);
            }
            Answer::Failed(reason) => (reason, false),
            Answer::Crashed(reason) => (reason, true),
            Answer::Unknown => {
                let known = self.tools.names();
                let message = format!("Unknown tool: {name}");
                let error = LispError::new("unknown_tool", message);
                return Err(if known.is_empty() {
                    error.hint("there are no tools")
                } else {
                    error.hint(format!("tools are: {}", known.join(", ")))
                }
                .into());
            }
            Answer::NotRecorded(why) => return fail("not_recorded", why),
        };
        let (told, _) = to_clojure(&reason, Limits::NONE);
        if crashed {
            call.error = Some(reason);
            self.calls.push(call);
        }
        let mut error = LispError::new("tool_error", format!("Tool '{name}' failed: {told}"));
        error.tool = Some(Box::new(ToolFault {
            name: Arc::clone(name),
            crashed,
        }));
        Err(error.into())
    }
}

/// A call's arguments: one map, or none; keywords and values in turn come under `:args`.
fn tool_args(name: &str, args: Vec<Value>) -> Res {
    match args.as_slice() {
        [] => Ok(Value::map(Map::default())),
        [Value::Map(_)] => Ok(args.into_iter().next().unwrap_or_default()),
        [Value::Keyword(_), _, ..] if args.len().is_multiple_of(2) => Ok(Value::map(
            Map::from_iter([(Value::keyword("args"), Value::list(args))]),
        )),
        _ => Err(LispError::new(
            "invalid_tool_args",
            format!("tool/{name} takes one map of named arguments"),
        )
        .hint(format!("write (tool/{name} {{:arg value}})"))
        .into()),
    }
}
