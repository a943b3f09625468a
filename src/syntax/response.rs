//! The program in an LLM's response (`golden/response_parse.json`), and the response's parts for
//! showing it.

use std::ops::Range;

/// A fenced block of code in a response.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// The whole block, fences included.
    pub whole: Range<usize>,
    /// The word behind the opening fence, as written; empty where there is none.
    pub language: Range<usize>,
    /// What stands between the fences.
    pub content: Range<usize>,
}

const FENCE: &str = "```";

/// The closed fenced blocks of a response, in order. The next fence closes a block wherever it
/// stands, as in the reference.
pub fn blocks(response: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = response[from..].find(FENCE).map(|at| from + at) {
        let inside = open + FENCE.len();
        let Some(close) = response[inside..].find(FENCE).map(|at| inside + at) else {
            break;
        };
        let word = response[inside..close]
            .find(|c: char| !c.is_ascii_alphanumeric() && !"+-_#.".contains(c))
            .map_or(close, |at| inside + at);
        let end = close + FENCE.len();
        found.push(Block {
            whole: open..end,
            language: inside..word,
            content: word..close,
        });
        from = end;
    }
    found
}

/// The program in a response, or none.
///
/// Blocks marked `clojure` or `lisp` count first, then blocks of any mark that hold an expression in
/// parentheses, then a response that is one as a whole. Several blocks become one `do`. Curly quotes
/// are straightened, unseen characters and discarded forms (`#_ ..`) removed.
pub fn program(response: &str) -> Option<String> {
    let blocks = blocks(response);
    let lisp: Vec<&str> = blocks
        .iter()
        .filter(|block| {
            let language = &response[block.language.clone()];
            language.eq_ignore_ascii_case("clojure") || language.eq_ignore_ascii_case("lisp")
        })
        .map(|block| response[block.content.clone()].trim_start())
        .collect();
    if !lisp.is_empty() {
        return Some(join(&lisp));
    }
    let expressions: Vec<&str> = blocks
        .iter()
        .map(|block| response[block.content.clone()].trim_start())
        .filter(|content| content.starts_with('('))
        .collect();
    if !expressions.is_empty() {
        return Some(join(&expressions));
    }
    let whole = tidy(response);
    whole.starts_with('(').then_some(whole)
}

fn join(programs: &[&str]) -> String {
    match programs {
        [one] => tidy(one),
        several => tidy(&format!("(do {})", several.join("\n"))),
    }
}

/// Removes what LLMs put into programs that no program means.
fn tidy(program: &str) -> String {
    let straight: String = program
        .chars()
        .filter_map(|c| match c {
            '\u{201c}' | '\u{201d}' => Some('"'),
            '\u{2018}' | '\u{2019}' => Some('\''),
            '\u{200b}'..='\u{200d}' | '\u{feff}' | '\u{a0}' => None,
            c => Some(c),
        })
        .collect();
    without_discards(&straight).trim().to_owned()
}

/// Drops each `#_` with the form behind it. As in the reference, this is done on the text, strings
/// included.
fn without_discards(program: &str) -> String {
    let mut out = String::with_capacity(program.len());
    let mut rest = program;
    while let Some(at) = rest.find("#_") {
        out.push_str(&rest[..at]);
        let form = rest[at + 2..].trim_start();
        rest = &form[form_length(form)..];
    }
    out.push_str(rest);
    out
}

/// Bytes of the form at the start of a text: a bracketed one up to its closing bracket, a string, or
/// a word.
fn form_length(text: &str) -> usize {
    let mut depth = 0usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if in_string {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' if depth == 0 => return at + 1,
                '"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => match depth {
                0 => return at,
                1 => return at + 1,
                _ => depth -= 1,
            },
            '"' if depth == 0 && at > 0 => return at,
            '"' => in_string = true,
            c if depth == 0 && (c.is_whitespace() || c == ',') => return at,
            _ => {}
        }
    }
    text.len()
}
