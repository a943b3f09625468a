//! From forms to expressions: special forms are checked, names resolved. What is wrong with a
//! program's shape, and a name that nothing defines, is found here, before anything runs.

mod binding;
mod branch;
mod define;
mod names;
mod predicate;
mod special;
mod thread;

use std::collections::HashSet;
use std::sync::Arc;

use super::error::LispError;
use super::expr::Expr;
use super::form::{Form, Kind};
use crate::value::{Map, Value};

pub(super) type Made<T = Expr> = Result<T, LispError>;

/// Makes expressions of a program's forms.
pub(super) struct Analyzer<'a> {
    program: &'a str,
    /// Names in memory, and those defined so far by the program.
    globals: HashSet<Arc<str>>,
    locals: Vec<Arc<str>>,
    /// How many values the loop or function around takes on `recur`.
    recur: Option<usize>,
    /// Names made up here so far.
    made_up: usize,
    /// Forms around this one; threading nests deeper than brackets do.
    depth: usize,
    /// Tools and data that bare names may stand for; none where they may not.
    bare: Option<BareNames>,
}

/// What bare names stand for where nothing else has the name [NS-004..009].
#[derive(Debug)]
pub(super) struct BareNames {
    pub(super) tools: HashSet<Arc<str>>,
    pub(super) data: HashSet<Arc<str>>,
}

/// Forms that may be around one, and branches of one `cond`.
const MAX_DEPTH: usize = 400;

/// Whether a form's value is that of the loop or function around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    Yes,
    No,
}

impl<'a> Analyzer<'a> {
    pub(super) fn new<'n>(
        program: &'a str,
        defined: impl Iterator<Item = &'n Arc<str>>,
        bare: Option<BareNames>,
    ) -> Self {
        Self {
            program,
            globals: defined.cloned().collect(),
            locals: Vec::new(),
            recur: None,
            made_up: 0,
            depth: 0,
            bare,
        }
    }

    /// The expression of a whole program.
    pub(super) fn program(&mut self, forms: &[Form]) -> Made {
        self.body(forms, Tail::No)
    }

    fn made_up(&mut self) -> Arc<str> {
        self.made_up += 1;
        // No program can write such a name.
        format!(" {}", self.made_up).into()
    }

    fn body(&mut self, forms: &[Form], tail: Tail) -> Made {
        let Some((last, before)) = forms.split_last() else {
            return Ok(Expr::Const(Value::Nil));
        };
        if before.is_empty() {
            return self.form(last, tail);
        }
        let mut all = self.each(before)?;
        all.push(self.form(last, tail)?);
        Ok(Expr::Do(all))
    }

    fn each(&mut self, forms: &[Form]) -> Made<Vec<Expr>> {
        forms.iter().map(|form| self.value(form)).collect()
    }

    /// A form whose value is used by what is around it.
    fn value(&mut self, form: &Form) -> Made {
        self.form(form, Tail::No)
    }

    fn form(&mut self, form: &Form, tail: Tail) -> Made {
        self.enter()?;
        let made = match &form.kind {
            Kind::Literal(value) => Ok(Expr::Const(value.clone())),
            Kind::Symbol(name) => self.symbol(name, form.at),
            Kind::Vector(items) => Ok(Expr::Vector(self.each(items)?)),
            Kind::Map(items) => {
                let pairs = items.chunks_exact(2);
                let pairs = pairs.map(|pair| Ok((self.value(&pair[0])?, self.value(&pair[1])?)));
                Ok(Expr::Map(pairs.collect::<Made<_>>()?))
            }
            Kind::Set(items) => Ok(Expr::Set(self.each(items)?)),
            Kind::ShortFn(items) => self.short_fn(items, form),
            Kind::Regex(pattern) => Ok(Expr::Regex(Arc::clone(pattern))),
            Kind::Var(name) => Ok(Expr::Const(Value::Var(Arc::clone(name)))),
            Kind::List(items) => self.list(form, items, tail),
        };
        self.depth -= 1;
        made.map_err(|error| error.at(form.at))
    }

    /// One form deeper. Only an error ends the analysis without going up again.
    fn enter(&mut self) -> Made<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(too_deep());
        }
        Ok(())
    }

    fn list(&mut self, form: &Form, items: &[Form], tail: Tail) -> Made {
        let Some((head, args)) = items.split_first() else {
            return Ok(Expr::Vector(Vec::new()));
        };
        if let Some(name) = head.symbol() {
            if !self.is_defined(name)
                && let Some(special) = self.special(name, form, args, tail)
            {
                return special;
            }
            if let Some(tool) = name.strip_prefix("tool/") {
                return Ok(Expr::Tool(tool.into(), self.each(args)?, form.at));
            }
            if let Some(names::Bare::Tool) = self.bare(name)? {
                return Ok(Expr::Tool(Arc::clone(name), self.each(args)?, form.at));
            }
            if name.starts_with("data/") && name.len() > 5 {
                let message = format!("{name} is a value, not a function");
                return Err(LispError::new("invalid_form", message)
                    .hint(format!("write {name} without parentheses")));
            }
            match &**name {
                // There is no budget of the host's to ask for.
                "budget/remaining" => return Ok(Expr::Const(Value::map(Map::default()))),
                "." => {
                    return Err(shape("methods are called by their names").hint("(.length text)"));
                }
                _ => {}
            }
        }
        if let Kind::Literal(Value::Keyword(_) | Value::Bool(_) | Value::Nil) = head.kind
            && (args.is_empty() || args.len() > 2)
        {
            let message = "a keyword is called with a map, and a default if need be";
            return Err(LispError::new("invalid_keyword_call", message)
                .hint("write (:name map) or (:name map default)"));
        }
        let called = self.value(head)?;
        Ok(Expr::Call(Box::new(called), self.each(args)?, form.at))
    }

    fn is_defined(&self, name: &str) -> bool {
        self.locals.iter().any(|local| &**local == name) || self.globals.contains(name)
    }
}

/// The error of a special form with too few or too many parts.
fn arity(name: &str, takes: &str) -> LispError {
    LispError::new("invalid_arity", format!("{name} takes {takes}"))
}

/// The error of a special form that is written in another way.
fn shape(message: impl Into<String>) -> LispError {
    LispError::new("invalid_form", message)
}

fn too_deep() -> LispError {
    let message = format!("more than {MAX_DEPTH} forms inside each other");
    LispError::new("parse_error", message).hint("use let or def to give inner parts a name")
}
