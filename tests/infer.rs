//! What a trace doesn't tell of definitions is taken from running its programs, and only that.

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use turnscope::agent::{Inferred, infer_definitions};
use turnscope::compression::{Case, Run};
use turnscope::load::{self, Source};
use turnscope::step::Step;

fn loaded(json: &str) -> Arc<Step> {
    let loaded = load::load(&Source::from_bytes("text", json.as_bytes().to_vec()), None);
    Arc::clone(&loaded.expect("a step").conversations[0])
}

fn inferred(step: &Step) -> Inferred {
    infer_definitions(step, &AtomicBool::new(false))
}

/// The last prompt, as one text.
fn prompt(step: &Step) -> String {
    let run = Run::new(Arc::new(step.clone()));
    let prompt = run.prompt(step.last_prompt(), &Case::default());
    let messages = prompt.expect("a prompt").messages();
    messages
        .into_iter()
        .map(|(_, text)| text.to_string())
        .collect()
}

/// A trace that tells names and values alone, in the order of the names.
const BARE: &str = r#"{"schema": "ptc-step/1", "mission": "m", "turns": [
    {"number": 1, "success": true, "prints": [], "tool_calls": [], "result": 6,
     "program": "(def zebra 1) (defn twice \"Doubles x\" [x] (* 2 x)) (def apple 2) (twice 3)",
     "memory": {"apple": 2, "twice": {"~#fn": {"params": ["x"]}}, "zebra": 1}},
    {"number": 2, "success": true, "prints": [], "tool_calls": [], "result": "another",
     "program": "(def late 1) (def early 2)",
     "memory": {"apple": 2, "early": 2, "late": 1, "twice": {"~#fn": {"params": ["x"]}}, "zebra": 1}}
]}"#;

#[test]
fn order_docstrings_and_types_are_found() {
    let step = loaded(BARE);
    let told = prompt(&step);
    assert!(told.contains("(twice [x])\napple"), "{told}");
    let found = inferred(&step);
    assert_eq!(
        (found.orders, found.docs, found.returns, found.unknown),
        (1, 1, 1, 1)
    );
    let shown = prompt(&found.step);
    let line = "(twice [x])                   ; \"Doubles x\" -> integer\nzebra";
    assert!(shown.contains(line), "{shown}");
    let place = |name: &str| shown.find(&format!("\n{name} ")).expect("a line");
    assert!(place("zebra") < place("apple"));
    // The second program came out otherwise than recorded, so that its order isn't believed.
    assert!(place("early") < place("late"));
}

#[test]
fn what_the_trace_tells_holds() {
    let json = BARE.replace(
        r#""~#fn": {"params": ["x"]}"#,
        r#""~#fn": {"params": ["x"], "doc": "Told", "returns": "float"}"#,
    );
    let json = json.replacen(
        r#""number": 1,"#,
        r#""number": 1, "definitions": {"apple": {"order": 0}, "zebra": {"order": 1}},"#,
        1,
    );
    let step = loaded(&json);
    let found = inferred(&step);
    assert_eq!((found.orders, found.docs, found.returns), (0, 0, 0));
    assert_eq!(prompt(&found.step), prompt(&step));
}

#[test]
fn nothing_else_of_a_step_changes() {
    let folder = std::fs::read_dir(common::fixtures().join("step")).expect("a folder");
    for entry in folder {
        let loaded = load::open(&entry.expect("an entry").path(), None).expect("a sample");
        let step = &loaded.conversations[0];
        let found = inferred(step).step;
        for (was, is) in step.turns().iter().zip(found.turns()) {
            let parts = |turn: &turnscope::step::Turn| {
                let memory = turn.memory().get();
                let names = memory.map(|memory| memory.keys().cloned().collect::<Vec<_>>());
                (
                    turn.result().clone(),
                    turn.outcome(),
                    turn.messages().clone(),
                    names,
                )
            };
            assert_eq!(parts(was), parts(is));
        }
    }
}
