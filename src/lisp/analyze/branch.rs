//! The special forms that choose: `if`, `when`, `cond`, `case` and their kin.

use super::super::error::LispError;
use super::super::expr::{Case, Expr, IfLet, Test};
use super::super::form::{Form, Kind};
use super::{Analyzer, Made, Tail, arity, shape};
use crate::value::Value;

const NIL: Expr = Expr::Const(Value::Nil);

pub(super) fn choose(test: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::If(Box::new((test, then, otherwise)))
}

impl Analyzer<'_> {
    pub(super) fn if_form(&mut self, name: &str, args: &[Form], tail: Tail) -> Made {
        let (test, then, otherwise) = match args {
            [test, then] => (test, then, None),
            [test, then, otherwise] => (test, then, Some(otherwise)),
            _ => return Err(arity(name, "a test, a value, and perhaps another one")),
        };
        let test = self.value(test)?;
        let then = self.form(then, tail)?;
        let otherwise = otherwise.map_or(Ok(NIL), |form| self.form(form, tail))?;
        Ok(if name == "if" {
            choose(test, then, otherwise)
        } else {
            choose(test, otherwise, then)
        })
    }

    pub(super) fn when_form(&mut self, name: &str, args: &[Form], tail: Tail) -> Made {
        let [test, body @ ..] = args else {
            return Err(arity(name, "a test and what to do"));
        };
        let test = self.value(test)?;
        let body = self.body(body, tail)?;
        Ok(if name == "when" {
            choose(test, body, NIL)
        } else {
            choose(test, NIL, body)
        })
    }

    pub(super) fn if_let(&mut self, name: &str, args: &[Form], tail: Tail) -> Made {
        let [binding, then, otherwise] = args else {
            return Err(arity(name, "a binding, a value and another one"));
        };
        let test = if name == "if-let" {
            Test::Truthy
        } else {
            Test::Some
        };
        let otherwise = self.form(otherwise, tail)?;
        self.bound_if(
            name,
            binding,
            test,
            std::slice::from_ref(then),
            otherwise,
            tail,
        )
    }

    pub(super) fn when_let(&mut self, name: &str, args: &[Form], tail: Tail) -> Made {
        let [binding, body @ ..] = args else {
            return Err(arity(name, "a binding and what to do"));
        };
        let test = match name {
            "when-let" => Test::Truthy,
            "when-some" => Test::Some,
            _ => Test::First,
        };
        self.bound_if(name, binding, test, body, NIL, tail)
    }

    fn bound_if(
        &mut self,
        name: &str,
        binding: &Form,
        test: Test,
        then: &[Form],
        otherwise: Expr,
        tail: Tail,
    ) -> Made {
        let Some([pattern, value]) = binding.vector() else {
            return Err(shape(format!(
                "{name} binds exactly one name: [name value]"
            )));
        };
        if pattern.symbol().is_none() {
            return Err(shape(format!("{name} binds a name, not a pattern"))
                .hint("take it apart with let, inside"));
        }
        let value = self.value(value)?;
        let before = self.locals.len();
        let pattern = self.pattern(pattern)?;
        let then = self.body(then, tail);
        self.locals.truncate(before);
        Ok(Expr::IfLet(Box::new(IfLet {
            pattern,
            value,
            test,
            then: then?,
            otherwise,
        })))
    }

    pub(super) fn cond(&mut self, args: &[Form], tail: Tail) -> Made {
        if args.is_empty() || !args.len().is_multiple_of(2) {
            let message = "cond takes tests and values in turn";
            return Err(LispError::new("invalid_cond_form", message)
                .hint("write :else before the value of the last case"));
        }
        if args.len() / 2 > super::MAX_DEPTH {
            return Err(super::too_deep());
        }
        let mut made = NIL;
        for pair in args.chunks_exact(2).rev() {
            let test = self.value(&pair[0])?;
            made = choose(test, self.form(&pair[1], tail)?, made);
        }
        Ok(made)
    }

    pub(super) fn condp(&mut self, args: &[Form], tail: Tail, form: &Form) -> Made {
        let [test, value, cases @ ..] = args else {
            return Err(shape("condp takes a function, a value and cases"));
        };
        if cases.len() < 2 {
            return Err(shape("condp takes one test and its value at least"));
        }
        if cases.len() / 2 > super::MAX_DEPTH {
            return Err(super::too_deep());
        }
        let function = self.value(test)?;
        let value = self.value(value)?;
        let (names, before) = ([self.made_up(), self.made_up()], self.locals.len());
        self.locals.extend(names.iter().cloned());
        let pairs = cases.chunks_exact(2);
        let made = match pairs.remainder() {
            [otherwise] => self.form(otherwise, tail),
            _ => Ok(NIL),
        };
        let made = pairs.rev().try_fold(made?, |otherwise, pair| {
            let args = vec![self.value(&pair[0])?, Expr::Local(names[1].clone())];
            let test = Expr::Call(Box::new(Expr::Local(names[0].clone())), args, form.at);
            Ok(choose(test, self.form(&pair[1], tail)?, otherwise))
        });
        self.locals.truncate(before);
        let [function_name, value_name] = names.map(super::super::expr::Pattern::Name);
        let bound = vec![(function_name, function), (value_name, value)];
        Ok(Expr::Let(bound, Box::new(made?)))
    }

    pub(super) fn case(&mut self, args: &[Form], tail: Tail) -> Made {
        let [value, cases @ ..] = args else {
            return Err(shape("case takes a value and cases"));
        };
        let value = self.value(value)?;
        let pairs = cases.chunks_exact(2);
        let otherwise = match pairs.remainder() {
            [otherwise] => self.form(otherwise, tail)?,
            _ => NIL,
        };
        let arms = pairs.map(|pair| {
            let values = match &pair[0].kind {
                Kind::List(several) if several.is_empty() => {
                    return Err(shape("a case in brackets has one value at least").at(pair[0].at));
                }
                Kind::List(several) => several.iter().map(literal).collect::<Made<Vec<_>>>()?,
                _ => vec![literal(&pair[0])?],
            };
            Ok((values, self.form(&pair[1], tail)?))
        });
        let arms = arms.collect::<Made<_>>()?;
        Ok(Expr::Case(Box::new(Case {
            value,
            arms,
            otherwise,
        })))
    }
}

/// A value that `case` compares with.
fn literal(form: &Form) -> Made<Value> {
    match &form.kind {
        Kind::Literal(value) => Ok(value.clone()),
        _ => Err(shape("case compares with literals alone")
            .hint("use cond for values that are computed")
            .at(form.at)),
    }
}
