//! Tools that a file describes: `{NAME: {"kind": "fixed", "result": ..}}`.

use std::sync::Arc;

use indexmap::IndexMap;

use super::command_tool::Command;
use super::tools::{Answer, Tools};
use crate::value::{Map, Value};

/// Tools by name, as `--tools` takes them.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DescribedTools {
    tools: IndexMap<Arc<str>, Described>,
}

#[derive(Debug, Clone)]
enum Described {
    /// Gives its arguments back.
    Echo,
    /// Always gives the same.
    Fixed(Value),
    /// Says that it failed.
    Error(Value),
    /// Breaks.
    Raise(Value),
    /// Asks a program.
    Command(Command),
}

/// What is wrong with a description.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("tool {name}: {what}; kinds are echo, fixed, error, raise, ok_tuple and command")]
#[non_exhaustive]
pub struct BadTool {
    /// The tool.
    pub name: String,
    /// What is wrong.
    pub what: String,
}

impl DescribedTools {
    /// The tools of a description.
    ///
    /// # Errors
    /// [`BadTool`] names the first tool that can't be understood.
    pub fn new(described: &Map) -> Result<Self, BadTool> {
        let mut tools = IndexMap::new();
        for (name, tool) in described {
            let name: Arc<str> = name.as_name().unwrap_or_default().into();
            let part = |part: &str| tool.get(part).cloned().unwrap_or_default();
            let bad = |what: String| BadTool {
                name: name.to_string(),
                what,
            };
            let kind = match tool.get("kind").and_then(Value::as_name) {
                Some("echo") => Described::Echo,
                Some("fixed" | "ok_tuple") => Described::Fixed(part("result")),
                Some("error") => Described::Error(part("reason")),
                Some("raise") => Described::Raise(part("message")),
                Some("command") => Described::Command(Command::new(tool).map_err(bad)?),
                Some(other) => return Err(bad(format!("unknown kind '{other}'"))),
                None => return Err(bad("has no kind".to_owned())),
            };
            tools.insert(name, kind);
        }
        Ok(Self { tools })
    }
}

impl Tools for DescribedTools {
    fn call(&mut self, name: &str, args: &Value) -> Answer {
        match self.tools.get(name) {
            None => Answer::Unknown,
            Some(Described::Echo) => Answer::Value(args.clone()),
            Some(Described::Fixed(result)) => Answer::Value(result.clone()),
            Some(Described::Error(reason)) => Answer::Failed(reason.clone()),
            Some(Described::Raise(message)) => Answer::Crashed(message.clone()),
            Some(Described::Command(command)) => command.call(args),
        }
    }

    fn names(&self) -> Vec<String> {
        self.tools.keys().map(ToString::to_string).collect()
    }
}
