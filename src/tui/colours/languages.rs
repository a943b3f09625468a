//! The languages that can be coloured, and how one is known: by the word that marks it, by the name of
//! what holds a text, by what the text looks like.

/// The languages that can be coloured: what marks them, and their names among the syntaxes.
pub(super) const LANGUAGES: &[(&[&str], &str)] = &[
    (&["python", "py", "python3", "ipython"], "Python"),
    (
        &[
            "bash",
            "sh",
            "shell",
            "zsh",
            "console",
            "mswea_bash_command",
        ],
        "Bourne Again Shell (bash)",
    ),
    (&["json", "jsonl", "json5"], "JSON"),
    (
        &["javascript", "js", "jsx", "typescript", "ts", "tsx"],
        "JavaScript",
    ),
    (&["rust", "rs"], "Rust"),
    (&["go", "golang"], "Go"),
    (&["java"], "Java"),
    (&["c", "h"], "C"),
    (&["cpp", "c++", "cc", "hpp"], "C++"),
    (&["csharp", "c#", "cs"], "C#"),
    (&["ruby", "rb"], "Ruby"),
    (&["php"], "PHP"),
    (&["sql"], "SQL"),
    (&["html"], "HTML"),
    (&["xml"], "XML"),
    (&["css"], "CSS"),
    (&["yaml", "yml"], "YAML"),
    (&["diff", "patch"], "Diff"),
    (&["markdown", "md"], "Markdown"),
    (&["makefile", "make"], "Makefile"),
    (&["lua"], "Lua"),
    (&["perl", "pl"], "Perl"),
    (&["r"], "R"),
    (&["scala"], "Scala"),
    (&["haskell", "hs"], "Haskell"),
    (&["erlang", "erl"], "Erlang"),
];

/// A language's name among the syntaxes, by the word that marks it.
pub(super) fn known(word: &str) -> Option<&'static str> {
    let is_it = |known: &&str| known.eq_ignore_ascii_case(word);
    let row = LANGUAGES
        .iter()
        .find(|(words, _)| words.iter().any(is_it))?;
    Some(row.1)
}

/// What texts of these names are in, among the arguments of calls.
const NAMED: &[(&[&str], &str)] = &[
    (&["command", "cmd", "script", "shell"], "bash"),
    (&["python", "python_code", "ipython"], "python"),
    (&["sql"], "sql"),
    (&["patch", "diff"], "diff"),
];

/// What texts of these names are of a file beside them.
const OF_FILES: &[&str] = &[
    "content",
    "contents",
    "code",
    "file_text",
    "new_source",
    "new_str",
    "new_string",
    "old_str",
    "old_string",
    "text",
];

/// What the names of files are under.
pub(in crate::tui) const FILES: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "filename",
    "file",
    "notebook_path",
];

/// The word for the language of a text: by its name among others and the file they are of, else by how
/// it begins and ends. None where nothing tells it.
pub(in crate::tui) fn of_text<'a>(
    name: Option<&str>,
    file: Option<&'a str>,
    text: &str,
) -> Option<&'a str> {
    if let Some(name) = name {
        if let Some((_, word)) = NAMED.iter().find(|(names, _)| names.contains(&name)) {
            return Some(word);
        }
        let ending = file.and_then(|file| Some(file.rsplit_once('.')?.1));
        if let Some(ending) = ending.filter(|ending| known(ending).is_some())
            && OF_FILES.contains(&name)
        {
            return Some(ending);
        }
    }
    if looks_like_json(text) {
        return Some("json");
    }
    let is_diff = ["diff --git ", "--- a/", "*** Begin Patch"]
        .iter()
        .any(|start| text.starts_with(start));
    is_diff.then_some("diff")
}

/// Whether a text begins and ends as a JSON object or list does.
fn looks_like_json(text: &str) -> bool {
    let text = text.trim();
    let Some(first) = text.chars().next() else {
        return false;
    };
    let inside = text[first.len_utf8()..].trim_start().chars().next();
    match first {
        '{' => text.ends_with('}') && matches!(inside, Some('"' | '}')),
        '[' => {
            let begins = |c: char| matches!(c, '{' | '[' | '"' | '-' | ']') || c.is_ascii_digit();
            text.ends_with(']') && inside.is_some_and(begins)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_names_and_by_looks() {
        let of = |name, file, text| of_text(name, file, text);
        assert_eq!(of(Some("command"), None, "ls -l\npwd"), Some("bash"));
        assert_eq!(of(Some("content"), Some("a/b.rs"), "fn"), Some("rs"));
        assert_eq!(of(Some("content"), Some("a/b.xyz"), "fn"), None);
        assert_eq!(of(Some("note"), Some("b.rs"), "fn"), None);
        assert_eq!(of(None, None, " {\n \"a\": 1}\n"), Some("json"));
        assert_eq!(of(None, None, "[\n 1]"), Some("json"));
        assert_eq!(of(None, None, "diff --git a b"), Some("diff"));
        for text in ["", "{", "{not json}", "[user] said [this]", "plain"] {
            assert_eq!(of(None, None, text), None, "{text}");
        }
        for (_, word) in NAMED {
            assert!(known(word).is_some(), "{word}");
        }
    }
}
