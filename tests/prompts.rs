//! Whole prompts (`tests/fixtures/golden/prompts.json`, `analysis.json`), byte for byte, and what
//! strategies report of them.

mod common;

use common::{
    check_cases, count, expected_messages, golden, prompt, same, same_messages, sample, text,
};
use turnscope::compression::{Case, Shown, strategy};
use turnscope::tokens;
use turnscope::value::Value;

#[test]
fn prompts_come_out_byte_for_byte() {
    let cases = golden("prompts.json");
    check_cases("prompts.json", &cases, 120, |case| {
        let run = sample(text(case, "file").expect("a file"));
        let expected = expected_messages(case.get("messages").expect("messages"));
        same_messages(&prompt(&run, case), &expected).map_err(|why| {
            let strategy = text(case, "strategy");
            let (turn, options) = (count(case, "turn"), case.get("options"));
            format!(
                "{:?} {strategy:?} {turn:?} {options:?}: {why}",
                text(case, "file")
            )
        })
    });
}

/// The cases of `analysis.json` of a kind whose strategy there is.
fn analysis(kind: &str) -> Vec<Value> {
    let mut cases = golden("analysis.json");
    cases.retain(|case| {
        let query = case.get("query").expect("a query");
        let known = |name| strategy(name).is_ok();
        text(query, "kind") == Some(kind) && text(query, "strategy").is_none_or(known)
    });
    cases
}

fn parts(case: &Value) -> (&str, &Value, &Value) {
    let part = |name| case.get(name).expect("a part of the case");
    (
        text(case, "file").expect("a file"),
        part("query"),
        part("expected"),
    )
}

/// Grows by itself as strategies are added.
#[test]
fn analysed_prompts_come_out_byte_for_byte() {
    check_cases("analysis.json", &analysis("prompt"), 0, |case| {
        let (file, query, expected) = parts(case);
        same_messages(&prompt(&sample(file), query), &expected_messages(expected))
            .map_err(|why| format!("{file} {query:?}: {why}"))
    });
}

#[test]
fn strategies_report_what_they_show() {
    let cases = analysis("compare");
    check_cases("analysis.json", &cases, 4, |case| {
        let (file, _, expected) = parts(case);
        let run = sample(file);
        let last = u32::try_from(run.step().turns().len()).expect("few turns");
        let rows = expected.get("rows").and_then(Value::as_list).expect("rows");
        let mut checked = 0;
        for row in rows {
            let Ok(strategy) = strategy(text(row, "strategy").expect("a name")) else {
                continue;
            };
            let prompt = run.prompt(last, &Case::new(strategy)).expect("a prompt");
            let stats = &prompt.stats;
            let shown =
                |shown: Shown| Value::list(vec![number(shown.shown), number(shown.dropped())]);
            let got = [
                Some(number(prompt.len())),
                Some(shown(stats.calls)),
                Some(shown(stats.prints)),
                Some(number(stats.errors_collapsed)),
            ];
            let names = ["messages", "calls", "prints", "errors_collapsed"];
            let expected = names.map(|name| row.get(name).cloned());
            same(&got, &expected).map_err(|why| format!("{file} {} {why}", strategy.name()))?;
            checked += 1;
        }
        assert!(checked >= 5, "{file} has rows of {checked} strategies only");
        Ok(())
    });
}

fn number(count: usize) -> Value {
    Value::Int(i64::try_from(count).expect("a small number"))
}

#[test]
fn estimated_tokens_add_up() {
    let mut cases = [analysis("tokens"), analysis("cache")].concat();
    cases.retain(|case| text(parts(case).1, "tokenizer") == Some("estimate"));
    check_cases("analysis.json", &cases, 1, |case| {
        let (file, query, expected) = parts(case);
        let messages = prompt(&sample(file), query);
        let tokens = messages
            .iter()
            .map(|(_, content)| tokens::estimate(content));
        let total = expected.get("total").or_else(|| expected.get("prompt"));
        same(&Some(&number(tokens.sum())), &total).map_err(|why| format!("{file} {query:?} {why}"))
    });
}
