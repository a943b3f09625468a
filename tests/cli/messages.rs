//! `messages`: what it prints is what the library renders.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use turnscope::cli::{MessagesOutput, RECORDED, render_messages, shown};
use turnscope::compression::{Asked, Case, Kind, Run, STRATEGIES};
use turnscope::export::ChatMessage;
use turnscope::load;
use turnscope::step::Role;

use super::{file, output, run, sample, samples};

fn open(path: &Path) -> Run {
    let loaded = load::open(path, None).expect("a trace");
    Run::new(Arc::clone(&loaded.conversations[0]))
}

/// The frozen form, written once more.
fn frozen(messages: &[ChatMessage]) -> String {
    let message = |(role, content): &ChatMessage| {
        let content = serde_json::to_string(&**content).expect("a text");
        assert!(!content.chars().any(turnscope::text::is_unsafe));
        format!(r#"{{"role": "{}", "content": {content}}}"#, role.name())
    };
    let all: Vec<String> = messages.iter().map(message).collect();
    format!("[{}]\n", all.join(", "))
}

/// The first turn, one in the middle, the last, and the one after it.
fn turns(run: &Run) -> Vec<u32> {
    let last = run.step().last_prompt();
    let mut turns = vec![1, last.div_ceil(2), last.saturating_sub(1).max(1), last];
    turns.dedup();
    turns
}

#[test]
fn definitions_are_inferred_if_asked_for() {
    let file = sample("shop-refunds");
    let args = ["messages", &file, "--turn", "3", "--output", "text"];
    let told = run(args);
    let inferred = run(args.into_iter().chain(["--infer-definitions"]));
    assert_eq!((told.code, inferred.code), (0, 0), "{}", inferred.err);
    let place = |text: &str, name: &str| text.find(&format!("\n{name} ")).expect("a line");
    assert!(place(&told.out, "biggest") < place(&told.out, "to-refund"));
    assert!(place(&inferred.out, "to-refund") < place(&inferred.out, "biggest"));
    let note = "inferred: order in 1 turns";
    assert!(inferred.err.contains(note), "{}", inferred.err);
    assert!(!told.err.contains("inferred"));
    let compared = run(["compare", &file, "--infer-definitions"]);
    assert!(compared.err.contains(note), "{}", compared.err);
}

#[test]
fn what_is_printed_is_the_librarys_prompt() {
    for (place, path) in samples().iter().enumerate() {
        let run = open(path);
        let turns = turns(&run);
        for shift in 0..2 {
            let strategy = STRATEGIES[(place + shift * 2) % STRATEGIES.len()];
            let turn = turns[(place + shift) % turns.len()];
            let prompt = run.prompt(turn, &Case::new(strategy)).expect("a prompt");
            let printed = output([
                "messages",
                path.to_str().expect("a path"),
                "--output",
                "json",
                "--strategy",
                strategy.name(),
                "--turn",
                &turn.to_string(),
            ]);
            assert_eq!(printed, frozen(&prompt.messages()), "{path:?} {turn}");
        }
    }
}

#[test]
fn every_strategy_turn_and_limit_comes_through() {
    let mut compared = 0;
    for path in samples() {
        let run = open(&path);
        for strategy in STRATEGIES {
            for limit in [None, Some("0"), Some("1"), Some("3")] {
                let mut case = Case::new(*strategy);
                let mut options = Vec::new();
                for spec in case.specs() {
                    let takes = matches!(spec.kind, Kind::Count | Kind::MaybeCount);
                    if let Some(limit) = limit.filter(|_| takes) {
                        case.set(spec.name, limit).expect("a valid option");
                        options.push((spec.name.to_owned(), limit.to_owned()));
                    }
                }
                let asked = Asked::new(Some(strategy.name().to_owned()), options);
                for turn in turns(&run) {
                    let shown = shown(&run, Some(turn), &asked, "file").expect("messages");
                    let prompt = run.prompt(turn, &case).expect("a prompt");
                    let json = render_messages(&shown, MessagesOutput::Json);
                    assert_eq!(json, frozen(&prompt.messages()));
                    assert_eq!((shown.turn, shown.stats), (turn, Some(prompt.stats)));
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1500, "{compared}");
}

#[test]
fn flags_reach_the_options() {
    let path = sample("many-prints");
    let run = open(Path::new(&path));
    let mut case = Case::default();
    for (name, value) in [
        ("println_limit", "2"),
        ("summary_style", "flat"),
        ("collapse_repeats", "true"),
    ] {
        case.set(name, value).expect("a valid option");
    }
    let expected = frozen(&run.prompt(5, &case).expect("a prompt").messages());
    let flags = [
        "--println-limit",
        "2",
        "--summary-style",
        "flat",
        "--collapse-repeats",
    ];
    let pairs = [
        "--option",
        "println_limit=2",
        "--option",
        "summary-style=flat",
        "--option=collapse_repeats=on",
    ];
    // A later option holds over an earlier one, and --option over a flag.
    let twice = [
        "--println-limit=9",
        "--println-limit=8",
        "--option=println_limit=2",
        "--summary-style=flat",
        "--collapse-repeats=true",
    ];
    for given in [flags, pairs[..].try_into().unwrap_or(flags), twice] {
        let args = ["messages", &path].into_iter().chain(given);
        assert_eq!(output(args), expected, "{given:?}");
    }
    assert_ne!(output(["messages", &path]), expected);
    let pairs_used = ["messages", &path].into_iter().chain(pairs);
    assert_eq!(output(pairs_used), expected);
}

#[test]
fn recorded_messages_are_what_was_sent() {
    let path = sample("log-triage");
    let run = open(Path::new(&path));
    let expected = |turn: usize| {
        let step = run.step();
        let system = step.system_prompt.clone().expect("a system prompt");
        let sent = step.turns()[turn - 1]
            .messages()
            .get()
            .expect("messages")
            .iter();
        let sent = sent.map(|message| (message.role, Arc::clone(&message.content)));
        let all: Vec<ChatMessage> = std::iter::once((Role::System, system))
            .chain(sent)
            .collect();
        frozen(&all)
    };
    let recorded = ["messages", &path, "--strategy", RECORDED];
    let third = recorded.into_iter().chain(["--turn", "3"]);
    assert_eq!(output(third), expected(3));
    assert_eq!(output(recorded), expected(6));
}

#[test]
fn a_recorded_setting_is_the_starting_point() {
    let text = std::fs::read_to_string(sample("log-triage")).expect("a sample");
    let setting = r#"{"compression": ["rolling-window", {"window": 1}],"#;
    let (_folder, path) = file("set.json", text.replacen('{', setting, 1));
    let run = open(Path::new(&sample("log-triage")));
    let rendered = |case: &Case| frozen(&run.prompt(7, case).expect("a prompt").messages());
    let mut case = Case::new(turnscope::compression::strategy("rolling-window").expect("it is"));
    case.set("window", "1").expect("an option");
    assert_eq!(output(["messages", &path]), rendered(&case));
    case.set("window", "2").expect("an option");
    assert_eq!(
        output(["messages", &path, "--window", "2"]),
        rendered(&case)
    );
    let other = output(["messages", &path, "--strategy", "single-user-coalesced"]);
    assert_eq!(other, rendered(&Case::default()));

    let broken = r#"{"compression": ["nope"],"#;
    let (_folder, path) = file("broken.json", text.replacen('{', broken, 1));
    let ended = super::run(["messages", &path]);
    assert_eq!((ended.code, ended.out), (0, rendered(&Case::default())));
    assert!(ended.err.starts_with("turnscope: note: ") && ended.err.lines().count() == 1);
}

#[test]
fn chat_bodies_hold_the_same_messages() {
    let path = sample("shop-refunds");
    let json = |form: &str| -> Json {
        let text = output([
            "messages",
            &path,
            "--strategy",
            "uncompressed",
            "--output",
            form,
        ]);
        serde_json::from_str(&text).expect("JSON")
    };
    let messages = json("json");
    assert_eq!(json("openai"), serde_json::json!({ "messages": messages }));
    let all = messages.as_array().expect("an array");
    let anthropic = json("anthropic");
    assert_eq!(anthropic["system"], all[0]["content"]);
    assert_eq!(
        anthropic["messages"].as_array().expect("an array"),
        &all[1..]
    );
    assert_eq!(anthropic["messages"][0]["role"], "user");
    let text = output(["messages", &path, "--output", "text"]);
    assert!(text.starts_with("[system]\n") && text.contains("\n\n[user]\n"));
}
