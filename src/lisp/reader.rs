//! The reader: a program's text into forms.
//!
//! As in the reference, tokens need no space between them (`1/2` is a number and a symbol), and
//! closing brackets that nothing opened are dropped where nothing follows them.

use std::sync::Arc;

use num_bigint::BigInt;

use super::error::{LispError, Place};
use super::form::{Form, Kind};
use crate::value::Value;

/// Brackets that may be open at once.
const MAX_DEPTH: usize = 200;

/// The forms of a program.
pub(super) fn read(program: &str) -> Result<Vec<Form>, LispError> {
    let mut reader = Reader {
        text: program,
        at: 0,
        depth: 0,
    };
    let mut forms = Vec::new();
    loop {
        reader.skip_space();
        match reader.peek() {
            None => return Ok(forms),
            Some(')' | ']' | '}') => {
                let rest = &program[reader.at..];
                let only = |c: char| is_space(c) || matches!(c, ')' | ']' | '}');
                if rest.chars().all(only) {
                    return Ok(forms);
                }
                return Err(reader.error("a closing bracket that nothing opened", "remove it"));
            }
            Some(_) => forms.push(reader.form()?),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn error(&self, message: impl Into<String>, hint: &str) -> LispError {
        LispError::new("parse_error", message)
            .hint(hint)
            .at(self.at)
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.peek() {
            if is_space(c) {
                self.at += c.len_utf8();
            } else if c == ';' {
                let rest = &self.text[self.at..];
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else {
                break;
            }
        }
    }

    fn run(&mut self, inside: impl Fn(char) -> bool) -> &str {
        let start = self.at;
        let rest = &self.text[start..];
        self.at += rest.find(|c| !inside(c)).unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    fn form(&mut self) -> Result<Form, LispError> {
        let start = self.at;
        let rest = &self.text[start..];
        let mut chars = rest.chars();
        let first = chars.next().unwrap_or(' ');
        let second = chars.next();
        let kind = match first {
            '(' => Kind::List(self.items(1, ')')?),
            '[' => Kind::Vector(self.items(1, ']')?),
            '{' => {
                let items = self.items(1, '}')?;
                if items.len() % 2 != 0 {
                    let error = LispError::new("parse_error", "a map with a key without a value");
                    return Err(error
                        .hint("write a key and a value for each entry")
                        .at(start));
                }
                Kind::Map(items)
            }
            '"' => Kind::Literal(Value::string(self.string()?)),
            '\\' => Kind::Literal(self.character()?),
            ':' => {
                self.at += 1;
                let name: Arc<str> = self.run(|c| is_symbol(c) && c != '/').into();
                if name.is_empty() {
                    self.at = start;
                    return Err(self.error("a colon without a name", "write a keyword as :name"));
                }
                Kind::Literal(Value::Keyword(name))
            }
            '#' => self.dispatch(second)?,
            c if c.is_ascii_digit() || c == '-' && second.is_some_and(|c| c.is_ascii_digit()) => {
                Kind::Literal(self.number())
            }
            c if is_symbol(c) => {
                let name: Arc<str> = self.run(is_symbol).into();
                match &*name {
                    "nil" => Kind::Literal(Value::Nil),
                    "true" => Kind::Literal(Value::Bool(true)),
                    "false" => Kind::Literal(Value::Bool(false)),
                    _ => Kind::Symbol(name),
                }
            }
            '\'' | '`' | '~' => {
                return Err(self.error(
                    format!("quoting ({first}) is not part of PTC-Lisp"),
                    "write a vector for a list and a keyword for a symbol",
                ));
            }
            c => {
                return Err(self.error(
                    format!("'{c}' can't stand here"),
                    "remove it, or put it into a string",
                ));
            }
        };
        Ok(Form::new(kind, start, self.at))
    }

    fn dispatch(&mut self, second: Option<char>) -> Result<Kind, LispError> {
        match second {
            Some('{') => Ok(Kind::Set(self.items(2, '}')?)),
            Some('(') => Ok(Kind::ShortFn(self.items(2, ')')?)),
            Some('"') => {
                self.at += 1;
                Ok(Kind::Regex(self.pattern()?))
            }
            Some('\'') => {
                self.at += 2;
                let name: Arc<str> = self.run(is_symbol).into();
                if name.is_empty() {
                    return Err(self.error("#' without a name", "name a definition: #'total"));
                }
                Ok(Kind::Var(name))
            }
            Some('_') => Err(self.error(
                "#_ is not part of PTC-Lisp",
                "remove the form, or make it a comment with ;",
            )),
            _ => Err(self.error(
                "a # with nothing that it can begin",
                "#{..} is a set, #(..) a function, #\"..\" a pattern",
            )),
        }
    }

    /// What stands between brackets; the opening one has `open` bytes.
    fn items(&mut self, open: usize, close: char) -> Result<Vec<Form>, LispError> {
        let start = self.at;
        if self.depth >= MAX_DEPTH {
            return Err(self.error(
                format!("nested deeper than {MAX_DEPTH} brackets"),
                "use let or def to give inner parts a name",
            ));
        }
        self.at += open;
        self.depth += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(c) if c == close => {
                    self.at += 1;
                    self.depth -= 1;
                    return Ok(items);
                }
                Some(c @ (')' | ']' | '}')) => {
                    let place = Place::of(self.text, start);
                    return Err(self.error(
                        format!(
                            "'{c}' closes a bracket that needs '{close}', opened in line {}, column {}",
                            place.line, place.column
                        ),
                        &format!("write '{close}'"),
                    ));
                }
                Some(_) => items.push(self.form()?),
                None => {
                    let open = &self.text[start..=start];
                    let message = match open {
                        "(" => format!("unbalanced parentheses: {} unclosed '('", self.depth),
                        _ => format!("unbalanced brackets: {} unclosed", self.depth),
                    };
                    let error = LispError::new("parse_error", message).at(start);
                    return Err(error.hint(format!("add the missing '{close}'")));
                }
            }
        }
    }

    fn unclosed(start: usize) -> LispError {
        let error = LispError::new("parse_error", "a string that isn't closed").at(start);
        error.hint("add the missing '\"'")
    }

    fn string(&mut self) -> Result<String, LispError> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(out),
                '\\' => {
                    let Some(escaped) = self.peek() else { break };
                    self.at += escaped.len_utf8();
                    out.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        'b' => '\u{8}',
                        'f' => '\u{c}',
                        'u' => self.code_point().unwrap_or('u'),
                        other => other,
                    });
                }
                c => out.push(c),
            }
        }
        Err(Self::unclosed(start))
    }

    fn code_point(&mut self) -> Option<char> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
        self.at += 4;
        Some(c)
    }

    /// A pattern keeps its backslashes.
    fn pattern(&mut self) -> Result<Arc<str>, LispError> {
        let start = self.at;
        self.at += 1;
        let mut escaped = false;
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => return Ok(self.text[start + 1..self.at - 1].into()),
                _ => {}
            }
        }
        Err(Self::unclosed(start))
    }

    fn character(&mut self) -> Result<Value, LispError> {
        let start = self.at;
        self.at += 1;
        let word = self.run(char::is_alphanumeric).to_owned();
        let text = match word.as_str() {
            "space" => " ",
            "newline" => "\n",
            "tab" => "\t",
            "return" => "\r",
            "backspace" => "\u{8}",
            "formfeed" => "\u{c}",
            word if word.chars().count() == 1 => word,
            "" => match self.peek().filter(|c| !is_space(*c)) {
                Some(c) => {
                    self.at += c.len_utf8();
                    return Ok(Value::string(c.to_string()));
                }
                None => "",
            },
            _ => "",
        };
        if text.is_empty() {
            self.at = start;
            return Err(self.error(
                "a backslash that begins no character",
                r"characters are written \a, \space, \newline",
            ));
        }
        Ok(Value::string(text))
    }

    fn number(&mut self) -> Value {
        let start = self.at;
        if self.peek() == Some('-') {
            self.at += 1;
        }
        self.run(|c| c.is_ascii_digit());
        let digit_after = |reader: &Self, skip: usize| {
            let rest = reader.text.as_bytes().get(reader.at + skip);
            rest.is_some_and(u8::is_ascii_digit)
        };
        let mut float = false;
        if self.peek() == Some('.') && digit_after(self, 1) {
            float = true;
            self.at += 1;
            self.run(|c| c.is_ascii_digit());
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            let sign = self.text[self.at + 1..].starts_with(['-', '+']);
            if digit_after(self, 1 + usize::from(sign)) {
                float = true;
                self.at += 1 + usize::from(sign);
                self.run(|c| c.is_ascii_digit());
            }
        }
        let text = &self.text[start..self.at];
        if float {
            return Value::Float(text.parse().unwrap_or_default());
        }
        match text.parse::<i64>() {
            Ok(number) => Value::Int(number),
            Err(_) => Value::from_bigint(text.parse::<BigInt>().unwrap_or_default()),
        }
    }
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c == ','
}

/// Characters of names. An apostrophe may not begin one, so it is none here.
pub(super) fn is_symbol(c: char) -> bool {
    c.is_alphanumeric() || "*+!-_?<>=/.&%$|".contains(c)
}
