//! Destructuring.

use std::sync::Arc;

use super::super::builtins;
use super::super::error::{Res, fail};
use super::super::expr::{Expr, MapPattern, Pattern};
use super::Machine;
use super::env::Env;
use crate::value::Value;

impl Machine<'_> {
    pub(super) fn bind_all(&mut self, bindings: &[(Pattern, Expr)], env: &mut Env) -> Res<()> {
        for (pattern, value) in bindings {
            let value = self.eval(value, env)?;
            self.bind(pattern, value, env)?;
        }
        Ok(())
    }

    pub(super) fn bind(&mut self, pattern: &Pattern, value: Value, env: &mut Env) -> Res<()> {
        self.budget.cells(1)?;
        match pattern {
            Pattern::Name(name) => {
                env.bind(name, value);
                Ok(())
            }
            Pattern::Items(patterns, rest) => {
                let items = match value {
                    Value::Nil => Arc::default(),
                    Value::List(items) | Value::Tuple(items) => items,
                    other => {
                        let kind = builtins::kind(&other);
                        return fail(
                            "destructure_error",
                            format!("a {kind} has no items to bind"),
                        );
                    }
                };
                for (at, pattern) in patterns.iter().enumerate() {
                    let item = items.get(at).cloned().unwrap_or_default();
                    self.bind(pattern, item, env)?;
                }
                if let Some(rest) = rest {
                    let left = items.get(patterns.len()..).unwrap_or_default().to_vec();
                    self.budget.step(left.len() / 16)?;
                    let left = self.list(left)?;
                    self.bind(rest, left, env)?;
                }
                Ok(())
            }
            Pattern::Map(map) => self.bind_map(map, value, env),
        }
    }

    fn bind_map(&mut self, pattern: &MapPattern, value: Value, env: &mut Env) -> Res<()> {
        if !matches!(value, Value::Nil | Value::Map(_)) {
            let kind = builtins::kind(&value);
            return fail("destructure_error", format!("a {kind} has no keys to bind"));
        }
        for (inner, key, default) in &pattern.entries {
            let found = match builtins::lookup(&value, key) {
                Some(found) => found,
                None => match default {
                    Some(default) => self.eval(default, env)?,
                    None => Value::Nil,
                },
            };
            self.bind(inner, found, env)?;
        }
        if let Some(whole) = &pattern.whole {
            env.bind(whole, value);
        }
        Ok(())
    }
}
