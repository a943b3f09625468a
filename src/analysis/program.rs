//! What a PTC-Lisp program uses: the names it reads, those it defines, and its literals
//! (analysis, "Lost").

use std::collections::HashSet;

use crate::syntax::forms::{Form, forms};

/// What a program reads and defines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Uses {
    /// Names that are neither local nor defined before by the program itself, in the order in which
    /// they are first read. Builtins are among them.
    pub reads: Vec<String>,
    /// Names it defines, in order.
    pub defines: Vec<Defined>,
    /// Literals, docstrings aside, in order.
    pub literals: Vec<Literal>,
}

/// A name that a program defines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Defined {
    /// The name.
    pub name: String,
    /// Whether the definition shows what the name stands for: a function or a literal.
    pub shows_value: bool,
}

/// A literal of a program, or of a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // each is looked for in its own way
pub enum Literal {
    /// What a string holds.
    Text(String),
    /// A keyword's name or a number.
    Word(String),
}

impl Uses {
    /// Reads a program. It may be broken.
    pub fn of(program: &str) -> Self {
        let mut reader = Reader::default();
        for form in forms(program) {
            reader.form(&form);
        }
        reader.uses
    }

    /// The last definition of a name.
    pub fn definition(&self, name: &str) -> Option<&Defined> {
        self.defines.iter().rev().find(|found| found.name == name)
    }
}

#[derive(Default)]
struct Reader {
    uses: Uses,
    locals: Vec<String>,
    known: HashSet<String>,
}

/// Forms whose first vector binds pairs of pattern and expression.
const BINDING: [&str; 13] = [
    "binding",
    "doseq",
    "dotimes",
    "for",
    "if-let",
    "if-some",
    "let",
    "loop",
    "when-first",
    "when-let",
    "when-some",
    "with-open",
    "with-redefs",
];

impl Reader {
    fn all<'a>(&mut self, forms: impl IntoIterator<Item = &'a Form<'a>>) {
        for form in forms {
            self.form(form);
        }
    }

    /// Reads forms within which new locals hold.
    fn scoped(&mut self, read: impl FnOnce(&mut Self)) {
        let before = self.locals.len();
        read(self);
        self.locals.truncate(before);
    }

    fn form(&mut self, form: &Form<'_>) {
        match form {
            Form::Symbol(name) => self.symbol(name),
            Form::Keyword(name) => self.word(name),
            Form::Number(number) => self.word(number),
            Form::Str(text) => self.uses.literals.push(Literal::Text(text.clone())),
            Form::Constant(_) => {}
            Form::Vector(items) | Form::Map(items) | Form::Set(items) | Form::Lambda(items) => {
                if matches!(form, Form::Lambda(_)) {
                    self.list(items);
                } else {
                    self.all(items);
                }
            }
            Form::Quoted(inner) => self.quoted(inner),
            Form::List(items) => self.list(items),
        }
    }

    fn symbol(&mut self, name: &str) {
        let name = name.strip_prefix("#'").unwrap_or(name);
        let foreign = name.contains('/') && name.len() > 1;
        if foreign || name.starts_with(['%', '&', '.']) || name == "_" {
            return;
        }
        let own = self.locals.iter().any(|local| local == name) || self.known.contains(name);
        if !own && !self.uses.reads.iter().any(|read| read == name) {
            self.uses.reads.push(name.to_owned());
        }
    }

    fn word(&mut self, word: &str) {
        self.uses.literals.push(Literal::Word(word.to_owned()));
    }

    /// Literals inside a quoted form; its symbols are data.
    fn quoted(&mut self, form: &Form<'_>) {
        match form {
            Form::Symbol(_) | Form::Constant(_) => {}
            Form::List(items)
            | Form::Vector(items)
            | Form::Map(items)
            | Form::Set(items)
            | Form::Lambda(items) => {
                for item in items {
                    self.quoted(item);
                }
            }
            Form::Quoted(inner) => self.quoted(inner),
            other => self.form(other),
        }
    }

    fn list(&mut self, items: &[Form<'_>]) {
        let Some((head, rest)) = items.split_first() else {
            return;
        };
        let Form::Symbol(name) = head else {
            return self.all(items);
        };
        match *name {
            // Whoever made a local of such a name means that.
            name if self.locals.iter().any(|local| local == name) => self.all(items),
            "def" | "defonce" => self.def(rest),
            "defn" | "defn-" => self.defn(rest),
            "fn" => self.function(rest),
            "quote" => rest.iter().for_each(|form| self.quoted(form)),
            "catch" => self.catch(rest),
            "as->" => self.as_arrow(rest),
            name if BINDING.contains(&name) => self.binding(name, rest),
            _ => self.all(items),
        }
    }

    fn def(&mut self, rest: &[Form<'_>]) {
        let Some((Form::Symbol(name), rest)) = rest.split_first() else {
            return self.all(rest);
        };
        let value = match rest {
            [Form::Str(_), value @ ..] if !value.is_empty() => value,
            value => value,
        };
        self.all(value);
        let shows_value = matches!(value, [value] if is_literal(value) || is_function(value));
        self.define(name, shows_value);
    }

    fn define(&mut self, name: &str, shows_value: bool) {
        self.known.insert(name.to_owned());
        self.uses.defines.push(Defined {
            name: name.to_owned(),
            shows_value,
        });
    }

    fn defn(&mut self, rest: &[Form<'_>]) {
        let Some((Form::Symbol(name), rest)) = rest.split_first() else {
            return self.all(rest);
        };
        // A function knows itself.
        self.define(name, true);
        let mut rest = rest;
        if let [Form::Str(_), body @ ..] = rest {
            rest = body;
        }
        // A map of attributes may come next.
        if let [Form::Map(_), body @ ..] = rest
            && !body.is_empty()
        {
            rest = body;
        }
        self.arities(rest);
    }

    fn function(&mut self, rest: &[Form<'_>]) {
        self.scoped(|reader| match rest {
            [Form::Symbol(name), rest @ ..] => {
                reader.locals.push((*name).to_owned());
                reader.arities(rest);
            }
            rest => reader.arities(rest),
        });
    }

    /// `[params] body..`, or several of these in lists of their own.
    fn arities(&mut self, rest: &[Form<'_>]) {
        match rest {
            [Form::Vector(params), body @ ..] => self.scoped(|reader| {
                for param in params {
                    reader.pattern(param);
                }
                reader.all(body);
            }),
            several => {
                for arity in several {
                    match arity {
                        Form::List(arity) if matches!(arity.first(), Some(Form::Vector(_))) => {
                            self.arities(arity);
                        }
                        other => self.form(other),
                    }
                }
            }
        }
    }

    fn binding(&mut self, name: &str, rest: &[Form<'_>]) {
        let Some((Form::Vector(bindings), body)) = rest.split_first() else {
            return self.all(rest);
        };
        let (inside, outside) = match name {
            // What is done otherwise doesn't know the binding.
            "if-let" | "if-some" => body.split_at(body.len().min(1)),
            _ => (body, &body[..0]),
        };
        self.scoped(|reader| {
            reader.pairs(bindings);
            reader.all(inside);
        });
        self.all(outside);
    }

    fn pairs(&mut self, bindings: &[Form<'_>]) {
        for pair in bindings.chunks(2) {
            match pair {
                [Form::Keyword("let"), Form::Vector(inner)] => self.pairs(inner),
                [Form::Keyword("when" | "while"), test] => self.form(test),
                [pattern, value] => {
                    self.form(value);
                    self.pattern(pattern);
                }
                rest => self.all(rest),
            }
        }
    }

    /// Makes locals of what a pattern binds.
    fn pattern(&mut self, pattern: &Form<'_>) {
        match pattern {
            Form::Symbol("&") => {}
            Form::Symbol(name) | Form::Keyword(name) => {
                let plain = name.rsplit('/').next().unwrap_or(name);
                self.locals.push(plain.to_owned());
            }
            Form::Vector(items) => {
                for item in items {
                    match item {
                        Form::Keyword("as") => {}
                        item => self.pattern(item),
                    }
                }
            }
            Form::Map(entries) => {
                for entry in entries.chunks(2) {
                    self.map_pattern(entry);
                }
            }
            _ => {}
        }
    }

    fn map_pattern(&mut self, entry: &[Form<'_>]) {
        match entry {
            [Form::Keyword("or"), Form::Map(defaults)] => {
                for default in defaults.chunks(2).filter_map(|pair| pair.get(1)) {
                    self.form(default);
                }
            }
            [Form::Keyword("as"), name] => self.pattern(name),
            [Form::Keyword(_), Form::Vector(names)] => {
                // The keys are literals, and the locals are called like them.
                for name in names {
                    if let Form::Symbol(name) | Form::Keyword(name) = name {
                        self.word(name);
                    }
                    self.pattern(name);
                }
            }
            [pattern, key] => {
                self.form(key);
                self.pattern(pattern);
            }
            _ => {}
        }
    }

    fn catch(&mut self, rest: &[Form<'_>]) {
        self.scoped(|reader| match rest {
            [Form::Symbol(_), Form::Symbol(error), body @ ..] => {
                reader.locals.push((*error).to_owned());
                reader.all(body);
            }
            rest => reader.all(rest),
        });
    }

    fn as_arrow(&mut self, rest: &[Form<'_>]) {
        match rest {
            [value, Form::Symbol(name), body @ ..] => {
                self.form(value);
                self.scoped(|reader| {
                    reader.locals.push((*name).to_owned());
                    reader.all(body);
                });
            }
            rest => self.all(rest),
        }
    }
}

/// Whether a form stands for itself through and through.
fn is_literal(form: &Form<'_>) -> bool {
    match form {
        Form::Symbol(_) | Form::List(_) | Form::Lambda(_) => false,
        Form::Vector(items) | Form::Map(items) | Form::Set(items) => items.iter().all(is_literal),
        _ => true,
    }
}

fn is_function(form: &Form<'_>) -> bool {
    match form {
        Form::Lambda(_) => true,
        Form::List(items) => matches!(items.first(), Some(Form::Symbol("fn"))),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(program: &str) -> Vec<String> {
        let builtins = [
            "inc", "map", "+", "println", "when", "str", "first", "do", "if",
        ];
        let mut reads = Uses::of(program).reads;
        reads.retain(|name| !builtins.contains(&name.as_str()));
        reads
    }

    #[test]
    fn a_definition_reads_the_value_before_it() {
        assert_eq!(reads("(def n (inc n))"), ["n"]);
        assert_eq!(reads("(def n 1) (inc n)"), [""; 0]);
        assert_eq!(reads("(inc n) (def n 1)"), ["n"]);
        assert_eq!(reads("(defn f [x] (f (+ x total)))"), ["total"]);
        assert_eq!(reads("(def f \"doc\" (fn g [x] (g x y)))"), ["y"]);
    }

    #[test]
    fn locals_are_no_reads() {
        for program in [
            "(let [a 1 b a] (+ a b))",
            "(let [{:keys [a b] :or {a 1} :as m} {}] (+ a b m))",
            "(let [[a & b] [1] {c :k} {}] (+ a b c))",
            "(loop [i 0] (when i (recur (inc i))))"
                .replace("recur", "do")
                .as_str(),
            "(for [x [1] :let [y x] :when y] (+ x y))",
            "(doseq [[k v] {}] (println k v))",
            "(fn ([a] a) ([a b] (+ a b)))",
            "(map #(inc %) [1])",
            "(as-> 1 v (inc v))",
            "(do 'quoted (println data/x (tool/y {})))",
        ] {
            assert_eq!(reads(program), [""; 0], "{program}");
        }
        assert_eq!(reads("(if-let [a b] a a)"), ["b", "a"]);
        assert_eq!(reads("(let [a a] a)"), ["a"]);
    }

    #[test]
    fn docstrings_are_no_literals() {
        let literals = |program| Uses::of(program).literals;
        assert_eq!(literals("(defn f \"doc\" [x] x)"), []);
        assert_eq!(
            literals("(def x \"doc\" 250)"),
            [Literal::Word("250".into())]
        );
        assert_eq!(literals("(def x \"text\")"), [Literal::Text("text".into())]);
        assert_eq!(literals("(:a_b m)"), [Literal::Word("a_b".into())]);
    }

    #[test]
    fn definitions_show_functions_and_literals() {
        let shown = |program| Uses::of(program).definition("x").map(|d| d.shows_value);
        assert_eq!(shown("(def x [1 :a \"s\" {:k nil}])"), Some(true));
        assert_eq!(shown("(def x #(inc %))"), Some(true));
        assert_eq!(shown("(def x (inc 1))"), Some(false));
        assert_eq!(shown("(def x [y])"), Some(false));
        assert_eq!(shown("(def y 1)"), None);
    }
}
