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
        "Shows values, cut at 2000 characters; a list of single characters as one text.",
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
            Value::List(items) => match characters(items) {
                Some(text) => text,
                None => written(m, value)?,
            },
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

/// The text of a list of single characters, such as `(take 2 "abc")`.
fn characters(items: &[Value]) -> Option<String> {
    let texts = items.iter().map(Value::as_str);
    let single = |text: &&str| super::args::graphemes(text).count() == 1;
    let texts: Option<Vec<&str>> = texts.map(|text| text.filter(single)).collect();
    texts
        .filter(|texts| !texts.is_empty())
        .map(|texts| texts.concat())
}

/// A value as `str` and `join` write it: texts without quotes, nil as nothing.
pub(super) fn append(m: &mut Machine<'_>, out: &mut String, value: &Value) -> Res<()> {
    match value {
        Value::Nil => {}
        Value::Str(text) => {
            m.budget.cells(text.len() / 8)?;
            out.push_str(text);
        }
        Value::Float(number) => out.push_str(&float_text(*number)),
        other => out.push_str(&written(m, other)?),
    }
    Ok(())
}

fn float_text(number: f64) -> String {
    if number.is_finite() {
        shortest(number)
    } else if number.is_nan() {
        "NaN".to_owned()
    } else if number > 0.0 {
        "Infinity".to_owned()
    } else {
        "-Infinity".to_owned()
    }
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

/// As `1.500000e+00`: an exponent with its sign and two digits at least.
fn scientific(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{exponent:0>2}")
}

fn fill(
    m: &mut Machine<'_>,
    out: &mut String,
    (kind, precision): (char, &str),
    value: &Value,
) -> Res<()> {
    let digits = precision.strip_prefix('.').map(str::parse::<usize>);
    let written = match (kind, precision, value) {
        ('s', _, value) if precision.is_empty() || matches!(digits, Some(Ok(_))) => {
            return append(m, out, value);
        }
        ('d', "", Value::Float(number)) if number.fract() == 0.0 => write!(out, "{number:.0}"),
        ('d', "", Value::Int(number)) => write!(out, "{number}"),
        ('d', "", Value::BigInt(number)) => write!(out, "{number}"),
        ('x', "", Value::Int(number)) => write!(out, "{number:x}"),
        ('X', "", Value::Int(number)) => write!(out, "{number:X}"),
        ('o', "", Value::Int(number)) => write!(out, "{number:o}"),
        ('b', "", Value::Int(number)) => write!(out, "{number:b}"),
        ('f' | 'e', _, Value::Float(number)) if !number.is_finite() => {
            write!(out, "{}", float_text(*number))
        }
        ('f' | 'e', _, value) if as_float(value).is_some() => {
            let number = as_float(value).unwrap_or_default();
            let digits = match digits {
                None if precision.is_empty() => 6,
                Some(Ok(digits)) if digits <= 50 => digits,
                _ => return runtime_error(format!("format: %{precision}{kind} is not supported")),
            };
            if kind == 'f' {
                write!(out, "{number:.digits$}")
            } else {
                write!(out, "{}", scientific(number, digits))
            }
        }
        _ => {
            let given = super::kind(value);
            return runtime_error(format!("format: %{precision}{kind} doesn't take a {given}"));
        }
    };
    // Writing into a text can't fail.
    let _ = written;
    Ok(())
}
