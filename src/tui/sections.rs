//! Where the sections of a message begin: what a namespace, calls, output, a code block, a tag or a
//! heading of its own stands for. Found in the text, so that recorded prompts have them too.

use std::collections::HashMap;
use std::sync::Arc;

/// Sections of a message that are told apart; what follows belongs to the last one.
const MOST: usize = 1_000;

/// Bytes of a line that are looked at.
const LINE: usize = 200;

/// A section of a text: from its first line to the next one's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The byte of its first line.
    pub at: usize,
    /// What it is, the same in other prompts: `tool`, `data`, `output`, `code`; empty for plain text.
    pub kind: Arc<str>,
}

/// What a line that begins a section says of where it ends.
enum Opened {
    /// At the next section.
    Open,
    /// With a line of the same fence.
    Fence(usize),
    /// With the tag that closes it.
    Tag(String),
}

/// The sections of a text, the first one at byte 0; `known` begin where a piece does, which is known of
/// prompts that were made.
pub fn sections(text: &str, known: &[Start]) -> Vec<Start> {
    let closings = closings(text);
    let mut known = known.iter().peekable();
    let mut found: Vec<Start> = Vec::new();
    let mut inside = Opened::Open;
    // After a block with an end of its own, what follows is another section.
    let mut is_over = true;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if found.len() >= MOST {
            break;
        }
        let start = at;
        at += line.len();
        let line = head(line);
        let piece = known.next_if(|known| known.at < at);
        while known.next_if(|known| known.at < at).is_some() {}
        let is_blank = line.is_empty();
        let begun = match (&inside, namespace(line)) {
            (_, Some(kind)) => Some((kind, Opened::Open)),
            (Opened::Fence(ticks), None) if ends_fence(line, *ticks) => {
                (inside, is_over) = (Opened::Open, true);
                continue;
            }
            (Opened::Tag(name), None) if closes(line, name) => {
                (inside, is_over) = (Opened::Open, true);
                continue;
            }
            (Opened::Open, None) => begin(line, start, &closings),
            _ => None,
        };
        let begun = match (begun, piece) {
            (Some(begun), _) => Some(begun),
            (None, Some(piece)) => Some((piece.kind.to_string(), Opened::Open)),
            (None, None) if is_over && !is_blank => Some((String::new(), Opened::Open)),
            (None, None) => None,
        };
        if let Some((kind, opened)) = begun {
            let at = if found.is_empty() { 0 } else { start };
            let kind = kind.into();
            found.push(Start { at, kind });
            (inside, is_over) = (opened, false);
        }
    }
    found
}

/// The part of a line that tells what it is.
fn head(line: &str) -> &str {
    let mut end = line.len().min(LINE);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].trim_end()
}

/// The section that a line of turnscope's own form begins: of a namespace, of calls, of output.
fn namespace(line: &str) -> Option<String> {
    let said = line
        .strip_prefix(";; ")
        .or_else(|| line.strip_prefix("; "))?;
    if let Some(name) = said.strip_prefix("=== ") {
        let name = name.split([' ', '/']).next().unwrap_or_default();
        // Some write `tools`, some `tool/`.
        return Some(name.strip_suffix('s').unwrap_or(name).to_owned());
    }
    match said {
        "Tool calls made:" | "Tool calls:" | "No tool calls made" => Some("call".to_owned()),
        "Output:" => Some("output".to_owned()),
        _ => None,
    }
}

/// A fence, a tag with an end, the turns left, a heading.
fn begin(line: &str, at: usize, closings: &HashMap<String, usize>) -> Option<(String, Opened)> {
    let ticks = line.len() - line.trim_start_matches('`').len();
    if ticks >= 3 {
        return Some(("code".to_owned(), Opened::Fence(ticks)));
    }
    if let Some(name) = tag(line, "<") {
        let is_closed = closings.get(&name).is_some_and(|last| *last > at);
        return is_closed.then(|| (name.clone(), Opened::Tag(name)));
    }
    if is_indicator(line) {
        return Some(("indicator".to_owned(), Opened::Open));
    }
    let hashes = line.len() - line.trim_start_matches('#').len();
    let title = line[hashes..].strip_prefix(' ')?.trim();
    let is_heading = (1..=6).contains(&hashes) && !title.is_empty();
    is_heading.then(|| (title.to_lowercase(), Opened::Open))
}

/// Whether a line tells the turns left, in one of turnscope's forms.
fn is_indicator(line: &str) -> bool {
    let counted = line
        .strip_prefix("Turn ")
        .and_then(|rest| rest.split_once(" of "));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let counted = counted.is_some_and(|(turn, of)| {
        is_number(turn) && is_number(of.split(' ').next().unwrap_or_default())
    });
    counted || line.strip_prefix("Turns left: ").is_some_and(is_number)
}

fn ends_fence(line: &str, ticks: usize) -> bool {
    line.len() >= ticks && line.bytes().all(|byte| byte == b'`')
}

/// The name of a tag that a line consists of: `<name ..>`, `</name>`.
fn tag(line: &str, open: &str) -> Option<String> {
    let inner = line.strip_prefix(open)?.strip_suffix('>')?;
    let name = inner.split(' ').next()?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.');
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_lowercase())
}

fn closes(line: &str, name: &str) -> bool {
    tag(line, "</").is_some_and(|closed| closed == name)
}

/// The last line in which each tag is closed.
fn closings(text: &str) -> HashMap<String, usize> {
    let mut found = HashMap::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(name) = line
            .starts_with("</")
            .then(|| tag(head(line), "</"))
            .flatten()
        {
            found.insert(name, at);
        }
        at += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(text: &str) -> Vec<(String, &str)> {
        let found = sections(text, &[]);
        let ends = found.iter().skip(1).map(|next| next.at);
        let ends: Vec<usize> = ends.chain([text.len()]).collect();
        let parts = found.iter().zip(ends);
        parts
            .map(|(section, end)| {
                let part = text[section.at..end].trim();
                (section.kind.to_string(), part.lines().next().unwrap_or(""))
            })
            .collect()
    }

    #[test]
    fn namespaces_calls_output_tags_fences_and_headings_begin_sections() {
        let text = "Find it.\nSoon.\n\n;; === tools ===\ntool/f() -> int\n\n;; === user/ (your prelude) ===\nn\n\n\
                    ;; No tool calls made\n\n;; Output:\na\n\nb\n<mission>\n# no heading\n</mission>\nmore\n\
                    ```clojure\n<mission>\n# no\n```\n## Heading\nx\n<open>\ny\n";
        let expected = [
            ("", "Find it."),
            ("tool", ";; === tools ==="),
            ("user", ";; === user/ (your prelude) ==="),
            ("call", ";; No tool calls made"),
            ("output", ";; Output:"),
            ("mission", "<mission>"),
            ("", "more"),
            ("code", "```clojure"),
            ("heading", "## Heading"),
        ];
        let expected = expected.map(|(kind, line)| (kind.to_owned(), line));
        assert_eq!(kinds(text), expected);
    }

    #[test]
    fn known_pieces_begin_sections() {
        let text = "mission\n\ntool/f\ntool/g\n\nTurns left: 3";
        let at = |part: &str| text.find(part).expect("it is there");
        let known = [("tool", at("tool/f")), ("indicator", at("Turns"))];
        let known = known.map(|(kind, at)| Start {
            at,
            kind: kind.into(),
        });
        let found: Vec<usize> = sections(text, &known)
            .iter()
            .map(|start| start.at)
            .collect();
        assert_eq!(found, [0, at("tool/f"), at("Turns")]);
    }

    proptest! {
        #[test]
        fn sections_begin_lines_in_order(text in "([a<>/`#; =\n]|<a>|</a>|```|;; === |\n){0,60}") {
            let found = sections(&text, &[]);
            prop_assert_eq!(found.first().map(|first| first.at), (!text.trim_end().is_empty()).then_some(0));
            for pair in found.windows(2) {
                prop_assert!(pair[0].at < pair[1].at);
                prop_assert!(text[..pair[1].at].ends_with('\n'));
            }
        }
    }
}
