//! Where the elements of a document begin and end, found while it comes in.

use memchr::{memchr, memchr2};

use super::super::lanes::{self, BLOCK, Bounds};
use super::super::light::is_space;

/// Bytes of what may stand around the elements.
const AROUND: usize = 8 << 20;

/// Where in a document its next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Between texts.
    Nothing,
    /// In a text.
    Text,
    /// Behind a backslash.
    Escape,
}

/// Within what of a document its next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// The document itself, or another value in it.
    Document,
    /// The list whose elements are wanted.
    List,
    /// A list that is passed over.
    Skipped,
}

/// A document as it is looked through. Only what bounds its elements is looked at: whoever reads them,
/// and what is around them, sees whether they are sound.
pub(super) struct Scan<'a> {
    names: &'a [&'a str],
    skipped: &'a [&'a str],
    inside: Inside,
    depth: usize,
    around: Vec<u8>,
    /// Where in that the text begins that was the last outside of all but the document.
    key: usize,
    within: Within,
    pub(super) depth_of_elements: usize,
    /// Where the element begins that is looked at.
    pub(super) begun: Option<usize>,
    /// Whether a comma stands before the next element.
    is_wanted: bool,
    pub(super) found: Vec<(usize, usize)>,
    is_over: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn new(names: &'a [&'a str], skipped: &'a [&'a str]) -> Self {
        Self {
            names,
            skipped,
            inside: Inside::Nothing,
            depth: 0,
            around: Vec::new(),
            key: 0,
            within: Within::Document,
            depth_of_elements: 0,
            begun: None,
            is_wanted: false,
            found: Vec::new(),
            is_over: false,
        }
    }

    /// What stands around the elements; none where there were none, or it ends before its end and was
    /// not left there.
    pub(super) fn around(mut self, is_left: bool) -> Option<Vec<u8>> {
        if self.within == Within::List && is_left {
            let close: &[u8] = if self.depth_of_elements == 1 {
                b"]"
            } else {
                b"]}"
            };
            self.around.extend_from_slice(close);
            return Some(self.around);
        }
        (self.is_over && self.depth_of_elements > 0).then_some(self.around)
    }

    /// Looks at a text from a place on. None where its document can't be read by its elements.
    pub(super) fn feed(&mut self, text: &[u8], mut at: usize) -> Option<()> {
        while at < text.len() {
            at = self.pass_inside(text, at);
            let from = at;
            let is_around = self.is_around();
            if at == text.len() {
                break;
            }
            match self.inside {
                Inside::Text => match memchr2(b'"', b'\\', &text[at..]) {
                    None => at = text.len(),
                    Some(length) => {
                        at += length + 1;
                        self.inside = match text[at - 1] {
                            b'"' => Inside::Nothing,
                            _ => Inside::Escape,
                        };
                    }
                },
                Inside::Escape => {
                    at += 1;
                    self.inside = Inside::Text;
                }
                Inside::Nothing => {
                    self.outside(text, at)?;
                    at += 1;
                }
            }
            if is_around || self.is_around() {
                if self.around.len() + at - from > AROUND {
                    return None;
                }
                self.around.extend_from_slice(&text[from..at]);
            }
        }
        Some(())
    }

    /// Passes over what stands inside of an element, up to the element's end: nothing there bounds
    /// anything, and it is most of a document. Where it comes to.
    fn pass_inside(&mut self, text: &[u8], mut at: usize) -> usize {
        let outermost = match self.within {
            Within::Document => return at,
            Within::List => self.depth_of_elements,
            // Where the list itself ends is seen by the caller.
            Within::Skipped => 2,
        };
        let (mut depth, mut inside) = (self.depth, self.inside);
        // What is over within fewer bytes is not worth two passes.
        let mut passed_to = at;
        while depth > outermost && at < text.len() {
            if at >= passed_to {
                (depth, inside, at) = pass_blocks(text, at, (depth, inside), outermost);
                passed_to = at + BLOCK;
                continue;
            }
            match inside {
                Inside::Nothing => {
                    match text[at] {
                        b'"' => inside = Inside::Text,
                        b'[' | b'{' => depth += 1,
                        b']' | b'}' => depth -= 1,
                        _ => {}
                    }
                    at += 1;
                }
                Inside::Text => match memchr2(b'"', b'\\', &text[at..]) {
                    None => at = text.len(),
                    Some(length) => {
                        at += length + 1;
                        inside = match text[at - 1] {
                            b'"' => Inside::Nothing,
                            _ => Inside::Escape,
                        };
                    }
                },
                Inside::Escape => {
                    at += 1;
                    inside = Inside::Text;
                }
            }
        }
        (self.depth, self.inside) = (depth, inside);
        at
    }

    /// Whether no list is being looked at or passed over.
    fn is_around(&self) -> bool {
        self.within == Within::Document
    }

    /// Looks at a byte outside of texts.
    fn outside(&mut self, text: &[u8], at: usize) -> Option<()> {
        let byte = text[at];
        if is_space(byte) {
            return Some(());
        }
        if self.is_over {
            return None;
        }
        if self.within == Within::List && self.depth == self.depth_of_elements {
            match byte {
                b',' => return self.ends(text, at),
                b']' => {
                    if self.begun.is_some() || self.is_wanted {
                        self.ends(text, at)?;
                    }
                    (self.within, self.is_wanted) = (Within::Document, false);
                }
                b'}' => return None,
                _ => {
                    self.begun.get_or_insert(at);
                }
            }
        }
        match byte {
            b'"' => {
                self.inside = Inside::Text;
                if self.depth == 1 && self.is_around() {
                    self.key = self.around.len();
                }
            }
            b'[' | b'{' => {
                if byte == b'[' && self.is_around() && self.depth == 1 && self.is_one(self.skipped)
                {
                    self.within = Within::Skipped;
                } else if byte == b'[' && self.is_around() && self.is_named() {
                    // There is one such list.
                    if self.depth_of_elements > 0 {
                        return None;
                    }
                    self.within = Within::List;
                    self.depth_of_elements = self.depth + 1;
                }
                self.depth += 1;
            }
            b']' | b'}' => {
                self.depth = self.depth.checked_sub(1)?;
                if self.within == Within::Skipped && self.depth == 1 {
                    self.within = Within::Document;
                }
                self.is_over = self.depth == 0;
            }
            _ if self.depth == 0 => return None,
            _ => {}
        }
        Some(())
    }

    /// Whether a list that begins here is the one that is looked for.
    fn is_named(&self) -> bool {
        match self.depth {
            0 => true,
            1 => self.is_one(self.names),
            _ => false,
        }
    }

    /// Whether the list that begins here has one of the names.
    fn is_one(&self, names: &[&str]) -> bool {
        if !self.around.trim_ascii().ends_with(b":") {
            return false;
        }
        let key = &self.around[self.key + 1..];
        let end = memchr(b'"', key).unwrap_or(key.len());
        let mut names = names.iter().map(|name| name.as_bytes());
        names.any(|name| name == &key[..end])
    }

    /// An element ends before a place.
    fn ends(&mut self, text: &[u8], at: usize) -> Option<()> {
        let begun = self.begun.take()?;
        let trailing = text[begun..at].iter().rev();
        let trailing = trailing.take_while(|byte| is_space(**byte)).count();
        self.found.push((begun, at - trailing));
        self.is_wanted = text[at] == b',';
        Some(())
    }
}

/// Passes over blocks in which no value ends that is as deep as the outermost. How deep and inside of
/// what it comes to, and where.
fn pass_blocks(
    text: &[u8],
    at: usize,
    (mut depth, mut inside): (usize, Inside),
    outermost: usize,
) -> (usize, Inside, usize) {
    let mut passed = 0;
    for block in text[at..].as_chunks::<BLOCK>().0 {
        let found = Bounds::of(block);
        let (is_escaped, is_within) = match inside {
            Inside::Nothing => (0, 0),
            Inside::Text => (0, u64::MAX),
            Inside::Escape => (1, u64::MAX),
        };
        let (escaped, next_escaped) = lanes::escaped(found.slashes, is_escaped);
        let (within, next_within) = lanes::within(found.quotes & !escaped, is_within);
        let closes = (found.closes & !within).count_ones() as usize;
        if depth <= outermost + closes {
            break;
        }
        depth += (found.opens & !within).count_ones() as usize;
        depth -= closes;
        // Outside of a text a backslash is no sound document's.
        inside = match (next_within, next_escaped) {
            (0, _) => Inside::Nothing,
            (_, 0) => Inside::Text,
            _ => Inside::Escape,
        };
        passed += BLOCK;
    }
    (depth, inside, at + passed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Blocks or bytes, however they come in.
        #[test]
        fn blocks_end_elements_where_bytes_do(
            text in "\\[(\\{\"a\":\\[?(\"[x\\[\\]{},]{0,80}(\\\\\"|\\\\\\\\|\\\\n){0,3}[x}]{0,40}\"|[1-9]{0,70}|\\[\\{\\}\\]),?\\]?\\}, ?){0,12}1\\]",
        ) {
            let found = |size: usize| {
                let mut scan = Scan::new(&[], &[]);
                let ends = (size..).step_by(size).map(|end| end.min(text.len()));
                let mut known = 0;
                for end in ends {
                    scan.feed(&text.as_bytes()[..end], known)?;
                    known = end;
                    if end == text.len() {
                        break;
                    }
                }
                Some((scan.found.clone(), scan.around(false)))
            };
            let bytes = found(1);
            for size in [65, 130, 200, text.len()] {
                prop_assert_eq!(&found(size), &bytes, "{} bytes at a time", size);
            }
        }
    }

    /// The elements of a text, and what is around them; none where a text is not read so.
    fn found(text: &str) -> Option<(Vec<String>, String)> {
        let mut whole: Option<(Vec<String>, String)> = None;
        // However the text comes in.
        for size in [1, 2, 3, 7, text.len()] {
            let mut scan = Scan::new(&["list", "other"], &["left"]);
            let (mut known, mut is_sound) = (0, true);
            while known < text.len() && is_sound {
                let end = (known + size).min(text.len());
                is_sound = scan.feed(&text.as_bytes()[..end], known).is_some();
                known = end;
            }
            let elements = scan
                .found
                .iter()
                .map(|(from, to)| text[*from..*to].to_owned());
            let elements: Vec<String> = elements.collect();
            let around = is_sound.then(|| scan.around(false)).flatten();
            let read =
                around.map(|around| (elements, String::from_utf8_lossy(&around).into_owned()));
            if size > 1 {
                assert_eq!(read, whole, "{size} bytes at a time");
            }
            whole = read;
        }
        whole
    }

    #[test]
    fn elements_and_what_is_around_them_are_found() {
        let is = |text: &str, elements: &[&str], around: &str| {
            let (found, rest) = found(text).expect("it is read by its elements");
            assert_eq!(
                (found.as_slice(), rest.trim()),
                (
                    &*elements.iter().map(|e| (*e).to_owned()).collect::<Vec<_>>(),
                    around
                ),
                "{text}"
            );
        };
        is(
            r#" [{"a":[1,2]} , "],\"", 3 ] "#,
            &[r#"{"a":[1,2]}"#, r#""],\"""#, "3"],
            "[]",
        );
        is(
            "[\n  {\n    \"a\": 1\n  },\n  []\n]\n",
            &["{\n    \"a\": 1\n  }", "[]"],
            "[]",
        );
        is(
            r#"{"x":["list",[1]],"list" : [1,{"list":[2]}],"y":{"list":[3]}}"#,
            &["1", r#"{"list":[2]}"#],
            r#"{"x":["list",[1]],"list" : [],"y":{"list":[3]}}"#,
        );
        is(
            r#"{"left":[{"list":[1]},"]\"[",[[]]],"list":[2], "left" : [ ], "x":{"left":[3]}}"#,
            &["2"],
            r#"{"left":[],"list":[], "left" : [], "x":{"left":[3]}}"#,
        );
        is("[]", &[], "[]");
    }

    #[test]
    fn what_is_no_such_document_is_left() {
        for text in [
            "[1,]",
            "[,1]",
            "[1",
            "[1}",
            "[1]]",
            "[1][2]",
            "7",
            r#"{"x":[1]}"#,
            r#"{"list":[1],"other":[2]}"#,
            r#"{"list":[1]"#,
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
