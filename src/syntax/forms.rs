//! PTC-Lisp programs as forms, for reading what they use: broken programs too, in bounded time.
//!
//! Nothing is evaluated and nothing refused. A closing bracket that fits none is passed over, what
//! is open at the end closes there, and what is nested deeper than anybody writes is read flat.

use super::lexer::{Kind, tokens};

/// A form of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // a walk must say what it does with each
pub enum Form<'a> {
    /// A symbol, with its namespace if it has one.
    Symbol(&'a str),
    /// A keyword, without its colon.
    Keyword(&'a str),
    /// What a string holds, escapes resolved.
    Str(String),
    /// A number as written.
    Number(&'a str),
    /// `nil`, a boolean, a character.
    Constant(&'a str),
    /// `(..)`.
    List(Vec<Form<'a>>),
    /// `[..]`.
    Vector(Vec<Form<'a>>),
    /// `{..}`, keys and values in turn.
    Map(Vec<Form<'a>>),
    /// `#{..}`.
    Set(Vec<Form<'a>>),
    /// `#(..)`.
    Lambda(Vec<Form<'a>>),
    /// A form behind a quote, which isn't evaluated.
    Quoted(Box<Form<'a>>),
}

/// Forms nested deeper than this are read as if they stood at this depth.
const DEPTH: usize = 200;

/// An open bracket: what it makes, what it holds so far, and the marks before it.
struct Open<'a> {
    bracket: &'a str,
    forms: Vec<Form<'a>>,
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Discard,
    Quote,
}

/// The forms of a program, in order.
pub fn forms(program: &str) -> Vec<Form<'_>> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut top = Vec::new();
    let mut marks = Vec::new();
    // Brackets that are open beyond the depth that is kept.
    let mut deeper = 0usize;
    for token in tokens(program) {
        let text = &program[token.span];
        match token.kind {
            Kind::Space | Kind::Comment => {}
            Kind::Mark => match text {
                "#_" => marks.push(Mark::Discard),
                "'" | "`" => marks.push(Mark::Quote),
                _ => {}
            },
            Kind::Open if open.len() >= DEPTH => deeper += 1,
            Kind::Open => open.push(Open {
                bracket: text,
                forms: Vec::new(),
                marks: std::mem::take(&mut marks),
            }),
            Kind::Close if deeper > 0 => deeper -= 1,
            Kind::Close => {
                marks.clear();
                close(&mut open, &mut top);
            }
            // Before a bracket a quote is all there is of the symbol.
            Kind::Symbol | Kind::Call if text == "'" => marks.push(Mark::Quote),
            kind => {
                let form = atom(kind, text);
                let forms = open.last_mut().map_or(&mut top, |open| &mut open.forms);
                put(forms, form, std::mem::take(&mut marks));
            }
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut top);
    }
    top
}

fn close<'a>(open: &mut Vec<Open<'a>>, top: &mut Vec<Form<'a>>) {
    let Some(closed) = open.pop() else {
        return;
    };
    let form = match closed.bracket {
        "[" => Form::Vector(closed.forms),
        "{" => Form::Map(closed.forms),
        "#{" => Form::Set(closed.forms),
        "#(" => Form::Lambda(closed.forms),
        _ => Form::List(closed.forms),
    };
    let forms = open.last_mut().map_or(top, |open| &mut open.forms);
    put(forms, form, closed.marks);
}

fn put<'a>(forms: &mut Vec<Form<'a>>, form: Form<'a>, mut marks: Vec<Mark>) {
    match marks.pop() {
        // `#_ #_ a b` discards both: an outer mark waits for the next form, which is read without it.
        Some(Mark::Discard) => {}
        Some(Mark::Quote) => put(forms, Form::Quoted(Box::new(form)), marks),
        None => forms.push(form),
    }
}

fn atom(kind: Kind, text: &str) -> Form<'_> {
    match kind {
        Kind::String => Form::Str(unescape(text)),
        Kind::Number => Form::Number(text),
        Kind::Keyword => Form::Keyword(text.trim_start_matches(':')),
        Kind::Constant | Kind::Character => Form::Constant(text),
        _ => match text.strip_prefix('\'') {
            Some(name) => Form::Quoted(Box::new(Form::Symbol(name))),
            None => Form::Symbol(text),
        },
    }
}

/// The text that a string literal stands for.
fn unescape(literal: &str) -> String {
    let regex = literal.starts_with('#');
    let inner = literal.trim_start_matches('#');
    let inner = inner.strip_prefix('"').unwrap_or(inner);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if regex || !inner.contains('\\') {
        return inner.to_owned();
    }
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_program_is_read() {
        assert_eq!(
            forms("(f :k \"a\\\"b\" -1.5 [x] #{y} {:a nil}) ; note\n#_(gone) 'q #(g %) '(z)"),
            [
                Form::List(vec![
                    Form::Symbol("f"),
                    Form::Keyword("k"),
                    Form::Str("a\"b".to_owned()),
                    Form::Number("-1.5"),
                    Form::Vector(vec![Form::Symbol("x")]),
                    Form::Set(vec![Form::Symbol("y")]),
                    Form::Map(vec![Form::Keyword("a"), Form::Constant("nil")]),
                ]),
                Form::Quoted(Box::new(Form::Symbol("q"))),
                Form::Lambda(vec![Form::Symbol("g"), Form::Symbol("%")]),
                Form::Quoted(Box::new(Form::List(vec![Form::Symbol("z")]))),
            ]
        );
    }

    #[test]
    fn broken_programs_are_read_as_far_as_they_go() {
        let list = |forms| Form::List(forms);
        assert_eq!(
            forms("(a (b)) ) c (d"),
            [
                list(vec![Form::Symbol("a"), list(vec![Form::Symbol("b")])]),
                Form::Symbol("c"),
                list(vec![Form::Symbol("d")]),
            ]
        );
        let deep = "(".repeat(100_000) + "x";
        assert_eq!(forms(&deep).len(), 1);
    }

    proptest! {
        #[test]
        fn anything_can_be_read(program in any::<String>()) {
            let _ = forms(&program);
        }
    }
}
