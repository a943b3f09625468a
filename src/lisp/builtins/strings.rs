//! Text. Characters are counted as readers see them.

use super::args::{graphemes, graphemes_at, runtime_error, string, type_error};
use super::higher::number;
use super::print::append;
use super::{Builtin, row};
use crate::lisp::error::Res;
use crate::lisp::eval::Machine;
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    row(
        "subs",
        2,
        3,
        "The characters from one index up to another.",
        subs,
    ),
    row(
        "join",
        1,
        2,
        "The items as one text, with a text between them.",
        join,
    ),
    row(
        "split",
        2,
        2,
        "The parts of a text between a text or pattern.",
        split,
    ),
    row(
        "split-lines",
        1,
        1,
        "The lines of a text, without empty ones at its end.",
        |m, a| {
            let text = string("split-lines", &a, 0)?;
            let mut lines: Vec<&str> = text.lines().collect();
            while lines.last().is_some_and(|line| line.is_empty()) {
                lines.pop();
            }
            let lines = lines.into_iter().map(|line| m.text(line));
            let lines = lines.collect::<Res<_>>()?;
            m.list(lines)
        },
    ),
    row("trim", 1, 1, "A text without space at its ends.", |m, a| {
        m.text(string("trim", &a, 0)?.trim())
    }),
    row("triml", 1, 1, "A text without space before it.", |m, a| {
        m.text(string("triml", &a, 0)?.trim_start())
    }),
    row("trimr", 1, 1, "A text without space after it.", |m, a| {
        m.text(string("trimr", &a, 0)?.trim_end())
    }),
    row(
        "trim-newline",
        1,
        1,
        "A text without line ends after it.",
        |m, a| m.text(string("trim-newline", &a, 0)?.trim_end_matches(['\n', '\r'])),
    ),
    row(
        "replace",
        3,
        3,
        "A text with a text or pattern replaced everywhere.",
        replace,
    ),
    row("upper-case", 1, 1, "A text in capitals.", |m, a| {
        m.text(string("upper-case", &a, 0)?.to_uppercase())
    }),
    row("upcase", 1, 1, "A text in capitals.", |m, a| {
        m.text(string("upcase", &a, 0)?.to_uppercase())
    }),
    row("lower-case", 1, 1, "A text in small letters.", |m, a| {
        m.text(string("lower-case", &a, 0)?.to_lowercase())
    }),
    row("downcase", 1, 1, "A text in small letters.", |m, a| {
        m.text(string("downcase", &a, 0)?.to_lowercase())
    }),
    row(
        "starts-with?",
        2,
        2,
        "Whether a text begins with another.",
        |_, a| test("starts-with?", &a, |text, part| text.starts_with(part)),
    ),
    row(
        "ends-with?",
        2,
        2,
        "Whether a text ends with another.",
        |_, a| test("ends-with?", &a, |text, part| text.ends_with(part)),
    ),
    row(
        "includes?",
        2,
        2,
        "Whether a text has another in it.",
        |_, a| test("includes?", &a, |text, part| text.contains(part)),
    ),
    row(
        "index-of",
        2,
        3,
        "Where a text first has another, or nil.",
        |_, a| index_of("index-of", &a),
    ),
    row(
        "last-index-of",
        2,
        3,
        "Where a text last has another, not after an index if one is given, or nil.",
        |_, a| last_index_of(&a),
    ),
    row(
        "parse-long",
        1,
        1,
        "The whole number that a text is, or nil.",
        |_, a| Ok(parse_long(&a[0])),
    ),
    row(
        "parse-int",
        1,
        1,
        "The whole number that a text is, or nil.",
        |_, a| Ok(parse_long(&a[0])),
    ),
    row(
        "parse-double",
        1,
        1,
        "The number that a text is, as a float, or nil.",
        |_, a| Ok(parse_double(&a[0])),
    ),
    row(
        "parse-boolean",
        1,
        1,
        "true or false from a text, or nil.",
        |_, a| {
            Ok(match a[0].as_str() {
                Some("true") => Value::Bool(true),
                Some("false") => Value::Bool(false),
                _ => Value::Nil,
            })
        },
    ),
    row(
        "name",
        1,
        1,
        "The name of a keyword, or a text as it is.",
        |_, a| match &a[0] {
            Value::Keyword(name) | Value::Str(name) => Ok(Value::Str(name.clone())),
            other => runtime_error(format!("name: a {} has no name", super::kind(other))),
        },
    ),
    row("keyword", 1, 1, "The keyword of a name.", |_, a| {
        match &a[0] {
            Value::Keyword(_) | Value::Nil => Ok(a[0].clone()),
            Value::Str(name) => {
                let fits = |c: char| c.is_ascii_alphanumeric() || "-_?!".contains(c);
                if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(fits) {
                    return runtime_error("keyword: a name of letters, digits, - _ ? ! is needed");
                }
                Ok(Value::Keyword(name.clone()))
            }
            _ => type_error("keyword", &a),
        }
    }),
];

fn test(op: &str, args: &[Value], holds: impl Fn(&str, &str) -> bool) -> Res {
    Ok(Value::Bool(holds(
        string(op, args, 0)?,
        string(op, args, 1)?,
    )))
}

fn subs(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let text = string("subs", &args, 0)?;
    let index = |at: usize| match args.get(at) {
        Some(Value::Int(index)) => Ok(usize::try_from(*index).unwrap_or(0)),
        None => Ok(usize::MAX),
        Some(_) => type_error("subs", &args),
    };
    let (from, to) = (index(1)?, index(2)?);
    m.budget.step(text.len() / 16)?;
    let part: String = graphemes(text).take(to).skip(from).collect();
    m.text(part)
}

fn join(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let (separator, list) = match args.as_slice() {
        [list] => ("", list),
        _ => (&**string("join", &args, 0)?, &args[1]),
    };
    let items = match list {
        Value::Nil | Value::Str(_) | Value::Map(_) => return type_error("join", &args),
        other => m.each_item("join", other)?,
    };
    let mut out = String::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            m.budget.cells(separator.len() / 8)?;
            out.push_str(separator);
        }
        append(m, &mut out, item)?;
    }
    m.text(out)
}

fn split(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let text = string("split", &args, 0)?;
    if let Some(pattern) = super::regexes::regex(&args[1]) {
        let parts = pattern.split(text);
        let parts = parts.map(|part| m.text(part)).collect::<Res<_>>()?;
        return m.list(parts);
    }
    let separator = string("split", &args, 1)?;
    m.budget.cells(text.len())?;
    let parts = if separator.is_empty() {
        graphemes(text).map(Value::string).collect()
    } else {
        text.split(&**separator).map(Value::string).collect()
    };
    m.list(parts)
}

fn replace(m: &mut Machine<'_>, args: Vec<Value>) -> Res {
    let text = string("replace", &args, 0)?;
    let with = string("replace", &args, 2)?;
    // What it may become, before it is made.
    let worst = (text.len() + 1).saturating_mul(with.len() + 1);
    if worst > 1 << 16 {
        let matches = match super::regexes::regex(&args[1]) {
            Some(pattern) => pattern.find_iter(text).count(),
            None => text.matches(&**string("replace", &args, 1)?).count(),
        };
        m.budget.cells(matches.saturating_mul(with.len()) / 8)?;
    }
    if let Some(pattern) = super::regexes::regex(&args[1]) {
        let with = super::regexes::replacement(with);
        return m.text(pattern.replace_all(text, &*with).into_owned());
    }
    m.text(text.replace(&**string("replace", &args, 1)?, with))
}

pub(super) fn index_of(op: &str, args: &[Value]) -> Res {
    let (text, part) = (string(op, args, 0)?, string(op, args, 1)?);
    let from = match args.get(2) {
        Some(Value::Int(from)) => usize::try_from(*from).unwrap_or(0),
        Some(_) => return type_error(op, args),
        None => 0,
    };
    let start = graphemes_at(text)
        .nth(from)
        .map_or(text.len(), |(at, _)| at);
    let found = text[start..].find(&**part);
    Ok(found.map_or(Value::Nil, |at| {
        number(graphemes(&text[..start + at]).count())
    }))
}

fn last_index_of(args: &[Value]) -> Res {
    let (text, part) = (
        string("last-index-of", args, 0)?,
        string("last-index-of", args, 1)?,
    );
    let last = match args.get(2) {
        Some(Value::Int(last)) => usize::try_from(*last).unwrap_or(0),
        Some(_) => return type_error("last-index-of", args),
        None => usize::MAX,
    };
    let last = graphemes_at(text)
        .nth(last)
        .map_or(text.len(), |(at, _)| at);
    let mut end = last.saturating_add(part.len()).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let found = text[..end].rfind(&**part);
    Ok(found.map_or(Value::Nil, |at| number(graphemes(&text[..at]).count())))
}

pub(super) fn parse_long(value: &Value) -> Value {
    let Some(text) = value.as_str() else {
        return Value::Nil;
    };
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || digits.len() > 1000 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Value::Nil;
    }
    let number = text.strip_prefix('+').unwrap_or(text);
    number.parse().map_or(Value::Nil, Value::from_bigint)
}

fn parse_double(value: &Value) -> Value {
    let Some(text) = value.as_str() else {
        return Value::Nil;
    };
    match text {
        "Infinity" | "+Infinity" => return Value::Float(f64::INFINITY),
        "-Infinity" => return Value::Float(f64::NEG_INFINITY),
        "NaN" => return Value::Float(f64::NAN),
        _ => {}
    }
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let begins = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    if !begins(whole) || !begins(fraction) {
        return Value::Nil;
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Value::Float(number),
        _ => Value::Nil,
    }
}
