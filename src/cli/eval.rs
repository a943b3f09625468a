//! `eval`: runs a PTC-Lisp program.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::args::{EvalArgs, EvalOutput};
use super::{Context, complain, note};
use crate::error::Error;
use crate::lisp::{DescribedTools, Doc, Ended, Evaluated, LispError, Session, plain};
use crate::step::Memory;
use crate::text::{clean, clean_line, escape_json};
use crate::value::transit::{self, Transit};
use crate::value::{Limits, Map, Value, to_clojure};

/// Runs the program; false where it failed.
pub(super) fn run(args: &EvalArgs, context: &mut Context<'_>) -> Result<bool, Error> {
    if let Some(name) = &args.doc {
        return doc(name, context).map(|()| true);
    }
    let program = match args.program.as_deref() {
        Some("-") => stdin()?,
        Some(program) => program.to_owned(),
        None => {
            let what = "a program, '-' for standard input, or --doc NAME is needed";
            return Err(Error::Usage(what.to_owned()));
        }
    };
    let data = args.data.as_deref().map_or(Ok(Map::default()), map_of)?;
    let mut tools = tools_of(args.tools.as_deref())?;
    let memory = args.memory.as_deref().map_or(Ok(Map::default()), map_of)?;
    let name = |key: &Value| key.as_name().map(Arc::from);
    let memory: Memory = memory
        .iter()
        .filter_map(|(key, value)| Some((name(key)?, value.clone())))
        .collect();
    let mut session = Session::new(Arc::new(memory)).with_bare_names(args.bare_names);
    let evaluated = session.run(&program, &data, &mut tools);
    match args.output {
        EvalOutput::Json => {
            let json = serde_json::to_string_pretty(&json_of(&evaluated));
            writeln!(context.out, "{}", escape_json(&json.unwrap_or_default()))?;
        }
        EvalOutput::Text => write_text(&evaluated, context)?,
    }
    Ok(!matches!(evaluated.ended, Ended::Error(_) | Ended::Fail(_)))
}

fn doc(name: &str, context: &mut Context<'_>) -> Result<(), Error> {
    let Some(Doc {
        name, takes, doc, ..
    }) = crate::lisp::doc_of(name)
    else {
        let hint = match crate::lisp::similar(name) {
            Some(near) => format!("; did you mean {near}?"),
            None => String::new(),
        };
        return Err(Error::Usage(format!("there is no builtin '{name}'{hint}")));
    };
    Ok(writeln!(context.out, "{name}  ; takes {takes}\n{doc}")?)
}

fn stdin() -> Result<String, Error> {
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    read.map(|_| text).map_err(|source| Error::Read {
        name: "standard input".to_owned(),
        source,
    })
}

/// The map that a JSON file holds.
pub(super) fn map_of(path: &Path) -> Result<Map, Error> {
    let name = || path.to_string_lossy().into_owned();
    let text = std::fs::read(path).map_err(|source| Error::Read {
        name: name(),
        source,
    })?;
    let value = transit::parse(&text).map_err(|error| Error::Unreadable {
        name: name(),
        what: format!("not JSON: {error}"),
    })?;
    value
        .value
        .as_map()
        .cloned()
        .ok_or_else(|| Error::Unreadable {
            name: name(),
            what: "a JSON object is needed".to_owned(),
        })
}

/// The tools that a file describes; none without a file.
pub(super) fn tools_of(path: Option<&Path>) -> Result<DescribedTools, Error> {
    let Some(path) = path else {
        return Ok(DescribedTools::default());
    };
    DescribedTools::new(&map_of(path)?).map_err(|error| Error::Unreadable {
        name: path.to_string_lossy().into_owned(),
        what: error.to_string(),
    })
}

fn json_of(evaluated: &Evaluated) -> Json {
    let tagged = |tag: &str, value| json!({ tag: value_json(value) });
    let (result, error) = match &evaluated.ended {
        Ended::Value(value) => (value_json(value), Json::Null),
        Ended::Return(value) => (tagged("~#return", value), Json::Null),
        Ended::Fail(value) => (tagged("~#fail", value), Json::Null),
        Ended::Error(error) => (Json::Null, error_json(error)),
    };
    let calls = evaluated.tool_calls.iter();
    let calls = calls.map(|call| json!({"name": &*call.name, "args": value_json(&call.args)}));
    let memory = evaluated.memory.iter();
    let memory = memory.map(|(name, value)| (name.to_string(), value_json(value)));
    json!({
        "schema": "turnscope.eval/1",
        "result": result,
        "error": error,
        "prints": evaluated.prints.iter().map(|print| &**print).collect::<Vec<_>>(),
        "tool_calls": calls.collect::<Vec<_>>(),
        "memory": memory.collect::<serde_json::Map<_, _>>(),
    })
}

/// A failed program's error.
#[derive(Serialize)]
struct Failed<'a> {
    reason: &'a str,
    message: &'a str,
    hint: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
}

fn error_json(error: &LispError) -> Json {
    let failed = Failed {
        reason: error.reason,
        message: &error.message,
        hint: error.hint.as_deref(),
        line: error.place.map(|place| place.line),
        column: error.place.map(|place| place.column),
    };
    serde_json::to_value(failed).unwrap_or_default()
}

fn value_json(value: &Value) -> Json {
    tags(serde_json::to_value(Transit(&plain(value))).unwrap_or_default())
}

/// A pattern's tag is this program's own, not a text of the value's.
fn tags(json: Json) -> Json {
    match json {
        Json::Object(entries) => {
            let only = entries.len() == 1;
            let entries = entries.into_iter().map(|(key, value)| {
                let key = if only && key == "~~#regex" {
                    "~#regex".to_owned()
                } else {
                    key
                };
                (key, tags(value))
            });
            Json::Object(entries.collect())
        }
        Json::Array(items) => Json::Array(items.into_iter().map(tags).collect()),
        other => other,
    }
}

fn write_text(evaluated: &Evaluated, context: &mut Context<'_>) -> Result<(), Error> {
    for print in &evaluated.prints {
        for line in print.lines() {
            writeln!(context.out, "{}", clean_line(line))?;
        }
    }
    let shown = |value: &Value| {
        let (text, _) = to_clojure(&plain(value), Limits::NONE);
        clean(&text).into_owned()
    };
    match &evaluated.ended {
        Ended::Value(value) => writeln!(context.out, "{}", shown(value))?,
        Ended::Return(value) => writeln!(context.out, "(return {})", shown(value))?,
        Ended::Fail(value) => writeln!(context.out, "(fail {})", shown(value))?,
        Ended::Error(error) => complain("error", &format!("{}: {error}", error.reason)),
    }
    for call in &evaluated.tool_calls {
        note(&format!("called {} {}", call.name, shown(&call.args)));
    }
    Ok(())
}
