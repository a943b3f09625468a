//! What is cached of prompts, against the arithmetic and a direct comparison of their tokens.

mod common;

#[path = "common/two_turns.rs"]
mod two_turns;

use std::sync::Arc;

use common::{fixtures, sample};
use turnscope::analysis::cache::Miss;
use turnscope::analysis::{Analysis, Profile, View, Walk};
use turnscope::compression::{Case, Run, strategy};
use turnscope::load::{self, Source};
use turnscope::tokens::Tokenizer;

fn view(name: &str) -> View {
    View::Case(Case::new(strategy(name).expect("a strategy there is")))
}

fn ids(analysis: &Analysis, n: u32, view: &View) -> Vec<(turnscope::step::Role, Vec<u32>)> {
    let sent = analysis.sent(n, view).expect("a turn").expect("a prompt");
    let messages = sent.messages.iter();
    messages
        .map(|message| (message.role, Tokenizer::O200k.ids(&message.content)))
        .collect()
}

/// Equal leading tokens of two prompts, up to the first message that differs.
fn equal(
    a: &[(turnscope::step::Role, Vec<u32>)],
    b: &[(turnscope::step::Role, Vec<u32>)],
) -> usize {
    let mut count = 0;
    for ((role, a), (other, b)) in a.iter().zip(b) {
        if role != other {
            break;
        }
        count += a.iter().zip(b).take_while(|(a, b)| a == b).count();
        if a != b {
            break;
        }
    }
    count
}

#[test]
fn the_cached_prefix_is_that_of_a_direct_comparison() {
    let run = Arc::new(sample("fleet-watch.step.json"));
    let analysis = Analysis::new(run, Tokenizer::O200k, Profile::default());
    for name in ["single-user-coalesced", "rolling-window"] {
        let view = view(name);
        let (cached, _) = analysis.cache(&view);
        let prompts: Vec<_> = (1..=60).map(|n| ids(&analysis, n, &view)).collect();
        for (at, cached) in cached.iter().enumerate() {
            let earlier = prompts[..at].iter();
            let best = earlier.map(|earlier| equal(&prompts[at], earlier)).max();
            assert_eq!(cached.cached, best.unwrap_or(0), "{name}, turn {}", at + 1);
            let all: usize = prompts[at].iter().map(|(_, ids)| ids.len()).sum();
            assert_eq!(cached.prompt, all);
        }
    }
}

#[test]
fn one_changed_data_row_breaks_the_prefix_there() {
    let path = fixtures().join("step/shop-refunds.step.json");
    let text = std::fs::read_to_string(path).expect("a fixture");
    let step = |text: &str| {
        let source = Source::from_bytes("run", text.as_bytes().to_vec());
        let loaded = load::load(&source, None).expect("it loads");
        Arc::new(Run::new(Arc::clone(&loaded.conversations[0])))
    };
    let run = step(&text);
    let other = step(&text.replace("\"grace_days\": 5", "\"grace_days\": 6"));
    let view = view("single-user-coalesced");
    let prompt = |run: &Arc<Run>| {
        let analysis = Analysis::new(Arc::clone(run), Tokenizer::O200k, Profile::default());
        analysis
            .sent(2, &view)
            .expect("a turn")
            .expect("a prompt")
            .messages
    };
    let mut cache = turnscope::analysis::cache::Cache::new(Tokenizer::O200k, Profile::default());
    cache.push(&prompt(&run), None);
    let found = cache.push(&prompt(&other), None);
    let Some(Miss::Content(found)) = found.miss else {
        panic!("{found:?}");
    };
    let piece = found.piece.expect("a piece");
    assert_eq!(
        (found.message, piece.to_string().as_str()),
        (1, "data grace_days")
    );
}

#[test]
fn rewriting_the_prefix_costs_more_than_appending_where_the_arithmetic_says_so() {
    let run = Arc::new(sample("fleet-watch.step.json"));
    let profile = Profile::from_name("openai").expect("a profile");
    let analysis = Analysis::new(run, Tokenizer::O200k, profile);
    let (_, appends) = analysis.cache(&view("uncompressed"));
    let (_, rewrites) = analysis.cache(&view("rolling-window"));
    assert!(
        rewrites.tokens * 3 < appends.tokens,
        "it sends less than a third"
    );
    assert!(rewrites.weighted(&profile) > appends.weighted(&profile));
}

/// The run of two turns, analysed.
fn two_turns(second_at: &str, read: u64) -> Analysis {
    let json = two_turns::two_turns(second_at, read);
    let source = Source::from_bytes("run", json.into_bytes());
    let loaded = load::load(&source, None).expect("it loads");
    let run = Arc::new(Run::new(Arc::clone(&loaded.conversations[0])));
    let profile = Profile::parse("raw,lifetime=300", None).expect("a profile");
    Analysis::new(run, Tokenizer::O200k, profile)
}

fn second_miss(analysis: &Analysis) -> (usize, Option<String>) {
    let view = View::Recorded;
    let mut walk = Walk::new(analysis, &view);
    walk.turn(1).expect("a turn").expect("a prompt");
    let second = walk.turn(2).expect("a turn").expect("a prompt").cached;
    (second.cached, second.miss.map(|miss| miss.to_string()))
}

#[test]
fn a_miss_is_told_apart() {
    let (cached, miss) = second_miss(&two_turns("2026-01-01T00:01:00Z", 12));
    assert!(cached > 0);
    assert_eq!(miss, None, "it was appended to");
    let late = second_miss(&two_turns("2026-01-01T00:05:01Z", 0));
    assert_eq!(late, (0, Some("expired after 301 s".to_owned())));
    // Everything that the trace has is equal, and the provider read nothing all the same.
    let (_, miss) = second_miss(&two_turns("2026-01-01T00:01:00Z", 0));
    assert_eq!(miss.as_deref(), Some("not recorded"));
}
