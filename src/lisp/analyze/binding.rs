//! The special forms that bind names: `let`, `loop`, `for`, `doseq`, and the patterns they take.

use std::sync::Arc;

use super::super::error::LispError;
use super::super::expr::{Clause, Expr, For, MapPattern, Pattern};
use super::super::form::{Form, Kind};
use super::{Analyzer, Made, Tail, arity, shape};
use crate::value::Value;

fn unsupported(message: impl Into<String>) -> LispError {
    LispError::new("unsupported_pattern", message)
        .hint("patterns are names, [a b & more] and {:keys [a b] :or {b 0}}")
}

impl Analyzer<'_> {
    pub(super) fn let_form(&mut self, args: &[Form], tail: Tail) -> Made {
        let [bindings, body @ ..] = args else {
            return Err(arity("let", "bindings and a body"));
        };
        let before = self.locals.len();
        let bound = self.bindings("let", bindings);
        let made = bound.and_then(|bound| {
            if body.is_empty() {
                return Err(arity("let", "bindings and a body"));
            }
            Ok(Expr::Let(bound, Box::new(self.body(body, tail)?)))
        });
        self.locals.truncate(before);
        made
    }

    pub(super) fn loop_form(&mut self, args: &[Form]) -> Made {
        let [bindings, body @ ..] = args else {
            return Err(arity("loop", "bindings and a body"));
        };
        if body.is_empty() {
            return Err(arity("loop", "bindings and a body"));
        }
        let before = self.locals.len();
        let outer = self.recur;
        let made = self.bindings("loop", bindings).and_then(|bound| {
            self.recur = Some(bound.len());
            Ok(Expr::Loop(bound, Box::new(self.body(body, Tail::Yes)?)))
        });
        self.recur = outer;
        self.locals.truncate(before);
        made
    }

    fn bindings(&mut self, name: &str, form: &Form) -> Made<Vec<(Pattern, Expr)>> {
        let pairs = form.vector().filter(|items| items.len() % 2 == 0);
        let Some(items) = pairs else {
            return Err(
                shape(format!("{name} binds names to values in a vector")).hint("[name value ..]")
            );
        };
        let pairs = items.chunks_exact(2).map(|pair| {
            if matches!(pair[0].kind, Kind::Literal(_)) {
                return Err(unsupported("this can't be bound").at(pair[0].at));
            }
            let value = self.value(&pair[1])?;
            Ok((self.pattern(&pair[0])?, value))
        });
        pairs.collect()
    }

    pub(super) fn for_form(&mut self, name: &str, args: &[Form]) -> Made {
        let [clauses, body @ ..] = args else {
            return Err(arity(name, "bindings and a body"));
        };
        let Some(items) = clauses.vector().filter(|items| items.len() % 2 == 0) else {
            return Err(shape(format!("{name} takes its bindings in a vector"))
                .hint("[name collection :when test]"));
        };
        if body.is_empty() {
            return Err(arity(name, "bindings and a body"));
        }
        let (before, outer) = (self.locals.len(), self.recur.take());
        let made = self.clauses(items).and_then(|clauses| {
            Ok(Expr::For(Box::new(For {
                clauses,
                body: self.body(body, Tail::No)?,
                collect: name == "for",
            })))
        });
        self.recur = outer;
        self.locals.truncate(before);
        made
    }

    fn clauses(&mut self, items: &[Form]) -> Made<Vec<Clause>> {
        let pairs = items.chunks_exact(2).map(|pair| match pair[0].keyword() {
            Some("let") => Ok(Clause::Let(self.bindings(":let", &pair[1])?)),
            Some("when") => Ok(Clause::When(self.value(&pair[1])?)),
            Some("while") => Ok(Clause::While(self.value(&pair[1])?)),
            Some(other) => Err(shape(format!("unknown word :{other}"))
                .hint("bindings take :let, :when and :while")
                .at(pair[0].at)),
            None => {
                let list = self.value(&pair[1])?;
                Ok(Clause::Each(self.pattern(&pair[0])?, list))
            }
        });
        pairs.collect()
    }

    /// A pattern; its names are local from here on.
    pub(super) fn pattern(&mut self, form: &Form) -> Made<Pattern> {
        let made = match &form.kind {
            Kind::Symbol(name) if !name.contains('/') => {
                self.locals.push(Arc::clone(name));
                Ok(Pattern::Name(Arc::clone(name)))
            }
            Kind::Vector(items) => self.items_pattern(items),
            Kind::Map(items) => self.map_pattern(items),
            _ => Err(unsupported("this can't be bound")),
        };
        made.map_err(|error| error.at(form.at))
    }

    fn items_pattern(&mut self, items: &[Form]) -> Made<Pattern> {
        let (items, rest) = split_rest(items)?;
        if items.iter().any(|item| item.keyword().is_some()) {
            return Err(unsupported("a vector pattern can't name the whole"));
        }
        let items = items.iter().map(|item| self.pattern(item));
        let items = items.collect::<Made<_>>()?;
        let rest = rest.map(|rest| self.pattern(rest).map(Box::new));
        Ok(Pattern::Items(items, rest.transpose()?))
    }

    fn map_pattern(&mut self, items: &[Form]) -> Made<Pattern> {
        let mut made = MapPattern::default();
        let defaults = items.chunks_exact(2).find_map(|pair| {
            let is_or = pair[0].keyword() == Some("or");
            match &pair[1].kind {
                Kind::Map(entries) if is_or => Some(entries.as_slice()),
                _ => None,
            }
        });
        let defaults = defaults.unwrap_or_default();
        for pair in defaults.chunks_exact(2) {
            if pair[0].symbol().is_none() {
                return Err(shape(":or takes names and their defaults").at(pair[0].at));
            }
            if !matches!(pair[1].kind, Kind::Literal(_)) {
                return Err(shape("a default is a literal")
                    .hint("write (let [a (or a ..)] ..) for what is computed")
                    .at(pair[1].at));
            }
        }
        for pair in items.chunks_exact(2) {
            match pair[0].keyword() {
                Some("or") => {}
                Some("as") => {
                    let Some(name) = pair[1].symbol() else {
                        return Err(unsupported(":as takes a name"));
                    };
                    self.locals.push(Arc::clone(name));
                    made.whole = Some(Arc::clone(name));
                }
                Some(kind @ ("keys" | "strs")) => {
                    let Some(names) = pair[1].vector() else {
                        return Err(shape(format!(":{kind} takes names in a vector")));
                    };
                    for name in names {
                        let plain = name.symbol().map(|name| &**name).or(name.keyword());
                        let Some(plain) = plain else {
                            return Err(shape(format!(":{kind} takes names")).at(name.at));
                        };
                        let key = if kind == "keys" {
                            Value::keyword(plain)
                        } else {
                            Value::string(plain)
                        };
                        let default = self.default_of(plain, defaults)?;
                        self.locals.push(plain.into());
                        made.entries
                            .push((Pattern::Name(plain.into()), key, default));
                    }
                }
                Some(other) => return Err(unsupported(format!("unknown word :{other}"))),
                None => {
                    let key = match &pair[1].kind {
                        Kind::Literal(key @ (Value::Keyword(_) | Value::Str(_))) => key.clone(),
                        Kind::Symbol(name) => Value::Keyword(Arc::clone(name)),
                        _ => return Err(shape("a name is bound from a key").at(pair[1].at)),
                    };
                    let default = match pair[0].symbol() {
                        Some(name) => self.default_of(name, defaults)?,
                        None => None,
                    };
                    let pattern = self.pattern(&pair[0])?;
                    made.entries.push((pattern, key, default));
                }
            }
        }
        if made.entries.is_empty() && defaults.is_empty() {
            return Err(unsupported(
                "a map pattern binds one name from a key at least",
            ));
        }
        Ok(Pattern::Map(made))
    }

    fn default_of(&mut self, name: &str, defaults: &[Form]) -> Made<Option<Expr>> {
        let mut pairs = defaults.chunks_exact(2);
        let found = pairs.find(|pair| pair[0].symbol().is_some_and(|key| **key == *name));
        found.map(|pair| self.value(&pair[1])).transpose()
    }
}

/// Patterns in order, and the one behind `&`.
pub(super) fn split_rest(items: &[Form]) -> Made<(&[Form], Option<&Form>)> {
    let is_and = |item: &Form| item.symbol().is_some_and(|name| &**name == "&");
    match items.iter().position(is_and) {
        None => Ok((items, None)),
        Some(at) => match &items[at + 1..] {
            [rest] => Ok((&items[..at], Some(rest))),
            _ => Err(shape("& takes exactly one pattern, the last")),
        },
    }
}
