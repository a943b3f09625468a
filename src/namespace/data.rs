//! The `data/` section [NS-002, FMT-002, FMT-005].

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use indexmap::IndexMap;

use super::{Content, NAME_COLUMNS, Origin};
use crate::step::Step;
use crate::syntax::signature::Signature;
use crate::text::pad_graphemes;
use crate::value::{
    Limits, Map, Value,
    clojure::{is_hidden, write_value},
    to_clojure, type_label,
};

/// What the section shows: the input, and what is known of it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Data<'a> {
    /// The input.
    pub data: &'a Map,
    /// What its fields mean.
    pub descriptions: &'a IndexMap<Arc<str>, Arc<str>>,
    /// The step's signature as written.
    pub signature: Option<&'a str>,
}

impl<'a> Data<'a> {
    /// The input of a step.
    pub fn of(step: &'a Step) -> Self {
        Self::new(
            &step.data,
            &step.field_descriptions,
            step.signature.as_deref(),
        )
    }

    /// An input with what is known of it.
    pub fn new(
        data: &'a Map,
        descriptions: &'a IndexMap<Arc<str>, Arc<str>>,
        signature: Option<&'a str>,
    ) -> Self {
        Self {
            data,
            descriptions,
            signature,
        }
    }

    /// The fields as they are listed: name, type, key and value, sorted by name; of equal names a
    /// keyword comes first.
    pub fn fields(&self) -> Vec<Field<'a>> {
        let signature = self.signature.and_then(Signature::parse);
        let mut fields: Vec<Field<'a>> = self
            .data
            .iter()
            .map(|(key, value)| {
                let name = name(key);
                let declared = signature.as_ref().and_then(|s| s.param(&name));
                Field {
                    kind: declared
                        .map_or_else(|| type_label(value), |param| param.kind.display().into()),
                    name,
                    key,
                    value,
                }
            })
            .collect();
        fields.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.key.compare(b.key)));
        fields
    }
}

/// A field of the input.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Field<'a> {
    /// Its name, without `data/`.
    pub name: Arc<str>,
    /// The signature's type for it, else its label.
    pub kind: Cow<'static, str>,
    /// Its key in the input.
    pub key: &'a Value,
    /// Its value.
    pub value: &'a Value,
}

fn name(key: &Value) -> Arc<str> {
    match key {
        Value::Str(name) | Value::Keyword(name) => Arc::clone(name),
        other => to_clojure(other, Limits::ALL).0.into(),
    }
}

/// Appends the section: a line a field. It keeps its samples whatever was printed, for it must not
/// change from turn to turn [NS-012].
pub fn section(out: &mut Content, data: Data<'_>, sample: Limits) {
    if data.data.is_empty() {
        return;
    }
    out.part();
    out.text(Origin::Fixed, ";; === data/ ===");
    for field in data.fields() {
        out.piece_cut(Origin::Data(Arc::clone(&field.name)), |text| {
            text.push('\n');
            let start = text.len();
            let _ = write!(text, "data/{}", field.name);
            pad_graphemes(text, start, NAME_COLUMNS);
            let _ = write!(text, "; {}, ", field.kind);
            let cut = if is_hidden(field.key) {
                text.push_str("[Hidden] [Firewalled]");
                false
            } else {
                text.push_str("sample: ");
                write_value(text, field.value, sample)
            };
            if let Some(description) = data.descriptions.get(&field.name) {
                let _ = write!(text, " -- {description}");
            }
            cut
        });
    }
}
