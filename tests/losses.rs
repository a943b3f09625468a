//! What strategies lose on runs made for it, where it is known by hand: a shell agent that copies paths
//! and ids, an order desk that copies numbers out of prints, and a few turns for each rule.

mod common;

use std::sync::Arc;

use common::fixtures;
use turnscope::analysis::{Analysis, LossKind, Profile, View, Walk};
use turnscope::compression::{Case, Reason, Run, STRATEGIES, strategy};
use turnscope::load::{self, Source};
use turnscope::tokens::Tokenizer;

fn analysis(bytes: Vec<u8>) -> Analysis {
    let loaded = load::load(&Source::from_bytes("run", bytes), None).expect("it loads");
    let run = Run::new(Arc::clone(&loaded.conversations[0]));
    Analysis::new(Arc::new(run), Tokenizer::Estimate, Profile::default())
}

fn agent(name: &str) -> Analysis {
    let path = fixtures().join(format!("agents/{name}.step.json"));
    analysis(std::fs::read(path).expect("a fixture"))
}

fn view(name: &str, options: &[(&str, &str)]) -> View {
    let mut case = Case::new(strategy(name).expect("a strategy there is"));
    for (option, value) in options {
        case.set(option, value).expect("an option");
    }
    View::Case(case)
}

/// Kind, item, source turn, turns that miss it, and why.
type Lost = (LossKind, &'static str, u32, &'static [u32], Reason);

fn check(analysis: &Analysis, view: &View, expected: &[Lost]) {
    let losses = analysis.run_losses(view);
    let found: Vec<_> = losses
        .pairs
        .iter()
        .map(|loss| {
            let turns = loss.turns.as_slice();
            (loss.kind, &*loss.item, loss.source, turns, loss.reason)
        })
        .collect();
    assert_eq!(found, expected, "{}", view.name());
}

use LossKind::{Literal, Name, Own, Value};

#[test]
fn a_shell_agent_loses_paths_and_ids() {
    let run = agent("shell-agent");
    let needed = run.run_losses(&view("uncompressed", &[])).needed;
    assert_eq!((needed.names, needed.literals, needed.own), (0, 9, 0));
    check(&run, &view("uncompressed", &[]), &[]);
    check(
        &run,
        &view("observation-masking", &[("window", "3")]),
        &[
            (
                Literal,
                "check-gateway --profile canary-eu3",
                4,
                &[9],
                Reason::Masked,
            ),
            (Literal, "platform-edge", 4, &[11], Reason::Masked),
        ],
    );
    check(
        &run,
        &view("rolling-window", &[("window", "3")]),
        &[
            (
                Literal,
                "check-gateway --profile canary-eu3",
                4,
                &[9],
                Reason::NotShown,
            ),
            (Literal, "4200", 3, &[10], Reason::NotShown),
            (Literal, "platform-edge", 4, &[11], Reason::NotShown),
        ],
    );
}

#[test]
fn an_order_desk_loses_numbers_whose_prints_are_over_the_limit() {
    let run = agent("order-desk");
    let needed = run.run_losses(&view("uncompressed", &[])).needed;
    assert_eq!((needed.names, needed.literals, needed.own), (1, 7, 2));
    check(&run, &view("rolling-window", &[("window", "3")]), &[]);
    check(
        &run,
        &view("single-user-coalesced", &[("println_limit", "3")]),
        &[
            (Literal, "SO-70412", 1, &[8], Reason::OverLimit),
            (Literal, "PL-9001", 4, &[8], Reason::OverLimit),
            (Literal, "SO-70425", 1, &[9], Reason::OverLimit),
            (Value, "rate", 3, &[10], Reason::NotShown),
        ],
    );
    check(
        &run,
        &view("aggressive", &[]),
        &[
            (Literal, "SO-70412", 1, &[8], Reason::OverLimit),
            (Literal, "PL-9001", 4, &[8], Reason::OverLimit),
            (Literal, "SO-70425", 1, &[9], Reason::OverLimit),
            (Literal, "PL-9015", 6, &[9], Reason::OverLimit),
            (Literal, "330518842", 8, &[10], Reason::OverLimit),
            (Own, "pick_list", 8, &[9], Reason::NotShown),
            (Own, "SO-70412", 1, &[10], Reason::OverLimit),
            (Value, "rate", 3, &[10], Reason::NotShown),
        ],
    );
    check(
        &run,
        &view("trim", &[]),
        &[(Name, "rate", 3, &[10], Reason::NotShown)],
    );
}

#[test]
fn a_reach_says_which_window_would_do() {
    let reach = agent("shell-agent")
        .run_losses(&view("uncompressed", &[]))
        .reach;
    assert_eq!(reach, [(1, 1), (2, 1), (4, 3), (5, 1), (7, 2), (8, 1)]);
    let eight = view("head-tail", &[("head", "0"), ("tail", "8")]);
    check(&agent("shell-agent"), &eight, &[]);
}

fn steps(mission: &str, turns: &str) -> Analysis {
    let json = format!(r#"{{"mission": "{mission}", "max_turns": 9, "turns": [{turns}]}}"#);
    analysis(json.into_bytes())
}

#[test]
fn a_name_used_three_turns_later_is_lost_where_its_turn_is_gone() {
    let turns = r#"
        {"number": 1, "program": "(def limit-code 88)", "memory": {"limit-code": 88}},
        {"number": 2, "program": "(inc 1)", "memory": {"limit-code": 88}},
        {"number": 3, "program": "(inc 2)", "memory": {"limit-code": 88}},
        {"number": 4, "program": "(inc limit-code)", "memory": {"limit-code": 88}}"#;
    let run = steps("Count.", turns);
    let gone = view("head-tail", &[("head", "0"), ("tail", "2")]);
    check(
        &run,
        &gone,
        &[(Name, "limit-code", 1, &[4], Reason::NotShown)],
    );
    check(
        &run,
        &view("head-tail", &[("head", "1"), ("tail", "2")]),
        &[],
    );
    check(&run, &view("single-user-coalesced", &[]), &[]);
    // A program that defines the name itself before it reads it needs nothing.
    let own = turns.replace("(inc limit-code)", "(def limit-code 3) (inc limit-code)");
    assert_eq!(steps("Count.", &own).needs(4).iter().count(), 0);
}

#[test]
fn what_the_run_began_with_is_no_need_and_what_the_model_wrote_is_its_own() {
    let turns = r#"
        {"number": 1, "program": "(println (tool/find {}))", "prints": ["case QX-551 at desk-19"]},
        {"number": 2, "program": "(println 1)", "prints": ["1"]},
        {"number": 3, "program": "(tool/close {:id \"QX-551\"})"},
        {"number": 4, "program": "(tool/note {:id \"QX-551\"})"}"#;
    let run = steps("Find it.", turns);
    let items = |n| -> Vec<(String, &'static str)> {
        let needs = run.needs(n);
        let items = needs
            .iter()
            .map(|need| (need.item.to_string(), need.kind.name()));
        items.collect()
    };
    assert_eq!(items(3), [("QX-551".to_owned(), "literal")]);
    assert_eq!(items(4), [("QX-551".to_owned(), "own")]);
    let dropped = view("single-user-coalesced", &[("println_limit", "1")]);
    check(
        &run,
        &dropped,
        &[
            (Literal, "QX-551", 1, &[3], Reason::OverLimit),
            (Own, "QX-551", 1, &[4], Reason::OverLimit),
        ],
    );
    check(&run, &view("single-user-coalesced", &[]), &[]);
    // Where the mission has it, nobody needs it of a turn.
    let told = steps("Find QX-551.", turns);
    assert_eq!(told.needs(3).iter().count(), 0);
}

#[test]
fn a_path_in_a_calls_arguments_is_needed_where_there_are_no_programs() {
    let json = r#"{"mission": "Fix it.", "conventions": "foreign", "turns": [
        {"number": 1, "raw_response": "Looking.", "known": {"program": "none"},
         "tool_calls": [{"name": "ls", "args": {}, "result": "src/io/reader_map.rs"}]},
        {"number": 2, "raw_response": "Hm.", "known": {"program": "none"}, "tool_calls": []},
        {"number": 3, "raw_response": "", "known": {"program": "none"},
         "tool_calls": [{"name": "read", "args": {"path": "src/io/reader_map.rs"}, "result": "x"}]}]}"#;
    let run = analysis(json.as_bytes().to_vec());
    let masked = view("observation-masking", &[("window", "1")]);
    let lost: Lost = (Literal, "src/io/reader_map.rs", 1, &[3], Reason::Masked);
    check(&run, &masked, &[lost]);
    check(&run, &view("observation-masking", &[("window", "2")]), &[]);
}

/// A conversation that was compacted before turn 3, with a summary.
fn compacted(summary: &str) -> Analysis {
    let call = |n: u32, input: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"a{n}","sessionId":"s","message":{{"id":"m{n}","role":"assistant","content":[{{"type":"tool_use","id":"t{n}","name":"Bash","input":{{"command":"{input}"}}}}]}}}}"#
        )
    };
    let told = |n: u32, text: &str| {
        format!(
            r#"{{"type":"user","uuid":"r{n}","sessionId":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{n}","content":"{text}"}}]}}}}"#
        )
    };
    let said = |uuid: &str, text: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","sessionId":"s","isCompactSummary":{},"message":{{"role":"user","content":"{text}"}}}}"#,
            uuid == "c2"
        )
    };
    let records = [
        said("u1", "Fix it."),
        call(1, "ls"),
        told(1, r"src/io/reader_map.rs\nsrc/io/writer_map.rs"),
        call(2, "cat src/io/reader_map.rs"),
        told(2, "x"),
        r#"{"type":"system","subtype":"compact_boundary","uuid":"c1","sessionId":"s","content":""}"#.to_owned(),
        said("c2", summary),
        call(3, "cat src/io/writer_map.rs"),
        told(3, "y"),
    ];
    analysis(records.join("\n").into_bytes())
}

#[test]
fn what_a_compaction_took_away_is_not_needed_where_the_prompt_is_rebuilt() {
    let item = |run: &Analysis, n| -> Vec<(String, u32)> {
        let needs = run.needs(n);
        assert_eq!(needs.reference.name(), "rebuilt");
        let found = needs
            .iter()
            .map(|need| (need.item.to_string(), need.source));
        found.collect()
    };
    let run = compacted("It was read.");
    assert_eq!(item(&run, 2), [("src/io/reader_map.rs".to_owned(), 1)]);
    // Turns whole would show the other path; what was sent no longer did.
    assert_eq!(item(&run, 3), []);
    let masked = view("observation-masking", &[("window", "0")]);
    check(
        &run,
        &masked,
        &[(Literal, "src/io/reader_map.rs", 1, &[2], Reason::Masked)],
    );
    check(&run, &View::Recorded, &[]);
    let kept = compacted("Next is src/io/writer_map.rs, then done.");
    assert_eq!(item(&kept, 3), [("src/io/writer_map.rs".to_owned(), 1)]);
    assert_eq!(kept.references(1..=3), "rebuilt");
}

#[test]
fn references_are_all_named_where_turns_differ() {
    let turns = r#"
        {"number": 1, "program": "(inc 1)", "messages": [{"role": "user", "content": "Go."}]},
        {"number": 2, "program": "(inc 2)"}"#;
    let run = steps("Go.", turns);
    assert_eq!(run.references(1..=1), "recorded");
    assert_eq!(run.references(1..=2), "recorded, uncompressed");
    let none = steps("Go.", "");
    assert_eq!(none.references(1..=none.last_turn()), "uncompressed");
}

#[test]
fn each_need_tells_how_much_of_it_is_shown_and_where_it_was() {
    let run = agent("order-desk");
    let cut = view("single-user-coalesced", &[("println_limit", "3")]);
    let shown = run.needs_shown(8, &cut).expect("a turn").expect("a prompt");
    let told: Vec<(&str, Option<LossKind>, Vec<String>)> = shown
        .iter()
        .map(|need| {
            let sources = need.sources.iter().map(ToString::to_string);
            (&*need.need.item, need.lost, sources.collect())
        })
        .collect();
    let order = ["print 1", "result 1", "definition open-orders"].map(str::to_owned);
    let list = ["print 4", "result 4"].map(str::to_owned);
    assert_eq!(
        told,
        [
            ("SO-70412", Some(Literal), order.to_vec()),
            ("PL-9001", Some(Literal), list.to_vec()),
        ]
    );
}

/// A run is read once, message by message; a prompt asked for alone is read whole. Both tell the same.
#[test]
fn a_walk_through_a_run_finds_what_each_prompt_alone_shows() {
    let file = |name: &str| analysis(std::fs::read(fixtures().join(name)).expect("a fixture"));
    let mut compared = 0;
    for name in [
        "agents/shell-agent.step.json",
        "agents/order-desk.step.json",
        "step/payroll-audit.step.json",
        "rebuilt/claude.jsonl",
        "ptc-runner/trace-log-v2/flight-rebooking.jsonl",
    ] {
        let run = file(name);
        let mut views: Vec<View> = STRATEGIES.iter().map(|s| view(s.name(), &[])).collect();
        views.push(view("rolling-window", &[("window", "1")]));
        views.push(view("observation-masking", &[("window", "2")]));
        views.push(view(
            "clear-tool-results",
            &[("trigger_tokens", "200"), ("keep", "1")],
        ));
        views.push(View::Recorded);
        for view in &views {
            let mut walk = Walk::new(&run, view);
            let (cached, _) = run.cache(view);
            for n in 1..=run.last_turn() {
                let Some(figures) = walk.turn(n).expect("a turn") else {
                    continue;
                };
                let alone =
                    Analysis::new(Arc::clone(run.run()), run.tokenizer(), Profile::default());
                assert_eq!(alone.needs(n), run.needs(n), "{} {n}", view.name());
                let losses = alone.losses(n, view).expect("a turn").expect("a prompt");
                let lost = |kind| losses.lost().filter(|(found, _)| *found == kind).count();
                let found = (
                    figures.lost.names,
                    figures.lost.literals,
                    figures.lost.own,
                    figures.values,
                );
                let expected = (lost(Name), lost(Literal), lost(Own), lost(Value));
                assert_eq!(found, expected, "{} {n}", view.name());
                assert_eq!(
                    figures.cached,
                    cached[n as usize - 1],
                    "{} {n}",
                    view.name()
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared} prompts");
}
