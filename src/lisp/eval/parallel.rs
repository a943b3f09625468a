//! `pmap` and `pcalls`. They run one after the other here; as in the reference, what they print,
//! define and call leaves no trace, and their errors are `pmap_error`s.

use std::sync::Arc;

use super::super::builtins;
use super::super::error::{LispError, Res, Signal};
use super::Machine;
use crate::value::Value;

impl Machine<'_> {
    pub(super) fn pmap(&mut self, function: &Value, lists: &[Value]) -> Res {
        let mut columns = Vec::with_capacity(lists.len());
        for list in lists {
            columns.push(self.each_item("pmap", list)?);
        }
        let rows = columns.iter().map(Vec::len).min().unwrap_or_default();
        let mut made = Vec::with_capacity(rows);
        for row in 0..rows {
            let args = columns.iter().map(|column| column[row].clone()).collect();
            made.push(self.apart(function, args)?);
        }
        self.list(made)
    }

    pub(super) fn pcalls(&mut self, functions: &[Value]) -> Res {
        let made = functions
            .iter()
            .map(|function| self.apart(function, Vec::new()));
        let made = made.collect::<Res<_>>()?;
        self.list(made)
    }

    fn apart(&mut self, function: &Value, args: Vec<Value>) -> Res {
        if !builtins::is_callable(function) {
            let kind = builtins::kind(function);
            let message = format!("type_error: pmap: invalid argument types: {kind}");
            return Err(LispError::new("type_error", message).into());
        }
        let memory = Arc::clone(&self.memory);
        let (prints, calls) = (self.prints.len(), self.calls.len());
        let result = self.call(function, args);
        self.memory = memory;
        self.prints.truncate(prints);
        self.calls.truncate(calls);
        match result {
            Err(Signal::Error(error)) if !is_limit(error.reason) => {
                let told = error
                    .tool
                    .as_ref()
                    .map_or(&*error.message, |tool| &tool.name);
                let mut told = LispError::new("pmap_error", format!("pmap_error: {told}"));
                told.at = error.at;
                Err(told.into())
            }
            other => other,
        }
    }
}

fn is_limit(reason: &str) -> bool {
    matches!(reason, "out_of_budget" | "timeout" | "not_recorded")
}
