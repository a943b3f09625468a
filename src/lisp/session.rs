//! One run's programs: what they define is there for the next.

use std::sync::Arc;

use indexmap::IndexMap;

use super::analyze::{Analyzer, BareNames};
use super::builtins;
use super::error::{LispError, Res, Signal};
use super::eval::env::Env;
use super::eval::{Machine, code_of};
use super::history;
use super::limits::{Budget, Limits};
use super::reader;
use super::tools::{NoTools, Tools};
use crate::step::{Definition, Memory, ToolCall};
use crate::value::{Code, Function, Map, Value};

/// Stack of the thread that a program is run on; [`Limits::depth`] needs less.
const STACK: usize = 256 << 20;

/// How a program ended.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::exhaustive_enums)] // there is no fifth
pub enum Ended {
    /// With a value; the run goes on.
    Value(Value),
    /// With `(return value)`.
    Return(Value),
    /// With `(fail reason)`.
    Fail(Value),
    /// With an error. Nothing that it defined is kept.
    Error(LispError),
}

/// What came of a program.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Evaluated {
    /// How it ended.
    pub ended: Ended,
    /// Printed texts, one a `println`; none after an error, as in the reference.
    pub prints: Vec<Arc<str>>,
    /// Calls of tools; after an error only if a tool broke.
    pub tool_calls: Vec<ToolCall>,
    /// What was defined, in order, with docstrings.
    pub definitions: IndexMap<Arc<str>, Definition>,
    /// Memory afterwards.
    pub memory: Arc<Memory>,
}

/// Memory, and the last values.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Session {
    /// What the programs defined.
    pub memory: Arc<Memory>,
    /// What `*3`, `*2` and `*1` stand for.
    pub history: Arc<Vec<Value>>,
    /// What a program may use.
    pub limits: Limits,
    /// Whether a name that nothing else has stands for a tool or a field of the input [NS-004..009].
    pub bare_names: bool,
}

impl Session {
    /// A session that begins with these definitions. Functions that have only their source text are
    /// made to run again.
    pub fn new(memory: Arc<Memory>) -> Self {
        let mut session = Self {
            memory,
            ..Self::default()
        };
        session.revive();
        session
    }

    /// The same; bare names stand for tools and data, or don't.
    #[must_use]
    pub fn with_bare_names(mut self, bare_names: bool) -> Self {
        self.bare_names = bare_names;
        self
    }

    fn revive(&mut self) {
        let sources: Vec<(Arc<str>, Arc<Function>)> = self
            .memory
            .iter()
            .filter_map(|(name, value)| match value {
                Value::Fn(function) if !function.code.is_some() && function.source.is_some() => {
                    Some((Arc::clone(name), Arc::clone(function)))
                }
                _ => None,
            })
            .collect();
        for (name, known) in sources {
            let source = known.source.clone().unwrap_or_default();
            let made = self.evaluate(&source, &Map::default(), &mut NoTools).ended;
            let Ended::Value(Value::Fn(made)) = made else {
                continue;
            };
            let mut function = (*known).clone();
            function.code = made.code.clone();
            Arc::make_mut(&mut self.memory).insert(name, Value::Fn(Arc::new(function)));
        }
    }

    /// Runs a program and keeps what it defined and its value, unless it failed.
    pub fn run(&mut self, program: &str, data: &Map, tools: &mut dyn Tools) -> Evaluated {
        let evaluated = self.evaluate(program, data, tools);
        if let Ended::Value(value) | Ended::Return(value) = &evaluated.ended {
            let value = value.clone();
            self.remember(&value);
        }
        self.memory = Arc::clone(&evaluated.memory);
        evaluated
    }

    /// Takes a value for what the last program gave.
    pub fn remember(&mut self, value: &Value) {
        history::push(&mut self.history, value);
    }

    /// Runs a program without keeping anything.
    pub fn evaluate(&self, program: &str, data: &Map, tools: &mut dyn Tools) -> Evaluated {
        let failed = |error: LispError| Evaluated {
            ended: Ended::Error(error.placed(program)),
            prints: Vec::new(),
            tool_calls: Vec::new(),
            definitions: IndexMap::new(),
            memory: Arc::clone(&self.memory),
        };
        // Depth is bounded, but a caller's stack may be small.
        let run = std::thread::scope(|scope| {
            let work = || self.evaluate_here(program, data, tools);
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread
                .spawn_scoped(scope, work)
                .map(std::thread::ScopedJoinHandle::join)
        });
        match run {
            Ok(Ok(Ok(evaluated))) => evaluated,
            Ok(Ok(Err(broken))) => Evaluated {
                tool_calls: broken.1,
                ..failed(broken.0)
            },
            Ok(Err(_)) => failed(LispError::new("internal_error", "the evaluator broke off")),
            Err(error) => {
                let message = format!("no thread for the program: {error}");
                failed(LispError::new("internal_error", message))
            }
        }
    }

    fn evaluate_here(
        &self,
        program: &str,
        data: &Map,
        tools: &mut dyn Tools,
    ) -> Result<Evaluated, Box<(LispError, Vec<ToolCall>)>> {
        let early = |error| Box::new((error, Vec::new()));
        let forms = reader::read(program).map_err(early)?;
        let bare = self.bare_names.then(|| BareNames {
            tools: tools
                .names()
                .iter()
                .map(|name| name.as_str().into())
                .collect(),
            data: data
                .keys()
                .filter_map(Value::as_name)
                .map(Arc::from)
                .collect(),
        });
        let mut analyzer = Analyzer::new(program, self.memory.keys(), bare);
        let expr = analyzer.program(&forms).map_err(early)?;
        let memory = Arc::clone(&self.memory);
        let mut machine =
            Machine::new(Budget::new(self.limits), data, &self.history, tools, memory);
        let ended = machine.eval(&expr, &Env::default());
        let ended = match ended {
            Ok(value) => Ok(Ended::Value(value)),
            Err(Signal::Return(value)) => Ok(Ended::Return(value)),
            Err(Signal::Fail(value)) => Ok(Ended::Fail(value)),
            Err(Signal::Recur(_)) => Err(LispError::new("invalid_form", "recur without a loop")),
            Err(Signal::Error(error)) => Err(*error),
        };
        let ended = ended.and_then(|ended| match check_leaving(&mut machine, &ended) {
            Err(Signal::Error(error)) => Err(*error),
            _ => Ok(ended),
        });
        match ended {
            Ok(ended) => Ok(Evaluated {
                ended,
                prints: machine.prints,
                tool_calls: machine.calls,
                definitions: machine.definitions,
                memory: machine.memory,
            }),
            Err(error) if error.tool.as_ref().is_some_and(|tool| tool.crashed) => {
                Err(Box::new((error, machine.calls)))
            }
            Err(error) => Err(early(error)),
        }
    }
}

fn check_leaving(machine: &mut Machine<'_>, ended: &Ended) -> Res<()> {
    let value = match ended {
        Ended::Value(value) | Ended::Return(value) | Ended::Fail(value) => value,
        Ended::Error(_) => return Ok(()),
    };
    machine.weigh(value)?;
    let memory = Arc::clone(&machine.memory);
    let args: Vec<Value> = machine.calls.iter().map(|call| call.args.clone()).collect();
    for value in memory.values() {
        machine.weigh(value)?;
    }
    let values = memory.values().chain(&args).chain([value]);
    machine.may_leave(values)
}

/// A value as it is written and compared: without what makes functions run, patterns as
/// `{"~#regex": ".."}`, functions that builtins made as builtins without a name.
pub fn plain(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::list(items.iter().map(plain).collect()),
        Value::Tuple(items) => Value::Tuple(Arc::new(items.iter().map(plain).collect())),
        Value::Set(items) => Value::Set(Arc::new(items.iter().map(plain).collect())),
        Value::Map(entries) => {
            let entries = entries.iter();
            Value::map(
                entries
                    .map(|(key, value)| (plain(key), plain(value)))
                    .collect(),
            )
        }
        Value::Builtin(_) => Value::Builtin(None),
        Value::Fn(function) => {
            if let Some(pattern) = builtins::pattern_text(value) {
                let tag = Value::string("~#regex");
                return Value::map(Map::from_iter([(tag, Value::string(pattern))]));
            }
            if builtins::is_native(value) {
                return Value::Builtin(None);
            }
            let mut function = (**function).clone();
            if code_of(value).is_some() {
                function.code = Code::default();
            }
            Value::Fn(Arc::new(function))
        }
        other => other.clone(),
    }
}
