//! Threading: `->`, `->>`, `as->`, `some->`, `some->>`, `cond->`, `cond->>`.

use super::super::error::LispError;
use super::super::expr::{Expr, IfLet, Pattern, Test};
use super::super::form::{Form, Kind};
use super::branch::choose;
use super::{Analyzer, Made, Tail, arity, shape};
use crate::value::Value;

impl Analyzer<'_> {
    pub(super) fn thread(&mut self, name: &str, form: &Form, args: &[Form], tail: Tail) -> Made {
        let [first, steps @ ..] = args else {
            let message = format!("{name} takes a value and steps");
            return Err(LispError::new("invalid_thread_form", message));
        };
        let last = name.ends_with(">>");
        match name {
            "->" | "->>" => {
                let threaded = steps
                    .iter()
                    .try_fold(first.clone(), |value, step| threaded(value, step, last))?;
                self.form(&threaded, tail)
            }
            "as->" => self.as_thread(first, steps, tail),
            "some->" | "some->>" => self.some_thread(first, steps, last),
            _ => self.cond_thread(first, steps, last, form),
        }
    }

    fn as_thread(&mut self, first: &Form, steps: &[Form], tail: Tail) -> Made {
        let [name, steps @ ..] = steps else {
            return Err(arity("as->", "a value, a name and steps"));
        };
        let value = self.value(first)?;
        let before = self.locals.len();
        let bound = (self.pattern(name)?, value);
        let mut bindings = vec![bound];
        let made = match steps.split_last() {
            None => self.value(name),
            Some((last, steps)) => steps
                .iter()
                .try_for_each(|step| {
                    let value = self.value(step)?;
                    bindings.push((self.pattern(name)?, value));
                    Ok(())
                })
                .and_then(|()| self.form(last, tail)),
        };
        self.locals.truncate(before);
        Ok(Expr::Let(bindings, Box::new(made?)))
    }

    fn some_thread(&mut self, first: &Form, steps: &[Form], last: bool) -> Made {
        let Some((step, steps)) = steps.split_first() else {
            return self.value(first);
        };
        let value = self.value(first)?;
        let name = self.made_up();
        self.enter()?;
        self.locals.push(name.clone());
        let symbol = Form::new(Kind::Symbol(name.clone()), step.at, step.at);
        let then =
            threaded(symbol, step, last).and_then(|next| self.some_thread(&next, steps, last));
        self.locals.pop();
        self.depth -= 1;
        Ok(Expr::IfLet(Box::new(IfLet {
            pattern: Pattern::Name(name),
            value,
            test: Test::Some,
            then: then?,
            otherwise: Expr::Const(Value::Nil),
        })))
    }

    fn cond_thread(&mut self, first: &Form, steps: &[Form], last: bool, form: &Form) -> Made {
        if !steps.len().is_multiple_of(2) {
            return Err(arity("cond->", "a value, then tests and steps in turn").at(form.at));
        }
        let name = self.made_up();
        let mut bindings = vec![(Pattern::Name(name.clone()), self.value(first)?)];
        self.locals.push(name.clone());
        let made = steps.chunks_exact(2).try_for_each(|pair| {
            let symbol = Form::new(Kind::Symbol(name.clone()), pair[1].at, pair[1].at);
            let test = self.value(&pair[0])?;
            let step = threaded(symbol, &pair[1], last)?;
            let value = choose(test, self.value(&step)?, Expr::Local(name.clone()));
            bindings.push((Pattern::Name(name.clone()), value));
            Ok(())
        });
        self.locals.pop();
        made?;
        Ok(Expr::Let(bindings, Box::new(Expr::Local(name))))
    }
}

/// A step with the value put into it, first or last.
fn threaded(value: Form, step: &Form, last: bool) -> Made<Form> {
    let items = match &step.kind {
        Kind::List(items) if !items.is_empty() => {
            let mut items = items.clone();
            let place = if last { items.len() } else { 1 };
            items.insert(place, value);
            items
        }
        Kind::Symbol(name) if name.starts_with("tool/") => {
            return Err(shape(format!("{name} can't be a step"))
                .hint(format!("write ({name} {{..}})"))
                .at(step.at));
        }
        _ => vec![step.clone(), value],
    };
    Ok(Form::new(Kind::List(items), step.at, step.end))
}
