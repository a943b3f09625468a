//! Recorded runs come out as recorded when they are run again, or the report says why not.

mod common;

use std::path::PathBuf;
use std::sync::Arc;

use turnscope::agent::{Options, Recorded, RecordedTools, Scripted, Verdict, replay, run};
use turnscope::compression::{Case, Run, STRATEGIES};
use turnscope::lisp::{Answer, NoTools, Tools};
use turnscope::load;
use turnscope::step::{Ending, Role, Step, Turn};
use turnscope::value::{Map, Value};

/// The samples of a folder, by name.
fn samples(folder: &str) -> Vec<(String, Arc<Step>)> {
    let entries = std::fs::read_dir(common::fixtures().join(folder)).expect("a folder");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let load = |path: PathBuf| {
        let loaded = load::open(&path, None).expect("a sample");
        let name = path.file_name().expect("a name").to_string_lossy();
        let name = name.split('.').next().unwrap_or_default().to_owned();
        (name, Arc::clone(&loaded.conversations[0]))
    };
    paths.into_iter().map(load).collect()
}

/// What replaying a step says, a line a turn that is not the same.
fn report(step: &Step) -> (String, Vec<String>) {
    let replayed = replay(step);
    let (same, differs, cant) = replayed.counts();
    let lines = replayed
        .turns
        .iter()
        .filter_map(|turn| match &turn.verdict {
            Verdict::Same => None,
            Verdict::Cant(why) => Some(format!("{}: can't: {why}", turn.number)),
            Verdict::Differs => {
                let parts = turn
                    .differences
                    .iter()
                    .map(|d| format!("{} {:?}", d.part, d.sides(150)));
                Some(format!(
                    "{}: {}",
                    turn.number,
                    parts.collect::<Vec<_>>().join(", ")
                ))
            }
        });
    (
        format!("{same} same, {differs} differ, {cant} can't"),
        lines.collect(),
    )
}

/// What is expected of the samples: counts, and turns that are not the same with the reason.
const EXPECTED: &[(&str, &str, &[&str])] = &[
    ("big-values", "3 same, 0 differ, 0 can't", &[]),
    // A failed turn's record has no calls.
    (
        "fleet-watch",
        "55 same, 0 differ, 5 can't",
        &[
            "11: can't: there is no record of (tool/position {:minute 11})",
            "22: can't: there is no record of (tool/position {:minute 22})",
            "33: can't: there is no record of (tool/position {:minute 33})",
            "44: can't: there is no record of (tool/position {:minute 44})",
            "55: can't: there is no record of (tool/position {:minute 55})",
        ],
    ),
    // Nor has it calls of pmap.
    (
        "flight-rebooking",
        "2 same, 0 differ, 2 can't",
        &[
            "1: can't: there is no record of (tool/alternatives {:pax \"Okafor\"})",
            "2: can't: there is no record of (tool/book {:flight \"FR77\" :pax \"Okafor\"})",
        ],
    ),
    ("hidden-fields", "2 same, 0 differ, 0 can't", &[]),
    // The reference cuts a list of maps in *1 at another place.
    (
        "history-and-unicode",
        "4 same, 1 differ, 0 can't",
        &["5: result"],
    ),
    ("incident-review", "4 same, 0 differ, 0 can't", &[]),
    ("invoice-match", "3 same, 0 differ, 0 can't", &[]),
    ("log-triage-stuck", "4 same, 0 differ, 0 can't", &[]),
    ("log-triage", "6 same, 0 differ, 0 can't", &[]),
    (
        "nested-agents",
        "2 same, 0 differ, 1 can't",
        &["1: can't: there is no record of (tool/score-supplier {:name \"Acme\"})"],
    ),
    ("no-code-until-end", "2 same, 0 differ, 0 can't", &[]),
    (
        "payroll-audit",
        "3 same, 0 differ, 2 can't",
        &[
            "2: can't: there is no record of (tool/notify {:who \"hr\"})",
            "4: can't: there is no record of (tool/payments {:employee \"al\"})",
        ],
    ),
    ("shop-refunds", "4 same, 0 differ, 0 can't", &[]),
    ("single-shot-error", "1 same, 0 differ, 0 can't", &[]),
    ("single-shot-return", "1 same, 0 differ, 0 can't", &[]),
];

#[test]
fn recorded_programs_come_out_as_recorded() {
    let samples = samples("step");
    assert_eq!(samples.len(), EXPECTED.len());
    for (name, step) in samples {
        let (counts, lines) = report(&step);
        let expected = EXPECTED.iter().find(|(known, ..)| *known == name);
        let (_, known_counts, known_lines) = expected.expect("a sample with expectations");
        assert_eq!(counts, *known_counts, "{name}: {lines:#?}");
        for (line, known) in lines.iter().zip(*known_lines) {
            assert!(line.starts_with(known), "{name}: {line}");
        }
    }
}

/// These were written by hand, and not everything in them is what a program gives.
#[test]
fn corner_cases_are_told_with_both_sides() {
    let mut all = [0; 3];
    for (_, step) in samples("step-corners") {
        let replayed = replay(&step);
        let (same, differs, cant) = replayed.counts();
        all = [all[0] + same, all[1] + differs, all[2] + cant];
        for turn in replayed.turns {
            let told = turn.differences.iter().all(|d| d.recorded != d.replayed);
            assert!(told, "turn {}", turn.number);
            assert_eq!(
                turn.verdict == Verdict::Differs,
                !turn.differences.is_empty()
            );
        }
    }
    assert_eq!(all, [39, 16, 0]);
}

/// TraceLogs cut values, and write texts for keywords; both is said, and neither is a difference.
#[test]
fn trace_logs_come_out_as_recorded() {
    let mut told = Vec::new();
    let mut all = [0; 3];
    for (name, step) in samples("ptc-runner/trace-log-v2") {
        let (same, differs, cant) = replay(&step).counts();
        all = [all[0] + same, all[1] + differs, all[2] + cant];
        if differs > 0 {
            told.push((name, report(&step).1));
        }
    }
    // What *1 held is cut at another place, as in the step file.
    assert_eq!(told.len(), 1, "{told:#?}");
    assert_eq!(told[0].0, "history-and-unicode");
    assert_eq!(all, [124, 1, 17]);
}

/// A step without its turns, ready to be run again.
fn start(step: &Step) -> Step {
    let mut start = step.clone();
    start.replace_turns(Vec::new());
    start.ending = Ending::Open;
    start
}

/// The recorded answers of a turn's tools, and where the record has none, what the sample's later
/// turns show that they were.
struct SampleTools {
    recorded: RecordedTools,
    step: Arc<Step>,
}

impl Tools for SampleTools {
    fn call(&mut self, name: &str, args: &Value) -> Answer {
        match self.recorded.call(name, args) {
            Answer::NotRecorded(why) => self
                .shown_later(name, args)
                .unwrap_or(Answer::NotRecorded(why)),
            answer => answer,
        }
    }
}

impl SampleTools {
    fn shown_later(&self, name: &str, args: &Value) -> Option<Answer> {
        let memory = self.step.memory.get()?;
        let text = |name: &str| args.get(name).cloned().unwrap_or_default();
        let find = |list: &str, key: &str, wanted: Value| {
            let list = memory.get(list)?.as_list()?;
            list.iter()
                .find(|item| item.get(key) == Some(&wanted))
                .cloned()
        };
        Some(match name {
            // A turn that failed for a misspelt field; any position will do.
            "position" => Answer::Value(Value::map(Map::default())),
            "notify" => Answer::Value(Value::Bool(true)),
            "payments" => Answer::Failed("ledger locked".into()),
            "score-supplier" => Answer::Value(find("scores", "name", text("name"))?),
            "alternatives" => {
                let best = find("alts", "pax", text("pax"))?.get("best")?.clone();
                Answer::Value(Value::list(vec![best]))
            }
            "book" => {
                let passengers = self
                    .step
                    .data
                    .get(&Value::from("passengers"))?
                    .as_list()?
                    .to_vec();
                let at = passengers.iter().position(|pax| *pax == text("pax"))?;
                Answer::Value(memory.get("booked")?.as_list()?.get(at)?.clone())
            }
            _ => return None,
        })
    }
}

fn again(step: &Arc<Step>, case: Case) -> Step {
    let mut options = Options::new(case);
    // The samples have none.
    options.definitions = false;
    let recorded = Arc::clone(step);
    let mut tools = move |n: u32| -> Box<dyn Tools> {
        let turn = &recorded.turns()[n as usize - 1];
        Box::new(SampleTools {
            recorded: RecordedTools::new(turn),
            step: Arc::clone(&recorded),
        })
    };
    let responses = step.turns().iter();
    let responses = responses.filter_map(|turn| turn.raw_response().get().map(Arc::clone));
    let mut script = Scripted::new(responses);
    run(&start(step), &options, &mut script, &mut tools).expect("a run")
}

/// What two turns must have in common, in words where they don't.
fn same_turn(made: &Turn, recorded: &Turn) -> Result<(), String> {
    let calls = |turn: &Turn| {
        let calls = turn.tool_calls().iter();
        calls
            .map(|call| (call.name.clone(), call.args.clone()))
            .collect::<Vec<_>>()
    };
    let program = |turn: &Turn| turn.program().get().map(|program| program.source.clone());
    let reason = |turn: &Turn| {
        let result = turn.result().get().filter(|_| turn.failed());
        result.and_then(|result| result.get("message").cloned())
    };
    let checks = [
        ("number", made.number() == recorded.number()),
        ("response", made.raw_response() == recorded.raw_response()),
        ("program", program(made) == program(recorded)),
        ("outcome", made.failed() == recorded.failed()),
        ("error", reason(made) == reason(recorded)),
        ("prints", made.prints() == recorded.prints()),
        ("calls", calls(made) == calls(recorded)),
        ("kind", made.kind() == recorded.kind()),
    ];
    match checks.iter().find(|(_, same)| !same) {
        None => Ok(()),
        Some((part, _)) => Err(format!(
            "turn {}: {part}: {:?} {:?}",
            made.number(),
            made.result(),
            recorded.result()
        )),
    }
}

#[test]
fn raw_responses_as_a_script_give_the_run_again() {
    for (name, step) in samples("step") {
        let theirs = Run::new(Arc::clone(&step));
        for strategy in STRATEGIES {
            let case = Case::new(*strategy);
            let made = again(&step, case.clone());
            assert_eq!(made.turns().len(), step.turns().len(), "{name}");
            for (turn, recorded) in made.turns().iter().zip(step.turns()) {
                same_turn(turn, recorded).unwrap_or_else(|why| panic!("{name}: {why}"));
                let n = turn.number();
                let wanted: Vec<_> = theirs.prompt(n, &case).expect("a prompt").messages();
                let wanted = wanted.iter().filter(|(role, _)| *role != Role::System);
                let sent = turn.messages().get().expect("what was sent");
                assert_eq!(sent.len(), wanted.clone().count());
                for (sent, (role, content)) in sent.iter().zip(wanted) {
                    assert_eq!(
                        (sent.role, &sent.content),
                        (*role, content),
                        "{name}, {}, prompt {n}",
                        strategy.name()
                    );
                }
            }
        }
    }
}

#[test]
fn runs_end_as_they_were_recorded_to() {
    let mut endings = Vec::new();
    for (name, step) in samples("step") {
        let made = again(&step, Case::default());
        match (&made.ending, &step.ending) {
            (Ending::Return(a), Ending::Return(b)) => {
                // What *1 held is cut at another place.
                assert!(
                    a == b || name == "single-shot-return" || name == "history-and-unicode",
                    "{name}"
                );
            }
            (Ending::Fail(a), Ending::Fail(b)) => {
                assert_eq!((&a.reason, &a.message), (&b.reason, &b.message), "{name}");
            }
            // The reference took the last value for the answer when the turns had run out.
            (a, b) => endings.push((name, std::mem::discriminant(a) == std::mem::discriminant(b))),
        }
    }
    assert_eq!(endings, [("invoice-match".to_owned(), false)]);
}

#[test]
fn a_run_goes_on_after_the_turns_it_has() {
    let step = samples("step")
        .into_iter()
        .find(|(name, _)| name == "shop-refunds");
    let (_, step) = step.expect("the sample");
    let mut fork = (*step).clone();
    fork.replace_turns(
        step.turns()[..2]
            .iter()
            .map(|turn| (**turn).clone())
            .collect(),
    );
    let program = "```clojure\n(return {:late (count late) :ids (map :id to-refund)})\n```";
    let mut script = Scripted::new([program.into()]);
    let options = Options::new(Case::default());
    let made = run(&fork, &options, &mut script, &mut NoTools).expect("a run");
    assert_eq!(made.turns().len(), 3);
    let Ending::Return(value) = &made.ending else {
        panic!("{:?}", made.ending);
    };
    let (text, _) = turnscope::value::to_clojure(value, turnscope::value::Limits::NONE);
    assert_eq!(text, "{\"ids\" [1001 1004] \"late\" 3}");
    // Recorded answers fit where the history is the recorded one.
    let mut recorded = Recorded::new(Arc::clone(&step));
    let made = run(&fork, &options, &mut recorded, &mut NoTools).expect("a run");
    assert!(made.turns()[2].failed(), "there are no tools");
}
