//! Calling whatever can be called.

use std::sync::Arc;

use super::super::builtins::{self, Builtin};
use super::super::error::{LispError, Res, Signal, fail};
use super::super::expr::{Expr, FnDef};
use super::env::{Closure, Env, Native};
use super::{Machine, placed, seen_from};
use crate::value::Value;

impl Machine<'_> {
    pub(super) fn call_expr(&mut self, called: &Expr, args: &[Expr], at: usize, env: &Env) -> Res {
        if let Expr::Builtin(builtin) = called {
            let args = self.each(args, env)?;
            return self
                .call_builtin(builtin, args)
                .map_err(|signal| placed(signal, at));
        }
        let function = self.eval(called, env)?;
        let args = self.each(args, env)?;
        let value = self
            .call(&function, args)
            .map_err(|signal| placed(signal, at))?;
        if let Expr::Global(name, _) = called {
            self.note_return(name, &function, &value);
        }
        Ok(value)
    }

    /// Calls a value as a program does it. What the call defines stays defined.
    pub(in super::super) fn call(&mut self, function: &Value, args: Vec<Value>) -> Res {
        self.enter()?;
        let value = self.call_inner(function, args);
        self.leave();
        value
    }

    fn call_inner(&mut self, function: &Value, args: Vec<Value>) -> Res {
        match function {
            Value::Fn(known) => {
                if let Some(closure) = known.code.get::<Closure>() {
                    return self.call_closure(closure, args);
                }
                if let Some(native) = known.code.get::<Native>() {
                    return (native.run)(self, &native.remembered, args);
                }
                fail("not_callable", "a function of which only the name is known")
            }
            Value::Builtin(Some(name)) => match builtins::find(name) {
                Some(builtin) => self.call_builtin(builtin, args),
                None => fail("not_callable", format!("{name} is no builtin here")),
            },
            Value::Keyword(_) => match args.as_slice() {
                [map] => Ok(builtins::lookup(map, function).unwrap_or_default()),
                [map, default] => {
                    Ok(builtins::lookup(map, function).unwrap_or_else(|| default.clone()))
                }
                _ => fail(
                    "arity_error",
                    "a keyword is called with a map, and a default if need be",
                ),
            },
            Value::Map(_) => match args.as_slice() {
                [key] => Ok(builtins::lookup(function, key).unwrap_or_default()),
                [key, default] => {
                    Ok(builtins::lookup(function, key).unwrap_or_else(|| default.clone()))
                }
                _ => fail(
                    "arity_error",
                    "a map is called with a key, and a default if need be",
                ),
            },
            Value::Set(items) => match args.as_slice() {
                [item] => {
                    self.weigh(item)?;
                    Ok(items.get(item).cloned().unwrap_or_default())
                }
                _ => fail("arity_error", "a set is called with one item"),
            },
            Value::Var(name) => {
                let definition = self.global(name, 0)?;
                match definition {
                    Value::Var(_) => fail("not_callable", format!("{name} is no function")),
                    definition => self.call(&definition, args),
                }
            }
            other => {
                let kind = builtins::kind(other);
                fail("not_callable", format!("a {kind} can't be called"))
            }
        }
    }

    /// Calls a value for a builtin: what it defines is gone afterwards, as in the reference.
    pub(in super::super) fn apply(&mut self, op: &str, function: &Value, args: Vec<Value>) -> Res {
        if matches!(function, Value::Map(_)) || !builtins::is_callable(function) {
            let kind = builtins::kind(function);
            let message = format!("type_error: {op}: invalid argument types: {kind}");
            return Err(LispError::new("type_error", message)
                .hint(format!("{op} takes a function, a keyword or a set"))
                .into());
        }
        self.budget.step(1)?;
        if let Value::Fn(known) = function
            && let Some(closure) = known.code.get::<Closure>()
        {
            seen_from::check_arity(op, &closure.def, args.len())?;
        }
        let memory = Arc::clone(&self.memory);
        let result = self.call(function, args);
        if !matches!(result, Err(Signal::Return(_) | Signal::Fail(_))) {
            self.memory = memory;
        }
        result.map_err(|mut signal| {
            if let Signal::Error(error) = &mut signal {
                error.reason = seen_from::reason(op, function, error);
            }
            signal
        })
    }

    fn call_builtin(&mut self, builtin: &Builtin, args: Vec<Value>) -> Res {
        self.budget.step(1 + args.len() / 16)?;
        let count = args.len();
        if count < builtin.min || builtin.max.is_some_and(|max| count > max) {
            return Err(builtin.arity_error(count).into());
        }
        (builtin.run)(self, args)
    }

    fn call_closure(&mut self, closure: &Closure, args: Vec<Value>) -> Res {
        let def = &closure.def;
        let mut args = args;
        for round in 0.. {
            let mut env = closure.env.clone();
            if round == 0 {
                self.bind_params(def, args, &mut env)?;
            } else {
                self.rebind_params(def, args, &mut env)?;
            }
            let state = (Arc::clone(&self.memory), self.calls.len());
            match self.eval(&def.body, &env) {
                Err(Signal::Recur(values)) => args = values,
                other => return other,
            }
            self.next_round(round, state)?;
        }
        Ok(Value::Nil)
    }

    fn bind_params(&mut self, def: &FnDef, args: Vec<Value>, env: &mut Env) -> Res<()> {
        let (takes, given) = (def.params.len(), args.len());
        if given < takes || (given > takes && def.rest.is_none()) {
            let more = if def.rest.is_some() { " or more" } else { "" };
            let message = format!("a function that takes {takes}{more} was given {given} values");
            return fail("arity_mismatch", message);
        }
        let mut args = args.into_iter();
        for (pattern, value) in def.params.iter().zip(args.by_ref()) {
            self.bind(pattern, value, env)?;
        }
        if let Some(rest) = &def.rest {
            let more = self.list(args.collect())?;
            self.bind(rest, more, env)?;
        }
        Ok(())
    }

    /// After `recur` the rest comes as one value.
    fn rebind_params(&mut self, def: &FnDef, values: Vec<Value>, env: &mut Env) -> Res<()> {
        let patterns = def.params.iter().chain(&def.rest);
        for (pattern, value) in patterns.zip(values) {
            self.bind(pattern, value, env)?;
        }
        Ok(())
    }
}
