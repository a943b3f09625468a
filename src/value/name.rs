//! Looking an entry up by its name, without making a key of it.

use std::hash::{BuildHasher as _, Hash, Hasher};

use indexmap::map::RawEntryApiV1 as _;

use super::{Kind, Map, Value};

/// Entries up to which all are looked at: that takes less than a hash.
const FEW: usize = 16;

/// The entry under a name, be the key a keyword or a string (the keyword first).
pub(super) fn find<'a>(entries: &'a Map, name: &str) -> Option<&'a Value> {
    if entries.len() <= FEW {
        let mut found = None;
        for (key, value) in entries {
            match key {
                Value::Keyword(text) if **text == *name => return Some(value),
                Value::Str(text) if **text == *name => found = Some(value),
                _ => {}
            }
        }
        return found;
    }
    let hash = entries.hasher().hash_one(Name(name));
    let find = |is: &dyn Fn(&Value) -> bool| entries.raw_entry_v1().from_hash(hash, is);
    let (key, value) = find(&|key| key.as_name() == Some(name))?;
    let is_keyword = |key: &Value| matches!(key, Value::Keyword(text) if **text == *name);
    if is_keyword(key) {
        return Some(value);
    }
    Some(find(&is_keyword).map_or(value, |(_, value)| value))
}

/// A name that is hashed as the string and the keyword are.
struct Name<'a>(&'a str);

impl Hash for Name<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (Kind::Name, self.0).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_by_its_name_and_a_keyword_before_a_string() {
        for others in [0, FEW - 2, FEW - 1, 3 * FEW] {
            let others = (0..others).map(|other| (Value::string(format!("b{other}")), Value::Nil));
            let entry = |key: Value, value: i64| (key, Value::Int(value));
            let (string, keyword) = (Value::string("é"), Value::keyword("é"));
            for (mine, expected) in [
                (vec![], None),
                (vec![entry(string.clone(), 1)], Some(1)),
                (vec![entry(keyword.clone(), 2)], Some(2)),
                (
                    vec![entry(string.clone(), 1), entry(keyword.clone(), 2)],
                    Some(2),
                ),
                (
                    vec![entry(keyword.clone(), 2), entry(string.clone(), 1)],
                    Some(2),
                ),
            ] {
                let map: Map = others.clone().chain(mine).collect();
                let found = find(&map, "é").and_then(Value::as_i64);
                assert_eq!(found, expected, "{} entries", map.len());
            }
        }
    }
}
