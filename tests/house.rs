//! Who may know whom: a module uses those of the rows above its own, never below, and never its
//! neighbours. Nothing but the inspector names a terminal library.

use std::path::{Path, PathBuf};

/// From the ground up.
const FLOORS: &[&[&str]] = &[
    &["calendar", "text"],
    &["error", "tokens", "value"],
    &["syntax"],
    &["step"],
    &["namespace", "lisp"],
    &["prompt"],
    &["load", "compression"],
    &["agent"],
    &["analysis"],
    &["export", "demo", "settings"],
    &["cli", "tui"],
];

const TERMINAL_LIBRARIES: [&str; 2] = ["ratatui", "crossterm"];

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// What a module's file uses that it may not. `depth` is how many modules it lies inside.
fn violations(module: &str, depth: usize, source: &str) -> Vec<String> {
    let code = code(source);
    let mut found = Vec::new();
    let Some(own) = floor(module) else {
        return vec![format!("module {module} has no row in FLOORS")];
    };
    for used in used_modules(&code, depth) {
        match floor(&used) {
            _ if used == module => {}
            Some(floor) if floor < own => {}
            Some(_) => found.push(format!("{module} uses {used}, which is not below it")),
            None => found.push(format!("{module} uses {used}, which has no row in FLOORS")),
        }
    }
    if module != "tui" {
        let named = TERMINAL_LIBRARIES.into_iter();
        let named = named.filter(|name| words(&code).any(|word| word == *name));
        found.extend(named.map(|name| format!("{module} names {name}")));
    }
    found
}

/// A source without comments and test modules.
fn code(source: &str) -> String {
    let mut out = String::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let indent = &line[..line.len() - line.trim_start().len()];
        if line.trim() == "#[cfg(test)]" {
            // The item that the attribute stands before, whole: it ends with `;` or at its own indent.
            let end = format!("{indent}}}");
            let header = lines.find(|line| !line.trim().starts_with("#["));
            if header.is_some_and(|header| !header.trim_end().ends_with([';', '}'])) {
                lines.find(|line| *line == end);
            }
            continue;
        }
        let comment = line.find("//").unwrap_or(line.len());
        out.push_str(&line[..comment]);
        out.push('\n');
    }
    out
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The crate's modules that a code names by `crate::NAME`, `crate::{A, b::C}` or as many `super::` as
/// lead to the crate.
fn used_modules(code: &str, depth: usize) -> Vec<String> {
    let up = "super::".repeat(depth);
    let roots = ["crate::", up.as_str()];
    let mut found = Vec::new();
    for root in roots.into_iter().filter(|root| !root.is_empty()) {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || "_:$".contains(c)) {
                continue;
            }
            let path = &code[at + root.len()..];
            found.extend(first_names(path).into_iter().filter(|name| name != "super"));
        }
    }
    // The crate's error is also there under the crate's own name.
    for name in &mut found {
        if name == "Error" {
            "error".clone_into(name);
        }
    }
    found
}

/// The first name of a path, or of each path in braces.
fn first_names(path: &str) -> Vec<String> {
    let name = |path: &str| words(path.trim_start()).next().map(str::to_owned);
    let Some(group) = path.strip_prefix('{') else {
        return name(path).into_iter().collect();
    };
    let mut depth = 0;
    let mut starts = vec![0];
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => starts.push(at + 1),
            _ => {}
        }
    }
    let names = starts.into_iter().filter_map(|start| name(&group[start..]));
    names.filter(|name| !name.is_empty()).collect()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_module_imports_upwards() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    assert!(files.len() > 20, "only {} files were found", files.len());
    let mut found = Vec::new();
    for file in files {
        let place = file
            .strip_prefix(&src)
            .expect("inside src")
            .with_extension("");
        let mut parts: Vec<&str> = place.iter().filter_map(|part| part.to_str()).collect();
        // The crate's own files see everything.
        if let ["lib" | "main"] = parts.as_slice() {
            continue;
        }
        if parts.last() == Some(&"mod") {
            parts.pop();
        }
        let source = std::fs::read_to_string(&file).expect("a source file");
        let wrong = violations(parts[0], parts.len(), &source);
        found.extend(
            wrong
                .into_iter()
                .map(|why| format!("{}: {why}", place.display())),
        );
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn an_upward_import_is_seen() {
    let step = |source: &str| violations("step", 2, source);
    let upwards = ["step uses load, which is not below it".to_owned()];
    assert_eq!(step("use crate::load::Source;"), upwards);
    assert_eq!(
        step("use crate::{value::Value,\n    load::{Source, open}};"),
        upwards
    );
    assert_eq!(step("fn f() -> crate::load::Loaded { todo() }"), upwards);
    assert_eq!(step("use super::super::load;"), upwards);
    assert_eq!(step("use ratatui::Frame;"), ["step names ratatui"]);
    assert_eq!(
        step("use crate::shed::Tool;"),
        ["step uses shed, which has no row in FLOORS"]
    );
    // Neighbours don't know each other.
    assert_eq!(violations("cli", 2, "crate::tui::run()").len(), 1);
}

#[test]
fn what_may_be_used_is_let_through() {
    let source = "//! See [`crate::load`] and ratatui.\n\
        use crate::{text, value::{Value, Map}};\n\
        use super::{Field, load_order};\n\
        fn f() { let x = crate::Error::Usage; } // not crate::load\n\
        #[cfg(test)]\nmod tests {\n    use crate::load;\n}\n\
        use crate::step::Turn;\n";
    assert_eq!(violations("step", 2, source), [""; 0]);
    assert_eq!(violations("tui", 1, "use ratatui::Frame;"), [""; 0]);
}
