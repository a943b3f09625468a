//! A value as a tree of rows that fold: what is folded says how much it holds.

use std::sync::Arc;

use regex::Regex;

use self::node::{Node, Part, Parts};
use super::colours::{Code, CodeLine, languages};
use super::rows::{Line, Stretch, line_starts, push_all};
use super::theme::Role;
use crate::step::texts::redacted_value;
use crate::text::redact::Redactor;
use crate::value::pretty::pretty;
use crate::value::{Limits, Value, to_clojure};

mod node;
mod shown;

pub use shown::sample;

/// Rows up to which a value is open at first, beside its uppermost parts.
const OPEN_AT_FIRST: usize = 24;

/// Rows up to which everything is opened at once.
const OPEN_AT_ONCE: usize = 50_000;

/// Columns that a part deep inside is indented by at most.
const DEEPEST_INDENT: usize = 40;

/// A value of which parts are open.
#[derive(Debug, Clone)]
pub struct Tree {
    label: String,
    role: Role,
    root: Node,
    is_searched: bool,
}

impl Tree {
    /// A value behind a label; open so far that a screen has it.
    pub fn new(label: impl Into<String>, role: Role, value: &Value) -> Self {
        let mut root = Node::folded(value.clone());
        if !root.open_all(OPEN_AT_FIRST) {
            root.open();
        }
        Self {
            label: label.into(),
            role,
            root,
            is_searched: true,
        }
    }

    /// One that a search passes over, because its value is found elsewhere.
    #[must_use]
    pub fn unsearched(mut self) -> Self {
        self.is_searched = false;
        self
    }

    /// The tree without secrets, open as it is at first.
    pub(super) fn redacted(&self, redactor: &Redactor) -> Self {
        let value = redacted_value(Some(&self.label), &self.root.value, redactor);
        Self {
            is_searched: self.is_searched,
            ..Self::new(redactor.text(&self.label), self.role, &value)
        }
    }

    /// How many rows are to be seen.
    pub fn rows(&self) -> usize {
        self.root.rows()
    }

    /// How many rows there are with everything open.
    pub fn all_rows(&self) -> usize {
        all_rows(&self.root.value)
    }

    /// The whole value, printed.
    pub fn text(&self, columns: usize) -> String {
        let space = if self.label.is_empty() { "" } else { " " };
        format!("{}{space}{}", self.label, pretty(&self.root.value, columns))
    }

    /// The value at a row, printed; a text that is shown line by line as it is.
    pub fn value_text(&self, row: usize) -> String {
        let value = match self.root.part(&self.root.path(row)) {
            Some(Part::Line(line)) => return line.to_owned(),
            Some(Part::Entry(_, value) | Part::Item(_, value)) => value,
            None => &self.root.value,
        };
        match value {
            Value::Str(text) if shown::kind(value) == shown::Kind::Text => text.to_string(),
            _ => to_clojure(value, Limits::ALL).0,
        }
    }

    /// The rows that a pattern is found in, counted with everything open.
    pub fn matching_rows(&self, pattern: &Regex) -> Vec<usize> {
        let mut found = Vec::new();
        if !self.is_searched {
            return found;
        }
        let mut row = 0;
        walk(&self.root.value, &mut |part, is_leaf| {
            let label = if row == 0 { self.label.as_str() } else { "" };
            let text = match part {
                Part::Line(line) => pattern.is_match(line),
                Part::Entry(key, value) => {
                    pattern.is_match(&told(&key_text(key), is_leaf.then_some(*value)))
                }
                Part::Item(_, value) => pattern.is_match(&told(label, is_leaf.then_some(*value))),
            };
            if text {
                found.push(row);
            }
            row += 1;
        });
        found
    }

    /// Opens the way to a row that is counted with everything open; where it is then.
    pub fn show(&mut self, row: usize) -> usize {
        let mut path = Vec::new();
        let mut left = row;
        loop {
            let part = self.root.part(&path).and_then(|part| part.value());
            let value = part.unwrap_or(&self.root.value).clone();
            let (Some(parts), Some(mut below)) = (Parts::of(&value), left.checked_sub(1)) else {
                break;
            };
            self.root.change(&path, &mut |node| {
                node.open();
            });
            let mut place = 0;
            while let Some(part) = parts.get(place) {
                let rows = part.value().map_or(1, all_rows);
                if below < rows {
                    break;
                }
                below -= rows;
                place += 1;
            }
            path.push(place);
            if matches!(parts, Parts::Lines(..)) {
                break;
            }
            left = below;
        }
        self.root.row(&path)
    }

    /// Folds or opens what is at a row; what can't be folded folds what it is a part of. The row that
    /// the place is at then.
    pub fn toggle(&mut self, row: usize) -> usize {
        let path = self.root.path(row);
        if self.is_open(&path) {
            return self.fold(row);
        }
        if self.unfold(row) {
            return row;
        }
        let parent = &path[..path.len().saturating_sub(1)];
        let row = self.root.row(parent);
        self.fold(row)
    }

    /// Whether what is at a row folds itself; a line of a text and what fits its row don't.
    pub fn folds(&self, row: usize) -> bool {
        let value = match &self.root.path(row)[..] {
            [] => Some(&self.root.value),
            path => self.root.part(path).and_then(|part| part.value()),
        };
        value.is_some_and(|value| shown::kind(value) != shown::Kind::Leaf)
    }

    fn is_open(&self, path: &[usize]) -> bool {
        self.root.parts(path).is_some()
    }

    /// Opens what is at a row; whether it was folded.
    pub fn unfold(&mut self, row: usize) -> bool {
        let path = self.root.path(row);
        if self.is_open(&path) {
            return false;
        }
        let before = self.rows();
        self.root.change(&path, &mut |node| {
            node.open();
        });
        self.rows() != before
    }

    /// Folds what is open at a row, or goes up to what it is a part of. The row then.
    pub fn fold(&mut self, row: usize) -> usize {
        let path = self.root.path(row);
        if self.is_open(&path) {
            self.root.change(&path, &mut |node| node.open = None);
            return row;
        }
        self.root.row(&path[..path.len().saturating_sub(1)])
    }

    /// Opens everything; whether it was not too much for that.
    pub fn unfold_all(&mut self) -> bool {
        self.root.open_all(OPEN_AT_ONCE)
    }

    /// Folds everything below the uppermost parts.
    pub fn fold_all(&mut self) {
        self.root.open = None;
        self.root.open();
    }

    /// A row, cleaned and in roles.
    pub fn line(&self, row: usize) -> Line {
        self.coloured(row, &[])
    }

    /// The code that a row has, if it is a line of any.
    pub fn code_line(&self, row: usize) -> Option<CodeLine> {
        let path = self.root.path(row);
        let (&at, path) = path.split_last()?;
        let Parts::Lines(text, starts) = self.root.parts(path)? else {
            return None;
        };
        let (name, file) = self.names(path);
        let language = languages::of_text(name, file, text)?;
        Some(CodeLine {
            code: Code::new(language, Arc::clone(text))?,
            start: *starts.get(at)?,
        })
    }

    /// The name of an entry, and the name of the file that stands beside it.
    fn names(&self, path: &[usize]) -> (Option<&str>, Option<&str>) {
        let Some(Part::Entry(name, _)) = self.root.part(path) else {
            return (None, None);
        };
        let beside = self.root.part(&path[..path.len() - 1]);
        let beside = beside.and_then(|part| part.value());
        let beside = beside.unwrap_or(&self.root.value);
        let mut files = languages::FILES.iter();
        let file = files.find_map(|file| beside.get(file)?.as_str());
        (name.as_name(), file)
    }

    /// A row in the colours of its code.
    pub fn coloured(&self, row: usize, colours: &[Stretch]) -> Line {
        let path = self.root.path(row);
        let indent = " ".repeat((2 * path.len()).min(DEEPEST_INDENT));
        let (key, role, value) = match self.root.part(&path) {
            Some(Part::Line(text)) => {
                let mut line = Line::led(format!("{indent}│ "));
                match self.code_line(row).filter(|_| !colours.is_empty()) {
                    Some(CodeLine { code, start }) => {
                        push_all(
                            &mut line,
                            code.text(),
                            start..start + text.len(),
                            colours,
                            0,
                        );
                    }
                    None => line.push(text, Role::Print),
                }
                return line;
            }
            Some(Part::Entry(key, value)) => (key_text(key), Role::Definition, value),
            Some(Part::Item(Some(at), value)) => (format!("{at}:"), Role::Dim, value),
            Some(Part::Item(None, value)) => (String::new(), Role::Dim, value),
            None => (self.label.clone(), self.role, &self.root.value),
        };
        let space = if key.is_empty() { "" } else { " " };
        if shown::kind(value) == shown::Kind::Leaf {
            let mut line = Line::led(format!("{indent}  "));
            line.push(&format!("{key}{space}"), role);
            let (text, role) = shown::leaf(value);
            line.push(&text, role);
            return line;
        }
        let is_open = self.is_open(&path);
        let mut line = Line::led(indent);
        line.push(if is_open { "▾ " } else { "▸ " }, Role::Key);
        line.push(&format!("{key}{space}"), role);
        line.push(&shown::amount(value), Role::Dim);
        if !is_open {
            line.push(&format!("  {}", shown::sample(value)), Role::Value);
            line.cut();
        }
        line
    }
}

/// What a row of a tree with everything open is searched for.
fn told(key: &str, leaf: Option<&Value>) -> String {
    match leaf {
        Some(value) => format!("{key} {}", shown::leaf(value).0),
        None => key.to_owned(),
    }
}

fn key_text(key: &Value) -> String {
    shown::sample(key)
}

/// Rows of a value with everything open.
fn all_rows(value: &Value) -> usize {
    match (shown::kind(value), value) {
        (shown::Kind::Items, Value::List(items) | Value::Tuple(items)) => {
            1 + items.iter().map(all_rows).sum::<usize>()
        }
        (shown::Kind::Items, Value::Set(items)) => 1 + items.iter().map(all_rows).sum::<usize>(),
        (shown::Kind::Entries, Value::Map(entries)) => {
            1 + entries.values().map(all_rows).sum::<usize>()
        }
        (shown::Kind::Text, Value::Str(text)) => 1 + line_starts(text).len(),
        _ => 1,
    }
}

/// Goes through all rows of a value as if everything were open; the flag says whether one is a leaf.
fn walk(value: &Value, visit: &mut dyn FnMut(&Part<'_>, bool)) {
    walk_part(&Part::Item(None, value), visit);
}

fn walk_part(part: &Part<'_>, visit: &mut dyn FnMut(&Part<'_>, bool)) {
    let parts = part.value().and_then(Parts::of);
    visit(part, parts.is_none());
    let Some(parts) = parts else { return };
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        if matches!(part, Part::Line(_)) {
            visit(&part, true);
        } else {
            walk_part(&part, visit);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::transit;
    use proptest::prelude::*;

    fn value(json: &str) -> Value {
        transit::parse(json.as_bytes()).expect("JSON").value
    }

    fn texts(tree: &Tree) -> Vec<String> {
        let lines = (0..tree.rows()).map(|row| tree.line(row));
        lines
            .flat_map(|line| line.rows(70, true, 0))
            .map(|row| row.text())
            .collect()
    }

    #[test]
    fn parts_fold_and_say_how_much_they_hold() {
        let numbers: Vec<String> = (0..30).map(|n| n.to_string()).collect();
        let json = format!(
            r#"{{"~:log": "one\ntwo", "~:ids": [{}], "~:n": 1}}"#,
            numbers.join(",")
        );
        let mut tree = Tree::new("Result", Role::Title, &value(&json));
        let folded = [
            "▾ Result map[3]",
            "  ▸ :ids list[30]  [0 1 2 ...]",
            "  ▾ :log string, 2 lines, 7 B",
            "    │ one",
            "    │ two",
            "    :n 1",
        ];
        assert_eq!(texts(&tree), folded);
        assert_eq!(tree.toggle(1), 1);
        assert_eq!(tree.rows(), 36);
        assert_eq!(texts(&tree)[3], "      1: 1");
        // What can't be folded folds what it is a part of.
        assert_eq!(tree.toggle(3), 1);
        assert_eq!(texts(&tree), folded);
        assert_eq!(tree.fold(5), 0, "up to what it is a part of");
        tree.fold_all();
        assert_eq!(tree.rows(), 4);
        assert!(tree.unfold_all());
        assert_eq!(tree.rows(), tree.all_rows());
        assert_eq!(tree.value_text(32), "one\ntwo");
    }

    #[test]
    fn what_is_found_is_opened() {
        let mut tree = Tree::new(
            "Result",
            Role::Title,
            &value(r#"[{"a": [{"text": "a long text that takes its own row\nneedle"}]}, "pin"]"#),
        );
        tree.fold_all();
        let pattern = Regex::new("needle|pin").expect("a pattern");
        let found = tree.matching_rows(&pattern);
        assert_eq!(found, [6, 7]);
        let row = tree.show(found[0]);
        assert_eq!(tree.line(row).text(), "needle");
        let row = tree.show(found[1]);
        assert_eq!(tree.line(row).text(), "1: \"pin\"");
    }

    #[test]
    fn a_million_items_cost_what_is_in_view() {
        let items: Vec<Value> = (0..1_000_000).map(Value::Int).collect();
        let start = std::time::Instant::now();
        let mut tree = Tree::new("Result", Role::Title, &Value::list(items));
        assert_eq!(tree.rows(), 1_000_001);
        assert_eq!(tree.line(1_000_000).text(), "999999: 999999");
        assert_eq!(tree.toggle(0), 0);
        assert!(
            tree.line(0)
                .text()
                .starts_with("▸ Result list[1000000]  [0 1 2")
        );
        assert!(!tree.unfold_all(), "that many are not opened at once");
        let text = Value::string("x\n".repeat(5_000_000));
        let tree = Tree::new("Result", Role::Title, &text);
        assert_eq!(tree.line(5_000_000).text(), "x");
        // Far more than it takes; walking all of it for each row would take longer.
        assert!(start.elapsed().as_secs() < 10);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Nil),
            any::<i64>().prop_map(Value::Int),
            "[a-c\n ]{0,80}".prop_map(Value::string),
        ];
        leaf.prop_recursive(4, 60, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::list),
                proptest::collection::vec(("[a-z]{1,12}", inner), 0..6).prop_map(|entries| {
                    let pairs = entries.into_iter();
                    Value::map(pairs.map(|(k, v)| (Value::keyword(k), v)).collect())
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn rows_and_ways_agree(value in any_value(), rows in proptest::collection::vec(0usize..200, 0..20)) {
            let mut tree = Tree::new("", Role::Text, &value);
            for row in rows {
                let row = row % tree.rows();
                let at = tree.toggle(row);
                prop_assert!(at < tree.rows());
                for row in 0..tree.rows() {
                    let path = tree.root.path(row);
                    prop_assert_eq!(tree.root.row(&path), row);
                    tree.line(row);
                }
            }
            prop_assert!(tree.unfold_all());
            prop_assert_eq!(tree.rows(), tree.all_rows());
            for row in 0..tree.all_rows() {
                let mut folded = Tree::new("", Role::Text, &value);
                folded.fold_all();
                let at = folded.show(row);
                prop_assert_eq!(folded.value_text(at), tree.value_text(row));
            }
        }
    }
}
