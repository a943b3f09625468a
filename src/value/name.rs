//! Looking an entry up by its name, without making a key of it.

use std::hash::{Hash, Hasher};

use indexmap::Equivalent;

use super::{Kind, Value};

/// The name of an entry: of a string or a keyword.
#[derive(Clone, Copy)]
pub(super) enum Name<'a> {
    Str(&'a str),
    Keyword(&'a str),
}

impl Hash for Name<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Str(text) => (Kind::Str, text).hash(state),
            Self::Keyword(text) => (Kind::Keyword, text).hash(state),
        }
    }
}

impl Equivalent<Value> for Name<'_> {
    fn equivalent(&self, key: &Value) -> bool {
        match (self, key) {
            (Self::Str(name), Value::Str(text)) | (Self::Keyword(name), Value::Keyword(text)) => {
                *name == &**text
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Map;
    use super::*;

    #[test]
    fn an_entry_is_found_by_its_name() {
        for (key, other) in [
            (Value::string("a"), Value::keyword("a")),
            (Value::keyword("é"), Value::string("é")),
        ] {
            let name = key.as_name().unwrap_or_default().to_owned();
            // With one entry nothing is hashed.
            let entries = [(Value::Int(1), Value::Nil), (key.clone(), Value::Int(2))];
            for entries in [&entries[1..], &entries[..]] {
                let map: Map = entries.iter().cloned().collect();
                assert_eq!(Value::map(map.clone()).get(&name), Some(&Value::Int(2)));
                let is_there = |name: Name<'_>| map.contains_key(&name);
                let is_str = key.as_str().is_some();
                assert_eq!(is_there(Name::Str(&name)), is_str);
                assert_eq!(is_there(Name::Keyword(&name)), !is_str);
                assert!(!map.contains_key(&other));
            }
        }
    }
}
