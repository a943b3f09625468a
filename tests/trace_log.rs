//! TraceLogs of PTC-runner: the same runs stand as step files in `fixtures/step`, so a log must load
//! to the same turns, apart from what its writer cut or has no form for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use turnscope::compression::normalize;
use turnscope::load::{self, Loaded, Source};
use turnscope::step::{Ending, Field, Outcome, Step, ToolCall, Turn};
use turnscope::value::{Map, Set, Value, json, to_clojure, type_label};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn log_path(version: u8, name: &str) -> PathBuf {
    let folder = format!("ptc-runner/trace-log-v{version}");
    fixtures().join(folder).join(format!("{name}.jsonl"))
}

fn open(path: &Path) -> Loaded {
    load::open(path, None).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn log(version: u8, name: &str) -> Loaded {
    let loaded = open(&log_path(version, name));
    assert_eq!(loaded.format, format!("trace-log-v{version}"));
    assert!(loaded.report.is_clean(), "{name}: {:?}", loaded.report);
    assert_eq!(loaded.report.skipped(), 0, "{name}: {:?}", loaded.report);
    assert_eq!(loaded.conversations.len(), 1, "{name}");
    loaded
}

fn log_step(version: u8, name: &str) -> Arc<Step> {
    Arc::clone(&log(version, name).conversations[0])
}

fn step_file(name: &str) -> Arc<Step> {
    let loaded = open(&fixtures().join("step").join(format!("{name}.step.json")));
    Arc::clone(&loaded.conversations[0])
}

/// Loads bytes as a log of version 2, without files beside it.
fn try_load(bytes: &[u8]) -> Result<Loaded, turnscope::Error> {
    let source = Source::from_bytes("test", bytes.to_vec());
    let loader = load::loader("trace-log-v2").expect("a known format");
    load::load(&source, loader)
}

fn load_bytes(bytes: &[u8]) -> Loaded {
    try_load(bytes).expect("something to load")
}

fn bytes(version: u8, name: &str) -> Vec<u8> {
    std::fs::read(log_path(version, name)).expect("the sample is there")
}

/// The records of a log, read without the loader.
fn records(version: u8, name: &str) -> Vec<Value> {
    let text = bytes(version, name);
    let lines = text
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    lines
        .map(|line| json::parse(line).expect("the sample is whole").value)
        .collect()
}

/// A value under a path of names.
fn at<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
    path.iter()
        .fold(value, |value, name| value.get(name).unwrap_or(&Value::Nil))
}

fn event(record: &Value) -> &str {
    at(record, &["event"]).as_str().unwrap_or_default()
}

fn file_names(version: u8) -> Vec<String> {
    let folder = fixtures().join(format!("ptc-runner/trace-log-v{version}"));
    let files = std::fs::read_dir(folder).expect("the samples are there");
    let mut names: Vec<String> = files
        .filter_map(|file| {
            let name = file.ok()?.file_name().into_string().ok()?;
            Some(name.strip_suffix(".jsonl")?.to_owned())
        })
        .collect();
    names.sort();
    names
}

/// How a value in a log may differ from the one in the step file of the same run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    /// A keyword, as a value or as a key, is a string.
    Keyword,
    /// A tuple is a list.
    Tuple,
    /// A var is a map of its name, which any map may be.
    Var,
    /// The elements of a set are strings.
    SetElement,
    /// A list of more than 100 items is a note with their number.
    CutList,
    /// A map of more than 100 keys is a note with their number.
    CutMap,
    /// A string of more than 64 KiB is its first 200 characters and a note.
    CutString,
    /// Bytes are a note with their number.
    CutBytes,
    /// What was sent is not recorded, for it was a list of more than 100 messages.
    CutMessages,
}

/// Compares a log with a step file and remembers which rules it took.
#[derive(Default)]
struct Comparison {
    used: BTreeSet<Rule>,
    differences: Vec<String>,
}

impl Comparison {
    fn same<T: PartialEq + std::fmt::Debug>(&mut self, place: &str, log: &T, file: &T) {
        if log != file {
            self.differences
                .push(format!("{place}\n  log  {log:.300?}\n  file {file:.300?}"));
        }
    }

    fn value(&mut self, place: &str, log: &Value, file: &Value) {
        if !self.matches(log, file) {
            self.differences
                .push(format!("{place}\n  log  {log:.400?}\n  file {file:.400?}"));
        }
    }

    fn takes(&mut self, rule: Rule, holds: bool) -> bool {
        if holds {
            self.used.insert(rule);
        }
        holds
    }

    fn matches(&mut self, log: &Value, file: &Value) -> bool {
        match (log, file) {
            (Value::Str(text), Value::Keyword(name)) => self.takes(Rule::Keyword, text == name),
            (Value::Cut(left), file) => {
                let (note, label) = (&*left.note, &*left.label);
                let labelled = type_label(file) == label;
                match file {
                    Value::List(items) => {
                        let noted = note == format!("List({} items)", items.len());
                        self.takes(Rule::CutList, labelled && noted && items.len() > 100)
                    }
                    Value::Map(entries) => {
                        let noted = note == format!("Map({} keys)", entries.len());
                        self.takes(Rule::CutMap, labelled && noted && entries.len() > 100)
                    }
                    Value::Str(text) => {
                        let start: String = text.chars().take(200).collect();
                        let noted =
                            note.starts_with(&start) && note.contains(&text.len().to_string());
                        self.takes(Rule::CutString, labelled && noted && text.len() > 65536)
                    }
                    Value::Bytes(bytes) => {
                        let noted = note.contains(&format!("\"size\": {}", bytes.len()));
                        self.takes(Rule::CutBytes, labelled && noted)
                    }
                    _ => false,
                }
            }
            (Value::List(a), Value::Tuple(b)) => {
                let same = self.all(a, b);
                self.takes(Rule::Tuple, same)
            }
            (Value::Map(a), Value::Var(name)) => {
                let told = [(Value::string("name"), Value::Str(Arc::clone(name)))];
                self.takes(Rule::Var, **a == Map::from_iter(told))
            }
            (Value::List(a), Value::List(b)) => self.all(a, b),
            (Value::Map(a), Value::Map(b)) => self.maps(a, b),
            (Value::Set(a), Value::Set(b)) => {
                let texts: Set = b
                    .iter()
                    .map(|item| Value::string(to_clojure(item, turnscope::value::Limits::ALL).0))
                    .collect();
                **a == **b || self.takes(Rule::SetElement, **a == texts)
            }
            (a, b) => a == b,
        }
    }

    fn all(&mut self, a: &[Value], b: &[Value]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.matches(a, b))
    }

    fn maps(&mut self, log: &Map, file: &Map) -> bool {
        log.len() == file.len()
            && log.iter().zip(file).all(|((key, value), (known, same))| {
                let keys = match (key, known) {
                    (Value::Str(text), Value::Keyword(name)) => {
                        self.takes(Rule::Keyword, text == name)
                    }
                    (key, known) => key == known,
                };
                keys && self.matches(value, same)
            })
    }

    fn field(&mut self, place: &str, log: &Field<Value>, file: &Field<Value>) {
        match (log.get(), file.get()) {
            (Some(log), Some(file)) => self.value(place, log, file),
            (log, file) => self.same(place, &log, &file),
        }
    }

    fn call(&mut self, place: &str, log: &ToolCall, file: &ToolCall) {
        self.same(&format!("{place} name"), &log.name, &file.name);
        self.value(&format!("{place} args"), &log.args, &file.args);
        self.field(&format!("{place} result"), &log.result, &file.result);
    }

    fn turn(&mut self, log: &Turn, file: &Turn) {
        let at = |what: &str| format!("turn {} {what}", file.number());
        self.same(&at("number"), &log.number(), &file.number());
        self.same(&at("outcome"), &log.outcome(), &file.outcome());
        self.same(&at("type"), log.kind(), file.kind());
        self.same(&at("response"), log.raw_response(), file.raw_response());
        self.same(&at("program"), log.program(), file.program());
        self.same(&at("prints"), log.prints_field(), file.prints_field());
        self.field(&at("result"), log.result(), file.result());
        let (calls, known) = (log.tool_calls(), file.tool_calls());
        self.same(&at("calls"), &calls.len(), &known.len());
        for (index, (call, known)) in calls.iter().zip(known).enumerate() {
            self.call(&at(&format!("call {index}")), call, known);
        }
        match (log.memory().get(), file.memory().get()) {
            (Some(log), Some(file)) => {
                let (log, file) = (as_map(log), as_map(file));
                self.value(&at("memory"), &log, &file);
            }
            (log, file) => self.same(&at("memory"), &log, &file),
        }
        let cut = *log.messages() == Field::NotRecorded
            && file.messages().get().is_some_and(|sent| sent.len() > 100);
        if !self.takes(Rule::CutMessages, cut) {
            self.same(&at("messages"), log.messages(), file.messages());
        }
    }

    fn step(&mut self, log: &Step, file: &Step) {
        self.same("name", &log.name, &file.name);
        self.same("mission", &log.mission, &file.mission);
        self.same("system prompt", &log.system_prompt, &file.system_prompt);
        self.same("signature", &log.signature, &file.signature);
        self.same(
            "max_turns",
            &log.recorded_max_turns,
            &file.recorded_max_turns,
        );
        self.same("tools", &log.tools, &file.tools);
        self.same(
            "descriptions",
            &log.field_descriptions,
            &file.field_descriptions,
        );
        self.same("compression", &log.compression, &file.compression);
        let data = |step: &Step| Value::map(step.data.clone());
        self.value("data", &data(log), &data(file));
        match (&log.ending, &file.ending) {
            (Ending::Return(log), Ending::Return(file)) => self.value("return", log, file),
            (Ending::Fail(log), Ending::Fail(file)) => {
                self.same("failure", &log.message, &file.message);
                self.same("reason", &log.reason, &file.reason);
                self.value("details", &log.details, &file.details);
            }
            (log, file) => self.same("ending", log, file),
        }
        let memory = |step: &Step| step.memory.get().map(|memory| as_map(memory));
        if let (Some(log), Some(file)) = (memory(log), memory(file)) {
            self.value("memory", &log, &file);
        }
        self.same("turns", &log.turns().len(), &file.turns().len());
        for (log, file) in log.turns().iter().zip(file.turns()) {
            self.turn(log, file);
        }
    }
}

fn as_map(memory: &turnscope::step::Memory) -> Value {
    let entries = memory.iter();
    Value::map(
        entries
            .map(|(name, value)| (Value::Str(Arc::clone(name)), value.clone()))
            .collect(),
    )
}

#[test]
fn a_log_loads_to_the_turns_of_its_step_file() {
    use Rule::{
        CutBytes, CutList, CutMap, CutMessages, CutString, Keyword, SetElement, Tuple, Var,
    };
    let big = [
        Keyword, Tuple, SetElement, CutList, CutMap, CutString, CutBytes,
    ];
    let expected: &[(&str, &[Rule])] = &[
        ("big-values", &big),
        ("fleet-watch", &[Keyword, CutMessages]),
        ("flight-rebooking", &[Keyword, Var]),
        ("hidden-fields", &[Var]),
        ("history-and-unicode", &[CutList]),
        ("incident-review", &[Var]),
        ("invoice-match", &[Keyword]),
        ("log-triage", &[Keyword]),
        ("log-triage-stuck", &[Keyword]),
        ("nested-agents", &[]),
        ("no-code-until-end", &[Keyword]),
        ("payroll-audit", &[Keyword]),
        ("shop-refunds", &[]),
    ];
    for (name, rules) in expected {
        let mut comparison = Comparison::default();
        comparison.step(&log_step(2, name), &step_file(name));
        let differences = comparison.differences;
        assert!(differences.is_empty(), "{name}\n{}", differences.join("\n"));
        let rules: BTreeSet<Rule> = rules.iter().copied().collect();
        assert_eq!(comparison.used, rules, "{name}");
    }
}

#[test]
fn a_single_shot_log_is_an_empty_step_with_a_note() {
    for name in ["single-shot-error", "single-shot-return"] {
        let loaded = log(2, name);
        let step = &loaded.conversations[0];
        assert_eq!(step.turns().len(), 0);
        assert_eq!(step.mission, step_file(name).mission);
        assert_eq!(step.name.as_deref(), Some(name));
        assert!(
            loaded
                .report
                .notes
                .iter()
                .any(|note| note.contains("single-shot")),
            "{:?}",
            loaded.report.notes
        );
    }
}

#[test]
fn every_sample_of_version_1_loads() {
    let names = file_names(1);
    assert!(names.len() >= 12, "{names:?}");
    for name in names {
        let step = log_step(1, &name);
        let all = records(1, &name);
        let run_stop = all.iter().find(|record| event(record) == "run.stop");
        let told = at(run_stop.expect("an end"), &["metadata", "step"]);
        let turns = at(told, &["turns"]).as_list().expect("turns");
        assert_eq!(step.turns().len(), turns.len(), "{name}");
        for (turn, record) in step.turns().iter().zip(turns) {
            let success = at(record, &["success?"]) == &Value::Bool(true);
            let outcome = if success {
                Outcome::Success
            } else {
                Outcome::Failure
            };
            assert_eq!(turn.outcome(), outcome, "{name} turn {}", turn.number());
            let program = turn.program().get().map(|program| &*program.source);
            assert_eq!(program, at(record, &["program"]).as_str(), "{name}");
            assert!(
                turn.started_at().is_some() && turn.duration_ms().is_some(),
                "{name}"
            );
        }
        let agent = at(&all[1], &["metadata", "agent"]);
        let max_turns = step.recorded_max_turns.map(i64::from);
        assert_eq!(max_turns, at(agent, &["max_turns"]).as_i64(), "{name}");
        assert_eq!(
            step.signature.as_deref(),
            at(agent, &["signature"]).as_str(),
            "{name}"
        );
        assert_eq!(
            step.trace_id.as_deref(),
            at(&all[0], &["trace_id"]).as_str(),
            "{name}"
        );
        assert!(step.mission.is_some() && !step.tools.is_empty(), "{name}");
        assert!(
            step.tools.iter().all(|tool| tool.signature.is_some()),
            "{name}"
        );
        assert!(matches!(step.ending, Ending::Return(_)), "{name}");
    }
    // The older writer doesn't say in which turns it failed otherwise.
    let failed = |step: &Step| {
        step.turns()
            .iter()
            .map(|turn| turn.failed())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        failed(&log_step(1, "log-triage")),
        [false, true, true, true, false, false]
    );
}

#[test]
fn recorded_messages_are_those_of_the_log() {
    for version in [1, 2] {
        let mut compared = 0;
        for name in file_names(version) {
            let step = log_step(version, &name);
            let inside = if version == 1 { "metadata" } else { "data" };
            let all = records(version, &name);
            let root = all.iter().find(|record| event(record) == "run.start");
            let Some(root) = root.map(|record| at(record, &["span_id"])) else {
                assert!(step.turns().is_empty());
                continue;
            };
            let sent = all.iter().filter(|record| {
                event(record) == "llm.start" && at(record, &["parent_span_id"]) == root
            });
            for (turn, record) in step.turns().iter().zip(sent) {
                let Some(messages) = at(record, &[inside, "messages"]).as_list() else {
                    assert_eq!(turn.messages(), &Field::NotRecorded, "{name}");
                    continue;
                };
                let of_turn = turn.messages().get().expect("messages");
                assert_eq!(of_turn.len(), messages.len(), "{name}");
                for (message, known) in of_turn.iter().zip(messages) {
                    assert_eq!(Some(message.role.name()), at(known, &["role"]).as_str());
                    assert_eq!(Some(&*message.content), at(known, &["content"]).as_str());
                }
                compared += 1;
            }
        }
        assert!(compared > 40, "version {version}: {compared}");
    }
}

#[test]
fn the_recorded_compression_is_a_setting() {
    for (version, name) in [(2, "shop-refunds"), (1, "log-triage")] {
        let plain = log_step(version, name);
        assert_eq!(plain.compression, None);
        let compressed = log_step(
            version,
            &format!(
                "{}.compressed",
                if version == 1 {
                    "log-triage"
                } else {
                    "shop-refunds"
                }
            ),
        );
        let setting = compressed.compression.as_ref().expect("a setting");
        let case = normalize(setting).expect("a valid setting");
        assert_eq!(case.strategy.name(), "single-user-coalesced");
        let strategy = at(&compressed.figures, &["compression", "strategy"]);
        assert_eq!(strategy.as_str(), Some("single-user-coalesced"));
    }
    // As the writer leaves a module with options.
    let text = String::from_utf8(bytes(2, "shop-refunds")).expect("UTF-8");
    let setting = r#""compression":["Elixir.PtcRunner.SubAgent.Compression.SingleUserCoalesced",[["println_limit",3]]]"#;
    let changed = text.replacen(r#""compression":null"#, setting, 1);
    assert_ne!(changed, text);
    let loaded = load_bytes(changed.as_bytes());
    let setting = loaded.conversations[0]
        .compression
        .clone()
        .expect("a setting");
    let case = normalize(&setting).expect("a valid setting");
    assert_eq!(case.options.println_limit(), 3);
}

#[test]
fn calls_have_the_durations_and_errors_of_their_events() {
    let step = log_step(2, "payroll-audit");
    let turns = step.turns();
    let first = &turns[0].tool_calls()[0];
    assert!(first.duration_ms.is_some() && first.timestamp.is_some());
    assert_eq!(first.error, None);
    let failed = &turns[2].tool_calls()[0];
    let message = failed.error.as_ref().map(|error| at(error, &["message"]));
    assert_eq!(message, Some(&Value::string("connection lost")));
    // The record of a failed turn leaves its calls out; the events have them.
    let told: Vec<(&str, bool)> = turns[1]
        .unlisted_calls()
        .iter()
        .map(|call| (&*call.name, call.error.is_some()))
        .collect();
    assert_eq!(told, [("notify", false), ("payments", true)]);
    assert!(turns[1].tool_calls().is_empty());
    assert!(matches!(
        turns[1].unlisted_calls()[0].result,
        Field::Preview(_)
    ));
}

#[test]
fn children_open_from_the_calls_that_started_them() {
    for version in [1, 2] {
        for name in ["nested-agents", "nested-agents.compressed"] {
            let step = log_step(version, name);
            assert_eq!(step.children.len(), 3, "{name} of version {version}");
            let calls = step
                .turns()
                .iter()
                .flat_map(|turn| turn.tool_calls().iter().chain(turn.unlisted_calls()));
            let opened: Vec<(Value, usize)> = calls
                .filter_map(|call| Some((at(&call.args, &["name"]).clone(), call.child?)))
                .collect();
            let suppliers = ["Acme", "Borealis", "Cobalt"];
            assert_eq!(opened.len(), 3, "{opened:?}");
            for ((argument, child), supplier) in opened.iter().zip(suppliers) {
                assert_eq!(argument, &Value::string(supplier));
                let child = &step.children[*child];
                assert_eq!(child.data.get(&Value::string("name")), Some(argument));
                assert_eq!(child.turns().len(), 2);
                assert!(
                    child
                        .turns()
                        .iter()
                        .all(|turn| turn.outcome() == Outcome::Success)
                );
                assert_eq!(child.turns()[0].tool_calls().len(), 1);
                assert_eq!(child.parent_trace_id, step.trace_id);
                assert_eq!(child.recorded_max_turns, Some(3));
                assert!(matches!(&child.ending, Ending::Return(answer)
                    if at(answer, &["name"]) == argument));
                // The child's own file is the same run.
                let id = child.trace_id.as_deref().expect("a trace of its own");
                let own = log_step(version, &format!("trace_{id}"));
                assert_eq!(own.turns().len(), 2);
                assert_eq!(own.mission, child.mission);
                assert_eq!(own.parent_trace_id, step.trace_id);
                for (turn, same) in own.turns().iter().zip(child.turns()) {
                    assert_eq!(turn.raw_response(), same.raw_response());
                    assert_eq!(turn.memory(), same.memory());
                }
            }
            // Nothing of the children is in the parent's turns.
            let responses = step
                .turns()
                .iter()
                .filter_map(|turn| turn.raw_response().get());
            assert!(responses.clone().all(|text| !text.contains("turnover")));
            assert_eq!(responses.count(), 3);
        }
    }
}

#[test]
fn children_that_run_at_the_same_time_are_kept_apart() {
    let text = String::from_utf8(bytes(2, "nested-agents")).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    // Both children's events in turn, up to where neither has an end nor its call an answer.
    let (first, second) = (&lines[9..20], &lines[21..32]);
    let between = first.iter().zip(second).flat_map(|(a, b)| [*a, *b]);
    let mixed: Vec<String> = lines[..9]
        .iter()
        .copied()
        .chain(between)
        .enumerate()
        .map(|(seq, line)| {
            let (before, after) = line.split_once("\"seq\":").expect("a seq");
            let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{before}\"seq\":{seq}{rest}")
        })
        .collect();
    let loaded = load_bytes(mixed.join("\n").as_bytes());
    let step = &loaded.conversations[0];
    assert_eq!(step.turns().len(), 1);
    let calls = step.turns()[0].tool_calls();
    assert_eq!(calls.len(), 2);
    for (call, supplier) in calls.iter().zip(["Acme", "Borealis"]) {
        let child = &step.children[call.child.expect("a child")];
        assert_eq!(child.turns().len(), 2);
        let sent = child.turns()[1].messages().get().expect("messages");
        assert!(
            sent.iter()
                .any(|message| message.content.starts_with(supplier))
        );
        assert_eq!(child.turns()[0].tool_calls().len(), 1);
        assert_eq!(child.name.as_deref(), Some("score-supplier"));
    }
}

#[test]
fn children_are_found_in_the_final_record_where_their_events_are_lost() {
    let text = String::from_utf8(bytes(2, "nested-agents")).expect("UTF-8");
    let kept = text
        .lines()
        .filter(|line| !line.contains(r#""agent_id":"9b356060""#));
    let loaded = load_bytes(kept.collect::<Vec<_>>().join("\n").as_bytes());
    let step = &loaded.conversations[0];
    assert_eq!(step.turns().len(), 3);
    assert_eq!(step.children.len(), 3);
    assert!(step.children.iter().all(|child| child.turns().len() == 2));
}

#[test]
fn a_run_that_goes_on_is_built_from_its_events() {
    for name in ["shop-refunds", "log-triage", "nested-agents", "big-values"] {
        let whole = log_step(2, name);
        let all = records(2, name);
        let text = String::from_utf8(bytes(2, name)).expect("UTF-8");
        let lines: Vec<&str> = text.lines().collect();
        let root = at(
            all.iter().find(|r| event(r) == "run.start").expect("a run"),
            &["span_id"],
        );
        for kept in 4..lines.len() - 1 {
            let loaded = load_bytes(lines[..kept].join("\n").as_bytes());
            let step = &loaded.conversations[0];
            let of_root = |kind: &str, span: &str| {
                let records = all[..kept].iter();
                records
                    .filter(|r| event(r) == kind && at(r, &[span]) == root)
                    .count()
            };
            let responses = of_root("llm.stop", "parent_span_id");
            let ended = of_root("turn.stop", "span_id");
            assert_eq!(step.turns().len(), responses, "{name} {kept}");
            assert_eq!(step.mission, whole.mission, "{name}");
            assert_eq!(step.data, whole.data, "{name}");
            assert_eq!(step.revision(), 0);
            if of_root("run.stop", "span_id") == 0 {
                assert_eq!(step.ending, Ending::Open);
                assert!(
                    loaded
                        .report
                        .notes
                        .iter()
                        .any(|note| note.contains("no end"))
                );
            }
            for (turn, known) in step.turns().iter().zip(whole.turns()) {
                assert_eq!(turn.raw_response(), known.raw_response(), "{name} {kept}");
                assert_eq!(turn.program(), known.program(), "{name} {kept}");
                assert_eq!(turn.messages(), known.messages(), "{name} {kept}");
                assert_eq!(turn.outcome(), Outcome::Unknown);
                if (turn.number() as usize) <= ended {
                    assert_eq!(turn.prints(), known.prints(), "{name} {kept}");
                    assert!(matches!(turn.result(), Field::Preview(Value::Str(_))));
                    let calls = known.tool_calls().len() + known.unlisted_calls().len();
                    assert_eq!(turn.tool_calls().len(), calls, "{name} {kept}");
                }
            }
        }
    }
    assert_eq!(log_step(2, "shop-refunds").revision(), 1);
}

#[test]
fn a_run_of_version_1_that_goes_on_is_built_from_its_events() {
    for name in ["shop-refunds", "log-triage"] {
        let whole = log_step(1, name);
        let text = String::from_utf8(bytes(1, name)).expect("UTF-8");
        let lines: Vec<&str> = text.lines().collect();
        let cut = lines[..lines.len() - 1].join("\n");
        let loaded = load::load(&Source::from_bytes("x", cut.into_bytes()), None).expect("a log");
        let step = &loaded.conversations[0];
        assert_eq!(step.ending, Ending::Open);
        assert_eq!(step.turns().len(), whole.turns().len());
        for (turn, known) in step.turns().iter().zip(whole.turns()) {
            assert_eq!(turn.program(), known.program());
            assert_eq!(turn.outcome(), Outcome::Unknown);
            assert_eq!(turn.prints_field(), &Field::NotRecorded);
            let results = |calls: &[ToolCall]| -> Vec<_> {
                calls
                    .iter()
                    .map(|call| (call.args.clone(), call.result.clone()))
                    .collect()
            };
            assert_eq!(results(turn.tool_calls()), results(known.tool_calls()));
        }
    }
}

#[test]
fn a_child_whose_end_is_missing_is_completed_from_its_own_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = String::from_utf8(bytes(2, "nested-agents")).expect("UTF-8");
    let is_end = |line: &&str| !line.contains(r#""event":"run.stop""#);
    let kept: Vec<&str> = text.lines().filter(is_end).collect();
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, kept.join("\n")).expect("written");
    let children = |step: &Step| -> Vec<(usize, bool)> {
        let ended = |child: &Arc<Step>| child.ending != Ending::Open;
        step.children
            .iter()
            .map(|child| (child.turns().len(), ended(child)))
            .collect()
    };
    assert_eq!(children(&open(&path).conversations[0]), [(2, false); 3]);
    for id in [
        "3fc5e657f0f6e6f9d5cbe45d23dee6de",
        "158da979c12384402dee7fffde9fbb7a",
    ] {
        let name = format!("trace_{id}");
        std::fs::write(folder.path().join(format!("{name}.jsonl")), bytes(2, &name))
            .expect("written");
    }
    assert_eq!(
        children(&open(&path).conversations[0]),
        [(2, true), (2, true), (2, false)]
    );
}

#[test]
fn more_turns_than_the_writer_keeps_come_from_their_events() {
    let text = String::from_utf8(bytes(2, "shop-refunds")).expect("UTF-8");
    let (before, end) = text.split_at(text.find(r#""turns":[{"#).expect("turns"));
    let tail = &end[end.rfind(r#"],"usage":{"#).expect("usage") + 1..];
    let cut = format!(r#"{before}"turns":"List(120 items)"{tail}"#);
    let loaded = load_bytes(cut.as_bytes());
    assert!(loaded.report.is_clean(), "{:?}", loaded.report);
    let step = &loaded.conversations[0];
    assert_eq!(step.turns().len(), 4);
    assert!(matches!(step.ending, Ending::Return(_)));
    assert!(
        loaded
            .report
            .notes
            .iter()
            .any(|note| note.contains("List(120 items)"))
    );
}

#[test]
fn events_are_ordered_by_seq_and_traces_kept_apart() {
    let text = String::from_utf8(bytes(2, "shop-refunds")).expect("UTF-8");
    let whole = log_step(2, "shop-refunds");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    let reversed = load_bytes(lines.join("\n").as_bytes());
    let positions_aside = |step: &Step| -> Vec<_> {
        let turns = step.turns().iter();
        turns
            .map(|turn| {
                (
                    turn.raw_response().clone(),
                    turn.tool_calls().to_vec(),
                    turn.usage(),
                )
            })
            .collect()
    };
    assert_eq!(reversed.conversations.len(), 1);
    assert_eq!(
        positions_aside(&reversed.conversations[0]),
        positions_aside(&whole)
    );

    let mut both = bytes(2, "shop-refunds");
    both.extend(bytes(2, "log-triage"));
    both.extend(bytes(2, "log-triage"));
    let loaded = load_bytes(&both);
    let names: Vec<_> = loaded
        .conversations
        .iter()
        .map(|step| step.name.as_deref())
        .collect();
    assert_eq!(names, [Some("shop-refunds"), Some("log-triage")]);
    assert_eq!(*loaded.conversations[0], *whole);
}

#[test]
fn damage_is_counted_and_the_rest_is_read() {
    let text = String::from_utf8(bytes(2, "log-triage")).expect("UTF-8");
    let whole = log_step(2, "log-triage");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // Half of the beginning of turn 2, and its second event whole behind it.
    let fused = format!("{}{}", &lines[7][..lines[7].len() / 2], lines[8]);
    lines[7] = fused;
    lines[8] = "\0\0\0\0".to_owned();
    lines.push(r#"{"schema_version":2,"event":"cat.purrs","trace_id":"x","seq":99}"#.to_owned());
    lines.push("[1,2]".to_owned());
    lines.push(lines[3][..40].to_owned());
    let loaded = load_bytes(lines.join("\n").as_bytes());
    let report = &loaded.report;
    let damaged: Vec<_> = report.damage.iter().map(|damage| damage.line).collect();
    assert_eq!(damaged, [Some(8), Some(9), Some(34)]);
    assert_eq!(report.unknown.get("cat.purrs"), Some(&1));
    assert_eq!(report.skipped(), 2);
    assert!(
        report
            .notes
            .iter()
            .any(|note| note == "the last record is incomplete")
    );
    let step = &loaded.conversations[0];
    assert_eq!(loaded.conversations.len(), 1);
    assert_eq!(step.turns().len(), 6);
    // The record that was recovered: without the log's end, nothing else has these messages.
    let unended = load_bytes(lines[..29].join("\n").as_bytes());
    let turns = unended.conversations[0].turns();
    assert_eq!(turns.len(), 6);
    assert_eq!(turns[1].messages(), whole.turns()[1].messages());
    for (turn, known) in step.turns().iter().zip(whole.turns()) {
        assert_eq!(turn.memory(), known.memory());
        assert_eq!(turn.messages(), known.messages());
        assert_eq!(turn.started_at().is_none(), turn.number() == 2);
    }
}

#[test]
fn a_log_is_known_by_its_content_even_where_its_first_line_is_damaged() {
    for (version, name) in [(1, "log-triage"), (2, "log-triage")] {
        let mut text = bytes(version, name);
        text.drain(..30);
        let loaded = load::load(&Source::from_bytes("x", text), None).expect("recognised");
        assert_eq!(loaded.format, format!("trace-log-v{version}"));
        assert_eq!(loaded.report.damaged, 1);
        assert_eq!(loaded.conversations[0].turns().len(), 6);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_stands_whole_before_a_cut_remains(cut in 0.0f64..1.0) {
        let mut text = bytes(2, "log-triage");
        let whole = log_step(2, "log-triage");
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        text.truncate((text.len() as f64 * cut) as usize);
        let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines = text[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let kinds: Vec<String> = lines
            .map(|line| event(&json::parse(line).expect("whole").value).to_owned())
            .collect();
        let responses = kinds.iter().filter(|kind| *kind == "llm.stop").count();
        match try_load(&text) {
            Ok(loaded) => {
                let turns = loaded.conversations[0].turns();
                prop_assert!(turns.len() >= responses);
                prop_assert!(loaded.report.damaged <= 1);
                for (turn, known) in turns.iter().zip(whole.turns()).take(responses) {
                    prop_assert_eq!(turn.raw_response(), known.raw_response());
                }
            }
            Err(_) => prop_assert!(kinds.is_empty()),
        }
    }

    #[test]
    fn duplicated_lines_change_nothing(twice in proptest::collection::vec(0usize..31, 0..12)) {
        let text = String::from_utf8(bytes(2, "log-triage")).expect("UTF-8");
        let whole = log_step(2, "log-triage");
        let mut lines: Vec<&str> = text.lines().collect();
        for at in twice {
            let line = lines[at % lines.len()];
            lines.push(line);
        }
        let loaded = load_bytes(lines.join("\n").as_bytes());
        prop_assert_eq!(&*loaded.conversations[0], &*whole);
    }

    #[test]
    fn flipped_bytes_never_panic(
        version in 1u8..=2,
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let name = if version == 1 { "hidden-fields" } else { "nested-agents" };
        let mut text = bytes(version, name);
        for (at, byte) in &flips {
            let at = at.index(text.len());
            text[at] = *byte;
        }
        let loader = load::loader(&format!("trace-log-v{version}")).expect("a known format");
        let loaded = load::load(&Source::from_bytes("x", text), loader);
        prop_assert!(loaded.is_ok_and(|loaded| !loaded.conversations.is_empty()));
    }

    #[test]
    fn events_in_any_order_and_of_any_ancestry_are_survived(
        spans in proptest::collection::vec((0u8..5, 0u8..5, 0usize..14, 0u8..3), 1..40)
    ) {
        const KINDS: [&str; 14] = [
            "trace.start", "trace.stop", "agent.config", "run.start", "run.stop", "turn.start",
            "turn.stop", "llm.start", "llm.stop", "tool.start", "tool.stop", "tool.exception",
            "pmap.stop", "pcalls.start",
        ];
        let lines: Vec<String> = spans
            .iter()
            .enumerate()
            .map(|(seq, (span, parent, kind, turn))| format!(
                r#"{{"schema_version":2,"trace_id":"t","seq":{},"event":"{}","span_id":"{span}","parent_span_id":"{parent}","turn":{turn},"tool_name":"x","data":{{"response":"r","child_trace_id":"c"}}}}"#,
                seq / 2, KINDS[*kind],
            ))
            .collect();
        prop_assert!(try_load(lines.join("\n").as_bytes()).is_ok());
    }
}

#[test]
fn a_count_of_tokens_that_is_none_is_told() {
    let text = String::from_utf8(bytes(2, "shop-refunds")).expect("UTF-8");
    let wrong = text.replace("\"output_tokens\":null", "\"output_tokens\":-1");
    assert_ne!(text, wrong);
    let notes = load_bytes(wrong.as_bytes()).report.notes;
    let told = "output_tokens -1 is no count: not recorded";
    assert!(notes.iter().any(|note| note == told), "{notes:?}");
}
