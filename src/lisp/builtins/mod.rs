//! The builtin functions: one table, one file a family. Arity errors, suggestions and
//! `turnscope eval --doc NAME` come from it.

mod args;
mod arith;
mod compare;
mod equal;
mod function;
mod higher;
mod interop;
mod maps;
mod order;
mod predicate;
mod print;
mod regexes;
mod seq;
mod sets;
mod slices;
mod strings;
mod summary;
mod walk;
mod wheres;

use std::collections::HashMap;
use std::sync::OnceLock;

use super::error::{LispError, Res};
use super::eval::Machine;
use crate::value::Value;

pub(super) use args::{is_callable, is_native, kind};
pub(super) use equal::equal;
pub(super) use maps::lookup;
pub(super) use regexes::{pattern, pattern_text};
pub(super) use wheres::where_predicate;

/// What a builtin does.
type Run = fn(&mut Machine<'_>, Vec<Value>) -> Res;

/// A builtin function.
#[derive(Debug)]
pub(super) struct Builtin {
    pub(super) name: &'static str,
    /// Fewest arguments.
    pub(super) min: usize,
    /// Most arguments; None: any number.
    pub(super) max: Option<usize>,
    doc: &'static str,
    pub(super) run: Run,
}

/// A row of the table.
const fn row(name: &'static str, min: usize, max: usize, doc: &'static str, run: Run) -> Builtin {
    Builtin {
        name,
        min,
        max: if max == MANY { None } else { Some(max) },
        doc,
        run,
    }
}

/// Any number of arguments.
const MANY: usize = usize::MAX;

impl Builtin {
    pub(super) fn arity_error(&self, given: usize) -> LispError {
        let takes = self.takes();
        let message = format!("{} takes {takes}, {given} given", self.name);
        LispError::new("arity_error", message).hint(self.doc)
    }

    fn takes(&self) -> String {
        match (self.min, self.max) {
            (min, Some(max)) if min == max => format!("{min} values"),
            (min, Some(max)) => format!("{min} to {max} values"),
            (min, None) => format!("{min} or more values"),
        }
    }
}

/// The families, each under the title that lists of functions have for it.
const FAMILIES: &[(&str, &[Builtin])] = &[
    ("collections", seq::TABLE),
    ("collections", slices::TABLE),
    ("collections", higher::TABLE),
    ("collections", order::TABLE),
    ("collections", summary::TABLE),
    ("collections", walk::TABLE),
    ("maps", maps::TABLE),
    ("sets", sets::TABLE),
    ("numbers", arith::TABLE),
    ("text", strings::TABLE),
    ("text", regexes::TABLE),
    ("text", print::TABLE),
    ("functions", function::TABLE),
    ("comparing", compare::TABLE),
    ("tests", predicate::TABLE),
    ("as Java has it", interop::TABLE),
    ("predicates", wheres::TABLE),
];

/// All builtins by title, a Markdown line each, as system prompts list them.
pub fn function_list() -> String {
    let mut lines: indexmap::IndexMap<&str, Vec<&str>> = indexmap::IndexMap::new();
    for (title, family) in FAMILIES {
        let names = family.iter().map(|builtin| builtin.name);
        lines.entry(title).or_default().extend(names);
    }
    let lines = lines.iter();
    let lines = lines.map(|(title, names)| format!("- {title}: `{}`", names.join(" ")));
    lines.collect::<Vec<_>>().join("\n")
}

fn table() -> &'static HashMap<&'static str, &'static Builtin> {
    static TABLE: OnceLock<HashMap<&'static str, &'static Builtin>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let all = FAMILIES.iter().flat_map(|(_, family)| family.iter());
        all.map(|builtin| (builtin.name, builtin)).collect()
    })
}

pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    table().get(name).copied()
}

/// What is told of a builtin.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Doc {
    /// Its name.
    pub name: &'static str,
    /// How many values it takes.
    pub takes: String,
    /// What it does.
    pub doc: &'static str,
}

/// What is told of a builtin of this name.
pub fn doc_of(name: &str) -> Option<Doc> {
    find(name).map(|builtin| Doc {
        name: builtin.name,
        takes: builtin.takes(),
        doc: builtin.doc,
    })
}

/// What is told of all builtins, by name.
pub fn docs() -> Vec<Doc> {
    let mut all: Vec<Doc> = table().keys().filter_map(|name| doc_of(name)).collect();
    all.sort_by_key(|doc| doc.name);
    all
}

/// The builtin whose name is most like this one, if one is.
pub fn similar(name: &str) -> Option<&'static str> {
    nearest(name, table().keys().copied())
}

/// The name most like this one, if one is near enough.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Longer names are no typing errors, and comparing them is slow.
    const LONGEST: usize = 40;
    let length = name.chars().count();
    if length > LONGEST {
        return None;
    }
    let allowed = (length / 3).clamp(1, 3);
    known
        .filter(|other| other.len() <= LONGEST && !other.starts_with(' '))
        .map(|other| (distance(name, other), other))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, other)| other)
}

/// Letters to change, add, remove or swap to get from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
