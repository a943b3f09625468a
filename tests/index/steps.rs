//! Step files.

use super::*;

/// A value as Transit writes it.
fn value() -> impl Strategy<Value = Json> {
    prop_oneof![
        text().prop_map(Json::from),
        text().prop_map(|text| json!(format!("~:{}", text.len()))),
        count(),
        (text(), count()).prop_map(|(text, count)| json!({"~:a": text, "b": [count]})),
        text().prop_map(|text| json!({"~#set": [text, 1]})),
        Just(json!({"~#cut": {"note": "List(200 items)", "label": "list[200]"}})),
    ]
}

fn memory() -> impl Strategy<Value = Json> {
    let entries = prop::collection::vec((any_of(&["a", "b", "c"]), value()), 0..4);
    entries.prop_map(|entries| {
        let entries = entries
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        Json::Object(entries.collect())
    })
}

fn turn() -> impl Strategy<Value = Json> {
    let entry = prop_oneof![
        text().prop_map(|text| ("raw_response", json!(text))),
        text().prop_map(|text| ("raw_response", json!(format!("```clojure\n{text}\n```")))),
        text().prop_map(|text| ("program", json!(text))),
        text().prop_map(|text| ("thinking", json!(text))),
        value().prop_map(|value| ("result", value)),
        prop::collection::vec(text(), 0..3).prop_map(|prints| ("prints", json!(prints))),
        (id(), value(), value()).prop_map(|(id, args, result)| (
            "tool_calls",
            json!([{"name": "run", "id": id, "args": {"x": args}, "result": result}])
        )),
        (id(), text()).prop_map(|(id, error)| (
            "unlisted_calls",
            json!([{"name": "run", "id": id, "args": {}, "error": error}])
        )),
        memory().prop_map(|memory| ("memory", memory)),
        memory().prop_map(|memory| ("definitions", memory)),
        text().prop_map(|text| ("definitions", json!({"a": {"doc": text, "order": 2}}))),
        text().prop_map(|text| (
            "messages",
            json!([{"role": "user", "content": text}, {"role": "assistant", "content": text}])
        )),
        text().prop_map(|text| ("input", json!(text))),
        any::<bool>().prop_map(|good| ("success", json!(good))),
        value().prop_map(|error| ("error", error)),
        count().prop_map(|count| ("usage", json!({"input_tokens": count, "output_tokens": 5}))),
        count().prop_map(|count| ("number", count)),
        Just((
            "known",
            json!({"result": "preview", "messages": "cut", "memory": "cut"})
        )),
    ];
    prop::collection::vec(entry, 0..8).prop_map(|entries| {
        let entries = entries
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        Json::Object(entries.collect())
    })
}

// Whatever stands in them is read on the same paths, so a few of them tell much.
proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_a_step(turns in prop::collection::vec(turn(), 1..12), last in memory(), is_older in any::<bool>(), is_pretty in any::<bool>()) {
        let name = if is_older { "trace" } else { "turns" };
        let step = json!({"mission": "Go.", "children": [{"mission": "Help."}], name: turns, "memory": last});
        loads_alike(document(&step, is_pretty), "step")?;
    }
}
