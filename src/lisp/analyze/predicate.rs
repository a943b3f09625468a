//! `(where :field op value)`.

use std::sync::Arc;

use super::super::error::LispError;
use super::super::expr::{Expr, Where, WhereOp};
use super::super::form::{Form, Kind};
use super::{Analyzer, Made};
use crate::value::Value;

fn form_error(message: &str) -> LispError {
    LispError::new("invalid_where_form", message)
        .hint("write (where :field), or (where :field op value)")
}

impl Analyzer<'_> {
    pub(super) fn where_form(&mut self, args: &[Form]) -> Made {
        let (field, test) = match args {
            [field] => (field, None),
            [field, op, value] => (field, Some((op, value))),
            _ => return Err(form_error("where takes a field, an operator and a value")),
        };
        let path = path(field)?;
        let test = test.map(|(op, value)| Ok((operator(op)?, self.value(value)?)));
        Ok(Expr::Where(Box::new(Where {
            path,
            test: test.transpose()?,
        })))
    }
}

fn path(form: &Form) -> Made<Arc<[Value]>> {
    let key = |form: &Form| match &form.kind {
        Kind::Literal(key @ (Value::Keyword(_) | Value::Str(_) | Value::Int(_))) => Ok(key.clone()),
        _ => Err(form_error("a path holds keys")),
    };
    match &form.kind {
        Kind::Literal(field @ Value::Keyword(_)) => Ok([field.clone()].into()),
        Kind::Vector(items) if !items.is_empty() => items.iter().map(key).collect(),
        _ => Err(form_error("where's field is a keyword, or a path of them")),
    }
}

fn operator(form: &Form) -> Made<WhereOp> {
    let word = form.symbol().map_or("", |name| name);
    Ok(match word {
        "=" => WhereOp::Eq,
        "not=" => WhereOp::NotEq,
        ">" => WhereOp::Gt,
        "<" => WhereOp::Lt,
        ">=" => WhereOp::Ge,
        "<=" => WhereOp::Le,
        "in" => WhereOp::In,
        "includes" => WhereOp::Includes,
        _ => {
            let message = format!("where has no operator {word}");
            return Err(LispError::new("invalid_where_operator", message)
                .hint("operators are = not= > < >= <= in includes"));
        }
    })
}
