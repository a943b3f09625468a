//! What was really sent in logs of conversations: rebuilt from the records since the last compaction,
//! and the same in every view.

use turnscope::analysis::{Analysis, Profile, View};
use turnscope::cli;
use turnscope::compression::Asked;
use turnscope::step::Role;

use super::*;

/// Role and text of a message.
type Said = (Role, Arc<str>);

fn said(messages: &[turnscope::step::Message]) -> Vec<(&'static str, &str)> {
    let messages = messages.iter();
    messages
        .map(|message| (message.role.name(), &*message.content))
        .collect()
}

fn run(file: &str) -> Run {
    Run::new(Arc::clone(&sample(file).conversations[0]))
}

#[test]
fn a_prompt_begins_with_the_summary_of_the_last_compaction() {
    let claude = run("rebuilt/claude.jsonl");
    let sent = claude.as_sent(2).expect("a prompt");
    let expected = [
        ("user", "Count the files."),
        ("assistant", "I list them.\nBash {\"command\":\"ls\"}"),
        ("user", "a.txt\nb.txt"),
    ];
    assert_eq!(said(&sent.messages), expected);
    let sent = claude.as_sent(4).expect("a prompt");
    let expected = [
        ("user", "Summary: two files were counted."),
        ("user", "And the folders?"),
        ("assistant", "Bash {\"command\":\"ls -d */\"}"),
        ("user", "ls: no match"),
    ];
    assert_eq!(said(&sent.messages), expected);
    assert_eq!(
        sent.rebuilt.expect("it is rebuilt").note(),
        "rebuilt from the records since the compaction before turn 3; not recorded: the system prompt, the tools' schemas"
    );
    let codex = run("rebuilt/codex.jsonl");
    let sent = codex.as_sent(2).expect("a prompt");
    let expected = [
        ("system", "Be brief."),
        ("user", "Count the files."),
        ("user", "Summary: two were counted."),
        ("user", "And the folders?"),
    ];
    assert_eq!(said(&sent.messages), expected);
    // A recorded prompt stays what it is, and what is neither says why.
    let recorded = run("step/shop-refunds.step.json");
    assert!(!recorded.is_rebuilt());
    let sent = recorded.as_sent(3).expect("a prompt");
    assert_eq!(
        (Some(sent.messages), sent.rebuilt),
        (recorded.recorded_prompt(3), None)
    );
    let why = recorded.as_sent(recorded.step().last_prompt());
    assert_eq!(
        why,
        Err("No prompt was sent after the last turn.".to_owned())
    );
}

#[test]
fn every_view_has_the_same_prompt() {
    let asked = Asked::new(Some(cli::RECORDED.to_owned()), Vec::new());
    for file in [
        "rebuilt/claude.jsonl",
        "rebuilt/codex.jsonl",
        "redact/session.jsonl",
        "step/shop-refunds.step.json",
    ] {
        let run = Arc::new(run(file));
        let analysis = Analysis::new(Arc::clone(&run), Tokenizer::default(), Profile::default());
        let mut screen = Screen::new(sample(file), 100, 30);
        assert_eq!(
            screen.app.document().lens().shown,
            turnscope::tui::lens::Shown::Recorded
        );
        for n in 1..=run.step().last_prompt() {
            let sent = run.as_sent(n).map(|sent| sent.messages);
            let sent: Option<Vec<Said>> = sent.ok().map(|messages| {
                let messages = messages.into_iter();
                messages.map(|said| (said.role, said.content)).collect()
            });
            let shown = cli::shown(&run, Some(n), &asked, file);
            assert_eq!(shown.ok().map(|shown| shown.messages), sent, "{file} {n}");
            let compared = analysis.sent(n, &View::Recorded).expect("a turn");
            let compared = compared.map(|sent| {
                let messages = sent.messages.iter();
                let said = messages.map(|said| (said.role, Arc::clone(&said.content)));
                said.collect::<Vec<Said>>()
            });
            assert_eq!(compared, sent, "{file} {n}");
            let content = screen.app.document().lens().content();
            let here: Vec<Said> = (0..content.messages())
                .filter_map(|at| content.message(at))
                .collect();
            assert_eq!(here, sent.unwrap_or_default(), "{file} {n}");
            screen.keys("J");
        }
    }
}

#[test]
fn the_pane_says_that_a_prompt_is_rebuilt() {
    settled_snapshots("rebuilt", "rebuilt/claude.jsonl", "3J");
}

#[test]
fn no_prompt_pane_is_empty() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/samples/formats");
    let own = ["formats", "faults", "rebuilt", "redact", "step-corners"].map(fixture);
    let mut folders: Vec<PathBuf> = own.into_iter().chain([root]).collect();
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let Ok(loaded) = load::open(&path, None) else {
                continue;
            };
            for step in loaded.conversations.iter().take(4) {
                let run = Run::new(Arc::clone(step));
                for n in [1, step.last_prompt() / 2, step.last_prompt()] {
                    seen += 1;
                    let what = path.display();
                    match run.as_sent(n.max(1)) {
                        Ok(sent) => assert!(!sent.messages.is_empty(), "{what}: prompt {n}"),
                        Err(why) => assert!(!why.is_empty(), "{what}: prompt {n}"),
                    }
                }
            }
        }
    }
    assert!(seen > 20, "{seen}");
}
