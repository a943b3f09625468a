//! Spans as Jaeger and Zipkin hand them out (`formats/otlp-genai.md`), made the spans of OTLP that they
//! were, by OpenTelemetry's "Transformation to non-OTLP Formats" and its pages on either.

use super::super::fields;
use crate::value::{Map, Value, json};

/// The spans in a record of Jaeger's (a list of traces in `data`, or a trace), or the one that a record
/// of Zipkin's is; none in any other.
pub(super) fn spans(record: &Value) -> Option<Vec<Value>> {
    if is_of_zipkin(record) {
        return Some(vec![of_zipkin(record)]);
    }
    let traces = super::listed(record, "data").iter();
    let listed = traces.filter_map(|trace| trace.get("spans")?.as_list());
    let spans: Vec<&Value> = listed.flatten().collect();
    let is_one = spans.iter().any(|span| is_of_jaeger(span));
    is_one.then(|| spans.into_iter().map(of_jaeger).collect())
}

/// Whether a record holds such spans.
pub(super) fn is_one(record: &Value) -> bool {
    let mut traces = super::listed(record, "data").iter();
    let holds = |trace: &Value| {
        let spans = trace.get("spans").and_then(Value::as_list);
        spans.is_some_and(|spans| spans.iter().any(is_of_jaeger))
    };
    is_of_zipkin(record) || traces.any(holds)
}

fn is_of_jaeger(span: &Value) -> bool {
    let names = ["traceID", "spanID", "operationName"];
    names.iter().all(|name| fields::text(span, name).is_some())
}

fn is_of_zipkin(span: &Value) -> bool {
    let has = |name: &str| span.get(name).is_some();
    fields::text(span, "traceId").is_some()
        && fields::text(span, "id").is_some()
        && has("timestamp")
        && (has("tags") || has("localEndpoint"))
        && !has("type")
}

fn named(entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let entries = entries.into_iter();
    let entries = entries.filter(|(_, value)| !value.is_nil());
    Value::map(
        entries
            .map(|(name, value)| (Value::string(name), value))
            .collect(),
    )
}

fn of(record: &Value, name: &str) -> Value {
    record.get(name).cloned().unwrap_or_default()
}

/// Nanoseconds of a start and a length in microseconds.
fn times(start: &Value, length: &Value) -> (Value, Value) {
    let nanoseconds = |microseconds: Option<i64>| microseconds?.checked_mul(1000).map(Value::Int);
    let start = start.as_i64();
    let end = start.and_then(|start| start.checked_add(length.as_i64()?));
    let (start, end) = (nanoseconds(start), nanoseconds(end));
    (start.unwrap_or_default(), end.unwrap_or_default())
}

/// The status, which is written as attributes.
fn status(attributes: &Value) -> Value {
    let text = |name: &str| fields::text(attributes, name).filter(|text| !text.is_empty());
    let is_error = match attributes.get("error") {
        Some(Value::Bool(is_error)) => *is_error,
        Some(Value::Str(text)) => &**text != "false",
        _ => text("otel.status_code").as_deref() == Some("ERROR"),
    };
    let why = text("otel.status_description");
    let why = why.or_else(|| text("error").filter(|text| &**text != "true"));
    if !is_error {
        return Value::Nil;
    }
    named([
        ("code", Value::Int(2)),
        ("message", why.map(Value::Str).unwrap_or_default()),
    ])
}

fn of_jaeger(span: &Value) -> Value {
    if span.as_map().is_none() {
        return span.clone();
    }
    let attributes = tags(span.get("tags"));
    let (start, end) = times(&of(span, "startTime"), &of(span, "duration"));
    let references = span.get("references").and_then(Value::as_list);
    let mut parents = references.unwrap_or_default().iter();
    let parent = parents.find(|one| {
        let is_parent = one.get("refType").and_then(Value::as_str) == Some("CHILD_OF");
        is_parent && one.get("traceID") == span.get("traceID")
    });
    let parent = parent.map(|parent| of(parent, "spanID"));
    let logs = span.get("logs").and_then(Value::as_list);
    let events = logs.unwrap_or_default().iter().map(|log| {
        let attributes = tags(log.get("fields"));
        named([
            ("name", of(&attributes, "event")),
            ("attributes", attributes),
        ])
    });
    named([
        ("traceId", of(span, "traceID")),
        ("spanId", of(span, "spanID")),
        (
            "parentSpanId",
            parent.unwrap_or_else(|| of(span, "parentSpanID")),
        ),
        ("name", of(span, "operationName")),
        ("startTimeUnixNano", start),
        ("endTimeUnixNano", end),
        ("status", status(&attributes)),
        ("events", Value::list(events.collect())),
        ("attributes", attributes),
    ])
}

/// A list of `{key, value}` as a map.
fn tags(listed: Option<&Value>) -> Value {
    let listed = listed.and_then(Value::as_list).unwrap_or_default();
    let tag = |tag: &Value| Some((tag.get("key")?.clone(), tag.get("value")?.clone()));
    Value::map(listed.iter().filter_map(tag).collect())
}

fn of_zipkin(span: &Value) -> Value {
    let attributes = of(span, "tags");
    let (start, end) = times(&of(span, "timestamp"), &of(span, "duration"));
    let annotations = span.get("annotations").and_then(Value::as_list);
    let events = annotations.unwrap_or_default().iter();
    let events = events.filter_map(|annotation| Some(event(annotation.get("value")?.as_str()?)));
    named([
        ("traceId", of(span, "traceId")),
        ("spanId", of(span, "id")),
        ("parentSpanId", of(span, "parentId")),
        ("name", of(span, "name")),
        ("startTimeUnixNano", start),
        ("endTimeUnixNano", end),
        ("status", status(&attributes)),
        ("events", Value::list(events.collect())),
        ("attributes", attributes),
    ])
}

/// An event in an annotation: its name, or `"name": {attributes}`.
fn event(text: &str) -> Value {
    let whole = format!("{{{text}}}");
    let read = json::parse(whole.as_bytes()).ok();
    let entries = read.as_ref().and_then(|read| read.value.as_map());
    let (name, attributes) = match entries.and_then(|entries: &Map| entries.iter().next()) {
        Some((name, attributes)) => (name.clone(), attributes.clone()),
        None => (Value::string(text), Value::Nil),
    };
    named([("name", name), ("attributes", attributes)])
}
