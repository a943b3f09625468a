//! Words of texts, which of them are distinctive, and where words and lines stand
//! (analysis, "Lost").

/// What divides words, white space and escapes aside.
fn divides(c: char) -> bool {
    c.is_whitespace() || "\"'`()[]{}<>,;=|&*\\".contains(c)
}

/// Letters of escapes such as `\n`.
const ESCAPED: [char; 3] = ['n', 't', 'r'];
const BEFORE: [char; 4] = [':', '+', '-', '#'];
const AFTER: [char; 4] = ['.', ':', '!', '?'];

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut before = '\0';
    text.split_inclusive(divides)
        .map(move |part| {
            let word = part.trim_end_matches(divides);
            let is_escaped = std::mem::replace(&mut before, last_char(part)) == '\\';
            // The letter of an escape such as `\n` divides too.
            let word = match word.strip_prefix(ESCAPED) {
                Some(rest) if is_escaped => rest,
                _ => word,
            };
            word.trim_start_matches(BEFORE).trim_end_matches(AFTER)
        })
        .filter(|word| !word.is_empty())
}

fn last_char(text: &str) -> char {
    text.chars().next_back().unwrap_or_default()
}

/// Whether a word is one that isn't there by chance: a longer number, a path, an identifier.
pub(super) fn is_distinctive(word: &str) -> bool {
    if word.chars().nth(2).is_none() {
        return false;
    }
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let number = word
        .chars()
        .all(|c| c.is_ascii_digit() || "._,".contains(c));
    if number {
        return digits >= 3;
    }
    word.contains('/')
        || digits > 0 && letters > 0
        || has_inner_mark(word)
        || has_inner_capital(word)
}

fn has_inner_mark(word: &str) -> bool {
    let inner = word.trim_matches(|c| "_-.:@".contains(c));
    inner.contains(['_', '-', '.', ':', '@'])
}

fn has_inner_capital(word: &str) -> bool {
    let mut before = None;
    for c in word.chars() {
        if c.is_uppercase() && before.is_some_and(char::is_lowercase) {
            return true;
        }
        before = Some(c);
    }
    false
}

/// Whether a text has several words.
pub(super) fn is_several(text: &str) -> bool {
    words(text).nth(1).is_some()
}

/// Whether a text has a word as a whole word.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    occurrences(text, word).any(|at| {
        let before = text[..at].trim_end_matches(BEFORE);
        let after = text[at + word.len()..].trim_start_matches(AFTER);
        let free = before.chars().next_back().is_none_or(divides) || ends_with_escape(before);
        free && after.chars().next().is_none_or(divides)
    })
}

/// Whether a text ends in an escape such as `\n`.
fn ends_with_escape(text: &str) -> bool {
    let mut back = text.chars().rev();
    back.next().is_some_and(|c| ESCAPED.contains(&c)) && back.next() == Some('\\')
}

/// Whether a text has a line, escaped or not, but not inside a word.
pub(super) fn has_line(text: &str, line: &str) -> bool {
    if has_text(text, line) {
        return true;
    }
    line.contains(['"', '\\']) && {
        let escaped = line.replace('\\', "\\\\").replace('"', "\\\"");
        has_text(text, &escaped)
    }
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a text has another one that neither begins nor ends inside a word.
pub(super) fn has_text(text: &str, part: &str) -> bool {
    let first = part.chars().next().is_some_and(in_word);
    let last = part.chars().next_back().is_some_and(in_word);
    occurrences(text, part).any(|at| {
        let before = &text[..at];
        let after = text[at + part.len()..].chars().next();
        let begins =
            !first || !before.chars().next_back().is_some_and(in_word) || ends_with_escape(before);
        begins && !(last && after.is_some_and(in_word))
    })
}

/// Whether a text has a symbol of PTC-Lisp as a whole.
pub(super) fn has_symbol(text: &str, symbol: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || "*+!-_?<>=/.&%$|#:".contains(c);
    occurrences(text, symbol).any(|at| {
        let before = text[..at].chars().next_back();
        let after = text[at + symbol.len()..].trim_start_matches(['.', ':', '?', '!']);
        let ends_text = text[at + symbol.len()..]
            .chars()
            .next()
            .is_none_or(|c| !inside(c))
            || after.chars().next().is_none_or(char::is_whitespace)
                && !symbol.ends_with(['.', ':', '?', '!']);
        !before.is_some_and(inside) && ends_text
    })
}

/// Where a part stands in a text.
pub(super) fn occurrences<'a>(text: &'a str, part: &'a str) -> impl Iterator<Item = usize> + 'a {
    let found = memchr::memmem::find_iter(text.as_bytes(), part.as_bytes());
    found.filter(move |_| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_divided() {
        let found: Vec<&str> = words("(get :a_b \"x/y.\") #12, -3! it's").collect();
        assert_eq!(found, ["get", "a_b", "x/y", "12", "3", "it", "s"]);
        let found: Vec<&str> = words(r"see\nINV-77\tthen \\name").collect();
        assert_eq!(found, ["see", "INV-77", "then", "ame"]);
    }

    #[test]
    fn some_words_are_distinctive() {
        for word in [
            "INV-77",
            "8192",
            "a/b.txt",
            "stopped_min",
            "km/h",
            "r1x",
            "camelCase",
            "a.b",
            "x@y",
        ] {
            assert!(is_distinctive(word), "{word}");
        }
        for word in ["stopped", "ok", "12", "Word", "V1", "-x-", "3.5"] {
            assert!(!is_distinctive(word), "{word}");
        }
    }

    #[test]
    fn whole_words_and_lines_are_found() {
        assert!(has_word("size 8192, say", "8192"));
        assert!(has_word("is it INV-77?", "INV-77"));
        assert!(has_word("a\\nINV-77", "INV-77"));
        assert!(!has_word("INV-771", "INV-77"));
        assert!(!has_word("xINV-77", "INV-77"));
        assert!(has_line("said: the line here.", "the line here"));
        assert!(has_line("\"say \\\"it\\\" now\"", "say \"it\" now"));
        assert!(!has_line("bathe line here", "the line here"));
        assert!(has_symbol("(inc n)", "n"));
        assert!(!has_symbol("(inc n1 an data/n :n)", "n"));
    }
}
