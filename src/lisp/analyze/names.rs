//! What a symbol stands for, and what to suggest where it stands for nothing.

use std::sync::Arc;

use super::super::builtins;
use super::super::error::LispError;
use super::super::expr::Expr;
use super::{Analyzer, Made, shape};
use crate::value::Value;

/// Namespaces whose functions have the names that they have without one.
const NAMESPACES: [&str; 14] = [
    "str",
    "string",
    "clojure.string",
    "set",
    "clojure.set",
    "core",
    "clojure.core",
    "walk",
    "clojure.walk",
    "Math",
    "java.lang.Math",
    "regex",
    "Long",
    "Integer",
];

impl Analyzer<'_> {
    pub(super) fn symbol(&self, name: &Arc<str>, at: usize) -> Made {
        let name = if &**name == "%" { &"%1".into() } else { name };
        if self.locals.contains(name) {
            return Ok(Expr::Local(Arc::clone(name)));
        }
        if self.globals.contains(name) {
            return Ok(Expr::Global(Arc::clone(name), at));
        }
        match &**name {
            "*1" => return Ok(Expr::History(0)),
            "*2" => return Ok(Expr::History(1)),
            "*3" => return Ok(Expr::History(2)),
            "Double/POSITIVE_INFINITY" => return Ok(Expr::Const(Value::Float(f64::INFINITY))),
            "Double/NEGATIVE_INFINITY" => return Ok(Expr::Const(Value::Float(f64::NEG_INFINITY))),
            "Double/NaN" => return Ok(Expr::Const(Value::Float(f64::NAN))),
            _ => {}
        }
        let plain = ["java.time.", "java.util."];
        let plain = plain.into_iter().find_map(|from| name.strip_prefix(from));
        if let Some(builtin) = builtins::find(plain.unwrap_or(name)) {
            return Ok(Expr::Builtin(builtin));
        }
        match name.split_once('/') {
            Some(("data", field)) if !field.is_empty() => Ok(Expr::Data(field.into())),
            Some(("tool", tool)) => Err(tool_as_value(tool)),
            Some((space, function)) if !space.is_empty() => qualified(space, function),
            _ => match self.bare(name)? {
                Some(Bare::Data) => Ok(Expr::Data(Arc::clone(name))),
                Some(Bare::Tool) => Err(tool_as_value(name)),
                None => Err(self.unbound(name)),
            },
        }
    }

    /// What a bare name stands for. Locals, definitions and builtins have the name first.
    ///
    /// # Errors
    /// `ambiguous_reference` where both a tool and the data have it [NS-007].
    pub(super) fn bare(&self, name: &str) -> Made<Option<Bare>> {
        let Some(bare) = &self.bare else {
            return Ok(None);
        };
        if self.is_defined(name) || builtins::find(name).is_some() {
            return Ok(None);
        }
        match (bare.tools.contains(name), bare.data.contains(name)) {
            (true, true) => {
                let message = format!(
                    "Symbol '{name}' exists in both tool/ and data/ namespaces. Use explicit namespace."
                );
                Err(LispError::new("ambiguous_reference", message)
                    .hint(format!("write tool/{name} or data/{name}")))
            }
            (true, false) => Ok(Some(Bare::Tool)),
            (false, true) => Ok(Some(Bare::Data)),
            (false, false) => Ok(None),
        }
    }

    fn unbound(&self, name: &str) -> LispError {
        let error = LispError::new("unbound_var", format!("Undefined variable: {name}"));
        let known = self.locals.iter().chain(&self.globals).map(|name| &**name);
        match builtins::nearest(name, known).or_else(|| builtins::similar(name)) {
            Some(near) => error.hint(format!("did you mean {near}?")),
            None => error,
        }
    }
}

/// Which namespace a bare name is found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bare {
    Tool,
    Data,
}

fn tool_as_value(tool: &str) -> LispError {
    shape(format!("tool/{tool} can only be called"))
        .hint(format!("write (tool/{tool} {{:arg value}})"))
}

fn qualified(space: &str, function: &str) -> Made {
    if NAMESPACES.contains(&space) {
        if let Some(builtin) = builtins::find(function) {
            return Ok(Expr::Builtin(builtin));
        }
        let error = shape(format!("{space} has no function {function}"));
        return Err(match builtins::similar(function) {
            Some(near) => error.hint(format!("did you mean {near}?")),
            None => error,
        });
    }
    Err(shape(format!("unknown namespace {space}"))
        .hint("tools are called as tool/NAME, input is read as data/NAME"))
}
