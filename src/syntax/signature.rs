//! Signatures of tools and steps: `(query :string, limit :int?) -> [:string]`.
//!
//! `golden/signature.json` says what is one.

use std::fmt::Write as _;

/// What a signature says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signature {
    /// Parameters in order.
    pub params: Vec<Field>,
    /// The type of the result.
    pub returns: Type,
}

/// A parameter, or a field of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// The name as written.
    pub name: String,
    /// Its type.
    pub kind: Type,
}

/// A type in a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// `:int` or, optional, `:int?`.
    Named {
        /// `string`, `int`, `float`, `bool`, `keyword`, `map` or `any`.
        name: &'static str,
        /// Whether it is followed by `?`.
        optional: bool,
    },
    /// `[TYPE]`.
    List(Box<Type>),
    /// `{name TYPE, ..}`.
    Map(Vec<Field>),
}

const NAMES: [&str; 7] = ["string", "int", "float", "bool", "keyword", "map", "any"];

/// Levels of lists and maps that are followed; deeper ones are no signature.
const MAX_DEPTH: usize = 64;

impl Signature {
    /// Reads a step's or a tool's signature: `(params) -> type`, or a type alone.
    pub fn parse(text: &str) -> Option<Self> {
        let mut reader = Reader { rest: text.trim() };
        let params = if reader.rest.starts_with('(') {
            let params = reader.params()?;
            reader.eat("->")?;
            params
        } else {
            Vec::new()
        };
        let returns = reader.kind(0)?;
        reader.at_end().then_some(Self { params, returns })
    }

    /// As [`Signature::parse`], and `-> type` for a tool without parameters, as tool listings take
    /// it (`golden/namespace_tool.json`).
    pub fn parse_tool(text: &str) -> Option<Self> {
        let text = text.trim();
        Self::parse(text.strip_prefix("->").map_or(text, str::trim_start))
    }

    /// The listed form: `(query string, limit int?) -> [string]` (requirements 5).
    pub fn display(&self) -> String {
        let mut out = String::from("(");
        write_fields(&mut out, &self.params);
        out.push_str(") -> ");
        self.returns.write(&mut out);
        out
    }

    /// The parameter of a name.
    pub fn param(&self, name: &str) -> Option<&Field> {
        self.params.iter().find(|param| param.name == name)
    }
}

impl Type {
    /// The listed form, without colons.
    pub fn display(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Named { name, optional } => {
                let _ = write!(out, "{name}{}", if *optional { "?" } else { "" });
            }
            Self::List(item) => {
                out.push('[');
                item.write(out);
                out.push(']');
            }
            Self::Map(fields) => {
                out.push('{');
                write_fields(out, fields);
                out.push('}');
            }
        }
    }
}

fn write_fields(out: &mut String, fields: &[Field]) {
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        // `_` inside a name reads `-`; leading ones mark it hidden and stay (requirements 5).
        let inner = field.name.trim_start_matches('_');
        out.push_str(&field.name[..field.name.len() - inner.len()]);
        out.extend(inner.chars().map(|c| if c == '_' { '-' } else { c }));
        out.push(' ');
        field.kind.write(out);
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn at_end(&mut self) -> bool {
        self.skip_space();
        self.rest.is_empty()
    }

    fn eat(&mut self, token: &str) -> Option<()> {
        self.skip_space();
        self.rest = self.rest.strip_prefix(token)?;
        Some(())
    }

    fn name(&mut self) -> Option<&'a str> {
        self.skip_space();
        let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
        let continues = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !self.rest.starts_with(starts) {
            return None;
        }
        let end = self.rest.find(|c| !continues(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(name)
    }

    fn params(&mut self) -> Option<Vec<Field>> {
        self.eat("(")?;
        self.fields(")", 0)
    }

    /// Fields up to and with the closing bracket, none included.
    fn fields(&mut self, close: &str, depth: usize) -> Option<Vec<Field>> {
        let mut fields = Vec::new();
        if self.eat(close).is_some() {
            return Some(fields);
        }
        loop {
            let name = self.name()?.to_owned();
            let kind = self.kind(depth + 1)?;
            fields.push(Field { name, kind });
            if self.eat(close).is_some() {
                return Some(fields);
            }
            self.eat(",")?;
        }
    }

    fn kind(&mut self, depth: usize) -> Option<Type> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.eat("[").is_some() {
            let item = self.kind(depth + 1)?;
            self.eat("]")?;
            return Some(Type::List(Box::new(item)));
        }
        if self.eat("{").is_some() {
            return self.fields("}", depth).map(Type::Map);
        }
        self.eat(":")?;
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let name = NAMES.into_iter().find(|name| *name == word)?;
        let optional = rest.starts_with('?');
        self.rest = if optional { &rest[1..] } else { rest };
        Some(Type::Named { name, optional })
    }
}
