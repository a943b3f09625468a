//! The evaluator: expressions to values.

mod bind;
mod call;
pub(super) mod env;
mod loops;
mod parallel;
mod seen_from;
mod tools;

use std::sync::Arc;

use indexmap::IndexMap;

use super::builtins;
use super::error::{LispError, Res, Signal};
use super::expr::{Def, Expr, IfLet, Test};
use super::limits::{Budget, too_deep};
use super::tools::Tools;
use crate::step::{Definition, Memory, ToolCall};
use crate::value::{Code, Map, Set, Value, type_label};
use env::Env;

/// Everything that an evaluation reads and makes.
pub(super) struct Machine<'a> {
    pub(super) budget: Budget,
    pub(super) data: &'a Map,
    pub(super) history: &'a [Value],
    pub(super) tools: &'a mut dyn Tools,
    pub(super) memory: Arc<Memory>,
    pub(super) definitions: IndexMap<Arc<str>, Definition>,
    pub(super) calls: Vec<ToolCall>,
    pub(super) prints: Vec<Arc<str>>,
    depth: usize,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        budget: Budget,
        data: &'a Map,
        history: &'a [Value],
        tools: &'a mut dyn Tools,
        memory: Arc<Memory>,
    ) -> Self {
        Self {
            budget,
            data,
            history,
            tools,
            memory,
            definitions: IndexMap::new(),
            calls: Vec::new(),
            prints: Vec::new(),
            depth: 0,
        }
    }

    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &Expr, env: &Env) -> Res {
        self.enter()?;
        let value = self.eval_inner(expr, env);
        self.leave();
        value
    }

    /// One evaluation or call deeper.
    fn enter(&mut self) -> Res<()> {
        self.budget.step(1)?;
        if self.depth >= self.budget.limits.depth {
            return Err(too_deep(self.budget.limits.depth).into());
        }
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn eval_inner(&mut self, expr: &Expr, env: &Env) -> Res {
        match expr {
            Expr::Const(value) => Ok(value.clone()),
            Expr::Local(name) => Ok(env.get(name).cloned().unwrap_or_default()),
            Expr::Global(name, at) => self.global(name, *at),
            Expr::Builtin(builtin) => Ok(Value::Builtin(Some(builtin.name.into()))),
            Expr::Data(name) => Ok(self.input(name)),
            Expr::History(back) => {
                let at = self.history.len().checked_sub(back + 1);
                Ok(at.map_or(Value::Nil, |at| self.history[at].clone()))
            }
            Expr::Regex(pattern) => builtins::pattern(pattern),
            Expr::Vector(items) => {
                let items = self.each(items, env)?;
                self.list(items)
            }
            Expr::Map(pairs) => self.map_literal(pairs, env),
            Expr::Set(items) => {
                let items = self.each(items, env)?;
                self.set(items)
            }
            Expr::Do(all) => self.last(all, env),
            Expr::If(parts) => {
                let (test, then, otherwise) = &**parts;
                let chosen = if truthy(&self.eval(test, env)?) {
                    then
                } else {
                    otherwise
                };
                self.eval(chosen, env)
            }
            Expr::And(all) => self.until(all, env, Value::Bool(true), false),
            Expr::Or(all) => self.until(all, env, Value::Nil, true),
            Expr::Let(bindings, body) => {
                let mut inner = env.clone();
                self.bind_all(bindings, &mut inner)?;
                self.eval(body, &inner)
            }
            Expr::IfLet(parts) => self.if_let(parts, env),
            Expr::Case(case) => {
                let value = self.eval(&case.value, env)?;
                let hit = |values: &[Value]| values.iter().any(|v| builtins::equal(v, &value));
                let arm = case.arms.iter().find(|(values, _)| hit(values));
                self.eval(arm.map_or(&case.otherwise, |(_, arm)| arm), env)
            }
            Expr::Fn(def) => {
                self.budget.cells(4)?;
                Ok(env::closure(def, env))
            }
            Expr::Def(def) => self.define(def, env),
            Expr::Loop(bindings, body) => self.run_loop(bindings, body, env),
            Expr::Recur(values) => Err(Signal::Recur(self.each(values, env)?)),
            Expr::For(parts) => self.run_for(parts, env),
            Expr::Call(called, args, at) => self.call_expr(called, args, *at, env),
            Expr::Tool(name, args, at) => {
                let args = self.each(args, env)?;
                self.call_tool(name, args)
                    .map_err(|signal| placed(signal, *at))
            }
            Expr::Where(parts) => {
                let value = match &parts.test {
                    Some((_, value)) => self.eval(value, env)?,
                    None => Value::Nil,
                };
                Ok(builtins::where_predicate(parts, value))
            }
            Expr::Pmap(parts, at) => {
                let function = self.eval(&parts.0, env)?;
                let lists = self.each(&parts.1, env)?;
                self.pmap(&function, &lists)
                    .map_err(|signal| placed(signal, *at))
            }
            Expr::Pcalls(functions, at) => {
                let functions = self.each(functions, env)?;
                self.pcalls(&functions)
                    .map_err(|signal| placed(signal, *at))
            }
            Expr::Return(value) => Err(Signal::Return(self.eval(value, env)?)),
            Expr::Fail(value) => Err(Signal::Fail(self.eval(value, env)?)),
        }
    }

    fn each(&mut self, all: &[Expr], env: &Env) -> Res<Vec<Value>> {
        all.iter().map(|expr| self.eval(expr, env)).collect()
    }

    fn last(&mut self, all: &[Expr], env: &Env) -> Res {
        let mut value = Value::Nil;
        for expr in all {
            value = self.eval(expr, env)?;
        }
        Ok(value)
    }

    /// `and` and `or`: the first value whose truth is `stop`, else the last.
    fn until(&mut self, all: &[Expr], env: &Env, none: Value, stop: bool) -> Res {
        let mut value = none;
        for expr in all {
            value = self.eval(expr, env)?;
            if truthy(&value) == stop {
                break;
            }
        }
        Ok(value)
    }

    fn map_literal(&mut self, pairs: &[(Expr, Expr)], env: &Env) -> Res {
        let mut map = Map::default();
        map.reserve(pairs.len());
        for (key, value) in pairs {
            let key = self.eval(key, env)?;
            let value = self.eval(value, env)?;
            self.weigh(&key)?;
            // The first of two equal keys wins, as in the reference.
            map.entry(key).or_insert(value);
        }
        self.map(map)
    }

    fn if_let(&mut self, parts: &IfLet, env: &Env) -> Res {
        let value = self.eval(&parts.value, env)?;
        let bound = match parts.test {
            Test::Truthy => truthy(&value).then_some(value),
            Test::Some => (!value.is_nil()).then_some(value),
            Test::First => self.each_item("when-first", &value)?.into_iter().next(),
        };
        let Some(bound) = bound else {
            return self.eval(&parts.otherwise, env);
        };
        let mut inner = env.clone();
        self.bind(&parts.pattern, bound, &mut inner)?;
        self.eval(&parts.then, &inner)
    }

    fn global(&mut self, name: &Arc<str>, at: usize) -> Res {
        if let Some(value) = self.memory.get(name) {
            return Ok(value.clone());
        }
        match builtins::find(name) {
            Some(builtin) => Ok(Value::Builtin(Some(builtin.name.into()))),
            None => Err(
                LispError::new("unbound_var", format!("Undefined variable: {name}"))
                    .at(at)
                    .into(),
            ),
        }
    }

    /// A field of the input, by keyword or string.
    fn input(&self, name: &str) -> Value {
        let keys = [Value::string(name), Value::keyword(name)];
        let found = keys.iter().find_map(|key| self.data.get(key));
        found.cloned().unwrap_or_default()
    }

    fn define(&mut self, def: &Def, env: &Env) -> Res {
        let reference = Value::Var(Arc::clone(&def.name));
        if def.once && self.memory.contains_key(&def.name) {
            return Ok(reference);
        }
        let mut value = self.eval(&def.value, env)?;
        if let (Value::Fn(function), Some(doc)) = (&value, &def.doc) {
            let mut documented = (**function).clone();
            documented.doc = Some(Arc::clone(doc));
            value = Value::Fn(Arc::new(documented));
        }
        self.budget.cells(1)?;
        Arc::make_mut(&mut self.memory).insert(Arc::clone(&def.name), value);
        let order = i64::try_from(self.definitions.len()).ok();
        let told = self.definitions.entry(Arc::clone(&def.name));
        let told = told.or_insert_with(|| Definition::new(None, order));
        told.doc.clone_from(&def.doc);
        Ok(reference)
    }

    /// Notes what a defined function returned last.
    fn note_return(&mut self, name: &str, called: &Value, value: &Value) {
        let Some(Value::Fn(kept)) = self.memory.get(name) else {
            return;
        };
        let is_same =
            matches!(called, Value::Fn(called) if Arc::ptr_eq(called, kept) || called == kept);
        let label = type_label(value);
        if !is_same || kept.returns.as_deref() == Some(&*label) {
            return;
        }
        let mut function = (**kept).clone();
        function.returns = Some(label.into());
        if let Some(kept) = Arc::make_mut(&mut self.memory).get_mut(name) {
            *kept = Value::Fn(Arc::new(function));
        }
    }

    /// A list that the program pays for.
    pub(super) fn list(&mut self, items: Vec<Value>) -> Res {
        self.budget.cells(items.len() + 1)?;
        Ok(Value::list(items))
    }

    /// A map that the program pays for.
    pub(super) fn map(&mut self, map: Map) -> Res {
        self.budget.cells(2 * map.len() + 1)?;
        Ok(Value::map(map))
    }

    /// A set of items, in order.
    pub(super) fn set(&mut self, items: Vec<Value>) -> Res {
        self.budget.cells(items.len() + 1)?;
        for item in &items {
            self.weigh(item)?;
        }
        let mut set: Set = items.into_iter().collect();
        set.sort_by(Value::compare);
        Ok(Value::Set(Arc::new(set)))
    }

    /// A text that the program pays for.
    pub(super) fn text(&mut self, text: impl Into<Arc<str>>) -> Res {
        let text = text.into();
        self.budget.cells(text.len() / 8 + 1)?;
        Ok(Value::Str(text))
    }
}

pub(super) fn truthy(value: &Value) -> bool {
    !matches!(value, Value::Nil | Value::Bool(false))
}

fn placed(signal: Signal, at: usize) -> Signal {
    match signal {
        Signal::Error(error) => Signal::Error(Box::new(error.at(at))),
        other => other,
    }
}

/// Code that a function value carries, if it can run.
pub(super) fn code_of(value: &Value) -> Option<&Code> {
    match value {
        Value::Fn(function) if function.code.is_some() => Some(&function.code),
        _ => None,
    }
}
