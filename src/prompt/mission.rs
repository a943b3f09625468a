//! Mission templates: `{{name}}` and `{{name.field}}` from the input [MIS-001].

use crate::value::{Limits, Map, Value, to_clojure};

/// What a template asks for and the input doesn't have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the mission asks for {{{{{name}}}}}, which the data doesn't have; the data has: {known}")]
#[non_exhaustive]
pub struct Missing {
    /// The name in the braces.
    pub name: String,
    /// The names there are.
    pub known: String,
}

/// Puts the input's values into a template. A string stands as it is, another value as it prints.
///
/// # Errors
/// [`Missing`] names the first placeholder without a value.
pub fn expand(template: &str, data: &Map) -> Result<String, Missing> {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find("{{") {
        let Some(close) = rest[open..].find("}}").map(|at| open + at) else {
            break;
        };
        let name = rest[open + 2..close].trim();
        if !is_placeholder(name) {
            // Not a placeholder: two braces of the mission's own.
            out.push_str(&rest[..open + 2]);
            rest = &rest[open + 2..];
            continue;
        }
        out.push_str(&rest[..open]);
        let value = lookup(name, data).ok_or_else(|| Missing {
            name: name.to_owned(),
            known: known(data),
        })?;
        match value {
            Value::Str(text) => out.push_str(&text),
            other => out.push_str(&to_clojure(&other, Limits::NONE).0),
        }
        rest = &rest[close + 2..];
    }
    out.push_str(rest);
    Ok(out)
}

fn is_placeholder(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "_-.?!".contains(c))
}

fn lookup(path: &str, data: &Map) -> Option<Value> {
    let mut fields = path.split('.');
    let first = fields.next()?;
    let keys = [Value::keyword(first), Value::string(first)];
    let start = keys.iter().find_map(|key| data.get(key))?;
    fields
        .try_fold(start, |value, field| value.get(field))
        .cloned()
}

fn known(data: &Map) -> String {
    let names: Vec<&str> = data.keys().filter_map(Value::as_name).collect();
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::transit;

    fn data(json: &str) -> Map {
        let value = transit::parse(json.as_bytes()).expect("JSON").value;
        value.as_map().expect("a map").clone()
    }

    #[test]
    fn placeholders_are_filled() {
        let data = data(r#"{"n": 3, "~:user": {"~:name": "Ines", "tags": ["a"]}}"#);
        assert_eq!(
            expand("{{n}} for {{ user.name }} {{user.tags}} {{}} {{ n", &data),
            Ok("3 for Ines [\"a\"] {{}} {{ n".to_owned())
        );
    }

    #[test]
    fn a_missing_one_is_named() {
        let missing = expand("for {{user.mail}}", &data(r#"{"user": {}}"#));
        let error = missing.expect_err("no mail").to_string();
        assert_eq!(
            error,
            "the mission asks for {{user.mail}}, which the data doesn't have; the data has: user"
        );
    }
}
