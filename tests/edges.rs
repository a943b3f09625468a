//! What builtins give at their edges: nothing, too few, too many, the wrong kind. Where the reference
//! differs from Clojure, it is the reference that is followed.

use turnscope::lisp::{Ended, NoTools, Session, plain};
use turnscope::value::{Limits, Map, to_clojure};

/// The value as a program writes it, or the reason of the error.
fn given(program: &str) -> String {
    let evaluated = Session::default().evaluate(program, &Map::default(), &mut NoTools);
    let value = match evaluated.ended {
        Ended::Error(error) => return error.reason.to_owned(),
        Ended::Value(value) | Ended::Return(value) | Ended::Fail(value) => value,
    };
    let printed = evaluated.prints.iter().map(|print| format!("{print} | "));
    printed.collect::<String>() + &to_clojure(&plain(&value), Limits::NONE).0
}

fn all(cases: &[(&str, &str)]) {
    let wrong = cases.iter().filter_map(|(program, wanted)| {
        let given = given(program);
        (given != *wanted).then(|| format!("{program}\n  wanted {wanted}, got {given}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ends_of_lists() {
    all(&[
        ("(last [])", "nil"),
        ("(last nil)", "type_error"),
        ("(butlast [1 2 3])", "[1 2]"),
        ("(butlast nil)", "[]"),
        ("(ffirst nil)", "type_error"),
        ("(nfirst [[1]])", "nil"),
        ("(nnext [1 2])", "nil"),
        ("(take -1 [1 2 3])", "[3]"),
        ("(drop -1 [1 2 3])", "[1 2]"),
        ("(take 9 [1])", "[1]"),
        ("(take-last 0 nil)", "[]"),
        ("(take-last 2 nil)", "[]"),
        ("(drop-last nil)", "[]"),
        ("(drop-last -1 [1 2])", "[1 2]"),
        ("(split-at -1 [1 2])", "[[] [1 2]]"),
        ("(split-at 1 nil)", "[[] []]"),
        ("(subvec [1 2 3] -5 99)", "[1 2 3]"),
        ("(subvec \"abc\" 1)", "type_error"),
        ("(partition-all 3 1 [1 2 3 4])", "[[1 2 3] [2 3 4] [3 4]]"),
        ("(partition 3 3 [:a :b] [1 2 3 4])", "[[1 2 3] [4 :a :b]]"),
        ("(partition 0 [1])", "type_error"),
        ("(peek \"ab\")", "type_error"),
        ("(pop [])", "nil"),
        ("(empty 5)", "type_error"),
        ("(flatten nil)", "type_error"),
        ("(dedupe nil)", "[]"),
        ("(interpose 0 nil)", "[]"),
        ("(interpose 0 \"ab\")", "type_error"),
        ("(interleave [1] [2] [3])", "arity_error"),
        ("(zip nil [1])", "type_error"),
        ("(conj {:a 1} {:b 2})", "type_error"),
        ("(concat [1] nil #{2})", "[1 2]"),
        ("(concat [1] 5)", "runtime_error"),
        ("(frequencies nil)", "type_error"),
        ("(frequencies \"aab\")", "{\"a\" 2 \"b\" 1}"),
    ]);
}

#[test]
fn functions_over_items() {
    all(&[
        ("(map + [1 2] [10])", "[11]"),
        ("(map + nil [10])", "[]"),
        ("(map + #{1} [10])", "type_error"),
        ("(map vector [1] [2] [3] [4])", "arity_error"),
        ("(mapcat :tags [{:tags [1 2]} {:tags 3} {}])", "[1 2 3]"),
        ("(mapcat identity [nil])", "runtime_error"),
        ("(map inc [\"a\"])", "runtime_error"),
        ("(filter inc [\"a\"])", "arithmetic_error"),
        ("(map (fn [x] (inc x)) [\"a\"])", "type_error"),
        ("(map (fn [x y] x) [1])", "runtime_error"),
        ("(filter (fn [x y] x) [1])", "arity_error"),
        ("(reduce (fn [& xs] xs) 0 [1])", "runtime_error"),
        ("(map (fn [& xs] xs) [1])", "[[1]]"),
        ("(reduce-kv (fn [a k v] (+ a v)) 0 nil)", "0"),
        ("(reduce-kv (fn [a k v] a) 0 [[1 2]])", "type_error"),
        ("(group-by identity \"ab\")", "type_error"),
        ("(group-by identity nil)", "{}"),
        ("(sum [\"a\"])", "arithmetic_error"),
        ("(sum #{1})", "type_error"),
        ("(avg nil)", "nil"),
        ("(apply + nil)", "type_error"),
        ("((fnil + 1) nil 2)", "3"),
        ("(sort > [1 1.5])", "[1.5 1]"),
    ]);
}

#[test]
fn patterns_and_branches() {
    all(&[
        ("(let [{a :a :or {a 5}} {}] a)", "5"),
        ("(let [{:keys [a] :or {a 5}} {:a nil}] a)", "nil"),
        ("(let [{:as m} {:a 1}] m)", "unsupported_pattern"),
        ("(let [{:keys 5} {}] 1)", "invalid_form"),
        ("(let [{:keys [5]} {}] 1)", "invalid_form"),
        ("(let [{:keys [a] :or {:a 5}} {}] a)", "invalid_form"),
        ("(let [{:keys [a] :or {a (inc 1)}} {}] a)", "invalid_form"),
        ("(let [{x 1} {1 2}] x)", "invalid_form"),
        ("(let [[a &] [1]] a)", "invalid_form"),
        ("(fn [& a b] a)", "invalid_form"),
        ("(if-let [[a] [1]] a 0)", "invalid_form"),
        ("(when-some [{:keys [a]} {:a 1}] a)", "invalid_form"),
        ("(case)", "invalid_form"),
        ("(case [1] [1] :a :b)", "invalid_form"),
        ("(case 1 () :a :b)", "invalid_form"),
        ("(condp = 1)", "invalid_form"),
        ("(condp = 1 :none)", "invalid_form"),
        ("((where :a in [nil]) {})", "false"),
        ("((where :a includes :b) {:a \"abc\"})", "false"),
    ]);
}

#[test]
fn maps_and_paths() {
    all(&[
        ("(get 5 :a)", "type_error"),
        ("(get #{1} 1 :none)", ":none"),
        ("(get-in nil [:a])", "type_error"),
        ("(get-in {:a nil} [:a] 5)", "5"),
        ("(update nil :a identity)", "type_error"),
        ("(update [1 2] 1 inc)", "[1 3]"),
        ("(update [1] 1 identity)", "runtime_error"),
        ("(update {:a 1} :a (fn [x y] x))", "arity_error"),
        ("(assoc-in nil [:a :b] 1)", "{:a {:b 1}}"),
        (
            "(assoc-in {\"a\" {\"b\" 1}} [:a :c] 2)",
            "{:a {:c 2 \"b\" 1} \"a\" {\"b\" 1}}",
        ),
        ("(assoc-in {:a 5} [:a :b] 1)", "runtime_error"),
        ("(assoc-in {:a [1]} [:a 1] 2)", "{:a [1 2]}"),
        ("(update-in {\"n\" 1} [:n] inc)", "{:n 2 \"n\" 1}"),
        ("(update-in {:a [1]} [:a 1] inc)", "runtime_error"),
        ("(merge-with + {:a 1} nil {:a 2})", "{:a 3}"),
        ("(disj nil 1)", "nil"),
        ("(keyword nil)", "nil"),
        ("(keyword \"9a\")", "runtime_error"),
        ("(keyword 5)", "type_error"),
        ("(name nil)", "runtime_error"),
    ]);
}

#[test]
fn numbers() {
    all(&[
        ("(-)", "0"),
        ("(max 1 Double/NaN)", "##NaN"),
        ("(compare 1 Double/NaN)", "type_error"),
        ("(floor Double/POSITIVE_INFINITY)", "##Inf"),
        ("(floor \"a\")", "runtime_error"),
        ("(double nil)", "runtime_error"),
        ("(sqrt \"4\")", "runtime_error"),
        ("(mod \"5\" 3)", "arithmetic_error"),
        ("(mod 5 Double/POSITIVE_INFINITY)", "##NaN"),
        ("(rem 5.5 2)", "1.5"),
        ("(quot 7.5 2)", "3"),
        ("(pow -1 0.5)", "arithmetic_error"),
        ("(pow Double/NaN 0)", "1.0"),
        ("(parse-double \"5.\")", "nil"),
        ("(parse-double \".5\")", "nil"),
        ("(parse-double \"1e3\")", "1000.0"),
        ("(parse-double \"-Infinity\")", "##-Inf"),
    ]);
}

#[test]
fn texts() {
    all(&[
        ("(split-lines \"a\\n\\nb\\r\\n\\n\")", "[\"a\" \"\" \"b\"]"),
        ("(last-index-of \"hello\" \"l\" 2)", "2"),
        ("(last-index-of \"aaa\" \"aa\")", "1"),
        ("(last-index-of \"héllo\" \"\")", "5"),
        ("(index-of \"héllo\" \"l\" 9)", "nil"),
        ("(join {:a 1})", "type_error"),
        (
            "(str Double/NaN Double/NEGATIVE_INFINITY)",
            "\"NaN-Infinity\"",
        ),
        ("(replace \"a1\" #\"\\d\" \"<&>\")", "\"a<1>\""),
        (
            "(replace \"a1\" #\"([a-z])(\\d)\" \"\\\\2\\\\1\")",
            "\"1a\"",
        ),
        ("(replace \"a1\" #\"\\d\" \"\\\\&$1\")", "\"a&$1\""),
        (
            "(format \"%d %e %.1f\" 3.0 1234.5 2)",
            "\"3 1.234500e+03 2.0\"",
        ),
        ("(format \"%f\" Double/NaN)", "\"NaN\""),
        ("(format \"%d\" 1.5)", "runtime_error"),
        ("(println (take 2 \"abc\") [])", "ab [] | nil"),
        ("(extract-int \"n=(\\\\S+)\" \"n=x\" 1 7)", "7"),
    ]);
}

#[test]
fn dates() {
    let time = |date: &str| format!("(.getTime (java.util.Date. {date}))");
    let day = "1767882600000";
    let cases = [
        ("\"2026-01-08T14:30:00Z\"", day),
        ("\"2026-01-08 16:30:00+02:00\"", day),
        ("\"2026-01-08T16:30:00+0200\"", day),
        ("\"2026-01-08T14:30:00\"", "type_error"),
        ("\"Thu, 8 Jan 2026 14:30:00 +0200\"", day),
        ("\"8 Jan 2026 14:30:00\"", day),
        ("\"8 Foo 2026 14:30:00\"", "type_error"),
        ("200000000000", "200000000000000"),
        ("1767882600000", day),
    ];
    for (date, wanted) in cases {
        assert_eq!(given(&time(date)), wanted, "{date}");
    }
    let date = "(.getTime (LocalDate/parse \"2026-01-08\"))";
    assert_eq!(given(date), "type_error");
}
