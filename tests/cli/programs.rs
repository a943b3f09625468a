//! `eval`, `replay` and `run`.

use std::path::Path;

use serde_json::Value;

use super::{run, run_with_input, sample};

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path.to_str().expect("a plain path").to_owned()
}

#[test]
fn eval_prints_the_value_after_what_was_printed() {
    let ended = run(["eval", "(println \"a\\u001b[2J\") (map inc [1 2])"]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    assert!(!ended.out.contains('\u{1b}'));
    assert!(ended.out.ends_with("\n[2 3]\n"), "{}", ended.out);
    let ended = run_with_input(["eval", "-"], "(return {:a 1})");
    assert_eq!(ended.out, "(return {:a 1})\n");
    assert_eq!(run(["eval", "-7"]).out, "-7\n");
}

#[test]
fn eval_says_where_a_program_fails() {
    let ended = run(["eval", "(let [a 1]\n  (frist a))"]);
    assert_eq!((ended.code, ended.out.as_str()), (1, ""));
    let said = "turnscope: error: unbound_var: line 2, column 4: Undefined variable: frist; \
                did you mean first?\n";
    assert_eq!(ended.err, said);
}

#[test]
fn eval_tells_everything_as_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = file(folder.path(), "data.json", r#"{"n": 4}"#);
    let memory = r#"{"k": 2, "f": {"~#fn": {"params": ["x"], "source": "(fn [x] (* x 10))"}}}"#;
    let memory = file(folder.path(), "memory.json", memory);
    let tools = r#"{"say": {"kind": "echo"}, "ask": {"kind": "command", "command": ["cat"]}}"#;
    let tools = file(folder.path(), "tools.json", tools);
    let program = "(def r (tool/ask {:q (f data/n)})) (println k) [r (tool/say {:a #\"x+\"}) #{1}]";
    let ended = run([
        "eval", program, "--data", &data, "--memory", &memory, "--tools", &tools, "--output",
        "json",
    ]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let told = json(&ended.out);
    assert_eq!(told["schema"], "turnscope.eval/1");
    let result = r#"[{"q": 40}, {"~:a": {"~#regex": "x+"}}, {"~#set": [1]}]"#;
    assert_eq!(told["result"], json(result));
    assert_eq!(told["prints"], json(r#"["2"]"#));
    assert_eq!(told["tool_calls"][0]["args"], json(r#"{"~:q": 40}"#));
    assert_eq!(told["memory"]["r"], json(r#"{"q": 40}"#));
    let ended = run(["eval", "(nth [1])", "--output", "json"]);
    assert_eq!(ended.code, 1);
    assert_eq!(json(&ended.out)["error"]["reason"], "arity_error");
    assert_eq!(json(&ended.out)["error"]["column"], 1);
}

#[test]
fn a_command_that_fails_is_a_tool_error() {
    let folder = tempfile::tempdir().expect("a folder");
    for (command, said) in [
        (r#"["false"]"#, "exit status: 1"),
        (r#"["no-such-program-here"]"#, "can't be started"),
        (r#"["echo", "no json"]"#, "answered no JSON"),
        (
            r#"["sleep", "30"], "timeout_ms": 50"#,
            "no answer within 50 ms",
        ),
    ] {
        let tools = format!(r#"{{"t": {{"kind": "command", "command": {command}}}}}"#);
        let tools = file(folder.path(), "tools.json", &tools);
        let ended = run(["eval", "(tool/t {:a 1})", "--tools", &tools]);
        assert_eq!(ended.code, 1);
        assert!(ended.err.contains("tool_error"), "{}", ended.err);
        assert!(ended.err.contains(said), "{}", ended.err);
    }
    let tools = file(folder.path(), "tools.json", r#"{"t": {"kind": "shell"}}"#);
    let ended = run(["eval", "1", "--tools", &tools]);
    assert_eq!(ended.code, 1);
    assert!(ended.err.contains("unknown kind 'shell'"), "{}", ended.err);
}

#[test]
fn eval_tells_what_a_builtin_does() {
    let ended = run(["eval", "--doc", "nth"]);
    assert!(
        ended.out.starts_with("nth  ; takes 2 values\n"),
        "{}",
        ended.out
    );
    let ended = run(["eval", "--doc", "filtr"]);
    assert_eq!(ended.code, 2);
    assert!(ended.err.contains("did you mean filter?"), "{}", ended.err);
    assert_eq!(run(["eval"]).code, 2);
}

/// NS-004..009.
#[test]
fn bare_names_stand_for_tools_and_data_if_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = file(
        folder.path(),
        "data.json",
        r#"{"n": 4, "both": 1, "count": 9}"#,
    );
    let tools = r#"{"say": {"kind": "echo"}, "both": {"kind": "echo"}}"#;
    let tools = file(folder.path(), "tools.json", tools);
    let eval = |program: &str| {
        let args = ["eval", program, "--data", &data, "--tools", &tools];
        let bare = run(args.into_iter().chain(["--bare-names"]));
        (run(args).err, bare.out + &bare.err)
    };
    for (program, wanted) in [
        ("(:a (say {:a n}))", "4\n"),
        ("(-> {:a 1} say :a)", "1\n"),
        ("(def n nil) [n data/n]", "[nil 4]\n"),
        ("(let [say inc] (say 1))", "2\n"),
        ("(defn n [x] x) (n 7)", "7\n"),
        ("(count [1])", "1\n"),
    ] {
        assert!(
            eval(program).1.starts_with(wanted),
            "{program}: {}",
            eval(program).1
        );
    }
    assert!(eval("n").0.contains("Undefined variable: n"));
    let message = "ambiguous_reference: line 1, column 1: Symbol 'both' exists in both tool/ and \
                   data/ namespaces. Use explicit namespace.";
    for program in ["(both {})", "both"] {
        assert!(eval(program).1.contains(message), "{}", eval(program).1);
    }
    assert!(
        eval("(map say [{}])")
            .1
            .contains("tool/say can only be called")
    );
}

#[test]
fn replay_tells_turn_by_turn() {
    let ended = run(["replay", &sample("shop-refunds")]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(
        ended.out.ends_with("4 same, 0 differ, 0 can't be told\n"),
        "{}",
        ended.out
    );
    let ended = run(["replay", &sample("flight-rebooking")]);
    assert_eq!(ended.code, 0);
    let cant = "turn 1: can't: there is no record of (tool/alternatives {:pax \"Okafor\"})";
    assert!(ended.out.contains(cant), "{}", ended.out);
    let ended = run(["replay", &sample("changed-sample")]);
    assert_eq!(ended.code, 3);
    let sides = "  result\n    recorded [100]\n    replayed #'acc\n";
    assert!(ended.out.contains(sides), "{}", ended.out);
    let ended = run(["replay", &sample("changed-sample"), "--output", "json"]);
    assert_eq!(ended.code, 3);
    let told = json(&ended.out);
    assert_eq!(told["schema"], "turnscope.replay/1");
    assert_eq!(told["turns"][0]["differences"][0]["recorded"], "[100]");
    let ended = run(["replay", &sample("no-turns")]);
    assert_eq!(ended.code, 1);
    assert!(ended.err.contains("no PTC-Lisp program"), "{}", ended.err);
}

#[test]
fn run_writes_a_step_that_opens_and_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let responses = r#"["```clojure\n(defn twice \"Doubles\" [x] (* 2 x))\n(println (twice 4))\n```",
        "no program", "(return {:text (tool/shout {:n (twice 1)})})"]"#;
    let responses = file(folder.path(), "responses.json", responses);
    let tools = file(
        folder.path(),
        "tools.json",
        r#"{"shout": {"kind": "echo"}}"#,
    );
    let out = folder.path().join("out.step.json");
    let out = out.to_str().expect("a plain path");
    let spec = sample("fail-then-recover");
    let ended = run([
        "run",
        &spec,
        "--responses",
        &responses,
        "--tools",
        &tools,
        "--strategy",
        "rolling-window",
        "--out",
        out,
    ]);
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (0, "3 turns, returned\n"),
        "{}",
        ended.err
    );
    let ended = run(["replay", out]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(
        ended.out.ends_with("3 same, 0 differ, 0 can't be told\n"),
        "{}",
        ended.out
    );
    let sent = run(["messages", out, "--turn", "3", "--strategy", "recorded"]);
    let made = run([
        "messages",
        out,
        "--turn",
        "3",
        "--strategy",
        "rolling-window",
    ]);
    assert_eq!(sent.out, made.out);
    assert!(run(["print", out]).out.contains("Doubles"));
    let short = file(folder.path(), "short.json", r#"["(+ 1 2)"]"#);
    let ended = run(["run", &spec, "--responses", &short, "--out", out]);
    assert_eq!(ended.out, "1 turns, open\n");
    assert!(ended.err.contains("the responses ran out"), "{}", ended.err);
    let ended = run([
        "run",
        &spec,
        "--responses",
        &short,
        "--strategy",
        "none",
        "--out",
        out,
    ]);
    assert_eq!(ended.code, 2);
}
