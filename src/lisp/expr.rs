//! What a program means, after names and special forms are resolved.

use std::sync::Arc;

use super::builtins::Builtin;
use crate::value::Value;

#[derive(Debug)]
pub(super) enum Expr {
    Const(Value),
    Local(Arc<str>),
    /// A definition, else a builtin of the name.
    Global(Arc<str>, usize),
    Builtin(&'static Builtin),
    Data(Arc<str>),
    /// `*1`, `*2`, `*3`: how many programs ago, from 0.
    History(usize),
    Vector(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Set(Vec<Expr>),
    Regex(Arc<str>),
    Do(Vec<Expr>),
    If(Box<(Expr, Expr, Expr)>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Let(Vec<(Pattern, Expr)>, Box<Expr>),
    /// Binds and goes on if the value passes the test.
    IfLet(Box<IfLet>),
    Case(Box<Case>),
    Fn(Arc<FnDef>),
    Def(Box<Def>),
    Loop(Vec<(Pattern, Expr)>, Box<Expr>),
    Recur(Vec<Expr>),
    /// `for`, and `doseq` where nothing is collected.
    For(Box<For>),
    Call(Box<Expr>, Vec<Expr>, usize),
    Tool(Arc<str>, Vec<Expr>, usize),
    Where(Box<Where>),
    Pmap(Box<(Expr, Vec<Expr>)>, usize),
    Pcalls(Vec<Expr>, usize),
    Return(Box<Expr>),
    Fail(Box<Expr>),
}

#[derive(Debug)]
pub(super) struct IfLet {
    pub(super) pattern: Pattern,
    pub(super) value: Expr,
    pub(super) test: Test,
    pub(super) then: Expr,
    pub(super) otherwise: Expr,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Test {
    /// Neither nil nor false.
    Truthy,
    /// Not nil.
    Some,
    /// A collection with a first item, which is bound.
    First,
}

#[derive(Debug)]
pub(super) struct Case {
    pub(super) value: Expr,
    pub(super) arms: Vec<(Vec<Value>, Expr)>,
    pub(super) otherwise: Expr,
}

#[derive(Debug)]
pub(super) struct Def {
    pub(super) name: Arc<str>,
    pub(super) doc: Option<Arc<str>>,
    pub(super) value: Expr,
    pub(super) once: bool,
}

#[derive(Debug)]
pub(super) struct FnDef {
    /// As they are listed: `_` for a pattern, `&` before the rest.
    pub(super) names: Vec<Arc<str>>,
    pub(super) params: Vec<Pattern>,
    pub(super) rest: Option<Pattern>,
    pub(super) body: Expr,
    pub(super) source: Arc<str>,
}

#[derive(Debug)]
pub(super) struct For {
    pub(super) clauses: Vec<Clause>,
    pub(super) body: Expr,
    pub(super) collect: bool,
}

#[derive(Debug)]
pub(super) enum Clause {
    Each(Pattern, Expr),
    Let(Vec<(Pattern, Expr)>),
    When(Expr),
    While(Expr),
}

#[derive(Debug)]
pub(super) enum Pattern {
    Name(Arc<str>),
    /// Items in order, then the rest.
    Items(Vec<Pattern>, Option<Box<Pattern>>),
    Map(MapPattern),
}

#[derive(Debug, Default)]
pub(super) struct MapPattern {
    /// What is bound from which key, with what stands in where the key is missing.
    pub(super) entries: Vec<(Pattern, Value, Option<Expr>)>,
    pub(super) whole: Option<Arc<str>>,
}

#[derive(Debug)]
pub(super) struct Where {
    pub(super) path: Arc<[Value]>,
    /// None: the field is neither false nor missing.
    pub(super) test: Option<(WhereOp, Expr)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhereOp {
    Eq,
    NotEq,
    Gt,
    Lt,
    Ge,
    Le,
    In,
    Includes,
}
