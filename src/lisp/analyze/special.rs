//! Which words are special forms, and the small ones among them.

use super::super::expr::Expr;
use super::super::form::Form;
use super::{Analyzer, Made, Tail, arity, shape};

impl Analyzer<'_> {
    /// The expression of a special form; None where the name is no special form.
    pub(super) fn special(
        &mut self,
        name: &str,
        form: &Form,
        args: &[Form],
        tail: Tail,
    ) -> Option<Made> {
        Some(match name {
            "do" => self.body(args, tail),
            "def" | "defonce" => self.def(name, args),
            "defn" => self.defn(args, form),
            "fn" => self.function(args, form),
            "let" => self.let_form(args, tail),
            "loop" => self.loop_form(args),
            "recur" => self.recur_form(args, tail),
            "for" | "doseq" => self.for_form(name, args),
            "if" | "if-not" => self.if_form(name, args, tail),
            "when" | "when-not" => self.when_form(name, args, tail),
            "if-let" | "if-some" => self.if_let(name, args, tail),
            "when-let" | "when-some" | "when-first" => self.when_let(name, args, tail),
            "cond" => self.cond(args, tail),
            "condp" => self.condp(args, tail, form),
            "case" => self.case(args, tail),
            "and" => self.each_with_tail(args, tail).map(Expr::And),
            "or" => self.each_with_tail(args, tail).map(Expr::Or),
            "->" | "->>" | "as->" | "some->" | "some->>" | "cond->" | "cond->>" => {
                self.thread(name, form, args, tail)
            }
            "where" => self.where_form(args),
            "return" => self.one(name, args).map(Expr::Return),
            "fail" => self.one(name, args).map(Expr::Fail),
            "pmap" => self.pmap(args, form.at),
            "pcalls" => self.each(args).map(|calls| Expr::Pcalls(calls, form.at)),
            "=" | "not=" | "<" | ">" | "<=" | ">=" if args.len() != 2 => {
                Err(arity(name, "exactly two values").hint("join several tests with and"))
            }
            _ => return None,
        })
    }

    fn one(&mut self, name: &str, args: &[Form]) -> Made<Box<Expr>> {
        match args {
            [value] => Ok(Box::new(self.value(value)?)),
            _ => Err(arity(name, "exactly one value")),
        }
    }

    fn each_with_tail(&mut self, args: &[Form], tail: Tail) -> Made<Vec<Expr>> {
        let Some((last, before)) = args.split_last() else {
            return Ok(Vec::new());
        };
        let mut all = self.each(before)?;
        all.push(self.form(last, tail)?);
        Ok(all)
    }

    fn recur_form(&mut self, args: &[Form], tail: Tail) -> Made {
        let Some(takes) = self.recur.filter(|_| tail == Tail::Yes) else {
            return Err(
                shape("recur must be the last thing that a loop or function does")
                    .hint("use a function that calls itself, or reduce"),
            );
        };
        if args.len() != takes {
            let message = format!("recur gives {} values where {takes} are bound", args.len());
            return Err(super::LispError::new("arity_mismatch", message));
        }
        Ok(Expr::Recur(self.each(args)?))
    }

    fn pmap(&mut self, args: &[Form], at: usize) -> Made {
        match args {
            [function, first, rest @ ..] => {
                let function = self.value(function)?;
                let mut lists = vec![self.value(first)?];
                lists.extend(self.each(rest)?);
                Ok(Expr::Pmap(Box::new((function, lists)), at))
            }
            _ => Err(arity("pmap", "a function and a collection")),
        }
    }
}
