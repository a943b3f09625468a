//! How large and how deep a value is, counted as it would be written: shared parts count each time.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::{Res, fail};
use super::eval::env::{Closure, Env, Native};
use super::eval::{Machine, code_of};
use crate::value::Value;

/// Levels of nesting that a value may have when it leaves a program; as many as a file may have.
const MAX_DEPTH: usize = 200;

impl Machine<'_> {
    /// Lets the program pay for a walk through the whole value.
    pub(super) fn weigh(&mut self, value: &Value) -> Res<()> {
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            match value {
                Value::List(items) | Value::Tuple(items) => {
                    self.budget.step(items.len())?;
                    waiting.extend(items.iter());
                }
                Value::Set(items) => {
                    self.budget.step(items.len())?;
                    waiting.extend(items.iter());
                }
                Value::Map(entries) => {
                    self.budget.step(2 * entries.len())?;
                    waiting.extend(entries.iter().flat_map(|(key, value)| [key, value]));
                }
                Value::Str(text) => self.budget.step(text.len() / 64)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Refuses values that are nested so deep that what is outside couldn't take them apart.
    pub(super) fn may_leave<'v>(&mut self, values: impl Iterator<Item = &'v Value>) -> Res<()> {
        let mut seen: HashMap<usize, usize> = HashMap::new();
        let mut waiting: Vec<(&Value, usize)> = values.map(|value| (value, 0)).collect();
        while let Some((value, depth)) = waiting.pop() {
            if depth > MAX_DEPTH {
                return fail(
                    "out_of_budget",
                    format!("a value nested deeper than {MAX_DEPTH}"),
                );
            }
            self.budget.step(1)?;
            let Some(address) = address(value) else {
                continue;
            };
            // A shared part is looked at again only where it lies deeper.
            let known = seen.entry(address).or_insert(usize::MAX);
            if *known != usize::MAX && *known >= depth {
                continue;
            }
            *known = depth;
            let inside = depth + 1;
            match value {
                Value::List(items) | Value::Tuple(items) => {
                    waiting.extend(items.iter().map(|item| (item, inside)));
                }
                Value::Set(items) => waiting.extend(items.iter().map(|item| (item, inside))),
                Value::Map(entries) => {
                    let parts = entries.iter().flat_map(|(key, value)| [key, value]);
                    waiting.extend(parts.map(|part| (part, inside)));
                }
                Value::Fn(_) => {
                    let code = code_of(value);
                    if let Some(closure) = code.and_then(|code| code.get::<Closure>()) {
                        waiting.extend(locals(&closure.env).map(|local| (local, inside)));
                    }
                    if let Some(native) = code.and_then(|code| code.get::<Native>()) {
                        waiting.extend(native.remembered.iter().map(|value| (value, inside)));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn locals(env: &Env) -> impl Iterator<Item = &Value> {
    let mut at = env.0.as_ref();
    std::iter::from_fn(move || {
        let node = at?;
        at = node.next.0.as_ref();
        Some(&node.value)
    })
}

fn address(value: &Value) -> Option<usize> {
    Some(match value {
        Value::List(items) | Value::Tuple(items) => Arc::as_ptr(items).cast::<()>() as usize,
        Value::Set(items) => Arc::as_ptr(items).cast::<()>() as usize,
        Value::Map(entries) => Arc::as_ptr(entries).cast::<()>() as usize,
        Value::Fn(function) => Arc::as_ptr(function).cast::<()>() as usize,
        _ => return None,
    })
}
