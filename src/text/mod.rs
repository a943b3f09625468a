//! What every text of a trace passes before it reaches a person.
//!
//! A trace is hostile: its texts hold escape sequences, carriage returns, marks that reorder what
//! is read. Nothing of that may drive a terminal, and nothing may vanish either, so each such
//! character is shown as a visible sign. Widths are measured here too, and lines broken into rows
//! ([`rows`]), because both must agree with what is drawn.

pub mod amounts;
mod json_safe;
pub mod redact;
pub mod rows;

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

pub use json_safe::escape_json;

/// Bytes of a grapheme cluster; what is longer no person wrote, and no row would end.
const CLUSTER_BYTES: usize = 64;

/// Signs that stand for characters of a longer one; the rest is counted.
const CLUSTER_SIGNS: usize = 8;

/// Columns from one tab stop to the next.
pub const TAB_WIDTH: usize = 4;

/// Whether a character would act on a terminal, or would hide or reorder what is read.
pub fn is_unsafe(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Line and paragraph separators, which some terminals obey.
        | '\u{2028}' | '\u{2029}'
        // Marks that reorder text, and isolates.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // The byte order mark, invisible operators, interlinear annotation.
        | '\u{feff}' | '\u{2060}'..='\u{2064}' | '\u{fff9}'..='\u{fffb}'
        // Breaks and separators without a width.
        | '\u{ad}' | '\u{180e}' | '\u{200b}'
        // Tags and further variation selectors: text that a model reads and a person can't see.
        | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Appends the visible sign of an unsafe character.
fn push_sign(out: &mut String, c: char) {
    use std::fmt::Write as _;
    match c {
        '\0'..='\u{1f}' => {
            // Control pictures stand in the order of the characters they show.
            out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'));
        }
        '\u{7f}' => out.push('\u{2421}'),
        _ => {
            let _ = write!(out, "<U+{:04X}>", u32::from(c));
        }
    }
}

/// Makes a text safe to print: line ends and tabs stay, a carriage return before a line end goes,
/// every other unsafe character becomes its visible sign.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text
        .chars()
        .all(|c| matches!(c, '\n' | '\t') || !is_unsafe(c))
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            c if is_unsafe(c) => push_sign(&mut out, c),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Makes a text safe to show on one line: as [`clean`], with tabs expanded from column 0 and line
/// ends shown as `␊`. So many marks on one character that it would be a text of its own become signs,
/// and of a great many their number.
pub fn clean_line(line: &str) -> Cow<'_, str> {
    use std::fmt::Write as _;
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.bytes().all(|b| matches!(b, 0x20..=0x7e)) {
        return Cow::Borrowed(line);
    }
    let joined = &line[plain_start(line)..];
    let has_long =
        joined.len() > CLUSTER_BYTES && joined.graphemes(true).any(|g| g.len() > CLUSTER_BYTES);
    if !has_long && line.chars().all(|c| !is_unsafe(c)) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len() + 16);
    let mut column = 0;
    for grapheme in line.graphemes(true) {
        if grapheme == "\t" {
            let stop = TAB_WIDTH - column % TAB_WIDTH;
            out.extend(std::iter::repeat_n(' ', stop));
            column += stop;
            continue;
        }
        let start = out.len();
        let mut signs = 0;
        for (at, c) in grapheme.char_indices() {
            if at >= CLUSTER_BYTES {
                signs += 1;
                if signs > CLUSTER_SIGNS {
                    continue;
                }
            }
            if is_unsafe(c) || at >= CLUSTER_BYTES {
                push_sign(&mut out, c);
            } else {
                out.push(c);
            }
        }
        if signs > CLUSTER_SIGNS {
            let _ = write!(out, "<{} more marks>", signs - CLUSTER_SIGNS);
        }
        column += width(&out[start..]);
    }
    Cow::Owned(out)
}

/// Whether a character takes one column wherever it stands, and is one cluster beside others of which
/// this is so.
fn is_plain(c: char) -> bool {
    matches!(c,
        ' '..='~'
        // Latin letters and signs, but for the soft hyphen.
        | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{24f}'
        // Dashes, quotes, dots.
        | '\u{2010}'..='\u{2027}'
        // Arrows, pictures of controls, lines and blocks, marks.
        | '\u{2190}'..='\u{21ff}' | '\u{2400}'..='\u{2426}' | '\u{2500}'..='\u{25fc}'
        | '\u{2713}' | '\u{2717}')
}

/// The bytes that a cleaned text begins with of which each character is a cluster of one column: most
/// texts are nothing else, and then nothing looks for clusters.
pub fn plain_start(text: &str) -> usize {
    let ascii = |byte: &u8| matches!(byte, b' '..=b'~');
    if text.as_bytes().iter().all(ascii) {
        return text.len();
    }
    let mut last = 0;
    for (at, c) in text.char_indices() {
        if !is_plain(c) {
            // It may be joined to the one before it.
            return last;
        }
        last = at;
    }
    text.len()
}

/// The clusters of a cleaned text, each with where it begins and the columns it takes.
pub fn clusters(text: &str) -> impl Iterator<Item = (usize, &str, usize)> {
    let (plain, rest) = text.split_at(plain_start(text));
    let single = plain
        .char_indices()
        .map(|(at, c)| (at, &plain[at..at + c.len_utf8()], 1));
    let joined = rest
        .grapheme_indices(true)
        .map(|(at, cluster)| (plain.len() + at, cluster, cluster_width(cluster)));
    single.chain(joined)
}

/// Columns that a cluster takes, as it is drawn.
fn cluster_width(cluster: &str) -> usize {
    // ratatui gives each voiced mark of halfwidth katakana a column more, and it draws.
    let is_mark = |c: &char| matches!(c, '\u{ff9e}' | '\u{ff9f}');
    cluster.width() + cluster.chars().filter(is_mark).count()
}

/// Columns that a cleaned text takes, measured as it is drawn: grapheme cluster by cluster.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let (plain, rest) = text.split_at(plain_start(text));
    let joined = rest.graphemes(true).map(cluster_width);
    plain.chars().count() + joined.sum::<usize>()
}

/// Cuts a cleaned text to `columns`, with `…` as its last column where something was cut.
pub fn fit(text: &str, columns: usize) -> Cow<'_, str> {
    // A text of few bytes fits whatever they are: no character is wider than its bytes.
    if text.len() <= columns || width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let mut used = 0;
    let mut end = 0;
    for (start, cluster, wide) in clusters(text) {
        used += wide;
        if used > room {
            break;
        }
        end = start + cluster.len();
    }
    Cow::Owned(format!("{}…", &text[..end]))
}

/// The first line of a text, cleaned and cut to `columns`.
pub fn headline(text: &str, columns: usize) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    // A column takes a few bytes at most: a line of 10 MB is not looked at whole.
    let mut end = line
        .len()
        .min(columns.saturating_mul(32).saturating_add(64));
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let cut = end < line.len();
    let cleaned = clean_line(&line[..end]);
    let fitted = fit(&cleaned, columns);
    if cut && !fitted.ends_with('…') && columns > 0 {
        return format!("{}…", fit(&fitted, columns - 1).trim_end_matches('…'));
    }
    fitted.into_owned()
}

/// The first `count` grapheme clusters of a text, and whether that is all of it.
pub fn first_graphemes(text: &str, count: usize) -> (&str, bool) {
    if text.len() <= count {
        return (text, true);
    }
    // Up to and with the byte behind the cut, so that no mark of the last cluster is cut off.
    if text.as_bytes()[..=count].iter().copied().all(is_cluster) {
        return (&text[..count], false);
    }
    match text.grapheme_indices(true).nth(count) {
        Some((end, _)) => (&text[..end], false),
        None => (text, true),
    }
}

/// Appends spaces to `out` until the text from `start` is `columns` grapheme clusters long
/// (requirements 5 pad names so).
pub fn pad_graphemes(out: &mut String, start: usize, columns: usize) {
    let text = &out[start..];
    let count = if text.as_bytes().iter().copied().all(is_cluster) {
        text.len()
    } else {
        text.graphemes(true).count()
    };
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(count)));
}

/// Whether a byte is a grapheme cluster by itself beside others that are. Segmenting by the rules
/// takes a hundred times as long as this, and nearly all text of traces passes.
fn is_cluster(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_million_marks_take_a_line() {
        let text = format!("x{}y", "\u{301}".repeat(500_000));
        let shown = super::clean_line(&text);
        assert!(
            shown.ends_with("<U+0301><499960 more marks>y"),
            "{}",
            shown.len()
        );
        assert!(shown.len() < 200);
    }

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_become_visible() {
        assert_eq!(
            clean("\u{1b}[31mred\u{9b}\u{202e}"),
            "␛[31mred<U+009B><U+202E>"
        );
        assert_eq!(clean("a\r\nb\rc\td"), "a\nb␍c\td");
        assert_eq!(clean_line("780\t#[test]\r"), "780 #[test]");
        assert_eq!(clean_line("a\tb"), "a   b");
        let marks = clean_line(&format!("e{}", "\u{301}".repeat(33))).into_owned();
        assert!(marks.ends_with("\u{301}<U+0301>"), "{marks}");
        assert_eq!(width(&marks), 1 + 8);
    }

    #[test]
    fn fitting_measures_columns() {
        assert_eq!(fit("日本語", 6), "日本語");
        assert_eq!(fit("日本語", 5), "日本…");
        assert_eq!(fit("日本語", 4), "日…");
        assert_eq!(fit("日本語", 0), "");
        assert_eq!(headline("\n  two words\nmore", 20), "two words");
        assert_eq!(headline(&"x".repeat(5_000_000), 5), "xxxx…");
    }

    #[test]
    fn plain_characters_are_clusters_of_one_column() {
        let plain: Vec<char> = ('\0'..=char::MAX).filter(|c| is_plain(*c)).collect();
        assert!(plain.len() > 800);
        for c in &plain {
            let text = format!("a{c}{c}─{c}");
            let found: Vec<&str> = text.graphemes(true).collect();
            assert_eq!(found.len(), 5, "{c:?}");
            assert!(found.iter().all(|cluster| cluster.width() == 1), "{c:?}");
            assert!(!is_unsafe(*c), "{c:?}");
        }
    }

    proptest! {
        #[test]
        fn clusters_are_those_of_the_standard(text in "[ -~é日\u{301}\u{200d}\u{fe0f}\u{600}👩▶ﾞ]{0,24}") {
            let found: Vec<(usize, &str)> = clusters(&text).map(|(at, cluster, _)| (at, cluster)).collect();
            let standard: Vec<(usize, &str)> = text.grapheme_indices(true).collect();
            prop_assert_eq!(found, standard);
            let columns: usize = clusters(&text).map(|(_, _, wide)| wide).sum();
            prop_assert_eq!(width(&text), columns);
        }

        #[test]
        fn nothing_unsafe_is_left(text in any::<String>()) {
            prop_assert!(clean(&text).chars().all(|c| matches!(c, '\n' | '\t') || !is_unsafe(c)));
            prop_assert!(!clean_line(&text).chars().any(is_unsafe));
        }

        #[test]
        fn clusters_are_those_of_the_rules(text in "[a\\r\\n e\u{301}👩\u{200d}\u{1f1e6}]{0,12}", count in 0usize..14) {
            let clusters: Vec<&str> = text.graphemes(true).collect();
            let kept = clusters[..clusters.len().min(count)].concat();
            let whole = kept.len() == text.len();
            prop_assert_eq!(first_graphemes(&text, count), (kept.as_str(), whole));
            let mut padded = text.clone();
            pad_graphemes(&mut padded, 0, count);
            let spaces = count.saturating_sub(clusters.len());
            prop_assert_eq!(padded, text + &" ".repeat(spaces));
        }

        #[test]
        fn fitted_text_fits(text in any::<String>(), columns in 0usize..40) {
            let cleaned = clean_line(&text);
            prop_assert!(width(&fit(&cleaned, columns)) <= columns);
            prop_assert!(width(&headline(&text, columns)) <= columns);
        }
    }
}
