//! `loop`, `for` and `doseq`.
//!
//! As in the reference, what a round defines and the calls it makes are forgotten when the next one
//! begins; what it prints stays.

use std::sync::Arc;

use super::super::error::{Res, Signal, fail};
use super::super::expr::{Clause, Expr, For, Pattern};
use super::env::Env;
use super::{Machine, truthy};
use crate::step::Memory;
use crate::value::Value;

/// What is put back before the next round: memory, and how many calls there were.
pub(super) type State = (Arc<Memory>, usize);

/// Whether the items after this one are still asked for.
#[derive(PartialEq, Eq)]
enum Go {
    On,
    Stop,
}

impl Machine<'_> {
    pub(super) fn run_loop(&mut self, bindings: &[(Pattern, Expr)], body: &Expr, env: &Env) -> Res {
        let mut inner = env.clone();
        self.bind_all(bindings, &mut inner)?;
        for round in 0.. {
            let state = (Arc::clone(&self.memory), self.calls.len());
            match self.eval(body, &inner) {
                Err(Signal::Recur(values)) => {
                    self.next_round(round, state)?;
                    inner = env.clone();
                    for ((pattern, _), value) in bindings.iter().zip(values) {
                        self.bind(pattern, value, &mut inner)?;
                    }
                }
                other => return other,
            }
        }
        Ok(Value::Nil)
    }

    pub(super) fn next_round(&mut self, round: usize, (memory, calls): State) -> Res<()> {
        let limit = self.budget.limits.rounds;
        if round >= limit {
            let message = format!("a loop of more than {limit} rounds");
            return fail("loop_limit_exceeded", message);
        }
        self.memory = memory;
        self.calls.truncate(calls);
        Ok(())
    }

    pub(super) fn run_for(&mut self, parts: &For, env: &Env) -> Res {
        let state = (Arc::clone(&self.memory), self.calls.len());
        let mut made = Vec::new();
        self.clause(&parts.clauses, parts, env, &mut made)?;
        (self.memory, _) = state;
        self.calls.truncate(state.1);
        if parts.collect {
            self.list(made)
        } else {
            Ok(Value::Nil)
        }
    }

    fn clause(
        &mut self,
        clauses: &[Clause],
        parts: &For,
        env: &Env,
        made: &mut Vec<Value>,
    ) -> Res<Go> {
        let Some((clause, rest)) = clauses.split_first() else {
            let value = self.eval(&parts.body, env)?;
            if parts.collect {
                self.budget.cells(1)?;
                made.push(value);
            }
            return Ok(Go::On);
        };
        match clause {
            Clause::Each(pattern, list) => {
                let list = self.eval(list, env)?;
                for item in self.each_item("for", &list)? {
                    let mut inner = env.clone();
                    self.bind(pattern, item, &mut inner)?;
                    if self.clause(rest, parts, &inner, made)? == Go::Stop {
                        break;
                    }
                }
                Ok(Go::On)
            }
            Clause::Let(bindings) => {
                let mut inner = env.clone();
                self.bind_all(bindings, &mut inner)?;
                self.clause(rest, parts, &inner, made)
            }
            Clause::When(test) => {
                if truthy(&self.eval(test, env)?) {
                    return self.clause(rest, parts, env, made);
                }
                Ok(Go::On)
            }
            Clause::While(test) => {
                if truthy(&self.eval(test, env)?) {
                    return self.clause(rest, parts, env, made);
                }
                Ok(Go::Stop)
            }
        }
    }
}
