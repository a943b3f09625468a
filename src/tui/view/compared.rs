//! What tells two prompts apart that stand side by side: the run, the strategy, options, the turn.

use std::sync::Arc;

use crate::text;
use crate::tui::app::Document;
use crate::tui::lens::Lens;
use crate::tui::pane::options::option;

/// Columns of a run's name beside the list, and where panes are tabs.
const NAME: [usize; 2] = [24, 14];

/// The title of a prompt; where two are compared with what the other one has otherwise. Tabs beside the
/// title tell the strategy themselves.
pub(super) fn title(document: &Document, lens: &Lens, has_tabs: bool) -> String {
    let n = document.n_of(lens);
    let mut lenses = document.lenses().iter();
    let other = lenses.find(|other| !std::ptr::eq(*other, lens));
    let mut differs = Vec::new();
    if let Some(beside) = &document.beside {
        let is_own = Arc::ptr_eq(lens.run(), &document.run);
        let names = short_names(&beside.titles, NAME[usize::from(!has_tabs)]);
        let [own, other] = names;
        differs.push(if is_own { own } else { other });
    }
    if let Some(other) = other {
        let shown = lens.title_here(lens.shown);
        let is_same = shown == other.title_here(other.shown);
        if !has_tabs && !is_same {
            differs.push(shown.to_owned());
        }
        if is_same {
            differs.extend(options(lens, other));
        }
    }
    let prompt = n.map_or_else(|| "no turn".to_owned(), |n| format!("prompt {n}"));
    if differs.is_empty() {
        return format!("Prompt for turn {}", n.unwrap_or_default());
    }
    format!("{}: {prompt}", differs.join(", "))
}

/// The options that two prompts of a strategy were made with and that differ.
fn options(lens: &Lens, other: &Lens) -> impl Iterator<Item = String> {
    let specs = lens.specs().into_iter();
    specs.filter_map(|spec| {
        let setting = lens.setting(spec)?;
        (other.setting(spec) != Some(setting)).then(|| option(spec, setting, None))
    })
}

/// The names of two runs in so many columns, so that they stay apart: without the ending that both have,
/// and where that is too long without what both begin with.
fn short_names(names: &[String; 2], columns: usize) -> [String; 2] {
    let [own, other] = names.each_ref().map(|name| name.trim());
    let same = |one: &mut dyn Iterator<Item = char>, two: &mut dyn Iterator<Item = char>| {
        let both = one.zip(two).take_while(|(one, two)| one == two);
        both.map(|(c, _)| c.len_utf8()).sum::<usize>()
    };
    let ending = same(&mut own.chars().rev(), &mut other.chars().rev());
    let ending = &own[own.len() - ending..];
    let ending = ending.find('.').map_or("", |at| &ending[at..]);
    let mut names = [own, other].map(|name| name.strip_suffix(ending).unwrap_or(name));
    if names.contains(&"") {
        names = [own, other];
    }
    let begin = same(&mut names[0].chars(), &mut names[1].chars());
    let begin = names[0][..begin].rfind(['-', '_', '/', '.', ' ']);
    let is_long = names.iter().any(|name| text::width(name) > columns);
    names.map(|name| match begin {
        Some(at) if is_long => text::headline(&format!("…{}", &name[at + 1..]), columns),
        _ => text::headline(name, columns),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_stay_apart_when_they_are_short() {
        let short = |own: &str, other: &str, columns| {
            short_names(&[own.to_owned(), other.to_owned()], columns)
        };
        assert_eq!(
            short("triage.step.json", "triage-stuck.step.json", 14),
            ["triage", "triage-stuck"]
        );
        assert_eq!(short("a.jsonl", "b.json", 14), ["a.jsonl", "b.json"]);
        assert_eq!(
            short("2026-02-03-run-a.jsonl", "2026-02-03-run-b.jsonl", 14),
            ["…a", "…b"]
        );
        assert_eq!(
            short("/x/a/run.json", "/x/b/run.json", 24),
            ["/x/a/run", "/x/b/run"]
        );
        assert_eq!(
            short("/x/a/run.json", "/x/b/run.json", 7),
            ["…a/run", "…b/run"]
        );
        assert_eq!(short("é.json", ".json", 7), ["é.json", ".json"]);
        for columns in 0..3 {
            for name in short("日本語", "日本人", columns) {
                assert!(text::width(&name) <= columns);
            }
        }
    }
}
