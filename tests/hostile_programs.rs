//! Programs that want too much end within their budget, with an error, and without a panic.

mod common;

use std::time::{Duration, Instant};

use proptest::prelude::*;
use turnscope::lisp::{Ended, LispError, NoTools, Session};
use turnscope::value::{Map, Value};

fn run(program: &str) -> Ended {
    let mut session = Session::default();
    session.run(program, &Map::default(), &mut NoTools).ended
}

/// The error of a program, which must come soon even without optimisation on a busy machine.
fn error(program: &str) -> LispError {
    let started = Instant::now();
    let ended = run(program);
    let took = started.elapsed();
    assert!(took < Duration::from_secs(20), "{program:.60}: {took:?}");
    match ended {
        Ended::Error(error) => error,
        other => panic!("{program:.60} ended with {}", format!("{other:.60?}").len()),
    }
}

#[test]
fn endless_loops_end() {
    assert_eq!(error("(loop [] (recur))").reason, "loop_limit_exceeded");
    assert_eq!(
        error("((fn [x] (recur x)) 1)").reason,
        "loop_limit_exceeded"
    );
    let nested = "(loop [i 0] (if (< i 999) (do (loop [j 0] (if (< j 999) \
                  (recur (inc j)) j)) (recur (inc i))) i))";
    assert_eq!(error(nested).reason, "out_of_budget");
}

#[test]
fn deep_recursion_ends() {
    for program in [
        "(defn f [n] (+ 1 (f n))) (f 1)",
        "(defn f [n] (first (map f [n]))) (f 1)",
        "(defn f [n] ((comp f inc) n)) (f 1)",
        "(defn f [n] (let [[a] [(f n)]] a)) (f 1)",
        "(defn f [n] (for [x [1]] (f x))) (f 1)",
        "(defn f [n] (apply f [n])) (f 1)",
        "(def f [1]) (defn g [n] (#'g n)) (g 1)",
        "(defn f [n] (sort-by f [1 2])) (f 1)",
        "(defn f [n] (postwalk f [n])) (f 1)",
        "(defn f [n] (pmap f [n])) (f 1)",
        "(defn f [n] (update {:a 1} :a f)) (f 1)",
        "(def g (juxt #'g #'g)) (g 1)",
    ] {
        assert_eq!(error(program).reason, "out_of_budget", "{program}");
    }
}

#[test]
fn large_values_end() {
    for program in [
        "(range 1000000000000)",
        "(count (range 0 1 0.0000000001))",
        "(reduce (fn [a _] (str a a)) \"x\" (range 100))",
        "(reduce (fn [a _] [a a]) [] (range 100))",
        "(println (reduce (fn [a _] [a a]) [] (range 60)))",
        "(= (reduce (fn [a _] [a a]) [] (range 60)) (reduce (fn [a _] [a a]) [] (range 60)))",
        "#{(reduce (fn [a _] [a a]) [] (range 60))}",
        "(sort [(reduce (fn [a _] [a a]) [] (range 60)) (reduce (fn [a _] [a a]) [] (range 60))])",
        "(flatten (reduce (fn [a _] [a a]) [] (range 60)))",
        "(reduce (fn [a _] [a]) [] (range 100000))",
        "(def x (reduce (fn [a _] {:a a}) {} (range 100000))) 1",
        "(reduce (fn [f _] (fn [] f)) nil (range 100000))",
        "(reduce (fn [f _] (comp f inc)) inc (range 100000))",
        "(reduce (fn [a _] (* a a)) 3 (range 100))",
        "(reduce * (range 1 100000))",
        "(combinations (range 60) 30)",
        "(join (reduce (fn [a _] (str a a)) \"ab\" (range 20)) (range 1000))",
        "(replace (reduce (fn [a _] (str a a)) \"a\" (range 20)) \"\" \
         (reduce (fn [a _] (str a a)) \"a\" (range 20)))",
    ] {
        assert_eq!(error(program).reason, "out_of_budget", "{program}");
    }
}

#[test]
fn patterns_are_linear() {
    let text = "(reduce (fn [a _] (str a a)) \"a\" (range 15))";
    let started = Instant::now();
    run(&format!(
        "(re-matches (re-pattern \"(a*)*(a|b)*c\") {text})"
    ));
    run(&format!("(re-seq (re-pattern \"(a?)\") {text})"));
    assert!(started.elapsed() < Duration::from_secs(20));
    let bomb = format!("(re-pattern \"{}\")", "(a{1,200}){1,200}{1,200}");
    assert_eq!(error(&bomb).reason, "runtime_error");
}

#[test]
fn nested_brackets_end() {
    for open in ["(", "[", "{", "#{", "#(", "[{", "(fn [x] ", "(-> "] {
        assert_eq!(error(&open.repeat(100_000)).reason, "parse_error", "{open}");
    }
    let steps = format!("(-> 1 {})", "inc ".repeat(100_000));
    assert_eq!(error(&steps).reason, "parse_error");
    let steps = format!("(some-> 1 {})", "inc ".repeat(100_000));
    assert_eq!(error(&steps).reason, "parse_error");
    let cases = format!("(cond {})", "false 1 ".repeat(100_000));
    assert_eq!(error(&cases).reason, "parse_error");
    error(&"-> ".repeat(100_000));
}

#[test]
fn the_clock_ends_a_program() {
    let mut session = Session::default();
    session.limits.steps = u64::MAX;
    session.limits.time = Duration::from_millis(50);
    let program = "(defn f [n] (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (f 60)";
    let Ended::Error(error) = session.run(program, &Map::default(), &mut NoTools).ended else {
        panic!("it can't end");
    };
    assert_eq!(error.reason, "timeout");
}

#[test]
fn errors_say_where_and_what_to_do() {
    let said = |program: &str| error(program).to_string();
    assert_eq!(
        said("(def a 1)\n(let [b (frist a)] b)"),
        "line 2, column 10: Undefined variable: frist; did you mean first?"
    );
    assert_eq!(
        said("(foo [1 2)"),
        "line 1, column 10: ')' closes a bracket that needs ']', opened in line 1, column 6; write ']'"
    );
    assert_eq!(
        said("(println (nth [1]))"),
        "line 1, column 10: nth takes 2 values, 1 given; \
         The item of an index from 0; below 0, from the end."
    );
    assert!(said("(range 1000000000000)").contains("memory cells"));
}

/// Pieces that programs are made of.
fn piece() -> impl Strategy<Value = String> {
    let words: Vec<String> = turnscope::lisp::docs()
        .iter()
        .map(|doc| doc.name.to_owned())
        .chain(
            "( ) [ ] { } #{ #( ( ( [ ) ) ] } let fn loop recur def defn if when cond case for doseq \
             -> ->> some-> as-> cond-> where return fail and or do pmap tool/x data/y :when :let \
             :keys :as :or & % %1 *1 nil true 1 2.5 -3 0 \"ab\" \\a #\"a+\" #'x x y f [x y] [1 2] \
             {:a 1} #{1} :a 1e308 99999999999999999999 \"\" ; ' ` ~ @ ^ . / .length"
                .split(' ')
                .map(str::to_owned),
        )
        .collect();
    prop_oneof![
        9 => proptest::sample::select(words),
        1 => any::<char>().prop_map(|c| c.to_string()),
    ]
}

/// A program with its brackets closed, so that more than the reader is tried.
fn program() -> impl Strategy<Value = String> {
    let leaf = piece();
    leaf.prop_recursive(5, 60, 6, |inner| {
        let call = proptest::collection::vec(inner, 0..6).prop_map(|parts| parts.join(" "));
        (call, "[(\\[{]").prop_map(|(parts, open)| match open.as_str() {
            "(" => format!("({parts})"),
            "[" => format!("[{parts}]"),
            _ => format!("{{{parts}}}"),
        })
    })
}

fn survives(program: &str) {
    let mut session = Session::default();
    session.limits.steps = 20_000;
    session.limits.cells = 200_000;
    let ended = session.run(program, &Map::default(), &mut NoTools).ended;
    if let Ended::Error(error) = ended {
        assert_ne!(error.reason, "internal_error", "{program}");
    }
}

/// The programs of the golden cases.
fn golden_programs() -> &'static [String] {
    static PROGRAMS: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let cases = common::golden("eval.json");
        let program = |case: &Value| case.get("program")?.as_str().map(str::to_owned);
        cases.iter().filter_map(program).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_text_never_panics(text in any::<String>()) {
        survives(&text);
    }

    #[test]
    fn random_pieces_never_panic(pieces in proptest::collection::vec(piece(), 0..30)) {
        survives(&pieces.join(" "));
    }

    #[test]
    fn random_programs_never_panic(program in program()) {
        survives(&program);
    }

    #[test]
    fn mutated_programs_never_panic(at in any::<prop::sample::Index>(), place in any::<prop::sample::Index>(), with in piece()) {
        let programs = golden_programs();
        let program = &programs[at.index(programs.len())];
        let cut: Vec<(usize, char)> = program.char_indices().collect();
        if !cut.is_empty() {
            let (from, c) = cut[place.index(cut.len())];
            survives(&format!("{}{with}{}", &program[..from], &program[from + c.len_utf8()..]));
        }
    }
}
