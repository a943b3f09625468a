//! Values as text: `println`, `str`, `pr-str`, `format`.

use std::fmt::Write as _;

use super::args::runtime_error;
use super::arith::as_float;
use super::{Builtin, MANY, row};
use crate::lisp::error::Res;
use crate::lisp::eval::Machine;
use crate::value::{Limits, Value, to_clojure};

pub(super) const TABLE: &[Builtin] = &[
    row(
        "println",
        0,
        MANY,
        "Shows values, cut at 2000 characters.",
        println,
    ),
    row("str", 0, MANY, "The values as one text.", |m, a| {
        let mut out = String::new();
        for value in &a {
            append(m, &mut out, value)?;
        }
        m.text(out)
    }),
    row(
        "pr-str",
        0,
        MANY,
        "The values as a program writes them.",
        |m, a| {
            let mut parts = Vec::with_capacity(a.len());
            for value in &a {
                parts.push(written(m, value)?);
            }
            m.text(parts.join(" "))
        },
    ),
    row(
        "format",
        1,
        MANY,
        "A text with %s, %d, %f, %.2f, %x filled in.",
        format,
    ),
];

/// What is printed: hidden entries stay hidden, everything else is there.
fn limits() -> Limits {
    Limits {
        filter_hidden: true,
        ..Limits::NONE
    }
}

fn written(m: &mut Machine<'_>, value: &Value) -> Res<String> {
    if let Some(pattern) = super::pattern_text(value) {
        return Ok(format!("#\"{pattern}\""));
    }
    m.weigh(value)?;
    let (text, _) = to_clojure(value, limits());
    m.budget.cells(text.len() / 8)?;
    Ok(text)
}

fn println(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let mut parts = Vec::with_capacity(args.len());
    for value in &args {
        parts.push(match value {
            Value::Str(text) => text.to_string(),
            other => written(m, other)?,
        });
    }
    let mut line = parts.join(" ");
    m.budget.cells(line.len() / 8 + 1)?;
    let limit = m.budget.limits.print_chars;
    let cut = super::args::graphemes_at(&line).nth(limit);
    if let Some(cut) = cut.map(|(at, _)| at) {
        line.truncate(cut);
        line.push_str("...");
    }
    m.prints.push(line.into());
    Ok(Value::Nil)
}

/// A value as `str` and `join` write it: texts without quotes, nil as nothing.
pub(super) fn append(m: &mut Machine<'_>, out: &mut String, value: &Value) -> Res<()> {
    match value {
        Value::Nil => {}
        Value::Str(text) => {
            m.budget.cells(text.len() / 8)?;
            out.push_str(text);
        }
        Value::Float(number) if number.is_finite() => out.push_str(&shortest(*number)),
        other => out.push_str(&written(m, other)?),
    }
    Ok(())
}

/// The shortest text that reads back as the same float, plain or with an exponent.
fn shortest(number: f64) -> String {
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let scientific = format!("{mantissa}{point}e{exponent}");
    let mut plain = format!("{number}");
    if !plain.contains('.') {
        plain.push_str(".0");
    }
    // The reference writes floats without a fraction of their own (2^53) with an exponent always.
    let large = number.abs() >= 9_007_199_254_740_992.0;
    if large || scientific.len() < plain.len() {
        scientific
    } else {
        plain
    }
}

fn format(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let Value::Str(template) = &args[0] else {
        return super::args::type_error("format", &args);
    };
    let mut values = args[1..].iter();
    let mut out = String::new();
    let mut rest = &**template;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let spec = &rest[at + 1..];
        let length = spec
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(spec.len());
        let (precision, kind) = (&spec[..length], spec[length..].chars().next());
        let Some(kind) = kind else {
            return runtime_error("format: a % at the end");
        };
        rest = &spec[length + kind.len_utf8()..];
        if kind == '%' {
            out.push('%');
            continue;
        }
        let Some(value) = values.next() else {
            return runtime_error("format: more places than values");
        };
        fill(m, &mut out, (kind, precision), value)?;
    }
    out.push_str(rest);
    m.text(out)
}

fn fill(
    m: &mut Machine<'_>,
    out: &mut String,
    (kind, precision): (char, &str),
    value: &Value,
) -> Res<()> {
    let digits = precision.strip_prefix('.').map(str::parse::<usize>);
    let written = match (kind, precision, value) {
        ('s', "", value) => return append(m, out, value),
        ('d', "", Value::Int(number)) => write!(out, "{number}"),
        ('d', "", Value::BigInt(number)) => write!(out, "{number}"),
        ('x', "", Value::Int(number)) => write!(out, "{number:x}"),
        ('X', "", Value::Int(number)) => write!(out, "{number:X}"),
        ('o', "", Value::Int(number)) => write!(out, "{number:o}"),
        ('b', "", Value::Int(number)) => write!(out, "{number:b}"),
        ('f', "", value) if as_float(value).is_some() => {
            write!(out, "{:.6}", as_float(value).unwrap_or_default())
        }
        ('f', _, value) if as_float(value).is_some() => match digits {
            Some(Ok(digits)) if digits <= 50 => {
                write!(out, "{:.digits$}", as_float(value).unwrap_or_default())
            }
            _ => return runtime_error(format!("format: %{precision}f is not supported")),
        },
        _ => {
            let given = super::kind(value);
            return runtime_error(format!("format: %{precision}{kind} doesn't take a {given}"));
        }
    };
    // Writing into a text can't fail.
    let _ = written;
    Ok(())
}
