//! PTC-Lisp as far as colouring needs it: every byte of a program in exactly one token, broken
//! programs included.

use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// White space and commas.
    Space,
    /// `; ..` up to the end of the line.
    Comment,
    /// A string, an unclosed one to the end.
    String,
    /// A character such as `\newline`.
    Character,
    /// A number.
    Number,
    /// `:name`.
    Keyword,
    /// `nil`, `true`, `false`.
    Constant,
    /// A special form or defining word: `def`, `let`, `return`.
    Special,
    /// A name in the namespace of tools: `tool/search`.
    Tool,
    /// A name in the namespace of the input: `data/orders`.
    Data,
    /// A symbol right behind an opening parenthesis.
    Call,
    /// Any other symbol.
    Symbol,
    /// An opening bracket, with what makes it a set or a function.
    Open,
    /// A closing bracket.
    Close,
    /// Quote, `#'`, `#_`, and what nobody knows.
    Mark,
}

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its bytes in the program.
    pub span: Range<usize>,
}

/// Special forms, and the words that define, branch or end the run.
const SPECIAL: [&str; 38] = [
    "->",
    "->>",
    "and",
    "as->",
    "case",
    "cond",
    "cond->",
    "cond->>",
    "def",
    "defn",
    "defonce",
    "do",
    "doseq",
    "dotimes",
    "fail",
    "fn",
    "for",
    "if",
    "if-let",
    "if-not",
    "if-some",
    "let",
    "loop",
    "not",
    "or",
    "pcalls",
    "pmap",
    "println",
    "recur",
    "return",
    "some->",
    "some->>",
    "when",
    "when-first",
    "when-let",
    "when-not",
    "when-some",
    "where",
];

/// The tokens of a program, in order and without gaps.
pub fn tokens(program: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    let mut after_open = false;
    while at < program.len() {
        let (kind, length) = next(&program[at..], after_open);
        after_open = match kind {
            Kind::Open => program[at..at + length].ends_with('('),
            Kind::Space | Kind::Comment => after_open,
            _ => false,
        };
        found.push(Token {
            kind,
            span: at..at + length,
        });
        at += length;
    }
    found
}

fn next(rest: &str, after_open: bool) -> (Kind, usize) {
    let mut chars = rest.chars();
    let first = chars.next().unwrap_or(' ');
    let second = chars.next();
    match first {
        c if is_space(c) => (Kind::Space, run(rest, is_space)),
        ';' => (Kind::Comment, run(rest, |c| c != '\n')),
        '"' => (Kind::String, string(rest, 1)),
        '(' | '[' | '{' => (Kind::Open, 1),
        ')' | ']' | '}' => (Kind::Close, 1),
        '#' => match second {
            Some('{' | '(') => (Kind::Open, 2),
            Some('"') => (Kind::String, string(rest, 2)),
            Some('\'' | '_') => (Kind::Mark, 2),
            // `##Inf`, `##NaN`.
            Some('#') => (Kind::Number, 2 + run(&rest[2..], is_symbol)),
            _ => (Kind::Mark, 1),
        },
        '\\' => {
            let named = run(&rest[1..], is_symbol);
            let length = if named > 0 {
                1 + named
            } else {
                1 + second.map_or(0, char::len_utf8)
            };
            (Kind::Character, length)
        }
        ':' => (
            Kind::Keyword,
            1 + run(&rest[1..], |c| is_symbol(c) || c == ':'),
        ),
        c if c.is_ascii_digit() => (Kind::Number, run(rest, is_symbol)),
        '-' | '+' if second.is_some_and(|c| c.is_ascii_digit()) => {
            (Kind::Number, run(rest, is_symbol))
        }
        c if is_symbol(c) => {
            let length = run(rest, is_symbol);
            (symbol(&rest[..length], after_open), length)
        }
        c => (Kind::Mark, c.len_utf8()),
    }
}

fn symbol(word: &str, after_open: bool) -> Kind {
    match word {
        "nil" | "true" | "false" => Kind::Constant,
        _ if word.starts_with("tool/") => Kind::Tool,
        _ if word.starts_with("data/") => Kind::Data,
        _ if SPECIAL.binary_search(&word).is_ok() => Kind::Special,
        _ if after_open => Kind::Call,
        _ => Kind::Symbol,
    }
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c == ','
}

fn is_symbol(c: char) -> bool {
    c.is_alphanumeric() || "*+!-_?<>=/.&%$|#'".contains(c)
}

/// Bytes of the run of characters at the start.
fn run(text: &str, inside: impl Fn(char) -> bool) -> usize {
    text.find(|c| !inside(c)).unwrap_or(text.len())
}

/// Bytes of a string whose opening quote ends at `from`.
fn string(text: &str, from: usize) -> usize {
    let mut escaped = false;
    for (at, c) in text[from..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return from + at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(program: &str) -> Vec<(Kind, &str)> {
        tokens(program)
            .into_iter()
            .filter(|token| token.kind != Kind::Space)
            .map(|token| (token.kind, &program[token.span]))
            .collect()
    }

    #[test]
    fn a_program_is_told_apart() {
        assert_eq!(
            kinds("(def x #{:a -1.5 nil}) ; note\n(tool/f data/y \"s\\\"\" #'x \\a)"),
            [
                (Kind::Open, "("),
                (Kind::Special, "def"),
                (Kind::Symbol, "x"),
                (Kind::Open, "#{"),
                (Kind::Keyword, ":a"),
                (Kind::Number, "-1.5"),
                (Kind::Constant, "nil"),
                (Kind::Close, "}"),
                (Kind::Close, ")"),
                (Kind::Comment, "; note"),
                (Kind::Open, "("),
                (Kind::Tool, "tool/f"),
                (Kind::Data, "data/y"),
                (Kind::String, "\"s\\\"\""),
                (Kind::Mark, "#'"),
                (Kind::Symbol, "x"),
                (Kind::Character, "\\a"),
                (Kind::Close, ")"),
            ]
        );
        assert_eq!(
            kinds("(f \"open"),
            [
                (Kind::Open, "("),
                (Kind::Call, "f"),
                (Kind::String, "\"open"),
            ]
        );
    }

    #[test]
    fn special_words_can_be_searched() {
        assert!(SPECIAL.is_sorted());
    }

    proptest! {
        #[test]
        fn no_byte_is_lost(program in any::<String>()) {
            let joined: String = tokens(&program).iter().map(|t| &program[t.span.clone()]).collect();
            prop_assert_eq!(joined, program);
        }
    }
}
