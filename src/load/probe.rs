//! What can be told of a source before a loader reads it.

use std::cell::OnceCell;

use super::foreign::sketch::{self, sketch};
use super::{Source, keys, records, salvage};
use crate::error::Error;
use crate::value::Value;
use crate::value::json;

/// Bytes of a first line that are parsed to recognise a format.
const PROBED_LINE: usize = 4 << 20;

/// Lines that are looked at where the first tells nothing.
const SKETCHED_LINES: usize = 20;
/// Lines whose records are looked at to recognise a format: the first call may come late in a chat.
const PROBED_LINES: usize = 200;

/// Lines that are looked at however long they are, and bytes of more of them.
const FEW_LINES: usize = 50;
const PROBED_LINES_BYTES: usize = 1 << 20;

/// Bytes of a long line, or of a document that is not in memory, that are looked at to recognise a format.
const PROBED_HEAD: usize = 256 << 10;

/// What can be told of a source before a loader reads it.
#[derive(Debug)]
pub struct Probe<'a> {
    source: &'a Source,
    /// The first line that holds something, if it is JSON by itself.
    first_line: Option<Value>,
    /// The keys of the JSON object that the whole source is, as far as it goes.
    keys: Vec<String>,
    /// Whether more may stand behind what is read at once of the document that the source is.
    is_cut: bool,
    /// The sketch of a document that does not end with what is read at once.
    outline: Option<Value>,
    sketch: OnceCell<Value>,
    records: OnceCell<Vec<Value>>,
    head: OnceCell<Value>,
}

impl<'a> Probe<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        let mut probe = Self::of_beginning(source);
        probe.look_to_end();
        probe
    }

    /// What can be told of a source by what is read of it at once.
    pub(super) fn of_beginning(source: &'a Source) -> Self {
        // What ends with what is read at once is no line by itself.
        let is_begun = source.is_large() && !source.head().contains(&b'\n');
        let first_line = source
            .first_line()
            .filter(|line| line.len() <= PROBED_LINE && !is_begun)
            .and_then(|line| json::parse(line).ok())
            .map(|parsed| parsed.value);
        let (keys, is_whole) = keys::of(source.head());
        Self {
            source,
            first_line,
            keys,
            is_cut: source.is_large() && !is_whole,
            outline: None,
            sketch: OnceCell::new(),
            records: OnceCell::new(),
            head: OnceCell::new(),
        }
    }

    /// Looks at all of a document of which only the beginning was looked at.
    pub(super) fn look_to_end(&mut self) {
        if !self.is_cut {
            return;
        }
        self.outline = self.source.outline();
        if let Some(entries) = self.outline.as_ref().and_then(Value::as_map) {
            let names = entries.keys().filter_map(Value::as_str);
            self.keys = names.map(str::to_owned).collect();
        }
    }

    /// Whether a document may go on behind what is read of it at once.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The whole records in the first lines; of a very long one what it begins with. None where the
    /// source is one document over several lines.
    pub fn records(&self) -> &[Value] {
        self.records.get_or_init(|| {
            let mut looked_at = 0;
            let lines = self.source.first_lines().take(PROBED_LINES);
            let few = lines.enumerate().take_while(|(nth, (_, line))| {
                looked_at += line.len();
                *nth < FEW_LINES || looked_at < PROBED_LINES_BYTES
            });
            records::sample(self.source, few.count(), PROBED_HEAD)
        })
    }

    /// What the source begins with, as far as that is JSON: an array with its first elements, an
    /// object with its first entries.
    pub fn head(&self) -> &Value {
        self.head.get_or_init(|| {
            let bytes = self.source.beginning();
            // What tells may stand behind a long text.
            let limit = if self.source.is_large() {
                PROBED_HEAD
            } else {
                PROBED_LINE
            };
            let head = bytes.get(..limit).unwrap_or(bytes);
            let read = salvage::read(head, json::parse);
            read.map(|read| read.parsed.value).unwrap_or_default()
        })
    }

    /// The first lines that hold something.
    pub(super) fn first_lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.source.first_lines()
    }

    /// The source.
    pub fn source(&self) -> &Source {
        self.source
    }

    /// The first line that holds something, if it is JSON by itself.
    pub fn first_line(&self) -> Option<&Value> {
        self.first_line.as_ref()
    }

    /// Whether the whole source is a JSON object with this key, as far as it can be read.
    pub fn has_key(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known == key)
    }

    /// The first items and keys of the JSON document that the source is or begins with, a few levels
    /// deep; also of one that is cut or isn't quite JSON.
    pub(super) fn sketch(&self) -> &Value {
        let outline = self.outline.as_ref();
        outline.unwrap_or_else(|| {
            let beginning = self.source.beginning();
            self.sketch.get_or_init(|| sketch(beginning))
        })
    }

    /// As this one, with what can be read of a damaged beginning in the place of the sketch.
    pub(super) fn mended(&self) -> Self {
        let mut other = Self::new(self.source);
        other.outline = Some(self.head().clone());
        other
    }

    /// Sketches of the first lines.
    pub(super) fn line_sketches(&self) -> impl Iterator<Item = Value> {
        let lines = self.first_lines().take(SKETCHED_LINES);
        lines.map(|(_, line)| sketch(&line[..line.len().min(PROBED_LINE)]))
    }

    /// The error for a source that nobody recognises.
    pub(super) fn unrecognised(&self) -> Error {
        let name = self.source.name().to_owned();
        let known = super::format_names;
        let start = self.source.bytes().trim_ascii();
        let begins = |with: &[u8]| start.starts_with(with);
        let other = if begins(b"event:") || begins(b"data:") {
            Some("it is a stream of server-sent events; save the whole response instead")
        } else if begins(b"SQLite format 3\0") {
            Some("it is an SQLite database; of opencode's, export a session: opencode export ID")
        } else if start == b"[]" || start == b"{}" {
            Some("there is nothing in it")
        } else {
            super::storage::part_of_one(&self.keys)
        };
        if let Some(why) = other {
            return Error::Unrecognised {
                name,
                why: why.to_owned(),
                known: known(),
            };
        }
        if self.first_line.is_none() && self.keys.is_empty() {
            let why = match json::parse(self.source.bytes()) {
                Err(error) => error.to_string(),
                Ok(_) => String::new(),
            };
            if !why.is_empty() {
                return Error::NotJson { name, why };
            }
        }
        let why = if self.keys.is_empty() {
            "it is JSON, but no object".to_owned()
        } else {
            let shown: Vec<String> = self
                .keys
                .iter()
                .take(8)
                .map(|key| format!("'{key}'"))
                .collect();
            format!("its keys are {}", shown.join(", "))
        };
        Error::Unrecognised {
            name,
            why,
            known: super::format_names(),
        }
    }
}

/// The sketch of a document, from what stands around its elements, with the lists of all these names empty,
/// and the sketches of its first elements; what stood in a list that was passed over is told by the sketch
/// of its beginning. None where that ends before it.
pub(super) fn outline_of(
    around: &[u8],
    elements: Vec<Value>,
    beginning: &Value,
    names: &[&str],
    passed_over: &[&str],
) -> Option<Value> {
    let around = sketch(around);
    let is_empty = |value: &Value| value.as_list().is_some_and(<[Value]>::is_empty);
    if is_empty(&around) {
        return Some(Value::list(elements));
    }
    let mut outline = around.as_map()?.clone();
    for name in passed_over.iter().copied().map(Value::string) {
        if !outline.get(&name).is_some_and(is_empty) {
            continue;
        }
        let beginning = beginning.as_map()?;
        let begun = beginning.get(&name)?;
        // The beginning is cut inside its last entry.
        let is_cut = beginning.keys().last() == Some(&name);
        if is_cut && begun.as_list()?.len() < sketch::ITEMS {
            return None;
        }
        outline.insert(name, begun.clone());
    }
    let mut names = names.iter().copied().map(Value::string);
    if let Some(name) = names.find(|name| outline.get(name).is_some_and(is_empty)) {
        outline.insert(name, Value::list(elements));
    }
    Some(Value::map(outline))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::Map;

    fn entries(names: &'static [&'static str]) -> impl Strategy<Value = Vec<String>> {
        let value = prop_oneof![
            Just("1"),
            Just("\"a\\n\""),
            Just("[]"),
            Just("[1,{\"b\":[2]}]"),
            Just("{\"messages\":[3]}"),
        ];
        let entry = (0..names.len(), value);
        let entries = proptest::collection::vec(entry, 0..3);
        entries.prop_map(|entries| {
            let entry = |(at, value): (usize, &str)| format!("\"{}\":{value}", names[at]);
            entries.into_iter().map(entry).collect()
        })
    }

    proptest! {
        /// However much of a document is read at once, what is told of it by what stands around its lists
        /// is what the whole tells, but for an element in which that ends.
        #[test]
        fn the_outline_is_that_of_the_whole(
            before in entries(&["a", "info"]),
            between in entries(&["b", "model"]),
            after in entries(&["c", "usage"]),
            lists in [0..12usize, 0..12usize],
            cut in 0..400usize,
        ) {
            let text = |[messages, steps]: [usize; 2]| {
                let list = |name: &str, count: usize| {
                    let items: Vec<String> = (0..count).map(|at| format!("{{\"n\":{at}}}")).collect();
                    vec![format!("\"{name}\":[{}]", items.join(","))]
                };
                let all = [&before[..], &list("messages", messages), &between, &list("steps", steps), &after];
                format!("{{{}}}", all.concat().join(","))
            };
            let whole = text(lists);
            let head = &whole[..cut.min(whole.len())];
            let elements = (0..lists[0].min(sketch::ITEMS)).map(|at| {
                sketch::sketch_of(format!("{{\"n\":{at}}}").as_bytes(), 2)
            });
            let outline = outline_of(
                text([0, 0]).as_bytes(),
                elements.collect(),
                &sketch(head.as_bytes()),
                &["messages"],
                &["steps"],
            );
            let is_read = head.len() == whole.len() && !after.is_empty();
            prop_assert!(!is_read || outline.is_some());
            if let Some(outline) = outline {
                let told = |mut outline: Map| {
                    let name = Value::string("steps");
                    let list = outline.get(&name).and_then(Value::as_list).unwrap_or_default().to_vec();
                    let kept = list.len().min(sketch::ITEMS - 1);
                    outline.insert(name, Value::list(list[..kept].to_vec()));
                    outline
                };
                let expected = sketch(whole.as_bytes());
                let both = [&outline, &expected].map(|outline| told(outline.as_map().expect("a map").clone()));
                prop_assert_eq!(&both[0], &both[1]);
                prop_assert!(both[0].keys().eq(both[1].keys()));
            }
        }
    }
}
