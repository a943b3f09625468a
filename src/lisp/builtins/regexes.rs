//! Patterns. They are matched in linear time, so back-references and look-around are none.

use std::sync::Arc;

use regex::{Captures, Regex, RegexBuilder};

use super::args::{runtime_error, string, type_error};
use super::{Builtin, row};
use crate::lisp::error::Res;
use crate::lisp::eval::env::Pattern;
use crate::lisp::eval::{Machine, code_of};
use crate::value::{Code, Function, Value};

/// Bytes that a compiled pattern may take.
const MAX_SIZE: usize = 1 << 20;

pub(super) const TABLE: &[Builtin] = &[
    row(
        "re-pattern",
        1,
        1,
        "The pattern that a text writes.",
        |_, a| match &a[0] {
            Value::Str(text) => pattern(text),
            other if regex(other).is_some() => Ok(other.clone()),
            _ => type_error("re-pattern", &a),
        },
    ),
    row(
        "re-find",
        2,
        2,
        "The first match, with its groups if it has some.",
        |m, a| {
            let (pattern, text) = parts(m, "re-find", &a)?;
            Ok(pattern
                .captures(text)
                .map_or(Value::Nil, |found| groups(&found)))
        },
    ),
    row(
        "re-matches",
        2,
        2,
        "The match of the whole text, or nil.",
        |m, a| {
            let (pattern, text) = parts(m, "re-matches", &a)?;
            let whole = Regex::new(&format!(r"\A(?:{})\z", pattern.as_str()));
            let found = whole
                .ok()
                .and_then(|whole| whole.captures(text).map(|found| groups(&found)));
            Ok(found.unwrap_or_default())
        },
    ),
    row("re-seq", 2, 2, "All matches.", |m, a| {
        let (pattern, text) = parts(m, "re-seq", &a)?;
        let mut found = Vec::new();
        for captures in pattern.captures_iter(text) {
            m.budget.cells(captures.len() + captures[0].len() / 8 + 1)?;
            found.push(groups(&captures));
        }
        Ok(Value::list(found))
    }),
    row(
        "re-split",
        2,
        2,
        "The parts of a text between matches.",
        |m, a| {
            let (pattern, text) = parts(m, "re-split", &a)?;
            let parts = pattern
                .split(text)
                .map(|part| m.text(part))
                .collect::<Res<_>>()?;
            m.list(parts)
        },
    ),
    row(
        "extract",
        2,
        3,
        "A group of the first match, the first if none is named.",
        |m, a| {
            let group = if a.len() > 2 {
                super::args::count("extract", &a, 2)?
            } else {
                1
            };
            Ok(extracted(m, "extract", &a, group)?.map_or(Value::Nil, Value::string))
        },
    ),
    row(
        "extract-int",
        2,
        4,
        "As extract, as a whole number, or a default.",
        |m, a| {
            let group = if a.len() > 2 {
                super::args::count("extract-int", &a, 2)?
            } else {
                1
            };
            let found = extracted(m, "extract-int", &a, group)?;
            let number = found.map(|text| super::strings::parse_long(&Value::string(text)));
            let number = number.filter(|number| !number.is_nil());
            Ok(number.unwrap_or_else(|| a.get(3).cloned().unwrap_or_default()))
        },
    ),
];

/// The pattern value of a text.
pub(in super::super) fn pattern(text: &str) -> Res {
    match RegexBuilder::new(text).size_limit(MAX_SIZE).build() {
        Ok(regex) => {
            let mut function = Function::new(vec!["text".into()]);
            function.code = Code::new(Pattern(regex));
            Ok(Value::Fn(Arc::new(function)))
        }
        Err(error) => {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or("invalid").trim().to_owned();
            runtime_error(format!("re-pattern: {why}"))
        }
    }
}

pub(super) fn regex(value: &Value) -> Option<&Regex> {
    code_of(value)?.get::<Pattern>().map(|pattern| &pattern.0)
}

/// The text of a pattern, and of nothing else.
pub(in super::super) fn pattern_text(value: &Value) -> Option<&str> {
    regex(value).map(Regex::as_str)
}

fn parts<'a>(m: &mut Machine<'_>, op: &str, args: &'a [Value]) -> Res<(&'a Regex, &'a str)> {
    let Some(pattern) = regex(&args[0]) else {
        return type_error(op, args);
    };
    let text = string(op, args, 1)?;
    m.budget.step(text.len() / 8)?;
    Ok((pattern, text))
}

/// The match alone, or with its groups; as in the reference, groups without a match at the end are
/// left out and others are empty.
fn groups(found: &Captures<'_>) -> Value {
    let mut all: Vec<Option<&str>> = found
        .iter()
        .map(|group| group.map(|g| g.as_str()))
        .collect();
    while all.last().is_some_and(Option::is_none) {
        all.pop();
    }
    let text = |group: Option<&str>| Value::string(group.unwrap_or_default());
    if all.len() <= 1 {
        return text(all.first().copied().flatten());
    }
    Value::list(all.into_iter().map(text).collect())
}

/// What matches are replaced with, as the `regex` crate writes it. In a program `&` stands for the
/// match and `\\1` for its first group; a backslash before either takes that meaning away.
pub(super) fn replacement(with: &str) -> String {
    let mut out = String::with_capacity(with.len());
    let mut rest = with.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '$' => out.push_str("$$"),
            '&' => out.push_str("${0}"),
            '\\' => match rest.next() {
                Some(digit) if digit.is_ascii_digit() => {
                    out.push_str("${");
                    out.push(digit);
                    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                        out.push(digit);
                    }
                    out.push('}');
                }
                Some('$') => out.push_str("$$"),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            other => out.push(other),
        }
    }
    out
}

fn extracted(m: &mut Machine<'_>, op: &str, args: &[Value], group: usize) -> Res<Option<String>> {
    let made;
    let pattern_value = match &args[0] {
        Value::Str(text) => {
            made = pattern(text)?;
            &made
        }
        other => other,
    };
    let args = [pattern_value.clone(), args[1].clone()];
    let (pattern, text) = parts(m, op, &args)?;
    let found = pattern.captures(text);
    Ok(found.and_then(|found| found.get(group).map(|g| g.as_str().to_owned())))
}
