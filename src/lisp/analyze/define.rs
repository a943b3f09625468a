//! Definitions and functions: `def`, `defonce`, `defn`, `fn`, `#( .. )`.

use std::sync::Arc;

use super::super::expr::{Def, Expr, FnDef, Pattern};
use super::super::form::{Form, Kind};
use super::binding::split_rest;
use super::{Analyzer, Made, Tail, arity, shape};

impl Analyzer<'_> {
    pub(super) fn def(&mut self, form_name: &str, args: &[Form]) -> Made {
        let (name, doc, value) = match args {
            [name, value] => (name, None, value),
            [name, doc, value] if doc.string().is_some() => (name, doc.string(), value),
            _ => return Err(arity(form_name, "a name, perhaps a docstring, and a value")),
        };
        let name = defined_name(form_name, name)?;
        let value = self.value(value)?;
        self.globals.insert(Arc::clone(&name));
        Ok(Expr::Def(Box::new(Def {
            name,
            doc: doc.cloned(),
            value,
            once: form_name == "defonce",
        })))
    }

    pub(super) fn defn(&mut self, args: &[Form], form: &Form) -> Made {
        let [name, rest @ ..] = args else {
            return Err(arity("defn", "a name, parameters and a body"));
        };
        let name = defined_name("defn", name)?;
        let (doc, rest) = match rest {
            [doc, more @ ..] if doc.string().is_some() && !more.is_empty() => (doc.string(), more),
            _ => (None, rest),
        };
        let [params, body @ ..] = rest else {
            return Err(arity("defn", "a name, parameters and a body"));
        };
        if body.is_empty() {
            return Err(arity("defn", "a name, parameters and a body"));
        }
        // A function may call itself.
        self.globals.insert(Arc::clone(&name));
        let source = format!("(fn {}", &self.program[params.at..form.end]);
        Ok(Expr::Def(Box::new(Def {
            name,
            doc: doc.cloned(),
            value: self.lambda(params, body, source)?,
            once: false,
        })))
    }

    pub(super) fn function(&mut self, args: &[Form], form: &Form) -> Made {
        let [params, body @ ..] = args else {
            return Err(arity("fn", "parameters and a body"));
        };
        if body.is_empty() {
            return Err(arity("fn", "parameters and a body"));
        }
        let source = self.program[form.at..form.end].to_owned();
        self.lambda(params, body, source)
    }

    fn lambda(&mut self, params: &Form, body: &[Form], source: String) -> Made {
        let Some(items) = params.vector() else {
            return Err(shape("parameters are written in a vector")
                .hint("(fn [x & more] ..); one function has one list of parameters"));
        };
        let (items, rest) = split_rest(items)?;
        let before = self.locals.len();
        let made = items
            .iter()
            .map(|item| self.pattern(item))
            .collect::<Made<Vec<_>>>()
            .and_then(|params| {
                let rest = rest.map(|rest| self.pattern(rest)).transpose()?;
                self.finish(params, rest, source, |own| own.body(body, Tail::Yes))
            });
        self.locals.truncate(before);
        made
    }

    fn finish(
        &mut self,
        params: Vec<Pattern>,
        rest: Option<Pattern>,
        source: String,
        body: impl FnOnce(&mut Self) -> Made,
    ) -> Made {
        let outer = self
            .recur
            .replace(params.len() + usize::from(rest.is_some()));
        let body = body(self);
        self.recur = outer;
        let mut names: Vec<Arc<str>> = params.iter().map(listed).collect();
        if let Some(rest) = &rest {
            names.extend(["&".into(), listed(rest)]);
        }
        Ok(Expr::Fn(Arc::new(FnDef {
            names,
            params,
            rest,
            body: body?,
            source: source.into(),
        })))
    }

    pub(super) fn short_fn(&mut self, items: &[Form], form: &Form) -> Made {
        let (mut count, mut rest) = (0, false);
        find_params(items, &mut count, &mut rest)?;
        let before = self.locals.len();
        let name = |index: usize| Arc::<str>::from(format!("%{index}"));
        let params: Vec<Pattern> = (1..=count).map(|i| Pattern::Name(name(i))).collect();
        self.locals.extend((1..=count).map(name));
        let rest = rest.then(|| {
            self.locals.push("%&".into());
            Pattern::Name("%&".into())
        });
        let body = Form::new(Kind::List(items.to_vec()), form.at, form.end);
        let source = self.program[form.at..form.end].to_owned();
        let made = self.finish(params, rest, source, |own| own.form(&body, Tail::Yes));
        self.locals.truncate(before);
        made
    }
}

/// Parameters that one short function may have.
const MAX_SHORT_PARAMS: usize = 20;

fn find_params(items: &[Form], count: &mut usize, rest: &mut bool) -> Made<()> {
    for item in items {
        match &item.kind {
            Kind::Symbol(name) => match name.strip_prefix('%') {
                Some("") => *count = (*count).max(1),
                Some("&") => *rest = true,
                Some(digits) => {
                    let index = digits.parse().ok();
                    let index = index.filter(|index| (1..=MAX_SHORT_PARAMS).contains(index));
                    let Some(index) = index else {
                        return Err(shape(format!("{name} is no parameter"))
                            .hint("parameters are %, %1 to %20 and %&")
                            .at(item.at));
                    };
                    *count = (*count).max(index);
                }
                None => {}
            },
            Kind::ShortFn(_) => {
                return Err(shape("a #() inside a #()")
                    .hint("write the inner one as (fn [x] ..)")
                    .at(item.at));
            }
            Kind::List(inner) | Kind::Vector(inner) | Kind::Map(inner) | Kind::Set(inner) => {
                find_params(inner, count, rest)?;
            }
            Kind::Literal(_) | Kind::Regex(_) | Kind::Var(_) => {}
        }
    }
    Ok(())
}

/// How a parameter is listed.
fn listed(pattern: &Pattern) -> Arc<str> {
    match pattern {
        Pattern::Name(name) => match name.strip_prefix('%') {
            Some("&") => "rest".into(),
            Some(index) => format!("p{index}").into(),
            None => Arc::clone(name),
        },
        _ => "_".into(),
    }
}

fn defined_name(form: &str, name: &Form) -> Made<Arc<str>> {
    match name.symbol() {
        Some(name) if !name.contains('/') || &**name == "/" => Ok(Arc::clone(name)),
        Some(name) => Err(shape(format!("{name} can't be defined"))
            .hint("tool/ and data/ can only be read; choose a name without /")),
        None => Err(shape(format!("{form} takes a name first"))),
    }
}
