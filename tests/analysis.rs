//! What strategies cost, keep and lose (`tests/fixtures/golden/analysis.json`), every case a test.

mod common;

use std::sync::Arc;

use common::{fixtures, sample};
use serde_json::{Value as Json, json};
use turnscope::analysis::{Analysis, PROFILES, Profile, View};
use turnscope::compression::{Case, STRATEGIES, strategy};
use turnscope::export::analysis as export;
use turnscope::tokens::Tokenizer;

fn cases(kind: &str) -> Vec<Json> {
    let text = std::fs::read_to_string(fixtures().join("golden/analysis.json")).expect("a fixture");
    let cases: Vec<Json> = serde_json::from_str(&text).expect("JSON");
    let of_kind = |case: &Json| case["query"]["kind"] == kind;
    cases.into_iter().filter(of_kind).collect()
}

fn view(query: &Json) -> Option<View> {
    let name = query["strategy"].as_str()?;
    if name == "recorded" {
        return Some(View::Recorded);
    }
    let mut case = Case::new(strategy(name).expect("a strategy there is"));
    for (name, value) in query["options"].as_object().into_iter().flatten() {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        case.set(name, &text).expect("a valid option");
    }
    Some(View::Case(case))
}

fn analysis(case: &Json) -> Analysis {
    let query = &case["query"];
    let tokenizer = query["tokenizer"].as_str().unwrap_or("o200k_base");
    let profile = query["profile"].as_str().unwrap_or("raw");
    let run = sample(case["file"].as_str().expect("a file"));
    Analysis::new(
        Arc::new(run),
        Tokenizer::from_name(tokenizer).expect("a tokenizer"),
        Profile::from_name(profile).expect("a profile"),
    )
}

fn turn(query: &Json) -> u32 {
    u32::try_from(query["turn"].as_u64().expect("a turn")).expect("a small number")
}

/// Runs every case of a kind and reports all that differ.
fn check(kind: &str, at_least: usize, run: impl Fn(&Analysis, &Json) -> Json) {
    let cases = cases(kind);
    assert!(
        cases.len() >= at_least,
        "{kind} has only {} cases",
        cases.len()
    );
    let mut failures = Vec::new();
    for case in &cases {
        let got = run(&analysis(case), &case["query"]);
        if got != case["expected"] {
            let expected = &case["expected"];
            let (file, query) = (&case["file"], &case["query"]);
            failures.push(format!(
                "{file} {query}\n  got      {got}\n  expected {expected}"
            ));
        }
    }
    let (failed, all) = (failures.len(), cases.len());
    assert!(
        failures.is_empty(),
        "{kind}: {failed} of {all} differ\n{}",
        failures.join("\n")
    );
}

fn sent(analysis: &Analysis, query: &Json) -> turnscope::analysis::Sent {
    let view = view(query).expect("a strategy");
    let sent = analysis
        .sent(turn(query), &view)
        .expect("a prompt there is");
    sent.expect("a recorded prompt")
}

#[test]
fn prompts() {
    check("prompt", 9, |analysis, query| {
        let messages = sent(analysis, query).messages;
        let message = |message: &Arc<turnscope::namespace::PromptMessage>| json!({"role": message.role.name(), "content": &*message.content});
        messages.iter().map(message).collect()
    });
}

#[test]
fn tokens() {
    check("tokens", 9, |analysis, query| {
        export::tokens(&sent(analysis, query), analysis.tokenizer())
    });
}

#[test]
fn shares() {
    check("shares", 5, |analysis, query| {
        export::shares(&sent(analysis, query), analysis.tokenizer())
    });
}

#[test]
fn cache() {
    check("cache", 10, |analysis, query| {
        let view = view(query).expect("a strategy");
        let cached = analysis
            .cached(turn(query), &view)
            .expect("prompts there are");
        export::cached(&cached)
    });
}

#[test]
fn cache_over_a_run() {
    check("cache_run", 6, |analysis, query| {
        let (_, sums) = analysis.cache(&view(query).expect("a strategy"));
        export::cache_run(&sums, analysis.profile())
    });
}

#[test]
fn needs() {
    check("needs", 6, |analysis, query| {
        export::needs(&analysis.needs(turn(query)))
    });
}

#[test]
fn losses_of_a_turn() {
    check("turn_losses", 7, |analysis, query| {
        let view = view(query).expect("a strategy");
        let losses = analysis
            .losses(turn(query), &view)
            .expect("a prompt there is");
        export::turn_losses(&losses.expect("a recorded prompt"))
    });
}

/// The order of the pairs is not told.
fn sort_pairs(mut losses: Json) -> Json {
    if let Some(pairs) = losses["pairs"].as_array_mut() {
        pairs.sort_by_key(Json::to_string);
    }
    losses
}

#[test]
fn losses_of_a_run() {
    let mut cases = cases("run_losses");
    assert!(cases.len() >= 6);
    for case in &mut cases {
        let analysis = analysis(case);
        let losses = analysis.run_losses(&view(&case["query"]).expect("a strategy"));
        let got = sort_pairs(export::run_losses(&losses, false));
        assert_eq!(
            got,
            sort_pairs(case["expected"].take()),
            "{} {}",
            case["file"],
            case["query"]
        );
    }
}

#[test]
fn problems() {
    check("problems", 5, |analysis, query| {
        let mut found = export::problems(&analysis.problems(view(query).as_ref()));
        for problem in found.as_array_mut().into_iter().flatten() {
            problem
                .as_object_mut()
                .expect("an object")
                .remove("removed");
        }
        found
    });
}

#[test]
fn figures_of_single_strategies() {
    check("stats", 2, |analysis, query| {
        let stats = sent(analysis, query).stats.expect("a strategy's");
        export::figures(&stats)
    });
}

#[test]
fn comparisons() {
    check("compare", 4, |analysis, _| {
        let recorded = analysis
            .is_recorded()
            .then(|| ("recorded".to_owned(), View::Recorded));
        let strategies = STRATEGIES
            .iter()
            .map(|&strategy| (strategy.name().to_owned(), View::Case(Case::new(strategy))));
        let cases: Vec<_> = recorded.into_iter().chain(strategies).collect();
        export::compare(&analysis.compare(&cases, None).expect("prompts there are"))
    });
}

#[test]
fn profiles_have_names_of_their_own() {
    for profile in PROFILES {
        assert_eq!(Profile::from_name(profile.name).as_ref(), Some(profile));
    }
}
