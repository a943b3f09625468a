//! A call of another tool's trace as people read it: its code apart from its other arguments, a text as
//! a text, and what a command wrote without the header that its runner put before it
//! (`formats/README.md`, `formats/codex.md`). Values of step files and TraceLogs stay values.

use std::borrow::Cow;

use super::frame::Frame;
use super::{Conventions, ToolCall};
use crate::value::{Value, json};

/// A part of a call as it is displayed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Told<'a> {
    /// The argument that is code, and its language as a fence names it, where its name tells.
    Code(Cow<'a, str>, Option<&'static str>),
    /// A text.
    Text(Cow<'a, str>),
    /// A value, in Clojure's notation.
    Value(Cow<'a, Value>),
}

/// Names of the argument that is code, the likeliest first, and the language where it is known.
const CODE: [(&str, Option<&str>); 6] = [
    ("command", Some("bash")),
    ("cmd", Some("bash")),
    ("code", None),
    ("keystrokes", Some("bash")),
    ("script", None),
    ("patch", Some("diff")),
];

/// Bytes of a result up to which it is looked whether it is JSON with an error.
const MOST_JSON: usize = 4096;

impl ToolCall {
    /// The arguments: first the code, where one is code, then the others; none where there are none.
    #[must_use]
    pub fn told_args(&self, conventions: Conventions) -> Vec<Told<'_>> {
        if self.args.is_nil() {
            return Vec::new();
        }
        let whole = || vec![Told::Value(Cow::Borrowed(&self.args))];
        if conventions == Conventions::Ptc {
            return whole();
        }
        if let Value::Str(text) = &self.args {
            let start = text.trim_start();
            return match start.chars().next() {
                None => whole(),
                // Arguments that can't be read.
                Some('{' | '[') => vec![Told::Text(Cow::Borrowed(text))],
                // Free text, such as a patch.
                Some(_) => vec![Told::Code(Cow::Borrowed(text), None)],
            };
        }
        let found = CODE
            .iter()
            .find_map(|(name, language)| Some((*name, code(self.args.get(name)?)?, *language)));
        // The command of an editor or of a list of tasks is one of its own, such as `view`.
        let is_own = ["path", "task_list"]
            .iter()
            .any(|name| self.args.get(name).is_some());
        let found = found.filter(|(name, ..)| *name != "command" || !is_own);
        let (Some((name, code, language)), Some(args)) = (found, self.args.as_map()) else {
            return whole();
        };
        let mut told = vec![Told::Code(code, language)];
        if args.len() > 1 {
            let others = args.iter();
            let others = others.filter(|(key, _)| key.as_name() != Some(name));
            let others = others.map(|(key, value)| (key.clone(), value.clone()));
            told.push(Told::Value(Cow::Owned(Value::map(others.collect()))));
        }
        told
    }

    /// The result or the error, whichever of the two is given.
    #[must_use]
    pub fn told_answer<'a>(&self, answer: &'a Value, conventions: Conventions) -> Told<'a> {
        match answer {
            Value::Str(text) if conventions == Conventions::Foreign => {
                let output = self.frame(text).and_then(|frame| frame.output);
                match output.unwrap_or(Cow::Borrowed(unwrapped(text))) {
                    // Quotes show that there is nothing between them.
                    empty if empty.is_empty() => Told::Value(Cow::Owned("".into())),
                    output => Told::Text(output),
                }
            }
            other => Told::Value(Cow::Borrowed(other)),
        }
    }

    /// The exit code that stands in the header which [`Self::told_answer`] leaves out.
    #[must_use]
    pub fn told_exit_code(&self) -> Option<i64> {
        let answer = self.answer()?;
        self.frame(answer.as_str()?)?.exit_code
    }

    /// Whether the result reads as if the call had failed, where the format has no mark for that. It
    /// colours the call, and counts nowhere (`formats/openai-chat.md`).
    #[must_use]
    pub fn reads_as_failed(&self) -> bool {
        if !self.unmarked || self.error.is_some() {
            return false;
        }
        match self.result.get() {
            Some(Value::Str(text)) => {
                let text = text.trim_start();
                let is_short = text.len() <= MOST_JSON;
                let tells = |value: Value| value.get_some("error").is_some();
                text.starts_with("Error")
                    || text.starts_with("Traceback")
                    || is_short
                        && text.starts_with('{')
                        && json::parse(text.as_bytes()).is_ok_and(|read| tells(read.value))
            }
            Some(value) => value.get_some("error").is_some(),
            None => false,
        }
    }

    fn frame<'a>(&self, text: &'a str) -> Option<Frame<'a>> {
        self.framed.then(|| Frame::read(text))
    }
}

impl Told<'_> {
    /// The part as a value, such as a tree shows it.
    #[must_use]
    pub fn value(&self) -> Cow<'_, Value> {
        match self {
            Self::Code(text, _) | Self::Text(text) => Cow::Owned(Value::string(&**text)),
            Self::Value(value) => Cow::Borrowed(value),
        }
    }
}

/// A text without what Claude Code wraps an error in.
fn unwrapped(text: &str) -> &str {
    let inside = text.strip_prefix("<tool_use_error>");
    inside
        .and_then(|rest| rest.trim_end().strip_suffix("</tool_use_error>"))
        .unwrap_or(text)
}

/// An argument's code: a text, or a program with its arguments.
fn code(argument: &Value) -> Option<Cow<'_, str>> {
    match argument {
        Value::Str(text) => (!text.trim().is_empty()).then_some(Cow::Borrowed(&**text)),
        Value::List(words) if !words.is_empty() => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            let words = words?;
            let last = words.len() - 1;
            // What a shell is given stands as it is.
            let is_script =
                last > 0 && words[last - 1].starts_with('-') && words[last - 1].ends_with('c');
            let word = |(at, word): (usize, &&str)| {
                if is_script && at == last {
                    (*word).to_owned()
                } else {
                    quoted(word)
                }
            };
            let words: Vec<String> = words.iter().enumerate().map(word).collect();
            Some(Cow::Owned(words.join(" ")))
        }
        _ => None,
    }
}

/// A word as a shell reads it as one.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Limits, to_clojure};

    fn told(args: &str) -> Vec<String> {
        let args = json::parse(args.as_bytes()).expect("JSON").value;
        let call = ToolCall::new("shell", args);
        let told = call.told_args(Conventions::Foreign);
        let shown = |part: &Told<'_>| match part {
            Told::Code(text, _) => format!("code {text}"),
            Told::Text(text) => format!("text {text}"),
            Told::Value(value) => format!("value {}", to_clojure(value, Limits::ALL).0),
        };
        told.iter().map(shown).collect()
    }

    #[test]
    fn commands_stand_apart_from_other_arguments() {
        assert_eq!(
            told(r#"{"timeout":5,"command":"printf 'a\tb'\nls"}"#),
            ["code printf 'a\tb'\nls", r#"value {"timeout" 5}"#]
        );
        assert_eq!(
            told(r#"{"command":["bash","-lc","ls -l && pwd"]}"#),
            ["code bash -lc ls -l && pwd"]
        );
        assert_eq!(
            told(r#"{"cmd":["grep","it's here","a.txt"]}"#),
            [r"code grep 'it'\''s here' a.txt"]
        );
        let editor = r#"{"command":"view","path":"a"}"#;
        assert_eq!(told(editor), [r#"value {"command" "view" "path" "a"}"#]);
        assert_eq!(told(r#"{"path":"a"}"#), [r#"value {"path" "a"}"#]);
        assert_eq!(told(r#"{"command":7}"#), [r#"value {"command" 7}"#]);
        assert_eq!(told("\"*** Begin Patch\""), ["code *** Begin Patch"]);
        assert_eq!(told("\"{bad\""), ["text {bad"]);
        assert_eq!(told("\"\""), ["value \"\""]);
        assert!(told("null").is_empty());
    }

    #[test]
    fn a_result_may_read_as_a_failure() {
        let reads = |text: &str, unmarked| {
            let mut call = ToolCall::new("f", Value::Nil);
            call.result = crate::step::Field::Recorded(text.into());
            call.unmarked = unmarked;
            call.reads_as_failed()
        };
        for text in ["Error: no", "Traceback (most", r#"{"error":"no"}"#] {
            assert!(reads(text, true), "{text}");
            assert!(!reads(text, false), "{text}");
        }
        for text in ["No Error", r#"{"error":null}"#, "{", ""] {
            assert!(!reads(text, true), "{text}");
        }
    }

    #[test]
    fn values_of_step_files_stay_values() {
        let args = json::parse(br#"{"command":"ls"}"#).expect("JSON").value;
        let call = ToolCall::new("shell", args.clone());
        let whole = vec![Told::Value(Cow::Borrowed(&args))];
        assert_eq!(call.told_args(Conventions::Ptc), whole);
    }

    #[test]
    fn a_header_is_left_out_only_where_it_is_one() {
        let text = "Exit code: 2\nWall time: 0.1 seconds\nOutput:\nno such file";
        let mut call = ToolCall::new("shell", Value::Nil);
        call.error = Some(text.into());
        let shown = |call: &ToolCall| match call.told_answer(&text.into(), Conventions::Foreign) {
            Told::Text(text) => text.into_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!((shown(&call).as_str(), call.told_exit_code()), (text, None));
        call.framed = true;
        assert_eq!(
            (shown(&call).as_str(), call.told_exit_code()),
            ("no such file", Some(2))
        );
    }
}
