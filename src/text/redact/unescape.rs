//! A text as it reads without the escapes of JSON, and where each part of it stands in the escaped one.

use std::ops::Range;

/// A text without one layer of escapes.
#[derive(Debug)]
pub(super) struct Unescaped {
    /// The text.
    pub text: String,
    /// For each escape: its place in the text, and its range in the source.
    joints: Vec<(usize, Range<usize>)>,
}

impl Unescaped {
    /// Takes a layer of escapes off a text; none where it has none.
    pub(super) fn of(source: &str) -> Option<Self> {
        memchr::memchr(b'\\', source.as_bytes())?;
        let mut unescaped = Self {
            text: String::with_capacity(source.len()),
            joints: Vec::new(),
        };
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'\\', &source.as_bytes()[at..]) {
            let start = at + found;
            unescaped.text.push_str(&source[at..start]);
            let Some((c, end)) = escape(source, start) else {
                unescaped.text.push('\\');
                at = start + 1;
                continue;
            };
            unescaped.joints.push((unescaped.text.len(), start..end));
            unescaped.text.push(c);
            at = end;
        }
        if unescaped.joints.is_empty() {
            return None;
        }
        unescaped.text.push_str(&source[at..]);
        Some(unescaped)
    }

    /// The range of the source that reads as a range of the text, escapes whole.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        self.at(range.start)..self.at(range.end)
    }

    /// Where in the source a place between two characters of the text is.
    fn at(&self, place: usize) -> usize {
        let before = self.joints.partition_point(|(at, _)| *at < place);
        let Some((at, source)) = before.checked_sub(1).map(|last| &self.joints[last]) else {
            return place;
        };
        let c = self.text[*at..].chars().next().map_or(0, char::len_utf8);
        source.end + place.saturating_sub(at + c)
    }
}

/// The character of an escape and where it ends.
fn escape(source: &str, start: usize) -> Option<(char, usize)> {
    let rest = &source.as_bytes()[start + 1..];
    let c = match rest.first()? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'"' => '"',
        b'\'' => '\'',
        b'\\' => '\\',
        b'/' => '/',
        b'u' => {
            let unit = unit(rest.get(1..5)?)?;
            if let Some(c) = char::from_u32(unit) {
                return Some((c, start + 6));
            }
            // A surrogate stands for nothing that a secret is made of.
            return Some(('\u{fffd}', start + 6));
        }
        _ => return None,
    };
    Some((c, start + 2))
}

fn unit(digits: &[u8]) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_lead_back_to_whole_escapes() {
        let source = r#"a\"b\u002fcd\nx\q"#;
        let unescaped = Unescaped::of(source).expect("escapes");
        assert_eq!(unescaped.text, "a\"b/cd\nx\\q");
        assert_eq!(&source[unescaped.source(2..6)], r"b\u002fcd");
        assert_eq!(&source[unescaped.source(3..4)], r"\u002f");
        assert_eq!(&source[unescaped.source(0..2)], "a\\\"");
        assert!(Unescaped::of("plain").is_none());
    }

    proptest! {
        #[test]
        fn all_of_it_is_all_of_it(source in "[a\\\\nu0-9\"é]{0,20}") {
            if let Some(unescaped) = Unescaped::of(&source) {
                prop_assert_eq!(unescaped.source(0..unescaped.text.len()), 0..source.len());
                for (at, c) in unescaped.text.char_indices() {
                    let range = unescaped.source(at..at + c.len_utf8());
                    prop_assert!(source.get(range.clone()).is_some_and(|part| !part.is_empty()));
                }
            }
        }
    }
}
