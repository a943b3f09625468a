//! Type labels, the names of values' kinds in listings [TYP-001..012].

use std::borrow::Cow;

use super::Value;

/// The type label of a value (requirements 3), such as `list[3]` or `integer`.
pub fn type_label(value: &Value) -> Cow<'static, str> {
    let sized = |kind: &str, count: usize| Cow::Owned(format!("{kind}[{count}]"));
    match value {
        Value::Nil => "nil".into(),
        Value::Bool(_) => "boolean".into(),
        Value::Int(_) | Value::BigInt(_) => "integer".into(),
        Value::Float(_) => "float".into(),
        Value::Str(_) | Value::Bytes(_) => "string".into(),
        Value::Keyword(_) => "keyword".into(),
        Value::List(items) => sized("list", items.len()),
        Value::Map(entries) => sized("map", entries.len()),
        Value::Set(items) => sized("set", items.len()),
        Value::Fn(_) => "#fn[...]".into(),
        Value::Date(_) => "date".into(),
        Value::DateTime(_) => "datetime".into(),
        Value::Cut(left) => Cow::Owned(left.label.to_string()),
        Value::Builtin(_) | Value::Var(_) | Value::Tuple(_) => "unknown".into(),
    }
}
