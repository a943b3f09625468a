//! Local names, and functions that remember them.

use std::sync::Arc;

use super::super::error::Res;
use super::super::expr::FnDef;
use super::Machine;
use crate::value::{Code, Function, Value};

/// Local names, the innermost first.
#[derive(Clone, Default)]
pub(in super::super) struct Env(pub(in super::super) Option<Arc<Node>>);

pub(in super::super) struct Node {
    name: Arc<str>,
    pub(in super::super) value: Value,
    pub(in super::super) next: Env,
}

impl Env {
    pub(super) fn bind(&mut self, name: &Arc<str>, value: Value) {
        let next = Self(self.0.take());
        self.0 = Some(Arc::new(Node {
            name: Arc::clone(name),
            value,
            next,
        }));
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let mut at = self.0.as_ref();
        while let Some(node) = at {
            if &*node.name == name {
                return Some(&node.value);
            }
            at = node.next.0.as_ref();
        }
        None
    }
}

/// A function that a program wrote.
pub(in super::super) struct Closure {
    pub(in super::super) def: Arc<FnDef>,
    pub(in super::super) env: Env,
}

/// What a native function does: what it remembers, and its arguments.
pub(in super::super) type NativeRun = fn(&mut Machine<'_>, &[Value], Vec<Value>) -> Res;

/// A function that a builtin made, such as `(comp str inc)`.
pub(in super::super) struct Native {
    pub(in super::super) remembered: Vec<Value>,
    pub(in super::super) run: NativeRun,
}

/// A pattern of `re-pattern`.
pub(in super::super) struct Pattern(pub(in super::super) regex::Regex);

pub(super) fn closure(def: &Arc<FnDef>, env: &Env) -> Value {
    let mut function = Function::new(def.names.clone());
    function.source = Some(Arc::clone(&def.source));
    function.code = Code::new(Closure {
        def: Arc::clone(def),
        env: env.clone(),
    });
    Value::Fn(Arc::new(function))
}

pub(in super::super) fn native(remembered: Vec<Value>, run: NativeRun) -> Value {
    let mut function = Function::new(vec!["&".into(), "args".into()]);
    function.code = Code::new(Native { remembered, run });
    Value::Fn(Arc::new(function))
}
