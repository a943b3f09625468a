//! The attributes of an OTLP span (`formats/otlp-genai.md`): tagged unions by dotted names, some of
//! them flattened lists, and what kind of span and which counts they tell.

use std::sync::Arc;

use indexmap::IndexMap;

use super::super::foreign::blocks;
use super::super::{Report, fields};
use super::Kind;
use crate::step::Usage;
use crate::value::{Map, Value};

/// Levels of a flattened key that are rebuilt.
const MAX_PARTS: usize = 12;

/// The attributes of a span, by their dotted names.
#[derive(Debug, Default)]
pub(super) struct Attributes(IndexMap<Arc<str>, Value>);

impl Attributes {
    /// The attributes of a span or an event: a list of names and tagged values, or a map.
    pub(super) fn add(&mut self, record: &Value) {
        if let Some(attributes @ Value::Map(_)) = record.get("attributes") {
            return self.add_nested("", attributes, 0);
        }
        let listed = record.get("attributes").and_then(Value::as_list);
        for attribute in listed.unwrap_or_default() {
            if let (Some(key), Some(value)) =
                (fields::text(attribute, "key"), attribute.get("value"))
            {
                self.0.insert(key, plain(value, 0));
            }
        }
    }

    /// The attributes of a record that has them in `attributes`, or each in a column
    /// `attributes.NAME`; names may be dotted or values nested.
    pub(super) fn add_flat(&mut self, record: &Value) {
        for (name, value) in record
            .as_map()
            .into_iter()
            .flat_map(|entries| entries.iter())
        {
            match name.as_name() {
                Some("attributes") => self.add_nested("", value, 0),
                Some(name) => {
                    if let Some(name) = name.strip_prefix("attributes.") {
                        self.add_nested(name, value, 0);
                    }
                }
                None => {}
            }
        }
    }

    /// A value under a name: what a map holds, each under its own.
    fn add_nested(&mut self, name: &str, value: &Value, depth: usize) {
        match value {
            Value::Map(entries) if depth < MAX_PARTS => {
                for (key, value) in entries.iter() {
                    let Some(key) = key.as_name() else { continue };
                    let dot = if name.is_empty() { "" } else { "." };
                    self.add_nested(&format!("{name}{dot}{key}"), value, depth + 1);
                }
            }
            Value::List(items) => {
                let items = items.iter().map(|item| undotted(item, depth + 1));
                self.0.insert(name.into(), Value::list(items.collect()));
            }
            other => {
                self.0.insert(name.into(), other.clone());
            }
        }
    }

    /// All of them as one map.
    pub(super) fn all(&self) -> Value {
        let all = self.0.iter();
        Value::map(
            all.map(|(name, value)| (Value::Str(Arc::clone(name)), value.clone()))
                .collect(),
        )
    }

    /// The kind of span, told apart from the attributes.
    pub(super) fn set_kind(&mut self, kind: &str) {
        self.0
            .entry("openinference.span.kind".into())
            .or_insert_with(|| Value::string(kind));
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_nil())
    }

    pub(super) fn text(&self, names: &[&str]) -> Option<Arc<str>> {
        names.iter().find_map(|name| match self.get(name)? {
            Value::Str(text) => Some(Arc::clone(text)),
            _ => None,
        })
    }

    /// A value under a name, or what is rebuilt from the keys below it.
    pub(super) fn value(&self, names: &[&str]) -> Value {
        let found = names
            .iter()
            .find_map(|name| self.get(name).cloned().or_else(|| self.nested(name)));
        found.unwrap_or_default()
    }

    /// What was flattened into keys below a name: `a.0.b` is `b` of the first of `a`.
    pub(super) fn nested(&self, name: &str) -> Option<Value> {
        let below = |key: &Arc<str>| -> Option<Vec<String>> {
            let rest = key.strip_prefix(name)?.strip_prefix('.')?;
            Some(rest.splitn(MAX_PARTS, '.').map(str::to_owned).collect())
        };
        let mut entries: Vec<(Vec<String>, &Value)> = Vec::new();
        for (key, value) in &self.0 {
            if let Some(path) = below(key) {
                entries.push((path, value));
            }
        }
        (!entries.is_empty()).then(|| nest(&entries, 0))
    }

    pub(super) fn kind(&self) -> Kind {
        let operation = self.text(&["gen_ai.operation.name"]);
        let kind = self.text(&["openinference.span.kind", "traceloop.span.kind"]);
        match operation.as_deref() {
            Some("chat" | "text_completion" | "generate_content") => return Kind::Llm,
            Some("execute_tool") => return Kind::Tool,
            Some("invoke_agent" | "create_agent") => return Kind::Agent,
            Some("invoke_workflow") => return Kind::Chain,
            Some("embeddings") => return Kind::Other,
            _ => {}
        }
        let ai = self.text(&["ai.operationId"]);
        match (
            kind.as_deref().map(str::to_uppercase).as_deref(),
            ai.as_deref(),
        ) {
            (Some("LLM"), _) => Kind::Llm,
            (Some("TOOL"), _) | (_, Some("ai.toolCall")) => Kind::Tool,
            (Some("AGENT"), _) => Kind::Agent,
            (Some("CHAIN" | "TASK" | "WORKFLOW"), _) => Kind::Chain,
            (_, Some(name)) if name.starts_with("ai.generate") || name.starts_with("ai.stream") => {
                Kind::Llm
            }
            _ => match self.text(&["llm.request.type"]).as_deref() {
                Some("embedding" | "rerank") => Kind::Other,
                Some(_) => Kind::Llm,
                None if self.is_of_model() => Kind::Llm,
                None => Kind::Other,
            },
        }
    }

    /// Whether a span that tells no kind is a model's by what else it tells.
    fn is_of_model(&self) -> bool {
        let has = |name: &str| self.get(name).is_some();
        let is_asked =
            has("gen_ai.request.model") && (has("gen_ai.system") || has("gen_ai.provider.name"));
        self.nested("gen_ai.completion").is_some() || is_asked && !has("gen_ai.agent.name")
    }

    pub(super) fn usage(&self, report: &mut Report) -> Usage {
        let mut count = |names: &[&str]| {
            let name = names.iter().find(|name| self.get(name).is_some())?;
            let mut one = Map::default();
            one.insert(Value::string(*name), self.get(name)?.clone());
            blocks::count(&Value::map(one), &[name], report)
        };
        let usage = Usage {
            input: count(&[
                "gen_ai.usage.input_tokens",
                "gen_ai.usage.prompt_tokens",
                "llm.token_count.prompt",
                "llm.usage.prompt_tokens",
                "ai.usage.inputTokens",
                "ai.usage.promptTokens",
            ]),
            output: count(&[
                "gen_ai.usage.output_tokens",
                "gen_ai.usage.completion_tokens",
                "llm.token_count.completion",
                "llm.usage.completion_tokens",
                "ai.usage.outputTokens",
                "ai.usage.completionTokens",
            ]),
            total: count(&[
                "gen_ai.usage.total_tokens",
                "llm.usage.total_tokens",
                "llm.token_count.total",
                "ai.usage.totalTokens",
            ]),
            cache_read: count(&[
                "gen_ai.usage.cache_read.input_tokens",
                "gen_ai.usage.cache_read_input_tokens",
                "llm.token_count.prompt_details.cache_read",
                "gen_ai.usage.details.cache_read_tokens",
                "ai.usage.cachedInputTokens",
            ]),
            cache_write: count(&[
                "gen_ai.usage.cache_creation.input_tokens",
                "gen_ai.usage.cache_creation_input_tokens",
                "gen_ai.usage.cache_write.input_tokens",
                "llm.token_count.prompt_details.cache_write",
            ]),
        };
        let cached = usage.cache_read.unwrap_or(0);
        let cached = cached.checked_add(usage.cache_write.unwrap_or(0));
        blocks::with_cached_beside(usage, cached)
    }
}

/// Objects whose names are dotted, as nested ones.
fn undotted(value: &Value, depth: usize) -> Value {
    let path = |name: &str| name.splitn(MAX_PARTS, '.').map(str::to_owned).collect();
    match value {
        Value::List(items) if depth < MAX_PARTS => {
            let items = items.iter().map(|item| undotted(item, depth + 1));
            Value::list(items.collect())
        }
        Value::Map(entries) if depth < MAX_PARTS && !entries.is_empty() => {
            let entry = |(name, value): (&Value, &Value)| -> Option<(Vec<String>, Value)> {
                Some((path(name.as_name()?), undotted(value, depth + 1)))
            };
            let entries: Vec<(Vec<String>, Value)> = entries.iter().filter_map(entry).collect();
            let entries: Vec<_> = entries
                .iter()
                .map(|(path, value)| (path.clone(), value))
                .collect();
            nest(&entries, 0)
        }
        other => other.clone(),
    }
}

/// Lists and maps from paths: where all names are numbers, a list in their order.
fn nest(entries: &[(Vec<String>, &Value)], depth: usize) -> Value {
    let mut groups: IndexMap<&str, Vec<(Vec<String>, &Value)>> = IndexMap::new();
    for (path, value) in entries {
        match path.get(depth) {
            Some(name) => groups.entry(name).or_default().push((path.clone(), *value)),
            None => return (*value).clone(),
        }
    }
    let number = |name: &str| name.parse::<u64>().ok();
    if groups.keys().all(|name| number(name).is_some()) {
        groups.sort_by(|one, _, other, _| number(one).cmp(&number(other)));
        return Value::list(
            groups
                .values()
                .map(|group| nest(group, depth + 1))
                .collect(),
        );
    }
    let map: Map = groups
        .iter()
        .map(|(name, group)| (Value::string(*name), nest(group, depth + 1)))
        .collect();
    Value::map(map)
}

/// The value of a tagged union. An integer is a decimal text; one that is too large stays a text.
fn plain(value: &Value, depth: usize) -> Value {
    let Some((tag, inner)) = value.as_map().and_then(|entries| entries.iter().next()) else {
        return value.clone();
    };
    let list = |name: &str| inner.get(name).and_then(Value::as_list).unwrap_or_default();
    match tag.as_name() {
        Some("intValue" | "int_value") => match inner {
            Value::Str(text) => text.parse().map_or_else(|_| inner.clone(), Value::Int),
            other => other.clone(),
        },
        Some("arrayValue" | "array_value") if depth < MAX_PARTS => Value::list(
            list("values")
                .iter()
                .map(|item| plain(item, depth + 1))
                .collect(),
        ),
        Some("kvlistValue" | "kvlist_value") if depth < MAX_PARTS => {
            let entry = |item: &Value| {
                let value = item
                    .get("value")
                    .map_or(Value::Nil, |value| plain(value, depth + 1));
                Some((item.get("key")?.clone(), value))
            };
            let map: Map = list("values").iter().filter_map(entry).collect();
            Value::map(map)
        }
        _ => inner.clone(),
    }
}
