//! What a turn used of what earlier turns had made or seen (analysis, "Lost").

use std::collections::HashSet;
use std::sync::Arc;

use super::current::Current;
use super::program::Literal;
use super::sent::{Analysis, Reference, Sent};
use super::shown::{Level, NameFacts};
use super::text_index::TextIndex;
use super::words::{has_line, has_word, is_distinctive, is_several, words};
use crate::value::Value;

/// What kind of thing is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NeedKind {
    /// A literal that an earlier turn showed.
    Literal,
    /// A name in memory.
    Name,
    /// A literal that the model had written itself before.
    Own,
}

impl NeedKind {
    /// The name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Literal => "literal",
            Self::Name => "name",
            Self::Own => "own",
        }
    }
}

/// Something that a turn used.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Need {
    /// What kind of thing.
    pub kind: NeedKind,
    /// The name, the word or the line.
    pub item: Arc<str>,
    /// The turn it comes from.
    pub source: u32,
    /// How many turns back that is.
    pub reach: u32,
    /// Whether the reference prompt shows a name's value.
    pub by_value: bool,
}

/// What a turn needed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Needs {
    /// The prompt that says what the model could see.
    pub reference: Reference,
    /// Names, in the order in which the program reads them.
    pub names: Vec<Need>,
    /// Literals.
    pub literals: Vec<Need>,
    /// Literals that the model had written itself.
    pub own: Vec<Need>,
}

impl Needs {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Need> {
        self.names.iter().chain(&self.literals).chain(&self.own)
    }
}

impl Analysis {
    /// What turn N needed.
    pub fn needs(&self, n: u32) -> Arc<Needs> {
        match self.needs_cell(n) {
            Some(cell) => Arc::clone(cell.get_or_init(|| Arc::new(self.find_needs(n)))),
            None => Arc::new(self.find_needs(n)),
        }
    }

    fn find_needs(&self, n: u32) -> Needs {
        let mut prompt = self.reference_prompt();
        let mut needs = Needs {
            reference: prompt.go_to_reference(self, n),
            names: self.needed_names(n, &prompt),
            literals: Vec::new(),
            own: Vec::new(),
        };
        self.needed_literals(n, &prompt, &mut needs);
        needs
    }

    fn needed_names(&self, n: u32, prompt: &Current) -> Vec<Need> {
        let reads = self.uses(n).map_or(&[][..], |uses| &uses.reads);
        let names = reads.iter().filter_map(|name| {
            let facts = self.name_facts(n, name)?;
            let shown = prompt.level(&facts);
            (shown > Level::None).then(|| Need {
                kind: NeedKind::Name,
                item: name.as_str().into(),
                source: facts.source,
                reach: n - facts.source,
                by_value: shown == Level::Value,
            })
        });
        names.collect()
    }

    /// What is to be known of a name in the memory before turn N; none where it isn't there, or
    /// nobody knows which turn it comes from.
    pub(super) fn name_facts<'a>(&'a self, n: u32, name: &'a str) -> Option<NameFacts<'a>> {
        let history = self.run().history(n);
        let value = history.memory().get(name)?;
        let changed = history.changes(name).last();
        let changed = changed.and_then(|&index| u32::try_from(index + 1).ok());
        let defines = |turn: &u32| {
            let uses = self.uses(*turn);
            let succeeded = self.turn(*turn).is_some_and(|turn| !turn.failed());
            succeeded && uses.is_some_and(|uses| uses.definition(name).is_some())
        };
        let source = (1..n).rev().find(defines).or(changed)?;
        Some(NameFacts::new(self, name, value, source, changed))
    }

    fn needed_literals(&self, n: u32, prompt: &Current, needs: &mut Needs) {
        let mut literals = Vec::new();
        match (self.uses(n), self.turn(n)) {
            (Some(uses), _) => literals.clone_from(&uses.literals),
            (None, Some(turn)) => {
                for call in turn.tool_calls() {
                    push_value(&call.args, &mut literals);
                }
            }
            (None, None) => {}
        }
        let mut seen = HashSet::new();
        for literal in &literals {
            let stands = |line: &str| prompt.has_line(line);
            for item in items(literal, &stands) {
                if !seen.insert(item.clone()) {
                    continue;
                }
                if let Some(need) = self.needed_literal(n, prompt, &item) {
                    match need.kind {
                        NeedKind::Own => needs.own.push(need),
                        _ => needs.literals.push(need),
                    }
                }
            }
        }
    }

    fn needed_literal(&self, n: u32, prompt: &Current, item: &Item) -> Option<Need> {
        if !prompt.has(item) || self.is_given(item) {
            return None;
        }
        let (told, wrote) = self.first_turns(n, item);
        let kind = if wrote.is_some() {
            NeedKind::Own
        } else {
            NeedKind::Literal
        };
        let source = told.into_iter().chain(wrote).min()?;
        Some(Need {
            kind,
            item: item.text().into(),
            source,
            reach: n - source,
            by_value: true,
        })
    }

    /// The first turns before N that told of an item, and in which the model wrote it.
    fn first_turns(&self, n: u32, item: &Item) -> (Option<u32>, Option<u32>) {
        let mut turns = self.turn_texts();
        for turn in turns.read + 1..n {
            turns.told.add(turn, self.told(turn));
            for text in self.wrote(turn) {
                turns.wrote.add(turn, &text);
            }
            turns.read = turn;
        }
        let first =
            |index: &TextIndex, has: &dyn Fn(u32) -> bool| match index.candidates(item.text()) {
                Some(mut turns) => turns.find(|&turn| turn < n && has(turn)),
                None => (1..n).find(|&turn| has(turn)),
            };
        (
            first(&turns.told, &|turn| item.is_in(self.told(turn))),
            first(&turns.wrote, &|turn| {
                self.wrote(turn).any(|text| item.is_in(&text))
            }),
        )
    }

    /// What the model wrote in a turn.
    pub(super) fn wrote(&self, n: u32) -> impl Iterator<Item = Arc<str>> + use<> {
        let turn = self.turn(n);
        let turn = turn.as_deref();
        let program = turn.and_then(|turn| turn.program().get());
        let program = program.map(|program| Arc::clone(&program.source));
        let response = turn.and_then(|turn| turn.raw_response().get().cloned());
        program.into_iter().chain(response)
    }

    /// Whether the run began with it: in the system prompt or in prompt 1.
    fn is_given(&self, item: &Item) -> bool {
        let (_, first) = self.first_prompt();
        let system = crate::prompt::system_prompt(self.run().step());
        system.is_some_and(|text| item.is_in(&text)) || item.is_in_sent(first)
    }
}

/// What the turns so far were told, and what the model wrote in them.
#[derive(Debug, Default)]
pub(super) struct TurnTexts {
    /// The last turn that was read.
    read: u32,
    told: TextIndex,
    wrote: TextIndex,
}

/// A word or a line that is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Item {
    Word(String),
    Line(String),
}

impl Item {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Word(text) | Self::Line(text) => text,
        }
    }

    /// The item that a need names.
    pub(super) fn of(need: &Need) -> Self {
        if is_several(&need.item) {
            Self::Line(need.item.to_string())
        } else {
            Self::Word(need.item.to_string())
        }
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Word(word) => has_word(text, word),
            Self::Line(line) => has_line(text, line),
        }
    }

    pub(super) fn is_in_sent(&self, sent: &Sent) -> bool {
        let mut messages = sent.messages.iter().rev();
        messages.any(|message| self.is_in(&message.content))
    }
}

/// What a literal is looked for by.
fn items(literal: &Literal, stands: &dyn Fn(&str) -> bool) -> Vec<Item> {
    match literal {
        Literal::Word(word) => distinctive_words(word),
        Literal::Text(text) => {
            let several = text.trim_end_matches('\n').contains('\n');
            let lines = text
                .lines()
                .map(|line| if several { without_number(line) } else { line });
            lines
                .flat_map(|line| line_items(line.trim(), stands))
                .collect()
        }
    }
}

fn distinctive_words(text: &str) -> Vec<Item> {
    let found = words(text).filter(|word| is_distinctive(word));
    found.map(|word| Item::Word(word.to_owned())).collect()
}

fn line_items(line: &str, stands: &dyn Fn(&str) -> bool) -> Vec<Item> {
    if is_several(line) && stands(line) {
        return vec![Item::Line(line.to_owned())];
    }
    let mut found = Vec::new();
    let mut outside = String::new();
    let mut rest = line;
    while let Some((before, part, after)) = quoted_part(rest) {
        outside.push_str(before);
        outside.push(' ');
        if is_several(part) && stands(part) {
            found.push(Item::Line(part.to_owned()));
        } else {
            outside.push_str(part);
            outside.push(' ');
        }
        rest = after;
    }
    outside.push_str(rest);
    found.extend(distinctive_words(&outside));
    found
}

/// What stands before a quoted part, in it, and behind it. An apostrophe inside a word quotes nothing.
fn quoted_part(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find(['"', '\'', '`']).map(|at| from + at) {
        let quote = &text[at..=at];
        let inner = &text[at + 1..];
        let in_word = text[..at]
            .chars()
            .next_back()
            .is_some_and(char::is_alphanumeric);
        if let Some(end) = inner.find(quote).filter(|_| !in_word || quote != "'") {
            return Some((&text[..at], &inner[..end], &inner[end + 1..]));
        }
        from = at + 1;
    }
    None
}

/// A line without the number that a tool put before it.
fn without_number(line: &str) -> &str {
    let digits = line
        .trim_start()
        .trim_start_matches(|c: char| c.is_ascii_digit());
    if digits.len() == line.trim_start().len() {
        return line;
    }
    let bare = digits.trim_start_matches(' ');
    match bare.chars().next() {
        Some(c) if "→:|\t".contains(c) => &bare[c.len_utf8()..],
        _ => line,
    }
}

/// The strings, keywords and numbers of a value, keys aside.
fn push_value(value: &Value, literals: &mut Vec<Literal>) {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value {
            Value::Str(text) => literals.push(Literal::Text(text.to_string())),
            Value::Keyword(name) => literals.push(Literal::Word(name.to_string())),
            Value::Int(number) => literals.push(Literal::Word(number.to_string())),
            Value::BigInt(number) => literals.push(Literal::Word(number.to_string())),
            Value::Float(number) => {
                literals.push(Literal::Word(crate::value::float::format(*number)));
            }
            Value::List(items) | Value::Tuple(items) => todo.extend(items.iter().rev()),
            Value::Set(items) => todo.extend(items.iter().rev()),
            Value::Map(entries) => todo.extend(entries.values().rev()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, stands: &dyn Fn(&str) -> bool) -> Vec<String> {
        let found = items(&Literal::Text(text.to_owned()), stands);
        found.iter().map(|item| item.text().to_owned()).collect()
    }

    #[test]
    fn a_line_counts_as_one_where_it_stands() {
        assert_eq!(texts("see INV-77 now", &|_| true), ["see INV-77 now"]);
        assert_eq!(texts("see INV-77 now", &|_| false), ["INV-77"]);
        assert_eq!(
            texts("grep 'two words' a/b.txt", &|line| line == "two words"),
            ["two words", "a/b.txt"]
        );
        assert_eq!(
            texts("grep 'two w_rds' a/b.txt", &|_| false),
            ["w_rds", "a/b.txt"]
        );
        assert_eq!(
            texts("  12→let a_b\n  13→let c_d", &|line| line == "let a_b"),
            ["let a_b", "c_d"]
        );
    }
}
