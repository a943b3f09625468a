//! Colours for code that is no PTC-Lisp: found off the drawing thread, remembered for what was shown
//! lately. PTC-Lisp has its own reader, which needs no waiting for.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use self::languages::known;
use super::rows::Stretch;
use super::theme::Role;
use super::work::{Teller, Work};
use crate::syntax::lexer;

pub(super) mod languages;

/// Bytes of code that are coloured; what is longer stays as it is.
const MOST: usize = 128 * 1024;

/// Bytes of a line that are coloured: patterns may take long on lines that no person wrote.
const MOST_OF_LINE: usize = 2048;

/// Pieces of code that are remembered.
const KEPT: usize = 64;

/// Bytes at each end of code that its hash is made of.
const HASHED: usize = 64;

/// Code in a language, by the word that marks it.
#[derive(Debug, Clone)]
pub struct Code {
    /// Its name among the syntaxes.
    language: &'static str,
    text: Arc<str>,
}

/// Where a line stands in code.
#[derive(Debug, Clone)]
#[allow(clippy::exhaustive_structs)] // a piece of code and a place in it
pub struct CodeLine {
    /// The code.
    pub code: Code,
    /// The byte of the code at which the line, or what is code of it, begins.
    pub start: usize,
}

impl PartialEq for Code {
    /// Mostly it is the same text in memory.
    fn eq(&self, other: &Self) -> bool {
        self.language == other.language
            && (Arc::ptr_eq(&self.text, &other.text) || self.text == other.text)
    }
}

impl Eq for Code {}

impl Hash for Code {
    /// By its length and its ends: it is looked up for every line that is drawn.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let text = self.text.as_bytes();
        let end = text.len().min(HASHED);
        (text.len(), &text[..end], &text[text.len() - end..]).hash(state);
    }
}

impl Code {
    /// Code that can be coloured: of a known language and not too long.
    pub fn new(language: &str, text: impl Into<Arc<str>> + AsRef<str>) -> Option<Self> {
        let language = known(language)?;
        (text.as_ref().len() <= MOST).then(|| Self {
            language,
            text: text.into(),
        })
    }

    /// The code itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same language's code of another text.
    #[must_use]
    pub fn with_text(&self, text: &str) -> Self {
        Self {
            language: self.language,
            text: text.into(),
        }
    }
}

/// The colours found so far.
#[derive(Debug, Default)]
pub struct Colours {
    found: HashMap<Code, Arc<[Stretch]>>,
    coming: Work<(Code, Arc<[Stretch]>)>,
    /// What is looked for, or was last.
    asked: Vec<Code>,
}

impl Colours {
    /// The roles of code, its first byte being 0; none while they aren't found.
    pub fn of(&self, code: &Code) -> Option<&Arc<[Stretch]>> {
        self.found.get(code)
    }

    /// Looks for the roles of what is shown now; what was looked for before and isn't shown any longer
    /// is given up.
    pub fn ask(&mut self, mut shown: Vec<Code>) {
        shown.truncate(KEPT);
        let missing = |code: &&Code| !self.found.contains_key(code);
        let asked: Vec<Code> = shown.iter().filter(missing).cloned().collect();
        // What is looked for goes on as long as all of it is wanted; what a panic kept from being
        // looked at isn't asked for again.
        let goes_on = self.is_running() && self.asked.iter().all(|code| shown.contains(code));
        if goes_on || (self.asked == asked && !self.is_running()) {
            return;
        }
        self.coming = Work::default();
        self.asked.clone_from(&asked);
        if asked.is_empty() {
            return;
        }
        if self.found.len() + asked.len() > KEPT {
            self.found.retain(|code, _| shown.contains(code));
        }
        self.coming = Work::start(move |teller| find(asked, teller));
    }

    /// Whether colours are still looked for.
    pub fn is_running(&self) -> bool {
        self.coming.is_running()
    }

    /// Takes what was found since; whether that is anything, or the end.
    pub fn poll(&mut self) -> bool {
        self.coming.poll(|(code, stretches)| {
            self.found.insert(code, stretches);
        })
    }
}

/// The roles of PTC-Lisp, of printed values too; by our own reader, which needs no waiting for.
pub fn lisp(text: &str) -> impl Iterator<Item = Stretch> + '_ {
    lexer::tokens(text).into_iter().map(|token| Stretch {
        end: token.span.end,
        role: match token.kind {
            lexer::Kind::Comment => Role::Comment,
            lexer::Kind::String => Role::String,
            lexer::Kind::Character | lexer::Kind::Number | lexer::Kind::Constant => Role::Number,
            lexer::Kind::Keyword => Role::Keyword,
            lexer::Kind::Special => Role::Special,
            lexer::Kind::Tool | lexer::Kind::Data => Role::Namespace,
            lexer::Kind::Call => Role::Function,
            lexer::Kind::Open | lexer::Kind::Close | lexer::Kind::Mark => Role::Dim,
            _ => Role::Text,
        },
    })
}

fn find(asked: Vec<Code>, teller: &Teller<(Code, Arc<[Stretch]>)>) {
    for code in asked {
        let Some(stretches) = stretches(&code, &|| teller.is_wanted()) else {
            return;
        };
        teller.tell((code, stretches.into()));
    }
}

fn syntaxes() -> &'static SyntaxSet {
    static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
    SYNTAXES.get_or_init(SyntaxSet::load_defaults_newlines)
}

/// The roles of code; none where nobody waits for them any longer.
fn stretches(code: &Code, is_wanted: &dyn Fn() -> bool) -> Option<Vec<Stretch>> {
    let syntaxes = syntaxes();
    let Some(syntax) = syntaxes.find_syntax_by_name(code.language) else {
        return Some(Vec::new());
    };
    let mut painter = Painter::new(syntax);
    let mut start = 0;
    for line in code.text.split_inclusive('\n') {
        if !is_wanted() {
            return None;
        }
        painter.line(line, start, syntaxes);
        start += line.len();
    }
    Some(painter.stretches)
}

/// Goes through code line by line.
struct Painter {
    state: ParseState,
    stack: ScopeStack,
    stretches: Vec<Stretch>,
}

impl Painter {
    fn new(syntax: &SyntaxReference) -> Self {
        Self {
            state: ParseState::new(syntax),
            stack: ScopeStack::new(),
            stretches: Vec::new(),
        }
    }

    fn line(&mut self, line: &str, start: usize, syntaxes: &SyntaxSet) {
        let end = start + line.len();
        let parsed = (line.len() <= MOST_OF_LINE).then(|| self.state.parse_line(line, syntaxes));
        let Some(Ok(changes)) = parsed else {
            self.push(end, Role::Text);
            return;
        };
        for (at, change) in changes {
            let role = role(self.stack.as_slice());
            self.push(start + at, role);
            // A change that doesn't fit the stack is the syntax's mistake: it stays as it is.
            let _ = self.stack.apply(&change);
        }
        self.push(end, role(self.stack.as_slice()));
    }

    /// Up to a byte it is of a role.
    fn push(&mut self, end: usize, role: Role) {
        match self.stretches.last_mut() {
            Some(last) if last.end >= end => {}
            Some(last) if last.role == role => last.end = end,
            None if end == 0 => {}
            _ => self.stretches.push(Stretch { end, role }),
        }
    }
}

/// What scopes begin with, and their roles; the first row that holds counts.
fn roles() -> &'static [(Scope, Role)] {
    static ROLES: OnceLock<Vec<(Scope, Role)>> = OnceLock::new();
    ROLES.get_or_init(|| {
        let rows = [
            ("comment", Role::Comment),
            ("meta.mapping.key", Role::Keyword),
            ("string", Role::String),
            ("constant", Role::Number),
            ("keyword.operator", Role::Text),
            ("keyword", Role::Special),
            ("storage", Role::Special),
            ("entity.name.tag", Role::Special),
            ("entity.other.attribute-name", Role::Keyword),
            ("entity.name.function", Role::Function),
            ("entity.name", Role::Namespace),
            ("support.type", Role::Namespace),
            ("support.function", Role::Function),
            ("variable.function", Role::Function),
            ("markup.inserted", Role::Good),
            ("markup.deleted", Role::Bad),
            ("markup.heading", Role::Title),
            ("meta.diff.header", Role::Dim),
            ("meta.diff.range", Role::Dim),
        ];
        let scope = |(name, role)| Scope::new(name).ok().map(|scope| (scope, role));
        rows.into_iter().filter_map(scope).collect()
    })
}

/// The role of what stands in scopes, the innermost of which counts first.
fn role(scopes: &[Scope]) -> Role {
    let of = |scope: &Scope| {
        let mut rows = roles().iter();
        rows.find(|(prefix, _)| prefix.is_prefix_of(*scope))
    };
    scopes
        .iter()
        .rev()
        .find_map(of)
        .map_or(Role::Text, |(_, role)| *role)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles_of(language: &str, text: &str) -> Vec<(String, Role)> {
        let code = Code::new(language, text).expect("a known language");
        let stretches = stretches(&code, &|| true).expect("not cancelled");
        let mut start = 0;
        let mut out = Vec::new();
        for stretch in stretches {
            out.push((text[start..stretch.end].to_owned(), stretch.role));
            start = stretch.end;
        }
        assert_eq!(start, text.len());
        out
    }

    fn has(found: &[(String, Role)], text: &str, role: Role) {
        let is_it = |(piece, its): &(String, Role)| piece.trim() == text && *its == role;
        assert!(found.iter().any(is_it), "{text} {role:?}: {found:?}");
    }

    #[test]
    fn languages_have_roles() {
        let found = roles_of("py", "def f(x):\n    return \"a\" # why\n");
        has(&found, "def", Role::Special);
        has(&found, "f", Role::Function);
        has(&found, "\"a\"", Role::String);
        has(&found, "# why", Role::Comment);
        let found = roles_of("json", "{\"key\": [1, true, \"x\"]}");
        has(&found, "1", Role::Number);
        has(&found, "\"x\"", Role::String);
        let found = roles_of("bash", "if true; then grep -n 'a b' file; fi");
        has(&found, "if", Role::Special);
        has(&found, "'a b'", Role::String);
        let found = roles_of("diff", "-old\n+new\n");
        has(&found, "-old", Role::Bad);
        has(&found, "+new", Role::Good);
    }

    #[test]
    fn every_language_of_the_table_is_a_syntax() {
        for (_, name) in languages::LANGUAGES {
            assert!(syntaxes().find_syntax_by_name(name).is_some(), "{name}");
        }
        assert_eq!(Code::new("klingon", "x"), None);
        assert_eq!(Code::new("py", "x".repeat(MOST + 1)), None);
    }

    #[test]
    fn code_is_asked_for_once_and_found_later() {
        let mut colours = Colours::default();
        let code = Code::new("rust", "fn main() {}").expect("a known language");
        colours.ask(vec![code.clone()]);
        assert!(colours.is_running() && colours.of(&code).is_none());
        while colours.is_running() {
            colours.poll();
            std::thread::yield_now();
        }
        assert!(colours.of(&code).is_some());
        colours.ask(vec![code]);
        assert!(!colours.is_running());
    }
}
