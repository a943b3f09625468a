//! What holds of every value: it is read as it was written, printed without surprise, and no nesting
//! is too deep to survive.

mod common;

use common::arbitrary::{limits, value};
use proptest::prelude::*;
use turnscope::value::{
    Value, json, json::Plain, to_clojure, transit, transit::Transit, type_label,
};

/// Any JSON, as serde_json knows it.
fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        (-1e300..1e300).prop_map(|number: f64| number.into()),
        "[~^a-zé:# ]{0,6}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 30, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            proptest::collection::btree_map("[~^a-z:#]{0,4}", inner, 0..5)
                .prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(value in value()) {
        let text = serde_json::to_string(&Transit(&value)).expect("every value has a form");
        let read = transit::parse(text.as_bytes()).expect("JSON");
        prop_assert_eq!(read.value, value, "{}", text);
        prop_assert_eq!(read.too_deep, 0);
    }

    #[test]
    fn plain_json_reads_as_itself(document in any_json()) {
        let text = document.to_string();
        let read = json::parse(text.as_bytes()).expect("JSON").value;
        let written = serde_json::to_value(Plain(&read)).expect("every value has a plain form");
        prop_assert_eq!(&written, &document);
        // Step files say the same, where nothing begins as one of their forms.
        if !text.contains("\"~") {
            prop_assert_eq!(transit::parse(text.as_bytes()).expect("JSON").value, read);
        }
    }

    #[test]
    fn integers_of_any_size_stay_exact(digits in "-?[1-9][0-9]{0,80}") {
        for read in [json::parse(digits.as_bytes()), transit::parse(digits.as_bytes())] {
            let value = read.expect("JSON").value;
            prop_assert_eq!(to_clojure(&value, turnscope::value::Limits::ALL).0, digits.clone());
            prop_assert_eq!(serde_json::to_string(&Plain(&value)).expect("JSON"), digits.clone());
        }
    }

    #[test]
    fn any_value_prints_always_the_same(value in value(), limits in limits()) {
        prop_assert_eq!(to_clojure(&value, limits), to_clojure(&value.clone(), limits));
prop_assert_eq!(type_label(&value), type_label(&value.clone()));
    }

    /// Sorting by an order that contradicts itself may panic.
    #[test]
    fn values_have_one_order(a in value(), b in value(), c in value()) {
        prop_assert_eq!(a.compare(&b), b.compare(&a).reverse());
        prop_assert!(a.compare(&a).is_eq());
        let mut three = [&a, &b, &c];
        three.sort_by(|a, b| a.compare(b));
        prop_assert!(three[0].compare(three[2]).is_le());
        if a.compare(&b).is_eq() {
            prop_assert_eq!(a.compare(&c), b.compare(&c));
        }
    }
}

fn nested(levels: usize, open: &str, close: &str) -> String {
    format!("{}1{}", open.repeat(levels), close.repeat(levels))
}

const NESTINGS: [(&str, &str); 5] = [
    ("[", "]"),
    ("{\"a\":", "}"),
    ("{\"~#set\":[", "]}"),
    ("{\"~#tuple\":[{\"~#cmap\":[1,", "]}]}"),
    // What serde_json hands over for a number looks like this.
    ("{\"$serde_json::private::Number\":", "}"),
];

#[test]
fn nesting_without_end_is_survived() {
    for (open, close) in NESTINGS {
        let text = nested(100_000, open, close);
        for parse in [json::parse, transit::parse] {
            let read = parse(text.as_bytes()).expect("JSON");
            assert_eq!(read.too_deep, 1);
            let (printed, _) = to_clojure(&read.value, turnscope::value::Limits::ALL);
            assert!(printed.contains(json::TOO_DEEP), "{printed:.200}");
            // Dropping it must not recurse too deep either.
            drop(read);
            assert!(parse(open.repeat(10_000).as_bytes()).is_err());
        }
    }
}

#[test]
fn two_hundred_levels_are_read() {
    for (open, close) in &NESTINGS[..2] {
        for parse in [json::parse, transit::parse] {
            let read = parse(nested(200, open, close).as_bytes()).expect("JSON");
            assert_eq!(read.too_deep, 0);
            let (printed, _) = to_clojure(&read.value, turnscope::value::Limits::ALL);
            assert_eq!(printed.matches(['[', '{']).count(), 200);
        }
    }
}

#[test]
fn the_name_of_a_number_is_a_name_like_any() {
    for parse in [json::parse, transit::parse] {
        let text = br#"{"$serde_json::private::Number": "12"}"#;
        let read = parse(text).expect("JSON").value;
        assert_eq!(
            read.get("$serde_json::private::Number"),
            Some(&Value::string("12"))
        );
    }
}

#[test]
fn an_integer_of_a_million_digits_is_its_text() {
    let digits = "7".repeat(1_000_000);
    for text in [digits.clone(), format!("-{digits}")] {
        let read = json::parse(text.as_bytes()).expect("JSON");
        assert!(
            read.value == Value::string(text.as_str()),
            "it is kept whole"
        );
    }
    let read = transit::parse(format!("\"~n{digits}\"").as_bytes()).expect("JSON");
    assert!(
        read.value == Value::string(format!("~n{digits}")),
        "it is kept whole"
    );
    let large = "7".repeat(9_000);
    let read = json::parse(large.as_bytes()).expect("JSON");
    assert_eq!(
        to_clojure(&read.value, turnscope::value::Limits::NONE).0,
        large
    );
    let float = json::parse(format!("0.{digits}").as_bytes()).expect("JSON");
    assert_eq!(float.value, Value::Float(0.777_777_777_777_777_8));
}
